! Images end one by one: the last one reads what the others have, and learns that they have stopped.
program stopped
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, save :: a(1000)[*]
  integer, allocatable :: gone(:)
  type(event_type), save :: done[*]
  type(lock_type), save :: held(8)[*]
  integer :: me, n, stat, i

  me = this_image()
  n = num_images()
  a = 10*me
  ! Locks that are never released.
  if (me > 1) lock (held(me)[1])
  sync all
  if (me /= 1) then
    event post (done[1])
    stop
  end if
  if (n > 1) then
    event wait (done, until_count=n - 1)
  end if
  if (n > 1) then
    do
      sync all (stat=stat)
      if (stat == stat_stopped_image) exit
      if (stat /= 0) error stop 'stat of sync all'
    end do
    do
      gone = stopped_images()
      if (size(gone) == n - 1) exit
    end do
    if (any(gone /= [(i, i=2, n)])) error stop 'stopped_images'
    if (image_status(2) /= stat_stopped_image) error stop 'image_status'
    do i = 2, n
      if (any(a(:)[i] /= 10*i)) error stop 'coarray of an image that has stopped'
      lock (held(i), stat=stat)
      if (stat /= stat_stopped_image) error stop 'a lock of an image that has stopped'
    end do
  end if
  print '(a)', 'stopped: passed'
end program
