//! The communicator of the set-up of a model: all ranks are on one node and pass the same values.
//!
//! A protocol that is created by collective functions is so created for a model, one rank after the other,
//! before the participants begin. These communicate by the memory of the scene only.

use super::reduction::{Element, Operation};
use super::{Comm, Piece};
use crate::atomic::model::Rank;
use crate::error::{Error, Result};
use crate::memory::Region;
use crate::progress::{Progress, pollers::Pollers};
use std::convert::Infallible;
use std::sync::Arc;

/// A rank.
#[derive(Debug, Clone, Copy)]
pub struct SetUp {
    /// Its number.
    pub rank: usize,
    /// How many there are.
    pub size: usize,
}

// SAFETY: as the rank of a model.
unsafe impl Progress for SetUp {
    fn progress(&self) {}

    fn pollers(&self) -> &Arc<Pollers> {
        Rank.pollers()
    }

    fn abort(&self, error: &Error) -> ! {
        Rank.abort(error)
    }
}

/// What a model has not.
fn no_message() -> ! {
    unreachable!("no message in a model")
}

// SAFETY: the numbers never change, all ranks pass the same values, and no transfer exists.
unsafe impl Comm for SetUp {
    type Sends = Infallible;
    type Receive = Infallible;
    type Transfer<'a> = Infallible;

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn split(&self, _: Option<u32>, _: i32) -> Result<Option<Self>> {
        no_message()
    }

    fn start_sends(&self, _: Vec<u64>, _: &[Piece]) -> Result<Infallible> {
        no_message()
    }

    fn finish_sends(&self, sends: Infallible) -> Result<Vec<u64>> {
        match sends {}
    }

    fn start_receive(&self, _: Vec<u64>, _: usize, _: i32) -> Result<Infallible> {
        no_message()
    }

    fn finish_receive(&self, receive: Infallible) -> Result<(Vec<u64>, usize)> {
        match receive {}
    }

    unsafe fn start_send_bytes<'a>(&self, _: Region<'a>, _: usize, _: i32) -> Result<Infallible> {
        no_message()
    }

    unsafe fn start_receive_bytes<'a>(&self, _: Region<'a>, _: usize, _: i32) -> Result<Infallible> {
        no_message()
    }

    fn has_finished(&self, transfer: &mut Infallible) -> Result<bool> {
        match *transfer {}
    }

    fn arrived(&self, _: i32) -> Result<Option<(usize, usize)>> {
        no_message()
    }

    fn barrier(&self) -> Result<()> {
        Ok(())
    }

    fn all_reduce<T: Element>(&self, _: &mut [T], operation: Operation) -> Result<()> {
        assert_eq!(operation, Operation::Max, "the same on all ranks only for a maximum");
        Ok(())
    }

    fn reduce<T: Element>(&self, values: &mut [T], operation: Operation, _: usize) -> Result<()> {
        self.all_reduce(values, operation)
    }

    fn all_gather(&self, values: &[u64]) -> Result<Vec<u64>> {
        Ok(values.repeat(self.size))
    }

    fn broadcast(&self, _: &mut [u8], _: usize) -> Result<()> {
        Ok(())
    }

    fn all_to_all(&self, _: &[Vec<u64>]) -> Result<Vec<u64>> {
        no_message()
    }

    fn node_numbers(&self) -> Result<Vec<u32>> {
        Ok(vec![0; self.size])
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}
