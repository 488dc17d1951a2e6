//! The process-wide state of a BSP program: the current part of the program, and the SPMD part.
//!
//! BSPlib's functions have no argument that identifies a communicator, so a process has one state. It belongs
//! to the thread that called `bsp_begin`; if processes are simulated in one thread, each of them has its own
//! state, selected by its rank in `MPI_COMM_WORLD`.
//!
//! The state initialises MPI if the program has not, and then finalises it at the end of the process.
//! Processes outside of the SPMD part sleep until it has ended, and exit.

use crate::options::Options;
use crate::profile::Summary;
use crate::spmd::Spmd;
use hcube_core::Result;
use hcube_core::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use hcube_core::comm::owned::Owned;
use hcube_core::comm::reduction::Operation;
use hcube_core::comm::{Comm, tags};
use hcube_core::error::Error;
use hcube_core::mpi::handle::{abort, check_state};
use hcube_core::mpi::{MpiComm, lifetime};
use hcube_core::node::exit::at_exit;
use hcube_core::progress::Progress;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

/// Time between two tests by a process that the SPMD part does not use.
const LOOK: Duration = Duration::from_millis(2);
/// For the process that prints an error which all have and ends the job; on a busy machine it may wait for a
/// core.
const PAUSE: Duration = Duration::from_secs(5);

/// Parts of a program.
#[derive(Debug, Default)]
enum Part {
    /// Before `bsp_begin`.
    #[default]
    Before,
    Spmd(Box<Spmd<MpiComm>>),
    /// After `bsp_end`.
    After,
}

/// The state of a process.
#[derive(Debug, Default)]
struct Process {
    part: Part,
    /// Whether `bsp_init` was called.
    initialised: bool,
    /// All processes of the job, while the SPMD part runs.
    world: Option<MpiComm>,
    /// Processes of the SPMD part.
    processes: usize,
}

/// Data for the end of the process: the part, whether an error ends it, and whether MPI was initialised here.
static PART: AtomicU8 = AtomicU8::new(BEFORE);
static ENDING: AtomicBool = AtomicBool::new(false);
static OWNS_MPI: AtomicBool = AtomicBool::new(false);
/// The process that is to do something at its end; children that the program makes by `fork` are not. 0
/// before.
static PROCESS_ID: AtomicU32 = AtomicU32::new(0);
const BEFORE: u8 = 0;
const SPMD: u8 = 1;
const AFTER: u8 = 2;

thread_local! {
    /// The process, if it is not simulated; `None` while a call uses it.
    static PROCESS: Cell<Option<&'static mut Process>> = const { Cell::new(None) };
    /// The simulated processes, by rank.
    static SIMULATED: RefCell<BTreeMap<usize, &'static mut Process>> = const { RefCell::new(BTreeMap::new()) };
}

fn outside() -> Error {
    let text = match PART.load(Ordering::Relaxed) {
        SPMD if !lifetime::is_simulated() => {
            "called by another thread: expected the thread that called bsp_begin"
        }
        _ => "called outside of the SPMD part: expected between bsp_begin and bsp_end",
    };
    Error::Usage(text.into())
}

/// Runs `work` with the state, which is the default at first. An exception of the program may leave it.
#[inline(always)]
fn with<T>(work: impl FnOnce(&mut Process) -> T) -> T {
    /// Puts the state back.
    struct Held(Option<&'static mut Process>);
    impl Drop for Held {
        #[inline(always)]
        fn drop(&mut self) {
            PROCESS.set(self.0.take());
        }
    }
    if lifetime::is_simulated() {
        return with_simulated(work);
    }
    let mut held = Held(Some(PROCESS.take().unwrap_or_else(new)));
    work(held.0.as_mut().expect("just put there"))
}

/// As [`with`], for a process that shares its thread with others.
#[cold]
fn with_simulated<T>(work: impl FnOnce(&mut Process) -> T) -> T {
    let rank = lifetime::world_place().map_or(0, |(rank, _)| rank);
    let process = SIMULATED.with_borrow_mut(|all| all.remove(&rank)).unwrap_or_else(new);
    let result = work(process);
    SIMULATED.with_borrow_mut(|all| all.insert(rank, process));
    result
}

#[cold]
fn new() -> &'static mut Process {
    // It lives as long as the process: nothing of it may be freed when its thread ends.
    Box::leak(Box::default())
}

/// Runs `work` in the SPMD part.
///
/// # Errors
/// Errors of `work`, and [`Error::Usage`] outside of the SPMD part.
#[inline(always)]
pub fn spmd<T>(work: impl FnOnce(&mut Spmd<MpiComm>) -> Result<T>) -> Result<T> {
    with(|process| match &mut process.part {
        Part::Spmd(spmd) => work(spmd),
        _ => Err(outside()),
    })
}

/// Called before the job ends by an error: the end of this process is then caused by the job, not by the
/// program. MPICH's `MPI_Abort` calls `exit`.
pub fn leave() {
    ENDING.store(true, Ordering::Relaxed);
}

/// Ends the job because of an error in a function: prints it, unless another process does.
pub fn fail(function: &str, error: &Error) -> ! {
    leave();
    // Simulated processes have one thread, so the other one could not print meanwhile.
    if matches!(error, Error::Remote { .. }) && !lifetime::is_simulated() {
        std::thread::sleep(PAUSE);
        abort(None);
    }
    let process =
        lifetime::world_place().map_or_else(|_| String::new(), |(rank, _)| format!("process {rank}: "));
    // In one piece, or the lines of several processes would run into each other.
    let line = format!("hcube: {process}{function}: {error}\n");
    drop(std::io::stderr().write_all(line.as_bytes()));
    abort(None)
}

/// Collective over all processes of the job, if MPI is not initialised: initialises it.
fn start() -> Result<()> {
    if lifetime::initialise()? {
        OWNS_MPI.store(true, Ordering::Relaxed);
    }
    if !lifetime::is_simulated() && PROCESS_ID.swap(std::process::id(), Ordering::Relaxed) == 0 {
        at_exit(finish);
    }
    Ok(())
}

/// The end of the process.
extern "C" fn finish() {
    let is_child = PROCESS_ID.load(Ordering::Relaxed) != std::process::id();
    if is_child || ENDING.load(Ordering::Relaxed) {
        return;
    }
    // Also where the program has finalised MPI in it.
    if PART.load(Ordering::Relaxed) == SPMD {
        let error = "the program ends in its SPMD part: expected bsp_end before exit or the end of main";
        fail("exit", &Error::Usage(error.into()));
    }
    if check_state().is_err() {
        return;
    }
    if PART.load(Ordering::Relaxed) == BEFORE
        && let Some(world) = with(|process| process.world.take())
    {
        finish_early(&world);
    }
    if OWNS_MPI.load(Ordering::Relaxed)
        && let Err(error) = lifetime::finalise()
    {
        eprintln!("hcube: {error}");
    }
}

/// The end of a process that has called `bsp_init` and not `bsp_begin`: process 0 notifies the others, which
/// may be waiting there, that there is no SPMD part.
fn finish_early(world: &MpiComm) {
    let agreed = if world.rank() == 0 { tell_limit(world, 0).map(|()| 0) } else { hear_limit(world) };
    match agreed {
        Ok(0) => {}
        Ok(_) => {
            let error = "the program ends before its SPMD part, which process 0 has begun: expected bsp_begin and bsp_end";
            fail("exit", &Error::Usage(error.into()));
        }
        Err(error) => fail("exit", &error),
    }
}

/// Processes of the SPMD part; before it, processes of the job (`bsp_nprocs`).
///
/// # Errors
/// Errors of MPI.
pub fn processes() -> Result<usize> {
    with(|process| match &process.part {
        Part::Before => start().and_then(|()| lifetime::world_place()).map(|(_, size)| size),
        Part::Spmd(spmd) => Ok(spmd.nprocs()),
        Part::After => Ok(process.processes),
    })
}

/// Collective over all processes of the job: begins the SPMD part with at most as many processes as process 0
/// passes (`bsp_begin`). Other processes do not return. The cost of each superstep is recorded if `profiled`
/// is set on any process.
///
/// # Errors
/// For a number below 1, for a second call, and errors of [`Spmd::begin`].
pub fn begin(limit: i64, profiled: bool) -> Result<()> {
    with(|process| {
        match process.part {
            Part::Before => {}
            Part::Spmd(_) => return Err(Error::Usage("called twice: the SPMD part has begun".into())),
            Part::After => return Err(Error::Usage("called twice: a program has one SPMD part".into())),
        }
        start()?;
        let kept = process.world.take();
        let (world, after_init) = match kept {
            Some(world) => (world, true),
            None => (lifetime::world_comm()?, false),
        };
        if world.rank() == 0 && limit < 1 {
            return Err(Error::argument("maxprocs", limit, "at least 1"));
        }
        let limit = share_limit(&world, limit, after_init)?;
        if limit == 0 {
            leave_unused(world);
        }
        let processes = world.size().min(usize::try_from(limit).unwrap_or(usize::MAX));
        let is_used = world.rank() < processes;
        let part = world.split(is_used.then_some(0), 0)?;
        let Some(part) = part else { sleep(world) };
        let options = told_once(&part, Options::from_environment())?;
        let mut profiled = [i64::from(profiled)];
        part.all_reduce_max(&mut profiled)?;
        let mut spmd = Spmd::begin(part, &options).map_err(|error| match error {
            Error::Mismatch { .. } if world.rank() > 0 => told_by(0, &error),
            error => error,
        })?;
        if profiled[0] != 0 {
            spmd.start_profile();
        }
        *process = Process {
            part: Part::Spmd(Box::new(spmd)),
            world: Some(world),
            processes,
            ..std::mem::take(process)
        };
        PART.store(SPMD, Ordering::Relaxed);
        Ok(())
    })
}

/// An error that another process has as well, and prints.
fn told_by(rank: usize, error: &Error) -> Error {
    Error::Remote { rank, code: error.code(), message: error.to_string() }
}

/// Collective: where processes have failed, the first of them keeps its error, and the others wait for it.
fn told_once<C: Comm, T>(comm: &C, local: Result<T>) -> Result<T> {
    let (own, none) = (comm.rank() as i64, i64::MAX);
    let mut first = [if local.is_ok() { none } else { own }];
    comm.all_reduce(&mut first, Operation::Min)?;
    match first[0] {
        rank if rank == none || rank == own => local,
        rank => Err(told_by(rank as usize, &Error::Usage("it has failed".into()))),
    }
}

/// Collective: receives the value of process 0. After `bsp_init` the other processes sleep while they wait,
/// since process 0 may compute for a long time before, and may end without an SPMD part, which 0 stands for.
fn share_limit(world: &MpiComm, limit: i64, after_init: bool) -> Result<i64> {
    if after_init {
        return if world.rank() == 0 { tell_limit(world, limit).map(|()| limit) } else { hear_limit(world) };
    }
    let mut bytes = limit.to_ne_bytes();
    world.broadcast(&mut bytes, 0)?;
    Ok(i64::from_ne_bytes(bytes))
}

/// Tag of messages with the limit, and of those that end processes which the SPMD part does not use.
const LIMIT: i32 = tags::BSP.tag(1);
const END: i32 = tags::BSP.tag(0);

/// Process 0 sends the maximum number of processes to all others.
fn tell_limit(world: &MpiComm, limit: i64) -> Result<()> {
    send_to(world, 1, &limit.to_ne_bytes(), LIMIT)
}

/// Sends a message to all processes from `first` on.
fn send_to(world: &MpiComm, first: usize, bytes: &[u8], tag: i32) -> Result<()> {
    let send = |process| Owned::send(world, bytes.to_vec(), process, tag);
    let mut sent: Vec<_> = (first..world.size()).map(send).collect::<Result<_>>()?;
    for message in &mut sent {
        while !message.has_finished(world)? {}
    }
    Ok(())
}

/// Waits asleep for the largest number of processes.
fn hear_limit(world: &MpiComm) -> Result<i64> {
    let bytes = receive_asleep(world, size_of::<i64>(), LIMIT)?;
    Ok(i64::from_ne_bytes(bytes.try_into().expect("as many as were sent")))
}

/// Waits for a message of process 0, and leaves the core to others meanwhile.
fn receive_asleep(world: &MpiComm, length: usize, tag: i32) -> Result<Vec<u8>> {
    let mut message = Owned::receive(world, vec![0; length], 0, tag)?;
    while !message.has_finished(world)? {
        if lifetime::is_simulated() {
            world.rest(LOOK.as_nanos() as f64);
        } else {
            std::thread::sleep(LOOK);
        }
    }
    Ok(message.into_buffer())
}

/// A process that the SPMD part does not use.
fn sleep(world: MpiComm) -> ! {
    if let Err(error) = receive_asleep(&world, 1, END) {
        fail("bsp_begin", &error);
    }
    leave_unused(world)
}

/// The end of a process that no SPMD part uses.
fn leave_unused(world: MpiComm) -> ! {
    drop(world);
    if lifetime::is_simulated() {
        let error = "fewer processes than the job has cannot be simulated: expected maxprocs = bsp_nprocs()";
        fail("bsp_begin", &Error::Usage(error.into()));
    }
    PART.store(AFTER, Ordering::Relaxed);
    // The program may have initialised MPI, but this process does not come to its MPI_Finalize.
    if let Err(error) = lifetime::finalise() {
        eprintln!("hcube: {error}");
    }
    std::process::exit(0)
}

/// Collective over the SPMD part: ends it (`bsp_end`). The profile, on process 0.
///
/// # Errors
/// Outside of the SPMD part; if other processes have called `bsp_sync`; errors of MPI.
pub fn end() -> Result<Option<Summary>> {
    with(|process| {
        let Part::Spmd(spmd) = &mut process.part else {
            return Err(match process.part {
                Part::After => Error::Usage("called twice: the SPMD part has ended".into()),
                _ => Error::Usage("called before bsp_begin".into()),
            });
        };
        spmd.end()?;
        let profile = spmd.profile()?.filter(|_| spmd.pid() == 0);
        process.part = Part::After;
        PART.store(AFTER, Ordering::Relaxed);
        let world = process.world.take().expect("kept since the SPMD part began");
        if world.rank() == 0 {
            send_to(&world, process.processes, &[0], END)?;
        }
        Ok(profile)
    })
}

/// The first statement of a program whose SPMD part is not `main` (`bsp_init`): process 0 returns, the others
/// run `part`, a function of the program, and exit.
///
/// # Errors
/// For a second call, and for a call after `bsp_begin`; if `part` does not begin and end the SPMD part;
/// errors of MPI.
pub fn init(part: impl FnOnce()) -> Result<()> {
    with(|process| {
        if process.initialised {
            return Err(Error::Usage("called twice".into()));
        }
        if !matches!(process.part, Part::Before) {
            return Err(Error::Usage(
                "called after bsp_begin: expected as the first statement of main".into(),
            ));
        }
        process.initialised = true;
        start()?;
        process.world = Some(lifetime::world_comm()?);
        Ok(())
    })?;
    if lifetime::world_place()?.0 == 0 {
        return Ok(());
    }
    // Nothing of this module is in use.
    part();
    with(|process| match process.part {
        Part::Before => Err(Error::Usage("the function that was passed has not called bsp_begin".into())),
        Part::Spmd(_) => Err(Error::Usage("the function that was passed has not called bsp_end".into())),
        Part::After => Ok(()),
    })?;
    std::process::exit(0)
}
