//! Decoded MPI datatypes: the bytes of a buffer that are data, and their order.
//!
//! Idea: a datatype is decoded once, from `MPI_Type_get_contents`, into loops over contiguous runs
//! ([`crate::memory::datatype`]). `MPI_Pack` is not sufficient: it packs whole elements, and one element may
//! be the whole buffer. The result is attached to the datatype as an MPI attribute, is not copied by
//! `MPI_Type_dup` and is freed with the datatype.
//!
//! Restrictions: constructors of MPI-3.1 and those with large counts of MPI-4. Other constructors, and
//! datatypes whose size differs between hcube and the MPI library, are [`Error::Unsupported`]: such exchanges
//! are forwarded to the MPI library. The use of a freed datatype is detected only if the MPI library detects
//! it.
//!
//! Cost: predefined datatypes four short MPI calls, others one more and a reference count; decoding
//! is linear in the arguments of the constructors.

mod array;
mod attribute;
mod contents;
mod decode;

use super::backend::MpiComm;
use super::check::check;
use super::constants::constants;
use super::guard::guard;
use super::handle::simulated;
use super::raw::{self, MPI_Datatype};
use crate::error::{Error, Result};
use crate::memory::datatype::Datatype;
use contents::Envelope;

/// Decodes a datatype. No error is raised on a communicator of the caller; `comm` is the communicator of the
/// exchange.
///
/// # Errors
/// [`Error::Datatype`] for one that is null, invalid or not committed (`MPI_ERR_TYPE`);
/// [`Error::Unsupported`] for one that must be forwarded to the library's own functions.
///
/// # Safety
/// `datatype` is a value that MPI has returned and nobody frees it during the call. Invalid handles are
/// recognised where the MPI library does: MPICH does, while Open MPI's are addresses.
pub unsafe fn inspect(datatype: MPI_Datatype, comm: &MpiComm) -> Result<Datatype> {
    // SAFETY: a value that MPI has returned, which nobody frees during this call.
    unsafe { check_valid(datatype, comm) }?;
    // SAFETY: valid, as MPI has just said, and nobody frees it during this call.
    unsafe {
        let envelope = Envelope::of(datatype)?;
        if !envelope.is_named() {
            return attribute::cached(datatype, || {
                let (size, extent) = decode::measure(datatype)?;
                Ok(Datatype::new(size, extent, false, decode::derived(datatype, &envelope, size)?))
            });
        }
        let (size, extent) = decode::measure(datatype)?;
        Ok(Datatype::new(size, extent, true, decode::named(datatype, size, extent)?))
    }
}

/// Checks a datatype of which no element is used.
///
/// # Errors
/// [`Error::Datatype`] as [`inspect`].
///
/// # Safety
/// As [`inspect`].
pub unsafe fn check_unused(datatype: MPI_Datatype, comm: &MpiComm) -> Result<()> {
    // SAFETY: a value that MPI has returned, which nobody frees during this call.
    match unsafe { check_valid(datatype, comm) } {
        Err(Error::Unsupported(_)) => Ok(()),
        result => result,
    }
}

/// Whether a datatype is one of the usual ones of MPI's own, which is known without a call of MPI.
#[allow(clippy::not_unsafe_ptr_arg_deref, reason = "a handle is compared with others, and never followed")]
pub fn is_usual(datatype: MPI_Datatype) -> bool {
    // SAFETY: compares with constants.
    unsafe { raw::hcube_shim_is_predefined(datatype) != 0 }
}

/// Bytes of data of an element, also of a datatype that only [`inspect`] finds to be one that it cannot
/// handle.
///
/// # Errors
/// [`Error::Datatype`] as [`inspect`].
///
/// # Safety
/// As [`inspect`].
pub unsafe fn size(datatype: MPI_Datatype, comm: &MpiComm) -> Result<usize> {
    // SAFETY: returned by MPI, and nobody frees it meanwhile; measured where MPI has said that it is valid.
    unsafe {
        match check_valid(datatype, comm) {
            Ok(()) | Err(Error::Unsupported(_)) => Ok(decode::measure(datatype)?.0),
            Err(error) => Err(error),
        }
    }
}

/// Whether MPI would communicate with a datatype, tested without communication: MPI checks the arguments of a
/// message to MPI_PROC_NULL. The message must have an element, or MPICH does not check the type.
///
/// # Safety
/// As [`inspect`].
unsafe fn check_valid(datatype: MPI_Datatype, comm: &MpiComm) -> Result<()> {
    if datatype == constants().datatype_null {
        return Err(Error::Datatype("datatype = MPI_DATATYPE_NULL: expected a committed datatype".into()));
    }
    if is_usual(datatype) {
        return Ok(());
    }
    let unable =
        |_| Error::Unsupported("the MPI library has no communicator to check a datatype with".into());
    // Simulated ranks share the process, and their errors are returned.
    let judge = if simulated() { comm.raw() } else { guard().map_err(unable)? };
    let somewhere = 0u8;
    // SAFETY: a value that MPI has returned, which nobody frees meanwhile, by the contract of this function;
    // MPI checks whether it is valid. Nothing is read for a message to MPI_PROC_NULL; errors are returned.
    let code = unsafe {
        let nobody = constants().proc_null;
        raw::PMPI_Send((&raw const somewhere).cast(), 1, datatype, nobody, 0, judge)
    };
    check("MPI_Send", code).map_err(|error| {
        Error::Datatype(format!("datatype is not valid or not committed (MPI_Type_commit): {error}"))
    })
}
