//! Continuation of long Fortran statements.

use crate::text::broken;

/// Characters that a line may have, without the sign that another line follows.
const WIDTH: usize = 118;

/// A statement, on several lines if it is long.
pub fn statement(indentation: usize, text: &str) -> String {
    let begin = " ".repeat(indentation);
    let lines = broken(text.split(' '), [&begin, &format!("{begin}  ")], WIDTH);
    lines.join(" &\n") + "\n"
}

/// Declarations; successive names of the same type share one.
pub fn declarations(indentation: usize, all: &[(String, String)]) -> String {
    let same = all.chunk_by(|(first, _), (second, _)| first == second);
    same.map(|group| {
        let names: Vec<&str> = group.iter().map(|(_, name)| name.as_str()).collect();
        statement(indentation, &format!("{} :: {}", group[0].0, names.join(", ")))
    })
    .collect()
}
