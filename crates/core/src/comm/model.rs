//! The communicator of a model: all ranks pass the same values to collective functions.
//!
//! A protocol that is created by collective functions is so created for a model, one rank after the other,
//! before the participants begin. These communicate by the memory of the scene, a barrier, and once they are
//! connected by messages as well: a message is there for its receiver when that has read the number of those
//! that were sent to it, which its sender has increased with release order.

use super::reduction::{Element, Operation};
use super::{Comm, Piece};
use crate::atomic::model::{Scene, is_running};
use crate::atomic::{self, AtomicU64, Ordering};
use crate::error::{Error, Result};
use crate::memory::Region;
use crate::progress::{Progress, model_rank::Rank, pollers::Pollers};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ptr::NonNull;
use std::sync::Arc;

/// Messages from one rank to another in an execution, at most.
const ROOM: usize = 64;

thread_local! {
    /// The messages of this execution.
    static NETWORK: RefCell<Option<Network>> = const { RefCell::new(None) };
}

/// The messages between the ranks of a model.
struct Network {
    nodes: Vec<u32>,
    /// The number of messages to each rank; then a byte for each message, which stands for its contents.
    memory: NonNull<u8>,
    /// All messages to each rank, in the order of their numbers, until they are received.
    inboxes: Vec<Vec<Option<Message>>>,
    /// How many each rank has sent to each.
    sent: BTreeMap<(usize, usize), usize>,
}

struct Message {
    from: usize,
    tag: i32,
    bytes: Vec<u8>,
    contents: *const u8,
}

/// Lets the ranks of a scene, which are on these nodes, send messages.
pub fn connect(scene: &mut Scene, nodes: &[u32]) {
    let ranks = nodes.len();
    let memory = scene.memory(ranks * size_of::<u64>() + ranks * ranks * ROOM);
    let inboxes = (0..ranks).map(|_| Vec::new()).collect();
    NETWORK.set(Some(Network { nodes: nodes.to_vec(), memory, inboxes, sent: BTreeMap::new() }));
}

fn with<T>(work: impl FnOnce(&mut Network) -> T) -> T {
    NETWORK.with_borrow_mut(|network| work(network.as_mut().expect("ranks of a model that are connected")))
}

impl Network {
    /// The number of messages to a rank.
    fn count(&self, rank: usize) -> &'static AtomicU64 {
        // SAFETY: in the memory of the scene, which is never freed, and accessed as an atomic only.
        unsafe { AtomicU64::from_ptr(self.memory.as_ptr().cast::<u64>().add(rank)) }
    }

    /// What stands for the contents of the next message from one rank to another.
    fn contents(&mut self, from: usize, to: usize) -> *const u8 {
        let ranks = self.nodes.len();
        let number = self.sent.entry((from, to)).or_default();
        assert!(*number < ROOM, "an execution of {ROOM} messages from rank {from} to rank {to}");
        let offset = ranks * size_of::<u64>() + (from * ranks + to) * ROOM + *number;
        *number += 1;
        self.memory.as_ptr().wrapping_add(offset)
    }

    /// The first of the messages to a rank that satisfies a condition, among those that it has seen.
    fn find(
        &mut self,
        to: usize,
        seen: u64,
        which: impl Fn(&Message) -> bool,
    ) -> Option<&mut Option<Message>> {
        let mut all = self.inboxes[to].iter_mut().take(seen as usize);
        all.find(|message| message.as_ref().is_some_and(&which))
    }
}

/// A rank.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    rank: usize,
    size: usize,
    /// How often participants have called the barrier.
    calls: Option<NonNull<AtomicU64>>,
}

impl Member {
    /// The ranks of a model.
    pub fn all(scene: &mut Scene, size: usize) -> Vec<Self> {
        let calls = Some(scene.memory(size_of::<AtomicU64>()).cast());
        (0..size).map(|rank| Self { rank, size, calls }).collect()
    }

    /// A rank while protocols are created, in whose barrier participants do not wait.
    pub fn of_set_up(rank: usize, size: usize) -> Self {
        Self { rank, size, calls: None }
    }
}

// SAFETY: as the rank of a model.
unsafe impl Progress for Member {
    fn progress(&self) {}

    fn pollers(&self) -> &Arc<Pollers> {
        Rank.pollers()
    }

    fn abort(&self, error: &Error) -> ! {
        Rank.abort(error)
    }
}

/// What a model has not.
fn no_message() -> ! {
    unreachable!("no message in a model")
}

/// The participants communicate by the memory of the scene only.
fn in_set_up() {
    assert!(!is_running(), "no message in a model");
}

// SAFETY: the numbers never change, all ranks pass the same values at the set-up, the barrier counts, and a
// transfer has finished when it was started.
unsafe impl Comm for Member {
    type Sends = Infallible;
    type Receive = Infallible;
    /// A transfer has finished when it was started.
    type Transfer<'a> = ();

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn split(&self, _: Option<u32>, _: i32) -> Result<Option<Self>> {
        no_message()
    }

    fn start_sends(&self, _: Vec<u64>, _: &[Piece]) -> Result<Infallible> {
        no_message()
    }

    fn finish_sends(&self, sends: Infallible) -> Result<Vec<u64>> {
        match sends {}
    }

    fn start_receive(&self, _: Vec<u64>, _: usize, _: i32) -> Result<Infallible> {
        no_message()
    }

    fn finish_receive(&self, receive: Infallible) -> Result<(Vec<u64>, usize)> {
        match receive {}
    }

    unsafe fn start_send_bytes<'a>(&self, region: Region<'a>, to: usize, tag: i32) -> Result<()> {
        let mut bytes = vec![0; region.len()];
        region.read(&mut bytes);
        let (count, contents) = with(|network| (network.count(to), network.contents(self.rank, to)));
        atomic::written(contents);
        count.fetch_add(1, Ordering::Release);
        let message = Message { from: self.rank, tag, bytes, contents };
        with(|network| network.inboxes[to].push(Some(message)));
        Ok(())
    }

    unsafe fn start_receive_bytes<'a>(&self, into: Region<'a>, from: usize, tag: i32) -> Result<()> {
        let message = with(|network| {
            let is_it = |message: &Message| (message.from, message.tag) == (from, tag);
            network.find(self.rank, u64::MAX, is_it).and_then(Option::take)
        });
        let Message { bytes, contents, .. } = message.expect("a message that has arrived");
        atomic::read(contents);
        into.write(&bytes);
        Ok(())
    }

    fn has_finished(&self, (): &mut ()) -> Result<bool> {
        Ok(true)
    }

    fn arrived(&self, tag: i32) -> Result<Option<(usize, usize)>> {
        let seen = with(|network| network.count(self.rank)).load(Ordering::Acquire);
        Ok(with(|network| {
            let message = network.find(self.rank, seen, |message| message.tag == tag)?.as_ref()?;
            Some((message.from, message.bytes.len()))
        }))
    }

    fn barrier(&self) -> Result<()> {
        let Some(calls) = self.calls.filter(|_| is_running()) else { return Ok(()) };
        // SAFETY: in memory of the scene, which all ranks access as an atomic.
        let calls = unsafe { calls.as_ref() };
        let size = self.size as u64;
        let round = calls.fetch_add(1, Ordering::Release) / size + 1;
        while calls.load(Ordering::Acquire) < round * size {
            atomic::yield_now();
        }
        Ok(())
    }

    fn all_reduce<T: Element>(&self, _: &mut [T], operation: Operation) -> Result<()> {
        in_set_up();
        assert_eq!(operation, Operation::Max, "the same on all ranks only for a maximum");
        Ok(())
    }

    fn reduce<T: Element>(&self, values: &mut [T], operation: Operation, _: usize) -> Result<()> {
        self.all_reduce(values, operation)
    }

    fn all_gather(&self, values: &[u64]) -> Result<Vec<u64>> {
        in_set_up();
        Ok(values.repeat(self.size))
    }

    fn broadcast(&self, _: &mut [u8], _: usize) -> Result<()> {
        in_set_up();
        Ok(())
    }

    fn all_to_all(&self, _: &[Vec<u64>]) -> Result<Vec<u64>> {
        no_message()
    }

    fn node_numbers(&self) -> Result<Vec<u32>> {
        Ok(NETWORK.with_borrow(|network| match network {
            Some(network) => network.nodes.clone(),
            None => vec![0; self.size],
        }))
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}
