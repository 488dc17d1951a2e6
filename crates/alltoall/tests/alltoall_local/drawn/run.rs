//! Runs a job on threads as ranks, and compares all memory and all results.

use super::buffer::{Buffer, content};
use super::job::{Exchange, Fault, Job};
use hcube_alltoall::select::Blocks as Known;
use hcube_alltoall::{Conditions, ExchangeState, Outcome, Path, Schedule, Task, UsedPath, exchange};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::ThreadComm;
use hcube_core::error::{Error, HCUBE_ERR_COUNT, HCUBE_ERR_TRUNCATE};
use std::time::Duration;

/// The effect of an exchange on a rank, which has been compared with what is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    Done(UsedPath),
    Forwarded,
    /// With this code.
    Error(i32),
}

/// The part of a rank in a job: the results of its exchanges.
///
/// # Panics
/// If one of them is wrong; the others may wait for this rank then.
pub fn run(comm: &ThreadComm, job: &Job) -> Vec<Effect> {
    let mut state = ExchangeState::new(comm, &job.options).expect("created");
    let exchanges = job.exchanges.iter().enumerate();
    let quick = |&(_, exchange): &(usize, &Exchange)| exchange.is_quick(limit(&state));
    let exchanges: Vec<_> = exchanges.filter(quick).collect();
    exchanges.into_iter().map(|(number, exchange)| step(comm, &mut state, number, exchange, job)).collect()
}

/// What sizes are relative to.
fn limit(state: &ExchangeState) -> usize {
    match state.situation().led {
        0 => 100,
        led => led,
    }
}

fn step(comm: &ThreadComm, state: &mut ExchangeState, number: usize, given: &Exchange, job: &Job) -> Effect {
    let (own, ranks) = (comm.rank(), comm.size());
    let fault = possible(given, state);
    let limit = limit(state);
    let is_faulty = |rank| rank == own;
    let mut in_place = given.in_place;
    let (mut sent, mut expected): (Vec<usize>, Vec<usize>) =
        (0..ranks).map(|other| (given.bytes(limit, own, other), given.bytes(limit, other, own))).unzip();
    match fault {
        Fault::Count { rank, other, sends, is } if is_faulty(rank) => {
            if sends || in_place {
                sent[other] = is.bytes(limit);
            }
            if !sends || in_place {
                expected[other] = is.bytes(limit);
            }
        }
        Fault::InPlace { rank } if is_faulty(rank) => in_place = !in_place,
        _ => {}
    }
    let [send_form, receive_form] = given.forms[own];
    let mut receive = Buffer::new(receive_form, if in_place { &sent } else { &expected });
    let mut send = (!in_place).then(|| Buffer::new(send_form, &sent));
    match &mut send {
        Some(send) => send.fill(|to, at| content(number, own, to, at)),
        None => receive.fill(|to, at| content(number, own, to, at)),
    }
    let before = [Some(&receive), send.as_ref()].map(|buffer| buffer.map(|buffer| buffer.memory.clone()));
    if given.late >> own & 1 == 1 {
        std::thread::sleep(Duration::from_micros(200));
    }
    let outcome = {
        let task = match &mut send {
            Some(send) => Task::between(send.blocks(), receive.blocks()),
            None => Task::in_place(receive.blocks()),
        };
        let task = match fault {
            Fault::Refused { rank } if is_faulty(rank) => Err(Error::Count("count = -1".into())),
            Fault::Unsupported { rank } if is_faulty(rank) => Err(Error::Unsupported("a datatype".into())),
            _ => Ok(task),
        };
        let conditions = Conditions {
            unreachable: matches!(fault, Fault::Unreachable { rank } if is_faulty(rank)),
            tolerant: given.tolerant && !given.in_place,
            timed: given.timed,
            led: leads(given, state, in_place, limit),
            ..Conditions::default()
        };
        exchange(comm, state, &task, conditions, given.reason)
    };
    if let Ok(Outcome::Library(_)) = outcome {
        state.note_forwarded(comm.seconds());
    }
    let after = [Some(&receive), send.as_ref()].map(|buffer| buffer.map(|buffer| buffer.memory.clone()));
    let what = || format!("exchange {number}, rank {own}: {outcome:?}, {fault:?}");
    let result = match &outcome {
        Ok(Outcome::Done(report)) => {
            receive.memory = before[0].clone().expect("the receive buffer");
            receive.fill(|from, at| content(number, from, own, at));
            assert!(after[0].as_ref() == Some(&receive.memory), "other bytes: {}", what());
            assert!(after[1] == before[1], "the send buffer was written: {}", what());
            Effect::Done(report.path)
        }
        Ok(Outcome::Library(_)) => Effect::Forwarded,
        Err(error) => Effect::Error(error.code()),
    };
    assert!(matches!(result, Effect::Done(_)) || after == before, "written: {}", what());
    assert!(may_be(given, fault, &result, limit, job), "{}", what());
    let all = comm.all_gather(&[code(result)]).expect("threads");
    assert!(all.iter().all(|&other| other == all[0]), "{all:?} on all ranks: {}", what());
    result
}

/// A number for what must be the same on all ranks; by messages each names the path of its own data.
fn code(result: Effect) -> u64 {
    match result {
        Effect::Done(UsedPath::NodeLeaders) => 1,
        Effect::Done(UsedPath::Alone) => 2,
        Effect::Done(UsedPath::Hypercube) => 3,
        Effect::Done(_) => 4,
        Effect::Forwarded => 5,
        Effect::Error(code) => 100 + code as u64,
    }
}

/// What is known of the blocks if node leaders pass on the votes, as the front end says for the arguments
/// of a rank.
fn leads(given: &Exchange, state: &ExchangeState, in_place: bool, limit: usize) -> Option<Known> {
    let situation = state.situation();
    match given.is_equal {
        true => situation.leads_equal(in_place, || Some(given.bytes(limit, 0, 0))).blocks(),
        false => situation.leads(in_place).then_some(Known::Any),
    }
}

/// The fault, where the exchange can have it: ranks that disagree on in place do not vote together where node
/// leaders pass on only votes out of place, and a size may be the right one.
fn possible(given: &Exchange, state: &ExchangeState) -> Fault {
    let limit = limit(state);
    match given.fault {
        Fault::Count { rank, other, sends, is } => {
            let (from, to) = if sends { (rank, other) } else { (other, rank) };
            if is.bytes(limit) == given.bytes(limit, from, to) { Fault::None } else { given.fault }
        }
        Fault::InPlace { .. } => {
            let [there, here] = [true, false].map(|in_place| leads(given, state, in_place, limit));
            if there == here { given.fault } else { Fault::None }
        }
        fault => fault,
    }
}

/// Whether a result is right.
fn may_be(given: &Exchange, fault: Fault, result: &Effect, limit: usize, job: &Job) -> bool {
    let asked = job.options.schedule != Schedule::Auto || job.options.path != Path::Auto;
    let forwards = given.reason.is_some();
    let is = |code| *result == Effect::Error(code);
    match fault {
        Fault::Refused { .. } => is(HCUBE_ERR_COUNT),
        Fault::Unsupported { .. } | Fault::Unreachable { .. } => *result == Effect::Forwarded,
        _ if forwards => *result == Effect::Forwarded,
        Fault::InPlace { .. } | Fault::Count { .. } if !asked && *result == Effect::Forwarded => true,
        Fault::InPlace { .. } => is(HCUBE_ERR_TRUNCATE),
        Fault::Count { rank, other, sends, is: size } => {
            let (from, to) = if sends { (rank, other) } else { (other, rank) };
            let expects_more = (size.bytes(limit) > given.bytes(limit, from, to)) != sends;
            let forwarded = given.tolerant && !given.in_place && expects_more;
            if forwarded { *result == Effect::Forwarded } else { is(HCUBE_ERR_TRUNCATE) }
        }
        Fault::None => matches!(result, Effect::Done(_)) || !asked && *result == Effect::Forwarded,
    }
}
