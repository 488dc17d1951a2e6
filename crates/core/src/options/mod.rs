//! Options from environment variables.
//!
//! Every system has a table of its own.

use crate::error::{Error, Result};

/// An environment variable as users set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// `HCUBE_...`
    pub name: &'static str,
    /// What it accepts.
    pub values: &'static str,
    /// The value that stands for one that is not set; empty where there is none.
    pub default: &'static str,
    /// What it changes.
    pub meaning: &'static str,
    /// The option of `hcube gups` that wins over it.
    pub option: Option<&'static str>,
    /// The field of the C structure of options that stands for the same.
    pub field: Option<&'static str>,
}

impl Variable {
    /// A variable without a counterpart.
    pub const fn new(
        name: &'static str,
        values: &'static str,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { name, values, default, meaning, option: None, field: None }
    }

    /// With an option of `hcube gups` of the same meaning.
    pub const fn option(self, option: &'static str) -> Self {
        Self { option: Some(option), ..self }
    }

    /// With a field of a C structure of the same meaning.
    pub const fn field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }
}

/// Both RandomAccess and the all-to-all exchange know it.
pub const RANKS_PER_NODE: Variable = Variable::new(
    "HCUBE_RANKS_PER_NODE",
    "0 or more",
    "0",
    "pretend that nodes hold at most so many ranks: 1 is messages alone, 0 takes nodes as they are",
)
.field("ranks_per_node");

/// The value of a variable of this process.
pub fn value(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Hands every variable of a table that has a value to `set`, which says `None` where it cannot be read.
///
/// # Errors
/// Names the variable whose value cannot be read.
pub fn read(
    table: &[Variable],
    value: impl Fn(&str) -> Option<String>,
    mut set: impl FnMut(&str, &str) -> Option<()>,
) -> Result<()> {
    for variable in table {
        let Some(value) = value(variable.name).filter(|value| !value.is_empty()) else { continue };
        set(variable.name, &value)
            .ok_or_else(|| Error::argument(variable.name, format!("'{value}'"), variable.values))?;
    }
    Ok(())
}

/// For tests: that the defaults of a table are those of the options that are made from it, and that each of its
/// variables is read.
///
/// # Panics
/// Where that is not so.
pub fn check_table<T: PartialEq + std::fmt::Debug>(
    table: &[Variable],
    default: &T,
    from_variables: impl Fn(&dyn Fn(&str) -> Option<String>) -> Result<T>,
) {
    let said = |name: &str| {
        let variable = table.iter().find(|variable| variable.name == name);
        variable.map(|variable| variable.default.to_owned())
    };
    assert_eq!(from_variables(&said).as_ref(), Ok(default));
    for variable in table {
        let other = |name: &str| (name == variable.name).then(|| "2".to_owned());
        // 2 is no default.
        assert_ne!(from_variables(&other).ok().as_ref(), Some(default), "{}", variable.name);
    }
}
