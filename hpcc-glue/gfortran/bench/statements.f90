! Image control statements, collective and atomic subroutines, allocation.
module statements
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, lock_type, real64
  use repetitions
  use images
  implicit none
  private
  public :: measure_statements

  integer, parameter :: columns = 16, order = 1024, rounds = 20
  type(event_type), save :: ball[*], back[*]
  type(lock_type), save :: door[*]
  integer(atomic_int_kind), save :: counter[*]
  integer, save :: total[*], token[*]
  real(real64), allocatable :: values(:)
  integer :: me, right, left, n, added
  integer, allocatable :: neighbours(:)

contains

  subroutine measure_statements()
    me = this_image()
    right = modulo(me, num_images()) + 1
    left = modulo(me - 2, num_images()) + 1
    neighbours = [left, right]
    if (left == right) neighbours = [right]
    if (num_images() == 1) neighbours = [integer ::]
    call measure('sync-all', 0, together, sync_all, wrong_sync_all)
    call measure('sync-images', 0, together, sync_neighbours, wrong_sync_images)
    if (num_images() > 1) then
      call measure('event-round-trip', 0, together, play, wrong_event)
    else
      call leave_out('event-round-trip', 'it needs two')
    end if
    call sum_of(1)
    call sum_of(1000)
    call sum_of(131072)
    n = 8192
    call fill(real(me, real64))
    call measure('co_broadcast', 8*n, together, broadcast, wrong_broadcast)
    call measure('lock', 0, together, lock_door, wrong_lock)
    call measure('critical', 0, together, enter, wrong_critical)
    added = 0
    call measure('atomic-add', 4, one_sided, add, wrong_counter)
    call measure('allocate', 8*order*columns, together, allocate_square, wrong_allocate)
  end subroutine

  subroutine sync_all(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      sync all
    end do
  end subroutine

  integer function wrong_sync_all() result(wrong)
    integer :: i
    wrong = 0
    do i = 1, rounds
      token[right] = me*rounds + i
      sync all
      if (token /= left*rounds + i) wrong = wrong + 1
      sync all
    end do
  end function

  subroutine sync_neighbours(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      sync images (neighbours)
    end do
  end subroutine

  integer function wrong_sync_images() result(wrong)
    integer :: i
    wrong = 0
    do i = 1, rounds
      token[right] = me*rounds + i
      sync images (neighbours)
      if (token /= left*rounds + i) wrong = wrong + 1
      sync images (neighbours)
    end do
  end function

  ! Images 1 and 2, 3 and 4, ... notify each other; the last of an odd number waits.
  subroutine play(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      if (mod(me, 2) == 0) then
        event wait (ball)
        event post (back[me - 1])
      else if (me < num_images()) then
        event post (ball[me + 1])
        event wait (back)
      end if
    end do
  end subroutine

  integer function wrong_event() result(wrong)
    integer :: i, left_over
    wrong = 0
    do i = 1, rounds
      if (mod(me, 2) == 0) then
        event wait (ball)
        if (token /= (me - 1)*rounds + i) wrong = wrong + 1
        event post (back[me - 1])
      else if (me < num_images()) then
        token[me + 1] = me*rounds + i
        event post (ball[me + 1])
        event wait (back)
      end if
    end do
    call event_query(ball, left_over)
    if (left_over /= 0) wrong = wrong + 1
    call event_query(back, left_over)
    if (left_over /= 0) wrong = wrong + 1
  end function

  subroutine fill(value)
    real(real64), intent(in) :: value
    if (allocated(values)) deallocate (values)
    allocate (values(n), source=value)
  end subroutine

  ! Sums of zeros, which stay zeros.
  subroutine sum_of(count)
    integer, intent(in) :: count
    n = count
    call fill(0.0_real64)
    call measure('co_sum', 8*n, together, add_up, wrong_sum)
  end subroutine

  subroutine add_up(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      call co_sum(values)
    end do
  end subroutine

  integer function wrong_sum()
    integer :: i, all
    all = num_images()
    values = [(me + all*real(i, real64), i=1, n)]
    call co_sum(values)
    wrong_sum = count(values /= [(all*(all + 1)/2 + all**2*real(i, real64), i=1, n)])
  end function

  subroutine broadcast(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      call co_broadcast(values, 1)
    end do
  end subroutine

  integer function wrong_broadcast()
    integer :: i
    wrong_broadcast = count(values /= 1)
    values = [(me + real(i, real64), i=1, n)]
    call co_broadcast(values, num_images())
    wrong_broadcast = wrong_broadcast + count(values /= [(num_images() + real(i, real64), i=1, n)])
  end function

  subroutine lock_door(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      lock (door[1])
      unlock (door[1])
    end do
  end subroutine

  integer function wrong_lock()
    integer :: i
    total = 0
    sync all
    do i = 1, rounds
      lock (door[1])
      total[1] = total[1] + 1
      unlock (door[1])
    end do
    sync all
    wrong_lock = abs(total[1] - rounds*num_images())
  end function

  subroutine enter(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      critical
        added = added + 1
      end critical
    end do
  end subroutine

  integer function wrong_critical()
    integer :: i
    total = 0
    sync all
    do i = 1, rounds
      critical
        total[1] = total[1] + 1
      end critical
    end do
    sync all
    wrong_critical = abs(total[1] - rounds*num_images())
  end function

  subroutine add(calls)
    integer, intent(in) :: calls
    integer :: i, old
    do i = 1, calls
      call atomic_fetch_add(counter[1], 1, old)
    end do
    added = added + calls
  end subroutine

  integer function wrong_counter()
    integer :: all
    all = added
    call co_sum(all)
    wrong_counter = abs(counter[1] - all)
  end function

  subroutine allocate_square(calls)
    integer, intent(in) :: calls
    real(real64), allocatable :: square(:, :)[:]
    integer :: i
    do i = 1, calls
      allocate (square(order, columns)[*])
      deallocate (square)
    end do
  end subroutine

  integer function wrong_allocate()
    real(real64), allocatable :: square(:, :)[:]
    allocate (square(order, columns)[*])
    square(:, :)[right] = real(me, real64)
    sync all
    wrong_allocate = count(square /= left)
    deallocate (square)
  end function
end module
