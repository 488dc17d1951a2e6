//! Sections of arrays: strided elements, or elements of a vector subscript, in any number of dimensions.
//!
//! Idea: a section is an address and, per dimension, a number of elements with a stride in bytes, or a table
//! of offsets. Dimensions of one element are dropped, and dimensions that are contiguous, on both sides of a
//! copy, are joined, so a copy is a nest of loops around runs of bytes.
//!
//! Cost: a copy per run, and a few ns. Memory: a word per element of a vector subscript.

pub mod range;

use crate::abi::{Descriptor, Dimension, MAX_RANK, Subscript, subscript};
use crate::index::{distance, elements, steps};
use hcube_core::error::Result;
use hcube_core::onesided::Shape;
use std::ops::{Deref, DerefMut};
use std::ptr;

/// Elements of one dimension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extent {
    /// Their number.
    pub count: usize,
    /// Bytes from one to the next.
    pub stride: isize,
    /// Their distances in bytes, if these are not regular.
    pub table: Option<Box<[isize]>>,
}

impl Extent {
    fn distance(&self, index: usize) -> isize {
        match &self.table {
            Some(table) => table[index],
            None => index as isize * self.stride,
        }
    }

    /// The first elements; nothing if the section has fewer.
    fn first(&self, count: usize) -> Option<Self> {
        let table = self.table.as_ref().and_then(|table| table.get(..count)).map(Box::from);
        (count <= self.count).then_some(Self { count, stride: self.stride, table })
    }
}

/// Dimensions that a section has in itself.
const FEW: usize = 4;

/// Dimensions. A few are in the section itself: an access to few elements would take longer to allocate
/// memory than to copy.
#[derive(Debug, Clone, Default)]
struct Extents {
    few: [Extent; FEW],
    /// All elements, if there are more.
    many: Vec<Extent>,
    count: usize,
}

impl Extents {
    fn push(&mut self, extent: Extent) {
        if self.count < FEW {
            self.few[self.count] = extent;
        } else {
            if self.count == FEW {
                self.many.extend(self.few.iter_mut().map(std::mem::take));
            }
            self.many.push(extent);
        }
        self.count += 1;
    }
}

impl Deref for Extents {
    type Target = [Extent];

    fn deref(&self) -> &[Extent] {
        if self.count <= FEW { &self.few[..self.count] } else { &self.many }
    }
}

impl DerefMut for Extents {
    fn deref_mut(&mut self) -> &mut [Extent] {
        if self.count <= FEW { &mut self.few[..self.count] } else { &mut self.many }
    }
}

/// A section of an array.
#[derive(Debug, Clone)]
pub struct Section {
    /// Where the elements with index 0 in all dimensions lie.
    pub base: *mut u8,
    /// Bytes of an element.
    pub element: usize,
    extents: Extents,
}

impl Section {
    /// One element.
    pub fn scalar(base: *mut u8, element: usize) -> Self {
        Self { base, element, extents: Extents::default() }
    }

    /// Contiguous elements.
    pub fn packed(base: *mut u8, element: usize, count: usize) -> Self {
        let mut section = Self::scalar(base, element);
        section.push(count, element as isize);
        section
    }

    /// A contiguous array of these extents.
    pub fn array(base: *mut u8, element: usize, counts: &[usize]) -> Self {
        let mut section = Self::scalar(base, element);
        counts.iter().fold(element, |stride, &count| {
            section.push(count, isize::try_from(stride).unwrap_or(isize::MAX));
            stride.saturating_mul(count)
        });
        section
    }

    /// All elements of a descriptor, at its own base or another one.
    ///
    /// # Safety
    /// It is one of the compiler.
    pub unsafe fn of(descriptor: &Descriptor, base: *mut u8) -> Self {
        let mut section = Self::scalar(base, descriptor.dtype.elem_len);
        // SAFETY: a living descriptor of the compiler.
        let (dimensions, unit) = unsafe { (descriptor.dimensions(), descriptor.unit()) };
        for dimension in dimensions {
            section.push(dimension.extent(), distance(dimension.stride, 0, unit));
        }
        section
    }

    /// The elements of a descriptor that subscripts select.
    ///
    /// # Safety
    /// It is one of the compiler, and there is a subscript for each of its dimensions.
    pub unsafe fn selected(descriptor: &Descriptor, base: *mut u8, subscripts: *const Subscript) -> Self {
        let mut section = Self::scalar(base, descriptor.dtype.elem_len);
        // SAFETY: a living descriptor of the compiler.
        let (dimensions, unit) = unsafe { (descriptor.dimensions(), descriptor.unit()) };
        for (number, &dimension) in dimensions.iter().enumerate() {
            // SAFETY: there is a subscript for each dimension.
            unsafe { section.select(dimension, unit, &*subscripts.add(number)) };
        }
        section
    }

    /// Adds a dimension.
    ///
    /// # Safety
    /// A vector has its elements.
    unsafe fn select(&mut self, dimension: Dimension, unit: isize, given: &Subscript) {
        let step = distance(dimension.stride, 0, unit);
        if given.count > 0 {
            // SAFETY: there is a count, so it is a vector.
            let vector = unsafe { given.of.vector };
            // SAFETY: the vector has `count` elements.
            let index = |at| unsafe { subscript(vector.data, vector.kind, at) };
            self.push_table((0..given.count).map(|at| distance(index(at), dimension.lower, step)).collect());
            return;
        }
        // SAFETY: there is no count, so it is a triplet.
        let triplet = unsafe { given.of.triplet };
        let stride = if triplet.stride == 0 { 1 } else { triplet.stride };
        self.shift(distance(triplet.lower, dimension.lower, step));
        let count = steps(triplet.lower, triplet.upper, stride).map_or(0, |(count, _)| count);
        self.push(count, distance(stride, 0, step));
    }

    /// The first elements in each dimension, as many as another section has; none if that has more in one of
    /// them.
    pub fn leading(&self, other: &Self) -> Option<Self> {
        let (mut result, other) = (self.squeezed(), other.squeezed());
        let is_alike = result.extents.len() == other.extents.len();
        for (extent, wanted) in result.extents.iter_mut().zip(other.extents.iter()) {
            *extent = extent.first(wanted.count)?;
        }
        is_alike.then_some(result)
    }

    /// Moves the base.
    pub fn shift(&mut self, bytes: isize) {
        self.base = self.base.wrapping_offset(bytes);
    }

    /// Adds a dimension, which varies more slowly than those before.
    pub fn push(&mut self, count: usize, stride: isize) {
        self.extents.push(Extent { count, stride, table: None });
    }

    /// Adds a dimension whose elements lie at these distances.
    pub fn push_table(&mut self, table: Box<[isize]>) {
        self.extents.push(Extent { count: table.len(), stride: 0, table: Some(table) });
    }

    /// The dimensions, the fastest first.
    pub fn extents(&self) -> &[Extent] {
        &self.extents
    }

    /// Elements.
    pub fn count(&self) -> usize {
        elements(self.extents.iter().map(|extent| extent.count))
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.count().saturating_mul(self.element)
    }

    /// The same elements without dimensions of one element.
    fn squeezed(&self) -> Self {
        let mut result = Self::scalar(self.base, self.element);
        for extent in self.extents.iter() {
            if extent.count == 1 {
                result.shift(extent.distance(0));
            } else {
                result.extents.push(extent.clone());
            }
        }
        result
    }

    /// The distances of all elements, in their order.
    pub fn distances(&self) -> impl Iterator<Item = isize> {
        let mut index = [0; MAX_RANK];
        let mut left = self.count();
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let distance = self.extents.iter().zip(index).map(|(extent, at)| extent.distance(at)).sum();
            for (at, extent) in index.iter_mut().zip(self.extents.iter()) {
                *at += 1;
                if *at < extent.count {
                    break;
                }
                *at = 0;
            }
            Some(distance)
        })
    }

    /// The addresses of all elements, in their order.
    pub fn addresses(&self) -> impl Iterator<Item = *mut u8> {
        self.distances().map(|distance| self.base.wrapping_offset(distance))
    }

    /// The elements as other nodes know them.
    ///
    /// # Errors
    /// If the size exceeds the address space.
    pub fn shape(&self) -> Result<Shape> {
        if self.extents.iter().all(|extent| extent.table.is_none()) {
            let dimensions: Vec<(usize, i64)> =
                self.extents.iter().map(|extent| (extent.count, extent.stride as i64)).collect();
            return Shape::strided(self.element, &dimensions);
        }
        // A vector of one subscript is dropped, and has moved the base.
        let (run, rest) = self.squeezed().split_run();
        let moved = (rest.base.addr() as isize).wrapping_sub(self.base.addr() as isize);
        Shape::indexed(run, rest.distances().map(|distance| (moved + distance) as i64).collect())
    }

    /// The bytes of the runs of contiguous elements, and the section of their first elements.
    fn split_run(&self) -> (usize, Self) {
        let mut run = self.element;
        let inner = self.extents.iter().take_while(|extent| {
            let follows = extent.table.is_none() && extent.stride == run as isize;
            run = run.saturating_mul(if follows { extent.count } else { 1 });
            follows
        });
        let skipped = inner.count();
        let mut rest = Self::scalar(self.base, self.element);
        self.extents[skipped..].iter().for_each(|extent| rest.extents.push(extent.clone()));
        (run, rest)
    }
}

/// Joins dimensions that follow one another on both sides.
fn join(into: &Section, from: &Section) -> (Section, Section) {
    let mut joined = (Section::scalar(into.base, into.element), Section::scalar(from.base, from.element));
    let follows = |last: Option<&Extent>, next: &Extent| {
        last.is_some_and(|last| {
            let end = last.stride.checked_mul(last.count as isize);
            last.table.is_none() && next.table.is_none() && end == Some(next.stride)
        })
    };
    for (one, two) in into.extents.iter().zip(from.extents.iter()) {
        let (left, right) = (&mut joined.0.extents, &mut joined.1.extents);
        if follows(left.last(), one) && follows(right.last(), two) {
            for side in [left, right] {
                side.last_mut().expect("it follows one").count *= one.count;
            }
        } else {
            left.push(one.clone());
            right.push(two.clone());
        }
    }
    joined
}

/// Copies a section to another one, which has as many elements of the same size. They do not overlap.
///
/// # Safety
/// All elements of one may be read, and all elements of the other written.
pub unsafe fn copy(into: &Section, from: &Section) {
    if into.count() == 0 {
        return;
    }
    let (into, from) = (into.squeezed(), from.squeezed());
    let is_alike = into.extents.len() == from.extents.len()
        && into.extents.iter().zip(from.extents.iter()).all(|(one, other)| one.count == other.count);
    if !is_alike {
        for (target, source) in into.addresses().zip(from.addresses()) {
            // SAFETY: an element of the source, which can be read, and one of the target, which may be
            // written.
            unsafe { ptr::copy_nonoverlapping(source, target, into.element) };
        }
        return;
    }
    let (into, from) = join(&into, &from);
    let (bytes, outer) = match (into.extents.first(), from.extents.first()) {
        (Some(one), Some(two)) if is_run(one, into.element) && is_run(two, from.element) => {
            (one.count * into.element, 1)
        }
        _ => (into.element, 0),
    };
    // SAFETY: both sections have these extents, and their elements may be read and written.
    unsafe { nest(&into.extents[outer..], &from.extents[outer..], into.base, from.base, bytes) };
}

fn is_run(extent: &Extent, element: usize) -> bool {
    extent.table.is_none() && extent.stride == element as isize
}

/// Copies runs in a nest of loops.
///
/// # Safety
/// As [`copy`].
unsafe fn nest(into: &[Extent], from: &[Extent], target: *mut u8, source: *const u8, bytes: usize) {
    match (into, from) {
        ([.., one, _], [.., two, _]) if one.count == 0 || two.count == 0 => {}
        ([inner @ .., one], [other @ .., two]) if !inner.is_empty() => {
            for index in 0..one.count {
                let target = target.wrapping_offset(one.distance(index));
                let source = source.wrapping_offset(two.distance(index));
                // SAFETY: the inner extents lead to elements of the same sections.
                unsafe { nest(inner, other, target, source, bytes) };
            }
        }
        ([one], [two]) => {
            // SAFETY: the extents lead to elements of both sections.
            unsafe { row(one, two, target, source, bytes) }
        }
        // SAFETY: a run of each section, which do not overlap.
        _ => unsafe { ptr::copy_nonoverlapping(source, target, bytes) },
    }
}

/// Copies the runs of one dimension.
///
/// # Safety
/// As [`copy`].
unsafe fn row(one: &Extent, two: &Extent, target: *mut u8, source: *const u8, bytes: usize) {
    macro_rules! typed {
        ($type:ty) => {{
            let (mut target, mut source) = (target, source);
            for _ in 0..one.count {
                // SAFETY: a run of each section, which has the bytes of this type.
                unsafe { target.cast::<$type>().write_unaligned(source.cast::<$type>().read_unaligned()) };
                (target, source) = (target.wrapping_offset(one.stride), source.wrapping_offset(two.stride));
            }
        }};
    }
    let is_regular = one.table.is_none() && two.table.is_none();
    match bytes {
        4 if is_regular => typed!(u32),
        8 if is_regular => typed!(u64),
        16 if is_regular => typed!(u128),
        _ => {
            for index in 0..one.count {
                let target = target.wrapping_offset(one.distance(index));
                let source = source.wrapping_offset(two.distance(index));
                // SAFETY: a run of each section, which do not overlap.
                unsafe { ptr::copy_nonoverlapping(source, target, bytes) };
            }
        }
    }
}

#[cfg(test)]
mod tests;
