//! What exchanges on a communicator keep between them: where ranks lie, the notice board of the node,
//! proven processes, scratch memory. Made at the first exchange.

use super::bundles;
use super::options::{Options, Path, Schedule};
use super::schedule;
use super::select::{self, Situation};
use super::task::Task;
use super::trials::Trials;
use super::vote::Factors;
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::Result;
use hcube_core::memory::scratch::Scratch;
use hcube_core::node::board::Board;
use hcube_core::node::pace::Pace;
use hcube_core::node::processor::{cache, crowded};
use hcube_core::node::single_copy::{self, Process};
use hcube_core::plan::{Plan, Topology};
use hcube_core::progress::wait::Patience;

/// Added to the memory bound, so that a bound of 0 works; the bound is kept to 64 KiB more.
pub const LEAST: usize = 20 << 10;
/// Most memory that single copy uses: a piece should stay in the cache between its two copies.
const MOST_CHUNK: usize = 64 << 10;

/// Ranks of this node and what they share.
#[derive(Debug)]
pub struct Node {
    /// Ranks in ascending order, this one among them.
    pub ranks: Vec<usize>,
    /// Their notice board.
    pub board: Board,
    /// Their processes in the same order, where single copy works on all nodes.
    pub processes: Option<Vec<Process>>,
    /// Memory for single copy.
    pub chunk: Scratch,
    /// How fast slots are written.
    pub(super) pace: Pace,
}

/// The prepared state of one rank.
#[derive(Debug)]
pub struct Prepared {
    /// What was asked for.
    pub options: Options,
    /// What the decision of an exchange rests on.
    pub situation: Situation,
    /// This rank's node, where it has others and they share memory.
    pub node: Option<Node>,
    /// Memory for pieces under way.
    pub scratch: Scratch,
    /// How fast it is written.
    pub(super) pace: Pace,
    /// Partners to which messages go, in the order of the schedule.
    pub remote: Vec<usize>,
    /// The plan by which small blocks are bundled, made when first needed.
    pub plan: Option<Plan>,
    /// How to wait for other ranks.
    pub patience: Patience,
    /// Why a path that was asked for is not taken.
    pub refusal: Option<String>,
    /// Bytes of the cache.
    pub cache: usize,
    /// For votes.
    pub factors: Factors,
    /// What has been found out about the ways inside a node.
    pub trials: Trials,
    /// Time of the last exchange in nanoseconds.
    pub time: u64,
}

impl Prepared {
    /// Collective. Falls back to what works; [`Self::refusal`] says where that is not what was asked for.
    ///
    /// # Errors
    /// Where ranks pass different options, memory cannot be had, or MPI fails; on all ranks.
    pub fn new<C: Comm + ?Sized>(comm: &C, options: &Options) -> Result<Self> {
        agree_on(comm, &options.agreement())?;
        let (size, rank) = (comm.size(), comm.rank());
        let mut prepared = Self {
            options: *options,
            situation: Situation {
                ranks: size,
                shared: false,
                single_copy: false,
                schedule: options.schedule,
                path: options.path,
            },
            node: None,
            scratch: Scratch::new(0)?,
            pace: Pace::default(),
            remote: schedule::partners(options.schedule, rank, size),
            plan: None,
            patience: Patience::new(false, comm.simulated()),
            refusal: None,
            cache: cache(),
            factors: Factors::new(rank, size),
            trials: Trials::default(),
            time: 0,
        };
        if size > 1 && options.schedule != Schedule::Library {
            prepared.look_at_nodes(comm)?;
        }
        if prepared.scratch.size() == 0 && !prepared.situation.shared {
            let scratch = Scratch::new(options.memory + LEAST);
            prepared.scratch = agree(comm, scratch)?;
        }
        Ok(prepared)
    }

    fn look_at_nodes<C: Comm + ?Sized>(&mut self, comm: &C) -> Result<()> {
        let numbers = comm.node_numbers()?;
        self.patience = Patience::new(crowded(comm, &numbers)?, comm.simulated());
        let limit = (self.options.ranks_per_node > 0).then_some(self.options.ranks_per_node);
        let topology = Topology::from_node_numbers(&numbers, limit);
        if topology.most_ranks_per_node() < 2 || self.options.path == Path::Message {
            return Ok(());
        }
        let home = topology.node_of(topology.position(comm.rank()));
        let mut ranks: Vec<usize> =
            topology.positions(home..home + 1).map(|position| topology.rank(position)).collect();
        ranks.sort_unstable();
        let several_nodes = topology.nodes() > 1;
        let shares = Shares::of(self.options.memory + LEAST, several_nodes);
        let asked = |path| self.options.path == path;
        let board = match Board::create(comm, &ranks, shares.slot) {
            Ok(board) => board,
            Err(refusal) => {
                self.refusal = (!asked(Path::Auto)).then(|| refusal.to_string());
                return Ok(());
            }
        };
        // Sites that forbid single copy may report attempts.
        let proof = (!asked(Path::Shared)).then(|| single_copy::prove(comm, &ranks));
        let processes = match proof.transpose() {
            Ok(processes) => processes,
            Err(refusal) => {
                self.refusal = asked(Path::SingleCopy).then(|| refusal.to_string());
                None
            }
        };
        let memory =
            Scratch::new(shares.scratch).and_then(|scratch| Ok((scratch, Scratch::new(shares.chunk)?)));
        let (scratch, chunk) = agree(comm, memory)?;
        self.scratch = scratch;
        self.situation.shared = !several_nodes;
        self.situation.single_copy = processes.is_some();
        self.remote.retain(|partner| ranks.binary_search(partner).is_err());
        self.node =
            (ranks.len() > 1).then_some(Node { ranks, board, processes, chunk, pace: Pace::default() });
        Ok(())
    }

    /// Whether blocks of so many bytes in total become part of this rank's notice.
    pub fn encloses(&self, bytes: usize) -> bool {
        self.most_enclosed().is_some_and(|most| bytes <= most)
    }

    /// Most bytes for all other ranks together that become part of a rank's notice, where that is done;
    /// the same on all ranks. Up to there everything has been read before anything is written.
    pub fn most_enclosed(&self) -> Option<usize> {
        if self.options.path == Path::SingleCopy || !self.situation.shared {
            return None;
        }
        let tried = self.situation.single_copy && self.options.path == Path::Auto;
        // What is larger is better cut into pieces, or copied once; where ranks share cores, one round
        // less is worth more than pieces.
        let cut = tried || !self.patience.shares_cores();
        let most = if cut { select::MOST_ENCLOSED } else { usize::MAX };
        self.node.as_ref().map(|node| node.board.capacity().min(most))
    }

    /// Whether what all ranks of a node write is more than the cache keeps, from their sum of bytes.
    pub fn exceeds_cache(&self, task: &Task<'_>, own: usize, sum: u64) -> bool {
        let own_blocks = task.incoming(own).bytes() as u64 * self.situation.ranks as u64;
        !task.is_in_place() && self.situation.shared && sum + own_blocks > self.cache as u64
    }

    /// Whether blocks of at most so many bytes are such as are bundled.
    pub fn bundles(&self, largest: usize) -> bool {
        select::may_bundle(self.situation.schedule, largest, self.largest_bundled())
    }

    /// Largest block that the memory bound permits to bundle; the same on all ranks.
    pub fn largest_bundled(&self) -> Option<usize> {
        // The scratch memory holds half of the bound.
        bundles::largest(self.situation.ranks, (self.options.memory + LEAST) / 4)
    }

    /// One line that says what an exchange does here.
    pub fn describe(&self) -> String {
        let Situation { ranks, shared, single_copy, schedule, path } = self.situation;
        let order = match schedule {
            Schedule::Auto => Schedule::HierarchicalSets.name(),
            _ => schedule.name(),
        };
        let inside = match (single_copy, path) {
            (_, Path::SingleCopy) if single_copy => "single copy",
            (true, Path::Auto) => "shared memory, for large blocks single copy where that proves faster",
            _ => "shared memory",
        };
        let way = match (&self.node, schedule) {
            _ if ranks == 1 => "nothing to exchange".to_owned(),
            (_, Schedule::Library) => "the library's own function".to_owned(),
            (Some(_), _) if shared => inside.to_owned(),
            (Some(_), _) => format!("inside nodes {inside}; between them messages ({order})"),
            (None, _) => format!("messages ({order})"),
        };
        let outside = match select::left_to_library(&self.situation, false) {
            Some(reason) if ranks > 1 => format!("; out of place the library's own function ({reason})"),
            _ => String::new(),
        };
        format!("{way}{outside}; up to {} KiB of memory", (self.options.memory + LEAST) >> 10)
    }

    /// Bytes of additional memory that this state holds.
    pub fn memory(&self) -> u64 {
        let node = self.node.as_ref().map_or(0, |node| node.board.bytes_per_rank() + node.chunk.size());
        (node + self.scratch.size()) as u64
    }
}

/// How the memory bound is divided, in bytes; the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// One of the two slots of a rank on the board.
    pub slot: usize,
    /// For single copy.
    pub chunk: usize,
    /// For messages.
    pub scratch: usize,
}

impl Shares {
    /// On one node there are no messages; else they get half.
    pub fn of(budget: usize, several_nodes: bool) -> Self {
        let scratch = if several_nodes { budget / 2 } else { 0 };
        let chunk = ((budget - scratch) / 3).min(MOST_CHUNK);
        // A rank's share of the pages that all map is not the same for all: a part stays free for that.
        Self { slot: (budget - scratch - chunk) * 7 / 16, chunk, scratch }
    }
}
