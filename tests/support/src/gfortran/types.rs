//! Types of elements: declarations, values and comparisons.

use crate::chance::Chance;

/// A type with its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Integer(u8),
    Real(u8),
    Complex(u8),
    Logical(u8),
    /// By kind and length.
    Text(u8, u8),
}

impl Type {
    pub fn any(chance: &mut Chance) -> Self {
        match chance.below(12) {
            0..=3 => Self::Integer(*chance.one(&[1, 2, 4, 4, 8])),
            4..=6 => Self::Real(*chance.one(&[4, 8, 8, 10, 16])),
            7..=8 => Self::Complex(*chance.one(&[4, 8])),
            9 => Self::Logical(*chance.one(&[1, 4, 8])),
            _ => Self::Text(*chance.one(&[1, 1, 4]), *chance.one(&[1, 3, 4, 7])),
        }
    }

    /// One that can be assigned to this one.
    pub fn convertible(self, chance: &mut Chance) -> Self {
        if chance.is(50) {
            return self;
        }
        match self {
            Self::Logical(_) => Self::Logical(*chance.one(&[1, 2, 4, 8])),
            Self::Text(kind, _) => Self::Text(kind, chance.from(1, 9) as u8),
            _ => match chance.below(3) {
                0 => Self::Integer(*chance.one(&[1, 2, 4, 8])),
                1 => Self::Real(*chance.one(&[4, 8, 10, 16])),
                _ => Self::Complex(*chance.one(&[4, 8])),
            },
        }
    }

    /// Whether the program can assign it to another one.
    pub fn becomes(self, other: Self) -> bool {
        match (self, other) {
            (Self::Text(one, _), Self::Text(two, _)) => one == two,
            (Self::Logical(_), Self::Logical(_)) => true,
            (Self::Text(..) | Self::Logical(_), _) | (_, Self::Text(..) | Self::Logical(_)) => false,
            _ => true,
        }
    }

    pub fn is_number(self) -> bool {
        !matches!(self, Self::Text(..) | Self::Logical(_))
    }

    pub fn declaration(self) -> String {
        match self {
            Self::Integer(kind) => format!("integer({kind})"),
            Self::Real(kind) => format!("real({kind})"),
            Self::Complex(kind) => format!("complex({kind})"),
            Self::Logical(kind) => format!("logical({kind})"),
            Self::Text(kind, length) => format!("character(kind={kind}, len={length})"),
        }
    }

    /// A value that depends on an integer expression. Every kind has it exactly.
    pub fn value(self, number: &str) -> String {
        match self {
            Self::Integer(kind) => format!("int(mod({number}, 101) - 50, {kind})"),
            Self::Real(kind) => format!("real(mod({number}, 101) - 50, {kind})/2"),
            Self::Complex(kind) => {
                format!("cmplx((mod({number}, 101) - 50)/2.0, mod({number}, 37) - 20, {kind})")
            }
            Self::Logical(kind) => format!("logical(mod({number}, 3) == 0, {kind})"),
            Self::Text(kind, length) => {
                // Above those that a character of one byte can be.
                let first = if kind == 4 { 945 } else { 97 };
                let one = |place: u8| format!("char({first} + mod({number} + {}, 25), {kind})", 3 * place);
                (0..length).map(one).collect::<Vec<_>>().join("//")
            }
        }
    }

    /// The operator that says whether two differ.
    pub fn differs(self) -> &'static str {
        if matches!(self, Self::Logical(_)) { ".neqv." } else { "/=" }
    }
}
