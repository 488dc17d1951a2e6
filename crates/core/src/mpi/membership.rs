//! The processes of `MPI_COMM_WORLD` that are the members of a communicator.
//!
//! Processes that the program has started with `MPI_Comm_spawn`, or connected to, belong to another
//! `MPI_COMM_WORLD`. Nothing is known about them: they may have been started without hcube. The group of a
//! communicator is the same on all its members, so all members compute the same answer without communication,
//! provided that they belong to one `MPI_COMM_WORLD`. Otherwise each of them finds a member outside of its
//! own `MPI_COMM_WORLD`.
//!
//! MPICH 5.0.2 returns the group of the old communicator for a communicator that `MPI_Cart_create` or
//! `MPI_Graph_create` has created with fewer of its processes, and for its duplicates. A group is therefore
//! valid only if it has the size of the communicator and this process at its rank. If this holds in all
//! processes of the communicator, the group is correct.
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
        // SAFETY: a value that MPI has returned, by the contract of `Handle::new`; MPI checks whether it
        // lives, and writes the group where it succeeds.
        unsafe {
            check("MPI_Comm_group", raw::PMPI_Comm_group(comm.raw(), group.as_mut_ptr()))?;
            Ok(Self(group.assume_init()))
        }
    }

    /// This process's rank in it, negative outside of it.
    fn rank(&self) -> Result<c_int> {
        let mut rank = 0;
        // SAFETY: the group lives until self is dropped.
        check("MPI_Group_rank", unsafe { raw::PMPI_Group_rank(self.0, &mut rank) })?;
        Ok(rank)
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

/// The members of an intracommunicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Members {
    /// Their ranks in `MPI_COMM_WORLD`, in the order of their ranks in the communicator.
    Known(Vec<i32>),
    /// A member may not be in this process's `MPI_COMM_WORLD`; the same on all members.
    Outside,
    /// All are in `MPI_COMM_WORLD`, but this process cannot determine which they are; others may.
    Unknown,
}

/// Local: the members of an intracommunicator in which this process has a `rank`, and which has a `size`.
///
/// # Errors
/// Errors of MPI, which checks whether the communicator lives.
pub fn members(comm: Handle, rank: usize, size: usize) -> Result<Members> {
    let (members, everybody) = (Group::of(comm)?, Group::of(world())?);
    let found_size = members.size()?;
    let ranks: Vec<c_int> = (0..found_size).collect();
    let mut found = vec![0; ranks.len()];
    // SAFETY: both groups live until the end of this function, and both arrays have `found_size` entries.
    let code = unsafe {
        let (from, to) = (ranks.as_ptr(), found.as_mut_ptr());
        raw::PMPI_Group_translate_ranks(members.0, found_size, from, everybody.0, to)
    };
    check("MPI_Group_translate_ranks", code)?;
    if found.contains(&constants().undefined) {
        return Ok(Members::Outside);
    }
    let is_own = found.len() == size && usize::try_from(members.rank()?) == Ok(rank);
    Ok(if is_own { Members::Known(found) } else { Members::Unknown })
}
