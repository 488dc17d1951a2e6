//! The measurements: libraries, memory, and operations.

use super::arguments::Arguments;
use super::calls::{Calls, Place, address, repeated};
use super::functions::{Coarrays, Openshmem};
use super::hcube::Images;
use super::one_sided::{self, Windows};
use super::openshmem::{self, Elements};
use super::task::{Operation, Task, WORD};
use crate::bench::library::mpi_name;
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::{Claim, Counts, Origin};
use crate::bench::timing;
use crate::session::{self, Session};
use hcube_caf::options::Options;
use hcube_core::comm::{Comm, agree};
use hcube_core::node::single_copy;
use hcube_core::{Error, Result};
use hcube_results::caf::{HCUBE, MEMCPY, MPI, OPENSHMEM};
use hcube_results::numbers;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes from which puts and gets are compared with copies.
const MIN_COPY_BYTES: usize = 64 << 10;

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

/// Who carries out the operations.
enum Work {
    Library(Box<dyn Calls>),
    /// Copies between own memory and that of the target, which is at this address.
    Copy(*mut u8),
    /// Nobody, for this reason.
    Missing(String),
}

/// What is compared.
pub struct Variant {
    pub name: &'static str,
    /// Of the library; empty for MPI and copies.
    pub file: String,
    work: Work,
    /// That its functions are those of the library; none where it is missing.
    origin: Option<Origin>,
}

/// A variant of the operation under way.
pub struct Line {
    pub task: Task,
    /// Its number.
    pub variant: usize,
    /// Operations that are timed together.
    pub batch: u32,
    /// Words that were wrong on all ranks; `None` where not verified.
    pub errors: Option<u64>,
}

/// The benchmark.
pub struct Caf<'a> {
    session: &'a Session,
    pub arguments: &'a Arguments,
    pub tasks: Vec<Task>,
    pub variants: Vec<Variant>,
    place: Place,
    own: Box<[AtomicU64]>,
    pub mpi: String,
    /// Ranks of each node, largest first.
    pub node_sizes: Vec<usize>,
    /// Ranks that hcube puts on a node; 0 for all that are on it.
    pub ranks_per_node: usize,
    /// Of hcube.
    functions: Coarrays,
}

impl Variant {
    /// Whether it has an operation, or is to say why it has none.
    pub fn has(&self, task: &Task) -> bool {
        match &self.work {
            Work::Library(calls) => calls.has(task.operation),
            _ if self.name == MEMCPY => {
                matches!(task.operation, Operation::Put | Operation::Get) && task.bytes >= MIN_COPY_BYTES
            }
            _ => true,
        }
    }

    /// Why it is not measured.
    pub fn missing(&self) -> Option<&str> {
        match &self.work {
            Work::Missing(reason) => Some(reason),
            _ => None,
        }
    }
}

impl<'a> Caf<'a> {
    /// Collective: loads the libraries and starts them.
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let (tasks, mpi) = (arguments.tasks(), session::library());
        let place = Place { rank: comm.rank(), ranks: comm.size() };
        let ranks_per_node = agree(comm, Options::from_environment())?.ranks_per_node;
        let words = tasks.iter().map(Task::shared_words).max().unwrap_or(1);
        let (functions, file, origin) = agree(comm, Coarrays::load(arguments.caf.as_ref(), mpi_name(&mpi)))?;
        let own = Self::memory(session, &tasks)?;
        let images = agree(comm, Images::begin(functions, place, words))?;
        let memory = neighbour(comm, place, images.shared())?;
        let none = String::new;
        let work = Work::Library(Box::new(images));
        let mut variants = vec![Variant { name: HCUBE, file, work, origin: Some(origin) }];
        if !arguments.no_mpi {
            let windows = Windows::new(place, words);
            let everywhere = !comm.all_gather(&[u64::from(windows.is_none())])?.contains(&1);
            let work = match windows.filter(|_| everywhere) {
                Some(windows) => Work::Library(Box::new(windows)),
                None => Work::Missing("MPI_Win_allocate fails here".to_owned()),
            };
            let origin = Some(agree(comm, one_sided::origin())?);
            variants.push(Variant { name: MPI, file: none(), work, origin });
        }
        if !arguments.no_openshmem {
            let (work, file, origin) = match openshmem(comm, arguments, place, words)? {
                Ok((elements, file, origin)) => (Work::Library(Box::new(elements)), file, Some(origin)),
                Err(reason) => (Work::Missing(reason), none(), None),
            };
            variants.push(Variant { name: OPENSHMEM, file, work, origin });
        }
        let work = memory.map_or_else(
            || Work::Missing("ranks 0 and 1 have no memory at one address".to_owned()),
            Work::Copy,
        );
        let origin = Some(agree(comm, Origin::of_libc(&[c"memcpy"]))?);
        variants.push(Variant { name: MEMCPY, file: none(), work, origin });
        let node_sizes = session.node_sizes()?;
        Ok(Self {
            session,
            arguments,
            tasks,
            variants,
            place,
            own,
            mpi,
            node_sizes,
            ranks_per_node,
            functions,
        })
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

    /// Collective: operations; their seconds on this rank.
    fn run(&mut self, line: &Line, times: u32) -> f64 {
        let Self { variants, own, place, .. } = self;
        match &mut variants[line.variant].work {
            Work::Library(calls) => calls.run(&line.task, times, own),
            Work::Copy(there) if place.is_origin() => copies(&line.task, times, own, *there),
            _ => 0.0,
        }
    }

    /// Collective: seconds of one operation from a batch.
    pub fn timed(&mut self, line: &Line, times: u32) -> Result<f64> {
        self.session.comm.barrier()?;
        let seconds = self.run(line, times);
        Ok(timing::slowest(&self.session.comm, seconds)? / f64::from(times))
    }

    /// What has to work for a line.
    pub fn claim(&self, line: &Line) -> Claim {
        let variant = &self.variants[line.variant];
        let by_symbol = || Claim::of(variant.origin.as_ref().expect("a variant that is measured has one"));
        match counter(line.task.operation) {
            _ if variant.name != HCUBE => by_symbol(),
            // Operations and their completion may use others.
            Some(counter) => Claim::counted(counter).with(&COUNTERS),
            None => by_symbol().with(&COUNTERS),
        }
    }

    /// What hcube has counted.
    pub fn counts(&self) -> Counts {
        COUNTERS.into_iter().zip(Images::counts(&self.functions)).collect()
    }

    /// Collective: verifies a variant, and finds how many operations are to be timed together.
    pub fn prepare(&mut self, line: &mut Line) -> Result<()> {
        let (comm, task) = (&self.session.comm, line.task);
        let Place { rank, ranks } = self.place;
        if !self.arguments.common.no_verify && matches!(self.variants[line.variant].work, Work::Library(_)) {
            let Work::Library(calls) = &mut self.variants[line.variant].work else {
                unreachable!("a library")
            };
            task.fill(&self.own, calls.shared(), rank);
            comm.barrier()?;
            calls.run(&task, task.verified_by(), &self.own);
            comm.barrier()?;
            if let Some(wrong) = task.wrong(&self.own, calls.shared(), rank, ranks) {
                line.errors = Some(comm.all_gather(&[wrong])?.iter().sum());
            }
        }
        line.batch = timing::settled(|times| self.timed(line, times))?;
        Ok(())
    }
}

/// Seconds of copies between own memory and that of the target.
fn copies(task: &Task, times: u32, own: &[AtomicU64], there: *mut u8) -> f64 {
    let here = address(own).cast::<u8>();
    let (from, to) = if task.operation == Operation::Get {
        (there.cast_const(), here)
    } else {
        (here.cast_const(), there)
    };
    // SAFETY: memory of this rank and of the target's coarray, which is mapped here, as `neighbour` has found out; nobody else
    // uses either meanwhile.
    repeated(times, || unsafe { std::ptr::copy_nonoverlapping(from, to, task.bytes) })
}

/// Collective: where this rank can access the memory of the target's coarray by loads and stores, if ranks 0 and 1 share it.
fn neighbour(comm: &impl Comm, place: Place, shared: &[AtomicU64]) -> Result<Option<*mut u8>> {
    let cookie = 0x6863_7562_6500_0000 ^ u64::from(std::process::id()) << 8 ^ place.rank as u64;
    shared[0].store(cookie, Ordering::Relaxed);
    // Also makes the words known to the others.
    let all = comm.all_gather(&[address(shared).addr() as u64, cookie])?;
    let target = 1 % place.ranks;
    let (there, expected) = (all[2 * target], all[2 * target + 1]);
    // A system call, which does not crash where nothing is mapped.
    let found = single_copy::read_word(std::process::id(), there).is_ok_and(|word| word == expected);
    let found = comm.all_gather(&[u64::from(found)])?[0] == 1;
    Ok(found.then(|| std::ptr::with_exposed_provenance_mut(there as usize)))
}

/// Collective: OpenSHMEM and its file, or why it is not measured.
fn openshmem(
    comm: &impl Comm,
    arguments: &Arguments,
    place: Place,
    words: usize,
) -> Result<std::result::Result<(Elements, String, Origin), String>> {
    let refused = |reason: &str| Error::Unsupported(reason.to_owned());
    let load = || match openshmem::refusal() {
        Some(reason) => Err(refused(reason)),
        None => Openshmem::load(arguments.openshmem.as_deref()).map_err(|reason| refused(&reason)),
    };
    let started = agree(comm, load()).and_then(|(functions, file, origin)| {
        let begun = Elements::begin(functions, place, words).map_err(|reason| refused(&reason));
        agree(comm, begun).map(|elements| (elements, file, origin))
    });
    match started {
        Ok(started) => Ok(Ok(started)),
        Err(error @ Error::Mpi { .. }) => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}
