! RandomAccess by software routing (Figure 6 of the paper): batches of updates travel along the dimensions of a
! hypercube of images. A copy to a partner begins when the partner has read the one before (event received), and says
! when it has arrived (event delivered).
!
! The hypercube has the largest power of two of images; others have no part in it.
program caf_random_access_events
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_loc
  use mpi, only: MPI_INTEGER8, MPI_SUM
  use hcube_caf
  implicit none
  integer, parameter :: logwords = 12, batch = 1024, incoming = 1, outgoing = 2
  ! Values that an image has at a stage: 1024 are expected, and the standard deviation is 32.
  integer, parameter :: bufsize = 2 * batch
  integer(c_int64_t), parameter :: words = 2_c_int64_t**logwords
  integer(c_int64_t) :: world, cube, table_coarray, fwd_coarray, delivered, received, errors, all_errors
  integer(c_int64_t), pointer :: table(:), flat(:), fwd(:, :, :)
  integer(c_int64_t) :: ret(bufsize, 2), value
  integer :: images, me, world_logsize, retsizes(2), round, i

  call hcube_caf_init()
  call hcube_caf_team_world(world)
  call hcube_caf_team_size(world, images)
  call hcube_caf_team_rank(world, me)
  world_logsize = bit_size(images) - 1 - leadz(images)
  call hcube_caf_team_split(world, merge(0_c_int64_t, -1_c_int64_t, me < 2**world_logsize), int(me, c_int64_t), cube)
  if (me < 2**world_logsize) call run()
  call hcube_caf_finalize()
  if (me == 0 .and. all_errors /= 0) stop 1

contains

  subroutine run()
    call hcube_caf_coarray_alloc(cube, [int(words)], table_coarray, table)
    call hcube_caf_coarray_alloc(cube, [(bufsize + 1) * 2 * max(world_logsize, 1)], fwd_coarray, flat)
    fwd(0:bufsize, incoming:outgoing, 0:max(world_logsize, 1) - 1) => flat
    call hcube_caf_event_alloc(cube, int(max(world_logsize, 1), c_int64_t), delivered)
    call hcube_caf_event_alloc(cube, int(max(world_logsize, 1), c_int64_t), received)
    table = [(me * words + i, i = 0, int(words) - 1)]
    ! Nothing is in the buffers of the partners yet.
    do i = 0, world_logsize - 1
      call hcube_caf_event_notify(received, int(i, c_int64_t), HCUBE_CAF_THIS_IMAGE)
    end do
    call hcube_caf_barrier(cube)

    value = seed(me)
    do round = 1, int(4 * words / batch)
      call generate(ret(:, 1), retsizes(1))
      call route_and_apply()
    end do
    call hcube_caf_barrier(cube)
    call verify()
  end subroutine

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

  ! A second round of the same updates, by atomic operations, must restore the table.
  subroutine verify()
    integer(c_int64_t) :: update
    update = seed(me)
    do round = 1, int(4 * words)
      update = next(update)
      call hcube_caf_atomic(table_coarray, owner(update), 8 * iand(update, words - 1), HCUBE_CAF_XOR, update)
    end do
    call hcube_caf_barrier(cube)
    errors = count(table /= [(me * words + i, i = 0, int(words) - 1)])
    call hcube_caf_reduce(cube, 0, errors, all_errors, 1_c_int64_t, MPI_INTEGER8, MPI_SUM)
    if (me == 0) print '(3(i0, a))', images, ' images, ', 4 * words * 2**world_logsize, ' updates, ', all_errors, &
      ' errors'
  end subroutine

  subroutine generate(values, count)
    integer(c_int64_t), intent(out) :: values(:)
    integer, intent(out) :: count
    do count = 1, batch
      value = next(value)
      values(count) = value
    end do
    count = batch
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

  ! Pseudo-random numbers, a sequence for each image.
  pure integer(c_int64_t) function seed(image)
    integer, intent(in) :: image
    seed = 88172645463325252_c_int64_t + 7919 * image
  end function

  pure integer(c_int64_t) function next(state)
    integer(c_int64_t), intent(in) :: state
    next = ieor(state, ishft(state, 13))
    next = ieor(next, ishft(next, -7))
    next = ieor(next, ishft(next, 17))
  end function
end program
