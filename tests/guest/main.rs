//! The preload library in programs of other people, with threads, children, error handlers that jump,
//! attributes, limits and thousands of communicators: each program finishes as it does without, and the
//! statistics show that hcube was at work.

use hcube_testing as common;

mod beginnings;
mod dynamic;
mod errors;
mod handlers;
mod launchers;
mod refusals;
mod short;
mod threads;
