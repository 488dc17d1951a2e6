//! Panels between ranks that are threads.

use crate::panels::{Panels, slots_for};
use hcube_core::comm::{Comm, threads};
use hcube_core::error::Error;
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

/// Some ranks are sometimes slow.
fn delay(rank: usize, panel: usize) {
    let number = (rank * 7919 + panel * 104_729) % 17;
    if number < 3 {
        std::thread::sleep(Duration::from_micros(50 * number as u64));
    }
}

/// The loop of HPL with look-ahead: a panel is released when `depth` later ones were received.
fn factor<C: Comm>(comm: &C, panels: &mut Panels, count: usize, depth: usize) {
    let mut held = VecDeque::new();
    // The panel that HPL creates and frees unused.
    let unused = panels.begin(comm, 0, bytes(0, count)).expect("a slot");
    panels.release(unused).expect("not needed");
    for panel in 0..count {
        if held.len() > depth {
            let oldest = held.pop_front().expect("held");
            panels.release(oldest).expect("no longer needed");
        }
        let root = panel % comm.size();
        let number = panels.begin(comm, root, bytes(panel, count)).expect("a slot");
        delay(comm.rank(), panel);
        if root == comm.rank() {
            let content: Vec<u8> = (0..bytes(panel, count)).map(|place| byte(panel, place)).collect();
            panels.place(number).expect("begun").write(&content);
            panels.post(number).expect("the root");
            panels.post(number).expect("the root");
        }
        panels.wait(comm, number).expect("posted");
        held.push_back(number);
        // All that are held are as they were.
        for (&number, panel) in held.iter().rev().zip((0..=panel).rev()) {
            let mut content = vec![0; bytes(panel, count)];
            panels.place(number).expect("held").read(&mut content);
            assert!(content.iter().enumerate().all(|(place, &is)| is == byte(panel, place)), "panel {panel}");
        }
    }
    // HPL frees the oldest one last.
    held.rotate_left(1);
    for number in held {
        panels.release(number).expect("no longer needed");
    }
    assert!(panels.is_idle());
}

#[test]
fn panels_arrive_unchanged_for_each_number_of_ranks_and_depth() {
    for ranks in 1..=6 {
        for depth in 0..=3 {
            threads::run(ranks, ranks, |comm| {
                let mut panels =
                    Panels::new(comm, bytes(0, 60), slots_for(depth + 2, ranks)).expect("memory");
                // Twice: HPL factors several matrices on a grid.
                factor(comm, &mut panels, 60, depth);
                factor(comm, &mut panels, 23, depth);
                let mut panels =
                    Panels::new(comm, bytes(0, 90), slots_for(depth + 2, ranks)).expect("memory");
                factor(comm, &mut panels, 90, depth);
            });
        }
    }
}

/// HPL's matrix with fewer columns than it looks ahead: all panels behind the last column have the same root.
fn factor_small<C: Comm>(comm: &C, panels: &mut Panels, depth: usize) {
    let root = |panel: usize| usize::from(panel > 0) % comm.size();
    let begin = |panels: &mut Panels, panel| panels.begin(comm, root(panel), 8).expect("a slot");
    let held: Vec<u64> = (0..depth).map(|panel| begin(panels, panel)).collect();
    let unused = begin(panels, depth);
    for (panel, &number) in held.iter().enumerate() {
        delay(comm.rank(), panel);
        if root(panel) == comm.rank() {
            panels.post(number).expect("the root");
        }
        panels.wait(comm, number).expect("posted");
    }
    for number in held.into_iter().chain([unused]) {
        panels.release(number).expect("no longer needed");
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
                let mut panels = Panels::new(comm, 8, slots_for(depth + 2, 1)).expect("memory");
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
        let mut panels = Panels::new(comm, 8, 1).expect("memory");
        let mut last = 0;
        for value in 0..50u64 {
            let number = panels.begin(comm, 1, 8).expect("a slot");
            if comm.rank() == 1 {
                panels.place(number).expect("begun").write(&value.to_ne_bytes());
                panels.post(number).expect("the root");
            }
            panels.wait(comm, number).expect("posted");
            delay(comm.rank(), value as usize);
            let mut content = [0; 8];
            panels.place(number).expect("arrived").read(&mut content);
            last = u64::from_ne_bytes(content);
            assert_eq!(last, value);
            panels.release(number).expect("read");
        }
        last
    });
    assert_eq!(seen, [49; 3]);
}

#[test]
fn wrong_use_is_refused() {
    threads::run(2, 2, |comm| {
        let mut panels = Panels::new(comm, 100, 1).expect("memory");
        let text = |error: Error| error.to_string();
        assert_eq!(panels.begin(comm, 2, 8).map_err(text), Err("root = 2: expected a rank below 2".into()));
        assert_eq!(panels.begin(comm, 0, 101).map_err(text), Err("bytes = 101: expected at most 100".into()));
        let expected = "panel = 0: expected a panel that was begun and not released";
        assert_eq!(panels.post(0).map_err(text), Err(expected.into()));
        assert_eq!(panels.release(0).map_err(text), Err(expected.into()));
        let number = panels.begin(comm, 0, 8).expect("a slot");
        assert_eq!(panels.is_root(number), Ok(comm.rank() == 0));
        assert_eq!(panels.has_arrived(number), Ok(false));
        comm.barrier().expect("no error");
        if comm.rank() == 0 {
            let expected = "panel 0 is still in use on its root, which has 1 slots";
            assert_eq!(panels.begin(comm, 0, 8).map_err(text), Err(expected.into()));
        } else {
            let expected = "panel 0 is that of rank 0, not 1";
            assert_eq!(panels.post(number).map_err(text), Err(expected.into()));
        }
        // The root drops it.
        if comm.rank() == 0 {
            panels.release(number).expect("not posted");
            assert_eq!(
                panels.place(number).map(|_| ()).map_err(text),
                Err("panel = 0: expected a panel that was begun and not released".into())
            );
        }
        comm.barrier().expect("no error");
        if comm.rank() == 1 {
            let expected = "panel 0 was released by its root, not posted";
            assert_eq!(panels.has_arrived(number).map_err(text), Err(expected.into()));
            panels.release(number).expect("begun");
        }
        // Ranks that do not agree on the size notice it.
        let number = panels.begin(comm, 0, 8 + comm.rank()).expect("a slot");
        if comm.rank() == 0 {
            panels.post(number).expect("the root");
        } else {
            let expected = "panel 1 has 9 bytes, but 8 on rank 0, its root";
            assert_eq!(panels.wait(comm, number).map_err(text), Err(expected.into()));
        }
        panels.release(number).expect("begun");
        comm.barrier().expect("no error");
    });
}

#[test]
fn ranks_that_differ_or_share_no_memory_are_refused_on_all_ranks() {
    let refused = threads::run(2, 2, |comm| Panels::new(comm, 8 + comm.rank(), 1).is_err());
    assert_eq!(refused, [true; 2]);
    assert_eq!(threads::run(2, 2, |comm| Panels::new(comm, 8, 0).is_err()), [true; 2]);
    assert_eq!(threads::run(2, 2, |comm| Panels::new(comm, usize::MAX, 3).is_err()), [true; 2]);
    assert_eq!(threads::run(4, 2, |comm| Panels::new(comm, 8, 1).is_err()), [true; 4]);
}
