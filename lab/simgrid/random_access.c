/* RandomAccess on simulated ranks (SimGrid SMPI), through hcube's C interface.
 *
 *   random_access <log2 of words per rank> <case>...
 *
 * A case is key=value,key=value:
 *   mode=auto|message|node|three-hop|events|spawn   dimensions=, optimisations=, look_ahead=, relaxed=   as in hcube.h
 *   warmup=, updates=                  updates per rank of two runs, 1 look-ahead and 3 more by default
 *
 * Rank 0 prints a record for each, in the form of lab/src/records.rs. `seconds` is how much longer the
 * second run took than the first, and `updates` how many more it made: what a benchmark of minutes sees, in which the
 * reductions before the first round and the last messages do not count. Both runs are checked, word
 * by word, against a serial loop over all values, which rank 0 makes: all simulated ranks live in one
 * process and can read its table.
 */
#include "driver.h"

typedef struct test_case {
  hcube_random_access_options options;
  int64_t warmup, updates;
} test_case;

static const meaning modes[] = {{"auto", HCUBE_MODE_AUTO},
                                {"message", HCUBE_MODE_MESSAGE},
                                {"node", HCUBE_MODE_NODE},
                                {"three-hop", HCUBE_MODE_THREE_HOP},
                                {"events", HCUBE_MODE_EVENTS},
                                {"spawn", HCUBE_MODE_SPAWN},
                                {NULL, 0}};

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  int64_t number;
  if (strcmp(key, "mode") == 0) {
    test->options.mode = find_name(modes, value);
    return test->options.mode >= 0;
  }
  if (!read_number(value, &number)) return 0;
  if (strcmp(key, "dimensions") == 0) test->options.dimensions = (int32_t)number;
  else if (strcmp(key, "optimisations") == 0) test->options.optimisations = (uint32_t)number;
  else if (strcmp(key, "look_ahead") == 0) test->options.look_ahead = number;
  else if (strcmp(key, "relaxed") == 0) test->options.relaxed = (int32_t)number;
  else if (strcmp(key, "warmup") == 0) test->warmup = number;
  else if (strcmp(key, "updates") == 0) test->updates = number;
  else return 0;
  return 1;
}

/* The part of a rank: HPCC's distribution. */
static hcube_table make_table(int log2, int rank, int size) {
  hcube_table table;
  int64_t least, larger;
  table.global_length = INT64_C(1) << log2;
  least = table.global_length / size;
  larger = table.global_length % size;
  table.local_length = least + (rank < larger);
  table.first_index = rank * least + (rank < larger ? rank : larger);
  table.words = (uint64_t *)allocate(table.local_length * (int64_t)sizeof(uint64_t));
  return table;
}

/* The updates of all ranks, one after the other: rank r makes those from r * count on. */
static void update_serially(uint64_t *whole, int log2, int64_t count) {
  uint64_t value = 1;
  for (; count > 0; count--) {
    value = value * UINT64_C(6364136223846793005) + 1;
    whole[log2 == 0 ? 0 : value >> (64 - log2)] ^= value;
  }
}

/* How many words of this rank are wrong. */
static int64_t wrong_words(const hcube_table *table, int log2, int64_t all_updates, const test_case *test, int rank) {
  uint64_t *whole = NULL;
  int64_t word, wrong = 0;
  if (rank == 0) {
    whole = (uint64_t *)allocate(table->global_length * (int64_t)sizeof(uint64_t));
    for (word = 0; word < table->global_length; word++) whole[word] = (uint64_t)word;
    update_serially(whole, log2, all_updates / test->updates * test->warmup);
    update_serially(whole, log2, all_updates);
  }
  MPI_Bcast(&whole, sizeof whole, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (word = 0; word < table->local_length; word++) wrong += table->words[word] != whole[table->first_index + word];
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) free(whole);
  return wrong;
}

/* Makes `count` updates; returns how long it took. */
static double run(hcube_table *table, int64_t count, int rank, const test_case *test) {
  hcube_updates updates;
  hcube_error error;
  double begin;
  updates.stream = HCUBE_STREAM_LCG;
  updates.start = rank * count;
  updates.count = count;
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  SUCCEED(hcube_random_access_run(MPI_COMM_WORLD, table, &updates, &test->options, &error), error);
  return MPI_Wtime() - begin;
}

static hcube_random_access_statistics statistics_of_last_run(void) {
  hcube_random_access_statistics statistics;
  hcube_error error;
  memset(&statistics, 0, sizeof statistics);
  statistics.struct_size = sizeof statistics;
  SUCCEED(hcube_random_access_last_statistics(MPI_COMM_WORLD, &statistics, &error), error);
  return statistics;
}

static void run_case(const char *text, int log2, int rank, int size) {
  test_case test;
  hcube_error error;
  hcube_table table = make_table(log2, rank, size);
  hcube_random_access_statistics first, second;
  double times[2];
  int64_t word, wrong, messages, bytes, excess;
  char line[256];

  memset(&test, 0, sizeof test);
  SUCCEED(hcube_random_access_default_options(&test.options, sizeof test.options, &error), error);
  test.options.huge_pages = 0;
  read_case(text, take_pair, &test);
  if (test.warmup == 0) test.warmup = test.options.look_ahead;
  if (test.updates == 0) test.updates = 4 * test.options.look_ahead;
  if (test.updates <= test.warmup) FAIL("case '%s': expected more updates than warmup", text);
  for (word = 0; word < table.local_length; word++) table.words[word] = (uint64_t)(table.first_index + word);

  SUCCEED(hcube_random_access_prepare(MPI_COMM_WORLD, &test.options, &error), error);
  times[0] = run(&table, test.warmup, rank, &test);
  first = statistics_of_last_run();
  times[1] = run(&table, test.updates, rank, &test);
  second = statistics_of_last_run();
  times[0] = largest_at_first(times[0]);
  times[1] = largest_at_first(times[1]);
  messages = sum_at_first((int64_t)(second.messages - first.messages));
  bytes = sum_at_first((int64_t)(second.message_bytes - first.message_bytes));
  excess = sum_at_first((int64_t)second.excess);
  wrong = sum_at_first(wrong_words(&table, log2, size * test.updates, &test, rank));
  SUCCEED(hcube_random_access_describe(MPI_COMM_WORLD, &test.options, line, sizeof line, &error), error);
  /* The last part names the instructions of the machine that simulates. */
  if (strrchr(line, ',') != NULL) *strrchr(line, ',') = '\0';
  RECORD(text,
         SECONDS("seconds") COUNT("updates") COUNT("errors") COUNT("messages") COUNT("message_bytes") COUNT("rounds")
             COUNT("excess") TEXT("plan"),
         times[1] - times[0], size * (test.updates - test.warmup), wrong, messages, bytes,
         (int64_t)(second.rounds - first.rounds), excess, line);
  free(table.words);
}

/* Whether a case has a mode on coarrays. */
static int has_coarrays(int argc, char **argv) {
  int number;
  for (number = 2; number < argc; number++)
    if (strstr(argv[number], "mode=events") != NULL || strstr(argv[number], "mode=spawn") != NULL) return 1;
  return 0;
}

int main(int argc, char **argv) {
  int rank, size, number, log2 = 0;
  int64_t words = 0;
  MPI_Init(&argc, &argv);
  rank = own_rank();
  size = all_ranks();
  if (argc < 3 || !read_number(argv[1], &words) || words > 40)
    FAIL("expected: random_access <log2 of words per rank, 0 to 40> <case>...");
  for (log2 = 0; 1 << log2 < size; log2++) {
  }
  if (has_coarrays(argc, argv)) begin_coarrays();
  for (number = 2; number < argc; number++) run_case(argv[number], log2 + (int)words, rank, size);
  if (has_coarrays(argc, argv)) end_coarrays();
  MPI_Finalize();
  return 0;
}
