! Collective subroutines, with results on all images and on one, of several types, contiguous and not.
program collectives
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: large = 40000
  integer :: me, n, i, k, stat
  integer :: s, v(7), m(4, 5)
  integer(int8) :: tiny
  integer(int64) :: wide(3)
  real :: r
  real(real64), allocatable :: x(:)
  real(selected_real_kind(18)) :: extended
  complex(real64) :: z(2)
  character(4) :: t
  character(60) :: message
  logical :: l

  me = this_image()
  n = num_images()

  s = me
  call co_sum(s)
  if (s /= n*(n + 1)/2) error stop 'co_sum'
  do k = 1, n
    s = me
    call co_sum(s, result_image=k, stat=stat, errmsg=message)
    if (stat /= 0) error stop 'stat of co_sum'
    if (me == k .and. s /= n*(n + 1)/2) error stop 'co_sum on an image'
    v = me*[1, 2, 3, 4, 5, 6, 7]
    call co_max(v(2:6:2), k)
    if (me == k .and. any(v /= [me, 2*n, 3*me, 4*n, 5*me, 6*n, 7*me])) error stop 'co_max of a section'
    s = merge(42, 0, me == k)
    call co_broadcast(s, k)
    if (s /= 42) error stop 'co_broadcast'
    m = 0
    if (me == k) m = reshape([(i, i=1, 20)], [4, 5])
    call co_broadcast(m(2:3, 1:5:2), source_image=k)
    if (any(m(2:3, 3) /= [10, 11])) error stop 'co_broadcast of a section'
    t = merge('yes ', 'no  ', me == k)
    call co_broadcast(t, k)
    if (t /= 'yes') error stop 'co_broadcast of text'
  end do
  tiny = int(me, int8)
  call co_min(tiny)
  if (tiny /= 1) error stop 'co_min of integer(1)'
  wide = [1_int64, -1_int64, 10_int64**12]*me
  call co_sum(wide)
  if (any(wide /= [1_int64, -1_int64, 10_int64**12]*(n*(n + 1)/2))) error stop 'co_sum of integer(8)'
  r = 0.5*me
  call co_max(r)
  if (r /= 0.5*n) error stop 'co_max of real'
  extended = me
  call co_sum(extended)
  if (extended /= n*(n + 1)/2) error stop 'co_sum of real(10)'
  z = [(1d0, 2d0), (0d0, -1d0)]*me
  call co_sum(z)
  if (any(z /= [(1d0, 2d0), (0d0, -1d0)]*(n*(n + 1)/2))) error stop 'co_sum of complex'
  t = char(iachar('a') + me)//'xyz'
  call co_min(t)
  if (t /= 'bxyz') error stop 'co_min of text'
  allocate (x(large))
  x = [(me*i*1d0, i=1, large)]
  call co_sum(x)
  if (any(x /= [(i*1d0, i=1, large)]*(n*(n + 1)/2))) error stop 'co_sum of many'
  x = me
  call co_sum(x(1:large:3))
  if (any(x(1:large:3) /= n*(n + 1)/2) .or. any(x(2:large:3) /= me)) error stop 'co_sum of a large section'

  s = me + 1
  call co_reduce(s, product_of)
  k = 1
  do i = 1, n
    k = k*(i + 1)
  end do
  if (s /= k) error stop 'co_reduce'
  r = me
  call co_reduce(r, last)
  if (r /= n) error stop 'order of co_reduce'
  l = me /= 2
  call co_reduce(l, both)
  if (l .neqv. n < 2) error stop 'co_reduce of logical'
  v = me
  call co_reduce(v, by_value, result_image=1)
  if (me == 1 .and. any(v /= n*(n + 1)/2)) error stop 'co_reduce by value'
  if (me == 1) print '(a)', 'collectives: passed'

contains

  pure integer function product_of(a, b)
    integer, intent(in) :: a, b
    product_of = a*b
  end function

  pure integer function by_value(a, b)
    integer, value :: a, b
    by_value = a + b
  end function

  ! Associative, and not commutative.
  pure real function last(a, b)
    real, intent(in) :: a, b
    last = b + 0*a
  end function

  pure logical function both(a, b)
    logical, intent(in) :: a, b
    both = a .and. b
  end function
end program
