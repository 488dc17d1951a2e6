/* Runs updates and compares every word with a serial loop.
 *
 * Every argument is one case: key=value, separated by commas.
 *   table=N                       2^N words
 *   stream=polynomial|lcg
 *   count=hpcc|uneven|few|none    updates per rank
 *   start=hpcc|zero               zero: all ranks begin where the stream is skewed
 *   look_ahead, mode, dimensions, relaxed, optimisations, ranks_per_node, huge_pages
 *                                 numbers for hcube_random_access_options; where a case sets none
 *                                 of them NULL is passed: the defaults and the environment
 * Prints a line for every case:
 *   ok <case> | messages=<n> shared=<bytes> stages=<of rank 0> bound=<n> language=<C|C++> | <what hcube says it does>
 */
#include "client.h"
#include "rounds.h"

typedef struct test_case {
  int log2;
  int32_t stream;
  char count[16], start[16];
  hcube_random_access_options options;
  int own_options;
} test_case;

static test_case read_case(const char *text) {
  test_case out;
  char copy[512], *save = NULL, *part;
  memset(&out, 0, sizeof out);
  out.log2 = 10;
  strcpy(out.count, "hpcc");
  strcpy(out.start, "hpcc");
  SUCCEED(hcube_random_access_default_options(&out.options, sizeof out.options, &failure));
  REQUIRE(strlen(text) < sizeof copy);
  strcpy(copy, text);
  for (part = strtok_r(copy, ",", &save); part != NULL; part = strtok_r(NULL, ",", &save)) {
    char *value = strchr(part, '=');
    long long number;
    if (value == NULL) FAIL("'%s' is not key=value", part);
    *value++ = '\0';
    number = strtoll(value, NULL, 10);
    if (strcmp(part, "table") == 0) {
      out.log2 = (int)number;
    } else if (strcmp(part, "stream") == 0) {
      out.stream = strcmp(value, "lcg") == 0 ? HCUBE_STREAM_LCG : HCUBE_STREAM_POLYNOMIAL;
    } else if (strcmp(part, "count") == 0) {
      snprintf(out.count, sizeof out.count, "%s", value);
    } else if (strcmp(part, "start") == 0) {
      snprintf(out.start, sizeof out.start, "%s", value);
    } else {
      out.own_options = 1;
      if (strcmp(part, "look_ahead") == 0) out.options.look_ahead = number;
      else if (strcmp(part, "mode") == 0) out.options.mode = (int32_t)number;
      else if (strcmp(part, "dimensions") == 0) out.options.dimensions = (int32_t)number;
      else if (strcmp(part, "relaxed") == 0) out.options.relaxed = (int32_t)number;
      else if (strcmp(part, "optimisations") == 0) out.options.optimisations = (uint32_t)number;
      else if (strcmp(part, "ranks_per_node") == 0) out.options.ranks_per_node = (int32_t)number;
      else if (strcmp(part, "huge_pages") == 0) out.options.huge_pages = (int32_t)number;
      else FAIL("unknown key '%s'", part);
    }
  }
  return out;
}

/* The updates of a rank: every rank can compute them for all others. */
static hcube_updates updates_of(const test_case *test, int rank, int size) {
  hcube_updates updates;
  int64_t first, local;
  distribute(INT64_C(1) << test->log2, rank, size, &first, &local);
  updates.stream = test->stream;
  updates.start = strcmp(test->start, "zero") == 0 ? 0 : 4 * first;
  updates.count = 4 * local;
  if (strcmp(test->count, "uneven") == 0) updates.count = rank == 0 ? 0 : (rank * INT64_C(977)) % 3001 + local;
  if (strcmp(test->count, "few") == 0) updates.count = rank % 3;
  if (strcmp(test->count, "none") == 0) updates.count = 0;
  return updates;
}

static void compare(const hcube_table *table, const uint64_t *whole, const char *text) {
  for (int64_t word = 0; word < table->local_length; word++) {
    uint64_t expected = whole[table->first_index + word];
    if (table->words[word] != expected)
      FAIL("%s: word %" PRId64 " is %016" PRIx64 " instead of %016" PRIx64, text, table->first_index + word,
           table->words[word], expected);
  }
}

static void run_case(const char *text) {
  test_case test = read_case(text);
  const hcube_random_access_options *options = test.own_options ? &test.options : NULL;
  hcube_random_access_statistics statistics;
  hcube_table table = make_table(MPI_COMM_WORLD, test.log2);
  int64_t errors = -1;
  char line[256];
  hcube_updates updates = updates_of(&test, rank, size);
  uint64_t *whole = (uint64_t *)allocate(sizeof(uint64_t) << test.log2);
  for (int64_t word = 0; word < table.global_length; word++) whole[word] = (uint64_t)word;
  for (int other = 0; other < size; other++) {
    hcube_updates theirs = updates_of(&test, other, size);
    update_serially(whole, test.log2, theirs.stream, theirs.start, theirs.count);
  }

  SUCCEED(hcube_random_access_run(MPI_COMM_WORLD, &table, &updates, options, &failure));
  compare(&table, whole, text);

  memset(&statistics, 0, sizeof statistics);
  statistics.struct_size = sizeof statistics;
  SUCCEED(hcube_random_access_last_statistics(MPI_COMM_WORLD, &statistics, &failure));
  REQUIRE(statistics.generated == (uint64_t)updates.count);
  int64_t total = sum_over_ranks(MPI_COMM_WORLD, updates.count);
  REQUIRE(sum_over_ranks(MPI_COMM_WORLD, (int64_t)statistics.applied) == total);
  int64_t bound = test.options.look_ahead * (test.options.relaxed ? 3 : 1);
  REQUIRE(statistics.open_bound == (uint64_t)bound);
  REQUIRE(statistics.total_seconds >= 0);
  int64_t messages = sum_over_ranks(MPI_COMM_WORLD, (int64_t)statistics.messages);
  int64_t shared = sum_over_ranks(MPI_COMM_WORLD, (int64_t)statistics.shared_bytes);

  /* The verification finds no fault, restores the table, and does find a fault that is there. */
  SUCCEED(hcube_random_access_verify(MPI_COMM_WORLD, &table, &updates, &errors, &failure));
  if (errors != 0) FAIL("%s: %" PRId64 " errors after a right run", text, errors);
  for (int64_t word = 0; word < table.local_length; word++)
    REQUIRE(table.words[word] == (uint64_t)(table.first_index + word));
  SUCCEED(hcube_random_access_run(MPI_COMM_WORLD, &table, &updates, options, &failure));
  if (rank == 0) table.words[table.local_length / 2] ^= UINT64_C(1) << 40; /* rank 0 always owns a word */
  SUCCEED(hcube_random_access_verify(MPI_COMM_WORLD, &table, &updates, &errors, &failure));
  if (errors != 1) FAIL("%s: %" PRId64 " errors found where one word was damaged", text, errors);

  SUCCEED(hcube_random_access_describe(MPI_COMM_WORLD, options, line, sizeof line, &failure));
  if (rank == 0) {
    printf("ok %s | messages=%" PRId64 " shared=%" PRId64 " stages=%" PRIu64 " bound=%" PRId64 " language=%s | %s\n",
           text, messages, shared, statistics.stages, bound, CLIENT_LANGUAGE, line);
    fflush(stdout);
  }
  free(whole);
  free(table.words);
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  while (next_round())
    for (int number = 1; number < argc; number++) run_case(argv[number]);
  return end_program();
}
