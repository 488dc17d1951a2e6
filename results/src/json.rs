//! The layout of all JSON files: what an object holds and what its lists hold, one a line, so that a run of a
//! benchmark is a line.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// Lists and objects that are opened into lines: the outermost one and those in it.
const LEVELS: usize = 2;

/// Results as JSON, without an end of the last line.
///
/// # Errors
/// Those of `results`.
pub fn text(results: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    results.serialize(&mut Serializer::with_formatter(&mut bytes, Rows::default()))?;
    Ok(String::from_utf8(bytes).expect("JSON is UTF-8"))
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

    /// The files in the tree have no more lines than this layout gives them.
    #[test]
    fn files_have_this_layout() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for folder in ["lab/tests/fixtures", "doc/results"] {
            for entry in fs::read_dir(root.join(folder)).expect("a folder").flatten() {
                let content = fs::read_to_string(entry.path()).expect("a file");
                let value: Value = serde_json::from_str(&content).expect("JSON");
                let lines = text(&value).expect("JSON").lines().count();
                assert!(content.lines().count() <= lines, "{}", entry.path().display());
            }
        }
    }
}
