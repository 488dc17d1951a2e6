! The part of MPI that the programs use, for MPI libraries without Fortran: mpi_calls.c calls their functions in C.
module mpi
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none

  ! Numbers of constants, which mpi_calls.c knows too.
  integer(c_int), parameter :: MPI_COMM_WORLD = 0, MPI_STATUS_IGNORE = 0, MPI_PROC_NULL = -1
  integer(c_int), parameter :: MPI_INTEGER = 0, MPI_INTEGER8 = 1, MPI_DOUBLE_PRECISION = 2
  integer(c_int), parameter :: MPI_SUM = 0, MPI_MAX = 1

  interface
    subroutine MPI_Init(ierror) bind(C, name='bench_mpi_init')
      import :: c_int
      integer(c_int), intent(out) :: ierror
    end subroutine

    subroutine MPI_Finalize(ierror) bind(C, name='bench_mpi_finalize')
      import :: c_int
      integer(c_int), intent(out) :: ierror
    end subroutine

    subroutine MPI_Comm_rank(comm, rank, ierror) bind(C, name='bench_mpi_comm_rank')
      import :: c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: rank, ierror
    end subroutine

    subroutine MPI_Comm_size(comm, count, ierror) bind(C, name='bench_mpi_comm_size')
      import :: c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: count, ierror
    end subroutine

    subroutine MPI_Barrier(comm, ierror) bind(C, name='bench_mpi_barrier')
      import :: c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: ierror
    end subroutine

    subroutine MPI_Allreduce(sent, received, count, datatype, operation, comm, ierror) bind(C, name='bench_mpi_allreduce')
      import :: c_int
      type(*), intent(in) :: sent(*)
      type(*), intent(inout) :: received(*)
      integer(c_int), intent(in) :: count, datatype, operation, comm
      integer(c_int), intent(out) :: ierror
    end subroutine

    subroutine MPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, received_count, received_type, from, &
                            received_tag, comm, status, ierror) bind(C, name='bench_mpi_sendrecv')
      import :: c_int
      type(*), intent(in) :: sent(*)
      type(*), intent(inout) :: received(*)
      integer(c_int), intent(in) :: sent_count, sent_type, to, sent_tag, received_count, received_type, from, received_tag
      integer(c_int), intent(in) :: comm, status
      integer(c_int), intent(out) :: ierror
    end subroutine

    subroutine MPI_Alltoall(sent, sent_count, sent_type, received, received_count, received_type, comm, ierror) &
      bind(C, name='bench_mpi_alltoall')
      import :: c_int
      type(*), intent(in) :: sent(*)
      type(*), intent(inout) :: received(*)
      integer(c_int), intent(in) :: sent_count, sent_type, received_count, received_type, comm
      integer(c_int), intent(out) :: ierror
    end subroutine
  end interface
end module
