//! MPI datatypes understood: which bytes of a buffer are data, and in which order.
//!
//! Idea: a datatype is decoded once, from what `MPI_Type_get_contents` says of it, into loops over
//! contiguous runs (`layout.rs`). Through these any part of a block is packed and unpacked where it is
//! needed ([`Block`]), in as much memory as there happens to be; `MPI_Pack` knows whole elements
//! alone, of which one may be the whole buffer. What was decoded hangs on the datatype as an MPI
//! attribute, is not copied by `MPI_Type_dup` and goes with the datatype.
//!
//! Restrictions: constructors of MPI-3.1 and those with large counts of MPI-4. Anything else, and
//! anything of which the MPI library gives another size than hcube, is [`Error::Unsupported`]: there
//! the library's own functions do the work. A datatype used after it was freed is found out only as
//! far as the MPI library does.
//!
//! Cost: predefined datatypes four short MPI calls, others one more and a reference count; decoding
//! is linear in the arguments of the constructors.

mod array;
mod attribute;
mod block;
mod contents;
mod copy;
mod decode;
mod layout;
mod runs;

pub use block::Block;

use super::mpi::{MpiComm, check};
use super::raw::{self, MPI_Datatype};
use crate::error::{Error, Result};
use contents::Envelope;
use layout::{Layout, Placed};

/// What hcube knows of an MPI datatype. It stays usable when the datatype is freed.
#[derive(Debug, Clone)]
pub struct Datatype {
    size: usize,
    extent: isize,
    /// Predefined by MPI.
    named: bool,
    placed: Placed,
}

impl Datatype {
    /// Looks at a datatype. Nothing is raised on any communicator of the caller's; `comm`, on which
    /// errors are returned, is that through which MPI is asked whether the datatype is valid.
    ///
    /// # Errors
    /// [`Error::Datatype`] for one that is null, invalid or not committed (`MPI_ERR_TYPE`);
    /// [`Error::Unsupported`] for one that must be left to the library's own functions.
    ///
    /// # Safety
    /// `datatype` is a value that MPI has given out and nobody frees it during the call. Invalid
    /// handles are recognised where the MPI library does: MPICH does, while Open MPI's are addresses.
    pub unsafe fn inspect(datatype: MPI_Datatype, comm: &MpiComm) -> Result<Self> {
        check_valid(datatype, comm)?;
        // SAFETY: valid, as MPI has just said, and it stays so by the caller's promise.
        unsafe {
            let envelope = Envelope::of(datatype)?;
            if !envelope.is_named() {
                return attribute::cached(datatype, || {
                    let (size, extent) = decode::measure(datatype)?;
                    let placed = decode::derived(datatype, &envelope, size)?;
                    Ok(Self { size, extent, named: false, placed })
                });
            }
            let (size, extent) = decode::measure(datatype)?;
            Ok(Self { size, extent, named: true, placed: decode::named(datatype, size, extent)? })
        }
    }

    /// Whether MPI defines it: such a datatype is never freed.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// Whether the bytes of one element follow one another in order.
    fn is_one_run(&self) -> bool {
        matches!(self.placed.layout, Layout::Run(_))
    }

    /// Whether elements follow one another without a gap, in order.
    pub fn is_dense(&self) -> bool {
        self.is_one_run() && isize::try_from(self.size) == Ok(self.extent)
    }

    /// Offset of the first byte of an element from its origin.
    pub fn offset(&self) -> isize {
        self.placed.offset
    }

    /// Bytes of data in one element.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Bytes from one element to the next; may be negative.
    pub fn extent(&self) -> isize {
        self.extent
    }
}

/// Whether MPI would communicate with a datatype, asked without communicating: a message to nobody makes
/// MPI look at its arguments. It must have an element, or MPICH does not look at the type.
fn check_valid(datatype: MPI_Datatype, comm: &MpiComm) -> Result<()> {
    // SAFETY: a constant.
    if datatype == unsafe { raw::hcube_shim_datatype_null() } {
        return Err(Error::Datatype("datatype = MPI_DATATYPE_NULL: expected a committed datatype".into()));
    }
    let somewhere = 0u8;
    // SAFETY: nothing is read for a message to MPI_PROC_NULL; errors on the communicator are returned.
    let code = unsafe {
        let nobody = raw::hcube_shim_proc_null();
        raw::PMPI_Send((&raw const somewhere).cast(), 1, datatype, nobody, 0, comm.raw())
    };
    check("MPI_Send", code).map_err(|error| {
        Error::Datatype(format!("datatype is not valid or not committed (MPI_Type_commit): {error}"))
    })
}
