//! The private communicator of a borrowed one, for messages.

use super::MpiComm;
use crate::comm::agree;
use crate::error::{Error, Result};
use crate::mpi::check::check;
use crate::mpi::constants::constants;
use crate::mpi::handle::returning_errors;
use crate::mpi::raw::{self, MPI_Comm};
use crate::progress::Progress;
use std::ffi::c_int;

/// Whether MPI_Comm_split has failed for want of memory: on this rank only, in the middle of its messages, so
/// that the other ranks wait in it for ever. Where there are no further communicators, it fails on all ranks.
/// The class of both is MPI_ERR_OTHER in MPICH; Open MPI's texts contain the word only for want of memory,
/// too.
fn is_want_of_memory(error: &Error) -> bool {
    matches!(error, Error::Mpi { text, .. } if text.to_lowercase().contains("memory"))
}

impl MpiComm {
    /// The result of MPI_Comm_split. Ends the job where the other ranks cannot learn of a failure.
    pub(super) fn check_split(&self, code: c_int) -> Result<()> {
        let result = check("MPI_Comm_split", code);
        if let Some(error) = result.as_ref().err().filter(|error| is_want_of_memory(error)) {
            self.abort(error);
        }
        result
    }

    /// Collective: creates a private communicator on all ranks or on none. By MPI_Comm_split, because
    /// MPI_Comm_dup calls the functions by which the program has attributes copied.
    #[cold]
    pub(super) fn create_private(&self) -> Result<MPI_Comm> {
        let (host, mut private) = (self.comm.raw(), constants().comm_null);
        // SAFETY: a living intracommunicator; only this value gets the new one.
        let code = returning_errors(self.comm, || unsafe {
            raw::PMPI_Comm_split(host, 0, self.rank as c_int, &mut private)
        });
        let created = agree(self, self.check_split(code));
        if private != constants().comm_null {
            // SAFETY: just created, and used by nobody else.
            unsafe {
                match created {
                    Ok(()) => raw::PMPI_Comm_set_errhandler(private, constants().errors_return),
                    Err(_) => raw::PMPI_Comm_free(&mut private),
                };
            }
        }
        created.map(|()| private)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn want_of_memory_is_told_from_want_of_communicators() {
        let said = |text: &str| {
            is_want_of_memory(&Error::Mpi { call: "MPI_Comm_split", code: 15, text: text.to_owned() })
        };
        assert!(said("Other MPI error, error stack: MPIR_Comm_create(283): Out of memory"));
        assert!(said("MPIDI_UCX_send(83): returned failed request in UCX netmod(Shared memory error)"));
        assert!(said("MPI_ERR_NO_MEM: out of memory"));
        assert!(!said("MPIR_Get_contextid_sparse_group(591): Too many communicators (0/2048 free)"));
        assert!(!said("MPI_ERR_INTERN: internal error"));
    }
}
