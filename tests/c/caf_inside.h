/* What caf_errors.c ships to another image: a function that calls all that must not be called in one. */
#ifndef CAF_INSIDE_H
#define CAF_INSIDE_H

#include "caf_errors.h"

/* Runs of in_function on this image. */
static int calls_inside;

static void in_function(int32_t image, const void *arguments, uint64_t bytes) {
  uint64_t *into = &out.word;
  (void)image, (void)arguments, (void)bytes;
  calls_inside++;
#define INSIDE(name, arguments) ARGUMENT(name, arguments, "called in a shipped function")
  INSIDE(hcube_caf_finalize, (&failure));
  INSIDE(hcube_caf_team_push, (world, &failure));
  INSIDE(hcube_caf_team_pop, (&failure));
  INSIDE(hcube_caf_team_split, (0, 0, 0, &out.handle, &failure));
  INSIDE(hcube_caf_team_free, (world, &failure));
  INSIDE(hcube_caf_coarray_alloc, (0, 8, &out.handle, &out.address, &failure));
  INSIDE(hcube_caf_coarray_free, (coarray, &failure));
  INSIDE(hcube_caf_barrier, (0, &failure));
  INSIDE(hcube_caf_event_alloc, (0, 1, &out.handle, &failure));
  INSIDE(hcube_caf_event_free, (events, &failure));
  INSIDE(hcube_caf_lock_alloc, (0, 1, &out.handle, &failure));
  INSIDE(hcube_caf_lock_free, (locks, &failure));
  INSIDE(hcube_caf_broadcast_async, (0, 0, &word, 8, NULL, &failure));
  INSIDE(hcube_caf_barrier_async, (0, &event, &failure));
  INSIDE(hcube_caf_broadcast, (0, 0, &word, 8, &failure));
  INSIDE(hcube_caf_gather, (0, 0, &word, 0, into, &failure));
  INSIDE(hcube_caf_scatter, (0, 0, &word, 0, into, &failure));
  INSIDE(hcube_caf_allgather, (0, &word, 0, into, &failure));
  INSIDE(hcube_caf_alltoall, (0, &word, 0, into, &failure));
  INSIDE(hcube_caf_shift, (0, 1, &word, 8, into, &failure));
  INSIDE(hcube_caf_permute, (0, me, &word, 8, into, &failure));
  INSIDE(hcube_caf_reduce, (0, 0, &word, into, 1, MPI_INT64_T, MPI_SUM, &failure));
  INSIDE(hcube_caf_allreduce, (0, &word, into, 1, MPI_INT64_T, MPI_SUM, &failure));
  INSIDE(hcube_caf_scan, (0, &word, into, 1, MPI_INT64_T, MPI_SUM, 1, &failure));
  INSIDE(hcube_caf_sort, (0, &word, 1, 8, compare, &failure));
  INSIDE(hcube_caf_finish_begin, (0, &failure));
  INSIDE(hcube_caf_finish_end, (&failure));
#undef INSIDE
}

#endif
