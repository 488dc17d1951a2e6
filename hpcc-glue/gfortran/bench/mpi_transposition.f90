! The transposition of a matrix whose columns are distributed, by MPI: blocks are transposed, exchanged, and put in place.
module mpi_transposition
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use repetitions
  use ranks
  use matrices
  implicit none
  private
  public :: measure_transposition

  real(real64), allocatable :: a(:, :), b(:, :), sent(:, :, :), received(:, :, :)
  integer :: me, processes, columns
  logical :: is_there

contains

  subroutine measure_transposition()
    integer :: ierror
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
    me = me + 1
    call MPI_Comm_size(MPI_COMM_WORLD, processes, ierror)
    if (mod(order, processes) /= 0) return
    columns = order/processes
    allocate (a(order, columns), b(order, columns))
    allocate (sent(columns, columns, processes), received(columns, columns, processes))
    call fill(a, me)
    b = -1
    is_there = .false.
    call measure('transpose', matrix_bytes, together, there_and_back, errors, results)
  end subroutine

  subroutine exchange(from, to)
    real(real64), intent(in) :: from(:, :)
    real(real64), intent(inout) :: to(:, :)
    integer :: other, low, ierror
    do other = 1, processes
      low = (other - 1)*columns
      sent(:, :, other) = transpose(from(low + 1:low + columns, :))
    end do
    call MPI_Alltoall(sent, columns**2, MPI_DOUBLE_PRECISION, received, columns**2, MPI_DOUBLE_PRECISION, &
                      MPI_COMM_WORLD, ierror)
    do other = 1, processes
      low = (other - 1)*columns
      to(low + 1:low + columns, :) = received(:, :, other)
    end do
  end subroutine

  subroutine there_and_back(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      if (is_there) then
        call exchange(b, a)
      else
        call exchange(a, b)
      end if
      is_there = .not. is_there
    end do
  end subroutine

  integer function errors()
    errors = wrong(a, me, .false.) + wrong(b, me, .true.)
  end function

  integer(int64) function results()
    results = checksum(b, me)
  end function
end module
