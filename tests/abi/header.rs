//! The declarations of a header, read from its text, and the program that prints their layout by a compiler.

use std::fmt::Write;

use hcube_interface::{Field, Interface, Structure};

/// All that a header declares, except its own version.
pub struct Header {
    pub constants: Vec<String>,
    pub structures: Vec<Structure>,
    /// Prototypes, one line each, and types of functions.
    pub functions: Vec<String>,
}

/// Whether a later version may add fields.
pub fn may_grow(structure: &Structure) -> bool {
    structure.fields[0].name == "struct_size"
}

fn declaration(Field { name, before, behind, .. }: &Field) -> String {
    format!("{before}{name}{behind}")
}

impl Header {
    pub fn parse(text: &str) -> Self {
        let mut read = Interface::default();
        read.read("header", text).expect("a header");
        let constants = read.constants.into_iter().map(|constant| constant.name);
        let functions = read.functions.iter().map(|function| {
            let parameters = function.parameters.iter().map(declaration);
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            let parameters = if parameters.is_empty() { "void" } else { &parameters };
            format!("{}{}({parameters})", function.result, function.name)
        });
        let types = read.types.iter().filter(|known| known.declaration.contains('('));
        let types = types.map(|known| format!("typedef {}", known.declaration));
        Self {
            constants: constants.filter(|name| !name.starts_with("HCUBE_VERSION")).collect(),
            functions: functions.chain(types).collect(),
            structures: read.structures,
        }
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
        for Structure { name, fields, .. } in &self.structures {
            print(format!("struct {name} size %zu align %zu"), format!("sizeof({name}), _Alignof({name})"));
            for Field { name: field, before, behind, .. } in fields {
                let kind = format!("{}{behind}", before.trim());
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
        for (number, Structure { name, fields, .. }) in self.structures.iter().enumerate() {
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
