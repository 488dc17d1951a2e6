! A program of ScaLAPACK without any reference to hcube: C := A B by PDGEMM on a grid of processes.
! hcube-run --pblas runs it with hcube's products.
program pdgemm_example
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  implicit none
  integer, parameter :: n = 600, block = 64
  real(real64), allocatable :: a(:, :), b(:, :), c(:, :), column_of_b(:)
  integer :: description(9), sizes(2), context, ranks, rank, rows, columns, row, column, height, width
  integer :: i, j, k, info, errors, all_errors
  integer, external :: numroc
  external :: blacs_get, blacs_gridinit, blacs_gridinfo, blacs_gridexit, descinit, pdgemm

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  sizes = 0
  call MPI_Dims_create(ranks, 2, sizes)
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', sizes(1), sizes(2))
  call blacs_gridinfo(context, rows, columns, row, column)

  ! This process's part of each matrix.
  height = numroc(n, block, row, 0, rows)
  width = numroc(n, block, column, 0, columns)
  call descinit(description, n, n, block, block, 0, 0, context, max(1, height), info)
  if (info /= 0) call MPI_Abort(MPI_COMM_WORLD, 1)
  allocate (a(max(1, height), max(1, width)), b(max(1, height), max(1, width)), c(max(1, height), max(1, width)))
  do j = 1, width
    do i = 1, height
      a(i, j) = element_of_a(global(i, row, rows), global(j, column, columns))
      b(i, j) = element_of_b(global(i, row, rows), global(j, column, columns))
    end do
  end do

  call pdgemm('N', 'N', n, n, n, 1.0_real64, a, 1, 1, description, b, 1, 1, description, &
              0.0_real64, c, 1, 1, description)

  ! Sums of small integers: no digit may differ.
  errors = 0
  do j = 1, width
    column_of_b = [(element_of_b(k, global(j, column, columns)), k = 0, n - 1)]
    do i = 1, height
      if (abs(c(i, j) - sum([(element_of_a(global(i, row, rows), k), k = 0, n - 1)] * column_of_b)) > 0) &
        errors = errors + 1
    end do
  end do
  call MPI_Allreduce(errors, all_errors, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(3(i0, a), i0, a)', ranks, ' ranks, grid ', rows, ' x ', columns, ', ', all_errors, ' errors'

  call blacs_gridexit(context)
  call MPI_Finalize()
  if (all_errors /= 0) stop 1

contains

  pure real(real64) function element_of_a(i, j)
    integer, intent(in) :: i, j
    element_of_a = modulo(i + 2 * j, 7) - 3
  end function

  pure real(real64) function element_of_b(i, j)
    integer, intent(in) :: i, j
    element_of_b = modulo(3 * i + j, 5) - 2
  end function

  ! The global index, from 0, of a local index, from 1, on one of some processes.
  pure integer function global(local, process, processes)
    integer, intent(in) :: local, process, processes
    global = ((local - 1) / block * processes + process) * block + modulo(local - 1, block)
  end function
end program
