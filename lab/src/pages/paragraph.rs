//! Paragraphs of pages.

/// Length of a line of the pages.
const WIDTH: usize = 120;

/// A paragraph on lines of at most 120 characters, which do not end within `code`.
pub fn wrapped(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(code) if code.matches('`').count() % 2 == 1 => *code += &format!(" {word}"),
            _ => words.push(word.to_owned()),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => *line += &format!(" {word}"),
            _ => lines.push(word),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_into_a_page_and_do_not_end_within_code() {
        let text = wrapped(&["some `long code` here"; 20].join(" "));
        assert!(text.lines().count() > 1 && text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.lines().all(|line| line.matches('`').count() % 2 == 0), "{text}");
        assert_eq!(text.split_whitespace().count(), 80);
    }
}
