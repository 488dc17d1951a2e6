//! Reads the C headers of hcube, which have a regular form: comments before the declarations that they
//! describe, one declaration after the other.

use crate::{Constant, Doc, Field, Function, Interface, Structure, Type};

impl Interface {
    /// Adds what a header declares.
    ///
    /// # Errors
    /// A declaration in another form, with the name of the file and the line.
    pub fn read(&mut self, file: &str, text: &str) -> Result<(), String> {
        let Self { about, constants, structures, types, functions } =
            parse(text).map_err(|error| format!("{file}: {error}"))?;
        if self.about.is_empty() {
            self.about = about;
        }
        self.constants.extend(constants);
        self.structures.extend(structures);
        self.types.extend(types);
        self.functions.extend(functions);
        Ok(())
    }
}

/// The remaining text.
struct Reader<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    number: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (number, line) = self.lines.next()?;
        self.number = number + 1;
        Some(line.trim())
    }

    fn refuse<T>(&self, line: &str, expected: &str) -> Result<T, String> {
        Err(format!("line {}: '{line}': expected {expected}", self.number))
    }

    /// Lines joined until one has the required end.
    fn until(&mut self, first: &str, ends: impl Fn(&str) -> bool) -> Result<String, String> {
        let mut text = first.to_owned();
        while !ends(&text) {
            let Some(line) = self.next() else { return self.refuse(first, "an end") };
            text = format!("{} {line}", text.trim_end_matches('\\').trim_end());
        }
        Ok(text)
    }

    /// The lines of a comment that begins with `first`.
    fn comment(&mut self, first: &str) -> Result<Doc, String> {
        let mut doc = Doc::new();
        let mut line = first.trim_start_matches("/*").trim_start_matches('*');
        loop {
            let (text, ended) = line.split_once("*/").map_or((line, false), |(text, _)| (text, true));
            doc.push(text.trim().to_owned());
            if ended {
                break;
            }
            line = match self.next() {
                Some(next) if next.starts_with("*/") => next,
                Some(next) => next.trim_start_matches('*'),
                None => return self.refuse(first, "the end of a comment"),
            };
        }
        while doc.last().is_some_and(String::is_empty) {
            doc.pop();
        }
        let empty = doc.iter().take_while(|line| line.is_empty()).count();
        doc.drain(..empty);
        Ok(doc)
    }

    /// The fields of a structure.
    fn fields(&mut self) -> Result<Vec<Field>, String> {
        let (mut fields, mut doc) = (Vec::new(), Doc::new());
        while let Some(line) = self.next() {
            if line.starts_with('}') {
                return Ok(fields);
            } else if line.starts_with("/*") {
                doc = self.comment(line)?;
            } else if !line.is_empty() {
                let text = self.until(line, |text| text.ends_with(';'))?;
                match field(text.trim_end_matches(';'), std::mem::take(&mut doc)) {
                    Some(field) => fields.push(field),
                    None => return self.refuse(line, "a field"),
                }
            }
        }
        self.refuse("struct", "the end of a structure")
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// `const int *counts`, `char message[508]` or `void (*function)(void)`.
fn field(text: &str, doc: Doc) -> Option<Field> {
    let text = text.trim();
    if let Some((before, rest)) = text.split_once("(*") {
        let (name, behind) = rest.split_once(')')?;
        let (before, behind) = (format!("{before}(*"), format!("){behind}"));
        return Some(Field { name: name.into(), before, behind, doc });
    }
    let (text, behind) = text.find('[').map_or((text, ""), |at| text.split_at(at));
    let start = text.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
    let (before, name) = text.split_at(start);
    let complete = !name.is_empty() && !before.is_empty();
    complete.then(|| Field { name: name.into(), before: before.into(), behind: behind.into(), doc })
}

/// The first of these characters that is in no parentheses, where `depth` of them are open before the text.
fn outside(text: &str, mut depth: i32, wanted: char) -> Option<usize> {
    text.find(|character| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        character == wanted && depth == 0
    })
}

/// Parts of a text between commas that are not in parentheses.
pub(crate) fn arguments(mut text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    while let Some(at) = outside(text, 0, ',') {
        parts.push(&text[..at]);
        text = &text[at + 1..];
    }
    parts.push(text);
    parts
}

/// `int name(parameters);`, or with a macro for an attribute before the semicolon.
fn function(text: &str, doc: Doc) -> Option<Function> {
    let (head, rest) = text.split_once('(')?;
    let end = outside(rest, 1, ')')?;
    let (inside, attribute) = (&rest[..end], rest[end + 1..].strip_suffix(';')?.trim());
    if !(attribute.is_empty() || attribute.starts_with("BSP_FORMAT(")) {
        return None;
    }
    let Field { name, before: result, .. } = field(head, Doc::new())?;
    let parameter = |text: &str| match text.trim() {
        "..." => {
            Some(Field { name: "...".into(), before: String::new(), behind: String::new(), doc: Doc::new() })
        }
        text => field(text, Doc::new()),
    };
    let parameters: Option<Vec<Field>> = match inside {
        "void" => Some(Vec::new()),
        _ => arguments(inside).into_iter().map(parameter).collect(),
    };
    Some(Function { name, result, parameters: parameters?, doc })
}

/// The declarations of one header.
fn parse(text: &str) -> Result<Interface, String> {
    let mut header = Interface::default();
    let mut reader = Reader { lines: text.lines().enumerate(), number: 0 };
    let mut doc = Doc::new();
    while let Some(line) = reader.next() {
        if line.starts_with("/*") {
            doc = reader.comment(line)?;
            if header.about.is_empty() {
                header.about = std::mem::take(&mut doc);
            }
        } else if let Some(definition) = line.strip_prefix("#define ") {
            let definition = reader.until(definition, |text| !text.ends_with('\\'))?;
            // Without a value it is the guard of the header.
            if let Some((name, value)) = outside(&definition, 0, ' ').map(|end| definition.split_at(end)) {
                let (name, value) = (name.to_owned(), value.trim().to_owned());
                header.constants.push(Constant { name, value, doc: doc.clone() });
            }
        } else if line.is_empty() || line.starts_with(['#', '}']) || line.starts_with("extern \"C\"") {
            doc.clear();
        } else if let Some(declaration) =
            line.strip_prefix("typedef ").and_then(|text| text.strip_suffix(';'))
        {
            let Some(Field { name, .. }) = field(declaration, Doc::new()) else {
                return reader.refuse(line, "a type");
            };
            let doc = std::mem::take(&mut doc);
            header.types.extend((!doc.is_empty()).then(|| Type {
                name,
                declaration: declaration.into(),
                doc,
            }));
        } else if let Some(name) = line.strip_prefix("typedef struct ") {
            let name = name.trim_end_matches('{').trim().to_owned();
            let doc = std::mem::take(&mut doc);
            header.structures.push(Structure { name, fields: reader.fields()?, doc });
        } else {
            let declaration = reader.until(line, |text| text.ends_with(';'))?;
            match function(&declaration, doc.clone()) {
                Some(function) => header.functions.push(function),
                None => return reader.refuse(&declaration, "the declaration of a function"),
            }
        }
    }
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "/* About.\n *\n * More.\n */\n#ifndef X_H\n#define X_H\n\n#include <mpi.h>\n\n\
        /**\n * s.mode: one.\n */\n#define ONE 1\n\n/** Both. */\n#define TWO 2\n#define MAX(a, b) \\\n    ((a) > (b) ? (a) : (b))\n\n\
        /**\n * A structure.\n */\ntypedef struct s {\n    /**\n     * The words.\n     */\n    uint64_t *words;\n    \
        char text[508];\n} s;\n\n/** A call. */\ntypedef void (*call)(int how);\ntypedef int plain;\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif // x\n\n/* First.\n *\n * Return 0. */\n\
        int one(void);\nint two(void);\n\nconst char *three(const struct s *s,\n    const int counts[],\n    MPI_Comm comm);\n\
        #ifdef __cplusplus\n}\n#endif\n#endif\n";

    #[test]
    fn every_kind_of_declaration_is_read() {
        let header = parse(TEXT).expect("valid");
        assert_eq!(header.about, ["About.", "", "More."]);
        let constants: Vec<_> =
            header.constants.iter().map(|c| (&*c.name, &*c.value, c.doc[0].as_str())).collect();
        assert_eq!(
            constants,
            [
                ("ONE", "1", "s.mode: one."),
                ("TWO", "2", "Both."),
                ("MAX(a, b)", "((a) > (b) ? (a) : (b))", "Both.")
            ]
        );
        let structure = &header.structures[0];
        assert_eq!((&*structure.name, structure.doc.join(" ")), ("s", "A structure.".to_owned()));
        let fields: Vec<_> = structure.fields.iter().map(|f| (&*f.before, &*f.name, &*f.behind)).collect();
        assert_eq!(fields, [("uint64_t *", "words", ""), ("char ", "text", "[508]")]);
        assert_eq!(structure.fields[0].doc, ["The words."]);
        let types: Vec<_> =
            header.types.iter().map(|t| (&*t.name, &*t.declaration, t.doc.join(" "))).collect();
        assert_eq!(types, [("call", "void (*call)(int how)", "A call.".to_owned())]);
        let names: Vec<_> = header.functions.iter().map(|f| &*f.name).collect();
        assert_eq!(names, ["one", "two", "three"]);
        // Declarations in a row share a comment, an empty line ends it.
        assert_eq!(header.functions[0].doc, ["First.", "", "Return 0."]);
        assert_eq!(header.functions[1].doc, header.functions[0].doc);
        let three = &header.functions[2];
        assert_eq!((&*three.result, three.doc.len(), three.parameters.len()), ("const char *", 0, 3));
        assert_eq!(three.parameters[1].behind, "[]");
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        for (text, words) in [
            ("int x;\n", "line 1: 'int x;': expected the declaration of a function"),
            ("\nint f(int g) h;\n", "line 2: "),
            ("/* endless\n", "expected the end of a comment"),
            ("typedef struct s {\n", "expected the end of a structure"),
            ("int f(int,\n", "expected an end"),
        ] {
            let error = parse(text).expect_err("refused");
            assert!(error.contains(words), "{error}");
        }
    }
}
