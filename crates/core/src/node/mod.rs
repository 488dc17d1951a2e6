//! Resources that ranks on one node share: memory, flags and waits for them, single copy; and resources of a
//! process: cores, huge pages, device memory, the loader. The only module with system calls.
//!
//! Bytes and flags move between the ranks of a node in one of six forms, whose names are used
//! everywhere:
//!
//! | form | who writes and who reads |
//! |---|---|
//! | [`board`] | every rank posts one notice per round, all others read it |
//! | [`mailbox`] | every rank writes pieces sorted by receiver, the others read and acknowledge their slices |
//! | [`rings`] | one rank sends records to another at any time, in order |
//! | [`lists`] | every rank leaves lists of records for the others, a barrier publishes them |
//! | [`counted_memory`] | ranks write agreed places of common memory, and counters tell how far they are |
//! | [`pipe`] | processes send to one of them without MPI, also while they end |
//!
//! Except the pipe, all are in a `segment`, which the ranks of the node map together; `slots` is the protocol
//! of boards and mailboxes, [`heap`] allocates in a segment at the same address on all ranks, [`arrivals`]
//! determines which of two ranks has started an operation later, and [`single_copy`] moves bytes between
//! memory that is not shared.

pub(crate) mod absence;
pub mod arrivals;
pub mod board;
pub mod counted_memory;
pub mod device;
pub mod exit;
pub mod heap;
pub mod huge_pages;
pub mod lists;
pub mod loader;
pub mod mailbox;
pub mod pace;
pub mod pages;
pub mod pipe;
pub mod processor;
pub(crate) mod refusals;
mod resident;
pub mod rings;
mod segment;
pub mod single_copy;
mod slots;
mod system_page;
mod system_v;

/// Bytes of a pair of lines of the cache, which processors fetch together: what one rank writes starts there.
pub const LINE_PAIR: usize = 128;
