/* Matrix products by BSP on simulated ranks (SimGrid SMPI), through hcube's C interface.
 *
 *   matmul <case>...
 *
 * A case is key=value,key=value:
 *   n=             rows and columns of the matrices; 100 by default
 *   blocks=        blocks per side; by default the fewest that hcube chooses
 *   distribution=customized|static   as in hcube_matmul; customized by default
 *
 * Every product of blocks is computed, by OpenBLAS where it is installed, whatever the simulated cost of multiply-add
 * is. Elements are small integers, so that sums are exact, and every element of the product is compared. All ranks
 * begin at the same simulated time, after a small product by which hcube sets up the communicator; the time is that of
 * the last to finish. Rank 0 prints a record for each case, in the form of lab/src/records.rs.
 */
#include "driver.h"

#include <dlfcn.h>

/* Elements repeat after so many rows or columns: a prime number, so that no two blocks are equal. */
enum { PERIOD = 61 };

typedef struct test_case {
  int64_t n, blocks;
  int distribution;
} test_case;

/* The rows and columns of the matrix that a rank has next to each other. */
typedef struct part {
  int64_t row, column, height, width, offset;
} part;

static const meaning distributions[] = {
    {"customized", HCUBE_MATMUL_CUSTOMIZED}, {"static", HCUBE_MATMUL_STATIC}, {NULL, 0}};

/* The elements of a product of matrices of a size, which all ranks compare with. All ranks are in one process, and rank
 * 0 writes it before any of them begins. */
static struct {
  int64_t n;
  double products[PERIOD][PERIOD];
} reference;

/* dgemm_ of OpenBLAS, which all ranks use in turn; NULL where it is not installed. */
static hcube_matmul_kernel dgemm;

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "n") == 0) return read_number(value, &test->n) && test->n > 0;
  if (strcmp(key, "blocks") == 0) return read_number(value, &test->blocks);
  if (strcmp(key, "distribution") == 0) return (test->distribution = find_name(distributions, value)) >= 0;
  return 0;
}

/* An element of A or B: -30 to 30. A depends on its row only up to the period, and so does B on its column. */
static double of_a(int64_t row, int64_t inner) {
  return (double)((7 * row + 3 * inner) % PERIOD - PERIOD / 2);
}

static double of_b(int64_t inner, int64_t column) {
  return (double)((inner * inner + 5 * column) % PERIOD - PERIOD / 2);
}

static void find_reference(int64_t n) {
  int64_t row, column, inner;
  if (reference.n == n) return;
  for (row = 0; row < PERIOD; row++)
    for (column = 0; column < PERIOD; column++) {
      double sum = 0;
      for (inner = 0; inner < n; inner++) sum += of_a(row, inner) * of_b(inner, column);
      reference.products[row][column] = sum;
    }
  reference.n = n;
}

static int64_t smaller(int64_t one, int64_t other) {
  return one < other ? one : other;
}

/* Local part number `number` of a rank, by the description of hcube_matmul. */
static int read_part(const test_case *test, int rank, int size, int64_t number, part *into) {
  int64_t block = rank + number * size, grid_rows = 1, side = (test->n + test->blocks - 1) / test->blocks, columns;
  if (test->distribution == HCUBE_MATMUL_CUSTOMIZED) {
    if (block >= test->blocks * test->blocks) return 0;
    into->row = smaller(block / test->blocks * side, test->n);
    into->column = smaller(block % test->blocks * side, test->n);
    into->height = smaller(side, test->n - into->row);
    into->width = smaller(side, test->n - into->column);
    into->offset = number * side * side;
    return 1;
  }
  if (number > 0) return 0;
  while ((grid_rows + 1) * (grid_rows + 1) <= size) grid_rows++;
  while (size % grid_rows != 0) grid_rows--;
  columns = size / grid_rows;
  side = (test->n + grid_rows - 1) / grid_rows;
  into->row = smaller(rank / columns * side, test->n);
  into->height = smaller(side, test->n - into->row);
  side = (test->n + columns - 1) / columns;
  into->column = smaller(rank % columns * side, test->n);
  into->width = smaller(side, test->n - into->column);
  into->offset = 0;
  return 1;
}

static void fill(const test_case *test, int rank, int size, double *a, double *b) {
  int64_t number, row, column;
  part of;
  for (number = 0; read_part(test, rank, size, number, &of); number++)
    for (column = 0; column < of.width; column++)
      for (row = 0; row < of.height; row++) {
        int64_t place = of.offset + column * of.height + row;
        a[place] = of_a(of.row + row, of.column + column);
        b[place] = of_b(of.row + row, of.column + column);
      }
}

static int64_t wrong_elements(const test_case *test, int rank, int size, const double *c) {
  int64_t number, row, column, wrong = 0;
  part of;
  for (number = 0; read_part(test, rank, size, number, &of); number++)
    for (column = 0; column < of.width; column++)
      for (row = 0; row < of.height; row++)
        wrong += c[of.offset + column * of.height + row] !=
                 reference.products[(of.row + row) % PERIOD][(of.column + column) % PERIOD];
  return wrong;
}

static void multiply(const test_case *test, const double *a, const double *b, double *c) {
  hcube_error error;
  SUCCEED(hcube_matmul(test->n, test->blocks, test->distribution, a, b, c, dgemm, MPI_COMM_WORLD, &error), error);
}

/* OpenBLAS would start a thread on each core. */
static void find_dgemm(void) {
  void *library;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) *(void **)&dgemm = dlsym(library, "dgemm_");
}

/* Finds the kernel, and makes a product of blocks of one element, for the set-up of the communicator. A rank has at
 * most two of them. */
static void set_up(void) {
  test_case test = {1, 0, HCUBE_MATMUL_CUSTOMIZED};
  double a[2] = {1, 1}, b[2] = {1, 1}, c[2];
  if (dgemm == NULL) find_dgemm();
  while (test.n * test.n < all_ranks()) test.n++;
  multiply(&test, a, b, c);
}

static void run_case(const char *text) {
  test_case test;
  hcube_error error;
  int rank = own_rank(), size = all_ranks();
  int64_t elements, wrong;
  double begin, seconds, *a, *b, *c;

  memset(&test, 0, sizeof test);
  test.n = 100;
  read_case(text, take_pair, &test);
  /* As hcube chooses it. */
  if (test.blocks == 0)
    for (test.blocks = 1; test.blocks * test.blocks < size && test.blocks < test.n;) test.blocks++;
  SUCCEED(hcube_matmul_local_elements(test.n, test.blocks, test.distribution, MPI_COMM_WORLD, &elements, &error),
          error);
  a = (double *)allocate(elements * (int64_t)sizeof(double));
  b = (double *)allocate(elements * (int64_t)sizeof(double));
  c = (double *)allocate(elements * (int64_t)sizeof(double));
  fill(&test, rank, size, a, b);
  memset(c, 0xff, (size_t)elements * sizeof(double));
  if (rank == 0) find_reference(test.n);
  begin = begin_together(text);
  multiply(&test, a, b, c);
  seconds = largest_at_first(MPI_Wtime() - begin);
  wrong = sum_at_first(wrong_elements(&test, rank, size, c));
  RECORD(text, SECONDS("seconds") COUNT("errors"), seconds, wrong);
  free(c);
  free(b);
  free(a);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, set_up, run_case, NULL);
}
