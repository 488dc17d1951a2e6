/*
 * Replaces the transposition of HPCC's PTRANS, and the memory of its matrices, by hcube's.
 *
 * The harness stays HPCC's: hcube.mk compiles its pdtransdriver.c a second time with
 * hcube_ptrans.h, so that its matrices come from the functions below, and its calls of
 * Cblacs_gridmap, pdmatgen and pdtrans end here. What HPCC generates, measures and compares is
 * unchanged.
 *
 * HPCC runs each shape on five random grids. Cblacs_gridmap has the ranks of a grid, and the first
 * matrix that HPCC generates there has the shape: the transposition is set up then, outside of the
 * measured time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hcube_ptrans.h"

#include "hcube_glue.h"

/* HPCC's PTRANS, and the same with hcube's memory and transposition, under the names of hcube.mk.
 */
int hcube_stock_PTRANS(HPCC_Params *params);
int hcube_tuned_PTRANS(HPCC_Params *params);

/* Of HPCC's subset of BLACS. */
void Cblacs_gridmap(int *context, int *map, int leading, int rows, int columns);

/* The functions that the second copy calls instead of HPCC's. */
void hcube_tuned_Cblacs_gridmap(int *context, int *map, int leading, int rows, int columns);
int hcube_tuned_pdmatgen(int *context, char *form, char *diagonal, int *m, int *n, int *mb, int *nb,
                         double *a, int *lda, int *row, int *column, int *seed, int *row_offset,
                         int *row_count, int *column_offset, int *column_count, int *my_row,
                         int *my_column, int *rows, int *columns, double alpha);
int hcube_tuned_pdtrans(char *trans, int *m, int *n, int *mb, int *nb, double *a, int *lda,
                        double *beta, double *c, int *ldc, int *row, int *column, double *work,
                        int *iwork);

/* The path of a transposition, and of the memory of its matrices. */
enum { ACTIVE, FALLS_BACK, HAS_NO_MEMORY, OUTCOMES };

/* The current run: HPCC runs one at a time, from one thread. */
static hcube_grid_transpose_memory *memory;
static void *matrices;
/* The ranks of the grid, numbered row by row; MPI_COMM_NULL outside of it. */
static MPI_Comm grid = MPI_COMM_NULL;
static int grid_rows, grid_columns, is_planned;
static hcube_grid_transpose *transposition;
/* The error that this rank has to report. */
static char reports[OUTCOMES][256];

static void check(int32_t code, const hcube_error *error)
{
  if (code != HCUBE_SUCCESS) hcube_hpcc_fail("PTRANS", code, error);
}

static void note(int outcome, const char *text)
{
  snprintf(reports[outcome], sizeof reports[outcome], "%s", text);
}

/* Collective over all ranks at the first call, which is for the matrices: their size is the same on
 * all. Without shared memory the transposition uses messages. */
void *hcube_hpcc_ptrans_allocate(size_t elements, size_t bytes)
{
  hcube_error error = {0};
  int32_t code;

  if (matrices != NULL || bytes != sizeof(double)) return malloc(elements * bytes);
  code = hcube_grid_transpose_memory_create((int64_t)(elements * bytes), MPI_COMM_WORLD, &memory,
                                            &matrices, &error);
  if (code == HCUBE_SUCCESS) return matrices;
  note(code == HCUBE_ERR_MEMORY ? HAS_NO_MEMORY : FALLS_BACK, error.message);
  memory = NULL;
  matrices = malloc(elements * bytes);
  return matrices;
}

/* Collective over the grid. */
static void leave_grid(void)
{
  hcube_error error = {0};

  check(hcube_grid_transpose_free(&transposition, &error), &error);
  if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);
  is_planned = 0;
}

void hcube_hpcc_ptrans_free(void *address)
{
  hcube_error error = {0};

  if (memory == NULL || address != matrices) {
    free(address);
    return;
  }
  leave_grid();
  /* HPCC frees its matrices when all ranks have used them. */
  check(hcube_grid_transpose_memory_free(&memory, &error), &error);
}

/* Collective over all ranks. */
void hcube_tuned_Cblacs_gridmap(int *context, int *map, int leading, int rows, int columns)
{
  int rank, row, column, place = MPI_UNDEFINED;

  Cblacs_gridmap(context, map, leading, rows, columns);
  leave_grid();
  grid_rows = rows;
  grid_columns = columns;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (row = 0; row < rows; row++)
    for (column = 0; column < columns; column++)
      if (map[column + row * leading] == rank) place = row * columns + column;
  MPI_Comm_split(MPI_COMM_WORLD, place == MPI_UNDEFINED ? MPI_UNDEFINED : 0,
                 place == MPI_UNDEFINED ? 0 : place, &grid);
}

/* Collective over the grid. */
static void plan(int64_t m, int64_t n, int64_t mb, int64_t nb)
{
  const hcube_grid_transpose_shape shape = {m, n, mb, nb, grid_rows, grid_columns};
  hcube_error error = {0};

  is_planned = 1;
  if (hcube_grid_transpose_create(&shape, memory, grid, &transposition, &error) != HCUBE_SUCCESS) {
    transposition = NULL;
    note(FALLS_BACK, error.message);
  } else if (reports[ACTIVE][0] == '\0') {
    check(hcube_grid_transpose_describe(transposition, reports[ACTIVE], sizeof reports[ACTIVE],
                                        &error),
          &error);
  }
}

int hcube_tuned_pdmatgen(int *context, char *form, char *diagonal, int *m, int *n, int *mb, int *nb,
                         double *a, int *lda, int *row, int *column, int *seed, int *row_offset,
                         int *row_count, int *column_offset, int *column_count, int *my_row,
                         int *my_column, int *rows, int *columns, double alpha)
{
  if (!is_planned) plan(*m, *n, *mb, *nb);
  return pdmatgen(context, form, diagonal, m, n, mb, nb, a, lda, row, column, seed, row_offset,
                  row_count, column_offset, column_count, my_row, my_column, rows, columns, alpha);
}

int hcube_tuned_pdtrans(char *trans, int *m, int *n, int *mb, int *nb, double *a, int *lda,
                        double *beta, double *c, int *ldc, int *row, int *column, double *work,
                        int *iwork)
{
  hcube_error error = {0};

  if (transposition == NULL)
    return pdtrans(trans, m, n, mb, nb, a, lda, beta, c, ldc, row, column, work, iwork);
  check(hcube_grid_transpose_execute(transposition, *beta, a, *lda, c, *ldc, &error), &error);
  return 0;
}

/* Collective over all ranks: rank 0, which may be outside of a grid, reports what a rank of it has
 * noted. */
static int report(int outcome)
{
  int rank, from;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  rank = reports[outcome][0] != '\0' ? rank : -1;
  MPI_Allreduce(&rank, &from, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (from < 0) return 0;
  MPI_Bcast(reports[outcome], (int)sizeof reports[outcome], MPI_CHAR, from, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

int PTRANS(HPCC_Params *params)
{
  int code;

  if (!hcube_hpcc_serves(HCUBE_HPCC_PTRANS)) return hcube_stock_PTRANS(params);
  matrices = NULL;
  memset(reports, 0, sizeof reports);
  code = hcube_tuned_PTRANS(params);
  leave_grid();
  if (report(ACTIVE)) hcube_hpcc_active(HCUBE_HPCC_PTRANS, "%s", reports[ACTIVE]);
  if (report(FALLS_BACK)) hcube_hpcc_falls_back(HCUBE_HPCC_PTRANS, "%s", reports[FALLS_BACK]);
  if (report(HAS_NO_MEMORY))
    hcube_hpcc_changes(HCUBE_HPCC_PTRANS, "ranks do not share the memory of the matrices: %s",
                       reports[HAS_NO_MEMORY]);
  return code;
}
