//! The C interface of hcube as a model: what the headers declare, with the comments. The manual pages, the
//! Fortran modules and the record of the binary interface follow from it.

pub mod fortran;
mod reader;
pub mod text;

/// A comment, line by line.
pub type Doc = Vec<String>;

/// `#define NAME VALUE`; several in a row may share a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// With its parameters, if it has some.
    pub name: String,
    /// The text after the name.
    pub value: String,
    /// Its comment.
    pub doc: Doc,
}

/// A field or a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, or `...`.
    pub name: String,
    /// The text before the name.
    pub before: String,
    /// The text after it.
    pub behind: String,
    /// The comment of a field.
    pub doc: Doc,
}

/// `typedef struct name { ... } name;`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    /// Its name.
    pub name: String,
    /// In their order.
    pub fields: Vec<Field>,
    /// Its comment.
    pub doc: Doc,
}

/// `typedef uint64_t name;`, or of a pointer to a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// Its name.
    pub name: String,
    /// As it is written, without `typedef` and the semicolon.
    pub declaration: String,
    /// Its comment.
    pub doc: Doc,
}

/// A function; several in a row may share a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The type that it returns, as it stands before the name.
    pub result: String,
    /// In their order.
    pub parameters: Vec<Field>,
    /// Its comment.
    pub doc: Doc,
}

/// All that one or several headers declare.
#[derive(Debug, Default)]
pub struct Interface {
    /// The first comment of the first header.
    pub about: Doc,
    /// Constants and macros.
    pub constants: Vec<Constant>,
    /// Structures with fields.
    pub structures: Vec<Structure>,
    /// Other types, where they have a comment.
    pub types: Vec<Type>,
    /// Functions.
    pub functions: Vec<Function>,
}
