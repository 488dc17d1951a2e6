//! The locks that an image holds or waits for: a state machine for each lock, which never blocks.
//!
//! Idea: see [`crate::operations::lock`].

use crate::state::handles::Handle;
use crate::state::others::Others;
use crate::state::place::Place;
use hcube_core::atomic::{self, Ordering};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::onesided::{Atomic, Onesided, Request};
use std::collections::HashMap;

/// A lock on a member of its team: handle, index, rank.
pub type LockAt = (Handle, usize, usize);

/// A lock, and where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lock {
    pub at: LockAt,
    pub place: Place,
}

/// The error for a lock, by its index and its image's rank.
pub(crate) fn error_of((_, index, rank): LockAt, why: &str, expected: &str) -> Error {
    Error::argument("locks", format_args!("lock {index} of image {rank}, {why}"), expected)
}

/// The word of a free lock, and of a queue node without successor. No queue node is at the beginning of a
/// heap, where the rings for messages are.
const NONE: u64 = 0;
/// Where a node has the place of the next one, and whether its image has the lock.
const NEXT: usize = 0;
const GRANTED: usize = size_of::<u64>();
const NODE_BYTES: usize = 2 * size_of::<u64>();
/// Polls after which an image that has entered the queue has written its link to the image before, unless it
/// has failed in between: then nobody knows which one it is.
const MAX_POLLS: u32 = if cfg!(hcube_model) { 2 } else { 1 << 20 };

#[derive(Debug, Clone, Copy)]
enum State {
    /// It holds the lock if it was free.
    Trying(Request),
    /// It is the last one of the queue after this swap.
    Asked(Request),
    /// It waits for this image before.
    Queued(usize),
    Held,
    /// Nobody has the lock if it was the last one of the queue.
    Leaving(Request),
    /// It waits until it knows its successor in the queue; polls for it so far.
    Handing(u32),
}

/// A lock that an image has or waits for.
#[derive(Debug)]
struct Entry {
    lock: Handle,
    /// Offset of the node.
    node: usize,
    state: State,
    /// Whether no call waits for the next state any more.
    is_given_up: bool,
}

/// The locks that an image has or waits for, by the words of their places.
#[derive(Debug)]
pub(crate) struct Locks {
    /// This image.
    own: usize,
    entries: HashMap<u64, Entry>,
    /// Nodes that are free.
    nodes: Vec<usize>,
}

impl Locks {
    /// None, on this image.
    pub fn new(own: usize) -> Self {
        Self { own, entries: HashMap::new(), nodes: Vec::new() }
    }

    /// Whether the image has one of these locks or waits for it.
    pub fn uses(&self, locks: Handle) -> bool {
        self.entries.values().any(|entry| entry.lock == locks)
    }

    fn state(&mut self, lock: Place) -> Option<&mut State> {
        self.entries.get_mut(&lock.word()).map(|entry| &mut entry.state)
    }

    /// The queue node is unused.
    fn remove(&mut self, lock: Place) {
        self.nodes.extend(self.entries.remove(&lock.word()).map(|entry| entry.node));
    }

    /// Whether it waits for the lock in the queue, after another image.
    pub fn is_queued(&self, lock: Place) -> bool {
        matches!(self.entries.get(&lock.word()), Some(Entry { state: State::Queued(_), .. }))
    }

    /// An error if this image has the lock, or a call waits for it.
    pub fn check_free(&self, Lock { at, place }: Lock) -> Result<()> {
        let Some(entry) = self.entries.get(&place.word()) else { return Ok(()) };
        let why = match entry.state {
            State::Trying(_) | State::Asked(_) | State::Queued(_) if entry.is_given_up => return Ok(()),
            State::Trying(_) | State::Asked(_) | State::Queued(_) => "for which this image waits",
            State::Held | State::Leaving(_) | State::Handing(_) => "which this image has",
        };
        Err(error_of(at, why, "a lock that this image neither holds nor waits for"))
    }

    /// An error unless this image has the lock.
    pub fn check_held(&self, Lock { at, place }: Lock) -> Result<()> {
        match self.entries.get(&place.word()) {
            Some(Entry { state: State::Held, .. }) => Ok(()),
            Some(Entry { state: State::Leaving(_) | State::Handing(_), is_given_up: true, .. }) => Ok(()),
            _ => Err(error_of(at, "which this image does not hold", "a lock that it holds")),
        }
    }

    /// Requests a lock: acquires it immediately, or with a place in the queue.
    pub fn begin<C: Comm>(&mut self, lock: Lock, queues: bool, memory: &mut Onesided<C>) -> Result<()> {
        self.check_free(lock)?;
        let Lock { at: (locks, ..), place: lock } = lock;
        if let Some(entry) = self.entries.get_mut(&lock.word()) {
            entry.is_given_up = false;
            return Ok(());
        }
        let node = match self.nodes.pop() {
            Some(node) => node,
            None => memory.heap().allocate(NODE_BYTES)?,
        };
        for word in [NEXT, GRANTED] {
            memory.own_word(node + word).store(NONE, Ordering::Relaxed);
        }
        let own = Place { image: self.own, offset: node }.word();
        let operation = if queues { Atomic::Swap } else { Atomic::CompareSwap(NONE) };
        let request = memory.atomic(lock.image, lock.offset, operation, own);
        let state = if queues { State::Asked(request) } else { State::Trying(request) };
        self.entries.insert(lock.word(), Entry { lock: locks, node, state, is_given_up: false });
        Ok(())
    }

    /// Goes on with asking for a lock: whether this image has it, if that is known.
    pub fn advance<C: Comm>(
        &mut self,
        lock: Place,
        memory: &mut Onesided<C>,
        others: &Others,
    ) -> Result<Option<bool>> {
        let own = self.own_node(lock)?;
        loop {
            let state = *self.state(lock).expect("found above");
            let next = match state {
                State::Trying(request) => match memory.is_finished(request) {
                    None => return others.check_served(lock.image).map(|()| None),
                    Some(NONE) => State::Held,
                    Some(_) => {
                        self.remove(lock);
                        return Ok(Some(false));
                    }
                },
                State::Asked(request) => match memory.is_finished(request) {
                    None => return others.check_served(lock.image).map(|()| None),
                    Some(NONE) => State::Held,
                    Some(before) => {
                        let before = Place::of(before);
                        memory.set(before.image, before.offset + NEXT, own.word());
                        State::Queued(before.image)
                    }
                },
                State::Queued(before) => {
                    let word = memory.own_word(own.offset + GRANTED);
                    // What it has written before it was gone is seen here: `others` has polled before.
                    if word.load(Ordering::Acquire) == NONE {
                        return others.check(before).map(|()| None);
                    }
                    State::Held
                }
                State::Held | State::Leaving(_) | State::Handing(_) => return Ok(Some(true)),
            };
            *self.state(lock).expect("found above") = next;
        }
    }

    /// Goes on with giving a lock to the next image. Whether that has ended.
    pub fn advance_release<C: Comm>(
        &mut self,
        lock: Place,
        memory: &mut Onesided<C>,
        others: &Others,
    ) -> Result<Option<()>> {
        let own = self.own_node(lock)?;
        loop {
            let state = *self.state(lock).expect("found above");
            let next = memory.own_word(own.offset + NEXT).load(Ordering::Acquire);
            let state = match state {
                State::Held if next == NONE => {
                    let operation = Atomic::CompareSwap(own.word());
                    State::Leaving(memory.atomic(lock.image, lock.offset, operation, NONE))
                }
                State::Leaving(request) => match memory.is_finished(request) {
                    None => return others.check_served(lock.image).map(|()| None),
                    Some(last) if last == own.word() => {
                        self.remove(lock);
                        return Ok(Some(()));
                    }
                    Some(_) => State::Handing(0),
                },
                State::Handing(polls) if next == NONE => {
                    if polls < MAX_POLLS {
                        atomic::worked();
                        *self.state(lock).expect("found above") = State::Handing(polls + 1);
                        return Ok(None);
                    }
                    return others.check_failed().map(|()| None);
                }
                _ => {
                    let next = Place::of(next);
                    memory.set(next.image, next.offset + GRANTED, 1);
                    self.remove(lock);
                    return Ok(Some(()));
                }
            };
            *self.state(lock).expect("found above") = state;
        }
    }

    fn own_node(&self, lock: Place) -> Result<Place> {
        let entry = self.entries.get(&lock.word());
        let entry = entry.ok_or_else(|| Error::Internal("a lock that is not asked for".into()))?;
        Ok(Place { image: self.own, offset: entry.node })
    }

    /// No call waits for the lock any more.
    pub fn give_up(&mut self, lock: Place) {
        if let Some(entry) = self.entries.get_mut(&lock.word()) {
            entry.is_given_up = true;
        }
    }
}
