//! A rank of a model as a communicator.

use super::{Rank, Scene};
use crate::atomic::{AtomicU64, Ordering, yield_now};
use crate::comm::reduction::{Element, Operation};
use crate::comm::{Comm, Piece};
use crate::error::{Error, Result};
use crate::memory::Region;
use crate::progress::{Progress, pollers::Pollers};
use std::ptr::NonNull;
use std::sync::Arc;

/// One of the ranks of a model, all on one node, which share memory and have a barrier, but no messages.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    rank: usize,
    size: usize,
    /// How often ranks have called the barrier.
    calls: NonNull<AtomicU64>,
}

impl Member {
    /// The ranks of a model.
    pub fn all(scene: &mut Scene, size: usize) -> Vec<Self> {
        let calls = scene.memory(size_of::<AtomicU64>()).cast();
        (0..size).map(|rank| Self { rank, size, calls }).collect()
    }
}

// SAFETY: as of `Rank`.
unsafe impl Progress for Member {
    fn progress(&self) {}

    fn pollers(&self) -> &Arc<Pollers> {
        Rank.pollers()
    }

    fn abort(&self, error: &Error) -> ! {
        Rank.abort(error)
    }
}

/// Ends a model that sends a message.
fn no_messages() -> ! {
    unreachable!("no messages in a model")
}

// SAFETY: numbers are distinct and below the size; the barrier is below, and nothing else returns.
unsafe impl Comm for Member {
    type Sends = ();
    type Receive = ();
    type Transfer<'a> = ();

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn split(&self, _: Option<u32>, _: i32) -> Result<Option<Self>> {
        no_messages()
    }

    fn start_sends(&self, _: Vec<u64>, _: &[Piece]) -> Result<()> {
        no_messages()
    }

    fn finish_sends(&self, (): ()) -> Result<Vec<u64>> {
        no_messages()
    }

    fn start_receive(&self, _: Vec<u64>, _: usize, _: i32) -> Result<()> {
        no_messages()
    }

    fn finish_receive(&self, (): ()) -> Result<(Vec<u64>, usize)> {
        no_messages()
    }

    unsafe fn start_send_bytes<'a>(&self, _: Region<'a>, _: usize, _: i32) -> Result<()> {
        no_messages()
    }

    unsafe fn start_receive_bytes<'a>(&self, _: Region<'a>, _: usize, _: i32) -> Result<()> {
        no_messages()
    }

    fn has_finished(&self, (): &mut ()) -> Result<bool> {
        no_messages()
    }

    fn arrived(&self, _: i32) -> Result<Option<(usize, usize)>> {
        no_messages()
    }

    fn barrier(&self) -> Result<()> {
        // SAFETY: in memory of the scene, which all ranks access as an atomic.
        let calls = unsafe { self.calls.as_ref() };
        let size = self.size as u64;
        let round = calls.fetch_add(1, Ordering::Release) / size + 1;
        while calls.load(Ordering::Acquire) < round * size {
            yield_now();
        }
        Ok(())
    }

    fn all_reduce<T: Element>(&self, _: &mut [T], _: Operation) -> Result<()> {
        no_messages()
    }

    fn reduce<T: Element>(&self, _: &mut [T], _: Operation, _: usize) -> Result<()> {
        no_messages()
    }

    fn all_gather(&self, _: &[u64]) -> Result<Vec<u64>> {
        no_messages()
    }

    fn broadcast(&self, _: &mut [u8], _: usize) -> Result<()> {
        no_messages()
    }

    fn all_to_all(&self, _: &[Vec<u64>]) -> Result<Vec<u64>> {
        no_messages()
    }

    fn node_numbers(&self) -> Result<Vec<u32>> {
        no_messages()
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}
