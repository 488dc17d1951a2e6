//! Exchanges between neighbours in a topology for C.

use crate::alltoall::perform;
use crate::boundary::exported;
use hcube_alltoall::mpi_front::{Counts, Function, Types};
use hcube_core::mpi::{MPI_Aint, MPI_Comm, MPI_Datatype};
use std::ffi::{c_int, c_void};

exported! {
    /// Collective. MPI_Neighbor_alltoall with its arguments, its semantics and its return value, on a
    /// communicator with a Cartesian topology, a graph or a distributed graph.
    ///
    /// If all ranks of the communicator share memory, hcube performs the exchange with the algorithms of
    /// hcube_alltoall. Between nodes, where these algorithms would send to all ranks, the call is forwarded
    /// to the MPI library. After an exchange with blocks of less than 4 KiB on average, the next 63 exchanges
    /// are forwarded as well, unless a schedule or a path is selected. For exchanges that hcube performs,
    /// errors and options are as for hcube_alltoall. If a rank is a neighbour several times, blocks arrive in
    /// the same order as with the MPI library.
    fn hcube_neighbor_alltoall(
        sendbuf: *const c_void, sendcount: c_int, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: c_int, recvtype: MPI_Datatype, comm: MPI_Comm
    ) -> c_int {
        let sent = (sendbuf, Counts::Same(sendcount), Types::One(sendtype));
        let received = (recvbuf, Counts::Same(recvcount), Types::One(recvtype));
        perform(Function::NeighborAlltoall, sent, received, comm)
    }

    /// Collective. MPI_Neighbor_alltoallv; see hcube_neighbor_alltoall.
    fn hcube_neighbor_alltoallv(
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int, recvtype: MPI_Datatype,
        comm: MPI_Comm
    ) -> c_int {
        let sent = (sendbuf, Counts::Int(sendcounts, sdispls), Types::One(sendtype));
        let received = (recvbuf, Counts::Int(recvcounts, rdispls), Types::One(recvtype));
        perform(Function::NeighborAlltoallv, sent, received, comm)
    }

    /// Collective. MPI_Neighbor_alltoallw; see hcube_neighbor_alltoall. Displacements are in bytes.
    fn hcube_neighbor_alltoallw(
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const c_int,
        rdispls: *const MPI_Aint, recvtypes: *const MPI_Datatype, comm: MPI_Comm
    ) -> c_int {
        let sent = (sendbuf, Counts::Far(sendcounts, sdispls), Types::Each(sendtypes));
        let received = (recvbuf, Counts::Far(recvcounts, rdispls), Types::Each(recvtypes));
        perform(Function::NeighborAlltoallw, sent, received, comm)
    }
}
