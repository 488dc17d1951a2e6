/* hcube/column.h: pivots and row swaps of LU.
 *
 * Generated from src/types/column.rs and src/column.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_COLUMN_H
#define HCUBE_COLUMN_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * A row swap in a process column. The rows of the matrix are distributed to the ranks of the process column
 * in blocks, the first block to rank 0; each rank stores its rows column by column. All fields but
 * rows, row_count, stride and top are the same on all ranks.
 */
typedef struct hcube_column_swap {
    /**
     * Rows that move: source and destination of each, alternating, as global row numbers. Every row is a source at
     * most once and a destination at most once; every top row is a destination.
     */
    const int32_t *pairs;
    /**
     * Number of pairs, at most 2 * width.
     */
    uint64_t pair_count;
    /**
     * Global number of the first top row.
     */
    uint64_t first;
    /**
     * Number of top rows, at most that of hcube_column_prepare.
     */
    uint64_t width;
    /**
     * Rows of a block, 1 or more.
     */
    uint64_t block;
    /**
     * First column of this rank to swap: address of the first row that is not above the top rows.
     */
    double *rows;
    /**
     * Number of rows of this rank from there.
     */
    uint64_t row_count;
    /**
     * Elements from one column of this rank to the next, at least row_count.
     */
    uint64_t stride;
    /**
     * Number of columns, at most that of hcube_column_prepare.
     */
    uint64_t columns;
    /**
     * Receives the top rows, width * columns elements; does not overlap rows.
     */
    double *top;
    /**
     * 0: top is stored column by column; 1: row by row.
     */
    int64_t transposed;
} hcube_column_swap;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective. Prepares a communicator, a process column of an LU factorisation, for the search of
 * pivots (hcube_column_pivot) and for row swaps (hcube_column_swap_begin, hcube_column_swap_end) in
 * memory that its ranks share. Memory stays with the communicator until it is freed.
 *
 * A communicator may be prepared again, for wider panels or more columns, where no swap was begun
 * that has not been ended.
 *
 * comm: an intracommunicator, whose rank r is process row r.
 * width: columns of the widest panel; the same on all ranks.
 * columns: columns of the widest swap; the same on all ranks. A swap needs 2 * width rows of columns
 * elements, and there is memory for two.
 * Errors on all ranks: HCUBE_ERR_ARGUMENT, also if a swap has not been ended or ranks do not share
 * memory; HCUBE_ERR_MISMATCH; HCUBE_ERR_MEMORY; HCUBE_ERR_MPI.
 * Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator,
 * HCUBE_ERR_MPI_STATE.
 * Source of pivot searches on teams in HPL: G. Jin et al., Implementation and Performance Evaluation of
 * the HPC Challenge Benchmarks in Coarray Fortran 2.0, IPDPS 2011.
 */
int32_t hcube_column_prepare(MPI_Comm comm,
                             uint64_t width,
                             uint64_t columns,
                             struct hcube_error *error);

/**
 * Local. Returns for what a communicator was prepared.
 *
 * comm: an intracommunicator.
 * width: receives the columns of the widest panel; 0 before hcube_column_prepare.
 * columns: receives the columns of the widest swap; 0 before hcube_column_prepare.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_column_prepared(MPI_Comm comm,
                              uint64_t *width,
                              uint64_t *columns,
                              struct hcube_error *error);

/**
 * Collective. Searches the pivot of one column of a panel: the element of the largest absolute value, of
 * equal ones that of the lowest process row. Every rank returns the same one, with its row.
 *
 * comm: a communicator that was prepared.
 * work: 4 + 2 * width elements. On entry: the largest element of this rank, its local row, its global row,
 * the process row that owns it (this rank, or the number of ranks if it has no row left); then the
 * width elements of its row in the panel; then, on rank current, the row that is swapped with that of the
 * pivot. On return: the pivot in the same form, and on its owner the row that is swapped with it.
 * width: columns of the panel; the same on all ranks.
 * current: the rank that owns the row to be swapped; the same on all ranks.
 * Errors only on the calling rank: HCUBE_ERR_ARGUMENT, also if the communicator was not prepared;
 * HCUBE_ERR_COMM; HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_column_pivot(MPI_Comm comm,
                           double *work,
                           uint64_t width,
                           int32_t current,
                           struct hcube_error *error);

/**
 * Begins a row swap: copies the rows of this rank that move to the memory of the process column. Called by all
 * ranks, and does not wait for them.
 *
 * comm: a communicator that was prepared.
 * swap: which rows move, and where this rank has its rows.
 * Errors only on the calling rank: HCUBE_ERR_ARGUMENT, also if the communicator was not prepared or a
 * swap has not been ended; HCUBE_ERR_BUFFER; HCUBE_ERR_COMM; HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_column_swap_begin(MPI_Comm comm,
                                const struct hcube_column_swap *swap,
                                struct hcube_error *error);

/**
 * Ends the row swap that was begun: waits until all ranks have begun it, then copies the top rows to
 * swap->top, and to swap->rows the rows that this rank receives in place of top rows. The top rows in
 * swap->rows are not changed. MPI makes progress meanwhile.
 *
 * comm: a communicator that was prepared.
 * swap: as for hcube_column_swap_begin.
 * Errors only on the calling rank: as hcube_column_swap_begin; HCUBE_ERR_ARGUMENT also if no swap was begun.
 */
int32_t hcube_column_swap_end(MPI_Comm comm,
                              const struct hcube_column_swap *swap,
                              struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_COLUMN_H */
