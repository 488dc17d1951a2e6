/* Transpositions of square matrices of 64-bit numbers on simulated ranks (SimGrid SMPI), through hcube's C interface.
 *
 *   transposes <case>...
 *
 * A case is key=value,key=value:
 *   rows=         of the matrix, a multiple of the number of ranks
 *   in-place=1
 *   before=       transpositions that are not timed, in which hcube compares algorithms; 0 by default
 *   repeat=       timed transpositions, of which the median is printed; 1 by default, an odd number
 *
 * Each rank has a block of rows. All ranks begin at the same simulated time; the time is that of the last to finish.
 * Rank 0 prints a record for each case, in the form of lab/src/records.rs. Every number is checked.
 */
#include "driver.h"

typedef struct test_case {
  int64_t rows, is_in_place, before, repeat;
} test_case;

/* A rank with its rows, and those of the transposed matrix; one buffer in place. */
typedef struct part {
  hcube_transpose_shape shape;
  int64_t rows, first, own;
  uint64_t *from, *to;
} part;

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "rows") == 0) return read_number(value, &test->rows) && test->rows > 0;
  if (strcmp(key, "in-place") == 0) return read_number(value, &test->is_in_place);
  if (strcmp(key, "before") == 0) return read_number(value, &test->before);
  if (strcmp(key, "repeat") == 0) return read_number(value, &test->repeat) && test->repeat > 0;
  return 0;
}

static part make_part(const test_case *test) {
  part made;
  int size = all_ranks();
  memset(&made, 0, sizeof made);
  made.rows = test->rows;
  made.own = test->rows / size;
  made.first = made.own * own_rank();
  made.shape.rows = made.shape.columns = test->rows;
  made.shape.row_block = made.shape.column_block = made.own;
  made.shape.element_bytes = sizeof(uint64_t);
  made.to = (uint64_t *)allocate(made.own * made.rows * (int64_t)sizeof(uint64_t));
  made.from = test->is_in_place ? made.to : (uint64_t *)allocate(made.own * made.rows * (int64_t)sizeof(uint64_t));
  return made;
}

static uint64_t element(int64_t row, int64_t column) {
  return (uint64_t)row << 32 ^ (uint64_t)column;
}

static void fill(const part *of) {
  int64_t row, column;
  for (row = 0; row < of->own; row++)
    for (column = 0; column < of->rows; column++) of->from[row * of->rows + column] = element(of->first + row, column);
}

static int64_t wrong_numbers(const part *of) {
  int64_t row, column, wrong = 0;
  for (row = 0; row < of->own; row++)
    for (column = 0; column < of->rows; column++)
      wrong += of->to[row * of->rows + column] != element(column, of->first + row);
  return wrong;
}

static void transpose(const part *of) {
  const void *from = of->from == of->to ? MPI_IN_PLACE : of->from;
  hcube_error error;
  SUCCEED(hcube_transpose(from, of->to, &of->shape, MPI_COMM_WORLD, &error), error);
}

static int compare(const void *first, const void *second) {
  double difference = *(const double *)first - *(const double *)second;
  return (difference > 0) - (difference < 0);
}

static void run_case(const char *text) {
  test_case test;
  part of;
  double *times;
  int64_t turn, wrong = 0;
  memset(&test, 0, sizeof test);
  test.repeat = 1;
  read_case(text, take_pair, &test);
  if (test.rows % all_ranks() != 0) FAIL("case '%s': expected rows for %d ranks", text, all_ranks());
  of = make_part(&test);
  times = (double *)allocate(test.repeat * (int64_t)sizeof *times);
  fill(&of);
  for (turn = 0; turn < test.before; turn++) transpose(&of);
  for (turn = 0; turn < test.repeat; turn++) {
    double begin;
    fill(&of);
    begin = begin_together(text);
    transpose(&of);
    times[turn] = largest_at_first(MPI_Wtime() - begin);
    wrong += wrong_numbers(&of);
  }
  qsort(times, (size_t)test.repeat, sizeof *times, compare);
  wrong = sum_at_first(wrong);
  RECORD(text, SECONDS("seconds") COUNT("errors"), times[test.repeat / 2], wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  if (of.from != of.to) free(of.from);
  free(of.to);
  free(times);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, NULL, run_case, NULL);
}
