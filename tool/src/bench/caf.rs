//! `hcube bench caf`: coarrays by hcube, by MPI's functions and by OpenSHMEM.

mod arguments;
mod calls;
mod task;
mod variants;

pub use arguments::Arguments;

use super::frame::{LineOf, Opened, System};
use super::job;
use super::library::mpi_name;
use super::memory::{self, Wanted};
use super::proof::{Claim, Counts};
use super::timing;
use crate::session::{self, Session};
use calls::functions::Coarrays;
use calls::hcube::{self, Images};
use calls::{Place, openshmem};
use hcube_caf::options::Options;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_results::caf::{HCUBE, Run};
use hcube_results::measured::{self, Timing};
use hcube_results::numbers;
use std::process::ExitCode;
use std::sync::atomic::AtomicU64;
use task::{Operation, Task, WORD};
use variants::{Variant, Work};

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    let Arguments { common, drawn, .. } = arguments;
    drawn.run::<Run>(&common.json, || {
        if let Some(count) = arguments.ranks_per_node {
            hcube::assume_ranks_per_node(count);
        }
        let code = session::run(|session| drawn.start(session, common, || Caf::new(session, arguments)));
        openshmem::leave(code);
        code
    })
}

/// What hcube counts, by name.
const COUNTERS: [&str; 5] = [
    "hcube's puts",
    "hcube's gets",
    "hcube's atomic operations",
    "hcube's functions",
    "hcube's finish rounds",
];

/// The counter of an operation of hcube; none of operations that it does not count.
fn counter(operation: Operation) -> Option<&'static str> {
    let number = match operation {
        Operation::Put | Operation::PutStrided => 0,
        Operation::Get => 1,
        Operation::FetchAdd | Operation::CompareSwap => 2,
        Operation::SpawnXor => 3,
        Operation::Finish => 4,
        _ => return None,
    };
    Some(COUNTERS[number])
}

/// The benchmark.
struct Caf<'a> {
    session: &'a Session,
    arguments: &'a Arguments,
    variants: Vec<Variant>,
    place: Place,
    own: Box<[AtomicU64]>,
    /// For results.
    measured_at: measured::Place,
    /// Ranks of each node, largest first.
    node_sizes: Vec<usize>,
    /// Of hcube.
    functions: Coarrays,
}

impl<'a> Caf<'a> {
    /// Collective: loads the libraries and starts them.
    fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let tasks = arguments.tasks();
        let place = Place { rank: comm.rank(), ranks: comm.size() };
        let measured_at = job::place(session, agree(comm, Options::from_environment())?.ranks_per_node)?;
        let words = tasks.iter().map(Task::shared_words).max().unwrap_or(1);
        let hcube = agree(comm, Coarrays::load(arguments.caf.as_deref(), mpi_name(&measured_at.mpi)))?;
        let (functions, own) = (hcube.0, Self::memory(session, &tasks)?);
        let variants = variants::start(comm, arguments, hcube, place, words)?;
        let node_sizes = session.node_sizes()?;
        Ok(Self { session, arguments, variants, place, own, measured_at, node_sizes, functions })
    }

    /// Collective: memory that only this rank uses, for the largest operation.
    fn memory(session: &Session, tasks: &[Task]) -> Result<Box<[AtomicU64]>> {
        let largest = tasks.iter().map(Task::own_words).max().unwrap_or(1);
        let value = numbers::whole_bytes(largest * WORD);
        let wanted = Wanted { what: "memory", option: "--sizes", value };
        let mut words = memory::reserve(&session.comm, &wanted, largest as u64)?;
        words.resize(largest, 0);
        Ok(words.into_iter().map(AtomicU64::new).collect())
    }
}

impl System for Caf<'_> {
    const NAME: &'static str = "caf";
    /// A task and the number of a variant.
    type Case = (Task, usize);
    /// Seconds of the last batch on this rank.
    type Work = f64;
    type Row = Run;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        let cases = |task: Task| {
            let variants = self.variants.iter().enumerate().filter(|(_, variant)| variant.has(&task));
            variants.map(|(number, _)| (task, number)).collect()
        };
        self.arguments.tasks().into_iter().map(cases).collect()
    }

    fn name(&self, &(task, variant): &Self::Case) -> String {
        format!("{}, {}", task.described(measured::Place::default()).name(), self.variants[variant].name)
    }

    fn about(&self) -> String {
        let files = self.variants.iter().map(|one| one.file.as_str()).filter(|file| !file.is_empty());
        let files: Vec<&str> = files.collect();
        let nodes = match self.measured_at.ranks_per_node {
            0 => String::new(),
            count => format!("; hcube takes each {count} rank(s) for a node"),
        };
        format!("{}{nodes}\n{}; ", session::shape(&self.node_sizes), files.join(", "))
    }

    fn open(&mut self, &(_, variant): &Self::Case) -> Result<Opened<f64>> {
        let Variant { name, work, .. } = &self.variants[variant];
        Ok(match work {
            Work::Missing(reason) => Err(format!("{name} left out: {reason}")),
            _ => Ok(0.0),
        })
    }

    fn claim(&self, &(task, variant): &Self::Case, _: &f64) -> Result<Claim> {
        let variant = &self.variants[variant];
        let by_symbol = || Claim::of(variant.origin.as_ref().expect("a variant that is measured has one"));
        Ok(match counter(task.operation) {
            _ if variant.name != HCUBE => by_symbol(),
            // Operations and their completion may use others.
            Some(counter) => Claim::counted(counter).with(&COUNTERS),
            None => by_symbol().with(&COUNTERS),
        })
    }

    fn counts(&self, _: &f64) -> Counts {
        COUNTERS.into_iter().zip(Images::counts(&self.functions)).collect()
    }

    fn verify(&mut self, line: &mut LineOf<Self>) -> Result<Option<u64>> {
        let (comm, (task, variant)) = (&self.session.comm, line.case);
        let Place { rank, ranks } = self.place;
        let Work::Library(calls) = &mut self.variants[variant].work else { return Ok(None) };
        task.fill(&self.own, calls.shared(), rank);
        comm.barrier()?;
        calls.run(&task, task.verified_by(), &self.own);
        comm.barrier()?;
        let wrong = task.wrong(&self.own, calls.shared(), rank, ranks);
        wrong.map(|wrong| timing::sum(comm, wrong)).transpose()
    }

    fn call(&mut self, line: &mut LineOf<Self>, times: u32) -> Result<()> {
        let (task, variant) = line.case;
        line.work = self.variants[variant].run(&task, times, &self.own, self.place.is_origin());
        Ok(())
    }

    /// Without what completes the batch on all ranks.
    fn timed(&mut self, comm: &impl Comm, line: &mut LineOf<Self>, times: u32) -> Result<f64> {
        comm.barrier()?;
        self.call(line, times)?;
        Ok(timing::slowest(comm, line.work)? / f64::from(times))
    }

    /// What completes a batch on all ranks: a barrier, which sends messages also from ranks without a part in
    /// the operation.
    fn measure_nothing(&mut self, comm: &impl Comm, line: &mut LineOf<Self>) -> Result<bool> {
        comm.barrier()?;
        let is_origin = self.place.is_origin();
        let seconds = self.variants[line.case.1].run(&Task::NOTHING, 0, &self.own, is_origin);
        timing::slowest(comm, seconds)?;
        Ok(true)
    }

    fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Run> {
        let (task, variant) = line.case;
        let described = task.described(self.measured_at.clone());
        let variant = &self.variants[variant];
        Ok(Run {
            library: variant.file.clone(),
            batch: line.batch,
            errors: line.errors,
            ..Run::new(described, variant.name, timing)
        })
    }
}
