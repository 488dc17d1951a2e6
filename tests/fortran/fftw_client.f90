! A Fortran program that uses FFTW on several ranks and knows nothing of hcube: a transposition in place,
! then a three-dimensional transform of a plane wave in place. Prints, for each, whether hcube is in its
! plan: `ok fftw Fortran transpose=T transform=T`.
program fftw_client
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  include 'fftw3-mpi.f03'
  integer, parameter :: side = 48
  integer(C_INTPTR_T), parameter :: n(3) = [24, 12, 10], wave(3) = [5, 7, 2]
  integer :: rank, ierror
  logical :: transposed_by_hcube, transformed_by_hcube

  call MPI_Init(ierror)
  call fftw_mpi_init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call transpose_in_place(transposed_by_hcube)
  call transform_in_place(transformed_by_hcube)
  if (rank == 0) print '(a, l1, a, l1)', 'ok fftw Fortran transpose=', transposed_by_hcube, ' transform=', &
    transformed_by_hcube
  call fftw_mpi_cleanup()
  call MPI_Finalize(ierror)

contains

  subroutine fail(what)
    character(*), intent(in) :: what
    write (*, '(3a, i0)') 'wrong: ', what, ' on rank ', rank
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine fail

  ! The plan's text is a string of C that the caller frees.
  logical function by_hcube(plan)
    type(C_PTR), intent(in) :: plan
    type(C_PTR) :: text
    character(C_CHAR), pointer :: letters(:)
    character(:), allocatable :: line
    integer :: length
    interface
      integer(C_SIZE_T) function strlen(text) bind(C)
        import
        type(C_PTR), value :: text
      end function strlen
      subroutine free(memory) bind(C)
        import
        type(C_PTR), value :: memory
      end subroutine free
    end interface
    text = fftw_sprint_plan(plan)
    length = int(strlen(text))
    call c_f_pointer(text, letters, [length])
    allocate (character(length) :: line)
    line = transfer(letters, line)
    by_hcube = index(line, 'mpi-transpose-hcube') > 0
    call free(text)
  end function by_hcube

  subroutine transpose_in_place(hcube)
    logical, intent(out) :: hcube
    type(C_PTR) :: plan, memory
    integer(C_INTPTR_T) :: rows, first_row, columns, first_column, length, row, column
    real(C_DOUBLE), pointer :: values(:), matrix(:, :)
    length = fftw_mpi_local_size_2d_transposed(int(side, C_INTPTR_T), int(side, C_INTPTR_T), MPI_COMM_WORLD, rows, &
                                               first_row, columns, first_column)
    memory = fftw_alloc_real(int(length, C_SIZE_T))
    call c_f_pointer(memory, values, [length])
    plan = fftw_mpi_plan_transpose(int(side, C_INTPTR_T), int(side, C_INTPTR_T), values, values, MPI_COMM_WORLD, &
                                   FFTW_MEASURE)
    hcube = by_hcube(plan)
    ! Fortran's first index is the fast one: the index of the columns.
    call c_f_pointer(memory, matrix, [int(side, C_INTPTR_T), rows])
    do row = 1, rows
      do column = 1, side
        matrix(column, row) = 1000 * (first_row + row) + column
      end do
    end do
    call fftw_mpi_execute_r2r(plan, values, values)
    call c_f_pointer(memory, matrix, [int(side, C_INTPTR_T), columns])
    do column = 1, columns
      do row = 1, side
        if (matrix(row, column) /= 1000 * row + first_column + column) call fail('transposition')
      end do
    end do
    call fftw_destroy_plan(plan)
    call fftw_free(memory)
  end subroutine transpose_in_place

  subroutine transform_in_place(hcube)
    logical, intent(out) :: hcube
    real(C_DOUBLE), parameter :: two_pi = 8 * atan(1d0)
    type(C_PTR) :: plan, memory
    integer(C_INTPTR_T) :: slabs, first, length, i, j, k
    complex(C_DOUBLE_COMPLEX), pointer :: values(:, :, :)
    complex(C_DOUBLE_COMPLEX) :: expected
    real(C_DOUBLE) :: turns
    length = fftw_mpi_local_size_3d(n(1), n(2), n(3), MPI_COMM_WORLD, slabs, first)
    memory = fftw_alloc_complex(int(length, C_SIZE_T))
    call c_f_pointer(memory, values, [n(3), n(2), slabs])
    plan = fftw_mpi_plan_dft_3d(n(1), n(2), n(3), values, values, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE)
    hcube = by_hcube(plan)
    do i = 1, slabs
      do j = 1, n(2)
        do k = 1, n(3)
          turns = dble(wave(1) * (first + i - 1)) / n(1) + dble(wave(2) * (j - 1)) / n(2) + &
                  dble(wave(3) * (k - 1)) / n(3)
          values(k, j, i) = exp(cmplx(0, two_pi * turns, C_DOUBLE_COMPLEX))
        end do
      end do
    end do
    call fftw_mpi_execute_dft(plan, values, values)
    do i = 1, slabs
      do j = 1, n(2)
        do k = 1, n(3)
          expected = 0
          if (first + i - 1 == wave(1) .and. j - 1 == wave(2) .and. k - 1 == wave(3)) expected = product(n)
          if (.not. abs(values(k, j, i) - expected) < 1d-9) call fail('transform')
        end do
      end do
    end do
    call fftw_destroy_plan(plan)
    call fftw_free(memory)
  end subroutine transform_in_place

end program fftw_client
