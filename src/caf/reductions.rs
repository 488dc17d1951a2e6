//! Reductions of teams: reduce, allreduce and scan.

use super::collectives::{pair, root_and};
use super::{on_image, refusing, team_of};
use crate::types::{hcube_error, hcube_team};
use hcube_caf::collective;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::mpi::reduction::Elements;
use hcube_core::mpi::{MPI_Datatype, MPI_Op};
use std::ffi::c_void;

/// Elements of MPI with the buffers that hold them.
///
/// # Safety
/// As [`Elements::new`]; the buffers are null or valid for the elements.
unsafe fn elements<'a>(
    from: *const c_void,
    into: *mut c_void,
    (count, datatype, operation): (i64, MPI_Datatype, MPI_Op),
) -> Result<(Elements, Region<'a>, Region<'a>)> {
    // SAFETY: MPI has given out the datatype and the operation, which live as long as the elements; the
    // buffers are null or valid for them.
    unsafe {
        let elements = Elements::new(count, datatype, operation)?;
        elements.check()?;
        let (from, into) = pair(from, into, elements.bytes() as u64)?;
        Ok((elements, from, into))
    }
}

/// The operation as a runtime applies it. Its types have been checked, so an error here is an unexpected
/// error of MPI inside a collective operation, in which others wait.
fn combining(elements: Elements) -> impl FnMut(&[u8], &mut [u8]) {
    move |lower, higher| {
        if let Err(error) = elements.combine(lower, higher) {
            panic!("{error}");
        }
    }
}

/// How blocks of the elements may be combined: as a whole, and if the result is the same in any order.
fn whole(elements: &Elements) -> collective::Elements {
    collective::Elements { bytes: elements.bytes(), commute: elements.is_exact() }
}

/// Collective over the team. Reduces the elements of all members, in rank order, on the root, as MPI_Reduce.
///
/// team, root: as for hcube_caf_broadcast; the root receives.
/// from: elements of this member.
/// into: on the root, receives the results; may be from. On other members it is work space of the same size.
/// count, datatype: number of elements, 0 to 2^31 - 1, and their type; the same on all members.
/// operation: an MPI reduction operation, predefined or user-defined; associative.
/// Errors: as for hcube_caf_broadcast; HCUBE_ERR_DATATYPE if the operation is not defined for the type.
///
/// # Safety
/// from and into are valid for the elements; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_reduce(
    team: hcube_team,
    root: i32,
    from: *const c_void,
    into: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    operation: MPI_Op,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let is_root = image.look_at_team(team, |team| usize::try_from(root) == Ok(team.rank()))?;
            let kind = (count, datatype, operation);
            let given = if is_root {
                elements(from, into, kind)
            } else {
                elements(from, from.cast_mut(), kind)
                    .map(|(elements, from, _)| (elements, from, Region::of(&mut [])))
            };
            let (root, (elements, from, into)) = refusing(image, team, root_and(root, given))?;
            image.reduce_elements(team, root, (from, into), whole(&elements), &mut combining(elements))
        })
    }
}

/// Collective over the team. Reduces the elements of all members, in rank order, on all members, as
/// MPI_Allreduce. The results are bitwise identical on all members.
///
/// team, from, count, datatype, operation: as for hcube_caf_reduce.
/// into: receives the results; may be from.
/// Errors: as for hcube_caf_reduce.
///
/// # Safety
/// from and into are valid for the elements; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_allreduce(
    team: hcube_team,
    from: *const c_void,
    into: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    operation: MPI_Op,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let given = elements(from, into, (count, datatype, operation));
            let (elements, from, into) = refusing(image, team, given)?;
            image.allreduce_elements(team, (from, into), whole(&elements), &mut combining(elements))
        })
    }
}

/// Collective over the team. Computes a prefix reduction in rank order, as MPI_Scan or MPI_Exscan.
///
/// team, from, count, datatype, operation: as for hcube_caf_reduce.
/// into: receives the results; may be from.
/// inclusive: 1 includes the elements of this member (MPI_Scan); 0 excludes them (MPI_Exscan), and into of
/// rank 0 is not written. The same on all members.
/// Errors: as for hcube_caf_reduce.
///
/// # Safety
/// from and into are valid for the elements; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_scan(
    team: hcube_team,
    from: *const c_void,
    into: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    operation: MPI_Op,
    inclusive: i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let given = match inclusive {
                0 | 1 => elements(from, into, (count, datatype, operation)),
                _ => Err(Error::argument("inclusive", inclusive, "0 or 1")),
            };
            let (elements, from, into) = refusing(image, team, given)?;
            image.scan(team, from, into, inclusive == 1, &mut combining(elements))
        })
    }
}
