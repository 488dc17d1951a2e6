//! Sets of outstanding transfers: start them, wait for any or for all.
//!
//! Memory that MPI reads or writes must not change until the transfer is complete, even if the function that
//! has started it fails or panics. Transfers therefore belong to a scope, like threads in
//! [`std::thread::scope`]: [`scope`] returns only when all of its transfers are complete, and ends the job if
//! they cannot complete. Memory is borrowed for longer than the scope and is returned by
//! [`Requests::wait_any`]; callers need no unsafe code.
//!
//! Every wait drives pollers and MPI. Cost: a wait tests all transfers (one `MPI_Testany`), so a set should
//! have hundreds of transfers, not thousands.

use super::Comm;
use crate::error::{Error, Result};
use crate::memory::Region;
use crate::progress::wait::Patience;

/// A transfer that has finished.
#[derive(Debug)]
pub struct Finished<'env> {
    /// The label that it was started with.
    pub label: usize,
    /// The received bytes, if they were received into a slice.
    pub received: Option<&'env mut [u8]>,
}

/// A transfer that was started.
struct Request<'env, C: Comm> {
    label: usize,
    transfer: C::Transfer<'env>,
    /// The memory of a receive into a slice, to be handed back.
    slice: Option<Region<'env>>,
}

/// Transfers of a scope. Each has a label, by which the caller recognises it; labels need not be unique.
pub struct Requests<'env, C: Comm> {
    comm: &'env C,
    patience: Patience,
    under_way: Vec<Request<'env, C>>,
}

/// Runs `work` with a set of requests and returns when all that `work` has started has finished.
///
/// # Errors
/// Errors of `work`, and errors of MPI when nothing is outstanding any more. An error while transfers are
/// outstanding ends the job: the partner may never reply, and the memory may not be freed before it has.
pub fn scope<'env, C: Comm, T>(
    comm: &'env C,
    patience: Patience,
    work: impl FnOnce(&mut Requests<'env, C>) -> Result<T>,
) -> Result<T> {
    let mut requests = Requests { comm, patience, under_way: Vec::new() };
    let result = work(&mut requests).and_then(|value| requests.wait_all().map(|()| value));
    if let (Err(error), false) = (&result, requests.under_way.is_empty()) {
        // Where ending the job is a panic (threads), nothing reaches the memory by itself.
        requests.under_way.clear();
        comm.abort(error);
    }
    result
}

impl<'env, C: Comm> Requests<'env, C> {
    /// Number of outstanding transfers.
    pub fn len(&self) -> usize {
        self.under_way.len()
    }

    /// Whether no transfer is outstanding.
    pub fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// Starts sending bytes, fewer than 2^31.
    ///
    /// # Errors
    /// Of MPI.
    pub fn send(&mut self, label: usize, bytes: &'env [u8], to: usize, tag: i32) -> Result<()> {
        // SAFETY: the borrow lasts for 'env, which outlives the scope, and the scope outlives the transfer.
        // A send only reads, as others may through the same borrow.
        let region = unsafe { Region::new(bytes.as_ptr().cast_mut(), bytes.len()) };
        self.send_region(label, region, to, tag)
    }

    /// Starts receiving at most `bytes.len()` bytes, fewer than 2^31; bytes after a shorter message are
    /// unchanged.
    ///
    /// # Errors
    /// Of MPI.
    pub fn receive(&mut self, label: usize, bytes: &'env mut [u8], from: usize, tag: i32) -> Result<()> {
        // SAFETY: the borrow lasts for 'env, which outlives the scope, and the scope outlives the transfer;
        // it is exclusive and has moved into this function, so nobody uses it before it is handed back.
        let region = unsafe { Region::new(bytes.as_mut_ptr(), bytes.len()) };
        // SAFETY: the region stays borrowed for 'env, so it is writable and unused until the transfer has
        // finished.
        let transfer = unsafe { self.comm.start_receive_bytes(region, from, tag) }?;
        self.under_way.push(Request { label, transfer, slice: Some(region) });
        Ok(())
    }

    /// As [`Self::send`], of memory of the caller.
    ///
    /// # Errors
    /// Of MPI.
    pub fn send_region(&mut self, label: usize, from: Region<'env>, to: usize, tag: i32) -> Result<()> {
        // SAFETY: the region is there for 'env, which outlives the scope, and the scope outlives the
        // transfer.
        let transfer = unsafe { self.comm.start_send_bytes(from, to, tag) }?;
        self.under_way.push(Request { label, transfer, slice: None });
        Ok(())
    }

    /// As [`Self::receive`], into memory of the caller.
    ///
    /// # Errors
    /// Of MPI.
    pub fn receive_region(&mut self, label: usize, into: Region<'env>, from: usize, tag: i32) -> Result<()> {
        // SAFETY: the region is there, and nobody else uses it, for 'env, which outlives the scope and the
        // transfer.
        let transfer = unsafe { self.comm.start_receive_bytes(into, from, tag) }?;
        self.under_way.push(Request { label, transfer, slice: None });
        Ok(())
    }

    /// A transfer that is complete, if there is one; lets MPI make progress.
    ///
    /// # Errors
    /// Of MPI; the transfer that failed is still in the set then.
    pub fn test_any(&mut self) -> Result<Option<Finished<'env>>> {
        if self.is_empty() {
            return Ok(None);
        }
        let mut transfers: Vec<_> = self.under_way.iter_mut().map(|request| &mut request.transfer).collect();
        let Some(index) = self.comm.first_finished(&mut transfers)? else { return Ok(None) };
        let Request { label, slice, .. } = self.under_way.remove(index);
        let received = slice.map(|region| {
            // SAFETY: the exclusive borrow of `receive`, which MPI has finished writing.
            unsafe { std::slice::from_raw_parts_mut(region.address(), region.len()) }
        });
        Ok(Some(Finished { label, received }))
    }

    /// Waits for the first transfer that completes; `None` if none is outstanding.
    ///
    /// # Errors
    /// As [`Self::test_any`].
    pub fn wait_any(&mut self) -> Result<Option<Finished<'env>>> {
        // Testing a transfer costs as much as polling a flag many times.
        let mut wait = self.patience.for_costly_polls().wait();
        while !self.is_empty() {
            // A simulated rank that tested first would test all transfers again for every one that completes.
            if self.comm.simulated() {
                let transfers = self.under_way.iter_mut().map(|request| &mut request.transfer);
                self.comm.rest_until_any(&mut transfers.collect::<Vec<_>>())?;
            }
            if let Some(finished) = self.test_any()? {
                return Ok(Some(finished));
            }
            if !self.comm.simulated() {
                wait.pause(self.comm);
            }
        }
        Ok(None)
    }

    /// Waits until all transfers have finished.
    ///
    /// # Errors
    /// As [`Self::test_any`].
    pub fn wait_all(&mut self) -> Result<()> {
        while self.wait_any()?.is_some() {}
        Ok(())
    }
}

impl<C: Comm> Drop for Requests<'_, C> {
    /// Reached with outstanding transfers only by a panic: the memory would be freed while MPI uses it. The
    /// panic of a model ends its messages too.
    fn drop(&mut self) {
        let is_of_model = cfg!(hcube_model) && std::thread::panicking();
        if !self.under_way.is_empty() && !is_of_model {
            self.comm.abort(&Error::Internal("a panic while transfers were under way".into()));
        }
    }
}
