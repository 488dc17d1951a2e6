//! PMIx, through which Open MPI's processes exchange their addresses in `MPI_Init`.
//!
//! The PMIx library of the MPI library is opened by name. It counts its users: this module begins before
//! `MPI_Init` and ends after it, so the process connects to its daemon once, and MPI is the last user. Values
//! put before `MPI_Init` belong to the data that all processes exchange there. Getting them afterwards
//! queries the process's own memory or the daemon of its node, which answers immediately.
//!
//! Restrictions: not with Open MPI 5, which must be the first user of PMIx ([`must_be_first`]), nor with MPI
//! libraries that do not use PMIx: under a launcher that does, their processes are separate jobs. An MPI
//! library may contain another PMIx library. The library that is opened here is used only if it has the
//! version of the launcher's.
//!
//! Source: PMIx standard 4.2, chapters 4 (initialisation), 5.1 (`PMIx_Put`, `PMIx_Get`) and the structures of
//! chapter 3.

use super::published::Published;
use hcube_core::node::loader::Library;
use hcube_drop_in::mpi_library::{self, OPEN_MPI, is_open_mpi};
use hcube_drop_in::output::is_loaded;
use hcube_drop_in::world;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;

const SUCCESS: c_int = 0;
/// `PMIX_GLOBAL`: for processes of this node and of others.
const GLOBAL: u8 = 3;
/// `PMIX_BOOL`.
const BOOLEAN: u16 = 1;
/// `PMIX_STRING`.
const STRING: u16 = 3;
const KEY: &CStr = c"hcube.preload";

/// `pmix_proc_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Process {
    namespace: [c_char; 256],
    rank: u32,
}

/// `pmix_value_t`; the largest member of its union has three words.
#[repr(C)]
#[derive(Clone, Copy)]
struct Value {
    kind: u16,
    data: [*mut c_void; 3],
}

/// `pmix_info_t`.
#[repr(C)]
struct Info {
    key: [c_char; 512],
    flags: u32,
    value: Value,
}

type Init = unsafe extern "C" fn(*mut Process, *mut Info, usize) -> c_int;
type Put = unsafe extern "C" fn(u8, *const c_char, *mut Value) -> c_int;
type Commit = unsafe extern "C" fn() -> c_int;
type Get = unsafe extern "C" fn(*const Process, *const c_char, *const Info, usize, *mut *mut Value) -> c_int;
type Finalize = unsafe extern "C" fn(*mut Info, usize) -> c_int;
type GetVersion = unsafe extern "C" fn() -> *const c_char;

/// The library in use, between its `PMIx_Init` and `PMIx_Finalize`.
pub struct Client {
    get: Get,
    finalize: Finalize,
    own: Process,
}

impl Client {
    /// Publishes a value for this process; `None` under a launcher without PMIx, or where its library is
    /// missing.
    pub fn publish(published: &str) -> Option<Self> {
        let version = std::env::var("PMIX_VERSION").ok()?;
        for variable in ["PMIX_NAMESPACE", "PMIX_RANK"] {
            std::env::var_os(variable)?;
        }
        // Open MPI loads it in MPI_Init, others are linked to it.
        if must_be_first() || !(is_open_mpi() || is_loaded("libpmix.so")) {
            return None;
        }
        let library = Library::open(c"libpmix.so.2")?;
        // SAFETY: the functions of these names have these signatures in all versions of libpmix.so.2.
        let (get_version, init, put, commit, get, finalize) = unsafe {
            (
                library.function::<GetVersion>(c"PMIx_Get_version")?,
                library.function::<Init>(c"PMIx_Init")?,
                library.function::<Put>(c"PMIx_Put")?,
                library.function::<Commit>(c"PMIx_Commit")?,
                library.function::<Get>(c"PMIx_Get")?,
                library.function::<Finalize>(c"PMIx_Finalize")?,
            )
        };
        // SAFETY: may be called at any time; returns a NUL-terminated string that lives as long as the
        // library.
        if !is_version(unsafe { CStr::from_ptr(get_version()) }.to_str().ok()?, &version) {
            return None;
        }
        let mut own = Process { namespace: [0; 256], rank: 0 };
        // SAFETY: `own` is written; no directives.
        if unsafe { init(&mut own, null_mut(), 0) } != SUCCESS {
            return None;
        }
        let client = Self { get, finalize, own };
        let text = CString::new(published).ok()?;
        let mut value =
            Value { kind: STRING, data: [text.as_ptr().cast_mut().cast(), null_mut(), null_mut()] };
        // SAFETY: initialised above; the library copies the value. One that is not published is missed by all
        // others, and by this process.
        unsafe {
            put(GLOBAL, KEY.as_ptr(), &mut value);
            commit();
        }
        Some(client)
    }

    /// After `MPI_Init`: what the processes have published.
    pub fn look(&self) -> Published {
        Published::Values((0..world::size()).map(|rank| self.value_of(rank)).collect())
    }

    /// The token of a process of this job.
    fn value_of(&self, rank: usize) -> Option<String> {
        let process = Process { rank: u32::try_from(rank).ok()?, ..self.own };
        // Not from another node: what is not here now was not published.
        let mut at_once =
            Info { key: [0; 512], flags: 0, value: Value { kind: BOOLEAN, data: [null_mut(); 3] } };
        for (to, from) in at_once.key.iter_mut().zip(c"pmix.immediate".to_bytes()) {
            *to = *from as c_char;
        }
        at_once.value.data[0] = std::ptr::without_provenance_mut(usize::from(true));
        let mut found: *mut Value = null_mut();
        // SAFETY: the library is initialised until self is dropped; it writes the address of a value that it
        // has allocated. Its function to free one is a macro of its header: a value has less than 100 bytes,
        // and this is done once in a process.
        let value = unsafe {
            let code = (self.get)(&process, KEY.as_ptr(), &at_once, 1, &mut found);
            if code != SUCCESS {
                return None;
            }
            found.as_ref()?
        };
        if value.kind != STRING || value.data[0].is_null() {
            return None;
        }
        // SAFETY: a NUL-terminated string of the library's.
        unsafe { CStr::from_ptr(value.data[0].cast()) }.to_str().ok().map(str::to_owned)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // SAFETY: one call for the call of PMIx_Init; MPI's follows in MPI_Finalize.
        unsafe { (self.finalize)(null_mut(), 0) };
    }
}

/// Whether MPI does not detect that it is not the first user: Open MPI 5 tests whether PMIx is initialised
/// and then has no rank (5.0.11: `MPI_Init` fails, 'local rank not found').
fn must_be_first() -> bool {
    let library = mpi_library::name();
    let major =
        library.strip_prefix(OPEN_MPI).and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    major.is_some_and(|major| major >= 5)
}

/// Whether a library that describes itself by a text has a version.
fn is_version(text: &str, version: &str) -> bool {
    !version.is_empty() && text.split([' ', ',']).any(|word| word == version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_layout_of_the_standard() {
        assert_eq!((size_of::<Process>(), size_of::<Value>(), size_of::<Info>()), (260, 32, 552));
        assert_eq!(std::mem::offset_of!(Info, value), 520);
    }

    #[test]
    fn a_version_is_recognised_as_a_word() {
        let text = "OpenPMIx 4.2.2rc2 (PMIx Standard: 4.2, Stable ABI: 0.0, Provisional ABI: 0.0)";
        assert!(is_version(text, "4.2.2rc2") && !is_version(text, "4.2.2") && !is_version(text, ""));
    }
}
