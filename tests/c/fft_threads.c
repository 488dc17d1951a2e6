/* Transforms by binary exchange in programs with several threads: the coarray runtime belongs to one thread, the one
 * that has initialised MPI unless the program has started the runtime. Calls of another thread are refused on all
 * ranks, and change nothing. Prints `ok <transforms> <refusals>`, or `skipped threads`. */
#include "client.h"

#include <pthread.h>

enum { LENGTH = 1 << 12 };

static int transforms;
static hcube_fft_plan *plan;
static double *part;

static int32_t create(hcube_error *error) {
  hcube_fft_options options;
  REQUIRE(hcube_fft_default_options(&options, sizeof options, error) == HCUBE_SUCCESS);
  options.algorithm = HCUBE_FFT_BINARY_EXCHANGE;
  return hcube_fft_create_with(LENGTH, -1, MPI_COMM_WORLD, &options, &plan, error);
}

static int32_t execute(hcube_error *error) {
  return hcube_fft_execute(plan, MPI_IN_PLACE, part, error);
}

typedef int32_t (*function)(hcube_error *error);

static void *refused(void *call) {
  hcube_error failure;
  int32_t code = (*(function *)call)(&failure);
  if (code == HCUBE_SUCCESS || strstr(failure.message, "called by another thread") == NULL)
    FAIL("code %d: %s", (int)code, failure.message);
  refusals++;
  return NULL;
}

/* A call that this rank, or each rank, makes in another thread. */
static void call_elsewhere(function call, int elsewhere) {
  pthread_t thread;
  if (!elsewhere) {
    refused(&call);
    return;
  }
  REQUIRE(pthread_create(&thread, NULL, refused, &call) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
}

static void transform(void) {
  hcube_error failure;
  for (int64_t at = 0; at < 2 * (LENGTH / size); at++) part[at] = at % 2 == 0 ? 1 : 0;
  SUCCEED(execute(&failure));
  for (int64_t at = 0; at < 2 * (LENGTH / size); at++) REQUIRE(part[at] == (rank == 0 && at == 0 ? (double)LENGTH : 0));
  transforms++;
}

int main(int argc, char **argv) {
  hcube_error failure;
  int level = begin_with_threads(&argc, &argv, MPI_THREAD_SERIALIZED);
  if (level < MPI_THREAD_SERIALIZED) {
    if (rank == 0) printf("skipped threads\n");
    return end_program();
  }
  part = (double *)allocate(sizeof(double) * 2 * (size_t)(LENGTH / size));
  /* On all ranks, then on one. */
  call_elsewhere(create, 1);
  call_elsewhere(create, rank == 1);
  SUCCEED(create(&failure));
  transform();
  call_elsewhere(execute, 1);
  call_elsewhere(execute, rank == 1);
  transform();
  SUCCEED(hcube_fft_free(&plan, &failure));
  free(part);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok %d %d\n", transforms, refusals);
  return end_program();
}
