/* Lengths of longest common subsequences on simulated ranks (SimGrid SMPI), through hcube's C interface.
 *
 *   lcs <case>...
 *
 * A case is key=value,key=value:
 *   length=        symbols of the first string, which gives columns; 4096 by default
 *   rows=          symbols of the second string, at most length; by default as many
 *   symbols=       size of the alphabet, 1 to 256; 4 by default
 *   alpha=, block_rows=, barriers=   the grid: HCUBE_LLCS_ALPHA, HCUBE_LLCS_BLOCK_ROWS and HCUBE_LLCS_BARRIERS
 *
 * Every rank has a part of both strings. The length is compared with that which one rank computes from both without a
 * grid. Every entry of the matrix is computed, whatever the simulated cost of lcs-entry is. All ranks begin at the same
 * simulated time; the time is that of the last to finish, with the exchange of alphabet and columns before the first
 * superstep. Rank 0 prints a record for each case, in the form of lab/src/records.rs.
 */
#include "driver.h"

typedef struct test_case {
  int64_t length, rows, symbols, alpha, block_rows, barriers;
} test_case;

/* The parts of a rank. */
typedef struct strings {
  int rank, size;
  int64_t lengths[2];
  uint8_t *parts[2];
} strings;

/* The length that every rank compares with, and the strings that have it. All ranks are in one process, and
 * rank 0 writes it before any of them begins. */
static struct { int64_t length, rows, symbols, expected; } reference;

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "length") == 0) return read_number(value, &test->length) && test->length > 0;
  if (strcmp(key, "rows") == 0) return read_number(value, &test->rows) && test->rows > 0;
  if (strcmp(key, "symbols") == 0)
    return read_number(value, &test->symbols) && test->symbols > 0 && test->symbols <= 256;
  if (strcmp(key, "alpha") == 0) return read_number(value, &test->alpha);
  if (strcmp(key, "block_rows") == 0) return read_number(value, &test->block_rows);
  if (strcmp(key, "barriers") == 0) return read_number(value, &test->barriers) && test->barriers <= 1;
  return 0;
}

/* Symbols from `first` to `end` of a string, which does not depend on the number of ranks. */
static uint8_t *make_part(const test_case *test, int string, int64_t first, int64_t end) {
  uint8_t *part = (uint8_t *)allocate(end - first);
  int64_t place;
  for (place = first; place < end; place++)
    part[place - first] = (uint8_t)(mix((uint64_t)string << 40 ^ (uint64_t)place) % (uint64_t)test->symbols);
  return part;
}

static strings make_strings(const test_case *test) {
  strings made;
  int string;
  made.rank = own_rank();
  made.size = all_ranks();
  for (string = 0; string < 2; string++) {
    int64_t whole = string == 0 ? test->length : test->rows;
    int64_t first = whole * made.rank / made.size, end = whole * (made.rank + 1) / made.size;
    made.lengths[string] = end - first;
    made.parts[string] = make_part(test, string, first, end);
  }
  return made;
}

/* The environment of the process, which all ranks share: each writes the same value. All of them have entered the call
 * before, which is collective, when the first one leaves it. */
static void set(const char *name, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%" PRId64, value);
  setenv(name, text, 1);
}

static int64_t serial_length(const test_case *test) {
  uint8_t *a = make_part(test, 0, 0, test->length), *b = make_part(test, 1, 0, test->rows);
  int64_t length = 0;
  hcube_error error;
  SUCCEED(hcube_llcs(a, test->length, b, test->rows, 1, 0, NULL, NULL, MPI_COMM_SELF, &length, &error), error);
  free(b);
  free(a);
  return length;
}

/* On rank 0, while no grid is selected. Several cases may have the same strings. */
static void find_reference(const test_case *test) {
  if (reference.length == test->length && reference.rows == test->rows && reference.symbols == test->symbols) return;
  reference.expected = serial_length(test);
  reference.length = test->length;
  reference.rows = test->rows;
  reference.symbols = test->symbols;
}

/* Opens the communicator's messages, which a program does once. The strings have no symbol in common, so that there are
 * no supersteps. */
static void open_messages(void) {
  int64_t length;
  hcube_error error;
  SUCCEED(hcube_llcs("a", 1, "b", 1, 1, 1, NULL, NULL, MPI_COMM_WORLD, &length, &error), error);
}

static void run_case(const char *text) {
  test_case test;
  strings of;
  hcube_error error;
  int64_t length = 0, wrong;
  double begin, seconds;

  memset(&test, 0, sizeof test);
  test.length = 4096;
  test.symbols = 4;
  read_case(text, take_pair, &test);
  if (test.rows == 0) test.rows = test.length;
  if (test.rows > test.length) FAIL("case '%s': rows=%" PRId64 " exceeds length", text, test.rows);
  of = make_strings(&test);
  set("HCUBE_LLCS_ALPHA", 0);
  if (of.rank == 0) find_reference(&test);
  begin = begin_together(text);
  set("HCUBE_LLCS_ALPHA", test.alpha);
  set("HCUBE_LLCS_BLOCK_ROWS", test.block_rows);
  set("HCUBE_LLCS_BARRIERS", test.barriers);
  SUCCEED(hcube_llcs(of.parts[0], of.lengths[0], of.parts[1], of.lengths[1], 1, 0, NULL, NULL, MPI_COMM_WORLD, &length,
                     &error),
          error);
  seconds = largest_at_first(MPI_Wtime() - begin);
  wrong = sum_at_first(length != reference.expected);
  RECORD(text, SECONDS("seconds") COUNT("subsequence") COUNT("errors"), seconds, length, wrong);
  free(of.parts[0]);
  free(of.parts[1]);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, open_messages, run_case, NULL);
}
