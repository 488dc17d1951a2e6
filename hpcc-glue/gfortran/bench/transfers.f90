! Access to coarrays of the right neighbour: scalars, contiguous sections, rows, faces, vector subscripts, components.
! All images access theirs at the same time.
module transfers
  use, intrinsic :: iso_fortran_env, only: real64
  use repetitions
  use images
  implicit none
  private
  public :: measure_transfers

  type field
    real(real64), allocatable :: values(:)
  end type

  integer, parameter :: order = 1024, edge = 64, chosen = 1000, spread_over = 131072, component = 4096
  real(real64), save :: scalar[*]
  type(field), save :: fields[*]
  real(real64), allocatable :: line(:)[:], square(:, :)[:], cube(:, :, :)[:]
  real(real64), allocatable :: here(:), face(:, :)
  integer, allocatable :: places(:)
  integer :: me, right, left, n
  real(real64) :: value

contains

  subroutine measure_transfers()
    integer :: i
    me = this_image()
    right = modulo(me, num_images()) + 1
    left = modulo(me - 2, num_images()) + 1
    n = max(maxval(sizes)/8, spread_over)
    allocate (line(n)[*], square(order, order)[*], cube(edge, edge, edge)[*])
    allocate (here(n), face(edge, edge), fields%values(component))
    places = [(1 + mod(i*shuffle_step, spread_over), i=1, chosen)]
    call scalars()
    do i = 1, size(sizes)
      n = sizes(i)/8
      call contiguous()
    end do
    call rows()
    call faces()
    call vectors()
    call components()
    deallocate (line, square, cube)
  end subroutine

  ! Element i of an image.
  elemental real(real64) function of(image, i)
    integer, intent(in) :: image, i
    of = image*1e8_real64 + i
  end function

  function elements(image, count)
    integer, intent(in) :: image, count
    real(real64) :: elements(count)
    integer :: i
    do i = 1, count
      elements(i) = of(image, i)
    end do
  end function

  subroutine scalars()
    scalar = of(me, 1)
    sync all
    call measure('get-scalar', 8, one_sided, get_scalar, wrong_value)
    call measure('put-scalar', 8, one_sided, put_scalar, wrong_scalar)
  end subroutine

  subroutine get_scalar(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      value = scalar[right]
    end do
  end subroutine

  integer function wrong_value()
    wrong_value = merge(0, 1, value == of(right, 1))
  end function

  subroutine put_scalar(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      scalar[right] = of(me, 1)
    end do
  end subroutine

  integer function wrong_scalar()
    wrong_scalar = merge(0, 1, scalar == of(left, 1))
  end function

  subroutine contiguous()
    line = elements(me, size(line))
    here = -1
    sync all
    call measure('get', 8*n, one_sided, get_line, wrong_here)
    here = elements(me, size(here))
    call measure('put', 8*n, one_sided, put_line, wrong_line)
  end subroutine

  subroutine get_line(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      here(1:n) = line(1:n)[right]
    end do
  end subroutine

  integer function wrong_here()
    wrong_here = count(here(1:n) /= elements(right, n))
  end function

  subroutine put_line(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      line(1:n)[right] = here(1:n)
    end do
  end subroutine

  ! Behind the section, too.
  integer function wrong_line()
    real(real64) :: expected(size(line))
    expected = elements(me, size(line))
    expected(1:n) = elements(left, n)
    wrong_line = count(line /= expected)
  end function

  subroutine rows()
    square = reshape(elements(me, order*order), [order, order])
    here = -1
    sync all
    call measure('get-row', 8*order, one_sided, get_row, wrong_row_here)
    here = elements(me, size(here))
    call measure('put-row', 8*order, one_sided, put_row, wrong_row)
  end subroutine

  subroutine get_row(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      here(1:order) = square(5, :)[right]
    end do
  end subroutine

  integer function wrong_row_here()
    integer :: i
    wrong_row_here = count(here(1:order) /= [(of(right, 5 + (i - 1)*order), i=1, order)])
  end function

  subroutine put_row(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      square(5, :)[right] = here(1:order)
    end do
  end subroutine

  integer function wrong_row()
    real(real64), allocatable :: expected(:, :)
    expected = reshape(elements(me, order*order), [order, order])
    expected(5, :) = elements(left, order)
    wrong_row = count(square /= expected)
  end function

  subroutine faces()
    cube = reshape(elements(me, edge**3), [edge, edge, edge])
    face = -1
    sync all
    call measure('get-face', 8*edge**2, one_sided, get_face, wrong_face)
    face = reshape(elements(me, edge**2), [edge, edge])
    call measure('put-face', 8*edge**2, one_sided, put_face, wrong_cube)
  end subroutine

  ! The worst face: every element lies in another row.
  subroutine get_face(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      face = cube(1, :, :)[right]
    end do
  end subroutine

  integer function wrong_face()
    integer :: i
    wrong_face = count(face /= reshape([(of(right, 1 + (i - 1)*edge), i=1, edge**2)], [edge, edge]))
  end function

  subroutine put_face(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      cube(:, 1, :)[right] = face
    end do
  end subroutine

  integer function wrong_cube()
    real(real64), allocatable :: expected(:, :, :)
    expected = reshape(elements(me, edge**3), [edge, edge, edge])
    expected(:, 1, :) = reshape(elements(left, edge**2), [edge, edge])
    wrong_cube = count(cube /= expected)
  end function

  subroutine vectors()
    line = elements(me, size(line))
    here = -1
    sync all
    call measure('get-vector', 8*chosen, one_sided, get_vector, wrong_vector)
    here = elements(me, size(here))
    call measure('put-vector', 8*chosen, one_sided, put_vector, wrong_places)
  end subroutine

  subroutine get_vector(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      here(1:chosen) = line(places)[right]
    end do
  end subroutine

  integer function wrong_vector()
    integer :: i
    wrong_vector = count(here(1:chosen) /= [(of(right, places(i)), i=1, chosen)])
  end function

  subroutine put_vector(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      line(places)[right] = here(1:chosen)
    end do
  end subroutine

  integer function wrong_places()
    real(real64) :: expected(size(line))
    expected = elements(me, size(line))
    expected(places) = elements(left, chosen)
    wrong_places = count(line /= expected)
  end function

  subroutine components()
    fields%values = elements(me, component)
    here = -1
    sync all
    call measure('get-component', 8*component, one_sided, get_component, wrong_component)
    here = elements(me, size(here))
    call measure('put-component', 8*component, one_sided, put_component, wrong_field)
  end subroutine

  subroutine get_component(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      here(1:component) = fields[right]%values(1:component)
    end do
  end subroutine

  integer function wrong_component()
    wrong_component = count(here(1:component) /= elements(right, component))
  end function

  subroutine put_component(calls)
    integer, intent(in) :: calls
    integer :: i
    do i = 1, calls
      fields[right]%values(1:component) = here(1:component)
    end do
  end subroutine

  integer function wrong_field()
    wrong_field = count(fields%values /= elements(left, component))
  end function
end module
