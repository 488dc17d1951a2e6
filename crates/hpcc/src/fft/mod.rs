//! Fourier transforms by binary exchange on coarrays, in addition to the algorithms of `hcube-fft`.
//!
//! | module | holds |
//! |---|---|
//! | [`plan`] | a transform that was set up, by either algorithm |
//! | [`binary`] | the transform: bit reversal, local levels, remote levels |
//! | [`bits`] | the bit reversal of places, as pure functions |
//! | `pack` | the local permutations before and after the exchange |
//! | `local` | the levels on one image |
//! | `exchange` | the levels between two images |
//! | [`images`] | the coarray and the events of all transforms of a process |

pub mod binary;
pub mod bits;
mod exchange;
pub mod images;
mod local;
mod pack;
pub mod plan;

pub use binary::BinaryExchange;
pub use images::Images;
pub use plan::Plan;
