//! Variables that hold the values of two options, such as `4x2` and `64:512`.

/// How the values of two options are written in one variable. Each of the options is a row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// How a user writes it, for example `RxC`.
    pub pattern: &'static str,
    /// Between the two values.
    pub separator: char,
    /// Whether the second value may be left out; it has its default then.
    pub second_is_optional: bool,
    /// Whether the second value must not be less than the first, unless it is 0.
    pub ascending: bool,
    /// The documentation of the variable.
    pub doc: &'static str,
}

/// The part of the variable that the option is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// The first value of a pair.
    First(&'static Pair),
    /// The second value of a pair.
    Second(&'static Pair),
}

/// The part of a variable's value that belongs to an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given<'a> {
    /// This text.
    Text(&'a str),
    /// It was left out.
    Nothing,
    /// The variable does not have the required form.
    Malformed,
}

impl Part {
    /// The value of this option in a variable's value.
    pub(super) fn of(self, text: &str) -> Given<'_> {
        let (pair, second) = match self {
            Self::Whole => return Given::Text(text),
            Self::First(pair) => (pair, false),
            Self::Second(pair) => (pair, true),
        };
        match text.split_once(pair.separator) {
            Some((first, _)) if !second => Given::Text(first),
            Some((_, last)) => Given::Text(last),
            None if !pair.second_is_optional => Given::Malformed,
            None if second => Given::Nothing,
            None => Given::Text(text),
        }
    }

    /// The pair to which the option belongs.
    pub const fn pair(self) -> Option<&'static Pair> {
        match self {
            Self::Whole => None,
            Self::First(pair) | Self::Second(pair) => Some(pair),
        }
    }
}
