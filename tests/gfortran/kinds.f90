! Conversion between types and kinds by gets and puts, as an assignment does it; text.
program kinds
  use, intrinsic :: iso_fortran_env
  implicit none
  integer(int8), save :: i1(4)[*]
  integer(int16), save :: i2(4)[*]
  integer(int32), save :: i4(4)[*]
  integer(int64), save :: i8(4)[*]
  real(real32), save :: r4(4)[*]
  real(real64), save :: r8(4)[*]
  real(selected_real_kind(18)), save :: r10(4)[*]
  real(real128), save :: r16(4)[*]
  complex(real32), save :: c4(4)[*]
  complex(real64), save :: c8(4)[*]
  complex(real32), save :: one4[*]
  complex(real64), save :: one8[*]
  complex(real64), allocatable :: one[:]
  logical(4), save :: l4(4)[*]
  character(5), save :: t(3)[*]
  character(3, kind=selected_char_kind('ISO_10646')), save :: w(2)[*]
  real(real64) :: x(4)
  real(real32) :: y(4)
  integer(int64) :: k(4)
  complex(real64) :: z(4)
  character(3) :: short(3)
  character(8) :: long
  integer :: me, to

  me = this_image()
  to = modulo(me, num_images()) + 1
  i1 = int([1, -2, 3, 100], int8)
  i2 = int([1, -2, 300, 10000], int16)
  i4 = [1, -2, 3, 100000]
  i8 = [1_int64, -2_int64, 3_int64, 10_int64**15]
  r4 = [0.5, -1.75, 3.0, 1e6]
  r8 = [0.5d0, -1.75d0, 3.0d0, 1d15]
  r10 = r8
  r16 = r8
  c4 = [(1.0, 2.0), (-1.5, 0.5), (3.0, 4.0), (0.0, 1.0)]
  c8 = c4
  l4 = [.true., .false., .true., .true.]
  t = ['alpha', 'beta ', 'gamma']
  w(1) = 4_'xyz'
  sync all

  x = i1(:)[to]
  if (any(x /= [1, -2, 3, 100])) error stop 'real from integer(1)'
  x = i8(:)[to]
  if (any(x /= [1d0, -2d0, 3d0, 1d15])) error stop 'real from integer(8)'
  k = r8(:)[to]
  if (any(k /= [0_8, -1_8, 3_8, 10_8**15])) error stop 'integer from real'
  k = i2(:)[to]
  if (any(k /= [1, -2, 300, 10000])) error stop 'integer from integer'
  y = r8(:)[to]
  if (any(y /= real(r8, 4))) error stop 'real from real'
  x = r10(:)[to]
  if (any(x /= r8)) error stop 'real from real(10)'
  x = r16(:)[to]
  if (any(x /= r8)) error stop 'real from real(16)'
  z = c4(:)[to]
  if (any(z /= c8)) error stop 'complex from complex'
  z = r4(:)[to]
  if (any(z /= cmplx(r4, kind=8))) error stop 'complex from real'
  x = c8(:)[to]
  if (any(x /= real(c8))) error stop 'real from complex'
  if (.not. l4(4)[to] .or. l4(2)[to]) error stop 'logical'
  short = t(:)[to]
  if (any(short /= ['alp', 'bet', 'gam'])) error stop 'text is cut'
  long = t(2)[to]
  if (long /= 'beta') error stop 'text is filled'
  if (w(1)[to] /= 4_'xyz') error stop 'wide text'
  sync all

  r8(2)[to] = 7
  i4(:)[to] = [1.9, -1.9, 0.5, 2.5]
  c8(1)[to] = 3
  r4(:)[to] = [1_int8, 2_int8, 3_int8, 4_int8]
  t(1)[to] = 'xy'
  ! gfortran 12 drops the end of the substring: it is the end of the element.
  t(2)[to](4:5) = 'EE'
  r10(1)[to] = 0.25
  sync all
  if (r8(2) /= 7) error stop 'put of integer to real'
  if (any(i4 /= [1, -1, 0, 2])) error stop 'put of real to integer'
  if (c8(1) /= (3d0, 0d0)) error stop 'put of integer to complex'
  if (any(r4 /= [1, 2, 3, 4])) error stop 'put of integer(1) to real'
  if (t(1) /= 'xy' .or. t(2) /= 'betEE') error stop 'put of text'
  if (r10(1) /= 0.25) error stop 'put to real(10)'
  sync all

  ! gfortran 12 passes the distance of a copy as the offset.
  allocate (one[*])
  one4[to] = (1.0, 2.0)
  one8[to] = c4(2)
  one[to] = 3
  sync all
  if (one4 /= (1.0, 2.0) .or. one8 /= c4(2) .or. one /= (3d0, 0d0)) error stop 'put to a complex scalar'
  sync all
  one4[to] = one8[to]
  one8[to] = one[to] + one4
  sync all
  if (one4 /= c4(2)) error stop 'put of a complex scalar of another image'
  if (one[to] /= (3d0, 0d0)) error stop 'get of a complex scalar'
  sync all
  if (me == 1) print '(a)', 'kinds: passed'
end program
