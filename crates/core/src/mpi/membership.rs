//! Which processes of `MPI_COMM_WORLD` the members of a communicator are.
//!
//! Processes that the program has started with `MPI_Comm_spawn`, or connected to, belong to another
//! `MPI_COMM_WORLD`. Nothing is known about them: they may have been started without hcube. The group of a
//! communicator is the same on all its members, so all members find the same answer without communication, provided
//! that they belong to one `MPI_COMM_WORLD`. Where they do not, each of them finds a member that is outside of its own.
//!
//! Cost: no message; Open MPI compares each member with each process of `MPI_COMM_WORLD`.

use super::check::check;
use super::constants::constants;
use super::handle::{Handle, world};
use super::raw::{self, MPI_Group};
use crate::error::Result;
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// The group of a communicator, freed when it is dropped.
struct Group(MPI_Group);

impl Group {
    /// Local.
    ///
    /// # Errors
    /// MPI's, where the error handler of the communicator returns.
    fn of(comm: Handle) -> Result<Self> {
        let mut group = MaybeUninit::uninit();
        // SAFETY: a value that MPI has given out, by the contract of `Handle::new`; MPI checks whether it lives, and
        // writes the group where it succeeds.
        unsafe {
            check("MPI_Comm_group", raw::PMPI_Comm_group(comm.raw(), group.as_mut_ptr()))?;
            Ok(Self(group.assume_init()))
        }
    }

    fn size(&self) -> Result<c_int> {
        let mut size = 0;
        // SAFETY: the group lives until self is dropped.
        check("MPI_Group_size", unsafe { raw::PMPI_Group_size(self.0, &mut size) })?;
        Ok(size)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // SAFETY: MPI has given it to this value, which has not freed it before.
        unsafe { raw::PMPI_Group_free(&mut self.0) };
    }
}

/// Local: the ranks in `MPI_COMM_WORLD` of the members of an intracommunicator, in the order of their ranks in it;
/// `None` where a member is not in this process's `MPI_COMM_WORLD`. All members find the same answer.
///
/// # Errors
/// Those of MPI, which checks whether the communicator lives.
pub fn world_ranks(comm: Handle) -> Result<Option<Vec<i32>>> {
    let (members, everybody) = (Group::of(comm)?, Group::of(world())?);
    let size = members.size()?;
    let ranks: Vec<c_int> = (0..size).collect();
    let mut found = vec![0; ranks.len()];
    // SAFETY: both groups live until the end of this function, and both arrays have `size` entries.
    let code = unsafe {
        raw::PMPI_Group_translate_ranks(members.0, size, ranks.as_ptr(), everybody.0, found.as_mut_ptr())
    };
    check("MPI_Group_translate_ranks", code)?;
    let inside = found.iter().all(|&rank| rank != constants().undefined);
    Ok(inside.then_some(found))
}
