//! Datatypes as loops over contiguous runs: which bytes of a buffer are data, and in which order.
//!
//! With these loops any part of a block is packed and unpacked as needed ([`Block`]), into a buffer of any
//! size. [`crate::mpi::datatype`] decodes datatypes.

mod block;
mod copy;
pub(crate) mod layout;
mod runs;

pub use block::Block;

use layout::{Layout, Placed};

/// The decoded form of an MPI datatype. It stays usable when the datatype is freed.
#[derive(Debug, Clone)]
pub struct Datatype {
    size: usize,
    extent: isize,
    /// Predefined by MPI.
    named: bool,
    placed: Placed,
}

impl Datatype {
    /// Elements of `size` bytes of data, `extent` bytes apart, with the layout `placed`.
    pub(crate) fn new(size: usize, extent: isize, named: bool, placed: Placed) -> Self {
        Self { size, extent, named, placed }
    }

    /// Whether MPI defines it: such a datatype is never freed.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// Whether the bytes of one element follow one another in order.
    fn is_one_run(&self) -> bool {
        matches!(self.placed.layout, Layout::Run(_))
    }

    /// Whether elements are contiguous, in order.
    pub fn is_dense(&self) -> bool {
        self.is_one_run() && isize::try_from(self.size) == Ok(self.extent)
    }

    /// Offset of the first byte of an element from its origin.
    pub fn offset(&self) -> isize {
        self.placed.offset
    }

    /// Bytes of data in one element.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Bytes from one element to the next; may be negative.
    pub fn extent(&self) -> isize {
        self.extent
    }
}
