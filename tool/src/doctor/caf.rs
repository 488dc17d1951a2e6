//! What coarray programs have here: heaps, the ends of other images, a progress thread.

use super::finding::{Finding, State, Topic};
use hcube_caf::options::Options;
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_core::node::heap::{self, Heap};
use hcube_core::plan::Topology;
use hcube_results::numbers;
use mpi::Threading;
use mpi::environment::threading_support;
use std::path::Path;

const TOPIC: Topic = Topic::Coarrays;
/// Address range of an image's heap below which coarrays are limited by it rather than by memory.
const AMPLE_BYTES: usize = 64 << 30;

/// Collective: what was found, the same on all ranks.
pub fn all(comm: &impl Comm) -> Result<Vec<Finding>> {
    let nodes = comm.node_numbers()?;
    Ok(vec![heap(comm, &nodes), ends(comm, &nodes)?, thread(threading_support())])
}

/// Whether the ranks of each node map a heap at one address.
fn heap(comm: &impl Comm, nodes: &[u32]) -> Finding {
    let own = nodes[comm.rank()];
    let ranks: Vec<usize> = (0..nodes.len()).filter(|&rank| nodes[rank] == own).collect();
    let most = Topology::from_node_numbers(nodes, None).most_on_a_node();
    // The same on all ranks, as in the runtime.
    let mut part = [-(heap::part(most, 1) as i64)];
    let shared = comm
        .all_reduce_max(&mut part)
        .and_then(|()| Heap::share(comm, &ranks, -part[0] as usize))
        .map(|heap| heap.part())
        .map_err(|error| error.to_string());
    let never_overcommits = std::fs::read_to_string("/proc/sys/vm/overcommit_memory");
    judge_heap(shared, most, never_overcommits.is_ok_and(|text| text.trim() == "2"))
}

/// The finding for the address range of an image's heap, or the reason why a node has none.
fn judge_heap(shared: std::result::Result<usize, String>, most: usize, never_overcommits: bool) -> Finding {
    let part = match shared {
        Ok(part) => part,
        Err(error) => {
            let text = format!("no heap at one address of all ranks of a node: {error}");
            let advice = "images exchange messages instead; see the section 'shared memory'";
            return Finding::new(TOPIC, State::Slow, text).advise(advice);
        }
    };
    let bytes = numbers::bytes(part as f64);
    let text = match most {
        1 => format!("each image has a heap of up to {bytes}"),
        _ => format!("ranks of a node map their heaps at one address; each may have up to {bytes}"),
    };
    if part < AMPLE_BYTES {
        let advice = "larger coarrays need a larger limit of addresses and of files (ulimit -v, ulimit -f)";
        return Finding::new(TOPIC, State::Slow, text).advise(advice);
    }
    if never_overcommits {
        let text = format!("{text}; vm.overcommit_memory is 2");
        let advice = "the kernel may refuse coarrays before memory is used up; see vm.overcommit_ratio";
        return Finding::new(TOPIC, State::Slow, text).advise(advice);
    }
    if most == 1 {
        return Finding::new(TOPIC, State::Fact, format!("{text}; no two images share a node"));
    }
    Finding::new(TOPIC, State::Good, text)
}

/// Whether each rank sees the processes of its node, so that it detects where one of them dies.
fn ends(comm: &impl Comm, nodes: &[u32]) -> Result<Finding> {
    let processes = comm.all_gather(&[u64::from(std::process::id())])?;
    let of_node = processes.iter().zip(nodes).filter(|(_, node)| **node == nodes[comm.rank()]);
    let hidden = of_node.filter(|(process, _)| {
        std::fs::read(Path::new("/proc").join(process.to_string()).join("stat")).is_err()
    });
    let hidden = u64::from(hidden.count() > 0);
    Ok(judge_ends(comm.all_gather(&[hidden])?.iter().sum()))
}

fn judge_ends(blind: u64) -> Finding {
    if blind == 0 {
        return Finding::new(
            TOPIC,
            State::Good,
            "images see in /proc whether others of their node have died",
        );
    }
    let text = format!("{blind} rank(s) do not see the other processes of their node in /proc");
    let advice = "images that wait for one that was killed wait for ever; start all ranks of a node in one \
                  container, and mount /proc without hidepid";
    Finding::new(TOPIC, State::Slow, text).advise(advice)
}

/// Whether a progress thread can call MPI; the doctor has asked MPI for that.
fn thread(level: Threading) -> Finding {
    if level == Threading::Multiple {
        let text = "MPI provides MPI_THREAD_MULTIPLE, so HCUBE_CAF_PROGRESS can start a progress thread";
        return Finding::new(TOPIC, State::Good, text);
    }
    let text = format!("MPI provides no more than {level:?} threads, so HCUBE_CAF_PROGRESS is refused");
    Finding::new(TOPIC, State::Fact, text).advise("call hcube_caf_progress in long computations")
}

/// How coarrays work here, from the number of the node of each image.
pub fn describe(nodes: &[u32], options: &Options, shared_memory: bool) -> String {
    let limit = (options.ranks_per_node != 0).then_some(options.ranks_per_node);
    let topology = Topology::from_node_numbers(nodes, limit);
    let plural = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let who = format!("{}, {}", plural(nodes.len(), "image"), plural(topology.nodes(), "node"));
    let how = match (topology.nodes(), topology.most_on_a_node()) {
        _ if nodes.len() == 1 => "one image only; mpirun starts several",
        (_, 1) => "puts, gets and atomic operations by messages",
        _ if !shared_memory => {
            "puts, gets and atomic operations by messages, because shared memory does not work"
        }
        (1, _) => "puts and gets are copies in shared memory",
        _ => "puts and gets are copies in shared memory of a node, and messages between nodes",
    };
    let thread = match options.progress {
        0 => String::new(),
        microseconds => format!("; a thread makes progress every {microseconds} microseconds"),
    };
    format!("{who}: {how}{thread}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::comm::threads;

    #[test]
    fn heaps_are_large_limited_or_missing() {
        let ample = 1 << 40;
        let good = judge_heap(Ok(ample), 4, false);
        assert_eq!(good.state, State::Good);
        assert!(good.text.ends_with("each may have up to 1.0 TiB"), "{}", good.text);
        assert_eq!(judge_heap(Ok(ample), 1, false).state, State::Fact);
        let refused = judge_heap(Err("mmap fails".to_owned()), 4, false);
        assert!(refused.state == State::Slow && refused.text.ends_with(": mmap fails"), "{refused:?}");
        let limited = judge_heap(Ok(1 << 30), 4, false);
        assert!(
            limited.state == State::Slow && limited.advice.is_some_and(|text| text.contains("ulimit -v"))
        );
        assert!(judge_heap(Ok(ample), 4, true).text.contains("overcommit_memory is 2"));
    }

    #[test]
    fn processes_of_the_node_are_seen() {
        assert_eq!(judge_ends(2).state, State::Slow);
        let found = threads::run(3, 3, |comm| {
            let nodes = comm.node_numbers().expect("numbers");
            (heap(comm, &nodes).state, ends(comm, &nodes).expect("gathered").state)
        });
        assert!(found.iter().all(|&(_, ends)| ends == State::Good), "{found:?}");
        assert!(found.iter().all(|&(heap, _)| heap == found[0].0 && heap != State::Wrong), "{found:?}");
    }

    #[test]
    fn a_progress_thread_needs_the_highest_level() {
        assert_eq!(thread(Threading::Multiple).state, State::Good);
        let refused = thread(Threading::Serialized);
        assert!(refused.state == State::Fact && refused.text.contains("Serialized"), "{refused:?}");
    }

    #[test]
    fn paths_follow_from_nodes_and_options() {
        let options = Options::default();
        assert_eq!(
            describe(&[0, 0], &options, true),
            "2 images, 1 node: puts and gets are copies in shared memory"
        );
        assert!(describe(&[0, 0], &options, false).ends_with("because shared memory does not work"));
        assert!(describe(&[0, 0, 1], &options, true).ends_with("and messages between nodes"));
        assert!(describe(&[0, 1], &options, true).ends_with("atomic operations by messages"));
        assert_eq!(describe(&[0], &options, true), "1 image, 1 node: one image only; mpirun starts several");
        let other = Options { ranks_per_node: 1, progress: 50, ..options };
        let text = describe(&[0, 0], &other, true);
        assert!(text.contains("2 nodes") && text.ends_with("every 50 microseconds"), "{text}");
    }
}
