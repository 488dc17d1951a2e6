! RandomAccess by function shipping: each update is a function that runs on the image that has the word, so no word is
! read or written by another image. The finish block ends when all of them have run.
module updates
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int32_t, c_int64_t, c_ptr
  implicit none
  integer(c_int64_t), parameter :: words = 2_c_int64_t**12
  integer(c_int64_t), pointer :: table(:)

contains

  ! The shipped function: the argument is the update.
  subroutine update(image, arguments, bytes) bind(C)
    integer(c_int32_t), value :: image
    type(c_ptr), value :: arguments
    integer(c_int64_t), value :: bytes
    integer(c_int64_t), pointer :: what
    integer(c_int64_t) :: word
    if (image < 0 .or. bytes /= 8) error stop 'update: expected an image and 8 bytes'
    call c_f_pointer(arguments, what)
    word = iand(what, words - 1) + 1
    table(word) = ieor(table(word), what)
  end subroutine

  ! Pseudo-random numbers.
  pure integer(c_int64_t) function next(state)
    integer(c_int64_t), intent(in) :: state
    next = ieor(state, ishft(state, 13))
    next = ieor(next, ishft(next, -7))
    next = ieor(next, ishft(next, 17))
  end function
end module

program caf_random_access_spawn
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use mpi, only: MPI_INTEGER8, MPI_SUM
  use hcube_caf
  use updates
  implicit none
  integer(c_int64_t), parameter :: team = HCUBE_CAF_DEFAULT_TEAM
  integer(c_int64_t) :: table_coarray, value, errors, all_errors
  integer :: images, me, number, round, i

  call hcube_caf_init()
  call hcube_caf_team_size(team, images)
  call hcube_caf_team_rank(team, me)
  call hcube_caf_coarray_alloc(team, [int(words)], table_coarray, table)
  table = [(me * words + i, i = 0, int(words) - 1)]
  call hcube_caf_register(update, number)

  ! No image may get an update before it has filled its part of the table.
  call hcube_caf_barrier(team)
  value = 88172645463325252_c_int64_t + 7919 * me
  call hcube_caf_finish_begin(team)
  do round = 1, int(4 * words)
    value = next(value)
    call hcube_caf_spawn(team, owner(value), number, value, 8_c_int64_t)
  end do
  call hcube_caf_finish_end()

  ! A second round of the same updates, by atomic operations, must restore the table.
  value = 88172645463325252_c_int64_t + 7919 * me
  do round = 1, int(4 * words)
    value = next(value)
    call hcube_caf_atomic(table_coarray, owner(value), 8 * iand(value, words - 1), HCUBE_CAF_XOR, value)
  end do
  call hcube_caf_barrier(team)
  errors = count(table /= [(me * words + i, i = 0, int(words) - 1)])
  call hcube_caf_reduce(team, 0, errors, all_errors, 1_c_int64_t, MPI_INTEGER8, MPI_SUM)
  if (me == 0) print '(3(i0, a))', images, ' images, ', 4 * words * images, ' updates, ', all_errors, ' errors'
  call hcube_caf_finalize()
  if (me == 0 .and. all_errors /= 0) stop 1

contains

  ! The image that has the word.
  integer function owner(what)
    integer(c_int64_t), intent(in) :: what
    owner = int(modulo(ishft(what, -13), int(images, c_int64_t)))
  end function
end program
