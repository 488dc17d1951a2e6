! Places where a reference to another image, stop or error stop may stand, by their number in the command line: image 1 meets an
! error there, or ends. The second argument is the name of a file in which it has written a line before.
module places_of_references
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, save :: a(4)[*]
  integer :: wrong = 99
  character(8) :: how = 'get'
  type thing
    integer :: value = 0
  contains
    procedure :: print_thing
    procedure :: read_thing
    generic :: write (formatted) => print_thing
    generic :: read (formatted) => read_thing
  end type
  type final_thing
    integer :: value = 0
  contains
    final :: finish_thing
  end type
contains
  ! Ends the program in the way that was selected.
  integer function end_here(i)
    integer, intent(in) :: i
    end_here = i
    select case (how)
    case ('get')
      end_here = a(i)[wrong]
    case ('put')
      a(i)[wrong] = i
    case ('sync')
      sync images (wrong)
    case ('stop')
      stop 3
    case ('error')
      error stop 4
    case ('text')
      error stop 'a reason'
    case ('fail')
      fail image
    end select
  end function

  subroutine print_thing(dtv, unit, iotype, v_list, iostat, iomsg)
    class(thing), intent(in) :: dtv
    integer, intent(in) :: unit, v_list(:)
    character(*), intent(in) :: iotype
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write (unit, '(a)', iostat=iostat, iomsg=iomsg) 'a thing '
    write (unit, '(i0)', iostat=iostat, iomsg=iomsg) dtv%value + end_here(1)
  end subroutine

  subroutine read_thing(dtv, unit, iotype, v_list, iostat, iomsg)
    class(thing), intent(inout) :: dtv
    integer, intent(in) :: unit, v_list(:)
    character(*), intent(in) :: iotype
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    iostat = 0
    dtv%value = end_here(1)
  end subroutine

  subroutine finish_thing(object)
    type(final_thing), intent(inout) :: object
    object%value = end_here(1)
  end subroutine

  subroutine has_local_thing()
    type(final_thing) :: object
    object%value = 1
  end subroutine

  integer pure function combine(one, other)
    integer, intent(in) :: one, other
    combine = one + other + a(1)[wrong]
  end function

  integer pure function combine_or_stop(one, other)
    integer, intent(in) :: one, other
    combine_or_stop = one + other
    if (wrong == 99) error stop 4
  end function

  subroutine handle()
    integer :: i
    i = end_here(1)
  end subroutine

  ! A signal arrives while a unit is locked.
  integer function raised(i)
    integer, intent(in) :: i
    interface
      integer(c_int) function raise(number) bind(c)
        import :: c_int
        integer(c_int), value :: number
      end function
    end interface
    raised = i + raise(10_c_int)
  end function

  integer function prints(i)
    integer, intent(in) :: i
    write (20, *) 'another unit', end_here(i)
    prints = i
  end function
end module

program places
  use, intrinsic :: iso_fortran_env, only: lock_type
  use places_of_references
  implicit none
  type(lock_type), save :: key[*]
  type(thing) :: object
  type(final_thing), allocatable :: allocated_object
  character(8) :: argument
  character(256) :: file
  character(80) :: text
  integer :: which, i, unit, scratch, length
  integer :: values(2) = [1, 2]
  namelist /names/ i, values

  call get_command_argument(1, argument)
  read (argument, *) which
  call get_command_argument(2, file)
  call get_command_argument(3, how)
  a = this_image()
  if (this_image() == 1 .and. (which == 17 .or. which == 18)) lock (key[1])
  sync all
  if (this_image() == 1) then
    open (newunit=unit, file=file)
    write (unit, '(a)') 'a line of the file'
    open (newunit=scratch, form='unformatted', status='scratch')
    write (scratch) 1
    rewind (scratch)
    open (20, status='scratch')
    write (20, '(a)') '5 7'
    rewind (20)
    print '(a)', 'a line before'
    select case (which)
    case (1)
      print *, 'list-directed', end_here(1)
    case (2)
      write (*, '(a, i0)') 'formatted', end_here(1)
    case (3)
      write (unit, '(a, i0)', advance='no') 'without the end of the line', end_here(1)
    case (4)
      write (scratch) end_here(1)
    case (5)
      write (text, *) end_here(1)
    case (6)
      text = '5 7'
      read (text, *) i, values(end_here(1))
    case (7)
      read (20, *) i, values(end_here(1))
    case (8)
      read (scratch) values(end_here(1))
    case (9)
      print *, (end_here(i), i = 1, 2)
    case (10)
      print *, object
    case (11)
      write (text, '(dt)') object
    case (12)
      read (20, *) object
    case (13)
      print *, 'two units', prints(1)
    case (14)
      call has_local_thing()
    case (15)
      allocate (allocated_object)
      deallocate (allocated_object)
    case (16)
      critical
        i = end_here(1)
      end critical
    case (17)
      i = end_here(1)
    case (18)
      print *, 'while a lock is held', end_here(1)
    case (19)
      call signal(10, handle)
      i = raised(1)
    case (20)
      call signal(10, handle)
      print *, 'a signal', raised(1)
    case (21)
      inquire (iolength=length) end_here(1)
    case (22)
      write (unit, nml=names)
      write (text, '(*(i0, 1x))') values(:end_here(1))
    case (23)
      open (20 + end_here(1), status='scratch')
    case (24)
      allocate (allocated_object, source=final_thing(end_here(1)))
    case (30)
      print *, a(1)[wrong]
    case (31)
      print '(a, i0)', 'formatted', a(1)[wrong]
    case (32)
      write (text, *) a(:)[wrong]
    case (33)
      write (scratch) a(1)[wrong]
    case (34)
      print *, 'elements', (a(i)[wrong], i = 1, 2)
    end select
  end if
  if (how == 'stop') stop 3
  ! The others wait for image 1, or need what it holds.
  if (which == 17 .or. which == 18) then
    lock (key[1])
  end if
  if (which == 16) then
    critical
      i = 0
    end critical
  end if
  i = 1
  if (which == 40) call co_reduce(i, combine)
  if (which == 41) call co_reduce(i, combine_or_stop)
  if (which == 42) print *, 'all images', end_here(1)
  sync all
  print '(a, i0)', 'survived ', this_image()
end program
