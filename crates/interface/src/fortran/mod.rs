//! Writes a Fortran module from a template: Fortran with lines that begin with `@`, which are replaced by
//! text that follows from the interface. `fortran/*.f90.in` are the templates.
//!
//! - `@constants`: the constants of all headers.
//! - `@type hcube_lock(image = 0)`: a structure, with initial values of components.
//! - `@interfaces`: the interfaces of the C functions that the module calls, and PUBLIC statements for the
//!   procedures that `@call` writes.
//! - `@call hcube_caf_put(coarray, image, ierror?)`: a procedure with these arguments, which calls the
//!   function of that name; `Argument` describes the syntax of arguments.
//!   `@call of_bytes = hcube_caf_coarray_alloc(...)` gives the procedure another name, which is private to
//!   the module.
//! - `@interface hcube_caf_put(coarray, image)`: only the interface, `c_caf_put`, for procedures in the
//!   template.
//! - `@each KIND SHAPE`, lines `@| real(c_double) (:)`, a text and `@end`: the text for each of these
//!   lines, with KIND and SHAPE replaced by its words.
//!
//! Long lines are continued as in Fortran. A line that begins with `@` and a blank is a comment on the
//! template.

mod argument;
mod call;
mod kind;
mod statement;

use crate::{Interface, Structure};
use call::Call;
use kind::component;
use statement::{declarations, statement};

/// The module that follows from a template.
///
/// # Errors
/// A line of the template that does not fit the interface.
pub fn module(template: &str, interface: &Interface) -> Result<String, String> {
    let lines = repeated(template)?;
    let mut calls = Vec::new();
    for line in &lines {
        if let Some((word @ ("call" | "interface"), text)) = directive(line) {
            let call = Call::parse(text, interface).map_err(|error| format!("{line}: {error}"))?;
            calls.push((word, call));
        }
    }
    let (mut text, mut next, mut ended) = (String::new(), calls.iter(), false);
    for line in &lines {
        let written = match directive(line).unwrap_or((line, "")) {
            ("interface", _) => {
                next.next();
                continue;
            }
            ("call", _) => next.next().expect("one for each line").1.procedure(),
            ("type", of) => {
                structure(of, interface).ok_or_else(|| format!("{line}: no such structure or component"))?
            }
            ("  @constants", _) => constants(interface),
            ("  @interfaces", _) => interfaces(&calls),
            _ if line.starts_with("  @") => return Err(format!("{line}: no word of templates")),
            _ => format!("{line}\n"),
        };
        // An empty line after each procedure and each structure.
        if ended && !line.is_empty() {
            text.push('\n');
        }
        ended = line.starts_with("  @") && line != "  @constants";
        text += &written;
    }
    Ok(text)
}

/// A word of this module and the text after it.
fn directive(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("  @")?.split_once(' ')
}

/// The template with the texts of `@each` for each line, and with its other words of this module on one
/// line each.
fn repeated(template: &str) -> Result<Vec<String>, String> {
    let (mut all, mut lines) = (Vec::new(), template.lines().filter(|line| !line.starts_with("@ ")));
    while let Some(line) = lines.next() {
        let Some(names) = line.strip_prefix("  @each ") else {
            let mut line = line.to_owned();
            while line.starts_with("  @") && line.ends_with(" &") {
                line.truncate(line.len() - 1);
                line += lines.next().unwrap_or_default().trim();
            }
            all.push(line);
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "@end").collect();
        let (rows, body): (Vec<&str>, Vec<&str>) =
            body.into_iter().partition(|line| line.starts_with("  @| "));
        for (number, row) in rows.iter().enumerate() {
            let values: Vec<&str> = row["  @| ".len()..].split_whitespace().collect();
            let names: Vec<&str> = names.split_whitespace().collect();
            if names.len() != values.len() {
                return Err(format!("{row}: expected {} words", names.len()));
            }
            all.extend((number > 0).then(String::new));
            all.extend(body.iter().map(|line| {
                names
                    .iter()
                    .zip(&values)
                    .fold((*line).to_owned(), |line, (name, value)| line.replace(name, value))
            }));
        }
    }
    Ok(all)
}

/// All constants that are numbers, except versions of the headers, by what they belong to.
fn constants(interface: &Interface) -> String {
    let owner = |doc: &[String]| doc.first().and_then(|line| Some(line.split_once(": ")?.0.to_owned()));
    let numbers = interface.constants.iter().filter(|constant| {
        constant.value.parse::<i32>().is_ok() && !constant.name.starts_with("HCUBE_VERSION")
    });
    let numbers: Vec<_> = numbers.collect();
    let groups = numbers.chunk_by(|first, second| owner(&first.doc) == owner(&second.doc));
    groups
        .map(|group| {
            let units: Vec<String> =
                group.iter().map(|constant| format!("{} = {}", constant.name, constant.value)).collect();
            statement(2, &format!("integer(c_int32_t), parameter, public :: {}", units.join(", ")))
        })
        .collect()
}

/// `hcube_lock(image = 0, reserved = 0)`.
fn structure(text: &str, interface: &Interface) -> Option<String> {
    let (name, values) = text.split_once('(').unwrap_or((text, ")"));
    let Structure { fields, .. } = interface.structures.iter().find(|known| known.name == name)?;
    let mut values: Vec<(&str, &str)> = crate::reader::arguments(values.strip_suffix(')')?)
        .into_iter()
        .filter_map(|value| value.trim().split_once(" = "))
        .collect();
    let components: Vec<(String, String)> = fields
        .iter()
        .map(|field| {
            let place = values.iter().position(|(name, _)| *name == field.name);
            let value = place.map_or_else(String::new, |place| format!(" = {}", values.remove(place).1));
            let (kind, name) = component(field, interface);
            (kind, name + &value)
        })
        .collect();
    let lines = declarations(4, &components);
    values.is_empty().then(|| format!("  type, bind(C), public :: {name}\n{lines}  end type\n"))
}

/// The names that become public, and the interfaces of C.
fn interfaces(calls: &[(&str, Call<'_>)]) -> String {
    let public =
        calls.iter().filter(|(directive, call)| *directive == "call" && call.name.starts_with("hcube_"));
    let public: Vec<&str> = public.map(|(_, call)| call.name).collect();
    let mut text = statement(2, &format!("public :: {}", public.join(", ")));
    text += "\n  interface\n";
    let mut seen: Vec<&str> = Vec::new();
    for (_, call) in calls {
        if !seen.contains(&&*call.function.name) {
            text += &call.interface();
            seen.push(&call.function.name);
        }
    }
    text + "  end interface\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "/* About. */\ntypedef struct part {\n  int32_t mode;\n} part;\n\
        int hcube_fortran_g(void *buffer, MPI_Fint kind, const int *counts);\nint hcube_g(void *buffer);\n\
        int32_t hcube_text(other *handle, char *text, uint64_t length, struct hcube_error *error);\n\
        typedef struct hcube_error {\n  int32_t code;\n} hcube_error;\n";

    fn written(template: &str) -> Result<String, String> {
        let mut interface = Interface::default();
        interface.read("header", HEADER).expect("valid");
        module(template, &interface)
    }

    // All other cases are compared with the modules of hcube, by build.rs.
    #[test]
    fn texts_get_a_line_and_optional_values_a_default() {
        let text = written("  @call hcube_text(handle, text => name, ierror, message?)\n").expect("valid");
        assert!(text.contains("    character(len=*), intent(inout) :: name\n"), "{text}");
        assert!(text.contains("    character(kind=c_char) :: line(len(name) + 1)\n"), "{text}");
        assert!(
            text.contains("    code = c_text(handle, line, size(line, kind=c_int64_t), error)\n"),
            "{text}"
        );
        assert!(text.contains("    if (code == HCUBE_SUCCESS) call copy(line, name)\n"), "{text}");
        let text = written("  @call hcube_g(buffer, kind?, counts(*), ierror)\n").expect("valid");
        assert!(text.contains("    kind_or_0 = 0\n    if (present(kind)) kind_or_0 = kind\n"), "{text}");
        assert!(text.contains("    ierror = c_g(buffer, kind_or_0, counts)\n"), "{text}");
    }

    #[test]
    fn lines_that_do_not_fit_the_interface_are_named() {
        for (line, words) in [
            ("  @call hcube_h(ierror)", "no header has the function"),
            ("  @call hcube_text(text)", "nothing is passed for handle"),
            ("  @call hcube_text(handle, text, way)", "the function has no argument way"),
            ("  @call hcube_text", "expected arguments"),
            ("  @type part(other = 0)", "no such structure or component"),
            ("  @type other", "no such structure or component"),
            ("  @cal hcube_g(buffer)", "no word of templates"),
            ("  @each A B\n  @| 1\n  @end", "  @| 1: expected 2 words"),
        ] {
            let error = written(line).expect_err("refused");
            assert!(error.contains(words), "{error}");
        }
    }
}
