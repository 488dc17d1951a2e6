//! The state of exchanges on a communicator: placement of ranks, the notice board of the node, processes for
//! single copy, scratch memory. Created at the first exchange.

#[cfg(test)]
mod counted;
mod describe;
#[cfg(hcube_model)]
pub mod model;

use super::bundles;
use super::choice::Order;
use super::conditions::Conditions;
use super::factors::Factors;
use super::leaders::Routes;
use super::node::Node;
use super::options::{Options, Path, Schedule};
use super::schedule::{self, on_nodes::OnNodes};
use super::select::{self, Blocks, Situation};
use super::single_copy::nonblocking::Nonblocking;
use super::task::Task;
use super::trials::Trials;
use super::vote::Vote;
use hcube_core::comm::{Comm, agree, agree_on_and_share};
use hcube_core::error::Result;
use hcube_core::memory::scratch::Scratch;
use hcube_core::node::board::Board;
use hcube_core::node::pace::Pace;
use hcube_core::node::processor::{cache, crowded};
use hcube_core::node::single_copy::{self, Process};
use hcube_core::plan::{Plan, Topology};
use hcube_core::progress::wait::Patience;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

/// Added to the memory bound, so that a bound of 0 works; hcube holds at most 64 KiB more than the bound.
pub const BASE_MEMORY_BYTES: usize = 20 << 10;
/// Largest piece of single copy: it should stay in the cache between its two copies.
const MAX_CHUNK_BYTES: usize = 64 << 10;

/// The time in nanoseconds of an exchange that was not measured, longer than any.
const NOT_MEASURED: u64 = 1 << 42;
const _: () = assert!(NOT_MEASURED.checked_mul(Vote::MAX_RANKS as u64).is_some(), "the sum fits 64 bits");

/// A word from which the factors of the votes follow; random, except where runs must repeat.
fn seed(simulated: bool) -> u64 {
    if simulated { 0 } else { RandomState::new().build_hasher().finish() }
}

/// The state of one rank. Only exchanges change it: they write to addresses that other ranks have posted on
/// the notice board, in processes for which single copy was proved.
///
/// ```compile_fail,E0616
/// fn board(state: &mut hcube_alltoall::ExchangeState) {
///     state.node = None;
/// }
/// ```
#[derive(Debug)]
pub struct ExchangeState {
    /// The options requested.
    pub(super) options: Options,
    /// This rank.
    pub(super) rank: usize,
    /// The inputs of decisions.
    pub(super) situation: Situation,
    /// The order of the ranks for schedules, where it is not theirs.
    order: Option<Arc<OnNodes>>,
    /// This rank's node, if it has other ranks that share memory with this one.
    pub(super) node: Option<Node>,
    /// Its nonblocking exchanges, if they work.
    nonblocking: Option<Nonblocking>,
    /// Memory for outstanding pieces.
    pub(super) scratch: Scratch,
    /// The speed of writes to it.
    pub(super) pace: Pace,
    /// The routes of node leaders, if they may be chosen.
    pub(super) routes: Option<Routes>,
    /// Whether they are expected to make the next exchange of equal blocks and of any, out of place and in
    /// place; the same on all ranks.
    leads_next: [[bool; 2]; 2],
    /// The plan of bundles, created at its first use.
    pub(super) plan: Option<Plan>,
    /// How to wait for other ranks.
    pub(super) patience: Patience,
    /// Why a path that was requested is not used.
    pub(super) refusal: Option<String>,
    /// Size of the cache in bytes.
    pub(super) cache: usize,
    /// Factors of the votes.
    pub(super) factors: Factors,
    /// Measured times of algorithms.
    pub(super) trials: Trials,
    /// Time of the last exchange in nanoseconds.
    pub(super) time: u64,
    /// Bytes that all ranks together gave to others in the last exchange.
    pub(super) total: u64,
    /// Whether the kernel has forbidden this rank to write to other processes in a general exchange in place.
    pub(super) may_not_write: bool,
    /// See [`Self::last_short_times`].
    pub(super) short_times: Option<u64>,
    /// When the forwarded exchange began whose time is not known yet.
    pub(super) forwarded: Option<f64>,
    /// Bytes of this state and of its lists.
    fixed: usize,
}

impl ExchangeState {
    /// Collective. Falls back to a path that works; [`Self::refusal`] is set if it is not the requested one.
    ///
    /// # Errors
    /// On all ranks, if ranks pass different options, memory cannot be allocated, or MPI fails.
    pub fn new<C: Comm + ?Sized>(comm: &C, options: &Options) -> Result<Self> {
        let seed = agree_on_and_share(comm, &options.agreement(), seed(comm.simulated()))?;
        let mut state = Self::without_node(comm, options, seed)?;
        if comm.size() > 1 && options.schedule != Schedule::Library {
            state.look_at_nodes(comm)?;
        }
        if state.scratch.size() == 0 && !state.situation.shared {
            let scratch = Scratch::new(options.memory + BASE_MEMORY_BYTES);
            state.scratch = agree(comm, scratch)?;
        }
        state.fixed = state.own_bytes();
        Ok(state)
    }

    /// The state before ranks share anything but the seed of the factors.
    fn without_node<C: Comm + ?Sized>(comm: &C, options: &Options, seed: u64) -> Result<Self> {
        let (size, rank) = (comm.size(), comm.rank());
        Ok(Self {
            options: *options,
            rank,
            situation: Situation {
                ranks: size,
                shared: false,
                single_copy: false,
                led: 0,
                leads_in_place: false,
                schedule: options.schedule,
                path: options.path,
            },
            order: None,
            node: None,
            nonblocking: None,
            scratch: Scratch::new(0)?,
            pace: Pace::default(),
            routes: None,
            leads_next: [[true; 2]; 2],
            plan: None,
            patience: Patience::new(false, comm.simulated()),
            refusal: None,
            cache: cache(),
            factors: Factors::new(seed, rank, size),
            trials: Trials::default(),
            time: 0,
            total: 0,
            may_not_write: false,
            short_times: None,
            forwarded: None,
            fixed: 0,
        })
    }

    fn look_at_nodes<C: Comm + ?Sized>(&mut self, comm: &C) -> Result<()> {
        let numbers = comm.node_numbers()?;
        self.patience = Patience::new(crowded(comm, &numbers)?, comm.simulated());
        let limit = (self.options.ranks_per_node > 0).then_some(self.options.ranks_per_node);
        let topology = Arc::new(Topology::from_node_numbers(&numbers, limit));
        let is_free = self.options.schedule == Schedule::Auto;
        self.order = OnNodes::new(topology.clone()).filter(|_| is_free).map(Arc::new);
        if topology.most_on_a_node() < 2 || self.options.path == Path::Message {
            return Ok(());
        }
        let home = topology.node_of(topology.position(comm.rank()));
        let mut ranks: Vec<usize> =
            topology.positions(home..home + 1).map(|position| topology.rank(position)).collect();
        ranks.sort_unstable();
        let several_nodes = topology.nodes() > 1;
        let shares = Shares::of(self.options.memory + BASE_MEMORY_BYTES, several_nodes);
        let asked = |path| self.options.path == path;
        let board = match Board::create(comm, &ranks, shares.slot) {
            Ok(board) => board,
            Err(refusal) => {
                self.refusal = (!asked(Path::Auto)).then(|| refusal.to_string());
                return Ok(());
            }
        };
        // Sites that forbid single copy may report attempts: none with HCUBE_PATH=shared.
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
        let asked = self.options.path == Path::SingleCopy && self.options.schedule != Schedule::Library;
        if let (Some(processes), true) = (&processes, asked && !several_nodes && !comm.simulated()) {
            self.nonblocking = Nonblocking::new(comm, &ranks, processes.clone()).ok();
        }
        self.situation.shared = !several_nodes;
        self.situation.single_copy = processes.is_some();
        let max_led = match self.options.schedule {
            Schedule::Auto if self.options.path == Path::Auto && comm.size() >= select::MIN_LED_RANKS => {
                select::MAX_LED_BYTES
            }
            Schedule::NodeLeaders => usize::MAX,
            _ => 0,
        };
        if several_nodes && max_led > 0 && self.options.path != Path::SingleCopy {
            let (nodes, fewest) = (topology.nodes(), topology.fewest_on_a_node());
            self.situation.leads_in_place = select::may_lead_in_place(comm.size(), nodes, fewest);
            let routes = Routes::new(topology, comm.rank(), board.capacity(), shares.scratch);
            self.routes = routes.map(|routes| routes.up_to(max_led));
            self.situation.led = self.routes.as_ref().map_or(0, Routes::limit);
        }
        let pace = Pace::default();
        self.node = (ranks.len() > 1).then_some(Node { ranks, board, processes, refusals: 0, chunk, pace });
        Ok(())
    }

    /// Whether this is the state of a communicator like this one: of the same size, in which this process has
    /// the same rank.
    #[inline(always)]
    pub fn fits<C: Comm + ?Sized>(&self, comm: &C) -> bool {
        (comm.rank(), comm.size()) == (self.rank, self.situation.ranks)
    }

    /// A number that is the same on all ranks and differs from other states; never 0.
    pub fn number(&self) -> i64 {
        (self.factors.seed() >> 2 | 1) as i64
    }

    /// An exchange that began then is forwarded to be compared with others.
    pub(super) fn begin_forwarded(&mut self, begin: Option<f64>) {
        // Until its time is known; if the caller does not record it, the library loses.
        (self.time, self.forwarded) = (NOT_MEASURED, begin);
        self.trials.take_under_way();
    }

    /// The forwarded exchange, if there is one, ends now, in seconds of the communicator's clock.
    pub fn note_forwarded(&mut self, now: f64) {
        if let Some(begin) = self.forwarded.take() {
            self.time = (1e9 * (now - begin)) as u64;
        }
    }

    /// Bytes that all ranks together gave to others in the last exchange that was made; the same on all
    /// ranks.
    pub fn last_total(&self) -> u64 {
        self.total
    }

    /// The inputs of decisions.
    pub fn situation(&self) -> &Situation {
        &self.situation
    }

    /// Why a path that was requested is not used.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Measured times of algorithms.
    pub fn trials(&self) -> &impl std::fmt::Debug {
        &self.trials
    }

    /// Resources of nonblocking exchanges, if hcube performs them, which is the same on all ranks.
    pub(crate) fn nonblocking(&mut self) -> Option<(&mut Nonblocking, &mut Node, Patience)> {
        Some((self.nonblocking.as_mut()?, self.node.as_mut()?, self.patience))
    }

    /// The ranks of the node, where large blocks go by single copy.
    pub(crate) fn node_by_single_copy(&self) -> Option<&Node> {
        let made = matches!(self.options.path, Path::Auto | Path::SingleCopy);
        self.node.as_ref().filter(|node| made && node.processes.is_some())
    }

    /// Resources of persistent exchanges, if hcube performs them, which is the same on all ranks.
    pub(crate) fn persistent(&self) -> Option<(&Node, &[Process], Patience)> {
        let made =
            self.situation.shared && self.situation.single_copy && self.options.path == Path::SingleCopy;
        let node = self.node.as_ref().filter(|_| made)?;
        Some((node, node.processes.as_deref()?, self.patience))
    }

    /// Bytes of a notice for blocks, if this rank's node has other ranks.
    pub fn slot_bytes(&self) -> Option<usize> {
        self.node.as_ref().map(|node| node.board.capacity())
    }

    /// Bytes of [`Self::spare`].
    pub fn spare_bytes(&self) -> Option<usize> {
        self.node.as_ref().map(|node| node.chunk.size())
    }

    /// Memory that exchanges use only where blocks are not enclosed, if this rank's node has other ranks.
    /// Between exchanges all of it is free, and during others it must be.
    pub fn spare(&mut self) -> Option<&mut Scratch> {
        self.node.as_mut().map(|node| &mut node.chunk)
    }

    /// Assumes a cache of this size instead of the machine's.
    pub fn set_cache(&mut self, bytes: usize) {
        self.cache = bytes;
    }

    /// All other ranks in the order of a schedule.
    pub(super) fn partners(&self, schedule: Schedule) -> Box<dyn Iterator<Item = usize>> {
        match &self.order {
            Some(order) => order.partners(schedule, self.rank),
            None => schedule::partners(schedule, self.rank, self.situation.ranks),
        }
    }

    /// The partners that messages go to, in the given order.
    pub(super) fn remote(&self, order: Order) -> Box<dyn Iterator<Item = usize>> {
        let schedule = match order {
            Order::Usual => self.options.schedule,
            Order::Shifted => Schedule::LinearShift,
        };
        let all = self.partners(schedule);
        let Some(node) = &self.node else { return all };
        let near = node.ranks.clone();
        Box::new(all.filter(move |partner| near.binary_search(partner).is_err()))
    }

    /// If exchanges like the last one might be faster without votes, the sum of the times that the ranks have
    /// stated with their votes, in nanoseconds, 0 if they were not to. The same on all ranks.
    pub fn last_short_times(&self) -> Option<u64> {
        self.short_times
    }

    /// Whether blocks of `bytes` bytes in total become part of this rank's notice.
    /// `compared`: the exchange may also be forwarded to the MPI library.
    pub(super) fn encloses(&self, bytes: usize, compared: bool) -> bool {
        let others = compared && self.situation.single_copy && !self.patience.shares_cores();
        let limit = if others { select::MAX_ENCLOSED_OUT_OF_PLACE_BYTES } else { usize::MAX };
        self.max_enclosed().is_some_and(|max| bytes <= max.min(limit))
    }

    /// Largest sum of blocks for all other ranks that becomes part of a rank's notice, `None` if blocks never
    /// do; the same on all ranks. All blocks within it are read before any is written.
    pub fn max_enclosed(&self) -> Option<usize> {
        if self.options.path == Path::SingleCopy || !self.situation.shared {
            return None;
        }
        let tried = self.situation.single_copy && self.options.path == Path::Auto;
        // Larger blocks are better cut into pieces, or copied once; where ranks share cores, one round less
        // is worth more than pieces.
        let cut = tried || !self.patience.shares_cores();
        let max = if cut { select::MAX_ENCLOSED_BYTES } else { usize::MAX };
        self.node.as_ref().map(|node| node.board.capacity().min(max))
    }

    /// Whether all ranks of a node write more than the cache holds; `sum` is the sum of their bytes.
    #[inline(always)]
    pub(super) fn exceeds_cache(&self, task: &Task<'_>, own: usize, sum: u64) -> bool {
        let own_blocks = task.incoming(own).bytes() as u64 * self.situation.ranks as u64;
        !task.is_in_place() && self.situation.shared && sum + own_blocks > self.cache as u64
    }

    /// Whether node leaders pass on the votes of an exchange; the same on all ranks.
    pub(super) fn leads_votes(&self, conditions: Conditions) -> bool {
        self.routes.is_some()
            && (conditions.led.is_some() || self.situation.schedule == Schedule::NodeLeaders)
    }

    /// Whether blocks travel with these votes; the same on all ranks. Otherwise node leaders need a further
    /// round if they make the exchange.
    pub(super) fn encloses_for_leaders(&self, conditions: Conditions, in_place: bool) -> bool {
        let expected = self.leads_next[usize::from(conditions.led == Some(Blocks::Any))];
        expected[usize::from(in_place)] || conditions.led == Some(Blocks::Short) || self.situation.is_asked()
    }

    /// Notes whether node leaders are expected to make the next exchange.
    pub(super) fn expect_leaders(&mut self, conditions: Conditions, in_place: bool, expected: bool) {
        if conditions.led != Some(Blocks::Short) {
            let of_blocks = &mut self.leads_next[usize::from(conditions.led == Some(Blocks::Any))];
            of_blocks[usize::from(in_place)] = expected;
        }
    }

    /// Whether blocks of at most `largest` bytes are bundled.
    pub(super) fn bundles(&self, largest: usize) -> bool {
        select::may_bundle(&self.situation, largest, self.largest_bundled())
    }

    /// Largest block that the memory bound permits to bundle; the same on all ranks.
    pub fn largest_bundled(&self) -> Option<usize> {
        // The scratch memory holds half of the bound.
        bundles::largest(self.situation.ranks, (self.options.memory + BASE_MEMORY_BYTES) / 4)
    }

    /// The bound of extra memory in bytes.
    pub fn memory_bound(&self) -> usize {
        self.options.memory + BASE_MEMORY_BYTES
    }

    /// Bytes of extra memory that this state has touched on this rank: it is reserved in advance, but
    /// resident when it has been used.
    pub fn memory(&self) -> u64 {
        let node =
            self.node.as_ref().map_or(0, |node| node.board.resident_bytes() + node.chunk.touched_bytes());
        (node + self.scratch.touched_bytes() + self.fixed) as u64
    }

    /// Bytes of the state itself and of its lists.
    fn own_bytes(&self) -> usize {
        let ranks = self.node.as_ref().map_or(0, |node| node.ranks.len());
        size_of::<Self>()
            + self.factors.bytes()
            + self.routes.as_ref().map_or(0, |routes| routes.bytes(self.order.is_none()))
            + self.order.as_ref().map_or(0, |order| order.topology().bytes())
            + 3 * ranks * size_of::<usize>()
    }
}

/// The division of the memory bound in bytes; the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// One of the two slots of a rank on the board.
    pub slot: usize,
    /// The buffer of single copy.
    pub chunk: usize,
    /// The scratch memory of messages.
    pub scratch: usize,
}

impl Shares {
    /// Half of the budget for messages; nothing on one node, which sends no messages.
    pub fn of(budget: usize, several_nodes: bool) -> Self {
        let scratch = if several_nodes { budget / 2 } else { 0 };
        let chunk = ((budget - scratch) / 3).min(MAX_CHUNK_BYTES);
        // An eighth is left for shares that differ before all ranks have mapped all pages, and for what else
        // is allocated.
        Self { slot: (budget - scratch - chunk) * 7 / 16, chunk, scratch }
    }
}
