//! The placement of ranks, and the path that follows from it.

use super::image::Form;
use super::sizes::Load;
use hcube_alltoall::{ExchangeState, Options, Path, Schedule, UsedPath};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::node::single_copy::read_word;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

/// Ranks on nodes and what is chosen for them.
#[derive(Debug, Clone)]
pub struct Case {
    /// Node of every rank.
    pub nodes: Vec<u32>,
    pub options: Options,
}

/// Whether the kernel permits single copy here; in some containers it does not.
pub static SINGLE_COPY: LazyLock<bool> = LazyLock::new(|| {
    let cookie = 0x0123_4567_89ab_cdef_u64;
    read_word(std::process::id(), (&raw const cookie).addr() as u64).is_ok_and(|word| word == cookie)
});

/// [`threads::run_on_nodes`], but if a rank panics the process ends, since the others would wait for it for
/// ever.
pub fn run_on_nodes<T: Send>(nodes: Vec<u32>, work: impl Fn(&ThreadComm) -> T + Sync) -> Vec<T> {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    threads::run_on_nodes(nodes, |comm| {
        catch_unwind(AssertUnwindSafe(|| work(comm))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref().copied()).unwrap_or_default();
            // Output by other means is captured until a test ends, and this test does not end.
            let _ = writeln!(std::io::stderr(), "{test} FAILED on rank {}: {text}", comm.rank());
            std::process::exit(101);
        })
    })
}

impl Case {
    pub fn one_node(ranks: usize, options: Options) -> Self {
        Self { nodes: vec![7; ranks], options }
    }

    /// Real nodes of uneven sizes, in and out of the order of the ranks, and a node with one rank.
    pub fn uneven_nodes(options: Options) -> impl Iterator<Item = Self> {
        let nodes: [&[u32]; 6] =
            [&[0, 0, 1], &[0, 1, 0, 1, 1], &[3, 0, 0], &[0, 1, 2, 3], &[2, 0, 1, 0, 2, 2, 0], &[0, 1]];
        nodes.into_iter().map(move |nodes| Self { nodes: nodes.to_vec(), options })
    }

    /// One node that counts as several.
    pub fn pretended_nodes(options: Options) -> impl Iterator<Item = Self> {
        [(2, 1), (5, 2), (7, 3), (9, 4)].into_iter().map(move |(ranks, ranks_per_node)| Self {
            nodes: vec![0; ranks],
            options: Options { ranks_per_node, ..options },
        })
    }

    pub fn ranks(&self) -> usize {
        self.nodes.len()
    }

    /// How many ranks the node of a rank has.
    fn company(&self, rank: usize) -> usize {
        let node = |rank: usize| {
            let position = self.nodes[..rank].iter().filter(|&&node| node == self.nodes[rank]).count();
            (self.nodes[rank], position.checked_div(self.options.ranks_per_node))
        };
        (0..self.ranks()).filter(|&other| node(other) == node(rank)).count()
    }

    /// Whether an exchange is forwarded to the MPI library after votes that node leaders have passed on.
    pub fn is_forwarded(&self, state: &ExchangeState, load: Load, (form, in_place): (Form, bool)) -> bool {
        let is_voted_on = (form, in_place) == (Form::Counted, false) && state.situation().led > 0;
        is_voted_on && !state.situation().is_asked() && !self.is_led(state, load)
    }

    /// Whether node leaders make an exchange: no block is too large, or few are.
    fn is_led(&self, state: &ExchangeState, load: Load) -> bool {
        let led = state.situation().led;
        load.most <= led || load.total <= led * (self.ranks() * (self.ranks() - 1) / 4)
    }

    /// The path that an exchange uses on a rank, and the other one where both are tried.
    pub fn path(
        &self,
        rank: usize,
        state: &ExchangeState,
        load: Load,
        (form, in_place): (Form, bool),
    ) -> (UsedPath, Option<UsedPath>) {
        let Options { schedule, path, memory, .. } = self.options;
        if load.total == 0 {
            return (UsedPath::Alone, None);
        }
        if self.company(rank) == self.ranks() && path != Path::Message {
            let slot = state.slot_bytes().expect("shared");
            assert!(slot >= memory / 4, "a slot of {slot} bytes");
            // Blocks that are part of the notice of every rank use shared memory.
            let tried = path == Path::Auto && load.most_sent > slot.min(128 << 10);
            return match path {
                Path::SingleCopy if *SINGLE_COPY => (UsedPath::SingleCopy, None),
                _ => (UsedPath::Shared, (tried && *SINGLE_COPY).then_some(UsedPath::SingleCopy)),
            };
        }
        let bundled = state.largest_bundled().expect("room for a record of every rank");
        assert!(bundled == 256 || bundled < 256 && memory < 1 << 20);
        let compared = (schedule, path) == (Schedule::Auto, Path::Auto) && self.ranks() >= 4;
        let path = match path {
            _ if schedule == Schedule::Hypercube && load.most <= bundled => UsedPath::Hypercube,
            _ if state.situation().led > 0
                && self.is_led(state, load)
                && (form != Form::Even || load.most <= state.situation().led)
                && (schedule == Schedule::NodeLeaders
                    || form != Form::Listed && (!in_place || state.situation().leads_in_place)) =>
            {
                UsedPath::NodeLeaders
            }
            Path::Message => UsedPath::Message,
            _ if self.company(rank) == 1 => UsedPath::Message,
            _ => UsedPath::Mixed,
        };
        if path == UsedPath::NodeLeaders {
            // Perhaps of several rounds, which are compared with messages.
            let long = schedule == Schedule::Auto && load.most > state.situation().led / 8;
            let by_messages = if self.company(rank) == 1 { UsedPath::Message } else { UsedPath::Mixed };
            return (path, long.then_some(by_messages));
        }
        (path, (compared && load.most <= bundled).then_some(UsedPath::Hypercube))
    }
}
