//! The same operations by MPI's functions.

use super::{Calls, Place, address, back_and_forth, check, int, repeated};
use crate::bench::caf::task::{ELEMENTS, Operation, STRIDE, Stream, Task, WORD};
use crate::bench::proof::Origin;
use hcube_core::Result;
use mpi::datatype::Equivalence;
use mpi::ffi::{
    MPI_Accumulate, MPI_Aint, MPI_Allreduce, MPI_Barrier, MPI_Bcast, MPI_Comm, MPI_Comm_set_errhandler,
    MPI_Datatype, MPI_Fetch_and_op, MPI_Get, MPI_LOCK_EXCLUSIVE, MPI_MODE_NOCHECK, MPI_Put, MPI_Recv,
    MPI_Rput, MPI_Send, MPI_Type_commit, MPI_Type_free, MPI_Type_vector, MPI_Wait, MPI_Win, MPI_Win_allocate,
    MPI_Win_flush, MPI_Win_flush_all, MPI_Win_free, MPI_Win_lock, MPI_Win_lock_all, MPI_Win_unlock,
    MPI_Win_unlock_all, RSMPI_BXOR, RSMPI_ERRORS_ARE_FATAL, RSMPI_ERRORS_RETURN, RSMPI_INFO_NULL,
    RSMPI_REQUEST_NULL, RSMPI_STATUS_IGNORE, RSMPI_SUM, RSMPI_WIN_NULL,
};
use mpi::raw::AsRaw;
use mpi::topology::{Communicator, SimpleCommunicator};
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::AtomicU64;

/// Accumulations from one flush to the next.
const UNFLUSHED: usize = 1024;

/// All functions below.
const FUNCTIONS: [&CStr; 18] = [
    c"MPI_Accumulate",
    c"MPI_Allreduce",
    c"MPI_Barrier",
    c"MPI_Bcast",
    c"MPI_Fetch_and_op",
    c"MPI_Get",
    c"MPI_Put",
    c"MPI_Recv",
    c"MPI_Rput",
    c"MPI_Send",
    c"MPI_Type_vector",
    c"MPI_Wait",
    c"MPI_Win_allocate",
    c"MPI_Win_flush",
    c"MPI_Win_flush_all",
    c"MPI_Win_lock",
    c"MPI_Win_lock_all",
    c"MPI_Win_unlock",
];

/// That these functions belong to the MPI library.
///
/// # Errors
/// Where one does not; ranks may differ.
pub fn origin() -> Result<Origin> {
    Origin::of_mpi(&FUNCTIONS)
}

/// A window for accesses, which is locked all the time, and one for locks. Errors end the job.
pub struct Windows {
    comm: SimpleCommunicator,
    place: Place,
    window: MPI_Win,
    locks: MPI_Win,
    shared: *const AtomicU64,
    words: usize,
    strided: MPI_Datatype,
    /// Operands of accumulations that were not flushed.
    operands: Vec<u64>,
}

/// Collective: a window with memory, or nothing where MPI makes none.
fn window(comm: &SimpleCommunicator, words: usize) -> Option<(MPI_Win, *const AtomicU64)> {
    // SAFETY: a constant of the MPI library.
    let (mut window, mut memory) = (unsafe { RSMPI_WIN_NULL }, null_mut::<c_void>());
    // SAFETY: all ranks call this; the address of a pointer receives the memory.
    let code = unsafe {
        let bytes = (words * WORD) as MPI_Aint;
        MPI_Comm_set_errhandler(comm.as_raw(), RSMPI_ERRORS_RETURN);
        let memory = (&raw mut memory).cast();
        let code = MPI_Win_allocate(bytes, 1, RSMPI_INFO_NULL, comm.as_raw(), memory, &mut window);
        MPI_Comm_set_errhandler(comm.as_raw(), RSMPI_ERRORS_ARE_FATAL);
        code
    };
    (code == 0).then_some((window, memory.cast_const().cast()))
}

impl Windows {
    /// Collective: windows of `words` words of each rank. Nothing where MPI makes none, as Open MPI without
    /// mpirun.
    pub fn new(place: Place, words: usize) -> Option<Self> {
        let comm = SimpleCommunicator::world().duplicate();
        let (window, shared) = window(&comm, words)?;
        let (locks, _) = self::window(&comm, 1)?;
        let mut strided: MPI_Datatype = u64::equivalent_datatype().as_raw();
        // SAFETY: a window of all ranks, which all call this; a datatype of words that is freed at the end.
        unsafe {
            MPI_Win_lock_all(MPI_MODE_NOCHECK as i32, window);
            MPI_Type_vector(int(ELEMENTS), 1, int(STRIDE), strided, &mut strided);
            MPI_Type_commit(&mut strided);
        }
        let operands = vec![0; UNFLUSHED];
        Some(Self { comm, place, window, locks, shared, words, strided, operands })
    }

    /// One-sided operations of this rank.
    fn access(&self, task: &Task, times: u32, own: &[AtomicU64]) -> f64 {
        let Self { window, locks, strided, .. } = *self;
        let (target, memory) = (self.place.target(), address(own).cast::<c_void>());
        let (words, kind) = (int(task.bytes / WORD), u64::equivalent_datatype().as_raw());
        let flush = || {
            // SAFETY: a rank of the window, which is locked.
            unsafe { MPI_Win_flush(target, window) };
        };
        let (one, mut before) = (1_u64, 0_u64);
        let result = (&raw mut before).cast::<c_void>();
        // SAFETY: the operation lies in the memory and in the window, as `run` has checked; it is complete
        // when it is flushed.
        unsafe {
            match task.operation {
                Operation::Put => repeated(times, || {
                    MPI_Put(memory, words, kind, target, 0, words, kind, window);
                    flush();
                }),
                Operation::Get => repeated(times, || {
                    MPI_Get(memory, words, kind, target, 0, words, kind, window);
                    flush();
                }),
                Operation::PutStrided => repeated(times, || {
                    MPI_Put(memory, words, kind, target, 0, 1, strided, window);
                    flush();
                }),
                Operation::FetchAdd => repeated(times, || {
                    MPI_Fetch_and_op((&raw const one).cast(), result, kind, target, 0, RSMPI_SUM, window);
                    flush();
                }),
                Operation::Lock => repeated(times, || {
                    MPI_Win_lock(MPI_LOCK_EXCLUSIVE as i32, target, 0, locks);
                    MPI_Win_unlock(target, locks);
                }),
                _ => repeated(times, || {
                    let mut request = RSMPI_REQUEST_NULL;
                    MPI_Rput(memory, words, kind, target, 0, words, kind, window, &mut request);
                    flush();
                    MPI_Wait(&mut request, RSMPI_STATUS_IGNORE);
                }),
            }
        }
    }

    /// Changes random words of random ranks.
    fn accumulate(&mut self, times: u32) -> f64 {
        let Self { place: Place { rank, ranks }, window, comm, operands, .. } = self;
        let (window, comm): (MPI_Win, MPI_Comm) = (*window, comm.as_raw());
        let kind = u64::equivalent_datatype().as_raw();
        let (mut stream, mut number) = (Stream::new(*rank), 0);
        // SAFETY: words of the window; an operand is kept until it was flushed.
        unsafe {
            super::completed(
                times,
                || {
                    let (to, index, value) = stream.next(*ranks);
                    operands[number] = value;
                    let (operand, at) = ((&raw const operands[number]).cast(), (index * WORD) as MPI_Aint);
                    MPI_Accumulate(operand, 1, kind, int(to), at, 1, kind, RSMPI_BXOR, window);
                    number = (number + 1) % UNFLUSHED;
                    if number == 0 {
                        MPI_Win_flush_all(window);
                    }
                },
                || {
                    MPI_Win_flush_all(window);
                    MPI_Barrier(comm);
                },
            )
        }
    }
}

impl Calls for Windows {
    fn has(&self, operation: Operation) -> bool {
        // MPI_Compare_and_swap crashes in Open MPI 4.1.
        !matches!(operation, Operation::Finish | Operation::CompareSwap)
    }

    fn shared(&self) -> &[AtomicU64] {
        // SAFETY: the memory of the window, which lives as long as this value.
        unsafe { std::slice::from_raw_parts(self.shared, self.words) }
    }

    fn run(&mut self, task: &Task, times: u32, own: &[AtomicU64]) -> f64 {
        check(task, own, self.shared());
        let (comm, memory) = (self.comm.as_raw(), address(own).cast::<c_void>());
        let into = address(self.shared()).cast::<c_void>();
        let (words, kind) = (int(task.bytes / WORD), u64::equivalent_datatype().as_raw());
        // SAFETY: all ranks do the same; the operation lies in the memory, as checked.
        let seconds = unsafe {
            match task.operation {
                Operation::Barrier => repeated(times, || {
                    MPI_Barrier(comm);
                }),
                Operation::SpawnXor => self.accumulate(times),
                Operation::Broadcast => repeated(times, || {
                    MPI_Bcast(memory, words, kind, 0, comm);
                }),
                Operation::Allreduce => repeated(times, || {
                    MPI_Allreduce(memory, into, words, kind, RSMPI_SUM, comm);
                }),
                Operation::Event => {
                    let other = self.place.partner().unwrap_or(0);
                    let notify = |to| {
                        MPI_Send(null_mut(), 0, kind, to, 0, comm);
                    };
                    let wait = || {
                        MPI_Recv(null_mut(), 0, kind, other, 0, comm, RSMPI_STATUS_IGNORE);
                    };
                    back_and_forth(self.place, times, notify, wait)
                }
                _ if self.place.is_origin() => self.access(task, times, own),
                _ => 0.0,
            }
        };
        // SAFETY: all ranks call it.
        unsafe { MPI_Barrier(comm) };
        seconds
    }
}

impl Drop for Windows {
    fn drop(&mut self) {
        // SAFETY: all ranks drop it, between MPI_Init and MPI_Finalize; nothing is outstanding.
        unsafe {
            MPI_Win_unlock_all(self.window);
            MPI_Win_free(&mut self.window);
            MPI_Win_free(&mut self.locks);
            MPI_Type_free(&mut self.strided);
        }
    }
}
