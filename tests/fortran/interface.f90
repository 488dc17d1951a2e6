! Every procedure of the module hcube, with results and refusals checked. Prints `ok <checks>`.
program interface
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_f_pointer, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  use hcube
  implicit none
  integer :: rank, ranks, ierror, checks, world
  character(len=300) :: message

  checks = 0
  ! These need no MPI, and the others say so.
  call require(hcube_version() == expected_version(), 'version')
  call require(len(hcube_error_string(HCUBE_ERR_TRUNCATE)) > 10, 'error string')
  call hcube_random_access_prepare(MPI_COMM_WORLD, ierror, message=message)
  call require(ierror == HCUBE_ERR_MPI_STATE .and. index(message, 'not initialised') > 0, 'before MPI_Init')

  call MPI_Init(ierror)
  ! Not the world itself, so that the number of the handle is one that MPI has returned.
  call MPI_Comm_dup(MPI_COMM_WORLD, world, ierror)
  call MPI_Comm_rank(world, rank, ierror)
  call MPI_Comm_size(world, ranks, ierror)
  call random_access()
  call equal_blocks()
  call blocks_of_different_lengths()
  call blocks_of_different_types()
  call different_blocks_in_one_buffer()
  call alltoall_options()
  call transpositions()
  call transpositions_on_a_grid()
  call refusals()
  if (rank == 0) print '(a, i0)', 'ok ', checks
  call MPI_Comm_free(world, ierror)
  call MPI_Finalize(ierror)

contains

  ! The version that the library under test has.
  function expected_version() result(version)
    character(len=:), allocatable :: version
    integer :: length
    call get_environment_variable('HCUBE_TEST_VERSION', length=length)
    allocate (character(len=length) :: version)
    call get_environment_variable('HCUBE_TEST_VERSION', version)
  end function

  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (.not. condition) then
      write (error_unit, '(4a)') what, ': ', 'not as expected: ', trim(message)
      error stop 1
    end if
    checks = checks + 1
  end subroutine

  ! The value of a rank for another at a position of a block.
  elemental integer function value(from, to, place)
    integer, intent(in) :: from, to, place
    value = (1000 * from + to) * 10 + place
  end function

  subroutine random_access()
    type(hcube_random_access_options) :: options
    type(hcube_random_access_statistics) :: statistics
    type(hcube_table) :: table
    type(hcube_updates) :: updates
    integer(c_int64_t), allocatable, target :: words(:)
    integer(c_int64_t) :: errors, all_words, i
    character(len=200) :: line
    all_words = 4096
    table%global_length = all_words
    table%local_length = all_words / ranks + merge(1, 0, rank < mod(all_words, int(ranks, c_int64_t)))
    table%first_index = rank * (all_words / ranks) + min(int(rank, c_int64_t), mod(all_words, int(ranks, c_int64_t)))
    allocate (words(table%local_length))
    words = [(table%first_index + i, i = 0, table%local_length - 1)]
    table%words = c_loc(words)
    updates = hcube_updates(HCUBE_STREAM_LCG, 4 * table%first_index, 4 * table%local_length)
    call hcube_random_access_default_options(options, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. message == '' .and. options%look_ahead == 1024, 'default options')
    call require(options%optimisations == HCUBE_OPTIMISATIONS_ALL, 'default optimisations')
    options%look_ahead = 64
    options%mode = HCUBE_MODE_MESSAGE
    call hcube_random_access_prepare(world, ierror, options, message)
    call require(ierror == HCUBE_SUCCESS, 'prepare')
    call hcube_random_access_describe(world, line, ierror, options, message)
    call require(ierror == HCUBE_SUCCESS .and. index(line, 'look-ahead 64') > 0, 'describe')
    call hcube_random_access_run(world, table, updates, ierror, options, message)
    call require(ierror == HCUBE_SUCCESS, 'run')
    ! Before the verification restores them.
    call require(any(words /= [(table%first_index + i, i = 0, table%local_length - 1)]), 'updated words')
    call hcube_random_access_last_statistics(world, statistics, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. statistics%generated == updates%count, 'generated values')
    call require(statistics%open_bound == 64 .and. statistics%shared_bytes == 0, 'options of the run')
    call require(statistics%total_seconds > 0, 'seconds')
    errors = -1
    call hcube_random_access_verify(world, table, updates, errors, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. errors == 0, 'verify')
    call require(all(words == [(table%first_index + i, i = 0, table%local_length - 1)]), 'restored words')
    ! Without options and message.
    call hcube_random_access_run(world, table, updates, ierror)
    call require(ierror == HCUBE_SUCCESS, 'run with defaults')
    table%words = c_null_ptr
    call hcube_random_access_run(world, table, updates, ierror, message=message)
    call require(ierror == HCUBE_ERR_ARGUMENT .and. index(message, 'table.words = NULL') > 0, 'no words')
  end subroutine

  subroutine equal_blocks()
    integer :: sent(3, 0:ranks - 1), received(3, 0:ranks - 1), other, i
    do other = 0, ranks - 1
      sent(:, other) = [(value(rank, other, i), i = 1, 3)]
    end do
    received = -1
    call hcube_alltoall(sent, 3, MPI_INTEGER, received, 3, MPI_INTEGER, world, ierror)
    call require(ierror == MPI_SUCCESS, 'alltoall')
    call hcube_alltoall_in_place(sent, 3, MPI_INTEGER, world, ierror)
    call require(ierror == MPI_SUCCESS .and. all(sent == received), 'alltoall in place')
    do other = 0, ranks - 1
      call require(all(received(:, other) == [(value(other, rank, i), i = 1, 3)]), 'received blocks')
    end do
    call served()
  end subroutine

  ! Blocks of one element to three, three elements apart.
  subroutine blocks_of_different_lengths()
    integer :: sent(3, 0:ranks - 1), received(3, 0:ranks - 1), other, i
    integer :: counts(0:ranks - 1), places(0:ranks - 1)
    do other = 0, ranks - 1
      sent(:, other) = [(value(rank, other, i), i = 1, 3)]
      counts(other) = 1 + mod(rank + other, 3)
      places(other) = 3 * other
    end do
    received = -1
    call hcube_alltoallv(sent, counts, places, MPI_INTEGER, received, counts, places, MPI_INTEGER, world, ierror)
    call require(ierror == MPI_SUCCESS, 'alltoallv')
    call hcube_alltoallv_in_place(sent, counts, places, MPI_INTEGER, world, ierror)
    call require(ierror == MPI_SUCCESS, 'alltoallv in place')
    do other = 0, ranks - 1
      associate (n => counts(other))
        call require(all(received(:n, other) == [(value(other, rank, i), i = 1, n)]), 'blocks received')
        call require(all(received(n + 1:, other) == -1), 'what lies between blocks received')
        call require(all(sent(:n, other) == received(:n, other)), 'blocks in place')
        call require(all(sent(n + 1:, other) == [(value(rank, other, i), i = n + 1, 3)]), 'what lies between blocks')
      end associate
    end do
    call served()
  end subroutine

  ! As many elements to the rank k behind as 1 + mod(k, 3), all blocks one behind the other in one buffer: blocks that are
  ! received lie where others were sent from.
  subroutine different_blocks_in_one_buffer()
    integer :: scounts(0:ranks - 1), sdispls(0:ranks - 1), rcounts(0:ranks - 1), rdispls(0:ranks - 1)
    integer :: buffer(3 * ranks), other, i
    scounts = [(1 + mod(modulo(other - rank, ranks), 3), other = 0, ranks - 1)]
    rcounts = [(1 + mod(modulo(rank - other, ranks), 3), other = 0, ranks - 1)]
    sdispls = [(sum(scounts(:other - 1)), other = 0, ranks - 1)]
    rdispls = [(sum(rcounts(:other - 1)), other = 0, ranks - 1)]
    buffer = -1
    do other = 0, ranks - 1
      buffer(sdispls(other) + 1:sdispls(other) + scounts(other)) = [(value(rank, other, i), i = 1, scounts(other))]
    end do
    call hcube_alltoallv_in_one_buffer(buffer, scounts, sdispls, rcounts, rdispls, MPI_INTEGER, world, ierror)
    call require(ierror == MPI_SUCCESS, 'alltoallv in one buffer')
    do other = 0, ranks - 1
      call require(all(buffer(rdispls(other) + 1:rdispls(other) + rcounts(other)) == &
        [(value(other, rank, i), i = 1, rcounts(other))]), 'blocks in one buffer')
    end do
  end subroutine

  ! Three integers, between ranks of even distance as one element of a type of three.
  subroutine blocks_of_different_types()
    integer :: sent(3, 0:ranks - 1), received(3, 0:ranks - 1), other, i, three
    integer :: counts(0:ranks - 1), places(0:ranks - 1), types(0:ranks - 1)
    call MPI_Type_contiguous(3, MPI_INTEGER, three, ierror)
    call MPI_Type_commit(three, ierror)
    do other = 0, ranks - 1
      sent(:, other) = [(value(rank, other, i), i = 1, 3)]
      counts(other) = merge(1, 3, mod(rank + other, 2) == 0)
      types(other) = merge(three, MPI_INTEGER, mod(rank + other, 2) == 0)
      places(other) = storage_size(sent) / 8 * 3 * other
    end do
    received = -1
    call hcube_alltoallw(sent, counts, places, types, received, counts, places, types, world, ierror)
    call require(ierror == MPI_SUCCESS, 'alltoallw')
    call hcube_alltoallw_in_place(sent, counts, places, types, world, ierror)
    call require(ierror == MPI_SUCCESS .and. all(sent == received), 'alltoallw in place')
    do other = 0, ranks - 1
      call require(all(received(:, other) == [(value(other, rank, i), i = 1, 3)]), 'blocks of their types')
    end do
    call served()
    call MPI_Type_free(three, ierror)
  end subroutine

  ! That the last exchange was hcube's.
  subroutine served()
    character(len=20) :: path
    call hcube_alltoall_last_path(world, path, ierror, message)
    call require(ierror == HCUBE_SUCCESS, 'last path')
    call require(path /= 'none' .and. path /= 'library' .and. path /= 'refused', 'path '//path)
  end subroutine

  subroutine alltoall_options()
    type(hcube_alltoall_options) :: options
    integer :: blocks(0:ranks - 1)
    character(len=20) :: path
    call hcube_alltoall_default_options(options, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. options%memory == 2**20, 'all-to-all defaults')
    options%path = HCUBE_PATH_MESSAGE
    options%schedule = HCUBE_ALLTOALL_LINEAR_SHIFT
    call hcube_alltoall_set_options(world, ierror, options, message)
    call require(ierror == HCUBE_SUCCESS, 'set options')
    blocks = rank
    call hcube_alltoall_in_place(blocks, 1, MPI_INTEGER, world, ierror)
    call hcube_alltoall_last_way(world, path, ierror)
    call require(path == merge('alone  ', 'message', ranks == 1), 'path by options, '//path)
    ! The defaults again.
    call hcube_alltoall_set_options(world, ierror)
    call require(ierror == HCUBE_SUCCESS, 'defaults again')
    options%path = 99
    call hcube_alltoall_set_options(world, ierror, options, message)
    call require(ierror == HCUBE_ERR_ARGUMENT .and. index(message, 'options.path = 99') > 0, 'an invalid path')
  end subroutine

  ! A square matrix: two of its rows on each rank, which are columns of Fortran's arrays.
  subroutine transpositions()
    type(hcube_transpose_shape) :: shape
    integer(c_int64_t) :: before(2 * ranks, 2), after(2 * ranks, 2), expected(2 * ranks, 2)
    integer :: row, column
    do row = 1, 2
      do column = 1, 2 * ranks
        before(column, row) = value(2 * rank + row, column, 0)
        expected(column, row) = value(column, 2 * rank + row, 0)
      end do
    end do
    shape = hcube_transpose_shape(2_c_int64_t * ranks, 2_c_int64_t * ranks, 8, 2, 2, 0, 0)
    call hcube_transpose_check(shape, .true., world, ierror, message)
    call require(ierror == HCUBE_SUCCESS, 'check')
    after = -1
    call hcube_transpose(before, after, shape, world, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. all(after == expected), 'transpose')
    call hcube_transpose_in_place(before, shape, world, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. all(before == expected), 'transpose in place')
    shape%columns = 2 * shape%columns
    shape%column_block = 4
    shape%transposed_out = 1
    call hcube_transpose_check(shape, .false., world, ierror)
    call require(ierror == HCUBE_SUCCESS, 'out of place every shape will do')
    shape%element_bytes = 0
    call hcube_transpose_check(shape, .false., world, ierror, message)
    call require(ierror == HCUBE_ERR_ARGUMENT .and. index(message, 'shape.element_bytes = 0') > 0, 'no bytes')
  end subroutine

  ! C = A' + C on a grid of one row: rank r has columns 2r + 1 and 2r + 2 of A, and as many of C. The first in memory of
  ! hcube, the second in memory of the program.
  subroutine transpositions_on_a_grid()
    type(hcube_grid_transpose_shape) :: shape
    type(c_ptr) :: memory, address, transposition
    real(c_double), pointer :: shared(:, :)
    real(c_double), target :: own(2 * ranks, 2)
    real(c_double) :: result(2 * ranks, 2)
    character(len=80) :: text
    integer(c_int64_t) :: order
    integer :: row, column
    order = 2 * ranks
    shape = hcube_grid_transpose_shape(order, order, 2, 2, 1, ranks)
    memory = c_null_ptr
    transposition = c_null_ptr
    call hcube_grid_transpose_memory_create(16 * order, world, memory, address, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. c_associated(memory), 'memory')
    call c_f_pointer(address, shared, [2 * ranks, 2])
    do column = 1, 2
      shared(:, column) = [(value(row, 2 * rank + column, 0), row = 1, 2 * ranks)]
    end do
    own = shared
    call hcube_grid_transpose_create(shape, memory, world, transposition, ierror, message)
    call require(ierror == HCUBE_SUCCESS, 'transposition')
    call hcube_grid_transpose_describe(transposition, text, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. index(text, 'memory of the node') > 0, 'description '//text)
    result = 1
    call hcube_grid_transpose_execute(transposition, 1.0_c_double, shared, order, result, order, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. is_transposed(result - 1), 'transposed in shared memory')
    if (ranks > 1) then
      call hcube_grid_transpose_execute(transposition, 1.0_c_double, own, order, result, order, ierror, message)
      call require(ierror == HCUBE_ERR_BUFFER .and. is_transposed(result - 1), 'memory of the program is refused')
    end if
    call hcube_grid_transpose_free(transposition, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. .not. c_associated(transposition), 'freed')
    call hcube_grid_transpose_memory_free(memory, ierror, message)
    call require(ierror == HCUBE_SUCCESS .and. .not. c_associated(memory), 'freed memory')
    call hcube_grid_transpose_create(shape, c_null_ptr, world, transposition, ierror)
    call hcube_grid_transpose_execute(transposition, 0.0_c_double, own, order, result, order, ierror)
    call require(ierror == HCUBE_SUCCESS .and. is_transposed(result), 'transposed by messages')
    call hcube_grid_transpose_free(transposition, ierror)
    shape%row_block = 0
    call hcube_grid_transpose_create(shape, c_null_ptr, world, transposition, ierror, message)
    call require(ierror == HCUBE_ERR_ARGUMENT .and. index(message, 'row_block = 0') > 0, 'no rows')
  end subroutine

  logical function is_transposed(matrix)
    real(c_double), intent(in) :: matrix(:, :)
    integer :: row, column
    is_transposed = all(nint(matrix) == &
      reshape([((value(2 * rank + column, row, 0), row = 1, 2 * ranks), column = 1, 2)], [2 * ranks, 2]))
  end function

  integer function class_of(code)
    integer, intent(in) :: code
    integer :: ignored
    call MPI_Error_class(code, class_of, ignored)
  end function

  ! Errors come back as codes, also for invalid handles.
  subroutine refusals()
    integer :: blocks(0:ranks - 1)
    character(len=9) :: short
    call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, ierror)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
    blocks = rank
    call hcube_alltoall_in_place(blocks, -1, MPI_INTEGER, world, ierror)
    call require(class_of(ierror) == MPI_ERR_COUNT .and. all(blocks == rank), 'a negative count')
    call hcube_alltoall_in_place(blocks, 1, MPI_DATATYPE_NULL, world, ierror)
    call require(class_of(ierror) == MPI_ERR_TYPE .and. all(blocks == rank), 'no datatype')
    call hcube_alltoallw_in_place(blocks, blocks, blocks, blocks, MPI_COMM_NULL, ierror)
    call require(class_of(ierror) == MPI_ERR_COMM, 'no communicator')
    call hcube_random_access_prepare(MPI_COMM_NULL, ierror, message=message)
    call require(ierror == HCUBE_ERR_COMM .and. index(message, 'MPI_COMM_NULL') > 0, 'no communicator here either')
    call hcube_random_access_prepare(123456789, ierror, message=message)
    call require(ierror == HCUBE_ERR_COMM, 'a number that is no communicator')
    ! Text that does not fit is truncated.
    call hcube_random_access_describe(world, short, ierror)
    call require(ierror == HCUBE_SUCCESS .and. len_trim(short) > 5, 'a short text')
  end subroutine
end program
