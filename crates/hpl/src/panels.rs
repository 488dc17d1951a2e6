//! Panels that their root writes where the other ranks of the row read them.
//!
//! Idea: every rank of a row has some slots in memory that the ranks of its node share. The root of a panel computes it
//! in one of its slots, posts it (a store with release order), and goes on; the others look for it when they need it,
//! and read it in place, as often as they like, until they release it. So nothing is copied, nobody forwards, and a rank
//! that computes is not interrupted: HPL's own broadcasts advance only where ranks poll, and HPL cuts its update into
//! narrow products between the polls.
//!
//! Panels are numbered in the order in which [`Panels::begin`] is called, which is the same on all ranks of the row, so
//! ranks never exchange a number. A root posts its panels in that order, and counts them; a panel is there when the
//! count of its root has reached it. A rank releases panels in any order, and counts those up to the first that it
//! still uses.
//!
//! Deadlock: the only call that waits for others and not for a panel is `begin` of a root whose slots are all in use. It
//! waits until all ranks have released the panel that used the slot last, the root's own one `slots` turns before. Say
//! that every rank has released panel n when it begins panel n + live (HPL: live = depth of look-ahead + 2, one of
//! which is the panel that HPL creates and frees before it is factored), and that no root begins panels more often than
//! the rows need: where `slots` own panels are more than `live` numbers apart, the panel waited for is released before
//! its rank waits for this or any later panel, so the rank that is least far never waits for another one.
//! [`slots_for`] is that number of slots.
//!
//! Restrictions: the ranks of the row share memory. Cost: no message; per panel one line of the cache from the root to
//! each rank, and the bytes that a rank reads. Memory: `slots` panels per rank.
//!
//! Source: our own; asynchronous broadcasts on events and teams of a row in HPL: Jin et al. 2011, section III.

use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::panels::{Counter, PanelMemory};
use hcube_core::node::processor::crowded;
use hcube_core::progress::wait::Patience;
use std::collections::VecDeque;
use std::sync::atomic::Ordering::{Acquire, Release};

/// Bytes of a slot before the panel, which hold its length: a line, so that panels are aligned to lines.
const HEAD: usize = 64;
/// Slots start at pages.
const PAGE: usize = 4096;
/// The length of a panel whose root has released it without posting it.
const DROPPED: u64 = u64::MAX;

/// Slots per rank with which no `begin` waits for a rank that waits for the same root, where every rank has released a
/// panel before it begins the one `live` numbers later. `roots` ranks begin panels in turn, of which one may have two in
/// a row, as HPL's that begins a panel again which it has freed; 1 for panels that may all have the same root.
pub fn slots_for(live: usize, roots: usize) -> usize {
    (live / roots.max(1)).saturating_add(2).min(live).max(1)
}

/// A panel that was begun.
#[derive(Debug)]
struct Panel {
    root: usize,
    /// Panels that the root has begun before.
    turn: u64,
    bytes: usize,
    released: bool,
}

/// The panels of a row, seen from one of its ranks.
#[derive(Debug)]
pub struct Panels {
    memory: PanelMemory,
    patience: Patience,
    capacity: usize,
    slots: usize,
    /// Panels that each rank has begun as the root.
    turns: Vec<u64>,
    /// The numbers of the last panels in this rank's slots.
    occupants: Vec<Option<u64>>,
    /// The number of the first panel of `live`.
    first: u64,
    live: VecDeque<Panel>,
}

impl Panels {
    /// Collective over the row: memory for panels of up to `capacity` bytes in `slots` slots per rank. Both are the same
    /// on all ranks.
    ///
    /// # Errors
    /// On all ranks: [`Error::Mismatch`], [`Error::Unsupported`] where the ranks do not share memory, and where memory
    /// cannot be allocated.
    pub fn new<C: Comm>(comm: &C, capacity: usize, slots: usize) -> Result<Self> {
        agree_on(comm, &[("bytes", capacity as i64), ("slots", slots as i64)])?;
        let nodes = comm.node_numbers()?;
        if nodes.iter().any(|&node| node != nodes[0]) {
            return Err(Error::Unsupported("panels of ranks on several nodes".into()));
        }
        let patience = Patience::new(crowded(comm, &nodes)?, comm.simulated());
        let ranks: Vec<usize> = (0..comm.size()).collect();
        let bytes = total_bytes(capacity, slots, ranks.len());
        let memory = PanelMemory::share(comm, &ranks, agree(comm, bytes)?)?;
        Ok(Self {
            memory,
            patience,
            capacity,
            slots,
            turns: vec![0; ranks.len()],
            occupants: vec![None; slots],
            first: 0,
            live: VecDeque::new(),
        })
    }

    /// Bytes of the largest possible panel.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Slots per rank.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Whether every panel was released by this rank.
    pub fn is_idle(&self) -> bool {
        self.live.is_empty()
    }

    /// Begins the next panel of the row, whose root and size are the same on all ranks: its number. Local on all ranks but
    /// the root, which waits for a slot and from then on may write to the [place](Self::place) of the panel.
    ///
    /// # Errors
    /// [`Error::Argument`], and [`Error::Usage`] where the root itself has not released the panel in that slot.
    pub fn begin<C: Comm>(&mut self, comm: &C, root: usize, bytes: usize) -> Result<u64> {
        if root >= self.turns.len() {
            return Err(Error::argument("root", root, format!("a rank below {}", self.turns.len())));
        }
        if bytes > self.capacity {
            return Err(Error::argument("bytes", bytes, format!("at most {}", self.capacity)));
        }
        let (number, turn) = (self.first + self.live.len() as u64, self.turns[root]);
        if root == self.memory.own_number() {
            let slot = (turn % self.slots as u64) as usize;
            self.wait_for_slot(comm, slot)?;
            self.occupants[slot] = Some(number);
            self.head(root, turn).write(&(bytes as u64).to_ne_bytes());
        }
        self.turns[root] += 1;
        self.live.push_back(Panel { root, turn, bytes, released: false });
        Ok(number)
    }

    /// Waits until all ranks have released the last panel of an own slot.
    fn wait_for_slot<C: Comm>(&self, comm: &C, slot: usize) -> Result<()> {
        let Some(last) = self.occupants[slot] else { return Ok(()) };
        let released = |rank| self.memory.counter(rank, Counter::Released).load(Acquire) > last;
        if !released(self.memory.own_number()) {
            let text = format!("panel {last} is still in use on its root, which has {} slots", self.slots);
            return Err(Error::Usage(text));
        }
        for rank in 0..self.memory.ranks() {
            let mut wait = self.patience.wait();
            while !released(rank) {
                wait.pause(comm);
            }
        }
        Ok(())
    }

    fn panel(&self, number: u64) -> Result<&Panel> {
        let index = number.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        let panel = index.and_then(|index| self.live.get(index)).filter(|panel| !panel.released);
        panel.ok_or_else(|| Error::argument("panel", number, "a panel that was begun and not released"))
    }

    /// Whether this rank is the root of a panel.
    ///
    /// # Errors
    /// [`Error::Argument`] for a panel that was not begun, or that was released.
    pub fn is_root(&self, number: u64) -> Result<bool> {
        Ok(self.panel(number)?.root == self.memory.own_number())
    }

    fn posted(&self, root: usize) -> u64 {
        self.memory.counter(root, Counter::Written).load(Acquire)
    }

    /// Shows a panel to the other ranks: all that the root has written to it. Has no effect where it was posted before.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`Self::is_root`], and [`Error::Usage`] on other ranks than the root, and where an earlier
    /// panel of this root was not posted.
    pub fn post(&mut self, number: u64) -> Result<()> {
        let own = self.memory.own_number();
        let &Panel { root, turn, .. } = self.panel(number)?;
        if root != own {
            return Err(Error::Usage(format!("panel {number} is that of rank {root}, not {own}")));
        }
        match turn.cmp(&self.posted(own)) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => {
                self.memory.counter(own, Counter::Written).store(turn + 1, Release);
            }
            std::cmp::Ordering::Greater => {
                return Err(Error::Usage(format!("panel {number} is posted before an earlier one")));
            }
        }
        Ok(())
    }

    /// Whether a panel may be read: whether its root has posted it.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`Self::is_root`]; [`Error::Usage`] where the root has released it without posting it, or
    /// has begun it with another size.
    pub fn has_arrived(&self, number: u64) -> Result<bool> {
        let &Panel { root, turn, bytes, .. } = self.panel(number)?;
        if self.posted(root) <= turn {
            return Ok(false);
        }
        let mut length = [0; size_of::<u64>()];
        self.head(root, turn).read(&mut length);
        match u64::from_ne_bytes(length) {
            length if length == bytes as u64 => Ok(true),
            DROPPED => Err(Error::Usage(format!("panel {number} was released by its root, not posted"))),
            length => {
                let text = format!("panel {number} has {bytes} bytes, but {length} on rank {root}, its root");
                Err(Error::Usage(text))
            }
        }
    }

    /// Waits until a panel may be read.
    ///
    /// # Errors
    /// As [`Self::has_arrived`].
    pub fn wait<C: Comm>(&self, comm: &C, number: u64) -> Result<()> {
        let mut wait = self.patience.wait();
        while !self.has_arrived(number)? {
            wait.pause(comm);
        }
        Ok(())
    }

    /// Where a panel is: its root writes there before it posts it, and all ranks read there from when it has arrived until
    /// they release it.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`Self::is_root`].
    pub fn place(&self, number: u64) -> Result<Region<'_>> {
        let &Panel { root, turn, bytes, .. } = self.panel(number)?;
        let start = self.start(root, turn) + HEAD;
        // SAFETY: inside the slot of this panel, which its root does not reuse before all ranks have released it; only
        // the root writes, and others look only where it has posted the panel.
        Ok(unsafe { self.memory.region(start..start + bytes) })
    }

    fn start(&self, root: usize, turn: u64) -> usize {
        let slot = (turn % self.slots as u64) as usize;
        (root * self.slots + slot) * slot_bytes(self.capacity)
    }

    /// The length of a panel.
    fn head(&self, root: usize, turn: u64) -> Region<'_> {
        let start = self.start(root, turn);
        // SAFETY: inside the slot of the panel, which is the root's as long as not all ranks have released it; others look
        // only where it has posted the panel.
        unsafe { self.memory.region(start..start + size_of::<u64>()) }
    }

    /// Ends the use of a panel on this rank. A root may release a panel that it has not posted where no rank waits for
    /// it; that panel counts as posted.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`Self::is_root`]; [`Error::Usage`] for a root that has not posted an earlier panel.
    pub fn release(&mut self, number: u64) -> Result<()> {
        let &Panel { root, turn, .. } = self.panel(number)?;
        if root == self.memory.own_number() && turn >= self.posted(root) {
            self.head(root, turn).write(&DROPPED.to_ne_bytes());
            self.post(number)?;
        }
        self.live[(number - self.first) as usize].released = true;
        while self.live.front().is_some_and(|panel| panel.released) {
            self.live.pop_front();
            self.first += 1;
        }
        self.memory.counter(self.memory.own_number(), Counter::Released).store(self.first, Release);
        Ok(())
    }
}

fn slot_bytes(capacity: usize) -> usize {
    (capacity + HEAD).next_multiple_of(PAGE)
}

fn total_bytes(capacity: usize, slots: usize, ranks: usize) -> Result<usize> {
    if slots == 0 {
        return Err(Error::argument("slots", slots, "1 or more"));
    }
    let slot = capacity.checked_add(HEAD).and_then(|bytes| bytes.checked_next_multiple_of(PAGE));
    let total = slot.and_then(|slot| slot.checked_mul(slots)?.checked_mul(ranks));
    total.ok_or_else(|| Error::Memory(format!("{slots} panels of {capacity} bytes on each of {ranks} ranks")))
}
