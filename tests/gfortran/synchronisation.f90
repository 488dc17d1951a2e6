! Events, locks, critical constructs, sync images and atomic subroutines.
program synchronisation
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: turns = 200
  type(event_type), save :: ready[*]
  type(event_type), allocatable :: many(:)[:]
  type(lock_type), save :: one[*]
  type(lock_type), allocatable :: locks(:)[:]
  integer, save :: total[*], data(3)[*]
  integer(atomic_int_kind), save :: counter(3)[*]
  logical(atomic_logical_kind), save :: flag[*]
  integer :: me, n, right, left, i, count, stat, old, value
  integer(atomic_int_kind) :: got, before
  logical :: is_mine, is_set
  character(80) :: message
  integer, allocatable :: neighbours(:)

  me = this_image()
  n = num_images()
  right = modulo(me, n) + 1
  left = modulo(me - 2, n) + 1
  if (left == right) then
    neighbours = [left]
  else
    neighbours = [left, right]
  end if
  total = 0
  counter = 0
  flag = .false.
  allocate (many(4)[*], locks(3)[*])
  sync all

  ! A ring: each image waits for its left neighbour.
  data = 0
  sync all
  do i = 1, turns
    if (me == 1) then
      data(1)[right] = i
      event post (ready[right])
      event wait (ready)
      if (data(1) /= i + n - 1) error stop 'ring'
    else
      event wait (ready)
      value = data(1)
      data(1)[right] = value + 1
      event post (ready[right])
    end if
  end do
  call event_query(ready, count)
  if (count /= 0) error stop 'count of notices'
  sync all

  ! Several notifications at a time, of elements.
  do i = 1, 3
    event post (many(2)[right])
  end do
  event wait (many(2), until_count=3)
  call event_query(many(2), count, stat)
  if (count /= 0 .or. stat /= 0) error stop 'until_count'
  call event_query(many(3), count)
  if (count /= 0) error stop 'another event'
  sync all

  ! Locks and critical constructs: nothing is lost.
  do i = 1, turns
    lock (one[1])
    total[1] = total[1] + 1
    unlock (one[1])
    critical
      data(2)[1] = data(2)[1] + 1
    end critical
  end do
  sync all
  if (total[1] /= n*turns) error stop 'lock'
  if (data(2)[1] /= n*turns) error stop 'critical'
  sync all

  ! Status of locks.
  lock (locks(2)[me], stat=stat)
  if (stat /= 0) error stop 'lock with stat'
  lock (locks(2)[me], stat=stat, errmsg=message)
  if (stat /= stat_locked .or. len_trim(message) == 0) error stop 'lock twice'
  sync all
  if (n > 1) then
    lock (locks(2)[right], acquired_lock=is_mine)
    if (is_mine) error stop 'acquired_lock of a lock that another image has'
    unlock (locks(2)[right], stat=stat)
    if (stat /= stat_locked_other_image) error stop 'unlock of a lock that another image has'
  end if
  sync all
  unlock (locks(2)[me])
  lock (locks(3), acquired_lock=is_mine)
  if (.not. is_mine) error stop 'acquired_lock'
  unlock (locks(3), stat=stat)
  if (stat /= 0) error stop 'unlock'

  ! sync images, with different lists.
  do i = 1, turns
    data(3) = 0
    sync all
    data(3)[right] = i
    sync images (neighbours)
    if (data(3) /= i) error stop 'sync images'
    sync all
  end do
  if (me == 1) then
    data(3) = 17
    sync images (*)
  else
    sync images (1)
    if (data(3)[1] /= 17) error stop 'sync images (*)'
  end if
  sync images ([1, 1], stat=stat, errmsg=message)
  if (stat == 0 .or. len_trim(message) == 0) error stop 'an image that is named twice'
  sync all

  ! Atomic subroutines.
  do i = 1, turns
    call atomic_add(counter(1)[1], 1)
    call atomic_fetch_add(counter(2)[right], 2, before)
    if (mod(before, 2) /= 0) error stop 'atomic_fetch_add'
  end do
  sync all
  call atomic_ref(got, counter(1)[1])
  if (got /= n*turns) error stop 'atomic_add'
  if (counter(2) /= 2*turns) error stop 'atomic_fetch_add of an element'
  sync all
  call atomic_or(counter(3)[1], 2**mod(me, 30))
  sync all
  call atomic_ref(got, counter(3)[1])
  if (popcnt(got) /= min(n, 30)) error stop 'atomic_or'
  sync all
  if (me == 1) call atomic_define(counter(3), 12)
  sync all
  call atomic_cas(counter(3)[1], old, 12, 100 + me)
  sync all
  call atomic_ref(got, counter(3)[1])
  if (got < 101 .or. got > 100 + n) error stop 'atomic_cas'
  if ((old == 12) .neqv. (got == 100 + me)) error stop 'the winner of atomic_cas'
  sync all
  call atomic_and(counter(3)[me], 6)
  call atomic_xor(counter(3)[me], 5)
  if (me > 1 .and. counter(3) /= 5) error stop 'atomic_xor'
  if (me == 1) call atomic_define(flag[n], .true.)
  if (me == n) then
    is_set = .false.
    do while (.not. is_set)
      call atomic_ref(is_set, flag)
    end do
  end if
  deallocate (many, locks)
  sync memory
  sync all
  if (me == 1) print '(a)', 'synchronisation: passed'
end program
