//! Units of simulated work of RandomAccess; see [`hcube_core::machine::work`].

use hcube_core::machine::work::Unit;

/// A value of a stream generated.
pub const GENERATE: Unit = Unit::new("generate");
/// A value applied to the table.
pub const UPDATE: Unit = Unit::new("update");
/// A value put on one of two lists; a division into more parts does that several times per value.
pub const DIVIDE: Unit = Unit::new("divide");
