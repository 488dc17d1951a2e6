//! The state of a communicator: for the modes on coarrays their options and the statistics of the last run,
//! for all other modes the state of `hcube-random-access`.

use super::images::{Images, serve_alike};
use crate::process;
use hcube_caf::Runtime;
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::mpi::{MpiComm, lifetime};
use hcube_random_access::{Distribution, Options, Statistics, UpdateState, Updates};

/// The state of a rank for some options.
#[derive(Debug)]
pub struct State {
    path: Path,
    /// Of the last run.
    statistics: Statistics,
}

#[derive(Debug)]
enum Path {
    Routed(Box<UpdateState>),
    /// The images belong to the process; `line` describes them.
    Images {
        options: Options,
        line: String,
    },
}

/// Collective over all processes of the job: runs `work` with the runtime and the images for these options.
///
/// # Errors
/// On all ranks, for a communicator that is not congruent to `MPI_COMM_WORLD` and if coarrays are not
/// available; errors of `work`.
fn with_images<T>(
    comm: &MpiComm,
    options: &Options,
    work: impl FnOnce(&Runtime<MpiComm>, &mut Images) -> Result<T>,
) -> Result<T> {
    agree(comm, check_world(comm, options))?;
    process::with(comm, |runtime, state| {
        let images = Images::prepare(&mut state.random_access, comm, runtime, options)?;
        work(runtime, images)
    })
}

/// Checks that the ranks of a communicator are the images.
fn check_world(comm: &MpiComm, options: &Options) -> Result<()> {
    if process::is_world(comm)? {
        return Ok(());
    }
    let (_, all) = lifetime::world_place()?;
    let given = format!("{} on a communicator of {} of {all} processes", options.mode.name(), comm.size());
    let expected = "a communicator congruent to MPI_COMM_WORLD, whose processes are the images";
    Err(Error::argument("options.mode", given, expected))
}

impl From<UpdateState> for State {
    fn from(state: UpdateState) -> Self {
        Self { path: Path::Routed(Box::new(state)), statistics: Statistics::default() }
    }
}

impl State {
    /// Collective: performs the set-up for these options; one rank needs no images.
    ///
    /// # Errors
    /// On all ranks: as [`UpdateState::new`] and [`process::with`].
    pub fn new(comm: &MpiComm, options: &Options) -> Result<Self> {
        let path = if options.mode.uses_coarrays() && comm.size() > 1 {
            let line = with_images(comm, options, |_, images| Ok(images.describe()))?;
            Path::Images { options: *options, line }
        } else {
            Path::Routed(Box::new(UpdateState::new(comm, options)?))
        };
        Ok(Self { path, statistics: Statistics::default() })
    }

    /// Collective: the state for the options of all ranks, the existing one if it serves them; and the
    /// options.
    ///
    /// # Errors
    /// On all ranks: as [`Self::new`]; the error that a rank passes for its options; [`Error::Mismatch`] if
    /// they differ.
    pub fn prepare<'a>(
        comm: &MpiComm,
        kept: &'a mut Option<Self>,
        options: Result<Options>,
    ) -> Result<(&'a mut Self, Options)> {
        let options = agree(comm, options)?;
        agree_on(comm, &options.agreement())?;
        if !kept.as_ref().is_some_and(|kept| kept.serves(&options)) {
            let before = kept.take();
            let mut state = Self::new(comm, &options)?;
            // The statistics of the last run outlive a change of options.
            state.statistics = before.map_or(state.statistics, |before| before.statistics);
            *kept = Some(state);
        }
        Ok((kept.as_mut().expect("just made"), options))
    }

    /// Collective: as [`hcube_random_access::run`], in the mode of the options, for which the state was
    /// [prepared](Self::prepare).
    ///
    /// # Errors
    /// On all ranks, if a rank refuses an argument; then no rank has written anything.
    pub fn run(
        &mut self,
        comm: &MpiComm,
        distribution: Distribution,
        words: &mut [u64],
        updates: &Updates,
        options: &Options,
    ) -> Result<Statistics> {
        self.statistics = match &mut self.path {
            Path::Routed(state) => {
                hcube_random_access::run(comm, state, distribution, words, updates, options)?
            }
            Path::Images { .. } => with_images(comm, options, |runtime, images| {
                images.run(comm, runtime, distribution, words, updates, options)
            })?,
        };
        Ok(self.statistics)
    }

    /// Whether this state can be used for a run with these options.
    fn serves(&self, options: &Options) -> bool {
        match &self.path {
            Path::Routed(state) => state.serves(options),
            Path::Images { options: prepared, .. } => serve_alike(prepared, options),
        }
    }

    /// Statistics of the last run.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// One line about what a run does.
    pub fn describe(&self) -> String {
        match &self.path {
            Path::Routed(state) => state.describe(),
            Path::Images { line, .. } => line.clone(),
        }
    }
}
