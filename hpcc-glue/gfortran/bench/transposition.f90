! The transposition of a matrix whose columns are distributed, by coarrays: each image pulls or pushes blocks.
! There and back, so that the images read from one matrix while they write to the other one.
module transposition
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use repetitions
  use images
  use matrices
  implicit none
  private
  public :: measure_transposition

  real(real64), allocatable :: a(:, :)[:], b(:, :)[:]
  integer :: me, columns
  logical :: is_there

contains

  subroutine measure_transposition()
    me = this_image()
    if (mod(order, num_images()) /= 0) then
      if (me == 1) call leave_out('transpose-get', cannot_divide)
      if (me == 1) call leave_out('transpose-put', cannot_divide)
      return
    end if
    columns = order/num_images()
    allocate (a(order, columns)[*], b(order, columns)[*])
    call restart()
    call measure('transpose-get', matrix_bytes, together, pull, errors, results)
    call restart()
    call measure('transpose-put', matrix_bytes, together, push, errors, results)
    deallocate (a, b)
  end subroutine

  subroutine restart()
    call fill(a, me)
    b = -1
    is_there = .false.
    sync all
  end subroutine

  ! Rows of a process.
  integer function low(process)
    integer, intent(in) :: process
    low = (process - 1)*columns + 1
  end function

  subroutine pull_to(b, a)
    real(real64), intent(inout) :: b(:, :)
    real(real64), intent(in) :: a(order, columns)[*]
    real(real64) :: piece(columns, columns)
    integer :: i, other
    do i = 1, num_images()
      other = 1 + modulo(me - 1 + i, num_images())
      piece = a(low(me):low(me + 1) - 1, :)[other]
      b(low(other):low(other + 1) - 1, :) = transpose(piece)
    end do
  end subroutine

  subroutine pull(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      sync all
      if (is_there) then
        call pull_to(a, b)
      else
        call pull_to(b, a)
      end if
      is_there = .not. is_there
    end do
  end subroutine

  subroutine push_from(a, b)
    real(real64), intent(in) :: a(:, :)
    real(real64), intent(inout) :: b(order, columns)[*]
    integer :: i, other
    do i = 1, num_images()
      other = 1 + modulo(me - 1 + i, num_images())
      b(low(me):low(me + 1) - 1, :)[other] = transpose(a(low(other):low(other + 1) - 1, :))
    end do
  end subroutine

  subroutine push(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      if (is_there) then
        call push_from(b, a)
      else
        call push_from(a, b)
      end if
      is_there = .not. is_there
      sync all
    end do
  end subroutine

  ! Both matrices have been written.
  integer function errors()
    sync all
    errors = wrong(a, me, .false.) + wrong(b, me, .true.)
  end function

  integer(int64) function results()
    results = checksum(b, me)
  end function
end module
