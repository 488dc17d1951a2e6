//! What a program does between two readings of the clock.

use crate::bsp::program::Case;
use hcube_bsp::Spmd;
use hcube_core::Result;
use hcube_core::mpi::MpiComm;
use hcube_results::bsp::prediction::Beside;

/// A program that is measured.
pub trait Measured {
    /// Collective: prepares a case.
    fn prepare(&mut self, case: &Case) -> Result<()>;
    /// Computes a block of the size that the case has, in memory of this process. The result of the last run
    /// is lost.
    fn compute(&mut self);
    /// Operations of such a block.
    fn operations(&self) -> f64;
    /// Collective: runs it once.
    fn run(&mut self, spmd: &mut Spmd<MpiComm>) -> Result<()>;
    /// Collective: how often the result is wrong.
    fn errors(&mut self) -> Result<u64>;
    /// Collective: a competitor, if one was asked for; its seconds.
    fn competitor(&mut self) -> Result<Option<f64>> {
        Ok(None)
    }
    /// Collective: what this program and its competitor add to the memory of a process.
    fn memory(&mut self, _spmd: &mut Spmd<MpiComm>) -> Result<Option<Beside>> {
        Ok(None)
    }
}
