//! The state of an image between runs, and a run from arguments to statistics.

use super::edges::Routes;
use super::exchange::Exchange;
use super::spawn::Functions;
use super::{events, spawn};
use hcube_caf::Runtime;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::machine::instructions::Level;
use hcube_core::node::processor::crowded;
use hcube_random_access::update::run_by;
use hcube_random_access::{Distribution, Mode, Options, Statistics, Updates};

/// The state of an image between runs.
#[derive(Debug)]
pub struct Images {
    options: Options,
    level: Level,
    images: usize,
    nodes: usize,
    /// Whether images share cores.
    crowded: bool,
    /// For [`Mode::Events`].
    routes: Option<Routes>,
    /// Functions stay registered, so the functions of the first set-up are used by all later ones.
    functions: Option<Functions>,
}

/// Whether images that were prepared for some options can run with others.
pub fn serve_alike(prepared: &Options, options: &Options) -> bool {
    let relevant = |options: &Options| {
        let Options { look_ahead, mode, dimensions, relaxed, .. } = *options;
        (look_ahead, mode, dimensions, relaxed)
    };
    relevant(prepared) == relevant(options)
}

impl Images {
    /// Collective over all images: the state in `kept` if it serves these options, or a new one instead.
    ///
    /// # Errors
    /// On all images, where one has no memory.
    pub fn prepare<'a, C: Comm>(
        kept: &'a mut Option<Self>,
        comm: &C,
        runtime: &Runtime<C>,
        options: &Options,
    ) -> Result<&'a mut Self> {
        if !kept.as_ref().is_some_and(|images| serve_alike(&images.options, options)) {
            let mut functions = None;
            if let Some(before) = kept.take() {
                functions = before.functions;
                before.routes.map_or(Ok(()), |routes| routes.free(runtime))?;
            }
            *kept = Some(Self::new(comm, runtime, options, functions)?);
        }
        Ok(kept.as_mut().expect("just made"))
    }

    fn new<C: Comm>(
        comm: &C,
        runtime: &Runtime<C>,
        options: &Options,
        functions: Option<Functions>,
    ) -> Result<Self> {
        let (own, images) = (comm.rank(), comm.size());
        let is_first = !(0..own).any(|image| runtime.is_on_node(image));
        let nodes = comm.all_gather(&[u64::from(is_first)])?.iter().sum::<u64>() as usize;
        let crowded = crowded(comm, &comm.node_numbers()?)?;
        let routes = match options.mode {
            Mode::Events => Some(Routes::new(comm, runtime, options)?),
            _ => None,
        };
        let functions = match options.mode {
            Mode::Spawn => Some(functions.unwrap_or_else(|| Functions::register(runtime))),
            _ => functions,
        };
        Ok(Self { options: *options, level: Level::detect(), images, nodes, crowded, routes, functions })
    }

    /// Collective over all images: as [`hcube_random_access::run`].
    ///
    /// # Errors
    /// As that.
    pub fn run<C: Comm>(
        &mut self,
        comm: &C,
        runtime: &Runtime<C>,
        distribution: Distribution,
        words: &mut [u64],
        updates: &Updates,
        options: &Options,
    ) -> Result<Statistics> {
        let index = distribution.index(updates.kind);
        let at = (distribution, self.level);
        run_by(comm, at, words, updates, options, |source, table| {
            let mut largest = [updates.count];
            comm.all_reduce_max(&mut largest)?;
            let (level, crowded) = (self.level, self.crowded);
            let exchange = Exchange { comm, runtime, options, distribution, index, level, crowded };
            let done = match (&self.routes, &self.functions) {
                (Some(routes), _) => {
                    let rounds = (largest[0] as u64).div_ceil(options.round() as u64);
                    events::run(&exchange, routes, rounds, source, table)
                }
                (None, Some(functions)) => spawn::run(&exchange, functions, source, table),
                (None, None) => unreachable!("a mode on coarrays"),
            };
            // Other images wait for this one: an error cannot be returned any more.
            Ok(done.unwrap_or_else(|error| comm.abort(&error)))
        })
    }

    /// One line about what a run does.
    pub fn describe(&self) -> String {
        let plural =
            |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        let path = match &self.routes {
            Some(routes) => format!("copies with events in {}", plural(routes.stages(), "stage")),
            None => "shipped functions".to_owned(),
        };
        let rule = if self.options.relaxed { "relaxed" } else { "strict" };
        let (ranks, nodes) = (plural(self.images, "rank"), plural(self.nodes, "node"));
        let (look_ahead, level) = (self.options.look_ahead, self.level.name());
        format!("{ranks}, {nodes}, coarrays, {path}, look-ahead {look_ahead} ({rule}), {level}")
    }
}
