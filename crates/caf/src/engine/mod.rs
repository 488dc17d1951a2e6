//! Progress of an image.
//!
//! An image passes each received message to the handler of its kind, which the operations register at the
//! start; it advances pending operations; and it executes shipped functions. All calls from here therefore
//! lead down to [`crate::state`], or through these tables.

pub(crate) mod image;
pub(crate) mod progress;
mod run;
pub(crate) mod runtime;
mod wait;
