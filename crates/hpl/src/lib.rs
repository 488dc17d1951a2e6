//! Asynchronous broadcasts of panels along a process row, as LU factorisations with look-ahead need them: HPL's.
//!
//! | module | holds |
//! |---|---|
//! | [`panels`] | the panels of a row: numbers, slots in the memory of a node, who has released what |

pub mod panels;

pub use panels::Panels;

#[cfg(test)]
mod tests;
