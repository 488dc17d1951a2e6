//! Images that have failed or stopped.

use crate::abi::{Descriptor, Dimension, STAT_FAILED_IMAGE, STAT_STOPPED_IMAGE, kind};
use crate::failure::{Image, Result};
use crate::memory;
use crate::statement::{self, kind::Kind};
use crate::team::{self, Team, current};
use hcube_caf::state::others::Status;
use std::ffi::c_int;

/// `image_status`.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_image_status(number: c_int, _team: *const *const Team) -> c_int {
    statement::run(Kind::ImageStatus, |image| {
        let team = current();
        Ok(match image.status(team.handle, team.rank_of(number)?)? {
            Status::Alive => 0,
            Status::Failed => STAT_FAILED_IMAGE,
            Status::Stopped => STAT_STOPPED_IMAGE,
        })
    })
}

/// Writes the numbers of images to an array of integers, which it allocates.
///
/// # Safety
/// As gfortran calls it.
unsafe fn list(
    statement: Kind,
    descriptor: *mut Descriptor,
    bytes: *const c_int,
    find: impl FnOnce(&Image) -> Result<Vec<usize>>,
) {
    // SAFETY: NULL or the address of an integer.
    let element = unsafe { bytes.as_ref() }.map_or(size_of::<c_int>(), |&bytes| bytes as usize);
    let (ranks, memory) = statement::run(statement, |image| {
        let ranks = find(image)?;
        let memory = memory::allocate(ranks.len() * element, "a list of images")?;
        Ok((ranks, memory))
    });
    // SAFETY: the memory has an element for each image, of at most the 16 bytes of the largest kind; the
    // descriptor can be written and has a dimension.
    unsafe {
        for (at, rank) in ranks.iter().enumerate() {
            // Little-endian or big-endian: as many bytes of the number as the kind has.
            let number = (*rank as i128 + 1).to_ne_bytes();
            let skipped = if cfg!(target_endian = "big") { size_of::<i128>() - element } else { 0 };
            memory.add(at * element).copy_from_nonoverlapping(number[skipped..].as_ptr(), element);
        }
        let descriptor = &mut *descriptor;
        descriptor.base = memory;
        descriptor.offset = 0;
        descriptor.dtype.elem_len = element;
        descriptor.dtype.kind = kind::INTEGER;
        descriptor.dtype.rank = 1;
        descriptor.span = element as isize;
        descriptor.dimensions_mut()[0] = Dimension { stride: 1, lower: 0, upper: ranks.len() as isize - 1 };
    }
}

/// `failed_images`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_failed_images(
    descriptor: *mut Descriptor,
    _team: *const *const Team,
    bytes: *const c_int,
) {
    // SAFETY: the descriptor has room for a dimension and may be written; `bytes` is NULL or the address of
    // an integer.
    unsafe { list(Kind::FailedImages, descriptor, bytes, team::failed) };
}

/// `stopped_images`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_stopped_images(
    descriptor: *mut Descriptor,
    _team: *const *const Team,
    bytes: *const c_int,
) {
    // SAFETY: the descriptor has room for a dimension and may be written; `bytes` is NULL or the address of
    // an integer.
    unsafe { list(Kind::StoppedImages, descriptor, bytes, team::stopped) };
}
