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
    real(real64), allocatable :: samples(:), slowest(:)
    real(real64) :: one
    integer :: calls, number, wrong(1), all_wrong(1), rank, ierror
    integer(int64) :: check(1), all_check(1)
    if (.not. wanted(name)) return
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 0) call announce(name, bytes)
    calls = 1
    one = shortest(work, calls)
    if (one < batch) then
      calls = batch_calls(one, batch)
      one = shortest(work, calls)
      calls = batch_calls(one, batch)
    end if
    allocate (samples(batch_count(calls*one)))
    do number = 1, size(samples)
      samples(number) = seconds(work, calls)
    end do
    slowest = samples
    call MPI_Allreduce(samples, slowest, size(samples), MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
    wrong = errors()
    call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    check = 0
    if (present(results)) check = results()
    call MPI_Allreduce(check, all_check, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (rank == 0) call report(name, bytes, median(slowest), all_wrong(1), all_check(1))
    call barrier()
  end subroutine

  subroutine barrier()
    integer :: ierror
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine

  ! Seconds of a call in a batch, on this rank, from a barrier on.
  real(real64) function seconds(work, calls)
    procedure(calls_of) :: work
    integer, intent(in) :: calls
    real(real64) :: begin
    call barrier()
    begin = now()
    call work(calls)
    seconds = (now() - begin)/calls
  end function

  ! The same on all ranks: the shortest time of the slowest rank.
  real(real64) function shortest(work, calls)
    procedure(calls_of) :: work
    integer, intent(in) :: calls
    real(real64) :: one(1), slowest(1), spent
    integer :: trial, ierror
    shortest = huge(shortest)
    spent = 0
    do trial = 1, trials
      one = seconds(work, calls)
      call MPI_Allreduce(one, slowest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
      shortest = min(shortest, slowest(1))
      spent = spent + slowest(1)*calls
      if (spent > trial_seconds) exit
    end do
  end function
end module
