! A square matrix whose columns are distributed over processes: its values, and what is checked. Nothing here communicates.
module matrices
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: fill, wrong, checksum

  integer, parameter, public :: order = 1024
  character(*), parameter, public :: cannot_divide = '1024 columns cannot be divided among the images'
  integer, parameter, public :: matrix_bytes = 8*order**2

contains

  elemental real(real64) function element(i, j)
    integer, intent(in) :: i, j
    element = i + 1e4_real64*j
  end function

  subroutine fill(matrix, me)
    real(real64), intent(out) :: matrix(:, :)
    integer, intent(in) :: me
    integer :: i, j
    do j = 1, size(matrix, 2)
      do i = 1, order
        matrix(i, j) = element(i, j + (me - 1)*size(matrix, 2))
      end do
    end do
  end subroutine

  ! Elements that differ from the matrix or from its transpose.
  integer function wrong(matrix, me, is_transposed)
    real(real64), intent(in) :: matrix(:, :)
    integer, intent(in) :: me
    logical, intent(in) :: is_transposed
    integer :: i, j, column
    wrong = 0
    do j = 1, size(matrix, 2)
      column = j + (me - 1)*size(matrix, 2)
      do i = 1, order
        if (matrix(i, j) /= merge(element(column, i), element(i, column), is_transposed)) wrong = wrong + 1
      end do
    end do
  end function

  integer(int64) function checksum(matrix, me)
    real(real64), intent(in) :: matrix(:, :)
    integer, intent(in) :: me
    integer :: i, j, column
    checksum = 0
    do j = 1, size(matrix, 2)
      column = j + (me - 1)*size(matrix, 2)
      do i = 1, order
        checksum = checksum + int(matrix(i, j), int64)*(1 + mod(i + 3*column, 31))
      end do
    end do
  end function
end module
