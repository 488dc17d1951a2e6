//! The length of a longest common subsequence of two strings (LLCS).
//!
//! A subsequence of a string is what is left when symbols are deleted. The matrix L(i, j), the length for the
//! first i symbols of string A and the first j of string B, is computed in blocks; what neighbouring blocks
//! exchange is one bit per row or column.
//!
//! ```
//! use hcube_lcs::{llcs, similarity};
//!
//! let (a, b) = ("ABCBDAB".as_bytes(), "BDCABA".as_bytes());
//! let length = llcs(a, b)?;
//! assert_eq!(length, 4);
//! assert_eq!(similarity(length, a.len(), b.len()), 4.0 / 7.0);
//! # Ok::<(), hcube_core::Error>(())
//! ```
//!
//! Of strings that ranks have in parts, here threads:
//!
//! ```
//! use hcube_core::comm::{Comm, threads};
//! use hcube_lcs::Outcome;
//! use hcube_lcs::distributed::{Options, llcs};
//! use std::ops::ControlFlow;
//!
//! let (a, b) = (["ABC", "BDAB"], ["BDCA", "BA"]);
//! let lengths = threads::run(2, 2, |comm| {
//!     let [a, b] = [a, b].map(|parts| parts[comm.rank()].as_bytes());
//!     llcs(comm, a, b, &Options::default(), &mut |_| ControlFlow::Continue(()))
//! });
//! assert_eq!(lengths, [Ok(Outcome::Length(4)), Ok(Outcome::Length(4))]);
//! ```
//!
//! | file | holds |
//! |---|---|
//! | [`serial`] | the length for two strings that one process has |
//! | [`distributed`] | the length for two strings that the ranks of a communicator have together |
//! | [`supersteps`] | the same in a BSP program, as the thesis has it |
//! | [`layout`] | what travels between the processes of that program |
//! | [`stored`] | a string in the registered memory of processes |
//! | [`grid`] | the grid of blocks on ranks |
//! | [`cost`] | predictions, and the choice of the grid |
//! | [`options`] | environment variables |
//! | [`plan`] | what is known before a computation begins |
//! | [`rate`] | the rate of a kernel on this processor |
//! | [`work`] | local work, for simulations |
//! | [`progress`] | how far a computation is, and how it ends |
//! | [`short`] | the length where one string has at most 128 symbols |
//! | [`affix`] | the common beginning and end of two strings |
//! | [`alphabet`] | the common alphabet of two strings |
//! | [`symbol`] | symbols of 8, 16 and 32 bits |
//! | [`packed`] | symbols in words, for messages |
//! | [`band`] | consecutive columns of the matrix |
//! | [`columns`] | the bits at the boundaries of blocks |
//! | [`kernel`] | the algorithms for a block |

pub mod affix;
pub mod alphabet;
pub mod band;
pub mod columns;
pub mod cost;
pub mod distributed;
pub mod grid;
pub mod kernel;
pub mod layout;
pub mod options;
pub mod packed;
pub mod plan;
pub mod progress;
pub mod rate;
pub mod serial;
pub mod short;
pub mod stored;
pub mod supersteps;
pub mod symbol;
pub mod work;

pub use kernel::Kernel;
pub use plan::Plan;
pub use progress::{Outcome, Progress, similarity};
pub use serial::{Options, llcs};
pub use symbol::Symbol;
