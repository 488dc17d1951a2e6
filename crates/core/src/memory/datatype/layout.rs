//! The location of the bytes of a datatype, as a tree of loops over contiguous runs, in the order in which
//! MPI packs them (the order of the type map, not of the addresses).
//!
//! Everything here is arithmetic. A function that returns an `Option` returns `None` if a number overflows:
//! no such datatype fits in memory.

use std::sync::Arc;

/// The shape of a tree; its owner knows where it starts.
#[derive(Debug, Clone)]
pub(crate) enum Layout {
    /// Bytes that follow one another.
    Run(usize),
    /// A shape, repeated at a constant distance.
    Repeated(Arc<Repeated>),
    /// Runs of one length at irregular places.
    Places(Arc<Places>),
    /// One shape after the other.
    Sequence(Arc<Sequence>),
}

/// `count` times the same, `stride` bytes apart.
#[derive(Debug)]
pub(crate) struct Repeated {
    pub count: usize,
    pub stride: isize,
    /// Packed bytes of `inner`, more than none.
    pub size: usize,
    pub inner: Layout,
}

/// Runs of `length` bytes, more than none.
#[derive(Debug)]
pub(crate) struct Places {
    pub length: usize,
    pub offsets: Vec<isize>,
}

/// Different shapes, or one at irregular places.
#[derive(Debug)]
pub(crate) struct Sequence {
    /// Packed bytes of all parts.
    bytes: usize,
    pub parts: Vec<Part>,
}

/// A part of a sequence.
#[derive(Debug)]
pub(crate) struct Part {
    /// Packed bytes before it.
    pub start: usize,
    pub offset: isize,
    pub layout: Layout,
}

impl Layout {
    /// Packed bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Run(length) => *length,
            Self::Repeated(repeated) => repeated.count * repeated.size,
            Self::Places(places) => places.length * places.offsets.len(),
            Self::Sequence(sequence) => sequence.bytes,
        }
    }

    /// Calls `each` with address and length of the runs of the shape at `memory`, in their order.
    pub fn runs(&self, memory: *mut u8, each: &mut impl FnMut(*mut u8, usize)) {
        match self {
            Self::Run(length) => each(memory, *length),
            Self::Repeated(all) => {
                for number in 0..all.count as isize {
                    all.inner.runs(memory.wrapping_offset(all.stride.wrapping_mul(number)), each);
                }
            }
            Self::Places(all) => {
                all.offsets.iter().for_each(|&offset| each(memory.wrapping_offset(offset), all.length));
            }
            Self::Sequence(all) => {
                all.parts.iter().for_each(|part| part.layout.runs(memory.wrapping_offset(part.offset), each));
            }
        }
    }

    /// Whether two shapes can be joined, by a quick test.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Run(length), Self::Run(other)) => length == other,
            (Self::Repeated(repeated), Self::Repeated(other)) => Arc::ptr_eq(repeated, other),
            (Self::Places(places), Self::Places(other)) => Arc::ptr_eq(places, other),
            (Self::Sequence(sequence), Self::Sequence(other)) => Arc::ptr_eq(sequence, other),
            _ => false,
        }
    }
}

/// `count * stride`.
pub(crate) fn times(count: usize, stride: isize) -> Option<isize> {
    isize::try_from(count).ok()?.checked_mul(stride)
}

/// A shape and where it begins.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub offset: isize,
    pub layout: Layout,
}

impl Placed {
    /// A contiguous run.
    pub fn run(length: usize) -> Self {
        Self { offset: 0, layout: Layout::Run(length) }
    }

    /// Packed bytes.
    pub fn bytes(&self) -> usize {
        self.layout.bytes()
    }

    /// The same elsewhere.
    pub fn moved(self, by: isize) -> Option<Self> {
        Some(Self { offset: self.offset.checked_add(by)?, ..self })
    }

    /// `count` of it, `stride` bytes apart; loops and runs that continue one another become one.
    pub fn repeated(self, count: usize, stride: isize) -> Option<Self> {
        let size = self.bytes();
        size.checked_mul(count).and_then(|bytes| isize::try_from(bytes).ok())?;
        if count == 0 || size == 0 {
            return Some(Self::run(0));
        }
        let layout = match &self.layout {
            _ if count == 1 => return Some(self),
            Layout::Run(length) if usize::try_from(stride) == Ok(*length) => Layout::Run(length * count),
            Layout::Repeated(inner) if times(inner.count, inner.stride)? == stride => {
                let (inner_layout, count) = (inner.inner.clone(), inner.count.checked_mul(count)?);
                repeat(count, inner.stride, inner.size, inner_layout)
            }
            other => repeat(count, stride, size, other.clone()),
        };
        Some(Self { offset: self.offset, layout })
    }
}

fn repeat(count: usize, stride: isize, size: usize, inner: Layout) -> Layout {
    Layout::Repeated(Arc::new(Repeated { count, stride, size, inner }))
}

/// Collects what stands one after the other.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    bytes: usize,
    parts: Vec<Part>,
}

impl Builder {
    /// Adds what comes next; a run that continues the one before it makes that longer.
    pub fn push(&mut self, next: Placed) -> Option<()> {
        let (start, bytes) = (self.bytes, next.bytes());
        if bytes == 0 {
            return Some(());
        }
        self.bytes = start.checked_add(bytes).filter(|&sum| isize::try_from(sum).is_ok())?;
        if let (Some(Part { offset, layout: Layout::Run(length), .. }), Layout::Run(more)) =
            (self.parts.last_mut(), &next.layout)
            && offset.checked_add_unsigned(*length)? == next.offset
        {
            *length += more;
            return Some(());
        }
        self.parts.push(Part { start, offset: next.offset, layout: next.layout });
        Some(())
    }

    /// All of it: a loop where the same shape stands at equal distances.
    pub fn finish(mut self) -> Option<Placed> {
        let Some(first) = self.parts.first() else { return Some(Placed::run(0)) };
        let placed = Placed { offset: first.offset, layout: first.layout.clone() };
        let stride = match self.parts.get(1) {
            Some(second) => second.offset.checked_sub(first.offset)?,
            None => return Some(placed),
        };
        let alike = self.parts.iter().all(|part| part.layout.is(&placed.layout));
        let distance = |pair: &[Part]| pair[1].offset.checked_sub(pair[0].offset);
        if alike && self.parts.windows(2).all(|pair| distance(pair) == Some(stride)) {
            return placed.repeated(self.parts.len(), stride);
        }
        let layout = match placed.layout {
            Layout::Run(length) if alike => {
                let offsets = self.parts.iter().map(|part| part.offset).collect();
                Layout::Places(Arc::new(Places { length, offsets }))
            }
            _ => {
                self.parts.shrink_to_fit();
                Layout::Sequence(Arc::new(Sequence { bytes: self.bytes, parts: self.parts }))
            }
        };
        Some(Placed { offset: 0, layout })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{distances, sizes};
    use proptest::prelude::*;

    fn sequence(parts: impl IntoIterator<Item = (isize, Placed)>) -> Placed {
        let mut builder = Builder::default();
        for (offset, placed) in parts {
            builder.push(placed.moved(offset).expect("small")).expect("small");
        }
        builder.finish().expect("small")
    }

    #[test]
    fn what_continues_becomes_one_run() {
        let row = Placed::run(8).repeated(5, 8).expect("small");
        assert!(matches!(row.layout, Layout::Run(40)), "{row:?}");
        let joined = sequence([(4, Placed::run(4)), (8, Placed::run(0)), (8, Placed::run(8))]);
        assert!(matches!((joined.offset, &joined.layout), (4, Layout::Run(12))), "{joined:?}");
        let plane = Placed::run(8).repeated(3, 16).and_then(|row| row.repeated(4, 48)).expect("small");
        assert!(matches!(&plane.layout, Layout::Repeated(all) if all.count == 12), "{plane:?}");
    }

    #[test]
    fn equal_distances_become_a_loop_and_order_is_kept() {
        let regular = sequence([32, 16, 0].map(|at| (at, Placed::run(4))));
        assert!(matches!(&regular.layout, Layout::Repeated(all) if all.stride == -16), "{regular:?}");
        let swapped = sequence([8, 0].map(|at| (at, Placed::run(8))));
        assert!(matches!(&swapped.layout, Layout::Repeated(all) if all.stride == -8), "{swapped:?}");
        assert_eq!((swapped.bytes(), swapped.offset), (16, 8));
        let places = sequence([0, 2, 1].map(|at| (4 * at, Placed::run(2))));
        assert!(matches!(&places.layout, Layout::Places(all) if all.offsets == [0, 8, 4]), "{places:?}");
        let mixed = sequence([(-3, Placed::run(2)), (9, Placed::run(4)), (0, Placed::run(2))]);
        let Layout::Sequence(all) = &mixed.layout else { panic!("{mixed:?}") };
        let starts: Vec<usize> = all.parts.iter().map(|part| part.start).collect();
        assert_eq!((mixed.bytes(), starts), (8, vec![0, 2, 6]));
    }

    #[test]
    fn what_no_memory_holds_is_refused() {
        let large = Placed::run(1 << 32);
        assert!(large.clone().repeated(1 << 31, 1 << 32).is_none());
        assert!(large.moved(isize::MAX).and_then(|far| far.moved(1)).is_none());
    }

    /// Bytes from the first byte of a shape to the first byte of its last run.
    fn last(layout: &Layout) -> i128 {
        match layout {
            Layout::Run(_) => 0,
            Layout::Repeated(all) => (all.count as i128 - 1) * all.stride as i128 + last(&all.inner),
            Layout::Places(all) => all.offsets.last().map_or(0, |&offset| offset as i128),
            Layout::Sequence(all) => {
                all.parts.last().map_or(0, |part| part.offset as i128 + last(&part.layout))
            }
        }
    }

    fn length_of_run(layout: &Layout) -> usize {
        match layout {
            Layout::Run(length) => *length,
            Layout::Repeated(all) => length_of_run(&all.inner),
            _ => unreachable!("only loops"),
        }
    }

    proptest! {
        /// Loops around a run, of which neighbours are joined: no number differs from the same one in 128
        /// bits, or there is no layout.
        #[test]
        fn loops_of_any_size_are_exact_or_refused(
            length in sizes(), loops in proptest::collection::vec((sizes(), distances()), 0..4), by in distances(),
        ) {
            let length = length & isize::MAX as usize;
            let is_address = |number: i128| isize::try_from(number).is_ok();
            let (mut fits, mut bytes, mut reach) = (true, length as i128, 0);
            let mut placed = Some(Placed::run(length));
            for &(count, stride) in &loops {
                placed = placed.and_then(|placed| placed.repeated(count, stride));
                bytes = if fits { bytes * count as i128 } else { 0 };
                // Beyond 128 bits there is no layout.
                reach = (count as i128 - 1).wrapping_mul(stride as i128).wrapping_add(reach);
                fits &= is_address(bytes) && is_address(count as i128 * stride as i128);
            }
            let placed = placed.and_then(|placed| placed.moved(by));
            prop_assert!(placed.is_some() || !fits, "{:?}", loops);
            if let Some(placed) = placed {
                let product = loops.iter().try_fold(length as u128, |all, &(count, _)| all.checked_mul(count as u128));
                prop_assert_eq!(Some(placed.bytes() as u128), product);
                if placed.bytes() > 0 {
                    // What was joined to one run has its last byte where the loops have theirs.
                    let run = length_of_run(&placed.layout);
                    let end = placed.offset as i128 + last(&placed.layout) + run as i128;
                    prop_assert_eq!(end, by as i128 + reach + length as i128);
                }
            }
        }

        #[test]
        fn a_sequence_of_any_size_is_exact_or_refused(
            parts in proptest::collection::vec((sizes(), distances()), 0..5),
        ) {
            let parts: Vec<_> = parts.iter().map(|&(length, at)| (length & isize::MAX as usize, at)).collect();
            let mut builder = Builder::default();
            let pushed = parts.iter().try_for_each(|&(length, at)| builder.push(Placed::run(length).moved(at)?));
            let bytes: u128 = parts.iter().map(|&(length, _)| length as u128).sum();
            if bytes > isize::MAX as u128 {
                prop_assert!(pushed.is_none());
            } else if let Some(placed) = pushed.and_then(|()| builder.finish()) {
                prop_assert_eq!(placed.bytes() as u128, bytes);
            }
        }
    }
}
