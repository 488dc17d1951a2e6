! What users compile by hcube-caf, pkg-config and CMake, with MPI's module where WITH_MPI is defined: prints the number of
! images and the first argument when all images have found the values of the others.
program installed
#ifdef WITH_MPI
  use mpi, only: MPI_COMM_WORLD, MPI_Comm_size
#endif
  implicit none
  integer, save :: number[*]
  integer :: i, wrong
  character(len=64) :: argument
#ifdef WITH_MPI
  integer :: processes, error
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  if (error /= 0 .or. processes /= num_images()) error stop 'processes'
#endif
  number = 7*this_image()
  sync all
  wrong = 0
  do i = 1, num_images()
    if (number[i] /= 7*i) wrong = wrong + 1
  end do
  call co_sum(wrong)
  if (wrong /= 0) error stop 'numbers of other images'
  call get_command_argument(1, argument)
  if (this_image() == 1) print '(a, i0, 3a)', 'ok ', num_images(), " images, '", trim(argument), "'"
end program
