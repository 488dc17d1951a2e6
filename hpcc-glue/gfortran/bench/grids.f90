! Blocks of a grid in three dimensions, one per process, with a halo of one element: the distribution of blocks, the
! initial values, the Jacobi step, and the check. No communication.
module grids
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: block, place, begin_with, step, wrong_halo, checksum

  ! Elements of a block in each direction.
  integer, parameter, public :: edge = 64
  integer, parameter, public :: face_bytes = 8*edge**2
  ! Steps whose results are compared.
  integer, parameter, public :: checked_steps = 10

  ! Numbers of processes from 1 on.
  type block
    ! Of this one in the grid of blocks, from 0 on, and the size of that grid.
    integer :: at(3) = 0, blocks(3) = 1
    ! Below and above in each direction; 0 where the grid ends.
    integer :: near(2, 3) = 0
  end type

contains

  ! The block of a process. The first direction is divided first: its faces are those whose elements all lie apart.
  type(block) function place(me, processes)
    integer, intent(in) :: me, processes
    integer :: direction, rest, factor
    rest = processes
    factor = 2
    do while (rest > 1)
      do while (mod(rest, factor) == 0)
        direction = minloc(place%blocks, dim=1)
        place%blocks(direction) = place%blocks(direction)*factor
        rest = rest/factor
      end do
      factor = factor + 1
    end do
    rest = me - 1
    factor = 1
    do direction = 1, 3
      place%at(direction) = mod(rest, place%blocks(direction))
      rest = rest/place%blocks(direction)
      if (place%at(direction) > 0) place%near(1, direction) = me - factor
      if (place%at(direction) < place%blocks(direction) - 1) place%near(2, direction) = me + factor
      factor = factor*place%blocks(direction)
    end do
  end function

  ! The value at a place of the whole grid.
  elemental real(real64) function initial(i, j, k)
    integer, intent(in) :: i, j, k
    initial = i + 1e3_real64*j + 1e6_real64*k
  end function

  ! Fills a block, and its halo with what is in no grid.
  subroutine begin_with(u, here)
    real(real64), intent(out) :: u(0:, 0:, 0:)
    type(block), intent(in) :: here
    integer :: i, j, k, low(3)
    low = here%at*edge
    u = -1
    do k = 1, edge
      do j = 1, edge
        do i = 1, edge
          u(i, j, k) = initial(low(1) + i, low(2) + j, low(3) + k)
        end do
      end do
    end do
  end subroutine

  ! The mean of the six neighbours.
  subroutine step(from, to)
    real(real64), intent(in) :: from(0:edge + 1, 0:edge + 1, 0:edge + 1)
    real(real64), intent(inout) :: to(0:edge + 1, 0:edge + 1, 0:edge + 1)
    integer :: i, j, k
    do k = 1, edge
      do j = 1, edge
        do i = 1, edge
          to(i, j, k) = (from(i - 1, j, k) + from(i + 1, j, k) + from(i, j - 1, k) + from(i, j + 1, k) &
                         + from(i, j, k - 1) + from(i, j, k + 1))/6
        end do
      end do
    end do
  end subroutine

  ! Elements of the halo that initially differ from the neighbours' elements.
  integer function wrong_halo(u, here) result(wrong)
    real(real64), intent(in) :: u(0:, 0:, 0:)
    type(block), intent(in) :: here
    integer :: direction, side, j, k, at(3), next(2)
    wrong = 0
    do direction = 1, 3
      next = [1 + mod(direction, 3), 1 + mod(direction + 1, 3)]
      do side = 1, 2
        at(direction) = merge(0, edge + 1, side == 1)
        do k = 1, edge
          do j = 1, edge
            at(next) = [j, k]
            if (u(at(1), at(2), at(3)) /= expected(at, here, here%near(side, direction) > 0)) wrong = wrong + 1
          end do
        end do
      end do
    end do
  end function

  real(real64) function expected(at, here, is_inside)
    integer, intent(in) :: at(3)
    type(block), intent(in) :: here
    logical, intent(in) :: is_inside
    integer :: all(3)
    all = here%at*edge + at
    expected = merge(initial(all(1), all(2), all(3)), -1.0_real64, is_inside)
  end function

  ! Depends on every bit and its place; sums over all processes do not depend on their order.
  integer(int64) function checksum(u, here)
    real(real64), intent(in) :: u(0:, 0:, 0:)
    type(block), intent(in) :: here
    integer(int64) :: bits
    integer :: i, j, k, weight
    checksum = 0
    do k = 1, edge
      do j = 1, edge
        do i = 1, edge
          weight = 1 + mod(sum((here%at*edge + [i, j, k])*[1, 3, 9]), 31)
          bits = transfer(u(i, j, k), bits)
          checksum = checksum + weight*(ibits(bits, 0, 32) + ibits(bits, 32, 32))
        end do
      end do
    end do
  end function
end module
