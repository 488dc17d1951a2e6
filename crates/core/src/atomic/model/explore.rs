//! The executions of a model.

use super::current::{self, Ended};
use super::mutation::{self, Mutation, Site};
use super::scene::{Participant, Scene};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::time::{Duration, Instant};

/// Steps of one execution; more than any case has in which nobody waits for ever.
const MAX_STEPS: usize = 4000;

/// Which executions are explored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All.
    All,
    /// Those with at most this number of switches away from a participant that could go on.
    Preemptions(usize),
    /// This number of random schedules.
    Random(usize),
}

impl fmt::Display for Extent {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => write!(output, "all"),
            Self::Preemptions(most) => write!(output, "at most {most} preemptions"),
            Self::Random(count) => write!(output, "{count} random schedules"),
        }
    }
}

/// A case of a protocol.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// The module of the protocol.
    pub protocol: &'static str,
    /// What the participants do.
    pub case: &'static str,
    /// Which executions are explored.
    pub extent: Extent,
    /// Whether it takes too long for every test run.
    pub is_long: bool,
    /// Builds the participants, once for each execution.
    pub scene: fn(&mut Scene),
}

/// What an exploration has covered.
#[derive(Debug, Clone, Copy)]
pub struct Explored {
    /// Executions that differ.
    pub executions: u64,
    /// Participants of each.
    pub participants: usize,
    /// How long it took.
    pub time: Duration,
}

/// How an execution has failed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The execution, counted from 1.
    pub execution: u64,
    /// The panic.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(output, "execution {}: {}", self.execution, self.message)
    }
}

impl Model {
    /// A case of which all executions are explored in every test run.
    pub const fn new(protocol: &'static str, case: &'static str, scene: fn(&mut Scene)) -> Self {
        Self { protocol, case, extent: Extent::All, is_long: false, scene }
    }

    /// The same with other executions.
    pub const fn with(self, extent: Extent) -> Self {
        Self { extent, ..self }
    }

    /// The same for long checks only.
    pub const fn long(self) -> Self {
        Self { is_long: true, ..self }
    }

    /// Explores it, with a mutation of the source; returns the sites that it has visited as well.
    pub fn explore(&self, mutation: Option<Mutation>) -> (Result<Explored, Failure>, Vec<Site>) {
        explore(*self, mutation)
    }
}

thread_local! {
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What a thread of the model does.
fn run_participant(participant: Participant) {
    let Participant { work, ends_after, ended } = participant;
    current::ends_after(ends_after);
    if let Err(cause) = catch_unwind(AssertUnwindSafe(work)) {
        if !cause.is::<Ended>() {
            std::panic::resume_unwind(cause);
        }
        ended.set(true);
    }
}

/// Passes what is used on one thread of the system, on which all threads of a model run.
struct OneThread<T>(T);
// SAFETY: it stays on this thread of the system.
unsafe impl<T> Send for OneThread<T> {}

/// One execution.
fn execute(model: Model, choice: usize) {
    current::end();
    let mut scene = Scene::new(choice);
    (model.scene)(&mut scene);
    let (participants, finally) = scene.into_parts();
    let is_random = matches!(model.extent, Extent::Random(_));
    current::begin(participants.len(), is_random);
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
    if current::lacks() {
        panic_any(Again);
    }
    if let Some(check) = finally {
        check();
    }
    current::end();
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

/// Explorations of a model that start again because an execution has needed a further object; more than any
/// model has atomics. Atomics that lie elsewhere in each execution would need objects for ever.
const MAX_ATTEMPTS: usize = 1000;

/// The end of an execution in which further objects were needed.
struct Again;

/// The beginning of random schedules: a model that fails once fails again.
const SEED: u64 = 47;

/// Explores a model with one value of its choice, until it fails or all executions have run.
fn explore_choice(model: Model, choice: usize) -> Result<(), Failure> {
    let ((before, _), mut attempts) = (current::covered(), 0);
    loop {
        MESSAGE.set(None);
        current::count_from(before);
        let end = catch_unwind(AssertUnwindSafe(|| executions(model, choice)));
        let is_useless = current::lacks();
        current::end();
        let Err(cause) = end else { return Ok(()) };
        attempts += 1;
        if !is_useless || attempts > MAX_ATTEMPTS {
            let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| cause.downcast_ref::<String>().cloned());
            let text = MESSAGE.take().or(text).unwrap_or_default();
            return Err(Failure { execution: current::covered().0, message: text });
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
fn explore(model: Model, mutation: Option<Mutation>) -> (Result<Explored, Failure>, Vec<Site>) {
    let work = move || {
        listen();
        let begin = Instant::now();
        let all = || (0..Scene::choices(model.scene)).try_for_each(|choice| explore_choice(model, choice));
        let (end, sites) = mutation::with(mutation, all);
        let (executions, participants) = current::covered();
        let explored = Explored { executions, participants, time: begin.elapsed() };
        (end.map(|()| explored), sites)
    };
    std::thread::spawn(work).join().expect("panics are results")
}
