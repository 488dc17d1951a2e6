! Teams (Jin et al. 2011, Figure 2): the images of a grid form a team for each row and one for each column; the
! column teams allocate a coarray each. Then data moves around the columns, and sums are formed along the rows.
program caf_teams
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use mpi, only: MPI_INTEGER8, MPI_SUM
  use hcube_caf
  implicit none
  integer, parameter :: blksize = 16
  integer(c_int64_t) :: world, rowteam, colteam, w_coarray, columns, errors, all_errors
  integer :: nprocs, me, nprow, npcol, myrow, mycol, below
  real(c_double), pointer :: w(:)
  real(c_double) :: from_below(2 * blksize + 4)

  call hcube_caf_init()
  call hcube_caf_team_world(world)
  call hcube_caf_team_size(world, nprocs)
  call hcube_caf_team_rank(world, me)

  ! The grid that is nearest to a square, with the images in columns.
  nprow = int(sqrt(real(nprocs)))
  do while (mod(nprocs, nprow) /= 0)
    nprow = nprow - 1
  end do
  npcol = nprocs / nprow
  mycol = me / nprow
  myrow = me - mycol * nprow

  call hcube_caf_team_split(world, int(myrow, c_int64_t), int(mycol, c_int64_t), rowteam)
  call hcube_caf_team_split(world, int(mycol, c_int64_t), int(myrow, c_int64_t), colteam)

  ! with team colteam: only the images of the column allocate; other images do not wait.
  call hcube_caf_team_push(colteam)
  call hcube_caf_coarray_alloc(HCUBE_CAF_DEFAULT_TEAM, [2 * blksize + 4], w_coarray, w)
  call hcube_caf_team_pop()

  ! Images are named by their ranks in the team of the coarray.
  w = me
  call hcube_caf_barrier(colteam)
  below = mod(myrow + 1, nprow)
  call hcube_caf_get(w_coarray, below, 0_c_int64_t, from_below, 8_c_int64_t * size(w))
  errors = count(nint(from_below) /= mycol * nprow + below)

  call hcube_caf_allreduce(rowteam, int(mycol, c_int64_t), columns, 1_c_int64_t, MPI_INTEGER8, MPI_SUM)
  if (columns /= npcol * (npcol - 1) / 2) errors = errors + 1

  call hcube_caf_reduce(world, 0, errors, all_errors, 1_c_int64_t, MPI_INTEGER8, MPI_SUM)
  if (me == 0) print '(4(i0, a))', nprocs, ' images, ', nprow, ' x ', npcol, ', ', all_errors, ' errors'
  call hcube_caf_coarray_free(w_coarray)
  call hcube_caf_team_free(rowteam)
  call hcube_caf_team_free(colteam)
  call hcube_caf_finalize()
  if (me == 0 .and. all_errors /= 0) stop 1
end program
