//! Consecutive columns of the matrix, which one process computes row by row.

use crate::columns::{WORD, first_row, growth, words};
use crate::kernel::standard::Entries;
use crate::kernel::words::Places;
use crate::kernel::{Kernel, Tick};
use crate::symbol::Id;
use hcube_core::machine::instructions::Level;
use std::ops::ControlFlow;

/// Columns in the row up to which they were computed.
#[derive(Debug)]
pub struct Band<I> {
    symbols: Vec<I>,
    columns: Vec<u64>,
    memory: Memory,
}

/// What the kernel keeps.
#[derive(Debug)]
enum Memory {
    Standard(Entries),
    Words(Places),
}

impl<I: Id> Band<I> {
    /// The columns of these symbols of string A, which are below `alphabet`, in row 0.
    pub fn new(symbols: Vec<I>, alphabet: usize, kernel: Kernel, level: Level) -> Self {
        let memory = match kernel {
            Kernel::Standard => Memory::Standard(Entries::new(alphabet, level)),
            Kernel::Words => Memory::Words(Places::new(alphabet)),
        };
        Self { columns: first_row(symbols.len()), symbols, memory }
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.symbols.len()
    }

    /// How much the length grows over these columns in the current row.
    pub fn growth(&self) -> usize {
        growth(&self.columns)
    }

    /// Computes the rows of the next symbols of string B. `carries` has a bit per row, first that of the columns on the
    /// left, afterwards of these. After a break neither has a meaning.
    ///
    /// # Panics
    /// Where there are not as many carries as rows, or a symbol is not below the alphabet.
    pub fn advance(&mut self, text: &[I], carries: &mut [u64], tick: &mut Tick<'_>) -> ControlFlow<()> {
        assert_eq!(carries.len(), words(text.len()), "words of carries for {} rows", text.len());
        debug_assert_eq!(self.columns.len(), self.symbols.len().div_ceil(WORD));
        let (symbols, columns) = (&self.symbols[..], &mut self.columns[..]);
        match &mut self.memory {
            Memory::Standard(entries) => entries.advance(symbols, columns, text, carries, tick),
            Memory::Words(places) => places.advance(symbols, columns, text, carries, tick),
        }
    }
}
