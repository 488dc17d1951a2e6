//! The one state of a process that is an image.
//!
//! Functions of coarray programs have no argument that identifies the job, so a process has one runtime. It
//! belongs to the thread that has initialised it, and to the progress thread if there is one; a lock
//! serialises these two threads. If images are simulated in one thread, each of them has its own runtime,
//! selected by its rank in `MPI_COMM_WORLD`.
//!
//! The runtime initialises MPI if the program has not, and then finalises it at its end. If a program calls
//! `MPI_Finalize` itself, this call ends the runtime: the attributes of `MPI_COMM_SELF` are deleted first,
//! while MPI is still active, and one of them is `UntilMpiEnds`. A process that ends without ending its
//! runtime is a failed image.

use crate::engine::runtime::Runtime;
use crate::state::options::Options;
use crate::turns::Turns;
use hcube_core::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use hcube_core::error::{Error, Result, reason};
use hcube_core::mpi::{MpiComm, gate, lifetime};
use hcube_core::node::exit::at_exit;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::Write;
use std::ptr;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The owner of the runtime, which ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The program, by `hcube_caf_init`.
    Program,
    /// A system of hcube, for a program that uses no coarrays itself.
    Library,
    /// The library of a compiler, whose images are numbered from 1.
    Compiler,
}

/// The state of a process. Only [`finalise`] frees it: a process that ends otherwise uses it after the
/// destructors of its threads.
struct Process {
    runtime: Runtime<MpiComm>,
    /// Where there is a progress thread.
    turns: Option<Turns>,
    /// That thread.
    thread: Cell<Option<JoinHandle<()>>>,
    /// Whether it is to end.
    is_ending: AtomicBool,
    /// Whether MPI was initialised here.
    owns_mpi: bool,
    owner: Owner,
}

/// The address of the state, for another thread.
#[derive(Clone, Copy)]
struct Place(*const Process);

// SAFETY: a process is used in turns (`with`), by two threads at most.
unsafe impl Send for Place {}

/// Bits for a rank in addition to the process number.
const RANK_BITS: u32 = 32;

/// The process that must report its end; children created by `fork` must not. 0: none.
static PROCESS_ID: AtomicU32 = AtomicU32::new(0);
/// Whether an image was finalised in this process: a program has coarrays once.
static HAS_ENDED: AtomicBool = AtomicBool::new(false);
/// Whether that was in `MPI_Finalize`.
static HAS_ENDED_WITH_MPI: AtomicBool = AtomicBool::new(false);
/// The process and the rank of the image that has ended so, until the program calls `hcube_caf_finalize`. 0:
/// none.
static UNFINISHED: AtomicU64 = AtomicU64::new(0);

/// Whether the program finalises MPI. The runtime continues if that happens inside of a finish block or in
/// another thread, and the progress thread must not: it holds this lock while it calls MPI, and takes it in
/// its turn, which a shipped function that finalises MPI has.
static MPI_HAS_ENDED: Mutex<bool> = Mutex::new(false);

thread_local! {
    /// The state of this thread's process, if images are not simulated.
    static IMAGE: Cell<*const Process> = const { Cell::new(ptr::null()) };
    /// The states of simulated images, by rank.
    static SIMULATED: RefCell<BTreeMap<usize, *const Process>> = const { RefCell::new(BTreeMap::new()) };
}

#[cold]
fn outside() -> Error {
    let text = if has_ended_with_mpi() {
        "called after MPI_Finalize, which has ended the coarray runtime"
    } else if HAS_ENDED.load(Ordering::Relaxed) && PROCESS_ID.load(Ordering::Relaxed) == 0 {
        "called after hcube_caf_finalize"
    } else if PROCESS_ID.load(Ordering::Relaxed) != 0 {
        "called by another thread: expected the one that has called hcube_caf_init or the first function of hcube that \
         needs coarrays; in Fortran, the thread of the main program"
    } else {
        "called before hcube_caf_init"
    };
    Error::Usage(text.into())
}

/// The rank by which the state of a simulated image is found, unless MPI has ended for it.
fn place() -> Option<usize> {
    lifetime::world_place().ok().map(|(rank, _)| rank)
}

/// The state of this process.
#[inline(always)]
fn process() -> Result<*const Process> {
    let process = IMAGE.get();
    if process.is_null() { find() } else { Ok(process) }
}

#[cold]
fn find() -> Result<*const Process> {
    if !lifetime::is_simulated() {
        return Err(outside());
    }
    let found = place().and_then(|place| SIMULATED.with_borrow(|all| all.get(&place).copied()));
    found.ok_or_else(outside)
}

/// Sets the state of this process, or removes it.
fn set(process: *const Process) {
    if !lifetime::is_simulated() {
        return IMAGE.set(process);
    }
    let Some(place) = place() else { return };
    SIMULATED.with_borrow_mut(|all| {
        all.remove(&place);
        if !process.is_null() {
            all.insert(place, process);
        }
    });
}

/// Runs `work` with the runtime of this process.
///
/// # Errors
/// Errors of `work`, and [`Error::Usage`] before [`initialise`], after [`finalise`] and in other threads.
#[inline(always)]
pub fn with<T>(work: impl FnOnce(&Runtime<MpiComm>) -> Result<T>) -> Result<T> {
    // SAFETY: it lives until `finalise`, which refuses inside of shipped functions, so nothing uses it then.
    let process = unsafe { &*process()? };
    let _turn = process.turns.as_ref().map(Turns::take);
    work(&process.runtime)
}

/// Local: whether this process has a runtime, which this thread can use.
///
/// # Errors
/// [`Error::Usage`] where the runtime belongs to another thread.
pub fn is_active() -> Result<bool> {
    match process() {
        Ok(_) => Ok(true),
        Err(error) if !lifetime::is_simulated() && PROCESS_ID.load(Ordering::Relaxed) != 0 => Err(error),
        Err(_) => Ok(false),
    }
}

/// Collective over all processes of the job: initialises MPI, if the program has not, and the runtime; its
/// processes become images.
///
/// # Errors
/// [`Error::Usage`] for a second call; on all images, if options differ or one has no memory; errors of MPI.
pub fn initialise() -> Result<()> {
    initialise_for(Owner::Program)
}

/// Collective: as [`initialise`], for this owner.
///
/// # Errors
/// As [`initialise`].
pub fn initialise_for(owner: Owner) -> Result<()> {
    let options = Options::from_environment();
    let wants_thread = options.as_ref().is_ok_and(|options| options.progress > 0);
    if HAS_ENDED.load(Ordering::Relaxed) && !lifetime::is_simulated() {
        return Err(Error::Usage(
            "called after hcube_caf_finalize: the coarray runtime cannot be started again".into(),
        ));
    }
    let owns_mpi = if wants_thread { lifetime::initialise_for_threads()? } else { lifetime::initialise()? };
    if process().is_ok() || PROCESS_ID.load(Ordering::Relaxed) != 0 && !lifetime::is_simulated() {
        return Err(Error::Usage("called twice: the images are initialised".into()));
    }
    let comm = lifetime::world_comm()?;
    // Others, whose options may differ, wait for this process.
    let is_able = if wants_thread { lifetime::check_threads() } else { Ok(()) };
    let options = hcube_core::comm::agree(&comm, options.and_then(|options| is_able.map(|()| options)))?;
    let runtime = Runtime::new(comm, options)?;
    let turns = wants_thread.then(Turns::default);
    let (thread, is_ending) = (Cell::new(None), AtomicBool::new(false));
    let process = Box::into_raw(Box::new(Process { runtime, turns, thread, is_ending, owns_mpi, owner }));
    if wants_thread {
        // SAFETY: it lives until it is freed below or in `finalise`.
        let started = start_threads(unsafe { &*process }, options.progress);
        if started.is_err() {
            // SAFETY: made above; there is no thread, and nothing here uses it any more.
            drop(unsafe { Box::from_raw(process) });
            return started;
        }
    }
    set(process);
    if !lifetime::is_simulated() {
        PROCESS_ID.store(std::process::id(), Ordering::Relaxed);
        at_exit(end_early);
    }
    if owner == Owner::Program { UntilMpiEnds::keep(finalise_with_mpi) } else { Ok(()) }
}

/// Called when the program calls `MPI_Finalize`, while MPI is still active.
struct UntilMpiEnds(fn());

impl UntilMpiEnds {
    fn keep(work: fn()) -> Result<()> {
        gate::on_process(|kept: &mut Option<Self>| {
            *kept = Some(Self(work));
            Ok(())
        })
    }
}

impl Drop for UntilMpiEnds {
    fn drop(&mut self) {
        self.0();
        *MPI_HAS_ENDED.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

/// Local: has `work` called at the begin of `MPI_Finalize`, also where the runtime has ended before. For an
/// owner other than [`Owner::Program`], whose runtime ends there anyway.
///
/// # Errors
/// Errors of MPI.
pub fn before_mpi_ends(work: fn()) -> Result<()> {
    UntilMpiEnds::keep(work)
}

/// Whether the runtime has ended because the program has called `MPI_Finalize`.
pub fn has_ended_with_mpi() -> bool {
    HAS_ENDED_WITH_MPI.load(Ordering::Relaxed)
}

/// In `MPI_Finalize`: as [`finalise`], where the program has not called it.
fn finalise_with_mpi() {
    // Inside of a finish block, or by another thread, the runtime continues, and reports to others at the end
    // of the process.
    let Ok(own) = with(|runtime| Ok(runtime.own())) else { return };
    if matches!(finalise_runtime(), Err(Error::Usage(_))) || remove(Remaining::Memory).is_err() {
        return;
    }
    if !lifetime::is_simulated() {
        UNFINISHED.store(u64::from(std::process::id()) << RANK_BITS | own as u64, Ordering::Relaxed);
    }
}

/// Collective over all images, which have the same options: starts the thread of each, or of none.
fn start_threads(process: &Process, microseconds: usize) -> Result<()> {
    // The thread waits for its turn until the images agree.
    let turn = process.turns.as_ref().map(Turns::take);
    let thread = start_thread(Place(process), microseconds);
    let started = thread.as_ref().map(drop).map_err(Error::clone);
    let agreed = hcube_core::comm::agree(&process.runtime.image.borrow().comm, started);
    process.thread.set(thread.ok());
    drop(turn);
    if agreed.is_err() {
        process.join();
    }
    agreed
}

impl Process {
    /// Ends the thread, if there is one.
    fn join(&self) {
        self.is_ending.store(true, Ordering::Release);
        // A thread that has ended by a panic has printed it.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// A thread that periodically serves other images.
fn start_thread(place: Place, microseconds: usize) -> Result<JoinHandle<()>> {
    let work = move || {
        let Place(process) = { place };
        IMAGE.set(process);
        // SAFETY: it lives until this thread has ended.
        while !unsafe { &(*process).is_ending }.load(Ordering::Acquire) {
            // An error comes again where the program waits.
            if !with(serve_until_mpi_ends).unwrap_or(false) {
                break;
            }
            std::thread::sleep(Duration::from_micros(microseconds as u64));
        }
    };
    let thread = std::thread::Builder::new().name("hcube progress".into()).spawn(work);
    thread.map_err(|error| Error::Memory(format!("no progress thread: {}", reason(&error))))
}

/// One turn of the progress thread; false if MPI has ended.
fn serve_until_mpi_ends(runtime: &Runtime<MpiComm>) -> Result<bool> {
    let has_ended = MPI_HAS_ENDED.lock().unwrap_or_else(PoisonError::into_inner);
    if *has_ended { Ok(false) } else { runtime.serve().map(|()| true) }
}

/// Collective over all images: waits until all their requests are complete, and ends the runtime, and MPI if
/// it was initialised here.
///
/// # Errors
/// Inside of a finish block or a shipped function, with nothing ended; if an image has failed, in which case
/// the runtime has ended on this image.
pub fn finalise() -> Result<()> {
    // The work of this function was done then.
    if UNFINISHED.swap(0, Ordering::Relaxed) != 0 {
        return Ok(());
    }
    match finalise_runtime() {
        Err(error @ Error::Usage(_)) => Err(error),
        result => remove(Remaining::Mpi).and(result),
    }
}

fn finalise_runtime() -> Result<()> {
    let result = with(Runtime::finalise);
    if !matches!(result, Ok(()) | Err(Error::Usage(_))) {
        // Others may still read what this image has. If it is the one that has failed, they know.
        drop(with(Runtime::stop));
    }
    result
}

/// This image has come to the end of the program, or fails: returns when all have, and has ended the runtime
/// then, and MPI if it was initialised here. Functions that others have shipped may still run until then.
///
/// In between, where all images have ended, `last` gets their communicator, and whether each process has come
/// here: if not, it must not communicate.
///
/// # Errors
/// Errors of MPI, and of `last`.
pub fn end(fails: bool, last: impl FnOnce(&MpiComm, bool) -> Result<()>) -> Result<()> {
    let result = end_runtime(fails, last);
    remove(Remaining::Mpi)?;
    result
}

/// As [`end`], in `MPI_Finalize`, for a program that continues without coarrays: it may still read its own
/// parts.
///
/// # Errors
/// As [`end`].
pub fn end_with_mpi(last: impl FnOnce(&MpiComm, bool) -> Result<()>) -> Result<()> {
    // Of another thread.
    if process().is_err() {
        return Ok(());
    }
    let result = end_runtime(false, last);
    remove(Remaining::Memory)?;
    result
}

fn end_runtime(fails: bool, last: impl FnOnce(&MpiComm, bool) -> Result<()>) -> Result<()> {
    with(|runtime| {
        // MPI was finalised by another thread.
        if !lifetime::is_active() {
            return runtime.die(false);
        }
        runtime.end(fails)?;
        let are_all_here = !runtime.has_lost_one();
        last(&runtime.image.borrow().comm, are_all_here)
    })
}

/// The remains of the runtime at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remaining {
    /// MPI, which is finalised next where it was initialised here, unless a process of the job has ended
    /// before.
    Mpi,
    /// The memory of this image, for a program that has called `MPI_Finalize`.
    Memory,
}

/// Ends the runtime.
fn remove(remaining: Remaining) -> Result<()> {
    let process = process()?.cast_mut();
    // SAFETY: it lives until it is freed below.
    unsafe { &*process }.join();
    HAS_ENDED.store(true, Ordering::Relaxed);
    PROCESS_ID.store(0, Ordering::Relaxed);
    set(ptr::null());
    // SAFETY: made by `initialise`; the other thread has ended, and nothing here uses it any more.
    let process = unsafe { Box::from_raw(process) };
    let ends_mpi = process.owns_mpi && !process.runtime.has_lost_one();
    let Process { runtime, .. } = *process;
    match remaining {
        Remaining::Memory => {
            HAS_ENDED_WITH_MPI.store(!lifetime::is_simulated(), Ordering::Relaxed);
            runtime.leave_memory();
            Ok(())
        }
        Remaining::Mpi => {
            drop(runtime);
            if ends_mpi { lifetime::finalise() } else { Ok(()) }
        }
    }
}

/// Collective over all images: as [`finalise`], where the runtime has this owner; otherwise nothing happens.
///
/// # Errors
/// As [`finalise`].
pub fn finalise_of(owner: Owner) -> Result<()> {
    let Ok(process) = process() else { return Ok(()) };
    // SAFETY: it lives until `finalise`.
    let found = unsafe { &*process }.owner;
    if found == owner { finalise() } else { Ok(()) }
}

/// The end of a process whose image has not been finalised: the others are notified that it has failed.
extern "C" fn end_early() {
    let unfinished = UNFINISHED.load(Ordering::Relaxed);
    if unfinished >> RANK_BITS == u64::from(std::process::id()) {
        return say_unfinished(unfinished as u32 as usize);
    }
    if PROCESS_ID.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    PROCESS_ID.store(0, Ordering::Relaxed);
    // SAFETY: it lives until `finalise`.
    let owner = process().map(|process| unsafe { &*process }.owner);
    let own = with(|runtime| {
        let own = runtime.own();
        runtime.die(lifetime::is_active()).map(|()| own)
    });
    match (own, owner) {
        (Ok(own), Ok(Owner::Compiler)) => {
            say(&format!("hcube: image {}: the process ends before the program\n", own + 1));
        }
        (Ok(own), Ok(_)) => say_unfinished(own),
        _ => {}
    }
}

fn say_unfinished(image: usize) {
    say(&format!("hcube: image {image}: the program ends without hcube_caf_finalize\n"));
}

/// In one piece, or the lines of several images would run into each other.
fn say(line: &str) {
    drop(std::io::stderr().write_all(line.as_bytes()));
}
