! Images fail while others wait for them. No statement waits for ever, and each one with a status returns it; then the living
! images go on. The argument says what they do when the last image fails.
program survivors
  use, intrinsic :: iso_fortran_env
  implicit none
  type things
    integer, allocatable :: x(:)
  end type
  integer, save :: a(4)[*]
  type(things), save :: o[*]
  integer, allocatable :: b(:)[:]
  type(event_type), save :: ready[*]
  type(lock_type), save :: mutex[*]
  character(8) :: argument
  character(80) :: text
  integer :: which, me, n, stat, i, x(4)

  call get_command_argument(1, argument)
  read (argument, *) which
  me = this_image()
  n = num_images()
  a = me
  x = me
  allocate (o%x(3), source=me)
  text = ''
  sync all
  if (which == 4 .or. which == 5) then
    if (me == n) lock (mutex[1])
    sync all
  end if
  if (me == n) then
    if (which == 9) sync images ([(i, i=1, n - 1)])
    fail image
  end if
  stat = 0
  call meet(text)
  if (stat /= stat_failed_image) then
    print '(a, i0, a, i0, 2a)', 'image ', me, ': status ', stat, ', ', trim(text)
    error stop 'stat_failed_image was expected'
  end if
  if (len_trim(text) == 0) error stop 'errmsg'

  ! The others continue.
  do while (image_status(n) /= stat_failed_image)
  end do
  do i = 1, n - 1
    if (any(a(2:4)[i] /= i)) error stop 'get from a living image'
    if (o[i]%x(2) /= i) error stop 'get of a component of a living image'
  end do
  call atomic_add(a(1)[modulo(me, n - 1) + 1], 100, stat=stat)
  if (stat /= 0) error stop 'atomic_add on a living image'
  sync images ([(i, i=1, n - 1)], stat=stat)
  if (stat /= 0) error stop 'sync images of living images'
  if (a(1) /= 100 + me) error stop 'atomic_add of a living image'
  event post (ready[modulo(me, n - 1) + 1])
  event wait (ready)
  ! sync all returns the status, and synchronises the living images.
  do i = 1, 20
    a(2)[modulo(me, n - 1) + 1] = 1000*i + me
    sync all (stat=stat)
    if (stat /= stat_failed_image) error stop 'stat of sync all again'
    if (a(2) /= 1000*i + modulo(me - 2, n - 1) + 1) error stop 'put before sync all of living images'
    sync all (stat=stat)
  end do
  if (me == 1) print '(a)', 'survivors: passed'

contains

  ! gfortran 12 passes messages of constant length to collective subroutines by value.
  subroutine meet(message)
    character(*), intent(inout) :: message
    logical :: is_mine
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
      do while (stat == 0)
        lock (mutex[1], acquired_lock=is_mine, stat=stat, errmsg=message)
        if (is_mine) error stop 'the lock of an image that has failed'
      end do
    case (6)
      call co_sum(x, stat=stat, errmsg=message)
    case (7)
      call co_broadcast(x, n, stat=stat, errmsg=message)
    case (8)
      allocate (b(5)[*], stat=stat, errmsg=message)
      if (allocated(b)) error stop 'a coarray without memory on an image'
    case (9)
      sync images (n)
      do while (stat == 0)
        call co_max(x, result_image=1, stat=stat, errmsg=message)
      end do
    case (10)
      call co_reduce(x, larger, stat=stat, errmsg=message)
    case (11)
      event wait (ready, stat=stat, errmsg=message)
    case (12)
      do while (stat == 0)
        event post (ready[n], stat=stat, errmsg=message)
      end do
    case (13)
      call co_min(x(1), stat=stat, errmsg=message)
    end select
  end subroutine

  pure integer function larger(a, b)
    integer, intent(in) :: a, b
    larger = max(a, b)
  end function
end program
