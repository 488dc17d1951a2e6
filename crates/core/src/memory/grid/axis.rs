//! An axis of a grid in memory.

/// One axis of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// Elements along it.
    pub count: usize,
    /// Bytes in memory from one to the next.
    pub stride: usize,
}
