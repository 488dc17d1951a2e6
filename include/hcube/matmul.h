/* hcube/matmul.h: products of matrices in blocks by BSP.
 *
 * Generated from src/types/matmul.rs and src/matmul.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_MATMUL_H
#define HCUBE_MATMUL_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * hcube_matmul.distribution: square blocks of the size that the algorithm uses, distributed
 * cyclically over the ranks.
 */
#define HCUBE_MATMUL_CUSTOMIZED 0

/**
 * hcube_matmul.distribution: one block per rank, on a two-dimensional grid of ranks.
 */
#define HCUBE_MATMUL_STATIC 1

/**
 * The BLAS routine dgemm_ (Fortran binding), cast to this type.
 */
typedef void (*hcube_matmul_kernel)(void);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective. Computes C := A B for n x n matrices of doubles by a bulk-synchronous algorithm that needs
 * temporary memory for at most three blocks of ceil(n / Q)^2 elements per rank.
 *
 * The matrices are cut into Q x Q blocks of side s = ceil(n / Q), smaller at the lower and right edge.
 * HCUBE_MATMUL_CUSTOMIZED: block (I, J), from 0, is on rank (I * Q + J) % p of the p ranks, as its local
 * block number (I * Q + J) / p. Local blocks are s * s elements apart, each in column-major order with
 * contiguous columns.
 * HCUBE_MATMUL_STATIC: ranks form a grid of r rows and c columns, r * c = p, r <= c, r as large as possible.
 * Rank i has matrix rows from i / c * ceil(n / r) on, at most ceil(n / r), and matrix columns from i % c *
 * ceil(n / c) on, at most ceil(n / c), stored in column-major order with contiguous columns.
 * hcube_matmul_local_elements returns the number of elements of a rank.
 *
 * n: rows and columns of each matrix, 0 to 2^28 (268435456); the same on all ranks.
 * blocks: Q, 1 to n; 0 selects the smallest Q with Q * Q >= p, at most n; the same on all ranks. A larger Q
 * needs less temporary memory and more supersteps.
 * distribution: HCUBE_MATMUL_CUSTOMIZED or HCUBE_MATMUL_STATIC, the same on all ranks.
 * a, b: the elements of this rank; may be NULL if it has no elements. Both may be the same array, but then
 * on all ranks.
 * c: receives the elements of this rank; does not overlap a and b.
 * dgemm: multiplies blocks; NULL selects a portable routine, which is several times slower. Ranks may pass
 * different routines.
 * comm: an intracommunicator. The first call on a communicator reads the environment variables
 * HCUBE_BSP_SINGLE_COPY, HCUBE_MEMORY and HCUBE_RANKS_PER_NODE, and its set-up is kept until the
 * communicator is freed.
 * Errors on all ranks, with nothing written: HCUBE_ERR_ARGUMENT; HCUBE_ERR_BUFFER; HCUBE_ERR_MISMATCH if
 * arguments differ; the code of another rank if its arguments are not valid; HCUBE_ERR_MEMORY;
 * HCUBE_ERR_MPI. An error after the first superstep ends the job.
 * Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, HCUBE_ERR_MPI_STATE.
 * Source: W. F. McColl and A. Tiskin, Memory-Efficient Matrix Multiplication in the BSP Model,
 * Algorithmica 24, 1999.
 */
int32_t hcube_matmul(int64_t n,
                     int64_t blocks,
                     int32_t distribution,
                     const double *a,
                     const double *b,
                     double *c,
                     hcube_matmul_kernel dgemm,
                     MPI_Comm comm,
                     struct hcube_error *error);

/**
 * Local. Returns the number of elements that the calling rank has of each matrix of hcube_matmul.
 *
 * n, blocks, distribution, comm: as for hcube_matmul.
 * elements: receives the number of elements.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_matmul_local_elements(int64_t n,
                                    int64_t blocks,
                                    int32_t distribution,
                                    MPI_Comm comm,
                                    int64_t *elements,
                                    struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_MATMUL_H */
