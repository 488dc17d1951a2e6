//! Arguments of rows, and reuse of memory.

use super::new;
use crate::options::{Options, Topology};
use crate::panels::{Memory, Panels};
use hcube_core::comm::Comm;
use hcube_core::comm::threads;

#[test]
fn ranks_that_differ_are_refused_on_all_ranks() {
    let refused = threads::run(2, 2, |comm| new(comm, 8 + comm.rank(), 1).is_err());
    assert_eq!(refused, [true; 2]);
    assert_eq!(threads::run(2, 2, |comm| new(comm, 8, 0).is_err()), [true; 2]);
    assert_eq!(threads::run(2, 2, |comm| new(comm, usize::MAX, 3).is_err()), [true; 2]);
    let differ = threads::run(2, 2, |comm| {
        let topology = if comm.rank() == 0 { Topology::Ring } else { Topology::Long };
        Panels::new(comm, Memory { bytes: 8, slots: 1, in_use: 1 }, topology, &Options::default()).is_err()
    });
    assert_eq!(differ, [true; 2]);
    let differ = threads::run(2, 2, |comm| {
        let options = Options { ranks_per_node: comm.rank() };
        Panels::new(comm, Memory { bytes: 8, slots: 1, in_use: 1 }, Topology::Auto, &options).is_err()
    });
    assert_eq!(differ, [true; 2]);
}

#[test]
fn memory_serves_other_topologies_on_one_node_only() {
    for (ranks_per_node, next) in [(2, 1), (1, 0)] {
        threads::run(2, ranks_per_node, |comm| {
            let (memory, options) = (Memory { bytes: 8, slots: 1, in_use: 1 }, Options::default());
            let mut panels = Panels::new(comm, memory, Topology::Ring, &options).expect("memory");
            let number = panels.begin(comm, 0, 8).expect("a slot");
            panels.release(comm, number).expect("begun");
            panels.finish(comm).expect("no error");
            let again = Panels::renew(comm, Some(panels), memory, Topology::Long, &options);
            // The numbers of panels continue.
            assert_eq!(again.expect("memory").begin(comm, 0, 8), Ok(next));
        });
    }
}
