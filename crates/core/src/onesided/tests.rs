use super::*;
use crate::comm::threads::{self, ThreadComm};
use crate::memory::bytes_of;
use crate::progress::wait::Patience;
use hcube_testing::sizes::{distances, sizes};
use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

const PLACES: [(usize, usize); 6] = [(1, 1), (2, 2), (2, 1), (3, 2), (5, 2), (6, 3)];
const PART: usize = 1 << 22;

/// A rank and what it needs.
struct Image<'a> {
    comm: &'a ThreadComm,
    onesided: Onesided<ThreadComm>,
    /// Ranks that have done their work.
    finished: &'a AtomicUsize,
}

impl Image<'_> {
    /// Serves others until `done` has a result.
    fn until<T>(&mut self, mut done: impl FnMut(&mut Onesided<ThreadComm>) -> Option<T>) -> T {
        let mut wait = Patience::new(true, false).wait();
        loop {
            if let Some(result) = done(&mut self.onesided) {
                return result;
            }
            assert!(self.onesided.receive(self.comm).expect("no MPI").is_none(), "a message of nobody");
            wait.pause(self.comm);
        }
    }

    /// Waits until all ranks have made all accesses for the given time.
    fn meet(&mut self, time: usize) {
        self.until(|onesided| onesided.is_delivered().then_some(()));
        self.finished.fetch_add(1, Ordering::AcqRel);
        let (finished, all) = (self.finished, time * self.comm.size());
        self.until(|_| (finished.load(Ordering::Acquire) >= all).then_some(()));
    }
}

fn with_images<T: Send>(ranks: usize, per_node: usize, work: impl Fn(&mut Image<'_>) -> T + Sync) -> Vec<T> {
    let finished = AtomicUsize::new(0);
    threads::run(ranks, per_node, |comm| {
        let topology = Topology::from_node_numbers(&comm.node_numbers().expect("no MPI"), None);
        let onesided = Onesided::share(comm, &topology).expect("shared memory");
        let mut image = Image { comm, onesided, finished: &finished };
        let result = work(&mut image);
        comm.barrier().expect("no MPI");
        result
    })
}

fn pattern(from: usize, to: usize, length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + from * 31 + to * 101) as u8).collect()
}

/// Every rank writes to every other, reads what others have written to it there, and what it has itself.
#[test]
fn puts_and_gets_of_all_lengths() {
    const LENGTHS: [usize; 8] = [0, 1, 7, 8, 4096, 65_537, PIECE_BYTES + 1, 300_000];
    for (ranks, per_node) in PLACES {
        with_images(ranks, per_node, |image| {
            let (comm, own) = (image.comm, image.comm.rank());
            let base = image.onesided.heap().allocate(PART).expect("room");
            for (time, length) in LENGTHS.into_iter().enumerate() {
                for to in 0..ranks {
                    let mut bytes = pattern(own, to, length);
                    image.onesided.put(comm, to, base + own * length, Region::of(&mut bytes));
                }
                image.meet(2 * time + 1);
                for from in 0..ranks {
                    for writer in [own, (own + 1) % ranks] {
                        let mut bytes = vec![0; length];
                        let into = Region::of(&mut bytes);
                        let get = image.onesided.get(comm, from, base + writer * length, into);
                        image.until(|onesided| onesided.is_read(get, into).then_some(()));
                        assert!(
                            bytes == pattern(writer, from, length),
                            "{length} bytes of {writer} at {from}"
                        );
                    }
                }
                image.meet(2 * time + 2);
            }
            let counts = image.onesided.counts();
            let puts = (ranks * LENGTHS.len()) as u64;
            assert_eq!(counts.local_puts + counts.remote_puts, puts, "{counts:?}");
            assert_eq!(counts.local_gets + counts.remote_gets, 2 * puts, "{counts:?}");
            assert_eq!(2 * counts.remote_puts, counts.remote_gets, "{counts:?}");
            assert_eq!(counts.remote_puts == 0, ranks == per_node, "{counts:?}");
        });
    }
}

/// A put that checks for room and a get, both of many pieces: neither the accessing rank nor the owner keeps
/// many of them.
#[test]
fn long_puts_and_gets_need_little_memory() {
    const LENGTH: usize = 40 * PIECE_BYTES + 5;
    const MAX_WAITING: usize = GET_PIECES * (PIECE_BYTES + 64);
    with_images(2, 1, |image| {
        let (comm, other) = (image.comm, 1 - image.comm.rank());
        let base = image.onesided.heap().allocate(LENGTH).expect("room");
        let bounded = |onesided: &Onesided<ThreadComm>| {
            let waiting = onesided.messages.waiting_bytes();
            assert!(waiting <= MAX_WAITING, "{waiting} bytes are kept");
        };
        let mut sent = pattern(comm.rank(), other, LENGTH);
        let mut at = 0;
        while at < LENGTH {
            let from = Region::of(&mut sent);
            at = image.until(|onesided| {
                bounded(onesided);
                onesided.has_room(other).then(|| onesided.put_some(comm, other, base, from, at))
            });
        }
        let mut found = vec![0; LENGTH];
        let into = Region::of(&mut found);
        let get = image.onesided.get(comm, other, base, into);
        image.until(|onesided| {
            bounded(onesided);
            onesided.is_read(get, into).then_some(())
        });
        assert!(found == sent, "a get does not see the put before it");
        let counts = image.onesided.counts();
        assert_eq!((counts.remote_puts, counts.remote_gets, counts.remote_bytes), (1, 1, 2 * LENGTH as u64));
        image.meet(1);
    });
}

#[test]
fn atomic_operations_of_all_ranks() {
    for (ranks, per_node) in PLACES {
        with_images(ranks, per_node, |image| {
            let base = image.onesided.heap().allocate(64).expect("room");
            for word in 0..8 {
                image.onesided.own_word(base + 8 * word).store(0, Ordering::Relaxed);
            }
            image.meet(1);
            let own = image.comm.rank() as u64;
            let mut ask = |word: usize, operation, operand| {
                let request = image.onesided.atomic(0, base + 8 * word, operation, operand);
                image.until(|onesided| onesided.is_finished(request))
            };
            let tickets: Vec<u64> = (0..100).map(|_| ask(0, Atomic::Add, 1)).collect();
            assert!(tickets.is_sorted());
            ask(1, Atomic::Xor, 1 << own);
            ask(2, Atomic::Or, 1 << own);
            let before = ask(3, Atomic::Swap, own + 1);
            assert!(before <= ranks as u64);
            while ask(4, Atomic::CompareSwap(own), own + 1) != own {}
            ask(5, Atomic::And, 0);
            image.onesided.notify(0, base + 48, 5);
            image.meet(2);
            let mut ask = |word: usize| {
                let request = image.onesided.atomic(0, base + 8 * word, Atomic::Load, 0);
                image.until(|onesided| onesided.is_finished(request))
            };
            let all = ranks as u64;
            let bits = (1 << all) - 1;
            assert_eq!([0, 1, 2, 4, 5, 6].map(&mut ask), [100 * all, bits, bits, all, 0, 5 * all]);
            assert!((1..=all).contains(&ask(3)));
            image.meet(3);
        });
    }
}

/// The data that a rank has put is visible when a notification has arrived that was sent after it.
#[test]
fn a_notice_does_not_overtake_a_put() {
    for (ranks, per_node) in PLACES {
        with_images(ranks, per_node, |image| {
            let comm = image.comm;
            let base = image.onesided.heap().allocate(8 + 8000).expect("room");
            image.onesided.own_word(base).store(0, Ordering::Relaxed);
            image.meet(1);
            let next = (comm.rank() + 1) % ranks;
            for turn in 1..=50_u64 {
                let mut bytes = vec![turn as u8; 8000];
                image.onesided.put(comm, next, base + 8, Region::of(&mut bytes));
                image.onesided.notify(next, base, 1);
                image.until(|onesided| {
                    (onesided.own_word(base).load(Ordering::Acquire) == turn).then_some(())
                });
                let mut found = vec![0; 8000];
                image.onesided.own(base + 8, 8000).read(&mut found);
                assert!(found.iter().all(|&byte| byte == turn as u8), "{turn}");
                image.meet(1 + turn as usize);
            }
        });
    }
}

#[test]
fn sections_and_index_vectors() {
    for (ranks, per_node) in [(2, 2), (2, 1)] {
        with_images(ranks, per_node, |image| {
            let (comm, other) = (image.comm, 1 - image.comm.rank());
            let base = image.onesided.heap().allocate(PART).expect("room");
            let shapes = [
                Shape::strided(8, &[(5, 16), (3, 200)]),
                Shape::strided(8, &[(5, 8), (3, 40), (2, -1000)]),
                Shape::strided(1, &[(0, 16)]),
                Shape::strided(1, &[(300_000, 3)]),
                Shape::strided(300_000, &[]),
                Shape::strided(150_000, &[(3, 200_000)]),
                Shape::indexed(24, vec![96, 0, 24, -48, 4800]),
                Shape::indexed(8, (0..60_000).map(|index| 8 * (index * 7 % 60_000)).collect()),
                Shape::indexed(8, vec![]),
            ];
            for (number, shape) in shapes.into_iter().enumerate() {
                let shape = shape.expect("a shape");
                let mut sent = pattern(image.comm.rank(), number, shape.bytes());
                image.onesided.put_shape(comm, other, base + 2000, &shape, Region::of(&mut sent));
                let mut found = vec![0; shape.bytes()];
                let into = Region::of(&mut found);
                let get = image.onesided.get_shape(comm, other, base + 2000, &shape, into);
                image.until(|onesided| onesided.is_read(get, into).then_some(()));
                assert!(found == sent, "{number}: {shape:?}");
                image.meet(number + 1);
            }
        });
    }
}

/// Where the system does not promise as much memory as there are addresses, all ranks have the same smaller
/// part.
#[test]
fn heaps_of_one_rank_are_as_long_as_all_may_have() {
    // The thread sanitizer has shadows of all addresses.
    if cfg!(hcube_one_mapping) {
        return;
    }
    let parts = threads::run(3, 1, |comm| {
        // No process has as many addresses; the first rank takes what it gets last.
        let part = own_heap(comm, 1 << 47).expect("a smaller heap").part();
        comm.barrier().expect("no MPI");
        part
    });
    assert!(parts[0] < 1 << 47 && parts == [parts[0]; 3], "{parts:?}");
}

/// An access of another node to the rings is an error of the owner, not a broken ring.
#[test]
fn rings_are_not_accessed() {
    with_images(2, 1, |image| {
        let (comm, first) = (image.comm, image.onesided.first_offset);
        assert!(image.onesided.is_accessible(first, 8) && !image.onesided.is_accessible(first - 8, 8));
        assert!(!image.onesided.is_accessible(usize::MAX, 8));
        if comm.rank() == 0 {
            image.onesided.set(1, first - 8, 7);
            image.onesided.flush(comm).expect("no MPI");
        }
        comm.barrier().expect("no MPI");
        let served = image.onesided.receive(comm);
        assert_eq!(served.is_err(), comm.rank() == 1, "{served:?}");
    });
}

#[test]
fn shapes_that_have_no_place_are_refused() {
    assert!(Shape::strided(8, &[(usize::MAX, 8)]).is_err());
    assert!(Shape::strided(8, &[(1 << 40, 1 << 40)]).is_err());
    assert!(Shape::strided(usize::MAX, &[]).is_err());
    assert!(Shape::indexed(1 << 62, vec![0, 1]).is_err() && Shape::indexed(8, vec![i64::MAX]).is_err());
    let shape = Shape::strided(8, &[(3, -16)]).expect("a shape");
    assert_eq!((shape.bounds(), shape.range(32), shape.range(31)), (-32..8, Some(0..40), None));
}

proptest! {
    /// Elements are copied as defined, for all joins and cuts.
    #[test]
    fn shapes_are_what_they_say(
        element in 1..9_usize,
        dimensions in proptest::collection::vec((0..5_usize, -40..40_i64), 0..4),
        limit in 1..100_usize,
    ) {
        let shape = Shape::strided(element, &dimensions).expect("a small shape");
        let mut expected = vec![0_i64];
        for &(count, stride) in &dimensions {
            expected = (0..count as i64)
                .flat_map(|index| expected.iter().map(move |distance| distance + index * stride).collect::<Vec<_>>())
                .collect();
        }
        let expected: Vec<i64> =
            expected.iter().flat_map(|&distance| (0..element as i64).map(move |byte| distance + byte)).collect();
        let touched = |shape: &Shape, begin: i64| {
            let mut bytes = Vec::new();
            shape.for_each(|distance| bytes.extend((0..shape.run() as i64).map(|byte| begin + distance + byte)));
            bytes
        };
        let bounds = shape.bounds();
        prop_assert_eq!(&touched(&shape, 0), &expected);
        if let (Some(least), Some(most)) = (expected.iter().min(), expected.iter().max()) {
            prop_assert_eq!(bounds, *least..most + 1);
        }
        let parts = shape.cut(limit);
        let joined: Vec<i64> = parts.iter().flat_map(|(begin, part)| touched(part, *begin)).collect();
        prop_assert_eq!(joined, expected);
        prop_assert!(parts.iter().all(|(_, part)| part.bytes() <= limit.max(shape.run()) || part.bytes() == 0));
        let sent = [bytes_of(&shape.words()), &[1, 2, 3]].concat();
        prop_assert_eq!(Shape::from_bytes(&sent), Some((shape, &[1, 2, 3][..])));
        prop_assert_eq!(Shape::from_bytes(&sent[..8]), None);
    }
}

/// Bytes and bounds of elements in 128 bits, or the nearest bounds that these hold; `None` where the bytes
/// leave 64 bits.
fn section(element: usize, dimensions: &[(usize, i64)]) -> Option<(u128, [i128; 2])> {
    let bytes = dimensions.iter().try_fold(element as u128, |bytes, &(count, _)| {
        Some(bytes * count as u128).filter(|&bytes| i64::try_from(bytes).is_ok())
    });
    let mut bounds = [0, element as i128];
    for &(count, stride) in dimensions {
        // A dimension without elements has no last one.
        let reach = (count.max(1) as i128 - 1) * i128::from(stride);
        let bound = &mut bounds[usize::from(reach > 0)];
        *bound = bound.saturating_add(reach);
    }
    bytes.map(|bytes| (bytes, bounds))
}

proptest! {
    #[test]
    fn sections_of_any_size_are_exact_or_refused(
        element in sizes(), dimensions in proptest::collection::vec((sizes(), distances()), 0..4), offset in sizes(),
        limit in 1..9_usize,
    ) {
        let dimensions: Vec<(usize, i64)> =
            dimensions.into_iter().map(|(count, stride)| (count, stride as i64)).collect();
        let fits = |number: i128| i64::try_from(number).is_ok();
        match (Shape::strided(element, &dimensions), section(element, &dimensions)) {
            (Ok(shape), Some((bytes, [first, end]))) => {
                prop_assert_eq!(shape.bytes() as u128, bytes);
                let [first, end] = if bytes == 0 { [0, 0] } else { [first, end] };
                let bounds = shape.bounds();
                prop_assert_eq!([i128::from(bounds.start), i128::from(bounds.end)], [first, end]);
                prop_assert_eq!(shape.extent() as i128, end - first);
                let [first, end] = [first, end].map(|at| at + offset as i128);
                let inside = (first >= 0 && fits(offset as i128) && fits(end)).then_some(first as usize..end as usize);
                prop_assert_eq!(shape.range(offset), inside);
                let sent = bytes_of(&shape.words()).to_vec();
                let (received, rest) = Shape::from_bytes(&sent).expect("a shape");
                prop_assert!(rest.is_empty() && received.bytes() == shape.bytes());
                prop_assert_eq!(received.bounds(), shape.bounds());
                let limit = (shape.bytes() / limit).max(1);
                if shape.bytes() / limit < 1000 {
                    let parts = shape.cut(limit);
                    let cut: u128 = parts.iter().map(|(_, part)| part.bytes() as u128).sum();
                    prop_assert_eq!(cut, bytes);
                    for (distance, part) in parts {
                        let bounds = part.bounds();
                        prop_assert!(part.bytes() <= limit);
                        prop_assert!(distance + bounds.start >= shape.bounds().start);
                        prop_assert!(distance + bounds.end <= shape.bounds().end);
                    }
                }
            }
            (Ok(shape), None) => prop_assert!(false, "{:?} of more than 2^63 bytes", shape),
            (Err(_), expected) => {
                let reaches = dimensions.iter().map(|&(count, stride)| (count.max(1) as i128 - 1) * i128::from(stride));
                let counted = dimensions.iter().all(|&(count, _)| fits(count as i128));
                let is_refused = expected.is_none_or(|(_, [first, end])| {
                    !fits(element as i128) || !fits(first) || !fits(end) || !fits(end - first)
                });
                prop_assert!(is_refused || !counted || !reaches.into_iter().all(fits));
            }
        }
    }

    #[test]
    fn index_vectors_of_any_size_are_exact_or_refused(
        element in sizes(), distances in proptest::collection::vec(distances(), 0..5),
    ) {
        let distances: Vec<i64> = distances.into_iter().map(|distance| distance as i64).collect();
        let bytes = element as u128 * distances.len() as u128;
        let ends = distances.iter().min().zip(distances.iter().max());
        let [first, end] = match ends.filter(|_| element > 0) {
            Some((&least, &most)) => [i128::from(least), i128::from(most) + element as i128],
            None => [0, 0],
        };
        let fits = |number: i128| i64::try_from(number).is_ok();
        let is_possible =
            fits(element as i128) && i64::try_from(bytes).is_ok() && fits(end) && fits(end - first);
        let shape = Shape::indexed(element, distances);
        prop_assert_eq!(shape.is_ok(), is_possible);
        if let Ok(shape) = shape {
            prop_assert_eq!((shape.bytes() as u128, shape.extent() as i128), (bytes, end - first));
        }
    }
}
