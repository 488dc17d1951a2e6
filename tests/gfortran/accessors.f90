! The first call of a program that gfortran 15 has compiled.
program accessors
  implicit none
  interface
    subroutine register_accessor() bind(c, name='_gfortran_caf_register_accessor')
    end subroutine
  end interface
  call register_accessor()
  print '(a)', 'survived'
end program
