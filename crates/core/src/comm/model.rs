//! The communicator of a model: all ranks are on one node and share the memory of the scene.
//!
//! A protocol that is created by collective functions is so created for a model, one rank after the other,
//! before the participants begin: there all ranks pass the same values. The participants have a barrier, and
//! nothing else.

use super::reduction::{Element, Operation};
use super::{Comm, Piece};
use crate::atomic::model::{Scene, is_running};
use crate::atomic::{AtomicU64, Ordering, yield_now};
use crate::error::{Error, Result};
use crate::memory::Region;
use crate::progress::{Progress, model_rank::Rank, pollers::Pollers};
use std::convert::Infallible;
use std::ptr::NonNull;
use std::sync::Arc;

/// A rank.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    rank: usize,
    size: usize,
    /// How often participants have called the barrier.
    calls: Option<NonNull<AtomicU64>>,
}

impl Member {
    /// The ranks of a model.
    pub fn all(scene: &mut Scene, size: usize) -> Vec<Self> {
        let calls = Some(scene.memory(size_of::<AtomicU64>()).cast());
        (0..size).map(|rank| Self { rank, size, calls }).collect()
    }

    /// A rank while protocols are created, with no barrier for participants.
    pub fn of_set_up(rank: usize, size: usize) -> Self {
        Self { rank, size, calls: None }
    }
}

// SAFETY: as the rank of a model.
unsafe impl Progress for Member {
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

/// The participants communicate by the memory of the scene only.
fn in_set_up() {
    assert!(!is_running(), "no message in a model");
}

// SAFETY: the numbers never change, all ranks pass the same values at the set-up, the barrier counts, and no
// transfer exists.
unsafe impl Comm for Member {
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
        if !is_running() {
            return Ok(());
        }
        // SAFETY: in memory of the scene, which all ranks access as an atomic.
        let calls = unsafe { self.calls.expect("a rank of participants").as_ref() };
        let size = self.size as u64;
        let round = calls.fetch_add(1, Ordering::AcqRel) / size + 1;
        while calls.load(Ordering::Acquire) < round * size {
            yield_now();
        }
        Ok(())
    }

    fn all_reduce<T: Element>(&self, _: &mut [T], operation: Operation) -> Result<()> {
        in_set_up();
        assert_eq!(operation, Operation::Max, "the same on all ranks only for a maximum");
        Ok(())
    }

    fn reduce<T: Element>(&self, values: &mut [T], operation: Operation, _: usize) -> Result<()> {
        self.all_reduce(values, operation)
    }

    fn all_gather(&self, values: &[u64]) -> Result<Vec<u64>> {
        in_set_up();
        Ok(values.repeat(self.size))
    }

    fn broadcast(&self, _: &mut [u8], _: usize) -> Result<()> {
        in_set_up();
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
