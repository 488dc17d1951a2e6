//! Short exchanges that may be forwarded without votes: the condition, and the times that are stated with the
//! votes.

use super::image::{Form, Rank, Shape, Special};
use super::nodes::run_on_nodes;
use hcube_alltoall::{Conditions, ExchangeState, Options, Outcome, Path};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::ThreadComm;

/// Conditions of a program that does not call hcube.
fn conditions(stated: Option<u64>) -> Conditions {
    Conditions { timed: true, may_skip_votes: true, tolerant: true, stated, ..Conditions::default() }
}

/// The times of an exchange with blocks of these sizes, if it was short.
fn times(
    comm: &ThreadComm,
    state: &mut ExchangeState,
    in_place: bool,
    size: &(dyn Fn(usize, usize) -> usize + Sync),
    conditions: Conditions,
) -> Option<u64> {
    let mut rank = Rank::new(comm, &Shape::matching(1, in_place, Form::Counted, size));
    match rank.exchange(comm, state, &Special { conditions, ..Special::default() }) {
        Ok(Outcome::Done(_)) => assert!(rank.has_arrived()),
        // Longer exchanges are compared with the library's function.
        Ok(Outcome::Library(_)) => {}
        Err(error) => panic!("{error}"),
    }
    state.last_short_times()
}

#[test]
fn the_times_of_short_exchanges_are_summed() {
    // Where ranks share cores, nothing is forwarded without votes.
    let apart = std::thread::available_parallelism().is_ok_and(|cores| cores.get() >= 2);
    let all = run_on_nodes(vec![0; 2], |comm| {
        let mut state = ExchangeState::new(comm, &Options::default()).expect("created");
        let own = comm.rank() as u64;
        let mut times = |in_place, size: &(dyn Fn(usize, usize) -> usize + Sync), conditions| {
            times(comm, &mut state, in_place, size, conditions)
        };
        let stated = conditions(Some(100 + own));
        [
            times(false, &|_, _| 8, stated),
            times(false, &|_, _| 8, conditions(None)),
            times(false, &|_, _| 0, stated),
            // 1023 and 1024 bytes per rank on average.
            times(false, &|from, to| usize::from(from != to) * (1023 + from), stated),
            times(false, &|from, to| usize::from(from != to) * (1023 + 2 * from), stated),
            times(false, &|_, _| 50_000, stated),
            times(true, &|_, _| 8, stated),
            times(false, &|_, _| 8, Conditions { may_skip_votes: false, ..stated }),
            times(false, &|_, _| 8, stated),
        ]
    });
    let short = |time| Some(time).filter(|_| apart);
    for found in all {
        let expected = [short(201), short(0), short(201), short(201), None, None, None, None, short(201)];
        assert_eq!(found, expected);
    }
}

#[test]
fn nothing_is_forwarded_where_a_path_was_requested() {
    let all = run_on_nodes(vec![0; 2], |comm| {
        let options = Options { path: Path::Shared, ..Options::default() };
        let mut state = ExchangeState::new(comm, &options).expect("created");
        times(comm, &mut state, false, &|_, _| 8, conditions(Some(1)))
    });
    assert_eq!(all, [None, None]);
}
