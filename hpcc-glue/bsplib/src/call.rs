//! Converts C arguments and calls the runtime.
//!
//! Sizes are `usize` here; the dialects convert their sizes, and reject negative ones. An operation of 0
//! bytes has no effect and is not checked.
//!
//! `# Safety` of the exported functions says "As BSPlib requires", which means: an address is NULL, which is
//! an error if a size is passed with it, or is valid for that size, or for the tag size that was set. The
//! program keeps registered memory allocated until the end of the superstep in which it removes the
//! registration. It keeps other memory allocated during the call, and the destination of a get until the end
//! of the superstep; it does not access memory of unbuffered operations until then.

use hcube_bsp::{Spmd, process};
use hcube_core::Result;
use hcube_core::error::Error;
use hcube_core::memory::Region;
use hcube_core::mpi::{MpiComm, gate};
use hcube_core::node::lists::MAX_PAYLOAD_BYTES;
use std::ffi::c_void;
use std::fmt::Display;
use std::ptr;

/// Exports functions that are others with other types. cbindgen expands no macros: what writes `bsp.h` shows
/// it what this one writes.
macro_rules! exported {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $Type:ty),*) $(-> $Result:ty)? { $($body:tt)* }
    )*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As BSPlib requires.
            #[unsafe(no_mangle)]
            #[allow(unused_unsafe, reason = "some of these functions cannot be called wrongly")]
            pub unsafe extern "C-unwind" fn $name($($argument: $Type),*) $(-> $Result)? {
                // SAFETY: an address is NULL or leads to memory of the size that is passed with it, which the
                // program keeps and does not use otherwise as long as BSPlib says.
                unsafe { $($body)* }
            }
        )*
    };
}
pub(crate) use exported;

/// Runs a function; an error ends the job.
#[inline(always)]
pub fn run<T>(function: &str, work: impl FnOnce() -> Result<T>) -> T {
    gate::run(None, || match work() {
        Ok(value) => value,
        Err(error) => process::fail(function, &error),
    })
}

/// Runs a function in the SPMD part.
#[inline(always)]
pub fn spmd<T>(function: &str, work: impl FnOnce(&mut Spmd<MpiComm>) -> Result<T>) -> T {
    run(function, || process::spmd(work))
}

/// `bsp_init` and `bsp_init_with_user_data`, where `call` calls the function of the program.
pub fn init<F>(function: &str, spmd_part: Option<F>, call: impl FnOnce(F)) {
    run(function, || {
        let part = spmd_part.ok_or_else(|| Error::argument("spmd_part", "NULL", "a function"))?;
        process::init(|| call(part))
    });
}

/// A number that must not be negative.
#[inline(always)]
pub fn number<T: Copy + Display + TryInto<usize>>(name: &'static str, value: T) -> Result<usize> {
    value.try_into().map_err(|_| negative(name, value))
}

#[cold]
fn negative(name: &'static str, value: impl Display) -> Error {
    Error::argument(name, value, "0 or more")
}

/// The size of memory that is copied.
#[inline]
pub fn length<T: Copy + Display + TryInto<usize>>(name: &'static str, value: T) -> Result<usize> {
    let bytes = number(name, value)?;
    if bytes > MAX_PAYLOAD_BYTES {
        return Err(Error::argument(name, value, format!("at most {MAX_PAYLOAD_BYTES}")));
    }
    Ok(bytes)
}

/// An address that must not be NULL.
#[inline(always)]
pub fn not_null<T>(name: &'static str, pointer: *mut T) -> Result<*mut T> {
    if pointer.is_null() { Err(Error::argument(name, "NULL", "an address")) } else { Ok(pointer) }
}

/// Memory of the program.
///
/// # Safety
/// The library may use the memory as BSPlib specifies: registered memory as long as it is registered, other
/// memory during the call or, if a get writes it or the function is unbuffered, until the end of the
/// superstep.
///
/// # Errors
/// For NULL with a size.
#[inline(always)]
pub unsafe fn memory(name: &'static str, address: *const c_void, bytes: usize) -> Result<Region<'static>> {
    if address.is_null() && bytes > 0 {
        return Err(Error::argument(name, "NULL", format!("an address of {bytes} bytes")));
    }
    // SAFETY: the program does not use these bytes otherwise, as long as the library uses the region.
    Ok(unsafe { Region::new(address.cast_mut().cast(), bytes) })
}

/// Arguments of a copy between processes, of any dialect.
#[derive(Debug, Clone, Copy)]
pub struct Transfer<N, S> {
    /// The other process.
    pub pid: N,
    /// Source address.
    pub source: *const c_void,
    /// Destination address.
    pub target: *const c_void,
    /// Bytes from the start of the registered memory.
    pub offset: S,
    /// Length in bytes.
    pub bytes: S,
}

impl<N, S> Transfer<N, S>
where
    N: Copy + Display + TryInto<usize>,
    S: Copy + Display + TryInto<usize>,
{
    /// Process, offset and bytes; `None` for 0 bytes.
    #[inline]
    fn numbers(&self) -> Result<Option<[usize; 3]>> {
        let bytes = length("nbytes", self.bytes)?;
        if bytes == 0 {
            return Ok(None);
        }
        Ok(Some([number("pid", self.pid)?, number("offset", self.offset)?, bytes]))
    }

    /// `bsp_put` and `bsp_hpput`.
    ///
    /// # Safety
    /// As BSPlib requires.
    #[inline]
    pub unsafe fn put(
        self,
        function: &str,
        put: impl FnOnce(&mut Spmd<MpiComm>, usize, Region<'static>, usize, usize) -> Result<()>,
    ) {
        spmd(function, |spmd| {
            let Some([pid, offset, bytes]) = self.numbers()? else { return Ok(()) };
            // SAFETY: `bytes` bytes at the source can be read during the call, by hpput until the end of the
            // superstep.
            let data = unsafe { memory("src", self.source, bytes) }?;
            put(spmd, pid, data, self.target.addr(), offset)
        });
    }

    /// `bsp_get` and `bsp_hpget`.
    ///
    /// # Safety
    /// As BSPlib requires.
    #[inline]
    pub unsafe fn get(
        self,
        function: &str,
        get: impl FnOnce(&mut Spmd<MpiComm>, usize, usize, usize, Region<'static>) -> Result<()>,
    ) {
        spmd(function, |spmd| {
            let Some([pid, offset, bytes]) = self.numbers()? else { return Ok(()) };
            // SAFETY: `bytes` bytes at the target may be written until the superstep ends.
            let into = unsafe { memory("dst", self.target, bytes) }?;
            get(spmd, pid, self.source.addr(), offset, into)
        });
    }
}

/// `bsp_push_reg`.
///
/// # Safety
/// As BSPlib requires.
pub unsafe fn push_reg<S: Copy + Display + TryInto<usize>>(function: &str, ident: *const c_void, size: S) {
    spmd(function, |spmd| {
        let size = number("size", size)?;
        // SAFETY: the program keeps `size` bytes at `ident` until it has removed the registration; NULL with
        // a size is refused there.
        spmd.push_reg(unsafe { Region::new(ident.cast_mut().cast(), size) })
    });
}

/// `bsp_pop_reg`.
pub fn pop_reg(function: &str, ident: *const c_void) {
    spmd(function, |spmd| spmd.pop_reg(ident.addr()));
}

/// `bsp_set_tagsize`.
///
/// # Safety
/// The address is NULL or valid for a size.
pub unsafe fn set_tagsize<S>(function: &str, tag_nbytes: *mut S)
where
    S: Copy + Display + TryInto<usize> + TryFrom<usize>,
{
    spmd(function, |spmd| {
        let place = not_null("tag_nbytes", tag_nbytes)?;
        // SAFETY: not NULL, and then the address of a size.
        let before = spmd.set_tag_bytes(number("*tag_nbytes", unsafe { place.read_unaligned() })?)?;
        // SAFETY: the size that was read, which may be written.
        unsafe { place.write_unaligned(size("*tag_nbytes", before)?) };
        Ok(())
    });
}

/// A size as a dialect has it.
fn size<S: TryFrom<usize>>(name: &'static str, value: usize) -> Result<S> {
    S::try_from(value)
        .map_err(|_| Error::argument(name, value, "a number that the type of this dialect holds"))
}

/// `bsp_send` and `bsp_hpsend`.
///
/// # Safety
/// As BSPlib requires.
#[inline(always)]
pub unsafe fn send<N, S>(
    function: &str,
    pid: N,
    tag: *const c_void,
    payload: *const c_void,
    payload_nbytes: S,
) where
    N: Copy + Display + TryInto<usize>,
    S: Copy + Display + TryInto<usize>,
{
    spmd(function, |spmd| {
        let bytes = length("payload_nbytes", payload_nbytes)?;
        // SAFETY: the tag has the size that was set, and the payload `bytes` bytes.
        let [tag, payload] =
            unsafe { [memory("tag", tag, spmd.tag_bytes())?, memory("payload", payload, bytes)?] };
        spmd.send(number("pid", pid)?, tag, payload)
    });
}

/// `bsp_qsize`; in some dialects, the second address may be NULL.
///
/// # Safety
/// The addresses are NULL or valid for numbers.
pub unsafe fn qsize<N, S>(function: &str, packets: *mut N, accumulated_nbytes: *mut S, may_be_null: bool)
where
    N: TryFrom<usize>,
    S: TryFrom<usize>,
{
    spmd(function, |spmd| {
        let (messages, bytes) = spmd.queue_size();
        let place = not_null("packets", packets)?;
        if !may_be_null {
            not_null("accumulated_nbytes", accumulated_nbytes)?;
        }
        // SAFETY: not NULL, and then the address of a number.
        unsafe { place.write_unaligned(size("*packets", messages)?) };
        if !accumulated_nbytes.is_null() {
            // SAFETY: not NULL, and then the address of a number.
            unsafe { accumulated_nbytes.write_unaligned(size("*accumulated_nbytes", bytes)?) };
        }
        Ok(())
    });
}

/// `bsp_get_tag`; `none` stands for an empty queue.
///
/// # Safety
/// As BSPlib requires.
pub unsafe fn get_tag<S: TryFrom<usize>>(function: &str, status: *mut S, tag: *mut c_void, none: S) {
    spmd(function, |spmd| {
        let place = not_null("status", status)?;
        let Some(message) = spmd.first_message() else {
            // SAFETY: not NULL, and then the address of a number.
            unsafe { place.write_unaligned(none) };
            return Ok(());
        };
        // SAFETY: there is room for a tag, whose size the program has set.
        let target = unsafe { memory("tag", tag, message.tag.len()) }?;
        message.tag.copy_to(target);
        // SAFETY: not NULL, and then the address of a number.
        unsafe { place.write_unaligned(size("*status", message.payload.len())?) };
        Ok(())
    });
}

fn empty() -> Error {
    Error::Usage("the queue has no message: expected one (bsp_qsize tells how many are left)".into())
}

/// `bsp_move`.
///
/// # Safety
/// As BSPlib requires.
#[inline(always)]
pub unsafe fn take<S>(function: &str, payload: *mut c_void, reception_nbytes: S)
where
    S: Copy + Display + TryInto<usize>,
{
    spmd(function, |spmd| {
        let room = number("reception_nbytes", reception_nbytes)?;
        // SAFETY: the program has room for `reception_nbytes` bytes.
        let target = unsafe { memory("payload", payload, room) }?;
        let message = spmd.take_message().ok_or_else(empty)?;
        let bytes = room.min(message.payload.len());
        message.payload.part(0..bytes).copy_to(target.part(0..bytes));
        Ok(())
    });
}

/// `bsp_hpmove`; `none` stands for an empty queue.
///
/// # Safety
/// As BSPlib requires.
pub unsafe fn take_in_place<S: TryFrom<usize>>(
    function: &str,
    tag_ptr: *mut *mut c_void,
    payload_ptr: *mut *mut c_void,
    none: S,
) -> S {
    spmd(function, |spmd| {
        let places = [not_null("tag_ptr", tag_ptr)?, not_null("payload_ptr", payload_ptr)?];
        let Some(message) = spmd.take_message() else { return Ok(none) };
        for (place, region) in places.into_iter().zip([message.tag, message.payload]) {
            // SAFETY: not NULL, and then the places of addresses.
            unsafe { ptr::write_unaligned(place, region.address().cast()) };
        }
        size("payload", message.payload.len())
    })
}
