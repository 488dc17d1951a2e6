! RandomAccess by function shipping: each update is a function that runs on the image that has the word, so no word is
! read or written by another image. The finish block ends when all of them have run.
!
!     caf_random_access_spawn [LOG_WORDS]      each image has up to 2**LOG_WORDS words of the table
!
! The table has the largest power of two of words that fit into the memory, in blocks. The updates are HPCC's, four for
! each word of the table.
module updates
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int32_t, c_int64_t, c_ptr
  implicit none
  ! words: of an image; the last one may have fewer.
  integer(c_int64_t) :: all_words, words
  integer(c_int64_t), pointer :: table(:)

contains

  ! The shipped function: the argument is the update.
  subroutine update(image, arguments, bytes) bind(C)
    integer(c_int32_t), value :: image
    type(c_ptr), value :: arguments
    integer(c_int64_t), value :: bytes
    integer(c_int64_t), pointer :: value
    integer(c_int64_t) :: word
    if (image < 0 .or. bytes /= 8) error stop 'update: expected an image and 8 bytes'
    call c_f_pointer(arguments, value)
    word = mod(place(value), words) + 1
    table(word) = ieor(table(word), value)
  end subroutine

  ! The place of an update in the table.
  pure integer(c_int64_t) function place(value)
    integer(c_int64_t), intent(in) :: value
    place = iand(value, all_words - 1)
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
end module

program caf_random_access_spawn
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi, only: MPI_INTEGER8, MPI_SUM, MPI_Wtime
  use hcube_caf
  use updates
  implicit none
  integer, parameter :: min_logwords = 4, max_logwords = 30
  integer(c_int64_t), parameter :: team = HCUBE_CAF_DEFAULT_TEAM
  integer(c_int64_t) :: table_coarray, begin, end, first, errors, all_errors, i
  integer :: images, me, logwords, number
  real(kind(1d0)) :: seconds

  call hcube_caf_init()
  call hcube_caf_team_size(team, images)
  call hcube_caf_team_rank(team, me)
  logwords = argument(16, min_logwords, max_logwords)
  all_words = 2_c_int64_t**(logwords + bit_size(images) - 1 - leadz(images))
  words = (all_words + images - 1) / images
  call hcube_caf_coarray_alloc(team, [int(words)], table_coarray, table)
  do i = 0, words - 1
    table(i + 1) = me * words + i
  end do
  call hcube_caf_register(update, number)

  begin = 4 * all_words * me / images
  end = 4 * all_words * (me + 1) / images
  first = number_at(begin)
  call update_all()
  call verify()
  if (me == 0) print '(2(i0, a), f0.5, a, i0, a)', images, ' images, ', 4 * all_words, ' updates, ', &
    4 * all_words / seconds * 1d-9, ' GUP/s, ', all_errors, ' errors'
  call hcube_caf_finalize()
  if (me == 0 .and. all_errors /= 0) stop 1

contains

  ! Ships updates to the images that have the words.
  subroutine update_all()
    integer(c_int64_t) :: value
    value = first
    ! No image may get an update before it has filled its part of the table.
    call hcube_caf_barrier(team)
    seconds = MPI_Wtime()
    call hcube_caf_finish_begin(team)
    do i = begin + 1, end
      value = next(value)
      call hcube_caf_spawn(team, int(place(value) / words), number, value, 8_c_int64_t)
    end do
    call hcube_caf_finish_end()
    seconds = MPI_Wtime() - seconds
  end subroutine

  ! The same updates again, by atomic operations, must restore the table.
  subroutine verify()
    integer(c_int64_t) :: value
    value = first
    do i = begin + 1, end
      value = next(value)
      call hcube_caf_atomic(table_coarray, int(place(value) / words), 8 * mod(place(value), words), HCUBE_CAF_XOR, &
        value)
    end do
    call hcube_caf_barrier(team)
    errors = 0
    do i = 0, words - 1
      if (table(i + 1) /= me * words + i) errors = errors + 1
    end do
    call hcube_caf_reduce(team, 0, errors, all_errors, 1_c_int64_t, MPI_INTEGER8, MPI_SUM)
  end subroutine

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
    if (me == 0) write (error_unit, '(3a, i0, a, i0)') 'caf_random_access_spawn: LOG_WORDS ', trim(text), &
      ': expected ', smallest, ' to ', largest
    call hcube_caf_finalize()
    stop 1
  end function
end program
