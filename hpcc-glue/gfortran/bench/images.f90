! Measures operations of coarrays: the time of the slowest image in each batch, and the median of all batches.
module images
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use repetitions
  implicit none
  private
  public :: measure

contains

  ! The operation must leave all it needs as it was. `results` is there where other programs compute the same.
  subroutine measure(name, bytes, batch, work, errors, results)
    character(*), intent(in) :: name
    integer, intent(in) :: bytes
    real(real64), intent(in) :: batch
    procedure(calls_of) :: work
    procedure(errors_of) :: errors
    procedure(check_of), optional :: results
    real(real64), allocatable :: samples(:)
    real(real64) :: one
    integer :: calls, number, wrong
    integer(int64) :: check
    if (.not. wanted(name)) return
    if (this_image() == 1) call announce(name, bytes)
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
    call co_max(samples)
    sync all
    wrong = errors()
    call co_sum(wrong)
    check = 0
    if (present(results)) check = results()
    call co_sum(check)
    if (this_image() == 1) call report(name, bytes, median(samples), wrong, check)
    sync all
  end subroutine

  ! Seconds of a call in a batch, on this image, from a barrier on.
  real(real64) function seconds(work, calls)
    procedure(calls_of) :: work
    integer, intent(in) :: calls
    real(real64) :: begin
    sync all
    begin = now()
    call work(calls)
    seconds = (now() - begin)/calls
  end function

  ! The same on all images: the shortest time of the slowest image.
  real(real64) function shortest(work, calls)
    procedure(calls_of) :: work
    integer, intent(in) :: calls
    real(real64) :: one, spent
    integer :: trial
    shortest = huge(shortest)
    spent = 0
    do trial = 1, trials
      one = seconds(work, calls)
      call co_max(one)
      shortest = min(shortest, one)
      spent = spent + one*calls
      if (spent > trial_seconds) exit
    end do
  end function
end module
