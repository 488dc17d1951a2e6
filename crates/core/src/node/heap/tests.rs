use super::*;
use crate::comm::threads;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

const PART: usize = 64 << 20;

#[test]
fn all_ranks_of_a_node_have_it_at_one_address() {
    for (ranks, per_node) in [(1, 1), (2, 2), (5, 2), (8, 8)] {
        let nodes: Vec<Vec<usize>> =
            (0..ranks).collect::<Vec<_>>().chunks(per_node).map(<[usize]>::to_vec).collect();
        threads::run(ranks, per_node, |comm| {
            let node = &nodes[comm.rank() / per_node];
            let mut heap = Heap::share(comm, node, PART).expect("shared memory");
            let own = heap.own_number();
            let (small, large) = (heap.allocate(1000).expect("room"), heap.allocate(1 << 20).expect("room"));
            heap.region(own, large, 8).write(&(comm.rank() as u64).to_ne_bytes());
            let all = comm
                .all_gather(&[heap.address(own, large, 1).addr() as u64, small as u64, large as u64])
                .expect("no MPI");
            for (index, &rank) in node.iter().enumerate() {
                let [address, its_small, its_large] = all[3 * rank..][..3] else { unreachable!() };
                assert_eq!((its_small, its_large), (small as u64, large as u64));
                assert_eq!(heap.address(index, large, 1).addr() as u64, address);
                let mut word = [0; 8];
                heap.region(index, large, 8).read(&mut word);
                assert_eq!(u64::from_ne_bytes(word), rank as u64);
                let inside = std::ptr::without_provenance(address as usize + 5);
                assert_eq!(heap.place(inside), Some((index, large + 5)));
            }
            assert_eq!(heap.place(std::ptr::from_ref(&all).cast()), None);
            comm.barrier().expect("no MPI");
        });
    }
}

/// The last user of a mapping unmaps it; the first one to leave does not.
#[test]
fn a_rank_may_leave_before_others() {
    threads::run(3, 3, |comm| {
        let heap = Heap::share(comm, &[0, 1, 2], PART).expect("shared memory");
        let word = heap.word(2, 64).as_ptr();
        if comm.rank() == 0 {
            drop(heap);
            comm.barrier().expect("no MPI");
            return;
        }
        comm.barrier().expect("no MPI");
        heap.word(comm.rank(), 64).store(7, Relaxed);
        assert_eq!(word, heap.word(2, 64).as_ptr());
    });
}

#[test]
fn words_are_atomic_for_all_ranks() {
    let sums = threads::run(4, 4, |comm| {
        let mut heap = Heap::share(comm, &[0, 1, 2, 3], PART).expect("shared memory");
        let place = heap.allocate(8).expect("room");
        for _ in 0..1000 {
            heap.word(0, place).fetch_add(1, Release);
        }
        comm.barrier().expect("no MPI");
        heap.word(0, place).load(Acquire)
    });
    assert_eq!(sums, [4000; 4]);
}

#[test]
fn large_allocations_begin_at_different_lines_and_are_freed() {
    let mut heap = Heap::own(PART).expect("memory");
    for length in [LARGE, 15 * PAGE, 60_000, 1 << 20] {
        let places: Vec<usize> = (0..STAGGERED).map(|_| heap.allocate(length).expect("room")).collect();
        let lines: BTreeSet<usize> = places.iter().map(|place| place % PAGE).collect();
        assert_eq!(lines.len(), STAGGERED, "arrays of {length} bytes");
        for place in places {
            heap.free(place).expect("allocated");
        }
    }
    let places: Vec<usize> = (0..STAGGERED).map(|_| heap.allocate(LARGE).expect("room")).collect();
    for wrong in [places[3] + 1, places[3] / PAGE * PAGE, PART] {
        assert!(heap.free(wrong).is_err(), "freed what nobody has allocated");
    }
    for place in places {
        heap.free(place).expect("allocated");
        assert!(heap.free(place).is_err(), "freed twice");
    }
    assert_eq!(heap.used(), 0);
}

/// Ranks that have once allocated in different orders have the same offsets again when these allocations were
/// freed.
#[test]
fn offsets_do_not_depend_on_what_was_freed() {
    let (mut heap, mut other) = (Heap::own(PART).expect("memory"), Heap::own(PART).expect("memory"));
    for number in 0..3 {
        let passing = other.allocate(LARGE << number).expect("room");
        other.free(passing).expect("allocated");
    }
    for length in [LARGE, LARGE + 1, 5 << 20, 100, LARGE] {
        assert_eq!(heap.allocate(length), other.allocate(length));
    }
}

#[test]
fn memory_of_large_allocations_is_given_back() {
    let mut heap = Heap::own(PART).expect("memory");
    let place = heap.allocate(GIVE_BACK + 2 * PAGE).expect("room");
    let last = place + GIVE_BACK;
    heap.region(0, last, 1).write(&[1]);
    heap.free(place).expect("allocated");
    let mut byte = [9];
    heap.region(0, last, 1).read(&mut byte);
    assert_eq!(byte, [0], "the memory has its contents after it was freed");
}

#[test]
fn many_allocations_do_not_use_up_the_part() {
    let mut heap = Heap::own(MIN_PART).expect("memory");
    for number in 0..100_000 {
        let place = heap.allocate(1 + number % 50_000).expect("room");
        heap.free(place).expect("allocated");
    }
    assert!(heap.allocate(MIN_PART / 2).is_ok());
    assert!(heap.allocate(MIN_PART).is_err());
}

#[test]
#[should_panic(expected = "8 bytes at offset")]
fn a_place_outside_is_refused() {
    Heap::own(MIN_PART).expect("memory").region(0, MIN_PART - 7, 8);
}
