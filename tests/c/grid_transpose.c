/* hcube_grid_transpose_* against the definition, on all grids of these ranks and on a part of them, in memory of hcube
 * and elsewhere. Prints `ok <transpositions> <those that read the memory of the node>`. */
#include "client.h"
#include "rounds.h"

static int transpositions, shared;

/* Whole numbers, so that sums are exact. */
static double element_of_a(int64_t row, int64_t column) {
  return (double)((row * 1009 + column * 31 + 5) % 65521);
}

static double element_of_c(int64_t row, int64_t column) {
  return (double)((row * 17 + column * 523 + 1) % 32749);
}

/* The place of element number `local` of a row or column of the grid in the whole matrix. */
static int64_t whole(int64_t local, int64_t block, int64_t place, int64_t places) {
  return (local / block * places + place) * block + local % block;
}

static int64_t share(int64_t all, int64_t block, int64_t place, int64_t places) {
  int64_t count = 0;
  for (int64_t element = 0; element < all; element++) count += element / block % places == place;
  return count;
}

/* One shape with three factors. A is in `place`, or in memory of its own. */
static void transpose(const hcube_grid_transpose_shape *shape, const hcube_grid_transpose_memory *memory, void *place,
                      MPI_Comm comm, int64_t gap) {
  hcube_grid_transpose *transposition = NULL;
  char text[256];
  int own;
  MPI_Comm_rank(comm, &own);
  int64_t grid_row = own / shape->grid_columns;
  int64_t grid_column = own % shape->grid_columns;
  int64_t mp = share(shape->rows, shape->row_block, grid_row, shape->grid_rows);
  int64_t nq = share(shape->columns, shape->column_block, grid_column, shape->grid_columns);
  int64_t np = share(shape->columns, shape->column_block, grid_row, shape->grid_rows);
  int64_t mq = share(shape->rows, shape->row_block, grid_column, shape->grid_columns);
  int64_t lda = mp + gap > 0 ? mp + gap : 1;
  int64_t ldc = np + gap > 0 ? np + gap : 1;
  double *a = place != NULL ? (double *)place + gap : (double *)allocate((size_t)(lda * nq + 1) * sizeof(double));
  double *c = (double *)allocate((size_t)(ldc * mq + 1) * sizeof(double));
  SUCCEED(hcube_grid_transpose_create(shape, memory, comm, &transposition, &failure));
  SUCCEED(hcube_grid_transpose_describe(transposition, text, sizeof text, &failure));
  for (int round = 0; round < 3; round++) {
    for (int64_t column = 0; column < nq; column++)
      for (int64_t row = 0; row < mp; row++)
        a[column * lda + row] = element_of_a(whole(row, shape->row_block, grid_row, shape->grid_rows) + round,
                                             whole(column, shape->column_block, grid_column, shape->grid_columns));
    for (int64_t row = 0; row < ldc * mq; row++) c[row] = -1;
    for (int64_t column = 0; column < mq; column++)
      for (int64_t row = 0; row < np; row++)
        c[column * ldc + row] = element_of_c(whole(row, shape->column_block, grid_row, shape->grid_rows),
                                             whole(column, shape->row_block, grid_column, shape->grid_columns));
    SUCCEED(hcube_grid_transpose_execute(transposition, round, a, lda, c, ldc, &failure));
    for (int64_t column = 0; column < mq; column++)
      for (int64_t row = 0; row < ldc; row++) {
        int64_t i = whole(column, shape->row_block, grid_column, shape->grid_columns);
        int64_t j = whole(row, shape->column_block, grid_row, shape->grid_rows);
        double right = row < np ? element_of_a(i + round, j) + round * element_of_c(j, i) : -1;
        if (c[column * ldc + row] != right)
          FAIL("%" PRId64 " x %" PRId64 " on %" PRId64 " x %" PRId64 ", c(%" PRId64 ", %" PRId64 "): %g instead of %g",
               shape->rows, shape->columns, shape->grid_rows, shape->grid_columns, row, column, c[column * ldc + row],
               right);
      }
    transpositions++;
    shared += strstr(text, "memory of the node") != NULL;
  }
  SUCCEED(hcube_grid_transpose_free(&transposition, &failure));
  REQUIRE(transposition == NULL);
  if (place == NULL) free(a);
  free(c);
}

static void all_grids(void) {
  static const int64_t shapes[][4] = {{60, 60, 8, 8}, {45, 71, 7, 5}, {3, 100, 4, 33}, {90, 2, 200, 1}};
  int64_t needed = 16384 * sizeof(double);
  hcube_grid_transpose_memory *memory = NULL;
  void *place = NULL;
  MPI_Comm reversed, part;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  /* Ranks that are not in a grid. */
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0 || size == 1 ? 0 : MPI_UNDEFINED, rank * 7 % size, &part);
  SUCCEED(hcube_grid_transpose_memory_create(needed, MPI_COMM_WORLD, &memory, &place, &failure));
  for (int64_t rows = 1; rows <= size; rows++)
    for (int64_t number = 0; size % rows == 0 && number < 4; number++) {
      const int64_t *numbers = shapes[number];
      hcube_grid_transpose_shape shape = {numbers[0], numbers[1], numbers[2], numbers[3], rows, size / rows};
      transpose(&shape, memory, place, MPI_COMM_WORLD, number);
      transpose(&shape, memory, place, reversed, 0);
      transpose(&shape, NULL, NULL, MPI_COMM_WORLD, number);
      if (part != MPI_COMM_NULL && rows == 1) {
        shape.grid_columns = size > 1 ? size - 1 : 1;
        transpose(&shape, memory, place, part, number);
      }
    }
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
  MPI_Comm_free(&reversed);
  SUCCEED(hcube_grid_transpose_memory_free(&memory, &failure));
  SUCCEED(hcube_grid_transpose_memory_free(&memory, &failure));
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  while (next_round()) all_grids();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) printf("ok %d %d\n", transpositions, shared);
  return end_program();
}
