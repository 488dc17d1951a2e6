! What `hcube bench gfortran` measures of single statements: the same object, linked to each library.
program operations
  use repetitions, only: options, tell_libraries, tell_finished
  use transfers, only: measure_transfers
  use statements, only: measure_statements
  implicit none

  call options()
  if (this_image() == 1) call tell_libraries()
  call measure_transfers()
  call measure_statements()
  if (this_image() == 1) call tell_finished()
end program
