/*
 * Replaces the memory and the four kernels of HPCC's STREAM by hcube's.
 *
 * The harness stays HPCC's: hcube.mk compiles its stream.c a second time with hcube_stream.h, so
 * that its three vectors come from the functions below, and its calls of the kernels end here. What
 * HPCC initialises, measures and validates is unchanged.
 */
#include <stdio.h>
#include <stdlib.h>

#include "hcube_stream.h"

#include "hcube_glue.h"

/* HPCC's STREAM, and the same with hcube's memory and kernels, under the names of hcube.mk. */
int hcube_stock_HPCC_Stream(HPCC_Params *params, int doIO, MPI_Comm comm, int world_rank,
                            double *copyGBs, double *scaleGBs, double *addGBs, double *triadGBs,
                            int *failure);
int hcube_tuned_HPCC_Stream(HPCC_Params *params, int doIO, MPI_Comm comm, int world_rank,
                            double *copyGBs, double *scaleGBs, double *addGBs, double *triadGBs,
                            int *failure);

void tuned_STREAM_Copy(void);
void tuned_STREAM_Scale(double scalar);
void tuned_STREAM_Add(void);
void tuned_STREAM_Triad(double scalar);

/* Vectors of STREAM. */
enum { VECTORS = 3 };

/* The vectors of the current run: HPCC runs one at a time, from one thread. */
static hcube_stream *stream;
static double *vectors[VECTORS];
/* The number of vectors that HPCC has requested in this run, has received, and has freed. */
static int asked, given, taken_back;
/* Whether this rank announces. */
static int announces;
/* The ranks that run it. */
static MPI_Comm ranks;
/* Why they have no vectors, empty if they have: on all of them or on none. */
static char refusal[128];

static void check(int32_t code, const hcube_error *error)
{
  if (code != HCUBE_SUCCESS) hcube_hpcc_fail("STREAM", code, error);
}

/* Collective: the vectors on all ranks, or on none. A rank without them would leave HPCC's
 * function, and the others would wait for it in HPCC's barriers. They begin together, because the
 * trial of stores should find the memory as busy as HPCC's measurement does. */
static int create(size_t elements)
{
  hcube_error error = {0};
  int failed, any;

  MPI_Barrier(ranks);
  failed = hcube_stream_create((int64_t)elements, &stream, &vectors[0], &vectors[1], &vectors[2],
                               &error) != HCUBE_SUCCESS;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, ranks);
  if (!any) return 1;
  snprintf(refusal, sizeof refusal, "a rank has no memory for 3 vectors of %zu numbers", elements);
  if (!failed) check(hcube_stream_free(&stream, &error), &error);
  return 0;
}

/* HPCC requests its vectors first, one after the other, and a small array later. All requests
 * return NULL if no memory is available, and HPCC returns. */
void *hcube_hpcc_stream_allocate(size_t elements, size_t bytes)
{
  hcube_error error = {0};

  if (asked == VECTORS || bytes != sizeof(double)) return malloc(elements * bytes);
  if (asked++ == 0 && create(elements)) {
    char description[256] = "";

    check(hcube_stream_describe(stream, description, sizeof description, &error), &error);
    if (announces) hcube_hpcc_active(HCUBE_HPCC_STREAM, "%s", description);
  }
  return stream == NULL ? NULL : vectors[given++];
}

void hcube_hpcc_stream_free(void *memory)
{
  hcube_error error = {0};
  int vector;

  for (vector = 0; vector < given; vector++)
    if (memory == vectors[vector]) break;
  if (vector == given) {
    free(memory);
    return;
  }
  if (++taken_back == given) check(hcube_stream_free(&stream, &error), &error);
}

void tuned_STREAM_Copy(void)
{
  hcube_error error = {0};
  check(hcube_stream_copy(stream, &error), &error);
}

void tuned_STREAM_Scale(double scalar)
{
  hcube_error error = {0};
  check(hcube_stream_scale(stream, scalar, &error), &error);
}

void tuned_STREAM_Add(void)
{
  hcube_error error = {0};
  check(hcube_stream_add(stream, &error), &error);
}

void tuned_STREAM_Triad(double scalar)
{
  hcube_error error = {0};
  check(hcube_stream_triad(stream, scalar, &error), &error);
}

/* HPCC calls it on all ranks (StarSTREAM) and on one (SingleSTREAM), which is alone in comm. */
int HPCC_Stream(HPCC_Params *params, int doIO, MPI_Comm comm, int world_rank, double *copyGBs,
                double *scaleGBs, double *addGBs, double *triadGBs, int *failure)
{
  int code;

  if (!hcube_hpcc_serves(HCUBE_HPCC_STREAM))
    return hcube_stock_HPCC_Stream(params, doIO, comm, world_rank, copyGBs, scaleGBs, addGBs,
                                   triadGBs, failure);
  asked = given = taken_back = 0;
  announces = world_rank == 0;
  ranks = comm;
  refusal[0] = '\0';
  code = hcube_tuned_HPCC_Stream(params, doIO, comm, world_rank, copyGBs, scaleGBs, addGBs,
                                 triadGBs, failure);
  if (refusal[0] == '\0') return code;
  hcube_hpcc_give_up(HCUBE_HPCC_STREAM, comm, refusal);
  return hcube_stock_HPCC_Stream(params, doIO, comm, world_rank, copyGBs, scaleGBs, addGBs,
                                 triadGBs, failure);
}
