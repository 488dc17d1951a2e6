! Components of coarrays of derived types: allocatable ones, pointers, nested ones, arrays without descriptors.
program components
  implicit none
  type inner
    real, allocatable :: q(:)
  end type
  type things
    integer :: k
    integer :: m(3, 4)
    integer, allocatable :: a(:, :)
    integer, allocatable :: s
    real(8), pointer :: p(:)
    type(inner) :: in
  end type
  type parts
    integer :: k
    type(inner) :: in
  end type
  type pair
    real :: first, second
  end type
  type large_pair
    real(8) :: first, second
  end type
  type(pair), allocatable :: pairs(:)
  type(large_pair), allocatable :: large(:)
  real, save :: few(40)[*]
  real(8), save :: many(40)[*]
  type(things), save :: o[*]
  type(parts), allocatable :: oo(:)[:]
  integer, allocatable :: got(:, :)
  integer :: me, n, to, i, j, x3(3), x4(4), z(2, 2)
  real :: q(5)
  real(8) :: p(6)
  real(8), target :: memory(6)

  me = this_image()
  n = num_images()
  to = modulo(me, n) + 1
  allocate (oo(3)[*])
  o%k = 10*me
  do j = 1, 4
    do i = 1, 3
      o%m(i, j) = 1000*me + 10*i + j
    end do
  end do
  allocate (o%a(3, 4))
  o%a = o%m
  ! Different sizes on each image.
  allocate (o%in%q(me + 4))
  o%in%q = [(me + i/10.0, i=1, me + 4)]
  if (mod(me, 2) == 0) allocate (o%s, source=77*me)
  memory = [(me*100.0d0 + i, i=1, 6)]
  o%p => memory
  do i = 1, 3
    allocate (oo(i)%in%q(2*i))
    oo(i)%in%q = me + i
    oo(i)%k = i*me
  end do
  sync all

  if (o[to]%k /= 10*to) error stop 'component'
  if (oo(2)[to]%k /= 2*to) error stop 'component of an element'
  x3 = o[to]%m(:, 2)
  if (any(x3 /= [(1000*to + 10*i + 2, i=1, 3)])) error stop 'column of an array without descriptor'
  x4 = o[to]%m(3, :)
  if (any(x4 /= [(1000*to + 30 + j, j=1, 4)])) error stop 'row of an array without descriptor'
  z = o[to]%m(1:3:2, 2:4:2)
  if (any(z /= reshape([12, 32, 14, 34] + 1000*to, [2, 2]))) error stop 'section of an array without descriptor'
  x4 = o[to]%a(2, :)
  if (any(x4 /= [(1000*to + 20 + j, j=1, 4)])) error stop 'row of a component'
  got = o[to]%a
  if (any(shape(got) /= [3, 4])) error stop 'shape of a component'
  if (any(got /= o%m + 1000*(to - me))) error stop 'component as a whole'
  q = o[to]%in%q(1:5)
  if (any(q /= [(to + i/10.0, i=1, 5)])) error stop 'component of a component'
  if (allocated(o[to]%s) .neqv. mod(to, 2) == 0) error stop 'allocated'
  if (mod(to, 2) == 0) then
    i = o[to]%s
    if (i /= 77*to) error stop 'scalar component'
  end if
  q(1:4) = oo(2)[to]%in%q
  if (any(q(1:4) /= to + 2)) error stop 'component of an element of a coarray'
  p = o[to]%p
  if (any(p /= [(to*100.0d0 + i, i=1, 6)])) error stop 'pointer'
  if (o[to]%p(4) /= to*100.0d0 + 4) error stop 'element of a pointer'
  sync all

  o[to]%k = -me
  o[to]%a(:, 3) = [1, 2, 3]*me
  o[to]%a(2, 1) = 5
  o[to]%m(2:3, 4) = [8, 9]
  o[to]%p(2:5:3) = [2.5d0, 5.5d0]
  oo(3)[to]%in%q(2:4) = [7.0, 8.0, 9.0]
  o[to]%in%q = 3.5
  sync all
  i = modulo(me - 2, n) + 1
  if (o%k /= -i) error stop 'put to a component'
  if (any(o%a(:, 3) /= [1, 2, 3]*i) .or. o%a(2, 1) /= 5) error stop 'put to an allocatable component'
  if (any(o%m(:, 4) /= [1000*me + 14, 8, 9])) error stop 'put to an array without descriptor'
  if (any(memory /= [me*100.0d0 + 1, 2.5d0, me*100.0d0 + 3, me*100.0d0 + 4, 5.5d0, me*100.0d0 + 6])) error stop 'put to a pointer'
  if (any(oo(3)%in%q(2:4) /= [7, 8, 9]) .or. oo(3)%in%q(1) /= me + 3) error stop 'put to a nested component'
  if (any(o%in%q /= 3.5)) error stop 'put to a whole component'
  sync all

  ! A section with a stride is no whole component, and stays so.
  o[to]%in%q(::2) = [(me + i/10.0, i=1, (to + 5)/2)]
  sync all
  i = modulo(me - 2, n) + 1
  if (size(o%in%q) /= me + 4) error stop 'shape after a put with a stride'
  if (any(o%in%q(1::2) /= [(i + j/10.0, j=1, (me + 5)/2)])) error stop 'put with a stride'
  if (any(o%in%q(2::2) /= 3.5)) error stop 'elements between those of a put with a stride'
  sync all
  ! Of more elements than there is place for, the first ones are taken.
  o[to]%in%q(2:3) = [(real(i), i=1, n + 2)]
  i = 3
  q(1:2) = o[to]%m(1:i, 2)
  sync all
  if (any(o%in%q(2:3) /= [1, 2])) error stop 'put of too many elements to a component'
  if (any(q(1:2) /= [1000*to + 12, 1000*to + 22])) error stop 'get of too many elements of a component'
  sync all

  ! An assignment from another image allocates and reallocates.
  if (allocated(o%s)) deallocate (o%s)
  deallocate (o%a)
  allocate (o%a(1, 1))
  sync all
  o[to]%s = 5*me
  o[to]%a = reshape([(i + me, i=1, 6)], [2, 3])
  sync all
  i = modulo(me - 2, n) + 1
  if (.not. allocated(o%s)) error stop 'allocation by another image'
  if (o%s /= 5*i) error stop 'value of a component that another image has allocated'
  if (any(shape(o%a) /= [2, 3])) error stop 'shape that another image has given'
  if (o%a(2, 3) /= 6 + i) error stop 'elements of a component that another image has reallocated'
  sync all
  o[to]%in%q(1:3) = o[me]%in%q(2:4)
  sync all

  ! The first component of an array of this image only: with few elements, its memory could also hold packed elements,
  ! and is taken for packed elements in a block of 24 bytes (2 or 3 pairs).
  do i = 1, 40
    allocate (pairs(i), large(i))
    do j = 1, i
      pairs(j)%first = real(j)
      pairs(j)%second = -1.0
      large(j)%first = real(2*j, 8)
      large(j)%second = -1.0
    end do
    if (i > 3) few(1:i)[to] = pairs%first
    many(1:i)[to] = large%first
    if (i > 3) then
      if (any(few(1:i)[to] /= [(real(j), j=1, i)])) error stop 'put of a component of objects'
    end if
    if (any(many(1:i)[to] /= [(real(2*j, 8), j=1, i)])) error stop 'put of a component of larger objects'
    if (i > 3) then
      pairs%first = many(1:i)[to]
      if (any(pairs%first /= [(real(2*j), j=1, i)])) error stop 'get into a component of objects'
      if (any(pairs%second /= -1.0)) error stop 'beside a get into a component of objects'
    end if
    deallocate (pairs, large)
  end do
  sync all
  deallocate (o%a, o%s, oo)
  if (me == 1) print '(a)', 'components: passed'
end program
