! Ends of programs, by their number in the command line.
program ends
  implicit none
  integer, save :: a(4)[*]
  integer, allocatable :: b(:)[:]
  type things
    integer, allocatable :: x(:)
  end type
  type(things), save :: o[*]
  character(8) :: argument
  integer :: which, i

  call get_command_argument(1, argument)
  read (argument, *) which
  a = this_image()
  print '(a, i0)', 'output of image ', this_image()
  sync all
  i = 99
  select case (which)
  case (0)
    stop
  case (1)
    if (this_image() == 1) stop 3
  case (2)
    stop 'a text'
  case (3)
    if (this_image() == 1) error stop 4
    sync all
  case (4)
    if (this_image() == 1) error stop 'a reason'
    sync all
  case (5)
    stop 5, quiet=.true.
  case (10)
    i = a(1)[i]
  case (11)
    a(1)[0*i] = 5
  case (12)
    i = 4000000
    i = a(i)[1]
  case (13)
    sync images ([this_image(), this_image()])
  case (14)
    i = o[1]%x(2)
  case (15)
    if (this_image() == 1) allocate (o%x(3), source=7)
    sync all
    i = 9
    i = o[1]%x(i)
  case (16)
    i = b(1)[1]
  case (17)
    sync images (99)
  end select
  print '(a, i0)', 'survived ', i
end program
