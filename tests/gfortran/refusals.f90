! Statements with wrong arguments, by their number in the command line. Each ends all images.
program refusals
  use, intrinsic :: iso_fortran_env
  implicit none
  type things
    integer, allocatable :: x(:)
    integer, pointer :: p(:)
    integer :: m(3)
  end type
  type pair
    integer :: k
    real :: r
  end type
  integer, save :: a(4)[*]
  integer, allocatable :: b(:)[:], c(:, :)[:]
  type(things), save :: o[*]
  type(lock_type), save :: mutex[*], several(3)[*]
  type(event_type), save :: events(2)[*]
  type(team_type) :: team, other
  integer(atomic_int_kind), save :: counter(2)[*]
  type(pair) :: one
  character(8) :: argument
  integer :: which, i, x(5), zero
  integer, allocatable :: y(:)

  call get_command_argument(1, argument)
  read (argument, *) which
  a = this_image()
  nullify (o%p)
  ! Errors that the compiler cannot detect.
  zero = num_images()/1000
  sync all
  select case (which)
  case (1)
    x(1) = a(2)[zero - 1]
  case (2)
    x(1:2) = a(zero:1)[2]
  case (3)
    a(3:6 + zero)[2] = 5
  case (4)
    allocate (c(2:3, -1:4)[*])
    x(1:2) = c(2:3, 5 + zero)[2]
  case (5)
    x([1, 2]) = a([1, 9 + zero])[2]
  case (6)
    x(1:4) = a(1:3 + zero)[2]
  case (7)
    a(:)[2] = x(1:3 + zero)
  case (8)
    x = 1 + a([1, 2, 3, 4, 1])[2]
  case (9)
    x(1) = o[2]%p(1)
  case (10)
    x(1) = o[2]%m(4000000 + zero)
  case (11)
    y = o[2]%x
  case (12)
    allocate (o%x(2))
    sync all
    o[2]%x(3 + zero) = 4
  case (13)
    unlock (mutex[1])
  case (14)
    if (this_image() == 1) lock (mutex[1])
    sync all
    if (this_image() == 2) unlock (mutex[1])
    sync all
  case (15)
    lock (mutex[this_image()])
    lock (mutex[this_image()])
  case (16)
    lock (several(4 + zero)[1])
  case (17)
    event post (events(3 + zero)[1])
  case (18)
    event post (events(1)[7 + zero])
  case (19)
    event wait (events(3 + zero))
  case (20)
    if (this_image() == 1) stop
    event wait (events(1))
  case (21)
    call co_sum(x, result_image=9 + zero)
  case (22)
    call co_broadcast(x, source_image=zero)
  case (23)
    call co_broadcast(x(1:this_image()), source_image=1)
  case (24)
    call co_reduce(one, first)
  case (25)
    call atomic_add(counter(3 + zero)[1], 1)
  case (26)
    call atomic_ref(i, counter(1)[5 + zero])
  case (27)
    change team (team)
    end team
  case (28)
    sync team (other)
  case (29)
    form team (zero - 3, team)
  case (30)
    form team (this_image(), team)
    change team (team)
    x(1) = a(1)[2 + zero]
    end team
  case (31)
    form team (this_image(), team)
    change team (team)
    allocate (b(3)[*])
    end team
    i = b(1)[3 - this_image()]
  case (32)
    sync images (zero - 1)
  case (33)
    i = image_status(77 + zero)
  end select
  print '(a, i0)', 'survived ', which

contains

  pure type(pair) function first(a, b)
    type(pair), intent(in) :: a, b
    first = a
    first%r = b%r
  end function
end program
