! STREAM triad (Figure 5 of the paper): a sequential program whose arrays are coarrays. triad declares them as ordinary
! arrays, so that the compiler knows that they do not overlap.
program caf_stream
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use mpi, only: MPI_INTEGER8, MPI_SUM
  use hcube_caf
  implicit none
  integer, parameter :: n = 2**17, rounds = 10, rep = 4
  real(c_double), parameter :: scalar = 3
  real(c_double), pointer :: a(:), b(:), c(:)
  integer(c_int64_t) :: a_coarray, b_coarray, c_coarray, begin, end, rate, errors, all_errors
  real(c_double) :: seconds
  integer :: images, me, round, j

  call hcube_caf_init()
  call hcube_caf_team_size(HCUBE_CAF_DEFAULT_TEAM, images)
  call hcube_caf_team_rank(HCUBE_CAF_DEFAULT_TEAM, me)
  call hcube_caf_coarray_alloc(HCUBE_CAF_DEFAULT_TEAM, [n], a_coarray, a)
  call hcube_caf_coarray_alloc(HCUBE_CAF_DEFAULT_TEAM, [n], b_coarray, b)
  call hcube_caf_coarray_alloc(HCUBE_CAF_DEFAULT_TEAM, [n], c_coarray, c)
  a = 0
  b = [(real(j, c_double), j = 1, n)]
  c = me + 1

  call hcube_caf_barrier(HCUBE_CAF_DEFAULT_TEAM)
  call system_clock(begin, rate)
  do round = 1, rounds
    do j = 1, rep
      call triad(a, b, c, n, scalar)
    end do
    call hcube_caf_barrier(HCUBE_CAF_DEFAULT_TEAM)
  end do
  call system_clock(end)
  seconds = max(real(end - begin, c_double) / rate, 1e-9_c_double)

  errors = count(nint(a) /= [(j, j = 1, n)] + 3 * (me + 1))
  call hcube_caf_reduce(HCUBE_CAF_DEFAULT_TEAM, 0, errors, all_errors, 1_c_int64_t, MPI_INTEGER8, MPI_SUM)
  if (me == 0) print '(i0, a, f0.1, a, i0, a)', images, ' images, ', &
    24e-9_c_double * n * rep * rounds * images / seconds, ' GB/s, ', all_errors, ' errors'
  call hcube_caf_finalize()
  if (me == 0 .and. all_errors /= 0) stop 1

contains

  subroutine triad(a, b, c, n, scalar)
    integer, intent(in) :: n
    real(c_double), intent(out) :: a(n)
    real(c_double), intent(in) :: b(n), c(n), scalar
    a = b + scalar * c
  end subroutine
end program
