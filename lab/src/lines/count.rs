//! Classes of lines, and what is the same in all languages.

/// What a line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Computation,
    Communication,
    Declaration,
}

/// Numbers of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lines {
    pub computation: usize,
    pub communication: usize,
    pub declarations: usize,
    /// Comments and empty lines.
    pub comments: usize,
}

impl Lines {
    /// All lines but comments and empty ones.
    pub fn code(self) -> usize {
        self.computation + self.communication + self.declarations
    }

    /// Adds the lines of a statement.
    pub fn add(&mut self, class: Class, lines: usize) {
        match class {
            Class::Computation => self.computation += lines,
            Class::Communication => self.communication += lines,
            Class::Declaration => self.declarations += lines,
        }
    }
}

/// Whether code without comments calls a function of hcube_caf or MPI. The clock of MPI is no communication.
pub fn communicates(code: &str) -> bool {
    let names = code.split('(').map(|before| before.trim_end().rsplit(|letter| !is_of_name(letter)).next());
    // The text behind the last parenthesis is no name of a function.
    let called = names.take(code.matches('(').count()).flatten();
    called
        .map(str::to_ascii_lowercase)
        .any(|name| name != "mpi_wtime" && (name.starts_with("hcube_caf_") || name.starts_with("mpi_")))
}

/// Whether a letter may be in a name.
pub fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The first word, and the rest behind it without blanks at its beginning.
pub fn first_word(code: &str) -> (&str, &str) {
    let code = code.trim_start();
    let end = code.find(|letter| !is_of_name(letter)).unwrap_or(code.len());
    (&code[..end], code[end..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_communication() {
        for code in
            ["check(hcube_caf_put(a, b))", "call hcube_caf_finalize()", "MPI_Barrier (x)", "call mpi_send(a)"]
        {
            assert!(communicates(code), "{code}");
        }
        for code in
            ["x = MPI_Wtime()", "HCUBE_CAF_THIS_IMAGE", "f(MPI_SUM)", "sums(hcube_caf_x)", "", "use mpi"]
        {
            assert!(!communicates(code), "{code}");
        }
    }

    #[test]
    fn words_end_at_signs() {
        assert_eq!(first_word("  end do"), ("end", "do"));
        assert_eq!(first_word("a(1) = 2"), ("a", "(1) = 2"));
        assert_eq!(first_word("}"), ("", "}"));
    }
}
