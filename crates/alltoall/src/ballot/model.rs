//! What the ballot promises, in all interleavings, by whole exchanges on one node.
//!
//! All ranks make the same decision in the same call, for all arguments of each of them and in every order of
//! their calls; where it is an error, nothing is written. A rank whose arguments were refused returns at
//! once; the others learn of it in this call or, where they make it on another communicator, vote again. A
//! rank that returns may be a call ahead of the others, and writes its buffers.

use crate::conditions::Conditions;
use crate::exchange::{Outcome, exchange};
use crate::options::Path;
use crate::state::ExchangeState;
use crate::state::model::{Buffer, LINE, sent, states};
use crate::task::Task;
use hcube_core::atomic::model::{Extent, Member, Model, Scene};
use hcube_core::error::{Error, Result};
use std::cell::RefCell;
use std::rc::Rc;

/// What a rank passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arguments {
    Valid,
    InPlace,
    /// Memory that hcube cannot handle.
    Unsupported,
    Refused,
}

use Arguments::{InPlace, Refused, Unsupported, Valid};

/// What becomes of an exchange, without what ranks need not agree in.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    Done(crate::report::UsedPath),
    Library,
    Refused,
    Truncated,
}

fn end(outcome: Result<Outcome>) -> End {
    match outcome {
        Ok(Outcome::Done(report)) => End::Done(report.path),
        Ok(Outcome::Library(_)) => End::Library,
        Err(Error::Usage(_) | Error::Remote { .. }) => End::Refused,
        Err(Error::Truncate { .. }) => End::Truncated,
        Err(other) => panic!("{other}"),
    }
}

/// A rank with its buffers.
struct Caller {
    comm: Member,
    state: ExchangeState,
    buffers: [Buffer; 2],
    round: usize,
}

impl Caller {
    fn all(scene: &mut Scene, ranks: usize, path: Path, bytes: usize) -> Vec<Self> {
        let states = states(scene, ranks, path);
        let [sends, receives] = [(); 2].map(|()| Buffer::all(scene, ranks, bytes));
        let caller = |((comm, state), buffers)| Self { comm, state, buffers, round: 0 };
        let buffers = sends.into_iter().zip(receives).map(|(send, receive)| [send, receive]);
        states.into_iter().zip(buffers).map(caller).collect()
    }

    /// An exchange on the communicator with this number.
    fn call(&mut self, arguments: Arguments, user: u64) -> End {
        use hcube_core::comm::Comm;
        let ([send, receive], round, own) = (self.buffers, self.round, self.comm.rank());
        self.round += 1;
        send.fill(|to| sent(round, own, to));
        receive.fill(|_| 0);
        let task = match arguments {
            Valid => Ok(send.to(receive)),
            InPlace => Ok(send.in_place()),
            Unsupported => Err(Error::Unsupported("memory".into())),
            Refused => Err(Error::Usage("arguments".into())),
        };
        let is_in_place = task.as_ref().is_ok_and(Task::is_in_place);
        let conditions = Conditions { user, ..Conditions::default() };
        let end = end(exchange(&self.comm, &mut self.state, &task, conditions, None));
        match end {
            End::Done(_) if is_in_place => send.check(|from| sent(round, from, own)),
            End::Done(_) => receive.check(|from| sent(round, from, own)),
            _ => {
                send.check(|to| sent(round, own, to));
                receive.check(|_| 0);
            }
        }
        end
    }
}

/// Each rank passes `arguments` in one call after the other; all must end alike in the calls from number
/// `agreed` on, and end all.
fn calls(scene: &mut Scene, arguments: &[&'static [Arguments]], path: Path, bytes: usize) {
    let ends: Rc<RefCell<Vec<Vec<End>>>> = Rc::new(RefCell::new(vec![Vec::new(); arguments.len()]));
    for (rank, mut caller) in Caller::all(scene, arguments.len(), path, bytes).into_iter().enumerate() {
        let (ends, arguments) = (ends.clone(), arguments[rank]);
        scene.participant(move || {
            for &one in arguments {
                let end = caller.call(one, 1);
                ends.borrow_mut()[rank].push(end);
            }
        });
    }
    scene.finally(move || {
        let ends = ends.borrow();
        assert!(ends.iter().all(|one| *one == ends[0]), "{ends:?}");
    });
}

/// All pairs of arguments that ranks may pass in one call; then all arguments are valid.
fn any_pair(scene: &mut Scene) {
    const ALL: [&[Arguments]; 4] =
        [&[Valid, Valid], &[InPlace, Valid], &[Unsupported, Valid], &[Refused, Valid]];
    let number = scene.choose(ALL.len() * ALL.len());
    calls(scene, &[ALL[number % ALL.len()], ALL[number / ALL.len()]], Path::Shared, LINE);
}

/// As [`any_pair`], with three ranks, of which the last passes valid arguments.
fn any_pair_of_three(scene: &mut Scene) {
    const ALL: [&[Arguments]; 3] = [&[Valid, Valid], &[Unsupported, Valid], &[Refused, Valid]];
    let number = scene.choose(ALL.len() * ALL.len());
    calls(scene, &[ALL[number % ALL.len()], ALL[number / ALL.len()], ALL[0]], Path::Shared, LINE);
}

/// A rank is refused in two calls, of which the others make the second one on another communicator first.
fn leaves_for_another_communicator(scene: &mut Scene, ranks: usize) {
    for (rank, mut caller) in Caller::all(scene, ranks, Path::Shared, LINE).into_iter().enumerate() {
        scene.participant(move || {
            if rank == 0 {
                assert_eq!(caller.call(Refused, 1), End::Refused);
                caller.round = 0;
            }
            // Nobody is told of what happened on the first communicator.
            assert!(matches!(caller.call(Valid, 2), End::Done(_)));
        });
    }
}

/// Blocks that are too large to be enclosed, by two algorithms in turn: ranks choose the same one, although
/// the times that they have measured differ.
fn trials(scene: &mut Scene, ranks: usize, rounds: usize) {
    let ends: Rc<RefCell<Vec<Vec<End>>>> = Rc::new(RefCell::new(vec![Vec::new(); ranks]));
    for (rank, mut caller) in Caller::all(scene, ranks, Path::Auto, 5 * LINE).into_iter().enumerate() {
        let ends = ends.clone();
        scene.participant(move || {
            for round in 0..rounds {
                caller.round = 0;
                let end = caller.call(Valid, 1);
                ends.borrow_mut()[rank].push(end);
                caller.state.time = [7, 2, 3, 5][(round + rank) % 4];
            }
        });
    }
    scene.finally(move || {
        let ends = ends.borrow();
        assert!(ends.iter().all(|one| *one == ends[0]), "{ends:?}");
        assert!(ends[0].iter().any(|end| *end != ends[0][0]), "one algorithm: {ends:?}");
    });
}

const THREE: &[Arguments] = &[Valid; 3];
const REFUSED_TWICE: &[Arguments] = &[Refused, Refused, Valid];

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("alltoall::ballot", "three calls of two ranks", |scene| {
        calls(scene, &[THREE; 2], Path::Shared, LINE);
    })
    .with(Extent::Preemptions(4)),
    Model::new("alltoall::ballot", "three calls of three ranks", |scene| {
        calls(scene, &[THREE; 3], Path::Shared, LINE);
    })
    .with(Extent::Preemptions(2)),
    Model::new("alltoall::ballot", "any arguments of two ranks, then valid ones", any_pair)
        .with(Extent::Preemptions(2)),
    Model::new("alltoall::ballot", "any arguments of two of three ranks, then valid ones", any_pair_of_three)
        .with(Extent::Preemptions(1)),
    Model::new("alltoall::ballot", "a rank is refused twice and returns", |scene| {
        calls(scene, &[REFUSED_TWICE, THREE], Path::Shared, LINE);
    })
    .with(Extent::Preemptions(2)),
    Model::new("alltoall::ballot", "a rank is refused, the others call elsewhere: two ranks", |scene| {
        leaves_for_another_communicator(scene, 2);
    })
    .with(Extent::Preemptions(3)),
    Model::new("alltoall::ballot", "a rank is refused, the others call elsewhere: three ranks", |scene| {
        leaves_for_another_communicator(scene, 3);
    })
    .with(Extent::Preemptions(2)),
    Model::new("alltoall::trials", "three calls of two ranks", |scene| trials(scene, 2, 3))
        .with(Extent::Preemptions(2)),
    Model::new("alltoall::trials", "five calls of two ranks", |scene| trials(scene, 2, 5))
        .with(Extent::Preemptions(1)),
];
