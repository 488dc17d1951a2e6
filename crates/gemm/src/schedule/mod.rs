//! The messages of a panel along a process row or column.
//!
//! SUMMA broadcasts a panel of A along each process row and a panel of B along each process column. HSUMMA
//! does it in levels: between groups, then inside each group. Everything here is a pure function of the
//! number of members, the root and the rank, and is tested for every size up to 130 without MPI.
//!
//! A [`Plan`] lists the messages that one member receives and sends. All messages of a plan can be put in one
//! order, the same for all members, in which every message follows the messages that bring its parts. The
//! lists of every member are in that order, so a member that handles both lists strictly in order does not
//! deadlock, even if a send completes only when its receive is the next one of the receiver.
//!
//! | broadcast among q members, k blocks | messages on the critical path | bytes on it, of a panel of n bytes |
//! |---|---|---|
//! | [`binomial`] | ceil(log2 q), k = 1 | n ceil(log2 q) |
//! | [`ring`] | q - 2 + k | n (q - 2 + k) / k |
//! | [`scatter_allgather`] | ceil(log2 q) + q - 1, k = 1 | 2 n (q - 1) / q |
//!
//! Source: Quintin, Hasanov and Lastovetsky, "Hierarchical parallel matrix multiplication on large-scale
//! distributed memory platforms", ICPP 2013, §II-B and §III.

pub mod binomial;
pub mod broadcast;
pub mod groups;
pub mod hierarchy;
mod message;
pub mod ring;
pub mod scatter_allgather;
#[cfg(test)]
mod tests;

pub use broadcast::Broadcast;
pub use hierarchy::{Hierarchy, Level};
pub use message::{Message, Plan};
