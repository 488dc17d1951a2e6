! STREAM triad (Jin et al. 2011, Figure 5): a sequential program whose arrays are coarrays. triad declares them as
! ordinary arrays, so that the compiler knows that they do not overlap.
!
!     caf_stream [ELEMENTS [ROUNDS]]      elements of each of the three arrays, on each image
!
! The result is 24 m / t bytes per second, where m is the number of elements on all images, and t the time of the best
! round on the slowest image.
program caf_stream
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi, only: MPI_DOUBLE_PRECISION, MPI_INTEGER8, MPI_MAX, MPI_SUM, MPI_Wtime
  use hcube_caf
  implicit none
  integer, parameter :: max_elements = 2**30, min_rounds = 10, max_rounds = 1000
  integer(c_int64_t), parameter :: world = HCUBE_CAF_DEFAULT_TEAM
  real(c_double), parameter :: scalar = 3
  real(c_double), pointer :: a(:), b(:), c(:)
  integer(c_int64_t) :: a_coarray, b_coarray, c_coarray, errors, all_errors
  real(c_double) :: seconds(max_rounds), slowest(max_rounds)
  integer :: images, me, n, rounds, round, j

  call hcube_caf_init()
  call hcube_caf_team_size(world, images)
  call hcube_caf_team_rank(world, me)
  n = argument(1, 'ELEMENTS', 2**22, 1, max_elements)
  rounds = argument(2, 'ROUNDS', min_rounds, min_rounds, max_rounds)
  call hcube_caf_coarray_alloc(world, [n], a_coarray, a)
  call hcube_caf_coarray_alloc(world, [n], b_coarray, b)
  call hcube_caf_coarray_alloc(world, [n], c_coarray, c)
  do j = 1, n
    a(j) = 0
    b(j) = j
    c(j) = me + 1
  end do

  do round = 1, rounds
    call hcube_caf_barrier(world)
    seconds(round) = MPI_Wtime()
    call triad(a, b, c, n, scalar)
    seconds(round) = MPI_Wtime() - seconds(round)
  end do
  call hcube_caf_allreduce(world, seconds, slowest, int(rounds, c_int64_t), MPI_DOUBLE_PRECISION, MPI_MAX)

  errors = 0
  do j = 1, n
    if (nint(a(j), c_int64_t) /= j + 3_c_int64_t * (me + 1)) errors = errors + 1
  end do
  call hcube_caf_reduce(world, 0, errors, all_errors, 1_c_int64_t, MPI_INTEGER8, MPI_SUM)
  if (me == 0) print '(2(i0, a), f0.2, a, i0, a)', images, ' images, ', int(n, c_int64_t) * images, ' elements, ', &
    24e-9_c_double * n * images / minval(slowest(:rounds)), ' GB/s, ', all_errors, ' errors'
  call hcube_caf_finalize()
  if (me == 0 .and. all_errors /= 0) stop 1

contains

  subroutine triad(a, b, c, n, scalar)
    integer, intent(in) :: n
    real(c_double), intent(out) :: a(n)
    real(c_double), intent(in) :: b(n), c(n), scalar
    a = b + scalar * c
  end subroutine

  ! A number on the command line, or the default.
  integer function argument(which, name, preset, smallest, largest)
    integer, intent(in) :: which, preset, smallest, largest
    character(len=*), intent(in) :: name
    character(len=20) :: text
    integer :: problem
    argument = preset
    if (which > command_argument_count()) return
    call get_command_argument(which, text, status=problem)
    if (problem == 0) read (text, '(i20)', iostat=problem) argument
    if (problem == 0 .and. argument >= smallest .and. argument <= largest) return
    if (me == 0) write (error_unit, '(5a, i0, a, i0)') 'caf_stream: ', name, ' ', trim(text), ': expected ', smallest, &
      ' to ', largest
    call hcube_caf_finalize()
    stop 1
  end function
end program
