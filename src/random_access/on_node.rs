//! All ranks on one node: mailboxes alone, and no rounds.
//!
//! Idea: a rank applies values of its own at once and writes those of the others, sorted by owner,
//! into a slot of its mailbox; whenever a slot has been read by all, it is filled again. In between
//! it applies what others have written for it, straight from their slots. Ranks run ahead of each
//! other as far as the look-ahead permits, so nobody waits for the slowest in every round.
//! Restrictions: shared memory between all ranks.
//! Cost: per rank and slot of Q/2 values one store by the writer and one by each reader; a value is
//! written once and read once in shared memory.
//! Look-ahead: the slots together hold Q values that are not known to be applied, and a slot is
//! generated when it is free. A rank's own values do not stay open, so a slot holds Q/2 values for
//! others whatever the number of ranks.
//! Source: the rounds of Plimpton et al. 2006, §2, with d = 1 and shared memory for messages.

use super::divide::Divider;
use super::prepare::Prepared;
use super::statistics::Statistics;
use super::table::{Distribution, Index};
use super::update::{LocalTable, Source};
use crate::comm::Comm;
use crate::node::mailbox::Mailbox;
use crate::node::wait::Stopwatch;

/// Filling a slot ends when so few places are left that generating for them costs more than they
/// bring.
const CROWDED: usize = 24;

/// Most pieces that are applied together. Short slices from many writers are applied as one list, so
/// that table words are asked for in time across their borders.
const TOGETHER: usize = 16;

/// One rank's part of the exchange.
struct Exchange<'a> {
    mailbox: &'a mut Mailbox,
    divider: Divider<'a>,
    fresh: Vec<u64>,
    /// Writers that have pieces to come, in the order in which they follow this rank.
    writers: Vec<usize>,
    statistics: Statistics,
    watch: Stopwatch,
    /// Whether this rank has written its last piece.
    sent_all: bool,
}

impl Exchange<'_> {
    /// Fills and announces the free slot, and applies what this rank has for itself.
    fn produce(&mut self, source: &mut Source, table: &mut LocalTable) {
        let (own, capacity) = (self.mailbox.own(), self.mailbox.shape().capacity);
        let mut open = 0;
        while source.left() > 0 && (open == 0 || capacity - open >= CROWDED) {
            source.generate(capacity - open, &mut self.fresh);
            self.statistics.generate += self.watch.lap();
            self.divider.divide(&self.fresh);
            open = self.divider.held() - self.divider.parts[own].len();
            self.statistics.route += self.watch.lap();
            table.apply(&self.divider.parts[own]);
            self.divider.parts[own].clear();
            self.statistics.update += self.watch.lap();
        }
        self.sent_all = source.left() == 0;
        self.mailbox.write(self.sent_all, |words, bounds| {
            let mut end = 0;
            for (part, list) in self.divider.parts.iter_mut().enumerate() {
                bounds[part] = end as u32;
                words[end..end + list.len()].copy_from_slice(list);
                end += list.len();
                list.clear();
            }
            bounds[bounds.len() - 1] = end as u32;
        });
        self.statistics.shared_bytes += (open * size_of::<u64>()) as u64;
        self.statistics.rounds += 1;
        self.statistics.route += self.watch.lap();
    }

    /// Applies the next piece of every writer that has one; returns whether there was any.
    fn consume(&mut self, table: &mut LocalTable) -> bool {
        let mut any = false;
        let mut remaining = 0;
        while remaining < self.writers.len() {
            let mut lists: [&[u64]; TOGETHER] = [&[]; TOGETHER];
            let mut taken = [(0, false); TOGETHER];
            let mut count = 0;
            while remaining < self.writers.len() && count < TOGETHER {
                let writer = self.writers[remaining];
                if let Some(piece) = self.mailbox.next(writer) {
                    lists[count] = piece.words;
                    taken[count] = (writer, piece.last);
                    count += 1;
                }
                remaining += 1;
            }
            if count == 0 {
                break;
            }
            any = true;
            table.apply_lists(&lists[..count]);
            for &(writer, last) in &taken[..count] {
                self.mailbox.done(writer);
                if last {
                    self.writers.retain(|&other| other != writer);
                    remaining -= 1;
                }
            }
        }
        any
    }
}

/// Runs until this rank has generated all its values and applied all that are meant for it.
pub(super) fn run<C: Comm + ?Sized>(
    comm: &C,
    prepared: &mut Prepared,
    (distribution, index): (Distribution, Index),
    source: &mut Source,
    table: &mut LocalTable,
) -> Statistics {
    let stage = &prepared.plan.stages[0];
    let patience = prepared.patience;
    let mut exchange = Exchange {
        mailbox: &mut prepared.mailboxes[0],
        divider: Divider::new(&stage.parting, stage.parts, distribution, index, prepared.level),
        fresh: Vec::new(),
        writers: (1..stage.parts).map(|distance| (stage.own + distance) % stage.parts).collect(),
        statistics: Statistics::default(),
        watch: Stopwatch::default(),
        sent_all: false,
    };
    let mut wait = patience.wait();
    while !exchange.sent_all || !exchange.writers.is_empty() {
        exchange.watch = Stopwatch::start(Statistics::sampled(exchange.statistics.rounds));
        let free = !exchange.sent_all && exchange.mailbox.is_free();
        if free {
            exchange.produce(source, table);
        }
        if exchange.consume(table) {
            exchange.statistics.update += exchange.watch.lap();
        } else if !free {
            wait.pause(comm);
            exchange.statistics.wait += exchange.watch.lap();
            continue;
        }
        wait = patience.wait();
    }
    let mut statistics = exchange.statistics;
    let own = exchange.mailbox.shape().bytes_per_rank();
    let lists = exchange.divider.bytes() + exchange.fresh.capacity() * size_of::<u64>();
    statistics.memory = (own + lists) as u64;
    statistics
}
