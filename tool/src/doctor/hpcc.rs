//! What the kernels of HPCC have here: the path of Fourier transforms, the stores of STREAM, panels in shared
//! memory.

use super::finding::{Finding, State, Topic};
use crate::bench::memory::available;
use hcube_alltoall::Options;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_core::plan;
use hcube_fft::shape::Shape;
use hcube_fft::{Direction, Plan};
use hcube_hpl::{Memory, Panels, Topology};
use hcube_results::numbers;
use hcube_stream::Stream;
use hcube_stream::kernels::Stores;
use hcube_stream::select::Kernel;

const TOPIC: Topic = Topic::Hpcc;
/// Complex numbers of the trial, per pair of ranks.
const TRIAL_LENGTH: usize = 64;
/// Elements of each vector in the trial of STREAM: 16 MiB, more than the caches of a core have room for.
const TRIAL_ELEMENTS: usize = 2 << 20;
/// Bytes of a panel in the trial.
const TRIAL_PANEL: usize = 64 << 10;
/// The kernel's setting for huge pages of shared memory.
const SHARED_HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";

/// Collective: what was found, the same on all ranks. The options belong to transforms; nothing where they
/// are not valid.
pub fn all(comm: &impl Comm, options: Option<&Options>) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    if let Some(options) = options {
        findings.push(transform(comm, options)?);
    }
    findings.push(stream(comm)?);
    // Values that are not valid have a finding of their own.
    if let Ok(options) = agree(comm, hcube_hpl::Options::from_environment()) {
        findings.push(panels(comm, &options)?);
    }
    findings.push(judge_pages(std::fs::read_to_string(SHARED_HUGE_PAGES).ok().as_deref()));
    Ok(findings)
}

/// The path of transforms.
fn transform(comm: &impl Comm, options: &Options) -> Result<Finding> {
    let ranks = comm.size();
    let length = TRIAL_LENGTH * ranks * ranks;
    if Shape::new(length, comm.rank(), ranks).is_err() {
        let text = format!("Fourier transforms need 2^a 3^b 5^c ranks: there are {ranks}");
        return Ok(Finding::new(TOPIC, State::Fact, text).advise(format!(
            "HPCC's MPIFFT uses {} of them; stand-alone programs should use another number",
            prefix_power(ranks)
        )));
    }
    let nodes = comm.node_numbers()?;
    let on_one_node = nodes.iter().all(|&node| node == nodes[0]);
    let plan = Plan::new(comm, Ok((length, Direction::Forward)), options);
    let shares = plan.map(|plan| plan.shares_memory()).map_err(|error| error.to_string());
    Ok(judge_transform(shares, ranks, on_one_node))
}

/// The largest power of two that is no larger.
fn prefix_power(ranks: usize) -> usize {
    1 << ranks.max(1).ilog2()
}

fn judge_transform(shares: std::result::Result<bool, String>, ranks: usize, on_one_node: bool) -> Finding {
    match shares {
        Err(error) => Finding::new(TOPIC, State::Wrong, format!("Fourier transforms fail: {error}")),
        Ok(true) if ranks == 1 => Finding::new(
            TOPIC,
            State::Good,
            "Fourier transforms of one rank, with 32 bytes per number in addition",
        ),
        Ok(true) => {
            let text =
                "Fourier transforms in shared memory, of 32 bytes per number of the whole vector on one node";
            Finding::new(TOPIC, State::Good, text)
        }
        Ok(false) => {
            let text = "Fourier transforms by messages, with 48 bytes per number of a rank's part";
            let finding = Finding::new(TOPIC, if on_one_node { State::Slow } else { State::Fact }, text);
            if !on_one_node {
                return finding;
            }
            finding.advise("ranks of a node should share memory: see 'shared memory', and unset HCUBE_PATH and HCUBE_RANKS_PER_NODE")
        }
    }
}

/// The stores that a trial selects, on all ranks at the same time.
fn stream(comm: &impl Comm) -> Result<Finding> {
    comm.barrier()?;
    let stores = agree(comm, Stream::new(TRIAL_ELEMENTS))
        .map(|stream| Kernel::ALL.map(|kernel| stream.stores(kernel)))
        .map_err(|error| error.to_string());
    Ok(judge_stores(stores))
}

fn judge_stores(stores: std::result::Result<[Stores; 4], String>) -> Finding {
    let stores = match stores {
        Ok(stores) => stores,
        Err(error) => {
            let advice =
                "STREAM of HPCC runs with its own vectors where there is no memory for the vectors of hcube";
            let text = format!("STREAM has no memory for a trial of 3 x 16 MiB: {error}");
            return Finding::new(TOPIC, State::Slow, text).advise(advice);
        }
    };
    let streaming: Vec<&str> = Kernel::ALL
        .into_iter()
        .zip(stores)
        .filter(|&(_, stores)| stores == Stores::Streaming)
        .map(|(kernel, _)| kernel.name())
        .collect();
    let which = match streaming.len() {
        0 => "ordinary stores in all kernels".to_owned(),
        4 => "streaming stores in all kernels".to_owned(),
        _ => format!("streaming stores in {}", streaming.join(", ")),
    };
    Finding::new(TOPIC, State::Good, format!("STREAM uses {which}, in a trial on vectors of 16 MiB"))
}

/// Whether the ranks can read panels in each other's memory.
fn panels<C: Comm>(comm: &C, options: &hcube_hpl::Options) -> Result<Finding> {
    let limit = (options.ranks_per_node > 0).then_some(options.ranks_per_node);
    let nodes = plan::Topology::from_node_numbers(&comm.node_numbers()?, limit).nodes();
    if comm.size() == 1 {
        return Ok(Finding::new(TOPIC, State::Fact, "panels of HPL: not tried on one rank"));
    }
    if nodes > 1 {
        let text =
            "panels of HPL: rows of the process grid that lie on one node read panels in shared memory";
        return Ok(Finding::new(TOPIC, State::Fact, text));
    }
    let memory = Memory { bytes: TRIAL_PANEL, slots: 1, in_use: 1 };
    let shared =
        Panels::new(comm, memory, Topology::Auto, options).map(|_| ()).map_err(|error| error.to_string());
    Ok(judge_panels(shared, available()))
}

fn judge_panels(shared: std::result::Result<(), String>, free: Option<u64>) -> Finding {
    if let Err(error) = shared {
        let text = format!("panels of HPL: ranks do not share memory: {error}");
        return Finding::new(TOPIC, State::Slow, text)
            .advise("HPL's own broadcast runs; see the section 'shared memory'");
    }
    let free = free
        .map_or(String::new(), |bytes| format!("; {} of memory are available", numbers::bytes(bytes as f64)));
    Finding::new(TOPIC, State::Good, format!("panels of HPL: ranks read them in shared memory{free}"))
}

/// The setting of the kernel for huge pages of shared memory, `None` where it has no such setting.
fn judge_pages(setting: Option<&str>) -> Finding {
    let word = setting.and_then(|text| text.split_once('[')?.1.split_once(']')).map(|(word, _)| word);
    let text = match word {
        None => "shared memory has pages of 4 KiB: the kernel has no transparent_hugepage/shmem_enabled"
            .to_owned(),
        Some(word @ ("never" | "deny")) => {
            format!("shared memory has pages of 4 KiB: transparent_hugepage/shmem_enabled is {word}")
        }
        Some(word) => {
            format!("shared memory may have pages of 2 MiB: transparent_hugepage/shmem_enabled is {word}")
        }
    };
    Finding::new(TOPIC, State::Fact, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::comm::threads;

    #[test]
    fn transforms_share_memory_or_exchange_messages() {
        assert_eq!(judge_transform(Ok(true), 4, true).state, State::Good);
        let slow = judge_transform(Ok(false), 4, true);
        assert!(slow.state == State::Slow && slow.advice.is_some_and(|text| text.contains("HCUBE_PATH")));
        assert_eq!(judge_transform(Ok(false), 4, false).state, State::Fact);
        assert_eq!(judge_transform(Err("no memory".to_owned()), 4, true).state, State::Wrong);
        assert_eq!([1, 2, 3, 7, 8].map(prefix_power), [1, 2, 2, 4, 8]);
    }

    #[test]
    fn stores_are_named() {
        use Stores::{Ordinary, Streaming};
        let text = |stores| judge_stores(Ok(stores)).text;
        assert!(text([Streaming; 4]).contains("streaming stores in all kernels"));
        assert!(text([Ordinary; 4]).contains("ordinary stores in all kernels"));
        assert!(text([Streaming, Ordinary, Ordinary, Streaming]).contains("streaming stores in copy, triad"));
        assert_eq!(judge_stores(Err("none".to_owned())).state, State::Slow);
    }

    #[test]
    fn panels_and_pages_are_told() {
        let good = judge_panels(Ok(()), Some(3 << 30));
        assert!(good.state == State::Good && good.text.ends_with("3.0 GiB of memory are available"));
        assert_eq!(judge_panels(Err("none".to_owned()), None).state, State::Slow);
        assert!(judge_pages(Some("always within_size advise [never] deny force")).text.ends_with("is never"));
        assert!(judge_pages(Some("always [advise] never")).text.contains("2 MiB"));
        assert!(judge_pages(None).text.contains("4 KiB"));
    }

    #[test]
    fn all_ranks_find_the_same() {
        for ranks in [1, 3, 7] {
            let found = threads::run(ranks, ranks, |comm| {
                let all = [transform(comm, &Options::default()), panels(comm, &Default::default())];
                all.map(|finding| finding.expect("found").state)
            });
            assert!(found.iter().all(|states| *states == found[0]), "{ranks}: {found:?}");
        }
    }
    #[test]
    fn panels_of_several_nodes_are_not_those_of_one() {
        let found = threads::run(4, 4, |comm| {
            let of = |ranks_per_node| panels(comm, &hcube_hpl::Options { ranks_per_node }).expect("found");
            [of(2), of(4), of(0)]
        });
        for [two, four, all] in found {
            assert!(two.text.contains("that lie on one node"), "{}", two.text);
            assert_eq!((two.state, four.state, all.state), (State::Fact, State::Good, State::Good));
        }
    }
}
