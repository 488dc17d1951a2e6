/* Lets calls of MPI_Alltoall and MPI_Alltoallv that hcube forwards be exchanges of an MPI library (libraries.h), not of
 * SimGrid.
 *
 * SimGrid keeps the algorithm that its options select in a variable of each collective operation. Here its functions
 * are replaced for exchanges between the buffers of a case; all others, such as the exchanges of hcube's set-up, remain
 * with SimGrid's. MPI_Alltoallw has no such variable. In place, SimGrid passes a copy of the buffer for which no
 * simulated time passes; the blocks of the buffer itself are sent. */
#ifndef FORWARDS_H
#define FORWARDS_H

#include "libraries.h"

#include <dlfcn.h>

/* Functions of MPI's signatures. */
typedef int (*one_count_function)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
typedef int (*counts_function)(const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *,
                               MPI_Datatype, MPI_Comm);
typedef void (*library_function)(const exchange *);

/* Of all ranks, which are in one process. */
static struct {
  one_count_function *one_count, one_count_of_simulator;
  counts_function *counts, counts_of_simulator;
  /* The exchange of each rank of MPI_COMM_WORLD whose calls are forwarded, and how often they were. */
  const exchange **exchanges;
  int64_t *numbers;
  library_function library;
} forwards;

/* Whether a call from the library is the exchange of this rank: its algorithm has run. */
static inline int is_by_library(const void *received) {
  int rank = own_rank();
  const exchange *of = forwards.exchanges[rank];
  if (of == NULL || received != of->data) return 0;
  forwards.numbers[rank]++;
  forwards.library(of);
  return 1;
}

static int forwarded_one_count(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int count,
                               MPI_Datatype type, MPI_Comm comm) {
  if (is_by_library(received)) return MPI_SUCCESS;
  return forwards.one_count_of_simulator(sent, sent_count, sent_type, received, count, type, comm);
}

static int forwarded_counts(const void *sent, const int *sent_counts, const int *from, MPI_Datatype sent_type,
                            void *received, const int *counts, const int *to, MPI_Datatype type, MPI_Comm comm) {
  if (is_by_library(received)) return MPI_SUCCESS;
  return forwards.counts_of_simulator(sent, sent_counts, from, sent_type, received, counts, to, type, comm);
}

static inline void *variable_of_simulator(const char *name) {
  void *found = dlsym(RTLD_DEFAULT, name);
  if (found == NULL) FAIL("this SimGrid has no variable %s", name);
  return found;
}

/* From here on, on all ranks, a library's algorithm makes the forwarded calls of an exchange. */
static inline void begin_forwards(const exchange *of, library_function library) {
  if (forwards.exchanges == NULL) {
    forwards.exchanges = (const exchange **)calloc((size_t)all_ranks(), sizeof *forwards.exchanges);
    forwards.numbers = (int64_t *)calloc((size_t)all_ranks(), sizeof *forwards.numbers);
    if (forwards.exchanges == NULL || forwards.numbers == NULL) FAIL("no memory for %d ranks", all_ranks());
    /* simgrid::smpi::colls::alltoall and alltoallv */
    forwards.one_count = (one_count_function *)variable_of_simulator("_ZN7simgrid4smpi5colls8alltoallE");
    forwards.counts = (counts_function *)variable_of_simulator("_ZN7simgrid4smpi5colls9alltoallvE");
    forwards.one_count_of_simulator = *forwards.one_count;
    forwards.counts_of_simulator = *forwards.counts;
    *forwards.one_count = forwarded_one_count;
    *forwards.counts = forwarded_counts;
  }
  forwards.library = library;
  forwards.exchanges[own_rank()] = of;
}

static inline void end_forwards(void) {
  if (forwards.exchanges != NULL) forwards.exchanges[own_rank()] = NULL;
}

/* Calls of this rank that were forwarded so far. */
static inline int64_t number_of_forwards(void) {
  return forwards.numbers == NULL ? 0 : forwards.numbers[own_rank()];
}

/* The functions of MPI's signatures that make an exchange: the simulator's, hcube's, or those of its preload library,
 * which a program finds by their names only if the library was loaded first. */
typedef struct functions_of_mpi {
  one_count_function one_count;
  counts_function counts;
} functions_of_mpi;

static const functions_of_mpi of_simulator = {MPI_Alltoall, MPI_Alltoallv};
static const functions_of_mpi of_hcube = {hcube_alltoall, hcube_alltoallv};

static functions_of_mpi of_preload_library(void) {
  void *library = dlopen("libhcube_preload.so", RTLD_NOW | RTLD_LOCAL);
  functions_of_mpi found = {NULL, NULL};
  if (library == NULL) FAIL("preload=1: %s", dlerror());
  found.one_count = (one_count_function)dlsym(library, "MPI_Alltoall");
  found.counts = (counts_function)dlsym(library, "MPI_Alltoallv");
  if (found.one_count == NULL || found.counts == NULL) FAIL("preload=1: the library lacks a function");
  return found;
}

#endif
