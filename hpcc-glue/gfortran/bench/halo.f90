! The exchange of halos by coarrays: faces as sections, single elements, and both as part of a program.
! An image writes to one half of its block while its neighbours read the other half, so that a step needs one synchronisation.
module halo
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use repetitions
  use images
  use grids
  implicit none
  private
  public :: measure_halo

  real(real64), allocatable :: u(:, :, :, :)[:]
  type(block) :: here
  integer, allocatable :: neighbours(:)
  ! The half that is exchanged.
  integer :: half

contains

  subroutine measure_halo()
    here = place(this_image(), num_images())
    neighbours = pack(here%near, here%near > 0)
    allocate (u(0:edge + 1, 0:edge + 1, 0:edge + 1, 0:1)[*])
    call restart()
    call measure('halo-faces', face_bytes, together, exchange_faces, errors)
    call restart()
    call measure('halo-get-elements', face_bytes, together, exchange_got, errors)
    call restart()
    call measure('halo-put-elements', face_bytes, together, exchange_put, errors)
    call restart()
    call measure('jacobi', 8*edge**3, together, jacobi, no_errors, results)
    deallocate (u)
  end subroutine

  subroutine restart()
    sync all
    call begin_with(u(:, :, :, 0), here)
    call begin_with(u(:, :, :, 1), here)
    half = 0
    sync all
  end subroutine

  integer function errors()
    errors = wrong_halo(u(:, :, :, half), here)
  end function

  integer function no_errors()
    no_errors = 0
  end function

  subroutine put_faces()
    associate (near => here%near, n => edge)
      if (near(1, 1) > 0) u(n + 1, 1:n, 1:n, half)[near(1, 1)] = u(1, 1:n, 1:n, half)
      if (near(2, 1) > 0) u(0, 1:n, 1:n, half)[near(2, 1)] = u(n, 1:n, 1:n, half)
      if (near(1, 2) > 0) u(1:n, n + 1, 1:n, half)[near(1, 2)] = u(1:n, 1, 1:n, half)
      if (near(2, 2) > 0) u(1:n, 0, 1:n, half)[near(2, 2)] = u(1:n, n, 1:n, half)
      if (near(1, 3) > 0) u(1:n, 1:n, n + 1, half)[near(1, 3)] = u(1:n, 1:n, 1, half)
      if (near(2, 3) > 0) u(1:n, 1:n, 0, half)[near(2, 3)] = u(1:n, 1:n, n, half)
    end associate
  end subroutine

  subroutine exchange_faces(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      half = 1 - half
      call put_faces()
      sync images (neighbours)
    end do
  end subroutine

  subroutine get_elements()
    integer :: j, k
    do k = 1, edge
      do j = 1, edge
        if (here%near(1, 1) > 0) u(0, j, k, half) = u(edge, j, k, half)[here%near(1, 1)]
        if (here%near(2, 1) > 0) u(edge + 1, j, k, half) = u(1, j, k, half)[here%near(2, 1)]
        if (here%near(1, 2) > 0) u(j, 0, k, half) = u(j, edge, k, half)[here%near(1, 2)]
        if (here%near(2, 2) > 0) u(j, edge + 1, k, half) = u(j, 1, k, half)[here%near(2, 2)]
        if (here%near(1, 3) > 0) u(j, k, 0, half) = u(j, k, edge, half)[here%near(1, 3)]
        if (here%near(2, 3) > 0) u(j, k, edge + 1, half) = u(j, k, 1, half)[here%near(2, 3)]
      end do
    end do
  end subroutine

  subroutine exchange_got(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      half = 1 - half
      sync images (neighbours)
      call get_elements()
    end do
  end subroutine

  subroutine put_elements()
    integer :: j, k
    do k = 1, edge
      do j = 1, edge
        if (here%near(1, 1) > 0) u(edge + 1, j, k, half)[here%near(1, 1)] = u(1, j, k, half)
        if (here%near(2, 1) > 0) u(0, j, k, half)[here%near(2, 1)] = u(edge, j, k, half)
        if (here%near(1, 2) > 0) u(j, edge + 1, k, half)[here%near(1, 2)] = u(j, 1, k, half)
        if (here%near(2, 2) > 0) u(j, 0, k, half)[here%near(2, 2)] = u(j, edge, k, half)
        if (here%near(1, 3) > 0) u(j, k, edge + 1, half)[here%near(1, 3)] = u(j, k, 1, half)
        if (here%near(2, 3) > 0) u(j, k, 0, half)[here%near(2, 3)] = u(j, k, edge, half)
      end do
    end do
  end subroutine

  subroutine exchange_put(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      half = 1 - half
      call put_elements()
      sync images (neighbours)
    end do
  end subroutine

  subroutine jacobi(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      call put_faces()
      sync images (neighbours)
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
