//! Models of protocols: their own code in all interleavings of a small case.
//!
//! A [`Model`] is a case of a protocol: a function that builds the views of some participants on common
//! memory, and what each of them does. [`Model::explore`] runs it in every order of their accesses that can
//! make a difference, and with every value that a load may return under the orderings of the source (loom:
//! dynamic partial-order reduction over the C11 memory model). A case fails where an assertion does, where
//! two marked accesses of memory that is not atomic are not ordered ([`read`](super::read),
//! [`written`](super::written)), or where a participant waits for ever.
//!
//! Restrictions: four participants; `SeqCst` accesses count as `AcqRel`, only fences are stronger; a
//! comparison never fails without a reason; participants share nothing but the memory of the scene and
//! process-wide atomics; one that waits has found nothing to do. [`Extent::Random`] (shuttle) is for cases
//! that are too large: random schedules, in which every load returns the latest value.

pub mod cells;
mod current;
mod explore;
pub mod mutation;
mod scene;

pub use crate::comm::model::Member;
pub use crate::progress::model_rank::Rank;
pub use current::{is_running, participant};
pub use explore::{Explored, Extent, Failure, Model};
pub use scene::{End, Scene, is_of_scene, note};
