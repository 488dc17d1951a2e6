/* hcube/transpose.h: transposition of matrices.
 *
 * Generated from src/types/transpose.rs and src/transpose.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_TRANSPOSE_H
#define HCUBE_TRANSPOSE_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * A matrix that is distributed over the ranks of a communicator, and its transposition; the same on
 * all ranks. Before the call, rank r has row_block rows from row r * row_block, or those that
 * remain. After the call, it has column_block columns from column r * column_block, as rows of the
 * transposed matrix.
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
     * Size of an element in bytes, 1 or more. An element is a number, or several numbers that stay
     * together.
     */
    int64_t element_bytes;
    /**
     * Number of rows per rank before the call, at least rows / ranks, rounded up.
     */
    int64_t row_block;
    /**
     * Number of columns per rank after the call, at least columns / ranks, rounded up.
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

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective. Transposes a matrix that is distributed over the ranks of a communicator, as
 * fftw_mpi_plan_many_transpose of FFTW describes it. Blocks are transposed while they are packed
 * and unpacked: the matrix is read once and written once, and no local transposition precedes or
 * follows the exchange.
 *
 * The transposition is in place if, on all ranks, input == output or input is MPI_IN_PLACE (which
 * a rank without elements passes). output then has the size of the larger of the two parts, and
 * hcube_alltoall_options.memory bounds the extra memory. In place is possible if rows ==
 * columns, row_block == column_block and transposed_in == transposed_out; for other shapes only if
 * all ranks share memory and elements are large. hcube_transpose_check tests a shape.
 *
 * Otherwise input and output must not overlap, every shape is possible, and input is not changed.
 *
 * The options of hcube_alltoall_set_options and of the environment apply, with two exceptions: MPI
 * has no such function, so HCUBE_ALLTOALL_LIBRARY is HCUBE_ALLTOALL_AUTO; and single copy cannot
 * transpose, so HCUBE_PATH_SINGLE_COPY is HCUBE_PATH_SHARED, without the transposition of other
 * shapes in place.
 *
 * input: the part of this rank before the call, of the size that shape determines; NULL if that is
 * 0.
 * output: the part of this rank after the call, of the size that shape determines; NULL if that is
 * 0.
 * shape: the same on all ranks.
 * comm: an intracommunicator.
 * Errors on all ranks, with nothing written: HCUBE_ERR_ARGUMENT; HCUBE_ERR_BUFFER for NULL or
 * device memory; HCUBE_ERR_TRUNCATE if shapes differ, or only some ranks are in place;
 * HCUBE_ERR_COMM for more than 65535 ranks; the code of another rank if its arguments are not
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
 * Collective. Tests whether hcube_transpose can transpose a shape on a communicator, without doing
 * it. Performs the set-up of the first exchange in advance.
 *
 * shape: the same on all ranks.
 * in_place: 1 for in place, 0 for out of place; the same on all ranks.
 * comm: an intracommunicator.
 * Errors: HCUBE_SUCCESS on all ranks if hcube_transpose can; otherwise the code that
 * hcube_transpose would return, or HCUBE_ERR_MISMATCH if shapes differ between ranks.
 */
int32_t hcube_transpose_check(const struct hcube_transpose_shape *shape,
                              int32_t in_place,
                              MPI_Comm comm,
                              struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_TRANSPOSE_H */
