//! Where and when results were measured.

use serde::{Deserialize, Serialize};

/// Adds the date of other results, each date once.
pub fn add_date(dates: &mut String, other: &str) {
    if dates.is_empty() {
        other.clone_into(dates);
    } else if !other.is_empty() && dates.split("; ").all(|date| date != other) {
        *dates += &format!("; {other}");
    }
}

/// Where and when results were measured, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Machine and libraries.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub date: String,
}
