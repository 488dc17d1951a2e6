/* Everything that a released header offers, compiled against that header and run with the library of today.
 * Uses what hcube.h 0.1.0 declares and nothing later. */
#include "client.h"

static void random_access(MPI_Comm comm) {
  hcube_random_access_options options;
  hcube_random_access_statistics statistics;
  hcube_table table = make_table(comm, 12);
  hcube_updates updates = make_updates(&table, HCUBE_STREAM_LCG);
  char line[200];
  int64_t errors = -1;
  SUCCEED(hcube_random_access_default_options(&options, sizeof options, &failure));
  REQUIRE(options.struct_size == sizeof options && options.look_ahead == 1024);
  REQUIRE(options.optimisations == HCUBE_OPTIMISATIONS_ALL && options.huge_pages == 1);
  options.look_ahead = 64;
  options.mode = HCUBE_MODE_MESSAGE;
  SUCCEED(hcube_random_access_prepare(comm, &options, &failure));
  SUCCEED(hcube_random_access_run(comm, &table, &updates, &options, &failure));
  SUCCEED(hcube_random_access_verify(comm, &table, &updates, &errors, &failure));
  REQUIRE(errors == 0);
  memset(&statistics, 0xA5, sizeof statistics);
  statistics.struct_size = sizeof statistics;
  SUCCEED(hcube_random_access_last_statistics(comm, &statistics, &failure));
  REQUIRE(statistics.struct_size == sizeof statistics && statistics.open_bound == 64);
  REQUIRE(statistics.generated == (uint64_t)updates.count && statistics.shared_bytes == 0);
  REQUIRE(statistics.total_seconds >= 0 && statistics.update_seconds >= 0);
  SUCCEED(hcube_random_access_describe(comm, &options, line, sizeof line, &failure));
  REQUIRE(strstr(line, "look-ahead 64") != NULL);
  options.mode = 17;
  REQUIRE(hcube_random_access_prepare(comm, &options, &failure) == HCUBE_ERR_ARGUMENT);
  REQUIRE(failure.code == HCUBE_ERR_ARGUMENT && strstr(failure.message, "options.mode = 17") != NULL);
  free(table.words);
}

/* One int for each rank, in place; what arrives is checked. */
static void alltoall(MPI_Comm comm) {
  hcube_alltoall_options options;
  char way[32];
  int rank, size, *blocks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  SUCCEED(hcube_alltoall_default_options(&options, sizeof options, &failure));
  options.path = HCUBE_PATH_MESSAGE;
  options.schedule = HCUBE_ALLTOALL_LINEAR_SHIFT;
  SUCCEED(hcube_alltoall_set_options(comm, &options, &failure));
  blocks = (int *)allocate((size_t)size * sizeof *blocks);
  for (int other = 0; other < size; other++) blocks[other] = 100 * rank + other;
  REQUIRE(hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, blocks, 1, MPI_INT, comm) == MPI_SUCCESS);
  for (int other = 0; other < size; other++) REQUIRE(blocks[other] == 100 * other + rank);
  SUCCEED(hcube_alltoall_last_way(comm, way, sizeof way, &failure));
  if (strcmp(way, size == 1 ? "alone" : "message") != 0) FAIL("way %s", way);
  free(blocks);
}

/* A square matrix with one row per rank. */
static void transpose(MPI_Comm comm) {
  hcube_transpose_shape shape;
  int rank, size;
  int64_t *row;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  shape.rows = shape.columns = size;
  shape.element_bytes = sizeof *row;
  shape.row_block = shape.column_block = 1;
  shape.transposed_in = shape.transposed_out = 0;
  row = (int64_t *)allocate((size_t)size * sizeof *row);
  for (int column = 0; column < size; column++) row[column] = 100 * rank + column;
  SUCCEED(hcube_transpose_check(&shape, 1, comm, &failure));
  SUCCEED(hcube_transpose(row, row, &shape, comm, &failure));
  for (int column = 0; column < size; column++) REQUIRE(row[column] == 100 * column + rank);
  free(row);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  random_access(MPI_COMM_WORLD);
  alltoall(MPI_COMM_WORLD);
  transpose(MPI_COMM_WORLD);
  REQUIRE(strlen(hcube_error_string(HCUBE_ERR_BUFFER)) > 0);
  if (rank == 0) printf("ok hcube.h %s, library %s\n", HCUBE_VERSION, hcube_version());
  MPI_Finalize();
  return 0;
}
