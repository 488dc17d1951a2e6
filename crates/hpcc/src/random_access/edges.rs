//! The pairs of images that exchange values in each stage, and the locations of these edges in coarrays and
//! among events.
//!
//! Idea: the stages follow the hypercube, as for ranks without nodes ([`hcube_core::plan`]). An edge leads
//! from an image to another image in one stage. It has two slots in a coarray of the receiver, where values
//! arrive, and two in a coarray of the sender, where they are laid out; two events of the receiver signal
//! full slots, two of the sender empty slots. Both sides number their edges; a sender computes the number
//! that the receiver has assigned to an edge.
//!
//! Restrictions: none; any number of images. Cost: a plan per edge when it is set up. Memory: four slots per
//! edge, with the expected number of values and six standard deviations.

use hcube_caf::coarray::Use;
use hcube_caf::{Handle, Runtime};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::plan::{Plan, Routing, Send, Topology, Transport};
use hcube_random_access::Options;

/// Slots of an edge: what comes in may be read while the next values arrive.
pub(super) const SLOTS: usize = 2;
/// Bytes of a word.
pub(super) const WORD: usize = size_of::<u64>();

/// An edge to another image.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub stage: usize,
    pub send: Send,
    /// Its number at the receiver.
    pub number_there: usize,
}

/// An edge from another image.
#[derive(Debug)]
pub(super) struct Incoming {
    pub stage: usize,
    pub from: usize,
    /// Its number at the sender.
    pub number_there: usize,
}

/// The edges of an image.
#[derive(Debug)]
pub(super) struct Routes {
    pub plan: Plan,
    pub outgoing: Vec<Outgoing>,
    pub incoming: Vec<Incoming>,
    /// Values of a slot; a word with their number lies before them.
    pub capacity: usize,
    /// Slots for incoming values, on every image; slots for outgoing values follow them.
    incoming_slots: usize,
    pub buffers: Handle,
    /// Slots of incoming edges that are full.
    pub delivered: Handle,
    /// Slots of outgoing edges that are empty at the receiver.
    pub received: Handle,
}

/// The edges of a plan: stage and what is sent, stage and who sends.
type Edges = (Vec<(usize, Send)>, Vec<(usize, usize)>);

fn edges(plan: &Plan) -> Edges {
    let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
    for (number, stage) in plan.stages.iter().enumerate() {
        let Transport::Messages { sends, receives } = &stage.transport else { continue };
        outgoing.extend(sends.iter().map(|&send| (number, send)));
        incoming.extend(receives.iter().map(|source| (number, source.from)));
    }
    (outgoing, incoming)
}

/// Values of a slot: the expected number of the largest message, six standard deviations and a few.
fn capacity(round: usize, outgoing: &[(usize, Send)]) -> usize {
    let expected = |&(_, send): &(usize, Send)| round as f64 * send.mean.0 as f64 / send.mean.1 as f64;
    let expected = outgoing.iter().map(expected).fold(0.0, f64::max);
    (expected + 6.0 * expected.sqrt()).ceil() as usize + 16
}

impl Routes {
    /// Collective over all images.
    ///
    /// # Errors
    /// On all images, where one has no memory.
    pub fn new<C: Comm>(comm: &C, runtime: &Runtime<C>, options: &Options) -> Result<Self> {
        let (own, topology) = (comm.rank(), Topology::without_nodes(comm.size()));
        let routing = Routing { dimensions: options.dimensions, three_hop: false };
        let plan_of = |image| Plan::new(&topology, image, routing);
        let plan = plan_of(own);
        let (outgoing, incoming) = edges(&plan);
        let mut most =
            [outgoing.len(), incoming.len(), capacity(options.round(), &outgoing)].map(|most| most as i64);
        comm.all_reduce_max(&mut most)?;
        let [most_out, most_in, capacity] = most.map(|most| most as usize);
        let there = |image: usize, find: &dyn Fn(&Edges) -> Option<usize>| {
            find(&edges(&plan_of(image))).expect("both sides plan the same edges")
        };
        let outgoing = outgoing.into_iter().map(|(stage, send)| {
            let is_it = |edge: &(usize, usize)| *edge == (stage, own);
            let number_there = there(send.to, &|(_, incoming)| incoming.iter().position(is_it));
            Outgoing { stage, send, number_there }
        });
        let incoming = incoming.into_iter().map(|(stage, from)| {
            let is_it = |edge: &(usize, Send)| edge.0 == stage && edge.1.to == own;
            let number_there = there(from, &|(outgoing, _)| outgoing.iter().position(is_it));
            Incoming { stage, from, number_there }
        });
        let (outgoing, incoming): (Vec<_>, Vec<_>) = (outgoing.collect(), incoming.collect());
        let world = runtime.world();
        let bytes = SLOTS * (most_in + most_out) * (capacity + 1) * WORD;
        let buffers = runtime.allocate(world, bytes, Use::Data)?;
        let delivered = runtime.allocate_events(world, SLOTS * most_in)?;
        let received = runtime.allocate_events(world, SLOTS * most_out)?;
        for slot in 0..SLOTS * outgoing.len() {
            runtime.notify(received, slot, own)?;
        }
        let incoming_slots = SLOTS * most_in;
        Ok(Self { plan, outgoing, incoming, capacity, incoming_slots, buffers, delivered, received })
    }

    /// Collective over all images.
    ///
    /// # Errors
    /// Where an image has failed.
    pub fn free<C: Comm>(self, runtime: &Runtime<C>) -> Result<()> {
        runtime.free(self.received, Use::Events)?;
        runtime.free(self.delivered, Use::Events)?;
        runtime.free(self.buffers, Use::Data)
    }

    /// Number of stages.
    pub fn stages(&self) -> usize {
        self.plan.stages.len()
    }

    /// Offset of a slot for what comes in.
    pub fn in_offset(&self, slot: usize) -> usize {
        slot * (self.capacity + 1) * WORD
    }

    /// Offset of a slot for outgoing values.
    pub fn out_offset(&self, slot: usize) -> usize {
        (self.incoming_slots + slot) * (self.capacity + 1) * WORD
    }

    /// Bytes of all slots of this image.
    pub fn bytes(&self) -> usize {
        SLOTS * (self.incoming.len() + self.outgoing.len()) * (self.capacity + 1) * WORD
    }
}
