//! The life of a panel: placed in the memory of a domain, filled, sent, complete, used, released.
//!
//! Idea: several panels are in progress. While one panel is used, the next are filled and sent. Only
//! [`Pipeline::until`] blocks, and it advances all panels while it waits. A rank that is ahead waits for
//! memory or for a panel, but not at the end of a call: panels that it has filled stay valid until other
//! ranks have released them.
//!
//! Cost on one node: each element of a communicated factor is copied once for each line that needs it; three
//! counters per rank and panel, no barrier. Between nodes: the messages of the schedule, and of shares
//! ([`crate::shares`]).
//! Memory: [`DEPTH`] panels of each line of a domain.

use crate::broadcasts::{Broadcasts, Line};
use crate::counters::Counters;
use crate::domain::Domains;
use crate::factor::Factor;
use crate::fill::{Target, fill};
use crate::panels::{DEPTH, Panels};
use crate::product::Grid;
use crate::ring::{PanelRange, Ring};
use crate::shares::{Shares, Sharing};
use hcube_core::comm::Comm;
use hcube_core::comm::requests::Requests;
use hcube_core::error::Result;
use hcube_core::machine::work::Unit;
use hcube_core::memory::Region;
use hcube_core::node::counted_memory::{CountedMemory, Counter};
use hcube_core::progress::wait::Patience;
use std::collections::VecDeque;

/// Simulated work: a byte that is copied.
pub const COPY_BYTE: Unit = Unit::new("copy-byte");

/// Number of yields of a rank before its first product: others may be far from theirs.
const MAX_TURNS: usize = 4;

/// The parts of the communicator's state that a call uses.
#[derive(Debug)]
pub struct Setting<'s, C> {
    /// The ranks of the grid.
    pub comm: &'s C,
    /// Which ranks share panels.
    pub domains: &'s Domains,
    /// The panels of this domain.
    pub memory: &'s CountedMemory,
    /// Where in it.
    pub ring: &'s mut Ring,
    /// How ranks wait.
    pub patience: Patience,
    /// The route of panels between domains, if there are several.
    pub lines: Option<[Line; 2]>,
}

/// A panel that was placed and is not released yet.
struct UnderWay<C: Comm> {
    place: PanelRange,
    begun: bool,
    /// Shares from and for other lines, where the factor is not aligned.
    shares: [Option<Shares<C>>; 2],
    /// Whether this rank's columns are all in its panels.
    supplied: bool,
    complete: bool,
    used: bool,
}

impl<C: Comm> UnderWay<C> {
    fn new(place: PanelRange) -> Self {
        Self { place, begun: false, shares: [None, None], supplied: false, complete: false, used: false }
    }
}

/// The panels of a call.
pub struct Pipeline<'e, 'p, C: Comm> {
    pub comm: &'e C,
    pub memory: &'e CountedMemory,
    ring: &'e mut Ring,
    patience: Patience,
    grid: Grid,
    /// The panels that are communicated: of process rows, and of process columns.
    factors: [Option<&'e Factor<'p>>; 2],
    panels: &'e Panels,
    /// Number of inner indices.
    inner: usize,
    /// Between domains.
    broadcasts: Option<Broadcasts<'e>>,
    /// For factors that are not aligned, between domains.
    sharings: [Option<Sharing>; 2],
    /// Bytes sent in addition to the broadcasts.
    pub sent: u64,
    /// Panels placed and not released, the first of which is number `first` of this call.
    under_way: VecDeque<UnderWay<C>>,
    first: usize,
    pub counters: Counters<'e>,
}

impl<'e, 'p, C: Comm> Pipeline<'e, 'p, C> {
    /// Nothing is outstanding. If ranks outside of a rank's lines read what it writes, `only_lines` is false.
    pub fn new(
        setting: Setting<'e, C>,
        grid: Grid,
        (factors, inner): ([Option<&'e Factor<'p>>; 2], usize),
        panels: &'e Panels,
        only_lines: bool,
    ) -> Self {
        let Setting { comm, domains, memory, ring, patience, lines } = setting;
        ring.begin_call();
        let sharings = [0, 1].map(|side| {
            let factor = factors[side].filter(|factor| lines.is_some() && !factor.is_aligned)?;
            Some(Sharing::new(factor, side, grid, domains))
        });
        let stay = factors.iter().flatten().all(|factor| factor.is_aligned);
        let mates = (only_lines && stay).then(|| {
            let of_factor = |factor: &&Factor<'_>| domains.mates(factor.lines).iter().copied();
            let mut mates: Vec<usize> = factors.iter().flatten().flat_map(of_factor).collect();
            mates.sort_unstable();
            mates.dedup();
            mates
        });
        let (broadcasts, under_way) = (lines.map(Broadcasts::new), VecDeque::new());
        Self {
            comm,
            memory,
            ring,
            patience,
            grid,
            factors,
            panels,
            inner,
            broadcasts,
            sharings,
            sent: 0,
            under_way,
            first: 0,
            counters: Counters::new(memory, mates),
        }
    }

    /// Bytes that this rank has sent in messages.
    pub fn sent(&self) -> u64 {
        self.sent + self.broadcasts.as_ref().map_or(0, Broadcasts::sent)
    }

    /// Whether messages may be outstanding.
    pub fn has_messages(&self) -> bool {
        self.broadcasts.is_some()
    }

    /// Waits until a panel is complete; returns where it starts in the memory.
    ///
    /// # Errors
    /// Of MPI.
    pub fn wait_for(&mut self, requests: &mut Requests<'e, C>, panel: usize) -> Result<usize> {
        self.until(requests, |pipeline| Ok(pipeline.is_ready(panel)))?;
        Ok(self.under_way[panel - self.first].place.range.start)
    }

    /// Before a long product: where ranks share cores, those that wait for this core have a turn to fill
    /// their part of a panel, for which ranks on other cores may be waiting.
    pub fn give_way(&self, panel: usize) {
        if !self.patience.shares_cores() {
            return;
        }
        let (count, mut wait) = (self.number(panel) + 1, self.patience.wait());
        for _ in 0..MAX_TURNS {
            if self.counters.all_have(Counter::Written, count) {
                return;
            }
            wait.pause(self.comm);
        }
    }

    /// The number of a panel in this memory.
    pub fn number(&self, panel: usize) -> u64 {
        self.under_way[panel - self.first].place.number
    }

    /// Marks a panel as not used by this rank any more.
    ///
    /// # Errors
    /// Of MPI.
    pub fn release_panel(&mut self, requests: &mut Requests<'e, C>, panel: usize) -> Result<()> {
        self.under_way[panel - self.first].used = true;
        self.release(requests)
    }

    /// Waits until nothing of this rank is outstanding.
    ///
    /// # Errors
    /// Of MPI.
    pub fn finish(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        self.until(requests, |pipeline| Ok(pipeline.under_way.is_empty()))
    }

    /// Goes on with messages that have finished; lets MPI make progress.
    ///
    /// # Errors
    /// Of MPI.
    pub fn advance(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        match &mut self.broadcasts {
            Some(broadcasts) => broadcasts.advance(requests),
            None => Ok(()),
        }
    }

    /// Does what can be done until a condition holds.
    ///
    /// # Errors
    /// Of MPI.
    pub fn until(
        &mut self,
        requests: &mut Requests<'e, C>,
        mut done: impl FnMut(&mut Self) -> Result<bool>,
    ) -> Result<()> {
        let mut wait = self.patience.wait();
        loop {
            self.go_on(requests)?;
            if done(self)? {
                return Ok(());
            }
            // A simulated rank that shares nothing can only be waiting for a message.
            let rests = self.comm.simulated() && self.memory.ranks() == 1 && self.counters.has_mates();
            match &mut self.broadcasts {
                Some(broadcasts) if rests && !requests.is_empty() => broadcasts.wait(requests)?,
                _ => wait.pause(self.comm),
            }
        }
    }

    /// Begins panels whose memory is free, notes what has arrived, releases what is done. Never waits.
    fn go_on(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        if let Some(broadcasts) = &mut self.broadcasts {
            broadcasts.advance(requests)?;
        }
        self.begin_panels(requests)?;
        self.supply(requests)?;
        self.complete();
        self.release(requests)
    }

    fn begin_panels(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        loop {
            let next = self.first + self.under_way.len();
            let waiting = self.under_way.back().is_some_and(|panel| !panel.begun);
            if !waiting {
                if next == self.panels.count || self.under_way.len() == DEPTH {
                    return Ok(());
                }
                let place = self.ring.place(self.panels.bytes);
                self.under_way.push_back(UnderWay::new(place));
            }
            if !self.is_free() {
                return Ok(());
            }
            let number = self.first + self.under_way.len() - 1;
            self.begin(requests, number)?;
            self.under_way.back_mut().expect("just placed").begun = true;
        }
    }

    /// Whether the memory of the last panel that was placed is free.
    fn is_free(&mut self) -> bool {
        let place = &self.under_way.back().expect("placed").place;
        if place.after == 0 {
            return true;
        }
        if self.counters.has_mates() && place.same_layout {
            return self.counters.mates_have(Counter::Released, place.after);
        }
        let free = self.counters.all_have(Counter::Released, place.after);
        if free {
            self.ring.settle(place.after);
        }
        free
    }

    /// The memory of this domain's panel of a line, in the panel that starts at `start`, and the elements
    /// from one column to the next.
    pub fn area(&self, start: usize, side: usize, line: usize) -> Option<(Region<'e>, usize)> {
        let area = self.panels.area(side, line)?;
        let begin = start + area.offset;
        // All ranks of the domain place the same panels, so this is the panel of the line on all of them. It
        // is written after those that read what lay there have released it (`is_free`), by each rank where it
        // owns the elements or receives them, and read when those who write it have completed it
        // (`is_ready`).
        Some((self.memory.region(begin..begin + area.bytes), area.leading))
    }

    /// Fills this rank's part of a panel and starts sending it.
    fn begin(&mut self, requests: &mut Requests<'e, C>, panel: usize) -> Result<()> {
        let inner = self.panels.inner(panel, self.inner);
        let start = self.under_way[panel - self.first].place.range.start;
        let own_line = [self.grid.row, self.grid.column];
        if let Some(mut broadcasts) = self.broadcasts.take() {
            let memory = [0, 1].map(|side| {
                let (region, leading) = self.area(start, side, own_line[side])?;
                Some((region, leading * self.factors[side]?.size))
            });
            broadcasts.begin(requests, self.factors, &inner, memory)?;
            self.broadcasts = Some(broadcasts);
        }
        let mut bytes = 0;
        for (side, factor) in self.factors.into_iter().enumerate() {
            let Some(factor) = factor else { continue };
            let sharing = &self.sharings[side];
            bytes += fill(factor, &inner, |line| {
                let (memory, leading) = self.area(start, side, line)?;
                let writes = sharing.as_ref().is_none_or(|sharing| sharing.writes_to(line));
                writes.then_some(Target { memory, leading, by_outer: self.panels.by_outer[side] })
            });
            if let Some(sharing) = sharing {
                let (shares, sent) = sharing.begin(self.comm, factor, panel, &inner)?;
                self.sent += sent;
                self.under_way[panel - self.first].shares[side] = Some(shares);
            }
        }
        self.comm.charge(COPY_BYTE.of(bytes));
        self.settle();
        let number = self.under_way[panel - self.first].place.number;
        #[cfg(hcube_model)]
        model::fill(self.memory, start, self.panels.bytes);
        // A rank that reads the count sees the data that this rank has written into other lines' panels.
        self.counters.publish(Counter::Written, number + 1);
        Ok(())
    }

    /// Starts sending this rank's columns of panels, once they are in its panels.
    fn supply(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        for index in 0..self.under_way.len() {
            let (panel, under_way) = (self.first + index, &self.under_way[index]);
            if !under_way.begun {
                return Ok(());
            }
            if under_way.supplied || !self.has_shares(panel)? {
                continue;
            }
            self.under_way[index].supplied = true;
            if let Some(broadcasts) = &mut self.broadcasts {
                broadcasts.supply(requests, panel as u64)?;
            }
        }
        Ok(())
    }

    /// Whether all shares of this rank's columns of a panel are in it.
    fn has_shares(&mut self, panel: usize) -> Result<bool> {
        let inner = self.panels.inner(panel, self.inner);
        let index = panel - self.first;
        let (start, count) =
            (self.under_way[index].place.range.start, self.under_way[index].place.number + 1);
        let mut all = true;
        for (side, own_line) in [self.grid.row, self.grid.column].into_iter().enumerate() {
            let (Some(factor), Some(mut shares)) =
                (self.factors[side], self.under_way[index].shares[side].take())
            else {
                continue;
            };
            let target = self.area(start, side, own_line);
            let target = target.map(|(memory, leading)| Target {
                memory,
                leading,
                by_outer: self.panels.by_outer[side],
            });
            let sharing = self.sharings[side].as_ref().expect("there are shares");
            all &= sharing.take(self.comm, &mut shares, factor, &inner, target)?;
            self.under_way[index].shares[side] = Some(shares);
        }
        if self.sharings.iter().all(Option::is_none) {
            return Ok(true);
        }
        // The ranks to which this rank forwards the panel see everything that these ranks have written.
        Ok(all && self.counters.all_have(Counter::Written, count))
    }

    /// Passes simulated time for what was written before others see it.
    pub fn settle(&self) {
        if self.memory.ranks() > 1 {
            self.comm.settle();
        }
    }

    /// Publishes, in order, the panels that this rank adds nothing more to.
    fn complete(&mut self) {
        let mut counted = None;
        for (number, panel) in self.under_way.iter_mut().enumerate() {
            if panel.complete {
                continue;
            }
            let arrived = |broadcasts: &Broadcasts<'_>| broadcasts.has_arrived((self.first + number) as u64);
            if !panel.supplied || !self.broadcasts.as_ref().is_none_or(arrived) {
                break;
            }
            panel.complete = true;
            counted = Some(panel.place.number + 1);
        }
        if let Some(count) = counted {
            // A rank that reads the count sees the data that this rank has written into these panels.
            self.counters.publish(Counter::Complete, count);
        }
    }

    /// Whether this rank's panels are complete.
    fn is_ready(&self, panel: usize) -> bool {
        let Some(under_way) = self.under_way.get(panel - self.first) else { return false };
        // The following accesses see everything that these ranks have written.
        self.counters.mates_have(Counter::Complete, under_way.place.number + 1)
    }

    /// Publishes, in order, the panels that this rank does not use any more.
    fn release(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        while self.under_way.front().is_some_and(|panel| panel.used) {
            if let Some(broadcasts) = &mut self.broadcasts {
                broadcasts.advance(requests)?;
                if !broadcasts.is_done(self.first as u64) {
                    return Ok(());
                }
                let mut left = true;
                for shares in self.under_way[0].shares.iter_mut().flatten() {
                    left &= shares.have_left(self.comm)?;
                }
                if !left {
                    return Ok(());
                }
                broadcasts.drop_first();
            }
            let panel = self.under_way.pop_front().expect("a panel is under way");
            self.first += 1;
            // This rank has completed its reads of the panel before others write there.
            self.counters.publish(Counter::Released, panel.place.number + 1);
        }
        Ok(())
    }
}

#[cfg(hcube_model)]
pub mod model;
