//! Exchanges between nodes, whose algorithms are compared: ranks decide alike, every algorithm is used, and
//! everything arrives by each of them.

use super::image::{Form, Rank, Shape, Special};
use super::nodes::{Case, run_on_nodes};
use hcube_alltoall::{Conditions, ExchangeState, Options, Outcome, UsedPath};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::ThreadComm;

/// Exchanges in which each algorithm is used at least once.
const FIRST: usize = 15;

/// By hcube on this path, or forwarded.
type Used = Option<UsedPath>;

/// An exchange of blocks of this size; after a forwarded one its time is noted, as the front end does.
fn exchange(
    comm: &ThreadComm,
    state: &mut ExchangeState,
    (number, in_place, form): (usize, bool, Form),
    bytes: usize,
    conditions: Conditions,
) -> Used {
    // Some ranks send nothing to some others.
    let size = |from: usize, to: usize| if (from + to + number) % 5 == 4 { 0 } else { bytes };
    let mut rank = Rank::new(comm, &Shape::matching(number, in_place, form, &size));
    let special = Special { conditions, ..Special::default() };
    match rank.exchange(comm, state, &special).expect("valid arguments") {
        Outcome::Done(report) => {
            assert!(rank.has_arrived(), "exchange {number}, {bytes} bytes, rank {}", comm.rank());
            Some(report.path)
        }
        Outcome::Library(_) => {
            assert!(rank.is_untouched(), "exchange {number}, rank {}", comm.rank());
            state.note_forwarded(comm.seconds());
            None
        }
    }
}

/// The paths of exchanges in place of these sizes in turn, on each rank.
fn in_turn(case: &Case, sizes: &[usize], conditions: Conditions) -> Vec<Vec<Used>> {
    run_on_nodes(case.nodes.clone(), |comm| {
        let mut state = ExchangeState::new(comm, &case.options).expect("created");
        (0..sizes.len() * FIRST)
            .map(|number| {
                let bytes = sizes[number % sizes.len()];
                exchange(comm, &mut state, (number, true, Form::Listed), bytes, conditions)
            })
            .collect()
    })
}

/// Whether a rank uses an algorithm that all ranks use at the same time.
fn common(used: Used) -> Option<Used> {
    Some(used).filter(|used| !matches!(used, Some(UsedPath::Mixed | UsedPath::Message)))
}

fn cases(memory: usize) -> impl Iterator<Item = Case> {
    let options = Options { memory, ..Options::default() };
    Case::uneven_nodes(options).chain(Case::pretended_nodes(options))
}

#[test]
fn ranks_decide_alike_and_use_every_algorithm() {
    let timed = Conditions { timed: true, ..Conditions::default() };
    for case in cases(1 << 20) {
        let ranks = case.ranks();
        for conditions in [Conditions::default(), timed] {
            let all = in_turn(&case, &[24, 700], conditions);
            let decisions = |used: &[Used]| used.iter().map(|&used| common(used)).collect::<Vec<_>>();
            for used in &all {
                assert_eq!(decisions(used), decisions(&all[0]), "{case:?}");
            }
            for (turn, small) in [(0, true), (1, false)] {
                let used: Vec<Used> = all[0].iter().skip(turn).step_by(2).copied().collect();
                let of_turn = |path: Used| used.contains(&path);
                assert_eq!(of_turn(Some(UsedPath::Hypercube)), small && ranks >= 4, "{case:?}: {used:?}");
                assert_eq!(of_turn(None), conditions.timed, "{case:?}: {used:?}");
                assert!(of_turn(Some(UsedPath::Mixed)) || of_turn(Some(UsedPath::Message)), "{used:?}");
            }
        }
    }
}

/// Whether node leaders, messages or the library make an exchange is decided for each size class by itself,
/// also where sizes change with each exchange, so that blocks do not travel with the votes of each.
#[test]
fn size_classes_are_decided_apart() {
    const SIZES: [usize; 3] = [100, 5000, 30_000];
    let timed = Conditions { timed: true, ..Conditions::default() };
    for case in cases(1 << 20) {
        let all = run_on_nodes(case.nodes.clone(), |comm| {
            let mut state = ExchangeState::new(comm, &case.options).expect("created");
            // In turn, and each several times.
            let sizes = (0..3 * FIRST)
                .map(|number| SIZES[number % 3])
                .chain(SIZES.iter().flat_map(|&size| [size; 9]));
            let exchange =
                |(number, size)| exchange(comm, &mut state, (number, false, Form::Counted), size, timed);
            let used: Vec<Used> = sizes.enumerate().map(exchange).collect();
            (used, state.situation().led)
        });
        let (first, led) = &all[0];
        if *led == 0 {
            continue;
        }
        for (used, _) in &all {
            let decisions = |used: &[Used]| used.iter().map(|&used| common(used)).collect::<Vec<_>>();
            assert_eq!(decisions(used), decisions(first), "{case:?}");
        }
        let of_size = |turn: usize| first[..3 * FIRST].iter().skip(turn).step_by(3).copied();
        assert!(of_size(0).all(|used| used == Some(UsedPath::NodeLeaders)), "{case:?}: {first:?}");
        for used in [Some(UsedPath::NodeLeaders), None] {
            assert!(of_size(1).any(|other| other == used), "{used:?}, {case:?}: {first:?}");
        }
        let by_messages = |used| matches!(used, Some(UsedPath::Mixed | UsedPath::Message));
        assert!(of_size(2).any(by_messages) && of_size(2).any(|used| used.is_none()), "{case:?}: {first:?}");
        assert!(!of_size(2).any(|used| used == Some(UsedPath::NodeLeaders)), "{case:?}: {first:?}");
    }
}

/// The MPI library's function in place may need a copy of the buffer, so it is not used beyond the memory
/// bound.
#[test]
fn the_library_stays_within_the_memory_bound() {
    let timed = Conditions { timed: true, ..Conditions::default() };
    for case in cases(4096) {
        let ranks = case.ranks();
        // Of all ranks together.
        let within = 4096 / (ranks * (ranks - 1));
        for (bytes, expected) in [(within, true), (4096 * 5, false)] {
            let all = in_turn(&case, &[bytes], timed);
            assert!(all.iter().all(|used| used.contains(&None) == expected), "{bytes} bytes, {case:?}");
        }
    }
}

/// Where a schedule or a path was requested, nothing is forwarded, and nothing else is tried.
#[test]
fn requests_are_not_compared() {
    use hcube_alltoall::{Path, Schedule};
    let timed = Conditions { timed: true, may_skip_votes: true, ..Conditions::default() };
    for (schedule, path) in [(Schedule::LinearShift, Path::Auto), (Schedule::Auto, Path::Shared)] {
        let options = Options { schedule, path, ..Options::default() };
        for case in Case::pretended_nodes(options) {
            for used in in_turn(&case, &[24], timed).iter().flatten() {
                let made = [UsedPath::Alone, UsedPath::Mixed, UsedPath::Message];
                assert!(used.is_some_and(|path| made.contains(&path)), "{used:?}, {case:?}");
            }
        }
    }
}

/// The times that ranks state with their votes, where the votes are an all-reduce and where they travel with
/// the blocks.
#[test]
fn stated_times_are_summed_between_nodes() {
    for case in cases(1 << 20) {
        let ranks = case.ranks();
        let all = run_on_nodes(case.nodes.clone(), |comm| {
            let mut state = ExchangeState::new(comm, &case.options).expect("created");
            let stated = Some(1000 + comm.rank() as u64);
            let conditions =
                |stated| Conditions { timed: true, may_skip_votes: true, stated, ..Conditions::default() };
            let mut times = |number, in_place, bytes, conditions| {
                let size = |_, _| bytes;
                let form = match number {
                    0..5 => Form::Listed,
                    5..8 => Form::Even,
                    _ => Form::Counted,
                };
                let mut rank = Rank::new(comm, &Shape::matching(number, in_place, form, &size));
                let special = Special { conditions, ..Special::default() };
                let outcome = rank.exchange(comm, &mut state, &special).expect("valid arguments");
                assert!(!matches!(outcome, Outcome::Done(_)) || rank.has_arrived(), "exchange {number}");
                state.last_short_times()
            };
            let found = [
                times(0, true, 8, conditions(stated)),
                times(1, true, 8, conditions(None)),
                times(2, true, 0, conditions(stated)),
                times(3, true, 600_000, conditions(stated)),
                times(4, true, 8, Conditions { may_skip_votes: false, ..conditions(stated) }),
                times(5, false, 8, conditions(stated)),
                times(6, false, 8, conditions(None)),
                times(7, true, 8, conditions(None)),
                times(8, false, 0, conditions(stated)),
                times(9, false, 8, conditions(stated)),
                times(10, false, 5000, conditions(stated)),
                times(11, false, 5000, conditions(None)),
            ];
            (found, state.situation().led)
        });
        let sum = Some((0..ranks as u64).map(|rank| 1000 + rank).sum());
        for (found, led) in all {
            assert_eq!(found[..5], [sum, Some(0), sum, None, None], "{case:?}");
            let equal = if led > 0 { [sum, Some(0), Some(0)] } else { [None, None, Some(0)] };
            assert_eq!(found[5..8], equal, "{case:?}");
            // Of several sizes: also where a block is too large.
            let counted = if led > 0 { [sum, sum, sum, Some(0)] } else { [None; 4] };
            assert_eq!(found[8..], counted, "{case:?}");
            // Node leaders take part from four ranks on, where nodes have several ranks.
            let alone = case.options.ranks_per_node == 1 || case.nodes == [0, 1, 2, 3];
            assert_eq!(led > 0, ranks >= 4 && !alone, "{case:?}");
        }
    }
}
