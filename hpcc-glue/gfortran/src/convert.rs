//! Conversion between types and kinds, as by intrinsic assignment.
//!
//! Idea: an element of one type is read, converted and written as an element of the other. Numbers of at most
//! 8 bytes use Rust's conversions; `real(10)` and `real(16)` use C (`number.c`).
//!
//! Cost: a few ns per element; elements of the usual kinds have a specialised loop.

use crate::abi::kind;
use hcube_core::error::{Error, Result};
use std::ffi::{c_char, c_int};
use std::fmt;
use std::ptr;

unsafe extern "C" {
    fn hcube_caf_real_from_real(to: *mut c_char, to_kind: c_int, from: *const c_char, from_kind: c_int);
    fn hcube_caf_real_from_integer(to: *mut c_char, to_kind: c_int, high: i64, low: u64);
    fn hcube_caf_integer_from_real(high: *mut i64, low: *mut u64, from: *const c_char, from_kind: c_int);
}

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Type {
    /// One of [`kind`].
    pub kind: i8,
    /// The kind parameter: bytes of a number or of a part of a complex number, or of a character.
    pub parameter: c_int,
    /// Bytes of an element.
    pub bytes: usize,
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parameter, bytes, .. } = *self;
        match self.kind {
            kind::INTEGER => write!(out, "integer({parameter})"),
            kind::LOGICAL => write!(out, "logical({parameter})"),
            kind::REAL => write!(out, "real({parameter})"),
            kind::COMPLEX => write!(out, "complex({parameter})"),
            kind::CHARACTER => write!(out, "character({}, {parameter})", bytes / parameter.max(1) as usize),
            _ => write!(out, "a derived type of {bytes} bytes"),
        }
    }
}

/// The treatment of a type in a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Integer,
    Real,
    Complex,
    Text,
    Other,
}

impl Type {
    fn class(self) -> Class {
        match self.kind {
            kind::INTEGER | kind::LOGICAL => Class::Integer,
            kind::REAL => Class::Real,
            kind::COMPLEX => Class::Complex,
            kind::CHARACTER => Class::Text,
            _ => Class::Other,
        }
    }

    /// The type of a part of a complex number.
    fn part(self) -> Self {
        Self { kind: kind::REAL, bytes: self.bytes / 2, ..self }
    }

    /// Whether elements of the other type are copied unchanged to elements of this type.
    pub fn is_copied_from(self, other: Self) -> bool {
        let same = self.bytes == other.bytes;
        same && (self.kind == other.kind && self.parameter == other.parameter
            || self.class() == Class::Other
            || other.class() == Class::Other)
    }

    /// Whether elements of the other type can be converted to this type.
    ///
    /// # Errors
    /// For types between which Fortran has no assignment.
    pub fn check(self, other: Self) -> Result<()> {
        let is_number = |class| matches!(class, Class::Integer | Class::Real | Class::Complex);
        let (to, from) = (self.class(), other.class());
        // The compiler passes what `char` returns as an integer of that kind.
        let is_character = self.kind == kind::CHARACTER
            && other.kind == kind::INTEGER
            && (self.parameter, self.parameter as usize) == (other.parameter, other.bytes);
        let is_known = is_number(to) && is_number(from) || to == Class::Text && from == Class::Text;
        let is_known = is_known || is_character;
        if is_known || self.is_copied_from(other) {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "{other} is assigned to {self}: expected types between which Fortran converts"
        )))
    }
}

/// Converts an element.
///
/// # Safety
/// Both lie in memory, and [`Type::check`] allows the conversion.
pub unsafe fn convert(into: Type, to: *mut u8, of: Type, from: *const u8) {
    // SAFETY: `from` has the bytes of its type and `to` has room for the bytes of its own type; parts of a
    // complex number are contiguous.
    unsafe {
        match (into.class(), of.class()) {
            _ if into.is_copied_from(of) => ptr::copy(from, to, into.bytes),
            (Class::Text, _) => text(into, to, of, from),
            (Class::Complex, Class::Complex) => {
                let (part, source) = (into.part(), of.part());
                real(part, to, source, from);
                real(part, to.add(part.bytes), source, from.add(source.bytes));
            }
            (Class::Complex, _) => {
                let part = into.part();
                real(part, to, of, from);
                to.add(part.bytes).write_bytes(0, part.bytes);
            }
            (_, Class::Complex) => real(into, to, of.part(), from),
            _ => real(into, to, of, from),
        }
    }
}

/// Converts a number that is not complex.
///
/// # Safety
/// As [`convert`].
unsafe fn real(into: Type, to: *mut u8, of: Type, from: *const u8) {
    // SAFETY: the number at `from` has the bytes of its type, and `to` has room for the bytes of its own
    // type.
    unsafe {
        match (into.class(), of.class()) {
            (Class::Integer, Class::Integer) => {
                write_integer(to, into.parameter, read_integer(from, of.parameter))
            }
            (Class::Integer, _) => {
                let value = match of.parameter {
                    4 => from.cast::<f32>().read_unaligned() as i128,
                    8 => from.cast::<f64>().read_unaligned() as i128,
                    other => {
                        let (mut high, mut low) = (0, 0);
                        hcube_caf_integer_from_real(&mut high, &mut low, from.cast(), other);
                        i128::from(high) << 64 | i128::from(low)
                    }
                };
                write_integer(to, into.parameter, value);
            }
            (_, Class::Integer) => {
                let value = read_integer(from, of.parameter);
                match into.parameter {
                    4 => to.cast::<f32>().write_unaligned(value as f32),
                    8 => to.cast::<f64>().write_unaligned(value as f64),
                    other => {
                        hcube_caf_real_from_integer(to.cast(), other, (value >> 64) as i64, value as u64)
                    }
                }
            }
            _ => match (into.parameter, of.parameter) {
                (4, 8) => to.cast::<f32>().write_unaligned(from.cast::<f64>().read_unaligned() as f32),
                (8, 4) => to.cast::<f64>().write_unaligned(f64::from(from.cast::<f32>().read_unaligned())),
                (one, other) => hcube_caf_real_from_real(to.cast(), one, from.cast(), other),
            },
        }
    }
}

/// Reads an integer.
///
/// # Safety
/// It is there.
unsafe fn read_integer(from: *const u8, bytes: c_int) -> i128 {
    // SAFETY: an integer of this many bytes lies there.
    unsafe {
        match bytes {
            1 => from.cast::<i8>().read_unaligned().into(),
            2 => from.cast::<i16>().read_unaligned().into(),
            4 => from.cast::<i32>().read_unaligned().into(),
            8 => from.cast::<i64>().read_unaligned().into(),
            _ => from.cast::<i128>().read_unaligned(),
        }
    }
}

/// Writes an integer.
///
/// # Safety
/// There is memory for it.
unsafe fn write_integer(to: *mut u8, bytes: c_int, value: i128) {
    // SAFETY: there is memory for an integer of this many bytes.
    unsafe {
        match bytes {
            1 => to.cast::<i8>().write_unaligned(value as i8),
            2 => to.cast::<i16>().write_unaligned(value as i16),
            4 => to.cast::<i32>().write_unaligned(value as i32),
            8 => to.cast::<i64>().write_unaligned(value as i64),
            _ => to.cast::<i128>().write_unaligned(value),
        }
    }
}

/// A character that ASCII does not have, as a compiler writes it in a shorter kind.
const UNKNOWN: u8 = b'?';

/// Copies text, and cuts it or adds blanks.
///
/// # Safety
/// As [`convert`].
unsafe fn text(into: Type, to: *mut u8, of: Type, from: *const u8) {
    let length = |of: Type| of.bytes / of.parameter.max(1) as usize;
    let common = length(into).min(length(of));
    // SAFETY: both have the characters that their bytes and their kinds tell.
    unsafe {
        match (into.parameter, of.parameter) {
            (1, 1) => {
                ptr::copy(from, to, common);
                to.add(common).write_bytes(b' ', length(into) - common);
            }
            (1, _) => {
                for at in 0..length(into) {
                    let wide =
                        if at < common { from.cast::<u32>().add(at).read_unaligned() } else { b' '.into() };
                    to.add(at).write(u8::try_from(wide).unwrap_or(UNKNOWN));
                }
            }
            (_, narrow) => {
                for at in 0..length(into) {
                    let character = match narrow {
                        _ if at >= common => b' '.into(),
                        1 => u32::from(from.add(at).read()),
                        _ => from.cast::<u32>().add(at).read_unaligned(),
                    };
                    to.cast::<u32>().add(at).write_unaligned(character);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind of a derived type.
    const DERIVED: i8 = 5;

    const fn number(kind: i8, parameter: c_int, bytes: usize) -> Type {
        Type { kind, parameter, bytes }
    }

    const fn characters(parameter: c_int, length: usize) -> Type {
        Type { kind: kind::CHARACTER, parameter, bytes: parameter as usize * length }
    }

    /// The bytes of an element that has become one of another type.
    fn converted(into: Type, of: Type, from: &[u8]) -> Vec<u8> {
        assert_eq!(of.bytes, from.len());
        assert_eq!(into.check(of), Ok(()));
        let mut to = vec![0xaa; into.bytes];
        // SAFETY: both have the bytes of their types.
        unsafe { convert(into, to.as_mut_ptr(), of, from.as_ptr()) };
        to
    }

    const I1: Type = number(kind::INTEGER, 1, 1);
    const I4: Type = number(kind::INTEGER, 4, 4);
    const I8: Type = number(kind::INTEGER, 8, 8);
    const I16: Type = number(kind::INTEGER, 16, 16);
    const R4: Type = number(kind::REAL, 4, 4);
    const R8: Type = number(kind::REAL, 8, 8);
    const C8: Type = number(kind::COMPLEX, 8, 16);
    const C4: Type = number(kind::COMPLEX, 4, 8);

    #[test]
    fn numbers_become_numbers() {
        assert_eq!(converted(R8, I4, &(-7_i32).to_ne_bytes()), (-7.0_f64).to_ne_bytes());
        assert_eq!(converted(I4, R8, &(-7.9_f64).to_ne_bytes()), (-7_i32).to_ne_bytes());
        assert_eq!(converted(I1, I8, &300_i64.to_ne_bytes()), 44_i8.to_ne_bytes());
        assert_eq!(converted(R4, R8, &0.1_f64.to_ne_bytes()), 0.1_f32.to_ne_bytes());
        assert_eq!(converted(I16, I4, &(-3_i32).to_ne_bytes()), (-3_i128).to_ne_bytes());
        let pair = |re: f64, im: f64| [re.to_ne_bytes(), im.to_ne_bytes()].concat();
        assert_eq!(converted(C8, R4, &2.5_f32.to_ne_bytes()), pair(2.5, 0.0));
        assert_eq!(converted(I4, C8, &pair(9.5, 3.0)), 9_i32.to_ne_bytes());
        let single = [2.5_f32.to_ne_bytes(), (-1.0_f32).to_ne_bytes()].concat();
        assert_eq!(converted(C4, C8, &pair(2.5, -1.0)), single);
    }

    /// There and back by the kinds that C converts.
    #[test]
    fn wide_kinds_keep_the_others() {
        for parameter in [10, 16] {
            let wide = number(kind::REAL, parameter, 16);
            for value in [0.1_f64, -1e300, 0.0, 123_456_789.25] {
                let there = converted(wide, R8, &value.to_ne_bytes());
                assert_eq!(converted(R8, wide, &there), value.to_ne_bytes());
                let again = converted(wide, I8, &(value as i64).to_ne_bytes());
                if value.abs() < 1e9 {
                    assert_eq!(converted(I8, wide, &again), (value as i64).to_ne_bytes());
                }
            }
        }
    }

    #[test]
    fn text_is_cut_and_filled_with_blanks() {
        assert_eq!(converted(characters(1, 5), characters(1, 3), b"abc"), b"abc  ");
        assert_eq!(converted(characters(1, 2), characters(1, 3), b"abc"), b"ab");
        let wide = converted(characters(4, 3), characters(1, 2), b"xy");
        assert_eq!(wide, [b'x', b'y', b' '].map(|character| u32::from(character).to_ne_bytes()).concat());
        assert_eq!(converted(characters(1, 3), characters(4, 3), &wide), b"xy ");
        // The result of `char`.
        assert_eq!(converted(characters(1, 2), I1, b"c"), b"c ");
    }

    #[test]
    fn what_fortran_does_not_assign_is_refused() {
        let derived = number(DERIVED, 0, 24);
        assert!(I4.check(characters(1, 4)).is_err());
        assert!(characters(1, 4).check(I4).is_err());
        assert!(R8.check(derived).is_err());
        assert_eq!(derived.check(derived), Ok(()));
    }
}
