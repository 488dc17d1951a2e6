! Generated from fortran/hcube_caf.f90.in by 'make header'; do not edit.
!
! hcube for Fortran 2018: the functions of hcube/caf.h as subroutines, for coarray programs.
!
! Compile fortran/hcube.f90, then this file, then the program that uses both. The procedures are documented in
! hcube/caf.h, under the same names.
!
! Images, events, locks and offsets count from 0, as team_rank of Coarray Fortran 2.0 and as in hcube/caf.h. The only
! exception is which of hcube_caf_eventset_waitany: it is an index of a Fortran array and counts from 1. Handles are
! 64-bit integers. Buffers are variables of any type and rank; a non-contiguous section is copied. A pointer and a
! number of elements in C are one array here.
!
! ierror returns HCUBE_SUCCESS (0) or HCUBE_ERR_*. Without it, an error initiates error termination with a message, as
! for an image control statement without STAT=. message returns a text that names the wrong argument, as ERRMSG=.
module hcube_caf
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_double_complex, c_f_pointer, c_float, &
    c_funloc, c_funptr, c_int, c_int32_t, c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t, c_sizeof
  use hcube, only: hcube_error, HCUBE_CAF_ADD, HCUBE_CAF_ALIVE, HCUBE_CAF_AND, HCUBE_CAF_COMPARE_SWAP, &
    HCUBE_CAF_FAILED, HCUBE_CAF_LOAD, HCUBE_CAF_OR, HCUBE_CAF_STOPPED, HCUBE_CAF_SWAP, HCUBE_CAF_XOR, &
    HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER, HCUBE_ERR_COUNT, HCUBE_ERR_DATATYPE, HCUBE_ERR_FAILED_IMAGE, &
    HCUBE_ERR_MEMORY, HCUBE_ERR_MISMATCH, HCUBE_ERR_STOPPED_IMAGE, HCUBE_SUCCESS
  implicit none
  private

  ! Constants of hcube/caf.h.
  public :: HCUBE_CAF_ADD, HCUBE_CAF_ALIVE, HCUBE_CAF_AND, HCUBE_CAF_COMPARE_SWAP, HCUBE_CAF_FAILED, HCUBE_CAF_LOAD, &
    HCUBE_CAF_OR, HCUBE_CAF_STOPPED, HCUBE_CAF_SWAP, HCUBE_CAF_XOR
  public :: HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER, HCUBE_ERR_COUNT, HCUBE_ERR_DATATYPE, HCUBE_ERR_FAILED_IMAGE, &
    HCUBE_ERR_MEMORY, HCUBE_ERR_MISMATCH, HCUBE_ERR_STOPPED_IMAGE, HCUBE_SUCCESS
  integer, parameter, public :: HCUBE_CAF_THIS_IMAGE = -1
  ! The default team, with the kind of the arguments team.
  integer(c_int64_t), parameter, public :: HCUBE_CAF_DEFAULT_TEAM = 0

  type, bind(C), public :: hcube_caf_statistics
    integer(c_int64_t) :: struct_size, node_puts, node_gets, node_bytes, message_puts, message_gets, message_bytes, &
      atomics, lookups, link_reads, address_questions, spawned, executed, finish_rounds, team_words
  end type

  type, bind(C), public :: hcube_copointer
    integer(c_int64_t) :: place = 0, bytes = 0
  end type

  ! hcube_event(events, 3, partner): event 3 on the image partner.
  type, bind(C), public :: hcube_event
    integer(c_int64_t) :: events = 0, index = 0
    integer(c_int32_t) :: image = HCUBE_CAF_THIS_IMAGE, reserved = 0
  end type

  type, bind(C), public :: hcube_lock
    integer(c_int64_t) :: locks = 0, index = 0
    integer(c_int32_t) :: image = HCUBE_CAF_THIS_IMAGE, reserved = 0
  end type

  ! Source or destination of a copy: hcube_place(coarray=c, offset=8, image=partner), hcube_place(memory=c_loc(buffer)).
  type, bind(C), public :: hcube_place
    integer(c_int64_t) :: coarray = 0
    type(hcube_copointer) :: copointer = hcube_copointer(0, 0)
    type(c_ptr) :: memory = c_null_ptr
    integer(c_int64_t) :: offset = 0
    integer(c_int32_t) :: image = HCUBE_CAF_THIS_IMAGE, reserved = 0
  end type

  abstract interface
    ! A function that can be shipped. arguments is the C address of bytes bytes, for c_f_pointer.
    subroutine hcube_caf_function(image, arguments, bytes) bind(C)
      import :: c_int32_t, c_int64_t, c_ptr
      integer(c_int32_t), value :: image
      type(c_ptr), value :: arguments
      integer(c_int64_t), value :: bytes
    end subroutine

    ! Compares two elements: negative, 0 or positive, as for qsort.
    function hcube_caf_compare(first, second) bind(C) result(order)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: first, second
      integer(c_int32_t) :: order
    end function
  end interface
  public :: hcube_caf_function, hcube_caf_compare

  public :: hcube_caf_coarray_alloc, hcube_caf_eventset_waitany, hcube_caf_broadcast_async
  ! Collective. Arguments: (team, bytes, coarray [, ierror, address, message]); or, with an array pointer of rank 1 or 2
  ! that is associated with the part of this image, (team, extents, coarray, array [, ierror, message]), where extents is
  ! for example [rows, columns].
  interface hcube_caf_coarray_alloc
    module procedure coarray_alloc_bytes, alloc_real64_1, alloc_real64_2, alloc_real32_1, alloc_real32_2, &
      alloc_int64_1, alloc_int64_2, alloc_int32_1, alloc_int32_2, alloc_complex64_1, alloc_complex64_2
  end interface

  public :: hcube_caf_init, hcube_caf_finalize, hcube_caf_progress, hcube_caf_last_statistics, hcube_caf_fail_image, &
    hcube_caf_image_status, hcube_caf_images_with_status, hcube_caf_team_world, hcube_caf_team_split, &
    hcube_caf_team_free, hcube_caf_team_rank, hcube_caf_team_size, hcube_caf_team_push, hcube_caf_team_pop, &
    hcube_caf_coarray_free, hcube_caf_address, hcube_caf_put, hcube_caf_get, hcube_caf_put_strided, &
    hcube_caf_get_strided, hcube_caf_put_indexed, hcube_caf_get_indexed, hcube_caf_atomic, hcube_caf_copointer, &
    hcube_caf_copointer_put, hcube_caf_copointer_get, hcube_caf_barrier, hcube_caf_event_alloc, hcube_caf_event_free, &
    hcube_caf_event_notify, hcube_caf_event_wait, hcube_caf_event_trywait, hcube_caf_eventset_waitall, &
    hcube_caf_eventset_notifyall, hcube_caf_lock_alloc, hcube_caf_lock_free, hcube_caf_lock, hcube_caf_trylock, &
    hcube_caf_unlock, hcube_caf_lockset_lock, hcube_caf_lockset_unlock, hcube_caf_copy_async, hcube_caf_barrier_async, &
    hcube_caf_cofence, hcube_caf_broadcast, hcube_caf_gather, hcube_caf_scatter, hcube_caf_allgather, &
    hcube_caf_alltoall, hcube_caf_shift, hcube_caf_permute, hcube_caf_reduce, hcube_caf_allreduce, hcube_caf_scan, &
    hcube_caf_sort, hcube_caf_register, hcube_caf_spawn, hcube_caf_finish_begin, hcube_caf_finish_end

  interface
    function c_caf_init(error) bind(C, name="hcube_caf_init")
      import
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_init
    end function
    function c_caf_finalize(error) bind(C, name="hcube_caf_finalize")
      import
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_finalize
    end function
    function c_caf_progress(error) bind(C, name="hcube_caf_progress")
      import
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_progress
    end function
    function c_caf_last_statistics(statistics, error) bind(C, name="hcube_caf_last_statistics")
      import
      type(hcube_caf_statistics), intent(inout) :: statistics
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_last_statistics
    end function
    function c_caf_fail_image(error) bind(C, name="hcube_caf_fail_image")
      import
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_fail_image
    end function
    function c_caf_image_status(team, image, status, error) bind(C, name="hcube_caf_image_status")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), value :: image
      integer(c_int32_t), intent(inout) :: status
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_image_status
    end function
    function c_caf_images_with_status(team, status, images, room, count, error) bind(C, &
      name="hcube_caf_images_with_status")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), value :: status
      integer(c_int32_t), intent(inout) :: images(*)
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(inout) :: count
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_images_with_status
    end function
    function c_caf_team_world(team, error) bind(C, name="hcube_caf_team_world")
      import
      integer(c_int64_t), intent(inout) :: team
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_team_world
    end function
    function c_caf_team_split(parent, colour, key, team, error) bind(C, name="hcube_caf_team_split")
      import
      integer(c_int64_t), value :: parent, colour, key
      integer(c_int64_t), intent(inout) :: team
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_team_split
    end function
    function c_caf_team_free(team, error) bind(C, name="hcube_caf_team_free")
      import
      integer(c_int64_t), value :: team
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_team_free
    end function
    function c_caf_team_rank(team, rank, error) bind(C, name="hcube_caf_team_rank")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), intent(inout) :: rank
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_team_rank
    end function
    function c_caf_team_size(team, size, error) bind(C, name="hcube_caf_team_size")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), intent(inout) :: size
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_team_size
    end function
    function c_caf_team_push(team, error) bind(C, name="hcube_caf_team_push")
      import
      integer(c_int64_t), value :: team
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_team_push
    end function
    function c_caf_team_pop(error) bind(C, name="hcube_caf_team_pop")
      import
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_team_pop
    end function
    function c_caf_coarray_alloc(team, bytes, coarray, address, error) bind(C, name="hcube_caf_coarray_alloc")
      import
      integer(c_int64_t), value :: team, bytes
      integer(c_int64_t), intent(inout) :: coarray
      type(c_ptr), intent(inout), optional :: address
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_coarray_alloc
    end function
    function c_caf_coarray_free(coarray, error) bind(C, name="hcube_caf_coarray_free")
      import
      integer(c_int64_t), value :: coarray
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_coarray_free
    end function
    function c_caf_address(coarray, address, error) bind(C, name="hcube_caf_address")
      import
      integer(c_int64_t), value :: coarray
      type(c_ptr), intent(inout) :: address
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_address
    end function
    function c_caf_put(coarray, image, offset, from, bytes, error) bind(C, name="hcube_caf_put")
      import
      integer(c_int64_t), value :: coarray
      integer(c_int32_t), value :: image
      integer(c_int64_t), value :: offset
      type(c_ptr), value :: from
      integer(c_int64_t), value :: bytes
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_put
    end function
    function c_caf_get(coarray, image, offset, into, bytes, error) bind(C, name="hcube_caf_get")
      import
      integer(c_int64_t), value :: coarray
      integer(c_int32_t), value :: image
      integer(c_int64_t), value :: offset
      type(c_ptr), value :: into
      integer(c_int64_t), value :: bytes
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_get
    end function
    function c_caf_put_strided(coarray, image, offset, element_bytes, dimensions, counts, strides, from, from_strides, &
      error) bind(C, name="hcube_caf_put_strided")
      import
      integer(c_int64_t), value :: coarray
      integer(c_int32_t), value :: image
      integer(c_int64_t), value :: offset, element_bytes
      integer(c_int32_t), value :: dimensions
      integer(c_int64_t), intent(in) :: counts(*), strides(*)
      type(c_ptr), value :: from
      integer(c_int64_t), intent(in), optional :: from_strides(*)
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_put_strided
    end function
    function c_caf_get_strided(coarray, image, offset, element_bytes, dimensions, counts, strides, into, into_strides, &
      error) bind(C, name="hcube_caf_get_strided")
      import
      integer(c_int64_t), value :: coarray
      integer(c_int32_t), value :: image
      integer(c_int64_t), value :: offset, element_bytes
      integer(c_int32_t), value :: dimensions
      integer(c_int64_t), intent(in) :: counts(*), strides(*)
      type(c_ptr), value :: into
      integer(c_int64_t), intent(in), optional :: into_strides(*)
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_get_strided
    end function
    function c_caf_put_indexed(coarray, image, offset, element_bytes, count, indices, from, error) bind(C, &
      name="hcube_caf_put_indexed")
      import
      integer(c_int64_t), value :: coarray
      integer(c_int32_t), value :: image
      integer(c_int64_t), value :: offset, element_bytes, count
      integer(c_int64_t), intent(in) :: indices(*)
      type(c_ptr), value :: from
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_put_indexed
    end function
    function c_caf_get_indexed(coarray, image, offset, element_bytes, count, indices, into, error) bind(C, &
      name="hcube_caf_get_indexed")
      import
      integer(c_int64_t), value :: coarray
      integer(c_int32_t), value :: image
      integer(c_int64_t), value :: offset, element_bytes, count
      integer(c_int64_t), intent(in) :: indices(*)
      type(c_ptr), value :: into
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_get_indexed
    end function
    function c_caf_atomic(coarray, image, offset, operation, operand, compare, before, error) bind(C, &
      name="hcube_caf_atomic")
      import
      integer(c_int64_t), value :: coarray
      integer(c_int32_t), value :: image
      integer(c_int64_t), value :: offset
      integer(c_int32_t), value :: operation
      integer(c_int64_t), value :: operand, compare
      integer(c_int64_t), intent(inout), optional :: before
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_atomic
    end function
    function c_caf_copointer(coarray, image, offset, copointer, error) bind(C, name="hcube_caf_copointer")
      import
      integer(c_int64_t), value :: coarray
      integer(c_int32_t), value :: image
      integer(c_int64_t), value :: offset
      type(hcube_copointer), intent(inout) :: copointer
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_copointer
    end function
    function c_caf_copointer_put(copointer, offset, from, bytes, error) bind(C, name="hcube_caf_copointer_put")
      import
      type(hcube_copointer), intent(in) :: copointer
      integer(c_int64_t), value :: offset
      type(c_ptr), value :: from
      integer(c_int64_t), value :: bytes
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_copointer_put
    end function
    function c_caf_copointer_get(copointer, offset, into, bytes, error) bind(C, name="hcube_caf_copointer_get")
      import
      type(hcube_copointer), intent(in) :: copointer
      integer(c_int64_t), value :: offset
      type(c_ptr), value :: into
      integer(c_int64_t), value :: bytes
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_copointer_get
    end function
    function c_caf_barrier(team, error) bind(C, name="hcube_caf_barrier")
      import
      integer(c_int64_t), value :: team
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_barrier
    end function
    function c_caf_event_alloc(team, count, events, error) bind(C, name="hcube_caf_event_alloc")
      import
      integer(c_int64_t), value :: team, count
      integer(c_int64_t), intent(inout) :: events
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_event_alloc
    end function
    function c_caf_event_free(events, error) bind(C, name="hcube_caf_event_free")
      import
      integer(c_int64_t), value :: events
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_event_free
    end function
    function c_caf_event_notify(events, index, image, error) bind(C, name="hcube_caf_event_notify")
      import
      integer(c_int64_t), value :: events, index
      integer(c_int32_t), value :: image
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_event_notify
    end function
    function c_caf_event_wait(events, index, error) bind(C, name="hcube_caf_event_wait")
      import
      integer(c_int64_t), value :: events, index
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_event_wait
    end function
    function c_caf_event_trywait(events, index, notified, error) bind(C, name="hcube_caf_event_trywait")
      import
      integer(c_int64_t), value :: events, index
      integer(c_int32_t), intent(inout) :: notified
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_event_trywait
    end function
    function c_caf_eventset_waitany(events, count, which, error) bind(C, name="hcube_caf_eventset_waitany")
      import
      type(hcube_event), intent(in) :: events(*)
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(inout) :: which
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_eventset_waitany
    end function
    function c_caf_eventset_waitall(events, count, error) bind(C, name="hcube_caf_eventset_waitall")
      import
      type(hcube_event), intent(in) :: events(*)
      integer(c_int64_t), value :: count
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_eventset_waitall
    end function
    function c_caf_eventset_notifyall(events, count, error) bind(C, name="hcube_caf_eventset_notifyall")
      import
      type(hcube_event), intent(in) :: events(*)
      integer(c_int64_t), value :: count
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_eventset_notifyall
    end function
    function c_caf_lock_alloc(team, count, locks, error) bind(C, name="hcube_caf_lock_alloc")
      import
      integer(c_int64_t), value :: team, count
      integer(c_int64_t), intent(inout) :: locks
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_lock_alloc
    end function
    function c_caf_lock_free(locks, error) bind(C, name="hcube_caf_lock_free")
      import
      integer(c_int64_t), value :: locks
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_lock_free
    end function
    function c_caf_lock(locks, index, image, error) bind(C, name="hcube_caf_lock")
      import
      integer(c_int64_t), value :: locks, index
      integer(c_int32_t), value :: image
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_lock
    end function
    function c_caf_trylock(locks, index, image, acquired, error) bind(C, name="hcube_caf_trylock")
      import
      integer(c_int64_t), value :: locks, index
      integer(c_int32_t), value :: image
      integer(c_int32_t), intent(inout) :: acquired
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_trylock
    end function
    function c_caf_unlock(locks, index, image, error) bind(C, name="hcube_caf_unlock")
      import
      integer(c_int64_t), value :: locks, index
      integer(c_int32_t), value :: image
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_unlock
    end function
    function c_caf_lockset_lock(locks, count, error) bind(C, name="hcube_caf_lockset_lock")
      import
      type(hcube_lock), intent(in) :: locks(*)
      integer(c_int64_t), value :: count
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_lockset_lock
    end function
    function c_caf_lockset_unlock(locks, count, error) bind(C, name="hcube_caf_lockset_unlock")
      import
      type(hcube_lock), intent(in) :: locks(*)
      integer(c_int64_t), value :: count
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_lockset_unlock
    end function
    function c_caf_copy_async(destination, source, bytes, done, predicate, error) bind(C, name="hcube_caf_copy_async")
      import
      type(hcube_place), intent(in) :: destination, source
      integer(c_int64_t), value :: bytes
      type(hcube_event), intent(in), optional :: done, predicate
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_copy_async
    end function
    function c_caf_broadcast_async(team, root, buffer, bytes, done, error) bind(C, name="hcube_caf_broadcast_async")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), value :: root
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: bytes
      type(hcube_event), intent(in), optional :: done
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_broadcast_async
    end function
    function c_caf_barrier_async(team, done, error) bind(C, name="hcube_caf_barrier_async")
      import
      integer(c_int64_t), value :: team
      type(hcube_event), intent(in) :: done
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_barrier_async
    end function
    function c_caf_cofence(error) bind(C, name="hcube_caf_cofence")
      import
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_cofence
    end function
    function c_caf_broadcast(team, root, buffer, bytes, error) bind(C, name="hcube_caf_broadcast")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), value :: root
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: bytes
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_broadcast
    end function
    function c_caf_gather(team, root, from, bytes, into, error) bind(C, name="hcube_caf_gather")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), value :: root
      type(c_ptr), value :: from
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: into
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_gather
    end function
    function c_caf_scatter(team, root, from, bytes, into, error) bind(C, name="hcube_caf_scatter")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), value :: root
      type(c_ptr), value :: from
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: into
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_scatter
    end function
    function c_caf_allgather(team, from, bytes, into, error) bind(C, name="hcube_caf_allgather")
      import
      integer(c_int64_t), value :: team
      type(c_ptr), value :: from
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: into
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_allgather
    end function
    function c_caf_alltoall(team, from, bytes, into, error) bind(C, name="hcube_caf_alltoall")
      import
      integer(c_int64_t), value :: team
      type(c_ptr), value :: from
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: into
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_alltoall
    end function
    function c_caf_shift(team, distance, from, bytes, into, error) bind(C, name="hcube_caf_shift")
      import
      integer(c_int64_t), value :: team, distance
      type(c_ptr), value :: from
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: into
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_shift
    end function
    function c_caf_permute(team, destination, from, bytes, into, error) bind(C, name="hcube_caf_permute")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), value :: destination
      type(c_ptr), value :: from
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: into
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_permute
    end function
    function c_caf_reduce(team, root, from, into, count, datatype, operation, error) bind(C, &
      name="hcube_fortran_caf_reduce")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), value :: root
      type(c_ptr), value :: from, into
      integer(c_int64_t), value :: count
      integer(c_int), value :: datatype, operation
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_reduce
    end function
    function c_caf_allreduce(team, from, into, count, datatype, operation, error) bind(C, &
      name="hcube_fortran_caf_allreduce")
      import
      integer(c_int64_t), value :: team
      type(c_ptr), value :: from, into
      integer(c_int64_t), value :: count
      integer(c_int), value :: datatype, operation
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_allreduce
    end function
    function c_caf_scan(team, from, into, count, datatype, operation, inclusive, error) bind(C, &
      name="hcube_fortran_caf_scan")
      import
      integer(c_int64_t), value :: team
      type(c_ptr), value :: from, into
      integer(c_int64_t), value :: count
      integer(c_int), value :: datatype, operation
      integer(c_int32_t), value :: inclusive
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_scan
    end function
    function c_caf_sort(team, elements, count, element_bytes, compare, error) bind(C, name="hcube_caf_sort")
      import
      integer(c_int64_t), value :: team
      type(c_ptr), value :: elements
      integer(c_int64_t), value :: count, element_bytes
      type(c_funptr), value :: compare
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_sort
    end function
    function c_caf_register(function, number, error) bind(C, name="hcube_caf_register")
      import
      type(c_funptr), value :: function
      integer(c_int32_t), intent(inout) :: number
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_register
    end function
    function c_caf_spawn(team, image, function, arguments, bytes, done, error) bind(C, name="hcube_caf_spawn")
      import
      integer(c_int64_t), value :: team
      integer(c_int32_t), value :: image, function
      type(c_ptr), value :: arguments
      integer(c_int64_t), value :: bytes
      type(hcube_event), intent(in), optional :: done
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_spawn
    end function
    function c_caf_finish_begin(team, error) bind(C, name="hcube_caf_finish_begin")
      import
      integer(c_int64_t), value :: team
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_finish_begin
    end function
    function c_caf_finish_end(error) bind(C, name="hcube_caf_finish_end")
      import
      type(hcube_error), intent(inout) :: error
      integer(c_int32_t) :: c_caf_finish_end
    end function
  end interface

contains

  ! Initialisation and finalisation, progress, statistics, failed images.

  subroutine hcube_caf_init(ierror, message)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_init(error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_finalize(ierror, message)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_finalize(error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_progress(ierror, message)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_progress(error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_last_statistics(statistics, ierror, message)
    type(hcube_caf_statistics), intent(inout) :: statistics
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    statistics%struct_size = int(c_sizeof(statistics), c_int64_t)
    code = c_caf_last_statistics(statistics, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_fail_image(ierror, message)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_fail_image(error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_image_status(team, image, status, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: image
    integer, intent(inout) :: status
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: status_out, code
    status_out = 0
    code = c_caf_image_status(team, int(image, c_int32_t), status_out, error)
    if (code == HCUBE_SUCCESS) status = status_out
    call settle(code, error, ierror, message)
  end subroutine

  ! images: receives at most size(images) ranks; count receives the number of such images.
  subroutine hcube_caf_images_with_status(team, status, images, count, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: status
    integer, contiguous, intent(inout) :: images(:)
    integer(c_int64_t), intent(inout) :: count
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: images_out(size(images)), code
    images_out = images
    code = c_caf_images_with_status(team, int(status, c_int32_t), images_out, size(images, kind=c_int64_t), count, &
      error)
    if (code == HCUBE_SUCCESS) images = images_out
    call settle(code, error, ierror, message)
  end subroutine

  ! Teams.

  subroutine hcube_caf_team_world(team, ierror, message)
    integer(c_int64_t), intent(inout) :: team
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_team_world(team, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_team_split(parent, colour, key, team, ierror, message)
    integer(c_int64_t), intent(in) :: parent, colour, key
    integer(c_int64_t), intent(inout) :: team
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_team_split(parent, colour, key, team, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_team_free(team, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_team_free(team, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_team_rank(team, rank, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(inout) :: rank
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: rank_out, code
    rank_out = 0
    code = c_caf_team_rank(team, rank_out, error)
    if (code == HCUBE_SUCCESS) rank = rank_out
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_team_size(team, images, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(inout) :: images
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: images_out, code
    images_out = 0
    code = c_caf_team_size(team, images_out, error)
    if (code == HCUBE_SUCCESS) images = images_out
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_team_push(team, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_team_push(team, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_team_pop(ierror, message)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_team_pop(error)
    call settle(code, error, ierror, message)
  end subroutine

  ! Coarrays.

  subroutine coarray_alloc_bytes(team, bytes, coarray, ierror, address, message)
    integer(c_int64_t), intent(in) :: team, bytes
    integer(c_int64_t), intent(inout) :: coarray
    integer, intent(out), optional :: ierror
    type(c_ptr), intent(inout), optional :: address
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_coarray_alloc(team, bytes, coarray, address, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_coarray_free(coarray, ierror, message)
    integer(c_int64_t), intent(in) :: coarray
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_coarray_free(coarray, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_address(coarray, address, ierror, message)
    integer(c_int64_t), intent(in) :: coarray
    type(c_ptr), intent(inout) :: address
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_address(coarray, address, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_put(coarray, image, offset, from, bytes, ierror, message)
    integer(c_int64_t), intent(in) :: coarray
    integer, intent(in) :: image
    integer(c_int64_t), intent(in) :: offset
    type(*), contiguous, target, intent(in) :: from(..)
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_put(coarray, int(image, c_int32_t), offset, c_loc(from), bytes, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_get(coarray, image, offset, into, bytes, ierror, message)
    integer(c_int64_t), intent(in) :: coarray
    integer, intent(in) :: image
    integer(c_int64_t), intent(in) :: offset
    type(*), contiguous, target :: into(..)
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_get(coarray, int(image, c_int32_t), offset, c_loc(into), bytes, error)
    call settle(code, error, ierror, message)
  end subroutine

  ! size(counts) is the number of dimensions; strides and from_strides have the same size. Without from_strides, from is
  ! contiguous; with from_strides, pass the first element as from.
  subroutine hcube_caf_put_strided(coarray, image, offset, element_bytes, counts, strides, from, ierror, from_strides, &
    message)
    integer(c_int64_t), intent(in) :: coarray
    integer, intent(in) :: image
    integer(c_int64_t), intent(in) :: offset, element_bytes
    integer(c_int64_t), contiguous, intent(in) :: counts(:), strides(:)
    type(*), contiguous, target, intent(in) :: from(..)
    integer, intent(out), optional :: ierror
    integer(c_int64_t), contiguous, intent(in), optional :: from_strides(:)
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_put_strided(coarray, int(image, c_int32_t), offset, element_bytes, size(counts, kind=c_int32_t), &
      counts, strides, c_loc(from), from_strides, error)
    call settle(code, error, ierror, message)
  end subroutine

  ! As hcube_caf_put_strided.
  subroutine hcube_caf_get_strided(coarray, image, offset, element_bytes, counts, strides, into, ierror, into_strides, &
    message)
    integer(c_int64_t), intent(in) :: coarray
    integer, intent(in) :: image
    integer(c_int64_t), intent(in) :: offset, element_bytes
    integer(c_int64_t), contiguous, intent(in) :: counts(:), strides(:)
    type(*), contiguous, target :: into(..)
    integer, intent(out), optional :: ierror
    integer(c_int64_t), contiguous, intent(in), optional :: into_strides(:)
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_get_strided(coarray, int(image, c_int32_t), offset, element_bytes, size(counts, kind=c_int32_t), &
      counts, strides, c_loc(into), into_strides, error)
    call settle(code, error, ierror, message)
  end subroutine

  ! Indices count from 0.
  subroutine hcube_caf_put_indexed(coarray, image, offset, element_bytes, indices, from, ierror, message)
    integer(c_int64_t), intent(in) :: coarray
    integer, intent(in) :: image
    integer(c_int64_t), intent(in) :: offset, element_bytes
    integer(c_int64_t), contiguous, intent(in) :: indices(:)
    type(*), contiguous, target, intent(in) :: from(..)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_put_indexed(coarray, int(image, c_int32_t), offset, element_bytes, size(indices, kind=c_int64_t), &
      indices, c_loc(from), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_get_indexed(coarray, image, offset, element_bytes, indices, into, ierror, message)
    integer(c_int64_t), intent(in) :: coarray
    integer, intent(in) :: image
    integer(c_int64_t), intent(in) :: offset, element_bytes
    integer(c_int64_t), contiguous, intent(in) :: indices(:)
    type(*), contiguous, target :: into(..)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_get_indexed(coarray, int(image, c_int32_t), offset, element_bytes, size(indices, kind=c_int64_t), &
      indices, c_loc(into), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_atomic(coarray, image, offset, operation, operand, ierror, compare, before, message)
    integer(c_int64_t), intent(in) :: coarray
    integer, intent(in) :: image
    integer(c_int64_t), intent(in) :: offset
    integer(c_int32_t), intent(in) :: operation
    integer(c_int64_t), intent(in) :: operand
    integer, intent(out), optional :: ierror
    integer(c_int64_t), intent(in), optional :: compare
    integer(c_int64_t), intent(inout), optional :: before
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int64_t) :: compare_or_0
    integer(c_int32_t) :: code
    compare_or_0 = 0
    if (present(compare)) compare_or_0 = compare
    code = c_caf_atomic(coarray, int(image, c_int32_t), offset, operation, operand, compare_or_0, before, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_copointer(coarray, image, offset, copointer, ierror, message)
    integer(c_int64_t), intent(in) :: coarray
    integer, intent(in) :: image
    integer(c_int64_t), intent(in) :: offset
    type(hcube_copointer), intent(inout) :: copointer
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_copointer(coarray, int(image, c_int32_t), offset, copointer, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_copointer_put(copointer, offset, from, bytes, ierror, message)
    type(hcube_copointer), intent(in) :: copointer
    integer(c_int64_t), intent(in) :: offset
    type(*), contiguous, target, intent(in) :: from(..)
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_copointer_put(copointer, offset, c_loc(from), bytes, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_copointer_get(copointer, offset, into, bytes, ierror, message)
    type(hcube_copointer), intent(in) :: copointer
    integer(c_int64_t), intent(in) :: offset
    type(*), contiguous, target :: into(..)
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_copointer_get(copointer, offset, c_loc(into), bytes, error)
    call settle(code, error, ierror, message)
  end subroutine

  ! Barrier, events, locks.

  subroutine hcube_caf_barrier(team, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_barrier(team, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_event_alloc(team, count, events, ierror, message)
    integer(c_int64_t), intent(in) :: team, count
    integer(c_int64_t), intent(inout) :: events
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_event_alloc(team, count, events, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_event_free(events, ierror, message)
    integer(c_int64_t), intent(in) :: events
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_event_free(events, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_event_notify(events, index, image, ierror, message)
    integer(c_int64_t), intent(in) :: events, index
    integer, intent(in) :: image
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_event_notify(events, index, int(image, c_int32_t), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_event_wait(events, index, ierror, message)
    integer(c_int64_t), intent(in) :: events, index
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_event_wait(events, index, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_event_trywait(events, index, notified, ierror, message)
    integer(c_int64_t), intent(in) :: events, index
    logical, intent(inout) :: notified
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: notified_out, code
    notified_out = 0
    code = c_caf_event_trywait(events, index, notified_out, error)
    if (code == HCUBE_SUCCESS) notified = notified_out == 1
    call settle(code, error, ierror, message)
  end subroutine

  ! which: receives an index of events, from 1.
  subroutine hcube_caf_eventset_waitany(events, which, ierror, message)
    type(hcube_event), contiguous, intent(in) :: events(:)
    integer(c_int64_t), intent(inout) :: which
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_eventset_waitany(events, size(events, kind=c_int64_t), which, error)
    if (code == HCUBE_SUCCESS) which = which + 1
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_eventset_waitall(events, ierror, message)
    type(hcube_event), contiguous, intent(in) :: events(:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_eventset_waitall(events, size(events, kind=c_int64_t), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_eventset_notifyall(events, ierror, message)
    type(hcube_event), contiguous, intent(in) :: events(:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_eventset_notifyall(events, size(events, kind=c_int64_t), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_lock_alloc(team, count, locks, ierror, message)
    integer(c_int64_t), intent(in) :: team, count
    integer(c_int64_t), intent(inout) :: locks
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_lock_alloc(team, count, locks, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_lock_free(locks, ierror, message)
    integer(c_int64_t), intent(in) :: locks
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_lock_free(locks, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_lock(locks, index, image, ierror, message)
    integer(c_int64_t), intent(in) :: locks, index
    integer, intent(in) :: image
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_lock(locks, index, int(image, c_int32_t), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_trylock(locks, index, image, acquired, ierror, message)
    integer(c_int64_t), intent(in) :: locks, index
    integer, intent(in) :: image
    logical, intent(inout) :: acquired
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: acquired_out, code
    acquired_out = 0
    code = c_caf_trylock(locks, index, int(image, c_int32_t), acquired_out, error)
    if (code == HCUBE_SUCCESS) acquired = acquired_out == 1
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_unlock(locks, index, image, ierror, message)
    integer(c_int64_t), intent(in) :: locks, index
    integer, intent(in) :: image
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_unlock(locks, index, int(image, c_int32_t), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_lockset_lock(locks, ierror, message)
    type(hcube_lock), contiguous, intent(in) :: locks(:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_lockset_lock(locks, size(locks, kind=c_int64_t), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_lockset_unlock(locks, ierror, message)
    type(hcube_lock), contiguous, intent(in) :: locks(:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_lockset_unlock(locks, size(locks, kind=c_int64_t), error)
    call settle(code, error, ierror, message)
  end subroutine

  ! Asynchronous operations.

  subroutine hcube_caf_copy_async(destination, source, bytes, ierror, done, predicate, message)
    type(hcube_place), intent(in) :: destination, source
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: ierror
    type(hcube_event), intent(in), optional :: done, predicate
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_copy_async(destination, source, bytes, done, predicate, error)
    call settle(code, error, ierror, message)
  end subroutine

  ! buffer must be contiguous and have the attribute TARGET or ASYNCHRONOUS: it is in use after the return.
  subroutine hcube_caf_broadcast_async(team, root, buffer, bytes, ierror, done, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: root
    type(*), dimension(..), asynchronous, target :: buffer
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: ierror
    type(hcube_event), intent(in), optional :: done
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    ! This image takes part in the collective call, so that other images do not wait for it.
    if (.not. is_contiguous(buffer)) then
      code = c_caf_broadcast_async(team, int(root, c_int32_t), c_null_ptr, max(bytes, 1_c_int64_t), done, error)
      call refuse('buffer is not contiguous: expected an array that stays where it is', ierror, message)
      return
    end if
    code = c_caf_broadcast_async(team, int(root, c_int32_t), c_loc(buffer), bytes, done, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_barrier_async(team, done, ierror, message)
    integer(c_int64_t), intent(in) :: team
    type(hcube_event), intent(in) :: done
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_barrier_async(team, done, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_cofence(ierror, message)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_cofence(error)
    call settle(code, error, ierror, message)
  end subroutine

  ! Collective operations.

  subroutine hcube_caf_broadcast(team, root, buffer, bytes, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: root
    type(*), contiguous, target :: buffer(..)
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_broadcast(team, int(root, c_int32_t), c_loc(buffer), bytes, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_gather(team, root, from, bytes, into, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: root
    type(*), contiguous, target, intent(in) :: from(..)
    integer(c_int64_t), intent(in) :: bytes
    type(*), contiguous, target :: into(..)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_gather(team, int(root, c_int32_t), c_loc(from), bytes, c_loc(into), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_scatter(team, root, from, bytes, into, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: root
    type(*), contiguous, target, intent(in) :: from(..)
    integer(c_int64_t), intent(in) :: bytes
    type(*), contiguous, target :: into(..)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_scatter(team, int(root, c_int32_t), c_loc(from), bytes, c_loc(into), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_allgather(team, from, bytes, into, ierror, message)
    integer(c_int64_t), intent(in) :: team
    type(*), contiguous, target, intent(in) :: from(..)
    integer(c_int64_t), intent(in) :: bytes
    type(*), contiguous, target :: into(..)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_allgather(team, c_loc(from), bytes, c_loc(into), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_alltoall(team, from, bytes, into, ierror, message)
    integer(c_int64_t), intent(in) :: team
    type(*), contiguous, target, intent(in) :: from(..)
    integer(c_int64_t), intent(in) :: bytes
    type(*), contiguous, target :: into(..)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_alltoall(team, c_loc(from), bytes, c_loc(into), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_shift(team, distance, from, bytes, into, ierror, message)
    integer(c_int64_t), intent(in) :: team, distance
    type(*), contiguous, target, intent(in) :: from(..)
    integer(c_int64_t), intent(in) :: bytes
    type(*), contiguous, target :: into(..)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_shift(team, distance, c_loc(from), bytes, c_loc(into), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_permute(team, destination, from, bytes, into, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: destination
    type(*), contiguous, target, intent(in) :: from(..)
    integer(c_int64_t), intent(in) :: bytes
    type(*), contiguous, target :: into(..)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_permute(team, int(destination, c_int32_t), c_loc(from), bytes, c_loc(into), error)
    call settle(code, error, ierror, message)
  end subroutine

  ! datatype and operation are integers; with `use mpi_f08` pass MPI_SUM%MPI_VAL.
  subroutine hcube_caf_reduce(team, root, from, into, count, datatype, operation, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: root
    type(*), contiguous, target, intent(in) :: from(..)
    type(*), contiguous, target :: into(..)
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: datatype, operation
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_reduce(team, int(root, c_int32_t), c_loc(from), c_loc(into), count, datatype, operation, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_allreduce(team, from, into, count, datatype, operation, ierror, message)
    integer(c_int64_t), intent(in) :: team
    type(*), contiguous, target, intent(in) :: from(..)
    type(*), contiguous, target :: into(..)
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: datatype, operation
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_allreduce(team, c_loc(from), c_loc(into), count, datatype, operation, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_scan(team, from, into, count, datatype, operation, inclusive, ierror, message)
    integer(c_int64_t), intent(in) :: team
    type(*), contiguous, target, intent(in) :: from(..)
    type(*), contiguous, target :: into(..)
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: datatype, operation
    logical, intent(in) :: inclusive
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_scan(team, c_loc(from), c_loc(into), count, datatype, operation, merge(1_c_int32_t, 0_c_int32_t, &
      inclusive), error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_sort(team, elements, count, element_bytes, compare, ierror, message)
    integer(c_int64_t), intent(in) :: team
    type(*), contiguous, target :: elements(..)
    integer(c_int64_t), intent(in) :: count, element_bytes
    procedure(hcube_caf_compare) :: compare
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_sort(team, c_loc(elements), count, element_bytes, c_funloc(compare), error)
    call settle(code, error, ierror, message)
  end subroutine

  ! Shipped functions.

  subroutine hcube_caf_register(function, number, ierror, message)
    procedure(hcube_caf_function) :: function
    integer, intent(inout) :: number
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: number_out, code
    number_out = 0
    code = c_caf_register(c_funloc(function), number_out, error)
    if (code == HCUBE_SUCCESS) number = number_out
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_spawn(team, image, function, arguments, bytes, ierror, done, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: image, function
    type(*), contiguous, target, intent(in) :: arguments(..)
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: ierror
    type(hcube_event), intent(in), optional :: done
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_spawn(team, int(image, c_int32_t), int(function, c_int32_t), c_loc(arguments), bytes, done, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_finish_begin(team, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_finish_begin(team, error)
    call settle(code, error, ierror, message)
  end subroutine

  subroutine hcube_caf_finish_end(ierror, message)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    code = c_caf_finish_end(error)
    call settle(code, error, ierror, message)
  end subroutine

  ! Coarrays as Fortran arrays.

  subroutine alloc_real64_1(team, extents, coarray, array, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(1)
    integer(c_int64_t), intent(inout) :: coarray
    real(c_double), pointer, intent(inout) :: array(:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    real(c_double) :: element
    type(c_ptr) :: part
    call alloc_part(team, extents, c_sizeof(element), coarray, part, ierror, message)
    if (c_associated(part)) call c_f_pointer(part, array, extents)
  end subroutine

  subroutine alloc_real64_2(team, extents, coarray, array, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(2)
    integer(c_int64_t), intent(inout) :: coarray
    real(c_double), pointer, intent(inout) :: array(:,:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    real(c_double) :: element
    type(c_ptr) :: part
    call alloc_part(team, extents, c_sizeof(element), coarray, part, ierror, message)
    if (c_associated(part)) call c_f_pointer(part, array, extents)
  end subroutine

  subroutine alloc_real32_1(team, extents, coarray, array, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(1)
    integer(c_int64_t), intent(inout) :: coarray
    real(c_float), pointer, intent(inout) :: array(:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    real(c_float) :: element
    type(c_ptr) :: part
    call alloc_part(team, extents, c_sizeof(element), coarray, part, ierror, message)
    if (c_associated(part)) call c_f_pointer(part, array, extents)
  end subroutine

  subroutine alloc_real32_2(team, extents, coarray, array, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(2)
    integer(c_int64_t), intent(inout) :: coarray
    real(c_float), pointer, intent(inout) :: array(:,:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    real(c_float) :: element
    type(c_ptr) :: part
    call alloc_part(team, extents, c_sizeof(element), coarray, part, ierror, message)
    if (c_associated(part)) call c_f_pointer(part, array, extents)
  end subroutine

  subroutine alloc_int64_1(team, extents, coarray, array, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(1)
    integer(c_int64_t), intent(inout) :: coarray
    integer(c_int64_t), pointer, intent(inout) :: array(:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    integer(c_int64_t) :: element
    type(c_ptr) :: part
    call alloc_part(team, extents, c_sizeof(element), coarray, part, ierror, message)
    if (c_associated(part)) call c_f_pointer(part, array, extents)
  end subroutine

  subroutine alloc_int64_2(team, extents, coarray, array, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(2)
    integer(c_int64_t), intent(inout) :: coarray
    integer(c_int64_t), pointer, intent(inout) :: array(:,:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    integer(c_int64_t) :: element
    type(c_ptr) :: part
    call alloc_part(team, extents, c_sizeof(element), coarray, part, ierror, message)
    if (c_associated(part)) call c_f_pointer(part, array, extents)
  end subroutine

  subroutine alloc_int32_1(team, extents, coarray, array, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(1)
    integer(c_int64_t), intent(inout) :: coarray
    integer(c_int32_t), pointer, intent(inout) :: array(:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    integer(c_int32_t) :: element
    type(c_ptr) :: part
    call alloc_part(team, extents, c_sizeof(element), coarray, part, ierror, message)
    if (c_associated(part)) call c_f_pointer(part, array, extents)
  end subroutine

  subroutine alloc_int32_2(team, extents, coarray, array, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(2)
    integer(c_int64_t), intent(inout) :: coarray
    integer(c_int32_t), pointer, intent(inout) :: array(:,:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    integer(c_int32_t) :: element
    type(c_ptr) :: part
    call alloc_part(team, extents, c_sizeof(element), coarray, part, ierror, message)
    if (c_associated(part)) call c_f_pointer(part, array, extents)
  end subroutine

  subroutine alloc_complex64_1(team, extents, coarray, array, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(1)
    integer(c_int64_t), intent(inout) :: coarray
    complex(c_double_complex), pointer, intent(inout) :: array(:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    complex(c_double_complex) :: element
    type(c_ptr) :: part
    call alloc_part(team, extents, c_sizeof(element), coarray, part, ierror, message)
    if (c_associated(part)) call c_f_pointer(part, array, extents)
  end subroutine

  subroutine alloc_complex64_2(team, extents, coarray, array, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(2)
    integer(c_int64_t), intent(inout) :: coarray
    complex(c_double_complex), pointer, intent(inout) :: array(:,:)
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    complex(c_double_complex) :: element
    type(c_ptr) :: part
    call alloc_part(team, extents, c_sizeof(element), coarray, part, ierror, message)
    if (c_associated(part)) call c_f_pointer(part, array, extents)
  end subroutine

  ! Allocates a coarray for an array. part: receives the C address of the part of this image, or c_null_ptr on error.
  subroutine alloc_part(team, extents, element_bytes, coarray, part, ierror, message)
    integer(c_int64_t), intent(in) :: team
    integer, intent(in) :: extents(:)
    integer(c_size_t), intent(in) :: element_bytes
    integer(c_int64_t), intent(inout) :: coarray
    type(c_ptr), intent(out) :: part
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    type(hcube_error) :: error
    integer(c_int32_t) :: code
    integer(c_int64_t) :: bytes
    integer :: dimension
    part = c_null_ptr
    ! For a negative extent or an overflow, pass -1 bytes: the collective call returns the error on all images.
    bytes = merge(-1_c_int64_t, merge(0_c_int64_t, int(element_bytes, c_int64_t), any(extents == 0)), any(extents < 0))
    do dimension = 1, size(extents)
      if (bytes <= 0) exit
      if (bytes > huge(bytes) / extents(dimension)) then
        bytes = -1
      else
        bytes = bytes * extents(dimension)
      end if
    end do
    code = c_caf_coarray_alloc(team, bytes, coarray, part, error)
    call settle(code, error, ierror, message)
  end subroutine

  ! Returns the error of an argument that only the Fortran interface can check.
  subroutine refuse(text, ierror, message)
    character(len=*), intent(in) :: text
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    if (present(message)) message = text
    if (.not. present(ierror)) error stop text
    ierror = HCUBE_ERR_ARGUMENT
  end subroutine

  ! Returns the code and the message of a call. Without ierror, an error ends the program.
  subroutine settle(code, error, ierror, message)
    integer(c_int32_t), intent(in) :: code
    type(hcube_error), intent(in) :: error
    integer, intent(out), optional :: ierror
    character(len=*), intent(out), optional :: message
    character(len=size(error%message)) :: text
    integer :: place
    if (code == HCUBE_SUCCESS) then
      if (present(ierror)) ierror = code
      if (present(message)) message = ''
      return
    end if
    text = ''
    do place = 1, len(text)
      if (error%message(place) == c_null_char) exit
      text(place:place) = error%message(place)
    end do
    if (present(message)) message = text
    if (.not. present(ierror)) error stop trim(text)
    ierror = code
  end subroutine
end module hcube_caf
