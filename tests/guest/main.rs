//! The preload library in programs with threads, children, error handlers that jump, attributes, limits and
//! thousands of communicators: each program finishes as without hcube, and the statistics show that hcube was
//! used.

use hcube_testing as common;

mod beginnings;
mod between;
mod dynamic;
mod errors;
mod handlers;
mod launchers;
mod refusals;
mod security;
mod short;
mod threads;
