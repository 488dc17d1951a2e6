! An MPI program that knows nothing of hcube: all-to-all calls in place and out of place, checked. How
! many calls it makes is in tests/preload.rs as well. One source for the three ways in which Fortran gets at
! MPI; BINDING is 1 for mpif.h, 2 for `use mpi`, 3 for `use mpi_f08`.
#if BINDING == 3
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

program preload
#if BINDING == 3
  use mpi_f08
#elif BINDING == 2
  use mpi
#endif
  implicit none
#if BINDING == 1
  include 'mpif.h'
#endif
  integer, parameter :: in_place_calls = 3, calls = 2, longest = 3
  integer :: rank, size, ierror, call_number, other
  integer, allocatable :: counts(:), equal(:), displacements(:), bytes(:), sent(:), received(:)
  HANDLE(MPI_Datatype), allocatable :: types(:)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  allocate (counts(size), equal(size), displacements(size), bytes(size), types(size))
  allocate (sent(longest * size), received(longest * size))
  do other = 0, size - 1
    ! The same in both directions, as calls in place demand.
    counts(other + 1) = 1 + mod(rank + other, longest)
    equal(other + 1) = longest
    displacements(other + 1) = longest * other
    bytes(other + 1) = storage_size(rank) / 8 * longest * other
    types(other + 1) = MPI_INTEGER
  end do

  do call_number = 1, in_place_calls
    call fill(received)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, received, longest, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoall in place', equal)
    call fill(received)
    call MPI_Alltoallv(MPI_IN_PLACE, counts, displacements, MPI_INTEGER, received, counts, displacements, &
                       MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoallv in place', counts)
    call fill(received)
    call MPI_Alltoallw(MPI_IN_PLACE, counts, bytes, types, received, counts, bytes, types, MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoallw in place', counts)
  end do
  do call_number = 1, calls
    call fill(sent)
    call fill(received)
    call MPI_Alltoall(sent, longest, MPI_INTEGER, received, longest, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoall', equal)
    call fill(received)
    call MPI_Alltoallv(sent, counts, displacements, MPI_INTEGER, received, counts, displacements, MPI_INTEGER, &
                       MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoallv', counts)
    call fill(received)
    call MPI_Alltoallw(sent, counts, bytes, types, received, counts, bytes, types, MPI_COMM_WORLD, ierror)
    call check('MPI_Alltoallw', counts)
  end do
  if (rank == 0) print '(a, i0)', 'ok preload Fortran ', BINDING
  call MPI_Finalize(ierror)

contains

  pure integer function value(from, to, element)
    integer, intent(in) :: from, to, element
    value = (from * 1000 + to) * 10 + element
  end function value

  ! Blocks of the largest length, partly exchanged.
  subroutine fill(blocks)
    integer, intent(out) :: blocks(:)
    integer :: to, element
    do to = 0, size - 1
      do element = 1, longest
        blocks(longest * to + element) = value(rank, to, element)
      end do
    end do
  end subroutine fill

  ! What has arrived is the others', and the rest is as it was.
  subroutine check(operation, lengths)
    character(*), intent(in) :: operation
    integer, intent(in) :: lengths(:)
    integer :: from, element, expected
    do from = 0, size - 1
      do element = 1, longest
        expected = merge(value(from, rank, element), value(rank, from, element), element <= lengths(from + 1))
        if (received(longest * from + element) /= expected) then
          print '(2a, i0, a, i0)', operation, ': wrong element ', element, ' from rank ', from
          call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
        end if
      end do
    end do
  end subroutine check

end program preload
