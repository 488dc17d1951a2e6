//! A procedure of a module, and the interface of the C function that it calls.

use super::argument::{Argument, Passing};
use super::kind::{Base, Kind};
use super::statement::{declarations, statement};
use crate::reader::arguments;
use crate::{Field, Function, Interface};

/// `[procedure =] hcube_function(arguments)`, and the function that has this name, or the one that has it
/// for Fortran's handles.
pub struct Call<'a> {
    pub name: &'a str,
    pub function: &'a Function,
    /// The arguments of the procedure, in its order.
    arguments: Vec<Argument<'a>>,
    interface: &'a Interface,
}

/// What C receives for arguments that no procedure has, by their names in C.
const CONVENTIONS: [(&str, &str); 3] = [
    ("error", "error"),
    ("length", "size(line, kind=c_int64_t)"),
    ("size", "int(c_sizeof(options), c_int64_t)"),
];

impl<'a> Call<'a> {
    pub fn parse(text: &'a str, interface: &'a Interface) -> Result<Self, String> {
        let (names, rest) = text.split_once('(').ok_or("expected arguments")?;
        let (name, c_name) = names.split_once(" = ").unwrap_or((names, names));
        let list = rest.strip_suffix(')').ok_or("expected the end of the arguments")?;
        let with_handles = c_name.replacen("hcube_", "hcube_fortran_", 1);
        let known = |name: &str| interface.functions.iter().find(|function| function.name == name);
        let function = known(&with_handles).or_else(|| known(c_name)).ok_or("no header has the function")?;
        let list = arguments(list).into_iter().map(str::trim).filter(|argument| !argument.is_empty());
        let mut list: Vec<Argument<'a>> = list.map(Argument::parse).collect();
        for field in &function.parameters {
            if !list.iter().any(|argument| argument.c_name == field.name) {
                let convention = CONVENTIONS.iter().find(|(name, _)| *name == field.name);
                let (_, expression) =
                    convention.ok_or_else(|| format!("nothing is passed for {}", field.name))?;
                list.push(Argument::given(&field.name, expression));
            }
        }
        let call = Self { name, function, arguments: list, interface };
        let unknown =
            |argument: &&Argument<'_>| argument.of_procedures().is_none() && call.field(argument).is_none();
        match call.arguments.iter().find(unknown) {
            Some(argument) => Err(format!("the function has no argument {}", argument.c_name)),
            None => Ok(call),
        }
    }

    /// The argument in C.
    fn field(&self, argument: &Argument<'_>) -> Option<&'a Field> {
        self.function.parameters.iter().find(|field| field.name == argument.c_name)
    }

    /// The arguments in the order of C, with their types there.
    fn of_c(&self) -> impl Iterator<Item = (&Argument<'a>, Kind)> {
        self.function.parameters.iter().map(|field| {
            let argument = self.arguments.iter().find(|argument| argument.c_name == field.name);
            (argument.expect("checked"), Kind::of(field, self.interface))
        })
    }

    /// The name of the function in the module.
    fn c_name(&self) -> String {
        let name = &self.function.name;
        let name =
            name.strip_prefix("hcube_fortran_").or_else(|| name.strip_prefix("hcube_")).unwrap_or(name);
        format!("c_{name}")
    }

    /// The interface of the function.
    pub fn interface(&self) -> String {
        let names: Vec<&str> = self.function.parameters.iter().map(|field| &*field.name).collect();
        let (name, bound) = (self.c_name(), &self.function.name);
        let result = match self.function.result.trim() {
            "int32_t" => "integer(c_int32_t)",
            "int" => "integer(c_int)",
            _ => "type(c_ptr)",
        };
        let head = format!("function {name}({}) bind(C, name=\"{bound}\")", names.join(", "));
        let mut all: Vec<_> = self.of_c().map(|(argument, kind)| argument.of_c(&kind)).collect();
        all.push((result.to_owned(), name));
        format!("{}      import\n{}    end function\n", statement(4, &head), declarations(6, &all))
    }

    /// The procedure, which calls it.
    pub fn procedure(&self) -> String {
        let own = self.arguments.iter().filter(|argument| argument.expression.is_none());
        let names: Vec<&str> = own.clone().map(|argument| argument.name).collect();
        let declaration = |argument: &Argument<'_>| {
            let kind = self.field(argument).map(|field| Kind::of(field, self.interface));
            argument.of_procedures().or_else(|| Some(argument.of_program(&kind?))).expect("checked")
        };
        let mut variables: Vec<(String, String)> = own.map(declaration).collect();
        let mut all = Passing::default();
        let mut passed = Vec::new();
        for (argument, kind) in self.of_c() {
            let Passing { actual, locals, before, after } = argument.passing(&kind);
            all.before.extend(self.sized(argument, &kind));
            all.before.extend(before);
            all.after.extend(after);
            all.locals.extend(locals);
            passed.push(actual);
        }
        // Functions that take the place of MPI's have no messages.
        let has_error = self.has("error");
        if has_error {
            variables.push(("type(hcube_error)".to_owned(), "error".to_owned()));
            all.locals.push(("integer(c_int32_t)".to_owned(), "code".to_owned()));
        }
        variables.extend(all.locals);
        let result = if has_error { "code" } else { "ierror" };
        let mut lines = all.before;
        lines.push(format!("{result} = {}({})", self.c_name(), passed.join(", ")));
        lines.extend(all.after.iter().map(|line| format!("if (code == HCUBE_SUCCESS) {line}")));
        lines.extend(has_error.then(|| "call settle(code, error, ierror, message)".to_owned()));
        let lines: String = lines.iter().map(|line| statement(4, line)).collect();
        let head = statement(2, &format!("subroutine {}({})", self.name, names.join(", ")));
        format!("{head}{}{lines}  end subroutine\n", declarations(4, &variables))
    }

    /// Whether the function of C has an argument of this name.
    fn has(&self, name: &str) -> bool {
        self.function.parameters.iter().any(|field| field.name == name)
    }

    /// Sets the size of a structure that C fills, where the size is not an argument.
    fn sized(&self, argument: &Argument<'_>, kind: &Kind) -> Option<String> {
        let Base::Structure(name) = &kind.base else { return None };
        let structure = self.interface.structures.iter().find(|known| known.name == *name)?;
        let sized = structure.fields[0].name == "struct_size" && !kind.constant && !self.has("size");
        sized.then(|| format!("{0}%struct_size = int(c_sizeof({0}), c_int64_t)", argument.name))
    }
}
