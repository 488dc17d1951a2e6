! Teams: numbers of images, coarrays of all images and of a team, nested teams, synchronisation and reductions in a team.
program teams
  use, intrinsic :: iso_fortran_env, only: team_type
  use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
  implicit none
  interface
    integer(c_int) function communicator(team) bind(C, name='_gfortran_caf_get_communicator')
      import :: c_int, c_ptr
      type(c_ptr), value :: team
    end function
  end interface
  type(team_type) :: parity, half
  integer, save :: a[*]
  integer, allocatable :: b(:)[:]
  integer :: me, n, mine, members, s, expected, i, world, unit
  integer(8) :: clock
  character(60) :: file

  me = this_image()
  n = num_images()
  world = communicator(c_null_ptr)
  a = 10*me
  sync all
  form team (mod(me, 2) + 1, parity)
  change team (parity)
    mine = this_image()
    members = num_images()
    if (mine /= (me + 1)/2) error stop 'this_image in a team'
    if (members /= merge((n + 1)/2, n/2, mod(me, 2) == 1)) error stop 'num_images in a team'
    if (team_number() /= mod(me, 2) + 1) error stop 'team_number'
    ! A coarray of all images, by the numbers of the team.
    do i = 1, members
      if (a[i] /= 10*(2*i - mod(me, 2))) error stop 'coarray of the initial team'
    end do
    ! One for each team, made at the first call.
    s = communicator(c_null_ptr)
    if (s == world) error stop 'communicator of a team'
    if (communicator(c_null_ptr) /= s) error stop 'communicator of a team, asked for again'
    s = me
    call co_sum(s)
    expected = sum([(2*i - mod(me, 2), i=1, members)])
    if (s /= expected) error stop 'co_sum in a team'
    s = me
    call co_broadcast(s, members)
    if (s /= 2*members - mod(me, 2)) error stop 'co_broadcast in a team'
    allocate (b(mod(me, 2) + 3)[*])
    b = 100*me
    sync all
    if (b(2)[members] /= 100*(2*members - mod(me, 2))) error stop 'coarray of a team'
    b(1)[modulo(mine, members) + 1] = mine
    sync images (*)
    if (b(1) /= modulo(mine - 2, members) + 1) error stop 'put in a team'
    sync all
    ! A team of a team, and a coarray of the team before.
    form team (1 + (mine - 1)/2, half)
    change team (half)
      if (num_images() /= min(2, members - 2*((mine - 1)/2))) error stop 'num_images in a nested team'
      if (b(2)[1] /= 100*(2*(2*((mine - 1)/2) + 1) - mod(me, 2))) error stop 'coarray of the team before'
      sync all
    end team
    if (this_image() /= mine) error stop 'end of a nested team'
    sync team (half)
    deallocate (b)
  end team
  if (this_image() /= me .or. num_images() /= n) error stop 'end of a team'
  if (team_number() /= -1) error stop 'number of the initial team'
  sync all
  sync team (parity)
  sync all

  ! A critical construct is one of all images, also where they are in different teams: nobody else has the file.
  if (me == 1) call system_clock(clock)
  call co_broadcast(clock, 1)
  write (file, '(a, i0)') '/tmp/hcube-teams-', clock
  change team (parity)
    do i = 1, 50
      critical
        open (newunit=unit, file=file, status='new', iostat=s)
        if (s /= 0) error stop 'critical in teams'
        close (unit, status='delete')
      end critical
    end do
  end team
  sync all
  if (me == 1) print '(a)', 'teams: passed'
end program
