//! The layout of all JSON files: what an object holds and what its lists hold, one a line, so that a run of a
//! benchmark is a line.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// Lists and objects that are opened into lines: the outermost one and those in it.
const LEVELS: usize = 2;

/// Results as JSON, without an end of the last line.
///
/// # Errors
/// Errors of the serialisation of `results`.
pub fn text(results: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    results.serialize(&mut Serializer::with_formatter(&mut bytes, Rows::default()))?;
    Ok(String::from_utf8(bytes).expect("JSON is UTF-8"))
}

/// What a file in JSON holds.
///
/// # Errors
/// Says what is wrong with it, and on which line.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Data => format!("line {}: {}", error.line(), refusal(&error.to_string())),
        Category::Eof => format!("not JSON: it ends too early, on line {}", error.line()),
        Category::Syntax | Category::Io => {
            format!("not JSON, from line {}, column {} on", error.line(), error.column())
        }
    })
}

/// The message of the reader on an entry that it does not accept, in the terms of the files.
fn refusal(message: &str) -> String {
    let message = message.split(" at line ").next().unwrap_or(message).replace('`', "'");
    let found_expected = |rest: &str| {
        let (found, expected) = rest.split_once(", expected ")?;
        Some(format!("expected {}, not {}", type_name(expected), found.replace('\'', "")))
    };
    if let Some(name) = message.strip_prefix("missing field ") {
        return format!("the entry {name} is missing");
    }
    for (begin, plain) in [("unknown field ", "unknown entry "), ("unknown variant ", "unknown value ")] {
        if let Some(rest) = message.strip_prefix(begin) {
            return format!("{plain}{rest}");
        }
    }
    let invalid = ["invalid type: ", "invalid value: "].iter().find_map(|begin| message.strip_prefix(begin));
    invalid.and_then(found_expected).unwrap_or(message)
}

/// A type of Rust as JSON calls it.
fn type_name(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

#[derive(Debug, Default)]
struct Rows {
    level: usize,
    /// Whether the list or object that is open holds something.
    is_filled: bool,
}

impl Rows {
    fn open<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.level += 1;
        self.is_filled = false;
        writer.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.level -= 1;
        // What is closed is an element of what is open now.
        let was_filled = std::mem::replace(&mut self.is_filled, true);
        if was_filled && self.level < LEVELS {
            self.end_line(writer)?;
        }
        writer.write_all(bracket)
    }

    fn separate<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.is_filled = true;
        if !is_first {
            writer.write_all(b",")?;
        }
        match (self.level <= LEVELS, is_first) {
            (true, _) => self.end_line(writer),
            (false, true) => Ok(()),
            (false, false) => writer.write_all(b" "),
        }
    }

    fn end_line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        write!(writer, "\n{:1$}", "", 2 * self.level)
    }
}

impl Formatter for Rows {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.separate(writer, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.separate(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::fs;
    use std::path::Path;

    #[test]
    fn a_run_is_a_line() {
        let results = json!({"mpi": "a library", "none": [], "runs": [{"ranks": 2, "us": [1.5, 2]}, {}], "size": {"n": [4]}});
        let lines = [
            "{",
            "  \"mpi\": \"a library\",",
            "  \"none\": [],",
            "  \"runs\": [",
            "    {\"ranks\": 2, \"us\": [1.5, 2]},",
            "    {}",
            "  ],",
            "  \"size\": {",
            "    \"n\": [4]",
            "  }",
            "}",
        ];
        assert_eq!(text(&results).expect("JSON"), lines.join("\n"));
        assert_eq!(text(&json!({})).expect("JSON"), "{}");
        assert_eq!(text(&json!([[[1, 2]]])).expect("JSON"), "[\n  [\n    [1, 2]\n  ]\n]");
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_in_its_own_words() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(rename = "cores")]
            _cores: u32,
        }
        for (text, expected) in [
            ("{}", "line 1: the entry 'cores' is missing"),
            ("{\n\"hcube\": 1}", "line 2: unknown entry 'hcube', expected 'cores'"),
            ("{\"cores\": \"two\"}", "line 1: expected a whole number from 0, not string \"two\""),
            ("{\"cores\": -1}", "line 1: expected a whole number from 0, not integer -1"),
            ("{\n,", "not JSON, from line 2, column 1 on"),
            ("{\"cores\"", "not JSON: it ends too early, on line 1"),
            (">x\nACGT", "not JSON, from line 1, column 1 on"),
        ] {
            assert_eq!(parse::<File>(text).expect_err("refused"), expected, "{text}");
        }
    }

    /// The files in the tree have no more lines than this layout gives them.
    #[test]
    fn files_have_this_layout() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for folder in ["lab/tests/fixtures", "doc/results", "doc/results/simulate"] {
            let entries = fs::read_dir(root.join(folder)).expect("a folder").flatten();
            for entry in entries.filter(|entry| entry.path().is_file()) {
                let content = fs::read_to_string(entry.path()).expect("a file");
                let value: Value = serde_json::from_str(&content).expect("JSON");
                let lines = text(&value).expect("JSON").lines().count();
                assert!(content.lines().count() <= lines, "{}", entry.path().display());
            }
        }
    }
}
