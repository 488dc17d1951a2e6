! The programs of programs.f90 without coarrays, by MPI.
program mpi_programs
  use mpi
  use repetitions, only: options
  use mpi_halo, only: measure_halo
  use mpi_transposition, only: measure_transposition
  implicit none
  integer :: ierror

  call MPI_Init(ierror)
  call options()
  call measure_halo()
  call measure_transposition()
  call MPI_Finalize(ierror)
end program
