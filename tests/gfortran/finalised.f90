! Programs that call MPI_Finalize themselves, and what follows, by its number in the command line.
module finalised_procedures
  use mpi
  implicit none
contains
  subroutine end_mpi()
    integer :: code
    call mpi_finalize(code)
    if (code /= MPI_SUCCESS) error stop 'MPI_Finalize'
  end subroutine

  ! Coarrays of a procedure are freed at its end.
  subroutine end_mpi_in_procedure()
    integer, allocatable :: local(:)[:]
    allocate (local(3)[*])
    local = this_image()
    sync all
    if (local(2)[1] /= 1) error stop 'a coarray of a procedure'
    call end_mpi()
    if (any(local /= this_image())) error stop 'a coarray of a procedure after MPI_Finalize'
  end subroutine
end module

program finalised
  use finalised_procedures
  implicit none
  type things
    integer, allocatable :: x(:)
  end type
  integer, save :: a(4)[*]
  type(things), save :: o[*]
  integer, allocatable :: b(:)[:]
  character(8) :: argument
  integer :: which, i, total, code, images
  logical :: is_active

  call get_command_argument(1, argument)
  read (argument, *) which
  images = num_images()
  call mpi_initialized(is_active, code)
  if (.not. is_active) error stop 'MPI is not active'
  allocate (b(2)[*], o%x(2))
  a = this_image()
  b = -this_image()
  o%x = 7
  do i = 1, 20
    call mpi_allreduce(this_image(), total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    if (total /= images*(images + 1)/2) error stop 'mpi_allreduce'
    a(2)[mod(this_image(), images) + 1] = i
    sync all
    if (a(2)[images] /= i) error stop 'a put'
    sync all
  end do
  select case (which)
  case (6)
    ! An image that has ended waits for those that call MPI_Finalize.
    if (this_image() == 1) stop
  case (7)
    call end_mpi_in_procedure()
  end select
  if (which /= 7) call end_mpi()
  ! An image's own data still exists.
  if (a(1) /= this_image() .or. a(2) /= 20 .or. any(b /= -this_image()) .or. o%x(1) /= 7) error stop 'own elements'
  a(3) = 5
  deallocate (b, o%x)
  sync memory
  if (this_image() > num_images()) error stop 'the number of images'
  if (which < 8) print '(a)', 'passed'
  select case (which)
  case (1)
    stop
  case (2)
    stop 3
  case (3)
    error stop 4
  case (4)
    error stop 'a reason'
  case (8)
    i = a(1)[1]
  case (9)
    sync all
  case (10)
    allocate (b(3)[*])
  end select
end program
