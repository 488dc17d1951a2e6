//! The lines that are written: their maximum length, and the lines of a header that are omitted.

/// Words on lines of at most `width` characters, with a prefix for the first line and one for the others.
pub fn broken<'a>(words: impl Iterator<Item = &'a str>, prefixes: [&str; 2], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => *line += &format!(" {word}"),
            last => {
                let prefix = prefixes[usize::from(last.is_some())];
                lines.push(format!("{prefix}{word}"));
            }
        }
    }
    lines
}

/// Text as lines of a comment.
pub fn wrapped(prefix: &str, text: &str) -> String {
    broken(text.split(' '), [prefix; 2], 100).join("\n")
}

/// Omits the sections that Rust requires for unsafe functions: the C documentation states this elsewhere.
pub fn without_safety_sections(header: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut skipping = false;
    for line in header.lines() {
        if line.trim() == "* # Safety" {
            skipping = true;
            if lines.last().is_some_and(|last| last.trim() == "*") {
                lines.pop();
            }
        }
        skipping &= line.trim() != "*/";
        if !skipping {
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}

/// A source without the macro of this name, which exports the functions in its braces.
pub fn without_macro(source: &str, name: &str) -> String {
    let Some((before, rest)) = source.split_once(&format!("\n{name}! {{\n")) else {
        return source.to_owned();
    };
    let (functions, after) = rest.split_once("\n}\n").unwrap_or((rest, ""));
    let exported = "    #[unsafe(no_mangle)]\n    pub unsafe extern \"C-unwind\" fn ";
    format!("{before}\n{}\n{after}", functions.replace("    fn ", exported))
}
