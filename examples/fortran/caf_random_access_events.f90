! RandomAccess by software routing (Jin et al. 2011, Figure 6): batches of updates are sent along the dimensions of a
! hypercube of images. A copy to a partner begins when the partner has read the previous one (event received), and
! notifies its completion (event delivered).
!
!     caf_random_access_events [LOG_WORDS]      each image has 2**LOG_WORDS words of the table
!
! The updates are HPCC's, four for each word of the table. The hypercube has the largest power of two of images; others
! have no part in it.
program caf_random_access_events
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_loc
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi, only: MPI_INTEGER8, MPI_SUM, MPI_Wtime
  use hcube_caf
  implicit none
  integer, parameter :: min_logwords = 8, max_logwords = 30, batch = 1024, incoming = 1, outgoing = 2
  ! Values that an image has at a stage: 1024 are expected, and the standard deviation is 32.
  integer, parameter :: bufsize = 2 * batch
  integer(c_int64_t) :: world, cube, table_coarray, fwd_coarray, delivered, received, words
  integer(c_int64_t), pointer :: table(:), flat(:), fwd(:, :, :)
  integer(c_int64_t) :: ret(bufsize, 2), all_errors = 0
  integer :: images, me, logwords, world_logsize, retsizes(2), i

  call hcube_caf_init()
  call hcube_caf_team_world(world)
  call hcube_caf_team_size(world, images)
  call hcube_caf_team_rank(world, me)
  logwords = argument(20, min_logwords, max_logwords)
  world_logsize = bit_size(images) - 1 - leadz(images)
  call hcube_caf_team_split(world, merge(0_c_int64_t, -1_c_int64_t, me < 2**world_logsize), int(me, c_int64_t), cube)
  if (me < 2**world_logsize) call run()
  call hcube_caf_finalize()
  if (me == 0 .and. all_errors /= 0) stop 1

contains

  subroutine run()
    integer(c_int64_t) :: first, updates
    real(kind(1d0)) :: seconds
    call prepare()
    first = number_at(4 * words * me)
    updates = 4 * words * 2**world_logsize
    seconds = update_all(first)
    call verify(first)
    if (me == 0) print '(2(i0, a), f0.5, a, i0, a)', images, ' images, ', updates, ' updates, ', &
      updates / seconds * 1d-9, ' GUP/s, ', all_errors, ' errors'
  end subroutine

  subroutine prepare()
    words = 2_c_int64_t**logwords
    call hcube_caf_coarray_alloc(cube, [int(words)], table_coarray, table)
    call hcube_caf_coarray_alloc(cube, [(bufsize + 1) * 2 * max(world_logsize, 1)], fwd_coarray, flat)
    fwd(0:bufsize, incoming:outgoing, 0:max(world_logsize, 1) - 1) => flat
    call hcube_caf_event_alloc(cube, int(max(world_logsize, 1), c_int64_t), delivered)
    call hcube_caf_event_alloc(cube, int(max(world_logsize, 1), c_int64_t), received)
    do i = 0, int(words) - 1
      table(i + 1) = me * words + i
    end do
    ! Nothing is in the buffers of the partners yet.
    do i = 0, world_logsize - 1
      call hcube_caf_event_notify(received, int(i, c_int64_t), HCUBE_CAF_THIS_IMAGE)
    end do
  end subroutine

  ! All updates of this image; the result is the time in seconds.
  real(kind(1d0)) function update_all(first)
    integer(c_int64_t), intent(in) :: first
    integer(c_int64_t) :: value, round
    value = first
    call hcube_caf_barrier(cube)
    update_all = MPI_Wtime()
    do round = 1, 4 * words / batch
      do i = 1, batch
        value = next(value)
        ret(i, 1) = value
      end do
      retsizes(1) = batch
      call route_and_apply()
    end do
    call hcube_caf_barrier(cube)
    update_all = MPI_Wtime() - update_all
  end function

  ! Routes ret(:, 1) along all dimensions, and applies what arrives.
  subroutine route_and_apply()
    integer :: last, current, partner, from
    last = 1
    current = 2
    ! The copies of the last round have left their buffers.
    call hcube_caf_cofence()
    do i = world_logsize - 1, 0, -1
      partner = ieor(me, 2**i)
      fwd(0, outgoing, i) = 0
      retsizes(current) = 0
      call split(ret(:, last), retsizes(last), ret(:, current), retsizes(current), fwd(:, outgoing, i), i)
      if (i < world_logsize - 1) then
        from = ieor(me, 2**(i + 1))
        call hcube_caf_event_wait(delivered, int(i + 1, c_int64_t))
        call split(fwd(1:, incoming, i + 1), int(fwd(0, incoming, i + 1)), ret(:, current), retsizes(current), &
          fwd(:, outgoing, i), i)
        call hcube_caf_event_notify(received, int(i + 1, c_int64_t), from)
      end if
      call hcube_caf_copy_async(hcube_place(coarray=fwd_coarray, image=partner, offset=offset_of(incoming, i)), &
        hcube_place(memory=c_loc(fwd(0, outgoing, i))), 8 * (fwd(0, outgoing, i) + 1), &
        done=hcube_event(delivered, i, partner), predicate=hcube_event(received, i))
      last = current
      current = 3 - last
    end do

    call apply(ret(:, last), retsizes(last))
    if (world_logsize > 0) then
      call hcube_caf_event_wait(delivered, 0_c_int64_t)
      call apply(fwd(1:, incoming, 0), int(fwd(0, incoming, 0)))
      call hcube_caf_event_notify(received, 0_c_int64_t, ieor(me, 1))
    end if
  end subroutine

  ! Appends values to those that stay in this half of the cube and to those that leave it along dimension i.
  subroutine split(values, count, stay, stay_count, leave, i)
    integer(c_int64_t), intent(in) :: values(:)
    integer, intent(in) :: count, i
    integer(c_int64_t), intent(inout) :: stay(:), leave(0:)
    integer, intent(inout) :: stay_count
    integer :: j
    do j = 1, count
      if (max(int(leave(0)), stay_count) == bufsize) error stop 'too many updates for one image'
      if (btest(ieor(owner(values(j)), me), i)) then
        leave(0) = leave(0) + 1
        leave(leave(0)) = values(j)
      else
        stay_count = stay_count + 1
        stay(stay_count) = values(j)
      end if
    end do
  end subroutine

  subroutine apply(values, count)
    integer(c_int64_t), intent(in) :: values(:)
    integer, intent(in) :: count
    integer(c_int64_t) :: word
    integer :: j
    do j = 1, count
      word = iand(values(j), words - 1) + 1
      table(word) = ieor(table(word), values(j))
    end do
  end subroutine

  ! The same updates again, by atomic operations, must restore the table.
  subroutine verify(first)
    integer(c_int64_t), intent(in) :: first
    integer(c_int64_t) :: value, round, errors
    value = first
    do round = 1, 4 * words
      value = next(value)
      call hcube_caf_atomic(table_coarray, owner(value), 8 * iand(value, words - 1), HCUBE_CAF_XOR, value)
    end do
    call hcube_caf_barrier(cube)
    errors = 0
    do i = 0, int(words) - 1
      if (table(i + 1) /= me * words + i) errors = errors + 1
    end do
    call hcube_caf_reduce(cube, 0, errors, all_errors, 1_c_int64_t, MPI_INTEGER8, MPI_SUM)
  end subroutine

  ! Bytes from the beginning of fwd to a buffer.
  integer(c_int64_t) function offset_of(side, dimension)
    integer, intent(in) :: side, dimension
    offset_of = 8_c_int64_t * (bufsize + 1) * (side - incoming + 2 * dimension)
  end function

  ! The image that has the word.
  pure integer function owner(update)
    integer(c_int64_t), intent(in) :: update
    owner = int(iand(ishft(update, -logwords), 2_c_int64_t**world_logsize - 1))
  end function

  ! The next number of HPCC's sequence: times x, modulo x**64 + x**2 + x + 1.
  pure integer(c_int64_t) function next(value)
    integer(c_int64_t), intent(in) :: value
    next = ieor(ishft(value, 1), merge(7_c_int64_t, 0_c_int64_t, value < 0))
  end function

  ! The number at a place of the sequence: a power of x, by squares.
  pure integer(c_int64_t) function number_at(place)
    integer(c_int64_t), intent(in) :: place
    integer(c_int64_t) :: square
    integer :: bit, i
    number_at = 1
    do bit = 63, 0, -1
      square = 0
      do i = 63, 0, -1
        square = next(square)
        if (btest(number_at, i)) square = ieor(square, number_at)
      end do
      number_at = square
      if (btest(place, bit)) number_at = next(square)
    end do
  end function

  ! The number on the command line, or the default.
  integer function argument(preset, smallest, largest)
    integer, intent(in) :: preset, smallest, largest
    character(len=20) :: text
    integer :: problem
    argument = preset
    if (command_argument_count() == 0) return
    call get_command_argument(1, text, status=problem)
    if (problem == 0) read (text, '(i20)', iostat=problem) argument
    if (problem == 0 .and. argument >= smallest .and. argument <= largest) return
    if (me == 0) write (error_unit, '(3a, i0, a, i0)') 'caf_random_access_events: LOG_WORDS ', trim(text), &
      ': expected ', smallest, ' to ', largest
    call hcube_caf_finalize()
    stop 1
  end function
end program
