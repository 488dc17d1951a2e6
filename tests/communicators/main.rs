//! What is kept on communicators, and what a fault leaves.

use hcube_testing as common;

mod faults;
mod lifetime;
