! An error in a call without ierror.
program caf_error
  use hcube_caf
  implicit none
  call hcube_caf_barrier(HCUBE_CAF_DEFAULT_TEAM)
  print '(a)', 'not reached'
end program
