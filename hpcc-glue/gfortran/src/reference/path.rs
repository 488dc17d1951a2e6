//! The steps of a reference, as words that can be sent to another image.

use crate::abi::{MAX_RANK, Reference, kind, mode, step, subscript};
use crate::failure::{Failure, Result};
use std::ffi::c_int;

/// A reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path(pub Vec<Step>);

/// A step of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// To a component.
    Component {
        /// Its bytes from the beginning of the object.
        offset: isize,
        /// Whether the component is allocatable or a pointer.
        is_indirect: bool,
        /// Bytes of its token from the beginning of the object.
        token: isize,
        /// Bytes of an element.
        element: usize,
    },
    /// To elements of an array.
    Elements {
        /// Whether the array has no descriptor.
        is_static: bool,
        /// Bytes of an element.
        element: usize,
        /// Per dimension.
        chosen: Vec<Chosen>,
    },
}

/// Elements of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// One.
    Single(isize),
    /// The elements of a vector subscript.
    Vector(Vec<isize>),
    /// All elements; the end belongs to an array without a descriptor.
    Full { end: isize, stride: isize },
    /// A part.
    Range { start: isize, end: isize, stride: isize },
    /// From one element to the last; the end belongs to an array without a descriptor.
    From { start: isize, end: isize, stride: isize },
    /// From the first to one.
    UpTo { end: isize, stride: isize },
}

impl Path {
    /// The steps of a reference of the compiler.
    ///
    /// # Safety
    /// It is one, or NULL.
    pub unsafe fn of(mut reference: *const Reference) -> Result<Self> {
        // A component of an array, and elements of both.
        let mut steps = Vec::with_capacity(4);
        // SAFETY: NULL or a reference of the compiler, as is what follows it.
        while let Some(one) = unsafe { reference.as_ref() } {
            // SAFETY: a step of the compiler.
            steps.push(unsafe { read_step(one) }?);
            reference = one.next;
        }
        Ok(Self(steps))
    }

    /// An error if it leads to text of deferred length, for which gfortran 12 to 14 pass no length; `kind` is
    /// the type.
    pub fn check(&self, kind: c_int) -> Result<()> {
        let bytes = match self.0.last() {
            Some(Step::Component { element, .. } | Step::Elements { element, .. }) => *element,
            None => 0,
        };
        if kind != c_int::from(kind::CHARACTER) || bytes > 0 {
            return Ok(());
        }
        let text = "text of deferred length, which gfortran 12 to 14 do not pass: declare the component with a length";
        Err(Failure::new(text))
    }

    /// As words.
    pub fn words(&self) -> Vec<i64> {
        let mut words = vec![self.0.len() as i64];
        for step in &self.0 {
            match step {
                Step::Component { offset, is_indirect, token, element } => words.extend([
                    COMPONENT,
                    *offset as i64,
                    i64::from(*is_indirect),
                    *token as i64,
                    *element as i64,
                ]),
                Step::Elements { is_static, element, chosen } => {
                    words.extend([ELEMENTS, i64::from(*is_static), *element as i64, chosen.len() as i64]);
                    chosen.iter().for_each(|chosen| chosen.write(&mut words));
                }
            }
        }
        words
    }

    /// Reads its own words from the front of a message.
    pub fn read(words: &mut Words<'_>) -> Result<Self> {
        let count = words.take()?;
        let steps = (0..count).map(|_| match words.take()? {
            COMPONENT => Ok(Step::Component {
                offset: words.take()? as isize,
                is_indirect: words.take()? != 0,
                token: words.take()? as isize,
                element: words.take()? as usize,
            }),
            _ => {
                let (is_static, element) = (words.take()? != 0, words.take()? as usize);
                let rank = words.take()?;
                let chosen = (0..rank).map(|_| Chosen::read(words)).collect::<Result<_>>()?;
                Ok(Step::Elements { is_static, element, chosen })
            }
        });
        Ok(Self(steps.collect::<Result<_>>()?))
    }
}

const COMPONENT: i64 = 0;
const ELEMENTS: i64 = 1;

/// Reads a step of the compiler.
///
/// # Safety
/// It is one.
unsafe fn read_step(reference: &Reference) -> Result<Step> {
    let element = reference.item_size;
    if reference.kind == step::COMPONENT {
        // SAFETY: the kind says so.
        let component = unsafe { reference.of.component };
        return Ok(Step::Component {
            offset: component.offset,
            is_indirect: component.token_offset != 0,
            token: component.token_offset,
            element,
        });
    }
    if ![step::ARRAY, step::STATIC_ARRAY].contains(&reference.kind) {
        return Err(Failure::new(format!(
            "a reference of type {}: expected one of gfortran 12 to 14",
            reference.kind
        )));
    }
    // SAFETY: the kind says that it is an array.
    let elements = unsafe { &reference.of.array };
    let mut chosen = Vec::new();
    for number in 0..MAX_RANK {
        let subscripts = &elements.dimensions[number];
        // SAFETY: the mode says which one it is; a vector has its elements.
        let one = unsafe {
            let range = subscripts.range;
            match elements.modes[number] {
                mode::NONE => break,
                mode::VECTOR => {
                    let vector = subscripts.vector;
                    Chosen::Vector(
                        (0..vector.count).map(|at| subscript(vector.data, vector.kind, at)).collect(),
                    )
                }
                mode::FULL => Chosen::Full { end: range.end, stride: range.stride },
                mode::RANGE => Chosen::Range { start: range.start, end: range.end, stride: range.stride },
                mode::SINGLE => Chosen::Single(range.start),
                mode::OPEN_END => Chosen::From { start: range.start, end: range.end, stride: range.stride },
                mode::OPEN_START => Chosen::UpTo { end: range.end, stride: range.stride },
                other => return Err(Failure::new(format!("subscripts of mode {other}"))),
            }
        };
        chosen.push(one);
    }
    Ok(Step::Elements { is_static: reference.kind == step::STATIC_ARRAY, element, chosen })
}

impl Chosen {
    /// Whether all elements are selected, in order. The compiler describes `x(::2)` like `x(:)`, except for
    /// the stride.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Full { stride: 0..=1, .. })
    }

    fn write(&self, words: &mut Vec<i64>) {
        let word = |value: &isize| *value as i64;
        match self {
            Self::Single(index) => words.extend([0, word(index)]),
            Self::Vector(all) => {
                words.extend([1, all.len() as i64]);
                words.extend(all.iter().map(word));
            }
            Self::Full { end, stride } => words.extend([2, word(end), word(stride)]),
            Self::Range { start, end, stride } => words.extend([3, word(start), word(end), word(stride)]),
            Self::From { start, end, stride } => words.extend([4, word(start), word(end), word(stride)]),
            Self::UpTo { end, stride } => words.extend([5, word(end), word(stride)]),
        }
    }

    fn read(words: &mut Words<'_>) -> Result<Self> {
        let kind = words.take()?;
        let mut next = || words.take().map(|word| word as isize);
        Ok(match kind {
            0 => Self::Single(next()?),
            1 => {
                let count = next()?;
                Self::Vector((0..count).map(|_| next()).collect::<Result<_>>()?)
            }
            2 => Self::Full { end: next()?, stride: next()? },
            3 => Self::Range { start: next()?, end: next()?, stride: next()? },
            4 => Self::From { start: next()?, end: next()?, stride: next()? },
            _ => Self::UpTo { end: next()?, stride: next()? },
        })
    }
}

/// Words of a message, and what follows them.
#[derive(Debug)]
pub struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    /// The words of a message.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next one.
    pub fn take(&mut self) -> Result<i64> {
        let (word, rest) = self.0.split_first_chunk().ok_or_else(|| Failure::new("a message ends early"))?;
        self.0 = rest;
        Ok(i64::from_ne_bytes(*word))
    }

    /// What follows.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::memory::bytes_of;

    #[test]
    fn a_path_survives_a_message() {
        let chosen = vec![
            Chosen::Single(-3),
            Chosen::Vector(vec![1, 5, 2]),
            Chosen::Full { end: 7, stride: 1 },
            Chosen::Range { start: 1, end: 9, stride: 2 },
            Chosen::From { start: 4, end: 9, stride: 1 },
            Chosen::UpTo { end: 3, stride: -1 },
        ];
        let path = Path(vec![
            Step::Component { offset: 8, is_indirect: true, token: 96, element: 4 },
            Step::Elements { is_static: false, element: 4, chosen },
            Step::Component { offset: -8, is_indirect: false, token: 0, element: 16 },
        ]);
        let mut words = path.words();
        words.push(42);
        let mut words = Words::new(bytes_of(&words));
        assert_eq!(Path::read(&mut words).expect("complete"), path);
        assert_eq!(words.take().expect("one more"), 42);
        assert!(words.take().is_err());
    }
}
