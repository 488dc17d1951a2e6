//! Memory: regions of the caller's, blocks of elements in them, and how they are copied.

pub mod blocks;
pub mod copy;
pub mod datatype;
pub mod grid;
pub mod region;
pub mod scratch;
pub mod streaming;

pub use region::Region;
