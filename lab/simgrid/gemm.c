/* Products of distributed matrices on simulated ranks (SimGrid SMPI), through hcube's C interface.
 *
 *   gemm <case>...
 *
 * A case is key=value,key=value:
 *   grid=PxQ      the process grid; by default one row
 *   m=, n=, k=    C has m rows and n columns, A k columns
 *   order=        columns of the whole A, of which the first k are multiplied; k by default
 *   block=        inner indices that a process has next to each other; by default order divided among the
 *                 processes of a row or column, which is the block distribution of the paper. Rows and columns of C
 *                 always have the block distribution.
 *   algorithm=auto|summa|hsumma   groups=RxC   levels=   broadcast=auto|binomial|ring|scatter-allgather
 *   inner=, outer=   columns of messages inside and between groups   memory=  bytes of panels per rank
 *   ranks_per_node=  as in hcube_gemm_options
 *   multiply=     nanoseconds of a multiplication and an addition; 0 by default
 *   check=all|corners   all: every element of C is computed and compared. corners: only the corners of a local
 *                 product are computed, by the whole inner dimension, and only the corners of local matrices are
 *                 compared; the time is that of all elements.
 *
 * Elements are small integers, so sums are exact. All ranks begin at the same simulated time. A product is timed
 * after one of a single panel, by which hcube measures the network and allocates its panels. Rank 0 prints a record for
 * each case, in the form of lab/src/records.rs: `communication` with local products that take no time, `seconds` with
 * those of multiply=.
 */
#include "driver.h"

#define COSTS "HCUBE_SIMULATED_COSTS"

typedef struct test_case {
  hcube_gemm_options options;
  int64_t rows, columns, m, n, k, order, block;
  double multiply;
  int all;
} test_case;

/* The part of a matrix that a rank has. */
typedef struct part {
  hcube_matrix matrix;
  double *elements;
  int64_t height, width;
} part;

static const meaning algorithms[] = {
    {"auto", HCUBE_GEMM_AUTO}, {"summa", HCUBE_GEMM_SUMMA}, {"hsumma", HCUBE_GEMM_HSUMMA}, {NULL, 0}};
static const meaning broadcasts[] = {{"auto", HCUBE_GEMM_BROADCAST_AUTO},
                                     {"binomial", HCUBE_GEMM_BROADCAST_BINOMIAL},
                                     {"ring", HCUBE_GEMM_BROADCAST_RING},
                                     {"scatter-allgather", HCUBE_GEMM_BROADCAST_SCATTER_ALLGATHER},
                                     {NULL, 0}};

/* Whether only the corners are computed. All ranks are in one process and run the same case. */
static int only_corners;

/* The costs of the environment, to which those of local products are added. */
static char costs[256];

/* Two positive numbers, RxC. */
static int read_pair(const char *value, int64_t *first, int64_t *second) {
  char *end;
  *first = strtoll(value, &end, 10);
  if (*end != 'x') return 0;
  return read_number(end + 1, second) && *first > 0 && *second > 0;
}

static int read_small(const char *value, int32_t *into) {
  int64_t number;
  if (!read_number(value, &number) || number > INT32_MAX) return 0;
  *into = (int32_t)number;
  return 1;
}

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  hcube_gemm_options *options = &test->options;
  if (strcmp(key, "grid") == 0) return read_pair(value, &test->rows, &test->columns);
  if (strcmp(key, "m") == 0) return read_number(value, &test->m);
  if (strcmp(key, "n") == 0) return read_number(value, &test->n);
  if (strcmp(key, "k") == 0) return read_number(value, &test->k);
  if (strcmp(key, "order") == 0) return read_number(value, &test->order);
  if (strcmp(key, "block") == 0) return read_number(value, &test->block);
  if (strcmp(key, "algorithm") == 0) return (options->algorithm = find_name(algorithms, value)) >= 0;
  if (strcmp(key, "broadcast") == 0) return (options->broadcast = find_name(broadcasts, value)) >= 0;
  if (strcmp(key, "inner") == 0) return read_number(value, &options->inner_block);
  if (strcmp(key, "outer") == 0) return read_number(value, &options->outer_block);
  if (strcmp(key, "memory") == 0) return read_number(value, &options->memory);
  if (strcmp(key, "levels") == 0) return read_small(value, &options->levels);
  if (strcmp(key, "ranks_per_node") == 0) return read_small(value, &options->ranks_per_node);
  if (strcmp(key, "groups") == 0) {
    int64_t rows, columns;
    if (!read_pair(value, &rows, &columns) || rows > INT32_MAX || columns > INT32_MAX) return 0;
    options->group_rows = (int32_t)rows;
    options->group_columns = (int32_t)columns;
    return 1;
  }
  if (strcmp(key, "multiply") == 0) return read_amount(value, 1e9, &test->multiply);
  if (strcmp(key, "check") == 0) {
    test->all = strcmp(value, "all") == 0;
    return test->all || strcmp(value, "corners") == 0;
  }
  return 0;
}

/* An element of A (0) or B (1): -4 to 4. */
static double value_of(int matrix, int64_t row, int64_t column) {
  uint64_t mixed = ((uint64_t)row << 32 ^ (uint64_t)column << 1 ^ (uint64_t)matrix) * UINT64_C(0x9E3779B97F4A7C15);
  mixed = (mixed ^ mixed >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
  return (double)(int64_t)((mixed >> 40) % 9) - 4;
}

static int64_t smaller(int64_t one, int64_t other) {
  return one < other ? one : other;
}

static int64_t quotient_up(int64_t all, int64_t parts) {
  return all > parts ? (all + parts - 1) / parts : 1;
}

/* How many of `length` indices process `own` of `count` has, if they are dealt in blocks. */
static int64_t owned(int64_t length, int64_t block, int64_t own, int64_t count) {
  int64_t number = 0, start;
  for (start = own * block; start < length; start += count * block) number += smaller(block, length - start);
  return number;
}

/* The global index of a local one. */
static int64_t global(int64_t local, int64_t block, int64_t own, int64_t count) {
  return local / block * block * count + own * block + local % block;
}

static part make_part(int64_t rows, int64_t columns, int64_t row_block, int64_t column_block, const int64_t *grid) {
  part made;
  hcube_matrix *matrix = &made.matrix;
  memset(&made, 0, sizeof made);
  made.height = owned(rows, row_block, grid[0], grid[1]);
  made.width = owned(columns, column_block, grid[2], grid[3]);
  matrix->struct_size = sizeof *matrix;
  matrix->rows = rows;
  matrix->columns = columns;
  matrix->row_block = matrix->first_row_block = row_block;
  matrix->column_block = matrix->first_column_block = column_block;
  matrix->leading_dimension = made.height > 0 ? made.height : 1;
  made.elements = (double *)allocate(made.height * made.width * (int64_t)sizeof(double));
  return made;
}

static void fill(const part *of, int number, const int64_t *grid) {
  const hcube_matrix *matrix = &of->matrix;
  int64_t row, column;
  for (column = 0; column < of->width; column++)
    for (row = 0; row < of->height; row++)
      of->elements[column * of->height + row] = value_of(number, global(row, matrix->row_block, grid[0], grid[1]),
                                                         global(column, matrix->column_block, grid[2], grid[3]));
}

/* A local product, with the arguments of dgemm_: all elements, or those at the corners. */
static void multiply(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                     const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                     const double *beta, double *c, const int *ldc) {
  int row, column, inner;
  int row_step = only_corners && *m > 1 ? *m - 1 : 1, column_step = only_corners && *n > 1 ? *n - 1 : 1;
  int64_t a_row = *transa == 'N' ? 1 : *lda, a_inner = *transa == 'N' ? *lda : 1;
  int64_t b_column = *transb == 'N' ? *ldb : 1, b_inner = *transb == 'N' ? 1 : *ldb;
  for (column = 0; column < *n; column += column_step)
    for (row = 0; row < *m; row += row_step) {
      double sum = 0, *into = c + (int64_t)column * *ldc + row;
      const double *of_a = a + row * a_row, *of_b = b + column * b_column;
      for (inner = 0; inner < *k; inner++) sum += of_a[inner * a_inner] * of_b[inner * b_inner];
      *into = *alpha * sum + (*beta == 0 ? 0 : *beta * *into);
    }
}

static int64_t wrong_elements(const test_case *test, const part *c, const int64_t *grid) {
  int64_t wrong = 0, row, column, inner;
  int64_t row_step = only_corners && c->height > 1 ? c->height - 1 : 1;
  int64_t column_step = only_corners && c->width > 1 ? c->width - 1 : 1;
  for (column = 0; column < c->width; column += column_step)
    for (row = 0; row < c->height; row += row_step) {
      int64_t i = global(row, c->matrix.row_block, grid[0], grid[1]);
      int64_t j = global(column, c->matrix.column_block, grid[2], grid[3]);
      double sum = 0;
      for (inner = 0; inner < test->k; inner++) sum += value_of(0, i, inner) * value_of(1, inner, j);
      wrong += c->elements[column * c->height + row] != sum;
    }
  return wrong;
}

static void call(const test_case *test, MPI_Comm comm, int64_t k, const part *a, const part *b, const part *c) {
  const double one = 1, zero = 0;
  hcube_error error;
  SUCCEED(
      hcube_gemm(comm, (int32_t)test->rows, (int32_t)test->columns, HCUBE_ELEMENT_DOUBLE, 'N', 'N', test->m, test->n, k,
                 &one, a->elements, &a->matrix, b->elements, &b->matrix, &zero, c->elements, &c->matrix, NULL, &error),
      error);
}

/* Seconds of the slowest rank since all ranks have begun, with local products of the given time. */
static double timed_call(const test_case *test, const char *text, double nanoseconds, const part *a, const part *b,
                         const part *c, char *path) {
  char together[512];
  double begin, seconds;
  int64_t width;
  hcube_error error;
  MPI_Comm comm;

  /* hcube reads the costs when it first sees a communicator, and all ranks have one environment. */
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(together, sizeof together, "%s%smultiply-add=%.17g", costs, *costs == '\0' ? "" : ",", nanoseconds);
  if (setenv(COSTS, together, 1) != 0) FAIL("%s", COSTS);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  SUCCEED(hcube_gemm_set_options(comm, &test->options, &error), error);
  width = test->options.outer_block > 0 ? test->options.outer_block : test->options.inner_block;
  call(test, comm, width > 0 ? smaller(width, test->k) : test->k, a, b, c);
  memset(c->elements, 0xff, (size_t)(c->height * c->width) * sizeof(double));
  begin = begin_together(text);
  call(test, comm, test->k, a, b, c);
  seconds = largest_at_first(MPI_Wtime() - begin);
  SUCCEED(hcube_gemm_last_path(comm, path, 64, &error), error);
  MPI_Comm_free(&comm);
  return seconds;
}

static void run_case(const char *text) {
  test_case test;
  hcube_error error;
  part a, b, c;
  int rank = own_rank(), size = all_ranks();
  int64_t wrong, grid[4];
  double communication, seconds;
  char path[64];

  memset(&test, 0, sizeof test);
  SUCCEED(hcube_gemm_default_options(&test.options, sizeof test.options, &error), error);
  test.options.multiply = (void (*)(void))multiply;
  test.options.stationary = HCUBE_GEMM_STATIONARY_C;
  test.rows = 1;
  test.columns = size;
  read_case(text, take_pair, &test);
  if (test.rows * test.columns != size) FAIL("case '%s': expected a grid of %d ranks", text, size);
  if (test.order == 0) test.order = test.k;
  if (test.order < test.k) FAIL("case '%s': expected order of k or more", text);
  only_corners = !test.all;
  grid[0] = rank / test.columns;
  grid[1] = test.rows;
  grid[2] = rank % test.columns;
  grid[3] = test.columns;
  {
    int64_t rows = quotient_up(test.m, test.rows), columns = quotient_up(test.n, test.columns);
    int64_t of_a = test.block > 0 ? test.block : quotient_up(test.order, test.columns);
    int64_t of_b = test.block > 0 ? test.block : quotient_up(test.order, test.rows);
    a = make_part(test.m, test.k, rows, of_a, grid);
    b = make_part(test.k, test.n, of_b, columns, grid);
    c = make_part(test.m, test.n, rows, columns, grid);
  }
  fill(&a, 0, grid);
  fill(&b, 1, grid);
  communication = timed_call(&test, text, 0, &a, &b, &c, path);
  wrong = wrong_elements(&test, &c, grid);
  seconds = communication;
  if (test.multiply > 0) {
    seconds = timed_call(&test, text, test.multiply, &a, &b, &c, path);
    wrong += wrong_elements(&test, &c, grid);
  }
  wrong = sum_at_first(wrong);
  RECORD(text, SECONDS("communication") SECONDS("seconds") COUNT("errors") TEXT("path"), communication, seconds, wrong,
         path);
  free(a.elements);
  free(b.elements);
  free(c.elements);
}

/* Before the first rank changes them. */
static void read_costs(void) {
  if (*costs == '\0' && getenv(COSTS) != NULL) {
    if (strlen(getenv(COSTS)) >= sizeof costs) FAIL("%s: too long", COSTS);
    strcpy(costs, getenv(COSTS));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, read_costs, run_case, NULL);
}
