//! Lines of free-form Fortran.

use super::count::{Class, Lines, communicates, first_word};

/// First words of statements that declare something, or begin a part of the program.
const DECLARE: [&str; 24] = [
    "abstract",
    "character",
    "complex",
    "contains",
    "double",
    "elemental",
    "external",
    "function",
    "implicit",
    "import",
    "integer",
    "interface",
    "logical",
    "module",
    "private",
    "procedure",
    "program",
    "public",
    "pure",
    "real",
    "recursive",
    "subroutine",
    "type",
    "use",
];

/// Counts the lines of a program.
pub fn count(text: &str) -> Lines {
    let mut lines = Lines::default();
    let (mut statement, mut length) = (String::new(), 0);
    for line in text.lines() {
        let code = code_of(line);
        if code.is_empty() {
            lines.comments += 1;
            continue;
        }
        length += 1;
        statement.push_str(code.trim_end_matches('&'));
        if !code.ends_with('&') {
            lines.add(class(&statement), length);
            statement.clear();
            length = 0;
        }
    }
    lines
}

fn class(statement: &str) -> Class {
    let statement = statement.to_ascii_lowercase();
    let (first, rest) = first_word(&statement);
    if communicates(&statement) && first != "use" {
        return Class::Communication;
    }
    let ends_part = first == "end" && DECLARE.contains(&first_word(rest).0);
    let is_assigned = rest.starts_with('=') || rest.starts_with('%');
    if statement.contains("::") || ends_part || (DECLARE.contains(&first) && !is_assigned) {
        return Class::Declaration;
    }
    Class::Computation
}

/// A line without comment, and without what is in its strings.
fn code_of(line: &str) -> String {
    let (mut code, mut quote) = (String::new(), None);
    for letter in line.trim().chars() {
        match (quote, letter) {
            (None, '!') => break,
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => continue,
            (None, _) => {}
        }
        code.push(letter);
    }
    code.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_counted_by_class() {
        let text = "! comment\nprogram p\n  use hcube_caf\n  implicit none\n  integer :: a, & ! here\n    b\n\n\
                    a = 1 ! not :: this\n  print *, 'a :: b'\n  call hcube_caf_put(a, &\n    ! between\n    b)\n\
                    if (me == 0) call hcube_caf_barrier(team)\n  t = MPI_Wtime()\n  real = 3\ncontains\n\
                    pure integer function f(x)\n  end function\nend do\nend program\n";
        let expected = Lines { computation: 5, communication: 3, declarations: 9, comments: 3 };
        assert_eq!(count(text), expected);
        assert_eq!(count(&text.to_ascii_uppercase()), expected);
    }
}
