! Images fail in the middle of what others wait for. No statement waits for ever, and each one with a status returns it.
! The argument says what the others do when the last image fails.
program survivors
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, save :: a(4)[*]
  integer, allocatable :: b(:)[:]
  type(event_type), save :: ready[*]
  type(lock_type), save :: mutex[*]
  type(team_type) :: team
  character(8) :: argument
  character(80) :: message
  integer :: which, me, n, stat, i, x(4)
  logical :: is_mine

  call get_command_argument(1, argument)
  read (argument, *) which
  me = this_image()
  n = num_images()
  a = me
  stat = 0
  message = ''
  sync all
  if (which == 4 .or. which == 5) then
    if (me == n) lock (mutex[1])
    sync all
  end if
  if (me == n) then
    if (which == 9) sync images ([(i, i=1, n - 1)])
    fail image
  end if
  select case (which)
  case (1)
    sync all (stat=stat, errmsg=message)
  case (2)
    sync images (n, stat=stat, errmsg=message)
  case (3)
    sync images (*, stat=stat, errmsg=message)
  case (4)
    lock (mutex[1], stat=stat, errmsg=message)
  case (5)
    do
      lock (mutex[1], acquired_lock=is_mine, stat=stat, errmsg=message)
      if (stat /= 0) exit
      if (is_mine) error stop 'the lock of an image that has failed'
    end do
  case (6)
    call co_sum(x, stat=stat, errmsg=message)
  case (7)
    call co_broadcast(x, n, stat=stat, errmsg=message)
  case (8)
    allocate (b(5)[*], stat=stat, errmsg=message)
  case (9)
    sync images (n)
    call co_max(x, result_image=1, stat=stat, errmsg=message)
    if (me > 1 .and. stat == 0) stat = stat_failed_image
    if (me > 1) message = 'not needed'
  case (10)
    call co_reduce(x, larger, stat=stat, errmsg=message)
  case (11)
    event wait (ready, stat=stat, errmsg=message)
  case (12)
    do
      event post (ready[n], stat=stat, errmsg=message)
      if (stat /= 0) exit
    end do
  case (13)
    call co_min(x, stat=stat, errmsg=message)
  end select
  if (stat /= stat_failed_image) then
    print '(a, i0, a, i0, 2a)', 'image ', me, ': status ', stat, ', ', trim(message)
    error stop 'stat_failed_image was expected'
  end if
  if (len_trim(message) == 0) error stop 'errmsg'

  ! The others go on. What lies on the failed image can still be accessed, as a put and a get of nothing would.
  do while (image_status(n) /= stat_failed_image)
  end do
  do i = 1, n - 1
    if (any(a(2:4)[i] /= i)) error stop 'get from a living image'
  end do
  x = a(:)[n]
  call atomic_add(a(1)[modulo(me, n - 1) + 1], 100, stat=stat)
  if (stat /= 0) error stop 'atomic_add on a living image'
  sync images ([(i, i=1, n - 1)], stat=stat)
  if (stat /= 0) error stop 'sync images of living images'
  if (a(1) /= 100 + me) error stop 'atomic_add of a living image'
  event post (ready[modulo(me, n - 1) + 1])
  event wait (ready)
  if (n - 1 == 1) then
    form team (1, team)
  end if
  if (me == 1) print '(a)', 'survivors: passed'

contains

  pure integer function larger(a, b)
    integer, intent(in) :: a, b
    larger = max(a, b)
  end function
end program
