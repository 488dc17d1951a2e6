//! Shipped functions: the owner of the words applies the updates of other images.
//!
//! Idea: an image divides its generated values by owner and ships the values for each owner, a few hundred at
//! most, as the argument of a function, which applies them; it applies its own values itself. A function that
//! the owner ships back acknowledges applied values, so an image generates more values as soon as the
//! look-ahead permits it, and no image waits for the slowest one. One finish block encloses the whole run: at
//! its end all functions have run on all images.
//!
//! Restrictions: none. Cost: per Q values one function of up to [`BATCH_VALUES`] to each owner, and an
//! acknowledgement; if images have fewer values than owners, this is two messages per value. Memory: two
//! lists of Q words. Look-ahead: values are outstanding until their acknowledgement has arrived, also while
//! they are in the delay line of their owner.
//! Source: Jin et al. 2011, Table II, which lists function shipping for RandomAccess without a program;
//! finish blocks: Yang, Murthy, Mellor-Crummey 2013 ([`hcube_caf`]); batches and acknowledgements are our
//! own.

use super::exchange::Exchange;
use super::run_state::{RunState, SharedState};
use hcube_caf::Runtime;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::bytes_of;
use hcube_core::plan::Parting;
use hcube_core::progress::wait::Stopwatch;
use hcube_random_access::divide::Divider;
use hcube_random_access::local_table::LocalTable;
use hcube_random_access::source::Source;
use hcube_random_access::statistics::Statistics;
use hcube_random_access::work::{DIVIDE, GENERATE, UPDATE};
use std::rc::Rc;

/// Values of one function: with its head a record of the rings of a node
/// ([`hcube_core::node::rings::MAX_BYTES`]).
const BATCH_VALUES: usize = 126;

/// Values that are generated and divided at a time; see `on_node` of `hcube-random-access`.
const GENERATED_VALUES: usize = 128;

/// Parts of the look-ahead; one part is generated at a time. Two if every image has a core: it continues
/// while others apply the rest (2 ranks on 2 cores 9 % faster, 8 ranks 3 % slower).
const fn parts(crowded: bool) -> usize {
    if crowded { 1 } else { 2 }
}

/// An image generates when there is room for this part, a quarter, of the values that it generates at a time.
const FRACTION: usize = 4;

/// The functions that images ship, and the state that they share with the program.
#[derive(Debug)]
pub(super) struct Functions {
    /// The function that applies values.
    apply: usize,
    /// The function that acknowledges applied values.
    acknowledge: usize,
    state: SharedState,
}

impl Functions {
    /// Registers them, on all images.
    pub fn register<C: Comm>(runtime: &Runtime<C>) -> Self {
        let state = SharedState::default();
        let own = state.clone();
        let acknowledge = runtime.register(Rc::new(move |_, _, bytes| {
            let mut state = own.lock();
            state.outstanding -= bytes.first_chunk().map_or(0, |&word| u64::from_ne_bytes(word)) as usize;
            state.executed += 1;
        }));
        let own = state.clone();
        let apply = runtime.register(Rc::new(move |runtime, from, bytes| {
            let mut state = own.lock();
            state.update(from, bytes);
            if state.is_draining {
                state.flush();
                drop(state);
                // It fails only if an image has failed, and the program's next wait reports that.
                drop(acknowledge_applied(runtime, &own, acknowledge));
            }
        }));
        Self { apply, acknowledge, state }
    }
}

/// Acknowledges values of other images that are applied.
fn acknowledge_applied<C: Comm>(runtime: &Runtime<C>, state: &SharedState, acknowledge: usize) -> Result<()> {
    loop {
        let applied = state.lock().next_applied();
        let Some((image, values)) = applied else { return Ok(()) };
        runtime.spawn(runtime.world(), image, acknowledge, bytes_of(&[values]), None)?;
    }
}

/// Runs until all values of all images are applied.
pub(super) fn run<C: Comm>(
    with: &Exchange<'_, C>,
    functions: &Functions,
    source: &mut Source,
    table: &mut LocalTable<'_>,
) -> Result<Statistics> {
    let images = with.comm.size();
    let parting = Parting::Ranks((0..=images).collect());
    let mut shipping = Shipping {
        with,
        functions,
        divider: Divider::new(&parting, images, with.distribution, with.index, with.level),
        fresh: Vec::new(),
        bound: with.options.look_ahead * if with.options.relaxed { 2 } else { 1 },
        statistics: Statistics::default(),
        watch: Stopwatch::default(),
    };
    functions.state.run_with(table, || {
        // No image ships before the tables of all are in place.
        with.runtime.barrier(with.runtime.world())?;
        with.runtime.begin_finish(with.runtime.world())?;
        shipping.ship_all(source)?;
        with.runtime.end_finish()?;
        shipping.charge();
        let mut state = functions.state.lock();
        state.flush();
        if state.outstanding > 0 {
            return Err(Error::Internal(format!("{} values are outstanding at the end", state.outstanding)));
        }
        Ok(())
    })?;
    let mut statistics = shipping.statistics;
    let lists = shipping.divider.bytes() + shipping.fresh.capacity() * size_of::<u64>();
    (statistics.stages, statistics.memory) = (1, lists as u64);
    Ok(statistics)
}

/// The run of one image.
struct Shipping<'a, C: Comm> {
    with: &'a Exchange<'a, C>,
    functions: &'a Functions,
    divider: Divider<'a>,
    fresh: Vec<u64>,
    /// Values that may be outstanding.
    bound: usize,
    statistics: Statistics,
    watch: Stopwatch,
}

impl<C: Comm> Shipping<'_, C> {
    fn state(&self) -> std::sync::MutexGuard<'_, RunState> {
        self.functions.state.lock()
    }

    /// Ships all values, and applies what arrives meanwhile.
    fn ship_all(&mut self, source: &mut Source) -> Result<()> {
        let runtime = self.with.runtime;
        let most = (self.bound / parts(self.with.crowded)).max(1);
        let enough = (most / FRACTION).max(1);
        while source.left() > 0 {
            self.watch = Stopwatch::start(Statistics::sampled(self.statistics.rounds));
            let (executed, room) = self.look();
            if room >= enough || room > 0 && self.state().outstanding == 0 {
                self.produce(source, room.min(most))?;
            }
            runtime.progress()?;
            self.charge();
            self.statistics.update += self.watch.lap();
            if self.state().executed == executed {
                // Others may wait for acknowledgements of values that are still in the delay line.
                self.state().flush();
                self.acknowledge()?;
                let (executed, room) = self.look();
                if room < enough && self.state().outstanding > 0 {
                    runtime.wait_until(|| self.state().executed != executed)?;
                }
                self.statistics.wait += self.watch.lap();
            }
            self.acknowledge()?;
        }
        let mut state = self.state();
        state.is_draining = true;
        state.flush();
        drop(state);
        self.acknowledge()
    }

    /// Functions that have run here, and the room in the look-ahead.
    fn look(&self) -> (u64, usize) {
        let mut state = self.state();
        let outstanding = state.outstanding + state.with_table(|table| table.waiting());
        (state.executed, self.bound.saturating_sub(outstanding))
    }

    fn acknowledge(&self) -> Result<()> {
        acknowledge_applied(self.with.runtime, &self.functions.state, self.functions.acknowledge)
    }

    /// Simulated work of functions that have run.
    fn charge(&self) {
        self.with.comm.charge(UPDATE.of(self.state().take_arrived()));
        self.with.comm.settle();
    }

    /// Generates `count` values, applies this image's own and ships the others.
    fn produce(&mut self, source: &mut Source, count: usize) -> Result<()> {
        let (comm, own) = (self.with.comm, self.with.comm.rank());
        let mut left = count;
        while left > 0 && source.left() > 0 {
            source.generate(left.min(GENERATED_VALUES), &mut self.fresh);
            left -= self.fresh.len();
            comm.charge(GENERATE.of(self.fresh.len()));
            self.statistics.generate += self.watch.lap();
            self.divider.divide(&self.fresh);
            comm.charge(DIVIDE.of(self.fresh.len() * self.divider.passes()));
            self.statistics.route += self.watch.lap();
            let mine = &mut self.divider.parts[own];
            self.functions.state.lock().with_table(|table| table.update(mine));
            comm.charge(UPDATE.of(mine.len()));
            mine.clear();
            self.statistics.update += self.watch.lap();
        }
        comm.settle();
        let images = self.divider.parts.len();
        // Behind itself, so that not all ship to the same image at first.
        for to in (1..images).map(|distance| (own + distance) % images) {
            let list = std::mem::take(&mut self.divider.parts[to]);
            self.ship(to, &list)?;
            self.divider.parts[to] = list;
            self.divider.parts[to].clear();
        }
        self.statistics.rounds += 1;
        self.statistics.route += self.watch.lap();
        Ok(())
    }

    /// Ships values to their owner.
    fn ship(&mut self, to: usize, values: &[u64]) -> Result<()> {
        let runtime = self.with.runtime;
        self.state().outstanding += values.len();
        for batch in values.chunks(BATCH_VALUES) {
            runtime.spawn(runtime.world(), to, self.functions.apply, bytes_of(batch), None)?;
            if runtime.is_on_node(to) {
                self.statistics.shared_bytes += size_of_val(batch) as u64;
            } else {
                self.statistics.messages += 1;
                self.statistics.message_bytes += size_of_val(batch) as u64;
            }
        }
        Ok(())
    }
}
