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
    real(real64) :: used(used_counters)
    integer :: wrong
    integer(int64) :: check
    if (.not. wanted(name)) return
    if (this_image() == 1) call announce(name, bytes)
    call sample(work, batch, all_images, maximum, total, samples, used)
    sync all
    wrong = errors()
    call co_sum(wrong)
    check = 0
    if (present(results)) check = results()
    call co_sum(check)
    if (this_image() == 1) call report(name, bytes, median(samples), wrong, check, used)
    sync all
  end subroutine

  subroutine all_images()
    sync all
  end subroutine

  subroutine maximum(values)
    real(real64), intent(inout) :: values(:)
    call co_max(values)
  end subroutine

  subroutine total(values)
    real(real64), intent(inout) :: values(:)
    call co_sum(values)
  end subroutine
end module
