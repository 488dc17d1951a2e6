//! The values that an option accepts: how they are written, checked and shown.

use super::named::{Name, choices};
use super::text::list;

/// Largest value of a field of type int32_t.
pub(super) const MAX_INT: i64 = i32::MAX as i64;

/// The values that an option accepts. Every value is a number, as in C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Count {
        /// The smallest that is accepted.
        min: i64,
        /// The largest that is accepted.
        max: i64,
        /// What is counted.
        unit: &'static str,
    },
    /// A size in bytes, from 0.
    Bytes {
        /// The largest that is accepted.
        max: i64,
    },
    /// A switch: 0 or 1.
    Flag,
    /// One of these names.
    One(&'static [Name]),
    /// Any number of these names, as bits.
    Set {
        /// The names of the bits.
        names: &'static [Name],
        /// The constant for all of them.
        all: &'static str,
    },
}

/// A size in bytes as a user writes it: `65536`, `64k`, `1M`.
pub fn parse_bytes(text: &str) -> Option<usize> {
    let number = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let shift = match &text[number.len()..] {
        "" => 0,
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        "t" | "T" => 40,
        _ => return None,
    };
    let number: usize = number.parse().ok()?;
    number.checked_mul(1 << shift)
}

/// The inverse of [`parse_bytes`], with the largest unit that leaves a whole number.
fn show_bytes(bytes: i64) -> String {
    let shift = (bytes.trailing_zeros() / 10 * 10).min(40);
    match ["", "k", "M", "G", "T"][shift as usize / 10] {
        unit if bytes > 0 => format!("{}{unit}", bytes >> shift),
        _ => bytes.to_string(),
    }
}

/// The bits that are set together.
const fn mask(names: &[Name]) -> i64 {
    let (mut bits, mut place) = (0, 0);
    while place < names.len() {
        bits |= names[place].number;
        place += 1;
    }
    bits
}

/// A list such as `1,3`, or `all` or `none`.
fn parse_set(names: &[Name], text: &str) -> Option<i64> {
    match text {
        "all" => Some(mask(names)),
        "none" | "" => Some(0),
        _ => text.split(',').try_fold(0, |bits, part| {
            names.iter().find(|name| name.name == part.trim()).map(|name| bits | name.number)
        }),
    }
}

/// The inverse of [`parse_set`], without `all`.
fn members(names: &[Name], bits: i64) -> String {
    let chosen: Vec<&str> =
        names.iter().filter(|name| bits & name.number != 0).map(|name| name.name).collect();
    if chosen.is_empty() { "none".to_owned() } else { chosen.join(",") }
}

impl Kind {
    /// The number of a value that a user has written, which may be out of range.
    fn read(&self, text: &str) -> Option<i64> {
        match self {
            Self::Count { .. } => text.parse::<u64>().ok()?.try_into().ok(),
            Self::Bytes { .. } => parse_bytes(text)?.try_into().ok(),
            Self::Flag => ["0", "1"].iter().position(|&known| known == text).map(|number| number as i64),
            Self::One(names) => names.iter().find(|name| name.name == text).map(|name| name.number),
            Self::Set { names, .. } => parse_set(names, text),
        }
    }

    /// The number of a value that a user has written; `None` if it is not accepted.
    pub fn parse(&self, text: &str) -> Option<i64> {
        self.read(text).filter(|&number| self.accepts(number))
    }

    /// Whether a number is a value.
    pub fn accepts(&self, number: i64) -> bool {
        match self {
            Self::Count { min, max, .. } => (*min..=*max).contains(&number),
            Self::Bytes { max } => (0..=*max).contains(&number),
            Self::Flag => (0..=1).contains(&number),
            Self::One(names) => names.iter().any(|name| name.number == number),
            Self::Set { names, .. } => number & !mask(names) == 0,
        }
    }

    /// The inverse of [`Self::parse`].
    pub fn show(&self, number: i64) -> String {
        match self {
            Self::Count { .. } | Self::Flag => number.to_string(),
            Self::Bytes { .. } => show_bytes(number),
            Self::One(names) => {
                let name = names.iter().find(|name| name.number == number);
                name.map_or_else(|| number.to_string(), |name| name.name.to_owned())
            }
            Self::Set { names, .. } if number == mask(names) => "all".to_owned(),
            Self::Set { names, .. } => members(names, number),
        }
    }

    /// The form in which a user writes it.
    pub fn values(&self) -> String {
        match self {
            Self::Count { min, max: MAX_INT, .. } => format!("{min} or more"),
            Self::Count { min, max, .. } => format!("{min} to {max}"),
            Self::Bytes { max } => {
                format!("bytes up to {}; k, M, G and T stand for powers of 1024", show_bytes(*max))
            }
            Self::Flag => "0 or 1".to_owned(),
            Self::One(names) => names.iter().map(|name| name.name).collect::<Vec<_>>().join(", "),
            Self::Set { names, .. } => {
                let names: Vec<&str> = names.iter().map(|name| name.name).collect();
                format!("all, none, or a list of {}", names.join(","))
            }
        }
    }

    /// The values of a field of the C structure.
    pub fn numbers(&self) -> String {
        match self {
            Self::Count { unit, .. } => format!("{} {unit}", self.values()),
            Self::Bytes { max } => format!("0 to {max} bytes"),
            Self::Flag => self.values(),
            Self::One(names) => choices(names),
            Self::Set { names, all } => {
                let names: Vec<String> = names.iter().map(Name::to_string).collect();
                format!("{all} ({}), or any of {}", self.all(), list(&names, "and"))
            }
        }
    }

    /// The constant of C for a value, or the number.
    pub fn constant(&self, number: i64) -> String {
        match self {
            Self::One(names) => {
                let name = names.iter().find(|name| name.number == number);
                name.map_or_else(|| number.to_string(), |name| name.constant.to_owned())
            }
            Self::Set { all, .. } if number == self.all() => (*all).to_owned(),
            Self::Bytes { .. } => match show_bytes(number) {
                text if text.ends_with('k') => format!("{} KiB", text.trim_end_matches('k')),
                text if text.ends_with('M') => format!("{} MiB", text.trim_end_matches('M')),
                _ => format!("{number} bytes"),
            },
            _ => number.to_string(),
        }
    }

    /// The members of a set by name; nothing for what is no set.
    pub fn members(&self, bits: i64) -> String {
        if let Self::Set { names, .. } = self { members(names, bits) } else { String::new() }
    }

    /// The values that have names.
    pub const fn names(&self) -> &'static [Name] {
        match self {
            Self::One(names) | Self::Set { names, .. } => names,
            _ => &[],
        }
    }

    /// All bits of a set; 0 for what is no set.
    pub const fn all(&self) -> i64 {
        if let Self::Set { names, .. } = self { mask(names) } else { 0 }
    }
}
