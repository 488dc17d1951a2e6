! A program in Fortran that calls PDGEMM and PZGEMM as users do, and checks C element by element.
program pblas
  use mpi
  implicit none
  integer, parameter :: m = 50, n = 37, k = 41, block = 6
  integer :: code, rank, ranks, context, rows, columns, row, column, j
  integer :: desca(9), descb(9), descc(9), info
  integer, external :: numroc, indxl2g
  double precision, allocatable :: a(:, :), b(:, :), c(:, :)
  complex(kind(0d0)), allocatable :: za(:, :), zb(:, :), zc(:, :)
  double precision :: expected

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row-major', 1, ranks)
  call blacs_gridinfo(context, rows, columns, row, column)
  call matrix(m, k, desca, a)
  call matrix(k, n, descb, b)
  call matrix(m, n, descc, c)
  do j = 1, size(a, 2)
    a(:, j) = global(j)
  end do
  b = 2
  c = 1
  call pdgemm('N', 'N', m, n, k, 1d0, a, 1, 1, desca, b, 1, 1, descb, 3d0, c, 1, 1, descc)
  expected = 2d0 * (k * (k + 1) / 2) + 3
  if (any(c /= expected)) call fail('PDGEMM')

  allocate (za(size(a, 1), size(a, 2)), zb(size(b, 1), size(b, 2)), zc(size(c, 1), size(c, 2)))
  za = cmplx(a, 1, kind(0d0))
  zb = (0d0, 1d0)
  zc = 0
  call PZGEMM('n', 'n', m, n, k, (1d0, 0d0), za, 1, 1, desca, zb, 1, 1, descb, (0d0, 0d0), zc, 1, 1, descc)
  if (any(zc /= cmplx(-k, k * (k + 1) / 2, kind(0d0)))) call fail('PZGEMM')

  if (rank == 0) print '(a)', 'ok'
  call blacs_gridexit(context)
  call MPI_Finalize(code)

contains

  ! A matrix of this process with its descriptor.
  subroutine matrix(height, width, description, memory)
    integer, intent(in) :: height, width
    integer, intent(out) :: description(9)
    double precision, allocatable, intent(out) :: memory(:, :)
    integer :: high, wide
    high = numroc(height, block, row, 0, rows)
    wide = numroc(width, block, column, 0, columns)
    allocate (memory(high, wide))
    call descinit(description, height, width, block, block, 0, 0, context, max(1, high), info)
    if (info /= 0) call fail('DESCINIT')
  end subroutine

  ! The global number of a local column.
  integer function global(local)
    integer, intent(in) :: local
    global = indxl2g(local, block, column, 0, columns)
  end function

  subroutine fail(what)
    character(*), intent(in) :: what
    print '(2a)', what, ': wrong result'
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine
end program
