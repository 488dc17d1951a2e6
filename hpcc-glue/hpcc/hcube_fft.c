/*
 * Replaces the transforms that HPCC measures (MPIFFT, StarFFT, SingleFFT) by those of hcube.
 *
 * Compiled with -DUSING_FFTW, HPCC calls the functions of FFTW 2 for them, and checks their results
 * by its own inverse transforms, which stay as they are. The functions below are those of FFTW 2,
 * as far as HPCC calls them. Where hcube does not serve, they call HPCC's own transforms, which
 * HPCC measures when it is compiled without that flag.
 */
#include <limits.h>
#include <stdlib.h>

#include <hpcc.h>
#include "hpccfft.h"
#include "wrapmpifftw.h"

#include "hcube_glue.h"

/* Bytes of a line of the cache, and of the longest register for vectors. */
enum { ALIGNMENT = 64 };

struct hcube_fftw_plan {
  hpcc_fftw_plan own; /* HPCC's transform */
};

struct hcube_fftw_mpi_plan {
  hpcc_fftw_mpi_plan own; /* HPCC's transform */
};

void *fftw_malloc(size_t bytes)
{
  void *memory = NULL;

  if (posix_memalign(&memory, ALIGNMENT, bytes > 0 ? bytes : 1) != 0) return NULL;
  return memory;
}

void fftw_free(void *memory)
{
  free(memory);
}

fftw_plan fftw_create_plan(int n, fftw_direction direction, int flags)
{
  fftw_plan plan = calloc(1, sizeof *plan);

  if (plan == NULL) return NULL;
  plan->own = HPCC_fftw_create_plan(n, direction, flags);
  if (plan->own != NULL) return plan;
  free(plan);
  return NULL;
}

void fftw_destroy_plan(fftw_plan plan)
{
  if (plan == NULL) return;
  HPCC_fftw_destroy_plan(plan->own);
  free(plan);
}

void fftw_one(fftw_plan plan, fftw_complex *in, fftw_complex *out)
{
  HPCC_fftw_one(plan->own, in, out);
}

fftw_mpi_plan fftw_mpi_create_plan(MPI_Comm comm, long long n, fftw_direction direction, int flags)
{
  fftw_mpi_plan plan = calloc(1, sizeof *plan);

  if (plan == NULL) return NULL;
  plan->own = HPCC_fftw_mpi_create_plan(comm, n, direction, flags);
  if (plan->own != NULL) return plan;
  free(plan);
  return NULL;
}

void fftw_mpi_destroy_plan(fftw_mpi_plan plan)
{
  if (plan == NULL) return;
  HPCC_fftw_mpi_destroy_plan(plan->own);
  free(plan);
}

void fftw_mpi_local_sizes(fftw_mpi_plan plan, int *local_n, int *local_start,
                          int *local_n_after_transform, int *local_start_after_transform,
                          int *total_local_size)
{
  s64Int_t n, start, n_after, start_after, total;

  HPCC_fftw_mpi_local_sizes(plan->own, &n, &start, &n_after, &start_after, &total);
  *local_n = (int)n;
  *local_start = (int)start;
  *local_n_after_transform = (int)n_after;
  *local_start_after_transform = (int)start_after;
  *total_local_size = (int)total;
}

void fftw_mpi(fftw_mpi_plan plan, int fields, fftw_complex *data, fftw_complex *work)
{
  HPCC_fftw_mpi(plan->own, fields, data, work);
}
