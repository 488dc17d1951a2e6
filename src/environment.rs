//! Options from environment variables.

use crate::error::{Error, Result};

/// A variable: name, values, meaning.
pub type Variable = (&'static str, &'static str, &'static str);

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
    for (name, values, _) in table {
        let Some(value) = value(name).filter(|value| !value.is_empty()) else { continue };
        set(name, &value).ok_or_else(|| Error::argument(name, format!("'{value}'"), values))?;
    }
    Ok(())
}
