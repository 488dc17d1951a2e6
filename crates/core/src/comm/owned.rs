//! Transfers of bytes that own their buffer, for work that continues between calls: a poller starts a
//! transfer and tests it whenever it is called again.
//!
//! [`requests`](super::requests) borrow memory and wait at the end of a scope; a poller never waits. The
//! buffer therefore belongs to the transfer here, and is returned when the transfer is complete. The buffer
//! of a transfer that is dropped earlier is leaked, because the MPI library may still use it. Callers need no
//! unsafe code:
//!
//! ```
//! use hcube_core::comm::{owned::Owned, threads};
//! threads::run(1, 1, |comm| {
//!     let mut sent = Owned::send(comm, vec![7; 3], 0, 1).unwrap();
//!     let mut received = Owned::receive(comm, vec![0; 3], 0, 1).unwrap();
//!     while !(sent.has_finished(comm).unwrap() && received.has_finished(comm).unwrap()) {}
//!     assert_eq!(received.into_buffer(), [7; 3]);
//! });
//! ```

use super::Comm;
use crate::error::Result;
use crate::memory::Region;

/// Outstanding bytes and their buffer.
#[derive(Debug)]
pub struct Owned<C: Comm> {
    /// Nothing when it has finished.
    transfer: Option<C::Transfer<'static>>,
    buffer: Vec<u8>,
}

impl<C: Comm> Owned<C> {
    /// Starts sending a buffer, fewer than 2^31 bytes.
    ///
    /// # Errors
    /// Of MPI.
    pub fn send(comm: &C, buffer: Vec<u8>, to: usize, tag: i32) -> Result<Self> {
        // SAFETY: the region of a buffer that stays untouched until the transfer has finished, by `start` and
        // `Drop`.
        Self::start(buffer, |region| unsafe { comm.start_send_bytes(region, to, tag) })
    }

    /// Starts receiving exactly as many bytes as the buffer has, fewer than 2^31.
    ///
    /// # Errors
    /// Of MPI.
    pub fn receive(comm: &C, buffer: Vec<u8>, from: usize, tag: i32) -> Result<Self> {
        // SAFETY: the region of a buffer that stays untouched until the transfer has finished, by `start` and
        // `Drop`.
        Self::start(buffer, |region| unsafe { comm.start_receive_bytes(region, from, tag) })
    }

    /// Starts a transfer with the region of the buffer, which is not touched before the transfer has
    /// finished, and freed only after that.
    fn start(
        mut buffer: Vec<u8>,
        start: impl FnOnce(Region<'static>) -> Result<C::Transfer<'static>>,
    ) -> Result<Self> {
        // SAFETY: the memory belongs to the buffer, wherever that is moved; see `Drop`.
        let region = unsafe { Region::new(buffer.as_mut_ptr(), buffer.len()) };
        Ok(Self { transfer: Some(start(region)?), buffer })
    }

    /// Whether the transfer has finished; lets the library make progress.
    ///
    /// # Errors
    /// Of MPI.
    pub fn has_finished(&mut self, comm: &C) -> Result<bool> {
        if let Some(transfer) = &mut self.transfer
            && comm.has_finished(transfer)?
        {
            self.transfer = None;
        }
        Ok(self.transfer.is_none())
    }

    /// Returns when the transfer is complete, if ranks are simulated, so that no rank polls in simulated
    /// time; otherwise immediately.
    ///
    /// # Errors
    /// Of MPI.
    pub fn rest(&mut self, comm: &C) -> Result<()> {
        self.transfer.as_mut().map_or(Ok(()), |transfer| comm.rest_until_any(&mut [transfer]))
    }

    /// The buffer.
    ///
    /// # Panics
    /// Before [`Self::has_finished`] has returned true.
    pub fn into_buffer(mut self) -> Vec<u8> {
        assert!(self.transfer.is_none(), "the buffer of a transfer that is under way");
        std::mem::take(&mut self.buffer)
    }
}

impl<C: Comm> Drop for Owned<C> {
    fn drop(&mut self) {
        if self.transfer.is_some() {
            std::mem::forget(std::mem::take(&mut self.buffer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::threads::{self, ThreadComm};

    #[test]
    fn it_may_be_kept_where_another_thread_goes_on() {
        const fn is_send<T: Send>() {}
        #[cfg(feature = "mpi")]
        const {
            is_send::<Owned<crate::mpi::MpiComm>>()
        };
        const { is_send::<Owned<ThreadComm>>() };
    }

    /// Data that arrives after a receive was dropped is written to memory that nothing else uses.
    #[test]
    fn the_buffer_of_a_dropped_transfer_is_not_freed() {
        threads::run(1, 1, |comm| {
            let received = Owned::receive(comm, vec![0; 4096], 0, 1).expect("a receive");
            let address = received.buffer.as_ptr();
            drop(received);
            let others: Vec<Vec<u8>> = (0..100).map(|_| vec![0; 4096]).collect();
            assert!(others.iter().all(|other| other.as_ptr() != address), "memory under way was freed");
        });
    }

    #[test]
    #[should_panic(expected = "a rank panicked")]
    fn the_buffer_is_not_handed_back_before_the_end() {
        threads::run(1, 1, |comm| Owned::receive(comm, vec![0], 0, 1).expect("a receive").into_buffer());
    }
}
