//! Results as programs in C print them: the benchmarks of FFTW and of the preload library, and the drivers
//! of simulations.
//!
//! A line is `name<TAB>value`, and an empty line ends a record. A text of several lines has a line of the
//! same name for each of them; the numbers of a list are separated by blanks. So a program needs no escapes,
//! and output that was cut off is recognised.

use hcube_results::json;
use hcube_tool::output;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The fields of one record by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record(BTreeMap<String, String>);

/// All records of an output.
///
/// # Errors
/// Where a line has no name, or the last record does not end.
pub fn parse(output: &str) -> Result<Vec<Record>, String> {
    let (mut records, mut record) = (Vec::new(), Record::default());
    for line in output.split_terminator('\n') {
        if line.is_empty() {
            if !record.0.is_empty() {
                records.push(std::mem::take(&mut record));
            }
            continue;
        }
        let (name, value) =
            line.split_once('\t').ok_or_else(|| format!("'{line}': expected a name, a tab and a value"))?;
        record.add(name, value);
    }
    if record.0.is_empty() { Ok(records) } else { Err("it ends inside a record".to_owned()) }
}

/// What `one` makes of each record of several files.
///
/// # Errors
/// Names the file that cannot be read, or whose records are refused.
pub fn of_files<T>(paths: &[PathBuf], one: fn(&Record) -> Result<T, String>) -> Result<Vec<T>, String> {
    let mut all = Vec::new();
    for path in paths {
        let records =
            parse(&read(path)?).and_then(|records| records.iter().map(one).collect::<Result<Vec<_>, _>>());
        all.extend(records.map_err(|error| format!("{}: {error}", path.display()))?);
    }
    Ok(all)
}

/// The text of a file.
///
/// # Errors
/// Names the file that cannot be read.
pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(output::failure(path))
}

/// The contents of a file in JSON.
///
/// # Errors
/// Names the file that cannot be read, or holds something else.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    json::parse(&read(path)?).map_err(|problem| format!("{}: {problem}", path.display()))
}

fn value<T: FromStr>(name: &str, text: &str, expected: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} = '{text}': expected {expected}"))
}

fn number(name: &str, text: &str) -> Result<f64, String> {
    const EXPECTED: &str = "a number";
    let number: f64 = value(name, text, EXPECTED)?;
    if number.is_finite() { Ok(number) } else { Err(format!("{name} = '{text}': expected {EXPECTED}")) }
}

impl Record {
    fn add(&mut self, name: &str, value: &str) {
        match self.0.entry(name.to_owned()) {
            Entry::Vacant(place) => drop(place.insert(value.to_owned())),
            Entry::Occupied(mut text) => *text.get_mut() += &format!("\n{value}"),
        }
    }

    /// A text.
    ///
    /// # Errors
    /// Where the record has no such field.
    pub fn text(&self, name: &str) -> Result<&str, String> {
        self.0.get(name).map(String::as_str).ok_or_else(|| format!("the field {name} is missing"))
    }

    /// A count.
    ///
    /// # Errors
    /// As [`Self::text`], and where it is not a whole number.
    pub fn count(&self, name: &str) -> Result<u64, String> {
        value(name, self.text(name)?, "a whole number")
    }

    /// A number.
    ///
    /// # Errors
    /// As [`Self::text`], and where it is not finite.
    pub fn number(&self, name: &str) -> Result<f64, String> {
        number(name, self.text(name)?)
    }

    /// A list of numbers.
    ///
    /// # Errors
    /// As [`Self::number`].
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, String> {
        self.text(name)?.split_whitespace().map(|text| number(name, text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        let records =
            parse("case\tmode=auto,a\nseconds\t1.5e-3\n\ncase\t\nlist\t1 2.5  -3\n\n\n").expect("complete");
        assert_eq!(records.len(), 2);
        assert_eq!((records[0].text("case"), records[0].number("seconds")), (Ok("mode=auto,a"), Ok(1.5e-3)));
        assert_eq!((records[1].text("case"), records[1].numbers("list")), (Ok(""), Ok(vec![1.0, 2.5, -3.0])));
        assert_eq!(parse(""), Ok(Vec::new()));
    }

    /// Also tabs, blanks at both ends, quotes and empty lines.
    #[test]
    fn texts_of_several_lines_are_whole() {
        let text = "(first\n  \"second\"\\\n\n\tfourth \n";
        let lines: String = text.split('\n').map(|line| format!("plan\t{line}\n")).collect();
        let records = parse(&format!("ranks\t2\n{lines}\n")).expect("complete");
        assert_eq!((records[0].text("plan"), records[0].count("ranks")), (Ok(text), Ok(2)));
    }

    #[test]
    fn what_is_missing_or_cut_off_is_refused() {
        for (output, message) in [
            ("case\ta\n", "ends inside a record"),
            ("case\ta\n\nsecon", "'secon'"),
            ("case\ta\n\nseconds\t1", "ends inside a record"),
            ("{\"case\": 1}\n\n", "expected a name, a tab and a value"),
        ] {
            let error = parse(output).expect_err("refused");
            assert!(error.contains(message), "{output:?}: {error}");
        }
        let records = parse("count\t-1\nnumber\tnan\nlist\t1 x\n\n").expect("complete");
        let record = &records[0];
        for (error, message) in [
            (record.text("case").map(drop), "the field case is missing"),
            (record.count("count").map(drop), "count = '-1': expected a whole number"),
            (record.number("number").map(drop), "number = 'nan': expected a number"),
            (record.numbers("list").map(drop), "list = 'x': expected a number"),
        ] {
            assert_eq!(error, Err(message.to_owned()));
        }
    }
}
