/*
 * Replaces the transforms that HPCC measures (MPIFFT, StarFFT, SingleFFT) by hcube's.
 *
 * Compiled with -DUSING_FFTW, HPCC calls the functions of FFTW 2 for them, and checks their results
 * by its own inverse transforms, which are unchanged. The functions below are the functions of FFTW
 * 2 that HPCC calls. If hcube cannot serve a transform, they call HPCC's own transforms, which HPCC
 * measures when it is compiled without that flag.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* posix_memalign and madvise, also with -std=c99 */
#endif

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <hpcc.h>
#include "hpccfft.h"
#include "wrapmpifftw.h"

#include "hcube_glue.h"

/* Bytes of a line of the cache, and of the longest register for vectors. */
enum { ALIGNMENT = 64 };
/* Bytes of a huge page. */
enum { HUGE_PAGE = 2 << 20 };
/* Blocks of the vector that a plan provides. */
enum { PARTS = 2 };

/* One of the two is set. */
struct hcube_fftw_plan {
  hcube_fft_plan *ours;
  hpcc_fftw_plan own; /* HPCC's transform */
};

struct hcube_fftw_mpi_plan {
  hcube_fft_plan *ours;
  hpcc_fftw_mpi_plan own; /* HPCC's transform */
  double *timings;        /* where HPCC expects the times of the stages */
};

static void check(const char *doing, int32_t code, const hcube_error *error)
{
  if (code != HCUBE_SUCCESS) hcube_hpcc_fail(doing, code, error);
}

static int world_rank(void)
{
  int rank;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/* The options of all transforms. One thread of HPCC sets them, before its tests. */
static hcube_fft_options selected;

void hcube_hpcc_prepare_fft(void)
{
  hcube_error error = {0};

  if (world_rank() == 0)
    check("FFT", hcube_fft_default_options(&selected, sizeof selected, &error), &error);
  MPI_Bcast(&selected, sizeof selected, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* Collective over comm: hcube's transform by the algorithm that HCUBE_FFT selects, or by six steps
 * where that is not possible; NULL with an error on all ranks. Returns the name of the
 * algorithm. */
static const char *plan_of(MPI_Comm comm, long long n, fftw_direction direction,
                           hcube_fft_plan **plan, hcube_error *error)
{
  hcube_fft_options options = selected;
  hcube_error refusal = {0};

  if (options.algorithm != HCUBE_FFT_SIX_STEP) {
    if (hcube_fft_create_with(n, direction, comm, &options, plan, &refusal) == HCUBE_SUCCESS)
      return "binary exchange";
    options.algorithm = HCUBE_FFT_SIX_STEP;
  }
  if (hcube_fft_create_with(n, direction, comm, &options, plan, error) == HCUBE_SUCCESS &&
      refusal.message[0] != '\0' && world_rank() == 0)
    hcube_hpcc_changes(HCUBE_HPCC_FFT, "%s; six steps", refusal.message);
  return "six steps";
}

/* Collective over comm: hcube's transform, or NULL on all ranks if it is switched off or cannot
 * have this length; then rank 0 prints the reason. */
static hcube_fft_plan *create(MPI_Comm comm, long long n, fftw_direction direction)
{
  hcube_fft_plan *plan = NULL;
  hcube_error error = {0};
  const char *algorithm;
  int ranks;

  if (!hcube_hpcc_serves(HCUBE_HPCC_FFT)) return NULL;
  MPI_Comm_size(comm, &ranks);
  algorithm = plan_of(comm, n, direction, &plan, &error);
  if (plan == NULL) {
    if (world_rank() == 0)
      hcube_hpcc_falls_back(HCUBE_HPCC_FFT, "%lld points on %d ranks: %s", n, ranks, error.message);
    return NULL;
  }
  if (world_rank() == 0)
    hcube_hpcc_active(HCUBE_HPCC_FFT, "%lld points on %d rank%s, %s", n, ranks,
                      ranks == 1 ? "" : "s", algorithm);
  return plan;
}

/*
 * The memory of the last plan of MPIFFT. HPCC creates the plan, requests two blocks, destroys the
 * plan, and reads the blocks after that. One thread of HPCC does so, for one plan at a time.
 */
static struct {
  hcube_fft_memory *memory;
  void *parts[PARTS];
  size_t bytes; /* of a part */
  int given;    /* to HPCC, in this order */
  int returned;
} lent;

/* Frees the memory if HPCC has returned both blocks. */
static void end_lending(void)
{
  hcube_error error = {0};

  if (lent.given != lent.returned) return;
  check("freeing memory of an FFT", hcube_fft_memory_free(&lent.memory, &error), &error);
  lent.given = lent.returned = 0;
}

/* Collective: provides blocks of this plan. Without them, HPCC allocates memory itself. */
static void lend(hcube_fft_plan *plan)
{
  hcube_error error = {0};
  int64_t count;

  end_lending();
  if (lent.memory != NULL) return;
  if (hcube_fft_memory_create(plan, &lent.memory, &lent.parts[0], &lent.parts[1], &error) !=
      HCUBE_SUCCESS)
    return;
  check("FFT", hcube_fft_local(plan, NULL, &count, &error), &error);
  lent.bytes = (size_t)count * sizeof(fftw_complex);
}

/* Memory for a vector of hcube's transforms, in huge pages if the system provides any. It is
 * touched here, since HPCC measures the first use of the output of StarFFT and SingleFFT. */
static void *allocate(size_t bytes)
{
  const size_t alignment = bytes < HUGE_PAGE ? ALIGNMENT : HUGE_PAGE;
  void *memory = NULL;

  if (posix_memalign(&memory, alignment, bytes > 0 ? bytes : 1) != 0) return NULL;
#ifdef MADV_HUGEPAGE
  if (bytes >= HUGE_PAGE) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  memset(memory, 0, bytes);
  return memory;
}

void *fftw_malloc(size_t bytes)
{
  if (lent.memory != NULL && lent.given < PARTS && bytes == lent.bytes)
    return lent.parts[lent.given++];
  /* HPCC's own transforms are measured with the memory that they have without hcube. */
  return hcube_hpcc_serves(HCUBE_HPCC_FFT) ? allocate(bytes) : malloc(bytes);
}

void fftw_free(void *memory)
{
  int part;

  for (part = 0; part < lent.given; part++)
    if (memory == lent.parts[part]) break;
  if (part == lent.given) {
    free(memory);
    return;
  }
  lent.returned++;
  end_lending();
}

fftw_plan fftw_create_plan(int n, fftw_direction direction, int flags)
{
  fftw_plan plan = calloc(1, sizeof *plan);

  if (plan == NULL) return NULL;
  plan->ours = create(MPI_COMM_SELF, n, direction);
  if (plan->ours == NULL) plan->own = HPCC_fftw_create_plan(n, direction, flags);
  if (plan->ours != NULL || plan->own != NULL) return plan;
  free(plan);
  return NULL;
}

void fftw_destroy_plan(fftw_plan plan)
{
  hcube_error error = {0};

  if (plan == NULL) return;
  check("freeing an FFT", hcube_fft_free(&plan->ours, &error), &error);
  if (plan->own != NULL) HPCC_fftw_destroy_plan(plan->own);
  free(plan);
}

void fftw_one(fftw_plan plan, fftw_complex *in, fftw_complex *out)
{
  hcube_error error = {0};

  if (plan->ours != NULL)
    check("FFT on one rank", hcube_fft_execute(plan->ours, in, out, &error), &error);
  else HPCC_fftw_one(plan->own, in, out);
}

/* Whether HPCC can count the points of a rank: it does so in an int where FFTW 2 transforms. */
static int can_count(MPI_Comm comm, long long n)
{
  int ranks;

  MPI_Comm_size(comm, &ranks);
  if (n / ranks < INT_MAX) return 1;
  if (world_rank() == 0)
    fprintf(stderr,
            "hcube: HPCC FFT: %lld points on %d ranks: HPCC counts the points of a rank in 32 "
            "bits: use "
            "more ranks\n",
            n, ranks);
  return 0;
}

fftw_mpi_plan fftw_mpi_create_plan(MPI_Comm comm, long long n, fftw_direction direction, int flags)
{
  fftw_mpi_plan plan;

  if (!can_count(comm, n)) return NULL;
  plan = calloc(1, sizeof *plan);
  /* The other ranks would wait for this one. */
  if (plan == NULL) check("planning an FFT", HCUBE_ERR_MEMORY, &(hcube_error){0});
  plan->timings = direction == FFTW_FORWARD ? HPCC_fft_timings_forward : HPCC_fft_timings_backward;
  plan->ours = create(comm, n, direction);
  if (plan->ours != NULL) lend(plan->ours);
  if (plan->ours == NULL) plan->own = HPCC_fftw_mpi_create_plan(comm, n, direction, flags);
  if (plan->ours != NULL || plan->own != NULL) return plan;
  free(plan);
  return NULL;
}

void fftw_mpi_destroy_plan(fftw_mpi_plan plan)
{
  hcube_error error = {0};

  if (plan == NULL) return;
  if (plan->ours != NULL) end_lending();
  check("freeing an FFT", hcube_fft_free(&plan->ours, &error), &error);
  if (plan->own != NULL) HPCC_fftw_mpi_destroy_plan(plan->own);
  free(plan);
}

void fftw_mpi_local_sizes(fftw_mpi_plan plan, int *local_n, int *local_start,
                          int *local_n_after_transform, int *local_start_after_transform,
                          int *total_local_size)
{
  s64Int_t n, start, n_after, start_after, total;

  if (plan->ours != NULL) {
    hcube_error error = {0};
    int64_t first, count;

    check("FFT", hcube_fft_local(plan->ours, &first, &count, &error), &error);
    start = start_after = first;
    n = n_after = total = count;
  } else {
    HPCC_fftw_mpi_local_sizes(plan->own, &n, &start, &n_after, &start_after, &total);
  }
  *local_n = (int)n;
  *local_start = (int)start;
  *local_n_after_transform = (int)n_after;
  *local_start_after_transform = (int)start_after;
  *total_local_size = (int)total;
}

/* HPCC reports the differences of these times as the times of its own stages: two passes of
 * computation, each between exchanges. */
static void report_times(const hcube_fft_plan *plan, double *timings)
{
  hcube_fft_times times = {.struct_size = sizeof times};
  hcube_error error = {0};

  check("FFT", hcube_fft_last_times(plan, &times, &error), &error);
  timings[0] = 0.0;
  timings[1] = timings[0] + times.first_exchange_seconds;
  timings[2] = timings[1] + times.first_wait_seconds;
  timings[3] = timings[2] + times.columns_seconds;
  timings[4] = timings[3] + times.second_exchange_seconds;
  timings[5] = timings[4] + times.rows_seconds;
  timings[6] = timings[5] + times.last_wait_seconds;
  timings[7] = timings[6] + times.last_exchange_seconds;
}

void fftw_mpi(fftw_mpi_plan plan, int fields, fftw_complex *data, fftw_complex *work)
{
  hcube_error error = {0};

  if (plan->ours == NULL) {
    HPCC_fftw_mpi(plan->own, fields, data, work);
    return;
  }
  check("FFT", hcube_fft_execute(plan->ours, data, data, &error), &error);
  report_times(plan->ours, plan->timings);
}
