//! Waits on MPI requests: MPI's waits without pollers, loops that drive the pollers otherwise.

use super::{MpiComm, count};
use crate::comm::Comm;
use crate::error::Result;
use crate::mpi::check::check;
use crate::mpi::constants::{constants, no_request};
use crate::mpi::raw::{self, MPI_Request, MPI_Status};
use crate::progress::Progress;
use crate::progress::wait::Patience;
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

impl MpiComm {
    /// A message of bytes with this tag that no receive takes: its sender and its length.
    pub(super) fn probe(&self, tag: i32) -> Result<Option<(usize, usize)>> {
        let (mut flag, mut length, mut status) = (0, 0, MaybeUninit::<MPI_Status>::uninit());
        let (messages, constants) = (self.messages()?, constants());
        let (comm, tag) = (messages.comm(), messages.tag(tag));
        // SAFETY: the communicator lives as long as self.
        check("MPI_Iprobe", unsafe {
            raw::PMPI_Iprobe(constants.any_source, tag, comm, &mut flag, status.as_mut_ptr())
        })?;
        if flag == 0 {
            return Ok(None);
        }
        // SAFETY: written where there is a message.
        unsafe {
            check("MPI_Get_count", raw::PMPI_Get_count(status.as_ptr(), constants.byte, &mut length))?;
            Ok(Some(((*status.as_ptr()).MPI_SOURCE as usize, length as usize)))
        }
    }

    /// Waits for a request, which becomes null; the status is written unless the request was null before.
    pub(super) fn wait(&self, request: &mut MPI_Request, status: &mut MaybeUninit<MPI_Status>) -> Result<()> {
        self.settle();
        if self.pollers.is_empty() {
            // SAFETY: a request of this communicator, whose buffer its owner keeps.
            return check("MPI_Wait", unsafe { raw::PMPI_Wait(request, status.as_mut_ptr()) });
        }
        self.drive_until(|| {
            let mut flag = c_int::from(*request == no_request());
            if flag == 0 {
                // SAFETY: a request of this communicator that is not null, whose buffer its owner keeps.
                check("MPI_Test", unsafe { raw::PMPI_Test(request, &mut flag, status.as_mut_ptr()) })?;
            }
            Ok(flag != 0)
        })
    }

    /// Waits for all requests, which become null.
    pub(super) fn wait_all(&self, requests: &mut [MPI_Request]) -> Result<()> {
        self.settle();
        if self.pollers.is_empty() {
            let length = count(requests.len())?;
            // SAFETY: requests of this communicator, whose buffers their owner keeps.
            return check("MPI_Waitall", unsafe {
                raw::PMPI_Waitall(length, requests.as_mut_ptr(), constants().statuses_ignore)
            });
        }
        requests.iter_mut().try_for_each(|request| self.wait(request, &mut MaybeUninit::uninit()))
    }

    /// Waits until any of the requests has finished.
    pub(super) fn wait_any(&self, requests: &mut [MPI_Request]) -> Result<()> {
        self.settle();
        let (length, mut index) = (count(requests.len())?, 0);
        if self.pollers.is_empty() {
            // SAFETY: requests of this communicator, whose buffers their owner keeps.
            return check("MPI_Waitany", unsafe {
                raw::PMPI_Waitany(length, requests.as_mut_ptr(), &mut index, constants().status_ignore)
            });
        }
        if requests.iter().all(|&request| request == no_request()) {
            return Ok(());
        }
        self.drive_until(|| self.test_any(requests).map(|index| index.is_some()))
    }

    /// The index of a request that has finished and is null now, if one has. Not all of them are null.
    pub(super) fn test_any(&self, requests: &mut [MPI_Request]) -> Result<Option<usize>> {
        let (mut index, mut flag) = (0, 0);
        // SAFETY: requests of this communicator, whose buffers their owner keeps.
        check("MPI_Testany", unsafe {
            raw::PMPI_Testany(
                count(requests.len())?,
                requests.as_mut_ptr(),
                &mut index,
                &mut flag,
                constants().status_ignore,
            )
        })?;
        Ok(usize::try_from(index).ok().filter(|_| flag != 0))
    }

    /// Begins a collective function. With pollers, all ranks first meet in a barrier that drives them, so
    /// that no rank waits long inside MPI's function.
    pub(super) fn enter(&self) -> Result<()> {
        self.settle();
        if self.pollers.is_empty() { Ok(()) } else { self.driven_barrier() }
    }

    /// A barrier that drives pollers.
    pub(super) fn driven_barrier(&self) -> Result<()> {
        let mut request = no_request();
        // SAFETY: the communicator lives as long as self.
        check("MPI_Ibarrier", unsafe { raw::PMPI_Ibarrier(self.raw(), &mut request) })?;
        self.wait(&mut request, &mut MaybeUninit::uninit())
    }

    /// Collective: waits for all ranks, and calls `late` once if that takes longer than a limit.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn meet(&self, limit: Duration, late: impl FnOnce()) -> Result<()> {
        let (mut request, begin, mut late) = (no_request(), Instant::now(), Some(late));
        // SAFETY: the communicator lives as long as self.
        check("MPI_Ibarrier", unsafe { raw::PMPI_Ibarrier(self.raw(), &mut request) })?;
        self.drive_until(|| {
            let mut flag = 0;
            // SAFETY: the request of the barrier.
            check("MPI_Test", unsafe { raw::PMPI_Test(&mut request, &mut flag, constants().status_ignore) })?;
            if flag == 0 && begin.elapsed() > limit {
                late.take().into_iter().for_each(|late| late());
            }
            Ok(flag != 0)
        })
    }

    /// Drives pollers until `finished` returns true.
    fn drive_until(&self, mut finished: impl FnMut() -> Result<bool>) -> Result<()> {
        // Whether ranks share cores is not known here. The wait of one that has its own is longer by a yield.
        let mut wait = Patience::new(true, self.simulated()).wait();
        while !finished()? {
            wait.pause(self);
        }
        Ok(())
    }
}
