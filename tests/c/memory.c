/* The extra memory of a run. Prints, for the rank that grew most,
 * `ok first=<bytes> second=<bytes> reported=<bytes>`.
 *
 * Counted are private memory plus the process's share of shared memory (Pss of anonymous and shared
 * pages), and the peak of the resident set during the run, with the share of shared memory. Pages of
 * program files are not counted: code is not extra memory.
 */
#include "memory.h"

/* Growth during one run: the larger of peak and what remains. */
static long grown(MPI_Comm comm, const hcube_table *table, const hcube_updates *updates,
                  const hcube_random_access_options *options) {
  memory before, after;
  int size;
  MPI_Comm_size(comm, &size);
  MPI_Barrier(comm);
  reset_peak();
  before = measure();
  MPI_Barrier(comm);
  SUCCEED(hcube_random_access_run(comm, table, updates, options, &failure));
  MPI_Barrier(comm);
  after = measure();
  long remains = after.anonymous + after.shared - before.anonymous - before.shared;
  long shared = after.resident_shared - before.resident_shared;
  long code = after.resident_files - before.resident_files;
  long peak = after.peak - before.peak - shared + shared / size - code;
  if (getenv("HCUBE_TEST_VERBOSE") != NULL)
    fprintf(stderr, "anonymous %ld, shared %ld by share, %ld resident, peak %ld\n", after.anonymous - before.anonymous,
            after.shared - before.shared, shared, after.peak - before.peak);
  return remains > peak ? remains : peak;
}

int main(int argc, char **argv) {
  hcube_random_access_options options;
  hcube_random_access_statistics statistics;
  int64_t mine[3], most[3];
  begin_program(&argc, &argv);
  warm_up(MPI_COMM_WORLD);
  hcube_table table = make_table(MPI_COMM_WORLD, 18);
  hcube_updates updates = make_updates(&table, HCUBE_STREAM_POLYNOMIAL);
  SUCCEED(hcube_random_access_default_options(&options, sizeof options, &failure));
  /* Huge pages round the table itself up. */
  options.huge_pages = 0;
  mine[0] = grown(MPI_COMM_WORLD, &table, &updates, &options);
  mine[1] = grown(MPI_COMM_WORLD, &table, &updates, &options);
  statistics.struct_size = sizeof statistics;
  SUCCEED(hcube_random_access_last_statistics(MPI_COMM_WORLD, &statistics, &failure));
  mine[2] = (int64_t)statistics.memory_bytes;
  MPI_Allreduce(mine, most, 3, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("ok first=%" PRId64 " second=%" PRId64 " reported=%" PRId64 "\n", most[0], most[1], most[2]);
  fflush(stdout);
  free(table.words);
  return end_program();
}
