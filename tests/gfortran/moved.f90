! Coarrays whose descriptor is another one than at their allocation: move_alloc takes them to another variable, and the first
! variable gets another coarray.
program moved
  implicit none
  type cell
    real, allocatable :: x(:)
    integer :: k(2)
  end type
  type field
    real(8), allocatable :: v(:)[:]
    type(cell), allocatable :: w(:)[:]
  end type
  type(cell), allocatable :: a(:, :)[:], b(:, :)[:]
  integer, allocatable :: c(:)[:], d(:)[:]
  type(field) :: f
  integer :: me, n, to, round, i

  me = this_image()
  n = num_images()
  to = modulo(me, n) + 1
  do round = 1, 3
    call grow(a, [0, -2], [2, round])
    call grow(b, [1, 5], [round + 3, 6])
    sync all
    call check(a)
    call check(b)
    sync all
    a(1, -1)[to]%k(2) = -me
    b(2, 6)[to]%x(2) = me
    sync all
    i = modulo(me - 2, n) + 1
    if (a(1, -1)%k(2) /= -i .or. b(2, 6)%x(2) /= i) error stop 'puts'
    do i = 1, 2
      call clear(a)
      call clear(b)
    end do
  end do

  allocate (c(-1:3)[*])
  c = [(100*me + i, i=-1, 3)]
  call move_alloc(c, d)
  allocate (c(10)[*])
  c = -me
  sync all
  if (any(d(0:2)[to] /= [(100*to + i, i=0, 2)]) .or. d(3)[to] /= 100*to + 3) error stop 'a moved array'
  if (any(c(:)[to] /= -to)) error stop 'an array in the place of a moved one'
  sync all
  deallocate (c, d)

  ! gfortran 12 names the coarray where it allocates components of a coarray that is a component itself.
  allocate (f%v(3)[*])
  f%v = me
  allocate (f%w(3)[*])
  allocate (f%w(2)%x(2))
  f%w(2)%x = me
  f%w(2)%k = 7*me
  sync all
  if (f%v(2)[to] /= to .or. f%w(2)[to]%k(1) /= 7*to .or. any(f%w(2)%x /= me)) error stop 'a coarray as a component'
  sync all
  if (me == 1) print '(a)', 'moved: passed'

contains

  subroutine grow(all, low, high)
    type(cell), allocatable, intent(inout) :: all(:, :)[:]
    integer, intent(in) :: low(2), high(2)
    type(cell), allocatable :: new(:, :)[:]
    integer :: i, j
    allocate (new(low(1):high(1), low(2):high(2))[*])
    do j = low(2), high(2)
      do i = low(1), high(1)
        allocate (new(i, j)%x(2))
        new(i, j)%x = 1000*me + 10*i + j
        new(i, j)%k = 1000*me + 10*i + j
      end do
    end do
    call move_alloc(new, all)
  end subroutine

  subroutine check(all)
    type(cell), allocatable, intent(in) :: all(:, :)[:]
    integer :: i, j, expected
    do j = lbound(all, 2), ubound(all, 2)
      do i = lbound(all, 1), ubound(all, 1)
        expected = 1000*to + 10*i + j
        if (all(i, j)[to]%x(1) /= expected .or. any(all(i, j)[to]%k /= expected)) error stop 'moved objects'
      end do
    end do
  end subroutine

  subroutine clear(all)
    type(cell), allocatable, intent(inout) :: all(:, :)[:]
    integer :: i, j
    if (.not. allocated(all)) return
    do j = lbound(all, 2), ubound(all, 2)
      do i = lbound(all, 1), ubound(all, 1)
        deallocate (all(i, j)%x)
      end do
    end do
    deallocate (all)
  end subroutine
end program
