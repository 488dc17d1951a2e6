/* hcube_caf_init where the variables of the images may differ. Prints `<rank>: <code> <message>`. Argument: own, if
 * hcube_caf_init is to initialise MPI. */
#include "client.h"

int main(int argc, char **argv) {
  hcube_error failure;
  int rank = -1, is_active = 0, owns_mpi = argc > 1;
  (void)argv;
  memset(&failure, 0, sizeof failure);
  if (!owns_mpi) MPI_Init(&argc, &argv);
  int32_t code = hcube_caf_init(&failure);
  MPI_Initialized(&is_active);
  REQUIRE(is_active);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%d: %d %s\n", rank, (int)code, failure.message);
  fflush(stdout);
  if (code == HCUBE_SUCCESS) SUCCEED(hcube_caf_finalize(&failure));
  MPI_Finalized(&is_active);
  if (!is_active) MPI_Finalize();
  return 0;
}
