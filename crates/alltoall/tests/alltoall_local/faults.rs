//! Calls whose arguments do not match: every rank returns the error, nothing is written, and the next
//! exchange works.

use super::image::{Form, Rank, Shape, Special};
use super::nodes::{Case, run_on_nodes};
use hcube_alltoall::{Conditions, ExchangeState, Options, Outcome, Path, Schedule, Task, exchange};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::error::{Error, HCUBE_ERR_COUNT, HCUBE_ERR_TRUNCATE, Result};
use hcube_core::memory::blocks::Blocks;

/// Four ranks or more in every situation in which the vote or the exchange differs.
pub fn situations() -> [Case; 8] {
    let options = Options::default();
    [
        Case::one_node(4, options),
        Case::one_node(4, Options { path: Path::SingleCopy, memory: 0, ..options }),
        Case::one_node(4, Options { path: Path::Shared, memory: 0, ..options }),
        Case::one_node(4, Options { path: Path::Message, memory: 0, ..options }),
        Case { nodes: vec![0, 1, 0, 1, 1], options },
        Case { nodes: vec![0, 1, 2, 2], options: Options { schedule: Schedule::Hypercube, ..options } },
        Case { nodes: vec![0, 1, 0, 1], options: Options { schedule: Schedule::NodeLeaders, ..options } },
        Case { nodes: vec![1, 0, 2, 2, 1], options: Options { schedule: Schedule::NodeLeaders, ..options } },
    ]
}

/// Whether ranks are on several nodes, with nothing requested.
fn is_apart(case: &Case) -> bool {
    let (schedule, path) = (case.options.schedule, case.options.path);
    (schedule, path) == (Schedule::Auto, Path::Auto) && case.nodes.iter().any(|&node| node != case.nodes[0])
}

/// An exchange that is right.
pub fn works(comm: &ThreadComm, state: &mut ExchangeState, case: &Case) {
    let mut rank = Rank::new(comm, &Shape::matching(1, true, Form::Even, &|_, _| 10_001));
    let outcome = rank.exchange(comm, state, &Special::default());
    assert!(matches!(outcome, Ok(Outcome::Done(_))) && rank.has_arrived(), "{outcome:?} of {case:?}");
}

/// Makes an exchange in every situation, between two that are right, and hands the outcomes of all ranks
/// to `check`. Nothing is written where the exchange is not made.
fn check(
    shape: &(dyn Fn(usize) -> Shape<'static> + Sync),
    special: &(dyn Fn(usize) -> Special + Sync),
    check: impl Fn(usize, &Result<Outcome>) -> bool,
) {
    check_in(&situations(), shape, special, check);
}

fn check_in(
    situations: &[Case],
    shape: &(dyn Fn(usize) -> Shape<'static> + Sync),
    special: &(dyn Fn(usize) -> Special + Sync),
    check: impl Fn(usize, &Result<Outcome>) -> bool,
) {
    for case in situations {
        let outcomes = run_on_nodes(case.nodes.clone(), |comm| {
            let mut state = ExchangeState::new(comm, &case.options).expect("created");
            works(comm, &mut state, case);
            let mut rank = Rank::new(comm, &shape(comm.rank()));
            let outcome = rank.exchange(comm, &mut state, &special(comm.rank()));
            let done = matches!(outcome, Ok(Outcome::Done(_)));
            let as_promised = if done { rank.has_arrived() } else { rank.is_untouched() };
            assert!(as_promised, "rank {}: {outcome:?} of {case:?}", comm.rank());
            works(comm, &mut state, case);
            outcome
        });
        for (rank, outcome) in outcomes.iter().enumerate() {
            assert!(check(rank, outcome), "rank {rank}: {outcome:?} of {case:?}");
        }
    }
}

fn ordinary(_: usize) -> Special {
    Special::default()
}

fn with_facts(conditions: Conditions) -> impl Fn(usize) -> Special + Sync {
    move |_| Special { conditions, ..Special::default() }
}

const TOLERANT: Conditions = Conditions {
    unreachable: false,
    beyond_library: false,
    tolerant: true,
    timed: false,
    may_skip_votes: false,
    stated: None,
    led: None,
    agreement: 0,
    user: 0,
};

fn is_library(outcome: &Result<Outcome>, reason: &str) -> bool {
    matches!(outcome, Ok(Outcome::Library(why)) if why.contains(reason))
}

fn truncated(from: usize, sent: usize, to: usize, expected: usize) -> String {
    format!(
        "counts do not match: rank {from} sends {sent} bytes to rank {to}, which expects {expected} bytes"
    )
}

/// Each of these ranks returns this error, the others the error of the first of them.
fn is_truncated(concerned: &[(usize, String)], rank: usize, outcome: &Result<Outcome>) -> bool {
    let (first, said) = &concerned[0];
    match (concerned.iter().find(|(concerned, _)| *concerned == rank), outcome) {
        (Some((_, text)), Err(Error::Truncate { message, .. })) => message == text,
        (None, Err(Error::Remote { rank, code, message })) => {
            (rank, *code, message) == (first, HCUBE_ERR_TRUNCATE, said)
        }
        _ => false,
    }
}

/// Out of place: one block has 10 bytes more than is expected, or as many less.
fn one_block(form: Form, from: usize, to: usize, more: bool) -> Shape<'static> {
    let size: &'static (dyn Fn(usize, usize) -> usize + Sync) = match (from, to) {
        (1, 2) => &|from, to| if (from, to) == (1, 2) { 30 } else { 20 },
        (1, 1) => &|from, to| if (from, to) == (1, 1) { 30 } else { 20 },
        _ => unreachable!(),
    };
    let (size, expected): (_, &'static (dyn Fn(usize, usize) -> usize + Sync)) =
        if more { (size, &|_, _| 20) } else { (&|_, _| 20, size) };
    Shape { number: 2, in_place: false, form, size, expected }
}

#[test]
fn both_counts_are_named_on_both_ranks_out_of_place() {
    for (more, sent, expected) in [(true, 30, 20), (false, 20, 30)] {
        let text = truncated(1, sent, 2, expected);
        let concerned = [(1, text.clone()), (2, text)];
        for form in [Form::Counted, Form::Listed] {
            let shape = |_| one_block(form, 1, 2, more);
            check(&shape, &ordinary, |rank, outcome| is_truncated(&concerned, rank, outcome));
        }
    }
}

/// A rank's block for itself.
#[test]
fn a_rank_that_expects_something_else_of_itself() {
    for (more, sent, expected) in [(true, 30, 20), (false, 20, 30)] {
        let concerned = [(1, truncated(1, sent, 1, expected))];
        check(&|_| one_block(Form::Listed, 1, 1, more), &ordinary, |rank, outcome| {
            is_truncated(&concerned, rank, outcome)
        });
    }
}

/// In place a block is both what is sent and what is expected, so each rank names what arrives there.
#[test]
fn both_counts_are_named_on_both_ranks_in_place() {
    let shape = |_| Shape {
        number: 2,
        in_place: true,
        form: Form::Counted,
        size: &|_, _| 0,
        expected: &|from, to| if (from, to) == (2, 1) { 3000 } else { 20 },
    };
    let concerned = [(1, truncated(2, 20, 1, 3000)), (2, truncated(1, 3000, 2, 20))];
    for conditions in [Conditions::default(), TOLERANT] {
        check(&shape, &with_facts(conditions), |rank, outcome| is_truncated(&concerned, rank, outcome));
    }
}

/// MPI_Alltoall with another count on one rank: all are concerned.
#[test]
fn a_rank_with_another_count_for_all() {
    let shape = |_| Shape {
        number: 2,
        in_place: false,
        form: Form::Even,
        size: &|from, _| if from == 1 { 30 } else { 20 },
        expected: &|_, to| if to == 1 { 30 } else { 20 },
    };
    check(&shape, &ordinary, |rank, outcome| {
        let message = match rank {
            // Received data is checked first.
            1 => truncated(0, 20, 1, 30),
            _ => truncated(1, 30, rank, 20),
        };
        *outcome == Err(Error::Truncate { message, first: rank == 0 })
    });
}

#[test]
fn a_rank_that_refuses_tells_the_others() {
    let shape = |_| Shape::matching(2, true, Form::Even, &|_, _| 50);
    let refusal = |rank: usize| Error::Count(format!("count = -{rank}"));
    for refusing in [&[0][..], &[2], &[1, 3]] {
        let special = |rank: usize| Special {
            refusal: refusing.contains(&rank).then(|| refusal(rank)),
            ..Special::default()
        };
        check(&shape, &special, |rank, outcome| {
            let own = refusing.contains(&rank).then(|| refusal(rank));
            let message = refusal(refusing[0]).to_string();
            let remote = Error::Remote { rank: refusing[0], code: HCUBE_ERR_COUNT, message };
            *outcome == Err(own.unwrap_or(remote))
        });
    }
}

/// Also before calls that another rank forwards to the MPI library, and before counts that do not match.
#[test]
fn a_refusal_comes_before_everything_else() {
    let special = |rank| Special {
        refusal: match rank {
            0 => Some(Error::Unsupported("a datatype".into())),
            3 => Some(Error::Count("count = -1".into())),
            _ => None,
        },
        left: Some("asked for"),
        ..Special::default()
    };
    let remote = Error::Remote { rank: 3, code: HCUBE_ERR_COUNT, message: "count = -1".into() };
    check(&|_| one_block(Form::Listed, 1, 2, true), &special, |rank, outcome| match rank {
        3 => *outcome == Err(Error::Count("count = -1".into())),
        _ => *outcome == Err(remote.clone()),
    });
}

#[test]
fn what_one_rank_cannot_handle_all_forward() {
    let shape = |_| Shape::matching(2, true, Form::Even, &|_, _| 50);
    for failing in [0, 3] {
        let unsupported = |rank| Special {
            refusal: (rank == failing).then(|| Error::Unsupported("a datatype".into())),
            ..Special::default()
        };
        let unreachable = |rank| Special {
            conditions: Conditions { unreachable: rank == failing, ..Conditions::default() },
            ..Special::default()
        };
        check(&shape, &unsupported, |_, outcome| is_library(outcome, "cannot handle"));
        check(&shape, &unreachable, |_, outcome| is_library(outcome, "cannot handle"));
        // If the MPI library cannot handle another rank's counts, the exchange fails on all ranks.
        let nobody = |rank| Special {
            conditions: Conditions { beyond_library: rank == 1, ..Conditions::default() },
            ..unsupported(rank)
        };
        check(&shape, &nobody, |_, outcome| matches!(outcome, Err(Error::Unsupported(_))));
    }
}

#[test]
fn what_is_left_to_the_library_is_done_where_that_cannot() {
    let shape = |_| Shape::matching(2, true, Form::Even, &|_, _| 50);
    let left = |beyond_library| {
        move |rank| Special {
            left: Some("asked for"),
            conditions: Conditions { beyond_library: beyond_library && rank == 2, ..Conditions::default() },
            ..Special::default()
        }
    };
    check(&shape, &left(false), |_, outcome| is_library(outcome, "asked for"));
    check(&shape, &left(true), |_, outcome| matches!(outcome, Ok(Outcome::Done(_))));
}

#[test]
fn a_rank_that_expects_more_is_tolerated_out_of_place() {
    let concerned = |sent, expected| {
        let text = truncated(1, sent, 2, expected);
        [(1, text.clone()), (2, text)]
    };
    check(&|_| one_block(Form::Listed, 1, 2, false), &with_facts(TOLERANT), |_, outcome| {
        is_library(outcome, "expects more")
    });
    check(&|_| one_block(Form::Listed, 1, 1, false), &with_facts(TOLERANT), |_, outcome| {
        is_library(outcome, "expects more")
    });
    check(&|_| one_block(Form::Listed, 1, 2, true), &with_facts(TOLERANT), |rank, outcome| {
        is_truncated(&concerned(30, 20), rank, outcome)
    });
    // The library could not make it.
    let beyond = |rank| Special {
        conditions: Conditions { beyond_library: rank == 0, ..TOLERANT },
        ..Special::default()
    };
    check(&|_| one_block(Form::Listed, 1, 2, false), &beyond, |rank, outcome| {
        is_truncated(&concerned(20, 30), rank, outcome)
    });
}

/// One rank expects more bytes, and another is sent more.
#[test]
fn expecting_more_excuses_nobody_else() {
    let shape = |_| Shape {
        number: 2,
        in_place: false,
        form: Form::Listed,
        size: &|from, to| if (from, to) == (3, 0) { 21 } else { 20 },
        expected: &|from, to| if (from, to) == (1, 2) { 30 } else { 20 },
    };
    let (first, second) = (truncated(3, 21, 0, 20), truncated(1, 20, 2, 30));
    let concerned = [(0, first.clone()), (1, second.clone()), (2, second), (3, first)];
    check(&shape, &with_facts(TOLERANT), |rank, outcome| is_truncated(&concerned, rank, outcome));
}

#[test]
fn in_place_on_some_ranks_only_is_refused_on_all() {
    let refused = |_, outcome: &Result<Outcome>| matches!(outcome, Err(Error::Truncate { message, .. }) if message.contains("ranks pass MPI_IN_PLACE"));
    check(&|rank| Shape::matching(2, rank != 1, Form::Counted, &|_, _| 20), &ordinary, refused);
    // By default a rank that calls `MPI_Alltoall` out of place between nodes does not vote with ranks that
    // call it in place, where the MPI library makes its exchange.
    let together: Vec<Case> = situations().into_iter().filter(|case| !is_apart(case)).collect();
    check_in(&together, &|rank| Shape::matching(2, rank != 1, Form::Even, &|_, _| 20), &ordinary, refused);
}

/// Exchanges with the state of another communicator, and with a wrong task.
fn misused(swapped: bool, task: impl Fn() -> Result<Task<'static>> + Sync) {
    threads::run(2, 2, |comm| {
        let mut state = ExchangeState::new(comm, &Options::default()).expect("created");
        let key = if swapped { -(comm.rank() as i32) } else { 0 };
        let other = comm.split(Some(0), key).expect("a split").expect("a group");
        drop(exchange(&other, &mut state, &task(), Conditions::default(), None));
    });
}

pub fn refused() -> Result<Task<'static>> {
    Err(Error::Count("count = -1".into()))
}

/// Ranks would copy blocks of other ranks than those whose counts were compared.
#[test]
#[should_panic(expected = "a rank panicked")]
fn the_state_of_another_communicator_is_refused() {
    misused(true, refused);
}

#[test]
#[should_panic(expected = "a rank panicked")]
fn a_task_without_a_block_for_each_rank_is_refused() {
    misused(false, || Ok(Task::in_place(Blocks::listed(Vec::new()))));
}

#[test]
fn the_same_ranks_in_the_same_order_are_not_refused() {
    misused(false, refused);
}
