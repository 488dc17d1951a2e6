! Components that point to memory outside of coarrays, which images of a node read and write by single copy: sections, kinds,
! long and short ones, own puts seen by own gets, and what others see after each image control statement.
program pointers
  use iso_fortran_env
  implicit none
  integer, parameter :: rows = 60, columns = 50, long = 300000
  type inner
    integer, pointer :: q(:)
  end type
  type things
    integer, pointer :: m(:, :)
    real(8), pointer :: v(:)
    character(5), pointer :: t(:)
    type(inner), pointer :: in
  end type
  type record
    integer :: first
    real(8) :: second
  end type
  type(record), target :: records(5)
  type(things), save :: o[*]
  type(event_type), save :: posted[*], taken[*]
  type(lock_type), save :: lock[*]
  integer, target :: m(rows, columns)
  real(8), target :: v(long)
  character(5), target :: t(7)
  integer, target :: q(9)
  type(inner), target :: in
  integer :: got(rows, columns), expected(rows, columns), me, n, to, from, i, j, k
  real(8), allocatable :: w(:)
  character(5) :: text(7)
  integer(2) :: small(rows)
  integer(8) :: big(columns)

  me = this_image()
  n = num_images()
  to = modulo(me, n) + 1
  from = modulo(me - 2, n) + 1
  o%m => m
  o%v => v
  o%t => t
  in%q => q
  o%in => in
  forall (i = 1:rows, j = 1:columns) m(i, j) = 10000*me + 100*i + j
  v = [(1000000d0*me + i, i=1, long)]
  t = 'image'
  q = me
  sync all

  ! Gets: whole, sections, one by one, kinds.
  forall (i = 1:rows, j = 1:columns) expected(i, j) = 10000*to + 100*i + j
  got = o[to]%m
  call check(all(got == expected), 'whole')
  got = 0
  got(3:50:7, 40:2:-3) = o[to]%m(3:50:7, 40:2:-3)
  call check(all(got(3:50:7, 40:2:-3) == expected(3:50:7, 40:2:-3)), 'section')
  got(5, :) = o[to]%m(5, :)
  call check(all(got(5, :) == expected(5, :)), 'row')
  do j = 1, columns
    do i = 1, rows
      got(i, j) = o[to]%m(i, j)
    end do
  end do
  call check(all(got == expected), 'elements')
  big = o[to]%m(2, :)
  call check(all(big == expected(2, :)), 'kinds')
  text = o[to]%t
  call check(all(text == 'image'), 'text')
  w = o[to]%v
  call check(size(w) == long .and. all(w == [(1000000d0*to + i, i=1, long)]), 'long')
  call check(associated(o%m) .and. all(o[to]%in%q == to), 'behind two pointers')
  sync all

  ! Puts: gets of this image see them at once, the other image after the synchronisation.
  forall (i = 1:rows, j = 1:columns) expected(i, j) = 10000*from + 100*i + j
  o[to]%m(7, 3) = -1
  call check(o[to]%m(7, 3) == -1, 'own put')
  got(:, 3) = o[to]%m(:, 3)
  call check(got(7, 3) == -1 .and. got(6, 3) == 10000*to + 603 .and. got(8, 3) == 10000*to + 803, 'beside an own put')
  small = [(int(-i, 2), i=1, rows)]
  o[to]%m(:, 9) = small
  o[to]%m(4, 10:20) = 5
  o[to]%m(:, 30:31) = 6
  o[to]%v(100:200000) = 1.5d0
  o[to]%v(150) = 2.5d0
  w = o[to]%v(99:151)
  call check(w(1) == 1000000d0*to + 99 .and. all(w(2:51) == 1.5d0) .and. w(52) == 2.5d0, 'long put')
  o[to]%t(3) = 'other'
  o[to]%in%q(2) = -me
  sync all
  do i = 1, columns
    do j = 1, rows
      k = 10000*me + 100*j + i
      if (j == 7 .and. i == 3) k = -1
      if (i == 9) k = -j
      if (j == 4 .and. i >= 10 .and. i <= 20) k = 5
      if (i == 30 .or. i == 31) k = 6
      if (m(j, i) /= k) error stop 'puts'
    end do
  end do
  call check(all(v(100:149) == 1.5d0) .and. v(150) == 2.5d0 .and. all(v(151:200000) == 1.5d0), 'long puts')
  call check(v(99) == 1000000d0*me + 99 .and. v(200001) == 1000000d0*me + 200001, 'beside long puts')
  call check(t(3) == 'other' .and. t(2) == 'image' .and. t(4) == 'image', 'text put')
  call check(q(2) == -from .and. q(1) == me, 'put behind two pointers')
  sync all

  ! A pointer to a component of all elements of an array.
  records%first = 10*me
  records%second = [(10*me + i, i=1, 5)]
  o%v => records%second
  sync all
  call check(all(o[to]%v(2:4) == [(10*to + i, i=2, 4)]) .and. o[to]%v(5) == 10*to + 5, 'a component of objects')
  w = o[to]%v
  call check(all(w == [(10*to + i, i=1, 5)]), 'a component of all objects')
  sync all
  o[to]%v(3) = -me
  sync all
  call check(all(records%first == 10*me) .and. records(3)%second == -from, 'puts to a component of objects')
  call check(all(records([1, 2, 4, 5])%second == 10*me + [1, 2, 4, 5]), 'beside a put to a component of objects')
  o%v => v
  sync all

  ! More lines than are kept.
  do k = 1, 3
    do i = 1, long, 500
      o[to]%v(i) = k*i
    end do
    sync all
    call check(all(v(1::500) == [(real(k*i, 8), i=1, long, 500)]), 'far puts')
    sync all
  end do

  ! Changes by another image are visible after an event, in a critical construct, with a lock, after sync images.
  m = 0
  sync all
  do k = 1, 20
    ! Cached data is discarded.
    if (me /= 1 .and. o[1]%m(me, 1) /= k - 1) error stop 'before an event'
    if (me /= 1) then
      o[1]%m(me, 1) = k
      event post (posted[1])
      event wait (taken)
      if (o[1]%m(me, 2) /= k) error stop 'after an event'
    else
      if (n > 1) event wait (posted, until_count=n - 1)
      call check(all(m(2:n, 1) == k), 'event')
      m(2:n, 2) = k
      do i = 2, n
        event post (taken[i])
      end do
    end if
    if (n == 1) exit
    critical
      o[1]%m(50, 50) = o[1]%m(50, 50) + 1
    end critical
    lock (lock[n])
    o[n]%m(50, 49) = o[n]%m(50, 49) + 1
    unlock (lock[n])
  end do
  sync images (*)
  if (n > 1) call check(o[1]%m(50, 50) == 20*n .and. o[n]%m(50, 49) == 20*n, 'sums')
  sync all
  if (me == 1) print '(a)', 'pointers: passed'

contains

  subroutine check(is_so, what)
    logical, intent(in) :: is_so
    character(*), intent(in) :: what
    if (.not. is_so) then
      write (error_unit, *) 'image', me, 'of', n, ': ', what
      error stop 'wrong'
    end if
  end subroutine
end program
