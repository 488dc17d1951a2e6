//! Lines of the doctor.

/// Columns of a line, unless a word is longer.
pub const COLUMNS: usize = 100;

/// A text behind a beginning, in lines of at most [`COLUMNS`]; all further lines begin below the text. Words
/// are never broken: a path can be copied.
pub fn wrapped(beginning: &str, text: &str) -> String {
    let indent = beginning.chars().count();
    let (mut out, mut column) = (beginning.to_owned(), indent);
    for (number, word) in text.split_whitespace().enumerate() {
        let width = word.chars().count();
        if number > 0 && column + 1 + width > COLUMNS {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if number > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}
