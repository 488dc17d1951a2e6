//! The MPI library: the only module that calls it, through `PMPI_` names, so that preloading hcube never
//! calls itself.

pub mod attribute;
pub mod backend;
mod check;
mod clock;
mod constants;
pub mod datatype;
pub mod fortran;
pub mod forward;
pub mod gate;
mod guard;
pub mod handle;
pub mod judgement;
pub mod lifetime;
mod living;
pub mod membership;
pub mod misspelt;
pub(crate) mod number;
pub mod own_call;
mod pending;
pub mod raise;
#[expect(missing_docs, reason = "generated from mpi.h")]
#[allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    dead_code,
    clippy::all,
    unused_qualifications
)]
mod raw {
    include!(concat!(env!("OUT_DIR"), "/mpi.rs"));
}
pub mod reduction;
#[cfg(feature = "rsmpi")]
pub mod rsmpi;
pub mod shared;
pub(crate) mod state;
pub mod topology;

pub use backend::MpiComm;
/// MPI's handles and integers, as the chosen MPI library defines them.
pub use raw::{
    MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Op, MPI_Request, hcube_shim_fint as MPI_Fint,
};
