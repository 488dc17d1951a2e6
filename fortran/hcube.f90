! Generated from fortran/hcube.f90.in by 'make header'; do not edit.
!
! hcube for Fortran 2018: the functions of hcube.h as subroutines.
!
! Module files are specific to a compiler: compile this file together with the program that uses it; see
! share/hcube/examples. The file is the same for all MPI libraries. The procedures are documented in hcube.h under the
! same names.
!
! Communicators and datatypes are default integers, as in `use mpi` and mpif.h; with `use mpi_f08` pass comm%MPI_VAL.
! Exchanges in place are separate procedures (*_in_place), because the interfaces do not accept the scalar MPI_IN_PLACE
! as a buffer. Counts are default integers; procedures with large counts are not provided.
!
! ierror returns HCUBE_SUCCESS (0) or HCUBE_ERR_*. The procedures that replace MPI procedures (hcube_alltoall and its
! variants) return an MPI error code, after the error handler of the communicator has been called. The optional
! argument message returns a text that names the wrong argument, its value and what is expected.
module hcube
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_funptr, c_int, c_int32_t, &
    c_int64_t, c_null_char, c_ptr, c_size_t, c_sizeof
  implicit none
  private

  integer(c_int32_t), parameter, public :: HCUBE_SUCCESS = 0, HCUBE_ERR_ARGUMENT = 1, HCUBE_ERR_DISTRIBUTION = 2, &
    HCUBE_ERR_COMM = 3, HCUBE_ERR_MPI_STATE = 4, HCUBE_ERR_MPI = 5, HCUBE_ERR_MEMORY = 6, HCUBE_ERR_MISMATCH = 7, &
    HCUBE_ERR_INTERNAL = 8, HCUBE_ERR_TRUNCATE = 9, HCUBE_ERR_COUNT = 10, HCUBE_ERR_DATATYPE = 11, HCUBE_ERR_BUFFER = &
    12, HCUBE_ERR_FAILED_IMAGE = 13, HCUBE_ERR_STOPPED_IMAGE = 14
  integer(c_int32_t), parameter, public :: HCUBE_ALLTOALL_AUTO = 0, HCUBE_ALLTOALL_MPICH = 1, &
    HCUBE_ALLTOALL_LINEAR_SHIFT = 2, HCUBE_ALLTOALL_HIERARCHICAL_SETS = 3, HCUBE_ALLTOALL_LIBRARY = 4, &
    HCUBE_ALLTOALL_HYPERCUBE = 5, HCUBE_ALLTOALL_NODE_LEADERS = 6
  integer(c_int32_t), parameter, public :: HCUBE_PATH_AUTO = 0, HCUBE_PATH_SINGLE_COPY = 1, HCUBE_PATH_SHARED = 2, &
    HCUBE_PATH_MESSAGE = 3
  integer(c_int32_t), parameter, public :: HCUBE_FFT_SIX_STEP = 0, HCUBE_FFT_BINARY_EXCHANGE = 1
  integer(c_int32_t), parameter, public :: HCUBE_FFT_RADIX_2 = 2, HCUBE_FFT_RADIX_4 = 4
  integer(c_int32_t), parameter, public :: HCUBE_ELEMENT_SINGLE = 0, HCUBE_ELEMENT_DOUBLE = 1, HCUBE_ELEMENT_COMPLEX = &
    2, HCUBE_ELEMENT_DOUBLE_COMPLEX = 3
  integer(c_int32_t), parameter, public :: HCUBE_GEMM_AUTO = 0, HCUBE_GEMM_SUMMA = 1, HCUBE_GEMM_HSUMMA = 2, &
    HCUBE_GEMM_LIBRARY = 3
  integer(c_int32_t), parameter, public :: HCUBE_GEMM_STATIONARY_AUTO = 0, HCUBE_GEMM_STATIONARY_C = 1, &
    HCUBE_GEMM_STATIONARY_A = 2, HCUBE_GEMM_STATIONARY_B = 3
  integer(c_int32_t), parameter, public :: HCUBE_GEMM_BROADCAST_AUTO = 0, HCUBE_GEMM_BROADCAST_BINOMIAL = 1, &
    HCUBE_GEMM_BROADCAST_RING = 2, HCUBE_GEMM_BROADCAST_SCATTER_ALLGATHER = 3
  integer(c_int32_t), parameter, public :: HCUBE_MATMUL_CUSTOMIZED = 0, HCUBE_MATMUL_STATIC = 1
  integer(c_int32_t), parameter, public :: HCUBE_STREAM_POLYNOMIAL = 0, HCUBE_STREAM_LCG = 1
  integer(c_int32_t), parameter, public :: HCUBE_MODE_AUTO = 0, HCUBE_MODE_MESSAGE = 1, HCUBE_MODE_NODE = 2, &
    HCUBE_MODE_THREE_HOP = 3, HCUBE_MODE_EVENTS = 4, HCUBE_MODE_SPAWN = 5
  integer(c_int32_t), parameter, public :: HCUBE_RECEIVE_AHEAD = 1, HCUBE_LATE_UPDATES = 2, HCUBE_LATE_WAITS = 4, &
    HCUBE_OVERLAPPED_SENDS = 8, HCUBE_OPTIMISATIONS_ALL = 15
  integer(c_int32_t), parameter, public :: HCUBE_PANELS_AUTO = 0, HCUBE_PANELS_RING = 1, HCUBE_PANELS_MODIFIED_RING = &
    2, HCUBE_PANELS_TWO_RINGS = 3, HCUBE_PANELS_MODIFIED_TWO_RINGS = 4, HCUBE_PANELS_LONG = 5, &
    HCUBE_PANELS_MODIFIED_LONG = 6
  integer(c_int32_t), parameter, public :: HCUBE_CAF_LOAD = 0, HCUBE_CAF_SWAP = 1, HCUBE_CAF_ADD = 2, HCUBE_CAF_AND = &
    3, HCUBE_CAF_OR = 4, HCUBE_CAF_XOR = 5, HCUBE_CAF_COMPARE_SWAP = 6
  integer(c_int32_t), parameter, public :: HCUBE_CAF_ALIVE = 0, HCUBE_CAF_FAILED = 1, HCUBE_CAF_STOPPED = 2

  ! words: c_loc of the local part, an array of 64-bit integers with the attribute TARGET.
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

  type, bind(C), public :: hcube_fft_options
    integer(c_int64_t) :: struct_size
    integer(c_int32_t) :: algorithm, radix
  end type

  type, bind(C), public :: hcube_fft_times
    integer(c_int64_t) :: struct_size
    real(c_double) :: first_exchange_seconds, first_wait_seconds, columns_seconds, second_exchange_seconds, &
      rows_seconds, last_wait_seconds, last_exchange_seconds
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

  ! The shape describes a row-major matrix: the first dimension of a Fortran array corresponds to its columns.
  type, bind(C), public :: hcube_transpose_shape
    integer(c_int64_t) :: rows, columns, element_bytes, row_block, column_block
    integer(c_int32_t) :: transposed_in, transposed_out
  end type

  type, bind(C), public :: hcube_grid_transpose_shape
    integer(c_int64_t) :: rows, columns, row_block, column_block, grid_rows, grid_columns
  end type

  ! A block-cyclic matrix and a sub-matrix of it; row and column are 0-based.
  type, bind(C), public :: hcube_matrix
    integer(c_int64_t) :: struct_size = 88, rows, columns, row_block, column_block, first_row_block, &
      first_column_block, leading_dimension, row = 0, column = 0
    integer(c_int32_t) :: row_source = 0, column_source = 0
  end type

  type, bind(C), public :: hcube_gemm_options
    integer(c_int64_t) :: struct_size, memory, inner_block, outer_block
    integer(c_int32_t) :: algorithm, stationary, broadcast, group_rows, group_columns, levels, ranks_per_node, &
      reserved
    type(c_funptr) :: multiply
  end type

  type, bind(C), public :: hcube_panels_options
    integer(c_int64_t) :: struct_size, bytes, slots, in_use
    integer(c_int32_t) :: topology, ranks_per_node
  end type

  type, bind(C), public :: hcube_error
    integer(c_int32_t) :: code
    character(kind=c_char) :: message(508)
  end type

  public :: hcube_version, hcube_error_string, hcube_alltoall_last_way
  public :: hcube_random_access_default_options, hcube_random_access_prepare, hcube_random_access_run, &
    hcube_random_access_verify, hcube_random_access_last_statistics, hcube_random_access_describe, hcube_alltoall, &
    hcube_alltoall_in_place, hcube_alltoallv, hcube_alltoallv_in_place, hcube_alltoallv_in_one_buffer, &
    hcube_alltoallw, hcube_alltoallw_in_place, hcube_alltoall_default_options, hcube_alltoall_set_options, &
    hcube_alltoall_last_path, hcube_transpose, hcube_transpose_in_place, hcube_transpose_check, &
    hcube_grid_transpose_memory_create, hcube_grid_transpose_memory_free, hcube_grid_transpose_create, &
    hcube_grid_transpose_execute, hcube_grid_transpose_describe, hcube_grid_transpose_free, hcube_gemm, &
    hcube_gemm_default_options, hcube_gemm_set_options, hcube_gemm_last_path

  interface
    function c_version() bind(C, name="hcube_version")
      import
      type(c_ptr) :: c_version
    end function
    function c_error_string(code) bind(C, name="hcube_error_string")
      import
      integer(c_int32_t), value :: code
      type(c_ptr) :: c_error_string
    end function
    function c_random_access_default_options(options, size, error) bind(C, name="hcube_random_access_default_options")
      import
      type(hcube_random_access_options), intent(inout) :: options
      integer(c_int64_t), value :: size
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_random_access_default_options
    end function
    function c_random_access_prepare(comm, options, error) bind(C, name="hcube_fortran_random_access_prepare")
      import
      integer(c_int), value :: comm
      type(hcube_random_access_options), intent(in), optional :: options
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_random_access_prepare
    end function
    function c_random_access_run(comm, table, updates, options, error) bind(C, name="hcube_fortran_random_access_run")
      import
      integer(c_int), value :: comm
      type(hcube_table), intent(in) :: table
      type(hcube_updates), intent(in) :: updates
      type(hcube_random_access_options), intent(in), optional :: options
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_random_access_run
    end function
    function c_random_access_verify(comm, table, updates, errors, error) bind(C, &
      name="hcube_fortran_random_access_verify")
      import
      integer(c_int), value :: comm
      type(hcube_table), intent(in) :: table
      type(hcube_updates), intent(in) :: updates
      integer(c_int64_t), intent(inout) :: errors
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_random_access_verify
    end function
    function c_random_access_last_statistics(comm, statistics, error) bind(C, &
      name="hcube_fortran_random_access_last_statistics")
      import
      integer(c_int), value :: comm
      type(hcube_random_access_statistics), intent(inout) :: statistics
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_random_access_last_statistics
    end function
    function c_random_access_describe(comm, options, text, length, error) bind(C, &
      name="hcube_fortran_random_access_describe")
      import
      integer(c_int), value :: comm
      type(hcube_random_access_options), intent(in), optional :: options
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_int64_t), value :: length
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_random_access_describe
    end function
    function c_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) bind(C, &
      name="hcube_fortran_alltoall")
      import
      type(*), intent(in) :: sendbuf(*)
      integer(c_int), value :: sendcount, sendtype
      type(*) :: recvbuf(*)
      integer(c_int), value :: recvcount, recvtype, comm
      integer(c_int) :: c_alltoall
    end function
    function c_alltoall_in_place(buffer, count, kind, comm) bind(C, name="hcube_fortran_alltoall_in_place")
      import
      type(*) :: buffer(*)
      integer(c_int), value :: count, kind, comm
      integer(c_int) :: c_alltoall_in_place
    end function
    function c_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) bind(C, &
      name="hcube_fortran_alltoallv")
      import
      type(*), intent(in) :: sendbuf(*)
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*)
      integer(c_int), value :: sendtype
      type(*) :: recvbuf(*)
      integer(c_int), intent(in) :: recvcounts(*), rdispls(*)
      integer(c_int), value :: recvtype, comm
      integer(c_int) :: c_alltoallv
    end function
    function c_alltoallv_in_place(buffer, counts, displs, kind, comm) bind(C, name="hcube_fortran_alltoallv_in_place")
      import
      type(*) :: buffer(*)
      integer(c_int), intent(in) :: counts(*), displs(*)
      integer(c_int), value :: kind, comm
      integer(c_int) :: c_alltoallv_in_place
    end function
    function c_alltoallv_in_one_buffer(buffer, scounts, sdispls, rcounts, rdispls, kind, comm) bind(C, &
      name="hcube_fortran_alltoallv_in_one_buffer")
      import
      type(*) :: buffer(*)
      integer(c_int), intent(in) :: scounts(*), sdispls(*), rcounts(*), rdispls(*)
      integer(c_int), value :: kind, comm
      integer(c_int) :: c_alltoallv_in_one_buffer
    end function
    function c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm) &
      bind(C, name="hcube_fortran_alltoallw")
      import
      type(*), intent(in) :: sendbuf(*)
      integer(c_int), intent(in) :: sendcounts(*), sdispls(*), sendtypes(*)
      type(*) :: recvbuf(*)
      integer(c_int), intent(in) :: recvcounts(*), rdispls(*), recvtypes(*)
      integer(c_int), value :: comm
      integer(c_int) :: c_alltoallw
    end function
    function c_alltoallw_in_place(buffer, counts, displs, kinds, comm) bind(C, &
      name="hcube_fortran_alltoallw_in_place")
      import
      type(*) :: buffer(*)
      integer(c_int), intent(in) :: counts(*), displs(*), kinds(*)
      integer(c_int), value :: comm
      integer(c_int) :: c_alltoallw_in_place
    end function
    function c_alltoall_default_options(options, size, error) bind(C, name="hcube_alltoall_default_options")
      import
      type(hcube_alltoall_options), intent(inout) :: options
      integer(c_int64_t), value :: size
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_alltoall_default_options
    end function
    function c_alltoall_set_options(comm, options, error) bind(C, name="hcube_fortran_alltoall_set_options")
      import
      integer(c_int), value :: comm
      type(hcube_alltoall_options), intent(in), optional :: options
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_alltoall_set_options
    end function
    function c_alltoall_last_way(comm, text, length, error) bind(C, name="hcube_fortran_alltoall_last_way")
      import
      integer(c_int), value :: comm
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_int64_t), value :: length
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_alltoall_last_way
    end function
    function c_transpose(input, output, shape, comm, error) bind(C, name="hcube_fortran_transpose")
      import
      type(*), intent(in) :: input(*)
      type(*) :: output(*)
      type(hcube_transpose_shape), intent(in) :: shape
      integer(c_int), value :: comm
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_transpose
    end function
    function c_transpose_in_place(matrix, shape, comm, error) bind(C, name="hcube_fortran_transpose_in_place")
      import
      type(*) :: matrix(*)
      type(hcube_transpose_shape), intent(in) :: shape
      integer(c_int), value :: comm
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_transpose_in_place
    end function
    function c_transpose_check(shape, in_place, comm, error) bind(C, name="hcube_fortran_transpose_check")
      import
      type(hcube_transpose_shape), intent(in) :: shape
      integer(c_int32_t), value :: in_place
      integer(c_int), value :: comm
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_transpose_check
    end function
    function c_grid_transpose_memory_create(bytes, comm, memory, address, error) bind(C, &
      name="hcube_fortran_grid_transpose_memory_create")
      import
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: comm
      type(c_ptr), intent(inout) :: memory, address
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_grid_transpose_memory_create
    end function
    function c_grid_transpose_memory_free(memory, error) bind(C, name="hcube_grid_transpose_memory_free")
      import
      type(c_ptr), intent(inout) :: memory
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_grid_transpose_memory_free
    end function
    function c_grid_transpose_create(shape, memory, comm, transposition, error) bind(C, &
      name="hcube_fortran_grid_transpose_create")
      import
      type(hcube_grid_transpose_shape), intent(in) :: shape
      type(c_ptr), value :: memory
      integer(c_int), value :: comm
      type(c_ptr), intent(inout) :: transposition
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_grid_transpose_create
    end function
    function c_grid_transpose_execute(transposition, beta, a, lda, c, ldc, error) bind(C, &
      name="hcube_grid_transpose_execute")
      import
      type(c_ptr), value :: transposition
      real(c_double), value :: beta
      real(c_double), intent(in) :: a(*)
      integer(c_int64_t), value :: lda
      real(c_double), intent(inout) :: c(*)
      integer(c_int64_t), value :: ldc
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_grid_transpose_execute
    end function
    function c_grid_transpose_describe(transposition, text, text_length, error) bind(C, &
      name="hcube_grid_transpose_describe")
      import
      type(c_ptr), value :: transposition
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_int64_t), value :: text_length
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_grid_transpose_describe
    end function
    function c_grid_transpose_free(transposition, error) bind(C, name="hcube_grid_transpose_free")
      import
      type(c_ptr), intent(inout) :: transposition
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_grid_transpose_free
    end function
    function c_gemm(comm, grid_rows, grid_columns, element, transa, transb, m, n, k, alpha, a, at, b, bt, beta, c, ct, &
      options, error) bind(C, name="hcube_fortran_gemm")
      import
      integer(c_int), value :: comm
      integer(c_int32_t), value :: grid_rows, grid_columns, element
      character(kind=c_char), value :: transa, transb
      integer(c_int64_t), value :: m, n, k
      type(*), intent(in) :: alpha, a(*)
      type(hcube_matrix), intent(in) :: at
      type(*), intent(in) :: b(*)
      type(hcube_matrix), intent(in) :: bt
      type(*), intent(in) :: beta
      type(*) :: c(*)
      type(hcube_matrix), intent(in) :: ct
      type(hcube_gemm_options), intent(in), optional :: options
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_gemm
    end function
    function c_gemm_default_options(options, size, error) bind(C, name="hcube_gemm_default_options")
      import
      type(hcube_gemm_options), intent(inout) :: options
      integer(c_int64_t), value :: size
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_gemm_default_options
    end function
    function c_gemm_set_options(comm, options, error) bind(C, name="hcube_fortran_gemm_set_options")
      import
      integer(c_int), value :: comm
      type(hcube_gemm_options), intent(in), optional :: options
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_gemm_set_options
    end function
    function c_gemm_last_path(comm, text, length, error) bind(C, name="hcube_fortran_gemm_last_path")
      import
      integer(c_int), value :: comm
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_int64_t), value :: length
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_gemm_last_path
    end function
  end interface

  interface
    function c_strlen(text) bind(C, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  ! Returns the version of the library, for example 0.1.0.
  function hcube_version() result(version)
    character(len=:), allocatable :: version
    version = of_c(c_version())
  end function

  ! Returns a short description of an error code.
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
    integer(c_int32_t) :: code
    code = c_random_access_default_options(options, int(c_sizeof(options), c_int64_t), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_random_access_prepare(comm, ierror, options, message)
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    type(hcube_random_access_options), intent(in), optional :: options
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_random_access_prepare(comm, options, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_random_access_run(comm, table, updates, ierror, options, message)
    integer, intent(in) :: comm
    type(hcube_table), intent(in) :: table
    type(hcube_updates), intent(in) :: updates
    integer, intent(out) :: ierror
    type(hcube_random_access_options), intent(in), optional :: options
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_random_access_run(comm, table, updates, options, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_random_access_verify(comm, table, updates, errors, ierror, message)
    integer, intent(in) :: comm
    type(hcube_table), intent(in) :: table
    type(hcube_updates), intent(in) :: updates
    integer(c_int64_t), intent(inout) :: errors
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_random_access_verify(comm, table, updates, errors, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_random_access_last_statistics(comm, statistics, ierror, message)
    integer, intent(in) :: comm
    type(hcube_random_access_statistics), intent(out) :: statistics
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    statistics%struct_size = int(c_sizeof(statistics), c_int64_t)
    code = c_random_access_last_statistics(comm, statistics, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_random_access_describe(comm, text, ierror, options, message)
    integer, intent(in) :: comm
    character(len=*), intent(inout) :: text
    integer, intent(out) :: ierror
    type(hcube_random_access_options), intent(in), optional :: options
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    character(kind=c_char) :: line(len(text) + 1)
    integer(c_int32_t) :: code
    code = c_random_access_describe(comm, options, line, size(line, kind=c_int64_t), error)
    if (code == HCUBE_SUCCESS) call copy(line, text)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
    type(*), intent(in) :: sendbuf(*)
    integer, intent(in) :: sendcount, sendtype
    type(*) :: recvbuf(*)
    integer, intent(in) :: recvcount, recvtype, comm
    integer, intent(out) :: ierror
    ierror = c_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
  end subroutine

  ! Block i of the buffer (from 1) is replaced by the block that rank i - 1 has for this rank.
  subroutine hcube_alltoall_in_place(buffer, count, datatype, comm, ierror)
    type(*) :: buffer(*)
    integer, intent(in) :: count, datatype, comm
    integer, intent(out) :: ierror
    ierror = c_alltoall_in_place(buffer, count, datatype, comm)
  end subroutine

  subroutine hcube_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
    ierror)
    type(*), intent(in) :: sendbuf(*)
    integer, intent(in) :: sendcounts(*), sdispls(*), sendtype
    type(*) :: recvbuf(*)
    integer, intent(in) :: recvcounts(*), rdispls(*), recvtype, comm
    integer, intent(out) :: ierror
    ierror = c_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)
  end subroutine

  ! Counts and displacements are the same in both directions.
  subroutine hcube_alltoallv_in_place(buffer, counts, displs, datatype, comm, ierror)
    type(*) :: buffer(*)
    integer, intent(in) :: counts(*), displs(*), datatype, comm
    integer, intent(out) :: ierror
    ierror = c_alltoallv_in_place(buffer, counts, displs, datatype, comm)
  end subroutine

  ! Separate counts and displacements for both directions in one buffer: hcube_alltoallv_in_place in C.
  subroutine hcube_alltoallv_in_one_buffer(buffer, scounts, sdispls, rcounts, rdispls, datatype, comm, ierror)
    type(*) :: buffer(*)
    integer, intent(in) :: scounts(*), sdispls(*), rcounts(*), rdispls(*), datatype, comm
    integer, intent(out) :: ierror
    ierror = c_alltoallv_in_one_buffer(buffer, scounts, sdispls, rcounts, rdispls, datatype, comm)
  end subroutine

  ! Displacements are in bytes.
  subroutine hcube_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, &
    ierror)
    type(*), intent(in) :: sendbuf(*)
    integer, intent(in) :: sendcounts(*), sdispls(*), sendtypes(*)
    type(*) :: recvbuf(*)
    integer, intent(in) :: recvcounts(*), rdispls(*), recvtypes(*), comm
    integer, intent(out) :: ierror
    ierror = c_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)
  end subroutine

  ! Displacements are in bytes.
  subroutine hcube_alltoallw_in_place(buffer, counts, displs, datatypes, comm, ierror)
    type(*) :: buffer(*)
    integer, intent(in) :: counts(*), displs(*), datatypes(*), comm
    integer, intent(out) :: ierror
    ierror = c_alltoallw_in_place(buffer, counts, displs, datatypes, comm)
  end subroutine

  subroutine hcube_alltoall_default_options(options, ierror, message)
    type(hcube_alltoall_options), intent(out) :: options
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_alltoall_default_options(options, int(c_sizeof(options), c_int64_t), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_alltoall_set_options(comm, ierror, options, message)
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    type(hcube_alltoall_options), intent(in), optional :: options
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_alltoall_set_options(comm, options, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_alltoall_last_path(comm, path, ierror, message)
    integer, intent(in) :: comm
    character(len=*), intent(inout) :: path
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    character(kind=c_char) :: line(len(path) + 1)
    integer(c_int32_t) :: code
    code = c_alltoall_last_way(comm, line, size(line, kind=c_int64_t), error)
    if (code == HCUBE_SUCCESS) call copy(line, path)
    call settle(code, error, ierror, message)
  end subroutine

  ! Deprecated name of hcube_alltoall_last_path.
  subroutine hcube_alltoall_last_way(comm, way, ierror, message)
    integer, intent(in) :: comm
    character(len=*), intent(inout) :: way
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    call hcube_alltoall_last_path(comm, way, ierror, message)
  end subroutine

  subroutine hcube_transpose(input, output, shape, comm, ierror, message)
    type(*), intent(in) :: input(*)
    type(*) :: output(*)
    type(hcube_transpose_shape), intent(in) :: shape
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_transpose(input, output, shape, comm, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_transpose_in_place(matrix, shape, comm, ierror, message)
    type(*) :: matrix(*)
    type(hcube_transpose_shape), intent(in) :: shape
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_transpose_in_place(matrix, shape, comm, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_transpose_check(shape, in_place, comm, ierror, message)
    type(hcube_transpose_shape), intent(in) :: shape
    logical, intent(in) :: in_place
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_transpose_check(shape, merge(1_c_int32_t, 0_c_int32_t, in_place), comm, error)
    call settle(code, error, ierror, message)
  end subroutine

  ! memory: receives the handle. address: receives the C address of the local part, for c_f_pointer.
  subroutine hcube_grid_transpose_memory_create(bytes, comm, memory, address, ierror, message)
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: comm
    type(c_ptr), intent(inout) :: memory, address
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_grid_transpose_memory_create(bytes, comm, memory, address, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_grid_transpose_memory_free(memory, ierror, message)
    type(c_ptr), intent(inout) :: memory
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_grid_transpose_memory_free(memory, error)
    call settle(code, error, ierror, message)
  end subroutine

  ! memory: a handle of hcube_grid_transpose_memory_create, or c_null_ptr on all ranks.
  subroutine hcube_grid_transpose_create(shape, memory, comm, transposition, ierror, message)
    type(hcube_grid_transpose_shape), intent(in) :: shape
    type(c_ptr), intent(in) :: memory
    integer, intent(in) :: comm
    type(c_ptr), intent(inout) :: transposition
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_grid_transpose_create(shape, memory, comm, transposition, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_grid_transpose_execute(transposition, beta, a, lda, c, ldc, ierror, message)
    type(c_ptr), intent(in) :: transposition
    real(c_double), intent(in) :: beta, a(*)
    integer(c_int64_t), intent(in) :: lda
    real(c_double), intent(inout) :: c(*)
    integer(c_int64_t), intent(in) :: ldc
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_grid_transpose_execute(transposition, beta, a, lda, c, ldc, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_grid_transpose_describe(transposition, text, ierror, message)
    type(c_ptr), intent(in) :: transposition
    character(len=*), intent(inout) :: text
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    character(kind=c_char) :: line(len(text) + 1)
    integer(c_int32_t) :: code
    code = c_grid_transpose_describe(transposition, line, size(line, kind=c_int64_t), error)
    if (code == HCUBE_SUCCESS) call copy(line, text)
    call settle(code, error, ierror, message)
  end subroutine

  ! transposition: becomes c_null_ptr.
  subroutine hcube_grid_transpose_free(transposition, ierror, message)
    type(c_ptr), intent(inout) :: transposition
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_grid_transpose_free(transposition, error)
    call settle(code, error, ierror, message)
  end subroutine

  ! alpha and beta are scalars of the type of the elements. hcube/gemm.h describes comm and the matrices.
  subroutine hcube_gemm(comm, grid_rows, grid_columns, element, transa, transb, m, n, k, alpha, a, at, b, bt, beta, c, &
    ct, ierror, options, message)
    integer, intent(in) :: comm, grid_rows, grid_columns
    integer(c_int32_t), intent(in) :: element
    character, intent(in) :: transa, transb
    integer(c_int64_t), intent(in) :: m, n, k
    type(*), intent(in) :: alpha, a(*)
    type(hcube_matrix), intent(in) :: at
    type(*), intent(in) :: b(*)
    type(hcube_matrix), intent(in) :: bt
    type(*), intent(in) :: beta
    type(*) :: c(*)
    type(hcube_matrix), intent(in) :: ct
    integer, intent(out) :: ierror
    type(hcube_gemm_options), intent(in), optional :: options
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_gemm(comm, int(grid_rows, c_int32_t), int(grid_columns, c_int32_t), element, transa, transb, m, n, k, &
      alpha, a, at, b, bt, beta, c, ct, options, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_gemm_default_options(options, ierror, message)
    type(hcube_gemm_options), intent(out) :: options
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_gemm_default_options(options, int(c_sizeof(options), c_int64_t), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_gemm_set_options(comm, ierror, options, message)
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    type(hcube_gemm_options), intent(in), optional :: options
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_gemm_set_options(comm, options, error)
    call settle(code, error, ierror, message)
  end subroutine

  ! path: receives the name of the path.
  subroutine hcube_gemm_last_path(comm, path, ierror, message)
    integer, intent(in) :: comm
    character(len=*), intent(inout) :: path
    integer, intent(out) :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    character(kind=c_char) :: line(len(path) + 1)
    integer(c_int32_t) :: code
    code = c_gemm_last_path(comm, line, size(line, kind=c_int64_t), error)
    if (code == HCUBE_SUCCESS) call copy(line, path)
    call settle(code, error, ierror, message)
  end subroutine

  ! Returns the code and the message of a call, which is empty on success.
  subroutine settle(code, error, ierror, message)
    integer(c_int32_t), intent(in) :: code
    type(hcube_error), intent(in) :: error
    integer, intent(out) :: ierror
    character(len=*), intent(inout), optional :: message
    ierror = code
    if (present(message)) call copy(error%message, message)
  end subroutine

  ! Copies characters up to the zero byte, truncated to the length of the result.
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

  ! Converts a static C string of the library.
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
