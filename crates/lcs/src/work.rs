//! Local work, for simulations.

use hcube_core::machine::work::Unit;

/// An entry of the matrix computed, by whichever kernel.
pub const ENTRY: Unit = Unit::new("lcs-entry");
