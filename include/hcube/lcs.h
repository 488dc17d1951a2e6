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
 * Told how far hcube_llcs is, many times per second. It must not call functions of hcube or MPI, nor
 * leave by longjmp or an exception.
 *
 * done, total: entries of the matrix of lengths that this rank has computed, and that it has to.
 * data: what was passed to hcube_llcs.
 * Returns 0 to go on, else the computation ends.
 */
typedef int32_t (*hcube_llcs_progress)(int64_t done, int64_t total, void *data);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective. Computes the length of a longest common subsequence of two strings a and b. Each string
 * consists of the parts of all ranks, in the order of ranks; parts may have any length, also 0, so that
 * one rank may have a whole string. In one process: comm is MPI_COMM_SELF.
 *
 * The time is proportional to the product of the lengths, divided by the number of ranks. The normalised
 * similarity of the strings is the length divided by that of the longer one, and 1 for two empty strings.
 * A cost model chooses the grid of blocks; the environment variables HCUBE_LLCS_ALPHA,
 * HCUBE_LLCS_BLOCK_ROWS and HCUBE_LLCS_BARRIERS select another, and HCUBE_LLCS_KERNEL the algorithm for
 * a block.
 *
 * a, a_length: the symbols of this rank's part of a, aligned to symbol_bytes, and their number; a may be
 * NULL if a_length is 0.
 * b, b_length: the same for b.
 * symbol_bytes: bytes of a symbol, 1, 2 or 4; the same on all ranks.
 * at_least: lengths below this are of no interest, which may save time; the same on all ranks. progress: is
 * told how far this rank is, and may end the computation; not called where a rank has nothing to compute, as
 * for equal strings. NULL on ranks without.
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
