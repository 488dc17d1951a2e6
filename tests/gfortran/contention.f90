! All images compete: locks, critical constructs, atomic subroutines, events of many images, sync images with changing lists.
program contention
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: turns = 300
  type(lock_type), save :: one[*], several(2:5)[*]
  type(event_type), save :: ready[*], slots(8)[*]
  type(event_type), allocatable :: grid(:, :)[:]
  integer, save :: total[*], cells(4)[*], box(8)[*]
  integer(atomic_int_kind), save :: counter(9)[*]
  integer, allocatable :: list(:)
  integer(atomic_int_kind) :: before, expected
  integer :: me, n, i, k, place, stat, mine, tries
  logical :: is_mine
  character(60) :: message

  me = this_image()
  n = num_images()
  total = 0
  cells = 0
  counter = 0
  allocate (grid(2, -1:1)[*])
  sync all

  ! A lock on the last image, one of several on each, a critical construct.
  do i = 1, turns
    lock (one[n])
    total[n] = total[n] + me
    unlock (one[n])
    place = mod(i + me, n) + 1
    k = mod(i, 4)
    lock (several(k + 2)[place], stat=stat)
    if (stat /= 0) error stop 'stat of lock'
    cells(k + 1)[place] = cells(k + 1)[place] + 1
    unlock (several(k + 2)[place], stat=stat)
    if (stat /= 0) error stop 'stat of unlock'
  end do
  do i = 1, turns
    critical
      total[1] = total[1] + 1
    end critical
  end do
  sync all
  if (me == n .and. total /= turns*n*(n + 1)/2 + merge(turns*n, 0, n == 1)) error stop 'lock under contention'
  if (me == 1 .and. n > 1 .and. total /= turns*n) error stop 'critical under contention'
  mine = sum(cells)
  call co_sum(mine)
  if (mine /= turns*n) error stop 'several locks under contention'

  ! A lock that is tried for.
  mine = 0
  tries = 0
  do while (mine < turns/10)
    lock (one[1], acquired_lock=is_mine)
    tries = tries + 1
    if (is_mine) then
      mine = mine + 1
      counter(9)[1] = counter(9)[1] + 1
      unlock (one[1])
    end if
  end do
  sync all
  if (me == 1 .and. counter(9) /= n*(turns/10)) error stop 'acquired_lock under contention'

  ! Atomic subroutines on one image, all operations.
  do i = 1, turns
    call atomic_add(counter(1)[n], me)
    call atomic_fetch_add(counter(2)[n], 1, before)
    if (before < 0 .or. before >= n*turns) error stop 'atomic_fetch_add'
    call atomic_fetch_xor(counter(3)[n], ishft(1, mod(me, 31)), before)
    call atomic_fetch_or(counter(4)[n], ishft(1, mod(me, 31)), before)
    if (i > 1 .and. .not. btest(before, mod(me, 31))) error stop 'atomic_fetch_or'
    call atomic_fetch_and(counter(5)[n], not(ishft(1, mod(me, 31))), before)
    call atomic_or(counter(5)[n], ishft(1, mod(me, 31)))
    ! An addition by compare and swap, beside a neighbour in the same word of 64 bits.
    call atomic_ref(before, counter(6)[n])
    do
      expected = before
      call atomic_cas(counter(6)[n], before, expected, expected + 2)
      if (before == expected) exit
    end do
    call atomic_xor(counter(7)[n], 1, stat=stat)
    if (stat /= 0) error stop 'stat of atomic_xor'
  end do
  sync all
  if (me == n) then
    if (counter(1) /= turns*n*(n + 1)/2) error stop 'atomic_add under contention'
    if (counter(2) /= turns*n) error stop 'atomic_fetch_add under contention'
    if (counter(3) /= 0) error stop 'atomic_fetch_xor under contention'
    if (popcnt(counter(4)) /= n) error stop 'atomic_fetch_or under contention'
    if (counter(5) /= counter(4)) error stop 'atomic_fetch_and under contention'
    if (counter(6) /= 2*turns*n) error stop 'atomic_cas under contention'
    if (counter(7) /= mod(n*turns, 2)) error stop 'atomic_xor under contention'
  end if
  sync all

  ! All images post events of one image, which waits for all at once, one after the other, and by groups.
  do i = 1, turns/10
    event post (ready[1], stat=stat)
    if (stat /= 0) error stop 'stat of event post'
    event post (slots(mod(me, 8) + 1)[1])
    event post (grid(mod(me, 2) + 1, mod(i, 3) - 1)[n])
  end do
  if (me == 1) then
    do i = 1, turns/10
      event wait (ready, until_count=n, stat=stat)
      if (stat /= 0) error stop 'stat of event wait'
    end do
    call event_query(ready, k)
    if (k /= 0) error stop 'until_count takes its events'
    do i = 1, n
      event wait (slots(mod(i, 8) + 1), until_count=turns/10)
    end do
  end if
  if (me == n) then
    do i = 1, turns/10
      event wait (grid(2, mod(i, 3) - 1), until_count=(n + 1)/2)
      if (n > 1) event wait (grid(1, mod(i, 3) - 1), until_count=n/2)
    end do
  end if
  sync all
  call event_query(grid(1, 0), k, stat=stat)
  if (k /= 0 .or. stat /= 0) error stop 'events that are left'

  ! Lists of sync images that differ: a star around each image in turn, and repeated pairs.
  do k = 1, n
    box = 0
    sync all
    do i = 1, 5
      if (me == k) then
        box(1)[modulo(k, n) + 1] = i
        sync images (*)
      else
        sync images (k)
        if (me == modulo(k, n) + 1 .and. box(1) < i) error stop 'put before sync images'
      end if
    end do
    sync all
  end do
  allocate (list(0))
  sync images (list)
  if (mod(me, 2) == 0 .or. me < n) then
    place = merge(me - 1, me + 1, mod(me, 2) == 0)
    do i = 1, turns
      box(2)[place] = i
      sync images (place, stat=stat, errmsg=message)
      if (stat /= 0 .or. box(2) /= i) error stop 'pairs'
      sync images ([place])
    end do
  end if
  sync images (me)
  sync all
  deallocate (grid)
  if (me == 1) print '(a)', 'contention: passed'
end program
