//! All ranks on one node: only mailboxes, and no rounds.
//!
//! Idea: a rank writes values for others, sorted by owner, into a slot of its mailbox. It applies its own
//! values, and reads the values for it directly from the slots of the others. It generates more values
//! whenever the look-ahead permits it, so ranks run ahead of each other as far as the look-ahead permits and
//! do not wait for the slowest rank in every round.
//! Restriction: shared memory between all ranks.
//! Cost: per rank and piece one store by the writer and one by each reader; a value is written once
//! and read once in shared memory. Extra memory: the mailbox (twice Q words per rank) and lists of Q words.
//! Look-ahead: a rank knows which of its pieces all others have applied, and generates at most Q values less
//! those in the other pieces. Values for itself are applied before it generates again.
//! Source: the rounds of Plimpton et al. 2006, §2, with d = 1 and shared memory instead of messages.

use super::divide::Divider;
use super::local_table::LocalTable;
use super::options::Options;
use super::source::Source;
use super::statistics::Statistics;
use super::work::{DIVIDE, GENERATE, UPDATE};
use hcube_core::comm::Comm;
use hcube_core::machine::work::COPY;
use hcube_core::node::mailbox::{Mailbox, Shape};
use hcube_core::progress::wait::{Patience, Stopwatch};
use std::collections::VecDeque;

/// Pieces that the look-ahead is divided into. Two where every rank has a core: a rank continues while others
/// still read. One where ranks share cores: by the next turn of a rank all others have read, and fewer
/// pieces cost less (8 ranks on 2 cores 6 % faster, 3 ranks 8 %; 2 ranks 7 % slower).
fn pieces(crowded: bool) -> usize {
    if crowded { 1 } else { 2 }
}

/// A piece is started when there is room for this part of a full one, a quarter: a smaller one costs its
/// readers more than waiting (8 ranks on 2 cores: a quarter 0.126, an eighth 0.124, a sixteenth
/// 0.117 GUP/s).
const FRACTION: usize = 4;

/// Values that are generated, divided and, if they belong to the rank itself, applied at a time: few enough
/// that the memory system is still busy with the updates of the previous batch.
const BATCH_VALUES: usize = 128;

/// Values that a rank may have open.
fn bound(options: &Options) -> usize {
    if options.relaxed { 2 * options.look_ahead } else { options.look_ahead }
}

/// The mailboxes for these options. Twice as many slots as full pieces: pieces are seldom full, as a
/// rank's own values do not go into them.
pub(super) fn shape(ranks: usize, crowded: bool, options: &Options) -> Shape {
    let pieces = pieces(crowded);
    let slots = (2 * pieces).min(bound(options));
    Shape { ranks, slots, capacity: (bound(options) / pieces).max(1) }
}

/// A piece of another rank whose values were taken and may not be applied yet.
struct Owed {
    writer: usize,
    /// Pieces of the writer taken, with this one.
    pieces: u64,
    /// The piece is applied when this rank has applied this number of values.
    due: u64,
}

/// One rank's part of the exchange.
struct Exchange<'a, C: ?Sized> {
    comm: &'a C,
    mailbox: &'a mut Mailbox,
    divider: Divider<'a>,
    fresh: Vec<u64>,
    /// Writers that have pieces to come, in the order in which they follow this rank.
    writers: Vec<usize>,
    /// Pieces taken and not acknowledged, oldest first.
    owed: VecDeque<Owed>,
    /// Lengths of this rank's pieces that some other rank has not applied yet, and their sum.
    open: VecDeque<usize>,
    open_values: usize,
    bound: usize,
    statistics: Statistics,
    watch: Stopwatch,
    /// Whether this rank has written its last piece.
    sent_all: bool,
}

impl<C: Comm + ?Sized> Exchange<'_, C> {
    /// Number of values that may be generated now: the room in the look-ahead and the slots.
    fn room(&mut self, table: &LocalTable) -> usize {
        let read = self.mailbox.read_by_all();
        while self.open.len() as u64 > self.mailbox.written() - read {
            self.open_values -= self.open.pop_front().unwrap_or(0);
        }
        if self.sent_all || self.open.len() == self.mailbox.shape().slots {
            return 0;
        }
        let room = self.bound.saturating_sub(self.open_values + table.waiting());
        self.mailbox.shape().capacity.min(room)
    }

    /// Generates `count` values, applies this rank's own and writes the others as a piece.
    fn produce(&mut self, source: &mut Source, count: usize, table: &mut LocalTable) {
        let own = self.mailbox.own();
        let mut left = count;
        while left > 0 && source.left() > 0 {
            source.generate(left.min(BATCH_VALUES), &mut self.fresh);
            left -= self.fresh.len();
            self.comm.charge(GENERATE.of(self.fresh.len()));
            self.statistics.generate += self.watch.lap();
            self.divider.divide(&self.fresh);
            self.comm.charge(DIVIDE.of(self.fresh.len() * self.divider.passes()));
            self.statistics.route += self.watch.lap();
            table.update(&self.divider.parts[own]);
            self.comm.charge(UPDATE.of(self.divider.parts[own].len()));
            self.divider.parts[own].clear();
            self.statistics.update += self.watch.lap();
        }
        self.sent_all = source.left() == 0;
        self.comm.charge(COPY.of(self.divider.held() * size_of::<u64>()));
        // In a simulation, time passes before others see the piece.
        self.comm.settle();
        let mut end = 0;
        self.mailbox.write(self.sent_all, |words, bounds| {
            for (part, list) in self.divider.parts.iter_mut().enumerate() {
                bounds[part] = end as u32;
                words[end..end + list.len()].copy_from_slice(list);
                end += list.len();
                list.clear();
            }
            bounds[bounds.len() - 1] = end as u32;
        });
        self.open.push_back(end);
        self.open_values += end;
        self.statistics.shared_bytes += (end * size_of::<u64>()) as u64;
        self.statistics.rounds += 1;
        self.statistics.route += self.watch.lap();
    }

    /// Applies the next piece of every writer that has one; returns whether a writer had one.
    fn consume(&mut self, table: &mut LocalTable) -> bool {
        let mut any = false;
        let Self { comm, mailbox, owed, .. } = self;
        self.writers.retain(|&writer| {
            let Some(piece) = mailbox.next(writer) else { return true };
            table.update(piece.words);
            comm.charge(UPDATE.of(piece.words.len()));
            let last = piece.last;
            owed.push_back(Owed { writer, pieces: mailbox.take(writer), due: table.accepted() });
            any = true;
            !last
        });
        self.comm.settle();
        self.acknowledge(table);
        self.statistics.update += self.watch.lap();
        any
    }

    /// Acknowledges the pieces whose values are all applied.
    fn acknowledge(&mut self, table: &LocalTable) {
        while let Some(piece) = self.owed.front().filter(|piece| piece.due <= table.applied()) {
            self.mailbox.acknowledge(piece.writer, piece.pieces);
            self.owed.pop_front();
        }
    }
}

/// Runs until this rank has generated all its values and applied all values that it owns. The divider belongs
/// to the only stage of the plan.
pub(super) fn run<C: Comm + ?Sized>(
    comm: &C,
    mailbox: &mut Mailbox,
    divider: Divider<'_>,
    (options, patience): (&Options, Patience),
    source: &mut Source,
    table: &mut LocalTable,
) -> Statistics {
    let (own, ranks) = (mailbox.own(), mailbox.shape().ranks);
    let mut exchange = Exchange {
        comm,
        mailbox,
        divider,
        fresh: Vec::new(),
        writers: (1..ranks).map(|distance| (own + distance) % ranks).collect(),
        owed: VecDeque::new(),
        open: VecDeque::new(),
        open_values: 0,
        bound: bound(options),
        statistics: Statistics::default(),
        watch: Stopwatch::default(),
        sent_all: false,
    };
    // A run starts with a reduction over all ranks, which every rank enters after it has acknowledged all
    // pieces of the run before.
    assert_eq!(exchange.mailbox.read_by_all(), exchange.mailbox.written(), "the run before has not ended");
    let enough = exchange.mailbox.shape().capacity / FRACTION;
    let mut wait = patience.wait();
    while !exchange.sent_all || !exchange.writers.is_empty() {
        exchange.watch = Stopwatch::start(Statistics::sampled(exchange.statistics.rounds));
        let room = exchange.room(table);
        let produce = room > 0 && (room >= enough || exchange.open.is_empty());
        if produce {
            exchange.produce(source, room, table);
        }
        if !exchange.consume(table) && !produce {
            // Others may wait for the acknowledgement of values that are still in the delay line.
            table.flush();
            exchange.acknowledge(table);
            wait.pause(comm);
            exchange.statistics.wait += exchange.watch.lap();
            continue;
        }
        wait = patience.wait();
    }
    table.flush();
    exchange.acknowledge(table);
    let mut statistics = exchange.statistics;
    let own = exchange.mailbox.shape().bytes_per_rank();
    let lists = exchange.divider.bytes() + exchange.fresh.capacity() * size_of::<u64>();
    statistics.memory = (own + lists) as u64;
    statistics
}
