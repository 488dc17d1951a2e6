//! A stage through the shared memory of a node, as part of a round.
//!
//! Idea: lists longer than a slot are passed as several pieces. A rank that waits for a free slot reads the
//! pieces of others meanwhile, so that ranks do not deadlock.
//! Restriction: shared memory between the ranks of a node.
//! Cost: per piece one store by the writer and one by each reader; two copies per value, one in the last
//! stage. Extra memory: the mailbox, two slots of a round's values.

use super::context::Context;
use super::message_stage::{MessageStage, divide_with};
use crate::divide::Divider;
use crate::local_table::LocalTable;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::machine::work::COPY;
use hcube_core::node::mailbox::Mailbox;

/// A stage in shared memory with its buffers.
pub(super) struct NodeStage<'a> {
    pub divider: Divider<'a>,
    pub own: usize,
    pub mailbox: &'a mut Mailbox,
}

impl NodeStage<'_> {
    /// Divides `list` and the values that the stage before still receives, passes values for other ranks on,
    /// and leaves in `list` the values for this rank, its own and received ones; in the last stage (`table`
    /// is given) received values are applied immediately.
    pub fn pass_on<C: Comm + ?Sized>(
        &mut self,
        context: &mut Context<'_, C>,
        list: &mut Vec<u64>,
        before: Option<&mut MessageStage<'_, C>>,
        mut table: Option<&mut LocalTable<'_>>,
    ) -> Result<()> {
        divide_with(context, &mut self.divider, list, before)?;
        std::mem::swap(list, &mut self.divider.parts[self.own]);
        let foreign = self.divider.held();
        context.statistics.shared_bytes += (foreign * size_of::<u64>()) as u64;
        self.exchange(context, foreign, |context, values| match &mut table {
            Some(table) => context.update(table, values),
            None => context.append(list, values),
        });
        for part in &mut self.divider.parts {
            part.clear();
        }
        if table.is_none() {
            context.hold(list.len());
        }
        Ok(())
    }

    /// Writes the lists piece by piece and reads the lists of others, until both are done.
    fn exchange<C: Comm + ?Sized>(
        &mut self,
        context: &mut Context<'_, C>,
        foreign: usize,
        mut take: impl FnMut(&mut Context<'_, C>, &[u64]),
    ) {
        let ranks = self.mailbox.shape().ranks;
        let mut writers: Vec<usize> = (1..ranks).map(|distance| (self.own + distance) % ranks).collect();
        let (mut written, mut all_written) = (0, false);
        let mut wait = context.patience.wait();
        while !all_written || !writers.is_empty() {
            let mut idle = true;
            if !all_written && self.mailbox.is_free() {
                let count = self.mailbox.shape().capacity.min(foreign - written);
                context.comm.charge(COPY.of(count * size_of::<u64>()));
                context.comm.settle();
                self.write_piece(written, count, foreign);
                written += count;
                all_written = written == foreign;
                idle = false;
                context.statistics.route += context.watch.lap();
            }
            writers.retain(|&writer| {
                let Some(piece) = self.mailbox.next(writer) else { return true };
                take(context, piece.words);
                let last = piece.last;
                context.comm.settle();
                let pieces = self.mailbox.take(writer);
                self.mailbox.acknowledge(writer, pieces);
                idle = false;
                !last
            });
            if idle {
                wait.pause(context.comm);
                context.statistics.wait += context.watch.lap();
            } else {
                wait = context.patience.wait();
            }
        }
    }

    /// Writes `count` of the `foreign` values, those after the first `written`.
    fn write_piece(&mut self, written: usize, count: usize, foreign: usize) {
        let parts = &self.divider.parts;
        self.mailbox.write(written + count == foreign, |words, bounds| {
            // All lists one after the other are one sequence; this piece is a window of it.
            let (mut start, mut end) = (0, 0);
            for (part, list) in parts.iter().enumerate() {
                bounds[part] = end as u32;
                let from = written.clamp(start, start + list.len()) - start;
                let to = (written + count).clamp(start, start + list.len()) - start;
                words[end..end + to - from].copy_from_slice(&list[from..to]);
                (start, end) = (start + list.len(), end + to - from);
            }
            bounds[parts.len()] = end as u32;
        });
    }
}
