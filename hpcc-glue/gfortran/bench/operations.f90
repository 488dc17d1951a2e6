! What `hcube bench gfortran` measures of single statements: the same object, linked to each library.
program operations
  use repetitions, only: options
  use transfers, only: measure_transfers
  use statements, only: measure_statements
  implicit none

  call options()
  call measure_transfers()
  call measure_statements()
end program
