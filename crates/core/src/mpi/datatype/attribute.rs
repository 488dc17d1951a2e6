//! The decoded layout of a datatype, attached to it as an MPI attribute.

use super::super::check::check;
use super::super::handle::simulated;
use super::super::number::Number;
use super::super::raw::{self, MPI_Datatype};
use crate::error::{Error, Result};
use crate::memory::datatype::Datatype;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

/// A failure is stored, too: a datatype that cannot be decoded is not tried again.
type Decoded = Result<Datatype>;

/// The key value, the same for all datatypes of the process.
static KEY: Number = Number::new();

fn key() -> Result<c_int> {
    let create = || {
        let mut created = 0;
        // SAFETY: `release` has the signature that MPI requires.
        let code = unsafe { raw::hcube_shim_create_type_keyval(Some(release), &mut created) };
        check("MPI_Type_create_keyval", code).map(|()| created)
    };
    // SAFETY: just created and used by nobody.
    KEY.get_or_create(create, |mut created| unsafe {
        raw::PMPI_Type_free_keyval(&mut created);
    })
}

/// Called by MPI when the datatype is freed.
///
/// # Safety
/// MPI calls it, once for each value that [`keep`] has set.
unsafe extern "C-unwind" fn release(_: MPI_Datatype, _: c_int, value: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: the value is the box that `keep` leaked, and MPI calls this once for it.
    drop(unsafe { Box::from_raw(value.cast::<Decoded>()) });
    0
}

/// The layout attached to a datatype, or null.
///
/// # Safety
/// `datatype` is valid.
unsafe fn lookup(datatype: MPI_Datatype, key: c_int) -> *const Decoded {
    let (mut value, mut found) = (std::ptr::null_mut::<c_void>(), 0);
    // SAFETY: a valid datatype and key value; MPI writes a pointer to `value`.
    unsafe { raw::PMPI_Type_get_attr(datatype, key, (&raw mut value).cast(), &mut found) };
    if found != 0 { value.cast() } else { std::ptr::null() }
}

/// The layout attached to a datatype; decodes the datatype first if no layout is attached.
///
/// # Safety
/// `datatype` is valid and nobody frees it during the call.
pub(super) unsafe fn cached(datatype: MPI_Datatype, decode: impl FnOnce() -> Decoded) -> Decoded {
    let key = key()?;
    // SAFETY: valid during the call, by the contract of this function. The attached value is never replaced
    // and is freed with the datatype.
    if let Some(kept) = unsafe { lookup(datatype, key).as_ref() } {
        return kept.clone();
    }
    let kept = decode();
    if matches!(kept, Ok(_) | Err(Error::Unsupported(_))) {
        // SAFETY: valid during the call, by the contract of this function.
        unsafe { keep(datatype, key, kept.clone()) }?;
    }
    kept
}

/// Hangs it on the datatype unless another thread was quicker: a value that is there may be in use and
/// must not be replaced.
///
/// # Safety
/// As [`cached`].
unsafe fn keep(datatype: MPI_Datatype, key: c_int, kept: Decoded) -> Result<()> {
    /// One thread at a time between test and set. Neither of the two calls waits.
    static TURN: Mutex<()> = Mutex::new(());
    // Simulated ranks share one thread and may change places in any call; each has its own datatypes.
    let _turn = (!simulated()).then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
    // SAFETY: valid during the call, by the contract of this function; `release` will free the box.
    unsafe {
        if !lookup(datatype, key).is_null() {
            return Ok(());
        }
        let value = Box::into_raw(Box::new(kept));
        let result = check("MPI_Type_set_attr", raw::PMPI_Type_set_attr(datatype, key, value.cast()));
        if result.is_err() {
            drop(Box::from_raw(value));
        }
        result
    }
}
