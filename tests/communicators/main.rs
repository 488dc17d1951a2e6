//! The state of communicators, and the state after a fault.

use hcube_testing as common;

mod faults;
mod lifetime;
