//! The executions of a model.

use super::mutation::{self, Mutation, Site};
use super::scene::{Participant, Scene};
use super::{Explored, Extent, Failure, Model};
use loom::cell::UnsafeCell;
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::rc::Rc;
use std::time::Instant;

/// Steps of one execution; more than any case has in which nobody waits for ever.
const MAX_STEPS: usize = 4000;

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
    /// What it has seen since its last wait.
    polled: Vec<Changed>,
    /// Whether it has changed something itself that it polls next.
    has_worked: bool,
    /// Steps until it ends.
    left: Option<usize>,
}

/// What is kept from execution to execution: an object belongs to all participants only if it is created
/// before they begin, so that an execution that needs a further one is given up, and the exploration starts
/// again with it.
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
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Ends an execution in which a further object was needed.
struct Again;

/// Ends a participant.
struct Ended;

/// Whether participants of a model run on this thread.
pub(super) fn is_running() -> bool {
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
        let current = self.current();
        self.participants.entry(current).or_default()
    }
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
        KNOWN.with_borrow_mut(|known| known.cells.push((place, key.1, create)));
        panic_any(Again)
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
        KNOWN.with_borrow_mut(|known| known.marks.push(place));
        panic_any(Again)
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
/// happens. For the same reason only one continuation of a poll that has found nothing is explored: whatever
/// can follow, can also follow where the participant polls later, and these executions are explored.
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
        if is_random { shuttle::thread::yield_now() } else { loom::thread::yield_now() }
        if !goes_on() || polled.is_empty() || polled.iter().any(|changed| changed()) {
            return;
        }
    }
}

/// What a thread of the model does.
fn run_participant(participant: Participant) {
    let Participant { work, ends_after, ended } = participant;
    with_run(|run| run.participant().left = ends_after);
    if let Err(cause) = catch_unwind(AssertUnwindSafe(work)) {
        if !cause.is::<Ended>() {
            std::panic::resume_unwind(cause);
        }
        ended.set(true);
    }
}

/// Passes what is used on one thread of the system, on which all threads of a model run.
struct OneThread<T>(T);
// SAFETY: see above.
unsafe impl<T> Send for OneThread<T> {}

/// One execution.
fn execute(model: Model, choice: usize) {
    RUN.set(None);
    let mut scene = Scene::new(choice);
    (model.scene)(&mut scene);
    let (participants, finally) = scene.into_parts();
    let is_random = matches!(model.extent, Extent::Random(_));
    let mut run = Run::default();
    KNOWN.with_borrow_mut(|known| {
        known.executions += 1;
        known.participants = participants.len();
        if is_random {
            run.point = Some(Rc::new(shuttle::sync::atomic::AtomicBool::new(false)));
            return;
        }
        let cells = known.cells.iter().map(|&(place, kind, create)| ((place, kind), create(place)));
        run.cells = cells.collect();
        run.marks = known.marks.iter().map(|&place| (place, Rc::new(UnsafeCell::new(())))).collect();
    });
    RUN.set(Some(run));
    if is_random {
        let start = |participant| {
            let participant = OneThread(participant);
            shuttle::thread::spawn(move || {
                let OneThread(participant) = { participant };
                run_participant(participant);
            })
        };
        let threads: Vec<_> = participants.into_iter().map(start).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("a participant panicked"));
    } else {
        let start = |participant| loom::thread::spawn(move || run_participant(participant));
        let threads: Vec<_> = participants.into_iter().map(start).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("a participant panicked"));
    }
    if let Some(check) = finally {
        check();
    }
    RUN.set(None);
}

/// All executions with one value of the choice.
fn executions(model: Model, choice: usize) {
    let execute = move || execute(model, choice);
    match model.extent {
        Extent::All | Extent::Preemptions(_) => {
            let mut builder = loom::model::Builder::new();
            builder.preemption_bound = match model.extent {
                Extent::Preemptions(most) => Some(most),
                _ => None,
            };
            builder.max_branches = MAX_STEPS;
            builder.check(execute);
        }
        Extent::Random(count) => {
            let scheduler = shuttle::scheduler::RandomScheduler::new_from_seed(SEED, count);
            let mut config = shuttle::Config::new();
            config.failure_persistence = shuttle::FailurePersistence::None;
            config.max_steps = shuttle::MaxSteps::FailAfter(100 * MAX_STEPS);
            shuttle::Runner::new(scheduler, config).run(execute);
        }
    }
}

/// The beginning of random schedules: a model that fails once fails again.
const SEED: u64 = 47;

/// Explores a model with one value of its choice, until it fails or all executions have run.
fn explore_choice(model: Model, choice: usize) -> Result<(), Failure> {
    let before = KNOWN.with_borrow(|known| known.executions);
    loop {
        KNOWN.with_borrow_mut(|known| known.executions = before);
        let end = catch_unwind(AssertUnwindSafe(|| executions(model, choice)));
        RUN.set(None);
        let Err(cause) = end else { return Ok(()) };
        if !cause.is::<Again>() {
            let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| cause.downcast_ref::<String>().cloned());
            let text = MESSAGE.take().or(text).unwrap_or_default();
            return Err(Failure { execution: KNOWN.with_borrow(|known| known.executions), message: text });
        }
    }
}

/// Keeps the message of the first panic on this thread, instead of a line for each.
fn listen() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        // It puts a hook in place that prints further lines, once.
        shuttle::check_random(|| (), 1);
        std::panic::set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                return print(info);
            }
            let payload = info.payload();
            if !payload.is::<Again>() && !payload.is::<Ended>() {
                MESSAGE.with_borrow_mut(|message| {
                    message.get_or_insert_with(|| info.to_string());
                });
            }
        }));
    });
    IS_QUIET.set(true);
}

/// On a thread of its own: an execution that fails leaves some of the model checker's state behind.
pub(super) fn explore(model: Model, mutation: Option<Mutation>) -> (Result<Explored, Failure>, Vec<Site>) {
    let work = move || {
        listen();
        let begin = Instant::now();
        let all = || (0..Scene::choices(model.scene)).try_for_each(|choice| explore_choice(model, choice));
        let (end, sites) = mutation::with(mutation, all);
        let explored = KNOWN.with_borrow(|known| Explored {
            executions: known.executions,
            participants: known.participants,
            time: begin.elapsed(),
        });
        (end.map(|()| explored), sites)
    };
    std::thread::spawn(work).join().expect("panics are results")
}
