//! Locks: whoever has one is the only one, and the others wait in the order in which they came.
//!
//! Idea: the word of a lock names the last image of a queue, and each image of the queue the next one. Whoever wants the lock
//! puts itself in the place of the last one by one atomic operation. If there was one, it tells that image so, and waits at a
//! word of its own heap, which the image before writes when it unlocks. Names are places of nodes: two words in the heap of
//! the waiting image, one node per lock that it has or waits for, which are used again.
//!
//! An image unlocks when what it has put before has been made everywhere, so whoever has the lock next sees it.
//!
//! Restrictions: an image has a lock once, also where shipped functions that it runs ask for it. An image that gives up waiting,
//! because another one has failed or stopped, stays in the queue, and goes on there if it asks for the lock again.
//! Cost: to lock, an atomic operation and at most one word written to another image; to unlock, one of both. Memory: 128 bytes
//! per lock that an image has had at the same time as others.
//! Source: Mellor-Crummey and Scott 1991, "Algorithms for scalable synchronization on shared-memory multiprocessors".

use crate::coarray::{Place, Use};
use crate::handles::Handle;
use crate::image::Image;
use crate::reduction::Combination;
use crate::runtime::Runtime;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::onesided::{Atomic, Request};
use std::collections::HashMap;
use std::sync::atomic::Ordering;

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

/// The word of a lock that nobody has, and of a node that has no next one. No node lies at the beginning of a heap, where the
/// rings for messages are.
const NONE: u64 = 0;
/// Where a node has the place of the next one, and whether its image has the lock.
const NEXT: usize = 0;
const GRANTED: usize = size_of::<u64>();
const NODE_BYTES: usize = 2 * size_of::<u64>();

#[derive(Debug, Clone, Copy)]
enum State {
    /// It has the lock if nobody had it before.
    Trying(Request),
    /// It is the last one of the queue when this has been made.
    Asked(Request),
    /// It waits for this image before.
    Queued(usize),
    Held,
    /// Nobody has the lock if it was the last one of the queue.
    Leaving(Request),
    /// It waits until it knows the image behind it.
    Handing,
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
#[derive(Debug, Default)]
pub(crate) struct Locks {
    entries: HashMap<u64, Entry>,
    /// Nodes that are free.
    nodes: Vec<usize>,
}

impl Locks {
    /// Whether the image has one of these locks or waits for it.
    fn uses(&self, locks: Handle) -> bool {
        self.entries.values().any(|entry| entry.lock == locks)
    }

    fn state(&mut self, lock: Place) -> Option<&mut State> {
        self.entries.get_mut(&lock.word()).map(|entry| &mut entry.state)
    }

    /// The node is not used any more.
    fn remove(&mut self, lock: Place) {
        self.nodes.extend(self.entries.remove(&lock.word()).map(|entry| entry.node));
    }
}

impl<C: Comm> Image<C> {
    /// An error where this image has the lock, or a call waits for it.
    pub(crate) fn check_free_of(&self, Lock { at, place }: Lock) -> Result<()> {
        let Some(entry) = self.locks.entries.get(&place.word()) else { return Ok(()) };
        let why = match entry.state {
            State::Trying(_) | State::Asked(_) | State::Queued(_) if entry.is_given_up => return Ok(()),
            State::Trying(_) | State::Asked(_) | State::Queued(_) => "for which this image waits",
            State::Held | State::Leaving(_) | State::Handing => "which this image has",
        };
        Err(error_of(at, why, "one that this image neither has nor waits for"))
    }

    /// An error unless this image has the lock.
    pub(crate) fn check_held(&self, Lock { at, place }: Lock) -> Result<()> {
        match self.locks.entries.get(&place.word()) {
            Some(Entry { state: State::Held, .. }) => Ok(()),
            Some(Entry { state: State::Leaving(_) | State::Handing, is_given_up: true, .. }) => Ok(()),
            _ => Err(error_of(at, "which this image does not have", "one that it has")),
        }
    }

    /// Asks for a lock: at once, or with a place in the queue.
    fn begin_lock(&mut self, lock: Lock, queues: bool) -> Result<()> {
        self.check_free_of(lock)?;
        let Lock { at: (locks, ..), place: lock } = lock;
        if let Some(entry) = self.locks.entries.get_mut(&lock.word()) {
            entry.is_given_up = false;
            return Ok(());
        }
        let node = match self.locks.nodes.pop() {
            Some(node) => node,
            None => self.memory.heap().allocate(NODE_BYTES)?,
        };
        for word in [NEXT, GRANTED] {
            self.memory.own_word(node + word).store(NONE, Ordering::Relaxed);
        }
        let own = Place { image: self.comm.rank(), offset: node }.word();
        let operation = if queues { Atomic::Swap } else { Atomic::CompareSwap(NONE) };
        let request = self.memory.atomic(lock.image, lock.offset, operation, own);
        let state = if queues { State::Asked(request) } else { State::Trying(request) };
        self.locks.entries.insert(lock.word(), Entry { lock: locks, node, state, is_given_up: false });
        Ok(())
    }

    /// Goes on with asking for a lock: whether this image has it, if that is known.
    fn advance_lock(&mut self, lock: Place) -> Result<Option<bool>> {
        let own = self.own_node(lock)?;
        loop {
            let state = *self.locks.state(lock).expect("found above");
            let next = match state {
                State::Trying(request) => match self.memory.is_finished(request) {
                    None => return self.others.check_served(lock.image).map(|()| None),
                    Some(NONE) => State::Held,
                    Some(_) => {
                        self.locks.remove(lock);
                        return Ok(Some(false));
                    }
                },
                State::Asked(request) => match self.memory.is_finished(request) {
                    None => return self.others.check_served(lock.image).map(|()| None),
                    Some(NONE) => State::Held,
                    Some(before) => {
                        let before = Place::of(before);
                        self.memory.set(before.image, before.offset + NEXT, own.word());
                        State::Queued(before.image)
                    }
                },
                State::Queued(before) => {
                    let word = self.memory.own_word(own.offset + GRANTED);
                    if word.load(Ordering::Acquire) == NONE {
                        // What it has written before it was gone counts.
                        let gone = self.others.check(before);
                        if word.load(Ordering::Acquire) == NONE {
                            return gone.map(|()| None);
                        }
                    }
                    State::Held
                }
                State::Held | State::Leaving(_) | State::Handing => return Ok(Some(true)),
            };
            *self.locks.state(lock).expect("found above") = next;
        }
    }

    /// Goes on with giving a lock to the next image. Whether that has ended.
    fn advance_unlock(&mut self, lock: Place) -> Result<Option<()>> {
        let own = self.own_node(lock)?;
        loop {
            let state = *self.locks.state(lock).expect("found above");
            let next = self.memory.own_word(own.offset + NEXT).load(Ordering::Acquire);
            let state = match state {
                State::Held if next == NONE => {
                    let operation = Atomic::CompareSwap(own.word());
                    State::Leaving(self.memory.atomic(lock.image, lock.offset, operation, NONE))
                }
                State::Leaving(request) => match self.memory.is_finished(request) {
                    None => return self.others.check_served(lock.image).map(|()| None),
                    Some(last) if last == own.word() => {
                        self.locks.remove(lock);
                        return Ok(Some(()));
                    }
                    Some(_) => State::Handing,
                },
                _ if next == NONE => return Ok(None),
                _ => {
                    let next = Place::of(next);
                    self.memory.set(next.image, next.offset + GRANTED, 1);
                    self.locks.remove(lock);
                    return Ok(Some(()));
                }
            };
            *self.locks.state(lock).expect("found above") = state;
        }
    }

    fn own_node(&self, lock: Place) -> Result<Place> {
        let entry = self.locks.entries.get(&lock.word());
        let entry = entry.ok_or_else(|| Error::Internal("a lock that is not asked for".into()))?;
        Ok(Place { image: self.comm.rank(), offset: entry.node })
    }

    /// No call waits for the lock any more.
    fn give_up(&mut self, lock: Place) {
        if let Some(entry) = self.locks.entries.get_mut(&lock.word()) {
            entry.is_given_up = true;
        }
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: `count` locks on each member, which nobody has.
    ///
    /// # Errors
    /// As [`Self::allocate`].
    pub fn allocate_locks(&self, team: Handle, count: usize) -> Result<Handle> {
        self.allocate_slots(team, count, Use::Locks)
    }

    /// A lock on a member.
    pub(crate) fn find_lock(&self, at: LockAt) -> Result<Lock> {
        Ok(Lock { at, place: self.place_of_slot(at, Use::Locks)? })
    }

    /// Waits until this image has a lock on a member.
    ///
    /// # Errors
    /// For locks that were freed, an index that there is not, a rank that no member has, a lock that this image has or waits
    /// for; where an image has failed or stopped.
    pub fn lock(&self, locks: Handle, index: usize, rank: usize) -> Result<()> {
        self.take_lock(self.find_lock((locks, index, rank))?)
    }

    /// As [`Self::lock`], of one that was found.
    pub(crate) fn take_lock(&self, lock: Lock) -> Result<()> {
        self.wait_for_room(lock.place.image)?;
        // An attempt without the queue that was given up may end with nothing.
        while !self.ask_for_lock(lock, true)? {}
        Ok(())
    }

    /// Whether this image has the lock now.
    fn ask_for_lock(&self, lock: Lock, queues: bool) -> Result<bool> {
        self.with(|image| image.begin_lock(lock, queues))?;
        let lock = lock.place;
        let taken = self.wait_for_any(|image| match image.advance_lock(lock)? {
            // It goes on with a wait that was given up, but does not wait.
            None if !queues && matches!(image.locks.state(lock), Some(State::Queued(_))) => {
                image.give_up(lock);
                Ok(Some(false))
            }
            taken => Ok(taken),
        });
        if taken.is_err() {
            self.with(|image| {
                image.give_up(lock);
                Ok(())
            })?;
        }
        taken
    }

    /// Takes a lock on a member if nobody has it: whether this image has it now.
    ///
    /// # Errors
    /// As [`Self::lock`].
    pub fn try_lock(&self, locks: Handle, index: usize, rank: usize) -> Result<bool> {
        let lock = self.find_lock((locks, index, rank))?;
        self.wait_for_room(lock.place.image)?;
        let taken = self.ask_for_lock(lock, false)?;
        if !taken {
            self.look_around()?;
        }
        Ok(taken)
    }

    /// Gives a lock on a member to the image that waits for it longest, when what this image has put before is there for all.
    ///
    /// # Errors
    /// For locks that were freed, an index that there is not, a rank that no member has, a lock that this image does not have;
    /// where an image has failed or stopped.
    pub fn unlock(&self, locks: Handle, index: usize, rank: usize) -> Result<()> {
        let lock = self.find_lock((locks, index, rank))?;
        self.with(|image| image.check_held(lock))?;
        self.wait_for_puts()?;
        self.release_lock(lock)
    }

    /// As [`Self::unlock`], of one that was found, when what this image has put is there.
    pub(crate) fn release_lock(&self, lock: Lock) -> Result<()> {
        self.with(|image| image.check_held(lock))?;
        let lock = lock.place;
        let released = self.wait_for_any(|image| image.advance_unlock(lock));
        if released.is_err() {
            self.with(|image| {
                image.give_up(lock);
                Ok(())
            })?;
        }
        released
    }

    /// Collective over the team: an error on all members, where one of them has one of these locks.
    pub(crate) fn agree_unlocked(&self, team: Handle, locks: Handle) -> Result<()> {
        let is_used = self.with(|image| Ok(image.locks.uses(locks)))?;
        let [any] = self.combine(team, [i64::from(is_used)], Combination::Max)?;
        if any == 0 {
            return Ok(());
        }
        let who = if is_used { "this image" } else { "another image" };
        let given = format!("{:#x}, of which {who} has one", locks.number());
        Err(Error::argument("locks", given, "locks that no image has"))
    }
}
