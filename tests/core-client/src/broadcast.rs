//! The pipelined broadcast.

use crate::harness::{Report, patience};
use hcube_core::comm::Comm;
use hcube_core::comm::pipelined_broadcast::{Plan, Tree, broadcast, broadcast_by};

fn message(root: usize, length: usize) -> Vec<u8> {
    (0..length).map(|position| (root * 17 + position * 3 + position / 253) as u8).collect()
}

/// Runs a broadcast from several roots.
fn from_roots<C: Comm>(
    comm: &C,
    report: &mut Report,
    what: &str,
    length: usize,
    run: impl Fn(&mut [u8], usize),
) {
    let size = comm.size();
    for root in [0, size / 2, size - 1] {
        let expected = message(root, length);
        let mut bytes = if comm.rank() == root { expected.clone() } else { vec![0xee; length] };
        run(&mut bytes, root);
        report.check(bytes == expected, || format!("{what}: {length} bytes from {root}"));
    }
}

pub fn check<C: Comm>(comm: &C, report: &mut Report) {
    for tree in [Tree::Chain, Tree::Binary] {
        // Fewer segments than the window, as many, more; a last one that is shorter.
        for (segment, lengths) in [(1, [0, 1, 3]), (7, [7, 28, 29]), (64, [63, 1000, 6400])] {
            let plan = Plan { tree, segment };
            for length in lengths {
                from_roots(comm, report, &format!("{plan:?}"), length, |bytes, root| {
                    broadcast_by(comm, bytes, root, patience(comm), plan).expect("a broadcast");
                });
            }
        }
    }
    let longest = if comm.size() <= 8 { (1 << 20) + 1 } else { 100_003 };
    for length in [0, 1, 8 << 10, (8 << 10) + 1, longest] {
        from_roots(comm, report, "best plan", length, |bytes, root| {
            broadcast(comm, bytes, root, patience(comm)).expect("a broadcast");
        });
    }
    // Two in a row without a barrier: their segments have the same tags.
    let plan = Plan { tree: Tree::Chain, segment: 5 };
    let mut both = [[comm.rank() as u8 + 1; 50], [comm.rank() as u8 + 2; 50]];
    for bytes in &mut both {
        broadcast_by(comm, bytes, 0, patience(comm), plan).expect("a broadcast");
    }
    report.equal("two in a row", both, [[1; 50], [2; 50]]);
}
