//! A plan, for the algorithm that the options select.

use super::{BinaryExchange, Images};
use crate::process;
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::mpi::{MpiComm, lifetime};
use hcube_core::progress::Progress;
use hcube_fft::plan::check_parts;
use hcube_fft::{Algorithm, COMPLEX, Direction, Memory, Options, Stages};
use std::sync::Arc;

#[derive(Debug)]
enum Path {
    SixStep(Box<hcube_fft::Plan>),
    /// With the memory for parts, if it was requested.
    BinaryExchange(Box<BinaryExchange>, Option<Arc<Memory>>),
}

/// A transform of one length in one direction, as one rank sees it.
#[derive(Debug)]
pub struct Plan {
    path: Path,
    /// Of the last transform.
    stages: Stages,
}

impl Plan {
    /// Collective: sets a transform up. Every rank passes the same length, direction and options, or the
    /// error that all ranks are to report. The exchanges of six steps have the options of the environment.
    ///
    /// # Errors
    /// On all ranks: as [`hcube_fft::Plan::new`] and [`BinaryExchange::new`]; [`Error::Communicator`] for
    /// binary exchange on a communicator that has neither all processes nor one.
    pub fn new(comm: &MpiComm, wanted: Result<(usize, Direction)>, options: Result<Options>) -> Result<Self> {
        let exchange = agree(comm, hcube_alltoall::Options::from_environment())?;
        let options = agree(comm, options)?;
        agree_on(comm, &options.agreement())?;
        let path = match options.algorithm {
            Algorithm::SixStep => Path::SixStep(Box::new(hcube_fft::Plan::new(comm, wanted, &exchange)?)),
            Algorithm::BinaryExchange => {
                let wanted = wanted.and_then(|wanted| check_world(comm).map(|()| wanted));
                let transform = BinaryExchange::new(comm, wanted, options.radix)?;
                if comm.size() > 1 {
                    process::with(comm, |runtime, state| {
                        Images::prepare(&mut state.transforms, runtime, transform.bits()).map(drop)
                    })?;
                }
                Path::BinaryExchange(Box::new(transform), None)
            }
        };
        Ok(Self { path, stages: Stages::default() })
    }

    /// Complex numbers of each rank.
    pub fn part(&self) -> usize {
        match &self.path {
            Path::SixStep(plan) => plan.part(),
            Path::BinaryExchange(transform, _) => transform.bits().part(),
        }
    }

    /// The number in the vector of this rank's first one.
    pub fn start(&self) -> usize {
        match &self.path {
            Path::SixStep(plan) => plan.start(),
            Path::BinaryExchange(transform, _) => transform.rank() * transform.bits().part(),
        }
    }

    /// Collective: as [`hcube_fft::Plan::memory`]; for a binary exchange, whose copies go to coarrays, it is
    /// this rank's own.
    ///
    /// # Errors
    /// As there.
    pub fn memory(&mut self, comm: &MpiComm) -> Result<Arc<Memory>> {
        match &mut self.path {
            Path::SixStep(plan) => plan.memory(comm),
            Path::BinaryExchange(_, Some(memory)) => Ok(Arc::clone(memory)),
            Path::BinaryExchange(transform, memory) => {
                let new = Memory::new(comm, COMPLEX * transform.bits().part(), false)?;
                Ok(Arc::clone(memory.insert(Arc::new(new))))
            }
        }
    }

    /// Collective: as [`hcube_fft::Plan::execute`].
    ///
    /// # Errors
    /// As there. An image that fails during a binary exchange aborts the job, because others wait.
    pub fn execute(&mut self, comm: &MpiComm, parts: Result<(Region<'_>, Region<'_>)>) -> Result<()> {
        let count = self.part();
        self.stages = match &mut self.path {
            Path::SixStep(plan) => {
                plan.execute(comm, parts)?;
                plan.stages()
            }
            Path::BinaryExchange(transform, _) if comm.size() == 1 => {
                transform.execute_alone(comm, check_parts(count, parts)?)
            }
            Path::BinaryExchange(transform, _) => {
                let parts = agree(comm, check_parts(count, parts))?;
                process::with(comm, |runtime, state| {
                    let images = Images::prepare(&mut state.transforms, runtime, transform.bits())?;
                    let done = transform.execute(comm, runtime, images, parts);
                    Ok(done.unwrap_or_else(|error| comm.abort(&error)))
                })?
            }
        };
        Ok(())
    }

    /// The times of the last transform.
    pub fn stages(&self) -> Stages {
        self.stages
    }
}

/// Checks that the ranks of a communicator are the images, or that it has one rank.
fn check_world(comm: &MpiComm) -> Result<()> {
    if comm.size() == 1 || process::is_world(comm)? {
        return Ok(());
    }
    let (_, all) = lifetime::world_place()?;
    let given = format!("binary exchange on a communicator of {} of {all} processes", comm.size());
    let expected = "expected a communicator congruent to MPI_COMM_WORLD, whose processes are the images";
    Err(Error::Communicator(format!("{given}: {expected}")))
}
