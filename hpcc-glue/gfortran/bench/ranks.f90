! Measures what MPI does, as images.f90 measures coarrays: the time of the slowest rank in each batch, and the median of all.
module ranks
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use repetitions
  implicit none
  private
  public :: measure, barrier

contains

  subroutine measure(name, bytes, batch, work, errors, results)
    character(*), intent(in) :: name
    integer, intent(in) :: bytes
    real(real64), intent(in) :: batch
    procedure(calls_of) :: work
    procedure(errors_of) :: errors
    procedure(check_of), optional :: results
    real(real64), allocatable :: samples(:)
    real(real64) :: used(used_counters)
    integer :: wrong(1), all_wrong(1), rank, ierror
    integer(int64) :: check(1), all_check(1)
    if (.not. wanted(name)) return
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 0) call announce(name, bytes)
    call sample(work, batch, barrier, maximum, total, samples, used)
    wrong = errors()
    call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    check = 0
    if (present(results)) check = results()
    call MPI_Allreduce(check, all_check, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (rank == 0) call report(name, bytes, median(samples), all_wrong(1), all_check(1), used)
    call barrier()
  end subroutine

  subroutine barrier()
    integer :: ierror
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine

  subroutine maximum(values)
    real(real64), intent(inout) :: values(:)
    call reduce(values, MPI_MAX)
  end subroutine

  subroutine total(values)
    real(real64), intent(inout) :: values(:)
    call reduce(values, MPI_SUM)
  end subroutine

  subroutine reduce(values, operation)
    real(real64), intent(inout) :: values(:)
    integer, intent(in) :: operation
    real(real64) :: reduced(size(values))
    integer :: ierror
    call MPI_Allreduce(values, reduced, size(values), MPI_DOUBLE_PRECISION, operation, MPI_COMM_WORLD, ierror)
    values = reduced
  end subroutine
end module
