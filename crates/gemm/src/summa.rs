//! SUMMA: C stays where it is, panels of op(A) and op(B) come to it.
//!
//! Idea: op(A) op(B) is a sum over panels of inner indices. For each panel every process row needs its rows of op(A) and
//! every process column its columns of op(B), and multiplies them. On a node the ranks of a line share one panel: who
//! owns elements writes them once, and all multiply straight out of it, without a broadcast and without a barrier.
//! Between nodes panels travel by the schedules of [`crate::schedule`]: SUMMA's broadcast, or HSUMMA's in levels. What a
//! rank has as a whole is used where it lies.
//!
//! Several panels are under way: while one is multiplied the next are filled and travel. A rank that is ahead waits for
//! memory or for a panel, and for nothing at the end of a call.
//!
//! Restrictions: none. Cost on one node: each element of A and of B is copied once for each line that needs it; three
//! counters per rank and panel. Between nodes: the messages of the schedule, each element into each domain of its line
//! once. Memory: [`DEPTH`] panels of each line of a domain.
//!
//! Source: van de Geijn and Watts, "SUMMA: scalable universal matrix multiplication algorithm", Concurrency: Practice
//! and Experience 9, 1997; Quintin, Hasanov and Lastovetsky, ICPP 2013; shared panels: our own.

use crate::broadcasts::{Broadcasts, Carried, Line};
use crate::domain::Domains;
use crate::element::Scalar;
use crate::factor::Factor;
use crate::fill::{Target, fill};
use crate::local::{Columns, LocalGemm, LocalProduct};
use crate::panels::{DEPTH, Panels};
use crate::product::Product;
use crate::ring::{Place, Ring};
use hcube_core::comm::Comm;
use hcube_core::comm::requests::{self, Requests};
use hcube_core::error::Result;
use hcube_core::machine::work::Unit;
use hcube_core::memory::Region;
use hcube_core::node::panels::{Counter, PanelMemory};
use hcube_core::progress::wait::Patience;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Simulated work: a multiplication and an addition of real numbers.
pub const MULTIPLY_ADD: Unit = Unit::new("multiply-add");
/// Simulated work: a byte that is copied.
pub const COPY_BYTE: Unit = Unit::new("copy-byte");

/// Parts into which a local product is cut while messages are under way, so that MPI makes progress between them.
const SLABS: usize = 8;
/// Columns of such a part at least.
const MIN_SLAB: usize = 64;

/// What a call uses of the communicator's state.
#[derive(Debug)]
pub struct Setting<'s, C> {
    /// The ranks of the grid.
    pub comm: &'s C,
    /// Which ranks share panels.
    pub domains: &'s Domains,
    /// The panels of this domain.
    pub memory: &'s PanelMemory,
    /// Where in it.
    pub ring: &'s mut Ring,
    /// How ranks wait.
    pub patience: Patience,
    /// How panels travel between domains, if there are several.
    pub lines: Option<[Line; 2]>,
}

/// A panel that was placed and is not released yet.
#[derive(Debug)]
struct UnderWay {
    place: Place,
    begun: bool,
    complete: bool,
    multiplied: bool,
}

/// A product on its way.
struct Summa<'e, 'p, C: Comm> {
    comm: &'e C,
    memory: &'e PanelMemory,
    ring: &'e mut Ring,
    patience: Patience,
    product: &'e Product<'p>,
    factors: [&'e Factor<'p>; 2],
    panels: &'e Panels,
    local: &'e LocalGemm,
    /// Between domains.
    broadcasts: Option<Broadcasts<'e>>,
    /// Panels placed and not released, the first of which is number `first` of this call.
    under_way: VecDeque<UnderWay>,
    first: usize,
    /// Numbers in the domain of those who read what this rank writes and write what it reads, if they are not all.
    mates: Option<Vec<usize>>,
}

/// Collective: computes the product. The factors and the panels are those of the product.
///
/// # Errors
/// Of MPI, before anything is under way; later errors end the job.
pub fn multiply<C: Comm>(
    setting: Setting<'_, C>,
    product: &Product<'_>,
    factors: [&Factor<'_>; 2],
    panels: &Panels,
    local: &LocalGemm,
) -> Result<Carried> {
    let Setting { comm, domains, memory, ring, patience, lines } = setting;
    ring.begin_call();
    let own_lines = factors.iter().all(|factor| factor.in_place || factor.keeps_to_its_line()) || lines.is_some();
    let mates = own_lines.then(|| {
        let sides = [0, 1].into_iter().filter(|&side| !factors[side].in_place);
        let mut mates: Vec<usize> =
            sides.flat_map(|side| domains.mates(factors[side].side.lines()).iter().copied()).collect();
        mates.sort_unstable();
        mates.dedup();
        mates
    });
    requests::scope(comm, patience, |requests| {
        let mut summa = Summa {
            comm,
            memory,
            ring,
            patience,
            product,
            factors,
            panels,
            local,
            broadcasts: lines.map(Broadcasts::new),
            under_way: VecDeque::new(),
            first: 0,
            mates,
        };
        summa.run(requests)?;
        Ok(summa.broadcasts.map(|broadcasts| broadcasts.carried()).unwrap_or_default())
    })
}

impl<'e, C: Comm> Summa<'e, '_, C> {
    fn run(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        if self.panels.bytes == 0 && self.broadcasts.is_none() && self.factors.iter().all(|factor| factor.in_place) {
            self.multiply_panel(requests, 0..self.product.k, None, true)?;
            return Ok(());
        }
        for panel in 0..self.panels.count {
            self.until(requests, |summa, requests| {
                summa.go_on(requests)?;
                Ok(summa.is_ready(panel))
            })?;
            let inner = self.panels.inner(panel, self.product.k);
            let place = self.under_way[panel - self.first].place.range.start;
            self.multiply_panel(requests, inner, Some(place), panel == 0)?;
            self.under_way[panel - self.first].multiplied = true;
            self.release(requests)?;
        }
        self.until(requests, |summa, requests| {
            summa.go_on(requests)?;
            Ok(summa.under_way.is_empty())
        })
    }

    /// Does what can be done until a condition holds.
    fn until(
        &mut self,
        requests: &mut Requests<'e, C>,
        mut done: impl FnMut(&mut Self, &mut Requests<'e, C>) -> Result<bool>,
    ) -> Result<()> {
        let mut wait = self.patience.wait();
        while !done(self, requests)? {
            // A simulated rank that shares nothing can only be waiting for a message.
            let rests = self.comm.simulated() && self.memory.ranks() == 1;
            match &mut self.broadcasts {
                Some(broadcasts) if rests && !requests.is_empty() => drop(broadcasts.wait(requests)?),
                _ => wait.pause(self.comm),
            }
        }
        Ok(())
    }

    /// Begins panels whose memory is free, notes what has arrived, releases what is done. Never waits.
    fn go_on(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        if let Some(broadcasts) = &mut self.broadcasts {
            broadcasts.advance(requests)?;
        }
        self.begin_panels(requests)?;
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
                self.under_way.push_back(UnderWay { place, begun: false, complete: false, multiplied: false });
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
        let (memory, after) = (self.memory, place.after);
        let released = |rank: usize| memory.counter(rank, Counter::Released).load(Ordering::Acquire) >= after;
        match &self.mates {
            Some(mates) if place.same_layout => mates.iter().all(|&rank| released(rank)),
            _ => {
                let free = (0..memory.ranks()).all(released);
                if free {
                    self.ring.settle(after);
                }
                free
            }
        }
    }

    /// The memory of this domain's panel of a line.
    fn area(&self, start: usize, side: usize, line: usize) -> Option<(Region<'e>, usize)> {
        let area = self.panels.area(side, line)?;
        let begin = start + area.offset;
        // SAFETY: all ranks of the domain place the same panels, so this is the panel of the line on all of them. It is
        // written after those that read what lay there have released it (`is_free`), by each rank where it owns the
        // elements or receives them, and read when those who write it have completed it (`is_ready`).
        Some((unsafe { self.memory.region(begin..begin + area.bytes) }, area.leading))
    }

    /// Fills this rank's part of a panel and sends it on its way.
    fn begin(&mut self, requests: &mut Requests<'e, C>, panel: usize) -> Result<()> {
        let inner = self.panels.inner(panel, self.product.k);
        let start = self.under_way[panel - self.first].place.range.start;
        let own_line = [self.product.grid.row, self.product.grid.column];
        if let Some(mut broadcasts) = self.broadcasts.take() {
            let memory = [0, 1].map(|side| {
                let (region, leading) = self.area(start, side, own_line[side])?;
                Some((region, leading * self.factors[side].size))
            });
            broadcasts.begin(requests, self.factors, &inner, memory)?;
            self.broadcasts = Some(broadcasts);
        }
        let mut bytes = 0;
        for (side, factor) in self.factors.into_iter().enumerate().filter(|(_, factor)| !factor.in_place) {
            bytes += fill(factor, &inner, |line| {
                let (memory, leading) = self.area(start, side, line)?;
                Some(Target { memory, leading, by_outer: self.panels.by_outer[side] })
            });
        }
        self.comm.charge(COPY_BYTE.of(bytes));
        self.settle();
        if let Some(broadcasts) = &mut self.broadcasts {
            broadcasts.supply(requests, panel as u64)?;
        }
        Ok(())
    }

    /// Passes simulated time for what was written before others see it.
    fn settle(&self) {
        if self.memory.ranks() > 1 {
            self.comm.settle();
        }
    }

    /// Says of panels, in their order, that this rank adds nothing more to them.
    fn complete(&mut self) {
        let mut counted = None;
        for (number, panel) in self.under_way.iter_mut().enumerate() {
            if panel.complete {
                continue;
            }
            let arrived =
                |broadcasts: &Broadcasts<'_>| broadcasts.has_arrived((self.first + number) as u64);
            if !panel.begun || !self.broadcasts.as_ref().is_none_or(arrived) {
                break;
            }
            panel.complete = true;
            counted = Some(panel.place.number + 1);
        }
        if let Some(count) = counted {
            let own = self.memory.counter(self.memory.own_number(), Counter::Complete);
            // Release: whoever sees the count sees what this rank has written into these panels.
            own.store(count, Ordering::Release);
        }
    }

    /// Whether this rank's panels are complete.
    fn is_ready(&self, panel: usize) -> bool {
        let Some(under_way) = self.under_way.get(panel - self.first) else { return false };
        let count = under_way.place.number + 1;
        // Acquire: what these ranks have written is seen by what follows.
        let complete = |rank: usize| self.memory.counter(rank, Counter::Complete).load(Ordering::Acquire) >= count;
        match &self.mates {
            Some(mates) => mates.iter().all(|&rank| complete(rank)),
            None => (0..self.memory.ranks()).all(complete),
        }
    }

    /// Says of panels, in their order, that this rank uses them no more.
    fn release(&mut self, requests: &mut Requests<'e, C>) -> Result<()> {
        while self.under_way.front().is_some_and(|panel| panel.multiplied) {
            if let Some(broadcasts) = &mut self.broadcasts {
                broadcasts.advance(requests)?;
                if !broadcasts.is_done(self.first as u64) {
                    return Ok(());
                }
                broadcasts.drop_first();
            }
            let panel = self.under_way.pop_front().expect("looked at");
            self.first += 1;
            let own = self.memory.counter(self.memory.own_number(), Counter::Released);
            // Release: what this rank has read of the panel was read before others write there.
            own.store(panel.place.number + 1, Ordering::Release);
        }
        Ok(())
    }

    /// Where a factor's part for some inner indices lies: in the matrix, or in the panel at `start`.
    fn columns(&self, side: usize, inner: &Range<usize>, start: Option<usize>) -> (Columns<'e>, bool) {
        let factor = self.factors[side];
        if factor.in_place {
            let memory = factor.matrix.memory;
            let offset = factor.own_offset(inner.start).min(memory.len());
            let columns = Columns { memory: memory.part(offset..memory.len()), leading: factor.matrix.leading };
            return (columns, factor.by_outer);
        }
        let line = [self.product.grid.row, self.product.grid.column][side];
        let start = start.expect("a factor that is not in place has panels");
        let (memory, leading) = self.area(start, side, line).expect("the own line has a panel");
        (Columns { memory, leading }, self.panels.by_outer[side])
    }

    /// Adds the product of a panel to C.
    fn multiply_panel(
        &mut self,
        requests: &mut Requests<'e, C>,
        inner: Range<usize>,
        start: Option<usize>,
        is_first: bool,
    ) -> Result<()> {
        let product = self.product;
        let (m, n) = product.own_size();
        if m == 0 || n == 0 {
            return Ok(());
        }
        let (c, grid) = (&product.c, product.grid);
        let (row, column) = (c.rows.first_local(grid.row), c.columns.first_local(grid.column));
        let offset = (column * c.leading + row) * product.element.bytes();
        let [(a, a_by_outer), (b, b_by_outer)] = [0, 1].map(|side| self.columns(side, &inner, start));
        let one = Scalar::real(product.element, 1.0);
        let local = LocalProduct {
            letters: [self.factors[0].letter(a_by_outer), self.factors[1].letter(b_by_outer)],
            sizes: [m, n, inner.len()],
            alpha: &product.alpha,
            a,
            b,
            beta: if is_first { &product.beta } else { &one },
            c: Columns { memory: c.memory.part(offset..c.memory.len()), leading: c.leading },
        };
        let work = m * n * inner.len() * (product.element.flops() as usize / 2);
        if self.broadcasts.is_none() || requests.is_empty() {
            self.local.multiply(&local);
            self.comm.charge(MULTIPLY_ADD.of(work));
            self.settle();
            return Ok(());
        }
        let slab = n.div_ceil(SLABS).max(MIN_SLAB).min(n);
        for begin in (0..n).step_by(slab) {
            let end = (begin + slab).min(n);
            self.local.multiply_columns(&local, begin, end);
            self.comm.charge(MULTIPLY_ADD.of(work / n * (end - begin)));
            if let Some(broadcasts) = &mut self.broadcasts {
                broadcasts.advance(requests)?;
            }
        }
        self.settle();
        Ok(())
    }
}
