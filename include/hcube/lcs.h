/* hcube/lcs.h: lengths of longest common subsequences.
 *
 * Generated from src/types/lcs.rs and src/lcs.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_LCS_H
#define HCUBE_LCS_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * Callback that receives the progress of hcube_llcs many times per second. It must not call functions of
 * hcube or MPI, nor leave by longjmp or an exception.
 *
 * done, total: number of matrix entries that this rank has computed, and that it will compute in total.
 * data: the argument data of hcube_llcs.
 * Returns 0 to continue, any other value to stop the computation.
 */
typedef int32_t (*hcube_llcs_progress)(int64_t done, int64_t total, void *data);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective. Computes the length of a longest common subsequence of two strings a and b. Each string is the
 * concatenation of the parts of all ranks in rank order. A part may have any length, including 0; one rank
 * may have a whole string. For one process, pass MPI_COMM_SELF.
 *
 * The time is proportional to the product of the lengths, divided by the number of ranks. The normalised
 * similarity of two strings is this length divided by the length of the longer string, and 1 for two empty
 * strings. A cost model chooses the grid of blocks; the environment variables HCUBE_LLCS_ALPHA,
 * HCUBE_LLCS_BLOCK_ROWS and HCUBE_LLCS_BARRIERS override it, and HCUBE_LLCS_KERNEL selects the algorithm for
 * a block.
 *
 * a, a_length: the symbols of this rank's part of a, aligned to symbol_bytes, and their number; a may be
 * NULL if a_length is 0.
 * b, b_length: the same for b.
 * symbol_bytes: bytes of a symbol, 1, 2 or 4; the same on all ranks.
 * at_least: a length below this bound need not be computed, which may save time; the same on all ranks.
 * progress: called with the progress of this rank; may stop the computation. Not called on a rank that has
 * nothing to compute, for example for equal strings. May be NULL on any rank.
 * data: passed to progress.
 * comm: an intracommunicator.
 * length: receives the length, on all ranks; -1 if it is below at_least, -2 if progress has ended the
 * computation on any rank.
 * Errors on all ranks: HCUBE_ERR_ARGUMENT; HCUBE_ERR_MISMATCH if symbol_bytes, at_least or variables
 * differ; HCUBE_ERR_COUNT for 2^40 symbols and more; HCUBE_ERR_MEMORY; HCUBE_ERR_MPI; the code of another
 * rank if its arguments are not valid.
 * Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, HCUBE_ERR_MPI_STATE.
 * Source: M. Crochemore, C. S. Iliopoulos, Y. J. Pinzon and J. F. Reid, A fast and practical bit-vector
 * algorithm for the Longest Common Subsequence problem, Information Processing Letters 80, 2001.
 */
int32_t hcube_llcs(const void *a,
                   int64_t a_length,
                   const void *b,
                   int64_t b_length,
                   int32_t symbol_bytes,
                   int64_t at_least,
                   hcube_llcs_progress progress,
                   void *data,
                   MPI_Comm comm,
                   int64_t *length,
                   struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_LCS_H */
