/* A program that registers hcube's solver itself, linked with libhcube_fftw: before registration FFTW's own plans,
 * after it hcube's, again after FFTW was cleaned up. Prints `ok register`, or `refused <code>` if registration fails
 * and FFTW uses its own solvers. */
#include <hcube_fftw.h>
#include <hcube_fftw.h>

#include "fftw_client.h"

static int transpose(void) {
  shape of = {30, 30, 2, 0, 0, 0, 1};
  part mine = part_of(&of, MPI_COMM_WORLD);
  array data = make_array(mine.length);
  F(plan) plan = plan_transpose(&of, MPI_COMM_WORLD, data.data, data.data, FFTW_ESTIMATE);
  int planned = by_hcube(plan, MPI_COMM_WORLD);
  fill(&of, &mine, data.data, 0);
  F(execute)(plan);
  check_transposed(&of, &mine, data.data, 0);
  F(destroy_plan)(plan);
  free_array(&data);
  return planned;
}

#if defined(SINGLE)
#define REGISTER hcube_fftwf_register
#elif defined(LONG_DOUBLE)
#define REGISTER hcube_fftwl_register
#else
#define REGISTER hcube_fftw_register
#endif

int main(int argc, char **argv) {
  int code = 0;
  /* A library that is linked, not preloaded, registers only on request. */
  int alone = argc > 1 && strcmp(argv[1], "alone") == 0;
  begin_program(&argc, &argv);
  for (int turn = 0; turn < 3 && code == 0; turn++) {
    F(mpi_init)();
    if (alone) REQUIRE(!transpose());
    code = REGISTER();
    REQUIRE(transpose() == (code == 0));
    /* A second call changes nothing. */
    REQUIRE(REGISTER() == code);
    REQUIRE(transpose() == (code == 0));
    F(mpi_cleanup)();
  }
  if (rank == 0 && code == 0) printf("ok register\n");
  if (rank == 0 && code != 0) printf("refused %d\n", code);
  return end_program();
}
