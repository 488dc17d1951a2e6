! LU factorisation with asynchronous broadcasts of panels (Jin et al. 2011, Figure 4, a part of HPL): while images
! update their columns by one panel, the next one is factored and sent. Two panels alternate.
!
! The matrix [A, b] lies on one row of images: blocks of columns, in turn. Pivots are the largest elements of columns.
program caf_panel_broadcast
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use mpi, only: MPI_DOUBLE_PRECISION, MPI_SUM
  use hcube_caf
  implicit none
  integer, parameter :: problemsize = 256, blksize = 16, numblocks = problemsize / blksize, numpanels = 2
  integer(c_int64_t), parameter :: rteam = HCUBE_CAF_DEFAULT_TEAM
  integer(c_int64_t), parameter :: panel_bytes = 8_c_int64_t * (problemsize + 1) * blksize
  integer(c_int64_t) :: delivered
  ! Row problemsize + 1 has the pivots.
  real(c_double), asynchronous, target :: panel(problemsize + 1, blksize, numpanels)
  real(c_double), allocatable :: a(:, :)
  real(c_double) :: x(problemsize)
  integer :: npcol, mycol, block, cp
  logical :: is_wrong

  call hcube_caf_init()
  call hcube_caf_team_size(rteam, npcol)
  call hcube_caf_team_rank(rteam, mycol)
  call hcube_caf_event_alloc(rteam, int(numpanels, c_int64_t), delivered)
  call generate()

  if (owner(0) == mycol) call factor(0, 1)
  call broadcast(0, 1)
  do block = 0, numblocks - 1
    cp = mod(block, 2) + 1
    call hcube_caf_event_wait(delivered, int(cp - 1, c_int64_t))
    ! The next panel first: its broadcast goes on during the update of all other columns.
    if (block + 1 < numblocks) then
      if (owner(block + 1) == mycol) then
        call update(block, cp, block + 1, block + 1)
        call factor(block + 1, 3 - cp)
      end if
      call broadcast(block + 1, 3 - cp)
    end if
    call update(block, cp, min(block + 2, numblocks), numblocks)
  end do

  call solve()
  call verify()
  call hcube_caf_event_free(delivered)
  call hcube_caf_finalize()
  if (is_wrong) stop 1

contains

  ! The image of a block of columns. Block numblocks has one column, b.
  integer function owner(block)
    integer, intent(in) :: block
    owner = mod(block, npcol)
  end function

  ! The first column of a block in a.
  integer function column(block)
    integer, intent(in) :: block
    column = block / npcol * blksize + 1
  end function

  subroutine broadcast(block, cp)
    integer, intent(in) :: block, cp
    call hcube_caf_broadcast_async(rteam, owner(block), panel(:, :, cp), panel_bytes, &
      done=hcube_event(delivered, cp - 1))
  end subroutine

  ! Factors the columns of a block into a panel.
  subroutine factor(block, cp)
    integer, intent(in) :: block, cp
    integer :: k, g, j, pivot
    associate (columns => a(:, column(block):column(block) + blksize - 1))
      do k = 1, blksize
        g = block * blksize + k
        pivot = g - 1 + maxloc(abs(columns(g:, k)), dim=1)
        columns([g, pivot], :) = columns([pivot, g], :)
        columns(g + 1:, k) = columns(g + 1:, k) / columns(g, k)
        do j = k + 1, blksize
          columns(g + 1:, j) = columns(g + 1:, j) - columns(g + 1:, k) * columns(g, j)
        end do
        panel(problemsize + 1, k, cp) = pivot
      end do
      panel(1:problemsize, :, cp) = columns
    end associate
  end subroutine

  ! Updates the own columns of some blocks by the panel of a block.
  subroutine update(block, cp, first, last)
    integer, intent(in) :: block, cp, first, last
    integer :: other, j, k, g, pivot
    do other = first, last
      if (owner(other) /= mycol) cycle
      do j = column(other), column(other) + merge(blksize, 1, other < numblocks) - 1
        do k = 1, blksize
          g = block * blksize + k
          pivot = nint(panel(problemsize + 1, k, cp))
          a([g, pivot], j) = a([pivot, g], j)
        end do
        do k = 1, blksize
          g = block * blksize + k
          a(g + 1:, j) = a(g + 1:, j) - panel(g + 1:problemsize, k, cp) * a(g, j)
        end do
      end do
    end do
  end subroutine

  ! Solves Ux = y: x goes from block to block.
  subroutine solve()
    integer :: k, g
    if (owner(numblocks) == mycol) x = a(:, column(numblocks))
    call hcube_caf_broadcast(rteam, owner(numblocks), x, 8_c_int64_t * problemsize)
    do block = numblocks - 1, 0, -1
      if (owner(block) == mycol) then
        do k = blksize, 1, -1
          g = block * blksize + k
          x(g) = x(g) / a(g, column(block) + k - 1)
          x(1:g - 1) = x(1:g - 1) - x(g) * a(1:g - 1, column(block) + k - 1)
        end do
      end if
      call hcube_caf_broadcast(rteam, owner(block), x, 8_c_int64_t * problemsize)
    end do
  end subroutine

  ! The residual, scaled as in HPL; each image has the products of its columns.
  subroutine verify()
    real(c_double) :: products(problemsize), sums(problemsize), residual
    integer :: i, j
    products = 0
    do block = 0, numblocks - 1
      if (owner(block) /= mycol) cycle
      do j = block * blksize + 1, (block + 1) * blksize
        products = products + [(element(i, j), i = 1, problemsize)] * x(j)
      end do
    end do
    call hcube_caf_allreduce(rteam, products, sums, int(problemsize, c_int64_t), MPI_DOUBLE_PRECISION, MPI_SUM)
    residual = maxval(abs(sums - [(element(i, problemsize + 1), i = 1, problemsize)]))
    residual = residual / (epsilon(residual) * problemsize * (maxval(abs(x)) * problemsize + 1))
    is_wrong = .not. residual < 16
    if (mycol == 0) print '(3(i0, a))', npcol, ' images, order ', problemsize, ', ', merge(1, 0, is_wrong), ' errors'
  end subroutine

  subroutine generate()
    integer :: i, j
    allocate (a(problemsize, (numblocks / npcol + 1) * blksize))
    do block = 0, numblocks
      if (owner(block) /= mycol) cycle
      do j = 1, merge(blksize, 1, block < numblocks)
        a(:, column(block) + j - 1) = [(element(i, block * blksize + j), i = 1, problemsize)]
      end do
    end do
  end subroutine

  ! Pseudo-random elements between -0.5 and 0.5.
  pure real(c_double) function element(i, j)
    integer, intent(in) :: i, j
    integer(c_int64_t) :: bits
    bits = 88172645463325252_c_int64_t + 7919 * i + 104729_c_int64_t * j
    bits = ieor(bits, ishft(bits, 13))
    bits = ieor(bits, ishft(bits, -7))
    bits = ieor(bits, ishft(bits, 17))
    element = real(ishft(bits, -11), c_double) / 2.0_c_double**53 - 0.5_c_double
  end function
end program
