//! Routing by asynchronous copies with events, Figure 6 of Jin et al. 2011.
//!
//! Idea: in each stage an image divides its values, and the values that have arrived in the previous stage,
//! into values that stay and values that leave. The values that leave are laid out in a slot of its coarray;
//! a copy moves them to the slot of the receiver when an event (`received`) signals that this slot is empty,
//! and notifies another event (`delivered`) there. The copy overlaps with the division for the next stage.
//! Values that do not fit in a slot, which occur with skewed streams, are sent in pieces, for which the
//! sender waits while it serves others.
//!
//! Restrictions: none; if the number of images is not a power of two, the stages follow recursive halving.
//! Cost: per round of Q/2 values log2 P copies of Q/4 values on average, each with two notifications; two
//! further copies within memory per value and stage. Memory: the edges, and two lists of Q values per stage.
//! Look-ahead: as in the rounds of messages, an image that has completed a round knows that all images have
//! started it, and have therefore applied the round before: the values of two rounds are open.
//! Source: Jin et al. 2011, §III-C and Figure 6; pieces, two slots per edge and any number of images are our
//! own.

use super::edges::{Outgoing, Routes, SLOTS, WORD};
use super::exchange::Exchange;
use hcube_caf::copy::Side;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::{Region, bytes_of, bytes_of_mut};
use hcube_core::progress::wait::Stopwatch;
use hcube_random_access::divide::Divider;
use hcube_random_access::local_table::LocalTable;
use hcube_random_access::source::Source;
use hcube_random_access::statistics::Statistics;
use hcube_random_access::work::{DIVIDE, GENERATE, UPDATE};

/// In the first word of a slot, in addition to the number of values: further pieces follow.
const MORE: u64 = 1 << 32;

/// Values that did not fit in a slot.
struct Rest {
    edge: usize,
    values: Vec<u64>,
    /// How many of them were sent.
    sent: usize,
}

/// The routing of one image.
struct Router<'a, C: Comm> {
    with: &'a Exchange<'a, C>,
    routes: &'a Routes,
    /// Pieces that each edge has carried.
    sent: Vec<usize>,
    taken: Vec<usize>,
    rests: Vec<Rest>,
    /// The received values of a slot: memory that other images write is never a slice.
    buffer: Vec<u64>,
    statistics: Statistics,
    watch: Stopwatch,
}

/// Runs `rounds` rounds, the same number on all images.
pub(super) fn run<C: Comm>(
    with: &Exchange<'_, C>,
    routes: &Routes,
    rounds: u64,
    source: &mut Source,
    table: &mut LocalTable<'_>,
) -> Result<Statistics> {
    let mut dividers: Vec<Divider<'_>> = routes.plan.stages.iter().map(|stage| with.divider(stage)).collect();
    let mut router = Router {
        with,
        routes,
        sent: vec![0; routes.outgoing.len()],
        taken: vec![0; routes.incoming.len()],
        rests: Vec::new(),
        buffer: vec![0; routes.capacity + 1],
        statistics: Statistics::default(),
        watch: Stopwatch::default(),
    };
    let mut list = Vec::new();
    for round in 0..rounds {
        router.watch = Stopwatch::start(Statistics::sampled(round));
        source.generate(with.options.round(), &mut list);
        with.comm.charge(GENERATE.of(list.len()));
        router.statistics.generate += router.watch.lap();
        router.one_round(&mut dividers, &mut list, table)?;
        if with.options.look_ahead == 1 && !with.options.relaxed {
            // Two rounds of one value would be open at the same time: wait until this one is applied.
            with.runtime.barrier(with.runtime.world())?;
        }
    }
    // Until all have come here, each takes what others send. The next run begins with the first slots.
    with.runtime.cofence()?;
    with.runtime.barrier(with.runtime.world())?;
    let lists: usize = dividers.iter().map(Divider::bytes).sum();
    let mut statistics = router.statistics;
    (statistics.rounds, statistics.stages) = (rounds, routes.stages() as u64);
    statistics.memory = (routes.bytes() + lists + (list.capacity() + routes.capacity) * WORD) as u64;
    Ok(statistics)
}

impl<C: Comm> Router<'_, C> {
    fn one_round(
        &mut self,
        dividers: &mut [Divider<'_>],
        list: &mut Vec<u64>,
        table: &mut LocalTable<'_>,
    ) -> Result<()> {
        // Values that were sent in earlier rounds may be overwritten.
        self.with.runtime.cofence()?;
        for (stage, divider) in dividers.iter_mut().enumerate() {
            self.divide(divider, list);
            if let Some(before) = stage.checked_sub(1) {
                self.receive(before, |router, values| router.divide(divider, values))?;
            }
            let held = divider.held();
            self.count_held(held);
            self.send(stage, divider)?;
            let own = self.routes.plan.stages[stage].own;
            std::mem::swap(list, &mut divider.parts[own]);
            divider.parts.iter_mut().for_each(Vec::clear);
            self.statistics.route += self.watch.lap();
        }
        let mut held = list.len();
        self.update(table, list);
        if let Some(last) = dividers.len().checked_sub(1) {
            self.receive(last, |router, values| {
                held += values.len();
                router.update(table, values);
            })?;
        }
        self.count_held(held);
        while !self.rests.is_empty() {
            self.wait_for(None)?;
        }
        // The look-ahead relies on it that a round is applied before the next one begins.
        table.flush();
        self.statistics.update += self.watch.lap();
        Ok(())
    }

    fn divide(&mut self, divider: &mut Divider<'_>, values: &[u64]) {
        divider.divide(values);
        self.with.comm.charge(DIVIDE.of(values.len() * divider.passes()));
        self.statistics.route += self.watch.lap();
    }

    fn update(&mut self, table: &mut LocalTable<'_>, values: &[u64]) {
        table.update(values);
        self.with.comm.charge(UPDATE.of(values.len()));
        self.statistics.update += self.watch.lap();
    }

    /// Counts the values that this image holds while routing.
    fn count_held(&mut self, values: usize) {
        self.statistics.excess += values.saturating_sub(self.with.options.look_ahead) as u64;
        self.statistics.most_held = self.statistics.most_held.max(values as u64);
    }

    /// Sends what leaves in a stage.
    fn send(&mut self, stage: usize, divider: &Divider<'_>) -> Result<()> {
        let routes = self.routes;
        for (edge, Outgoing { send, .. }) in
            routes.outgoing.iter().enumerate().filter(|(_, edge)| edge.stage == stage)
        {
            let part = &divider.parts[send.part];
            let values = &part[send.cut(part.len())];
            if values.len() <= routes.capacity {
                self.copy(edge, values, false, true)?;
            } else {
                self.rests.push(Rest { edge, values: values.to_vec(), sent: 0 });
            }
        }
        Ok(())
    }

    /// Starts the copy of a piece to the receiver of an edge; waits for its slot on request.
    fn copy(&mut self, edge: usize, values: &[u64], more: bool, waits: bool) -> Result<()> {
        let (routes, runtime, own) = (self.routes, self.with.runtime, self.with.comm.rank());
        let Outgoing { send, number_there, .. } = &routes.outgoing[edge];
        let turn = self.sent[edge] % SLOTS;
        self.sent[edge] += 1;
        let (here, there) = (SLOTS * edge + turn, SLOTS * number_there + turn);
        let head = values.len() as u64 | if more { MORE } else { 0 };
        let bytes = (values.len() + 1) * WORD;
        let at = routes.out_offset(here);
        runtime.write_own(routes.buffers, at, bytes_of(&[head]))?;
        runtime.write_own(routes.buffers, at + WORD, bytes_of(values))?;
        self.with.comm.settle();
        let destination = Side::Coarray(routes.buffers, send.to, routes.in_offset(there));
        let source = Side::Coarray(routes.buffers, own, at);
        let predicate = waits.then_some((routes.received, here, own));
        runtime.copy_async(
            destination,
            source,
            bytes,
            Some((routes.delivered, there, send.to)),
            predicate,
        )?;
        if runtime.is_on_node(send.to) {
            self.statistics.shared_bytes += bytes as u64;
        } else {
            self.statistics.messages += 1;
            self.statistics.message_bytes += bytes as u64;
        }
        Ok(())
    }

    /// Passes all values that come in during a stage to `take`.
    fn receive(&mut self, stage: usize, mut take: impl FnMut(&mut Self, &[u64])) -> Result<()> {
        let routes = self.routes;
        for (edge, from) in routes.incoming.iter().enumerate().filter(|(_, edge)| edge.stage == stage) {
            loop {
                let turn = self.taken[edge] % SLOTS;
                self.taken[edge] += 1;
                let slot = SLOTS * edge + turn;
                self.wait_for(Some(slot))?;
                let more = self.read(slot)?;
                let buffer = std::mem::take(&mut self.buffer);
                self.statistics.wait += self.watch.lap();
                take(self, &buffer[1..=(buffer[0] & !MORE) as usize]);
                self.buffer = buffer;
                self.with.runtime.notify(routes.received, SLOTS * from.number_there + turn, from.from)?;
                if !more {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Reads a slot into the buffer. Whether more pieces follow.
    fn read(&mut self, slot: usize) -> Result<bool> {
        let (routes, runtime, own) = (self.routes, self.with.runtime, self.with.comm.rank());
        let at = routes.in_offset(slot);
        runtime.get(routes.buffers, own, at, Region::of(bytes_of_mut(&mut self.buffer[..1])))?;
        let count = (self.buffer[0] & !MORE) as usize;
        let values = Region::of(bytes_of_mut(&mut self.buffer[1..=count]));
        runtime.get(routes.buffers, own, at + WORD, values)?;
        Ok(self.buffer[0] & MORE != 0)
    }

    /// Waits until a slot is full and sends pieces meanwhile; without a slot, sends a piece.
    fn wait_for(&mut self, slot: Option<usize>) -> Result<()> {
        let (routes, runtime) = (self.routes, self.with.runtime);
        if let (Some(slot), true) = (slot, self.rests.is_empty()) {
            return runtime.wait_event(routes.delivered, slot);
        }
        loop {
            let empty = |rest: &Rest| (routes.received, SLOTS * rest.edge + self.sent[rest.edge] % SLOTS);
            let mut events: Vec<_> = self.rests.iter().map(empty).collect();
            events.extend(slot.map(|slot| (routes.delivered, slot)));
            let found = runtime.wait_any(&events)?;
            if found == self.rests.len() {
                return Ok(());
            }
            self.send_piece(found)?;
            if slot.is_none() {
                return Ok(());
            }
        }
    }

    /// Sends the next piece of what did not fit, for which there is room.
    fn send_piece(&mut self, number: usize) -> Result<()> {
        let mut rest = self.rests.swap_remove(number);
        let end = rest.values.len().min(rest.sent + self.routes.capacity);
        let more = end < rest.values.len();
        self.copy(rest.edge, &rest.values[rest.sent..end], more, false)?;
        if more {
            rest.sent = end;
            self.rests.push(rest);
        }
        Ok(())
    }
}
