//! Options of the command line that are options of a system: what they accept and what the help says follow
//! from the system's table.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hcube_core::options::{Name, Number, Table, phrase};
use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

/// Accepts what the option of a field accepts.
pub fn value<O: Table, T: Number>(field: &str) -> impl Fn(&str) -> Result<T, String> + Clone + use<O, T> {
    let kind = O::setting(field).spec.kind;
    move |text| {
        let value = kind.parse(text).and_then(T::from_number);
        value.ok_or_else(|| format!("expected {}", kind.values()))
    }
}

/// Accepts a whole number in a range.
pub fn number<T>(range: impl RangeBounds<T> + Clone) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display,
{
    move |text| {
        let value = text.parse().ok().filter(|value| range.contains(value));
        value.ok_or_else(|| match (range.start_bound(), range.end_bound()) {
            (Bound::Included(least), Bound::Included(most)) => {
                format!("expected a number from {least} to {most}")
            }
            (Bound::Included(least), _) => format!("expected a number from {least}"),
            _ => "expected a whole number".to_owned(),
        })
    }
}

/// Accepts one of the values that have names.
pub fn one_of<T>(names: &'static [Name]) -> impl TypedValueParser<Value = T>
where
    T: Number + Send + Sync + 'static,
{
    let value = |name: &Name| PossibleValue::new(name.name).help(phrase(&name.meaning()));
    PossibleValuesParser::new(names.iter().map(value)).map(|text| {
        let name = names.iter().find(|name| name.name == text);
        name.and_then(|name| T::from_number(name.number)).expect("one of the names")
    })
}

/// What the table says of an option.
pub fn help<O: Table>(field: &str) -> String {
    O::setting(field).spec.meaning().trim_end_matches('.').to_owned()
}

/// As [`help`], with a sentence more.
pub fn help_and<O: Table>(field: &str, more: &str) -> String {
    format!("{}. {more}", help::<O>(field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use hcube_alltoall::{Options, Path};

    #[derive(Debug, Parser)]
    struct Line {
        #[arg(long, value_parser = one_of::<Path>(Path::NAMES), help = help::<Options>("path"))]
        path: Option<Path>,
        #[arg(long, value_parser = value::<Options, usize>("memory"))]
        memory: Option<usize>,
    }

    #[test]
    fn the_table_is_what_the_command_line_accepts() {
        let line = |text: &str| Line::try_parse_from(text.split(' '));
        let Line { path, memory } = line("x --path single-copy --memory 64k").expect("valid");
        assert_eq!((path, memory), (Some(Path::SingleCopy), Some(65536)));
        let error = line("x --memory 2T").expect_err("refused").to_string();
        assert!(error.contains("--memory") && error.contains("expected bytes up to 1T"), "{error}");
        let help = line("x --help").expect_err("help").to_string();
        for text in [help_text("path"), phrase(&Path::NAMES[2].meaning())] {
            assert!(help.contains(&text), "{text}: {help}");
        }
    }

    fn help_text(field: &str) -> String {
        help::<Options>(field)
    }
}
