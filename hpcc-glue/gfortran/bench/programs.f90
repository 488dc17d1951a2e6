! What `hcube bench gfortran` measures of coarrays in comparison with MPI: the same object, linked to each library.
program programs
  use repetitions, only: options, tell_libraries, tell_finished
  use halo, only: measure_halo
  use transposition, only: measure_transposition
  implicit none

  call options()
  if (this_image() == 1) call tell_libraries()
  call measure_halo()
  call measure_transposition()
  if (this_image() == 1) call tell_finished()
end program
