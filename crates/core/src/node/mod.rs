//! What ranks on one node share: memory, flags and how to wait for them, huge pages, single copy.
//! The only module with system calls.

pub mod board;
pub mod device;
pub mod huge_pages;
pub mod mailbox;
pub mod pace;
pub mod processor;
pub mod segment;
pub mod single_copy;
