/* How much memory a run takes beside the table. Prints, for the rank that grew most,
 * `ok first=<bytes> second=<bytes> reported=<bytes>`.
 *
 * Counted is what belongs to a process alone plus its share of shared memory (Pss of anonymous and
 * shared pages), and the peak of the resident set during the run, of which shared memory counts by
 * share as well. Pages of program files are not counted: code is no memory beside the table.
 */
#include "client.h"

typedef struct memory {
  long anonymous, shared; /* proportional, bytes */
  long peak, resident_shared; /* of the whole process, bytes */
} memory;

static long field(const char *path, const char *name) {
  FILE *file = fopen(path, "r");
  char line[256];
  long kibibytes = -1;
  REQUIRE(file != NULL);
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') {
      kibibytes = strtol(line + strlen(name) + 1, NULL, 10);
      break;
    }
  }
  fclose(file);
  if (kibibytes < 0) FAIL("no %s in %s", name, path);
  return kibibytes * 1024;
}

static memory measure(void) {
  memory now;
  now.anonymous = field("/proc/self/smaps_rollup", "Pss_Anon");
  now.shared = field("/proc/self/smaps_rollup", "Pss_Shmem");
  now.peak = field("/proc/self/status", "VmHWM");
  now.resident_shared = field("/proc/self/status", "RssShmem");
  return now;
}

/* The peak of the resident set starts again from what is resident now. */
static void reset_peak(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  REQUIRE(file != NULL);
  REQUIRE(fputs("5", file) >= 0);
  fclose(file);
}

/* What MPI itself allocates at the first message or collective is not hcube's. */
static void warm_up(MPI_Comm comm) {
  int rank, size, other, turn, length, number;
  int64_t sum = 0;
  MPI_Request requests[16];
  MPI_Status statuses[16]; /* MPICH's header makes compilers warn of MPI_STATUSES_IGNORE */
  static uint64_t words[2][2048];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (turn = 0; turn < 3; turn++) {
    MPI_Comm copy, node;
    char *gathered = (char *)calloc((size_t)size, 64);
    REQUIRE(gathered != NULL);
    /* Short and long messages, several under way, as a run has them. */
    for (length = 1; length <= 2048; length *= 4) {
      for (other = 1; other < size; other++) {
        for (number = 0; number < 8; number++) {
          MPI_Irecv(words[1], length, MPI_UINT64_T, (rank + size - other) % size, number, comm, &requests[number]);
          MPI_Isend(words[0], length, MPI_UINT64_T, (rank + other) % size, number, comm, &requests[8 + number]);
        }
        MPI_Waitall(16, requests, statuses);
      }
    }
    sum += sum_over_ranks(comm, 1);
    MPI_Allgather(words, 64, MPI_BYTE, gathered, 64, MPI_BYTE, comm);
    MPI_Barrier(comm);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_split_type(copy, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    sum += sum_over_ranks(copy, 1) + sum_over_ranks(node, 1);
    MPI_Bcast(words, 512, MPI_BYTE, 0, copy);
    MPI_Comm_free(&node);
    MPI_Comm_free(&copy);
    free(gathered);
  }
  REQUIRE(sum > 0);
}

/* Growth during one run: the larger of peak and what remains. */
static long grown(MPI_Comm comm, const hcube_table *table, const hcube_updates *updates,
                  const hcube_random_access_options *options) {
  hcube_error error;
  memory before, after;
  long remains, peak, shared;
  int size;
  MPI_Comm_size(comm, &size);
  MPI_Barrier(comm);
  reset_peak();
  before = measure();
  MPI_Barrier(comm);
  SUCCEED(hcube_random_access_run(comm, table, updates, options, &error), error);
  MPI_Barrier(comm);
  after = measure();
  remains = after.anonymous + after.shared - before.anonymous - before.shared;
  shared = after.resident_shared - before.resident_shared;
  peak = after.peak - before.peak - shared + shared / size;
  if (getenv("HCUBE_TEST_VERBOSE") != NULL)
    fprintf(stderr, "anonymous %ld, shared %ld by share, %ld resident, peak %ld\n", after.anonymous - before.anonymous,
            after.shared - before.shared, shared, after.peak - before.peak);
  return remains > peak ? remains : peak;
}

int main(int argc, char **argv) {
  hcube_random_access_options options;
  hcube_random_access_statistics statistics;
  hcube_table table;
  hcube_updates updates;
  hcube_error error;
  int64_t mine[3], most[3];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  warm_up(MPI_COMM_WORLD);
  table = make_table(MPI_COMM_WORLD, 18);
  updates = make_updates(&table, HCUBE_STREAM_POLYNOMIAL);
  SUCCEED(hcube_random_access_default_options(&options, sizeof options, &error), error);
  /* Huge pages round the table itself up. */
  options.huge_pages = 0;
  mine[0] = grown(MPI_COMM_WORLD, &table, &updates, &options);
  mine[1] = grown(MPI_COMM_WORLD, &table, &updates, &options);
  statistics.struct_size = sizeof statistics;
  SUCCEED(hcube_random_access_last_statistics(MPI_COMM_WORLD, &statistics, &error), error);
  mine[2] = (int64_t)statistics.memory_bytes;
  MPI_Allreduce(mine, most, 3, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("ok first=%" PRId64 " second=%" PRId64 " reported=%" PRId64 "\n", most[0], most[1], most[2]);
  fflush(stdout);
  free(table.words);
  MPI_Finalize();
  return 0;
}
