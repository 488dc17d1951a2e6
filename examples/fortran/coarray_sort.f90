! Sample sort with the coarrays of Fortran 2018: splitters by a collective subroutine, places by an atomic addition
! on the image that gets the numbers, and the numbers by puts of one section for each image.
!
!     coarray_sort [NUMBERS]      random numbers on each image
program coarray_sort
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, error_unit, int64, real64
  implicit none
  ! Samples of each image. More of them make parts of more equal length.
  integer, parameter :: samples = 64
  real(real64), allocatable :: own(:), drawn(:), splitters(:)
  ! The part of this image, and its number of elements.
  real(real64), allocatable :: part(:)[:]
  integer(atomic_int_kind), save :: filled[*]
  real(real64), save :: smallest[*]
  real(real64) :: total_before, total_after
  integer, allocatable :: begins(:)
  integer(int64) :: numbers
  integer :: me, images, n, capacity, image, place, count, errors

  me = this_image()
  images = num_images()
  n = argument(1, 'NUMBERS', 100000, 1, 100000000)
  allocate (own(n), drawn(samples * images), splitters(0:images), begins(images + 1))
  call random_init(repeatable=.true., image_distinct=.true.)
  call random_number(own)
  total_before = sum(own)
  call sort(own)

  call choose_splitters()
  call find_parts()
  ! The size of the largest part.
  capacity = largest_part()
  allocate (part(capacity)[*])
  filled = 0
  sync all
  do image = 1, images
    count = begins(image + 1) - begins(image)
    if (count == 0) cycle
    call atomic_fetch_add(filled[image], count, place)
    part(place + 1:place + count)[image] = own(begins(image):begins(image + 1) - 1)
  end do
  sync all
  call sort(part(:filled))

  call check()
  if (me == 1) print '(3(i0, a))', images, ' images, ', numbers, ' numbers, ', errors, ' errors'
  if (errors /= 0) error stop

contains

  ! The same on all images: between the splitters i - 1 and i are the numbers of image i.
  subroutine choose_splitters()
    integer :: i
    drawn = 0
    do i = 1, samples
      drawn((me - 1) * samples + i) = own(1 + int((i - 0.5_real64) / samples * n))
    end do
    ! Each image has filled its own places.
    call co_sum(drawn)
    call sort(drawn)
    splitters(0) = -1
    splitters(images) = 2
    do i = 1, images - 1
      splitters(i) = drawn(i * samples)
    end do
  end subroutine

  ! Where the numbers of each image begin in the sorted numbers of this one.
  subroutine find_parts()
    integer :: i, image
    i = 1
    do image = 1, images
      begins(image) = i
      do while (i <= n)
        if (own(i) > splitters(image)) exit
        i = i + 1
      end do
    end do
    begins(images + 1) = i
  end subroutine

  integer function largest_part()
    integer :: lengths(images)
    lengths = begins(2:) - begins(:images)
    call co_sum(lengths)
    largest_part = maxval(lengths)
  end function

  ! That the numbers are in order, also from image to image, and none is lost.
  subroutine check()
    integer :: i, next
    errors = 0
    do i = 2, filled
      if (part(i - 1) > part(i)) errors = errors + 1
    end do
    smallest = huge(smallest)
    if (filled > 0) smallest = part(1)
    sync all
    do next = me + 1, images
      if (filled > 0) then
        if (part(filled) > smallest[next]) errors = errors + 1
      end if
    end do
    numbers = filled
    total_after = sum(part(:filled))
    call co_sum(numbers)
    call co_sum(total_before)
    call co_sum(total_after)
    if (numbers /= int(n, int64) * images) errors = errors + 1
    if (abs(total_after - total_before) > 1e-9_real64 * total_before) errors = errors + 1
    call co_sum(errors)
  end subroutine

  ! In place, by a heap.
  subroutine sort(values)
    real(real64), intent(inout) :: values(:)
    real(real64) :: kept
    integer :: i
    do i = size(values) / 2, 1, -1
      call sink(values, i, size(values))
    end do
    do i = size(values), 2, -1
      kept = values(1)
      values(1) = values(i)
      values(i) = kept
      call sink(values, 1, i - 1)
    end do
  end subroutine

  ! Restores the heap of the first `length` values below a place.
  subroutine sink(values, place, length)
    real(real64), intent(inout) :: values(:)
    integer, intent(in) :: place, length
    real(real64) :: kept
    integer :: i, child
    i = place
    kept = values(i)
    do while (2 * i <= length)
      child = 2 * i
      if (child < length) then
        if (values(child + 1) > values(child)) child = child + 1
      end if
      if (values(child) <= kept) exit
      values(i) = values(child)
      i = child
    end do
    values(i) = kept
  end subroutine

  ! A number on the command line, or the default.
  integer function argument(which, name, preset, least, largest)
    integer, intent(in) :: which, preset, least, largest
    character(len=*), intent(in) :: name
    character(len=20) :: text
    integer :: problem
    argument = preset
    if (which > command_argument_count()) return
    call get_command_argument(which, text, status=problem)
    if (problem == 0) read (text, '(i20)', iostat=problem) argument
    if (problem == 0 .and. argument >= least .and. argument <= largest) return
    if (me == 1) write (error_unit, '(5a, i0, a, i0)') 'coarray_sort: ', name, ' ', trim(text), ': expected ', least, &
      ' to ', largest
    stop 1
  end function
end program
