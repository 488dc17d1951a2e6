/* Bad input: the right code, a message that names argument and value, an untouched table, no rank
 * left waiting, and a good run on the same communicator afterwards. Prints `ok <n> refusals`.
 *
 * Needs two ranks or more for what differs between ranks; with one it leaves that out.
 */
#include "client.h"

#define LOG2 12

static hcube_table table;
static hcube_updates updates;
static hcube_random_access_options options;
/* The table lies behind a copy of itself, so that wrong lengths still refer to valid memory. */
static uint64_t *copy;
static int64_t good_length;

/* The arguments are good again after every case. */
static void reset(void) {
  distribute(INT64_C(1) << LOG2, rank, size, &table.first_index, &table.local_length);
  table.words = copy + table.local_length;
  table.global_length = INT64_C(1) << LOG2;
  updates = make_updates(&table, HCUBE_STREAM_POLYNOMIAL);
  SUCCEED(hcube_random_access_default_options(&options, sizeof options, &failure));
}

static void check_refusal(const char *what, int32_t code, int32_t expected, const char *fragment, const char *second) {
  if (code != expected || failure.code != code || strstr(failure.message, fragment) == NULL ||
      strstr(failure.message, second) == NULL)
    FAIL("%s: code %d instead of %d, or without '%s' and '%s': %s", what, (int)code, (int)expected, fragment, second,
         failure.message);
  refusals++;
}

static void check_untouched(const char *what) {
  if (memcmp(copy, copy + good_length, (size_t)good_length * sizeof(uint64_t)) != 0)
    FAIL("%s: the table was written to", what);
}

/* Runs with the present arguments and expects a refusal on all ranks. Also verify must refuse what
 * it shares with run, and without a place for the message the code must be the same. */
static void refuse_run(const char *what, MPI_Comm comm, const hcube_table *the_table, const hcube_updates *the_updates,
                       const hcube_random_access_options *the_options, int32_t expected, const char *fragment,
                       const char *second) {
  int32_t code = hcube_random_access_run(comm, the_table, the_updates, the_options, &failure);
  check_refusal(what, code, expected, fragment, second);
  check_untouched(what);
  code = hcube_random_access_run(comm, the_table, the_updates, the_options, NULL);
  if (code != expected) FAIL("%s: code %d instead of %d without hcube_error", what, (int)code, (int)expected);
  check_untouched(what);
}

static void refuse_verify(const char *what, MPI_Comm comm, const hcube_table *the_table,
                          const hcube_updates *the_updates, int32_t expected, const char *fragment,
                          const char *second) {
  int64_t errors = 4711;
  int32_t code = hcube_random_access_verify(comm, the_table, the_updates, &errors, &failure);
  check_refusal(what, code, expected, fragment, second);
  check_untouched(what);
  if (errors != 4711) FAIL("%s: an output was written on failure", what);
}

/* A change of table or updates that all ranks make. */
static void refuse_task(const char *what, MPI_Comm comm, int32_t expected, const char *fragment, const char *second) {
  refuse_run(what, comm, &table, &updates, NULL, expected, fragment, second);
  refuse_verify(what, comm, &table, &updates, expected, fragment, second);
  reset();
}

static void refuse_options(const char *what, MPI_Comm comm, int32_t expected, const char *fragment,
                           const char *second) {
  char line[64] = "unwritten";
  refuse_run(what, comm, &table, &updates, &options, expected, fragment, second);
  int32_t code = hcube_random_access_prepare(comm, &options, &failure);
  check_refusal(what, code, expected, fragment, second);
  code = hcube_random_access_describe(comm, &options, line, sizeof line, &failure);
  check_refusal(what, code, expected, fragment, second);
  if (strcmp(line, "unwritten") != 0) FAIL("%s: an output was written on failure", what);
  reset();
}

/* Makes a change, and expects its refusal on all ranks. */
#define REFUSE_TASK(change, ...)             \
  do {                                       \
    change;                                  \
    refuse_task(#change, comm, __VA_ARGS__); \
  } while (0)
#define REFUSE_OPTIONS(change, ...)             \
  do {                                          \
    change;                                     \
    refuse_options(#change, comm, __VA_ARGS__); \
  } while (0)

/* Afterwards the same communicator does its work. */
static void good_run(MPI_Comm comm) {
  run_and_verify(comm, LOG2, HCUBE_STREAM_POLYNOMIAL, NULL);
}

static void bad_tables(MPI_Comm comm) {
  static const char *const lengths[] = {"0", "-8", "12", "4097"};
  char number[32];
  refuse_run("NULL table", comm, NULL, &updates, NULL, HCUBE_ERR_ARGUMENT, "table = NULL", "expected");
  refuse_verify("NULL table", comm, NULL, &updates, HCUBE_ERR_ARGUMENT, "table = NULL", "expected");
  refuse_run("NULL updates", comm, &table, NULL, NULL, HCUBE_ERR_ARGUMENT, "updates = NULL", "expected");
  refuse_verify("NULL updates", comm, &table, NULL, HCUBE_ERR_ARGUMENT, "updates = NULL", "expected");
  REFUSE_TASK(table.words = NULL, HCUBE_ERR_ARGUMENT, "table.words = NULL", "expected");
  table.words = (uint64_t *)(void *)((char *)table.words + 4);
  snprintf(number, sizeof number, "%p", (void *)table.words);
  refuse_task("misaligned words", comm, HCUBE_ERR_ARGUMENT, "table.words = ", number);
  for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    table.global_length = strtoll(lengths[i], NULL, 10);
    refuse_task("global_length", comm, HCUBE_ERR_ARGUMENT, "table.global_length = ", lengths[i]);
  }
  REFUSE_TASK(table.global_length = INT64_MIN, HCUBE_ERR_ARGUMENT, "table.global_length = ", "-9223372036854775808");
  REFUSE_TASK(table.global_length = INT64_C(1) << 61, HCUBE_ERR_ARGUMENT,
              "table.global_length = ", "2305843009213693952");
  table.local_length -= 1;
  snprintf(number, sizeof number, "%" PRId64, table.local_length);
  refuse_task("local_length", comm, HCUBE_ERR_DISTRIBUTION, "local_length", number);
  REFUSE_TASK(table.local_length = -1, HCUBE_ERR_DISTRIBUTION, "local_length", "-1");
  table.first_index += 1;
  snprintf(number, sizeof number, "%" PRId64, table.first_index);
  refuse_task("first_index", comm, HCUBE_ERR_DISTRIBUTION, "first_index", number);
  /* A distribution for another number of ranks. */
  table.global_length *= 2;
  snprintf(number, sizeof number, "%" PRId64, table.local_length);
  refuse_task("another distribution", comm, HCUBE_ERR_DISTRIBUTION, "local_length", number);
}

static void bad_updates(MPI_Comm comm) {
  REFUSE_TASK(updates.count = -1, HCUBE_ERR_ARGUMENT, "updates.count = -1", "expected");
  REFUSE_TASK(updates.count = INT64_MIN, HCUBE_ERR_ARGUMENT, "updates.count = ", "-9223372036854775808");
  REFUSE_TASK(updates.start = -5, HCUBE_ERR_ARGUMENT, "updates.start = -5", "expected");
  REFUSE_TASK(updates.stream = 2, HCUBE_ERR_ARGUMENT, "updates.stream = 2", "HCUBE_STREAM_LCG");
  REFUSE_TASK(updates.stream = -1, HCUBE_ERR_ARGUMENT, "updates.stream = -1", "HCUBE_STREAM_LCG");
}

static void bad_options(MPI_Comm comm) {
  REFUSE_OPTIONS(options.look_ahead = 0, HCUBE_ERR_ARGUMENT, "options.look_ahead = 0", "expected");
  REFUSE_OPTIONS(options.look_ahead = -1024, HCUBE_ERR_ARGUMENT, "options.look_ahead = -1024", "expected");
  REFUSE_OPTIONS(options.look_ahead = (1 << 20) + 1, HCUBE_ERR_ARGUMENT, "options.look_ahead = 1048577", "1048576");
  REFUSE_OPTIONS(options.mode = 6, HCUBE_ERR_ARGUMENT, "options.mode = 6", "HCUBE_MODE");
  REFUSE_OPTIONS(options.mode = -1, HCUBE_ERR_ARGUMENT, "options.mode = -1", "HCUBE_MODE");
  REFUSE_OPTIONS(options.optimisations = 16, HCUBE_ERR_ARGUMENT, "options.optimisations = 16", "expected");
  REFUSE_OPTIONS(options.relaxed = 2, HCUBE_ERR_ARGUMENT, "options.relaxed = 2", "0 or 1");
  REFUSE_OPTIONS(options.huge_pages = -1, HCUBE_ERR_ARGUMENT, "options.huge_pages = -1", "0 or 1");
  REFUSE_OPTIONS(options.dimensions = -1, HCUBE_ERR_ARGUMENT, "options.dimensions = -1", "expected");
  REFUSE_OPTIONS(options.ranks_per_node = -2, HCUBE_ERR_ARGUMENT, "options.ranks_per_node = -2", "expected");
  REFUSE_OPTIONS(options.struct_size = 8, HCUBE_ERR_ARGUMENT, "options.struct_size = 8", "expected");
}

static void bad_outputs(MPI_Comm comm) {
  hcube_random_access_statistics statistics;
  char line[8];
  memset(&statistics, 0, sizeof statistics);
  check_refusal("NULL errors", hcube_random_access_verify(comm, &table, &updates, NULL, &failure), HCUBE_ERR_ARGUMENT,
                "errors = NULL", "expected");
  check_untouched("NULL errors");
  check_refusal("NULL options",
                hcube_random_access_default_options(NULL, sizeof(hcube_random_access_options), &failure),
                HCUBE_ERR_ARGUMENT, "options = NULL", "expected");
  check_refusal("NULL statistics", hcube_random_access_last_statistics(comm, NULL, &failure), HCUBE_ERR_ARGUMENT,
                "statistics = NULL", "expected");
  statistics.struct_size = 3;
  check_refusal("size of statistics", hcube_random_access_last_statistics(comm, &statistics, &failure),
                HCUBE_ERR_ARGUMENT, "statistics.struct_size = 3", "expected");
  check_refusal("NULL text", hcube_random_access_describe(comm, NULL, NULL, 100, &failure), HCUBE_ERR_ARGUMENT, "text",
                "100 bytes");
  check_refusal("empty text", hcube_random_access_describe(comm, NULL, line, 0, &failure), HCUBE_ERR_ARGUMENT, "text",
                "0 bytes");
  /* A short buffer is no error: the line is cut and terminated. */
  memset(line, 'x', sizeof line);
  SUCCEED(hcube_random_access_describe(comm, NULL, line, 4, &failure));
  REQUIRE(line[3] == '\0' && line[4] == 'x');
}

static void bad_environment(MPI_Comm comm) {
  hcube_random_access_options untouched;
  setenv("HCUBE_MODE", "fast", 1);
  memset(&untouched, 7, sizeof untouched);
  check_refusal("HCUBE_MODE", hcube_random_access_default_options(&untouched, sizeof untouched, &failure),
                HCUBE_ERR_ARGUMENT, "HCUBE_MODE = 'fast'", "three-hop");
  REQUIRE(untouched.mode == 0x07070707);
  refuse_run("HCUBE_MODE", comm, &table, &updates, NULL, HCUBE_ERR_ARGUMENT, "HCUBE_MODE = 'fast'", "expected");
  unsetenv("HCUBE_MODE");
  setenv("HCUBE_LOOK_AHEAD", "0", 1);
  refuse_run("HCUBE_LOOK_AHEAD", comm, &table, &updates, NULL, HCUBE_ERR_ARGUMENT, "HCUBE_LOOK_AHEAD = '0'",
             "expected");
  unsetenv("HCUBE_LOOK_AHEAD");
}

/* One rank is wrong, all are told, and the others learn which rank it was. */
static void one_rank_only(MPI_Comm comm, int failing) {
  const char *told = rank == failing ? "" : "rank ";
  char name[32];
  snprintf(name, sizeof name, "rank %d refused", failing);
  REFUSE_OPTIONS(if (rank == failing) options.look_ahead = 0, HCUBE_ERR_ARGUMENT, "options.look_ahead = 0",
                 rank == failing ? "expected" : name);
  REFUSE_TASK(if (rank == failing) table.words = NULL, HCUBE_ERR_ARGUMENT, "table.words = NULL",
              rank == failing ? "" : name);
  REFUSE_TASK(if (rank == failing) table.first_index += 3, HCUBE_ERR_DISTRIBUTION, "first_index",
              rank == failing ? "" : name);
  REFUSE_TASK(if (rank == failing) updates.count = -3, HCUBE_ERR_ARGUMENT, "updates.count = -3",
              rank == failing ? "" : name);
  refuse_run("NULL updates on one rank", comm, &table, rank == failing ? NULL : &updates, NULL, HCUBE_ERR_ARGUMENT,
             "updates = NULL", rank == failing ? "" : name);
  if (rank == failing) setenv("HCUBE_MODE", "fast", 1);
  refuse_run("HCUBE_MODE on one rank", comm, &table, &updates, NULL, HCUBE_ERR_ARGUMENT, "HCUBE_MODE = 'fast'", told);
  unsetenv("HCUBE_MODE");
}

/* Values that must be the same on all ranks and are not. */
static void mismatches(MPI_Comm comm) {
  REFUSE_OPTIONS(options.look_ahead = rank == 0 ? 512 : 256, HCUBE_ERR_MISMATCH, "options.look_ahead",
                 "from 256 to 512");
  REFUSE_OPTIONS(options.mode = rank == 0 ? HCUBE_MODE_NODE : HCUBE_MODE_MESSAGE, HCUBE_ERR_MISMATCH, "options.mode",
                 "from 1 to 2");
  REFUSE_OPTIONS(options.dimensions = rank == 0, HCUBE_ERR_MISMATCH, "options.dimensions", "from 0 to 1");
  REFUSE_OPTIONS(options.relaxed = rank == 0, HCUBE_ERR_MISMATCH, "options.relaxed", "from 0 to 1");
  REFUSE_OPTIONS(options.optimisations = rank == 0 ? 0 : HCUBE_LATE_WAITS, HCUBE_ERR_MISMATCH, "options.optimisations",
                 "from 0 to 4");
  REFUSE_OPTIONS(options.ranks_per_node = rank == 0 ? 2 : 1, HCUBE_ERR_MISMATCH, "options.ranks_per_node",
                 "from 1 to 2");
  REFUSE_TASK(updates.stream = rank == 0 ? HCUBE_STREAM_LCG : HCUBE_STREAM_POLYNOMIAL, HCUBE_ERR_MISMATCH,
              "updates.stream", "from 0 to 1");
  /* Every rank owns its part of a table, but not of the same one. */
  table.global_length = rank == 0 ? INT64_C(1) << (LOG2 - 1) : INT64_C(1) << LOG2;
  distribute(table.global_length, rank, size, &table.first_index, &table.local_length);
  refuse_task("global_length", comm, HCUBE_ERR_MISMATCH, "table.global_length", "from 2048 to 4096");
}

static void refuse_communicator(const char *what, MPI_Comm comm, const char *fragment) {
  hcube_random_access_statistics statistics;
  statistics.struct_size = sizeof statistics;
  refuse_run(what, comm, &table, &updates, NULL, HCUBE_ERR_COMM, "comm", fragment);
  refuse_verify(what, comm, &table, &updates, HCUBE_ERR_COMM, "comm", fragment);
  check_refusal(what, hcube_random_access_prepare(comm, NULL, &failure), HCUBE_ERR_COMM, "comm", fragment);
  check_refusal(what, hcube_random_access_last_statistics(comm, &statistics, &failure), HCUBE_ERR_COMM, "comm",
                fragment);
}

static void bad_communicators(void) {
  MPI_Comm living, half, inter;
  refuse_communicator("MPI_COMM_NULL", MPI_COMM_NULL, "MPI_COMM_NULL");
  MPI_Comm_dup(MPI_COMM_WORLD, &living);
  good_run(living);
  MPI_Comm stale = living;
  MPI_Comm_free(&living);
  refuse_communicator("a freed communicator", stale, "freed");
  if (size < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
  refuse_communicator("an intercommunicator", inter, "intercommunicator");
  MPI_Comm_free(&inter);
  good_run(half);
  MPI_Comm_free(&half);
}

/* The images of a mode on coarrays are the processes of MPI_COMM_WORLD, in its order. */
static void bad_images(void) {
  MPI_Comm reversed;
  char line[64];
  if (size < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  options.mode = HCUBE_MODE_EVENTS;
  check_refusal("images in another order", hcube_random_access_prepare(reversed, &options, &failure),
                HCUBE_ERR_ARGUMENT, "options.mode = events", "MPI_COMM_WORLD");
  options.mode = HCUBE_MODE_SPAWN;
  check_refusal("images in another order",
                hcube_random_access_describe(reversed, &options, line, sizeof line, &failure), HCUBE_ERR_ARGUMENT,
                "options.mode = spawn", "MPI_COMM_WORLD");
  MPI_Comm_free(&reversed);
  reset();
}

/* Before MPI_Init and after MPI_Finalize. */
static void bad_state(const char *text) {
  static uint64_t word[1];
  hcube_random_access_statistics statistics;
  hcube_table one;
  hcube_updates some;
  int64_t errors = 0;
  char line[64];
  int32_t codes[5];
  one.words = word;
  one.local_length = one.global_length = 1;
  one.first_index = 0;
  some.stream = HCUBE_STREAM_POLYNOMIAL;
  some.start = 0;
  some.count = 4;
  statistics.struct_size = sizeof statistics;
  codes[0] = hcube_random_access_run(MPI_COMM_WORLD, &one, &some, NULL, &failure);
  codes[1] = hcube_random_access_verify(MPI_COMM_WORLD, &one, &some, &errors, &failure);
  codes[2] = hcube_random_access_prepare(MPI_COMM_WORLD, NULL, &failure);
  codes[3] = hcube_random_access_last_statistics(MPI_COMM_WORLD, &statistics, &failure);
  codes[4] = hcube_random_access_describe(MPI_COMM_WORLD, NULL, line, sizeof line, &failure);
  for (int i = 0; i < 5; i++) {
    if (codes[i] != HCUBE_ERR_MPI_STATE || strstr(failure.message, text) == NULL || word[0] != 0) {
      fprintf(stderr, "%s: function %d: code %d: %s\n", text, i, (int)codes[i], failure.message);
      abort();
    }
  }
  refusals += 5;
}

int main(int argc, char **argv) {
  MPI_Comm own;
  /* These need no MPI. */
  REQUIRE(strlen(hcube_version()) > 0);
  for (int code = -1; code < 20; code++) REQUIRE(strlen(hcube_error_string(code)) > 0);
  SUCCEED(hcube_random_access_default_options(&options, sizeof options, &failure));
  bad_state("not initialised");

  begin_program(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  distribute(INT64_C(1) << LOG2, rank, size, &table.first_index, &table.local_length);
  good_length = table.local_length;
  copy = (uint64_t *)allocate((size_t)(2 * good_length + 1) * sizeof(uint64_t));
  for (int code = 0; code < 2 * good_length; code++) copy[code] = (uint64_t)(code % good_length) * 0x9E37;
  reset();

  /* At first before anything was prepared on the communicator, then with a prepared one. */
  for (int code = 0; code < 2; code++) {
    bad_tables(own);
    bad_updates(own);
    bad_options(own);
    bad_outputs(own);
    bad_environment(own);
    if (size > 1) {
      one_rank_only(own, 0);
      one_rank_only(own, size - 1);
      mismatches(own);
    }
    good_run(own);
  }
  bad_communicators();
  bad_images();
  good_run(own);
  MPI_Comm_free(&own);
  if (rank == 0) printf("ok %d refusals\n", refusals);
  fflush(stdout);
  MPI_Finalize();
  bad_state("already finalised");
  return 0;
}
