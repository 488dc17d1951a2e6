//! How the arguments of C are declared in Fortran, and what a procedure passes for its own.

use crate::{Field, Interface};

/// Local variables and statements that a procedure needs for one of its arguments.
#[derive(Debug, Default)]
pub struct Passing {
    /// What C receives.
    pub actual: String,
    /// Types and names.
    pub locals: Vec<(String, String)>,
    pub before: Vec<String>,
    /// Where the call has succeeded.
    pub after: Vec<String>,
}

/// An argument as a template writes it: `[words] [c_name =>] name[shape][?]`, or `c_name = expression`.
///
/// - Words before the name are another type than that of C, for example `logical`, or `out`, for
///   `intent(out)`.
/// - The procedure may give it another name than C: `text => path`.
/// - Shapes are `(*)` and `(:)` of arrays; `(..)` is memory of any type and rank, of which C receives the
///   address. Without a shape it is a scalar.
/// - `?` says that it is optional.
/// - An expression is passed for what the procedure has no argument for.
#[derive(Debug)]
pub struct Argument<'a> {
    pub c_name: &'a str,
    pub name: &'a str,
    /// Empty: that of C.
    kind: &'a str,
    shape: &'a str,
    out: bool,
    optional: bool,
    /// What C receives, if the procedure does not have it.
    pub expression: Option<&'a str>,
}

impl<'a> Argument<'a> {
    pub fn parse(text: &'a str) -> Self {
        if let Some((c_name, expression)) = text.split_once(" = ") {
            return Self::given(c_name, expression);
        }
        let (text, optional) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
        let (text, c_name) = text.split_once(" => ").map_or((text, None), |(name, text)| (text, Some(name)));
        let (kind, text) = text.rsplit_once(' ').unwrap_or(("", text));
        let (name, shape) = text.find('(').map_or((text, ""), |at| text.split_at(at));
        let out = kind == "out";
        let kind = if out { "" } else { kind };
        Self { c_name: c_name.unwrap_or(name), name, kind, shape, out, optional, expression: None }
    }

    /// An argument of C that the procedure does not have.
    pub fn given(c_name: &'a str, expression: &'a str) -> Self {
        let expression = Some(expression);
        Self { c_name, name: c_name, kind: "", shape: "", out: false, optional: false, expression }
    }

    /// What every procedure has in addition: type and name.
    pub fn of_procedure(&self) -> Option<(String, String)> {
        let kind = match self.name {
            "ierror" => "integer, intent(out)",
            "message" => "character(len=*), intent(out)",
            _ => return None,
        };
        Some((self.with_optional(kind.to_owned()), self.name.to_owned()))
    }

    fn with_optional(&self, kind: String) -> String {
        if self.optional { kind + ", optional" } else { kind }
    }

    /// Declaration in the interface of the function of C.
    pub fn dummy(&self, field: &Field, interface: &Interface) -> (String, String) {
        let kind = Kind::of(field, interface);
        let by_value = kind.pointers == 0 || self.shape == "(..)";
        let declaration = match &*kind.c {
            "type(*)" if self.shape == "(..)" => "type(c_ptr), value".to_owned(),
            c if by_value => format!("{c}, value"),
            c => self.with_optional(format!("{c}{}", kind.intent(false))),
        };
        let array = if !by_value && !self.shape.is_empty() || kind.is_text() { "(*)" } else { "" };
        (declaration, format!("{}{array}", self.c_name))
    }

    /// Declaration in the procedure.
    pub fn declaration(&self, field: &Field, interface: &Interface) -> (String, String) {
        let kind = Kind::of(field, interface);
        let fortran = if self.kind.is_empty() { kind.fortran() } else { self.kind.to_owned() };
        let attributes = match self.shape {
            "(..)" => ", contiguous, target",
            "(:)" => ", contiguous",
            _ => "",
        };
        let intent = if kind.function.is_some() { "" } else { kind.intent(self.out) };
        (self.with_optional(format!("{fortran}{attributes}{intent}")), format!("{}{}", self.name, self.shape))
    }

    /// What the procedure does for it.
    pub fn passing(&self, field: &Field, interface: &Interface) -> Passing {
        let (kind, name) = (Kind::of(field, interface), self.name);
        let mut passing = Passing { actual: name.to_owned(), ..Passing::default() };
        // The default integers of programs are not those of C with 32 bits everywhere.
        let same = match self.kind {
            "" => kind.c != "integer(c_int32_t)",
            own => own == kind.c,
        };
        if let Some(expression) = self.expression {
            passing.actual = expression.to_owned();
        } else if kind.is_text() {
            passing.actual = "line".to_owned();
            passing.locals.push((kind.c.clone(), format!("line(len({name}) + 1)")));
            passing.after.push(format!("call copy(line, {name})"));
        } else if kind.function.is_some() {
            passing.actual = format!("c_funloc({name})");
        } else if self.shape == "(..)" {
            passing.actual = format!("c_loc({name})");
        } else if kind.pointers == 0 && self.optional {
            passing.actual = format!("{name}_or_0");
            passing.locals.push((kind.c.clone(), passing.actual.clone()));
            passing.before.push(format!("{name}_or_0 = 0"));
            passing.before.push(format!("if (present({name})) {name}_or_0 = {name}"));
        } else if kind.pointers == 0 && !same {
            passing.actual = match self.kind {
                "logical" => format!("merge(1_c_int32_t, 0_c_int32_t, {name})"),
                _ => format!("int({name}, c_int32_t)"),
            };
        } else if !same {
            // The elements that C leaves stay.
            let (size, first) = if self.shape.is_empty() { ("", "0") } else { ("(size(#))", name) };
            passing.actual = format!("{name}_out");
            passing.locals.push((kind.c.clone(), format!("{name}_out{}", size.replace('#', name))));
            passing.before.push(format!("{name}_out = {first}"));
            let result = if self.kind == "logical" { "_out == 1" } else { "_out" };
            passing.after.push(format!("{name} = {name}{result}"));
        }
        passing
    }
}

/// A type of C.
struct Kind {
    /// In Fortran's words, as C has it.
    c: String,
    constant: bool,
    /// How many pointers lead to it; those to structures that the headers do not describe are
    /// `type(c_ptr)`.
    pointers: usize,
    /// The type of a pointer to a function.
    function: Option<String>,
}

impl Kind {
    fn of(field: &Field, interface: &Interface) -> Self {
        let constant = field.before.contains("const ");
        let mut pointers = field.before.matches('*').count();
        let words = field.before.replace('*', " ");
        let base = words.split_whitespace().rfind(|word| *word != "const").unwrap_or_default();
        let alias = interface.types.iter().find(|known| known.name == base).map(|known| &*known.declaration);
        let is_function = field.before.contains("(*") || alias.is_some_and(|alias| alias.contains("(*"));
        let base = alias.and_then(|alias| alias.split_once(' ')).map_or(base, |(base, _)| base);
        let function = is_function.then(|| words.trim().to_owned());
        let c = match base {
            _ if is_function => {
                pointers = 0;
                "type(c_funptr)".to_owned()
            }
            "int" | "MPI_Fint" => "integer(c_int)".to_owned(),
            "int32_t" | "uint32_t" => "integer(c_int32_t)".to_owned(),
            "int64_t" | "uint64_t" => "integer(c_int64_t)".to_owned(),
            "double" => "real(c_double)".to_owned(),
            "char" => "character(kind=c_char)".to_owned(),
            "void" if pointers < 2 => "type(*)".to_owned(),
            _ if interface.structures.iter().any(|known| known.name == base) => format!("type({base})"),
            _ => {
                pointers -= 1;
                "type(c_ptr)".to_owned()
            }
        };
        Self { c, constant, pointers, function }
    }

    /// In the words of programs, to which the kinds of C are the default ones.
    fn fortran(&self) -> String {
        if let Some(function) = &self.function {
            return format!("procedure({function})");
        }
        match &*self.c {
            "integer(c_int)" | "integer(c_int32_t)" => "integer",
            "character(kind=c_char)" if self.pointers == 0 => "character",
            "character(kind=c_char)" => "character(len=*)",
            c => c,
        }
        .to_owned()
    }

    /// A text that C writes.
    fn is_text(&self) -> bool {
        self.c == "character(kind=c_char)" && self.pointers == 1
    }

    fn intent(&self, out: bool) -> &'static str {
        match &*self.c {
            _ if self.constant || self.pointers == 0 => ", intent(in)",
            // So MPI declares buffers.
            "type(*)" => "",
            _ if out => ", intent(out)",
            _ => ", intent(inout)",
        }
    }
}

/// Type and shape of a component.
pub fn component(field: &Field, interface: &Interface) -> (String, String) {
    let Kind { c, pointers, .. } = Kind::of(field, interface);
    let kind = if pointers > 0 { "type(c_ptr)".to_owned() } else { c };
    (
        kind,
        field
            .behind
            .strip_prefix('[')
            .map_or_else(String::new, |length| format!("({}", length.replace(']', ")"))),
    )
}
