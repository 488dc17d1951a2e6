//! Panels between ranks that are threads.

mod setup;

use crate::network::{PIECE, Traffic};
use crate::options::{Options, Topology};
use crate::panels::{Memory, Panels};
use crate::slots::slots_for;
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::error::{Error, Result};
use std::collections::VecDeque;
use std::time::Duration;

/// A byte of a panel.
fn byte(panel: usize, place: usize) -> u8 {
    (panel * 31 + place * 7 + 1) as u8
}

/// The size of a panel: they become smaller, and the last ones are empty.
fn bytes(panel: usize, count: usize) -> usize {
    (count - panel - 1) * 13
}

fn new<C: Comm>(comm: &C, bytes: usize, slots: usize) -> Result<Panels<C>> {
    Panels::new(comm, Memory { bytes, slots, in_use: 0 }, Topology::Auto, &Options::default())
}

/// The memory that HPL needs.
fn memory(bytes: usize, depth: usize, ranks: usize) -> Memory {
    Memory { bytes, slots: slots_for(depth + 2, ranks), in_use: depth + 2 }
}

/// Some ranks are sometimes slow.
fn delay(rank: usize, panel: usize) {
    let number = (rank * 7919 + panel * 104_729) % 17;
    if number < 3 {
        std::thread::sleep(Duration::from_micros(50 * number as u64));
    }
}

/// The loop of HPL with look-ahead: a panel is released when `depth` later ones were received.
fn factor<C: Comm>(comm: &C, panels: &mut Panels<C>, count: usize, depth: usize) {
    let mut held = VecDeque::new();
    // The panel that HPL creates and frees unused.
    let unused = panels.begin(comm, 0, bytes(0, count)).expect("a slot");
    panels.release(comm, unused).expect("not needed");
    for panel in 0..count {
        if held.len() > depth {
            let oldest = held.pop_front().expect("held");
            panels.release(comm, oldest).expect("no longer needed");
        }
        let root = panel % comm.size();
        let number = panels.begin(comm, root, bytes(panel, count)).expect("a slot");
        delay(comm.rank(), panel);
        if root == comm.rank() {
            let content: Vec<u8> = (0..bytes(panel, count)).map(|place| byte(panel, place)).collect();
            panels.place(number).expect("begun").write(&content);
            panels.post(comm, number).expect("the root");
            panels.post(comm, number).expect("the root");
        }
        // HPL polls between the parts of its update, until it has passed the panel on.
        while !panels.progress(comm, number).expect("begun") {
            delay(comm.rank() + 1, panel);
            std::thread::yield_now();
        }
        panels.wait(comm, number).expect("posted");
        held.push_back(number);
        // All that are held are as they were.
        for (&number, panel) in held.iter().rev().zip((0..=panel).rev()) {
            let mut content = vec![0; bytes(panel, count)];
            panels.content(number).expect("held").read(&mut content);
            assert!(content.iter().enumerate().all(|(place, &is)| is == byte(panel, place)), "panel {panel}");
        }
    }
    // HPL frees the oldest one last.
    held.rotate_left(1);
    for number in held {
        panels.release(comm, number).expect("no longer needed");
    }
    assert!(panels.is_idle());
}

#[test]
fn panels_arrive_unchanged_for_each_number_of_ranks_and_depth() {
    for ranks in 1..=6 {
        for depth in 0..=3 {
            threads::run(ranks, ranks, |comm| {
                let mut panels = new(comm, bytes(0, 60), slots_for(depth + 2, ranks)).expect("memory");
                // Twice: HPL factors several matrices on a grid.
                factor(comm, &mut panels, 60, depth);
                factor(comm, &mut panels, 23, depth);
                let mut panels = new(comm, bytes(0, 90), slots_for(depth + 2, ranks)).expect("memory");
                factor(comm, &mut panels, 90, depth);
            });
        }
    }
}

/// HPL's matrix with fewer columns than the look-ahead: all panels after the last column have the same root.
fn factor_small<C: Comm>(comm: &C, panels: &mut Panels<C>, depth: usize) {
    let root = |panel: usize| usize::from(panel > 0) % comm.size();
    let begin = |panels: &mut Panels<C>, panel| panels.begin(comm, root(panel), 8).expect("a slot");
    let held: Vec<u64> = (0..depth).map(|panel| begin(panels, panel)).collect();
    let unused = begin(panels, depth);
    for (panel, &number) in held.iter().enumerate() {
        delay(comm.rank(), panel);
        if root(panel) == comm.rank() {
            panels.post(comm, number).expect("the root");
        }
        panels.wait(comm, number).expect("posted");
    }
    for number in held.into_iter().chain([unused]) {
        panels.release(comm, number).expect("no longer needed");
    }
}

#[test]
fn one_root_has_slots_for_all_panels_in_use() {
    assert_eq!(
        [(0, 1), (3, 1), (3, 2), (3, 3), (3, 8), (9, 0)].map(|(live, roots)| slots_for(live, roots)),
        [1, 3, 3, 3, 2, 9]
    );
    for ranks in 1..=6 {
        for depth in 0..=3 {
            threads::run(ranks, ranks, |comm| {
                let mut panels = new(comm, 8, slots_for(depth + 2, 1)).expect("memory");
                for _ in 0..3 {
                    factor_small(comm, &mut panels, depth);
                }
                assert!(panels.is_idle());
            });
        }
    }
}

#[test]
fn a_slot_is_reused_only_when_all_have_released_it() {
    let seen = threads::run(3, 3, |comm| {
        let mut panels = new(comm, 8, 1).expect("memory");
        let mut last = 0;
        for value in 0..50u64 {
            let number = panels.begin(comm, 1, 8).expect("a slot");
            if comm.rank() == 1 {
                panels.place(number).expect("begun").write(&value.to_ne_bytes());
                panels.post(comm, number).expect("the root");
            }
            panels.wait(comm, number).expect("posted");
            delay(comm.rank(), value as usize);
            let mut content = [0; 8];
            panels.content(number).expect("arrived").read(&mut content);
            last = u64::from_ne_bytes(content);
            assert_eq!(last, value);
            panels.release(comm, number).expect("read");
        }
        last
    });
    assert_eq!(seen, [49; 3]);
}

#[test]
fn wrong_use_is_refused() {
    threads::run(2, 2, |comm| {
        let mut panels = new(comm, 100, 1).expect("memory");
        let text = |error: Error| error.to_string();
        assert_eq!(panels.begin(comm, 2, 8).map_err(text), Err("root = 2: expected a rank below 2".into()));
        assert_eq!(panels.begin(comm, 0, 101).map_err(text), Err("bytes = 101: expected at most 100".into()));
        let expected = "panel = 0: expected a panel that was begun and not released";
        assert_eq!(panels.post(comm, 0).map_err(text), Err(expected.into()));
        assert_eq!(panels.release(comm, 0).map_err(text), Err(expected.into()));
        let number = panels.begin(comm, 0, 8).expect("a slot");
        assert_eq!(panels.is_root(number), Ok(comm.rank() == 0));
        assert_eq!(panels.has_arrived(comm, number), Ok(false));
        comm.barrier().expect("no error");
        if comm.rank() == 0 {
            let expected = "panel 0 is still in use on its root, which has 1 slots";
            assert_eq!(panels.begin(comm, 0, 8).map_err(text), Err(expected.into()));
        } else {
            let expected = "panel 0 belongs to rank 0, not 1";
            assert_eq!(panels.post(comm, number).map_err(text), Err(expected.into()));
        }
        // The root drops it.
        if comm.rank() == 0 {
            panels.release(comm, number).expect("not posted");
            assert_eq!(
                panels.place(number).map(|_| ()).map_err(text),
                Err("panel = 0: expected a panel that was begun and not released".into())
            );
        }
        comm.barrier().expect("no error");
        if comm.rank() == 1 {
            let expected = "panel 0 was released by its root, not posted";
            assert_eq!(panels.has_arrived(comm, number).map_err(text), Err(expected.into()));
            panels.release(comm, number).expect("begun");
        }
        // A root that waits for what it has not posted would wait for ever.
        let number = panels.begin(comm, 0, 8).expect("a slot");
        if comm.rank() == 0 {
            let expected = "panel 1 was not posted by this rank, its root";
            assert_eq!(panels.wait(comm, number).map_err(text), Err(expected.into()));
            assert_eq!(
                panels.content(number).map(|_| ()).map_err(text),
                Err("panel 1 has not arrived".into())
            );
            panels.post(comm, number).expect("the root");
            panels.wait(comm, number).expect("posted");
        }
        let expected = "panel 1 is not this rank's, or was posted";
        assert_eq!(panels.place(number).map(|_| ()).map_err(text), Err(expected.into()));
        panels.release(comm, number).expect("begun");
        comm.barrier().expect("no error");
        // Ranks that do not agree on the size detect this.
        let number = panels.begin(comm, 0, 8 + comm.rank()).expect("a slot");
        if comm.rank() == 0 {
            panels.post(comm, number).expect("the root");
        } else {
            let expected = "panel 2 has 9 bytes, but 8 on rank 0, its root";
            assert_eq!(panels.wait(comm, number).map_err(text), Err(expected.into()));
        }
        panels.release(comm, number).expect("begun");
        comm.barrier().expect("no error");
    });
}

/// A later panel is not dropped before an earlier one is posted, and is as it was.
#[test]
fn panels_are_dropped_in_order() {
    threads::run(2, 2, |comm| {
        let mut panels = new(comm, 8, 2).expect("memory");
        let [first, second] = [0; 2].map(|_| panels.begin(comm, 0, 8).expect("a slot"));
        if comm.rank() == 0 {
            let text = panels.release(comm, second).expect_err("the first one is not posted").to_string();
            assert_eq!(text, "panel 1 is posted before an earlier one");
            panels.place(second).expect("begun").write(&[7; 8]);
            panels.post(comm, first).expect("the root");
            panels.post(comm, second).expect("the root");
        }
        panels.wait(comm, second).expect("posted");
        let mut content = [0; 8];
        panels.content(second).expect("posted").read(&mut content);
        assert_eq!(content, [7; 8]);
        panels.release(comm, first).expect("begun");
        panels.release(comm, second).expect("begun");
    });
}

/// An error of one rank in `begin` is noticed at the next panel with another root.
#[test]
fn ranks_that_have_begun_other_panels_notice_it() {
    threads::run(3, 3, |comm| {
        let mut panels = new(comm, 8, 3).expect("memory");
        let begun = panels.begin(comm, 0, if comm.rank() == 2 { 9 } else { 8 });
        assert_eq!(begun.is_err(), comm.rank() == 2);
        let number = panels.begin(comm, 1, 8).expect("a slot");
        if comm.rank() == 1 {
            panels.post(comm, number).expect("the root");
        }
        let waited = panels.wait(comm, number).map_err(|error| error.to_string());
        let expected = "panel 0 is number 1 on rank 1, its root";
        assert_eq!(waited, if comm.rank() == 2 { Err(expected.into()) } else { Ok(()) });
        comm.barrier().expect("no error");
    });
}

const TOPOLOGIES: [Topology; 6] = [
    Topology::Ring,
    Topology::ModifiedRing,
    Topology::TwoRings,
    Topology::ModifiedTwoRings,
    Topology::Long,
    Topology::ModifiedLong,
];

#[test]
fn panels_arrive_on_several_nodes_along_each_topology() {
    for (ranks, per_node) in [(2, 1), (3, 1), (4, 2), (5, 2), (7, 3), (8, 2)] {
        for (number, topology) in TOPOLOGIES.into_iter().enumerate() {
            // Every depth with every topology on few ranks.
            for depth in if ranks <= 4 { 0..4 } else { number % 4..number % 4 + 1 } {
                threads::run(ranks, per_node, |comm| {
                    let memory = memory(bytes(0, 24), depth, ranks);
                    let mut panels =
                        Panels::new(comm, memory, topology, &Options::default()).expect("memory");
                    factor(comm, &mut panels, 24, depth);
                    factor(comm, &mut panels, 9, depth);
                    panels.finish(comm).expect("no error");
                });
            }
        }
    }
}

/// The messages of all ranks for one panel of some pieces.
fn traffic(ranks: usize, topology: Topology, bytes: usize) -> Vec<Traffic> {
    threads::run(ranks, ranks, |comm: &ThreadComm| {
        let options = Options { ranks_per_node: 1 };
        let memory = Memory { bytes, slots: 1, in_use: 1 };
        let mut panels = Panels::new(comm, memory, topology, &options).expect("memory");
        let number = panels.begin(comm, 1, bytes).expect("a slot");
        let content: Vec<u8> = (0..bytes).map(|place| byte(place >> 8, place)).collect();
        if comm.rank() == 1 {
            panels.place(number).expect("the root").write(&content);
            panels.post(comm, number).expect("the root");
        }
        panels.wait(comm, number).expect("posted");
        let mut received = vec![0; bytes];
        panels.content(number).expect("arrived").read(&mut received);
        assert!(received == content);
        panels.release(comm, number).expect("begun");
        panels.finish(comm).expect("no error");
        panels.traffic()
    })
}

#[test]
fn each_node_receives_the_bytes_once() {
    let bytes = 3 * PIECE + 100;
    for topology in TOPOLOGIES {
        for ranks in [2, 3, 4, 5] {
            let sent = traffic(ranks, topology, bytes);
            let total = sent.iter().map(|sent| sent.bytes).sum::<u64>();
            assert_eq!(total, (ranks as u64 - 1) * (bytes as u64 + 16), "{topology:?} of {ranks}");
        }
    }
    // Rings: a head and the pieces for each node.
    let [root, next, last] = traffic(3, Topology::Ring, bytes)[..] else { unreachable!() };
    assert_eq!([root, next, last].map(|sent| sent.messages), [0, 5, 5]);
}

/// A receiver that has released a panel before it has arrived still passes it on.
#[test]
fn a_panel_that_a_receiver_does_not_need_goes_on() {
    let seen = threads::run(3, 1, |comm| {
        let memory = Memory { bytes: 8, slots: 2, in_use: 2 };
        let mut panels = Panels::new(comm, memory, Topology::Ring, &Options::default()).expect("memory");
        let number = panels.begin(comm, 0, 8).expect("a slot");
        let mut content = [0; 8];
        match comm.rank() {
            0 => {
                panels.place(number).expect("the root").write(&[5; 8]);
                panels.post(comm, number).expect("the root");
                panels.release(comm, number).expect("posted");
            }
            1 => panels.release(comm, number).expect("begun"),
            _ => {}
        }
        if comm.rank() < 2 {
            panels.finish(comm).expect("no error");
        } else {
            panels.wait(comm, number).expect("passed on");
            panels.content(number).expect("arrived").read(&mut content);
            panels.release(comm, number).expect("read");
        }
        content[0]
    });
    assert_eq!(seen, [0, 0, 5]);
}

/// A receiver continues until it has forwarded a panel that was dropped, too: later panels wait for it on
/// other nodes.
#[test]
fn a_dropped_panel_is_passed_on_before_later_ones_are_done() {
    let done_early = threads::run_on_nodes(vec![0, 1, 1, 2], |comm| {
        let memory = Memory { bytes: 8, slots: 2, in_use: 2 };
        let mut panels = Panels::new(comm, memory, Topology::Ring, &Options::default()).expect("memory");
        let dropped = panels.begin(comm, 0, 8).expect("a slot");
        if comm.rank() > 0 {
            panels.release(comm, dropped).expect("begun");
        }
        // Rank 1 receives the first panel for its node, rank 2 the second one.
        let number = panels.begin(comm, 0, 8).expect("a slot");
        let done_early = comm.rank() == 1 && panels.progress(comm, number).expect("begun");
        comm.barrier().expect("no error");
        if comm.rank() == 0 {
            panels.release(comm, dropped).expect("not posted");
            panels.post(comm, number).expect("the root");
        }
        while !panels.progress(comm, number).expect("begun") {
            std::thread::yield_now();
        }
        panels.wait(comm, number).expect("posted");
        panels.release(comm, number).expect("read");
        panels.finish(comm).expect("no error");
        done_early
    });
    assert_eq!(done_early, [false; 4]);
}

/// More would wait for ever on other nodes, which have no slots for them.
#[test]
fn no_more_panels_than_agreed_are_in_use() {
    threads::run(2, 1, |comm| {
        let memory = Memory { bytes: 8, slots: 3, in_use: 2 };
        let mut panels = Panels::new(comm, memory, Topology::Auto, &Options::default()).expect("memory");
        for expected in 0..2 {
            let number = panels.begin(comm, 0, 8).expect("a slot");
            assert_eq!(number, expected);
            if comm.rank() == 0 {
                panels.post(comm, number).expect("the root");
            }
            panels.wait(comm, number).expect("posted");
        }
        let text = panels.begin(comm, 0, 8).expect_err("two are in use").to_string();
        assert_eq!(text, "panel 0 is still in use on this rank before panel 2, and in_use = 2");
        panels.release(comm, 1).expect("begun");
        assert!(panels.begin(comm, 0, 8).is_err(), "panels are released in order");
        panels.release(comm, 0).expect("begun");
        assert_eq!(panels.begin(comm, 0, 8), Ok(2));
        panels.release(comm, 2).expect("begun");
        panels.finish(comm).expect("no error");
    });
}

/// As on one node, except that the receivers' nodes learn of it by a message.
#[test]
fn a_dropped_panel_is_noticed_on_other_nodes() {
    threads::run(4, 2, |comm| {
        let memory = Memory { bytes: 8, slots: 2, in_use: 2 };
        let mut panels = Panels::new(comm, memory, Topology::Auto, &Options::default()).expect("memory");
        let number = panels.begin(comm, 0, 8).expect("a slot");
        if comm.rank() > 0 {
            // Ranks of the other node wait until the receiver has heard of it.
            let error = panels.wait(comm, number).expect_err("dropped").to_string();
            assert_eq!(error, "panel 0 was released by its root, not posted");
        }
        panels.release(comm, number).expect("begun");
        panels.finish(comm).expect("no error");
    });
}
