//! The set-up of a communicator at the first exchange that is served: a new engine, or the engine of other
//! communicators of the same ranks.
//!
//! Idea: what an exchange needs (shared memory, proofs that single copy works, measured times) depends on the
//! ranks, not on the communicator. Communicators of the same processes in the same order, with the same
//! options, therefore share an engine. The set-up of a further communicator is one all-reduce, in which all
//! ranks agree that each of them knows the other ranks and has the engine. If a rank does not, because the
//! MPI library returns another group than the group of the communicator, the communicator gets a separate
//! engine. The engine used last is kept until another engine is used or `MPI_Finalize`, for programs that
//! create and free a communicator in every step; other engines are freed with their last communicator.
//!
//! Restriction: the program calls MPI from one thread at a time ([`one_thread_at_a_time`]). With
//! `MPI_THREAD_MULTIPLE` each communicator has a separate engine, because two threads may use two
//! communicators at once, in a different order on each rank.
//! If a rank has no memory for an engine, all ranks receive this error, and the exchanges of the communicator
//! are forwarded.
//!
//! Cost: one all-reduce; for a new engine some further collective calls ([`ExchangeState::new`]). All of them
//! use the program's communicator, inside its own collective call.

use super::state::{Engine, guest_options};
use crate::{ExchangeState, Options};
use hcube_core::atomic::{AtomicBool, Ordering};
use hcube_core::comm::{Comm, agree, bounds, check_bounds};
use hcube_core::error::{Error, Result};
use hcube_core::memory::reserve::with_room;
use hcube_core::mpi::membership::Members;
use hcube_core::mpi::shared::{Observed, Shared, one_thread_at_a_time};
use hcube_core::mpi::{MpiComm, gate};
use hcube_core::progress::Progress;
use std::time::Duration;

/// Whether some processes of a program that does not call hcube may not have it. A fact about the job, the
/// same on all processes that have hcube.
static UNCERTAIN: AtomicBool = AtomicBool::new(false);

/// Time in the set-up after which a rank reports that it waits for others.
const LATE: Duration = Duration::from_secs(10);

/// Reports that hcube may be missing in some processes of the job. If so, the others wait for it, and report
/// this.
pub fn expect_missing_processes() {
    UNCERTAIN.store(true, Ordering::Relaxed);
}

/// Collective: waits for all ranks where some may never come.
fn meet(comm: &MpiComm) -> Result<()> {
    if !UNCERTAIN.load(Ordering::Relaxed) {
        return Ok(());
    }
    comm.meet(LATE, || {
        // The first rank may be the one that is missing.
        if comm.rank() < 2 {
            let text = format!(
                "hcube: rank {} has waited {} s for other ranks in its first exchange: if some processes of this job \
                 have not loaded hcube, it does not end; set LD_PRELOAD for all processes or for none\n",
                comm.rank(),
                LATE.as_secs()
            );
            // In one write, because two ranks may print it.
            eprint!("{text}");
        }
    })
}

/// The engines of this process that communicators may share.
#[derive(Debug, Default)]
struct Engines {
    entries: Vec<Entry>,
    /// The one used last.
    last: Option<Shared<Engine>>,
}

#[derive(Debug)]
struct Entry {
    /// In `MPI_COMM_WORLD`.
    ranks: Vec<i32>,
    options: Options,
    engine: Observed<Engine>,
}

impl Engines {
    /// An engine for these ranks. One that does not fit the communicator is thrown away.
    fn find(&mut self, comm: &MpiComm, ranks: &[i32], options: &Options) -> Option<Shared<Engine>> {
        self.entries.retain(|entry| entry.engine.is_used());
        let is_for = |entry: &Entry| entry.ranks == ranks && entry.options == *options;
        let number = self.entries.iter().position(is_for)?;
        let found = self.entries[number].engine.user()?;
        if found.with(|engine| Ok(engine.exchange.fits(comm))) == Ok(false) {
            self.entries.swap_remove(number);
            return None;
        }
        Some(found)
    }

    fn keep(&mut self, engine: &Shared<Engine>) {
        // SAFETY: only with one thread at a time, by `may_share`.
        self.last = Some(unsafe { engine.share() });
    }
}

/// Whether other communicators may use the engine of this one.
fn may_share(comm: &MpiComm) -> bool {
    !comm.simulated() && comm.size() > 1 && one_thread_at_a_time()
}

/// An engine that this rank knows for these ranks, and its number, 0 for none. A rank whose lookup fails has
/// no engine, and takes part in the agreement nevertheless.
fn known(comm: &MpiComm, ranks: &[i32], options: &Options) -> Option<(Shared<Engine>, i64)> {
    let found = gate::on_process(|engines: &mut Option<Engines>| {
        Ok(engines.get_or_insert_default().find(comm, ranks, options))
    });
    let engine = found.ok().flatten()?;
    let number = engine.with(|engine| Ok(engine.exchange.number())).ok()?;
    Some((engine, number))
}

/// Collective: the engine of a communicator, with the options of the environment. `ranks` are the ranks of
/// its members in `MPI_COMM_WORLD`, if the caller knows them. `guest`: for a program that does not use
/// hcube's functions.
///
/// # Errors
/// On all ranks: errors of the options, of memory, and of MPI.
#[cold]
pub(super) fn engine(comm: &MpiComm, ranks: Option<Vec<i32>>, guest: bool) -> Result<Shared<Engine>> {
    if guest {
        meet(comm)?;
    }
    let options = if guest { guest_options().clone() } else { Options::from_environment() };
    let ranks = may_share(comm).then(|| ranks.or_else(|| ranks_of(comm))).flatten();
    let values = *options.as_ref().unwrap_or(&Options::default());
    let known = ranks.as_deref().and_then(|ranks| known(comm, ranks, &values));
    let number = known.as_ref().map_or(0, |(_, number)| *number);
    let agreed = agree_on_sharing(comm, (&options, &has_room(comm.size())), ranks.is_some(), number)?;
    let engine = match known.filter(|_| agreed == Sharing::Known) {
        Some((known, _)) => known,
        None => new_engine(comm, &values)?,
    };
    if let Some(ranks) = ranks.filter(|_| agreed != Sharing::Impossible) {
        // A rank on which it fails does not know the engine at the next set-up, in which all ranks agree on a
        // new one.
        drop(register(&engine, ranks, values, agreed == Sharing::Known));
    }
    Ok(engine)
}

fn ranks_of(comm: &MpiComm) -> Option<Vec<i32>> {
    match comm.members() {
        Ok(Members::Known(ranks)) => Some(ranks),
        _ => None,
    }
}

/// The agreement of all ranks of a communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// The engine that each of them knows serves this communicator as well.
    Known,
    /// A new engine may serve further communicators of these ranks.
    Possible,
    /// Some rank does not know who the members are, or may not share: the engine is for this communicator.
    Impossible,
}

/// Local: whether this process has memory for the small allocations of a set-up for this number of ranks,
/// lists of a few words for each. The memory is freed, so that it is available for them.
fn has_room(ranks: usize) -> Result<()> {
    const BYTES: usize = 64 << 10;
    const BYTES_PER_RANK: usize = 256;
    with_room::<u8>(ranks.saturating_mul(BYTES_PER_RANK).saturating_add(BYTES), "a communicator").map(drop)
}

/// Collective: whether all ranks know the members, and pass the same number and not 0.
///
/// # Errors
/// On all ranks, if the options of a rank are invalid or differ from the others, or it has no memory.
fn agree_on_sharing(
    comm: &MpiComm,
    (options, room): (&Result<Options>, &Result<()>),
    knows_members: bool,
    number: i64,
) -> Result<Sharing> {
    let values = options.as_ref().unwrap_or(&Options::default()).agreement();
    let mut words = bounds(&values);
    let refuses = options.is_err() || room.is_err();
    words.extend([i64::from(refuses), number, -number, i64::from(!knows_members)]);
    comm.all_reduce_max(&mut words)?;
    let (bounds, last) = words.split_at(2 * values.len());
    if last[0] != 0 {
        // Options first: errors of other ranks' options are reported independently of memory.
        agree(comm, options.clone().map(drop))?;
        agree(comm, room.clone())?;
    }
    check_bounds(bounds, &values)?;
    Ok(match last {
        [_, _, _, unknown] if *unknown != 0 => Sharing::Impossible,
        [_, most, least, _] if number != 0 && (*most, *least) == (number, -number) => Sharing::Known,
        _ => Sharing::Possible,
    })
}

fn register(engine: &Shared<Engine>, ranks: Vec<i32>, options: Options, known: bool) -> Result<()> {
    gate::on_process(|engines: &mut Option<Engines>| {
        let engines = engines.get_or_insert_default();
        engines.keep(engine);
        if !known {
            // One for each group: what another rank has lost is not offered again.
            engines.entries.retain(|entry| entry.ranks != ranks || entry.options != options);
            // SAFETY: only with one thread at a time, by `may_share`.
            let engine = unsafe { engine.observe() };
            engines.entries.push(Entry { ranks, options, engine });
        }
        Ok(())
    })
}

/// Collective.
fn new_engine(comm: &MpiComm, options: &Options) -> Result<Shared<Engine>> {
    /// Whether the message was printed; it is printed once for all communicators.
    static SAID: AtomicBool = AtomicBool::new(false);
    let exchange = ExchangeState::new(comm, options)?;
    if let Some(refusal) = exchange.refusal()
        && comm.rank() == 0
        && !SAID.swap(true, Ordering::Relaxed)
    {
        eprintln!("hcube: the path selected by HCUBE_PATH is not available; using another path: {refusal}");
    }
    Ok(Shared::new(Engine::new(exchange)))
}

/// Collective: an engine for these options, which only this communicator uses. A path that is not available
/// here is an error.
///
/// # Errors
/// On all ranks: as [`engine`], and [`Error::Memory`] for a path that is not available.
pub(super) fn engine_with(comm: &MpiComm, options: Result<Options>) -> Result<Shared<Engine>> {
    let exchange = ExchangeState::new(comm, &agree(comm, options)?)?;
    match exchange.refusal() {
        Some(refusal) => Err(Error::Memory(refusal.to_owned())),
        None => Ok(Shared::new(Engine::new(exchange))),
    }
}
