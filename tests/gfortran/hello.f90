! Static coarrays, which are registered before main; gets, puts and synchronisation.
program hello
  implicit none
  integer, save :: number[*]
  integer, save :: all(10)[*]
  integer, save :: initial(3)[*] = [7, 8, 9]
  integer :: me, n, left, right, i
  me = this_image()
  n = num_images()
  left = modulo(me - 2, n) + 1
  right = modulo(me, n) + 1
  ! Without a synchronisation: initial values are there when the program begins.
  do i = 1, n
    if (any(initial(:)[i] /= [7, 8, 9])) error stop 'initial value'
  end do
  number = 100*me
  all = 0
  sync all
  if (number[left] /= 100*left) error stop 'get'
  all(3)[right] = me
  do i = 1, n
    if (me == i) all(5)[1] = all(5)[1] + me
    sync all
  end do
  if (all(3) /= left) error stop 'put'
  if (all(5)[1] /= n*(n + 1)/2) error stop 'get and put'
  sync all
  if (me == 1) print '(a)', 'hello: passed'
end program
