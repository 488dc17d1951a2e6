/* A small update on many simulated ranks (SimGrid). Arguments: log2 of the table, mode, and `world`
 * or `copy` for the communicator: all simulated ranks share one object for MPI_COMM_WORLD, but each
 * has one of its own for a duplicate. Prints `ok <ranks> | <what hcube says it does>`.
 */
#include "client.h"

int main(int argc, char **argv) {
  hcube_random_access_options options;
  char line[256];
  MPI_Comm comm = MPI_COMM_WORLD;
  /* Not those that programs share: all simulated ranks are in one process. */
  hcube_error failure;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  REQUIRE(argc == 4);
  if (strcmp(argv[3], "copy") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  SUCCEED(hcube_random_access_default_options(&options, sizeof options, &failure));
  options.mode = (int32_t)atoi(argv[2]);
  run_and_verify(comm, atoi(argv[1]), HCUBE_STREAM_POLYNOMIAL, &options);
  run_and_verify(comm, atoi(argv[1]), HCUBE_STREAM_LCG, &options);
  SUCCEED(hcube_random_access_describe(comm, &options, line, sizeof line, &failure));
  if (rank == 0) printf("ok %d | %s\n", size, line);
  fflush(stdout);
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
