//! A stage of messages.
//!
//! Idea: a message of any length is sent as pieces of a fixed capacity that both sides derive from the plan;
//! a piece shorter than the capacity is the last. A receive therefore never exceeds its buffer, even for
//! skewed streams, and nearly all messages are one piece.
//! Cost: the messages of the stage; a buffer per message, of the expected length and six standard deviations.
//! Source: Plimpton et al. 2006, §2 and, for overlap, §4 (Mod1, Mod2, Mod3, Mod7); the pieces are our own.

use super::context::Context;
use crate::divide::Divider;
use crate::local_table::LocalTable;
use crate::options::Optimisations;
use hcube_core::comm::{Comm, Piece, tags};
use hcube_core::error::Result;
use hcube_core::plan::{Send, Source};

/// One incoming message.
struct Incoming<R> {
    from: usize,
    /// The buffer while no receive is posted.
    buffer: Vec<u64>,
    posted: Option<R>,
    capacity: usize,
}

/// A stage of messages with its buffers.
pub(super) struct MessageStage<'a, C: Comm + ?Sized> {
    tag: i32,
    own: usize,
    divider: Divider<'a>,
    sends: &'a [Send],
    incoming: Vec<Incoming<C::Receive>>,
    in_flight: Vec<(usize, C::Sends)>,
    pieces: Vec<Piece>,
    round: usize,
    /// Whether messages of this stage are still to be taken.
    outstanding: bool,
}

/// Words of a piece: the expected number, six standard deviations and a few words, so that a second piece
/// is rare.
fn capacity(round: usize, (numerator, denominator): (u64, u64)) -> usize {
    let expected = round as f64 * numerator as f64 / denominator as f64;
    (expected + 6.0 * expected.sqrt()).ceil() as usize + 16
}

impl<'a, C: Comm + ?Sized> MessageStage<'a, C> {
    pub fn new(
        number: usize,
        own: usize,
        divider: Divider<'a>,
        sends: &'a [Send],
        receives: &[Source],
        round: usize,
    ) -> Self {
        let incoming = receives
            .iter()
            .map(|source| {
                let capacity = capacity(round, source.mean);
                Incoming { from: source.from, buffer: vec![0; capacity], posted: None, capacity }
            })
            .collect();
        let (tag, in_flight, pieces) = (tags::RANDOM_ACCESS.tag(number), Vec::new(), Vec::new());
        Self { tag, own, divider, sends, incoming, in_flight, pieces, round, outstanding: false }
    }

    /// Bytes of all buffers.
    pub fn bytes(&self) -> usize {
        let received: usize = self.incoming.iter().map(|incoming| incoming.capacity * size_of::<u64>()).sum();
        self.divider.bytes() + received
    }

    pub fn post_receives(&mut self, context: &Context<'_, C>) -> Result<()> {
        for incoming in self.incoming.iter_mut().filter(|incoming| incoming.posted.is_none()) {
            let buffer = std::mem::take(&mut incoming.buffer);
            incoming.posted = Some(context.comm.start_receive(buffer, incoming.from, self.tag)?);
        }
        Ok(())
    }

    /// Divides `list` and the values that the stage before still receives, sends the values of other parts,
    /// and leaves the values of this part in `list`. `table` is given in the last stage.
    pub fn pass_on(
        &mut self,
        context: &mut Context<'_, C>,
        list: &mut Vec<u64>,
        before: Option<&mut Self>,
        table: Option<&mut LocalTable<'_>>,
    ) -> Result<()> {
        let Optimisations { late_updates, late_waits, overlapped_sends, .. } = context.options.optimisations;
        self.finish_sends(context)?;
        divide_with(context, &mut self.divider, list, before)?;
        std::mem::swap(list, &mut self.divider.parts[self.own]);
        if let (false, Some(table)) = (late_updates, table) {
            context.update(table, list);
            list.clear();
        }
        self.post_receives(context)?;
        self.outstanding = true;
        let in_pieces = self.start_sends(context)?;
        context.statistics.route += context.watch.lap();
        // A blocking send completes when its receiver is ready. The receiver has posted a receive for the
        // first piece only; further pieces wait until this rank has received as well.
        if !overlapped_sends && !in_pieces {
            self.finish_sends(context)?;
        }
        if !late_waits {
            self.take_received(context, |context, values| context.append(list, values))?;
            if !overlapped_sends {
                self.finish_sends(context)?;
            }
        }
        Ok(())
    }

    /// Starts all sends; returns whether any message needs more than one piece.
    fn start_sends(&mut self, context: &mut Context<'_, C>) -> Result<bool> {
        let mut in_pieces = false;
        let mut sends = self.sends.iter().peekable();
        while let Some(first) = sends.peek().copied() {
            let part = first.part;
            let list = std::mem::take(&mut self.divider.parts[part]);
            self.pieces.clear();
            // Messages of one part follow each other: they share its list.
            while let Some(send) = sends.next_if(|send| send.part == part) {
                let (range, capacity) = (send.cut(list.len()), capacity(self.round, send.mean));
                let mut start = range.start;
                loop {
                    let end = range.end.min(start + capacity);
                    self.pieces.push(Piece { range: start..end, to: send.to, tag: self.tag });
                    if end - start < capacity {
                        break;
                    }
                    in_pieces = true;
                    start = end;
                }
            }
            context.statistics.messages += self.pieces.len() as u64;
            context.statistics.message_bytes += (list.len() * size_of::<u64>()) as u64;
            self.in_flight.push((part, context.comm.start_sends(list, &self.pieces)?));
        }
        Ok(in_pieces)
    }

    /// Waits until the lists of the last round have been sent, and reuses them.
    pub fn finish_sends(&mut self, context: &mut Context<'_, C>) -> Result<()> {
        context.statistics.route += context.watch.lap();
        for (part, sends) in self.in_flight.drain(..) {
            let mut list = context.comm.finish_sends(sends)?;
            list.clear();
            self.divider.parts[part] = list;
        }
        context.statistics.wait += context.watch.lap();
        Ok(())
    }

    /// Passes all values that arrive in this stage to `take`, unless that has been done in this round.
    pub fn take_received(
        &mut self,
        context: &mut Context<'_, C>,
        mut take: impl FnMut(&mut Context<'_, C>, &[u64]),
    ) -> Result<()> {
        if !std::mem::take(&mut self.outstanding) {
            return Ok(());
        }
        for incoming in &mut self.incoming {
            let mut posted = incoming.posted.take().expect("a receive was posted");
            loop {
                let (buffer, length) = context.comm.finish_receive(posted)?;
                context.statistics.wait += context.watch.lap();
                take(context, &buffer[..length]);
                if length < incoming.capacity {
                    incoming.buffer = buffer;
                    break;
                }
                posted = context.comm.start_receive(buffer, incoming.from, self.tag)?;
            }
        }
        Ok(())
    }
}

/// Divides `list`, which is empty afterwards, and the values that the stage before still receives: the list
/// first, so that messages have time to arrive (Mod3).
pub(super) fn divide_with<C: Comm + ?Sized>(
    context: &mut Context<'_, C>,
    divider: &mut Divider<'_>,
    list: &mut Vec<u64>,
    before: Option<&mut MessageStage<'_, C>>,
) -> Result<()> {
    context.divide(divider, list);
    list.clear();
    if let Some(before) = before {
        before.take_received(context, |context, values| context.divide(divider, values))?;
    }
    context.hold(divider.held());
    Ok(())
}
