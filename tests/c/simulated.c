/* A small update on many simulated ranks (SimGrid). Arguments: log2 of the table, mode.
 * Prints `ok <ranks> | <what hcube says it does>`.
 */
#include "client.h"

int main(int argc, char **argv) {
  hcube_random_access_options options;
  hcube_error error;
  char line[256];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  REQUIRE(argc == 3);
  SUCCEED(hcube_random_access_default_options(&options, &error), error);
  options.mode = (int32_t)atoi(argv[2]);
  run_and_verify(MPI_COMM_WORLD, atoi(argv[1]), HCUBE_STREAM_POLYNOMIAL, &options);
  run_and_verify(MPI_COMM_WORLD, atoi(argv[1]), HCUBE_STREAM_LCG, &options);
  SUCCEED(hcube_random_access_describe(MPI_COMM_WORLD, &options, line, sizeof line, &error), error);
  if (rank == 0) printf("ok %d | %s\n", size, line);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
