//! What a header declares, read from its text, and the program that says how a compiler lays it out.

use std::fmt::Write;

/// A field as it is declared.
#[derive(Debug)]
pub struct Field {
    pub name: String,
    /// The declaration without the name.
    pub kind: String,
}

#[derive(Debug)]
pub struct Structure {
    pub name: String,
    pub fields: Vec<Field>,
}

impl Structure {
    /// Whether a later version may add fields.
    pub fn may_grow(&self) -> bool {
        self.fields[0].name == "struct_size"
    }
}

/// All that a header declares, except its own version.
#[derive(Debug, Default)]
pub struct Header {
    pub constants: Vec<String>,
    pub structures: Vec<Structure>,
    /// Prototypes, one line each, without needless blanks.
    pub functions: Vec<String>,
}

/// The text without comments.
fn code(text: &str) -> String {
    let mut parts = text.split("/*");
    let mut code = parts.next().expect("at least one part").to_owned();
    for part in parts {
        code.push_str(part.split_once("*/").expect("a comment ends").1);
    }
    code.lines().map(|line| line.split("//").next().expect("one part").trim().to_owned() + "\n").collect()
}

fn field(declaration: &str) -> Field {
    let declaration = declaration.trim();
    if let Some((result, (name, arguments))) =
        declaration.split_once("(*").and_then(|(result, rest)| Some((result, rest.split_once(')')?)))
    {
        return Field { name: name.to_owned(), kind: format!("{result}(*){arguments}") };
    }
    let start = declaration.rfind([' ', '*']).expect("a type and a name") + 1;
    let (name, length) =
        declaration[start..].split_at(declaration[start..].find('[').unwrap_or(declaration[start..].len()));
    Field { name: name.to_owned(), kind: format!("{}{length}", declaration[..start].trim()) }
}

fn structure(text: &str) -> Structure {
    let (name, body) = text.split_once('{').expect("the fields");
    let body = body.split('}').next().expect("the fields");
    let fields = body.split(';').filter(|field| !field.trim().is_empty()).map(field).collect();
    Structure { name: name.trim().to_owned(), fields }
}

impl Header {
    pub fn parse(text: &str) -> Self {
        let code = code(text);
        let mut header = Self::default();
        let mut rest = String::new();
        for line in code.lines() {
            let mut words = line.split_whitespace();
            match (words.next(), words.next(), words.next()) {
                (Some("#define"), Some(name), Some(_)) if !name.starts_with("HCUBE_VERSION") => {
                    header.constants.push(name.to_owned());
                }
                (Some(first), ..) if first.starts_with('#') || ["extern \"C\" {", "}"].contains(&line) => {}
                _ => writeln!(rest, "{line}").expect("memory"),
            }
        }
        let mut functions = rest;
        while let Some(begin) = functions.find("typedef struct ") {
            let first = begin + functions[begin..].find(['{', ';']).expect("a declaration ends");
            // An opaque structure: programs only hold pointers to it.
            if functions[first..].starts_with(';') {
                functions.replace_range(begin..=first, "");
                continue;
            }
            let fields = begin + functions[begin..].find('}').expect("a structure ends");
            let end = fields + functions[fields..].find(';').expect("a typedef ends") + 1;
            header.structures.push(structure(&functions[begin + "typedef struct ".len()..end]));
            functions.replace_range(begin..end, "");
        }
        let words = |function: &str| function.split_whitespace().collect::<Vec<_>>().join(" ");
        header.functions =
            functions.split(';').map(words).filter(|function| function.contains('(')).collect();
        header
    }

    /// A C program that prints the record of this header: a line for each constant, structure and field.
    pub fn program(&self) -> String {
        let mut lines =
            String::from("#include <hcube.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n");
        let mut print = |format: String, values: String| {
            writeln!(lines, "  printf(\"{format}\\n\", {values});").expect("memory");
        };
        for name in &self.constants {
            print(format!("constant {name} %lld"), format!("(long long)({name})"));
        }
        for Structure { name, fields } in &self.structures {
            print(format!("struct {name} size %zu align %zu"), format!("sizeof({name}), _Alignof({name})"));
            for Field { name: field, kind } in fields {
                let place = format!("offsetof({name}, {field}), sizeof((({name} *)0)->{field})");
                print(format!("field {name}.{field} offset %zu size %zu {kind}"), place);
            }
        }
        lines + "  return 0;\n}\n"
    }

    /// The same for the Fortran module; what Fortran cannot tell is left out.
    pub fn fortran_program(&self) -> String {
        let mut lines = String::from(
            "program layout\n  use, intrinsic :: iso_c_binding\n  use hcube\n  use hcube_caf\n  implicit none\n",
        );
        for (number, Structure { name, .. }) in self.structures.iter().enumerate() {
            writeln!(lines, "  type({name}), target :: s{number}").expect("memory");
        }
        let mut print = |text: String, values: String| {
            writeln!(lines, "  print '(*(g0))', '{text} ', &\n    {values}").expect("memory");
        };
        for name in &self.constants {
            print(format!("constant {name}"), name.clone());
        }
        for (number, Structure { name, fields }) in self.structures.iter().enumerate() {
            print(format!("struct {name} size"), format!("c_sizeof(s{number})"));
            for Field { name: field, .. } in fields {
                let place = format!("place(c_loc(s{number}%{field})) - place(c_loc(s{number}))");
                let size = format!("' size ', c_sizeof(s{number}%{field})");
                print(format!("field {name}.{field} offset"), format!("{place}, &\n    {size}"));
            }
        }
        lines
            + "contains\n  integer(c_intptr_t) function place(address)\n    type(c_ptr), intent(in) :: address\n    \
               place = transfer(address, place)\n  end function\nend program\n"
    }
}
