/* Thousands of short exchanges out of place, among them calls with wrong arguments, and then longer ones: the preload
 * library compares its exchange with the MPI library's function, and forwards calls without a state lookup. */
#include "guest.h"

#include <setjmp.h>

enum { SHORT = 3, LONG = 5000 };

/* MPI_Alltoallv with checked data. */
static void exchange_lists(MPI_Comm comm, int round, int elements) {
  int partners = partners_in(comm), *counts = (int *)allocate((size_t)partners * sizeof(int));
  int *places = (int *)allocate((size_t)partners * sizeof(int));
  size_t bytes = (size_t)partners * (size_t)elements * sizeof(int);
  int *sent = (int *)allocate(bytes), *received = (int *)allocate(bytes);
  for (int to = 0; to < partners; to++) {
    counts[to] = elements;
    places[to] = to * elements;
  }
  fill_blocks(sent, comm, round, elements);
  memset(received, 0xFF, bytes);
  REQUIRE(MPI_Alltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, comm) == MPI_SUCCESS);
  check_blocks(received, comm, round, elements);
  free(counts);
  free(places);
  free(sent);
  free(received);
}

static void exchange(MPI_Comm comm, int round, int elements) {
  if (round % 2 == 0) exchange_blocks(comm, round, elements);
  else exchange_lists(comm, round, elements);
}

/* From the rank before to the next one, by a communicator that knows only these two. */
static void exchange_with_neighbours(MPI_Comm ring, int round) {
  int rank = rank_in(ring), size = partners_in(ring), before = (rank + size - 1) % size, count = SHORT, place = 0;
  int sent[SHORT], received[SHORT];
  for (int i = 0; i < SHORT; i++) sent[i] = 1000 * round + 10 * rank + i;
  memset(received, 0xFF, sizeof received);
  if (round % 2 == 0) MPI_Neighbor_alltoall(sent, SHORT, MPI_INT, received, SHORT, MPI_INT, ring);
  else MPI_Neighbor_alltoallv(sent, &count, &place, MPI_INT, received, &count, &place, MPI_INT, ring);
  for (int i = 0; i < SHORT; i++) REQUIRE(received[i] == 1000 * round + 10 * before + i);
}

/* Exchanges of all ranks, and between neighbours, which are not of the same kind. */
static void use_ring(void) {
  int rank = rank_in(MPI_COMM_WORLD), size = partners_in(MPI_COMM_WORLD);
  int before = (rank + size - 1) % size, after = (rank + 1) % size, weight = 1;
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &weight, 1, &after, &weight, MPI_INFO_NULL, 0, &ring);
  for (int round = 0; round < 600; round++) {
    exchange(ring, round, SHORT);
    if (round % 11 == 5) exchange_with_neighbours(ring, round);
  }
  MPI_Comm_free(&ring);
}

static jmp_buf place;
static int jumps;

static void leave(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
  if (jumps) longjmp(place, 1);
}

/* A call with a wrong count, whose error handler may jump back. */
static void wrong_call(MPI_Comm comm, int *sent, int *received) {
  if (jumps && setjmp(place) != 0) return;
  REQUIRE(MPI_Alltoall(sent, -1, MPI_INT, received, -1, MPI_INT, comm) != MPI_SUCCESS);
}

/* An exchange that the last rank calls with a wrong count before, once or several times. The other ranks may be told,
 * and call again then. */
static void exchange_after_errors(MPI_Comm comm, int round) {
  size_t bytes = (size_t)partners_in(comm) * SHORT * sizeof(int);
  int *sent = (int *)allocate(bytes), *received = (int *)allocate(bytes);
  fill_blocks(sent, comm, round, SHORT);
  memset(received, 0xFF, bytes);
  if (rank_in(comm) == partners_in(comm) - 1)
    for (int error = 0; error <= round % 3; error++) {
      jumps = (round + error) % 2;
      wrong_call(comm, sent, received);
    }
  jumps = 0;
  while (MPI_Alltoall(sent, SHORT, MPI_INT, received, SHORT, MPI_INT, comm) != MPI_SUCCESS) {
  }
  check_blocks(received, comm, round, SHORT);
  free(sent);
  free(received);
}

int main(int argc, char **argv) {
  MPI_Comm second;
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  for (int round = 0; round < 1500; round++) {
    exchange(MPI_COMM_WORLD, round, SHORT);
    if (round % 31 == 20) exchange_after_errors(MPI_COMM_WORLD, round);
    /* A communicator of its own, which is compared for itself. */
    if (round % 3 == 0) exchange(second, round, SHORT + round % 7);
  }
  for (int round = 0; round < 200; round++) exchange(MPI_COMM_WORLD, round, round % 50 == 0 ? SHORT : LONG);
  for (int round = 0; round < 200; round++) {
    exchange(MPI_COMM_WORLD, round, SHORT);
    if (round % 40 == 39) exchange_in_place(MPI_COMM_WORLD, round, SHORT);
  }
  use_ring();
  /* Communicators that are freed after a few hundred exchanges; the next one may have the same handle. */
  for (int copy = 0; copy < 3; copy++) {
    MPI_Comm_free(&second);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    for (int round = 0; round < 350 + 50 * copy; round++) exchange(second, round, SHORT);
  }
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&second);
  if (rank_in(MPI_COMM_WORLD) == 0) printf("ok short\n");
  return end_program();
}
