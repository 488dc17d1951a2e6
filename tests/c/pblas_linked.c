/* Programs that get hcube by their place on the link line, or do not get it.
 *
 * With PRODUCT a program calls PDGEMM, otherwise PDGESV, whose factorization calls PDGEMM. It names none of the MPI
 * functions that start and end a program: the BLACS do that. */
#include "pblas.h"

#include <math.h>

void Cblacs_pinfo(int *rank, int *size);
void Cblacs_exit(int keeps_mpi);
void pdgesv_(const int *n, const int *nrhs, void *a, const int *ia, const int *ja, const int *desca, int *pivots,
             void *b, const int *ib, const int *jb, const int *descb, int *info);

enum { SIZE = 96, BLOCK = 8 };

/* A column-major grid's matrix of SIZE rows and `columns` columns. */
static matrix make(const grid *on, int columns) {
  axis along[2] = {{SIZE, BLOCK, BLOCK, 0, on->row, on->rows}, {columns, BLOCK, BLOCK, 0, on->column, on->columns}};
  matrix made;
  memset(&made, 0, sizeof made);
  made.kind = DOUBLE;
  made.type = 1;
  memcpy(made.axes, along, sizeof along);
  made.length[0] = SIZE;
  made.length[1] = columns;
  made.leading = local_count(&along[0], SIZE) + 1;
  describe(&made, on->context);
  allocate_matrix(&made, 1);
  return made;
}

/* A matrix with a large diagonal. */
static void fill(void *closure, void *element, int row, int column) {
  double value[2] = {row == column ? 4.0 * SIZE : (row * 7 + column * 3) % 11 - 5, 0};
  (void)closure;
  store(DOUBLE, element, value);
}

/* Sums of its rows: what it makes of ones. */
static void fill_sums(void *closure, void *element, int row, int column) {
  double value[2] = {0, 0};
  (void)closure;
  (void)column;
  for (int other = 0; other < SIZE; other++) value[0] += row == other ? 4.0 * SIZE : (row * 7 + other * 3) % 11 - 5;
  store(DOUBLE, element, value);
}

static void fill_ones(void *closure, void *element, int row, int column) {
  double value[2] = {1, 0};
  (void)closure;
  (void)row;
  (void)column;
  store(DOUBLE, element, value);
}

static void check_ones(void *closure, void *element, int row, int column) {
  double value[2];
  (void)closure;
  (void)column;
  load(DOUBLE, element, value);
  if (!(fabs(value[0] - 1) < 1e-10)) FAIL("row %d: %.17g and not 1", row, value[0]);
}

#ifdef PRODUCT
static void check_sums(void *closure, void *element, int row, int column) {
  double value[2], expected[2];
  load(DOUBLE, element, value);
  fill_sums(closure, expected, row, column);
  if (value[0] != expected[0]) FAIL("row %d: %.17g and not %.17g", row, value[0], expected[0]);
}
#endif

int main(void) {
  int rank, size;
  grid on;
  matrix a, x;
  Cblacs_pinfo(&rank, &size);
  on = make_grid("Column", size, 1);
  a = make(&on, SIZE);
  x = make(&on, 1);
  for_own(&a, fill, NULL);
#ifdef PRODUCT
  {
    static const double one = 1, zero = 0;
    static const int whole = SIZE, single = 1;
    matrix sums = make(&on, 1);
    (void)check_ones;
    for_own(&x, fill_ones, NULL);
    pdgemm_("N", "N", &whole, &single, &whole, &one, elements(&a), &a.from[0], &a.from[1], a.descriptor, elements(&x),
            &x.from[0], &x.from[1], x.descriptor, &zero, elements(&sums), &sums.from[0], &sums.from[1],
            sums.descriptor);
    for_own(&sums, check_sums, NULL);
  }
#else
  {
    static const int whole = SIZE, single = 1;
    int info, pivots[SIZE + BLOCK];
    (void)fill_ones;
    for_own(&x, fill_sums, NULL);
    pdgesv_(&whole, &single, elements(&a), &a.from[0], &a.from[1], a.descriptor, pivots, elements(&x), &x.from[0],
            &x.from[1], x.descriptor, &info);
    REQUIRE(info == 0);
    for_own(&x, check_ones, NULL);
  }
#endif
  if (rank == 0) printf("ok\n");
  Cblacs_exit(0);
  return 0;
}
