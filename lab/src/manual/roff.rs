//! Manual pages in the macros of man(7): the pages of section 3, and what clap_mangen does not write in
//! section 1.

use std::fmt::Write;

/// Text as it is. Hyphens are written as ASCII hyphens, so that what is copied from a page can be typed, and
/// found.
pub fn plain(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\e"),
            '-' => escaped.push_str("\\-"),
            '\'' => escaped.push_str("\\(aq"),
            '^' => escaped.push_str("\\(ha"),
            '~' => escaped.push_str("\\(ti"),
            '`' => escaped.push_str("\\(ga"),
            _ if character.is_ascii() => escaped.push(character),
            _ => drop(write!(escaped, "\\[u{:04X}]", u32::from(character))),
        }
    }
    escaped
}

/// What is typed as it stands.
pub fn bold(text: &str) -> String {
    format!("\\fB{}\\fR", plain(text))
}

/// What stands for something else.
pub fn italic(text: &str) -> String {
    format!("\\fI{}\\fR", plain(text))
}

/// Prose: names of hcube and what stands between backquotes are bold.
pub fn prose(text: &str) -> String {
    let mut marked = String::new();
    for (number, part) in text.split('`').enumerate() {
        if number % 2 == 1 {
            marked += &bold(part);
            continue;
        }
        let mut rest = part;
        while let Some(start) = name_in(rest) {
            let tail = &rest[start..];
            let end = tail.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(tail.len());
            marked += &plain(&rest[..start]);
            marked += &bold(&tail[..end]);
            rest = &tail[end..];
        }
        marked += &plain(rest);
    }
    marked
}

/// Where the first name begins that hcube or MPI has given.
fn name_in(text: &str) -> Option<usize> {
    let inside = |start: usize| text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let starts = ["hcube_", "HCUBE_", "MPI_"];
    starts.iter().flat_map(|name| text.match_indices(name)).map(|(at, _)| at).filter(|&at| !inside(at)).min()
}

/// A page that is being written. Arguments called `marked` are made by the functions above.
pub struct Page {
    text: String,
    /// Nothing stands below the last heading yet.
    fresh: bool,
}

impl Page {
    /// An empty page, on which no word is divided: most of the long ones are names. It has no date: it
    /// changes with the version.
    pub fn new(name: &str, section: u8) -> Self {
        let (name, version) = (plain(name), plain(env!("CARGO_PKG_VERSION")));
        let text = format!(".TH \"{name}\" {section} \"\" \"hcube {version}\" \"hcube\"\n.nh\n.ad l\n");
        Self { text, fresh: true }
    }

    /// The same for sections that clap_mangen writes: they need its string for apostrophes.
    pub fn with_apostrophe(name: &str, section: u8) -> Self {
        let page = Self::new(name, section);
        Self { text: format!(".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n{}", page.text), ..page }
    }

    /// Adds sections that are written already.
    pub fn append(&mut self, sections: &str) {
        self.text.push_str(sections);
        self.fresh = false;
    }

    fn line(&mut self, marked: &str) {
        if marked.starts_with(['.', '\'']) {
            self.text.push_str("\\&");
        }
        self.text.push_str(marked.trim_end());
        self.text.push('\n');
        self.fresh = false;
    }

    /// The line by which `whatis` knows it.
    pub fn name(&mut self, names: &[&str], about: &str) -> &mut Self {
        let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
        self.section("NAME").line(&format!("{} \\- {}", names.join(", "), plain(about)));
        self
    }

    /// A macro without text.
    fn request(&mut self, request: &str) {
        self.text.push_str(request);
        self.text.push('\n');
    }

    pub fn section(&mut self, title: &str) -> &mut Self {
        self.request(&format!(".SH {}", plain(title)));
        self.fresh = true;
        self
    }

    /// A heading below that.
    pub fn subsection(&mut self, title: &str) -> &mut Self {
        self.request(&format!(".SS {}", plain(title)));
        self.fresh = true;
        self
    }

    pub fn paragraph(&mut self, marked: &str) -> &mut Self {
        if !self.fresh {
            self.request(".PP");
        }
        self.line(marked);
        self
    }

    /// A paragraph below a tag.
    pub fn tagged(&mut self, marked_tag: &str, marked: &str) -> &mut Self {
        self.request(".TP");
        self.line(marked_tag);
        self.line(if marked.is_empty() { "\\&" } else { marked });
        self
    }

    /// Lines that stay as they are, set in.
    pub fn lines<'a>(&mut self, marked: impl IntoIterator<Item = &'a str>) -> &mut Self {
        if !self.fresh {
            self.request(".PP");
        }
        self.request(".RS 4\n.nf");
        for line in marked {
            self.line(line);
        }
        self.request(".fi\n.RE");
        self
    }

    /// Everything that `write` adds, set in below the last tag.
    pub fn set_in(&mut self, write: impl FnOnce(&mut Self)) -> &mut Self {
        self.request(".RS");
        write(self);
        self.request(".RE");
        self
    }

    pub fn see_also(&mut self, pages: &[(&str, u8)]) -> &mut Self {
        let marked: Vec<String> = pages.iter().map(|(name, section)| reference(name, *section)).collect();
        self.section("SEE ALSO").paragraph(&marked.join(", "))
    }

    pub fn finish(&self) -> String {
        self.text.clone()
    }
}

/// With a capital, unless it begins with a name.
pub fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) if !text.starts_with("hcube") => first.to_uppercase().chain(characters).collect(),
        _ => text.to_owned(),
    }
}

/// The name of another page.
pub fn reference(name: &str, section: u8) -> String {
    format!("{}({section})", bold(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_a_command() {
        let mut page = Page::new("hcube", 1);
        page.section("NAME").paragraph(&plain(".so /etc/passwd")).paragraph(&plain("'tis a \\fB"));
        let text = page.finish();
        assert!(text.contains("\n\\&.so /etc/passwd\n"), "{text}");
        assert!(text.contains("\n\\(aqtis a \\efB\n"), "{text}");
    }

    #[test]
    fn names_and_quotations_are_bold() {
        assert_eq!(
            prose("HCUBE_X=a-b, my_hcube_y, see `hcube model`."),
            "\\fBHCUBE_X\\fR=a\\-b, my_hcube_y, see \\fBhcube model\\fR."
        );
        assert_eq!(prose("Rünger"), "R\\[u00FC]nger");
    }

    #[test]
    fn a_paragraph_after_a_heading_needs_no_macro() {
        let mut page = Page::new("x", 3);
        page.section("A").paragraph("one").paragraph("two").subsection("B").paragraph("three");
        let text = page.finish();
        assert!(text.ends_with(".SH A\none\n.PP\ntwo\n.SS B\nthree\n"), "{text}");
    }
}
