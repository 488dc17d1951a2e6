//! What ranks on one node share: memory, flags and waiting for them, single copy; and what a process asks of
//! its node: cores, huge pages, device memory, the loader. The only module with system calls.

mod absence;
pub mod arena;
pub mod arrivals;
pub mod board;
pub mod device;
pub mod exit;
pub mod heap;
pub mod huge_pages;
pub mod inbox;
pub mod loader;
pub mod mailbox;
pub mod pace;
pub mod pages;
pub mod pairs;
pub mod panels;
pub mod processor;
mod refusals;
mod resident;
pub mod rings;
mod segment;
pub mod single_copy;
mod slots;
mod system_v;

/// Bytes of a pair of lines of the cache, which processors fetch together: what one rank writes starts there.
pub const LINE_PAIR: usize = 128;
