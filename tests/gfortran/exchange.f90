! Coarrays beside functions of MPI, whose exchanges hcube may serve as well.
program exchange
  use mpi, only: MPI_COMM_WORLD, MPI_INTEGER
  implicit none
  external :: MPI_Alltoall
  integer, save :: left[*]
  integer, allocatable :: from(:), to(:)
  integer :: me, n, i, round, error
  me = this_image()
  n = num_images()
  allocate(from(n), to(n))
  from = [(100*me + i, i=1, n)]
  ! The first exchange of a communicator is forwarded to the MPI library.
  do round = 1, 3
    to = 0
    call MPI_Alltoall(from, 1, MPI_INTEGER, to, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    if (error /= 0 .or. any(to /= [(100*i + me, i=1, n)])) error stop 'exchange'
    left[modulo(me, n) + 1] = to(me)
    sync all
    if (left /= 101*(modulo(me - 2, n) + 1)) error stop 'put'
    sync all
  end do
  if (me == 1) print '(a)', 'exchange: passed'
end program
