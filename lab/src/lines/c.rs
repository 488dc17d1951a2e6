//! Lines of C, formatted with one statement a line as in the examples.

use super::count::{Class, Lines, communicates, first_word};

/// Types that declarations begin with. Names that end in `_t`, and those that the program defines, are types
/// as well.
const TYPES: [&str; 15] = [
    "char", "const", "double", "enum", "extern", "float", "int", "long", "short", "signed", "static",
    "struct", "typedef", "unsigned", "void",
];

/// Beginnings of the names of types in hcube's and MPI's headers.
const PREFIXES: [&str; 2] = ["hcube_", "MPI_"];

/// First words of lines whose statement may be on the next one.
const CONTROL: [&str; 4] = ["else", "for", "if", "while"];

/// What the braces at the outermost level enclose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    Function,
    Members,
}

/// Counts the lines of a program.
pub fn count(text: &str) -> Lines {
    let types = defined_types(text);
    let mut lines = Lines::default();
    let (mut statement, mut length, mut depth, mut body) = (String::new(), 0, 0_usize, Body::Members);
    for code in code_of(text) {
        if code.is_empty() {
            lines.comments += 1;
            continue;
        }
        length += 1;
        statement.push_str(&code);
        statement.push(' ');
        if !ends(&statement) {
            continue;
        }
        let begin = depth;
        depth = (depth + statement.matches('{').count()).saturating_sub(statement.matches('}').count());
        if begin == 0 && depth > 0 {
            body = if statement.trim_end().trim_end_matches('{').trim_end().ends_with(')') {
                Body::Function
            } else {
                Body::Members
            };
        }
        lines.add(class(&statement, &types, begin, depth, body), length);
        statement.clear();
        length = 0;
    }
    lines
}

/// The class of a statement between two depths of braces.
fn class(statement: &str, types: &[String], begin: usize, end: usize, body: Body) -> Class {
    if communicates(statement) {
        return Class::Communication;
    }
    if begin == 0 {
        // A function on one line.
        let is_function = statement.contains(") {") && statement.trim_end().ends_with('}');
        return if is_function { Class::Computation } else { Class::Declaration };
    }
    let (first, rest) = first_word(statement);
    let is_type = TYPES.contains(&first)
        || first.ends_with("_t")
        || PREFIXES.iter().any(|prefix| first.starts_with(prefix))
        || types.iter().any(|name| name == first);
    let declares =
        is_type && rest.starts_with(|letter: char| letter.is_ascii_alphabetic() || "*(_".contains(letter));
    if end == 0 || body == Body::Members || declares { Class::Declaration } else { Class::Computation }
}

/// Whether a statement, or a line that is counted as one, is complete.
fn ends(statement: &str) -> bool {
    let code = statement.trim();
    let balanced = code.matches('(').count() == code.matches(')').count();
    let (first, _) = first_word(code.trim_start_matches('}'));
    code.starts_with('#')
        || (balanced && code.ends_with([';', '{', '}', ':']))
        || (balanced && CONTROL.contains(&first) && (code.ends_with(')') || first == "else"))
}

/// Names that the program defines by typedef.
fn defined_types(text: &str) -> Vec<String> {
    let (mut names, mut is_open) = (Vec::new(), false);
    for code in code_of(text) {
        is_open |= code.starts_with("typedef");
        if is_open && code.ends_with(';') && (code.starts_with('}') || code.starts_with("typedef")) {
            let before = code.split(['[', ';']).next().unwrap_or_default();
            names.extend(before.split_whitespace().last().map(str::to_owned));
            is_open = false;
        }
    }
    names
}

/// The lines of a program without comments, and without what is in its strings.
fn code_of(text: &str) -> Vec<String> {
    let mut in_comment = false;
    text.lines().map(|line| code_of_line(line, &mut in_comment)).collect()
}

fn code_of_line(line: &str, in_comment: &mut bool) -> String {
    let (mut code, mut quote) = (String::new(), None);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        if *in_comment {
            if letter == '*' && next == Some('/') {
                letters.next();
                *in_comment = false;
            }
        } else if let Some(open) = quote {
            if letter == '\\' {
                letters.next();
            } else if letter == open {
                quote = None;
                code.push(letter);
            }
        } else if letter == '/' && next == Some('/') {
            break;
        } else if letter == '/' && next == Some('*') {
            letters.next();
            *in_comment = true;
        } else {
            quote = (letter == '"' || letter == '\'').then_some(letter);
            code.push(letter);
        }
    }
    code.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(computation: usize, communication: usize, declarations: usize, comments: usize) -> Lines {
        Lines { computation, communication, declarations, comments }
    }

    #[test]
    fn statements_are_counted_by_class() {
        let text = "/* two\n * lines */\n#include <stdio.h>\n\nenum { N = 1, /* one */ M };\n\
                    typedef struct list {\n    int count;\n} list;\ntypedef double column[N];\n\n\
                    static int f(int x) { return x; }\n\nint main(void) {\n    list l = {.count = 0};\n\
                    column *c;\n    const double t = MPI_Wtime();\n    for (int i = 0; i < N;\n         i++)\n\
                    check(hcube_caf_barrier(0,\n                          NULL));\n    if (t > 0) {\n\
                    printf(\"a; /* b */ MPI_X()\\\"\");\n    } else {\n        l.count *= 2; // double\n    }\n}\n";
        assert_eq!(count(text), lines(8, 2, 11, 5));
    }

    #[test]
    fn names_of_variables_are_no_types() {
        assert_eq!(
            count("int main(void) {\n    t = 1;\n    x[2] = t;\n    int_of(x);\n}\n"),
            lines(3, 0, 2, 0)
        );
    }
}
