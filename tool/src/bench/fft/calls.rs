//! FFTW's transform of a distributed vector, by functions of its MPI library, which is loaded where it
//! exists: neither the tool nor the library of hcube is linked to it.

use super::vector::WORDS;
use crate::bench::library::{self, functions};
use crate::bench::proof::Origin;
use hcube_core::memory::Region;
use mpi::ffi::MPI_Comm;
use mpi::raw::AsRaw;
use mpi::topology::{Communicator, SimpleCommunicator};
use std::ffi::{c_int, c_uint, c_void};
use std::path::Path;

functions! {
    /// The functions of FFTW 3 that are measured.
    Functions, "fftw_":
    malloc(usize) -> *mut c_void;
    execute(*mut c_void);
    free(*mut c_void);
    destroy_plan(*mut c_void);
}

functions! {
    /// The functions of FFTW's MPI library.
    Planning, "fftw_mpi_":
    init();
    local_size_1d(
        isize,
        MPI_Comm,
        c_int,
        c_uint,
        *mut isize,
        *mut isize,
        *mut isize,
        *mut isize
    ) -> isize;
    plan_dft_1d(isize, *mut c_void, *mut c_void, MPI_Comm, c_int, c_uint) -> *mut c_void;
}

/// Names of the library, the newest version first.
const FILES: [&str; 2] = ["libfftw3_mpi.so.3", "libfftw3_mpi.so"];
/// `FFTW_FORWARD`, `FFTW_MEASURE` and `FFTW_ESTIMATE`.
const FORWARD: c_int = -1;
pub const MEASURE: c_uint = 0;
pub const ESTIMATE: c_uint = 1 << 6;
/// Bytes of a complex number.
const COMPLEX: usize = WORDS * size_of::<u64>();

/// What [`load`] has found: the functions, the file of FFTW's MPI library, and that it defines those which
/// plan.
pub type Loaded = (Functions, Planning, String, Origin);

/// The library, with a communicator of its own.
pub struct Fftw {
    functions: Functions,
    planning: Planning,
    comm: SimpleCommunicator,
    pub file: String,
    pub origin: Origin,
}

impl Fftw {
    /// Collective, where it succeeds on all ranks: starts the library.
    pub fn start((functions, planning, file, origin): Loaded) -> Self {
        // SAFETY: MPI is active.
        unsafe { (planning.init)() };
        Self { functions, planning, comm: SimpleCommunicator::world().duplicate(), file, origin }
    }
}

/// Loads the library.
///
/// # Errors
/// Why it cannot be used; ranks may differ.
pub fn load(file: Option<&Path>) -> Result<Loaded, String> {
    let library = library::open(file, &FILES)?;
    // SAFETY: the types of FFTW 3.3, where ptrdiff_t has the size of a pointer.
    let ((functions, ..), (planning, file, origin)) =
        unsafe { (Functions::find(library)?, Planning::find(library)?) };
    library::check_mpi(library, &file)?;
    Ok((functions, planning, file, origin))
}

/// A forward transform that was planned, with its memory.
pub struct Plan {
    functions: Functions,
    plan: *mut c_void,
    input: *mut c_void,
    output: *mut c_void,
    /// Complex numbers of this rank.
    part: usize,
}

impl Plan {
    /// Collective: plans the transform of a vector of which each rank has `part` numbers, from the number
    /// `start` on.
    ///
    /// # Errors
    /// Where FFTW distributes the vector in another way or has no memory; ranks may differ. Planning itself
    /// is collective, so it does not begin before the ranks agree on `agreed`.
    pub fn new(
        fftw: &Fftw,
        length: usize,
        (start, part): (usize, usize),
        (flags, out_of_place): (c_uint, bool),
        agreed: impl Fn(bool) -> bool,
    ) -> Result<Self, String> {
        let (functions, planning, comm) = (fftw.functions, fftw.planning, fftw.comm.as_raw());
        let [mut rows, mut first, mut rows_after, mut first_after] = [0_isize; 4];
        // SAFETY: local variables and a living communicator.
        let bytes = unsafe {
            let local = (planning.local_size_1d)(
                length as isize,
                comm,
                FORWARD,
                flags,
                &mut rows,
                &mut first,
                &mut rows_after,
                &mut first_after,
            );
            COMPLEX * (local as usize).max(part)
        };
        let expected = [start, part, start, part].map(|number| number as isize);
        let same = [first, rows, first_after, rows_after] == expected;
        // SAFETY: any size; null where memory is missing.
        let input = unsafe { (functions.malloc)(bytes) };
        // SAFETY: any size; null where memory is missing.
        let output = if out_of_place { unsafe { (functions.malloc)(bytes) } } else { input };
        for memory in [input, output] {
            if !memory.is_null() {
                // SAFETY: just allocated, of this size.
                unsafe { memory.write_bytes(0, bytes) };
            }
        }
        let mut plan = Self { functions, plan: std::ptr::null_mut(), input, output, part };
        if !agreed(same && !input.is_null() && !output.is_null()) {
            return Err(match same {
                true => format!("no memory of {bytes} bytes on some rank"),
                false => "it distributes this vector in another way".to_owned(),
            });
        }
        // SAFETY: memory of the size that FFTW has asked for; all ranks call it.
        plan.plan = unsafe { (planning.plan_dft_1d)(length as isize, input, output, comm, FORWARD, flags) };
        if agreed(!plan.plan.is_null()) { Ok(plan) } else { Err("it has no plan".to_owned()) }
    }

    /// Collective: transforms.
    pub fn execute(&mut self) {
        // SAFETY: a plan with its memory, which all ranks execute.
        unsafe { (self.functions.execute)(self.plan) };
    }

    fn words(&mut self, memory: *mut c_void) -> &mut [u64] {
        // SAFETY: memory for at least this part, aligned for words, which this plan owns and has written
        // before.
        unsafe { std::slice::from_raw_parts_mut(memory.cast(), WORDS * self.part) }
    }

    /// The part that is transformed.
    pub fn input(&mut self) -> &mut [u64] {
        self.words(self.input)
    }

    /// The part of the result.
    pub fn output(&mut self) -> &mut [u64] {
        self.words(self.output)
    }

    /// The part of the result, as hcube's transforms take it.
    pub fn region(&mut self) -> Region<'_> {
        Region::of(hcube_core::memory::bytes_of_mut(self.output()))
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        let (free, destroy) = (self.functions.free, self.functions.destroy_plan);
        // SAFETY: what FFTW has made, or null, which both functions accept.
        unsafe {
            destroy(self.plan);
            free(self.input);
            if self.output != self.input {
                free(self.output);
            }
        }
    }
}
