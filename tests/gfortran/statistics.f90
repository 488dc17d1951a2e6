! Statements whose numbers HCUBE_STATS has to tell; the last image makes them, image 1 gives what they are about.
program statistics
  implicit none
  type pair
    integer, pointer :: p(:)
  end type
  type things
    integer, allocatable :: a(:)
    integer, pointer :: p(:)
    type(pair), pointer :: pair
  end type
  type(things), save :: o[*]
  integer, save :: x(100)[*]
  integer, allocatable :: y(:)[:]
  integer, target :: memory(10)
  type(pair), target :: behind
  integer :: got(100), place(100), sum, i
  real :: chance

  x = this_image()
  memory = 7
  o%p => memory
  behind%p => memory
  o%pair => behind
  allocate (o%a(50))
  allocate (y(1000)[*])
  o%a = this_image()
  sync all
  if (this_image() == num_images()) then
    ! Element by element, and at once.
    do i = 1, 100
      got(i) = x(i)[1]
    end do
    got(:) = x(:)[1]
    do i = 1, 50
      o[1]%a(i) = i
    end do
    ! At random, which no section replaces.
    do i = 1, 100
      call random_number(chance)
      place(i) = 1 + int(100*chance)
      y(place(i))[1] = i
    end do
    ! Memory outside of the coarray, and what lies behind a pointer in it.
    got(1:10) = 0
    got(1:10) = o[1]%p(1:10)
    got(1:3) = o[1]%pair%p(1:3)
    if (any(got(1:10) /= 7) .or. any(got(11:100) /= 1)) error stop 'elements'
  end if
  sync all
  if (this_image() == 1) then
    if (any(o%a /= [(i, i=1, 50)])) error stop 'components'
  end if
  sum = 1
  call co_sum(sum)
  if (sum /= num_images()) error stop 'co_sum'
  if (this_image() == 1) print '(a)', 'statistics: passed'
end program
