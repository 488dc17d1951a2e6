//! Environment variables, of options and others.

use super::named::Name;
use std::borrow::Cow;

/// An environment variable as users set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// `HCUBE_...`
    pub name: &'static str,
    /// The values that it accepts.
    pub values: Cow<'static, str>,
    /// The value if the variable is not set; empty if it has no default.
    pub default: Cow<'static, str>,
    /// Its effect; no full stop at the end.
    pub meaning: Cow<'static, str>,
    /// The option of the tool that has precedence over it.
    pub flag: Option<&'static str>,
    /// The fields of the C structure of options with the same meaning: one, two for a pair, none for what is
    /// no option.
    pub fields: Vec<&'static str>,
    /// Named values with a special meaning.
    pub names: &'static [Name],
}

impl Variable {
    /// A variable that is not an option of a system.
    pub const fn new(
        name: &'static str,
        values: &'static str,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        let (values, default, meaning) =
            (Cow::Borrowed(values), Cow::Borrowed(default), Cow::Borrowed(meaning));
        Self { name, values, default, meaning, flag: None, fields: Vec::new(), names: &[] }
    }
}
