//! The execution that runs: the model checkers' objects for its memory, and what is known of its
//! participants.

use loom::cell::UnsafeCell;
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::panic_any;
use std::rc::Rc;

/// Makes the model checker's atomic for a place.
pub(super) type Create = fn(usize) -> Rc<dyn Any>;

/// Whether a value that a participant has seen has changed since.
pub(super) type Changed = Box<dyn Fn() -> bool>;

/// One execution: the model checker's objects for its memory, and its participants.
#[derive(Default)]
struct Run {
    /// Whether schedules are random. Then every access is one of the most recent value.
    point: Option<Rc<shuttle::sync::atomic::AtomicBool>>,
    cells: HashMap<(usize, TypeId), Rc<dyn Any>>,
    marks: HashMap<usize, Rc<UnsafeCell<()>>>,
    /// Whether it has needed objects that it does not have.
    lacks: bool,
    participants: HashMap<Thread, State>,
}

/// A thread of one of the two checkers.
#[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
enum Thread {
    Loom(loom::thread::ThreadId),
    Shuttle(shuttle::thread::ThreadId),
}

/// What is known of a participant.
#[derive(Default)]
struct State {
    /// Its number among the participants, from 1, in the order of their first steps.
    number: usize,
    /// What it has seen since its last wait.
    polled: Vec<Changed>,
    /// Whether it has changed something itself that it polls next.
    has_worked: bool,
    /// Steps until it ends.
    left: Option<usize>,
}

/// What is kept from execution to execution: an object belongs to all participants only if it is created
/// before they begin, so that an execution that needs further ones goes on without them, and the exploration
/// starts again with them.
#[derive(Default)]
struct Known {
    cells: Vec<(usize, TypeId, Create)>,
    marks: Vec<usize>,
    executions: u64,
    participants: usize,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
    static KNOWN: RefCell<Known> = RefCell::new(Known::default());
}

/// Ends a participant.
pub(super) struct Ended;

/// Whether participants of a model run on this thread.
pub fn is_running() -> bool {
    RUN.with_borrow(Option::is_some)
}

fn with_run<T>(work: impl FnOnce(&mut Run) -> T) -> T {
    RUN.with_borrow_mut(|run| work(run.as_mut().expect("a model runs")))
}

impl Run {
    fn current(&self) -> Thread {
        match self.point {
            None => Thread::Loom(loom::thread::current().id()),
            Some(_) => Thread::Shuttle(shuttle::thread::current().id()),
        }
    }

    fn participant(&mut self) -> &mut State {
        let (current, number) = (self.current(), self.participants.len() + 1);
        self.participants.entry(current).or_insert_with(|| State { number, ..State::default() })
    }
}

/// The number of the participant that runs, where a model runs: instead of the identity of its thread.
pub fn participant() -> Option<usize> {
    is_running().then(|| with_run(|run| run.participant().number))
}

/// How an access happens.
pub(super) enum Access<T> {
    /// To memory, as without a model.
    Ordinary,
    /// To this object of the model checker.
    Checked(Rc<T>),
    /// Not at all: the participant has ended, and only its destructors run.
    Ended,
}

/// Counts a step of the current participant, which may be its last: whether it goes on.
fn goes_on() -> bool {
    let state = with_run(|run| {
        let state = run.participant();
        let before = state.left;
        state.left = before.map(|left| left.saturating_sub(1));
        before
    });
    match state {
        Some(0) => false,
        Some(1) => panic_any(Ended),
        _ => true,
    }
}

/// How the current participant accesses the atomic at a place.
pub(super) fn access<T: Any>(place: usize, create: Create) -> Access<T> {
    if !is_running() {
        return Access::Ordinary;
    }
    if !goes_on() {
        return Access::Ended;
    }
    let key = (place, TypeId::of::<T>());
    let (point, known) = with_run(|run| (run.point.clone(), run.cells.get(&key).cloned()));
    if let Some(point) = point {
        point.load(std::sync::atomic::Ordering::SeqCst);
        return Access::Ordinary;
    }
    let Some(cell) = known else {
        with_run(|run| run.lacks = true);
        KNOWN.with_borrow_mut(|known| {
            if !known.cells.iter().any(|&(known, kind, _)| (known, kind) == key) {
                known.cells.push((place, key.1, create));
            }
        });
        return Access::Ordinary;
    };
    Access::Checked(cell.downcast().expect("the key has the type"))
}

/// The object for memory that is not atomic, while a model is explored.
pub(super) fn memory(place: *const u8) -> Option<Rc<UnsafeCell<()>>> {
    if !is_running() || !goes_on() || with_run(|run| run.point.is_some()) {
        return None;
    }
    let place = place.addr();
    let known = with_run(|run| run.marks.get(&place).cloned());
    if known.is_none() {
        with_run(|run| run.lacks = true);
        KNOWN.with_borrow_mut(|known| {
            if !known.marks.contains(&place) {
                known.marks.push(place);
            }
        });
    }
    known
}

/// Notes what the current participant has seen.
pub(super) fn polled(changed: Changed) {
    if is_running() {
        with_run(|run| run.participant().polled.push(changed));
    }
}

/// The current participant has changed what its next poll finds.
pub(super) fn worked() {
    if is_running() {
        with_run(|run| run.participant().has_worked = true);
    }
}

/// The current participant waits, since nothing of what it has seen lets it go on.
///
/// It polls again when something of that has changed: anything else would add executions in which nothing
/// happens. For the same reason only one continuation of a poll that has found nothing is explored: all
/// that can follow can also follow where the participant polls later, and these executions are explored.
pub(super) fn wait() {
    let (polled, has_worked, is_random) = with_run(|run| {
        let state = run.participant();
        let (polled, has_worked) = (std::mem::take(&mut state.polled), std::mem::take(&mut state.has_worked));
        (polled, has_worked, run.point.is_some())
    });
    if has_worked {
        return;
    }
    if !is_random {
        loom::skip_branch();
    }
    loop {
        if is_random {
            shuttle::thread::yield_now()
        } else {
            loom::thread::yield_now()
        }
        if !goes_on() || polled.is_empty() || polled.iter().any(|changed| changed()) {
            return;
        }
    }
}

/// Begins an execution with this number of participants; `is_random`: with random schedules.
pub(super) fn begin(participants: usize, is_random: bool) {
    let mut run = Run::default();
    KNOWN.with_borrow_mut(|known| {
        known.executions += 1;
        known.participants = participants;
        if is_random {
            run.point = Some(Rc::new(shuttle::sync::atomic::AtomicBool::new(false)));
            return;
        }
        let cells = known.cells.iter().map(|&(place, kind, create)| ((place, kind), create(place)));
        run.cells = cells.collect();
        run.marks = known.marks.iter().map(|&place| (place, Rc::new(UnsafeCell::new(())))).collect();
    });
    RUN.set(Some(run));
}

/// Whether the execution has needed objects that it does not have, so that its result means nothing.
pub(super) fn lacks() -> bool {
    RUN.with_borrow(|run| run.as_ref().is_some_and(|run| run.lacks))
}

/// Ends the execution.
pub(super) fn end() {
    RUN.set(None);
}

/// The current participant ends before it has taken this number of steps.
pub(super) fn ends_after(steps: Option<usize>) {
    with_run(|run| run.participant().left = steps);
}

/// Executions so far, and participants of the last one.
pub(super) fn covered() -> (u64, usize) {
    KNOWN.with_borrow(|known| (known.executions, known.participants))
}

/// Counts executions from here on.
pub(super) fn count_from(executions: u64) {
    KNOWN.with_borrow_mut(|known| known.executions = executions);
}
