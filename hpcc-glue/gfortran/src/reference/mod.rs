//! References: from a coarray to a component or to its elements, on another image.
//!
//! Idea: the compiler describes a reference by steps. They are followed from the part of the image:
//! descriptors and allocatable components are in the heaps of the node, at one address, so they are read
//! directly. If the last step leads out of the heaps, elements are accessed by single copy ([`outside`]). If
//! an earlier step does, that image is requested to follow them ([`remote`]), and so are images on other
//! nodes. Components of objects that are got as a whole are copied afterwards ([`object`]).
//!
//! Cost: a few ns per step; between nodes a request and a reply.

pub mod access;
pub mod elements;
pub mod object;
pub mod outside;
pub mod path;
pub mod remote;
pub mod resize;

use crate::abi::{Descriptor, Dimension};
use crate::failure::{Failure, Image, Result};
use crate::index::{distance, steps};
use crate::section::Section;
use crate::span;
use path::{Chosen, Step};
use std::ops::Range;

/// Where a reference leads.
#[derive(Debug)]
pub enum Target {
    /// To elements that this image accesses directly.
    Here(Section),
    /// To elements in memory of that image outside of the heaps.
    Outside(Section),
    /// Through such memory.
    Private,
    /// To an allocatable component or a pointer without memory.
    Nothing,
}

/// The bounds of the array at which a step begins.
#[derive(Debug, Clone, Copy)]
enum Bounds<'a> {
    /// Of the coarray itself.
    Known(&'a [Dimension]),
    /// Of a component: its descriptor.
    At(*const Descriptor),
}

/// The part of an image, where references begin.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// Its address.
    pub part: *mut u8,
    /// Its bytes.
    pub bytes: usize,
    /// The dimensions of the coarray, if it has a descriptor.
    pub dimensions: &'a [Dimension],
}

impl Start<'_> {
    /// An error where bytes do not lie in the part. Arrays without descriptors have no bounds that could be
    /// checked.
    fn check(&self, section: &Section) -> Result<()> {
        section.check_inside(self.part, self.bytes, |Range { start, end }| {
            let text =
                format!("bytes {start} to {end}: expected 0 to {}, the bytes of the coarray", self.bytes);
            Failure::new(text)
        })
    }
}

/// Follows a reference.
pub struct Walk<'a> {
    /// The state of this image.
    pub image: &'a Image,
    /// Whether memory belongs to this image, which accesses it wherever it is.
    pub is_own: bool,
}

impl Walk<'_> {
    fn is_reachable(&self, address: *const u8) -> bool {
        self.is_own || self.image.place_of_address(address).is_some()
    }

    /// Follows a reference.
    ///
    /// # Safety
    /// It is a reference of the compiler to the coarray that begins there.
    pub unsafe fn follow(&self, steps: &[Step], start: Start<'_>) -> Result<Target> {
        let mut section = Section::scalar(start.part, 0);
        let mut bounds = Bounds::Known(start.dimensions);
        let mut is_in_part = true;
        let mut is_outside = false;
        for step in steps {
            match step {
                Step::Component { offset, is_indirect, element, .. } => {
                    section.shift(*offset);
                    section.element = *element;
                    bounds = Bounds::At(section.base.cast());
                    if !is_indirect {
                        continue;
                    }
                    if is_outside {
                        return Ok(Target::Private);
                    }
                    if is_in_part {
                        start.check(&Section::scalar(section.base, size_of::<*mut u8>()))?;
                        is_in_part = false;
                    }
                    // SAFETY: a component that is allocatable or a pointer begins with an address; its object
                    // can be read.
                    let memory = unsafe { section.base.cast::<*mut u8>().read_unaligned() };
                    if memory.is_null() {
                        return Ok(Target::Nothing);
                    }
                    is_outside = !self.is_reachable(memory);
                    section.base = memory;
                }
                Step::Elements { is_static, element, chosen } => {
                    section.element = *element;
                    for (number, one) in chosen.iter().enumerate() {
                        // SAFETY: the object in which the descriptor lies can be read.
                        let dimension = (!is_static).then(|| unsafe { bounds.dimension(number, *element) });
                        add(&mut section, one, dimension).map_err(|failure| in_dimension(number, failure))?;
                    }
                }
            }
        }
        if is_in_part { start.check(&section) } else { section.check_addresses() }?;
        Ok(if is_outside { Target::Outside(section) } else { Target::Here(section) })
    }
}

/// A dimension that the descriptor does not have, with its stride in bytes.
const fn one(element: usize) -> Dimension {
    Dimension { stride: element as isize, lower: 1, upper: 1 }
}

impl Bounds<'_> {
    /// A dimension, with its stride in bytes; `element` is the size of an element.
    ///
    /// # Safety
    /// A descriptor can be read.
    unsafe fn dimension(&self, number: usize, element: usize) -> Dimension {
        let (found, unit) = match *self {
            Self::Known(dimensions) => (dimensions.get(number).copied(), element as isize),
            Self::At(descriptor) => {
                // SAFETY: a descriptor can be read at this address.
                let head = unsafe { descriptor.read_unaligned() };
                // A pointer to a component of all elements of an array has their distance.
                let is_farther = head.span > element as isize && span::is_distance(head.span, element);
                let unit = if is_farther { head.span } else { element as isize };
                let has_it = number < usize::try_from(head.dtype.rank).unwrap_or(0);
                // SAFETY: the descriptor has this dimension, as its rank says; dimensions follow the head.
                let read = || unsafe { descriptor.add(1).cast::<Dimension>().add(number).read_unaligned() };
                (has_it.then(read), unit)
            }
        };
        found.map_or(one(element), |found| Dimension { stride: distance(found.stride, 0, unit), ..found })
    }
}

fn in_dimension(number: usize, failure: Failure) -> Failure {
    Failure { text: format!("dimension {}: {}", number + 1, failure.text), ..failure }
}

/// Adds the elements of a subscript; the stride of the dimension is in bytes. Without a dimension, the
/// subscripts belong to an array without a descriptor: they begin at 0, and count elements in memory.
fn add(section: &mut Section, chosen: &Chosen, dimension: Option<Dimension>) -> Result<()> {
    let element = section.element as isize;
    let unit = dimension.map_or(element, |dimension| dimension.stride);
    let lower = dimension.map_or(0, |dimension| dimension.lower);
    let check = |index: isize| match dimension {
        Some(Dimension { lower, upper, .. }) if index < lower || index > upper => {
            Err(Failure::new(format!("index {index}: expected {lower} to {upper}")))
        }
        _ => Ok(()),
    };
    let upper = |end: isize| dimension.map_or(end, |dimension| dimension.upper);
    let (start, end, stride) = match *chosen {
        Chosen::Single(index) => {
            check(index)?;
            section.shift(distance(index, lower, unit));
            return Ok(());
        }
        Chosen::Vector(ref all) => {
            all.iter().try_for_each(|&index| check(index))?;
            section.push_table(all.iter().map(|&index| distance(index, lower, unit)).collect());
            return Ok(());
        }
        Chosen::Full { end, stride } => (lower, upper(end), stride),
        Chosen::Range { start, end, stride } => (start, end, stride),
        Chosen::From { start, end, stride } => (start, upper(end), stride),
        Chosen::UpTo { end, stride } => (lower, end, stride),
    };
    let stride = if stride == 0 { 1 } else { stride };
    let mut count = 0;
    if let Some((number, last)) = steps(start, end, stride) {
        check(start)?;
        check(last)?;
        count = number;
    }
    section.shift(distance(start, lower, unit));
    section.push(count, distance(stride, 0, unit));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{distances, sizes_within};
    use proptest::prelude::*;

    fn chosen(chosen: &Chosen, dimension: Option<Dimension>) -> Result<Vec<isize>> {
        let base = std::ptr::null_mut::<u8>().wrapping_add(1000);
        let mut section = Section::scalar(base, 4);
        add(&mut section, chosen, dimension)?;
        Ok(section.addresses().map(|address| (address.addr() as isize - 1000) / 4).collect())
    }

    #[test]
    fn subscripts_choose_elements() {
        let dimension = Some(Dimension { stride: 3 * 4, lower: -1, upper: 4 });
        let indices = |all: &[isize]| all.iter().map(|index| (index + 1) * 3).collect::<Vec<_>>();
        for (given, expected) in [
            (Chosen::Single(2), &[2][..]),
            (Chosen::Vector(vec![4, -1, 4]), &[4, -1, 4]),
            (Chosen::Full { end: 0, stride: 1 }, &[-1, 0, 1, 2, 3, 4]),
            (Chosen::Range { start: 0, end: 4, stride: 3 }, &[0, 3]),
            (Chosen::Range { start: 4, end: 0, stride: -2 }, &[4, 2, 0]),
            (Chosen::Range { start: 9, end: 4, stride: 1 }, &[]),
            (Chosen::From { start: 2, end: 0, stride: 2 }, &[2, 4]),
            (Chosen::UpTo { end: 1, stride: 1 }, &[-1, 0, 1]),
        ] {
            assert_eq!(chosen(&given, dimension).expect("inside"), indices(expected), "{given:?}");
        }
    }

    #[test]
    fn subscripts_out_of_bounds_are_errors() {
        let dimension = Some(Dimension { stride: 4, lower: 1, upper: 4 });
        for given in [
            Chosen::Single(5),
            Chosen::Single(0),
            Chosen::Vector(vec![1, 7]),
            Chosen::Range { start: 0, end: 2, stride: 1 },
            Chosen::Range { start: 1, end: 5, stride: 1 },
        ] {
            let text = chosen(&given, dimension).expect_err("outside").text;
            assert!(text.ends_with("expected 1 to 4"), "{text}");
        }
    }

    /// Elements of an array of 3 by 4 without a descriptor.
    #[test]
    fn static_arrays_count_in_elements() {
        let row = Chosen::Range { start: 3, end: 9, stride: 6 };
        assert_eq!(chosen(&row, None).expect("inside"), [3, 9]);
        assert_eq!(chosen(&Chosen::Full { end: 9, stride: 3 }, None).expect("inside"), [0, 3, 6, 9]);
        assert_eq!(chosen(&Chosen::Single(6), None).expect("inside"), [6]);
    }

    /// The index of an element far outside would be the address of one inside, modulo 2^64.
    #[test]
    fn far_subscripts_of_arrays_without_descriptors_are_outside() {
        let part = std::ptr::without_provenance_mut::<u8>(1 << 20);
        for given in [
            Chosen::Single(1 << 62),
            Chosen::Vector(vec![0, 1 << 62]),
            Chosen::From { start: 0, end: 1 << 62, stride: 1 << 61 },
        ] {
            let mut section = Section::scalar(part, 4);
            add(&mut section, &given, None).expect("no bounds are known");
            let text = Start { part, bytes: 40, dimensions: &[] }.check(&section).expect_err("outside").text;
            assert!(text.ends_with("expected 0 to 40, the bytes of the coarray"), "{text}");
        }
    }

    /// What a subscript selects: its first and its last index, and their number.
    fn selected(chosen: &Chosen, dimension: Option<Dimension>) -> [i128; 3] {
        let (low, high) = dimension.map_or((0, None), |one| (one.lower, Some(one.upper)));
        let (start, end, stride) = match *chosen {
            Chosen::Single(index) => (index, index, 1),
            Chosen::Range { start, end, stride } => (start, end, stride),
            Chosen::From { start, end, stride } => (start, high.unwrap_or(end), stride),
            Chosen::UpTo { end, stride } => (low, end, stride),
            Chosen::Full { end, stride } => (low, high.unwrap_or(end), stride),
            Chosen::Vector(_) => unreachable!("not among those"),
        };
        let [start, end, stride] = [start, end, if stride == 0 { 1 } else { stride }].map(|one| one as i128);
        let count = ((end - start + stride) / stride).max(0);
        [start, start + (count - 1) * stride, count]
    }

    proptest! {
        #[test]
        fn subscripts_of_any_size_are_exact_or_refused(
            kind in 0..5, [start, end, stride] in [distances(), distances(), distances()],
            bounds in [distances(), distances(), distances()], has_bounds in any::<bool>(),
            element in sizes_within(1, 1 << 20), bytes in sizes_within(0, 1 << 56),
        ) {
            let given = match kind {
                0 => Chosen::Single(start),
                1 => Chosen::Range { start, end, stride },
                2 => Chosen::From { start, end, stride },
                3 => Chosen::UpTo { end, stride },
                _ => Chosen::Full { end, stride },
            };
            let unit = distance(bounds[0], 0, element as isize);
            let dimension =
                has_bounds.then(|| Dimension { stride: unit, lower: bounds[1].min(bounds[2]), upper: bounds[1].max(bounds[2]) });
            let [first, last, count] = selected(&given, dimension);
            let [low, high] = dimension.map_or([i128::MIN, i128::MAX], |one| [one.lower, one.upper].map(|at| at as i128));
            let is_valid = count == 0 || [first, last].iter().all(|&index| low <= index && index <= high);
            let mut section = Section::scalar(std::ptr::null_mut(), element);
            let added = add(&mut section, &given, dimension);
            prop_assert_eq!(added.is_ok(), is_valid, "{:?} {:?}", given, dimension);
            if is_valid && count > 0 {
                let unit = dimension.map_or(element as i128, |one| one.stride as i128);
                let from = dimension.map_or(0, |one| one.lower as i128);
                let places = [first, last].map(|index| (index - from) * unit);
                let (begin, end) = (places[0].min(places[1]), places[0].max(places[1]) + element as i128);
                let fits = begin >= 0 && end <= bytes as i128 && count * element as i128 <= isize::MAX as i128;
                let start = Start { part: std::ptr::null_mut(), bytes, dimensions: &[] };
                prop_assert_eq!(start.check(&section).is_ok(), fits);
                if fits {
                    let found = section.range(std::ptr::null());
                    prop_assert_eq!((found.start as i128, found.end as i128), (begin, end));
                    prop_assert_eq!(section.count() as i128, count);
                }
            }
        }
    }
}
