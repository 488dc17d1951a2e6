/* hcube/transpose.h: transposition of distributed matrices.
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
 * Collective: transposes a matrix that is spread over the ranks of a communicator, as
 * fftw_mpi_plan_many_transpose describes it, in one go: blocks are turned while they are packed and
 * unpacked, so that memory is read once and written once, without local transpositions before and
 * after an exchange.
 *
 * input and output are the rank's parts before and afterwards, of the bytes that *shape says; either
 * may be NULL where it has none. input == output, or MPI_IN_PLACE as input (which a rank without elements
 * passes, too), on all ranks: in place, with additional memory that is bounded
 * (hcube_alltoall_options.memory) instead of a second matrix; output has the bytes of the larger part
 * then. That is possible where rows == columns, row_block == column_block and transposed_in ==
 * transposed_out, and for any shape where ranks share memory and elements are large
 * (hcube_transpose_check tells). Otherwise the two do not overlap, every shape is possible, and input
 * stays as it is. The options of hcube_alltoall_set_options and the environment hold here, too, except
 * that the library has no function for this (library orders messages as auto does), and that single
 * copy does not turn blocks: HCUBE_PATH=single-copy is as shared, but without the last way in place.
 *
 * Errors, on all ranks and with nothing written: HCUBE_ERR_ARGUMENT; HCUBE_ERR_BUFFER for NULL or memory
 * of an accelerator; HCUBE_ERR_TRUNCATE where shapes differ, or some ranks alone are in place;
 * HCUBE_ERR_COMM for more than 65535 ranks. Where another rank refused its arguments, the code of that
 * rank. At the first use of a communicator also HCUBE_ERR_MPI, HCUBE_ERR_MEMORY and HCUBE_ERR_MISMATCH
 * (of options). On the calling rank alone: HCUBE_ERR_COMM for a communicator that is none, and
 * HCUBE_ERR_MPI_STATE.
 * Source of the exchange: Hofmann and Ruenger, EuroMPI 2013, section 4.4.
 */
int32_t hcube_transpose(const void *input,
                        void *output,
                        const struct hcube_transpose_shape *shape,
                        MPI_Comm comm,
                        struct hcube_error *error);

/**
 * Collective: whether hcube_transpose can do this on a communicator, in_place being 1 or 0, without
 * doing it; prepares what the first exchange would prepare.
 *
 * Errors: HCUBE_SUCCESS on all ranks where it can. Otherwise what hcube_transpose would return, and
 * HCUBE_ERR_MISMATCH where ranks pass different shapes.
 */
int32_t hcube_transpose_check(const struct hcube_transpose_shape *shape,
                              int32_t in_place,
                              MPI_Comm comm,
                              struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_TRANSPOSE_H */
