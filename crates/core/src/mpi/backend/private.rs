//! The private communicator of a borrowed one, for messages.

use super::MpiComm;
use crate::comm::agree;
use crate::error::Result;
use crate::mpi::check::check;
use crate::mpi::constants::constants;
use crate::mpi::handle::returning_errors;
use crate::mpi::raw::{self, MPI_Comm};
use std::ffi::c_int;

impl MpiComm {
    /// Collective: creates a private communicator on all ranks or on none. By MPI_Comm_split, because
    /// MPI_Comm_dup calls the functions by which the program has attributes copied.
    #[cold]
    pub(super) fn create_private(&self) -> Result<MPI_Comm> {
        let (host, mut private) = (self.comm.raw(), constants().comm_null);
        // SAFETY: a living intracommunicator; only this value gets the new one.
        let code = returning_errors(self.comm, || unsafe {
            raw::PMPI_Comm_split(host, 0, self.rank as c_int, &mut private)
        });
        let created = agree(self, check("MPI_Comm_split", code));
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
