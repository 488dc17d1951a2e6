/* Pivots and row swaps in process columns: on the world and on parts of it, wider panels on the same
 * communicator, and wrong arguments. Prints `ok <ranks>`. */
#include "client.h"

enum { BLOCK = 3, MAX_ROWS = 200, MAX_COLUMNS = 17 };

static hcube_error failure;

static double element(int row, int column) {
  return 100.0 * row + column + 1;
}

/* What a rank has found: rank `step % size` the largest, sometimes another one as large. */
static void set_pivot(double *work, int rank, int size, int step, int width) {
  int column, largest = rank == step % size || (step % 3 == 0 && rank == (step + 1) % size);
  work[0] = largest ? -9.0 : rank % 3;
  work[1] = step;
  work[2] = 10 * step + rank;
  work[3] = rank;
  for (column = 0; column < width; column++) {
    work[4 + column] = element(rank, column);
    work[4 + width + column] = -element(rank, column);
  }
}

static void search(MPI_Comm comm, int steps, int width) {
  double work[4 + 2 * BLOCK], expected[4 + 2 * BLOCK];
  int rank, size, step, column;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (step = 0; step < steps; step++) {
    int current = step / 2 % size, other = (step + 1) % size, best = step % size;
    if (step % 3 == 0 && other < best) best = other;
    set_pivot(work, rank, size, step, width);
    set_pivot(expected, best, size, step, width);
    SUCCEED(hcube_column_pivot(comm, work, (uint64_t)width, current, &failure), failure);
    REQUIRE(memcmp(work, expected, (size_t)(4 + width) * sizeof *work) == 0);
    for (column = 0; rank == best && column < width; column++)
      REQUIRE(work[4 + width + column] == -element(current, column));
  }
}

/* Top row i of a panel is exchanged with this row. */
static int exchanged(int i, int first, int rows, int step) {
  return first + i + (i * 7 + step * 13) % (rows - first - i);
}

/* A swap of `width` rows from `first` on in a matrix of `rows` rows, on all ranks. */
static void swap(MPI_Comm comm, int step, int first, int width, int rows, int columns, int transposed) {
  static int32_t pairs[4 * BLOCK];
  static double matrix[MAX_ROWS * MAX_COLUMNS], top[BLOCK * MAX_COLUMNS];
  int content[MAX_ROWS], own[MAX_ROWS], rank, size, row, column, count = 0, local = 0;
  hcube_column_swap swap;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (row = 0; row < rows; row++) content[row] = row;
  for (row = 0; row < width; row++) {
    int other = exchanged(row, first, rows, step), here = content[first + row];
    content[first + row] = content[other];
    content[other] = here;
  }
  for (row = first; row < rows; row++) {
    if (row / BLOCK % size == rank) own[local++] = row;
    if (row >= first + width && content[row] == row) continue;
    pairs[2 * count] = content[row];
    pairs[2 * count++ + 1] = row;
  }
  for (row = 0; row < local; row++)
    for (column = 0; column < columns; column++) matrix[column * (local + 1) + row] = element(own[row], column);
  swap.pairs = pairs;
  swap.pair_count = (uint64_t)count;
  swap.first = (uint64_t)first;
  swap.width = (uint64_t)width;
  swap.block = BLOCK;
  swap.rows = matrix;
  swap.row_count = (uint64_t)local;
  swap.stride = (uint64_t)local + 1;
  swap.columns = (uint64_t)columns;
  swap.top = top;
  swap.transposed = transposed;
  SUCCEED(hcube_column_swap_begin(comm, &swap, &failure), failure);
  SUCCEED(hcube_column_swap_end(comm, &swap, &failure), failure);
  for (column = 0; column < columns; column++) {
    for (row = 0; row < width; row++) {
      double is = top[transposed ? row * columns + column : column * width + row];
      if (is != element(content[first + row], column)) FAIL("top row %d, column %d: %g", row, column, is);
    }
    for (row = 0; row < local; row++) {
      int now = own[row] < first + width ? own[row] : content[own[row]];
      double is = matrix[column * (local + 1) + row];
      if (is != element(now, column)) FAIL("row %d, column %d: %g", own[row], column, is);
    }
  }
}

static void factor(MPI_Comm comm, int width, int columns) {
  uint64_t prepared[2];
  int step;
  SUCCEED(hcube_column_prepare(comm, (uint64_t)width, (uint64_t)columns, &failure), failure);
  SUCCEED(hcube_column_prepared(comm, &prepared[0], &prepared[1], &failure), failure);
  REQUIRE(prepared[0] == (uint64_t)width && prepared[1] == (uint64_t)columns);
  for (step = 0; step < 40; step++) {
    int first = step % 11 * BLOCK;
    search(comm, step % 4, width);
    swap(comm, step, first, step % (width + 1), first + BLOCK + step * 3, step % (columns + 1), step / 3 % 2);
  }
}

/* The call is refused with these words in the message. */
#define REFUSED(call, words)                                                                            \
  do {                                                                                                  \
    int32_t code_ = (call);                                                                             \
    if (code_ != HCUBE_ERR_ARGUMENT || failure.code != code_ || strstr(failure.message, words) == NULL) \
      FAIL("%s: code %d: %s", #call, (int)code_, failure.message);                                      \
  } while (0)

static void wrong_arguments(MPI_Comm comm) {
  uint64_t width = 1, columns = 1;
  double work[4 + 2 * BLOCK] = {0}, number = 0;
  hcube_column_swap swap;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  memset(&swap, 0, sizeof swap);
  swap.block = 1;
  SUCCEED(hcube_column_prepared(comm, &width, &columns, &failure), failure);
  REQUIRE(width == 0 && columns == 0);
  REFUSED(hcube_column_prepared(comm, &width, NULL, &failure), "columns = NULL");
  REFUSED(hcube_column_pivot(comm, work, 1, 0, &failure), "not prepared");
  REFUSED(hcube_column_swap_begin(comm, &swap, &failure), "not prepared");
  SUCCEED(hcube_column_prepare(comm, BLOCK, 2, &failure), failure);
  REFUSED(hcube_column_pivot(comm, NULL, 1, 0, &failure), "work = NULL");
  REFUSED(hcube_column_pivot(comm, work, BLOCK + 1, 0, &failure), "width = 4");
  REFUSED(hcube_column_pivot(comm, work, 1, -1, &failure), "current = -1");
  REFUSED(hcube_column_pivot(comm, work, 1, size, &failure), "current");
  REFUSED(hcube_column_swap_begin(comm, NULL, &failure), "swap = NULL");
  swap.pair_count = 1;
  REFUSED(hcube_column_swap_begin(comm, &swap, &failure), "swap.pairs = NULL");
  swap.pair_count = (uint64_t)1 << 62;
  REFUSED(hcube_column_swap_begin(comm, &swap, &failure), "swap.pair_count");
  swap.pair_count = 0;
  swap.transposed = 2;
  REFUSED(hcube_column_swap_begin(comm, &swap, &failure), "swap.transposed = 2");
  swap.transposed = 0;
  swap.columns = 1;
  swap.stride = swap.row_count = 1;
  REFUSED(hcube_column_swap_begin(comm, &swap, &failure), "swap.rows = NULL");
  swap.rows = &number;
  swap.columns = 3;
  REFUSED(hcube_column_swap_begin(comm, &swap, &failure), "columns = 3");
  swap.columns = 1;
  REFUSED(hcube_column_swap_end(comm, &swap, &failure), "no swap");
  SUCCEED(hcube_column_swap_begin(comm, &swap, &failure), failure);
  REFUSED(hcube_column_swap_begin(comm, &swap, &failure), "not ended");
  REFUSED(hcube_column_prepare(comm, BLOCK, 3, &failure), "not been ended");
  SUCCEED(hcube_column_swap_end(comm, &swap, &failure), failure);
  if (size > 1) REQUIRE(hcube_column_prepare(comm, BLOCK + (uint64_t)rank, 2, &failure) == HCUBE_ERR_MISMATCH);
  REQUIRE(hcube_column_prepare(comm, UINT64_MAX, 2, &failure) == HCUBE_ERR_MEMORY);
  REQUIRE(hcube_column_prepare(MPI_COMM_NULL, 1, 2, &failure) == HCUBE_ERR_COMM);
}

int main(int argc, char **argv) {
  MPI_Comm part, copy;
  int rank, size, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memset(&failure, 0, sizeof failure);
  if (argc > 1) { /* ranks that share no memory: refused on all ranks */
    REQUIRE(hcube_column_prepare(MPI_COMM_WORLD, BLOCK, 2, &failure) == HCUBE_ERR_ARGUMENT);
    REQUIRE(strstr(failure.message, "several nodes") != NULL);
  } else {
    for (ranks = 1; ranks <= size; ranks++) {
      MPI_Comm_split(MPI_COMM_WORLD, rank / ranks, rank, &part);
      factor(part, 2, 7);
      factor(part, BLOCK, MAX_COLUMNS);
      /* A copy of the communicator is not prepared. */
      MPI_Comm_dup(part, &copy);
      wrong_arguments(copy);
      MPI_Comm_free(&copy);
      MPI_Comm_free(&part);
    }
  }
  if (rank == 0) printf("ok %d\n", size);
  MPI_Finalize();
  return 0;
}
