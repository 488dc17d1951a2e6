! HPL: solves a system of linear equations by LU factorisation with partial pivoting (Jin et al. 2011, Figures 2 and 4).
!
!     caf_hpl [ORDER [BLOCK [ROWS]]]      ROWS: of the grid of images; it divides their number
!
! The matrix [A, b] lies in square blocks on a grid of images, in turn in both dimensions. The images of a column factor
! a panel, one block wide, together: a reduction finds each pivot and brings its row. The panel travels along the rows
! of the grid by an asynchronous broadcast, while images still update their columns by the panel before it; two panels
! take turns. Rows that change places go by puts. L is not kept. Local work is done by dgemm and dtrsm.
module pivots
  use, intrinsic :: iso_c_binding, only: c_double
  use mpi, only: MPI_DATATYPE_NULL
  implicit none
  integer :: nb = 64

contains

  ! A candidate for a pivot is its absolute value, its row, the elements of that row in the panel, and of the row
  ! that it changes places with, from the image that has them.
  subroutine choose(other, best, count, datatype)
    integer, intent(in) :: count, datatype
    real(c_double), intent(in) :: other(2 + 2 * nb, count)
    real(c_double), intent(inout) :: best(2 + 2 * nb, count)
    integer :: i
    if (datatype == MPI_DATATYPE_NULL) return
    do i = 1, count
      if (other(1, i) > best(1, i) .or. (other(1, i) >= best(1, i) .and. other(2, i) < best(2, i))) then
        best(:2 + nb, i) = other(:2 + nb, i)
      end if
      best(3 + nb:, i) = best(3 + nb:, i) + other(3 + nb:, i)
    end do
  end subroutine
end module

program caf_hpl
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  use hcube_caf
  use pivots
  implicit none
  ! strip: columns of an update between two calls that make progress for the broadcast.
  integer, parameter :: max_order = 200000, max_block = 512, strip = 256
  integer(c_int64_t), parameter :: world = HCUBE_CAF_DEFAULT_TEAM, real_bytes = 8
  real(c_double), parameter :: one = 1
  external :: dgemm, dtrsm
  integer(c_int64_t) :: rteam, cteam, delivered, stage_coarray, stage_size
  real(c_double), allocatable, asynchronous, target :: panel(:, :)
  real(c_double), allocatable, target :: line(:)
  real(c_double), allocatable :: a(:, :), x(:)
  real(c_double), pointer :: stage(:), block(:, :), l(:, :)
  integer, allocatable :: row_at(:)
  ! The panel in use: first column, columns and rows here, buffer, whether the block on the diagonal is here.
  integer :: first, width, height, cp
  logical :: is_top
  integer :: images, me, nprow, npcol, myrow, mycol, n, candidate_type, larger, updates = 0, ierror
  real(c_double) :: seconds, all_seconds, scaled
  character(len=20) :: given

  call hcube_caf_init()
  call hcube_caf_team_size(world, images)
  call hcube_caf_team_rank(world, me)
  ! The grid that is nearest to a square, with more columns than rows.
  nprow = int(sqrt(real(images)))
  do while (mod(images, nprow) /= 0)
    nprow = nprow - 1
  end do
  n = argument(1, 'ORDER', 2000, max_order)
  nb = argument(2, 'BLOCK', nb, max_block)
  nprow = argument(3, 'ROWS', nprow, images)
  npcol = images / nprow
  if (nprow * npcol /= images) call refuse('ROWS', 'a divisor of the number of images')

  call prepare()
  call hcube_caf_barrier(world)
  seconds = MPI_Wtime()
  call factor_all()
  call solve()
  seconds = MPI_Wtime() - seconds
  call hcube_caf_allreduce(world, seconds, all_seconds, 1_c_int64_t, MPI_DOUBLE_PRECISION, MPI_MAX)
  scaled = residual()
  if (me == 0) print '(5(i0, a), f0.2, a, es8.2, a, i0, a)', images, ' images, ', nprow, ' x ', npcol, ', order ', n, &
    ', block ', nb, ', ', (2 * real(n, c_double)**3 / 3 + 3 * real(n, c_double)**2 / 2) / all_seconds * 1e-9_c_double, &
    ' GFLOP/s, residual ', scaled, ', ', merge(0, 1, scaled < 16), ' errors'
  call MPI_Op_free(larger, ierror)
  call MPI_Type_free(candidate_type, ierror)
  call hcube_caf_finalize()
  if (.not. scaled < 16) stop 1

contains

  ! Teams of the rows and columns, the matrix, the buffers.
  subroutine prepare()
    integer :: i, j, rows, columns
    myrow = mod(me, nprow)
    mycol = me / nprow
    call hcube_caf_team_split(world, int(myrow, c_int64_t), int(mycol, c_int64_t), rteam)
    call hcube_caf_team_split(world, int(mycol, c_int64_t), int(myrow, c_int64_t), cteam)
    call hcube_caf_event_alloc(rteam, 2_c_int64_t, delivered)
    rows = rows_before(n)
    columns = columns_before(n + 1)
    allocate (a(max(rows, 1), max(columns, 1)), panel((1 + nb + rows) * nb, 2), row_at(0:n - 1), x(n))
    allocate (line(max(columns, 4 + 4 * nb)))
    row_at = [(i, i = 0, n - 1)]
    ! Two stages with a row for each move. All images of a column have as many columns.
    stage_size = 2_c_int64_t * nb * columns
    call hcube_caf_coarray_alloc(cteam, [int(2 * stage_size)], stage_coarray, stage)
    do j = 1, columns
      do i = 1, rows
        a(i, j) = element(global(i - 1, myrow, nprow), global(j - 1, mycol, npcol))
      end do
    end do
    call MPI_Type_contiguous(2 + 2 * nb, MPI_DOUBLE_PRECISION, candidate_type, ierror)
    call MPI_Type_commit(candidate_type, ierror)
    call MPI_Op_create(choose, .true., larger, ierror)
  end subroutine

  subroutine factor_all()
    integer :: j, next, after
    if (owner(0, npcol) == mycol) call factor(0)
    call broadcast(0)
    do j = 0, n - 1, nb
      next = min(j + nb, n)
      after = min(next + nb, n)
      call hcube_caf_event_wait(delivered, int(mod(j / nb, 2), c_int64_t))
      ! The next panel first: its broadcast goes on during the update of all other columns.
      if (next < n) then
        if (owner(next, npcol) == mycol) then
          call update(j, next, after)
          call factor(next)
        end if
        call broadcast(next)
      end if
      call update(j, merge(after, next, next < n .and. owner(next, npcol) == mycol), n + 1)
    end do
  end subroutine

  ! Makes a panel the one in use: the pivots, the block on the diagonal, and the rows of this image.
  subroutine take_panel(at)
    integer, intent(in) :: at
    first = at
    width = min(nb, n - first)
    height = rows_before(n) - rows_before(first)
    cp = mod(first / nb, 2) + 1
    is_top = owner(first, nprow) == myrow
    block(1:nb, 1:nb) => panel(nb + 1:nb + nb * nb, cp)
    l(1:height, 1:width) => panel(nb + nb * nb + 1:nb + nb * nb + height * width, cp)
  end subroutine

  ! Starts the broadcast of a panel along the rows.
  subroutine broadcast(at)
    integer, intent(in) :: at
    integer :: ub
    call take_panel(at)
    ub = nb + nb * nb + height * width
    call hcube_caf_broadcast_async(rteam, owner(first, npcol), panel(1:ub, cp), real_bytes * ub, &
      done=hcube_event(delivered, cp - 1))
  end subroutine

  ! Factors a panel on the images of its column. U of its block is kept in the matrix.
  subroutine factor(at)
    integer, intent(in) :: at
    integer :: row, column
    call take_panel(at)
    row = rows_before(first)
    column = columns_before(first)
    l = a(row + 1:row + height, column + 1:column + width)
    call factor_columns(1, width)
    if (is_top) a(row + 1:row + width, column + 1:column + width) = block(:width, :width)
  end subroutine

  ! Factors columns of the panel: the left half, then by that the right one.
  recursive subroutine factor_columns(from, columns)
    integer, intent(in) :: from, columns
    integer :: left, right, middle, below, skipped
    if (columns == 1) then
      call factor_column(from)
      return
    end if
    left = columns / 2
    right = columns - left
    middle = from + left
    call factor_columns(from, left)
    call dtrsm('L', 'L', 'N', 'U', left, right, one, block(from, from), nb, block(from, middle), nb)
    skipped = merge(middle - 1, 0, is_top)
    below = height - skipped
    if (below > 0) call dgemm('N', 'N', below, right, left, -one, l(skipped + 1, from), height, &
      block(from, middle), nb, one, l(skipped + 1, middle), height)
    call factor_columns(middle, right)
  end subroutine

  ! Finds the pivot of a column of the panel, exchanges the rows, and divides the column by the pivot.
  subroutine factor_column(k)
    integer, intent(in) :: k
    real(c_double), pointer :: mine(:), best(:)
    integer :: place, pivot, before, done
    mine => line(:2 + 2 * nb)
    best => line(3 + 2 * nb:4 + 4 * nb)
    before = rows_before(first)
    done = merge(k, 0, is_top)
    mine = 0
    mine(1) = -1
    if (max(done, 1) <= height) then
      place = max(done, 1) - 1 + maxloc(abs(l(max(done, 1):, k)), dim=1)
      mine(1) = abs(l(place, k))
      mine(2) = global(before + place - 1, myrow, nprow)
      mine(3:2 + width) = l(place, :)
    end if
    if (is_top) mine(3 + nb:2 + nb + width) = l(k, :)
    call hcube_caf_allreduce(cteam, mine, best, 1_c_int64_t, candidate_type, larger)

    pivot = int(best(2))
    panel(k, cp) = pivot
    block(k, :width) = best(3:2 + width)
    if (owner(pivot, nprow) == myrow) l(rows_before(pivot) - before + 1, :) = best(3 + nb:2 + nb + width)
    l(done + 1:, k) = l(done + 1:, k) / block(k, k)
  end subroutine

  ! Updates the columns of the matrix from `from` to `to` by a panel.
  subroutine update(at, from, to)
    integer, intent(in) :: at, from, to
    integer :: column, columns, row, skipped, below, j
    call take_panel(at)
    column = columns_before(from)
    columns = columns_before(to) - column
    if (columns == 0) return
    row = rows_before(first)
    skipped = merge(width, 0, is_top)
    below = height - skipped
    associate (u => exchanged(column, columns))
      call dtrsm('R', 'L', 'T', 'U', columns, width, one, block(1, 1), nb, stage(u + 1), columns)
      if (is_top) a(row + 1:row + width, column + 1:column + columns) = &
        transpose(reshape(stage(u + 1:u + columns * width), [columns, width]))
      do j = 0, columns - 1, strip
        if (below > 0) call dgemm('N', 'T', below, min(strip, columns - j), width, -one, l(skipped + 1, 1), height, &
          stage(u + j + 1), columns, one, a(row + skipped + 1, column + j + 1), size(a, 1))
        call hcube_caf_progress()
      end do
    end associate
  end subroutine

  ! Exchanges rows in some columns. Rows of U go to all images of the column; the result is the place in stage of U,
  ! transposed. Two stages alternate, so that one barrier is enough: an image that passes it has read the previous
  ! stage.
  integer(c_int64_t) function exchanged(column, columns)
    integer, intent(in) :: column, columns
    integer :: from(2 * nb), to(2 * nb), moves, move, image
    integer(c_int64_t) :: at
    call find_moves(from, to, moves)
    exchanged = mod(updates, 2) * stage_size
    updates = updates + 1
    do move = 1, moves
      if (owner(from(move), nprow) /= myrow) cycle
      line(:columns) = a(rows_before(from(move)) + 1, column + 1:column + columns)
      at = exchanged + int(move - 1, c_int64_t) * columns
      do image = 0, nprow - 1
        if (move <= width .or. image == owner(to(move), nprow)) &
          call hcube_caf_put(stage_coarray, image, real_bytes * at, line, real_bytes * columns)
      end do
    end do
    call hcube_caf_barrier(cteam)
    do move = width + 1, moves
      if (owner(to(move), nprow) /= myrow) cycle
      at = exchanged + int(move - 1, c_int64_t) * columns
      a(rows_before(to(move)) + 1, column + 1:column + columns) = stage(at + 1:at + columns)
    end do
  end function

  ! The moves that the pivots of the panel amount to: first the rows that U begins with, in order, then the rows
  ! that they push out.
  subroutine find_moves(from, to, moves)
    integer, intent(out) :: from(:), to(:), moves
    integer :: k, pivot
    do k = 0, width - 1
      pivot = nint(panel(k + 1, cp))
      row_at([first + k, pivot]) = row_at([pivot, first + k])
    end do
    to(:width) = [(first + k, k = 0, width - 1)]
    from(:width) = row_at(first:first + width - 1)
    moves = width
    do k = 1, width
      pivot = nint(panel(k, cp))
      if (pivot < first + width .or. row_at(pivot) == pivot) cycle
      moves = moves + 1
      to(moves) = pivot
      from(moves) = row_at(pivot)
      row_at(pivot) = pivot
    end do
    row_at(first:first + width - 1) = to(:width)
  end subroutine

  ! Solves Ux = y from the last block to the first. Each image subtracts what its columns contribute to its rows; the
  ! sums along a row go to the block on the diagonal. All images get x.
  subroutine solve()
    real(c_double) :: rest(size(a, 1)), sums(nb), mine(n)
    integer :: at, above, left
    rest = 0
    mine = 0
    if (owner(n, npcol) == mycol) rest = a(:, columns_before(n) + 1)
    do at = (n - 1) / nb * nb, 0, -nb
      call take_panel(at)
      above = rows_before(first)
      left = columns_before(first)
      if (is_top) call hcube_caf_reduce(rteam, owner(first, npcol), rest(above + 1:above + width), sums, &
        int(width, c_int64_t), MPI_DOUBLE_PRECISION, MPI_SUM)
      if (owner(first, npcol) /= mycol) cycle
      if (is_top) call dtrsm('L', 'U', 'N', 'N', width, 1, one, a(above + 1, left + 1), size(a, 1), sums(1), nb)
      call hcube_caf_broadcast(cteam, owner(first, nprow), sums, real_bytes * width)
      mine(first + 1:first + width) = sums(:width)
      rest(:above) = rest(:above) - matmul(a(:above, left + 1:left + width), sums(:width))
    end do
    call hcube_caf_allreduce(rteam, mine, x, int(n, c_int64_t), MPI_DOUBLE_PRECISION, MPI_SUM)
  end subroutine

  ! The residual as HPL scales it; the largest number where the solution is not finite. The matrix is generated again.
  real(c_double) function residual()
    real(c_double), allocatable :: mine(:, :), sums(:, :)
    real(c_double) :: norms(3), all_norms(3), scale, value
    integer :: i, j, column
    allocate (mine(rows_before(n), 2), sums(rows_before(n), 2))
    mine = 0
    norms = 0
    do j = 0, columns_before(n + 1) - 1
      column = global(j, mycol, npcol)
      do i = 1, size(mine, 1)
        value = element(global(i - 1, myrow, nprow), column)
        if (column < n) then
          mine(i, :) = mine(i, :) + [value * x(column + 1), abs(value)]
        else
          mine(i, 1) = mine(i, 1) - value
          norms(3) = max(norms(3), abs(value))
        end if
      end do
    end do
    call hcube_caf_allreduce(rteam, mine, sums, size(mine, kind=c_int64_t), MPI_DOUBLE_PRECISION, MPI_SUM)
    if (size(sums) > 0) norms(:2) = maxval(abs(sums), dim=1)
    if (.not. all(abs(sums) <= huge(sums))) norms(1) = huge(norms)
    call hcube_caf_allreduce(world, norms, all_norms, 3_c_int64_t, MPI_DOUBLE_PRECISION, MPI_MAX)
    scale = epsilon(one) / 2 * (all_norms(2) * maxval(abs(x)) + all_norms(3)) * n
    residual = huge(residual)
    ! Over an infinite scale any residual would be small.
    if (all_norms(1) < huge(norms) .and. scale <= huge(scale)) residual = all_norms(1) / scale
  end function

  ! How many of the first `count` rows or columns are at this place of the grid, which has `places` of them.
  pure integer function share(count, place, places)
    integer, intent(in) :: count, place, places
    integer :: rest
    rest = mod(count / nb, places)
    share = count / nb / places * nb
    if (place < rest) share = share + nb
    if (place == rest) share = share + mod(count, nb)
  end function

  pure integer function rows_before(row)
    integer, intent(in) :: row
    rows_before = share(row, myrow, nprow)
  end function

  pure integer function columns_before(column)
    integer, intent(in) :: column
    columns_before = share(column, mycol, npcol)
  end function

  ! The row or column of the grid that has a row or column of the matrix, which counts from 0, and the reverse.
  pure integer function owner(index, places)
    integer, intent(in) :: index, places
    owner = mod(index / nb, places)
  end function

  pure integer function global(local, place, places)
    integer, intent(in) :: local, place, places
    global = (local / nb * places + place) * nb + mod(local, nb)
  end function

  ! Pseudo-random elements between -0.5 and 0.5.
  pure real(c_double) function element(i, j)
    integer, intent(in) :: i, j
    integer(c_int64_t), parameter :: mask = 2_c_int64_t**31 - 1
    integer(c_int64_t) :: bits
    integer :: round
    bits = int(j, c_int64_t) * max_order + i + 1
    bits = ieor(iand(bits, mask), ishft(bits, -31) * 40503)
    ! Products of two numbers below 2**31 do not overflow.
    do round = 1, 4
      bits = iand(ieor(bits, ishft(bits, -15)) * 738934637_c_int64_t, mask)
    end do
    element = real(bits, c_double) / 2.0_c_double**31 - 0.5_c_double
  end function

  ! A number on the command line, or the default.
  integer function argument(which, name, preset, largest)
    integer, intent(in) :: which, preset, largest
    character(len=*), intent(in) :: name
    character(len=20) :: limit
    integer :: problem
    argument = preset
    if (which > command_argument_count()) return
    call get_command_argument(which, given, status=problem)
    if (problem == 0) read (given, '(i20)', iostat=problem) argument
    write (limit, '(i0)') largest
    if (problem /= 0 .or. argument < 1 .or. argument > largest) call refuse(name, '1 to ' // trim(limit))
  end function

  subroutine refuse(name, expected)
    character(len=*), intent(in) :: name, expected
    if (me == 0) write (error_unit, '(6a)') 'caf_hpl: ', name, ' ', trim(given), ': expected ', expected
    call hcube_caf_finalize()
    stop 1
  end subroutine
end program
