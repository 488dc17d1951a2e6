/* hcube/transpose.h: transposition of matrices.
 *
 * Generated from src/types/transpose.rs and src/transpose.rs and src/transpose_grid.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_TRANSPOSE_H
#define HCUBE_TRANSPOSE_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * A plan of a transposition, created by hcube_grid_transpose_create and freed by hcube_grid_transpose_free.
 */
typedef struct hcube_grid_transpose hcube_grid_transpose;

/**
 * Memory of a node, with a part for each rank that the other ranks of the node can read. Created by
 * hcube_grid_transpose_memory_create and freed by hcube_grid_transpose_memory_free.
 */
typedef struct hcube_grid_transpose_memory hcube_grid_transpose_memory;

/**
 * A matrix that is distributed over the ranks of a communicator, and its transposition; the same on all
 * ranks. Before the call, rank r has row_block rows from row r * row_block on, or the remaining rows. After
 * the call, it has column_block columns from column r * column_block on, as rows of the transposed matrix.
 */
typedef struct hcube_transpose_shape {
    /**
     * Number of rows of the matrix, 1 or more.
     */
    int64_t rows;
    /**
     * Number of columns of the matrix, 1 or more.
     */
    int64_t columns;
    /**
     * Size of an element in bytes, 1 or more. An element is one number, or several contiguous numbers that
     * are moved together.
     */
    int64_t element_bytes;
    /**
     * Number of rows per rank before the call, at least ceil(rows / ranks).
     */
    int64_t row_block;
    /**
     * Number of columns per rank after the call, at least ceil(columns / ranks).
     */
    int64_t column_block;
    /**
     * Layout of the rows of a rank before the call: 0 row-major, 1 column-major.
     */
    int32_t transposed_in;
    /**
     * Layout of the rows of the transposed matrix of a rank after the call: 0 row-major, 1
     * column-major.
     */
    int32_t transposed_out;
} hcube_transpose_shape;

/**
 * A block-cyclic matrix A on a grid of processes, and C with the shape and distribution of its transpose;
 * the same on all ranks. Rank i * grid_columns + j of the communicator is process (i, j). Block (i, j) of A
 * is on process (i % grid_rows, j % grid_columns); its transpose is block (j, i) of C, on process (j %
 * grid_rows, i % grid_columns). A process stores its blocks as one matrix in column-major order.
 */
typedef struct hcube_grid_transpose_shape {
    /**
     * Number of rows of A and columns of C, 1 or more.
     */
    int64_t rows;
    /**
     * Number of columns of A and rows of C, 1 or more.
     */
    int64_t columns;
    /**
     * Number of rows of a block of A, 1 or more.
     */
    int64_t row_block;
    /**
     * Number of columns of a block of A, 1 or more.
     */
    int64_t column_block;
    /**
     * Number of rows of the grid.
     */
    int64_t grid_rows;
    /**
     * Number of columns of the grid; grid_rows * grid_columns is the number of ranks.
     */
    int64_t grid_columns;
} hcube_grid_transpose_shape;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective. Transposes a matrix that is distributed by rows over the ranks of a communicator, as
 * fftw_mpi_plan_many_transpose of FFTW. Blocks are transposed while they are packed and unpacked: the matrix
 * is read once and written once, without a local transposition before or after the exchange.
 *
 * The transposition is in place if, on all ranks, input == output or input is MPI_IN_PLACE (required on a
 * rank without elements). output must then have the size of the larger of the two parts, and
 * hcube_alltoall_options.memory bounds the extra memory. In place is possible if rows == columns, row_block
 * == column_block and transposed_in == transposed_out; other shapes are possible in place only if all ranks
 * share memory and elements are large. hcube_transpose_check tests a shape.
 *
 * Otherwise input and output must not overlap, every shape is possible, and input is not changed.
 *
 * The options of hcube_alltoall_set_options and of the environment apply, with two exceptions. MPI has no
 * such function, so HCUBE_ALLTOALL_LIBRARY has the effect of HCUBE_ALLTOALL_AUTO. Single copy cannot
 * transpose, so HCUBE_PATH_SINGLE_COPY has the effect of HCUBE_PATH_SHARED, but does not transpose other
 * shapes in place.
 *
 * input: the part of this rank before the call, of the size that shape determines; NULL if this size is 0.
 * output: the part of this rank after the call, of the size that shape determines; NULL if this size is 0.
 * shape: the same on all ranks.
 * comm: an intracommunicator.
 * Errors on all ranks, with nothing written: HCUBE_ERR_ARGUMENT; HCUBE_ERR_BUFFER for NULL or
 * device memory; HCUBE_ERR_TRUNCATE if shapes differ, or only some ranks are in place;
 * HCUBE_ERR_COMM for more than 2097151 ranks; the code of another rank if its arguments are not
 * valid; at the first use of a communicator also HCUBE_ERR_MPI, HCUBE_ERR_MEMORY and, if options
 * differ, HCUBE_ERR_MISMATCH.
 * Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator,
 * HCUBE_ERR_MPI_STATE.
 * Source of the exchange: M. Hofmann and G. Ruenger, In-place Algorithms for the Symmetric
 * All-to-all Exchange with MPI, EuroMPI 2013, section 4.4.
 */
int32_t hcube_transpose(const void *input,
                        void *output,
                        const struct hcube_transpose_shape *shape,
                        MPI_Comm comm,
                        struct hcube_error *error);

/**
 * Collective. Tests whether hcube_transpose can transpose a shape on a communicator, and performs the set-up
 * of the first exchange.
 *
 * shape: the same on all ranks.
 * in_place: 1 for in place, 0 for out of place; the same on all ranks.
 * comm: an intracommunicator.
 * Errors: HCUBE_SUCCESS on all ranks if the shape is possible; otherwise the code that hcube_transpose would
 * return, or HCUBE_ERR_MISMATCH if shapes differ between ranks.
 */
int32_t hcube_transpose_check(const struct hcube_transpose_shape *shape,
                              int32_t in_place,
                              MPI_Comm comm,
                              struct hcube_error *error);

/**
 * Collective. Allocates zeroed memory for matrices of hcube_grid_transpose: a part for each rank, which the
 * other ranks of its node can read, on huge pages if the system provides them.
 *
 * bytes: size of the part of a rank, 0 or more; the same on all ranks.
 * comm: an intracommunicator.
 * memory: receives the handle, which one thread at a time may use. Freed by
 * hcube_grid_transpose_memory_free.
 * address: receives the address of the part of this rank, aligned to 4096 bytes.
 * Errors on all ranks: HCUBE_ERR_ARGUMENT; HCUBE_ERR_MISMATCH if bytes or variables differ;
 * HCUBE_ERR_MEMORY, also where ranks of a node cannot share memory; HCUBE_ERR_MPI; the code of
 * another rank if its arguments are not valid.
 * Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_grid_transpose_memory_create(int64_t bytes,
                                           MPI_Comm comm,
                                           struct hcube_grid_transpose_memory **memory,
                                           void **address,
                                           struct hcube_error *error);

/**
 * Local. Frees a handle; the memory exists until all transpositions that were created with it have been
 * freed as well. Other ranks must not be inside a call that reads it.
 *
 * memory: a handle of hcube_grid_transpose_memory_create, which is set to NULL; no effect if it is NULL.
 * Errors: HCUBE_ERR_ARGUMENT if memory itself is NULL.
 */
int32_t hcube_grid_transpose_memory_free(struct hcube_grid_transpose_memory **memory,
                                         struct hcube_error *error);

/**
 * Collective. Creates a plan for C = A' + beta C, where A' is the transpose of a block-cyclic matrix on a
 * grid of processes, distributed as in ScaLAPACK with the first block on process (0, 0). Compare PDTRAN of
 * PBLAS.
 *
 * If A is in memory of hcube_grid_transpose_memory_create, ranks that share memory read each other's parts
 * of A without messages. Otherwise, and between nodes, they exchange messages, and the environment variables
 * of the all-to-all exchange apply; the plan then allocates memory of the size of both local parts.
 *
 * shape: the same on all ranks.
 * memory: the memory that contains A, or NULL on all ranks; it may have been created with another
 * communicator that contains these ranks.
 * comm: an intracommunicator, which must not be freed before the plan.
 * transposition: receives the handle. Freed by hcube_grid_transpose_free.
 * Errors on all ranks: HCUBE_ERR_ARGUMENT; HCUBE_ERR_MISMATCH if arguments or variables differ;
 * HCUBE_ERR_MEMORY; HCUBE_ERR_MPI; the code of another rank if its arguments are not valid.
 * Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, HCUBE_ERR_MPI_STATE.
 * Source of the messages: J. Choi, J. Dongarra, D. Walker, Parallel matrix transpose algorithms on
 * distributed memory concurrent computers, Parallel Computing 21, 1995.
 */
int32_t hcube_grid_transpose_create(const struct hcube_grid_transpose_shape *shape,
                                    const struct hcube_grid_transpose_memory *memory,
                                    MPI_Comm comm,
                                    struct hcube_grid_transpose **transposition,
                                    struct hcube_error *error);

/**
 * Collective over the communicator of the transposition. Computes C = A' + beta C; A is unchanged. Only one
 * call at a time may be active for a plan.
 *
 * transposition: a handle of hcube_grid_transpose_create.
 * beta: the factor; if it is 0, C is not read, so NaN in C is overwritten.
 * a: this rank's part of A, in the memory with which the plan was created, if any; NULL if the part has no
 * elements.
 * lda: leading dimension of a, at least its number of local rows and at least 1.
 * c: this rank's part of C; must not overlap a. NULL if the part has no elements.
 * ldc: leading dimension of c, at least its number of local rows and at least 1.
 * Errors on all ranks, with nothing written: HCUBE_ERR_ARGUMENT; HCUBE_ERR_BUFFER for NULL, for device
 * memory, and if a is not in the memory of the plan; HCUBE_ERR_MPI; the code of another rank if its
 * arguments are not valid.
 * Errors only on the calling rank: HCUBE_ERR_ARGUMENT if transposition is NULL; HCUBE_ERR_COMM if
 * the communicator was freed; HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_grid_transpose_execute(struct hcube_grid_transpose *transposition,
                                     double beta,
                                     const double *a,
                                     int64_t lda,
                                     double *c,
                                     int64_t ldc,
                                     struct hcube_error *error);

/**
 * Local. Writes a line that describes the method of a plan, without a newline, truncated to fit.
 *
 * transposition: a handle of hcube_grid_transpose_create.
 * text: receives the line and a terminating zero byte.
 * text_length: size of text in bytes, 1 or more.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_grid_transpose_describe(const struct hcube_grid_transpose *transposition,
                                      char *text,
                                      uint64_t text_length,
                                      struct hcube_error *error);

/**
 * Local. Frees a plan. Any thread may call it while no thread uses the plan. Other ranks may free their
 * plans at another time, and may still be inside calls from which this rank has returned. Free the
 * communicator after the plan. The memory of hcube_grid_transpose_memory_create may be freed before or after
 * the plan, and exists until both are freed.
 *
 * transposition: a handle of hcube_grid_transpose_create, which is set to NULL; no effect if it is NULL.
 * Errors: HCUBE_ERR_ARGUMENT if transposition itself is NULL.
 */
int32_t hcube_grid_transpose_free(struct hcube_grid_transpose **transposition,
                                  struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_TRANSPOSE_H */
