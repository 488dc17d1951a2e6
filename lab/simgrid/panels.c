/* The broadcasts of an LU factorisation on simulated ranks (SimGrid SMPI), through hcube's C interface.
 *
 *   panels <case>...
 *
 * A case is key=value,key=value:
 *   rows=         of the process grid, whose rows are consecutive ranks; by default one
 *   topology=auto|ring|modified-ring|two-rings|modified-two-rings|long|modified-long   as HPL's six broadcasts
 *   bytes=        of a panel on a rank
 *   panels=       that are timed
 *   factor=       nanoseconds in which a process column factors a panel
 *   next=         nanoseconds in which a rank updates the columns of the next panel
 *   rest=         and all others, in as many parts as it looks for the next panel, as HPL does
 *   looks=        8 by default
 *   loop=lu|benchmark   lu by default; benchmark: as `hcube bench panels`
 *   touch=        nanoseconds in which a rank writes or reads a byte of a panel; 0 by default
 *
 * As in HPL with a look-ahead of 1: the column that has the next panel updates its columns first, factors and posts it;
 * then every rank updates the rest while the panel travels. In the benchmark, all ranks have the work `rest` for each
 * panel, on their processor, look for this panel meanwhile, and read it; `seconds` is then the time of a panel. All
 * bytes that a rank reads are compared. Rank 0 prints a record for each case, in the form of lab/src/records.rs:
 * `seconds` of all panels, from the time at which all have the first one, or of a panel of the benchmark.
 */
#include "driver.h"

typedef struct test_case {
  hcube_panels_options options;
  int64_t rows, bytes, panels, looks;
  double factor, next, rest, touch;
  int is_benchmark;
} test_case;

static const meaning topologies[] = {{"auto", HCUBE_PANELS_AUTO},
                                     {"ring", HCUBE_PANELS_RING},
                                     {"modified-ring", HCUBE_PANELS_MODIFIED_RING},
                                     {"two-rings", HCUBE_PANELS_TWO_RINGS},
                                     {"modified-two-rings", HCUBE_PANELS_MODIFIED_TWO_RINGS},
                                     {"long", HCUBE_PANELS_LONG},
                                     {"modified-long", HCUBE_PANELS_MODIFIED_LONG},
                                     {NULL, 0}};

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "rows") == 0) return read_number(value, &test->rows) && test->rows > 0;
  if (strcmp(key, "topology") == 0) return (test->options.topology = find_name(topologies, value)) >= 0;
  if (strcmp(key, "bytes") == 0) return read_number(value, &test->bytes) && test->bytes % 8 == 0;
  if (strcmp(key, "panels") == 0) return read_number(value, &test->panels) && test->panels > 0;
  if (strcmp(key, "looks") == 0) return read_number(value, &test->looks) && test->looks > 0;
  if (strcmp(key, "factor") == 0) return read_amount(value, 1e12, &test->factor);
  if (strcmp(key, "next") == 0) return read_amount(value, 1e12, &test->next);
  if (strcmp(key, "rest") == 0) return read_amount(value, 1e12, &test->rest);
  if (strcmp(key, "touch") == 0) return read_amount(value, 1e6, &test->touch);
  if (strcmp(key, "loop") == 0) {
    test->is_benchmark = strcmp(value, "benchmark") == 0;
    return test->is_benchmark || strcmp(value, "lu") == 0;
  }
  return 0;
}

/* A process row, seen from one of its ranks. */
typedef struct row {
  const test_case *test;
  MPI_Comm comm;
  int rank, size;
  int64_t number, wrong;
} row;

static uint64_t word_of(const row *of, int64_t panel, int64_t at) {
  return mix((uint64_t)of->number << 48 ^ (uint64_t)panel << 32 ^ (uint64_t)at);
}

/* Begins a panel; its column factors and posts it. */
static uint64_t begin_panel(row *of, int64_t panel, int is_timed) {
  const test_case *test = of->test;
  int root = (int)(panel % of->size);
  uint64_t number;
  void *place;
  hcube_error error;
  SUCCEED(hcube_panels_begin(of->comm, root, (uint64_t)test->bytes, &number, &place, &error), error);
  if (root == of->rank) {
    int64_t at;
    for (at = 0; at < test->bytes / 8; at++) ((uint64_t *)place)[at] = word_of(of, panel, at);
    if (is_timed) pass(test->next + test->factor);
    work(test->touch * (double)test->bytes);
    SUCCEED(hcube_panels_post(of->comm, number, &error), error);
  }
  return number;
}

static void wait_for(row *of, int64_t panel, uint64_t number) {
  const void *place;
  hcube_error error;
  int64_t at;
  SUCCEED(hcube_panels_wait(of->comm, number, &place, &error), error);
  work(of->test->touch * (double)of->test->bytes);
  for (at = 0; at < of->test->bytes / 8; at++) of->wrong += ((const uint64_t *)place)[at] != word_of(of, panel, at);
}

/* The update of the columns that come after those of the next panel. */
static void update(const row *of, uint64_t next) {
  const test_case *test = of->test;
  int64_t part;
  for (part = 0; part < test->looks; part++) {
    int32_t done;
    hcube_error error;
    SUCCEED(hcube_panels_progress(of->comm, next, &done, &error), error);
    pass(test->rest / (double)test->looks);
  }
}

static double run_panels(row *of, const char *text) {
  uint64_t number, next;
  int64_t panel;
  double begin;
  hcube_error error;
  number = begin_panel(of, 0, 0);
  wait_for(of, 0, number);
  begin = begin_together_after(1.0, text);
  for (panel = 0; panel < of->test->panels; panel++) {
    next = begin_panel(of, panel + 1, 1);
    update(of, next);
    SUCCEED(hcube_panels_release(of->comm, number, &error), error);
    wait_for(of, panel + 1, next);
    number = next;
  }
  begin = MPI_Wtime() - begin;
  SUCCEED(hcube_panels_release(of->comm, number, &error), error);
  return largest_at_first(begin);
}

/* As `hcube bench panels`: each panel is begun a step before it is read. */
static void factorise(row *of, int64_t first, int64_t panels) {
  const test_case *test = of->test;
  uint64_t number = begin_panel(of, first, 0), next = number;
  int64_t panel, look;
  hcube_error error;
  for (panel = first; panel < first + panels; panel++) {
    if (panel + 1 < first + panels) next = begin_panel(of, panel + 1, 0);
    for (look = 0; look < test->looks; look++) {
      int32_t done;
      work(test->rest / (double)test->looks);
      SUCCEED(hcube_panels_progress(of->comm, number, &done, &error), error);
    }
    wait_for(of, panel, number);
    SUCCEED(hcube_panels_release(of->comm, number, &error), error);
    number = next;
  }
}

/* Seconds of a panel, after one of each rank. */
static double run_benchmark(row *of, const char *text) {
  int64_t before = of->size;
  double begin;
  factorise(of, 0, before);
  begin = begin_together_after(1.0, text);
  factorise(of, before, of->test->panels);
  return largest_at_first(MPI_Wtime() - begin) / (double)of->test->panels;
}

static void run_case(const char *text) {
  test_case test;
  row of;
  hcube_error error;
  int size = all_ranks(), rank = own_rank(), columns;
  double seconds;
  memset(&test, 0, sizeof test);
  memset(&of, 0, sizeof of);
  test.rows = test.panels = 1;
  test.looks = 8;
  read_case(text, take_pair, &test);
  if (size % test.rows != 0) FAIL("case '%s': expected a number of rows that divides %d ranks", text, size);
  columns = (int)(size / test.rows);
  of.test = &test;
  of.number = rank / columns;
  MPI_Comm_split(MPI_COMM_WORLD, (int)of.number, rank, &of.comm);
  MPI_Comm_size(of.comm, &of.size);
  MPI_Comm_rank(of.comm, &of.rank);
  test.options.struct_size = sizeof test.options;
  test.options.bytes = (uint64_t)test.bytes;
  test.options.in_use = test.is_benchmark ? 3 : 2;
  SUCCEED(hcube_panels_slots(test.options.in_use, (uint64_t)columns, &test.options.slots, &error), error);
  SUCCEED(hcube_panels_prepare_for(of.comm, &test.options, &error), error);
  seconds = test.is_benchmark ? run_benchmark(&of, text) : run_panels(&of, text);
  of.wrong = sum_at_first(of.wrong);
  RECORD(text, SECONDS("seconds") COUNT("errors"), seconds, of.wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&of.comm);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, NULL, run_case, NULL);
}
