//! Records of all lengths, full rings, and records that are not valid.

use super::*;
use crate::comm::threads;
use crate::node::heap;

fn with_rings<T: Send>(ranks: usize, work: impl Fn(&threads::ThreadComm, &mut Rings) -> T + Sync) -> Vec<T> {
    threads::run(ranks, ranks, |comm| {
        let node: Vec<usize> = (0..ranks).collect();
        let mut heap = Heap::share(comm, &node, heap::part(ranks, 64)).expect("shared memory");
        let mut rings = Rings::share(comm, &node, ranks, &mut heap).expect("memory");
        let result = work(comm, &mut rings);
        comm.barrier().expect("no MPI");
        result
    })
}

/// Records of all lengths, several times around every ring, arrive once, in order and whole.
#[test]
fn records_of_all_lengths_arrive_in_order() {
    for ranks in [1, 2, 3, 5] {
        with_rings(ranks, |comm, rings| {
            let all = 3000_u64;
            let length = |number: u64| (number * 37 % (MAX_BYTES as u64 - 8 + 1)) as usize;
            let (mut sent, mut received) = (vec![0; ranks], vec![0; ranks]);
            while sent.iter().chain(&received).any(|&number| number < all) {
                for (to, sent) in sent.iter_mut().enumerate() {
                    let number = *sent;
                    let payload = vec![(number % 251) as u8; length(number)];
                    let (first, second) = payload.split_at(payload.len() / 3);
                    if number < all && rings.send(to, (number % 7) as u8, number, [!number], [first, second])
                    {
                        *sent += 1;
                    }
                }
                let mut took = 0;
                while rings
                    .receive(|head, payload| {
                        let number = received[head.from];
                        assert_eq!((head.kind, head.tag), ((number % 7) as u8, number));
                        assert_eq!((head.length, payload.len() - 8), (8 + length(number), length(number)));
                        let (word, payload) = payload.split_at(8);
                        assert_eq!(word, (!number).to_ne_bytes());
                        assert!(payload.iter().all(|&byte| byte == (number % 251) as u8));
                        received[head.from] += 1;
                    })
                    .is_some()
                {
                    took += 1;
                }
                if took == 0 {
                    std::thread::yield_now();
                }
            }
            comm.barrier().expect("no MPI");
            assert!((0..ranks).all(|to| rings.is_taken(to)) && rings.receive(|_, _| ()).is_none());
        });
    }
}

#[test]
fn a_full_ring_refuses_and_takes_again_when_it_was_emptied() {
    with_rings(1, |_, rings| {
        let record = [1; MAX_BYTES];
        let fill = |rings: &mut Rings| {
            let mut sent = 0;
            while rings.send(0, 1, sent, [], [&record, &[]]) {
                sent += 1;
            }
            sent
        };
        let first = fill(rings);
        assert!(first > 2 && !rings.is_taken(0), "{first} records");
        for number in 0..first {
            assert_eq!(rings.receive(|head, _| head.tag), Some(number));
        }
        assert!(rings.receive(|_, _| ()).is_none() && rings.is_taken(0));
        assert!(fill(rings) >= first - 1);
    });
}

#[test]
#[should_panic(expected = "a rank panicked")]
fn a_record_that_is_longer_than_its_ring_is_refused() {
    with_rings(1, |_, rings| {
        assert!(rings.send(0, 1, 5, [], [&[7; 100], &[]]));
        let ring = rings.incoming[0];
        ring.word(ring.at, rings.bytes).store(PRESENT | 1 << 31 << LENGTH, Ordering::Relaxed);
        rings.receive(|_, payload| payload.len())
    });
}

#[test]
fn rings_of_many_ranks_are_shorter() {
    assert_eq!([1, 64, 256, 1024, 10_000].map(ring_bytes), [64 << 10, 64 << 10, 16 << 10, 4 << 10, 4 << 10]);
}
