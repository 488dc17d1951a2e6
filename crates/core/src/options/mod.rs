//! Options of the systems: one table each, which [`options_table!`](crate::options_table) declares.
//!
//! A row has an option under all its names with its default, its range and its documentation. From the table follow the
//! values of environment variables, the fields of the C structure, the options of the tool, the manual and
//! doc/options.md; from [`named_values!`](crate::named_values) and [`named_set!`](crate::named_set) the constants of C
//! and Fortran. build.rs reads these files to write the headers, so they use nothing of hcube but [`crate::error`].

mod kind;
mod named;
mod table;

pub use kind::{Kind, parse_bytes};
pub use named::{Name, Number, choices};
pub use table::{Setting, Spec, Table, agreement, check, from_variables, put};

use std::borrow::Cow;

/// An environment variable as users set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// `HCUBE_...`
    pub name: &'static str,
    /// What it accepts.
    pub values: Cow<'static, str>,
    /// The value that stands for one that is not set; empty where there is none.
    pub default: Cow<'static, str>,
    /// What it changes; no full stop at the end.
    pub meaning: Cow<'static, str>,
    /// The option of the tool that has precedence over it.
    pub flag: Option<&'static str>,
    /// The field of the C structure of options with the same meaning.
    pub field: Option<&'static str>,
    /// The values that have names and a meaning of their own.
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
        Self { name, values, default, meaning, flag: None, field: None, names: &[] }
    }
}

/// RandomAccess and the all-to-all exchange both have it.
pub const RANKS_PER_NODE: Spec =
    Spec::count("HCUBE_RANKS_PER_NODE", 0, kind::MAX_INT, "ranks").documented(
        "Maximum number of ranks per node: larger nodes are divided into groups of consecutive ranks, for tests. 1 uses \
         only messages, 0 the nodes as they are.",
    );

/// The value of a variable of this process.
pub fn value(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// The first paragraph of a documentation comment, on one line.
pub fn paragraph(doc: &str) -> String {
    let lines = doc.trim_start().lines().map(str::trim).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// A sentence as part of another: without its full stop, and with a small letter first unless a name begins it.
pub fn phrase(sentence: &str) -> String {
    let text = sentence.strip_suffix('.').unwrap_or(sentence);
    let word = text.split(' ').next().unwrap_or_default();
    let is_name = word.chars().skip(1).any(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let mut characters = text.chars();
    let first = characters.next().map(|first| if is_name { first } else { first.to_ascii_lowercase() });
    first.into_iter().chain(characters).collect()
}

/// `a, b or c`.
fn list(parts: &[String], word: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
