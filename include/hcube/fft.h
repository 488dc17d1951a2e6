/* hcube/fft.h: Fourier transforms of vectors.
 *
 * Generated from src/types/fft.rs and src/fft.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_FFT_H
#define HCUBE_FFT_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * hcube_fft_options.algorithm: six steps: transposition, transforms of columns, twiddle factors,
 * transposition, transforms of rows, transposition.
 */
#define HCUBE_FFT_SIX_STEP 0

/**
 * hcube_fft_options.algorithm: radix 2 with binary exchange on coarrays, as in Jin et al. 2011,
 * Figure 7. Needs 2^a ranks, a length of 2^b, and a communicator congruent to MPI_COMM_WORLD or of
 * one rank.
 */
#define HCUBE_FFT_BINARY_EXCHANGE 1

/**
 * hcube_fft_options.radix: 2, as in Jin et al. 2011.
 */
#define HCUBE_FFT_RADIX_2 2

/**
 * hcube_fft_options.radix: 4, with fewer multiplications and memory accesses than radix 2; proposed
 * in Jin et al. 2011.
 */
#define HCUBE_FFT_RADIX_4 4

/**
 * Memory for the local parts of vectors, created by hcube_fft_memory_create.
 */
typedef struct hcube_fft_memory hcube_fft_memory;

/**
 * A plan of hcube_fft_create or hcube_fft_create_with.
 */
typedef struct hcube_fft_plan hcube_fft_plan;

/**
 * Options of a transform; the same on all ranks. Call hcube_fft_default_options first, then change
 * fields. A later version may append fields: struct_size is the size in the header of the caller, and
 * fields beyond it have their defaults.
 */
typedef struct hcube_fft_options {
    /**
     * sizeof(hcube_fft_options) in the program of the caller.
     */
    uint64_t struct_size;
    /**
     * Algorithm for the transform of a distributed vector. Values: HCUBE_FFT_*. Default:
     * HCUBE_FFT_SIX_STEP. Environment variable: HCUBE_FFT.
     */
    int32_t algorithm;
    /**
     * Radix of the butterflies of binary exchange, in the levels that need no communication and run
     * in the cache. Values: HCUBE_FFT_RADIX_*. Default: HCUBE_FFT_RADIX_2. Environment variable:
     * HCUBE_FFT_RADIX.
     */
    int32_t radix;
} hcube_fft_options;

/**
 * Times of the stages of a transform on one rank, in seconds, in the order of the stages. If the ranks share
 * memory, an exchange is a copy to or from this memory, and the second exchange is only a wait; on several
 * nodes the waits are part of the exchanges. With HCUBE_FFT_BINARY_EXCHANGE, the first exchange is the bit
 * reversal, columns are the levels on this rank, rows the computation of the levels between two ranks, the
 * second exchange is their communication, and the last exchange writes the result.
 */
typedef struct hcube_fft_times {
    /**
     * sizeof(hcube_fft_times), set by the caller.
     */
    uint64_t struct_size;
    /**
     * Exchange after which each rank has whole columns.
     */
    double first_exchange_seconds;
    /**
     * Wait for other ranks after the first exchange.
     */
    double first_wait_seconds;
    /**
     * Transforms of the columns.
     */
    double columns_seconds;
    /**
     * Exchange between the transforms of columns and of rows.
     */
    double second_exchange_seconds;
    /**
     * Transforms of the rows.
     */
    double rows_seconds;
    /**
     * Wait for other ranks after the transforms of rows.
     */
    double last_wait_seconds;
    /**
     * Exchange that brings the result into natural order.
     */
    double last_exchange_seconds;
} hcube_fft_times;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective. Creates a plan for the discrete Fourier transform of a vector of double-precision complex
 * numbers. The vector is distributed over the ranks of a communicator in equal blocks: rank r of P ranks has
 * the length / P numbers from r * length / P on, of the input and of the result, which is in natural order.
 *
 * The transform is result_k = sum over j of vector_j * exp(direction * 2 pi i j k / length). It is not
 * normalised, as in FFTW: forward followed by backward multiplies the vector by length.
 *
 * On one node, the ranks work in shared memory, 32 bytes per number of the vector in total. On several
 * nodes, they exchange messages; the environment variables of the all-to-all exchange apply. The environment
 * variable HCUBE_FFT selects another algorithm, as options of hcube_fft_create_with do.
 *
 * length: 2^a 3^b 5^c, a multiple of P * P; the same on all ranks.
 * direction: -1 forward, 1 backward; the same on all ranks.
 * comm: an intracommunicator of 2^a 3^b 5^c ranks, which must not be freed before the plan.
 * plan: receives the plan. Freed by hcube_fft_free.
 * Errors on all ranks: HCUBE_ERR_ARGUMENT; HCUBE_ERR_MISMATCH if arguments or variables differ;
 * HCUBE_ERR_COMM for another number of ranks; HCUBE_ERR_MEMORY; HCUBE_ERR_MPI; the code of another rank
 * if its arguments are not valid.
 * Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, HCUBE_ERR_MPI_STATE.
 * Source: D. H. Bailey, FFTs in External or Hierarchical Memory, Journal of Supercomputing 4, 1990.
 */
int32_t hcube_fft_create(int64_t length,
                         int32_t direction,
                         MPI_Comm comm,
                         struct hcube_fft_plan **plan,
                         struct hcube_error *error);

/**
 * Local. Returns the default options, changed by the environment variables
 * HCUBE_FFT and HCUBE_FFT_RADIX.
 * May be called before MPI_Init.
 *
 * options: receives the options; allocated by the caller.
 * size: size of *options in bytes, sizeof(hcube_fft_options).
 * Errors: HCUBE_ERR_ARGUMENT if options is NULL, size is not valid or the value of a variable is
 * not valid.
 */
int32_t hcube_fft_default_options(struct hcube_fft_options *options,
                                  uint64_t size,
                                  struct hcube_error *error);

/**
 * Collective. As hcube_fft_create, with options.
 *
 * The algorithm HCUBE_FFT_BINARY_EXCHANGE allocates 32 bytes per number on one rank. On several ranks it
 * starts the coarray runtime if the program has not called hcube_caf_init; MPI_Finalize then ends it. Each
 * of these ranks allocates 40 bytes per local number of the longest such transform; all plans share this
 * memory, which is freed when the runtime ends. Create and execute a plan only in the thread that called
 * hcube_caf_init, or else in the thread that initialised MPI: a call in another thread returns
 * HCUBE_ERR_ARGUMENT on all ranks.
 *
 * length: as for hcube_fft_create; for HCUBE_FFT_BINARY_EXCHANGE 2^b, at least 64 and at least P for
 * each of P ranks.
 * direction: as for hcube_fft_create.
 * comm: as for hcube_fft_create; for HCUBE_FFT_BINARY_EXCHANGE of 2^a ranks, congruent to MPI_COMM_WORLD
 * or of one rank.
 * options: the same on all ranks; NULL selects the defaults and the environment.
 * plan: receives the plan. Freed by hcube_fft_free.
 * Errors: as hcube_fft_create.
 * Source: G. Jin, J. Mellor-Crummey, L. Adhianto, W. N. Scherer III and C. Yang, Implementation and
 * Performance Evaluation of the HPC Challenge Benchmarks in Coarray Fortran 2.0, IPDPS 2011, III-D.
 */
int32_t hcube_fft_create_with(int64_t length,
                              int32_t direction,
                              MPI_Comm comm,
                              const struct hcube_fft_options *options,
                              struct hcube_fft_plan **plan,
                              struct hcube_error *error);

/**
 * Local. Returns the block of the vector that this rank has.
 *
 * plan: a plan of hcube_fft_create.
 * start: receives the index in the vector of the first number of this rank; may be NULL.
 * count: receives the number of complex numbers of this rank; may be NULL.
 * Errors: HCUBE_ERR_ARGUMENT if plan is NULL.
 */
int32_t hcube_fft_local(const struct hcube_fft_plan *plan,
                        int64_t *start,
                        int64_t *count,
                        struct hcube_error *error);

/**
 * Collective over the communicator of the plan. Returns memory for two local blocks of the vector, for input
 * and output of hcube_fft_execute. If ranks share memory, they access each other's blocks in this memory
 * directly, so that a transform reads and writes each block twice. With blocks in other memory, it
 * additionally copies (P - 1) / P of a block twice. On several nodes and with HCUBE_FFT_BINARY_EXCHANGE the
 * memory is private to the process. It is on huge pages if the system provides them, and zero.
 *
 * Every call for a plan returns the same memory, 32 bytes per number of the vector in total. It is freed
 * when the plan and all handles to this memory have been freed, in any order.
 *
 * plan: a plan of hcube_fft_create.
 * memory: receives the memory. Freed by hcube_fft_memory_free.
 * first: receives the address of a block, aligned to a cache line; may be NULL.
 * second: receives the address of another block; may be NULL.
 * Errors on all ranks: HCUBE_ERR_ARGUMENT if memory is NULL; HCUBE_ERR_MEMORY; HCUBE_ERR_MPI; the code of
 * another rank if its arguments are not valid.
 * Errors only on the calling rank: HCUBE_ERR_ARGUMENT if plan is NULL; HCUBE_ERR_COMM if the
 * communicator was freed; HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_fft_memory_create(struct hcube_fft_plan *plan,
                                struct hcube_fft_memory **memory,
                                void **first,
                                void **second,
                                struct hcube_error *error);

/**
 * Local. Frees memory of hcube_fft_memory_create; its addresses become invalid.
 *
 * memory: the handle, which is set to NULL; no effect if it is NULL.
 * Errors: HCUBE_ERR_ARGUMENT if memory itself is NULL.
 */
int32_t hcube_fft_memory_free(struct hcube_fft_memory **memory, struct hcube_error *error);

/**
 * Collective over the communicator of the plan. Transforms a vector. Only one call at a time may be
 * active for a plan.
 *
 * plan: a plan of hcube_fft_create.
 * input: the block of this rank, complex numbers as pairs of real and imaginary part; unchanged unless the
 * transform is in place. MPI_IN_PLACE or the address of output for a transform in place.
 * output: receives the block of the result of this rank; must not overlap input unless the transform is in
 * place.
 * Errors on all ranks, with nothing written: HCUBE_ERR_BUFFER for NULL or device memory;
 * HCUBE_ERR_ARGUMENT if the two overlap; the code of another rank if its arguments are not valid;
 * HCUBE_ERR_MPI.
 * Errors only on the calling rank: HCUBE_ERR_ARGUMENT if plan is NULL; HCUBE_ERR_COMM if the
 * communicator was freed; HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_fft_execute(struct hcube_fft_plan *plan,
                          const void *input,
                          void *output,
                          struct hcube_error *error);

/**
 * Local. Returns the times of the last transform of this rank; all are zero if there was none.
 *
 * plan: a plan of hcube_fft_create.
 * times: receives the times; allocated by the caller, who sets times->struct_size to
 * sizeof(hcube_fft_times) before the call.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_fft_last_times(const struct hcube_fft_plan *plan,
                             struct hcube_fft_times *times,
                             struct hcube_error *error);

/**
 * Local. Frees a plan; no rank may be inside a call that uses it.
 *
 * plan: a plan of hcube_fft_create, which is set to NULL; no effect if it is NULL.
 * Errors: HCUBE_ERR_ARGUMENT if plan itself is NULL.
 */
int32_t hcube_fft_free(struct hcube_fft_plan **plan, struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_FFT_H */
