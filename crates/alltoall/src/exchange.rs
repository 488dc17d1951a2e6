//! One exchange, from the votes to the last byte: votes (`ballot`), decision ([`select`](super::select)),
//! algorithm, and its copies (`copies`).

use super::choice::{Choice, Inside, Order};
use super::conditions::Conditions;
use super::copies::copy_own;
use super::node::Transfer;
use super::report::{Report, UsedPath};
use super::select::{COMPARED, MAX_ENCLOSED_BYTES, choose, forwarded_after_votes, leads_next, passed_on};
use super::single_copy::fallback;
use super::state::ExchangeState;
use super::task::Task;
use super::vote::{Property, Vote};
use super::{ballot, bundles, enclosed, leaders, messages, mismatch, slots};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};

/// The result of an exchange; the same variant on all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The exchange is complete.
    Done(Report),
    /// Nothing was written; the exchange must be forwarded to the MPI library, for this reason.
    Library(&'static str),
}

/// Collective: performs the exchange. A rank whose arguments are invalid passes the error, so that no other
/// rank waits for it; with [`Error::Unsupported`] all ranks forward the exchange to the MPI library. `reason`
/// is a reason to forward it, the same on all ranks, which applies if the library can represent the counts.
///
/// On one node a rank whose arguments were refused returns its error without waiting for the others, who
/// learn of it in this exchange; if they do not make it, in their next exchange on this communicator. Its own
/// next exchange with valid arguments waits until they have.
///
/// # Errors
/// On all ranks, with nothing written: a rank's own error, [`Error::Remote`] with the error of another rank,
/// [`Error::Truncate`] for counts that do not match.
///
/// # Panics
/// If the state belongs to another communicator, or the task has blocks for another number of ranks.
pub fn exchange<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    task: &Result<Task<'_>>,
    conditions: Conditions,
    reason: Option<&'static str>,
) -> Result<Outcome> {
    check_use(comm, state, task);
    let lending = Lending(comm);
    let outcome = vote_and_move(comm, state, task, conditions, reason);
    std::mem::forget(lending);
    outcome
}

/// Why an exchange between nodes is forwarded that needs messages.
const NO_MESSAGES: &str = "no communicator for messages";

/// Ends the job when it is dropped by a panic: other ranks may be copying blocks of this rank from its first
/// notice on, and a panic would free their memory.
struct Lending<'a, C: Comm>(&'a C);

impl<C: Comm> Drop for Lending<'_, C> {
    fn drop(&mut self) {
        if cfg!(hcube_model) {
            // A participant that ends unwinds, and its memory stays.
            return;
        }
        self.0.abort(&Error::Internal("a panic in the middle of an exchange".into()));
    }
}

/// As [`exchange`], for arguments that were checked.
#[inline(always)]
fn vote_and_move<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    task: &Result<Task<'_>>,
    conditions: Conditions,
    reason: Option<&'static str>,
) -> Result<Outcome> {
    state.short_times = None;
    if let Err(error) = task
        && let Some(node) = state.node.as_mut().filter(|_| state.situation.shared)
        && !matches!(error, Error::Unsupported(_))
    {
        ballot::refuse(comm, node, state.patience, conditions.user, error);
        return Err(error.clone());
    }
    // All ranks know whether messages can be sent.
    let by_leaders = state.leads_votes(conditions) && comm.open_messages().is_ok();
    let ballot::Ballot { sum, stated, largest, begin, received } = loop {
        let ballot = match ballot::hold(comm, state, task, conditions, by_leaders) {
            // Ranks of the node have the addresses of blocks and may know the votes, and others wait for
            // messages.
            Err(error) if state.node.is_some() || by_leaders => comm.abort(&error),
            ballot => ballot?,
        };
        match &state.node {
            Some(node) if ballot.sum.any(Property::Refused) && state.situation.shared => {
                // None: on another communicator. All ranks that have read that vote again.
                if let Some(error) = ballot::refusal(node, conditions.user) {
                    return Err(error);
                }
            }
            _ => break ballot,
        }
    };
    if sum.any(Property::Refused) {
        let refusal = match task {
            Ok(_) | Err(Error::Unsupported(_)) => Ok(()),
            Err(error) => Err(error.clone()),
        };
        agree(comm, refusal)?;
        return Err(Error::Internal("a rank has refused its arguments, and no rank says why".into()));
    }
    if by_leaders && !sum.any(Property::InPlace) && !state.situation.is_asked() {
        // Also what is forwarded after its votes is compared with what is forwarded without them.
        state.short_times = Some(stated);
    }
    if sum.any(Property::Unreachable) {
        return beyond_hcube(&sum);
    }
    let library_can = !sum.any(Property::BeyondLibrary);
    if let (Some(reason), true) = (reason, library_can) {
        return Ok(Outcome::Library(reason));
    }
    let task = task.as_ref().map_err(Clone::clone)?;
    let library = library_can && state.compares(task, conditions, sum.bytes);
    if let (Some(reason), true) =
        (forwarded_after_votes(&state.situation, &sum), library_can && conditions.led.is_some())
        && !(library && by_leaders)
    {
        return Ok(Outcome::Library(if by_leaders { reason } else { NO_MESSAGES }));
    }
    check_in_place(comm.rank(), comm.size(), &sum)?;
    if !sum.matches() {
        let tolerant = conditions.tolerant && library_can;
        return mismatch::explain(comm, task, tolerant, conditions.agreement != 0).map(Outcome::Library);
    }
    let choice = choose(&state.situation, &sum, &mut state.trials, library);
    if by_leaders {
        let expected = leads_next(&state.situation, &sum, &state.trials, library);
        state.expect_leaders(conditions, task.is_in_place(), expected);
    }
    if state.may_skip_votes(choice, task, conditions, &sum) {
        state.short_times = Some(stated);
    }
    if choice == Choice::Library {
        state.begin_forwarded(begin);
        return Ok(Outcome::Library(COMPARED));
    }
    if matches!(choice, Choice::Messages(..) | Choice::Hypercube)
        && let Err(error) = comm.open_messages()
    {
        // All ranks know this, and nothing was written.
        return if library_can { Ok(Outcome::Library(NO_MESSAGES)) } else { Err(error) };
    }
    let streaming = state.exceeds_cache(task, comm.rank(), sum.bytes);
    let decision = Decision { choice, sum: &sum, streaming, largest, received };
    let path = perform(comm, state, task, decision).unwrap_or_else(|error| comm.abort(&error));
    comm.settle();
    if let (Some(begin), true) = (begin, state.trials.take_under_way()) {
        state.time = (1e9 * (comm.seconds() - begin)) as u64;
    }
    let bytes = task.bytes_sent(comm.rank());
    state.total = sum.bytes;
    Ok(Outcome::Done(Report { path, bytes, memory: state.memory() }))
}

/// Checks that the votes do not include: the ranks of the communicator and of the state are equal, and the
/// task has a block for each rank.
#[inline(always)]
fn check_use<C: Comm>(comm: &C, state: &ExchangeState, task: &Result<Task<'_>>) {
    let ranks = state.situation.ranks;
    assert!(state.fits(comm), "the state of another communicator");
    if let Ok(task) = task {
        assert!(task.ranks() == ranks, "blocks for {} of {ranks} ranks", task.ranks());
    }
}

/// Exchanges that hcube cannot make are forwarded to the MPI library, if it can represent the counts of all
/// ranks.
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

fn check_in_place(rank: usize, ranks: usize, sum: &Vote) -> Result<()> {
    let in_place = sum.count(Property::InPlace);
    if in_place == 0 || in_place == ranks {
        return Ok(());
    }
    let message = format!("{in_place} of {ranks} ranks pass MPI_IN_PLACE: expected all or none");
    Err(Error::Truncate { message, first: rank == 0 })
}

/// Copies the pieces that have arrived together with the votes, passes on the rest of their blocks in further
/// rounds, and exchanges the larger blocks by messages. `largest`: bytes of the largest block on this node.
fn finish<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    task: &Task<'_>,
    mut received: leaders::Received,
    largest: usize,
) -> Result<UsedPath> {
    let packed = received.sum.any(Property::Packed);
    let routes = state.routes.as_ref().expect("leaders have routes");
    let longest = passed_on(&state.situation, &received.sum, routes.piece(0).len());
    received.longest = longest;
    pass_on_rest(comm, state, task, received)?;
    if largest > longest {
        let all = state.partners(state.options.schedule);
        let ExchangeState { scratch, pace, patience, .. } = state;
        let task = task.of_lengths(longest + 1..=usize::MAX);
        let has_blocks =
            |&partner: &usize| task.outgoing(partner).bytes() + task.incoming(partner).bytes() > 0;
        let partners = Box::new(all.filter(has_blocks));
        let exchange = messages::Exchange { task, scratch, pace, partners, packed, patience: *patience };
        messages::scope(comm, exchange, |_| Ok(()))?;
    }
    Ok(UsedPath::NodeLeaders)
}

/// Copies the pieces that have arrived, and passes on the others.
fn pass_on_rest<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    task: &Task<'_>,
    mut received: leaders::Received,
) -> Result<()> {
    let (longest, long) = (received.longest, received.sum.any(Property::Long));
    let routes = state.routes.as_ref().expect("leaders have routes");
    let all_rounds = long && longest == routes.limit();
    let own_rounds = if all_rounds { leaders::rounds(routes, task, comm.rank(), usize::MAX) } else { 1 };
    loop {
        let next = received.number.map_or(0, |number| number + 1);
        let is_last = received.number.is_some() && !(all_rounds && received.sum.any(Property::Long));
        if received.number.is_some() {
            let ExchangeState { node, scratch, routes, patience, .. } = &mut *state;
            let routes = routes.as_ref().expect("leaders have routes");
            leaders::unpack_all(comm, node.as_mut(), scratch, routes, received, task, *patience)?;
        }
        if is_last {
            return Ok(());
        }
        received = ballot::hold_again(comm, state, task, next, own_rounds > next + 1)?;
        received.longest = longest;
    }
}

/// The consequence of the votes.
struct Decision<'a> {
    choice: Choice,
    /// The sum of the votes of all ranks.
    sum: &'a Vote,
    /// Whether this rank writes past the cache.
    streaming: bool,
    /// Bytes of the largest block on this node.
    largest: usize,
    /// What has arrived with the votes, in a further round of notices, if node leaders have passed them on.
    received: Option<leaders::Received>,
}

/// Moves the data by the algorithm chosen.
fn perform<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    task: &Task<'_>,
    decision: Decision<'_>,
) -> Result<UsedPath> {
    let Decision { choice, sum, streaming, largest, .. } = decision;
    let (patience, fills_board) = (state.patience, sum.bytes > (comm.size() * MAX_ENCLOSED_BYTES) as u64);
    let transfer = Transfer { largest, streaming, patience };
    match (choice, &mut state.node) {
        (Choice::Alone, node) => {
            let scratch = node.as_mut().map_or(&mut state.scratch, |node| &mut node.chunk);
            copy_own(comm, task, scratch, streaming);
            Ok(UsedPath::Alone)
        }
        (Choice::Hypercube, _) => {
            copy_own(comm, task, &mut state.scratch, false);
            let bundled = state.largest_bundled().expect("chosen where blocks fit");
            let plan = state.plan.get_or_insert_with(|| bundles::plan(comm.rank(), comm.size()));
            bundles::exchange(comm, task, plan, bundled)?;
            Ok(UsedPath::Hypercube)
        }
        (Choice::Leaders, node) => {
            if let Some(node) = node.as_mut().filter(|_| fills_board) {
                node.board.populate();
            }
            let received = decision.received.expect("chosen where leaders have passed on the votes");
            finish(comm, state, task, received, largest)
        }
        (Choice::Enclosed, Some(node)) => {
            if fills_board {
                node.board.populate();
            }
            enclosed::exchange(comm, node, task, streaming);
            Ok(UsedPath::Shared)
        }
        (Choice::Slots, Some(node)) => {
            slots::exchange(comm, node, task, transfer, || Ok(()))?;
            Ok(UsedPath::Shared)
        }
        (Choice::SingleCopy, Some(node)) => {
            // SAFETY: `sum` is the sum of the votes of all ranks, whose notices were seen: counts match,
            // `choose` takes single copy where no rank has non-contiguous blocks, and all ranks make the same
            // choice. After an error `vote_and_move` ends the job, after a panic `Lending` does.
            let complete = unsafe { fallback::exchange(comm, node, task, transfer, || Ok(())) }?;
            // All ranks of the communicator are on this node, and have given it up alike.
            state.situation.single_copy = node.processes.is_some();
            Ok(if complete { UsedPath::SingleCopy } else { UsedPath::Shared })
        }
        (Choice::Messages(order, inside), _) => by_messages(comm, state, task, &decision, (order, inside)),
        (Choice::Library | Choice::Enclosed | Choice::Slots | Choice::SingleCopy, _) => {
            unreachable!("forwarded, or chosen where the node has a board")
        }
    }
}

/// Outstanding messages, and slots or single copy between ranks of a node.
fn by_messages<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    task: &Task<'_>,
    &Decision { sum, largest, ref received, .. }: &Decision<'_>,
    (order, inside): (Order, Inside),
) -> Result<UsedPath> {
    let packed = sum.any(Property::Packed);
    let partners = state.remote(order);
    let ExchangeState { node, scratch, pace, patience, .. } = state;
    let patience = *patience;
    let transfer = Transfer { largest, streaming: false, patience };
    if node.is_none() {
        copy_own(comm, task, scratch, false);
    }
    let all_blocks = task.of_lengths(0..=usize::MAX);
    let under_way = messages::Exchange { task: all_blocks, scratch, pace, partners, packed, patience };
    let Some(node) = node else {
        messages::scope(comm, under_way, |_| Ok(()))?;
        return Ok(UsedPath::Message);
    };
    if received.is_some() {
        // Of the round in which the votes have travelled.
        node.board.see_all(patience, comm);
    }
    messages::scope(comm, under_way, |messages| {
        messages.poll()?;
        let idle = || messages.poll().map(drop);
        match inside {
            // This node may have given it up while others have not.
            // SAFETY: the votes of all ranks show that counts match. The notices of this round were seen and
            // contain addresses, by whichever way the votes have gone. `choose` takes single copy where no
            // rank has non-contiguous blocks; all ranks make the same choice. After an error `vote_and_move`
            // ends the job, after a panic `Lending` does.
            Inside::SingleCopy if node.processes.is_some() => unsafe {
                fallback::exchange(comm, node, task, transfer, idle).map(drop)
            },
            _ => slots::exchange(comm, node, task, transfer, idle),
        }
    })?;
    Ok(UsedPath::Mixed)
}
