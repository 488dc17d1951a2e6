//! Ranks as threads of one process: the back end of fast tests. Messages are queues, collective functions
//! meet at a barrier. MPI is not called.

use super::reduction::{Element, Operation};
use super::{Comm, Piece, check_colour};
use crate::atomic::{AtomicU64, Ordering};
use crate::error::{Error, Result};
use crate::machine::work::{Ledger, Work};
use crate::memory::Region;
use crate::progress::Progress;
use crate::progress::pollers::Pollers;
use crate::progress::wait::Patience;
use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::marker::PhantomData;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Sender, receiver and tag of a message.
type Envelope = (usize, usize, i32);

/// Bytes from one rank to another, in order.
#[derive(Debug, Default)]
struct Channel {
    messages: VecDeque<Vec<u8>>,
    /// Receives started and finished.
    receives: u64,
    received: u64,
}

/// A pending receive of bytes and its turn among the receives of its envelope, or a send, which is complete
/// when it has started.
#[derive(Debug)]
pub struct Transfer<'a>(Option<(Region<'a>, Envelope, u64)>);

// SAFETY: only `has_finished` uses the region, in the thread that has the transfer, and nobody else touches
// the memory until it has returned true, by the contract of `start_receive_bytes`.
unsafe impl Send for Transfer<'_> {}

/// Turns that threads have taken, from which a thread sanitizer knows that one came after another: it sees
/// nothing of what locks and barriers do inside the standard library, which comes compiled.
#[derive(Debug, Default)]
struct Turns(AtomicU64);

impl Turns {
    fn begin(&self) {
        self.0.load(Ordering::Acquire);
    }

    fn end(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// The data that one thread at a time may access.
#[derive(Debug, Default)]
struct Guarded<T> {
    content: Mutex<T>,
    changed: Condvar,
    turns: Turns,
}

impl<T> Guarded<T> {
    fn new(content: T) -> Self {
        Self { content: Mutex::new(content), changed: Condvar::new(), turns: Turns::default() }
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        self.turn(&mut content, work)
    }

    /// Does some work, for which threads in [`Self::wait_until`] may be waiting.
    fn change(&self, work: impl FnOnce(&mut T)) {
        self.with(work);
        self.changed.notify_all();
    }

    /// Waits for a change after which the work has a result.
    fn wait_until<R>(&self, mut work: impl FnMut(&mut T) -> Option<R>) -> R {
        let mut content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(result) = self.turn(&mut content, &mut work) {
                return result;
            }
            content = self.changed.wait(content).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn turn<R>(&self, content: &mut T, work: impl FnOnce(&mut T) -> R) -> R {
        self.turns.begin();
        let result = work(content);
        self.turns.end();
        result
    }
}

/// The shared data of the threads of one group.
#[derive(Debug)]
struct Shared {
    size: usize,
    /// Node of every rank.
    nodes: Vec<u32>,
    messages: Guarded<HashMap<Envelope, VecDeque<Vec<u64>>>>,
    channels: Guarded<HashMap<Envelope, Channel>>,
    barrier: Guarded<Arrivals>,
    /// A place per rank for collective functions.
    places: Guarded<Vec<Vec<u64>>>,
    /// Groups that are being split from this one, by colour.
    parts: Guarded<HashMap<u32, Arc<Shared>>>,
}

/// Ranks that have reached the barrier, and how often all have.
#[derive(Debug, Default)]
struct Arrivals {
    ranks: usize,
    rounds: u64,
}

impl Shared {
    fn new(nodes: Vec<u32>) -> Arc<Self> {
        Arc::new(Self {
            size: nodes.len(),
            messages: Guarded::default(),
            channels: Guarded::default(),
            barrier: Guarded::default(),
            places: Guarded::new(vec![Vec::new(); nodes.len()]),
            parts: Guarded::default(),
            nodes,
        })
    }
}

/// A communicator whose ranks are threads of one process.
#[derive(Debug)]
pub struct ThreadComm {
    rank: usize,
    shared: Arc<Shared>,
    own: Arc<Own>,
    /// One thread at a time, as a communicator of MPI.
    one_thread: PhantomData<Cell<()>>,
}

/// The data of one thread, in all of its groups.
#[derive(Debug)]
struct Own {
    work: Mutex<Ledger>,
    begin: Instant,
    pollers: Arc<Pollers>,
}

/// Runs `work` on `size` ranks, consecutive `ranks_per_node` of which count as one node; see
/// [`run_on_nodes`].
pub fn run<T: Send>(size: usize, ranks_per_node: usize, work: impl Fn(&ThreadComm) -> T + Sync) -> Vec<T> {
    run_on_nodes((0..size).map(|rank| (rank / ranks_per_node) as u32).collect(), work)
}

/// Runs `work` on as many ranks as there are numbers, where ranks with the same number are on the
/// same node, and returns what each rank returned. A panic on one rank is passed on.
pub fn run_on_nodes<T: Send>(nodes: Vec<u32>, work: impl Fn(&ThreadComm) -> T + Sync) -> Vec<T> {
    let size = nodes.len();
    let shared = Shared::new(nodes);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..size)
            .map(|rank| {
                let (shared, work) = (Arc::clone(&shared), &work);
                scope.spawn(move || work(&ThreadComm::new(rank, shared)))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank panicked")).collect()
    })
}

impl ThreadComm {
    fn new(rank: usize, shared: Arc<Shared>) -> Self {
        let own = Own { work: Mutex::default(), begin: Instant::now(), pollers: Arc::default() };
        Self { rank, shared, own: Arc::new(own), one_thread: PhantomData }
    }

    /// All local work that this rank has noted.
    pub fn noted(&self) -> Ledger {
        self.ledger().clone()
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.own.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a value into this rank's place, waits for all, hands all places to `read`.
    fn meet<T>(&self, value: Vec<u64>, read: impl FnOnce(&[Vec<u64>]) -> T) -> T {
        self.shared.places.with(|places| places[self.rank] = value);
        self.wait_for_all();
        let result = self.shared.places.with(|places| read(places));
        self.wait_for_all();
        result
    }

    fn wait_for_all(&self) {
        let barrier = &self.shared.barrier;
        let mut round = 0;
        barrier.change(|arrivals| {
            round = arrivals.rounds;
            arrivals.ranks += 1;
            if arrivals.ranks == self.shared.size {
                *arrivals = Arrivals { ranks: 0, rounds: round + 1 };
            }
        });
        self.wait_until(barrier, |arrivals| (arrivals.rounds != round).then_some(()));
    }

    /// Waits for a change after which the work has a result; if there are pollers, by polling.
    fn wait_until<T, R>(&self, guarded: &Guarded<T>, mut work: impl FnMut(&mut T) -> Option<R>) -> R {
        if self.pollers().is_empty() {
            return guarded.wait_until(work);
        }
        let mut wait = Patience::new(true, false).wait();
        loop {
            if let Some(result) = guarded.with(&mut work) {
                return result;
            }
            wait.pause(self);
        }
    }
}

// SAFETY: `abort` panics on a rank that is a thread.
unsafe impl Progress for ThreadComm {
    fn progress(&self) {}

    fn pollers(&self) -> &Arc<Pollers> {
        &self.own.pollers
    }

    fn abort(&self, error: &Error) -> ! {
        panic!("rank {}: {error}", self.rank)
    }
}

// SAFETY: a rank is the number of its thread in a group, whose size never changes. All threads of a group
// pass their values through places that are read between two barriers. Only `has_finished` writes to the
// memory of a transfer, before it says so.
unsafe impl Comm for ThreadComm {
    type Sends = Vec<u64>;
    type Receive = (Vec<u64>, Envelope);
    type Transfer<'a> = Transfer<'a>;

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.size
    }

    fn split(&self, colour: Option<u32>, key: i32) -> Result<Option<Self>> {
        let valid = colour.filter(|&colour| i32::try_from(colour).is_ok());
        let mine = vec![valid.map_or(u64::MAX, u64::from), key as u32 as u64];
        let mut members: Vec<(i32, usize)> = self.meet(mine, |places| {
            let ranks = places.iter().enumerate();
            let same = ranks.filter(|(_, place)| valid.is_some_and(|colour| place[0] == u64::from(colour)));
            same.map(|(rank, place)| (place[1] as u32 as i32, rank)).collect()
        });
        members.sort_unstable();
        let rank = members.iter().position(|&(_, rank)| rank == self.rank);
        if let (Some(colour), Some(0)) = (valid, rank) {
            let nodes = members.iter().map(|&(_, rank)| self.shared.nodes[rank]).collect();
            self.shared.parts.with(|parts| parts.insert(colour, Shared::new(nodes)));
        }
        self.wait_for_all();
        let shared = valid.and_then(|colour| self.shared.parts.with(|parts| parts.get(&colour).cloned()));
        self.wait_for_all();
        if self.rank == 0 {
            self.shared.parts.with(HashMap::clear);
        }
        self.wait_for_all();
        check_colour(colour)?;
        let own = Arc::clone(&self.own);
        Ok(rank.zip(shared).map(|(rank, shared)| Self { rank, shared, own, one_thread: PhantomData }))
    }

    fn start_sends(&self, buffer: Vec<u64>, pieces: &[Piece]) -> Result<Vec<u64>> {
        self.shared.messages.change(|messages| {
            for piece in pieces {
                let envelope = (self.rank, piece.to, piece.tag);
                messages.entry(envelope).or_default().push_back(buffer[piece.range.clone()].to_vec());
            }
        });
        Ok(buffer)
    }

    fn finish_sends(&self, buffer: Vec<u64>) -> Result<Vec<u64>> {
        Ok(buffer)
    }

    fn start_receive(&self, buffer: Vec<u64>, from: usize, tag: i32) -> Result<Self::Receive> {
        Ok((buffer, (from, self.rank, tag)))
    }

    fn finish_receive(&self, (mut buffer, envelope): Self::Receive) -> Result<(Vec<u64>, usize)> {
        let arrived = |messages: &mut HashMap<Envelope, VecDeque<Vec<u64>>>| {
            messages.get_mut(&envelope).and_then(VecDeque::pop_front)
        };
        let message = self.wait_until(&self.shared.messages, arrived);
        let Some(room) = buffer.get_mut(..message.len()) else {
            return Err(Error::Internal(format!("{} words for a bound of {}", message.len(), buffer.len())));
        };
        room.copy_from_slice(&message);
        Ok((buffer, message.len()))
    }

    unsafe fn start_send_bytes<'a>(&self, from: Region<'a>, to: usize, tag: i32) -> Result<Transfer<'a>> {
        let mut bytes = vec![0; from.len()];
        from.read(&mut bytes);
        let envelope = (self.rank, to, tag);
        self.shared.channels.with(|channels| channels.entry(envelope).or_default().messages.push_back(bytes));
        Ok(Transfer(None))
    }

    unsafe fn start_receive_bytes<'a>(
        &self,
        into: Region<'a>,
        from: usize,
        tag: i32,
    ) -> Result<Transfer<'a>> {
        let envelope = (from, self.rank, tag);
        let turn = self.shared.channels.with(|channels| {
            let channel = channels.entry(envelope).or_default();
            channel.receives += 1;
            channel.receives
        });
        Ok(Transfer(Some((into, envelope, turn))))
    }

    fn has_finished(&self, transfer: &mut Transfer<'_>) -> Result<bool> {
        let Some((into, envelope, turn)) = &transfer.0 else { return Ok(true) };
        let message = self.shared.channels.with(|channels| {
            let channel = channels.entry(*envelope).or_default();
            if channel.received + 1 != *turn {
                return None;
            }
            let message = channel.messages.pop_front()?;
            channel.received += 1;
            Some(message)
        });
        let Some(message) = message else { return Ok(false) };
        if message.len() > into.len() {
            return Err(Error::Internal(format!("{} bytes for {}", message.len(), into.len())));
        }
        into.part(0..message.len()).write(&message);
        Ok(true)
    }

    fn arrived(&self, tag: i32) -> Result<Option<(usize, usize)>> {
        self.shared.channels.with(|channels| {
            let mut ours =
                channels.iter().filter(|((_, to, its_tag), _)| (*to, *its_tag) == (self.rank, tag));
            Ok(ours.find_map(|((from, ..), channel)| {
                let waiting = (channel.receives - channel.received) as usize;
                channel.messages.get(waiting).map(|message| (*from, message.len()))
            }))
        })
    }

    fn barrier(&self) -> Result<()> {
        self.wait_for_all();
        Ok(())
    }

    fn all_reduce<T: Element>(&self, values: &mut [T], operation: Operation) -> Result<()> {
        let mine = values.iter().map(|value| value.to_word()).collect();
        self.meet(mine, |places| {
            for (index, value) in values.iter_mut().enumerate() {
                let all = places.iter().map(|place| T::from_word(place[index]));
                *value = all.reduce(|a, b| a.combine(b, operation)).unwrap_or(*value);
            }
        });
        Ok(())
    }

    fn reduce<T: Element>(&self, values: &mut [T], operation: Operation, root: usize) -> Result<()> {
        let mut combined = values.to_vec();
        self.all_reduce(&mut combined, operation)?;
        if self.rank == root {
            values.copy_from_slice(&combined);
        }
        Ok(())
    }

    fn all_gather(&self, values: &[u64]) -> Result<Vec<u64>> {
        Ok(self.meet(values.to_vec(), |places| places.concat()))
    }

    fn broadcast(&self, bytes: &mut [u8], root: usize) -> Result<()> {
        let mine = bytes.iter().map(|&byte| u64::from(byte)).collect();
        self.meet(mine, |places| {
            for (to, &from) in bytes.iter_mut().zip(&places[root]) {
                *to = from as u8;
            }
        });
        Ok(())
    }

    fn all_to_all(&self, parts: &[Vec<u64>]) -> Result<Vec<u64>> {
        // A place holds the lengths of all parts and then the parts.
        let lengths = parts.iter().map(|part| part.len() as u64);
        let mine = lengths.chain(parts.iter().flatten().copied()).collect();
        Ok(self.meet(mine, |places| {
            places
                .iter()
                .flat_map(|place| {
                    let (lengths, words) = place.split_at(self.shared.size);
                    let start: u64 = lengths[..self.rank].iter().sum();
                    words[start as usize..][..lengths[self.rank] as usize].to_vec()
                })
                .collect()
        }))
    }

    fn node_numbers(&self) -> Result<Vec<u32>> {
        Ok(self.shared.nodes.clone())
    }

    fn charge(&self, work: Work) {
        self.ledger().add(work);
    }

    fn seconds(&self) -> f64 {
        self.own.begin.elapsed().as_secs_f64()
    }
}
