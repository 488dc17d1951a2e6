//! Memory of a process column, through which its ranks search pivots and swap rows.
//!
//! Idea: the ranks of a process column of LU do the same steps in the same order: a search for a pivot per column of a
//! panel ([`pivot`](crate::pivot)), a swap of rows per update ([`begin_swap`](Column::begin_swap)). In each step every
//! rank writes its part, says so by a counter, waits for the counters of all, and reads the parts of the others. So a
//! step costs one wait, where a binary exchange costs one per dimension.
//!
//! There is memory for two steps of each kind. That is enough, and nobody says when it has read: who writes for step
//! k + 2 has waited for step k + 1, which all ranks begin after they have read what was written for step k.
//!
//! Restrictions: the ranks of the column share memory. Cost: no message; a step reads one line of the cache of each other
//! rank, beside the data. Memory per column: two pivots per rank of 2 `width` + 4 numbers, and two swaps of 2 `width`
//! rows.
//!
//! Source: our own; the pivot search on teams in HPL: Jin et al. 2011, section III.

use crate::options::Options;
use crate::swap::{DOUBLE, Matrix, Rows, Swap};
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::LINE_PAIR;
use hcube_core::node::panels::{Counter, PanelMemory};
use hcube_core::node::processor::crowded;
use hcube_core::plan::Topology;
use hcube_core::progress::wait::Patience;
use std::sync::atomic::Ordering::{Acquire, Release};

/// Steps of each kind for which there is memory.
const STEPS: u64 = 2;
/// Swaps begin at pages.
const PAGE: usize = 4096;
/// Numbers of a pivot before its row: see [`pivot`](crate::pivot).
pub(crate) const HEAD: usize = 4;

/// The memory of a column, seen from one of its ranks.
#[derive(Debug)]
pub struct Column {
    memory: PanelMemory,
    patience: Patience,
    width: usize,
    columns: usize,
    /// Searches that were begun.
    searches: u64,
    /// Swaps that were begun.
    swaps: u64,
    /// The swap that was begun and not ended.
    swap: Option<Swap>,
}

impl Column {
    /// Collective over the column: memory for panels of up to `width` columns, and for swaps in up to `columns` columns of
    /// the matrix. All arguments are the same on all ranks; `options` may be the error that all ranks are to report.
    ///
    /// # Errors
    /// On all ranks: [`Error::Mismatch`], [`Error::Unsupported`] where the ranks do not share memory, and where memory
    /// cannot be allocated.
    pub fn new<C: Comm>(comm: &C, width: usize, columns: usize, options: Result<Options>) -> Result<Self> {
        let options = agree(comm, options)?;
        agree_on(
            comm,
            &[
                ("width", width as i64),
                ("columns", columns as i64),
                ("HCUBE_RANKS_PER_NODE", options.ranks_per_node as i64),
            ],
        )?;
        let nodes = comm.node_numbers()?;
        let limit = (options.ranks_per_node > 0).then_some(options.ranks_per_node);
        if Topology::from_node_numbers(&nodes, limit).nodes() != 1 {
            return Err(Error::Unsupported("a process column of ranks on several nodes".into()));
        }
        let patience = Patience::new(crowded(comm, &nodes)?, comm.simulated());
        let ranks: Vec<usize> = (0..comm.size()).collect();
        let bytes = total_bytes(width, columns, ranks.len());
        let memory = PanelMemory::share(comm, &ranks, agree(comm, bytes)?)?;
        Ok(Self { memory, patience, width, columns, searches: 0, swaps: 0, swap: None })
    }

    /// Columns of the widest panel.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Columns of the widest swap.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Columns of a panel, if they are not too many.
    ///
    /// # Errors
    /// [`Error::Argument`].
    pub fn checked_width(&self, width: u64) -> Result<usize> {
        let checked = usize::try_from(width).ok().filter(|&width| width <= self.width);
        checked.ok_or_else(|| Error::argument("width", width, format!("at most {}", self.width)))
    }

    /// Whether no swap was begun that has not been ended.
    pub fn is_idle(&self) -> bool {
        self.swap.is_none()
    }

    /// Ranks of the column.
    pub fn ranks(&self) -> usize {
        self.memory.ranks()
    }

    /// This rank's number.
    pub fn own_number(&self) -> usize {
        self.memory.own_number()
    }

    /// Begins a search: its number.
    pub(crate) fn next_search(&mut self) -> u64 {
        self.searches += 1;
        self.searches
    }

    /// Collective over the column: begins a swap. Writes the rows of this rank that move to the memory of the column, and
    /// does not wait. All arguments but those that say so are the same on all ranks.
    ///
    /// # Errors
    /// [`Error::Argument`] and [`Error::Buffer`] on the rank whose arguments are wrong; [`Error::Usage`] where a swap was
    /// begun and not ended.
    pub fn begin_swap(&mut self, rows: &Rows<'_>, matrix: &Matrix<'_>) -> Result<()> {
        if self.swap.is_some() {
            return Err(Error::Usage("a swap was begun and not ended".into()));
        }
        if rows.width > self.width() {
            return Err(Error::argument("width", rows.width, format!("at most {}", self.width())));
        }
        if rows.columns > self.columns() {
            return Err(Error::argument("columns", rows.columns, format!("at most {}", self.columns())));
        }
        if rows.pairs.len() > 4 * rows.width {
            return Err(Error::argument(
                "pairs",
                rows.pairs.len() / 2,
                format!("at most {}", 2 * rows.width),
            ));
        }
        let swap = Swap::new(rows, self.own_number(), self.ranks())?;
        matrix.check(rows.local, rows.columns)?;
        self.swaps += 1;
        swap.give(matrix, self.stage(self.swaps))?;
        self.post(Counter::Complete, self.swaps);
        self.swap = Some(swap);
        Ok(())
    }

    /// Collective over the column: ends the swap that was begun. Waits for the rows of all ranks, and copies the top rows to
    /// `top`, and the rows whose new places this rank owns to the matrix. The top rows of the matrix are not changed.
    ///
    /// # Errors
    /// [`Error::Usage`] where no swap was begun; [`Error::Buffer`].
    pub fn end_swap<C: Comm>(&mut self, comm: &C, matrix: &Matrix<'_>, top: Region<'_>) -> Result<()> {
        let swap = self.swap.take().ok_or_else(|| Error::Usage("no swap was begun".into()))?;
        self.wait(comm, Counter::Complete, self.swaps);
        swap.take(self.stage(self.swaps), matrix, top)
    }

    /// Says that this rank has written its part of a step.
    pub(crate) fn post(&self, counter: Counter, step: u64) {
        self.memory.counter(self.own_number(), counter).store(step, Release);
    }

    /// Waits until all ranks have written their parts of a step.
    pub(crate) fn wait<C: Comm>(&self, comm: &C, counter: Counter, step: u64) {
        for rank in 0..self.ranks() {
            let mut wait = self.patience.wait();
            while self.memory.counter(rank, counter).load(Acquire) < step {
                wait.pause(comm);
            }
        }
    }

    /// Where a rank writes the pivot that it has found in a search.
    pub(crate) fn found(&self, search: u64, rank: usize) -> Region<'_> {
        let slot = (search % STEPS) as usize * self.ranks() + rank;
        let start = slot * slot_bytes(self.width);
        // SAFETY: inside the slot of this rank and search, which only this rank writes, before it posts the search, and which
        // it writes again only when all ranks have posted the next search, for which they have read this one.
        unsafe { self.memory.region(start..start + (HEAD + 2 * self.width) * DOUBLE) }
    }

    /// Where the rows of a swap are written.
    fn stage(&self, swap: u64) -> Region<'_> {
        let slots = STEPS as usize * self.ranks() * slot_bytes(self.width);
        let bytes = stage_bytes(self.width, self.columns);
        let start = slots.next_multiple_of(PAGE) + (swap % STEPS) as usize * bytes;
        // SAFETY: inside the memory of this swap, where every rank writes the rows that it owns before it posts the swap; it
        // writes there again only when all ranks have posted the next swap, before which they have read this one.
        unsafe { self.memory.region(start..start + bytes) }
    }
}

fn slot_bytes(width: usize) -> usize {
    ((HEAD + 2 * width) * DOUBLE).next_multiple_of(LINE_PAIR)
}

fn stage_bytes(width: usize, columns: usize) -> usize {
    (2 * width * columns * DOUBLE).next_multiple_of(PAGE)
}

fn total_bytes(width: usize, columns: usize, ranks: usize) -> Result<usize> {
    /// Of each argument: products of two of them and some constants do not overflow.
    const MAX: usize = 1 << 28;
    if width.max(columns).max(ranks) > MAX {
        let text =
            format!("a process column of {ranks} ranks, panels of {width} and swaps of {columns} columns");
        return Err(Error::Memory(text));
    }
    let steps = STEPS as usize;
    let slots = steps * ranks.saturating_mul(slot_bytes(width));
    Ok(slots.next_multiple_of(PAGE) + steps * stage_bytes(width, columns))
}
