//! What LU factorisations exchange, as HPL does it: panels along process rows, pivots and rows in process columns.
//!
//! | module | holds |
//! |---|---|
//! | [`panels`] | the panels of a row: numbers, slots in the memory of a node, who has released what |
//! | [`mod@column`] | the memory of a process column |
//! | [`pivot`] | the search for a pivot in a process column |
//! | [`swap`] | the row swaps of a process column |
//! | [`options`] | the options of process columns |

pub mod column;
pub mod options;
pub mod panels;
pub mod pivot;
pub mod swap;

pub use column::Column;
pub use panels::Panels;

#[cfg(test)]
mod tests;
