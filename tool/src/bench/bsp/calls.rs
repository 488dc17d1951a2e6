//! The calls that are measured: of BSPlib, by hcube or another library, and of MPI.

pub mod functions;

use super::step::{Areas, Operation, Step};
use crate::bench::proof::Origin;
use functions::Functions;
use hcube_core::Result;
use hcube_core::mpi::handle;
use hcube_results::machine::bsp::GapOperation;
use mpi::datatype::Equivalence;
use mpi::ffi::{
    MPI_Aint, MPI_Alltoall, MPI_Barrier, MPI_Comm, MPI_Comm_set_errhandler, MPI_Datatype, MPI_Get, MPI_Irecv,
    MPI_Isend, MPI_Put, MPI_Request, MPI_Waitall, MPI_Win, MPI_Win_create, MPI_Win_fence, MPI_Win_free,
    RSMPI_ERRORS_ARE_FATAL, RSMPI_ERRORS_RETURN, RSMPI_INFO_NULL, RSMPI_REQUEST_NULL, RSMPI_STATUSES_IGNORE,
    RSMPI_WIN_NULL,
};
use mpi::raw::AsRaw;
use mpi::topology::{Communicator, SimpleCommunicator};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

/// As BSPlib and MPI pass a number.
fn int(number: usize) -> c_int {
    c_int::try_from(number).expect("supersteps are below 2 GiB")
}

fn address(area: &[AtomicU64]) -> *mut u8 {
    area.as_ptr().cast_mut().cast()
}

/// Where a rank is, and its memory.
struct Place {
    rank: usize,
    ranks: usize,
    areas: Rc<Areas>,
}

impl Place {
    fn new(areas: Rc<Areas>) -> Self {
        let world = SimpleCommunicator::world();
        Self { rank: world.rank() as usize, ranks: world.size() as usize, areas }
    }

    fn next(&self) -> c_int {
        int((self.rank + 1) % self.ranks)
    }

    fn previous(&self) -> c_int {
        int((self.rank + self.ranks - 1) % self.ranks)
    }
}

/// Messages of a process to another one in a superstep: where the first lies in the memory of both, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partner {
    /// To which this one sends, or from which it gets.
    pub to: usize,
    pub own: usize,
    pub shared: usize,
}

/// What a process transfers in a superstep.
#[derive(Debug, Clone, Copy)]
pub struct Transfer<'a> {
    pub operation: GapOperation,
    /// Of a message.
    pub bytes: usize,
    /// To each partner.
    pub messages: usize,
    pub partners: &'a [Partner],
}

/// The SPMD part of a library.
pub struct BspLibrary {
    functions: Functions,
    place: Place,
}

impl BspLibrary {
    /// Collective: begins the SPMD part on all ranks of the job and registers the shared memory. MPI is
    /// active. Nothing where the library has another number of processes.
    pub fn begin(functions: Functions, areas: Rc<Areas>) -> Option<Self> {
        let place = Place::new(areas);
        let shared = &place.areas.shared;
        // SAFETY: functions of BSPlib, called by all ranks in this order; the memory lives as long as this
        // value.
        let processes = unsafe {
            (functions.begin)(int(place.ranks));
            (functions.push_reg)(address(shared).cast(), int(size_of_val(&shared[..])));
            (functions.sync)();
            (functions.nprocs)()
        };
        (processes == int(place.ranks)).then_some(Self { functions, place })
    }

    /// Collective: supersteps.
    pub fn run(&self, step: &Step, times: u32) {
        let Place { rank, ranks, .. } = self.place;
        let next = [Partner { to: (rank + 1) % ranks, own: 0, shared: 0 }];
        let to_all = |distance| {
            let to = (rank + distance) % ranks;
            Partner { to, own: to * step.bytes, shared: rank * step.bytes }
        };
        let to_all: Vec<Partner> = (0..ranks).map(to_all).collect();
        let (operation, messages, partners) = match step.operation {
            Operation::Empty => (GapOperation::Put, 0, &[][..]),
            Operation::AllToAll => (GapOperation::Put, 1, &to_all[..]),
            Operation::Put | Operation::Shift => (GapOperation::Put, step.messages, &next[..]),
            Operation::Hpput => (GapOperation::HpPut, step.messages, &next[..]),
            Operation::Get => (GapOperation::Get, step.messages, &next[..]),
            Operation::Hpget => (GapOperation::HpGet, step.messages, &next[..]),
            Operation::Send => (GapOperation::Send, step.messages, &next[..]),
        };
        self.transfer(&Transfer { operation, bytes: step.bytes, messages, partners }, times);
    }

    /// Collective: supersteps with the same messages.
    pub fn transfer(&self, transfer: &Transfer<'_>, times: u32) {
        let Self { functions, place: Place { areas, .. } } = self;
        let &Transfer { operation, bytes, messages, partners } = transfer;
        let end =
            |first: fn(&Partner) -> usize| partners.iter().map(first).max().unwrap_or(0) + messages * bytes;
        let fits = end(|partner| partner.own) <= size_of_val(&areas.own[..])
            && end(|partner| partner.shared) <= size_of_val(&areas.shared[..]);
        assert!(partners.is_empty() || fits, "the superstep lies in the memory");
        let (own, shared) = (address(&areas.own), address(&areas.shared));
        let length = int(bytes);
        // SAFETY: the messages lie in the memory, as checked, and the shared memory is registered; what
        // arrives is made of words that may change at any time.
        unsafe {
            for _ in 0..times {
                for partner in partners {
                    let to = int(partner.to);
                    let offsets = (0..messages).map(|message| message * bytes);
                    let places = offsets.map(|at| {
                        (own.add(partner.own + at).cast::<c_void>(), (partner.shared + at) as c_int)
                    });
                    match operation {
                        GapOperation::Put => {
                            places.for_each(|(own, at)| (functions.put)(to, own, shared.cast(), at, length))
                        }
                        GapOperation::HpPut => {
                            places.for_each(|(own, at)| (functions.hpput)(to, own, shared.cast(), at, length))
                        }
                        GapOperation::Get => {
                            places.for_each(|(own, at)| (functions.get)(to, shared.cast(), at, own, length))
                        }
                        GapOperation::HpGet => {
                            places.for_each(|(own, at)| (functions.hpget)(to, shared.cast(), at, own, length))
                        }
                        GapOperation::Send => {
                            places.for_each(|(own, _)| (functions.send)(to, ptr::null(), own, length));
                        }
                    }
                }
                (functions.sync)();
                if operation == GapOperation::Send {
                    for partner in partners {
                        for message in 0..messages {
                            (functions.take)(shared.add(partner.shared + message * bytes).cast(), length);
                        }
                    }
                }
            }
        }
    }
}

impl Drop for BspLibrary {
    fn drop(&mut self) {
        // The bsp_end of another library may have finalised MPI.
        if handle::check_state().is_ok() {
            // SAFETY: all ranks end the SPMD part here.
            unsafe { (self.functions.end)() };
        }
    }
}

/// The corresponding MPI functions. Errors end the job.
pub struct MpiFunctions {
    place: Place,
    comm: SimpleCommunicator,
    window: MPI_Win,
    /// For messages that arrive, then for those that leave.
    requests: Vec<MPI_Request>,
}

impl MpiFunctions {
    /// That the functions below belong to the MPI library.
    ///
    /// # Errors
    /// Where one does not; ranks may differ.
    pub fn origin() -> Result<Origin> {
        Origin::of_mpi(&[
            c"MPI_Alltoall",
            c"MPI_Barrier",
            c"MPI_Get",
            c"MPI_Irecv",
            c"MPI_Isend",
            c"MPI_Put",
            c"MPI_Waitall",
            c"MPI_Win_create",
            c"MPI_Win_fence",
        ])
    }

    /// Collective: a communicator of its own, and a window of the shared memory. Nothing where MPI makes no
    /// window, as Open MPI without mpirun.
    pub fn new(areas: Rc<Areas>, most_messages: usize) -> Option<Self> {
        let (place, comm) = (Place::new(areas), SimpleCommunicator::world().duplicate());
        let shared = &place.areas.shared;
        // SAFETY: constants of the MPI library.
        let (mut window, request) = unsafe { (RSMPI_WIN_NULL, RSMPI_REQUEST_NULL) };
        // SAFETY: memory that lives as long as this value; all ranks call this.
        let code = unsafe {
            let bytes = size_of_val(&shared[..]) as MPI_Aint;
            MPI_Comm_set_errhandler(comm.as_raw(), RSMPI_ERRORS_RETURN);
            let code =
                MPI_Win_create(address(shared).cast(), bytes, 1, RSMPI_INFO_NULL, comm.as_raw(), &mut window);
            MPI_Comm_set_errhandler(comm.as_raw(), RSMPI_ERRORS_ARE_FATAL);
            code
        };
        if code != 0 {
            return None;
        }
        // SAFETY: a window of all ranks, which all call this.
        unsafe { MPI_Win_fence(0, window) };
        Some(Self { place, comm, window, requests: vec![request; 2 * most_messages] })
    }

    /// Collective: the same transfers as in supersteps.
    pub fn run(&mut self, step: &Step, times: u32) {
        let Self { place, comm, window, requests } = self;
        let (comm, window): (MPI_Comm, MPI_Win) = (comm.as_raw(), *window);
        let areas = &*place.areas;
        let words = areas.own.len().min(areas.shared.len());
        assert!(step.words() <= words, "the superstep lies in the memory");
        assert!(2 * step.messages <= requests.len(), "a request for each message");
        let (own, shared) = (address(&areas.own), address(&areas.shared));
        let (next, previous) = (place.next(), place.previous());
        let words = int(step.bytes / size_of::<u64>());
        let kind: MPI_Datatype = u64::equivalent_datatype().as_raw();
        let offsets = || (0..step.messages).map(|message| message * step.bytes);
        // SAFETY: the step lies in the memory and in the window, as checked; requests are complete at the end
        // of each turn.
        unsafe {
            for _ in 0..times {
                match step.operation {
                    Operation::Empty => {
                        MPI_Barrier(comm);
                    }
                    Operation::AllToAll => {
                        MPI_Alltoall(own.cast(), words, kind, shared.cast(), words, kind, comm);
                    }
                    Operation::Put | Operation::Shift | Operation::Hpput => {
                        for at in offsets() {
                            let (from, to) = (own.add(at).cast(), at as MPI_Aint);
                            MPI_Put(from, words, kind, next, to, words, kind, window);
                        }
                        MPI_Win_fence(0, window);
                    }
                    Operation::Get | Operation::Hpget => {
                        for at in offsets() {
                            let (to, from) = (own.add(at).cast(), at as MPI_Aint);
                            MPI_Get(to, words, kind, next, from, words, kind, window);
                        }
                        MPI_Win_fence(0, window);
                    }
                    Operation::Send => {
                        let (arriving, leaving) = requests[..2 * step.messages].split_at_mut(step.messages);
                        for (at, request) in offsets().zip(arriving) {
                            MPI_Irecv(shared.add(at).cast(), words, kind, previous, 0, comm, request);
                        }
                        for (at, request) in offsets().zip(leaving) {
                            MPI_Isend(own.add(at).cast(), words, kind, next, 0, comm, request);
                        }
                        MPI_Waitall(int(2 * step.messages), requests.as_mut_ptr(), RSMPI_STATUSES_IGNORE);
                    }
                }
            }
        }
    }
}

impl Drop for MpiFunctions {
    fn drop(&mut self) {
        // SAFETY: all ranks drop it, between MPI_Init and MPI_Finalize; nothing is outstanding.
        unsafe { MPI_Win_free(&mut self.window) };
    }
}
