//! One exchange from the first notice to the last byte.

use super::bundles;
use super::messages::Messages;
use super::mismatch;
use super::on_node;
use super::prepare::Prepared;
use super::report::{Report, Way};
use super::select::{Choice, choose, inside_node};
use super::task::Task;
use super::vote::{Property, Vote};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};

/// What became of an exchange; the same kind on all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is made.
    Done(Report),
    /// Nothing was written; the library's own function is to make it.
    Library(&'static str),
}

/// What this rank brings into an exchange beside its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// Blocks lie in memory that other processes and plain copies cannot reach.
    pub unreachable: bool,
    /// The library's own function cannot take the counts.
    pub beyond_library: bool,
    /// A rank may expect more than it is sent, out of place; the same on all ranks.
    pub tolerant: bool,
    /// Stands for what must be the same on all ranks beside the counts; 0 for nothing.
    pub agreement: u64,
}

/// Collective: makes the exchange. A rank whose arguments were refused passes the reason, so that no
/// other waits for it; with [`Error::Unsupported`] all ranks leave the exchange to the library. `left` is
/// the reason to leave it to the library, the same on all ranks, where its functions can take the counts.
///
/// # Errors
/// On all ranks, with nothing written: a rank's own refusal, [`Error::Remote`] with that of another,
/// [`Error::Truncate`] where counts do not match.
pub fn exchange<C: Comm>(
    comm: &C,
    prepared: &mut Prepared,
    task: &Result<Task<'_>>,
    facts: Facts,
    left: Option<&'static str>,
) -> Result<Outcome> {
    let mut begin = None;
    let (sum, most) = vote(comm, prepared, task, facts, &mut begin)?;
    if sum.any(Property::Refused) {
        let refusal = match task {
            Ok(_) | Err(Error::Unsupported(_)) => Ok(()),
            Err(error) => Err(error.clone()),
        };
        agree(comm, refusal)?;
        return Err(Error::Internal("a rank has refused, and none says why".into()));
    }
    if sum.any(Property::Unreachable) {
        return beyond_hcube(&sum);
    }
    let library_can = !sum.any(Property::BeyondLibrary);
    if let (Some(reason), true) = (left, library_can) {
        return Ok(Outcome::Library(reason));
    }
    let task = task.as_ref().map_err(Clone::clone)?;
    check_in_place(comm.size(), &sum)?;
    if !sum.matches() {
        let tolerant = facts.tolerant && library_can;
        return mismatch::explain(comm, task, tolerant, facts.agreement != 0).map(Outcome::Library);
    }
    let choice = choose(&prepared.situation, &sum, &mut prepared.trials);
    let streaming = prepared.exceeds_cache(task, comm.rank(), sum.bytes);
    let way = perform(comm, prepared, task, (choice, streaming), &sum, most)
        .unwrap_or_else(|error| comm.abort(&error));
    comm.settle();
    if let (Some(begin), true) = (begin, prepared.trials.take_under_way()) {
        prepared.time = (1e9 * (comm.seconds() - begin)) as u64;
    }
    let bytes = task.bytes_sent(comm.rank());
    Ok(Outcome::Done(Report { way, bytes, memory: prepared.memory() }))
}

/// What hcube cannot handle goes to the library, if that can take the counts of all ranks.
fn beyond_hcube(sum: &Vote) -> Result<Outcome> {
    if sum.any(Property::BeyondLibrary) {
        return Err(Error::Unsupported(
            "counts above 2^31 - 1, which the MPI library has no function for, in memory or of datatypes that \
             hcube cannot handle"
                .into(),
        ));
    }
    Ok(Outcome::Library("memory or datatypes that hcube cannot handle"))
}

fn check_in_place(ranks: usize, sum: &Vote) -> Result<()> {
    let in_place = sum.count(Property::InPlace);
    if in_place == 0 || in_place == ranks {
        return Ok(());
    }
    Err(Error::Truncate(format!("{in_place} of {ranks} ranks pass MPI_IN_PLACE: expected all or none")))
}

/// The sum of the votes of all ranks, and the most bytes of one block on this node.
#[inline(always)]
fn vote<C: Comm>(
    comm: &C,
    prepared: &mut Prepared,
    task: &Result<Task<'_>>,
    facts: Facts,
    begin: &mut Option<f64>,
) -> Result<(Vote, usize)> {
    let (mut own, mut largest, mut enclosed) = (Vote::default(), 0, false);
    match task {
        Err(Error::Unsupported(_)) => own = own.with(Property::Unreachable, true),
        Err(_) => own = own.with(Property::Refused, true),
        Ok(task) => {
            (own, largest) = Vote::of(task, comm.rank(), prepared.factors);
            if facts.agreement != 0 {
                own = own.agreeing(facts.agreement, comm.rank(), comm.size());
            }
            enclosed = !facts.unreachable && prepared.encloses(own.bytes as usize);
            if !enclosed {
                // From here, so that the time in which others have the core counts in either way. What is
                // enclosed is never tried in two ways, and short enough for the clock to matter.
                *begin = Some(comm.seconds());
            }
            let small = prepared.bundles(largest);
            own = own
                .with(Property::Unreachable, facts.unreachable)
                .with(Property::Enclosed, enclosed)
                .with(Property::Small, small);
        }
    }
    own = own.with(Property::BeyondLibrary, facts.beyond_library);
    own.time = prepared.time;
    let patience = prepared.patience;
    let Some(node) = &mut prepared.node else {
        return Ok((all_reduce(comm, &own)?, 0));
    };
    on_node::announce(comm, node, task.as_ref().ok(), &own, largest, enclosed);
    if !prepared.situation.shared {
        let sum = all_reduce(comm, &own)?;
        on_node::gather(comm, node, patience);
        prepared.trials.note(sum.time);
        return Ok((sum, on_node::gather_details(node).1));
    }
    let sum = on_node::gather(comm, node, patience);
    if sum.count(Property::Enclosed) == comm.size() || sum.any(Property::Refused) {
        return Ok((sum, 0));
    }
    let (time, most) = on_node::gather_details(node);
    prepared.trials.note(time);
    Ok((sum, most))
}

fn all_reduce<C: Comm>(comm: &C, vote: &Vote) -> Result<Vote> {
    let mut words = vote.words();
    comm.all_reduce_sum(&mut words)?;
    Ok(Vote::from_words(words))
}

/// Moves the data.
fn perform<C: Comm>(
    comm: &C,
    prepared: &mut Prepared,
    task: &Task<'_>,
    (choice, streaming): (Choice, bool),
    sum: &Vote,
    most: usize,
) -> Result<Way> {
    let (patience, bundled) = (prepared.patience, prepared.largest_bundled());
    match (choice, &mut prepared.node) {
        (Choice::Alone, node) => {
            let scratch = node.as_mut().map_or(&mut prepared.scratch, |node| &mut node.chunk);
            on_node::copy_own(comm, task, scratch, streaming);
            Ok(Way::Alone)
        }
        (Choice::Hypercube, _) => {
            on_node::copy_own(comm, task, &mut prepared.scratch, false);
            let plan = prepared.plan.get_or_insert_with(|| bundles::plan(comm.rank(), comm.size()));
            bundles::exchange(comm, task, plan, bundled.expect("chosen where it fits"))?;
            Ok(Way::Hypercube)
        }
        (Choice::Enclosed, Some(node)) => {
            on_node::copy_own(comm, task, &mut node.chunk, streaming);
            on_node::open_enclosed(comm, node, task);
            Ok(Way::Shared)
        }
        (Choice::Shared, Some(node)) => {
            on_node::through_slots(comm, node, task, most, streaming, patience, || Ok(()))?;
            Ok(Way::Shared)
        }
        (Choice::SingleCopy, Some(node)) => {
            on_node::single_copy(comm, node, task, streaming, patience, || Ok(()))?;
            Ok(Way::SingleCopy)
        }
        _ => by_messages(comm, prepared, task, sum, most),
    }
}

/// Messages, and shared memory or single copy between ranks of a node while they are under way.
fn by_messages<C: Comm>(
    comm: &C,
    prepared: &mut Prepared,
    task: &Task<'_>,
    sum: &Vote,
    most: usize,
) -> Result<Way> {
    let packed = sum.any(Property::Packed);
    let Prepared { node, scratch, pace, remote, patience, situation, trials, .. } = prepared;
    let patience = *patience;
    if node.is_none() || most == 0 {
        on_node::copy_own(comm, task, scratch, false);
    }
    let mut messages = Messages::new(comm, task, scratch, pace, remote, packed);
    let Some(node) = node else {
        messages.finish(patience)?;
        return Ok(Way::Message);
    };
    messages.poll()?;
    let idle = || messages.poll().map(drop);
    match inside_node(situation, sum, trials, false) {
        Choice::SingleCopy => on_node::single_copy(comm, node, task, false, patience, idle)?,
        _ => on_node::through_slots(comm, node, task, most, false, patience, idle)?,
    }
    messages.finish(patience)?;
    Ok(Way::Mixed)
}
