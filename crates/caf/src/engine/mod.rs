//! Progress: what makes an image go on.
//!
//! An image takes messages and hands each to the handler of its kind, which the operations register at the
//! start; it advances operations that go on, each by what it brings along; it runs shipped functions. So all
//! calls from here lead down to [`crate::state`], or through these tables.

pub(crate) mod image;
pub(crate) mod progress;
mod run;
pub(crate) mod runtime;
mod wait;
