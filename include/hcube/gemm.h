/* hcube/gemm.h: products of distributed matrices: SUMMA and HSUMMA.
 *
 * Generated from src/types/gemm.rs and src/gemm.rs and src/pblas.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_GEMM_H
#define HCUBE_GEMM_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * hcube_gemm.element: float.
 */
#define HCUBE_ELEMENT_SINGLE 0

/**
 * hcube_gemm.element: double.
 */
#define HCUBE_ELEMENT_DOUBLE 1

/**
 * hcube_gemm.element: complex number of two floats.
 */
#define HCUBE_ELEMENT_COMPLEX 2

/**
 * hcube_gemm.element: complex number of two doubles.
 */
#define HCUBE_ELEMENT_DOUBLE_COMPLEX 3

/**
 * hcube_gemm_options.algorithm: hcube chooses.
 */
#define HCUBE_GEMM_AUTO 0

/**
 * hcube_gemm_options.algorithm: SUMMA: panels of A and B are broadcast along the rows and columns
 * of the grid.
 */
#define HCUBE_GEMM_SUMMA 1

/**
 * hcube_gemm_options.algorithm: HSUMMA, hierarchical SUMMA: panels are broadcast between groups of
 * ranks, then inside the groups.
 */
#define HCUBE_GEMM_HSUMMA 2

/**
 * hcube_gemm_options.algorithm: every product is forwarded to ScaLAPACK; in the C interface the
 * same as auto.
 */
#define HCUBE_GEMM_LIBRARY 3

/**
 * hcube_gemm_options.stationary: hcube chooses.
 */
#define HCUBE_GEMM_STATIONARY_AUTO 0

/**
 * hcube_gemm_options.stationary: panels of A and B are sent to the ranks that have C.
 */
#define HCUBE_GEMM_STATIONARY_C 1

/**
 * hcube_gemm_options.stationary: panels of B are sent to the ranks that have A, and partial results
 * to the ranks that have C.
 */
#define HCUBE_GEMM_STATIONARY_A 2

/**
 * hcube_gemm_options.stationary: panels of A are sent to the ranks that have B, and partial results
 * to the ranks that have C.
 */
#define HCUBE_GEMM_STATIONARY_B 3

/**
 * hcube_gemm_options.broadcast: hcube chooses.
 */
#define HCUBE_GEMM_BROADCAST_AUTO 0

/**
 * hcube_gemm_options.broadcast: a binomial tree.
 */
#define HCUBE_GEMM_BROADCAST_BINOMIAL 1

/**
 * hcube_gemm_options.broadcast: a pipelined ring.
 */
#define HCUBE_GEMM_BROADCAST_RING 2

/**
 * hcube_gemm_options.broadcast: a scatter, then an all-gather in a ring.
 */
#define HCUBE_GEMM_BROADCAST_SCATTER_ALLGATHER 3

/**
 * A block-cyclic matrix and a sub-matrix of it, as ScaLAPACK distributes them; the same on all ranks except
 * leading_dimension. Rows are distributed cyclically over the process rows in blocks of row_block, columns
 * over the process columns in blocks of column_block. Each rank stores its local matrix in column-major
 * order.
 */
typedef struct hcube_matrix {
    /**
     * sizeof(hcube_matrix) in the program of the caller.
     */
    uint64_t struct_size;
    /**
     * Number of rows of the matrix.
     */
    int64_t rows;
    /**
     * Number of columns of the matrix.
     */
    int64_t columns;
    /**
     * Rows of a block, 1 or more.
     */
    int64_t row_block;
    /**
     * Columns of a block, 1 or more.
     */
    int64_t column_block;
    /**
     * Rows of the first block, 1 or more; row_block unless the matrix begins inside a block.
     */
    int64_t first_row_block;
    /**
     * Columns of the first block, 1 or more; column_block unless the matrix begins inside a block.
     */
    int64_t first_column_block;
    /**
     * Leading dimension of the local matrix (LLD_): at least its number of rows, and at least 1.
     */
    int64_t leading_dimension;
    /**
     * First row of the sub-matrix, from 0.
     */
    int64_t row;
    /**
     * First column of the sub-matrix, from 0.
     */
    int64_t column;
    /**
     * Process row of the first block, from 0; -1 if each process row has all rows.
     */
    int32_t row_source;
    /**
     * Process column of the first block, from 0; -1 if each process column has all columns.
     */
    int32_t column_source;
} hcube_matrix;

/**
 * Options of the matrix products on a communicator; the same on all ranks, except multiply. Call
 * hcube_gemm_default_options first, then change fields. A later version may append fields:
 * struct_size is the size in the header of the caller, and fields beyond it have their defaults.
 */
typedef struct hcube_gemm_options {
    /**
     * sizeof(hcube_gemm_options) in the program of the caller.
     */
    uint64_t struct_size;
    /**
     * Bound on extra memory per rank and communicator, in bytes. Panels become narrower to fit,
     * down to one column. Values: 0 to 1099511627776 bytes. Default: 32 MiB. Environment variable:
     * HCUBE_GEMM_MEMORY.
     */
    int64_t memory;
    /**
     * HSUMMA: columns of a message inside a group; without outer_block also the columns of op(A)
     * and rows of op(B) that are multiplied at a time; 0 does not divide messages. Values: 0 or
     * more. Default: 0. Environment variable: HCUBE_GEMM_BLOCK=b[:B].
     */
    int64_t inner_block;
    /**
     * Columns of op(A) and rows of op(B) that are sent between groups and multiplied at a time, at
     * least inner_block; 0 selects inner_block or, if inner_block is 0, a number from the sizes of
     * cache and memory. Values: 0 or more. Default: 0. Environment variable:
     * HCUBE_GEMM_BLOCK=b[:B].
     */
    int64_t outer_block;
    /**
     * Algorithm of the products. Values: HCUBE_GEMM_*. Default: HCUBE_GEMM_AUTO. Environment
     * variable: HCUBE_GEMM.
     */
    int32_t algorithm;
    /**
     * Matrix that is not communicated. Values: HCUBE_GEMM_STATIONARY_*. Default:
     * HCUBE_GEMM_STATIONARY_AUTO. Environment variable: HCUBE_GEMM_STATIONARY.
     */
    int32_t stationary;
    /**
     * Broadcast of panels between nodes or groups. Values: HCUBE_GEMM_BROADCAST_*. Default:
     * HCUBE_GEMM_BROADCAST_AUTO. Environment variable: HCUBE_GEMM_BROADCAST.
     */
    int32_t broadcast;
    /**
     * HSUMMA: rows of groups, into which the process grid is divided; 0 for both rows and columns
     * selects them by the model, otherwise 0 counts as 1. Values: 0 or more. Default: 0.
     * Environment variable: HCUBE_GEMM_GROUPS=RxC.
     */
    int32_t group_rows;
    /**
     * HSUMMA: columns of groups, into which the process grid is divided; 0 for both rows and
     * columns selects them by the model, otherwise 0 counts as 1. Values: 0 or more. Default: 0.
     * Environment variable: HCUBE_GEMM_GROUPS=RxC.
     */
    int32_t group_columns;
    /**
     * Levels of broadcasts between nodes: 1 is SUMMA, 2 or more are HSUMMA; 0 selects 2 where
     * groups are used. Values: 0 to 32. Default: 0. Environment variable: HCUBE_GEMM_LEVELS.
     */
    int32_t levels;
    /**
     * Maximum number of ranks per node: larger nodes are divided into groups of consecutive ranks,
     * for tests. 1 uses only messages, 0 the nodes as they are. Values: 0 or more. Default: 0.
     * Environment variable: HCUBE_RANKS_PER_NODE.
     */
    int32_t ranks_per_node;
    /**
     * 0; reserved for a later version.
     */
    int32_t reserved;
    /**
     * BLAS routine for local products, with the Fortran binding: sgemm_, dgemm_, cgemm_ or zgemm_, for the
     * type of the elements; NULL selects the BLAS of the program.
     */
    void (*multiply)(void);
} hcube_gemm_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective. Computes sub(C) := alpha op(sub(A)) op(sub(B)) + beta sub(C) for block-cyclic matrices
 * on a grid of processes, as PDGEMM of PBLAS: op(X) is X, its transpose or its conjugate transpose,
 * op(sub(A)) has m rows and k columns, op(sub(B)) k rows and n columns, sub(C) m rows and n columns.
 * Rank r of comm is at row r / grid_columns and column r % grid_columns of the grid.
 *
 * If beta is 0, C is not read; if alpha is 0, neither A nor B is. Only elements of sub(C) are
 * written. Two calls with the same arguments on the same grid return the same bits.
 *
 * comm: an intracommunicator of grid_rows * grid_columns ranks.
 * grid_rows, grid_columns: 1 or more.
 * m, n, k: 0 to 2^40 (1099511627776); the same bound holds for the fields of hcube_matrix.
 * element: the type of all elements, alpha and beta, HCUBE_ELEMENT_*.
 * transa, transb: 'N', 'T' or 'C', also as small letters.
 * alpha, beta: scalars of that type; the same on all ranks.
 * a, b, c: the local part of each matrix; NULL if this rank has no elements of the sub-matrix. They
 * may be disjoint parts of one array.
 * at, bt, ct: the matrices; the same on all ranks except leading_dimension.
 * options: the same on all ranks, for this call; NULL selects the options of hcube_gemm_set_options, else
 * the defaults and the environment. HCUBE_GEMM_LIBRARY has the effect of HCUBE_GEMM_AUTO.
 * Memory for panels is kept until the communicator is freed.
 * Errors on all ranks, with nothing written: HCUBE_ERR_ARGUMENT, with the argument number of PBLAS if there
 * is one; HCUBE_ERR_BUFFER; HCUBE_ERR_MISMATCH if arguments differ; the code of another rank if its
 * arguments are not valid; HCUBE_ERR_MEMORY, HCUBE_ERR_MPI.
 * Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator,
 * HCUBE_ERR_MPI_STATE.
 * Source: J.-N. Quintin, K. Hasanov, A. Lastovetsky, Hierarchical Parallel Matrix Multiplication on
 * Large-Scale Distributed Memory Platforms, ICPP 2013.
 */
int32_t hcube_gemm(MPI_Comm comm,
                   int32_t grid_rows,
                   int32_t grid_columns,
                   int32_t element,
                   char transa,
                   char transb,
                   int64_t m,
                   int64_t n,
                   int64_t k,
                   const void *alpha,
                   const void *a,
                   const struct hcube_matrix *at,
                   const void *b,
                   const struct hcube_matrix *bt,
                   const void *beta,
                   void *c,
                   const struct hcube_matrix *ct,
                   const struct hcube_gemm_options *options,
                   struct hcube_error *error);

/**
 * Local. Returns the default options, changed by the environment variables
 * HCUBE_GEMM, HCUBE_GEMM_GROUPS, HCUBE_GEMM_BLOCK, HCUBE_GEMM_MEMORY, HCUBE_GEMM_STATIONARY,
 * HCUBE_GEMM_BROADCAST, HCUBE_GEMM_LEVELS and HCUBE_RANKS_PER_NODE.
 * May be called before MPI_Init.
 *
 * options: receives the options; allocated by the caller.
 * size: size of *options in bytes, sizeof(hcube_gemm_options).
 * Errors: HCUBE_ERR_ARGUMENT if options is NULL, size is not valid or the value of a variable is
 * not valid.
 */
int32_t hcube_gemm_default_options(struct hcube_gemm_options *options,
                                   uint64_t size,
                                   struct hcube_error *error);

/**
 * Collective. Sets the options of all later products on a communicator that pass no options, in
 * place of the defaults and the environment.
 *
 * comm: an intracommunicator.
 * options: the same on all ranks; NULL restores the defaults and the environment.
 * Errors on all ranks: HCUBE_ERR_ARGUMENT, HCUBE_ERR_MISMATCH, HCUBE_ERR_MPI; on the calling rank
 * also HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_gemm_set_options(MPI_Comm comm,
                               const struct hcube_gemm_options *options,
                               struct hcube_error *error);

/**
 * Local. Returns the path of the last product of this rank on a communicator as text: "none" (no product
 * yet), "nothing" (nothing had to be computed), "scale" (alpha or k is 0), "local" (no data of other ranks
 * was needed), "shared-panels", "summa", "hsumma", "stationary-a", "stationary-b" or "refused" (an error).
 *
 * comm: an intracommunicator.
 * text, length: a buffer of length bytes, at least 1. The text is truncated to fit and always
 * terminated by a zero byte.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_gemm_last_path(MPI_Comm comm,
                             char *text,
                             uint64_t length,
                             struct hcube_error *error);

/**
 * Collective over the grid of the BLACS context in desca. PDGEMM of PBLAS with its arguments and its
 * semantics, for programs that choose hcube call by call: sub(C) := alpha op(sub(A)) op(sub(B)) + beta
 * sub(C). The BLACS of the program provide the grid and its communicator, and dgemm_ of the program
 * computes local products. alpha, a, b, beta and c are double here; float, float complex and double
 * complex in hcube_psgemm_, hcube_pcgemm_ and hcube_pzgemm_. The operation is described at hcube_gemm.
 *
 * Options are taken only from the environment: hcube_gemm_set_options has no effect, HCUBE_GEMM=library
 * has the effect of auto, and hcube_gemm_last_path does not report these products.
 *
 * Invalid arguments are passed to PDGEMM of the program, which reports them by PXERBLA. If the program
 * has no PDGEMM, a message is printed and the job ends, because PBLAS routines return no error code. The
 * job also ends with a message if the program has no BLACS or no BLAS, if its integers have 64 bits, if
 * the BLACS number the ranks of the grid other than row by row, or if MPI is not active.
 */
void hcube_pdgemm_(const char *transa,
                   const char *transb,
                   const int *m,
                   const int *n,
                   const int *k,
                   const void *alpha,
                   const void *a,
                   const int *ia,
                   const int *ja,
                   const int *desca,
                   const void *b,
                   const int *ib,
                   const int *jb,
                   const int *descb,
                   const void *beta,
                   void *c,
                   const int *ic,
                   const int *jc,
                   const int *descc);

/**
 * Collective. PSGEMM of PBLAS; see hcube_pdgemm_.
 */
void hcube_psgemm_(const char *transa,
                   const char *transb,
                   const int *m,
                   const int *n,
                   const int *k,
                   const void *alpha,
                   const void *a,
                   const int *ia,
                   const int *ja,
                   const int *desca,
                   const void *b,
                   const int *ib,
                   const int *jb,
                   const int *descb,
                   const void *beta,
                   void *c,
                   const int *ic,
                   const int *jc,
                   const int *descc);

/**
 * Collective. PCGEMM of PBLAS; see hcube_pdgemm_.
 */
void hcube_pcgemm_(const char *transa,
                   const char *transb,
                   const int *m,
                   const int *n,
                   const int *k,
                   const void *alpha,
                   const void *a,
                   const int *ia,
                   const int *ja,
                   const int *desca,
                   const void *b,
                   const int *ib,
                   const int *jb,
                   const int *descb,
                   const void *beta,
                   void *c,
                   const int *ic,
                   const int *jc,
                   const int *descc);

/**
 * Collective. PZGEMM of PBLAS; see hcube_pdgemm_.
 */
void hcube_pzgemm_(const char *transa,
                   const char *transb,
                   const int *m,
                   const int *n,
                   const int *k,
                   const void *alpha,
                   const void *a,
                   const int *ia,
                   const int *ja,
                   const int *desca,
                   const void *b,
                   const int *ib,
                   const int *jb,
                   const int *descb,
                   const void *beta,
                   void *c,
                   const int *ic,
                   const int *jc,
                   const int *descc);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_GEMM_H */
