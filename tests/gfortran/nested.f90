! Teams of teams, coarrays that a team allocates, cosubscripts, coarrays as arguments.
program nested
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: outer, inner, again
  integer, save :: a(3)[*], grid(2)[0:1, -1:*]
  integer, allocatable :: b(:)[:], c(:, :)[:, :]
  integer :: me, n, mine, members, i, k, s, lower(2), upper(2), turn

  me = this_image()
  n = num_images()
  a = [me, 10*me, 100*me]
  grid = me
  sync all

  ! Cosubscripts.
  if (any(lcobound(grid) /= [0, -1])) error stop 'lcobound'
  lower = lcobound(grid)
  upper = ucobound(grid)
  if (upper(1) /= 1 .or. upper(2) /= (n + 1)/2 - 2) error stop 'ucobound'
  if (any(this_image(grid) /= [mod(me - 1, 2), (me - 1)/2 - 1])) error stop 'this_image of a coarray'
  if (this_image(grid, 2) /= (me - 1)/2 - 1) error stop 'this_image of a codimension'
  if (image_index(grid, [mod(n - 1, 2), (n - 1)/2 - 1]) /= n) error stop 'image_index'
  if (image_index(grid, [mod(n, 2), n/2 - 1]) /= 0) error stop 'image_index of no image'
  if (grid(2)[mod(n - 1, 2), (n - 1)/2 - 1] /= n) error stop 'two cosubscripts'
  call argument(a, 3)
  call assumed(a)
  sync all

  ! Teams of two levels, several times; the numbers of teams are large.
  do turn = 1, 3
    form team (1000000*(mod(me, 2) + 1), outer)
    change team (outer)
      mine = this_image()
      members = num_images()
      if (team_number() /= 1000000*(mod(me, 2) + 1)) error stop 'number of a team'
      allocate (b(2*turn)[*])
      b = [(me*100 + i, i=1, 2*turn)]
      form team (mod(mine, 2) + 5, inner)
      sync all
      change team (inner)
        allocate (c(2, 3)[2, *])
        c = me
        sync all
        do i = 1, num_images()
          ! The image with this number here: of every second one of every second one.
          k = 2*i - mod(mine, 2)
          s = 2*k - mod(me, 2)
          if (a(2)[i] /= 10*s) error stop 'coarray of all images in an inner team'
          if (b(2*turn)[i] /= 100*s + 2*turn) error stop 'coarray of the outer team in an inner team'
          if (c(2, 3)[mod(i - 1, 2) + 1, (i - 1)/2 + 1] /= s) error stop 'coarray of an inner team'
          if (any(a(:)[i] /= [s, 10*s, 100*s])) error stop 'section in an inner team'
        end do
        s = 1
        call co_sum(s)
        if (s /= num_images()) error stop 'co_sum in an inner team'
        sync images (*)
        b(1)[modulo(this_image(), num_images()) + 1] = -me
        sync all
        ! Freed here; the other inner team has one of its own.
        deallocate (c)
      end team
      k = modulo(mine - 1 - 2, members) + 1
      if (members > 2 .and. mod(members, 2) == 0 .and. b(1) /= -(2*k - mod(me, 2))) error stop 'put in an inner team'
      if (this_image() /= mine .or. num_images() /= members) error stop 'the outer team again'
      sync all
      ! The same team variable gets another team.
      form team (1, inner)
      change team (inner)
        if (num_images() /= members .or. this_image() /= mine) error stop 'a team of all'
      end team
      deallocate (b)
    end team
    if (this_image() /= me .or. num_images() /= n) error stop 'the initial team again'
  end do

  ! A team of each image alone.
  form team (me, again)
  change team (again)
    if (this_image() /= 1 .or. num_images() /= 1) error stop 'a team of one'
    if (a(1)[1] /= me) error stop 'coarray in a team of one'
    a(1)[1] = -me
    sync all
    critical
      a(2) = a(2)[1] + 1
    end critical
    call co_broadcast(a, 1)
  end team
  if (a(1) /= -me .or. a(2) /= 10*me + 1) error stop 'put in a team of one'
  sync all
  ! Images that are not in a team go on while it works.
  if (mod(me, 2) == 1) sync team (outer)
  sync all
  if (me == 1) print '(a)', 'nested: passed'

contains

  ! Explicit shape, with cobounds of its own.
  subroutine argument(x, size)
    integer, intent(in) :: size
    integer, intent(inout) :: x(size)[2:*]
    integer :: next
    next = modulo(this_image(), num_images()) + 1
    if (x(3)[next + 1] /= 100*next) error stop 'get of a dummy argument'
    sync all
    x(2:3)[next + 1] = [7, 8]
    sync all
    if (any(x /= [me, 7, 8])) error stop 'put to a dummy argument'
    if (lcobound(x, 1) /= 2 .or. this_image(x, 1) /= me + 1) error stop 'cobounds of a dummy argument'
    sync all
    x = [me, 10*me, 100*me]
    sync all
  end subroutine

  ! Assumed shape, with bounds of its own, and a part of it.
  subroutine assumed(x)
    integer, contiguous, intent(inout) :: x(0:)[*]
    integer :: next
    next = modulo(this_image(), num_images()) + 1
    if (x(1)[next] /= 10*next) error stop 'get of an assumed shape'
    if (any(x(2:0:-2)[next] /= [100*next, next])) error stop 'section of an assumed shape'
    if (x(ubound(x, 1))[next] /= 100*next) error stop 'last of an assumed shape'
    call argument(x, 3)
    sync all
    call part(x(1:2))
  end subroutine

  subroutine part(x)
    integer, intent(inout) :: x(2)[*]
    integer :: next
    next = modulo(this_image(), num_images()) + 1
    if (any(x(:)[next] /= [10*next, 100*next])) error stop 'part of a coarray as an argument'
  end subroutine
end program
