//! The table of a system's options.

use super::kind::Kind;
use super::pair::{Given, Pair, Part};
use super::text::{paragraph, phrase};
use super::variable::Variable;
use crate::error::{Error, Result};

/// An option without its place in a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    /// The environment variable.
    pub variable: &'static str,
    /// The part of that variable.
    pub part: Part,
    /// The option of the tool.
    pub flag: Option<&'static str>,
    /// The values that it accepts.
    pub kind: Kind,
    /// The value where none is given.
    pub default: i64,
    /// The documentation comment.
    pub doc: &'static str,
}

impl Spec {
    /// An option that accepts `kind`.
    pub const fn new(variable: &'static str, kind: Kind, default: i64) -> Self {
        Self { variable, part: Part::Whole, flag: None, kind, default, doc: "" }
    }

    /// A number of `unit` from `min` to `max`; the default is `min`.
    pub const fn count(variable: &'static str, min: i64, max: i64, unit: &'static str) -> Self {
        Self::new(variable, Kind::Count { min, max, unit }, min)
    }

    /// A number of `unit` from 0 without an upper bound.
    pub const fn any_count(variable: &'static str, unit: &'static str) -> Self {
        Self::count(variable, 0, super::kind::MAX_INT, unit)
    }

    /// With another default.
    pub const fn default(self, default: i64) -> Self {
        Self { default, ..self }
    }

    /// With an option of the tool.
    pub const fn flag(self, flag: &'static str) -> Self {
        Self { flag: Some(flag), ..self }
    }

    /// As the first value of a variable with two.
    pub const fn first_of(self, pair: &'static Pair) -> Self {
        Self { part: Part::First(pair), ..self }
    }

    /// As the second value of a variable with two.
    pub const fn second_of(self, pair: &'static Pair) -> Self {
        Self { part: Part::Second(pair), ..self }
    }

    /// With documentation, unless it has some.
    pub const fn documented(self, doc: &'static str) -> Self {
        if self.doc.is_empty() { Self { doc, ..self } } else { self }
    }

    /// Its meaning, in sentences.
    pub fn meaning(&self) -> String {
        paragraph(self.doc)
    }

    /// The form in which a user writes the variable.
    fn values(&self) -> String {
        let values = self.kind.values();
        let order = |pair: &Pair| {
            if pair.ascending { ", the second not less than the first unless it is 0" } else { "" }
        };
        self.part
            .pair()
            .map_or(values.clone(), |pair| format!("{}, each {values}{}", pair.pattern, order(pair)))
    }
}

/// An option, and its place in the structure `O`.
#[derive(Debug)]
pub struct Setting<O> {
    /// The option.
    pub spec: Spec,
    /// The field of `O` and of C's structure.
    pub field: &'static str,
    /// What C's field is called in messages.
    pub argument: &'static str,
    /// The number of its value.
    pub get: fn(&O) -> i64,
    /// Sets it to the value of a number.
    pub set: fn(&mut O, i64) -> Option<()>,
}

/// The options of a system.
pub trait Table: Sized + 'static {
    /// All of them.
    const TABLE: &'static [Setting<Self>];

    /// The row of a field.
    ///
    /// # Panics
    /// Where no option has that name.
    fn setting(field: &str) -> &'static Setting<Self> {
        let row = Self::TABLE.iter().find(|row| row.field == field);
        row.unwrap_or_else(|| panic!("no option is called {field}"))
    }

    /// The field that is less than its lower bound, the field of `row`.
    fn out_of_order(&self, row: &Setting<Self>) -> Option<&'static Setting<Self>> {
        let Part::Second(Pair { ascending: true, .. }) = row.spec.part else { return None };
        let second = (row.get)(self);
        let is_larger = |first: &&Setting<Self>| (first.get)(self) > second;
        let mut firsts = Self::TABLE.iter().filter(|other| other.spec.variable == row.spec.variable);
        firsts.find(is_larger).filter(|_| second != 0)
    }

    /// The environment variables, each once.
    fn variables() -> Vec<Variable> {
        let mut variables: Vec<Variable> = Vec::new();
        for row in Self::TABLE {
            let Spec { variable, part, kind, default, flag, .. } = &row.spec;
            let default = kind.show(*default);
            if let (Part::Second(pair), Some(first)) = (part, variables.last_mut()) {
                if !pair.second_is_optional {
                    first.default = format!("{}{}{default}", first.default, pair.separator).into();
                }
                first.fields.push(row.field);
                continue;
            }
            let meaning = part.pair().map_or_else(|| row.spec.meaning(), |pair| paragraph(pair.doc));
            variables.push(Variable {
                name: variable,
                values: row.spec.values().into(),
                default: default.into(),
                meaning: phrase(&meaning).into(),
                flag: *flag,
                fields: vec![row.field],
                names: kind.names(),
            });
        }
        variables
    }
}

/// The defaults, changed by the environment variables whose values `value` knows.
///
/// # Errors
/// Names the variable whose value is not accepted.
pub fn from_variables<O: Table + Default>(value: impl Fn(&str) -> Option<String>) -> Result<O> {
    let mut options = O::default();
    for row in O::TABLE {
        let Spec { variable, part, kind, .. } = row.spec;
        let Some(text) = value(variable).filter(|text| !text.is_empty()) else { continue };
        let number = match part.of(&text) {
            Given::Text(text) => kind.parse(text),
            Given::Nothing => continue,
            Given::Malformed => None,
        };
        number
            .and_then(|number| (row.set)(&mut options, number))
            .filter(|()| options.out_of_order(row).is_none())
            .ok_or_else(|| Error::argument(variable, format!("'{text}'"), row.spec.values()))?;
    }
    Ok(options)
}

/// Sets the option of a field to the value of a number, as C's structure has it.
///
/// # Errors
/// Where it is out of range.
pub fn put<O: Table>(options: &mut O, field: &str, number: i64) -> Result<()> {
    let row = O::setting(field);
    let kind = row.spec.kind;
    Some(number)
        .filter(|&number| kind.accepts(number))
        .and_then(|number| (row.set)(options, number))
        .ok_or_else(|| Error::argument(row.argument, number, kind.numbers()))?;
    in_order(options, row)
}

/// Checks a value against the value of the field before it.
fn in_order<O: Table>(options: &O, row: &Setting<O>) -> Result<()> {
    let Some(first) = options.out_of_order(row) else { return Ok(()) };
    let expected = format!("0, or {} = {} or more", first.argument, (first.get)(options));
    Err(Error::argument(row.argument, (row.get)(options), expected))
}

/// Checks all ranges.
///
/// # Errors
/// Names the first option that is out of range.
pub fn check<O: Table>(options: &O) -> Result<()> {
    for row in O::TABLE {
        let number = (row.get)(options);
        if !row.spec.kind.accepts(number) {
            return Err(Error::argument(row.argument, number, row.spec.kind.numbers()));
        }
        in_order(options, row)?;
    }
    Ok(())
}

/// Values that must be the same on all ranks, by name.
pub fn agreement<O: Table>(options: &O) -> Vec<(&'static str, i64)> {
    O::TABLE.iter().map(|row| (row.argument, (row.get)(options))).collect()
}

/// Declares the options of a system: a structure, its default, and its [`Table`]. The first paragraph of a
/// field's documentation also documents the variable, the C field and the manual.
#[macro_export]
macro_rules! options_table {
    ($(#[$about:meta])* pub struct $Options:ident {
        $($(#[doc = $doc:literal])+ pub $field:ident: $Type:ty = $spec:expr,)+
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $Options {
            $($(#[doc = $doc])+ pub $field: $Type,)+
        }

        impl $crate::options::Table for $Options {
            const TABLE: &'static [$crate::options::Setting<Self>] = &[$($crate::options::Setting {
                spec: $spec.documented(concat!($($doc, "\n"),+)),
                field: stringify!($field),
                argument: concat!("options.", stringify!($field)),
                get: |options| $crate::options::Number::number(options.$field),
                set: |options, number| {
                    options.$field = $crate::options::Number::from_number(number)?;
                    Some(())
                },
            }),+];
        }

        impl Default for $Options {
            fn default() -> Self {
                let value = "a default is a value";
                Self { $($field: $crate::options::Number::from_number($spec.default).expect(value)),+ }
            }
        }

        impl $Options {
            /// The defaults, changed by the environment variables of the table.
            ///
            /// # Errors
            /// Names the variable whose value is not accepted.
            pub fn from_environment() -> $crate::error::Result<Self> {
                $crate::options::from_variables($crate::options::value)
            }

            /// As [`Self::from_environment`], with the values that `value` knows.
            ///
            /// # Errors
            /// As [`Self::from_environment`].
            pub fn from_variables(value: impl Fn(&str) -> Option<String>) -> $crate::error::Result<Self> {
                $crate::options::from_variables(value)
            }

            /// Checks the ranges.
            ///
            /// # Errors
            /// Names the first option that is out of range.
            pub fn check(&self) -> $crate::error::Result<()> {
                $crate::options::check(self)
            }

            /// Values that must be the same on all ranks.
            pub fn agreement(&self) -> Vec<(&'static str, i64)> {
                $crate::options::agreement(self)
            }
        }
    };
}
