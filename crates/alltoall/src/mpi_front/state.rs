//! The state of a communicator for all-to-all exchanges.
//!
//! A program that was not written for hcube may create thousands of communicators and use most of them once.
//! Until an exchange is served, a communicator costs no message and little memory: its first exchange is
//! forwarded to the MPI library, and so are all exchanges that hcube cannot serve. Every rank decides this
//! from data that is the same on all ranks: the number of calls with valid arguments, the size and the group
//! of the communicator, and the environment.

use super::allowance::Allowance;
use super::arguments::{Named, block_bytes};
use super::call::{Call, Function};
use super::kind::Kind;
use super::neighbours::Topology;
use super::one_rank::OneRank;
use crate::select::{Blocks, Led};
use crate::without_votes::WithoutVotes;
use crate::{ExchangeState, Options, Outcome, Schedule, UsedPath};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::scratch::Scratch;
use hcube_core::mpi::MpiComm;
use hcube_core::mpi::membership::Members;
use hcube_core::mpi::shared::Shared;
use hcube_core::node::device::Devices;
use std::sync::OnceLock;

/// The engine of exchanges, for one communicator or for several of the same ranks.
#[derive(Debug)]
pub struct Engine {
    /// Resources of exchanges.
    pub exchange: ExchangeState,
    /// The predefined datatype that was used last.
    pub(super) named: Named,
    /// Memory of general exchanges in place, from the first one on.
    pub(super) extra: Option<Scratch>,
    /// Runtimes whose device memory may be passed.
    pub devices: Devices,
    /// Communicators that it has served; the same on all ranks.
    pub(super) users: u64,
}

impl Engine {
    pub(super) fn new(exchange: ExchangeState) -> Self {
        Self { exchange, named: Named::default(), extra: None, devices: Devices::new(), users: 0 }
    }
}

/// The options of a program that does not use hcube's functions: from the environment at its first exchange.
/// Reading them takes as long as a small exchange.
pub(super) fn guest_options() -> &'static Result<Options> {
    static OPTIONS: OnceLock<Result<Options>> = OnceLock::new();
    OPTIONS.get_or_init(Options::from_environment)
}

/// How far the set-up of a communicator is; the same on all ranks.
#[derive(Debug)]
pub(super) enum Stage {
    /// Its first exchange is forwarded.
    New,
    /// The next exchange is served, after the set-up. The ranks of its members in `MPI_COMM_WORLD`, once they
    /// are known.
    Due(Option<Vec<i32>>),
    /// All exchanges are forwarded, for this reason.
    Forwarded(&'static str),
    /// Exchanges are served.
    Ready(Shared<Engine>),
}

/// The state attached to a communicator.
#[derive(Debug)]
pub struct State {
    pub(super) stage: Stage,
    pub(super) last_path: &'static str,
    /// Exchanges by each path of [`UsedPath::ALL`], and forwarded exchanges.
    paths: [u64; UsedPath::ALL.len() + 1],
    /// Its topology, from the first neighbourhood exchange on.
    pub(super) topology: Option<Topology>,
    /// Exchanges that may be forwarded without votes, by their [`Kind`].
    pub(super) without_votes: [WithoutVotes; Kind::COUNT],
    /// Whether exchanges between nodes are among them; the same on all ranks.
    pub(super) between_nodes: bool,
    /// The allowance for calls of [`Kind::Short`].
    pub(super) allowance: Option<Allowance>,
    /// Set if it has one rank, and belongs to a program that does not call hcube.
    pub(super) one_rank: Option<OneRank>,
    /// Nonblocking exchanges that were started on it; the same on all ranks, in the order of their calls.
    pub(super) operations: u64,
    /// The number of this communicator among those that the engine has served.
    pub(super) user: u64,
}

impl State {
    /// At the first use of a communicator, by a program that calls hcube.
    pub(super) fn new() -> Self {
        Self::at(Stage::Due(None))
    }

    fn at(stage: Stage) -> Self {
        Self {
            stage,
            last_path: "none",
            paths: [0; UsedPath::ALL.len() + 1],
            topology: None,
            without_votes: Kind::none(),
            between_nodes: false,
            allowance: None,
            one_rank: None,
            operations: 0,
            user: 0,
        }
    }

    /// At the first call for a communicator.
    #[cold]
    pub(super) fn for_call(call: &Call, comm: &MpiComm, inter: bool) -> Self {
        if !call.guest {
            return Self::new();
        }
        // Values that are not valid are reported by all ranks together, in the set-up.
        let options = guest_options().clone().unwrap_or_default();
        let stage = match options.schedule {
            _ if inter => Stage::Forwarded("intercommunicator"),
            Schedule::Library => Stage::Forwarded("HCUBE_ALLTOALL=library"),
            _ if options.are_chosen() => Stage::Due(None),
            _ if comm.size() == 1 => Stage::Forwarded("one rank"),
            _ => Stage::New,
        };
        let one_rank = match &stage {
            _ if inter => None,
            Stage::Forwarded(_) => OneRank::new(call, comm, false),
            _ => OneRank::new(call, comm, true),
        };
        Self { one_rank, ..Self::at(stage) }
    }

    /// Whether exchanges will be served that are not served yet.
    pub(super) fn awaits_set_up(&self) -> bool {
        matches!(self.stage, Stage::New | Stage::Due(_))
    }

    /// Why the next call on a communicator that is not set up is forwarded, where that is known without
    /// communication.
    #[cold]
    pub(super) fn forwards(&mut self, call: &Call, comm: &MpiComm) -> Option<&'static str> {
        match &mut self.stage {
            Stage::New => {
                self.stage = Stage::Due(None);
                return Some("the first exchange of a communicator");
            }
            Stage::Due(ranks) if call.guest => match comm.members() {
                // The others were started by somebody else, perhaps without hcube.
                Ok(Members::Outside) => self.stage = Stage::Forwarded("processes outside MPI_COMM_WORLD"),
                Ok(Members::Known(found)) => *ranks = Some(found),
                // A rank without information from MPI takes part in the set-up, because in most cases the
                // others do so.
                Ok(Members::Unknown) | Err(_) => {}
            },
            _ => {}
        }
        match self.stage {
            Stage::Forwarded(reason) => Some(reason),
            _ => None,
        }
    }

    /// From here on, this engine serves its exchanges.
    pub(super) fn serve(&mut self, engine: Shared<Engine>) -> Result<()> {
        let is_compared = |engine: &mut Engine| Kind::is_compared_between_nodes(engine.exchange.situation());
        self.between_nodes = engine.with(|engine| Ok(is_compared(engine)))?;
        self.stage = Stage::Ready(engine);
        Ok(())
    }

    /// The kind of a call that may be forwarded without votes, if the communicator is set up; the same on all
    /// ranks whose arguments are valid.
    ///
    /// # Safety
    /// Memory and handles of the call are as MPI requires.
    #[inline]
    pub(super) unsafe fn kind(&self, call: &Call, comm: &MpiComm) -> Result<Option<Kind>> {
        let Stage::Ready(engine) = &self.stage else { return Ok(None) };
        if call.function.is_of_neighbours() {
            return Ok(None);
        }
        Ok(match (self.between_nodes, call.in_place()) {
            (false, false) => call.guest.then_some(Kind::Short),
            (false, true) => None,
            (true, true) if !call.guest => None,
            (true, in_place) => {
                let led = match call.library_has_function() {
                    // SAFETY: memory and handles of the call are as MPI requires.
                    true => engine.with(|Engine { exchange, named, .. }| unsafe {
                        Ok(led(call, comm, exchange, named))
                    })?,
                    false => Led::No,
                };
                match (led, in_place) {
                    (Led::Yes(blocks), _) => Some(Kind::led(blocks, in_place)),
                    (Led::No, true) => Some(Kind::InPlace),
                    (Led::No, false) | (Led::Unknown, _) => None,
                }
            }
        })
    }

    /// Counts what was forwarded by an allowance, and takes it back.
    #[inline]
    pub(super) fn end_allowance(&mut self) {
        if let Some(allowance) = self.allowance.take() {
            self.without_votes[Kind::Short as usize].note_forwarded(allowance.used());
        }
    }

    /// Notes the path of a call.
    pub(super) fn note_outcome(&mut self, outcome: &Result<Outcome>) {
        let (path, count) = match outcome {
            Ok(Outcome::Done(report)) => (report.path.name(), Some(report.path as usize)),
            Ok(Outcome::Library(_)) => ("library", Some(UsedPath::ALL.len())),
            Err(_) => ("refused", None),
        };
        self.last_path = path;
        if let Some(count) = count {
            self.paths[count] += 1;
        }
    }

    /// Notes the path of an exchange that was made with the engine.
    pub fn note_path(&mut self, path: &'static str) {
        self.last_path = path;
        if let Some(count) = UsedPath::ALL.iter().position(|known| known.name() == path) {
            self.paths[count] += 1;
        }
    }

    /// Exchanges so far by each path, including forwarded ones, except exchanges that its allowance covers.
    pub fn paths(&self) -> impl Iterator<Item = (&'static str, u64)> {
        UsedPath::ALL.map(UsedPath::name).into_iter().chain(["library"]).zip(self.paths)
    }

    /// The path of the last exchange.
    pub fn last_path(&self) -> &'static str {
        self.last_path
    }
}

/// Whether node leaders pass on the votes of a call between nodes.
///
/// # Safety
/// As [`State::kind`].
pub(super) unsafe fn led(call: &Call, comm: &MpiComm, exchange: &ExchangeState, named: &mut Named) -> Led {
    let (situation, in_place) = (exchange.situation(), call.in_place());
    match call.function {
        // SAFETY: the datatype of the call is as MPI requires.
        Function::Alltoall => situation.leads_equal(in_place, || unsafe { block_bytes(call, comm, named) }),
        Function::Alltoallv | Function::Alltoallw if situation.leads(in_place) => Led::Yes(Blocks::Any),
        _ => Led::No,
    }
}
