//! Section 3: the C interface, one page for each group of functions, written from the headers.

use super::file::File;
use super::header;
use super::parts::{BSP, FFTW, FORTRAN, GENERAL, PARTS, Part};
use super::roff::{Page, bold, italic, plain, prose, reference, sentence};
use hcube_interface::{Constant, Doc, Field, Function, Interface, Structure, Type};
use hcube_tool::variables::Group;

/// Width of declarations.
const WIDTH: usize = 78;

/// What of a header belongs to one part.
#[derive(Default)]
struct Content<'a> {
    functions: Vec<&'a Function>,
    structures: Vec<&'a Structure>,
    types: Vec<&'a Type>,
    constants: Vec<&'a Constant>,
}

/// All pages of section 3, and those that lead to them.
pub fn pages() -> Result<Vec<File>, String> {
    let (header, fftw, bsp) = (header::library()?, header::fftw()?, header::bsp()?);
    let mut parts: Vec<(&Part, Vec<String>, Content<'_>)> = Vec::new();
    for (part, content) in PARTS.iter().chain([&GENERAL]).zip(divide(&header)) {
        let general = part.page == GENERAL.page;
        let about = if general { conventions(&header.about) } else { Vec::new() };
        parts.push((part, about, content));
    }
    let all = Content { functions: fftw.functions.iter().collect(), ..Content::default() };
    // The first paragraph says what the file is.
    parts.push((&FFTW, paragraphs(&fftw.about)[1..].to_vec(), all));
    // The names of the other dialect mean the same.
    let classic = bsp.functions.iter().filter(|function| function.name.starts_with(BSP.prefix));
    let classic = Content { functions: classic.collect(), ..Content::default() };
    parts.push((&BSP, paragraphs(&bsp.about)[1..].to_vec(), classic));
    parts.retain(|(_, _, content)| !content.functions.is_empty());
    let names: Vec<&str> = parts.iter().map(|(part, _, _)| part.page).collect();
    Ok(parts.iter().flat_map(|(part, about, content)| page(part, about, content, &names)).collect())
}

/// The paragraphs of a comment.
fn paragraphs(doc: &Doc) -> Vec<String> {
    doc.split(String::is_empty).map(|lines| lines.join(" ")).collect()
}

/// Of the header's first comment what does not concern the file itself.
fn conventions(about: &Doc) -> Vec<String> {
    paragraphs(about).into_iter().skip_while(|text| !text.starts_with("Conventions")).collect()
}

/// The contents of [`PARTS`], and last of what belongs to none of them.
fn divide(header: &Interface) -> Vec<Content<'_>> {
    let part_of =
        |name: &str| PARTS.iter().position(|part| name.starts_with(part.prefix)).unwrap_or(PARTS.len());
    let mut contents: Vec<Content<'_>> = Vec::new();
    contents.resize_with(PARTS.len() + 1, Content::default);
    for function in &header.functions {
        contents[part_of(&function.name)].functions.push(function);
    }
    let mut places: Vec<(&str, usize)> = Vec::new();
    for structure in &header.structures {
        // A structure belongs to the functions that take it, if they are of one part, otherwise to the
        // functions of its name. What is for Fortran takes the structures of all.
        let users = header.functions.iter();
        let users = users.filter(|f| takes(f, &structure.name) && !f.name.starts_with(FORTRAN));
        let mut users: Vec<usize> = users.map(|function| part_of(&function.name)).collect();
        users.dedup();
        let part = match users[..] {
            [user] => user,
            _ => part_of(&structure.name),
        };
        places.push((&structure.name, part));
        contents[part].structures.push(structure);
    }
    for known in &header.types {
        let user = header.functions.iter().find(|function| takes(function, &known.name));
        contents[user.map_or(PARTS.len(), |function| part_of(&function.name))].types.push(known);
    }
    for constant in &header.constants {
        // Of a field of a structure, or of an argument of a function; others are named like their functions.
        let owner = field_of(constant).map(|(owner, _, _)| owner);
        let place = places.iter().find(|&&(name, _)| Some(name) == owner).map(|&(_, part)| part);
        let named = constant.name.to_lowercase();
        let alike = || PARTS.iter().position(|part| named.starts_with(&format!("{}_", part.prefix)));
        let part = place.or(owner.map(part_of)).or_else(alike);
        contents[part.unwrap_or(PARTS.len())].constants.push(constant);
    }
    contents
}

fn takes(function: &Function, name: &str) -> bool {
    let words = |field: &Field| field.before.split([' ', '*']).any(|word| word == name);
    function.parameters.iter().any(words)
}

/// Structure, field and meaning of a constant whose comment says `structure.field: meaning`.
fn field_of(constant: &Constant) -> Option<(&str, &str, String)> {
    let (place, _) = constant.doc.first()?.split_once(": ")?;
    let (structure, field) = place.split_once('.')?;
    let text = constant.doc.join(" ");
    Some((structure, field, text[place.len() + 2..].to_owned()))
}

/// A page, and one for each other name that leads to it.
fn page(part: &Part, about: &[String], content: &Content<'_>, pages: &[&str]) -> Vec<File> {
    let functions = content.functions.iter().map(|function| &*function.name);
    let names = functions.chain(content.structures.iter().map(|s| &*s.name));
    let names: Vec<&str> = names.chain(content.types.iter().map(|t| &*t.name)).collect();
    let mut titles = vec![part.page];
    titles.extend(content.functions.iter().map(|function| &*function.name).filter(|&name| name != part.page));
    let mut page = Page::new(part.page, 3);
    page.name(&titles, part.about);
    synopsis(&mut page, part, content);
    let introduction = part.introduction.iter().copied().chain(about.iter().map(String::as_str));
    for (number, paragraph) in introduction.enumerate() {
        if number == 0 {
            page.section("DESCRIPTION");
        }
        page.paragraph(&prose(paragraph));
    }
    page.section("FUNCTIONS");
    for functions in content.functions.chunk_by(|a, b| a.doc == b.doc) {
        let names: Vec<&str> = functions.iter().map(|function| &*function.name).collect();
        page.subsection(&names.join(", "));
        describe(&mut page, &functions[0].doc, functions[0]);
    }
    types(&mut page, content);
    structures(&mut page, content);
    environment(&mut page, part);
    let mut see_also: Vec<(&str, u8)> = vec![("hcube", 1), ("hcube-run", 1)];
    see_also.extend(pages.iter().filter(|&&other| other != part.page).map(|&other| (other, 3)));
    page.see_also(&see_also);
    let mut files = vec![File::new(format!("man/man3/{}.3", part.page), page.finish())];
    for name in names.into_iter().filter(|&name| name != part.page) {
        files.push(File::new(format!("man/man3/{name}.3"), format!(".so man3/{}.3\n", part.page)));
    }
    files
}

fn synopsis(page: &mut Page, part: &Part, content: &Content<'_>) {
    page.section("SYNOPSIS");
    let mut lines = vec![bold(&format!("#include <{}>", part.include)), String::new()];
    for function in &content.functions {
        lines.extend(declaration(function));
        if function.parameters.len() > 1 {
            lines.push(String::new());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    page.lines(lines.iter().map(String::as_str));
    page.paragraph("Compile and link with the wrapper of the MPI library that hcube was built for:");
    let compile: Vec<String> = part.compile.lines().map(bold).collect();
    page.lines(compile.iter().map(String::as_str));
}

/// A declaration on lines that are not too long.
fn declaration(function: &Function) -> Vec<String> {
    let head = format!("{}{}(", function.result, function.name);
    let mut lines = Vec::new();
    let mut line = format!("{}{}(", plain(&function.result), bold(&function.name));
    let mut width = head.len();
    if function.parameters.is_empty() {
        line += "void";
    }
    for (number, parameter) in function.parameters.iter().enumerate() {
        let last = number + 1 == function.parameters.len();
        let end = if last { ");" } else { "," };
        let Field { before, name, behind, .. } = parameter;
        let length = before.len() + name.len() + behind.len() + end.len();
        let blank = usize::from(number > 0);
        if width + blank + length > WIDTH {
            lines.push(std::mem::replace(&mut line, " ".repeat(4)));
            width = 4;
        } else {
            line += &" ".repeat(blank);
            width += blank;
        }
        line += &format!("{}{}{}", plain(before), italic(name), plain(behind));
        line += if last { "" } else { "," };
        width += length;
    }
    lines.push(line + ");");
    lines
}

/// A function's comment: paragraphs, arguments, errors.
fn describe(page: &mut Page, doc: &Doc, function: &Function) {
    for block in doc.split(String::is_empty) {
        let parts = block.chunk_by(|_, next| label(next, function).is_none());
        for part in parts {
            let text = part.join(" ");
            match label(&part[0], function) {
                Some(length) => {
                    let (tag, rest) = text.split_at(length);
                    let mark = if is_section(tag) { bold } else { italic };
                    page.tagged(&mark(tag), &prose(&sentence(rest[1..].trim())));
                }
                None => drop(page.paragraph(&prose(&text))),
            }
        }
    }
}

/// Whether a label stands for errors or sources, and not for an argument.
fn is_section(label: &str) -> bool {
    ["Errors", "Source"].iter().any(|name| label.starts_with(name))
}

/// The length of the label with which a line begins: names of arguments, `Errors` or `Source`, with what
/// belongs to it, up to a colon.
fn label(line: &str, function: &Function) -> Option<usize> {
    let (label, _) = line.split_once(": ").or_else(|| line.strip_suffix(':').map(|label| (label, "")))?;
    let argument = |name: &str| function.parameters.iter().any(|parameter| parameter.name == name);
    (is_section(label) || label.split(", ").all(argument)).then_some(label.len())
}

fn types(page: &mut Page, content: &Content<'_>) {
    if !content.types.is_empty() {
        page.section("TYPES");
    }
    for known in &content.types {
        page.subsection(&known.name);
        page.lines(
            [format!("{};", bold(&format!("typedef {}", known.declaration)))].iter().map(String::as_str),
        );
        for paragraph in paragraphs(&known.doc) {
            page.paragraph(&prose(&paragraph));
        }
    }
}

fn structures(page: &mut Page, content: &Content<'_>) {
    if !content.structures.is_empty() {
        page.section("STRUCTURES");
    }
    for structure in &content.structures {
        page.subsection(&structure.name);
        for paragraph in paragraphs(&structure.doc) {
            page.paragraph(&prose(&paragraph));
        }
        for field in &structure.fields {
            let Field { before, name, behind, doc } = field;
            let tag = format!("{}{}{}", plain(before), bold(name), plain(behind));
            page.tagged(&tag, &prose(&doc.join(" ")));
            let values: Vec<(&Constant, String)> = content
                .constants
                .iter()
                .filter_map(|constant| {
                    let (structure_name, field_name, text) = field_of(constant)?;
                    (structure_name == structure.name && field_name == name).then_some((*constant, text))
                })
                .collect();
            if !values.is_empty() {
                page.set_in(|page| {
                    for (constant, text) in values {
                        page.tagged(&definition(constant), &prose(&sentence(&text)));
                    }
                });
            }
        }
    }
    let others = content.constants.iter().copied().filter(|constant| field_of(constant).is_none());
    let others: Vec<&Constant> = others.collect();
    if !others.is_empty() {
        page.section("CONSTANTS");
    }
    for constants in others.chunk_by(|a, b| a.doc == b.doc) {
        let tags: Vec<String> = constants.iter().map(|constant| definition(constant)).collect();
        page.tagged(&tags.join(", "), &prose(&constants[0].doc.join(" ")));
    }
}

fn definition(constant: &Constant) -> String {
    format!("{} ({})", bold(&constant.name), plain(&constant.value))
}

/// The names of the variables; what they mean is in hcube(1).
fn environment(page: &mut Page, part: &Part) {
    let mut names: Vec<String> = Vec::new();
    for variable in part.variables.iter().flat_map(Group::variables) {
        let name = bold(variable.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        let text = format!("{}: see {}.", names.join(", "), reference("hcube", 1));
        page.section("ENVIRONMENT").paragraph(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_tool::variables;

    fn header() -> Interface {
        header::library().expect("valid")
    }

    #[test]
    fn everything_of_the_header_is_on_one_page() {
        let header = header();
        let contents = divide(&header);
        let sum = |count: fn(&Content<'_>) -> usize| contents.iter().map(count).sum::<usize>();
        assert_eq!(sum(|content| content.functions.len()), header.functions.len());
        assert_eq!(sum(|content| content.structures.len()), header.structures.len());
        assert_eq!(sum(|content| content.constants.len()), header.constants.len());
        assert_eq!(sum(|content| content.types.len()), header.types.len());
        let caf = PARTS.iter().position(|part| part.page == "hcube_caf").expect("a page");
        let names =
            |content: &Content<'_>| content.structures.iter().map(|s| s.name.clone()).collect::<Vec<_>>();
        assert!(names(&contents[caf]).contains(&"hcube_place".to_owned()), "{:?}", names(&contents[caf]));
        assert!(contents[caf].types.iter().any(|known| known.name == "hcube_caf_function"));
        assert!(contents[caf].constants.iter().any(|constant| constant.name == "HCUBE_CAF_THIS_IMAGE"));
        let structures: Vec<&str> = contents[0].structures.iter().map(|s| &*s.name).collect();
        assert!(
            structures.contains(&"hcube_table") && !structures.contains(&"hcube_error"),
            "{structures:?}"
        );
        // A constant that names a field names one that there is.
        for constant in &header.constants {
            let Some((structure, field, _)) = field_of(constant) else { continue };
            // Or an argument of a function.
            let function = header.functions.iter().find(|known| known.name == structure);
            if function.is_some_and(|function| function.parameters.iter().any(|known| known.name == field)) {
                continue;
            }
            let structure = header.structures.iter().find(|known| known.name == structure);
            let structure = structure.unwrap_or_else(|| panic!("{}: no such structure", constant.name));
            assert!(structure.fields.iter().any(|known| known.name == field), "{}", constant.name);
        }
    }

    #[test]
    fn arguments_and_errors_stand_below_tags() {
        let header = header();
        let function =
            header.functions.iter().find(|f| f.name == "hcube_alltoall_last_path").expect("declared");
        let mut page = Page::new("x", 3);
        page.section("FUNCTIONS");
        describe(&mut page, &function.doc, function);
        let text = page.finish();
        assert!(text.contains(".TP\n\\fItext, length\\fR\nA buffer of length bytes"), "{text}");
        assert!(text.contains(".TP\n\\fBErrors\\fR\n\\fBHCUBE_ERR_ARGUMENT\\fR, "), "{text}");
    }

    #[test]
    fn long_declarations_are_divided() {
        let header = header();
        for function in &header.functions {
            for line in declaration(function) {
                let shown = line.replace("\\fB", "").replace("\\fI", "").replace("\\fR", "");
                assert!(shown.len() <= WIDTH, "{shown}");
            }
        }
    }

    #[test]
    fn fields_that_variables_stand_for_exist() {
        let header = header();
        for group in variables::GROUPS {
            let Some(name) = group.structure else { continue };
            let structure =
                header.structures.iter().find(|structure| structure.name == name).expect("declared");
            for field in group.variables().flat_map(|variable| variable.fields) {
                assert!(structure.fields.iter().any(|known| known.name == field), "{name}.{field}");
            }
        }
    }
}
