//! The Fortran types of C types.

use crate::{Field, Interface};

/// A C type, without `const` and without its pointers.
#[derive(Debug, PartialEq, Eq)]
pub enum Base {
    Int,
    Int32,
    Int64,
    Double,
    Character,
    /// Memory of any type.
    Void,
    /// A structure that the headers describe.
    Structure(String),
    /// An address, also of a structure that they do not describe.
    Address,
    /// A pointer to a function of this type.
    Function(String),
}

impl Base {
    /// In interfaces of C.
    pub fn of_c(&self) -> String {
        match self {
            Self::Int => "integer(c_int)",
            Self::Int32 => "integer(c_int32_t)",
            Self::Int64 => "integer(c_int64_t)",
            Self::Double => "real(c_double)",
            Self::Character => "character(kind=c_char)",
            Self::Void => "type(*)",
            Self::Structure(name) => return format!("type({name})"),
            Self::Address => "type(c_ptr)",
            Self::Function(_) => "type(c_funptr)",
        }
        .to_owned()
    }

    /// In programs, to which default kinds serve for the short types of C.
    pub fn of_programs(&self) -> String {
        match self {
            Self::Int | Self::Int32 => "integer".to_owned(),
            Self::Character => "character".to_owned(),
            Self::Function(name) => format!("procedure({name})"),
            _ => self.of_c(),
        }
    }
}

/// A type of C.
#[derive(Debug)]
pub struct Kind {
    pub base: Base,
    pub constant: bool,
    /// How many pointers lead to it.
    pub pointers: usize,
}

impl Kind {
    /// The type of a parameter or a field.
    pub fn of(field: &Field, interface: &Interface) -> Self {
        let words = field.before.replace(['*', '('], " ");
        let name = words.split_whitespace().rfind(|word| *word != "const").unwrap_or_default();
        let alias = interface.types.iter().find(|known| known.name == name);
        let alias = alias.map_or("", |known| &known.declaration);
        let pointers = field.before.matches('*').count();
        let (base, pointers) = match alias.split(' ').next().filter(|base| !base.is_empty()).unwrap_or(name) {
            _ if field.before.contains("(*") || alias.contains("(*") => (Base::Function(name.to_owned()), 0),
            "int" | "MPI_Fint" => (Base::Int, pointers),
            "int32_t" | "uint32_t" => (Base::Int32, pointers),
            "int64_t" | "uint64_t" => (Base::Int64, pointers),
            "double" => (Base::Double, pointers),
            "char" => (Base::Character, pointers),
            "void" if pointers == 1 => (Base::Void, pointers),
            _ if interface.structures.iter().any(|known| known.name == name) => {
                (Base::Structure(name.to_owned()), pointers)
            }
            _ => (Base::Address, pointers - 1),
        };
        Self { base, constant: field.before.contains("const "), pointers }
    }

    /// A text that C writes.
    pub fn is_text(&self) -> bool {
        self.base == Base::Character && self.pointers == 1
    }

    /// The treatment of an argument.
    pub fn intent(&self) -> &'static str {
        match self.base {
            Base::Function(_) => "",
            _ if self.constant || self.pointers == 0 => ", intent(in)",
            // So MPI declares buffers.
            Base::Void => "",
            _ => ", intent(inout)",
        }
    }
}

/// Type, and name with shape, of a component of a structure.
pub fn component(field: &Field, interface: &Interface) -> (String, String) {
    let Kind { base, pointers, .. } = Kind::of(field, interface);
    let base = if pointers > 0 { Base::Address } else { base };
    let length = field.behind.strip_prefix('[').and_then(|behind| behind.strip_suffix(']'));
    let shape = length.map_or_else(String::new, |length| format!("({length})"));
    (base.of_c(), format!("{}{shape}", field.name))
}
