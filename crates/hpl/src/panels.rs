//! Panels that their root writes in shared memory, where the other ranks of its node read them.
//!
//! Idea: every rank of a row has some slots in memory that the ranks of its node share. The root of a panel
//! computes it in one of its slots and posts it (a store with release order); the other ranks poll for it
//! when they need it, and read it in place, as often as they like, until they release it. Nothing is copied,
//! no rank of the node forwards, and a rank that computes is not interrupted: HPL's own broadcasts progress
//! only when ranks poll, and HPL cuts its update into narrow products between the polls. On each other node
//! one rank receives the panel into one of its slots and posts it ([`network`](crate::network)); only these
//! ranks and the root need to poll.
//!
//! Panels are numbered in the order of the calls of [`Panels::begin`], which is the same on all ranks of the
//! row, so ranks never exchange a number. A holder, root or receiver, posts its panels in that order, and
//! counts them; a panel is available when the count of its holder has reached it. A rank releases panels in
//! any order, and counts the panels before the first one that it still uses. If ranks have not begun the same
//! panels, because `begin` has failed on some of them, they find a different number or length in a panel as
//! soon as roots or sizes change.
//!
//! Deadlock: two calls wait for other ranks and not for a panel: `begin` of a root whose slots are all in
//! use, and the receipt into a slot in use. Both wait until all ranks of the node have released the panel
//! that used the slot last, `slots` panels of the same holder earlier. Assume that every rank has released
//! panel n when it begins panel n + live (HPL: live = depth of look-ahead + 2, including the panel that HPL
//! creates and frees before it is factored), and that no root begins panels more often than the rows need. If
//! `slots` panels of one holder are more than `live` numbers apart, a rank releases the panel that is waited
//! for before it waits for this or any later panel, so the rank with the least progress never waits for
//! another rank. [`slots_for`](crate::slots::slots_for) computes this number of slots for roots that take
//! turns; receivers always take turns, and have live / members + 1. Between nodes, ranks post panels before
//! they wait for later panels, and ranks that forward panels do so before they wait for anything else: HPL
//! polls until they have.
//!
//! Restrictions: at most [`MAX_IN_USE`] panels in use. Cost: on a node no message; per panel one cache line
//! from the holder to each rank, and the bytes that a rank reads. Memory: `slots` panels per rank, and on
//! several nodes `live` panels and one per rank for each node.
//!
//! Source: our own; asynchronous broadcasts on events and teams of a row in HPL: Jin et al. 2011, section
//! III.

use crate::holders::Holders;
use crate::network::{Network, Traffic};
use crate::options::{Options, Topology};
use crate::slots::{Content, Head, Holder, Slots};
use hcube_core::comm::{Comm, agree_on, tags};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::processor::crowded;
use hcube_core::plan;
use hcube_core::progress::wait::Patience;
use std::collections::VecDeque;

/// Panels that ranks may use at a time.
pub const MAX_IN_USE: usize = tags::HPL_PANELS.count();

/// The memory for panels; the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Size of the largest panel.
    pub bytes: usize,
    /// Panels of one root.
    pub slots: usize,
    /// Panels that a rank uses at a time: it has released panel n before it begins panel n + `in_use`. 0: as
    /// many as fit in the slots of roots that take turns.
    pub in_use: usize,
}

/// A panel that was begun.
#[derive(Debug)]
struct Panel {
    root: usize,
    holder: Holder,
    bytes: usize,
    released: bool,
}

/// The panels of a row, seen from one of its ranks.
pub struct Panels<C: Comm> {
    slots: Slots,
    network: Network<C>,
    holders: Holders,
    rank: usize,
    patience: Patience,
    memory: Memory,
    /// Of the options.
    ranks_per_node: usize,
    /// Panels in use at most.
    in_use: usize,
    /// The numbers of the last panels in this rank's slots for its own.
    occupants: Vec<Option<u64>>,
    /// The number of the first panel of `live`.
    first: u64,
    live: VecDeque<Panel>,
}

impl<C: Comm> Panels<C> {
    /// Collective over the row: memory for panels, which pass from node to node along a topology; all
    /// arguments are the same on all ranks.
    ///
    /// # Errors
    /// On all ranks: [`Error::Mismatch`], [`Error::Argument`], and where memory cannot be allocated or the
    /// ranks of a node cannot share it.
    pub fn new(comm: &C, memory: Memory, topology: Topology, options: &Options) -> Result<Self> {
        Self::renew(comm, None, memory, topology, options)
    }

    /// Collective over the row: as [`Panels::new`], but reuses `kept`, whose panels were all released, if the
    /// row is on one node, where the topology has no effect, and memory and options are the same.
    ///
    /// # Errors
    /// Errors of [`Panels::new`].
    pub fn renew(
        comm: &C,
        kept: Option<Self>,
        memory: Memory,
        topology: Topology,
        options: &Options,
    ) -> Result<Self> {
        let same = [
            ("bytes", memory.bytes as i64),
            ("slots", memory.slots as i64),
            ("in_use", memory.in_use as i64),
            ("topology", topology as i64),
        ];
        agree_on(comm, &[&same[..], &options.agreement()[..]].concat())?;
        let serves = |kept: &Self| {
            kept.holders.nodes() == 1
                && (kept.memory, kept.ranks_per_node) == (memory, options.ranks_per_node)
        };
        match kept {
            Some(kept) if serves(&kept) => Ok(kept),
            _ => Self::allocate(comm, memory, topology, options),
        }
    }

    /// Of arguments that the ranks have compared.
    fn allocate(comm: &C, memory: Memory, topology: Topology, options: &Options) -> Result<Self> {
        let numbers = comm.node_numbers()?;
        let limit = (options.ranks_per_node > 0).then_some(options.ranks_per_node);
        let nodes = plan::Topology::from_node_numbers(&numbers, limit);
        let patience = Patience::new(crowded(comm, &numbers)?, comm.simulated());
        let holders = Holders::new(nodes, comm.rank(), topology);
        let (members, several) = (holders.members(), holders.nodes() > 1);
        let in_use = in_use(memory, comm.size());
        let received = if several { in_use / members.len() + 1 } else { 0 };
        let slots = Slots::new(comm, &members, memory.bytes, memory.slots, received)?;
        if several {
            comm.open_messages()?;
        }
        Ok(Self::on(slots, holders, comm.rank(), (memory, options.ranks_per_node), patience))
    }

    /// The panels of a rank on these slots, before the first.
    fn on(
        slots: Slots,
        holders: Holders,
        rank: usize,
        (memory, ranks_per_node): (Memory, usize),
        patience: Patience,
    ) -> Self {
        Self {
            network: Network::new(slots.received()),
            slots,
            rank,
            patience,
            memory,
            ranks_per_node,
            in_use: in_use(memory, holders.ranks()),
            holders,
            occupants: vec![None; memory.slots],
            first: 0,
            live: VecDeque::new(),
        }
    }

    /// The purpose of the memory.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// What this rank has sent to other nodes.
    pub fn traffic(&self) -> Traffic {
        self.network.traffic()
    }

    /// Whether every panel was released by this rank.
    pub fn is_idle(&self) -> bool {
        self.live.is_empty()
    }

    /// Waits until this rank has sent what it has to send. Called by all ranks, if all panels are released.
    ///
    /// # Errors
    /// Of MPI.
    pub fn finish(&mut self, comm: &C) -> Result<()> {
        let mut wait = self.patience.wait();
        loop {
            self.network.advance(comm, &self.slots)?;
            if self.network.is_idle() {
                return Ok(());
            }
            wait.pause(comm);
        }
    }

    /// Begins the next panel of the row, whose root and size are the same on all ranks, and returns its
    /// number. Local, except on the root, which waits for a slot and may then write to the
    /// [place](Self::place) of the panel.
    ///
    /// # Errors
    /// Only on this rank, which has not begun the panel then: [`Error::Argument`], and [`Error::Usage`] if
    /// this rank has not released the panel `in_use` numbers before, or the root itself has not released the
    /// panel in its slot.
    pub fn begin(&mut self, comm: &C, root: usize, bytes: usize) -> Result<u64> {
        let ranks = self.holders.ranks();
        if root >= ranks {
            return Err(Error::argument("root", root, format!("a rank below {ranks}")));
        }
        if bytes > self.memory.bytes {
            return Err(Error::argument("bytes", bytes, format!("at most {}", self.memory.bytes)));
        }
        let number = self.first + self.live.len() as u64;
        if self.live.len() >= self.in_use {
            let text = format!(
                "panel {} is still in use on this rank before panel {number}, and in_use = {}",
                self.first, self.in_use
            );
            return Err(Error::Usage(text));
        }
        let holder = self.holders.holder(root, number);
        if root == self.rank {
            let slot = self.slots.slot(holder);
            self.wait_for_slot(comm, slot)?;
            self.occupants[slot] = Some(number);
            self.slots.write_head(holder, Head { number, bytes: Some(bytes) });
        }
        if self.holders.nodes() > 1 && holder.member == self.slots.own_number() {
            self.network.begin(comm, number, holder, self.holders.route(root, number))?;
        }
        self.holders.count(root, holder);
        self.live.push_back(Panel { root, holder, bytes, released: false });
        if !self.network.is_idle() {
            self.network.advance(comm, &self.slots)?;
        }
        Ok(number)
    }

    /// Waits until all ranks have released the last panel of an own slot, and nothing is sent from it.
    fn wait_for_slot(&mut self, comm: &C, slot: usize) -> Result<()> {
        let Some(last) = self.occupants[slot] else { return Ok(()) };
        if !self.slots.is_released_by(self.slots.own_number(), last) {
            let text =
                format!("panel {last} is still in use on its root, which has {} slots", self.slots.own());
            return Err(Error::Usage(text));
        }
        let mut wait = self.patience.wait();
        while !self.slots.is_released(last) || self.network.has(last) {
            wait.pause(comm);
            self.network.advance(comm, &self.slots)?;
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
        Ok(self.panel(number)?.root == self.rank)
    }

    /// Shows a panel to the other ranks: all that the root has written to it. Has no effect if it was posted
    /// before.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`Self::is_root`], and [`Error::Usage`] on other ranks than the root, and where
    /// an earlier panel of this root was not posted.
    pub fn post(&mut self, comm: &C, number: u64) -> Result<()> {
        let &Panel { root, bytes, .. } = self.panel(number)?;
        if root != self.rank {
            return Err(Error::Usage(format!("panel {number} belongs to rank {root}, not {}", self.rank)));
        }
        self.show(comm, Head { number, bytes: Some(bytes) })
    }

    /// Posts an own panel, or that it was dropped, where that was not done before.
    fn show(&mut self, comm: &C, head: Head) -> Result<()> {
        let Head { number, bytes } = head;
        let holder = self.panel(number)?.holder;
        match holder.turn.cmp(&self.slots.posted(holder)) {
            std::cmp::Ordering::Less => return Ok(()),
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Greater => {
                return Err(Error::Usage(format!("panel {number} is posted before an earlier one")));
            }
        }
        if bytes.is_none() {
            self.slots.write_head(holder, head);
        }
        self.slots.post(holder);
        self.network.post(comm, &self.slots, head)
    }

    /// Whether a panel may be read: whether its root has posted it, and it has arrived on this node. Passes
    /// panels on.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`Self::is_root`]; [`Error::Usage`] where the root has released it without
    /// posting it, or ranks have begun it with different sizes, or have not begun the same panels before it.
    pub fn has_arrived(&mut self, comm: &C, number: u64) -> Result<bool> {
        if !self.network.is_idle() {
            self.network.advance(comm, &self.slots)?;
        }
        self.is_there(number)
    }

    fn is_there(&self, number: u64) -> Result<bool> {
        let &Panel { root, holder, bytes, .. } = self.panel(number)?;
        if self.slots.posted(holder) <= holder.turn {
            return Ok(false);
        }
        // Posted, and not released by this rank. Where ranks have not begun the same panels, it may be
        // rewritten meanwhile; then it is not the requested head, and nothing else is read.
        let found = self.slots.read_head(holder);
        match found.bytes {
            _ if found.number != number => {
                let text = format!("panel {number} is number {} on rank {root}, its root", found.number);
                Err(Error::Usage(text))
            }
            Some(length) if length == bytes => Ok(true),
            Some(length) => {
                let text = format!("panel {number} has {bytes} bytes, but {length} on rank {root}, its root");
                Err(Error::Usage(text))
            }
            None => Err(Error::Usage(format!("panel {number} was released by its root, not posted"))),
        }
    }

    /// Waits until a panel may be read; passes panels on meanwhile.
    ///
    /// # Errors
    /// As [`Self::has_arrived`], and [`Error::Usage`] on a root that has not posted it.
    pub fn wait(&mut self, comm: &C, number: u64) -> Result<()> {
        let mut wait = self.patience.wait();
        while !self.has_arrived(comm, number)? {
            if self.is_root(number)? {
                return Err(Error::Usage(format!("panel {number} was not posted by this rank, its root")));
            }
            wait.pause(comm);
        }
        Ok(())
    }

    /// Local: forwards panels; returns whether this rank has completed all its messages to other nodes for a
    /// panel and for earlier ones, which it may have released before they arrived. True immediately if it
    /// forwards nothing.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`Self::is_root`], and of MPI.
    pub fn progress(&mut self, comm: &C, number: u64) -> Result<bool> {
        self.panel(number)?;
        if !self.network.is_idle() {
            self.network.advance(comm, &self.slots)?;
        }
        let done = !self.network.has_up_to(number);
        if !done {
            // The caller may do nothing else than poll. Ranks of other rows may share its core, which are not
            // counted.
            std::thread::yield_now();
        }
        Ok(done)
    }

    /// Where the root writes a panel before it posts it.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`Self::is_root`]; [`Error::Usage`] on other ranks, and if it was posted.
    pub fn place(&self, number: u64) -> Result<Region<'_>> {
        let &Panel { root, holder, bytes, .. } = self.panel(number)?;
        if root != self.rank || self.slots.posted(holder) > holder.turn {
            return Err(Error::Usage(format!("panel {number} is not this rank's, or was posted")));
        }
        // `begin` has waited until all ranks had released the panel that this slot had before. Others read
        // only what was posted, and `post` needs this value for itself, so the region is gone by then.
        Ok(self.slots.content(holder, 0..bytes))
    }

    /// A panel, for reading until this rank releases it.
    ///
    /// # Errors
    /// As [`Self::has_arrived`], and [`Error::Usage`] if it has not arrived.
    pub fn content(&self, number: u64) -> Result<Content<'_>> {
        if !self.is_there(number)? {
            return Err(Error::Usage(format!("panel {number} has not arrived")));
        }
        let &Panel { holder, bytes, .. } = self.panel(number)?;
        // Posted with this number, after which its holder writes there again only when all ranks have
        // released it. `release` needs this value for itself, so the region is gone by then, and ranks
        // release a panel only with all before it. A `Content` is never written.
        Ok(Content::new(self.slots.content(holder, 0..bytes)))
    }

    /// Ends the use of a panel on this rank. A root may release a panel that it has not posted if no rank
    /// waits for it; that panel counts as posted.
    ///
    /// # Errors
    /// [`Error::Argument`] as [`Self::is_root`]; [`Error::Usage`] for a root that has not posted an earlier
    /// panel.
    pub fn release(&mut self, comm: &C, number: u64) -> Result<()> {
        if self.panel(number)?.root == self.rank {
            self.show(comm, Head { number, bytes: None })?;
        }
        self.live[(number - self.first) as usize].released = true;
        while self.live.front().is_some_and(|panel| panel.released) {
            self.live.pop_front();
            self.first += 1;
        }
        self.slots.release(self.first);
        Ok(())
    }
}

/// Panels that a rank of a row of this size may use at a time.
fn in_use(memory: Memory, ranks: usize) -> usize {
    let in_use = if memory.in_use == 0 { memory.slots.saturating_mul(ranks) } else { memory.in_use };
    in_use.min(MAX_IN_USE)
}

impl<C: Comm> Drop for Panels<C> {
    /// MPI may still use the memory of messages that have not finished.
    fn drop(&mut self) {
        if !self.network.is_idle() {
            self.slots.leak();
        }
    }
}

#[cfg(hcube_model)]
pub mod model;
