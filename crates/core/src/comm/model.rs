//! The communicator of a model: all ranks pass the same values to collective functions.
//!
//! A protocol that is created by collective functions is so created for a model, one rank after the other,
//! before the participants begin. These communicate by the memory of the scene, a barrier, and once they are
//! connected by messages as well: a message is there for its receiver when that has read the number of those
//! that were sent to it, which its sender has increased with release order. Its contents are copied when it
//! is sent, or, as MPI does with long messages, by the receiver: then the sender waits until that has taken
//! it.

use super::reduction::{Element, Operation};
use super::{Comm, Piece};
use crate::atomic::model::{Scene, is_running, note};
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

/// When a message is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// When it is sent.
    Early,
    /// When it is received.
    Late,
}

/// The messages between the ranks of a model.
struct Network {
    nodes: Vec<u32>,
    copied: Copied,
    /// The number of messages to each rank, and of messages of each rank that were received; then a byte for
    /// each message, which stands for its contents.
    memory: NonNull<u8>,
    /// All messages to each rank, in the order of their numbers, until they are received.
    inboxes: Vec<Vec<Option<Message>>>,
    /// How many of them each rank has seen.
    seen: Vec<u64>,
    /// What was received of the messages of each rank, in this order.
    received: Vec<Vec<*const u8>>,
    /// How many each rank has sent to each.
    sent: BTreeMap<(usize, usize), usize>,
}

struct Message {
    from: usize,
    tag: i32,
    bytes: Bytes,
    /// What stands for its contents, and identifies it.
    contents: *const u8,
}

/// The bytes of a message.
enum Bytes {
    Copied(Vec<u8>),
    /// In memory of the sender, which lasts until it is told.
    There(Region<'static>),
}

impl Bytes {
    fn len(&self) -> usize {
        match self {
            Self::Copied(bytes) => bytes.len(),
            Self::There(region) => region.len(),
        }
    }
}

/// An outstanding transfer.
#[derive(Debug)]
pub enum Transfer<'a> {
    /// It has finished.
    Done,
    /// A message, of which this is the contents, until its receiver has taken it.
    Send(*const u8),
    /// A message from a rank with a tag that has not come.
    Receive(Region<'a>, usize, i32),
}

// SAFETY: all participants run on one thread of the system.
unsafe impl Send for Transfer<'_> {}

/// Notes accesses to memory that ranks share.
fn note_all(region: Region<'_>, access: fn(*const u8)) {
    (0..region.len()).for_each(|byte| note(region.address().wrapping_add(byte), access));
}

/// Lets the ranks of a scene, which are on these nodes, send messages.
pub fn connect(scene: &mut Scene, nodes: &[u32], copied: Copied) {
    let ranks = nodes.len();
    let memory = scene.memory(2 * ranks * size_of::<u64>() + ranks * ranks * ROOM);
    let inboxes = (0..ranks).map(|_| Vec::new()).collect();
    let (seen, received, sent) = (vec![0; ranks], vec![Vec::new(); ranks], BTreeMap::new());
    let nodes = nodes.to_vec();
    NETWORK.set(Some(Network { nodes, copied, memory, inboxes, seen, received, sent }));
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

    /// The number of messages of a rank that were received.
    fn taken(&self, rank: usize) -> &'static AtomicU64 {
        self.count(self.nodes.len() + rank)
    }

    /// What stands for the contents of the next message from one rank to another.
    fn contents(&mut self, from: usize, to: usize) -> *const u8 {
        let ranks = self.nodes.len();
        let number = self.sent.entry((from, to)).or_default();
        assert!(*number < ROOM, "an execution of {ROOM} messages from rank {from} to rank {to}");
        let offset = 2 * ranks * size_of::<u64>() + (from * ranks + to) * ROOM + *number;
        *number += 1;
        self.memory.as_ptr().wrapping_add(offset)
    }

    /// The first of the messages to a rank that satisfies a condition, among those that it has seen.
    fn find(&mut self, to: usize, which: impl Fn(&Message) -> bool) -> Option<&mut Option<Message>> {
        let mut all = self.inboxes[to].iter_mut().take(self.seen[to] as usize);
        all.find(|message| message.as_ref().is_some_and(&which))
    }
}

/// A rank sees the messages that have come.
fn look(rank: usize) {
    let seen = with(|network| network.count(rank)).load(Ordering::Acquire);
    with(|network| network.seen[rank] = seen);
}

/// Takes a message that a rank has seen, if there is one.
fn take(rank: usize, into: Region<'_>, from: usize, tag: i32) -> bool {
    let found = with(|network| {
        let is_it = |message: &Message| (message.from, message.tag) == (from, tag);
        network.find(rank, is_it).and_then(Option::take)
    });
    let Some(Message { bytes, contents, .. }) = found else { return false };
    assert!(bytes.len() <= into.len(), "{} bytes into {}", bytes.len(), into.len());
    let into = into.part(0..bytes.len());
    atomic::read(contents);
    note_all(into, atomic::written);
    match bytes {
        Bytes::Copied(bytes) => into.write(&bytes),
        Bytes::There(region) => {
            note_all(region, atomic::read);
            region.copy_to(into);
            with(|network| network.taken(from)).fetch_add(1, Ordering::Release);
            with(|network| network.received[from].push(contents));
        }
    }
    true
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

// SAFETY: the numbers never change, all ranks pass the same values at the set-up, the barrier counts, and
// messages are copied until their transfers have finished.
unsafe impl Comm for Member {
    type Sends = Infallible;
    type Receive = Infallible;
    type Transfer<'a> = Transfer<'a>;

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

    unsafe fn start_send_bytes<'a>(&self, region: Region<'a>, to: usize, tag: i32) -> Result<Transfer<'a>> {
        let (count, contents) = with(|network| (network.count(to), network.contents(self.rank, to)));
        let (bytes, transfer) = match with(|network| network.copied) {
            Copied::Early => {
                let mut bytes = vec![0; region.len()];
                region.read(&mut bytes);
                (Bytes::Copied(bytes), Transfer::Done)
            }
            Copied::Late => {
                // SAFETY: there until the transfer has finished, by the contract of this function.
                let there = unsafe { Region::new(region.address(), region.len()) };
                (Bytes::There(there), Transfer::Send(contents))
            }
        };
        atomic::written(contents);
        count.fetch_add(1, Ordering::Release);
        let message = Message { from: self.rank, tag, bytes, contents };
        with(|network| network.inboxes[to].push(Some(message)));
        Ok(transfer)
    }

    unsafe fn start_receive_bytes<'a>(
        &self,
        into: Region<'a>,
        from: usize,
        tag: i32,
    ) -> Result<Transfer<'a>> {
        let has_come = take(self.rank, into, from, tag);
        Ok(if has_come { Transfer::Done } else { Transfer::Receive(into, from, tag) })
    }

    fn has_finished(&self, transfer: &mut Transfer<'_>) -> Result<bool> {
        Ok(match *transfer {
            Transfer::Done => true,
            Transfer::Send(contents) => {
                let taken = with(|network| network.taken(self.rank)).load(Ordering::Acquire);
                with(|network| network.received[self.rank][..taken as usize].contains(&contents))
            }
            Transfer::Receive(into, from, tag) => {
                look(self.rank);
                take(self.rank, into, from, tag)
            }
        })
    }

    fn arrived(&self, tag: i32) -> Result<Option<(usize, usize)>> {
        look(self.rank);
        Ok(with(|network| {
            let message = network.find(self.rank, |message| message.tag == tag)?.as_ref()?;
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
