//! Ranks of one node whose arguments are invalid do not wait for the others, and all others return the error.

use super::faults::{refused, situations, works};
use super::image::{Form, Rank, Shape, Special};
use super::nodes::{Case, run_on_nodes};
use hcube_alltoall::{Conditions, ExchangeState, Options, Outcome, Path, exchange};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::ThreadComm;
use hcube_core::error::{Error, HCUBE_ERR_COUNT, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A limit for ranks that wait for ever.
const LIMIT: Duration = Duration::from_secs(60);

/// An exchange of 50 bytes per pair on communicator `user`, in which this rank may refuse its arguments.
fn attempt(
    comm: &ThreadComm,
    state: &mut ExchangeState,
    number: usize,
    user: u64,
    refusal: Option<Error>,
) -> Result<Outcome> {
    attempt_of(comm, state, (number, 50), user, refusal)
}

/// As [`attempt`], with any number of bytes.
fn attempt_of(
    comm: &ThreadComm,
    state: &mut ExchangeState,
    (number, bytes): (usize, usize),
    user: u64,
    refusal: Option<Error>,
) -> Result<Outcome> {
    let mut rank = Rank::new(comm, &Shape::matching(number, true, Form::Even, &|_, _| bytes));
    let stated = number.is_multiple_of(2).then_some(number as u64);
    let conditions = Conditions { user, stated, ..Conditions::default() };
    let outcome = rank.exchange(comm, state, &Special { refusal, conditions, ..Special::default() });
    let done = matches!(outcome, Ok(Outcome::Done(_)));
    assert!(if done { rank.has_arrived() } else { rank.is_untouched() }, "exchange {number}: {outcome:?}");
    outcome
}

fn count_refused(number: usize) -> Error {
    Error::Count(format!("exchange {number}: count = -1"))
}

/// The error that others return.
fn remote(rank: usize, number: usize) -> Error {
    Error::Remote { rank, code: HCUBE_ERR_COUNT, message: count_refused(number).to_string() }
}

/// On one node a rank need not wait to return the error of its own arguments.
#[test]
fn a_rank_that_refuses_does_not_wait_for_the_others() {
    let cases = situations().into_iter().filter(|case| {
        let one_node = case.nodes.iter().all(|&node| node == case.nodes[0]);
        one_node && case.options.path != Path::Message
    });
    for case in cases {
        for refusing in [&[0][..], &[2], &[1, 3], &[0, 1, 2, 3]] {
            let returned = AtomicUsize::new(0);
            run_on_nodes(case.nodes.clone(), |comm| {
                let own = comm.rank();
                let mut state = ExchangeState::new(comm, &case.options).expect("created");
                // The second time immediately after an exchange, the third time after another refusal.
                for turn in 1..=3 {
                    if turn < 3 {
                        works(comm, &mut state, &case);
                    }
                    let refusal = |rank: usize| Error::Count(format!("turn {turn}: count = -{rank}"));
                    let refuses = refusing.contains(&own);
                    let wait_until = |count: usize| {
                        let begin = Instant::now();
                        while returned.load(Ordering::Acquire) < count {
                            assert!(begin.elapsed() < LIMIT, "a refusing rank waits: {case:?}");
                            std::thread::yield_now();
                        }
                    };
                    if !refuses {
                        wait_until(turn * refusing.len());
                    }
                    let mut rank = Rank::new(comm, &Shape::matching(turn, true, Form::Even, &|_, _| 50));
                    let special = Special { refusal: refuses.then(|| refusal(own)), ..Special::default() };
                    let outcome = rank.exchange(comm, &mut state, &special);
                    let message = refusal(refusing[0]).to_string();
                    let remote = Error::Remote { rank: refusing[0], code: HCUBE_ERR_COUNT, message };
                    let expected = if refuses { refusal(own) } else { remote };
                    assert_eq!(outcome, Err(expected), "turn {turn}, rank {own} of {case:?}");
                    assert!(rank.is_untouched(), "turn {turn}, rank {own} of {case:?}");
                    returned.fetch_add(usize::from(refuses), Ordering::Release);
                }
                works(comm, &mut state, &case);
                works(comm, &mut state, &case);
            });
        }
    }
}

/// Communicators of the same ranks share a state: a refusal on one of them does not concern exchanges on
/// another.
#[test]
fn a_refusal_on_another_communicator_is_passed_over() {
    run_on_nodes(vec![0; 3], |comm| {
        let case = Case::one_node(3, Options::default());
        let mut state = ExchangeState::new(comm, &case.options).expect("created");
        for turn in 1..=4 {
            let conditions = |user| Conditions { user, ..Conditions::default() };
            if comm.rank() == turn % 3 {
                let outcome = exchange(comm, &mut state, &refused(), conditions(1), None);
                assert!(matches!(outcome, Err(Error::Count(_))), "{outcome:?}");
            }
            let mut rank = Rank::new(comm, &Shape::matching(turn, true, Form::Even, &|_, _| 10_001));
            let special = Special { conditions: conditions(2), ..Special::default() };
            let outcome = rank.exchange(comm, &mut state, &special);
            assert!(matches!(outcome, Ok(Outcome::Done(_))) && rank.has_arrived(), "{outcome:?}");
        }
    });
}

/// Nobody waits for a rank that has refused and goes.
#[test]
fn a_state_is_given_up_after_a_refusal_that_nobody_has_seen() {
    run_on_nodes(vec![0; 3], |comm| {
        let case = Case::one_node(3, Options::default());
        let mut state = ExchangeState::new(comm, &case.options).expect("created");
        works(comm, &mut state, &case);
        if comm.rank() == 1 {
            let outcome = exchange(comm, &mut state, &refused(), Conditions::default(), None);
            assert!(matches!(outcome, Err(Error::Count(_))), "{outcome:?}");
        }
        drop(state);
        let mut state = ExchangeState::new(comm, &case.options).expect("created");
        works(comm, &mut state, &case);
    });
}

/// As many exchanges of the others report them, and then exchanges work again.
#[test]
fn refusals_in_a_row_do_not_wait_for_the_others() {
    /// More are reported without their text.
    const WITH_TEXT: usize = 15;
    for count in [1, 2, 3, WITH_TEXT, WITH_TEXT + 1, 500] {
        for refusing in [0, 2] {
            let returned = AtomicUsize::new(0);
            run_on_nodes(vec![0; 3], |comm| {
                let case = Case::one_node(3, Options::default());
                let mut state = ExchangeState::new(comm, &case.options).expect("created");
                for turn in 1..=3 {
                    works(comm, &mut state, &case);
                    let begin = Instant::now();
                    while comm.rank() != refusing && returned.load(Ordering::Acquire) < turn {
                        assert!(begin.elapsed() < LIMIT, "a refusing rank waits");
                        std::thread::yield_now();
                    }
                    for number in 1..=count {
                        let refusal = (comm.rank() == refusing).then(|| count_refused(number));
                        let outcome = attempt(comm, &mut state, number, 0, refusal.clone());
                        let message = "arguments that are not valid, after many others".to_owned();
                        let untold = Error::Remote { rank: refusing, code: HCUBE_ERR_COUNT, message };
                        let heard = if number <= WITH_TEXT { remote(refusing, number) } else { untold };
                        assert_eq!(outcome, Err(refusal.unwrap_or(heard)), "{number} of {count}");
                    }
                    returned.fetch_add(usize::from(comm.rank() == refusing), Ordering::Release);
                    works(comm, &mut state, &case);
                }
            });
        }
    }
}

/// Others read while one refuses further: the text of each refusal arrives, unless too many came before.
#[test]
fn refusals_are_read_while_others_are_written() {
    let heard = run_on_nodes(vec![0; 4], |comm| {
        let mut state = ExchangeState::new(comm, &Options::default()).expect("created");
        let mut with_text = Vec::new();
        for number in 1..3000 {
            let refusal = (comm.rank() == 1).then(|| count_refused(number));
            let outcome = attempt(comm, &mut state, number, 0, refusal.clone());
            let told = refusal.is_some() || outcome == Err(remote(1, number));
            assert!(told || matches!(outcome, Err(Error::Remote { rank: 1, .. })), "{number}: {outcome:?}");
            with_text.push(told);
            // The reading ranks fall back by more than the ring holds, and catch up again.
            if comm.rank() != 1 && number % 100 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        attempt(comm, &mut state, 0, 0, None).expect("all are here");
        with_text
    });
    assert!(heard[0] == heard[2] && heard[0] == heard[3], "all ranks read the same");
    assert!(heard[0].contains(&true));
}

/// Every rank refuses some exchanges, and no rank waits for another between them: each exchange has one
/// outcome.
#[test]
fn refusals_of_all_ranks_come_in_order() {
    /// Whether a rank refuses, often several times in a row.
    fn refuses(rank: usize, number: usize) -> bool {
        let draw = (number / 3 * 16 + rank + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        draw >> 60 < 5
    }
    let paths = [(Path::Auto, 50, 2000), (Path::Shared, 60_000, 200), (Path::SingleCopy, 60_000, 200)];
    for ranks in [2, 3, 5, 8] {
        for (path, bytes, exchanges) in paths {
            run_on_nodes(vec![0; ranks], |comm| {
                let own = comm.rank();
                let options = Options { path, memory: 64 << 10, ..Options::default() };
                let mut state = ExchangeState::new(comm, &options).expect("created");
                for number in 1..exchanges {
                    let refusal = refuses(own, number).then(|| count_refused(number));
                    let outcome = attempt_of(comm, &mut state, (number, bytes), 0, refusal.clone());
                    match (refusal, (0..ranks).find(|&rank| refuses(rank, number))) {
                        (Some(refusal), _) => assert_eq!(outcome, Err(refusal)),
                        (None, Some(first)) => assert_eq!(outcome, Err(remote(first, number))),
                        (None, None) => assert!(matches!(outcome, Ok(Outcome::Done(_))), "{outcome:?}"),
                    }
                }
            });
        }
    }
}

/// Refusals ahead on another communicator are passed over as well.
#[test]
fn refusals_in_a_row_concern_their_communicators() {
    run_on_nodes(vec![0; 3], |comm| {
        let mut state = ExchangeState::new(comm, &Options::default()).expect("created");
        for turn in 0..20 {
            if comm.rank() == turn % 3 {
                for number in 0..4 + 2 * turn {
                    let outcome = attempt(comm, &mut state, number, 1, Some(count_refused(number)));
                    assert_eq!(outcome, Err(count_refused(number)));
                }
            }
            let outcome = attempt(comm, &mut state, turn, 2, None);
            assert!(matches!(outcome, Ok(Outcome::Done(_))), "turn {turn}: {outcome:?}");
        }
    });
}
