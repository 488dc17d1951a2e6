! FFT of a vector that is distributed over the images (Jin et al. 2011, Figure 7): radix 2, binary exchange. The levels
! that span several images fetch blocks from a partner and send results to it by asynchronous copies. A fetch begins
! when the partner has said that its block is complete (event ready); a block that has come back is announced by event
! copied.
!
!     caf_fft_exchange [LOG_ELEMENTS]      each image has 2**LOG_ELEMENTS elements
!
! The transform has a power of two of images; others have no part in it. The result is 5 m log2(m) / t operations per
! second, where m is the number of elements on all images.
program caf_fft_exchange
  use, intrinsic :: iso_c_binding, only: c_double, c_double_complex, c_int64_t, c_loc
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi, only: MPI_DOUBLE_COMPLEX, MPI_DOUBLE_PRECISION, MPI_INTEGER8, MPI_MAX, MPI_SUM, MPI_Wtime
  use hcube_caf
  implicit none
  ! log_chunk: levels within 2**log_chunk elements run while these are in the cache. log_tile: places that bit reversals
  ! move together, so that they use whole lines of the cache. checks: elements that are compared with their definition.
  integer, parameter :: min_log = 8, max_log = 28, blocks = 32, log_chunk = 12, log_tile = 3, tile = 2**log_tile
  integer, parameter :: checks = 4
  integer(c_int64_t), parameter :: element_bytes = 16
  real(c_double), parameter :: pi = acos(-1.0_c_double)
  integer(c_int64_t) :: world, team, c_coarray, ready, copied, prefetch, m
  ! Two vectors, of which one is read and one written.
  complex(c_double_complex), pointer :: c(:, :)
  complex(c_double_complex), allocatable, asynchronous, target :: buf(:)
  complex(c_double_complex), allocatable :: input(:), local_root(:), remote_root(:, :)
  integer(c_int64_t) :: errors, all_errors = 0
  ! awaited: the first of the blocks that the partner of the last level computes; none at the beginning.
  integer :: images, me, logsize, log_local, n, blksize, last = 1, awaited = -blocks
  real(c_double) :: seconds

  call hcube_caf_init()
  call hcube_caf_team_world(world)
  call hcube_caf_team_size(world, images)
  call hcube_caf_team_rank(world, me)
  logsize = bit_size(images) - 1 - leadz(images)
  ! Each image needs a part for every other one.
  log_local = argument(18, max(min_log, logsize), max_log)
  call hcube_caf_team_split(world, merge(0_c_int64_t, -1_c_int64_t, me < 2**logsize), int(me, c_int64_t), team)
  if (me < 2**logsize) call run()
  call hcube_caf_finalize()
  if (me == 0 .and. all_errors /= 0) stop 1

contains

  subroutine run()
    real(c_double) :: scaled
    call prepare()
    call transform(seconds)
    call compare()
    scaled = inverse_error()
    if (me == 0 .and. .not. scaled < 16) errors = errors + 1
    call hcube_caf_allreduce(team, errors, all_errors, 1_c_int64_t, MPI_INTEGER8, MPI_SUM)
    if (me == 0) print '(2(i0, a), 2(f0.3, a), i0, a)', images, ' images, ', m, ' elements, ', &
      5e-9_c_double * m * (log_local + logsize) / seconds, ' GFLOP/s, error ', scaled, ', ', all_errors, ' errors'
  end subroutine

  subroutine prepare()
    integer(c_int64_t) :: distance, lower
    integer :: level, j
    n = 2**log_local
    m = int(n, c_int64_t) * 2**logsize
    blksize = n / blocks
    call hcube_caf_coarray_alloc(team, [n, 2], c_coarray, c)
    c(0:, 1:) => c
    call hcube_caf_event_alloc(team, int(blocks * (logsize + 1), c_int64_t), ready)
    call hcube_caf_event_alloc(team, int(blocks, c_int64_t), copied)
    call hcube_caf_event_alloc(team, int(blocks, c_int64_t), prefetch)
    allocate (buf(0:n - 1), input(0:n - 1), local_root(n - 1), remote_root(0:n - 1, logsize))
    do level = 0, log_local - 1
      do j = 0, 2**level - 1
        local_root(2**level + j) = root_of_unity(int(j, c_int64_t), 2_c_int64_t**(level + 1))
      end do
    end do
    do level = 1, logsize
      distance = int(n, c_int64_t) * 2**(level - 1)
      lower = int(n, c_int64_t) * ibclr(me, level - 1)
      do j = 0, n - 1
        remote_root(j, level) = root_of_unity(mod(lower + j, distance), 2 * distance)
      end do
    end do
    do j = 0, n - 1
      input(j) = element(int(me, c_int64_t) * n + j)
    end do
  end subroutine

  ! Transforms input, which is overwritten, into c(:, last).
  subroutine transform(seconds)
    real(c_double), intent(out) :: seconds
    integer :: level, block
    call hcube_caf_barrier(team)
    seconds = MPI_Wtime()
    call permute()
    call local_levels(c(:, last), n)
    do level = 1, logsize
      call remote_level(level, ieor(me, 2**(level - 1)))
    end do
    do block = 0, blocks - 1
      call wait_for(block)
    end do
    awaited = -blocks
    call hcube_caf_barrier(team)
    seconds = MPI_Wtime() - seconds
  end subroutine

  ! Moves the elements of input to the places with the reversed numbers.
  subroutine permute()
    ! The last data has left buf.
    call hcube_caf_cofence()
    call pack_blocks(buf)
    call hcube_caf_alltoall(team, buf, element_bytes * (n / 2**logsize), input)
    call reverse_local(input, c(:, last))
  end subroutine

  ! Packs a block for each image: some neighbours at a time.
  subroutine pack_blocks(packed)
    complex(c_double_complex), intent(out) :: packed(0:n - 1)
    integer :: members, share, first, s, place
    members = 2**logsize
    share = n / members
    do first = 0, members - 1, tile
      do s = 0, share - 1
        do place = first, min(first + tile, members) - 1
          packed(reversed(place, logsize) * share + s) = input(s * members + place)
        end do
      end do
    end do
  end subroutine

  ! Bit reversal on this image: rows of neighbours at a time.
  subroutine reverse_local(from, to)
    complex(c_double_complex), intent(in) :: from(0:n - 1)
    complex(c_double_complex), intent(out) :: to(0:n - 1)
    integer :: ends(0:tile - 1), middle_bits, rows, middle, target, high, low
    middle_bits = log_local - 2 * log_tile
    rows = n / tile
    ends = [(reversed(low, log_tile), low = 0, tile - 1)]
    do middle = 0, 2**middle_bits - 1
      target = reversed(middle, middle_bits) * tile
      do high = 0, tile - 1
        do low = 0, tile - 1
          to(ends(low) * rows + target + ends(high)) = from(high * rows + middle * tile + low)
        end do
      end do
    end do
  end subroutine

  subroutine local_levels(x, elements)
    integer, intent(in) :: elements
    complex(c_double_complex), intent(inout) :: x(0:elements - 1)
    integer :: chunk, first, level
    chunk = min(elements, 2**log_chunk)
    do first = 0, elements - 1, chunk
      do level = 0, min(log_local, log_chunk) - 1
        call local_level(x(first:first + chunk - 1), chunk, 2**level)
      end do
    end do
    do level = log_chunk, log_local - 1
      call local_level(x, elements, 2**level)
    end do
  end subroutine

  ! The butterflies of a level, in some elements.
  subroutine local_level(x, elements, distance)
    integer, intent(in) :: elements, distance
    complex(c_double_complex), intent(inout) :: x(0:elements - 1)
    complex(c_double_complex) :: t
    integer :: first, j
    do first = 0, elements - 1, 2 * distance
      do j = 0, distance - 1
        t = local_root(distance + j) * x(first + j + distance)
        x(first + j + distance) = x(first + j) - t
        x(first + j) = x(first + j) + t
      end do
    end do
  end subroutine

  ! A level between this image and a partner: each of them computes one half of the butterflies, block by block.
  subroutine remote_level(level, partner)
    integer, intent(in) :: level, partner
    integer :: block, first, partners_first, curr, lo, hi
    complex(c_double_complex) :: t(blksize), x(blksize)
    logical :: is_lower
    is_lower = me < partner
    first = merge(0, blocks / 2, is_lower)
    partners_first = blocks / 2 - first
    curr = 3 - last

    call hcube_caf_cofence()
    do block = 0, blocks - 1
      call wait_for(block)
      if (is_in_half(block, partners_first)) call hcube_caf_event_notify(ready, ready_at(level, block), partner)
    end do

    ! prefetch blocks
    do block = first, first + blocks / 2 - 1
      lo = block * blksize
      call hcube_caf_copy_async(hcube_place(memory=c_loc(buf(lo))), &
        hcube_place(coarray=c_coarray, image=partner, offset=offset_of(lo, last)), element_bytes * blksize, &
        done=hcube_event(prefetch, block), predicate=hcube_event(ready, ready_at(level, block)))
    end do

    do block = first, first + blocks / 2 - 1
      lo = block * blksize
      hi = lo + blksize - 1
      call hcube_caf_event_wait(prefetch, int(block, c_int64_t))
      if (is_lower) then
        x = c(lo:hi, last)
        t = buf(lo:hi) * remote_root(lo:hi, level)
        c(lo:hi, curr) = x + t
        buf(lo:hi) = x - t
      else
        x = buf(lo:hi)
        t = c(lo:hi, last) * remote_root(lo:hi, level)
        c(lo:hi, curr) = x - t
        buf(lo:hi) = x + t
      end if
      ! send result to who next needs it
      call hcube_caf_copy_async(hcube_place(coarray=c_coarray, image=partner, offset=offset_of(lo, curr)), &
        hcube_place(memory=c_loc(buf(lo))), element_bytes * blksize, done=hcube_event(copied, block, partner))
    end do
    awaited = partners_first
    last = curr
  end subroutine

  ! The event of a level for a block: a partner of the next level may be early.
  integer(c_int64_t) function ready_at(level, block)
    integer, intent(in) :: level, block
    ready_at = (level - 1) * blocks + block
  end function

  logical function is_in_half(block, first)
    integer, intent(in) :: block, first
    is_in_half = block >= first .and. block < first + blocks / 2
  end function

  ! Waits until a block is complete, if the partner of the last level computes it.
  subroutine wait_for(block)
    integer, intent(in) :: block
    if (is_in_half(block, awaited)) call hcube_caf_event_wait(copied, int(block, c_int64_t))
  end subroutine

  ! Compares some elements with their definition, a sum over all images.
  subroutine compare()
    complex(c_double_complex) :: sums(checks), expected(checks)
    integer(c_int64_t) :: j, k, place
    integer :: i
    sums = 0
    do i = 1, checks
      k = m / checks * (i - 1) + 1
      ! mod(j * k, m), without the product, which may overflow.
      place = mod(int(me, c_int64_t) * k, m / n) * n
      do j = int(me, c_int64_t) * n, int(me + 1, c_int64_t) * n - 1
        sums(i) = sums(i) + element(j) * root_of_unity(place, m)
        place = mod(place + k, m)
      end do
    end do
    call hcube_caf_allreduce(team, sums, expected, int(checks, c_int64_t), MPI_DOUBLE_COMPLEX, MPI_SUM)
    errors = 0
    do i = 1, checks
      k = m / checks * (i - 1) + 1
      if (k / n /= me) cycle
      if (.not. abs(c(mod(k, int(n, c_int64_t)), last) - expected(i)) < 16 * epsilon(pi) * m) errors = errors + 1
    end do
  end subroutine

  ! The error of the inverse transform as HPCC scales it. The inverse is the transform of the conjugates.
  real(c_double) function inverse_error()
    real(c_double) :: seconds, error, largest
    integer :: j
    input = conjg(c(:, last))
    call transform(seconds)
    do j = 0, n - 1
      c(j, last) = conjg(c(j, last)) / m - element(int(me, c_int64_t) * n + j)
    end do
    error = maxval(abs(c(:, last)))
    if (.not. all(abs(c(:, last)) <= 1)) error = 1
    call hcube_caf_allreduce(team, error, largest, 1_c_int64_t, MPI_DOUBLE_PRECISION, MPI_MAX)
    inverse_error = largest / epsilon(pi) / (log_local + logsize)
  end function

  pure complex(c_double_complex) function root_of_unity(number, of)
    integer(c_int64_t), intent(in) :: number, of
    real(c_double) :: angle
    angle = -2 * pi * number / of
    root_of_unity = cmplx(cos(angle), sin(angle), c_double_complex)
  end function

  ! Pseudo-random elements, with both parts between -0.5 and 0.5.
  pure complex(c_double_complex) function element(index)
    integer(c_int64_t), intent(in) :: index
    integer(c_int64_t), parameter :: mask = 2_c_int64_t**31 - 1
    integer(c_int64_t) :: bits
    real(c_double) :: parts(2)
    integer :: part, round
    do part = 1, 2
      bits = iand(2 * index + part, mask)
      ! Products of two numbers below 2**31 do not overflow.
      do round = 1, 4
        bits = iand(ieor(bits, ishft(bits, -15)) * 738934637_c_int64_t, mask)
      end do
      parts(part) = real(bits, c_double) / 2.0_c_double**31 - 0.5_c_double
    end do
    element = cmplx(parts(1), parts(2), c_double_complex)
  end function

  ! Bytes from the beginning of c to an element.
  integer(c_int64_t) function offset_of(row, column)
    integer, intent(in) :: row, column
    offset_of = element_bytes * (row + (column - 1_c_int64_t) * n)
  end function

  ! The lowest bits in reverse order.
  pure integer function reversed(number, bits)
    integer, intent(in) :: number, bits
    integer :: bit
    reversed = 0
    do bit = 0, bits - 1
      if (btest(number, bit)) reversed = ibset(reversed, bits - 1 - bit)
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
    if (me == 0) write (error_unit, '(3a, i0, a, i0)') 'caf_fft_exchange: LOG_ELEMENTS ', trim(text), &
      ': expected ', smallest, ' to ', largest
    call hcube_caf_finalize()
    stop 1
  end function
end program
