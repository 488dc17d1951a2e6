! Sections of coarrays with random bounds and strides, vector subscripts, against the same assignments to ordinary arrays.
program sections
  implicit none
  integer, parameter :: n1 = 9, n2 = 7, n3 = 5, turns = 300
  real(8), allocatable :: a(:, :, :)[:], b(:)[:]
  real(8) :: model(n1, n2, n3), local(n1, n2, n3), want(n1, n2, n3), line(n1)
  integer :: lo(3), hi(3), st(3), turn, me, n, to, from, k
  integer :: vec(4), vec8(3)
  integer(8) :: state

  me = this_image()
  n = num_images()
  allocate (a(n1, n2, n3)[*], b(50)[*])
  state = 1234567 + 7919*me
  to = modulo(me, n) + 1
  from = modulo(me - 2, n) + 1

  ! Gets: nobody writes meanwhile.
  call fill(a, me)
  sync all
  call fill(model, to)
  do turn = 1, turns
    call bounds()
    local = -1
    want = -1
    local(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3)) = &
      a(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3))[to]
    want(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3)) = &
      model(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3))
    if (any(local /= want)) error stop 'get of a section'
    line = a(:, lo(2), lo(3))[to]
    if (any(line /= model(:, lo(2), lo(3)))) error stop 'get of a column'
    line(1:n2) = a(lo(1), :, lo(3))[to]
    if (any(line(1:n2) /= model(lo(1), :, lo(3)))) error stop 'get of a row'
    if (a(lo(1), lo(2), lo(3))[to] /= model(lo(1), lo(2), lo(3))) error stop 'get of an element'
  end do
  local = a(:, :, :)[to]
  if (any(local /= model)) error stop 'get of the whole array'
  sync all

  ! Puts: each part is written by one image.
  model = 0
  a = 0
  sync all
  do turn = 1, turns
    call bounds()
    call fill(local, turn)
    a(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3))[to] = &
      local(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3))
    model(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3)) = &
      local(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3))
    if (mod(turn, 3) == 0) then
      a(:, lo(2), lo(3))[to] = 5.0d0*turn
      model(:, lo(2), lo(3)) = 5.0d0*turn
    end if
  end do
  local = a(:, :, :)[to]
  if (any(local /= model)) error stop 'own puts are seen by own gets'
  sync all
  call fill(local, 0)
  a(:, :, :)[to] = local
  sync all
  if (any(a /= local)) error stop 'put of the whole array'
  sync all

  ! Vector subscripts, in memory of several kinds.
  b = [(1000*me + k, k=1, 50)]
  sync all
  vec = [7, 1, 50, 2]
  vec8 = [4, 9, 2]
  line(1:4) = b(vec)[to]
  if (any(line(1:4) /= 1000*to + vec)) error stop 'get of a vector'
  sync all
  b(vec8)[to] = [1.0d0, 2.0d0, 3.0d0]
  sync all
  if (b(4) /= 1 .or. b(9) /= 2 .or. b(2) /= 3 .or. b(3) /= 1000*me + 3) error stop 'put to a vector'
  sync all

  ! From one image to another one.
  call fill(a, me)
  sync all
  b(1:n1)[to] = a(:, 2, 3)[from]
  sync all
  call fill(model, modulo(from - 2, n) + 1)
  if (any(b(1:n1) /= model(:, 2, 3))) error stop 'from image to image'
  sync all

  ! Both sides overlap.
  b = [(k, k=1, 50)]
  b(2:50)[me] = b(1:49)[me]
  if (any(b(2:50) /= [(k, k=1, 49)])) error stop 'overlap'
  b = [(k, k=1, 50)]
  b(1:50)[me] = b(50:1:-1)
  if (any(b /= [(k, k=50, 1, -1)])) error stop 'reversal'
  sync all
  if (me == 1) print '(a)', 'sections: passed'

contains

  subroutine fill(array, seed)
    real(8), intent(out) :: array(n1, n2, n3)
    integer, intent(in) :: seed
    integer :: i, j, k
    do k = 1, n3
      do j = 1, n2
        do i = 1, n1
          array(i, j, k) = 10000*seed + 100*i + 10*j + k
        end do
      end do
    end do
  end subroutine

  integer function random(limit)
    integer, intent(in) :: limit
    state = modulo(state*1103515245_8 + 12345_8, 2147483648_8)
    random = int(modulo(state/65536, int(limit, 8))) + 1
  end function

  subroutine bounds()
    integer :: sizes(3), d, swap
    sizes = [n1, n2, n3]
    do d = 1, 3
      lo(d) = random(sizes(d))
      hi(d) = random(sizes(d))
      st(d) = random(3)
      if (lo(d) > hi(d)) then
        if (random(2) == 1) then
          st(d) = -st(d)
        else if (random(4) > 1) then
          swap = lo(d)
          lo(d) = hi(d)
          hi(d) = swap
        end if
      end if
    end do
  end subroutine
end program
