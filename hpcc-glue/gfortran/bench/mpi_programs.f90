! The programs of programs.f90 without coarrays, by MPI.
program mpi_programs
  use mpi
  use repetitions, only: options, tell_libraries, tell_finished
  use mpi_halo, only: measure_halo
  use mpi_transposition, only: measure_transposition
  implicit none
  integer :: rank, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call options()
  if (rank == 0) call tell_libraries()
  call measure_halo()
  call measure_transposition()
  if (rank == 0) call tell_finished()
  call MPI_Finalize(ierror)
end program
