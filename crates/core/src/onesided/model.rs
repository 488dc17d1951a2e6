//! What one-sided accesses promise, in all interleavings: on a node, between nodes, and mixed.
//!
//! A rank that sees a notification, or a word that was set, sees what its sender has put before. Atomic
//! operations are atomic, whether a rank of the node performs them or the owner serves them; each of them
//! publishes what its rank has written and shows what others have published. A get between nodes returns what
//! was there when its pieces were asked for, and an answer to a request that was given up changes nothing.

use super::{Atomic, Onesided, Request, kinds::PIECE_BYTES};
use crate::atomic::{
    self, Ordering,
    model::{Extent, Model, Scene},
};
use crate::comm::model::{Copied, Member, connect};
use crate::memory::Region;
use std::cell::RefCell;
use std::rc::Rc;

/// Bytes of the heap of a rank.
const PART: usize = 4096;
/// A word for notifications of each rank, data behind it, and a word for answers.
const COUNT: usize = 2048;
const DATA: usize = 2056;
const ANSWER: usize = 2064;

/// A rank with what it needs to communicate.
struct Image {
    onesided: Onesided<Member>,
    comm: Member,
}

impl Image {
    fn on_nodes(scene: &mut Scene, nodes: &[u32]) -> Vec<Self> {
        connect(scene, nodes, Copied::Early);
        let all = Onesided::on_nodes(scene, nodes, PART).into_iter().enumerate();
        all.map(|(rank, onesided)| Self { onesided, comm: Member::of_set_up(rank, nodes.len()) }).collect()
    }

    fn pair(scene: &mut Scene, nodes: [u32; 2]) -> [Self; 2] {
        let mut all = Self::on_nodes(scene, &nodes).into_iter();
        nodes.map(|_| all.next().expect("two ranks"))
    }

    /// Polls until there is a result.
    fn until<T>(&mut self, mut work: impl FnMut(&mut Onesided<Member>) -> Option<T>) -> T {
        loop {
            if let Some(result) = work(&mut self.onesided) {
                return result;
            }
            assert!(self.onesided.receive(&self.comm).expect("no MPI").is_none());
            atomic::yield_now();
        }
    }

    /// Serves others until a word of this rank has a value, and all that this rank has to send is sent.
    fn serve_until(&mut self, word: usize, value: u64) {
        self.until(|one| (one.own_word(word).load(Ordering::Acquire) >= value).then_some(()));
        self.until(|one| one.is_sent().then_some(()));
    }

    fn put(&mut self, to: usize, offset: usize, value: u64) {
        self.onesided.put(&self.comm, to, offset, Region::of(&mut value.to_ne_bytes()));
    }

    fn get(&mut self, from: usize, offset: usize) -> u64 {
        let mut bytes = [0; 8];
        let request = self.onesided.get(&self.comm, from, offset, Region::of(&mut bytes));
        self.until(|one| one.is_read(request, Region::of(&mut bytes)).then_some(()));
        u64::from_ne_bytes(bytes)
    }

    fn atomic(&mut self, to: usize, operation: Atomic, operand: u64) -> u64 {
        let request = self.onesided.atomic(to, COUNT, operation, operand);
        self.until(|one| one.is_finished(request))
    }
}

/// What the program of a rank finds in its own memory.
fn own(onesided: &Onesided<Member>, offset: usize) -> u64 {
    let (region, mut bytes) = (onesided.own(offset, 8), [0; 8]);
    atomic::read(region.address());
    region.read(&mut bytes);
    u64::from_ne_bytes(bytes)
}

/// In each round all others put a value in memory of rank 0 and notify it, and it sets a word of each of them
/// when it has read the values, which they then replace.
fn notified(scene: &mut Scene, nodes: &[u32], rounds: u64) {
    let size = nodes.len();
    for (rank, mut image) in Image::on_nodes(scene, nodes).into_iter().enumerate() {
        scene.participant(move || {
            for round in 1..=rounds {
                if rank > 0 {
                    image.put(0, DATA + 8 * rank, 10 * round + rank as u64);
                    image.onesided.notify(0, COUNT, 1);
                    image.serve_until(ANSWER, round);
                    continue;
                }
                image.serve_until(COUNT, round * (size as u64 - 1));
                for other in 1..size {
                    assert_eq!(own(&image.onesided, DATA + 8 * other), 10 * round + other as u64);
                    image.onesided.set(other, ANSWER, round);
                }
                image.until(|one| one.is_sent().then_some(()));
            }
        });
    }
}

/// All ranks add to a word of rank 0: every sum is seen once.
fn sums(scene: &mut Scene, nodes: &[u32], additions: u64) {
    let (seen, all) = (Rc::new(RefCell::new(Vec::new())), nodes.len() as u64 * additions);
    for (rank, mut image) in Image::on_nodes(scene, nodes).into_iter().enumerate() {
        let seen = Rc::clone(&seen);
        scene.participant(move || {
            for _ in 0..additions {
                let before = image.atomic(0, Atomic::Add, 1);
                seen.borrow_mut().push(before);
            }
            if rank == 0 {
                image.serve_until(COUNT, all);
            }
        });
    }
    scene.finally(move || {
        let mut seen = seen.take();
        seen.sort_unstable();
        assert_eq!(seen, (0..all).collect::<Vec<_>>());
    });
}

/// Ranks increment data of rank 0 under a lock that they take by compare-and-swap.
fn lock(scene: &mut Scene, nodes: &[u32], ranks: &'static [usize]) {
    for (rank, mut image) in Image::on_nodes(scene, nodes).into_iter().enumerate() {
        scene.participant(move || {
            if ranks.contains(&rank) {
                while image.atomic(0, Atomic::CompareSwap(0), 1) != 0 {
                    atomic::yield_now();
                }
                let data = image.get(0, DATA);
                image.put(0, DATA, data + 1);
                assert_eq!(image.atomic(0, Atomic::Swap, 0), 1, "somebody else has the lock");
                image.onesided.notify(0, ANSWER, 1);
                image.until(|one| one.is_sent().then_some(()));
            }
            if rank == 0 {
                image.serve_until(ANSWER, ranks.len() as u64);
                assert_eq!(own(&image.onesided, DATA), ranks.len() as u64);
            }
        });
    }
}

/// The operations, which change a word that is 0 and ones that leave it.
const CHANGING: [(Atomic, u64); 6] = [
    (Atomic::Swap, 1),
    (Atomic::Add, 1),
    (Atomic::Or, 4),
    (Atomic::Xor, 1),
    (Atomic::And, 2),
    (Atomic::CompareSwap(3), 1),
];
const READING: [(Atomic, u64); 8] = [
    (Atomic::Load, 0),
    (Atomic::Swap, 9),
    (Atomic::Add, 0),
    (Atomic::And, 0),
    (Atomic::Or, 0),
    (Atomic::Xor, 0),
    (Atomic::CompareSwap(3), 9),
    (Atomic::CompareSwap(1), 9),
];

/// A rank that finds by any operation that another one has happened sees what its rank has written before.
fn orders(scene: &mut Scene) {
    let choice = scene.choose(CHANGING.len() * READING.len());
    let (changing, reading) = (CHANGING[choice / READING.len()], READING[choice % READING.len()]);
    let [mut writer, mut reader] = Image::pair(scene, [0, 0]);
    writer.onesided.own_word(COUNT).store(3, Ordering::Relaxed);
    scene.participant(move || {
        writer.put(0, DATA, 5);
        writer.atomic(0, changing.0, changing.1);
    });
    scene.participant(move || {
        if reader.atomic(0, reading.0, reading.1) != 3 {
            assert_eq!(reader.get(0, DATA), 5);
        }
    });
}

/// A rank of another node puts a value and notifies a word or sets it, or publishes both at once (the
/// choice); a neighbour of the owner, which serves all of them, polls that word and reads the value.
fn watched(scene: &mut Scene) {
    let way = scene.choose(3);
    for (rank, mut image) in Image::on_nodes(scene, &[0, 0, 1]).into_iter().enumerate() {
        scene.participant(move || match rank {
            0 => image.serve_until(ANSWER, 1),
            1 => {
                let has_come = |one: &mut Onesided<Member>| {
                    let word = one.here_word(0, COUNT).expect("on this node");
                    (word.load(Ordering::Acquire) == 1).then_some(())
                };
                image.until(has_come);
                assert_eq!(image.get(0, DATA), 5);
                image.onesided.notify(0, ANSWER, 1);
            }
            _ => {
                let Image { onesided, comm } = &mut image;
                let value = 5u64.to_ne_bytes();
                if way == 2 {
                    onesided.publish(comm, 0, COUNT, 1, &value);
                } else {
                    onesided.put(comm, 0, DATA, Region::of(&mut value.clone()));
                    if way == 1 { onesided.set(0, COUNT, 1) } else { onesided.notify(0, COUNT, 1) }
                }
                image.until(|one| one.is_sent().then_some(()));
            }
        });
    }
}

/// A long put and a long get between nodes, of more pieces than are asked for at a time.
fn pieces(scene: &mut Scene) {
    const LENGTH: usize = 4 * PIECE_BYTES + 1;
    let [mut owner, mut other] = Image::pair(scene, [0, 1]);
    scene.participant(move || owner.serve_until(COUNT, 1));
    scene.participant(move || {
        let (mut sent, mut found): ([u8; LENGTH], _) = (std::array::from_fn(|at| at as u8), [0; LENGTH]);
        other.onesided.put(&other.comm, 0, DATA, Region::of(&mut sent));
        let request = other.onesided.get(&other.comm, 0, DATA, Region::of(&mut found));
        other.until(|one| one.is_read(request, Region::of(&mut found)).then_some(()));
        assert_eq!(found, sent);
        other.onesided.notify(0, COUNT, 1);
        other.until(|one| one.is_delivered().then_some(()));
    });
}

/// A request that is given up, and another one with its number.
fn given_up(scene: &mut Scene) {
    let [mut owner, mut other] = Image::pair(scene, [0, 1]);
    scene.participant(move || owner.serve_until(COUNT, 2));
    scene.participant(move || {
        let (one, comm) = (&mut other.onesided, &other.comm);
        let first: Request = one.atomic(0, COUNT, Atomic::Add, 1);
        one.flush(comm).expect("no MPI");
        one.cancel(first);
        assert_eq!(other.atomic(0, Atomic::Add, 1), 1, "the answer to the request before");
    });
}

const PROTOCOL: &str = "onesided";

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new(PROTOCOL, "puts with notifications on a node", |scene| notified(scene, &[0, 0], 2)),
    Model::new(PROTOCOL, "puts of two ranks of a node", |scene| notified(scene, &[0, 0, 0], 1)),
    Model::new(PROTOCOL, "puts with notifications between nodes", |scene| notified(scene, &[0, 1], 2))
        .with(Extent::Preemptions(3)),
    Model::new(PROTOCOL, "puts of a rank of the node and another", |scene| notified(scene, &[0, 0, 1], 1))
        .with(Extent::Preemptions(3)),
    Model::new(PROTOCOL, "a neighbour polls what the owner serves", watched).with(Extent::Preemptions(2)),
    Model::new(PROTOCOL, "additions on a node", |scene| sums(scene, &[0, 0, 0], 1)),
    Model::new(PROTOCOL, "additions between nodes", |scene| sums(scene, &[0, 1], 2))
        .with(Extent::Preemptions(3)),
    Model::new(PROTOCOL, "additions of both kinds", |scene| sums(scene, &[0, 0, 1], 1))
        .with(Extent::Preemptions(3)),
    Model::new(PROTOCOL, "a lock on a node", |scene| lock(scene, &[0, 0], &[0, 1])),
    Model::new(PROTOCOL, "a lock of both kinds", |scene| lock(scene, &[0, 0, 1], &[1, 2]))
        .with(Extent::Preemptions(3)),
    Model::new(PROTOCOL, "the order of every operation", orders),
    Model::new(PROTOCOL, "long accesses between nodes", pieces).with(Extent::Preemptions(2)),
    Model::new(PROTOCOL, "a request that is given up", given_up).with(Extent::Preemptions(3)),
];
