//! The experiments: each is collective and gives the same finding on all ranks.

use super::finding::{Finding, State, Topic};
use hcube_core::comm::Comm;
use hcube_core::error::{Result, reason};
use hcube_core::machine::instructions::Level;
use hcube_core::mpi::{MpiComm, handle};
use hcube_core::node::{huge_pages, processor, single_copy};
use hcube_hpcc::random_access as updates;
use hcube_random_access::{Mode, Options, UpdateState};

/// Where ranks lie.
struct Places {
    /// A number per rank, equal on the same node.
    numbers: Vec<u32>,
    /// Ranks on the fullest node.
    most: usize,
    nodes: usize,
}

impl Places {
    fn new(numbers: Vec<u32>) -> Self {
        let on_node = |number: &u32| numbers.iter().filter(|other| *other == number).count();
        let most = numbers.iter().map(on_node).max().unwrap_or(1);
        let nodes =
            numbers.iter().enumerate().filter(|(rank, number)| !numbers[..*rank].contains(number)).count();
        Self { numbers, most, nodes }
    }

    /// The next rank on the node of `rank`, cyclically; itself if it has no neighbour.
    fn neighbour(&self, rank: usize) -> usize {
        let (size, own) = (self.numbers.len(), self.numbers[rank]);
        (1..=size).map(|step| (rank + step) % size).find(|&other| self.numbers[other] == own).unwrap_or(rank)
    }
}

/// All findings about the machine.
pub fn all(comm: &impl Comm) -> Result<Vec<Finding>> {
    let places = Places::new(comm.node_numbers()?);
    Ok(vec![
        Finding::new(Topic::Mpi, State::Fact, handle::library_version()),
        ranks(comm.size(), &places),
        cores(comm, &places)?,
        single_copy_works(comm, &places)?,
        shared_memory_works(comm, &places),
        huge_pages_work(comm)?,
        instructions(comm)?,
    ])
}

/// What hcube will do with these options.
pub fn choice(comm: &MpiComm, options: &Options) -> std::result::Result<String, String> {
    updates::State::new(comm, options).map(|prepared| prepared.describe()).map_err(|error| error.to_string())
}

/// How the all-to-all exchange goes with these options, or what is wrong with them here.
pub fn alltoall_choice(
    comm: &impl Comm,
    options: &hcube_alltoall::Options,
) -> std::result::Result<String, String> {
    let prepared = hcube_alltoall::ExchangeState::new(comm, options).map_err(|error| error.to_string())?;
    match prepared.refusal() {
        Some(refusal) => Err(format!("the path that HCUBE_PATH selects is not available here: {refusal}")),
        None => Ok(prepared.describe()),
    }
}

fn ranks(size: usize, places: &Places) -> Finding {
    let text = format!("{size} on {} node(s), at most {} per node", places.nodes, places.most);
    let finding = Finding::new(Topic::Ranks, State::Fact, text);
    if size == 1 { finding.advise("run under mpirun to test several ranks") } else { finding }
}

fn cores(comm: &impl Comm, places: &Places) -> Result<Finding> {
    // Bound ranks have cores of their own; unbound ones share those of the node.
    let crowded = processor::crowded(comm, &places.numbers)?;
    let cores = comm.all_gather(&[processor::cores() as u64])?;
    let (least, most) = (cores.iter().min().copied().unwrap_or(1), cores.iter().max().copied().unwrap_or(1));
    let each = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let text = format!("each process may use {each} core(s); {} rank(s) per node", places.most);
    if crowded {
        let text = format!("{text}: oversubscribed");
        let advice = "waiting ranks yield their cores; fewer ranks are faster";
        return Ok(Finding::new(Topic::Cores, State::Slow, text).advise(advice));
    }
    Ok(Finding::new(Topic::Cores, State::Good, format!("{text}: one core or more per rank")))
}

/// Every rank reads a word of its neighbour, whose value only that process can know.
fn single_copy_works(comm: &impl Comm, places: &Places) -> Result<Finding> {
    let process = u64::from(std::process::id());
    let secret = process << 32 ^ 0x6863_7562_6500_0000 ^ comm.rank() as u64;
    let cookie = Box::new(secret);
    let address = (&raw const *cookie).addr() as u64;
    let all = comm.all_gather(&[process, address, secret])?;
    let neighbour = &all[3 * places.neighbour(comm.rank())..][..3];
    let read = u32::try_from(neighbour[0])
        .map_err(std::io::Error::other)
        .and_then(|process| single_copy::read_word(process, neighbour[1]));
    // The cookie must live until all have read.
    comm.barrier()?;
    drop(cookie);
    let works = matches!(read, Ok(word) if word == neighbour[2]);
    let failed = comm.all_gather(&[u64::from(!works)])?.iter().sum::<u64>();
    let who = if places.most > 1 {
        "between ranks of a node"
    } else {
        "within this process (no two ranks share a node)"
    };
    if failed == 0 {
        return Ok(Finding::new(Topic::SingleCopy, State::Good, format!("process_vm_readv works {who}")));
    }
    let text = match read {
        Err(error) => format!("process_vm_readv fails on {failed} rank(s): {}", reason(&error)),
        Ok(_) => format!("process_vm_readv fails on {failed} rank(s)"),
    };
    let advice = "in a container, permit ptrace (--cap-add SYS_PTRACE); otherwise set \
                  /proc/sys/kernel/yama/ptrace_scope to 0. RandomAccess does not need single copy";
    Ok(Finding::new(Topic::SingleCopy, State::Slow, text).advise(advice))
}

fn shared_memory_works(comm: &impl Comm, places: &Places) -> Finding {
    let topic = Topic::SharedMemory;
    if places.most == 1 {
        return Finding::new(topic, State::Fact, "not tried: no two ranks share a node");
    }
    match UpdateState::new(comm, &Options { mode: Mode::Node, ..Options::default() }) {
        Ok(_) => Finding::new(topic, State::Good, "ranks of a node can map each other's memory"),
        Err(error) => Finding::new(topic, State::Slow, error.to_string())
            .advise("hcube falls back to messages; ranks of a node must share a container and see each other in /proc"),
    }
}

/// The kernel's setting: the word in brackets of `always [madvise] never`.
fn setting(text: &str) -> Option<&str> {
    text.split_once('[')?.1.split_once(']').map(|(word, _)| word)
}

fn huge_pages_work(comm: &impl Comm) -> Result<Finding> {
    let file = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    let setting = setting(&file).unwrap_or("unknown").to_owned();
    let failed = comm.all_gather(&[u64::from(!huge_pages::available())])?.iter().sum::<u64>();
    let text = format!("transparent_hugepage/enabled is {setting}");
    if failed == 0 {
        return Ok(Finding::new(Topic::HugePages, State::Good, format!("2 MiB pages are available; {text}")));
    }
    let advice = match setting.as_str() {
        "never" => "set /sys/kernel/mm/transparent_hugepage/enabled to 'madvise'",
        _ => "needs Linux 6.1 (MADV_COLLAPSE) and free memory in pieces of 2 MiB",
    };
    let text = format!(
        "2 MiB pages are not available on {failed} rank(s); {text}; updates take up to 1.5 times as long"
    );
    Ok(Finding::new(Topic::HugePages, State::Slow, text).advise(advice))
}

fn instructions(comm: &impl Comm) -> Result<Finding> {
    let levels = comm.all_gather(&[Level::available().len() as u64])?;
    let name = Level::detect().name();
    if levels.iter().all(|&level| level == levels[0]) {
        return Ok(Finding::new(Topic::Instructions, State::Good, format!("inner loops use {name}")));
    }
    Ok(Finding::new(
        Topic::Instructions,
        State::Slow,
        format!("inner loops use {name} on rank 0, and other instructions on other ranks"),
    )
    .advise("ranks on slower processors delay the others"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_node() {
        let places = Places::new(vec![0, 1, 0, 3, 1, 0]);
        assert_eq!((places.most, places.nodes), (3, 3));
        assert_eq!((0..6).map(|rank| places.neighbour(rank)).collect::<Vec<_>>(), [2, 4, 5, 3, 1, 0]);
    }

    #[test]
    fn the_setting_in_brackets() {
        assert_eq!(setting("always [madvise] never\n"), Some("madvise"));
        assert_eq!(setting(""), None);
    }
}
