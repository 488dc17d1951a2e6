! The heat equation on a square, with the coarrays of Fortran 2018: each image has some columns of the grid, puts its
! outer columns into its neighbours and posts an event there; it computes the inner columns while the neighbours'
! columns are transferred.
!
!     coarray_heat [POINTS [STEPS]]      inner points of each side, time steps
!
! It begins with a sine in both directions, which each step multiplies by the same factor: the result is known.
program coarray_heat
  use, intrinsic :: iso_fortran_env, only: error_unit, event_type, int64, real64
  implicit none
  integer, parameter :: left = 1, right = 2
  real(real64), parameter :: ratio = 0.2_real64, tolerance = 1e-10_real64
  real(real64), parameter :: pi = acos(-1.0_real64)
  ! Columns of the neighbours; events that a column has come, and that the neighbour's has been used there.
  real(real64), allocatable :: halo(:, :)[:]
  type(event_type), save :: came(2)[*], used(2)[*]
  real(real64), allocatable :: old(:, :), new(:, :)
  real(real64) :: worst, seconds
  integer(int64) :: begin, end, rate
  integer :: me, images, n, steps, first, last, step, wrong

  me = this_image()
  images = num_images()
  n = argument(1, 'POINTS', 256, images, 10000)
  steps = argument(2, 'STEPS', 200, 1, 1000000)
  ! Columns first to last; the others of 0 to n + 1 belong to neighbours, or to the boundary, which is 0.
  first = int((me - 1) * int(n, int64) / images) + 1
  last = int(me * int(n, int64) / images)
  allocate (halo(n, 2)[*], old(0:n + 1, first - 1:last + 1), new(0:n + 1, first - 1:last + 1))
  halo = 0
  new = 0
  call begin_with_sines()

  sync all
  call system_clock(begin, rate)
  do step = 1, steps
    if (me > 1) call put_column(first, me - 1, right, left)
    if (me < images) call put_column(last, me + 1, left, right)
    call compute(first + 1, last - 1)
    if (me > 1) call take_column(first - 1, me - 1, left, right)
    if (me < images) call take_column(last + 1, me + 1, right, left)
    call compute(first, first)
    if (last > first) call compute(last, last)
    call move_on()
  end do
  sync all
  call system_clock(end)

  call compare()
  call co_max(worst)
  seconds = real(end - begin, real64) / real(rate, real64)
  wrong = merge(1, 0, worst > tolerance)
  if (me == 1) print '(4(i0, a), f0.1, a, i0, a)', images, ' images, ', n, ' x ', n, ' points, ', steps, ' steps, ', &
    1e-6_real64 * real(n, real64)**2 * steps / max(seconds, 1e-9_real64), ' million points/s, ', wrong, ' errors'
  if (wrong /= 0) error stop

contains

  subroutine begin_with_sines()
    integer :: i, j
    do j = first - 1, last + 1
      do i = 0, n + 1
        old(i, j) = sine(i) * sine(j)
      end do
    end do
  end subroutine

  ! 0 at the boundary, on both sides.
  pure real(real64) function sine(i)
    integer, intent(in) :: i
    sine = sin(pi * i / (n + 1))
  end function

  ! Puts a column into the halo of a neighbour, on one side of it, as soon as the neighbour has used the previous one.
  ! `here` is the side of this image.
  subroutine put_column(column, neighbour, there, here)
    integer, intent(in) :: column, neighbour, there, here
    if (step > 1) event wait (used(here))
    halo(:, there)[neighbour] = old(1:n, column)
    event post (came(there)[neighbour])
  end subroutine

  ! Waits for the column of a neighbour on the side `here`.
  subroutine take_column(column, neighbour, here, there)
    integer, intent(in) :: column, neighbour, here, there
    event wait (came(here))
    old(1:n, column) = halo(:, here)
    if (step < steps) event post (used(there)[neighbour])
  end subroutine

  subroutine compute(from, to)
    integer, intent(in) :: from, to
    integer :: i, j
    do j = from, to
      do i = 1, n
        new(i, j) = old(i, j) + ratio * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1) - 4 * old(i, j))
      end do
    end do
  end subroutine

  subroutine move_on()
    real(real64), allocatable :: kept(:, :)
    call move_alloc(old, kept)
    call move_alloc(new, old)
    call move_alloc(kept, new)
  end subroutine

  ! The largest difference between the result and the known solution.
  subroutine compare()
    real(real64) :: factor
    integer :: i, j
    factor = (1 - 4 * ratio * (1 - cos(pi / (n + 1))))**steps
    worst = 0
    do j = first, last
      do i = 1, n
        worst = max(worst, abs(old(i, j) - factor * sine(i) * sine(j)))
      end do
    end do
  end subroutine

  ! A number on the command line, or the default.
  integer function argument(which, name, preset, smallest, largest)
    integer, intent(in) :: which, preset, smallest, largest
    character(len=*), intent(in) :: name
    character(len=20) :: text
    integer :: problem
    argument = preset
    problem = 0
    text = ''
    if (which <= command_argument_count()) then
      call get_command_argument(which, text, status=problem)
      if (problem == 0) read (text, '(i20)', iostat=problem) argument
    else
      write (text, '(i0)') preset
    end if
    if (problem == 0 .and. argument >= smallest .and. argument <= largest) return
    if (me == 1) write (error_unit, '(5a, i0, a, i0)') 'coarray_heat: ', name, ' ', trim(text), ': expected ', smallest, &
      ' to ', largest
    stop 1
  end function
end program
