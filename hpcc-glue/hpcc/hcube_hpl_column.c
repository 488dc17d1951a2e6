/*
 * Replaces the pivot search and the row swaps of HPCC's HPL, which run in its process columns.
 *
 * When HPL factors a panel, each of its columns needs the pivot of all ranks of the process column,
 * and its row (HPL_pdmxswp). Before an update, the rows that the pivots have moved are exchanged in
 * the process column, and all of its ranks get the top rows U (HPL_pdlaswp00N, 00T, 01N, 01T:
 * binary exchange or "spread and roll", U as it is or transposed). Each of these functions is alone
 * in its member of libhpl.a, so the definitions below replace them, all by one algorithm in memory
 * that the column shares. They run HPCC's own functions in columns that hcube does not serve.
 *
 * The list of rows that move is HPCC's (HPL_pipid), and is kept where HPCC keeps it: in IWORK of
 * the panel, whose first entry says for which algorithm.
 */
#include <stdint.h>
#include <string.h>

#include "hcube_hpl.h"

/* HPCC's own functions, under the names of hcube.mk. */
void hcube_stock_HPL_pdmxswp(HPL_T_panel *, const int, const int, const int, double *);
void hcube_stock_HPL_pdlaswp00N(HPL_T_panel *, int *, HPL_T_panel *, const int);
void hcube_stock_HPL_pdlaswp00T(HPL_T_panel *, int *, HPL_T_panel *, const int);
void hcube_stock_HPL_pdlaswp01N(HPL_T_panel *, int *, HPL_T_panel *, const int);
void hcube_stock_HPL_pdlaswp01T(HPL_T_panel *, int *, HPL_T_panel *, const int);

/* IWORK[0] of a panel: HPL_pdpanel_init sets it to -1, HPCC's own algorithms to 0 and 1. */
enum { HAS_NO_LIST = -1, HAS_LIST = 2 };

static void check(int32_t code, const hcube_error *error)
{
  if (code != HCUBE_SUCCESS) hcube_hpcc_fail("HPL's process columns", code, error);
}

static int is_served(const HPL_T_panel *panel)
{
  const HPL_T_grid *grid = panel->grid;

  return grid->nprow > 1 && hcube_hpcc_serves(HCUBE_HPCC_HPL) &&
         !hcube_hpl_is_refused(grid->col_comm);
}

static void announce(const HPL_T_grid *grid)
{
  if (grid->iam != 0) return;
  hcube_hpcc_active(HCUBE_HPCC_HPL_COLUMN,
                    "pivots and row swaps go through the memory of the node on %d x %d ranks",
                    grid->nprow, grid->npcol);
}

static void refuse(const HPL_T_grid *grid, const hcube_error *error)
{
  hcube_hpl_refuse(grid->col_comm);
  if (grid->myrow == 0)
    hcube_hpcc_falls_back(HCUBE_HPCC_HPL_COLUMN, "process column %d: %s", grid->mycol,
                          error->message);
}

void hcube_hpl_prepare_column(const HPL_T_panel *panel)
{
  const HPL_T_grid *grid = panel->grid;
  uint64_t width = panel->jb > 0 ? (uint64_t)panel->jb : 0;
  uint64_t columns = panel->nq > 0 ? (uint64_t)panel->nq : 0;
  uint64_t prepared_width, prepared_columns;
  hcube_error error = {0};

  if (!is_served(panel)) return;
  check(hcube_column_prepared(grid->col_comm, &prepared_width, &prepared_columns, &error), &error);
  if (width <= prepared_width && columns <= prepared_columns) return;
  if (width < prepared_width) width = prepared_width;
  if (columns < prepared_columns) columns = prepared_columns;
  switch (hcube_column_prepare(grid->col_comm, width, columns, &error)) {
  case HCUBE_SUCCESS: announce(grid); return;
  case HCUBE_ERR_ARGUMENT:
  case HCUBE_ERR_MEMORY: refuse(grid, &error); return;
  default: check(error.code, &error); return;
  }
}

static void copy_row(const double *from, int stride, int count, double *to)
{
  int column;

  for (column = 0; column < count; column++) to[column] = from[(size_t)column * (size_t)stride];
}

void HPL_pdmxswp(HPL_T_panel *panel, const int m, const int ii, const int jj, double *work)
{
  const HPL_T_grid *grid = panel->grid;
  const int width = panel->jb;
  hcube_error error = {0};

  if (!is_served(panel)) {
    hcube_stock_HPL_pdmxswp(panel, m, ii, jj, work);
    return;
  }
#ifdef HPL_DETAILED_TIMING
  HPL_ptimer(HPL_TIMING_MXSWP);
#endif
  /* HPL_dlocmax has set the first four: element, local row, global row, process row. */
  if (m > 0) {
    copy_row(panel->A + ii + (int)work[1], panel->lda, width, work + 4);
    if (grid->myrow == panel->prow) copy_row(panel->A + ii, panel->lda, width, work + 4 + width);
  } else {
    memset(work + 4, 0, (size_t)width * sizeof *work);
  }
  check(hcube_column_pivot(grid->col_comm, work, (uint64_t)width, panel->prow, &error), &error);
  panel->DPIV[jj] = work[2];
#ifdef HPL_DETAILED_TIMING
  HPL_ptimer(HPL_TIMING_MXSWP);
#endif
}

/* Advances HPCC's own broadcast of another panel, where one runs in the process row. */
static void advance(HPL_T_panel *broadcast, int *flag)
{
  if (*flag == HPL_KEEP_TESTING) (void)HPL_bcast(broadcast, flag);
}

static void swap_rows(HPL_T_panel *broadcast, int *flag, HPL_T_panel *panel, int columns,
                      int transposed)
{
  const MPI_Comm column = panel->grid->col_comm;
  int *list = panel->IWORK;
  hcube_column_swap swap;
  hcube_error error = {0};

  if (columns > panel->n) columns = panel->n;
  if (columns <= 0 || panel->jb <= 0) return;
#ifdef HPL_DETAILED_TIMING
  HPL_ptimer(HPL_TIMING_LASWP);
#endif
  if (list[0] == HAS_NO_LIST) {
    HPL_pipid(panel, list + 1, list + 2);
    list[0] = HAS_LIST;
  }
  swap.pairs = list + 2;
  swap.pair_count = (uint64_t)list[1] / 2;
  swap.first = (uint64_t)panel->ia;
  swap.width = (uint64_t)panel->jb;
  swap.block = (uint64_t)panel->nb;
  swap.rows = panel->A;
  swap.row_count = (uint64_t)panel->mp;
  swap.stride = (uint64_t)panel->lda;
  swap.columns = (uint64_t)columns;
  swap.top = panel->U;
  swap.transposed = transposed;

  check(hcube_column_swap_begin(column, &swap, &error), &error);
  advance(broadcast, flag);
  check(hcube_column_swap_end(column, &swap, &error), &error);
  advance(broadcast, flag);
#ifdef HPL_DETAILED_TIMING
  HPL_ptimer(HPL_TIMING_LASWP);
#endif
}

void HPL_pdlaswp00N(HPL_T_panel *broadcast, int *flag, HPL_T_panel *panel, const int columns)
{
  if (is_served(panel)) swap_rows(broadcast, flag, panel, columns, 0);
  else hcube_stock_HPL_pdlaswp00N(broadcast, flag, panel, columns);
}

void HPL_pdlaswp00T(HPL_T_panel *broadcast, int *flag, HPL_T_panel *panel, const int columns)
{
  if (is_served(panel)) swap_rows(broadcast, flag, panel, columns, 1);
  else hcube_stock_HPL_pdlaswp00T(broadcast, flag, panel, columns);
}

void HPL_pdlaswp01N(HPL_T_panel *broadcast, int *flag, HPL_T_panel *panel, const int columns)
{
  if (is_served(panel)) swap_rows(broadcast, flag, panel, columns, 0);
  else hcube_stock_HPL_pdlaswp01N(broadcast, flag, panel, columns);
}

void HPL_pdlaswp01T(HPL_T_panel *broadcast, int *flag, HPL_T_panel *panel, const int columns)
{
  if (is_served(panel)) swap_rows(broadcast, flag, panel, columns, 1);
  else hcube_stock_HPL_pdlaswp01T(broadcast, flag, panel, columns);
}
