//! Predicted communication time of SUMMA and HSUMMA, and the choice of the number of groups.
//!
//! | file | holds |
//! |---|---|
//! | [`hockney`] | the time of a message, and of a broadcast by formula |
//! | [`formulas`] | the time of a multiplication by formula, and when groups help |
//! | [`counted`] | the time of a broadcast as its messages are scheduled |
//! | [`port`] | elements that enter a node from the network |
//! | [`choice`] | the number of groups and the broadcast with the shortest predicted time |
//! | [`paper`] | tables and parameters of Quintin et al. 2013 |
//!
//! Everything here is a pure function: no communication, no clock. Units: seconds and matrix elements.
//!
//! Omitted: contention in the network, the network's topology, overlap with computation, and overlap of the
//! broadcasts of successive panels. With these formulas groups give no speed-up for binomial trees, and for
//! scatter and all-gather only if latency dominates. The model therefore does not explain the speed-ups that
//! Quintin, Hasanov and Lastovetsky have measured: see [`paper::MEASURED`].
//! Source: Quintin, Hasanov and Lastovetsky, "Hierarchical parallel matrix multiplication on large-scale
//! distributed memory platforms", ICPP 2013, §IV.

pub mod choice;
pub mod counted;
pub mod formulas;
pub mod hockney;
pub mod paper;
pub mod port;

pub use choice::{Choice, choose, choose_by};
pub use counted::{Counted, count};
pub use formulas::{Division, Problem};
pub use hockney::Hockney;
