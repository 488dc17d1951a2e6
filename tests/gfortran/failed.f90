! An image fails; the others learn it, and go on with events, locks, gets and sync images among themselves.
program failed
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, save :: a[*]
  type(event_type), save :: ready[*]
  type(lock_type), save :: mutex[*]
  integer, save :: total[*]
  integer, allocatable :: gone(:)
  integer :: me, n, stat, i, next, last
  character(80) :: message

  me = this_image()
  n = num_images()
  if (n < 3) error stop 'at least 3 images'
  last = n - 1
  a = 10*me
  total = 0
  sync all
  if (me == n) fail image
  sync all (stat=stat, errmsg=message)
  if (stat /= stat_failed_image) error stop 'stat of sync all'
  if (len_trim(message) == 0) error stop 'errmsg of sync all'
  gone = failed_images()
  if (size(gone) /= 1) error stop 'number of failed images'
  if (gone(1) /= n) error stop 'failed_images'
  if (any(failed_images(kind=1) /= n)) error stop 'failed_images of one byte'
  if (any(failed_images(kind=16) /= n)) error stop 'failed_images of 16 bytes'
  if (size(stopped_images()) /= 0) error stop 'stopped_images'
  if (image_status(n) /= stat_failed_image) error stop 'image_status'
  if (image_status(me) /= 0) error stop 'own image_status'
  if (num_images(failed=.true.) /= 1 .or. num_images(failed=.false.) /= last) error stop 'num_images'
  sync images (n, stat=stat)
  if (stat /= stat_failed_image) error stop 'stat of sync images'

  next = modulo(me, last) + 1
  if (a[next] /= 10*next) error stop 'get from a living image'
  do i = 1, 20
    event post (ready[next])
    event wait (ready)
    lock (mutex[1])
    total[1] = total[1] + 1
    unlock (mutex[1])
  end do
  sync images ([(i, i=1, last)], stat=stat)
  if (stat /= 0) error stop 'sync images of living images'
  if (total[1] /= 20*last) error stop 'lock of living images'
  sync images ([(i, i=1, last)])
  if (me == 1) print '(a)', 'failed: passed'
end program
