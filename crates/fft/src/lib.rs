//! The Fourier transform of a vector of complex numbers that is distributed over the ranks of a communicator.
//!
//! | file | holds |
//! |---|---|
//! | [`plan`] | a transform that was set up: the choice between both paths |
//! | [`on_node`] | the path of ranks that share memory |
//! | [`rounds`] | what these tell each other, and their waits |
//! | [`messages`] | the path of ranks on several nodes |
//! | [`memory`] | memory for parts of the vector that need no copies |
//! | [`shape`] | the vector as a matrix, and the parts of each rank |
//! | [`phases`] | the factors between both transforms |
//! | [`transforms`] | the tables of both transforms |
//! | [`kernel`] | the transforms of columns and rows |
//! | [`stages`] | the time of each stage |
//! | [`work`] | local work, for simulations |
//! | [`options`] | the choice of the algorithm; `hcube-hpcc` has the binary exchange |

pub mod kernel;
pub mod memory;
pub mod messages;
pub mod on_node;
pub mod options;
pub mod phases;
pub mod plan;
pub mod rounds;
pub mod shape;
pub mod stages;
pub mod transforms;
pub mod work;

/// Bytes of a complex number.
pub const COMPLEX: usize = 2 * size_of::<f64>();

pub use memory::Memory;
pub use options::{Algorithm, Options};
pub use plan::{Direction, Plan};
pub use stages::Stages;

/// The models of the protocols of this crate.
#[cfg(hcube_model)]
pub const MODELS: &[&[hcube_core::atomic::model::Model]] = &[rounds::model::MODELS];
