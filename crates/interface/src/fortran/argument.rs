//! The declarations of the arguments of a procedure, and what it passes to C for them.

use super::kind::{Base, Kind};

/// The C argument that a procedure passes for an argument, and its conversion.
#[derive(Debug, Default)]
pub struct Passing {
    /// What C receives.
    pub actual: String,
    /// Types and names of local variables.
    pub locals: Vec<(String, String)>,
    /// Statements before the call.
    pub before: Vec<String>,
    /// Statements where the call has succeeded.
    pub after: Vec<String>,
}

/// An argument as a template writes it: `[type] [c_name =>] name[shape][?]`, or `c_name = expression`.
///
/// - A type takes the place of the one that follows from C, for example `logical`. `out` is `intent(out)`.
/// - The procedure may use another name than C: `text => path`.
/// - Shapes are `(*)` and `(:)` of arrays; `(..)` is memory of any type and rank, whose address C
///   receives. Without a shape it is a scalar.
/// - `?` marks an optional argument.
/// - An expression is passed for what the procedure has no argument for.
#[derive(Debug)]
pub struct Argument<'a> {
    pub c_name: &'a str,
    pub name: &'a str,
    own_type: Option<&'a str>,
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
        let (c_name, text) = text.split_once(" => ").map_or((None, text), |(name, text)| (Some(name), text));
        let (own_type, text) = text.rsplit_once(' ').map_or((None, text), |(word, text)| (Some(word), text));
        let (name, shape) = text.find('(').map_or((text, ""), |at| text.split_at(at));
        let (out, own_type) = (own_type == Some("out"), own_type.filter(|word| *word != "out"));
        Self { c_name: c_name.unwrap_or(name), name, own_type, shape, out, optional, expression: None }
    }

    /// An argument of C that the procedure does not have.
    pub fn given(c_name: &'a str, expression: &'a str) -> Self {
        let expression = Some(expression);
        Self { c_name, name: c_name, own_type: None, shape: "", out: false, optional: false, expression }
    }

    /// Type and name of one that procedures have and C does not.
    pub fn of_procedures(&self) -> Option<(String, String)> {
        let kind = match self.name {
            "ierror" => "integer, intent(out)",
            "message" => "character(len=*), intent(out)",
            _ => return None,
        };
        Some((format!("{kind}{}", self.optional()), self.name.to_owned()))
    }

    fn optional(&self) -> &'static str {
        if self.optional { ", optional" } else { "" }
    }

    /// Type and name in the interface of the function of C.
    pub fn of_c(&self, kind: &Kind) -> (String, String) {
        let name = self.c_name.to_owned();
        match kind.base.of_c() {
            _ if self.shape == "(..)" => ("type(c_ptr), value".to_owned(), name),
            c if kind.pointers == 0 => (format!("{c}, value"), name),
            c => {
                let shape = if self.shape.is_empty() && !kind.is_text() { "" } else { "(*)" };
                (format!("{c}{}{}", kind.intent(), self.optional()), name + shape)
            }
        }
    }

    /// Type and name in the procedure.
    pub fn of_program(&self, kind: &Kind) -> (String, String) {
        let own_type = match self.own_type {
            Some(own_type) => own_type.to_owned(),
            None if kind.is_text() => "character(len=*)".to_owned(),
            None => kind.base.of_programs(),
        };
        let attributes = match self.shape {
            "(..)" => ", contiguous, target",
            "(:)" => ", contiguous",
            _ => "",
        };
        let intent = if self.out { ", intent(out)" } else { kind.intent() };
        (format!("{own_type}{attributes}{intent}{}", self.optional()), format!("{}{}", self.name, self.shape))
    }

    /// The conversion by the procedure.
    pub fn passing(&self, kind: &Kind) -> Passing {
        let (name, c_type) = (self.name, kind.base.of_c());
        let actual = |actual: String| Passing { actual, ..Passing::default() };
        // A 32-bit integer in C is a default integer here, or has a separate type.
        let differs = kind.base == Base::Int32 && self.own_type != Some(&*c_type);
        let logical = self.own_type == Some("logical");
        if let Some(expression) = self.expression {
            actual(expression.to_owned())
        } else if let Base::Function(_) = kind.base {
            actual(format!("c_funloc({name})"))
        } else if self.shape == "(..)" {
            actual(format!("c_loc({name})"))
        } else if kind.is_text() {
            Passing {
                actual: "line".to_owned(),
                locals: vec![(c_type, format!("line(len({name}) + 1)"))],
                before: Vec::new(),
                after: vec![format!("call copy(line, {name})")],
            }
        } else if kind.pointers == 0 && self.optional {
            let value = format!("{name}_or_0");
            let before = vec![format!("{value} = 0"), format!("if (present({name})) {value} = {name}")];
            Passing { locals: vec![(c_type, value.clone())], before, ..actual(value) }
        } else if kind.pointers == 0 && logical {
            actual(format!("merge(1_c_int32_t, 0_c_int32_t, {name})"))
        } else if kind.pointers == 0 && differs {
            actual(format!("int({name}, c_int32_t)"))
        } else if differs {
            let out = format!("{name}_out");
            // Elements of an array that C does not write stay.
            let (size, first) =
                if self.shape.is_empty() { (String::new(), "0") } else { (format!("(size({name}))"), name) };
            Passing {
                locals: vec![(c_type, format!("{out}{size}"))],
                before: vec![format!("{out} = {first}")],
                after: vec![format!("{name} = {out}{}", if logical { " == 1" } else { "" })],
                actual: out,
            }
        } else {
            actual(name.to_owned())
        }
    }
}
