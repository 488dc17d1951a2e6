//! Index maps: the part of a section of one distribution that a process has, and its location in another
//! distribution, as runs.
//!
//! Idea: inside a block of both distributions consecutive indices stay consecutive, so that a map is a list
//! of runs instead of a table of indices. Every combination of block sizes, sources, offsets and transposes
//! is such a list, so one code path handles all of them. Cost: a step per block of this process and per block
//! of the target in it; adjacent runs are joined. Memory: 40 bytes per run.
//! Source: our own.

use crate::axis::{Axis, Section};

/// Successive indices of one process that belong to one process of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The local index of the first one where it is.
    pub local: usize,
    /// Its number in the section.
    pub number: usize,
    /// Number of indices.
    pub length: usize,
    /// The process that it belongs to; 0 without a target.
    pub process: usize,
    /// Its number among the indices of the section that belong to that process.
    pub place: usize,
}

impl Run {
    /// The part of it with numbers from `begin` to `end`, if there is any.
    pub fn within(self, begin: usize, end: usize) -> Option<Self> {
        let first = self.number.max(begin);
        let last = (self.number + self.length).min(end);
        let skipped = first.checked_sub(self.number)?;
        (first < last).then(|| Self {
            local: self.local + skipped,
            number: first,
            length: last - first,
            process: self.process,
            place: self.place + skipped,
        })
    }

    fn continues(self, before: Self) -> bool {
        self.process == before.process
            && self.local == before.local + before.length
            && self.number == before.number + before.length
            && self.place == before.place + before.length
    }
}

/// Number of indices.
pub fn count(runs: &[Run]) -> usize {
    runs.iter().map(|run| run.length).sum()
}

/// The process that distributes each index of a section. If every process has all indices, one of them
/// distributes it: the process with the index in `target` if both lie along the same dimension of the grid,
/// otherwise the processes in turn.
pub fn sharing(section: Section, target: Option<Section>) -> Section {
    /// Indices that a process distributes at a time by default.
    const BLOCK: usize = 64;
    if !section.axis.is_replicated() {
        return section;
    }
    match target {
        Some(target) if !target.axis.is_replicated() => target,
        _ => {
            let processes = section.axis.processes;
            let axis = Axis { first_block: BLOCK, block: BLOCK, source: Some(0), processes };
            Section { axis, start: 0, length: section.length }
        }
    }
}

/// The runs of a section that `process` hands out by `shares`, in ascending order, with their places in
/// `target`: for a replicated target, a run for every process of it.
pub fn runs(section: Section, shares: Section, process: usize, target: Option<Section>) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut number = 0;
    while number < section.length {
        let here = shares.axis.place(shares.start + number);
        let left = here.left.min(section.length - number);
        let processes = shares.axis.processes;
        let turns = (process + processes - here.process) % processes;
        if turns == 0 {
            let local = section.axis.local(process, section.start + number);
            place(Run { local, number, length: left, process: 0, place: number }, target, &mut runs);
            number += left;
        } else {
            number =
                number.saturating_add(left).saturating_add((turns - 1).saturating_mul(shares.axis.block));
        }
    }
    runs
}

/// Cuts a run at the blocks of the target.
fn place(run: Run, target: Option<Section>, runs: &mut Vec<Run>) {
    let Some(target) = target else { return push(run, runs) };
    if target.axis.is_replicated() {
        for process in 0..target.axis.processes {
            push(Run { process, ..run }, runs);
        }
        return;
    }
    let end = run.number + run.length;
    let mut number = run.number;
    while number < end {
        let there = target.axis.place(target.start + number);
        let length = there.left.min(end - number);
        let place =
            target.axis.local(there.process, target.start + number) - target.first_local(there.process);
        let local = run.local + number - run.number;
        push(Run { local, number, length, process: there.process, place }, runs);
        number += length;
    }
}

fn push(run: Run, runs: &mut Vec<Run>) {
    match runs.last_mut() {
        Some(last) if run.continues(*last) => last.length += run.length,
        _ => runs.push(run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::tests::{axes, owners};
    use hcube_testing::sizes::sizes_within;
    use proptest::prelude::*;

    proptest! {
        /// Index by index.
        #[test]
        fn every_index_goes_once_to_where_it_belongs(
            from in axes(), to in axes(), starts in (0usize..40, 0usize..40), length in 0usize..70,
            replicated in (any::<bool>(), any::<bool>()), with_target in any::<bool>(),
        ) {
            let from = if replicated.0 { Axis::replicated(from.processes) } else { from };
            let to = if replicated.1 { Axis::replicated(to.processes) } else { to };
            let section = Section { axis: from, start: starts.0, length };
            let target = with_target.then_some(Section { axis: to, start: starts.1, length });
            let shares = sharing(section, target.filter(|target| target.axis.processes == from.processes));
            let mut given = vec![Vec::new(); length];
            for process in 0..from.processes {
                for run in runs(section, shares, process, target) {
                    for step in 0..run.length {
                        let number = run.number + step;
                        let owner = from.place(section.start + number).process;
                        prop_assert!(from.is_replicated() || owner == process);
                        let below = from.local(process, section.start + number);
                        prop_assert_eq!(run.local + step, below);
                        given[number].push((run.process, run.place + step));
                    }
                }
            }
            for (number, given) in given.into_iter().enumerate() {
                let expected: Vec<(usize, usize)> = match target {
                    None => vec![(0, number)],
                    Some(_) if to.is_replicated() => (0..to.processes).map(|process| (process, number)).collect(),
                    Some(target) => {
                        let owners = owners(to, starts.1 + number + 1);
                        let owner = owners[starts.1 + number];
                        let place = owners[starts.1..starts.1 + number].iter().filter(|&&of| of == owner).count();
                        prop_assert_eq!(target.axis.place(starts.1 + number).process, owner);
                        vec![(owner, place)]
                    }
                };
                prop_assert_eq!(given, expected);
            }
        }

        #[test]
        fn parts_of_a_run_are_inside(begin in 0usize..40, width in 0usize..20) {
            let run = Run { local: 100, number: 10, length: 15, process: 2, place: 30 };
            let part = run.within(begin, begin + width);
            let inside = (begin..begin + width).filter(|number| (10..25).contains(number)).collect::<Vec<_>>();
            prop_assert_eq!(part.map_or(0, |part| part.length), inside.len());
            if let Some(part) = part {
                prop_assert_eq!(part.number, inside[0]);
                prop_assert_eq!((part.local - 100, part.place - 30), (inside[0] - 10, inside[0] - 10));
            }
        }
    }

    #[test]
    fn a_long_section_of_few_blocks_is_few_runs() {
        let axis = Axis { first_block: 1 << 40, block: 1 << 40, source: Some(1), processes: 2 };
        let section = Section { axis, start: 5, length: 1 << 41 };
        let found = runs(section, section, 1, Some(section));
        assert_eq!(found.len(), 1 + usize::from(section.count(1) > (1 << 40) - 5));
    }

    proptest! {
        /// Few blocks of any size: the runs of all processes cover a section once.
        #[test]
        fn runs_of_any_size_cover_a_section(
            [first_block, block] in [sizes_within(1, 1 << 56), sizes_within(1, 1 << 56)], start in sizes_within(0, 1 << 62),
            length in sizes_within(0, 1 << 62), processes in 1..5_usize, source in 0..5_usize,
        ) {
            let axis = Axis { first_block, block, source: Some(source % processes), processes };
            let section = Section { axis, start, length: length.min(block.saturating_mul(40)) };
            let mut all = Vec::new();
            for process in 0..processes {
                let found = runs(section, section, process, Some(section));
                prop_assert_eq!(count(&found), if processes > 1 { section.count(process) } else { section.length });
                for run in &found {
                    prop_assert_eq!(run.local, axis.local(process, start + run.number));
                    prop_assert_eq!((run.process, run.place), (process, run.local - section.first_local(process)));
                }
                all.extend(found);
            }
            all.sort_by_key(|run| run.number);
            let end = all.iter().try_fold(0, |end, run| (run.number == end).then_some(end + run.length));
            prop_assert_eq!(end, Some(section.length));
        }
    }
}
