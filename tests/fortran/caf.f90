! Every procedure of the module hcube_caf, with results and refusals checked. Prints `ok <images> <checks>`.
module shipped
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int32_t, c_int64_t, c_ptr
  use hcube_caf, only: HCUBE_CAF_DEFAULT_TEAM, hcube_caf_spawn
  implicit none
  integer :: runs = 0, number = -1, next = 0

contains

  ! Ships itself on, as often as the argument says.
  subroutine work(image, arguments, bytes) bind(C)
    integer(c_int32_t), value :: image
    type(c_ptr), value :: arguments
    integer(c_int64_t), value :: bytes
    integer(c_int64_t), pointer :: left
    if (image < 0 .or. bytes /= 8) error stop 'work: wrong arguments'
    call c_f_pointer(arguments, left)
    runs = runs + 1
    if (left > 0) call hcube_caf_spawn(HCUBE_CAF_DEFAULT_TEAM, next, number, left - 1, 8_c_int64_t)
  end subroutine

  ! Descending.
  function compare(first, second) bind(C) result(order)
    type(c_ptr), value :: first, second
    integer(c_int32_t) :: order
    integer(c_int64_t), pointer :: a, b
    call c_f_pointer(first, a)
    call c_f_pointer(second, b)
    order = merge(1, 0, a < b) - merge(1, 0, a > b)
  end function
end module

program caf
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_double_complex, c_float, c_int32_t, c_int64_t, &
    c_loc, c_null_ptr, c_ptr, c_sizeof
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi, only: MPI_Barrier, MPI_COMM_WORLD, MPI_INTEGER8, MPI_OP_NULL, MPI_SUM
  use hcube_caf
  use shipped
  implicit none
  integer, parameter :: i8 = c_int64_t, this = HCUBE_CAF_THIS_IMAGE
  integer(c_int64_t), parameter :: word = 8
  integer(c_int64_t) :: world, coarray, events
  integer(c_int64_t), pointer :: part(:)
  integer :: me, images, checks, ierror
  character(len=300) :: message

  checks = 0
  message = ''
  call hcube_caf_barrier(HCUBE_CAF_DEFAULT_TEAM, ierror, message)
  call require(ierror /= HCUBE_SUCCESS .and. index(message, 'before hcube_caf_init') > 0, 'before hcube_caf_init')
  call hcube_caf_init(ierror, message)
  call require(ierror == HCUBE_SUCCESS .and. message == '', 'init')
  call hcube_caf_team_world(world)
  call hcube_caf_team_size(world, images)
  call hcube_caf_team_rank(world, me)
  next = mod(me + 1, images)
  call hcube_caf_coarray_alloc(world, [64], coarray, part)
  call hcube_caf_event_alloc(world, 3_i8, events)
  call life_and_teams()
  call allocation()
  call put_and_get()
  call sections()
  call atomics()
  call events_of_images()
  call locks_of_images()
  call asynchronous_operations()
  call collectives()
  call functions()
  call refusals()
  call hcube_caf_event_free(events)
  call hcube_caf_coarray_free(coarray)
  if (command_argument_count() > 0) then
    ! All have returned from the functions above: a failure is an error in all functions that wait.
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    if (me == images - 1) call hcube_caf_fail_image()
    call hcube_caf_barrier(world, ierror, message)
    call require(ierror == HCUBE_ERR_FAILED_IMAGE .and. message /= '', 'barrier with a failed image')
    call hcube_caf_finalize(ierror, message)
    call require(ierror == HCUBE_ERR_FAILED_IMAGE, 'finalize with a failed image')
  else
    call hcube_caf_finalize()
  end if
  if (me == 0) print '(a, i0, a, i0)', 'ok ', images, ' ', checks

contains

  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (.not. condition) then
      write (error_unit, '(4a)') what, ': ', 'not as expected: ', trim(message)
      error stop 1
    end if
    checks = checks + 1
  end subroutine

  ! The image at a distance, around the ring.
  integer function at(distance)
    integer, intent(in) :: distance
    at = modulo(me + distance, images)
  end function

  subroutine barrier()
    call hcube_caf_barrier(world)
  end subroutine

  subroutine life_and_teams()
    integer(c_int64_t) :: halves, none, number_of_images
    integer :: rank, members, status, list(2)
    type(hcube_caf_statistics) :: statistics
    call hcube_caf_progress()
    call hcube_caf_image_status(world, at(1), status)
    call require(status == HCUBE_CAF_ALIVE, 'status')
    list = -1
    call hcube_caf_images_with_status(world, HCUBE_CAF_FAILED, list, number_of_images)
    call require(number_of_images == 0 .and. all(list == -1), 'images with a status')
    call hcube_caf_team_split(world, int(mod(me, 2), i8), int(-me, i8), halves)
    call hcube_caf_team_push(halves)
    call hcube_caf_team_size(HCUBE_CAF_DEFAULT_TEAM, members)
    call hcube_caf_team_rank(HCUBE_CAF_DEFAULT_TEAM, rank)
    call require(members == (images + 1 - mod(me, 2)) / 2 .and. rank == members - 1 - me / 2, 'split')
    call hcube_caf_team_pop()
    call hcube_caf_team_split(world, -1_i8, 0_i8, none)
    call require(none == 0, 'no team')
    call hcube_caf_team_free(halves)
    call hcube_caf_last_statistics(statistics)
    call require(statistics%spawned == 0 .and. statistics%struct_size == c_sizeof(statistics), 'statistics')
    call require(statistics%team_words > 0 .or. images == 1, 'last field of the statistics')
  end subroutine

  ! Arrays of each type and rank.
  subroutine allocation()
    real(c_double), pointer :: r8(:), r8m(:, :)
    real(c_float), pointer :: r4(:), r4m(:, :)
    integer(c_int64_t), pointer :: i8v(:), i8m(:, :)
    integer(c_int32_t), pointer :: i4(:), i4m(:, :)
    complex(c_double_complex), pointer :: z(:), zm(:, :)
    integer(c_int64_t) :: all(11)
    type(c_ptr) :: address, same
    integer :: i
    call hcube_caf_coarray_alloc(world, [3], all(1), r8)
    call hcube_caf_coarray_alloc(world, [3, 4], all(2), r8m)
    call hcube_caf_coarray_alloc(world, [3], all(3), r4)
    call hcube_caf_coarray_alloc(world, [3, 4], all(4), r4m)
    call hcube_caf_coarray_alloc(world, [3], all(5), i8v)
    call hcube_caf_coarray_alloc(world, [3, 4], all(6), i8m)
    call hcube_caf_coarray_alloc(world, [3], all(7), i4)
    call hcube_caf_coarray_alloc(world, [3, 4], all(8), i4m)
    call hcube_caf_coarray_alloc(world, [3], all(9), z)
    call hcube_caf_coarray_alloc(world, [3, 4], all(10), zm)
    call require(size(r8) + size(r4) + size(i8v) + size(i4) + size(z) == 15, 'vectors')
    call require(size(r8m) + size(r4m) + size(i8m) + size(i4m) + size(zm) == 60, 'matrices')
    call require(ubound(zm, 1) == 3 .and. ubound(zm, 2) == 4, 'extents')
    zm(3, 4) = cmplx(me, 1, c_double_complex)
    call barrier()
    call hcube_caf_get(all(10), at(1), 16_i8 * 11, z(2), 16_i8)
    call require(nint(real(z(2))) == at(1), 'get from a matrix')
    address = c_null_ptr
    call hcube_caf_coarray_alloc(world, 100_i8, all(11), address=address)
    call hcube_caf_address(all(11), same)
    call require(c_associated(address, same), 'address')
    do i = 1, 11
      call hcube_caf_coarray_free(all(i))
    end do
  end subroutine

  subroutine put_and_get()
    integer(c_int64_t) :: found(2), i
    type(hcube_copointer) :: there
    part = [(100_i8 * me + i, i = 0, 63)]
    call barrier()
    call hcube_caf_put(coarray, at(1), word * 40, 1000_i8 + me, word)
    call barrier()
    call require(part(41) == 1000 + at(-1), 'put')
    call hcube_caf_get(coarray, at(-1), word * 3, found, 2 * word)
    call require(all(found == 100 * at(-1) + [3, 4]), 'get')
    ! A section that is not contiguous is copied.
    call hcube_caf_put(coarray, this, word * 60, part(1:7:2), 4 * word)
    call require(all(part(61:64) == part(1:7:2)), 'put of a section')
    call hcube_caf_get(coarray, this, 0_i8, part(58:60:2), 2 * word)
    call require(all(part(58:60:2) == part(1:2)) .and. part(59) == 100 * me + 58, 'get to a section')
    call hcube_caf_copointer(coarray, at(1), word * 41, there)
    call hcube_caf_copointer_put(there, word, 2000_i8 + me, word)
    call hcube_caf_copointer_get(there, word, found(1), word)
    call require(found(1) == 2000 + me .and. there%bytes == word * 23, 'copointer')
    call barrier()
    call require(part(43) == 2000 + at(-1), 'put by a copointer')
    call barrier()
  end subroutine

  subroutine sections()
    integer(c_int64_t) :: values(4), found(4), i
    values = [(3000_i8 + 10 * me + i, i = 0, 3)]
    call hcube_caf_put_strided(coarray, at(1), word * 17, word, [2_i8, 2_i8], [16_i8, 32_i8], values(4:4), &
      from_strides=[-8_i8, -16_i8])
    call hcube_caf_get_strided(coarray, at(1), word * 17, word, [2_i8, 2_i8], [16_i8, 32_i8], found)
    call require(all(found == values(4:1:-1)), 'strided')
    found = 0
    call hcube_caf_get_strided(coarray, at(1), word * 17, word, [2_i8], [16_i8], found, into_strides=[24_i8])
    call require(found(1) == values(4) .and. found(4) == values(3) .and. all(found(2:3) == 0), 'strides of both')
    call hcube_caf_put_indexed(coarray, at(1), word * 30, word, [2_i8, 0_i8, 5_i8], values)
    call hcube_caf_get_indexed(coarray, at(1), word * 30, word, [5_i8, 2_i8], found)
    call require(found(1) == values(3) .and. found(2) == values(1), 'indexed')
    call barrier()
    call require(part(31) == 3000 + 10 * at(-1) + 1 .and. part(32) == 100 * me + 31, 'put by indices')
    call barrier()
  end subroutine

  subroutine atomics()
    integer(c_int64_t) :: before
    part(1:2) = [0, 12]
    call barrier()
    call hcube_caf_atomic(coarray, 0, 0_i8, HCUBE_CAF_ADD, 5_i8)
    call barrier()
    call hcube_caf_atomic(coarray, 0, 0_i8, HCUBE_CAF_LOAD, 0_i8, before=before)
    call require(before == 5 * images, 'add')
    call hcube_caf_atomic(coarray, at(1), word, HCUBE_CAF_COMPARE_SWAP, 77_i8, compare=12_i8, before=before)
    call require(before == 12, 'compare and swap')
    call barrier()
    call require(part(2) == 77, 'swapped')
    call barrier()
  end subroutine

  subroutine events_of_images()
    type(hcube_event) :: set(2), own(2)
    integer(c_int64_t) :: which
    logical :: notified
    set = [hcube_event(events, 1, at(1)), hcube_event(events, 2, at(1))]
    own = [hcube_event(events, 1), hcube_event(events, 2)]
    call hcube_caf_event_trywait(events, 0_i8, notified)
    call require(.not. notified, 'no notice')
    call barrier()
    call hcube_caf_event_notify(events, 0_i8, at(1))
    call hcube_caf_event_wait(events, 0_i8)
    call hcube_caf_event_notify(events, 0_i8, this)
    call hcube_caf_event_trywait(events, 0_i8, notified)
    call require(notified, 'a notice')
    call hcube_caf_eventset_notifyall(set)
    call hcube_caf_eventset_waitall(own)
    call hcube_caf_event_notify(events, 2_i8, at(1))
    call hcube_caf_eventset_waitany(own, which)
    call require(which == 2, 'any of two events')
  end subroutine

  subroutine locks_of_images()
    integer(c_int64_t) :: locks, value
    type(hcube_lock) :: set(2)
    logical :: acquired
    integer :: round
    call hcube_caf_lock_alloc(world, 2_i8, locks)
    part(3) = 0
    call barrier()
    set = [hcube_lock(locks, 0, 0), hcube_lock(locks, 1, 0)]
    do round = 1, 10
      call hcube_caf_lock(locks, 1_i8, 0)
      call hcube_caf_get(coarray, 0, word * 2, value, word)
      call hcube_caf_put(coarray, 0, word * 2, value + 1, word)
      call hcube_caf_unlock(locks, 1_i8, 0)
      call hcube_caf_lockset_lock(set)
      call hcube_caf_get(coarray, 0, word * 2, value, word)
      call hcube_caf_put(coarray, 0, word * 2, value + 1, word)
      call hcube_caf_lockset_unlock(set)
    end do
    call barrier()
    if (me == 0) call require(part(3) == 20 * images, 'locks')
    call hcube_caf_trylock(locks, 0_i8, this, acquired)
    call require(acquired, 'trylock')
    call barrier()
    if (images > 1) then
      call hcube_caf_trylock(locks, 0_i8, at(1), acquired)
      call require(.not. acquired, 'trylock of a lock that is held')
    end if
    call barrier()
    call hcube_caf_unlock(locks, 0_i8, this)
    call hcube_caf_lock_free(locks)
  end subroutine

  subroutine asynchronous_operations()
    integer(c_int64_t), asynchronous, target :: value, sent(16)
    type(hcube_event) :: begin, here
    type(hcube_copointer) :: there
    begin = hcube_event(events, 1)
    here = hcube_event(events, 2)
    value = 5000 + me
    call hcube_caf_copy_async(hcube_place(coarray=coarray, image=at(1), offset=word * 50), &
      hcube_place(memory=c_loc(value)), word, done=hcube_event(events, 0, at(1)), predicate=begin)
    call hcube_caf_event_notify(events, 1_i8, this)
    call hcube_caf_event_wait(events, 0_i8)
    call require(part(51) == 5000 + at(-1), 'copy with events')
    call hcube_caf_cofence()
    call hcube_caf_copointer(coarray, at(1), word * 50, there)
    value = 0
    call hcube_caf_copy_async(hcube_place(memory=c_loc(value)), hcube_place(copointer=there), word)
    call hcube_caf_cofence()
    call require(value == 5000 + me, 'copy from a copointer')
    sent = merge(42, 0, me == images - 1)
    call hcube_caf_broadcast_async(world, images - 1, sent, word * 16, done=here)
    call hcube_caf_event_wait(events, 2_i8)
    call require(all(sent == 42), 'broadcast')
    call hcube_caf_broadcast_async(world, 0, sent(1:16:2), word * 8, ierror, message=message)
    call require(ierror == HCUBE_ERR_ARGUMENT .and. index(message, 'contiguous') > 0, 'broadcast of a section')
    call hcube_caf_barrier_async(world, here)
    call hcube_caf_event_wait(events, 2_i8)
  end subroutine

  subroutine collectives()
    integer(c_int64_t) :: value, total, blocks(0:images - 1), received(0:images - 1), elements(8), i
    integer :: last
    last = images - 1
    value = merge(42, 0, me == last)
    call hcube_caf_broadcast(world, last, value, word)
    call require(value == 42, 'broadcast')
    call hcube_caf_gather(world, last, 10_i8 * me, word, received)
    if (me == last) call require(all(received == [(10 * i, i = 0, last)]), 'gather')
    blocks = [(100 * me + i, i = 0, last)]
    call hcube_caf_scatter(world, last, blocks, word, value)
    call require(value == 100 * last + me, 'scatter')
    call hcube_caf_allgather(world, value, word, received)
    call require(all(received == [(100 * last + i, i = 0, last)]), 'allgather')
    call hcube_caf_alltoall(world, blocks, word, received)
    call require(all(received == [(100 * i + me, i = 0, last)]), 'alltoall')
    call hcube_caf_shift(world, -1_i8, int(me, i8), word, value)
    call require(value == at(1), 'shift')
    call hcube_caf_permute(world, last - me, int(me, i8), word, value)
    call require(value == last - me, 'permute')
    total = -1
    call hcube_caf_reduce(world, last, me + 1_i8, total, 1_i8, MPI_INTEGER8, MPI_SUM)
    if (me == last) call require(total == images * (images + 1) / 2, 'reduce')
    call hcube_caf_allreduce(world, me + 1_i8, total, 1_i8, MPI_INTEGER8, MPI_SUM)
    call require(total == images * (images + 1) / 2, 'allreduce')
    call hcube_caf_scan(world, me + 1_i8, total, 1_i8, MPI_INTEGER8, MPI_SUM, .true.)
    call require(total == (me + 1) * (me + 2) / 2, 'inclusive scan')
    total = 0
    call hcube_caf_scan(world, me + 1_i8, total, 1_i8, MPI_INTEGER8, MPI_SUM, .false.)
    call require(total == me * (me + 1) / 2, 'exclusive scan')
    elements = [(mod(37 * (8 * me + i) + 11, 1009_i8), i = 0, 7)]
    call hcube_caf_sort(world, elements, 8_i8, word, compare)
    call require(all(elements(1:7) >= elements(2:8)), 'sort')
    call hcube_caf_shift(world, 1_i8, elements(8), word, value)
    call require(me == 0 .or. value >= elements(1), 'sort among images')
  end subroutine

  subroutine functions()
    integer(c_int64_t) :: total
    call hcube_caf_register(work, number)
    call require(number == 0, 'number')
    call barrier()
    call hcube_caf_finish_begin(world)
    call hcube_caf_spawn(world, at(1), number, 3_i8, word, done=hcube_event(events, 0))
    call hcube_caf_event_wait(events, 0_i8)
    call hcube_caf_finish_end()
    call hcube_caf_allreduce(world, int(runs, i8), total, 1_i8, MPI_INTEGER8, MPI_SUM)
    call require(total == 4 * images, 'shipped functions')
  end subroutine

  subroutine refusals()
    integer(c_int64_t) :: handle
    integer :: value
    real(c_double), pointer :: array(:)
    complex(c_double_complex), pointer :: matrix(:, :)
    call hcube_caf_put(coarray, images, 0_i8, 1_i8, word, ierror, message)
    call require(ierror == HCUBE_ERR_ARGUMENT .and. index(message, 'image = ') == 1, 'no such image')
    call hcube_caf_get(coarray, 0, word * 64, handle, word, ierror, message)
    call require(ierror == HCUBE_ERR_ARGUMENT, 'beyond the end')
    call hcube_caf_put_strided(coarray, 0, 0_i8, 2_i8**62, [4_i8], [8_i8], handle, ierror)
    call require(ierror == HCUBE_ERR_COUNT, 'a section of 2^64 bytes')
    value = -7
    call hcube_caf_team_rank(99999_i8, value, ierror, message)
    call require(ierror == HCUBE_ERR_ARGUMENT .and. value == -7 .and. index(message, 'team') > 0, 'no such team')
    handle = -7
    nullify (array)
    call hcube_caf_coarray_alloc(world, [-1], handle, array, ierror, message)
    call require(ierror /= HCUBE_SUCCESS .and. handle == -7 .and. .not. associated(array), 'negative extent')
    ! 2^64 bytes, and 2^63.
    nullify (matrix)
    call hcube_caf_coarray_alloc(world, [2**30, 2**30], handle, matrix, ierror, message)
    call require(ierror /= HCUBE_SUCCESS .and. handle == -7 .and. .not. associated(matrix), 'too many elements')
    call hcube_caf_coarray_alloc(world, [2**29, 2**30], handle, matrix, ierror, message)
    call require(ierror /= HCUBE_SUCCESS .and. handle == -7 .and. .not. associated(matrix), 'too many elements')
    call hcube_caf_spawn(world, 0, 17, 1_i8, word, ierror, message=message)
    call require(ierror == HCUBE_ERR_ARGUMENT .and. index(message, 'function = 17') == 1, 'no such function')
    call hcube_caf_allreduce(world, 1_i8, handle, 1_i8, MPI_INTEGER8, MPI_OP_NULL, ierror, message)
    call require(ierror == HCUBE_ERR_DATATYPE, 'no such operation')
  end subroutine
end program
