//! The votes of all ranks: exchanged and summed before anything is written.
//!
//! Idea: each rank of a node posts a notice on the node board and reads the notices of the others. Between
//! nodes an all-reduce sums the votes. The notices are then still needed for the addresses of the blocks: a
//! rank posts before the all-reduce and reads after it.
//! If all ranks are on one node, a rank with invalid arguments posts the text of its error and returns
//! without waiting; its next valid exchange reads the notices that it has skipped. The other ranks find the
//! text in the notice. If they find it in an exchange on another communicator that shares the board, the
//! program has not called them on the first communicator: they vote again, with the rank that has returned.
//! Between nodes all ranks wait for each other.
//! Where node leaders make exchanges of small blocks, the votes travel in their messages ([`leaders`]), and
//! no all-reduce precedes them.
//! Cost: one round of notices, or one all-reduce of seven words; both if several nodes have several ranks.

#[cfg(hcube_model)]
pub mod model;

use super::conditions::Conditions;
use super::copies::write_pieces;
use super::leaders::{self, Round};
use super::node::{Node, tell_addresses};
use super::state::ExchangeState;
use super::task::Task;
use super::trials::Trials;
use super::vote::{Property, Vote};
use hcube_core::comm::{Comm, error_bytes, remote_error};
use hcube_core::error::{Error, Result};
use hcube_core::machine::work::COPY;
use hcube_core::progress::wait::Patience;

/// Detail of a notice: the time of the rank.
const TIME: usize = 0;
/// Detail of a notice: the size of the rank's largest block.
const LARGEST: usize = 1;
/// Bits of the code in the tag of a refusal; codes are small and positive.
const CODE_BITS: u32 = 16;

/// The result of the votes.
#[derive(Debug)]
pub struct Ballot {
    /// The sum of the votes of all ranks.
    pub sum: Vote,
    /// The sum of the times of [`Conditions::stated`].
    pub stated: u64,
    /// The size of the largest block on this node; 0 if it is not needed.
    pub largest: usize,
    /// When this rank began, for exchanges that may be timed.
    pub begin: Option<f64>,
    /// The blocks, if they have arrived together with the votes.
    pub received: Option<leaders::Received>,
}

/// Collective: all ranks vote. `by_leaders`: by [`ExchangeState::leads_votes`], where messages are open.
///
/// # Errors
/// Of MPI.
#[inline(always)]
pub fn hold<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    task: &Result<Task<'_>>,
    conditions: Conditions,
    by_leaders: bool,
) -> Result<Ballot> {
    let cast = Cast::new(comm, state, task, conditions, by_leaders);
    if by_leaders {
        return hold_by_leaders(comm, state, task.as_ref().ok(), &cast);
    }
    let (own, begin) = (cast.own, cast.begin);
    cast.announce(comm, state, task.as_ref().ok());
    let ExchangeState { node, situation, trials, patience, .. } = state;
    if !situation.shared {
        let reduced = all_reduce(comm, &own);
        let mut largest = 0;
        if let Some(node) = node {
            // Even after an error: a round of the board is complete when all have seen it.
            gather(comm, node, *patience);
            largest = gather_details(node).1;
        }
        let sum = reduced?;
        return Ok(Ballot {
            sum,
            stated: cast.note(trials, &sum, comm.size()),
            largest,
            begin,
            received: None,
        });
    }
    let node = node.as_mut().expect("ranks that share memory have a board");
    let mut sum = gather(comm, node, *patience);
    let all_enclosed = sum.count(Property::Enclosed) == comm.size();
    // A rank that has refused ahead has no notice with details.
    if sum.any(Property::Refused) || all_enclosed && !cast.states {
        return Ok(Ballot { sum, stated: 0, largest: 0, begin, received: None });
    }
    let largest;
    (sum.time, largest) = gather_details(node);
    Ok(Ballot { sum, stated: cast.note(trials, &sum, comm.size()), largest, begin, received: None })
}

/// As [`hold`], where node leaders pass on the votes, with the small blocks.
#[cold]
fn hold_by_leaders<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    task: Option<&Task<'_>>,
    cast: &Cast,
) -> Result<Ballot> {
    cast.announce(comm, state, task);
    let ExchangeState { node, scratch, routes, trials, patience, .. } = state;
    let mut largest = cast.largest;
    let near = node.as_mut().map_or(cast.own, |node| {
        let mut near = gather(comm, node, *patience);
        (near.time, largest) = gather_details(node);
        near
    });
    let round = Round { routes: routes.as_ref().expect("leaders have routes"), number: cast.number };
    let received = leaders::pass_on(comm, node.as_mut(), scratch, round, &near, task, *patience)?;
    let (sum, begin) = (received.sum, cast.begin);
    let stated = cast.note(trials, &sum, comm.size());
    Ok(Ballot { sum, stated, largest, begin, received: Some(received) })
}

/// Collective: a round of an exchange by node leaders after the votes of all ranks have shown that counts
/// match. `is_long`: this rank has pieces for the round after it.
///
/// # Errors
/// Of MPI; other ranks are waiting then, so the job must end.
pub fn hold_again<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    task: &Task<'_>,
    number: usize,
    is_long: bool,
) -> Result<leaders::Received> {
    let ExchangeState { node, scratch, routes, patience, .. } = state;
    let round = Round { routes: routes.as_ref().expect("leaders have routes"), number: Some(number) };
    let own = Vote::default().with(Property::Led, true).with(Property::Long, is_long);
    let near = node.as_mut().map_or(own, |node| {
        node.board.see_all(*patience, comm);
        announce(comm, node, Some(task), &own, 0, Contents::Led(round));
        gather(comm, node, *patience)
    });
    leaders::pass_on(comm, node.as_mut(), scratch, round, &near, Some(task), *patience)
}

/// The vote of a rank, and its accompanying data.
struct Cast {
    own: Vote,
    /// The size of the largest block.
    largest: usize,
    /// Whether blocks are part of the notice, inside a node and for node leaders.
    enclosed: bool,
    led: bool,
    /// The round of node leaders: the first one, or none if only their votes are passed on.
    number: Option<usize>,
    begin: Option<f64>,
    /// Whether its time is the one of [`Conditions::stated`].
    states: bool,
}

impl Cast {
    #[inline(always)]
    fn new<C: Comm>(
        comm: &C,
        state: &mut ExchangeState,
        task: &Result<Task<'_>>,
        conditions: Conditions,
        by_leaders: bool,
    ) -> Self {
        let (mut own, mut largest, mut enclosed, mut led, mut begin) =
            (Vote::default(), 0, false, false, None);
        match task {
            Err(Error::Unsupported(_)) => own = own.with(Property::Unreachable, true),
            Err(_) => own = own.with(Property::Refused, true),
            Ok(task) => {
                (own, largest) = Vote::of(task, &state.factors);
                if conditions.agreement != 0 {
                    own = own.agreeing(conditions.agreement, comm.size(), &state.factors);
                }
                let compared = state.compares(task, conditions, own.bytes);
                enclosed = !conditions.unreachable && state.encloses(own.bytes as usize, compared);
                if !enclosed {
                    // From here on, so that both algorithms that may be compared include the time in which
                    // other ranks have the core. Enclosed exchanges are never compared, and short enough for
                    // reading the clock to matter.
                    begin = Some(comm.seconds());
                }
                // Between nodes only.
                let small = !state.situation.shared && state.bundles(largest);
                led = by_leaders && !conditions.unreachable;
                let routes = state.routes.as_ref().filter(|_| led);
                let long = |routes| leaders::rounds(routes, task, comm.rank(), largest) > 1;
                own = own
                    .with(Property::Unreachable, conditions.unreachable)
                    .with(Property::Enclosed, enclosed)
                    .with(Property::Small, small)
                    .with(Property::Led, led)
                    .with(Property::Large, by_leaders && largest > state.situation.led)
                    .with(Property::Long, routes.is_some_and(long));
            }
        }
        own = own.with(Property::BeyondLibrary, conditions.beyond_library);
        own.time = conditions.stated.unwrap_or(state.time);
        // An exchange of another communicator that uses this state may come between.
        state.forwarded = None;
        let in_place = task.as_ref().is_ok_and(Task::is_in_place);
        let number = state.encloses_for_leaders(conditions, in_place).then_some(0);
        Self { own, largest, enclosed, led, number, begin, states: conditions.stated.is_some() }
    }

    /// Notes the sum of the times of all ranks; what it is of the times of [`Conditions::stated`].
    fn note(&self, trials: &mut Trials, sum: &Vote, ranks: usize) -> u64 {
        if self.states {
            return sum.time;
        }
        let in_place = sum.count(Property::InPlace);
        // With MPI_IN_PLACE on some ranks, which is an error, others may have stated another time.
        if in_place == 0 || in_place == ranks {
            trials.note(sum.time);
        }
        0
    }

    /// Posts the first notice, if this rank's node has other ranks.
    #[inline(always)]
    fn announce<C: Comm>(&self, comm: &C, state: &mut ExchangeState, task: Option<&Task<'_>>) {
        let ExchangeState { node: Some(node), patience, routes, .. } = state else { return };
        node.board.see_all(*patience, comm);
        let contents = match routes {
            _ if self.enclosed => Contents::Enclosed,
            Some(routes) if self.led => Contents::Led(Round { routes, number: self.number }),
            _ => Contents::None,
        };
        announce(comm, node, task, &self.own, self.largest, contents);
    }
}

fn all_reduce<C: Comm>(comm: &C, vote: &Vote) -> Result<Vote> {
    let mut words = vote.words();
    comm.all_reduce_sum(&mut words)?;
    Ok(Vote::from_words(words))
}

/// Blocks in the first notice.
enum Contents<'r> {
    None,
    /// Those for other ranks of the node.
    Enclosed,
    /// Pieces of the blocks for ranks of other nodes, for node leaders.
    Led(Round<'r>),
}

/// Posts the first notice: the vote, the addresses of contiguous blocks, and blocks.
fn announce<C: Comm + ?Sized>(
    comm: &C,
    node: &mut Node,
    task: Option<&Task<'_>>,
    vote: &Vote,
    largest: usize,
    contents: Contents<'_>,
) {
    let Node { ranks, board, pace, .. } = node;
    let own = board.own();
    let bytes = match contents {
        Contents::None => 0,
        Contents::Enclosed => vote.bytes as usize,
        Contents::Led(round) => task.map_or(0, |task| leaders::notice_bytes(round, ranks, task)),
    };
    comm.charge(COPY.of(bytes));
    comm.settle();
    board.post(vote.brief(), bytes, |draft| {
        // Others may have to read them although this rank's blocks fit, or its arguments are invalid.
        draft.details[TIME] = vote.time;
        draft.details[LARGEST] = largest as u64;
        let Some(task) = task else { return };
        tell_addresses(draft.details, ranks, task);
        match contents {
            Contents::None => {}
            Contents::Enclosed => write_pieces(draft, ranks, own, task, 0..usize::MAX, pace),
            Contents::Led(round) => leaders::announce(draft, own, round, task, pace),
        }
    });
}

/// Local, if all ranks are on one node: posts that this rank's arguments were refused, and why.
#[cold]
pub fn refuse<C: Comm + ?Sized>(comm: &C, node: &mut Node, patience: Patience, user: u64, error: &Error) {
    comm.settle();
    node.board.refuse(refused().brief(), (tag(user, error.code()), &error_bytes(error)), patience, comm);
}

/// Identifies a refusal: the number of the communicator, and the code of the error.
fn tag(user: u64, code: i32) -> u64 {
    user << CODE_BITS | code as u64
}

/// The vote of a rank whose arguments were refused.
fn refused() -> Vote {
    Vote::default().with(Property::Refused, true)
}

/// The error of the first rank that has refused its arguments on this communicator, after all notices have
/// been read.
#[cold]
pub fn refusal(node: &Node, user: u64) -> Option<Error> {
    let Node { ranks, board, .. } = node;
    (0..board.ranks()).find_map(|rank| {
        let mut vote = Vote::default();
        vote.add_brief(words(node, rank));
        let (tag, text) = vote.any(Property::Refused).then(|| board.refusal(rank))?;
        let untold = || {
            let code = (tag & ((1 << CODE_BITS) - 1)) as i32;
            let message = "arguments that are not valid, after many others".to_owned();
            Error::Remote { rank: ranks[rank], code, message }
        };
        (tag >> CODE_BITS == user).then(|| text.map_or_else(untold, |text| remote_error(ranks[rank], &text)))
    })
}

/// The words of a rank's vote, which was seen.
#[inline(always)]
fn words(node: &Node, rank: usize) -> [u64; 2] {
    if node.board.is_refused_ahead(rank) { refused().brief() } else { node.board.words(rank) }
}

/// Waits for the notices of all ranks of the node; returns the sum of their votes, without the times.
fn gather<C: Comm + ?Sized>(comm: &C, node: &mut Node, patience: Patience) -> Vote {
    let mut sum = Vote::default();
    for rank in 0..node.board.ranks() {
        node.board.wait_for(rank, patience, comm);
        sum.add_brief(words(node, rank));
    }
    sum
}

/// Where blocks were not enclosed: the sum of all times of the node, and the size of the largest block.
fn gather_details(node: &Node) -> (u64, usize) {
    (0..node.board.ranks()).fold((0, 0), |(sum, max), rank| {
        let [time, largest] = [TIME, LARGEST].map(|number| node.board.detail(rank, number));
        (sum.wrapping_add(time), max.max(largest as usize))
    })
}
