! The common part of the benchmarks with coarrays and with MPI: the options, the number of calls that are timed
! together, medians, and the lines that `hcube bench gfortran` reads.
!
! Arguments of all programs: REPETITIONS BYTES[,BYTES...] NAME[,NAME...]; the sizes of the contiguous transfers, and the
! names of the operations to measure, or 'all'.
module repetitions
  use, intrinsic :: iso_c_binding, only: c_double
  use, intrinsic :: iso_fortran_env, only: int64, real64, output_unit
  implicit none
  private
  public :: options, wanted, sizes, now, sample, median, used_counters
  public :: tell_libraries, tell_finished, announce, report, leave_out, shuffle_step

  ! Seconds that the calls of a batch take together: long for the clock, and short beside a time slice, so that most batches
  ! of more images than cores are not interrupted.
  real(real64), parameter, public :: one_sided = 1e-4_real64
  ! Where images wait for each other, leaving the barrier before a batch takes as long as a call.
  real(real64), parameter, public :: together = 5e-4_real64
  ! Seconds of all batches of an operation; slow operations have fewer batches.
  real(real64), parameter :: all_batches = 0.3_real64
  integer, parameter :: max_calls = 100000
  ! Calls whose time decides about the length of a batch, as long as they do not take this many seconds.
  integer, parameter :: trials = 5
  real(real64), parameter :: trial_seconds = 0.02_real64
  ! No divisor of any size: a permutation of indices by its multiples.
  integer, parameter :: shuffle_step = 7919

  ! The counters of hpcc-glue/bench/counters.h; the last one is no sum.
  integer, parameter :: used_counters = 6

  integer :: batches = 21
  integer, allocatable :: sizes(:)
  character(:), allocatable :: names

  abstract interface
    ! The operation, several times.
    subroutine calls_of(calls)
      integer, intent(in) :: calls
    end subroutine
    ! Elements of this image that are wrong after it; all images call it.
    integer function errors_of()
    end function
    ! A sum over the results of this image.
    integer(int64) function check_of()
      import :: int64
    end function
    ! Returns when all images have called it.
    subroutine barrier_of()
    end subroutine
    ! The maxima over all images, or the sums, on all of them.
    subroutine maximum_of(values)
      import :: real64
      real(real64), intent(inout) :: values(:)
    end subroutine
  end interface
  public :: calls_of, errors_of, check_of, barrier_of, maximum_of

  interface
    subroutine read_counters(counters) bind(C, name='hcube_bench_counters')
      import :: c_double, used_counters
      real(c_double), intent(out) :: counters(used_counters)
    end subroutine
  end interface

contains

  subroutine options()
    character(:), allocatable :: text
    integer :: count, at, status
    sizes = [8, 64, 512, 4096, 32768, 262144, 1048576]
    names = 'all'
    if (command_argument_count() == 0) return
    text = argument(1)
    read (text, *, iostat=status) batches
    if (status /= 0 .or. batches < 1) call refuse('REPETITIONS', text)
    if (command_argument_count() >= 2) then
      text = argument(2)
      count = 1
      do at = 1, len(text)
        if (text(at:at) == ',') count = count + 1
      end do
      deallocate (sizes)
      allocate (sizes(count))
      read (text, *, iostat=status) sizes
      if (status /= 0 .or. any(sizes < 8) .or. any(mod(sizes, 8) /= 0)) call refuse('BYTES', text)
    end if
    if (command_argument_count() >= 3) names = argument(3)
  end subroutine

  function argument(number) result(text)
    integer, intent(in) :: number
    character(:), allocatable :: text
    integer :: length
    call get_command_argument(number, length=length)
    allocate (character(length) :: text)
    call get_command_argument(number, text)
  end function

  subroutine refuse(name, text)
    character(*), intent(in) :: name, text
    print '(5a)', 'argument ', name, ' = ', text, ': expected a positive number, or multiples of 8 with commas'
    error stop 2
  end subroutine

  logical function wanted(name)
    character(*), intent(in) :: name
    wanted = names == 'all' .or. index(','//names//',', ','//name//',') > 0
  end function

  real(real64) function now()
    integer(int64) :: ticks, rate
    call system_clock(ticks, rate)
    now = real(ticks, real64)/real(rate, real64)
  end function

  ! The time of a call of the slowest image in each batch of about these seconds, and what a call uses on all images
  ! together, without the barriers of batches.
  subroutine sample(work, batch, barrier, maximum, total, samples, used)
    procedure(calls_of) :: work
    real(real64), intent(in) :: batch
    procedure(barrier_of) :: barrier
    procedure(maximum_of) :: maximum, total
    real(real64), allocatable, intent(out) :: samples(:)
    real(real64), intent(out) :: used(used_counters)
    real(real64) :: one, before(used_counters), after(used_counters), without(used_counters)
    integer :: calls, number
    calls = 1
    one = shortest(work, calls, barrier, maximum)
    if (one < batch) then
      calls = batch_calls(one, batch)
      one = shortest(work, calls, barrier, maximum)
      calls = batch_calls(one, batch)
    end if
    allocate (samples(batch_count(calls*one)))
    call barrier()
    call read_counters(before)
    do number = 1, size(samples)
      samples(number) = seconds(work, calls, barrier)
    end do
    call barrier()
    call read_counters(after)
    do number = 1, size(samples) + 1
      call barrier()
    end do
    call read_counters(without)
    used = ((after - before) - (without - after))/(real(calls, real64)*size(samples))
    used(used_counters) = after(used_counters)
    call maximum(samples)
    call total(used)
  end subroutine

  ! Seconds of a call in a batch, on this image, from a barrier on.
  real(real64) function seconds(work, calls, barrier)
    procedure(calls_of) :: work
    integer, intent(in) :: calls
    procedure(barrier_of) :: barrier
    real(real64) :: begin
    call barrier()
    begin = now()
    call work(calls)
    seconds = (now() - begin)/calls
  end function

  ! The same on all images: the shortest time of the slowest image.
  real(real64) function shortest(work, calls, barrier, maximum)
    procedure(calls_of) :: work
    integer, intent(in) :: calls
    procedure(barrier_of) :: barrier
    procedure(maximum_of) :: maximum
    real(real64) :: one(1), spent
    integer :: trial
    shortest = huge(shortest)
    spent = 0
    do trial = 1, trials
      one = seconds(work, calls, barrier)
      call maximum(one)
      shortest = min(shortest, one(1))
      spent = spent + one(1)*calls
      if (spent > trial_seconds) exit
    end do
  end function

  ! Calls of a batch, from the seconds of one call and the seconds of a batch.
  integer function batch_calls(one, batch)
    real(real64), intent(in) :: one, batch
    batch_calls = max(1, int(min(batch/max(one, 1e-9_real64), real(max_calls, real64))))
  end function

  ! Batches of an operation, from the seconds of one of them.
  integer function batch_count(seconds)
    real(real64), intent(in) :: seconds
    batch_count = max(1, int(min(all_batches/max(seconds, 1e-9_real64), real(batches, real64))))
  end function

  real(real64) function median(values)
    real(real64), intent(in) :: values(:)
    real(real64) :: sorted(size(values)), value
    integer :: i, j
    sorted = values
    do i = 2, size(sorted)
      value = sorted(i)
      j = i - 1
      do while (j > 0)
        if (sorted(j) <= value) exit
        sorted(j + 1) = sorted(j)
        j = j - 1
      end do
      sorted(j + 1) = value
    end do
    i = size(sorted)
    median = (sorted((i + 1)/2) + sorted(i/2 + 1))/2
  end function

  ! Prints the files of this process whose names may be libraries for coarrays, to show which library serves the
  ! program.
  subroutine tell_libraries()
    character(4096) :: line, last
    integer :: unit, status, path
    open (newunit=unit, file='/proc/self/maps', action='read', status='old', iostat=status)
    if (status /= 0) return
    last = ''
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      path = index(line, '/')
      if (path == 0) cycle
      ! A file is mapped in several parts, which follow one another.
      if (index(line(path:), 'caf') == 0 .or. line(path:) == last) cycle
      last = line(path:)
      print '(2a)', 'library ', trim(last)
    end do
    close (unit)
    flush (output_unit)
  end subroutine

  ! Says that all has been measured: the end of the job may take longer, or hang in MPI_Finalize.
  subroutine tell_finished()
    print '(a)', 'finished'
    flush (output_unit)
  end subroutine

  ! Says what begins, so that it can be named if the program ends in it.
  subroutine announce(name, bytes)
    character(*), intent(in) :: name
    integer, intent(in) :: bytes
    print '(3a, i0)', 'begin ', name, ' ', bytes
    flush (output_unit)
  end subroutine

  subroutine leave_out(name, reason)
    character(*), intent(in) :: name, reason
    if (wanted(name)) print '(4a)', 'skip ', name, ' ', reason
  end subroutine

  ! Seconds of a call, errors of all images, a sum of the results that is the same for all distributions, and what a call
  ! uses.
  subroutine report(name, bytes, seconds, errors, check, used)
    character(*), intent(in) :: name
    integer, intent(in) :: bytes, errors
    real(real64), intent(in) :: seconds, used(used_counters)
    integer(int64), intent(in) :: check
    print '(3a, i0, a, es14.7, a, i0, a, i0, *(1x, es14.7))', 'end ', name, ' ', bytes, ' ', seconds, ' ', errors, ' ', &
      check, used
    flush (output_unit)
  end subroutine
end module
