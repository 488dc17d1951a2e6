//! The search for a pivot in a process column, with the exchange of its row.
//!
//! Idea: every rank writes the largest element of its part of a column, where it has found it, and the row of the panel
//! with this element to memory of the column; the rank with the row that is to be swapped writes that row, too. Then
//! every rank looks at the elements of all and copies the one row that all need.
//!
//! A pivot is four numbers, as HPL has them: the element, its local row, its global row, and the process row that owns
//! it (the number of process rows or more where a rank has no row left). The largest absolute value wins, of equal ones
//! that of the lowest owner. All ranks look in the same order, so that all decide alike if an element is not a number.
//!
//! Cost: one wait; per rank the row of the pivot is written and that of the winner read, so 2 `width` + 8 numbers and a
//! line of the cache per rank. HPL's binary exchange: log2 P messages of 2 `width` + 4 numbers, each with a wait.

use crate::column::{Column, HEAD};
use crate::swap::DOUBLE;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::memory::bytes_of_mut;
use hcube_core::node::panels::Counter;

/// Which of some pivots wins: elements and owners, in the order of ranks.
pub fn winner(pivots: impl IntoIterator<Item = (f64, f64)>) -> usize {
    let mut best = (0, 0.0, 0.0);
    for (rank, (element, owner)) in pivots.into_iter().enumerate() {
        let size = element.abs();
        if rank == 0 || size > best.1 || (size == best.1 && owner < best.2) {
            best = (rank, size, owner);
        }
    }
    best.0
}

impl Column {
    /// Collective over the column: finds the pivot of a column of a panel that has `width` columns. `current` is the rank with
    /// the row that is to be swapped with that of the pivot; the same on all ranks.
    ///
    /// `work` has 4 + 2 `width` numbers. Before: the own pivot, its row, and on rank `current` the row to be swapped.
    /// Afterwards the pivot of the column, its row, and on the rank that owns it the row to be swapped.
    ///
    /// # Errors
    /// [`Error::Argument`] on the rank whose arguments are wrong.
    pub fn pivot<C: Comm>(&mut self, comm: &C, work: Region<'_>, width: usize, current: usize) -> Result<()> {
        let width = self.checked_width(width as u64)?;
        if current >= self.ranks() {
            return Err(Error::argument("current", current, format!("a rank below {}", self.ranks())));
        }
        let (pivot, swapped) = ((HEAD + width) * DOUBLE, width * DOUBLE);
        if work.len() != pivot + swapped {
            return Err(Error::Buffer(format!("{} bytes: expected {}", work.len(), pivot + swapped)));
        }
        let (search, own) = (self.next_search(), self.own_number());
        let written = if own == current { pivot + swapped } else { pivot };
        self.found(search, own).part(0..written).copy_from(work.part(0..written));
        self.post(Counter::Written, search);
        self.wait(comm, Counter::Written, search);
        let best = winner((0..self.ranks()).map(|rank| head(self.found(search, rank))));
        if best == own && own != current {
            let row = self.found(search, current).part(pivot..pivot + swapped);
            work.part(pivot..pivot + swapped).copy_from(row);
        }
        if best != own {
            work.part(0..pivot).copy_from(self.found(search, best).part(0..pivot));
        }
        Ok(())
    }
}

/// Element and owner of a pivot.
fn head(pivot: Region<'_>) -> (f64, f64) {
    let mut numbers = [0u64; HEAD];
    pivot.part(0..HEAD * DOUBLE).read(bytes_of_mut(&mut numbers));
    (f64::from_bits(numbers[0]), f64::from_bits(numbers[3]))
}
