//! The block-cyclic distribution of one dimension of a matrix.
//!
//! Idea: a first block with a separate size, then blocks of equal size, are assigned cyclically to the
//! processes of one dimension of the grid, starting at a source. Everything is arithmetic on block numbers:
//! no table grows with the matrix.
//! Source: Blackford et al., ScaLAPACK Users' Guide, 1997, section 4.3; first blocks of a different size as
//! in PBLAS (descriptors of type 2).

/// How the indices of a dimension are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// Indices of the first block; at least 1.
    pub first_block: usize,
    /// Indices of every other block; at least 1.
    pub block: usize,
    /// The process with the first block; `None` where every process has all indices.
    pub source: Option<usize>,
    /// Processes of this dimension of the grid; at least 1.
    pub processes: usize,
}

/// Where an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The process that owns it.
    pub process: usize,
    /// Indices from it to the end of its block, at least 1.
    pub left: usize,
}

impl Axis {
    /// All indices on every process.
    pub const fn replicated(processes: usize) -> Self {
        Self { first_block: usize::MAX, block: 1, source: None, processes }
    }

    /// Whether every process has all indices.
    pub const fn is_replicated(self) -> bool {
        self.source.is_none() || self.processes == 1
    }

    /// The owner of an index; process 0 where every process has it.
    pub const fn place(self, index: usize) -> Place {
        let source = match self.source {
            Some(source) if self.processes > 1 => source,
            _ => return Place { process: 0, left: usize::MAX },
        };
        if index < self.first_block {
            return Place { process: source, left: self.first_block - index };
        }
        let (block, inside) =
            ((index - self.first_block) / self.block, (index - self.first_block) % self.block);
        Place { process: (source + 1 + block) % self.processes, left: self.block - inside }
    }

    /// Indices below `end` that a process has: the local index of `end`, where the process has that.
    pub const fn local(self, process: usize, end: usize) -> usize {
        let source = match self.source {
            Some(source) if self.processes > 1 => source,
            _ => return end,
        };
        // The number of this process among those that get blocks in turn.
        let turn = (process + self.processes - source) % self.processes;
        if end <= self.first_block {
            return if turn == 0 { end } else { 0 };
        }
        let whole = (end - self.first_block) / self.block;
        let rest = (end - self.first_block) % self.block;
        // Blocks 1..=whole are complete, block whole + 1 has `rest` indices; block b is assigned in turn b.
        let complete =
            if turn == 0 { whole / self.processes } else { (whole + self.processes - turn) / self.processes };
        let of_first = if turn == 0 { self.first_block } else { 0 };
        let of_last = if (whole + 1) % self.processes == turn { rest } else { 0 };
        of_first + complete * self.block + of_last
    }
}

/// Some successive indices of a distributed dimension: the rows or the columns of a sub-matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// The whole dimension.
    pub axis: Axis,
    /// The first index.
    pub start: usize,
    /// Number of indices.
    pub length: usize,
}

impl Section {
    /// Indices that a process has.
    pub const fn count(self, process: usize) -> usize {
        self.axis.local(process, self.start + self.length) - self.axis.local(process, self.start)
    }

    /// The local index of the first one on a process.
    pub const fn first_local(self, process: usize) -> usize {
        self.axis.local(process, self.start)
    }

    /// The process that has all of it, if there is one and it is the only one.
    pub fn only_process(self) -> Option<usize> {
        let first = self.axis.place(self.start);
        (!self.axis.is_replicated() && first.left >= self.length).then_some(first.process)
    }

    /// The most indices that any process has.
    pub fn max_count(self) -> usize {
        if self.axis.is_replicated() {
            return self.length;
        }
        // Every process before the owner of the first index in cyclic order has at most as many as some
        // other.
        (0..self.axis.processes).map(|process| self.count(process)).max().unwrap_or(0)
    }

    /// Whether the same process owns the same number of this section and of another one, for all numbers.
    pub fn is_aligned_with(self, other: Self) -> bool {
        let length = self.length.min(other.length);
        if self.length != other.length || self.axis.processes != other.axis.processes {
            return false;
        }
        if self.axis.is_replicated() || other.axis.is_replicated() {
            return self.axis.is_replicated() && other.axis.is_replicated();
        }
        if length == 0 {
            return true;
        }
        let mut number = 0;
        // After the first change of owners, equal blocks keep the two together.
        for _ in 0..3 {
            let (here, there) =
                (self.axis.place(self.start + number), other.axis.place(other.start + number));
            let left = length - number;
            if here.process != there.process || here.left.min(left) != there.left.min(left) {
                return false;
            }
            number += here.left.min(left);
            if number == length {
                return true;
            }
        }
        self.axis.block == other.axis.block
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    /// The owners of the first indices, one by one.
    pub fn owners(axis: Axis, end: usize) -> Vec<usize> {
        let mut owners = Vec::new();
        let mut process = axis.source.unwrap_or(0);
        while owners.len() < end {
            let block = if owners.is_empty() { axis.first_block } else { axis.block };
            owners.extend(std::iter::repeat_n(process, block.min(end - owners.len())));
            process = (process + 1) % axis.processes;
        }
        owners
    }

    pub fn axes() -> impl Strategy<Value = Axis> {
        (1usize..9, 1usize..9, 1usize..7, any::<prop::sample::Index>()).prop_map(
            |(first_block, block, processes, source)| Axis {
                first_block,
                block,
                source: Some(source.index(processes)),
                processes,
            },
        )
    }

    proptest! {
        #[test]
        fn owners_and_local_indices_are_those_of_a_deal_block_by_block(axis in axes(), end in 0usize..90) {
            let owners = owners(axis, end);
            for (index, &owner) in owners.iter().enumerate() {
                let place = axis.place(index);
                prop_assert_eq!(place.process, owner);
                if axis.processes > 1 && index + place.left < end {
                    prop_assert_ne!(axis.place(index + place.left).process, owner);
                    prop_assert_eq!(owners[index + place.left - 1], owner);
                }
            }
            for process in 0..axis.processes {
                let count = owners.iter().filter(|&&owner| owner == process).count();
                prop_assert_eq!(axis.local(process, end), count);
            }
        }

        #[test]
        fn sections_are_aligned_where_their_owners_are(
            axis in axes(), other in axes(), same in any::<bool>(), starts in (0usize..40, 0usize..40), length in 0usize..50,
        ) {
            let other = if same { axis } else { other };
            let [here, there] = [(axis, starts.0), (other, starts.1)].map(|(axis, start)| Section { axis, start, length });
            let of = |section: Section| owners(section.axis, section.start + length).split_off(section.start);
            let equal = axis.processes == other.processes && of(here) == of(there);
            // A section inside of blocks may be classified as not aligned if only its far end would decide.
            if here.is_aligned_with(there) {
                prop_assert!(equal, "{:?} {:?}", here, there);
            }
            if same && starts.0 == starts.1 {
                prop_assert!(here.is_aligned_with(there));
            }
        }
    }

    #[test]
    fn a_replicated_dimension_is_everywhere() {
        let axis = Axis::replicated(4);
        assert_eq!((axis.local(3, 17), axis.place(5).process), (17, 0));
        let alone = Axis { first_block: 2, block: 3, source: Some(0), processes: 1 };
        assert_eq!(Section { axis: alone, start: 1, length: 9 }.count(0), 9);
    }

    /// What fits the checks of arguments: indices and blocks below 2^63.
    const MOST: usize = isize::MAX as usize;

    /// [`Axis::local`] in 128 bits.
    pub fn local(axis: Axis, process: usize, end: usize) -> u128 {
        let Some(source) = axis.source.filter(|_| axis.processes > 1) else { return end as u128 };
        let turn = ((process + axis.processes - source) % axis.processes) as u128;
        let [end, first, block, processes] =
            [end, axis.first_block, axis.block, axis.processes].map(|size| size as u128);
        let of_first = if turn == 0 { end.min(first) } else { 0 };
        // Block number b has turn b; the first one is number 0.
        let rest = end.saturating_sub(first);
        let (rounds, rest) = (rest / (processes * block), rest % (processes * block));
        let before = (if turn == 0 { processes - 1 } else { turn - 1 }) * block;
        of_first + rounds * block + rest.saturating_sub(before).min(block)
    }

    proptest! {
        #[test]
        fn local_indices_of_any_size_are_exact(
            [first_block, block] in [sizes_within(1, MOST), sizes_within(1, MOST)],
            processes in sizes_within(1, i32::MAX as usize), [source, process] in [sizes(), sizes()],
            [index, length] in [sizes_within(0, MOST), sizes_within(0, MOST)],
        ) {
            let axis = Axis { first_block, block, source: Some(source % processes), processes };
            let process = process % processes;
            let end = index + length.min(MOST - index);
            prop_assert_eq!(axis.local(process, end) as u128, local(axis, process, end));
            let section = Section { axis, start: index, length: end - index };
            prop_assert_eq!(section.count(process) as u128, local(axis, process, end) - local(axis, process, index));
            // The owner is the process that has an index more behind it, and as many as are left of the
            // block.
            let place = axis.place(index);
            let until = index as u128 + place.left as u128;
            prop_assert_eq!(local(axis, place.process, index + 1) - local(axis, place.process, index), 1);
            if processes > 1 && until <= MOST as u128 {
                let owned = local(axis, place.process, until as usize) - local(axis, place.process, index);
                prop_assert_eq!(owned, place.left as u128);
                prop_assert!(until == MOST as u128 || axis.place(until as usize).process != place.process);
            }
        }
    }
}
