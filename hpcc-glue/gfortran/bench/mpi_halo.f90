! The exchange of halos by MPI: faces are packed, sent, received and unpacked.
module mpi_halo
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use repetitions
  use ranks
  use grids
  implicit none
  private
  public :: measure_halo

  real(real64), allocatable :: u(:, :, :, :)
  real(real64) :: sent(edge, edge), received(edge, edge)
  type(block) :: here
  ! The half that is exchanged.
  integer :: half

contains

  subroutine measure_halo()
    integer :: rank, processes, ierror
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, processes, ierror)
    here = place(rank + 1, processes)
    allocate (u(0:edge + 1, 0:edge + 1, 0:edge + 1, 0:1))
    call restart()
    call measure('halo', face_bytes, together, exchange, errors)
    call restart()
    call measure('jacobi', 8*edge**3, together, jacobi, no_errors, results)
  end subroutine

  subroutine restart()
    call begin_with(u(:, :, :, 0), here)
    call begin_with(u(:, :, :, 1), here)
    half = 0
  end subroutine

  integer function errors()
    errors = wrong_halo(u(:, :, :, half), here)
  end function

  integer function no_errors()
    no_errors = 0
  end function

  ! Numbers of ranks from numbers of processes.
  integer function rank_of(process)
    integer, intent(in) :: process
    rank_of = merge(process - 1, MPI_PROC_NULL, process > 0)
  end function

  subroutine send_and_receive(to, from)
    integer, intent(in) :: to, from
    integer :: ierror
    call MPI_Sendrecv(sent, edge**2, MPI_DOUBLE_PRECISION, rank_of(to), 1, &
                      received, edge**2, MPI_DOUBLE_PRECISION, rank_of(from), 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end subroutine

  ! Downwards and upwards in each direction.
  subroutine exchange_faces()
    associate (near => here%near, n => edge)
      if (near(1, 1) > 0) sent = u(1, 1:n, 1:n, half)
      call send_and_receive(near(1, 1), near(2, 1))
      if (near(2, 1) > 0) u(n + 1, 1:n, 1:n, half) = received
      if (near(2, 1) > 0) sent = u(n, 1:n, 1:n, half)
      call send_and_receive(near(2, 1), near(1, 1))
      if (near(1, 1) > 0) u(0, 1:n, 1:n, half) = received
      if (near(1, 2) > 0) sent = u(1:n, 1, 1:n, half)
      call send_and_receive(near(1, 2), near(2, 2))
      if (near(2, 2) > 0) u(1:n, n + 1, 1:n, half) = received
      if (near(2, 2) > 0) sent = u(1:n, n, 1:n, half)
      call send_and_receive(near(2, 2), near(1, 2))
      if (near(1, 2) > 0) u(1:n, 0, 1:n, half) = received
      if (near(1, 3) > 0) sent = u(1:n, 1:n, 1, half)
      call send_and_receive(near(1, 3), near(2, 3))
      if (near(2, 3) > 0) u(1:n, 1:n, n + 1, half) = received
      if (near(2, 3) > 0) sent = u(1:n, 1:n, n, half)
      call send_and_receive(near(2, 3), near(1, 3))
      if (near(1, 3) > 0) u(1:n, 1:n, 0, half) = received
    end associate
  end subroutine

  subroutine exchange(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      half = 1 - half
      call exchange_faces()
    end do
  end subroutine

  subroutine jacobi(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      call exchange_faces()
      call step(u(:, :, :, half), u(:, :, :, 1 - half))
      half = 1 - half
    end do
  end subroutine

  integer(int64) function results()
    call restart()
    call jacobi(checked_steps)
    results = checksum(u(:, :, :, half), here)
  end function
end module
