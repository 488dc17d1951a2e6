//! Failures of exchanges, and the state of communicators afterwards.

use hcube_testing as common;

mod communicators;
mod faults;
mod refusals;
