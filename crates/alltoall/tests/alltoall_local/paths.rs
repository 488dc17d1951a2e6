//! Every path, schedule, memory bound and place of ranks, with all sorts of counts.

use super::image::{Form, Rank, Shape, Special};
use super::nodes::{Case, SINGLE_COPY, run_on_nodes};
use super::sizes::{ASYMMETRIC, Load, SYMMETRIC, Sizes};
use hcube_alltoall::{ExchangeState, Options, Outcome, Path, Schedule, UsedPath};
use hcube_core::comm::Comm;

const MEMORY: [usize; 3] = [0, 4096, 1 << 20];
const PATHS: [Path; 3] = [Path::Auto, Path::SingleCopy, Path::Shared];
const SCHEDULES: [Schedule; 6] = [
    Schedule::Auto,
    Schedule::Mpich,
    Schedule::LinearShift,
    Schedule::HierarchicalSets,
    Schedule::Hypercube,
    Schedule::NodeLeaders,
];

impl Case {
    /// All counts, in place and out of place, one after the other on the same state state.
    fn check(&self) {
        self.check_with(|_| ());
    }

    /// With a state state that is changed first.
    fn check_with(&self, change: impl Fn(&mut ExchangeState) + Sync) {
        let ranks = self.ranks();
        let in_place = SYMMETRIC.iter().map(|sizes| (true, sizes));
        let out_of_place = SYMMETRIC.iter().chain(&ASYMMETRIC).map(|sizes| (false, sizes));
        let exchanges: Vec<(bool, &Sizes)> = in_place.chain(out_of_place).collect();
        run_on_nodes(self.nodes.clone(), |comm| {
            let mut state = ExchangeState::new(comm, &self.options).expect("created");
            assert_eq!(state.refusal(), None);
            change(&mut state);
            for (number, &(in_place, &(name, form, size))) in exchanges.iter().enumerate() {
                let size = |from, to| size(from, to, ranks);
                let mut rank = Rank::new(comm, &Shape::matching(number, in_place, form, &size));
                let (path, other) = self.path(comm.rank(), &state, Load::of(ranks, size), (form, in_place));
                let outcome = rank.exchange(comm, &mut state, &Special::default());
                let what = || format!("{name}, in place {in_place}, rank {} of {self:?}", comm.rank());
                if self.is_forwarded(&state, Load::of(ranks, size), (form, in_place)) {
                    assert!(matches!(outcome, Ok(Outcome::Library(_))), "{outcome:?}: {}", what());
                    assert!(rank.is_untouched(), "written: {}", what());
                    continue;
                }
                let Ok(Outcome::Done(report)) = outcome else { panic!("{outcome:?}: {}", what()) };
                assert!(rank.has_arrived(), "other bytes: {}", what());
                assert!(
                    report.path == path || Some(report.path) == other,
                    "{report:?}, {path:?}: {}",
                    what()
                );
                assert_eq!(report.bytes, rank.bytes_sent(), "{}", what());
                let bound = self.options.memory as u64 + (64 << 10);
                assert!(report.memory <= bound, "{} of {bound}: {}", report.memory, what());
            }
        });
    }
}

fn options(schedule: Schedule, path: Path, memory: usize) -> Options {
    Options { schedule, path, memory, ranks_per_node: 0 }
}

#[test]
fn inside_a_node_every_path() {
    for ranks in 1..=9 {
        for path in PATHS {
            for memory in MEMORY {
                Case::one_node(ranks, options(Schedule::Auto, path, memory)).check();
            }
        }
        Case::one_node(ranks, options(Schedule::Hypercube, Path::Auto, 4096)).check();
    }
}

#[test]
fn by_messages_every_schedule() {
    for ranks in 1..=9 {
        for schedule in SCHEDULES {
            for memory in MEMORY {
                Case::one_node(ranks, options(schedule, Path::Message, memory)).check();
            }
        }
    }
}

#[test]
fn between_nodes_every_path_and_schedule() {
    for memory in MEMORY {
        for path in PATHS {
            for schedule in SCHEDULES {
                // The path inside a node does not depend on the order between nodes.
                if path != Path::Auto
                    && !matches!(schedule, Schedule::Auto | Schedule::Hypercube | Schedule::NodeLeaders)
                {
                    continue;
                }
                let options = options(schedule, path, memory);
                Case::uneven_nodes(options)
                    .chain(Case::pretended_nodes(options))
                    .for_each(|case| case.check());
            }
        }
    }
}

/// From 32 ranks trials begin with bundles of small blocks.
#[test]
fn many_ranks_bundle_small_blocks() {
    for (ranks, path) in [(31, UsedPath::Mixed), (32, UsedPath::Hypercube), (33, UsedPath::Hypercube)] {
        let options = Options { ranks_per_node: 16, ..Options::default() };
        let paths = run_on_nodes(vec![0; ranks], |comm| {
            let mut state = ExchangeState::new(comm, &options).expect("created");
            [(16, true), (17, false)].map(|(bytes, small)| {
                let size = |_, _| bytes;
                let shape = Shape::matching(0, true, Form::Listed, &size);
                let mut rank = Rank::new(comm, &shape);
                let outcome = rank.exchange(comm, &mut state, &Special::default());
                assert!(rank.has_arrived(), "rank {} of {ranks}, {bytes} bytes", comm.rank());
                let Ok(Outcome::Done(report)) = outcome else { panic!("{outcome:?}") };
                (small, report.path)
            })
        });
        for (rank, paths) in paths.into_iter().enumerate() {
            // Rank 32 is the only one on its node.
            let large = if rank == 32 { UsedPath::Message } else { UsedPath::Mixed };
            assert_eq!(paths, [(true, path), (false, large)], "rank {rank} of {ranks}");
        }
    }
}

/// From 4 ranks small blocks of `MPI_Alltoall` and `MPI_Alltoallv` are passed on by node leaders, until a
/// comparison has shown that the MPI library is faster. Of several sizes, blocks out of place that are too
/// large for node leaders are forwarded.
#[test]
fn small_blocks_have_node_leaders() {
    const MIXED: Option<UsedPath> = Some(UsedPath::Mixed);
    const LED: Option<UsedPath> = Some(UsedPath::NodeLeaders);
    for (ranks, bytes, path, counted) in [
        (3, 8, MIXED, MIXED),
        (4, 16 << 10, LED, LED),
        (4, (16 << 10) + 1, MIXED, None),
        (16, 8 << 10, LED, LED),
        (16, 16 << 10, LED, LED),
        (16, (16 << 10) + 1, MIXED, None),
        (17, 1, LED, LED),
    ] {
        let options = Options { ranks_per_node: 2, ..Options::default() };
        let paths = run_on_nodes(vec![0; ranks], |comm| {
            let mut state = ExchangeState::new(comm, &options).expect("created");
            let size = |_, _| bytes;
            let exchanges =
                [(Form::Even, false), (Form::Even, true), (Form::Counted, false), (Form::Counted, true)];
            exchanges.map(|(form, in_place)| {
                let mut rank = Rank::new(comm, &Shape::matching(0, in_place, form, &size));
                match rank.exchange(comm, &mut state, &Special::default()).expect("valid arguments") {
                    Outcome::Done(report) => {
                        assert!(rank.has_arrived(), "rank {} of {ranks}, {bytes} bytes", comm.rank());
                        Some(report.path)
                    }
                    Outcome::Library(_) => None,
                }
            })
        });
        assert_eq!(paths[..2], [[path, path, counted, path]; 2], "{ranks} ranks, {bytes} bytes");
    }
}

/// Blocks that are longer than the memory permits are passed on in several rounds, up to eight.
#[test]
fn blocks_take_several_rounds() {
    for nodes in [vec![0, 0, 1, 1], vec![0, 1, 0, 2, 1, 1], (0..9).map(|rank| rank / 3).collect()] {
        let options = Options { schedule: Schedule::NodeLeaders, memory: 16 << 10, ..Options::default() };
        run_on_nodes(nodes.clone(), |comm| {
            let mut state = ExchangeState::new(comm, &options).expect("created");
            let most = state.situation().led;
            // A piece of each block is part of a notice.
            assert!(
                state.slot_bytes().is_none_or(|slot| (slot..8 * slot).contains(&(most * (nodes.len() - 1))))
            );
            let sizes: [&(dyn Fn(usize, usize) -> usize + Sync); 4] = [
                &|_, _| most,
                &|from, to| (from * 7 + to * 13) % 9 * most / 8,
                // Only one pair has more than one round.
                &|from, to| if (from, to) == (0, nodes.len() - 1) { most } else { 1 },
                &|from, to| if from.max(to) == 3 && from.min(to) == 1 { most - 1 } else { 0 },
            ];
            for (number, size) in sizes.iter().enumerate() {
                for in_place in [false, true] {
                    let size = |from: usize, to: usize| {
                        if in_place { size(from.min(to), from.max(to)) } else { size(from, to) }
                    };
                    let mut rank = Rank::new(comm, &Shape::matching(number, in_place, Form::Counted, &size));
                    let outcome = rank.exchange(comm, &mut state, &Special::default());
                    let Ok(Outcome::Done(report)) = outcome else { panic!("{outcome:?}") };
                    assert_eq!(report.path, UsedPath::NodeLeaders, "{number}, {nodes:?}");
                    assert!(rank.has_arrived(), "{number}, rank {} of {nodes:?}", comm.rank());
                    assert!(report.memory <= (16 << 10) + (64 << 10), "{report:?}");
                }
            }
        });
    }
}

/// A few large blocks do not hinder node leaders: their ranks exchange them by messages.
#[test]
fn few_large_blocks_go_by_messages() {
    for (nodes, each) in [(vec![0; 9], 2), (vec![0, 1, 0, 2, 1, 1], 0)] {
        let options = Options { ranks_per_node: each, memory: 512 << 10, ..Options::default() };
        let (ranks, long) = (nodes.len(), 17_011);
        // The last rank of nine, and rank 3 of six, is the only one of its node.
        let sizes: [&(dyn Fn(usize, usize) -> usize + Sync); 4] = [
            // One pair, also inside a node, and in both directions.
            &|from, to| if (from, to) == (1, 2) { long } else { (from + to) % 5 },
            &|from, to| if from + to == 1 { long } else { 8 },
            &|from, to| if from.min(to) == 1 && from.max(to) == 3 { long } else { 8 },
            &|from, to| if from.min(to) == 0 && from.max(to) + 1 == ranks { long } else { 0 },
        ];
        run_on_nodes(nodes.clone(), |comm| {
            let mut state = ExchangeState::new(comm, &options).expect("created");
            assert!((1..long).contains(&state.situation().led));
            for (number, size) in sizes.iter().enumerate() {
                for in_place in if number == 0 { &[false][..] } else { &[false, true] } {
                    let mut rank = Rank::new(comm, &Shape::matching(number, *in_place, Form::Counted, size));
                    let outcome = rank.exchange(comm, &mut state, &Special::default());
                    let Ok(Outcome::Done(report)) = outcome else { panic!("{outcome:?}") };
                    assert_eq!(report.path, UsedPath::NodeLeaders, "{number}, {ranks} ranks");
                    assert!(rank.has_arrived(), "{number}, rank {} of {ranks}", comm.rank());
                    assert!(report.memory <= (512 << 10) + (64 << 10), "{report:?}");
                }
            }
        });
    }
}

#[test]
fn large_blocks_try_both_paths() {
    let options = options(Schedule::Auto, Path::Auto, 4096);
    let paths = run_on_nodes(vec![0; 3], |comm| {
        let mut state = ExchangeState::new(comm, &options).expect("created");
        assert_eq!(state.situation().single_copy, *SINGLE_COPY);
        let size = |_, _| 70_000;
        [0, 1, 2, 3, 4, 5, 6, 7].map(|number| {
            let mut rank = Rank::new(comm, &Shape::matching(number, true, Form::Even, &size));
            let outcome = rank.exchange(comm, &mut state, &Special::default());
            assert!(rank.has_arrived(), "exchange {number}, rank {}", comm.rank());
            let Ok(Outcome::Done(report)) = outcome else { panic!("{outcome:?}") };
            report.path
        })
    });
    assert!(paths.iter().all(|used| *used == paths[0]), "not the same on all ranks: {paths:?}");
    assert!(paths[0].contains(&UsedPath::Shared), "{paths:?}");
    assert_eq!(paths[0].contains(&UsedPath::SingleCopy), *SINGLE_COPY, "{paths:?}");
}

/// Reported is what was touched, not what is reserved, and never more than the bound.
#[test]
fn memory_counts_when_it_is_used() {
    for path in PATHS {
        let options = options(Schedule::Auto, path, 1 << 20);
        run_on_nodes(vec![0; 3], |comm| {
            let mut state = ExchangeState::new(comm, &options).expect("created");
            let mut memory = |number: usize, bytes: usize, in_place: bool| {
                let size = |_, _| bytes;
                let mut rank = Rank::new(comm, &Shape::matching(number, in_place, Form::Even, &size));
                let outcome = rank.exchange(comm, &mut state, &Special::default());
                assert!(rank.has_arrived(), "exchange {number}, rank {}", comm.rank());
                let Ok(Outcome::Done(report)) = outcome else { panic!("{outcome:?}") };
                (report.memory as usize, report.path)
            };
            let (first, _) = memory(0, 8, true);
            assert!(first < 64 << 10, "{first} bytes for a small exchange");
            let (second, used) = memory(1, 20_000, false);
            let copied = used == UsedPath::SingleCopy;
            let notice = if copied { 0..=0 } else { 40_000 - 4096..=40_000 + 8192 };
            assert!(notice.contains(&(second - first)), "{first}, then {second} bytes by {used:?}");
            let (third, used) = memory(2, 300_000, true);
            let least = if used == UsedPath::SingleCopy { 64 << 10 } else { 800 << 10 };
            assert!((least..=(1 << 20) + (64 << 10)).contains(&third), "{third} bytes by {used:?}");
            assert_eq!(memory(3, 8, true).0, third, "it stays");
        });
    }
}

/// Out of place, more than a cache holds.
#[test]
fn past_the_cache() {
    for ranks in 1..=5 {
        for memory in MEMORY {
            let case = Case::one_node(ranks, options(Schedule::Auto, Path::Shared, memory));
            case.check_with(|state| state.set_cache(0));
        }
    }
}

/// The best times in nanoseconds that are known after some large exchanges, with one of nothing after each.
fn best_times(nodes: Vec<u32>) -> Vec<u64> {
    let all = run_on_nodes(nodes, |comm| {
        let options = options(Schedule::Auto, Path::Auto, 4096);
        let mut state = ExchangeState::new(comm, &options).expect("created");
        for number in 0..10 {
            let size = |_, _| if number % 2 == 0 { 70_000 } else { 0 };
            let mut rank = Rank::new(comm, &Shape::matching(number, true, Form::Even, &size));
            rank.exchange(comm, &mut state, &Special::default()).expect("done");
        }
        // The records are private, but not their text.
        format!("{:?}", state.trials())
    });
    assert!(all.iter().all(|trials| *trials == all[0]), "ranks know different things: {all:?}");
    let means = all[0].split("mean: ").skip(1).filter_map(|rest| rest.split(' ').next());
    let means = means.map(|mean| mean.parse().expect("a number"));
    // Of algorithms that were used; the MPI library takes no part.
    means.filter(|&mean| mean > 0).collect()
}

/// A time that is not the exchange's own decides wrongly.
fn assert_own(times: &[u64]) {
    // 3 blocks per rank, at most 50 bytes in a nanosecond: an exchange of nothing takes a tenth of that.
    let least = 3 * 70_000 / 50;
    assert!(!*SINGLE_COPY || !times.is_empty() && times.iter().all(|&time| time >= least), "{times:?}");
}

#[test]
fn trials_inside_a_node_are_timed() {
    assert_own(&best_times(vec![0; 4]));
}

#[test]
fn trials_between_nodes_are_timed() {
    assert_own(&best_times(vec![0, 0, 1, 1]));
}
