//! Named values: in environment variables and options of the tool, and as constants of C and Fortran.

use super::text::{list, paragraph};
use std::fmt;

/// A value under all its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// In environment variables and options of the tool.
    pub name: &'static str,
    /// In C and Fortran.
    pub constant: &'static str,
    /// The value of that constant.
    pub number: i64,
    /// The documentation comment.
    pub doc: &'static str,
}

impl Name {
    /// Its meaning, as a sentence.
    pub fn meaning(&self) -> String {
        paragraph(self.doc)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({})", self.constant, self.number)
    }
}

/// The constants of C and their numbers, for messages.
pub fn choices(names: &[Name]) -> String {
    list(&names.iter().map(Name::to_string).collect::<Vec<_>>(), "or")
}

/// The type of an option: every value has a number, as in C.
pub trait Number: Copy {
    /// The number of this value.
    fn number(self) -> i64;
    /// The value of a number.
    fn from_number(number: i64) -> Option<Self>;
}

impl Number for usize {
    fn number(self) -> i64 {
        i64::try_from(self).unwrap_or(i64::MAX)
    }
    fn from_number(number: i64) -> Option<Self> {
        number.try_into().ok()
    }
}

impl Number for bool {
    fn number(self) -> i64 {
        self.into()
    }
    fn from_number(number: i64) -> Option<Self> {
        [false, true].into_iter().find(|&flag| i64::from(flag) == number)
    }
}

/// Declares an enumeration whose values have names; the documentation comments also appear in the C header.
#[macro_export]
macro_rules! named_values {
    ($(#[$about:meta])* pub enum $Type:ident {
        $($(#[doc = $doc:literal])+ $Value:ident = $number:literal, $name:literal, $constant:literal;)+
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $Type {
            $($(#[doc = $doc])+ $Value = $number,)+
        }

        impl $Type {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$Value),+];
            /// Their names, in the same order.
            pub const NAMES: &'static [$crate::options::Name] = &[$($crate::options::Name {
                name: $name,
                constant: $constant,
                number: $number,
                doc: concat!($($doc, "\n"),+),
            }),+];

            /// The name in options and results.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Value => $name,)+
                }
            }

            /// The value of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl $crate::options::Number for $Type {
            fn number(self) -> i64 {
                self as i64
            }
            fn from_number(number: i64) -> Option<Self> {
                Self::ALL.iter().copied().find(|&value| value as i64 == number)
            }
        }
    };
}

/// Declares a structure of flags that have names, and bits in C.
#[macro_export]
macro_rules! named_set {
    ($(#[$about:meta])* pub struct $Type:ident as $all:literal {
        $($(#[doc = $doc:literal])+ pub $flag:ident = $number:literal, $name:literal, $constant:literal;)+
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $Type {
            $($(#[doc = $doc])+ pub $flag: bool,)+
        }

        impl $Type {
            /// All on.
            pub const ALL: Self = Self { $($flag: true),+ };
            /// All off.
            pub const NONE: Self = Self { $($flag: false),+ };
            /// The values that an option of this type accepts.
            pub const KIND: $crate::options::Kind = $crate::options::Kind::Set {
                names: &[$($crate::options::Name {
                    name: $name,
                    constant: $constant,
                    number: $number,
                    doc: concat!($($doc, "\n"),+),
                }),+],
                all: $all,
            };

            /// From a list of names, or `all` or `none`.
            pub fn from_list(list: &str) -> Option<Self> {
                Self::KIND.parse(list).and_then($crate::options::Number::from_number)
            }

            /// The inverse of [`Self::from_list`]; all are listed by name.
            pub fn to_list(self) -> String {
                Self::KIND.members($crate::options::Number::number(self))
            }
        }

        impl $crate::options::Number for $Type {
            fn number(self) -> i64 {
                [$((self.$flag, $number)),+].iter().filter(|flag| flag.0).map(|flag| flag.1).sum()
            }
            fn from_number(number: i64) -> Option<Self> {
                Self::KIND.accepts(number).then(|| Self { $($flag: number & $number != 0),+ })
            }
        }
    };
}
