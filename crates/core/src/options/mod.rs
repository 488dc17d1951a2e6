//! Options of the systems: one table each, which [`options_table!`](crate::options_table) declares.
//!
//! A row has an option under all its names with its default, its range and its documentation. From the table
//! follow the values of environment variables, the fields of the C structure, the options of the tool, the
//! manual and doc/options.md; from [`named_values!`](crate::named_values) and
//! [`named_set!`](crate::named_set) the constants of C and Fortran. build.rs reads these files to write the
//! headers, so they use only [`crate::error`] of hcube.

mod kind;
pub mod known;
mod named;
mod pair;
mod table;
mod text;
mod variable;

pub use kind::{Kind, parse_bytes};
pub use named::{Name, Number, choices};
pub use pair::{Pair, Part};
pub use table::{Setting, Spec, Table, agreement, check, from_variables, put};
pub use text::{paragraph, phrase};
pub use variable::Variable;

use std::ffi::c_ulong;

/// Several systems have it.
pub const RANKS_PER_NODE: Spec =
    Spec::count("HCUBE_RANKS_PER_NODE", 0, kind::MAX_INT, "ranks").documented(
        "Maximum number of ranks per node: larger nodes are divided into groups of consecutive ranks, for tests. 1 uses \
         only messages, 0 the nodes as they are.",
    );

unsafe extern "C" {
    /// The C library's; build.rs compiles this file without the crate `libc`.
    safe fn getauxval(kind: c_ulong) -> c_ulong;
}

/// Whether this process has more permissions than the user who has started it, by set-user-id, set-group-id
/// or capabilities of its file. The environment is then another user's, who must not name files to be
/// written.
pub fn is_privileged() -> bool {
    const AT_SECURE: c_ulong = 23;
    !cfg!(miri) && getauxval(AT_SECURE) != 0
}

/// The value of a variable of this process. A [privileged](is_privileged) one has none, as with the C
/// library's `secure_getenv`.
pub fn value(name: &str) -> Option<String> {
    let value = if is_privileged() { None } else { std::env::var_os(name) };
    value.map(|value| value.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests;
