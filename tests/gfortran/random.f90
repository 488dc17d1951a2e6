! random_init: repeatable or not, the same on all images or different.
program random
  implicit none
  real(8), save :: x[*]
  real(8) :: again
  integer :: me, n, i

  me = this_image()
  n = num_images()
  call random_init(.false., .false.)
  call random_number(x)
  sync all
  if (x[1] /= x) error stop 'the same on all images'
  sync all
  call random_init(.true., .true.)
  call random_number(x)
  call random_init(.true., .true.)
  call random_number(again)
  if (again /= x) error stop 'repeatable'
  sync all
  do i = 1, n
    if (i /= me .and. x[i] == x) error stop 'different on each image'
  end do
  sync all
  call random_init(.true., .false.)
  call random_number(x)
  sync all
  if (x[1] /= x) error stop 'repeatable, and the same on all images'
  sync all
  ! It is not collective.
  if (me == 1) then
    call random_init(.false., .false.)
    call random_number(x)
    call random_init(.false., .false.)
    call random_number(again)
    if (x == again) error stop 'another seed'
  end if
  sync all
  if (me == 1) print '(a)', 'random: passed'
end program
