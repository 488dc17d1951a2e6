! What `hcube bench gfortran` measures of coarrays beside MPI: the same object, linked to each library.
program programs
  use repetitions, only: options
  use halo, only: measure_halo
  use transposition, only: measure_transposition
  implicit none

  call options()
  call measure_halo()
  call measure_transposition()
end program
