//! Units of simulated work of the all-to-all exchange; see [`hcube_core::machine::work`].

use hcube_core::machine::work::Unit;

/// A byte copied.
pub const COPY: Unit = Unit::new("copy");
