! Objects with allocatable components, got as a whole and broadcast: the variable owns the components.
module object_types
  implicit none
  type inner
    real(8), allocatable :: q(:)
    integer :: id = 0
  end type
  type outer
    integer :: n = 0
    integer, allocatable :: v(:)
    type(inner) :: s
    type(inner), allocatable :: list(:, :)
    character(4) :: name = ' '
    integer(8) :: words(3) = 0
  end type
  type scalars
    real(8), allocatable :: f
    integer :: k = 0
    character(:), allocatable :: text
    character(3), allocatable :: names(:)
  end type
  type nested_list
    integer :: i = 0
    integer, allocatable :: j(:)
    type(inner) :: n
    type(inner), allocatable :: list(:)
    complex :: z(2) = 0
    logical, allocatable :: f
  end type
contains
  subroutine check(is_right, what)
    logical, intent(in) :: is_right
    character(*), intent(in) :: what
    character(80) :: text
    if (is_right) return
    write (text, '(a, i0, 2a)') 'image ', this_image(), ': ', what
    error stop text
  end subroutine

  logical function is_of(o, image)
    type(outer), intent(in) :: o
    integer, intent(in) :: image
    is_of = .false.
    if (o%n /= image .or. o%name /= achar(64 + image) .or. any(o%words /= image)) return
    if (.not. (allocated(o%v) .and. allocated(o%s%q) .and. allocated(o%list))) return
    if (size(o%v) /= image + 1 .or. any(shape(o%list) /= [2, image])) return
    if (lbound(o%v, 1) /= -1 .or. any(o%v /= image) .or. any(o%s%q /= 10*image)) return
    if (any(o%list%id /= image) .or. allocated(o%list(1, 1)%q)) return
    if (any(o%list(2, image)%q /= 100*image)) return
    is_of = .true.
  end function

end module

program objects
  use object_types
  implicit none
  type(outer), save :: a[*], b(3)[*]
  type(scalars), save :: c[*]
  type(outer) :: got
  type(outer) :: several(3)
  type(inner), allocatable :: list(:, :)
  type(inner) :: one
  type(scalars) :: d
  integer :: me, images, next, i, k

  me = this_image()
  images = num_images()
  next = mod(me, images) + 1
  allocate (a%v(-1:me - 1), a%s%q(2), a%list(2, me))
  allocate (a%list(2, me)%q(3))
  a%n = me
  a%name = achar(64 + me)
  a%words = me
  a%v = me
  a%s%q = 10*me
  a%list%id = me
  a%list(2, me)%q = 100*me
  do i = 1, 3
    b(i)%n = me + i
    if (i == 2) cycle
    allocate (b(i)%v(i))
    b(i)%v = 10*me + i
  end do
  allocate (c%f, c%names(me))
  c%f = me/2d0
  c%names = 'abc'
  c%k = me
  sync all

  do k = 1, 3
    got = a[next]
    call check(is_of(got, next), 'an object')
    ! It is changed, and neither the other image nor the next get sees that.
    got%v = 999
    got%list(2, next)%q = 999
    got%s%q = 999
    sync all
    call check(is_of(a, me), 'the object of this image')
  end do
  call in_procedure()
  call check(is_of(a, me), 'the object of this image after that of a procedure')
  call check(is_of_argument(a[next], next), 'an argument')

  several = b(:)[next]
  call check(all(several%n == next + [1, 2, 3]), 'objects of an array')
  call check(.not. allocated(several(2)%v), 'a component that is not allocated')
  call check(all(several(3)%v == 10*next + 3) .and. size(several(3)%v) == 3, 'components of objects of an array')
  several(1)%v = 0
  several(3)%v = 0
  sync all
  call check(all(b(3)%v == 10*me + 3), 'objects of an array of this image')

  one = a[next]%s
  call check(all(one%q == 10*next), 'a component that is an object')
  one%q = 0
  list = a[next]%list
  call check(all(list%id == next) .and. all(list(2, next)%q == 100*next), 'a component that is an array of objects')
  list(2, next)%q = 0
  one = a[next]%list(2, next)
  call check(all(one%q == 100*next), 'an element of a component')
  one%q = 0
  sync all
  call check(is_of(a, me), 'the object of this image after those of components')

  d = c[next]
  call check(d%f == next/2d0 .and. d%k == next .and. size(d%names) == next, 'a scalar component')
  call check(all(d%names == 'abc') .and. .not. allocated(d%text), 'text')
  d%f = 0
  d%names = 'x'
  sync all
  call check(c%f == me/2d0 .and. all(c%names == 'abc'), 'the scalar component of this image')

  ! Into a coarray of this image, again and again.
  do k = 1, 3
    sync all
    b(2) = b(1 + 2*mod(k, 2))[next]
    sync all
    i = 1 + 2*mod(k, 2)
    call check(b(2)%n == next + i .and. size(b(2)%v) == i, 'an object in a coarray')
    call check(all(b(2)%v == 10*next + i), 'its component')
    b(2)%v = k
    sync all
    ! Other images find the component there.
    call check(b(2)[next]%v(i) == k, 'its component on another image')
    sync all
    call check(all(b(i)%v == 10*me + i), 'its source')
  end do
  deallocate (b(2)%v)
  call check(.not. allocated(b(2)%v), 'a component that is freed')
  allocate (b(2)%v(2))
  b(2)%v = me
  sync all
  call check(all(b(2)[next]%v(:) == next), 'a component that is allocated again')
  b(1) = b(1)[me]
  call check(all(b(1)%v == 10*me + 1), 'an object that is got from itself')
  sync all
  call broadcasts()
  sync all
  deallocate (a%v, a%list, c%f)
  if (me == 1) print '(a)', 'objects: passed'

contains
  subroutine in_procedure()
    type(outer) :: local
    local = a[next]
    call check(is_of(local, next), 'an object of a procedure')
    local%v = 999
  end subroutine

  logical function is_of_argument(object, image)
    type(outer), intent(in) :: object
    integer, intent(in) :: image
    is_of_argument = is_of(object, image)
  end function

  subroutine broadcasts()
    type(nested_list) :: o
    integer :: i
    allocate (o%j(3), o%n%q(2), o%list(2), o%f)
    allocate (o%list(1)%q(1), o%list(2)%q(4))
    o%i = me
    o%j = me
    o%n%q = me
    o%n%id = me
    o%z = me
    o%f = me == images
    do i = 1, 2
      o%list(i)%q = me + i
      o%list(i)%id = me
    end do
    call co_broadcast(o, images)
    call check(o%i == images .and. all(o%j == images) .and. all(o%n%q == images), 'co_broadcast of components')
    call check(o%n%id == images .and. all(o%z == images) .and. o%f, 'co_broadcast of scalars')
    call check(all(o%list%id == images), 'co_broadcast of objects of a list')
    call check(all(o%list(1)%q == images + 1) .and. all(o%list(2)%q == images + 2), 'co_broadcast of their components')
    o%list(2)%q = me
    o%n%q = me
    sync all
    call check(all(o%list(2)%q == me) .and. all(o%n%q == me), 'components after co_broadcast')
  end subroutine
end program
