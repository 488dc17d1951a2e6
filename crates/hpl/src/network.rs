//! Panels that are received from and sent to other nodes.
//!
//! Idea: on each node except the root's, one rank receives a panel into one of its slots and posts it for its
//! node; the ranks of a node take turns. Root and receivers forward the panel along the edges of a [`Route`].
//! The first message of an edge of the tree is the [`Head`], followed by the parts, in pieces of up to
//! [`PIECE`] bytes. A piece is forwarded as soon as it has arrived, directly from the slot: nothing is
//! copied, and all sends of a complete panel have been started, so that they need only progress of MPI.
//! Receives of pieces start when the head has arrived and the slot is free; until then the sender's MPI
//! library holds the data.
//!
//! Nothing here blocks. [`Network::advance`] does what is possible; the calls of
//! [`Panels`](crate::panels::Panels) and its waiting loops call it.
//!
//! Restrictions: ranks that forward a panel regularly call some function of it. Cost, for each edge of the
//! tree: a message of 16 bytes; for each part on an edge, its bytes in messages of up to [`PIECE`]. No memory
//! except the slots.
//!
//! Source: our own; topologies: see [`topology`](crate::topology).

use crate::slots::{Head, Holder, Slots};
use crate::topology::Route;
use hcube_core::comm::owned::Owned;
use hcube_core::comm::{Comm, tags};
use hcube_core::error::{Error, Result};
use std::collections::VecDeque;
use std::ops::Range;

/// Bytes of a message at most: a relay sends the first one while it receives the second.
pub const PIECE: usize = 256 << 10;
/// Parts are cut at lines of the cache.
const LINE: usize = 64;

/// The messages that a rank has sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The pieces of a panel, and the pieces of each part.
fn cut(bytes: usize, parts: usize) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let bound = |part: usize| match part {
        part if part == parts => bytes,
        // Of 128 bits: no product of two sizes overflows.
        part => (bytes as u128 * part as u128 / parts as u128) as usize / LINE * LINE,
    };
    let mut pieces = Vec::new();
    let of_parts = (0..parts).map(|part| {
        let (first, end) = (pieces.len(), bound(part + 1));
        pieces.extend((bound(part)..end).step_by(PIECE).map(|start| start..end.min(start + PIECE)));
        first..pieces.len()
    });
    let of_parts = of_parts.collect();
    (pieces, of_parts)
}

/// How far a panel is.
enum Stage<C: Comm> {
    /// The root has not posted it.
    Unposted,
    /// It is announced by this message.
    Announced(Owned<C>),
    /// It waits for its slot.
    Slotless(Head),
    /// It arrives and is sent.
    UnderWay,
}

/// Messages from one rank, or to one.
struct Edge<C: Comm> {
    rank: usize,
    /// Pieces that are not sent yet.
    waiting: VecDeque<usize>,
    /// Pieces that MPI has.
    under_way: VecDeque<(usize, C::Transfer<'static>)>,
}

/// The edge to a rank.
fn edge<C: Comm>(edges: &mut Vec<Edge<C>>, rank: usize) -> &mut Edge<C> {
    let index = edges.iter().position(|edge| edge.rank == rank).unwrap_or_else(|| {
        edges.push(Edge { rank, waiting: VecDeque::new(), under_way: VecDeque::new() });
        edges.len() - 1
    });
    &mut edges[index]
}

/// A panel that this rank passes on.
struct Transfer<C: Comm> {
    number: u64,
    holder: Holder,
    /// Of ranks.
    route: Route,
    stage: Stage<C>,
    pieces: Vec<Range<usize>>,
    arrived: Vec<bool>,
    missing: usize,
    incoming: Vec<Edge<C>>,
    outgoing: Vec<Edge<C>>,
    heads: Vec<Owned<C>>,
}

impl<C: Comm> Transfer<C> {
    fn tag(&self) -> i32 {
        tags::HPL_PANELS.tag(self.number as usize % tags::HPL_PANELS.count())
    }

    fn has_arrived(&self) -> bool {
        matches!(self.stage, Stage::UnderWay) && self.missing == 0
    }

    fn has_finished(&self) -> bool {
        self.has_arrived()
            && self.heads.is_empty()
            && self.outgoing.iter().all(|edge| edge.waiting.is_empty() && edge.under_way.is_empty())
    }

    /// Starts the messages of a panel whose slot is this rank's: all receives, and the sends of what is
    /// there.
    fn start(&mut self, comm: &C, slots: &Slots, head: Head, traffic: &mut Traffic) -> Result<()> {
        let bytes = head.bytes.unwrap_or(0);
        if bytes > slots.capacity() {
            let text = format!(
                "panel {} of {bytes} bytes, where ranks have agreed on {}",
                head.number,
                slots.capacity()
            );
            return Err(Error::Internal(text));
        }
        let tag = self.tag();
        for &child in &self.route.children {
            self.heads.push(Owned::send(comm, head.to_bytes().to_vec(), child, tag)?);
            traffic.messages += 1;
            traffic.bytes += Head::BYTES as u64;
        }
        let (pieces, parts) = cut(bytes, self.route.parts);
        self.arrived = vec![!self.holder.received; pieces.len()];
        self.pieces = pieces;
        for &(to, part) in &self.route.sends {
            edge(&mut self.outgoing, to).waiting.extend(parts[part].clone());
        }
        if self.holder.received {
            self.missing = self.pieces.len();
            for &(from, part) in &self.route.receives {
                for piece in parts[part].clone() {
                    // SAFETY: the slot is free, and only this rank writes to it before it posts the panel.
                    // The memory stays until the transfer has finished: `Panels` leaks it otherwise.
                    let transfer = unsafe {
                        let into = slots.lasting(self.holder, self.pieces[piece].clone());
                        comm.start_receive_bytes(into, from, tag)
                    }?;
                    edge(&mut self.incoming, from).under_way.push_back((piece, transfer));
                }
            }
        }
        self.stage = Stage::UnderWay;
        self.pass_on(comm, slots, traffic)
    }

    /// Polls for completed receives and sends, and forwards what has arrived.
    fn advance(&mut self, comm: &C, slots: &Slots, traffic: &mut Traffic) -> Result<()> {
        if let Stage::Announced(head) = &mut self.stage
            && head.has_finished(comm)?
            && let Stage::Announced(head) = std::mem::replace(&mut self.stage, Stage::Unposted)
        {
            let head = head.into_buffer().try_into().expect("the length of the receive");
            self.stage = Stage::Slotless(Head::from_bytes(head));
        }
        if !matches!(self.stage, Stage::UnderWay) {
            return Ok(());
        }
        for edge in &mut self.incoming {
            while let Some((piece, transfer)) = edge.under_way.front_mut()
                && comm.has_finished(transfer)?
            {
                self.arrived[*piece] = true;
                self.missing -= 1;
                edge.under_way.pop_front();
            }
        }
        self.pass_on(comm, slots, traffic)?;
        for edge in &mut self.outgoing {
            while let Some((_, transfer)) = edge.under_way.front_mut()
                && comm.has_finished(transfer)?
            {
                edge.under_way.pop_front();
            }
        }
        while let Some(head) = self.heads.last_mut()
            && head.has_finished(comm)?
        {
            self.heads.pop();
        }
        Ok(())
    }

    /// Starts the sends of all that is there, in the order of each edge.
    fn pass_on(&mut self, comm: &C, slots: &Slots, traffic: &mut Traffic) -> Result<()> {
        let tag = self.tag();
        for edge in &mut self.outgoing {
            while let Some(&piece) = edge.waiting.front().filter(|&&piece| self.arrived[piece]) {
                // SAFETY: this rank has written or received the piece, and nobody writes to it before all
                // ranks have released the panel and this transfer has finished. The memory stays as in
                // `start`.
                let transfer = unsafe {
                    let from = slots.lasting(self.holder, self.pieces[piece].clone());
                    comm.start_send_bytes(from, edge.rank, tag)
                }?;
                edge.waiting.pop_front();
                edge.under_way.push_back((piece, transfer));
                traffic.messages += 1;
                traffic.bytes += self.pieces[piece].len() as u64;
            }
        }
        Ok(())
    }
}

/// The panels that this rank receives or sends.
pub struct Network<C: Comm> {
    transfers: Vec<Transfer<C>>,
    /// Panels from other nodes that this rank has posted for its node.
    posted: u64,
    /// The numbers of the last panels in this rank's slots for panels from other nodes.
    occupants: Vec<Option<u64>>,
    traffic: Traffic,
}

impl<C: Comm> Network<C> {
    /// With as many slots for panels from other nodes.
    pub fn new(slots: usize) -> Self {
        Self { transfers: Vec::new(), posted: 0, occupants: vec![None; slots], traffic: Traffic::default() }
    }

    /// The messages of this rank to other nodes.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Whether nothing is to be received or sent.
    pub fn is_idle(&self) -> bool {
        self.transfers.is_empty()
    }

    /// Whether this panel is to be received or sent.
    pub fn has(&self, number: u64) -> bool {
        self.transfers.iter().any(|transfer| transfer.number == number)
    }

    /// Whether this panel or one before it is to be received or sent.
    pub fn has_up_to(&self, number: u64) -> bool {
        self.transfers.iter().any(|transfer| transfer.number <= number)
    }

    /// Adds a panel that this rank holds.
    ///
    /// # Errors
    /// Of MPI.
    pub fn begin(&mut self, comm: &C, number: u64, holder: Holder, route: Route) -> Result<()> {
        let mut transfer = Transfer {
            number,
            holder,
            route,
            stage: Stage::Unposted,
            pieces: Vec::new(),
            arrived: Vec::new(),
            missing: 0,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            heads: Vec::new(),
        };
        if holder.received {
            let from = transfer.route.receives[0].0;
            transfer.stage =
                Stage::Announced(Owned::receive(comm, vec![0; Head::BYTES], from, transfer.tag())?);
        }
        self.transfers.push(transfer);
        Ok(())
    }

    /// Sends a panel that its root has posted or dropped.
    ///
    /// # Errors
    /// Of MPI.
    pub fn post(&mut self, comm: &C, slots: &Slots, head: Head) -> Result<()> {
        match self.transfers.iter_mut().find(|transfer| transfer.number == head.number) {
            Some(transfer) => transfer.start(comm, slots, head, &mut self.traffic),
            None => Ok(()),
        }
    }

    /// Does what is possible now.
    ///
    /// # Errors
    /// Of MPI.
    pub fn advance(&mut self, comm: &C, slots: &Slots) -> Result<()> {
        for index in 0..self.transfers.len() {
            self.transfers[index].advance(comm, slots, &mut self.traffic)?;
            let Transfer { stage: Stage::Slotless(head), holder, number, .. } = self.transfers[index] else {
                continue;
            };
            if self.is_free(slots, holder) {
                self.occupants[slots.slot(holder)] = Some(number);
                // All have released the panel that the slot had, and nothing is sent from it.
                slots.write_head(holder, head);
                self.transfers[index].start(comm, slots, head, &mut self.traffic)?;
            }
        }
        self.show(slots);
        let posted = self.posted;
        self.transfers.retain(|transfer| {
            !transfer.has_finished() || (transfer.holder.received && transfer.holder.turn >= posted)
        });
        Ok(())
    }

    /// Whether a slot for panels from other nodes may be written: its last panel was posted, sent on, and
    /// released.
    fn is_free(&self, slots: &Slots, holder: Holder) -> bool {
        holder.turn < self.posted + slots.received() as u64
            && self.occupants[slots.slot(holder)]
                .is_none_or(|last| !self.has(last) && slots.is_released(last))
    }

    /// Posts what has arrived from other nodes, in order.
    fn show(&mut self, slots: &Slots) {
        let next = |posted: u64| {
            let is_next = |holder: Holder| holder.received && holder.turn == posted;
            self.transfers.iter().find(|transfer| is_next(transfer.holder) && transfer.has_arrived())
        };
        let mut posted = self.posted;
        while let Some(transfer) = next(posted) {
            slots.post(transfer.holder);
            posted += 1;
        }
        self.posted = posted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_panel_in_order() {
        for bytes in [0, 1, 63, 64, 65, 1000, PIECE, PIECE + 1, 5 * PIECE + 77] {
            for parts in [1, 2, 3, 7, 130] {
                let (pieces, of_parts) = cut(bytes, parts);
                let ends: usize = pieces.iter().fold(0, |end, piece| {
                    assert!(piece.start == end && !piece.is_empty() && piece.len() <= PIECE);
                    piece.end
                });
                let last = of_parts.iter().fold(0, |end, part| {
                    assert_eq!(part.start, end);
                    part.end
                });
                assert_eq!((ends, last, of_parts.len()), (bytes, pieces.len(), parts));
            }
        }
    }
}
