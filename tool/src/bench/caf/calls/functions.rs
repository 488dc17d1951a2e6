//! The C functions of coarrays and of OpenSHMEM, by their names in the libraries that have them.

use crate::bench::library::{self, Named, functions, own_files};
use crate::bench::proof::Origin;
use hcube_core::Result;
use mpi::ffi::{MPI_Datatype, MPI_Op};
use std::ffi::{c_int, c_long, c_void};
use std::path::Path;

/// `hcube_event`.
#[repr(C)]
pub struct Event {
    pub events: u64,
    pub index: i64,
    pub image: i32,
    pub reserved: i32,
}

/// `hcube_place`.
#[repr(C)]
pub struct Side {
    pub coarray: u64,
    pub copointer: [u64; 2],
    pub memory: *mut c_void,
    pub offset: u64,
    pub image: i32,
    pub reserved: i32,
}

/// `hcube_caf_statistics`: its size and the numbers that follow, in the order of hcube/caf.h.
#[repr(C)]
#[derive(Debug)]
pub struct Statistics([u64; 15]);

impl Statistics {
    /// To be filled.
    pub fn new() -> Self {
        let mut all = [0; 15];
        all[0] = size_of::<Self>() as u64;
        Self(all)
    }

    /// Puts, gets, atomic operations, functions shipped, and reductions at the end of finish blocks, in
    /// shared memory and by messages.
    pub fn counts(&self) -> [u64; 5] {
        let [_, puts, gets, _, other_puts, other_gets, _, atomics, _, _, _, spawned, _, finish_rounds, _] =
            self.0;
        [puts + other_puts, gets + other_gets, atomics, spawned, finish_rounds]
    }
}

/// `struct hcube_error *`: NULL where only the code is wanted.
pub type ErrorOut = *mut c_void;
/// `hcube_caf_function`.
pub type Shipped = unsafe extern "C-unwind" fn(i32, *const c_void, u64);

functions! {
    /// The functions of libhcube.so that are measured.
    Coarrays, "hcube_caf_":
    init(ErrorOut) -> c_int;
    finalize(ErrorOut) -> c_int;
    coarray_alloc(u64, u64, *mut u64, *mut *mut c_void, ErrorOut) -> c_int;
    put(u64, i32, u64, *const c_void, u64, ErrorOut) -> c_int;
    get(u64, i32, u64, *mut c_void, u64, ErrorOut) -> c_int;
    put_strided(u64, i32, u64, u64, i32, *const i64, *const i64, *const c_void, *const i64, ErrorOut) -> c_int;
    atomic(u64, i32, u64, i32, u64, u64, *mut u64, ErrorOut) -> c_int;
    barrier(u64, ErrorOut) -> c_int;
    event_alloc(u64, i64, *mut u64, ErrorOut) -> c_int;
    event_notify(u64, i64, i32, ErrorOut) -> c_int;
    event_wait(u64, i64, ErrorOut) -> c_int;
    lock_alloc(u64, i64, *mut u64, ErrorOut) -> c_int;
    lock(u64, i64, i32, ErrorOut) -> c_int;
    unlock(u64, i64, i32, ErrorOut) -> c_int;
    copy_async(*const Side, *const Side, u64, *const Event, *const Event, ErrorOut) -> c_int;
    broadcast(u64, i32, *mut c_void, u64, ErrorOut) -> c_int;
    allreduce(u64, *const c_void, *mut c_void, i64, MPI_Datatype, MPI_Op, ErrorOut) -> c_int;
    register(Shipped, *mut i32, ErrorOut) -> c_int;
    spawn(u64, i32, i32, *const c_void, u64, *const Event, ErrorOut) -> c_int;
    finish_begin(u64, ErrorOut) -> c_int;
    finish_end(ErrorOut) -> c_int;
    last_statistics(*mut Statistics, ErrorOut) -> c_int;
}

functions! {
    /// The functions of OpenSHMEM that are measured.
    Openshmem, "shmem_":
    init();
    my_pe() -> c_int;
    n_pes() -> c_int;
    malloc(usize) -> *mut c_void;
    barrier_all();
    quiet();
    putmem(*mut c_void, *const c_void, usize, c_int);
    putmem_nbi(*mut c_void, *const c_void, usize, c_int);
    getmem(*mut c_void, *const c_void, usize, c_int);
    long_iput(*mut c_long, *const c_long, isize, isize, usize, c_int);
    ulong_atomic_fetch_add(*mut u64, u64, c_int) -> u64;
    ulong_atomic_compare_swap(*mut u64, u64, u64, c_int) -> u64;
    ulong_atomic_inc(*mut u64, c_int);
    ulong_wait_until(*mut u64, c_int, u64);
    uint64_atomic_xor(*mut u64, u64, c_int);
    set_lock(*mut c_long);
    clear_lock(*mut c_long);
}

impl Coarrays {
    /// libhcube.so, its file, and that this defines all functions. `mpi` is the name of the MPI library in
    /// the names of files.
    ///
    /// # Errors
    /// Where no file can be loaded or a function is missing; ranks may differ.
    pub fn load(file: Option<&Path>, mpi: &str) -> Result<(Self, String, Origin)> {
        let named = Named { option: "--caf", file, what: "the file of libhcube.so" };
        // SAFETY: the types of hcube/caf.h.
        named.load(|| own_files("libhcube.so", mpi), |library| unsafe { Self::find(library) })
    }
}

/// Names of Open MPI's library, the newest version first.
const OPENSHMEM_FILES: [&str; 2] = ["liboshmem.so.40", "liboshmem.so"];

impl Openshmem {
    /// The library of OpenSHMEM, its file, and that this defines all functions.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn load(file: Option<&Path>) -> std::result::Result<(Self, String, Origin), String> {
        let library = library::open(file, &OPENSHMEM_FILES)?;
        // SAFETY: the types of OpenSHMEM 1.4, where long has 64 bits.
        let (functions, file, origin) = unsafe { Self::find(library) }?;
        // Open MPI's, which would call the functions of another library by the names that it shares with it.
        library::check_mpi(library, &file)?;
        Ok((functions, file, origin))
    }
}
