! Collective subroutines of all types and kinds, with user functions, results on one image, sections and components.
program reductions
  use, intrinsic :: iso_fortran_env
  implicit none
  type things
    integer :: k
    real(8) :: x(3)
    integer, allocatable :: a(:)
  end type
  type pair
    integer :: key
    real(8) :: value
    character(3) :: name
  end type
  integer, parameter :: wide = selected_int_kind(38), extended = 10
  integer :: me, n, i, k, total, stat
  integer(1) :: i1
  integer(2) :: i2(3)
  integer(wide) :: i16
  real(extended) :: x10(4)
  complex(4) :: z4
  complex(extended) :: z10
  character(5) :: text(3)
  character(kind=4, len=3) :: long
  character(40) :: message
  integer, allocatable :: a(:, :)
  type(things), target :: o(4)
  integer, pointer :: keys(:)
  type(pair) :: best, all(2)
  logical(1) :: l1

  me = this_image()
  n = num_images()
  total = n*(n + 1)/2

  i1 = int(me - 3, 1)
  call co_min(i1)
  if (i1 /= -2) error stop 'co_min of integer(1)'
  i2 = [me, -me, 0]
  call co_max(i2, result_image=n, stat=stat)
  if (stat /= 0) error stop 'stat of co_max'
  if (me == n .and. any(i2 /= [n, -1, 0])) error stop 'co_max of integer(2)'
  i16 = 2_wide**100 + me
  call co_sum(i16)
  if (i16 /= n*2_wide**100 + total) error stop 'co_sum of integer(16)'
  i16 = -(2_wide**90)*me
  call co_min(i16)
  if (i16 /= -(2_wide**90)*n) error stop 'co_min of integer(16)'

  ! Exact in the wider kind only.
  x10 = me + 2.0_extended**(-55)
  call co_sum(x10)
  if (any(x10 /= total + n*2.0_extended**(-55))) error stop 'co_sum of real(10)'
  x10 = [me, -me, 2*me, 0]
  call co_max(x10(1:4:3))
  if (any(x10 /= [n, -me, 2*me, 0])) error stop 'co_max of a section of real(10)'
  z10 = cmplx(me, -me, extended)
  call co_sum(z10)
  if (z10 /= cmplx(total, -total, extended)) error stop 'co_sum of complex(10)'
  z4 = cmplx(me, 0.5)
  call co_sum(z4, 1)
  if (me == 1 .and. z4 /= cmplx(total, 0.5*n)) error stop 'co_sum of complex(4)'


  text = [character(5) :: achar(96 + me)//'x', 'zz'//achar(96 + me), 'same']
  call co_max(text)
  if (any(text /= [character(5) :: achar(96 + n)//'x', 'zz'//achar(96 + n), 'same'])) error stop 'co_max of text'
  text(1) = achar(96 + me)
  call co_min(text(1), result_image=1)
  if (me == 1 .and. text(1) /= 'a') error stop 'co_min of text'
  long = char(1000 + me, 4)
  call co_min(long)
  if (long /= char(1001, 4)) error stop 'co_min of character(kind=4)'

  ! Sections of two dimensions, with result on each image in turn.
  allocate (a(6, 5))
  do k = 1, n
    a = me
    call co_sum(a(2:6:2, 5:1:-2), result_image=k)
    if (me == k) then
      if (sum(a(2:6:2, 1:5:2)) /= 9*total .or. sum(a) /= 9*total + 21*me) error stop 'co_sum of a section'
    end if
    if (any(a(1:5:2, :) /= me) .or. any(a(:, 2:4:2) /= me)) error stop 'elements outside of a section'
  end do
  call co_sum(a(:, 3:2), stat=stat)
  if (stat /= 0) error stop 'co_sum of nothing'

  ! Derived types.
  do k = 1, n
    do i = 1, 4
      o(i)%k = 100*me + i
      o(i)%x = me + 0.25d0*i
    end do
    call co_broadcast(o(3)%k, k)
    if (any(o%k /= 100*[me, me, k, me] + [1, 2, 3, 4])) error stop 'co_broadcast of a component'
    if (any(o(3)%x /= me + 0.75d0)) error stop 'components beside it'
    call co_sum(o(2)%x(1:3:2))
    if (any(abs(o(2)%x - [total + 0.5d0*n, me + 0.5d0, total + 0.5d0*n]) > 1d-9)) error stop 'co_sum of a component'
    best = pair(me, me/2d0, achar(96 + me))
    call co_broadcast(best, source_image=k, stat=stat, errmsg=message)
    if (stat /= 0 .or. best%key /= k .or. best%value /= k/2d0 .or. best%name /= achar(96 + k)) error stop 'co_broadcast of a type'
  end do

  ! Allocatable components have to be allocated alike.
  do i = 1, 4
    allocate (o(i)%a(2*i), source=me)
  end do
  o%k = me
  call co_broadcast(o(2), n)
  if (any(o%k /= [me, n, me, me]) .or. any(o(2)%a /= n) .or. any(o(1)%a /= me)) error stop 'allocatable component'
  do i = 1, 4
    o(i)%k = me + i
  end do
  keys => o%k
  call co_sum(keys)
  if (any(o%k /= total + n*[1, 2, 3, 4])) error stop 'pointer to components'
  keys = me
  call co_broadcast(keys, n)
  if (any(o%k /= n)) error stop 'broadcast to a pointer to components'

  best = pair(mod(3*me, 7), me*1d0, 'abc')
  call co_reduce(best, larger)
  k = maxval([(mod(3*i, 7), i=1, n)])
  if (best%key /= k .or. best%name /= 'abc') error stop 'co_reduce of a derived type'
  all = [pair(me, 0d0, 'x'), pair(-me, 1d0, 'y')]
  call co_reduce(all, larger, result_image=n)
  if (me == n .and. any(all%key /= [n, -1])) error stop 'co_reduce of an array of a derived type'

  text = achar(96 + me)
  call co_reduce(text, joined)
  if (n < 6 .and. any(text /= 'abcde'(1:min(n, 5)))) error stop 'co_reduce of text'
  i1 = int(me, 1)
  call co_reduce(i1, sum_by_value)
  if (i1 /= total) error stop 'co_reduce of integer(1) by value'
  l1 = me == n
  call co_reduce(l1, either)
  if (.not. l1) error stop 'co_reduce of logical(1)'
  z10 = (1, 1)
  call co_reduce(z10, product_of_10)
  if (abs(z10 - (1.0_extended, 1.0_extended)**n) > 1e-12) error stop 'co_reduce of complex(10)'
  a = me
  call co_reduce(a(::2, ::2), smaller)
  if (any(a(::2, ::2) /= 1) .or. any(a(2::2, :) /= me)) error stop 'co_reduce of a section'
  if (me == 1) print '(a)', 'reductions: passed'

contains

  pure type(pair) function larger(a, b)
    type(pair), intent(in) :: a, b
    larger = a
    if (b%key > a%key) larger = b
  end function

  pure function joined(a, b)
    character(5), intent(in) :: a, b
    character(5) :: joined
    joined = trim(a)//b
  end function

  pure integer(1) function sum_by_value(a, b)
    integer(1), value :: a, b
    sum_by_value = a + b
  end function

  pure logical(1) function either(a, b)
    logical(1), intent(in) :: a, b
    either = a .or. b
  end function

  pure complex(10) function product_of_10(a, b)
    complex(10), intent(in) :: a, b
    product_of_10 = a*b
  end function

  pure integer function smaller(a, b)
    integer, intent(in) :: a, b
    smaller = min(a, b)
  end function
end program
