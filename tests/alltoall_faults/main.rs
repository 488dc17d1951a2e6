//! Exchanges where something goes wrong, and what communicators keep of them.

use hcube_testing as common;

mod communicators;
mod faults;
mod refusals;
