/* The common part of the programs of tests/guest. They do not use hcube's functions: each is run without and with the
 * preload library and must print the same. Valid C11 and C++17. Rank 0 prints what all ranks have agreed on, and
 * figures, which may differ, as `figure <name> <value>`. */
#ifndef GUEST_H
#define GUEST_H

#include "../fail.h"

#include <string.h>

static inline int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/* Ranks that a call on this communicator sends to. */
static inline int partners_in(MPI_Comm comm) {
  int size, inter;
  MPI_Comm_test_inter(comm, &inter);
  if (inter) MPI_Comm_remote_size(comm, &size);
  else MPI_Comm_size(comm, &size);
  return size;
}

static inline int element_of(int from, int to, int round, int element) {
  return ((from * 131 + to) * 257 + round) * 1021 + element;
}

static inline void fill_blocks(int *blocks, MPI_Comm comm, int round, int elements) {
  int partners = partners_in(comm), rank = rank_in(comm);
  for (int to = 0; to < partners; to++)
    for (int i = 0; i < elements; i++) blocks[to * elements + i] = element_of(rank, to, round, i);
}

static inline void check_blocks(const int *blocks, MPI_Comm comm, int round, int elements) {
  int partners = partners_in(comm), rank = rank_in(comm);
  for (int from = 0; from < partners; from++)
    for (int i = 0; i < elements; i++)
      if (blocks[from * elements + i] != element_of(from, rank, round, i))
        FAIL("rank %d, round %d: element %d from %d is %d", rank, round, i, from, blocks[from * elements + i]);
}

/* MPI_Alltoall with checked data. */
static inline void exchange_blocks(MPI_Comm comm, int round, int elements) {
  size_t bytes = (size_t)partners_in(comm) * (size_t)elements * sizeof(int);
  int *sent = (int *)allocate(bytes), *received = (int *)allocate(bytes);
  fill_blocks(sent, comm, round, elements);
  memset(received, 0xFF, bytes);
  REQUIRE(MPI_Alltoall(sent, elements, MPI_INT, received, elements, MPI_INT, comm) == MPI_SUCCESS);
  check_blocks(received, comm, round, elements);
  free(sent);
  free(received);
}

/* The same in place, which an intercommunicator does not permit. */
static inline void exchange_in_place(MPI_Comm comm, int round, int elements) {
  int *blocks = (int *)allocate((size_t)partners_in(comm) * (size_t)elements * sizeof(int));
  fill_blocks(blocks, comm, round, elements);
  REQUIRE(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, blocks, elements, MPI_INT, comm) == MPI_SUCCESS);
  check_blocks(blocks, comm, round, elements);
  free(blocks);
}

/* Exchanges in turn out of place and in place. The first one of a communicator need not be one of hcube. */
static inline void exchange_often(MPI_Comm comm, int times, int elements) {
  for (int round = 0; round < times; round++) {
    if (round % 2 == 0) exchange_blocks(comm, round, elements);
    else exchange_in_place(comm, round, elements);
  }
}

/* A number that must be the same on all ranks of MPI_COMM_WORLD, printed by rank 0. */
static inline void agree(const char *name, long value) {
  long both[2], most[2];
  both[0] = value;
  both[1] = -value;
  MPI_Allreduce(both, most, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  if (most[0] != -most[1]) FAIL("%s is %ld on some rank and %ld on another one", name, -most[1], most[0]);
  if (rank_in(MPI_COMM_WORLD) == 0) printf("%s: %ld\n", name, value);
}

/* The largest number of all ranks, which may differ between runs. */
static inline void figure(const char *name, long value) {
  long most;
  MPI_Reduce(&value, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank_in(MPI_COMM_WORLD) == 0) printf("figure %s %ld\n", name, most);
}

#endif
