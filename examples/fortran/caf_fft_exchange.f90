! FFT of a vector that is distributed over the images (Figure 7 of the paper): radix 2, binary exchange. The levels that
! span several images fetch blocks from a partner and send results to it by asynchronous copies. A fetch begins when the
! partner has said that its block is complete (event ready); a block that has come back is announced by event copied.
!
! The transform has a power of two of images; others have no part in it.
program caf_fft_exchange
  use, intrinsic :: iso_c_binding, only: c_double, c_double_complex, c_int64_t, c_loc
  use mpi, only: MPI_DOUBLE_COMPLEX, MPI_INTEGER8, MPI_SUM
  use hcube_caf
  implicit none
  integer, parameter :: log_local = 10, n = 2**log_local, blksize = 64, blocks = n / blksize
  integer, parameter :: element_bytes = 16
  real(c_double), parameter :: pi = acos(-1.0_c_double)
  integer(c_int64_t) :: world, team, c_coarray, ready, copied, prefetch
  complex(c_double_complex), pointer :: c(:, :)
  complex(c_double_complex), asynchronous, target :: buf(0:n - 1)
  complex(c_double_complex), allocatable :: root(:), expected(:), contribution(:)
  complex(c_double_complex) :: input(0:n - 1)
  integer(c_int64_t) :: errors, all_errors
  ! awaited: the first of the blocks that the partner of the last level computes; none at the beginning.
  integer :: images, me, logsize, m, level, last, j, k, awaited = -blocks

  call hcube_caf_init()
  call hcube_caf_team_world(world)
  call hcube_caf_team_size(world, images)
  call hcube_caf_team_rank(world, me)
  logsize = bit_size(images) - 1 - leadz(images)
  m = n * 2**logsize
  call hcube_caf_team_split(world, merge(0_c_int64_t, -1_c_int64_t, me < 2**logsize), int(me, c_int64_t), team)
  all_errors = 0
  if (me < 2**logsize) call run()
  call hcube_caf_finalize()
  if (all_errors /= 0) stop 1

contains

  subroutine run()
    call hcube_caf_coarray_alloc(team, [n, 2], c_coarray, c)
    c(0:, 1:) => c
    call hcube_caf_event_alloc(team, int(blocks * max(logsize, 1), c_int64_t), ready)
    call hcube_caf_event_alloc(team, int(blocks, c_int64_t), copied)
    call hcube_caf_event_alloc(team, int(blocks, c_int64_t), prefetch)
    allocate (root(0:m / 2 - 1))
    root = [(exp(cmplx(0, -2 * pi * j / m, c_double_complex)), j = 0, m / 2 - 1)]
    input = [(cmplx(mod(31 * (me * n + j), 101), mod(17 * j, 59), c_double_complex), j = 0, n - 1)]
    call permute()
    do level = 1, log_local
      call local_level(c(:, last), 2**(level - 1))
    end do
    do level = 1, logsize
      call remote_level(level, ieor(me, 2**(level - 1)))
    end do
    do j = 0, blocks - 1
      call wait_for(j)
    end do
    call verify()
  end subroutine

  ! Bit reversal: packs a block for each image, exchanges the blocks, and unpacks them.
  subroutine permute()
    complex(c_double_complex) :: packed(0:n - 1), received(0:n - 1)
    integer :: team_images, share, image, s
    team_images = 2**logsize
    share = n / team_images
    do image = 0, team_images - 1
      do s = 0, share - 1
        packed(image * share + s) = input(s * team_images + reversed(image, logsize))
      end do
    end do
    call hcube_caf_alltoall(team, packed, int(element_bytes * share, c_int64_t), received)
    last = 1
    do image = 0, team_images - 1
      do s = 0, share - 1
        j = s * team_images + reversed(me, logsize)
        c(mod(reversed(image * n + j, log_local + logsize), n), last) = received(image * share + s)
      end do
    end do
  end subroutine

  ! The butterflies of a level whose elements are on this image, with this distance.
  subroutine local_level(x, distance)
    complex(c_double_complex), intent(inout) :: x(0:)
    integer, intent(in) :: distance
    complex(c_double_complex) :: t
    integer :: first
    do first = 0, n - 1, 2 * distance
      do j = 0, distance - 1
        t = root(j * (m / (2 * distance))) * x(first + j + distance)
        x(first + j + distance) = x(first + j) - t
        x(first + j) = x(first + j) + t
      end do
    end do
  end subroutine

  ! A level between this image and a partner: each of them computes one half of the butterflies, block by block.
  subroutine remote_level(level, partner)
    integer, intent(in) :: level, partner
    integer :: block, first, partners_first, curr, lo, hi, distance, twiddle
    complex(c_double_complex) :: t(blksize), x(blksize)
    logical :: is_lower
    is_lower = me < partner
    first = merge(0, blocks / 2, is_lower)
    partners_first = blocks / 2 - first
    curr = 3 - last

    ! What was sent from buf before has left it.
    call hcube_caf_cofence()
    do block = 0, blocks - 1
      call wait_for(block)
      if (is_in_half(block, partners_first)) call hcube_caf_event_notify(ready, ready_at(block), partner)
    end do

    ! prefetch blocks
    do block = first, first + blocks / 2 - 1
      lo = block * blksize
      call hcube_caf_copy_async(hcube_place(memory=c_loc(buf(lo))), &
        hcube_place(coarray=c_coarray, image=partner, offset=offset_of(lo, last)), &
        int(element_bytes * blksize, c_int64_t), done=hcube_event(prefetch, block), &
        predicate=hcube_event(ready, ready_at(block)))
    end do

    distance = n * 2**(level - 1)
    do block = first, first + blocks / 2 - 1
      lo = block * blksize
      hi = lo + blksize - 1
      call hcube_caf_event_wait(prefetch, int(block, c_int64_t))
      twiddle = mod(min(me, partner) * n + lo, distance)
      if (is_lower) then
        x = c(lo:hi, last)
        t = buf(lo:hi)
      else
        x = buf(lo:hi)
        t = c(lo:hi, last)
      end if
      t = t * [(root((twiddle + j) * (m / (2 * distance))), j = 0, blksize - 1)]
      c(lo:hi, curr) = merge(x + t, x - t, is_lower)
      buf(lo:hi) = merge(x - t, x + t, is_lower)
      ! send result to who next needs it
      call hcube_caf_copy_async(hcube_place(coarray=c_coarray, image=partner, offset=offset_of(lo, curr)), &
        hcube_place(memory=c_loc(buf(lo))), int(element_bytes * blksize, c_int64_t), &
        done=hcube_event(copied, block, partner))
    end do
    awaited = partners_first
    last = curr
  end subroutine

  ! The event of this level for a block: a partner of the next level may be early.
  integer(c_int64_t) function ready_at(block)
    integer, intent(in) :: block
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

  ! Compares all elements with their definition, a sum over all images.
  subroutine verify()
    allocate (expected(0:m - 1), contribution(0:m - 1))
    do k = 0, m - 1
      contribution(k) = sum(input * [(power(int(k, c_int64_t) * (me * n + j)), j = 0, n - 1)])
    end do
    call hcube_caf_allreduce(team, contribution, expected, int(m, c_int64_t), MPI_DOUBLE_COMPLEX, MPI_SUM)
    errors = count(abs(c(:, last) - expected(me * n:(me + 1) * n - 1)) > 1e-9_c_double * 100 * m)
    call hcube_caf_allreduce(team, errors, all_errors, 1_c_int64_t, MPI_INTEGER8, MPI_SUM)
    if (me == 0) print '(3(i0, a))', images, ' images, ', m, ' elements, ', all_errors, ' errors'
  end subroutine

  ! A power of the first root of unity.
  complex(c_double_complex) function power(exponent)
    integer(c_int64_t), intent(in) :: exponent
    power = root(mod(exponent, int(m / 2, c_int64_t)))
    if (mod(exponent, int(m, c_int64_t)) >= m / 2) power = -power
  end function

  ! Bytes from the beginning of c to an element.
  integer(c_int64_t) function offset_of(row, column)
    integer, intent(in) :: row, column
    offset_of = int(element_bytes, c_int64_t) * (row + (column - 1) * n)
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
end program
