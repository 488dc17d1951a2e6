//! Parts of the documentation as parts of sentences.

/// The first paragraph of a documentation comment, on one line.
pub fn paragraph(doc: &str) -> String {
    let lines = doc.trim_start().lines().map(str::trim).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// A sentence as part of another: without its full stop, and with a small letter first unless a name begins
/// it.
pub fn phrase(sentence: &str) -> String {
    let text = sentence.strip_suffix('.').unwrap_or(sentence);
    let word = text.split(' ').next().unwrap_or_default();
    let is_name = word.chars().skip(1).any(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let mut characters = text.chars();
    let first = characters.next().map(|first| if is_name { first } else { first.to_ascii_lowercase() });
    first.into_iter().chain(characters).collect()
}

/// `a, b or c`.
pub(super) fn list(parts: &[String], word: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}
