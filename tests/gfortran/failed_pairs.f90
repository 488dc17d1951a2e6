! An image fails while the others put to each other and synchronise in pairs: each of them comes through and has the data.
program failed_pairs
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: elements = 4000
  integer, allocatable :: box(:, :)[:]
  integer :: me, n, stat, i

  me = this_image()
  n = num_images()
  if (n < 3) error stop 'at least 3 images'
  allocate (box(elements, n)[*])
  box = 0
  sync all
  if (me == n) fail image
  do i = 1, n - 1
    box(:, me)[i] = me
  end do
  ! The failure may become known anywhere in here, and ends no other pair.
  sync images (*, stat=stat)
  if (stat /= stat_failed_image) error stop 'stat of sync images'
  do i = 1, n - 1
    if (any(box(:, i) /= i)) error stop 'put before sync images'
  end do
  if (me == 1) print '(a)', 'failed_pairs: passed'
end program
