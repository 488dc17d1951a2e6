//! Tokens: the compiler's handles of coarrays, and of their allocatable or pointer components.
//!
//! Idea: a token contains the handle of the runtime, and the addresses of the parts that this image can
//! access directly. The compiler's descriptor of a coarray is copied: the descriptor of a static coarray is
//! on the stack of a constructor, and the descriptor of an allocatable one is a variable, from which
//! `move_alloc` moves the coarray and which may get another one. Its bounds are set before the `sync all`
//! that the compiler inserts after `allocate`. The descriptor of a component is in the coarray.
//!
//! Components are allocated only by their image, in its heap, so other images of the node follow their
//! descriptors. The compiler registers some as coarrays; they are recognised by their tokens, which are in
//! the heap. It does not initialise the tokens of nested components, and copies tokens with objects, so the
//! tokens that were returned are stored in a set, and a token of another component is not used.
//!
//! Cost: a collective allocation per coarray, none for a component. Memory: 8 bytes per image and coarray.

pub mod component;
pub mod register;

use crate::abi::{Descriptor, Dimension};
use crate::failure::{Failure, Image, Result};
use crate::team::Team;
use hcube_caf::Handle;
use std::cell::Cell;
use std::ops::RangeInclusive;
use std::ptr;

/// The object of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Data.
    Data(Handle),
    /// Events.
    Events(Handle),
    /// Locks, or a critical construct, as words of a node.
    Words(Handle),
    /// The same of several nodes.
    Locks(Handle),
    /// A component of a coarray, which belongs only to its image.
    Component,
}

/// The part of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Its address.
    Here(*mut u8),
    /// On another node: its rank in the team of the coarray.
    Away(usize),
}

/// The address of a part that was not requested, and of a part on another node.
const UNKNOWN: usize = 0;
const ELSEWHERE: usize = 1;

/// A token.
#[derive(Debug)]
pub struct Token {
    /// Its object.
    pub content: Content,
    /// The team that has allocated it.
    pub team: &'static Team,
    /// Bytes of each part.
    pub bytes: usize,
    /// The memory of this image.
    memory: Cell<*mut u8>,
    descriptor: Cell<*mut Descriptor>,
    /// Whether that is a copy.
    is_copied: Cell<bool>,
    /// Whether it is the lock of a critical construct, which lies on the first image of the team.
    pub is_critical: bool,
    /// The addresses of the parts, by rank.
    parts: Box<[Cell<usize>]>,
}

impl Token {
    /// A token of the compiler.
    ///
    /// # Safety
    /// It is NULL or was returned by [`register::register`] and not freed.
    #[inline]
    pub unsafe fn of<'a>(token: *const Self) -> Result<&'a Self> {
        // SAFETY: NULL or a token that was given out and not freed.
        unsafe { token.as_ref() }.ok_or_else(|| Failure::new("the coarray is not allocated"))
    }

    /// The part of an image, which is given by its number in the current team.
    #[inline]
    pub fn part(&self, image: &Image, number: i32) -> Result<Part> {
        self.part_of(image, self.team.rank_of_current(image, number)?)
    }

    /// As [`Self::part`], by rank in the team of the coarray.
    #[inline]
    pub fn part_of(&self, image: &Image, rank: usize) -> Result<Part> {
        match self.parts.get(rank).map(Cell::get) {
            Some(ELSEWHERE) => Ok(Part::Away(rank)),
            Some(address) if address != UNKNOWN => Ok(Part::Here(ptr::with_exposed_provenance_mut(address))),
            _ => self.find(image, rank),
        }
    }

    #[cold]
    fn find(&self, image: &Image, rank: usize) -> Result<Part> {
        let address = match self.content {
            Content::Words(locks) => image.slots_here(locks, rank)?,
            _ => image.part_here(self.data()?, rank)?,
        };
        self.parts[rank].set(address.map_or(ELSEWHERE, <*mut u8>::expose_provenance));
        Ok(address.map_or(Part::Away(rank), Part::Here))
    }

    /// The part of this image.
    pub fn own(&self) -> *mut u8 {
        self.memory.get()
    }

    /// The handle of data.
    pub fn data(&self) -> Result<Handle> {
        match self.content {
            Content::Data(handle) => Ok(handle),
            other => Err(Failure::new(format!("{other:?}: expected a coarray of data"))),
        }
    }

    /// The descriptor: bounds and type are the same on all images, the address is valid on this image or
    /// null.
    pub fn descriptor(&self) -> *const Descriptor {
        self.descriptor.get()
    }

    /// The error for elements that are not all among the `count` of a part; their numbers begin at 0.
    /// gfortran passes no bounds of static coarrays: their elements are counted.
    pub fn no_elements(&self, numbers: RangeInclusive<isize>, count: isize) -> String {
        // SAFETY: a token's descriptor lives as long as the token.
        let dimensions = unsafe { (*self.descriptor()).dimensions() };
        let name = |number: isize| subscripts(dimensions, number);
        let (first, last) = numbers.into_inner();
        let elements = match first == last {
            true => format!("element {}", name(first)),
            false => format!("elements {} to {}", name(first), name(last)),
        };
        let counted = if dimensions.is_empty() { ", counted from 1" } else { "" };
        let (low, high) = (name(0), name(count - 1));
        format!("{elements}{counted}: expected {low} to {high}, the elements of the coarray")
    }
}

/// The subscripts of an element of an array, by its number from 0 on; the last dimension continues beyond the
/// elements. Without dimensions, the number from 1 on.
fn subscripts(dimensions: &[Dimension], number: isize) -> String {
    let Some((last, others)) = dimensions.split_last() else { return number.saturating_add(1).to_string() };
    let mut rest = number;
    let mut all = Vec::new();
    for dimension in others {
        let extent = isize::try_from(dimension.extent().max(1)).unwrap_or(isize::MAX);
        all.push((dimension.lower + rest.rem_euclid(extent)).to_string());
        rest = rest.div_euclid(extent);
    }
    all.push(last.lower.saturating_add(rest).to_string());
    if others.is_empty() { all.concat() } else { format!("({})", all.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::distances;
    use proptest::prelude::*;

    #[test]
    fn elements_have_subscripts() {
        let dimension = |lower, upper| Dimension { stride: 1, lower, upper };
        assert_eq!([0, 3].map(|number| subscripts(&[], number)), ["1", "4"]);
        assert_eq!([-1, 0, 9].map(|number| subscripts(&[dimension(-2, 4)], number)), ["-3", "-2", "7"]);
        let two = [dimension(2, 3), dimension(-1, 4)];
        assert_eq!(
            [-1, 0, 11, 12].map(|number| subscripts(&two, number)),
            ["(3, -2)", "(2, -1)", "(3, 4)", "(2, 5)"]
        );
    }

    proptest! {
        /// They are only for messages, but a message must not end the program.
        #[test]
        fn elements_of_any_size_have_a_name(
            number in distances(), bounds in [distances(), distances(), distances(), distances()],
        ) {
            let dimension = |lower, upper| Dimension { stride: 1, lower, upper };
            let two = [dimension(bounds[0], bounds[1]), dimension(bounds[2], bounds[3])];
            let extent = (bounds[1] as i128 - bounds[0] as i128 + 1).max(1);
            let number_of = number as i128;
            let exact = [bounds[0] as i128 + number_of.rem_euclid(extent), bounds[2] as i128 + number_of.div_euclid(extent)];
            if exact.iter().all(|&index| isize::try_from(index).is_ok()) && extent < 1 << 63 {
                prop_assert_eq!(subscripts(&two, number), format!("({}, {})", exact[0], exact[1]));
            } else {
                subscripts(&two, number);
            }
        }
    }
}
