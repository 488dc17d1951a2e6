! RandomAccess on a table of 2^18 words, with the older bindings: handles are integers.
program random_access
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_loc
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  use hcube
  implicit none
  integer(c_int64_t), parameter :: words_of_all = 2_c_int64_t**18
  type(hcube_random_access_options) :: options
  type(hcube_random_access_statistics) :: statistics
  type(hcube_table) :: table
  type(hcube_updates) :: updates
  integer(c_int64_t), allocatable, target :: words(:)
  integer(c_int64_t) :: least, longer, errors, made, i
  character(len=300) :: message, line
  integer :: rank, ranks, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)

  ! Contiguous blocks in rank order; the first ranks have one more word if the division leaves a remainder.
  least = words_of_all / ranks
  longer = mod(words_of_all, int(ranks, c_int64_t))
  table%global_length = words_of_all
  table%local_length = least + merge(1, 0, rank < longer)
  table%first_index = rank * least + min(int(rank, c_int64_t), longer)
  allocate (words(table%local_length))
  words = [(table%first_index + i, i = 0, table%local_length - 1)]
  table%words = c_loc(words)

  updates%stream = HCUBE_STREAM_POLYNOMIAL
  updates%start = 4 * table%first_index
  updates%count = 4 * table%local_length

  call hcube_random_access_default_options(options, ierror, message)
  if (ierror /= HCUBE_SUCCESS) call fail(message)
  options%look_ahead = 512
  call hcube_random_access_describe(MPI_COMM_WORLD, line, ierror, options, message)
  if (ierror /= HCUBE_SUCCESS) call fail(message)
  call hcube_random_access_run(MPI_COMM_WORLD, table, updates, ierror, options, message)
  if (ierror /= HCUBE_SUCCESS) call fail(message)
  call hcube_random_access_last_statistics(MPI_COMM_WORLD, statistics, ierror, message)
  if (ierror /= HCUBE_SUCCESS) call fail(message)
  call hcube_random_access_verify(MPI_COMM_WORLD, table, updates, errors, ierror, message)
  if (ierror /= HCUBE_SUCCESS) call fail(message)

  call MPI_Allreduce(statistics%applied, made, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) then
    print '(4a)', 'hcube ', hcube_version(), ': ', trim(line)
    print '(i0, a, i0, a, i0, a)', ranks, ' ranks, ', made, ' updates, ', errors, ' errors'
  end if

  call MPI_Finalize(ierror)
  if (errors /= 0) stop 1

contains

  subroutine fail(why)
    character(len=*), intent(in) :: why
    integer :: code
    write (error_unit, '(a)') trim(why)
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine
end program
