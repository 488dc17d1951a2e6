//! Memory of one rank and of several, and its pages.

use super::*;
use crate::comm::threads;
use hcube_testing::sizes::{sizes, sizes_within};
use proptest::prelude::*;
use std::sync::atomic::Ordering;

#[test]
fn what_a_rank_writes_others_read() {
    let read = threads::run(4, 2, |comm| {
        let ranks = if comm.rank() < 2 { [0, 1] } else { [2, 3] };
        let memory = CountedMemory::share(comm, &ranks, 100).expect("shared memory");
        let own = memory.own_number();
        let part = |number: usize| memory.region(8 * number..8 * number + 8);
        part(own).write(&[comm.rank() as u8 + 1; 8]);
        memory.counter(own, Counter::Written).store(1, Ordering::Release);
        while memory.counter(1 - own, Counter::Written).load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
        let mut bytes = [0; 8];
        part(1 - own).read(&mut bytes);
        comm.barrier().expect("no error");
        bytes[7]
    });
    assert_eq!(read, [2, 1, 4, 3]);
}

/// The only rank of a node has memory of its own, but it agrees with all ranks.
#[test]
fn nodes_may_have_one_rank_and_several() {
    let zero = threads::run(5, 2, |comm| {
        let node = comm.rank() / 2;
        let ranks: Vec<usize> = (2 * node..comm.size().min(2 * node + 2)).collect();
        let memory = CountedMemory::share_large(comm, &ranks, 5000).expect("memory");
        let mut bytes = [1; 5000];
        memory.region(0..5000).read(&mut bytes);
        comm.barrier().expect("no error");
        memory.ranks() == ranks.len() && bytes == [0; 5000]
    });
    assert_eq!(zero, [true; 5]);
    assert!(
        threads::run(3, 2, |comm| {
            let ranks: &[usize] = if comm.rank() == 2 { &[2] } else { &[0, 1] };
            CountedMemory::share_large(comm, ranks, if ranks.len() == 1 { usize::MAX / 2 } else { 8 })
                .is_err()
        })
        .into_iter()
        .all(|refused| refused)
    );
}

#[test]
fn nodes_of_different_sizes_share_large_memory() {
    const BYTES: usize = HUGE_PAGE_BYTES + 8;
    let read = threads::run_on_nodes(vec![0, 1, 1], |comm| {
        let ranks: &[usize] = if comm.rank() == 0 { &[0] } else { &[1, 2] };
        let memory = CountedMemory::share_large(comm, ranks, BYTES).expect("shared memory");
        if comm.rank() < 2 {
            memory.region(BYTES - 8..BYTES).write(&[comm.rank() as u8 + 1; 8]);
        }
        comm.barrier().expect("no error");
        let mut bytes = [0; 8];
        memory.region(BYTES - 8..BYTES).read(&mut bytes);
        bytes[0]
    });
    assert_eq!(read, [1, 2, 2]);
    let refused = threads::run(2, 2, |comm| CountedMemory::share_large(comm, &[0, 1], isize::MAX as usize));
    assert!(refused.iter().all(Result::is_err));
}

#[test]
fn own_memory_is_zero_and_may_be_empty() {
    let memory = CountedMemory::own(24).expect("memory");
    let mut bytes = [1; 24];
    memory.region(0..24).read(&mut bytes);
    assert_eq!((bytes, memory.counter(0, Counter::Released).load(Ordering::Relaxed)), ([0; 24], 0));
    let empty = CountedMemory::own(0).expect("memory");
    assert_eq!((empty.capacity(), empty.ranks(), empty.own_number()), (0, 1, 0));
    assert!(CountedMemory::own(usize::MAX).is_err() && CountedMemory::own(isize::MAX as usize).is_err());
}

/// Pages of the regions that are in memory.
fn resident(memory: &CountedMemory) -> usize {
    let mut pages = vec![0u8; memory.capacity() / PAGE];
    let start = memory.place(0..0).cast();
    // SAFETY: whole pages of the memory, and a byte for each of them.
    assert_eq!(unsafe { libc::mincore(start, pages.len() * PAGE, pages.as_mut_ptr()) }, 0);
    pages.iter().filter(|&&page| page & 1 != 0).count()
}

#[test]
fn pages_go_when_all_ranks_are_away() {
    const PAGES: usize = 300;
    let counts = threads::run(3, 3, |comm| {
        let memory = CountedMemory::share(comm, &[0, 1, 2], PAGES * PAGE).expect("shared memory");
        let own = memory.own_number();
        memory.counter(own, Counter::Written).store(7, Ordering::Relaxed);
        let everybody = || comm.barrier().expect("no error");
        let mut counts = vec![resident(&memory)];
        everybody();
        if own < 2 {
            memory.leave();
        }
        everybody();
        counts.push(resident(&memory));
        everybody();
        if own == 2 {
            memory.leave();
        }
        everybody();
        counts.push(resident(&memory));
        everybody();
        memory.come_back(std::thread::yield_now);
        everybody();
        counts.push(resident(&memory));
        assert!((0..3).all(|rank| memory.counter(rank, Counter::Written).load(Ordering::Relaxed) == 7));
        counts
    });
    assert_eq!(counts, vec![[PAGES, PAGES, 0, PAGES]; 3]);
}

#[test]
fn own_pages_go_as_well() {
    const PAGES: usize = 300;
    for memory in [CountedMemory::own(PAGES * PAGE + 5), CountedMemory::own_large(PAGES * PAGE + 5)] {
        let memory = memory.expect("memory");
        memory.region(0..PAGES * PAGE).write(&[1; PAGES * PAGE]);
        assert_eq!(resident(&memory), PAGES);
        memory.leave();
        assert_eq!(resident(&memory), 0);
        memory.come_back(std::thread::yield_now);
        memory.region(0..PAGES * PAGE).write(&[1; PAGES * PAGE]);
        assert_eq!(resident(&memory), PAGES);
    }
}

#[test]
#[should_panic(expected = "20..25 of 24 bytes")]
fn bytes_outside_are_refused() {
    let memory = CountedMemory::own(24).expect("memory");
    let _ = memory.region(20..25);
}

proptest! {
    #[test]
    fn memory_of_any_size_has_its_length_or_none(
        ranks in sizes_within(1, i32::MAX as usize), capacity in sizes(), large in any::<bool>(),
    ) {
        let unit = if large && capacity >= HUGE_PAGE_BYTES { HUGE_PAGE_BYTES } else { PAGE } as u128;
        let expected = (head(ranks) as u128 + capacity as u128).next_multiple_of(unit);
        let found = length(ranks, capacity, large).ok().map(|length| length as u128);
        prop_assert_eq!(found, Some(expected).filter(|&length| length <= isize::MAX as u128));
    }

    #[test]
    fn parts_of_memory_of_any_size_follow_one_another(
        length in sizes_within(0, isize::MAX as usize), ranks in sizes_within(1, i32::MAX as usize), rank in sizes(),
        large in any::<bool>(),
    ) {
        let (unit, rank) = (if large { HUGE_PAGE_BYTES } else { PAGE }, rank % ranks);
        let bound = |rank: usize| {
            let units = (length as u128).div_ceil(unit as u128);
            (units * rank as u128 / ranks as u128 * unit as u128).min(length as u128) as usize
        };
        prop_assert_eq!(part(rank, ranks, length, unit), bound(rank)..bound(rank + 1));
        prop_assert_eq!((part(0, ranks, length, unit).start, part(ranks - 1, ranks, length, unit).end), (0, length));
    }
}
