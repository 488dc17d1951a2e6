! hcube for Fortran 2018: the functions of hcube.h as subroutines, for every MPI library from one source.
!
! Module files belong to one compiler, so this file is compiled together with the program that uses it; see
! share/hcube/examples. What the procedures do is said in hcube.h, under the same names.
!
! Communicators and datatypes are integers, as in `use mpi` and mpif.h; with `use mpi_f08` pass comm%MPI_VAL.
! Exchanges in place have procedures of their own; MPI_IN_PLACE is a scalar, which the compiler refuses as a buffer.
! Counts are those of MPI's functions without large counts.
!
! ierror is HCUBE_SUCCESS (0) or another HCUBE_*; of the exchanges that take the place of MPI's (hcube_alltoall
! and its kin) it is MPI's error code, after the communicator's error handler has been called. message, where it
! is asked for, says what was wrong: argument, value, and what would be right.
module hcube
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, c_int32_t, &
    c_int64_t, c_null_char, c_ptr, c_size_t, c_sizeof
  implicit none
  private

  integer(c_int32_t), parameter, public :: HCUBE_STREAM_POLYNOMIAL = 0, HCUBE_STREAM_LCG = 1
  integer(c_int32_t), parameter, public :: HCUBE_MODE_AUTO = 0, HCUBE_MODE_MESSAGE = 1, HCUBE_MODE_NODE = 2, &
    HCUBE_MODE_THREE_HOP = 3
  integer(c_int32_t), parameter, public :: HCUBE_RECEIVE_AHEAD = 1, HCUBE_LATE_UPDATES = 2, HCUBE_LATE_WAITS = 4, &
    HCUBE_OVERLAPPED_SENDS = 8, HCUBE_OPTIMISATIONS_ALL = 15
  integer(c_int32_t), parameter, public :: HCUBE_ALLTOALL_AUTO = 0, HCUBE_ALLTOALL_MPICH = 1, &
    HCUBE_ALLTOALL_LINEAR_SHIFT = 2, HCUBE_ALLTOALL_HIERARCHICAL_SETS = 3, HCUBE_ALLTOALL_LIBRARY = 4, &
    HCUBE_ALLTOALL_HYPERCUBE = 5
  integer(c_int32_t), parameter, public :: HCUBE_PATH_AUTO = 0, HCUBE_PATH_SINGLE_COPY = 1, HCUBE_PATH_SHARED = 2, &
    HCUBE_PATH_MESSAGE = 3
  integer(c_int32_t), parameter, public :: HCUBE_SUCCESS = 0, HCUBE_ERR_ARGUMENT = 1, HCUBE_ERR_DISTRIBUTION = 2, &
    HCUBE_ERR_COMM = 3, HCUBE_ERR_MPI_STATE = 4, HCUBE_ERR_MPI = 5, HCUBE_ERR_MEMORY = 6, HCUBE_ERR_MISMATCH = 7, &
    HCUBE_ERR_INTERNAL = 8, HCUBE_ERR_TRUNCATE = 9, HCUBE_ERR_COUNT = 10, HCUBE_ERR_DATATYPE = 11, &
    HCUBE_ERR_BUFFER = 12

  ! words: c_loc of the rank's part, an array of 64-bit integers with the attribute target.
  type, bind(C), public :: hcube_table
    type(c_ptr) :: words
    integer(c_int64_t) :: local_length, global_length, first_index
  end type

  type, bind(C), public :: hcube_updates
    integer(c_int32_t) :: stream
    integer(c_int64_t) :: start, count
  end type

  type, bind(C), public :: hcube_random_access_options
    integer(c_int64_t) :: struct_size, look_ahead
    integer(c_int32_t) :: mode, dimensions, relaxed, optimisations, huge_pages, ranks_per_node
  end type

  type, bind(C), public :: hcube_random_access_statistics
    integer(c_int64_t) :: struct_size, generated, applied, messages, message_bytes, shared_bytes, stages, rounds, &
      excess, most_held, open_bound, huge_pages, memory_bytes
    real(c_double) :: total_seconds, paging_seconds, generate_seconds, route_seconds, wait_seconds, update_seconds
  end type

  type, bind(C), public :: hcube_alltoall_options
    integer(c_int64_t) :: struct_size, memory
    integer(c_int32_t) :: schedule, path, ranks_per_node, reserved
  end type

  ! The first dimension of a Fortran array is the one whose elements are neighbours: columns of C's matrix.
  type, bind(C), public :: hcube_transpose_shape
    integer(c_int64_t) :: rows, columns, element_bytes, row_block, column_block
    integer(c_int32_t) :: transposed_in, transposed_out
  end type

  type, bind(C), public :: hcube_error
    integer(c_int32_t) :: code
    character(kind=c_char) :: message(508)
  end type

  public :: hcube_version, hcube_error_string
  public :: hcube_random_access_default_options, hcube_random_access_prepare, hcube_random_access_run, &
    hcube_random_access_verify, hcube_random_access_last_statistics, hcube_random_access_describe
  public :: hcube_alltoall, hcube_alltoallv, hcube_alltoallw, hcube_alltoall_in_place, hcube_alltoallv_in_place, &
    hcube_alltoallw_in_place, hcube_alltoall_default_options, hcube_alltoall_set_options, hcube_alltoall_last_way
  public :: hcube_transpose, hcube_transpose_in_place, hcube_transpose_check

  interface
    function c_version() bind(C, name="hcube_version") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function

    function c_error_string(code) bind(C, name="hcube_error_string") result(text)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: code
      type(c_ptr) :: text
    end function

    function c_strlen(text) bind(C, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function

    function c_random_access_default_options(options, size, error) &
        bind(C, name="hcube_random_access_default_options") result(code)
      import :: c_int32_t, c_int64_t, hcube_error, hcube_random_access_options
      type(hcube_random_access_options), intent(inout) :: options
      integer(c_int64_t), value :: size
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_random_access_prepare(comm, options, error) &
        bind(C, name="hcube_fortran_random_access_prepare") result(code)
      import :: c_int, c_int32_t, hcube_error, hcube_random_access_options
      integer(c_int), value :: comm
      type(hcube_random_access_options), intent(in), optional :: options
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_random_access_run(comm, table, updates, options, error) &
        bind(C, name="hcube_fortran_random_access_run") result(code)
      import :: c_int, c_int32_t, hcube_error, hcube_random_access_options, hcube_table, hcube_updates
      integer(c_int), value :: comm
      type(hcube_table), intent(in) :: table
      type(hcube_updates), intent(in) :: updates
      type(hcube_random_access_options), intent(in), optional :: options
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_random_access_verify(comm, table, updates, errors, error) &
        bind(C, name="hcube_fortran_random_access_verify") result(code)
      import :: c_int, c_int32_t, c_int64_t, hcube_error, hcube_table, hcube_updates
      integer(c_int), value :: comm
      type(hcube_table), intent(in) :: table
      type(hcube_updates), intent(in) :: updates
      integer(c_int64_t), intent(inout) :: errors
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_random_access_last_statistics(comm, statistics, error) &
        bind(C, name="hcube_fortran_random_access_last_statistics") result(code)
      import :: c_int, c_int32_t, hcube_error, hcube_random_access_statistics
      integer(c_int), value :: comm
      type(hcube_random_access_statistics), intent(inout) :: statistics
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_random_access_describe(comm, options, text, length, error) &
        bind(C, name="hcube_fortran_random_access_describe") result(code)
      import :: c_char, c_int, c_int32_t, c_int64_t, hcube_error, hcube_random_access_options
      integer(c_int), value :: comm
      type(hcube_random_access_options), intent(in), optional :: options
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_int64_t), value :: length
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) &
        bind(C, name="hcube_fortran_alltoall") result(code)
      import :: c_int
      type(*), dimension(*), intent(in) :: sendbuf
      integer(c_int), value :: sendcount, recvcount
      integer(c_int), value :: sendtype, recvtype, comm
      type(*), dimension(*) :: recvbuf
      integer(c_int) :: code
    end function

    function c_alltoall_in_place(buffer, count, datatype, comm) &
        bind(C, name="hcube_fortran_alltoall_in_place") result(code)
      import :: c_int
      type(*), dimension(*) :: buffer
      integer(c_int), value :: count
      integer(c_int), value :: datatype, comm
      integer(c_int) :: code
    end function

    function c_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) &
        bind(C, name="hcube_fortran_alltoallv") result(code)
      import :: c_int
      type(*), dimension(*), intent(in) :: sendbuf
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      integer(c_int), value :: sendtype, recvtype, comm
      type(*), dimension(*) :: recvbuf
      integer(c_int) :: code
    end function

    function c_alltoallv_in_place(buffer, counts, displs, datatype, comm) &
        bind(C, name="hcube_fortran_alltoallv_in_place") result(code)
      import :: c_int
      type(*), dimension(*) :: buffer
      integer(c_int), intent(in) :: counts(*), displs(*)
      integer(c_int), value :: datatype, comm
      integer(c_int) :: code
    end function

    function c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm) &
        bind(C, name="hcube_fortran_alltoallw") result(code)
      import :: c_int
      type(*), dimension(*), intent(in) :: sendbuf
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      integer(c_int), intent(in) :: sendtypes(*), recvtypes(*)
      type(*), dimension(*) :: recvbuf
      integer(c_int), value :: comm
      integer(c_int) :: code
    end function

    function c_alltoallw_in_place(buffer, counts, displs, datatypes, comm) &
        bind(C, name="hcube_fortran_alltoallw_in_place") result(code)
      import :: c_int
      type(*), dimension(*) :: buffer
      integer(c_int), intent(in) :: counts(*), displs(*)
      integer(c_int), intent(in) :: datatypes(*)
      integer(c_int), value :: comm
      integer(c_int) :: code
    end function

    function c_alltoall_default_options(options, size, error) &
        bind(C, name="hcube_alltoall_default_options") result(code)
      import :: c_int32_t, c_int64_t, hcube_alltoall_options, hcube_error
      type(hcube_alltoall_options), intent(inout) :: options
      integer(c_int64_t), value :: size
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_alltoall_set_options(comm, options, error) &
        bind(C, name="hcube_fortran_alltoall_set_options") result(code)
      import :: c_int, c_int32_t, hcube_alltoall_options, hcube_error
      integer(c_int), value :: comm
      type(hcube_alltoall_options), intent(in), optional :: options
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_alltoall_last_way(comm, text, length, error) &
        bind(C, name="hcube_fortran_alltoall_last_way") result(code)
      import :: c_char, c_int, c_int32_t, c_int64_t, hcube_error
      integer(c_int), value :: comm
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_int64_t), value :: length
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_transpose(input, output, shape, comm, error) bind(C, name="hcube_fortran_transpose") result(code)
      import :: c_int, c_int32_t, hcube_error, hcube_transpose_shape
      type(*), dimension(*), intent(in) :: input
      type(*), dimension(*) :: output
      type(hcube_transpose_shape), intent(in) :: shape
      integer(c_int), value :: comm
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_transpose_in_place(matrix, shape, comm, error) &
        bind(C, name="hcube_fortran_transpose_in_place") result(code)
      import :: c_int, c_int32_t, hcube_error, hcube_transpose_shape
      type(*), dimension(*) :: matrix
      type(hcube_transpose_shape), intent(in) :: shape
      integer(c_int), value :: comm
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function

    function c_transpose_check(shape, in_place, comm, error) &
        bind(C, name="hcube_fortran_transpose_check") result(code)
      import :: c_int, c_int32_t, hcube_error, hcube_transpose_shape
      type(hcube_transpose_shape), intent(in) :: shape
      integer(c_int32_t), value :: in_place
      integer(c_int), value :: comm
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: code
    end function
  end interface

contains

  ! The version of the library, for example 0.1.0.
  function hcube_version() result(version)
    character(len=:), allocatable :: version
    version = of_c(c_version())
  end function

  ! One sentence for a code HCUBE_*.
  function hcube_error_string(code) result(text)
    integer, intent(in) :: code
    character(len=:), allocatable :: text
    text = of_c(c_error_string(int(code, c_int32_t)))
  end function

  subroutine hcube_random_access_default_options(options, ierror, message)
    type(hcube_random_access_options), intent(out) :: options
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    ierror = c_random_access_default_options(options, int(c_sizeof(options), c_int64_t), error)
    call tell(error, message)
  end subroutine

  subroutine hcube_random_access_prepare(comm, ierror, options, message)
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    type(hcube_random_access_options), intent(in), optional :: options
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    ierror = c_random_access_prepare(comm, options, error)
    call tell(error, message)
  end subroutine

  subroutine hcube_random_access_run(comm, table, updates, ierror, options, message)
    integer, intent(in) :: comm
    type(hcube_table), intent(in) :: table
    type(hcube_updates), intent(in) :: updates
    integer, intent(out) :: ierror
    type(hcube_random_access_options), intent(in), optional :: options
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    ierror = c_random_access_run(comm, table, updates, options, error)
    call tell(error, message)
  end subroutine

  subroutine hcube_random_access_verify(comm, table, updates, errors, ierror, message)
    integer, intent(in) :: comm
    type(hcube_table), intent(in) :: table
    type(hcube_updates), intent(in) :: updates
    integer(c_int64_t), intent(inout) :: errors
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    ierror = c_random_access_verify(comm, table, updates, errors, error)
    call tell(error, message)
  end subroutine

  subroutine hcube_random_access_last_statistics(comm, statistics, ierror, message)
    integer, intent(in) :: comm
    type(hcube_random_access_statistics), intent(out) :: statistics
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    statistics%struct_size = int(c_sizeof(statistics), c_int64_t)
    ierror = c_random_access_last_statistics(comm, statistics, error)
    call tell(error, message)
  end subroutine

  subroutine hcube_random_access_describe(comm, text, ierror, options, message)
    integer, intent(in) :: comm
    character(len=*), intent(inout) :: text
    integer, intent(out) :: ierror
    type(hcube_random_access_options), intent(in), optional :: options
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    character(kind=c_char) :: line(len(text) + 1)
    ierror = c_random_access_describe(comm, options, line, size(line, kind=c_int64_t), error)
    if (ierror == HCUBE_SUCCESS) call copy(line, text)
    call tell(error, message)
  end subroutine

  subroutine hcube_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
    type(*), dimension(*), intent(in) :: sendbuf
    integer, intent(in) :: sendcount, sendtype, recvcount, recvtype, comm
    type(*), dimension(*) :: recvbuf
    integer, intent(out) :: ierror
    ierror = c_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
  end subroutine

  ! Block i of the buffer is replaced by what rank i - 1 has for this rank.
  subroutine hcube_alltoall_in_place(buffer, count, datatype, comm, ierror)
    type(*), dimension(*) :: buffer
    integer, intent(in) :: count, datatype, comm
    integer, intent(out) :: ierror
    ierror = c_alltoall_in_place(buffer, count, datatype, comm)
  end subroutine

  subroutine hcube_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
      ierror)
    type(*), dimension(*), intent(in) :: sendbuf
    integer, intent(in) :: sendcounts(*), sdispls(*), sendtype, recvcounts(*), rdispls(*), recvtype, comm
    type(*), dimension(*) :: recvbuf
    integer, intent(out) :: ierror
    ierror = c_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)
  end subroutine

  subroutine hcube_alltoallv_in_place(buffer, counts, displs, datatype, comm, ierror)
    type(*), dimension(*) :: buffer
    integer, intent(in) :: counts(*), displs(*), datatype, comm
    integer, intent(out) :: ierror
    ierror = c_alltoallv_in_place(buffer, counts, displs, datatype, comm)
  end subroutine

  ! Displacements are in bytes.
  subroutine hcube_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, &
      ierror)
    type(*), dimension(*), intent(in) :: sendbuf
    integer, intent(in) :: sendcounts(*), sdispls(*), sendtypes(*), recvcounts(*), rdispls(*), recvtypes(*), comm
    type(*), dimension(*) :: recvbuf
    integer, intent(out) :: ierror
    ierror = c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)
  end subroutine

  ! Displacements are in bytes.
  subroutine hcube_alltoallw_in_place(buffer, counts, displs, datatypes, comm, ierror)
    type(*), dimension(*) :: buffer
    integer, intent(in) :: counts(*), displs(*), datatypes(*), comm
    integer, intent(out) :: ierror
    ierror = c_alltoallw_in_place(buffer, counts, displs, datatypes, comm)
  end subroutine

  subroutine hcube_alltoall_default_options(options, ierror, message)
    type(hcube_alltoall_options), intent(out) :: options
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    ierror = c_alltoall_default_options(options, int(c_sizeof(options), c_int64_t), error)
    call tell(error, message)
  end subroutine

  subroutine hcube_alltoall_set_options(comm, ierror, options, message)
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    type(hcube_alltoall_options), intent(in), optional :: options
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    ierror = c_alltoall_set_options(comm, options, error)
    call tell(error, message)
  end subroutine

  subroutine hcube_alltoall_last_way(comm, way, ierror, message)
    integer, intent(in) :: comm
    character(len=*), intent(inout) :: way
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    character(kind=c_char) :: line(len(way) + 1)
    ierror = c_alltoall_last_way(comm, line, size(line, kind=c_int64_t), error)
    if (ierror == HCUBE_SUCCESS) call copy(line, way)
    call tell(error, message)
  end subroutine

  subroutine hcube_transpose(input, output, shape, comm, ierror, message)
    type(*), dimension(*), intent(in) :: input
    type(*), dimension(*) :: output
    type(hcube_transpose_shape), intent(in) :: shape
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    ierror = c_transpose(input, output, shape, comm, error)
    call tell(error, message)
  end subroutine

  subroutine hcube_transpose_in_place(matrix, shape, comm, ierror, message)
    type(*), dimension(*) :: matrix
    type(hcube_transpose_shape), intent(in) :: shape
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    ierror = c_transpose_in_place(matrix, shape, comm, error)
    call tell(error, message)
  end subroutine

  subroutine hcube_transpose_check(shape, in_place, comm, ierror, message)
    type(hcube_transpose_shape), intent(in) :: shape
    logical, intent(in) :: in_place
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    ierror = c_transpose_check(shape, merge(1_c_int32_t, 0_c_int32_t, in_place), comm, error)
    call tell(error, message)
  end subroutine

  ! Hands on the message of a call, empty after a success.
  subroutine tell(error, message)
    type(hcube_error), intent(in) :: error
    character(len=*), intent(inout), optional :: message
    if (present(message)) call copy(error%message, message)
  end subroutine

  ! Copies C's characters up to the zero byte, as far as there is room.
  subroutine copy(from, to)
    character(kind=c_char), intent(in) :: from(:)
    character(len=*), intent(inout) :: to
    integer :: place
    to = ''
    do place = 1, min(size(from), len(to))
      if (from(place) == c_null_char) exit
      to(place:place) = from(place)
    end do
  end subroutine

  ! A static text of the library.
  function of_c(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    if (.not. c_associated(address)) error stop 'hcube: a text is NULL'
    call c_f_pointer(address, characters, [c_strlen(address)])
    allocate (character(len=size(characters)) :: text)
    call copy(characters, text)
  end function
end module hcube
