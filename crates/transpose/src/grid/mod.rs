//! Transposition of a block-cyclic matrix on a grid of processes, added to another matrix: C = A' + beta C,
//! as PUMMA and PBLAS distribute matrices (`pdtran`), and as PTRANS of HPCC measures it.
//!
//! | file | holds |
//! |---|---|
//! | [`plan`] | a transposition that was set up: the choice between both paths |
//! | [`on_node`] | the path of ranks that read each other's parts |
//! | [`notices`] | what these tell each other |
//! | [`messages`] | the path of other ranks: one exchange |
//! | [`memory`] | memory whose parts all ranks of the node can read |
//! | [`shape`] | which rank has which blocks |
//! | [`tile`] | the transposition of a block |

pub mod memory;
pub mod messages;
pub mod notices;
pub mod on_node;
pub mod plan;
pub mod shape;
pub mod tile;

pub use memory::Memory;
pub use plan::{Operands, Plan};
pub use shape::Shape;
