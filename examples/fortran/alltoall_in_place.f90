! A block for each rank, exchanged in place, with the bindings of Fortran 2008: handles are passed as
! their MPI_VAL.
program alltoall_in_place
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mpi_f08
  use hcube
  implicit none
  integer, parameter :: block = 50000
  type(hcube_alltoall_options) :: options
  real(real64), allocatable :: data(:, :)
  character(len=32) :: path
  character(len=300) :: message
  integer :: rank, ranks, i, other, errors, all_errors, ierror

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! Optional: the defaults suffice in most cases.
  call hcube_alltoall_default_options(options, ierror, message)
  if (ierror /= HCUBE_SUCCESS) call fail(message)
  options%memory = 256 * 1024
  call hcube_alltoall_set_options(MPI_COMM_WORLD%MPI_VAL, ierror, options, message)
  if (ierror /= HCUBE_SUCCESS) call fail(message)

  allocate (data(block, 0:ranks - 1))
  do other = 0, ranks - 1
    data(:, other) = [(element(rank, other, i), i = 1, block)]
  end do

  call hcube_alltoall_in_place(data, block, MPI_DOUBLE_PRECISION%MPI_VAL, MPI_COMM_WORLD%MPI_VAL, ierror)
  if (ierror /= MPI_SUCCESS) call fail('hcube_alltoall_in_place')

  errors = 0
  do other = 0, ranks - 1
    ! Copied, not computed: no digit may differ.
    errors = errors + count(abs(data(:, other) - [(element(other, rank, i), i = 1, block)]) > 0)
  end do
  call MPI_Allreduce(errors, all_errors, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call hcube_alltoall_last_path(MPI_COMM_WORLD%MPI_VAL, path, ierror, message)
  if (ierror /= HCUBE_SUCCESS) call fail(message)
  if (rank == 0) print '(i0, 3a, i0, a)', ranks, ' ranks, path ', trim(path), ', ', all_errors, ' errors'

  call MPI_Finalize()
  if (all_errors /= 0) stop 1

contains

  ! Element i of the block that one rank has for another.
  pure real(real64) function element(from, to, i)
    integer, intent(in) :: from, to, i
    element = 1e6_real64 * from + 1e3_real64 * to + 1e-3_real64 * i
  end function

  subroutine fail(why)
    character(len=*), intent(in) :: why
    write (error_unit, '(a)') trim(why)
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program
