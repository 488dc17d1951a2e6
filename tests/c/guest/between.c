/* Hundreds of exchanges in place and out of place, of several sizes. On several nodes the preload library compares its
 * algorithms with the MPI library's function and forwards most of them without messages of its own. */
#include "guest.h"

#include <setjmp.h>

enum { SMALL = 2, MEDIUM = 150, LONG = 70000 };

static int elements_of(int round) {
  return round % 7 == 3 ? MEDIUM : SMALL;
}

/* MPI_Alltoallv in place with checked data: between two ranks as many elements as the sum of their numbers. */
static void exchange_lists_in_place(MPI_Comm comm, int round) {
  int partners = partners_in(comm), rank = rank_in(comm), total = 0;
  int *counts = (int *)allocate((size_t)partners * sizeof(int));
  int *places = (int *)allocate((size_t)partners * sizeof(int));
  for (int other = 0; other < partners; other++) {
    counts[other] = (rank + other + round) % 4;
    places[other] = total;
    total += counts[other];
  }
  int *blocks = (int *)allocate((size_t)(total + 1) * sizeof(int));
  for (int to = 0; to < partners; to++)
    for (int i = 0; i < counts[to]; i++) blocks[places[to] + i] = element_of(rank, to, round, i);
  REQUIRE(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, blocks, counts, places, MPI_INT, comm) ==
          MPI_SUCCESS);
  for (int from = 0; from < partners; from++)
    for (int i = 0; i < counts[from]; i++) REQUIRE(blocks[places[from] + i] == element_of(from, rank, round, i));
  free(counts);
  free(places);
  free(blocks);
}

/* MPI_Alltoallv out of place. */
static void exchange_lists(MPI_Comm comm) {
  int partners = partners_in(comm), *counts = (int *)allocate((size_t)partners * sizeof(int));
  int *places = (int *)allocate((size_t)partners * sizeof(int));
  int *sent = (int *)allocate((size_t)partners * sizeof(int));
  int *received = (int *)allocate((size_t)partners * sizeof(int));
  for (int to = 0; to < partners; to++) {
    counts[to] = 1;
    places[to] = to;
  }
  fill_blocks(sent, comm, 0, 1);
  REQUIRE(MPI_Alltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, comm) == MPI_SUCCESS);
  check_blocks(received, comm, 0, 1);
  free(counts);
  free(places);
  free(sent);
  free(received);
}

/* --- errors ------------------------------------------------------------------------------------ */

static jmp_buf place;
/* Whether the error handler leaves by longjmp, and the code with which it has left. */
static volatile int jumps, jumped_with;

static void handle(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  if (!jumps) return;
  jumped_with = *code;
  longjmp(place, 1);
}

/* MPI_Alltoall with this count of what is received; its code, also if the error handler does not return. */
static int attempt(const void *sent, int *received, int count, MPI_Comm comm) {
  if (setjmp(place) == 0) return MPI_Alltoall(sent, SMALL, MPI_INT, received, count, MPI_INT, comm);
  return jumped_with;
}

/* The last rank calls with a wrong count before. The others may be told, and call again then. */
static void exchange_after_errors(MPI_Comm comm, int round, int in_place) {
  size_t bytes = (size_t)partners_in(comm) * SMALL * sizeof(int);
  int *blocks = (int *)allocate(bytes), *sent = (int *)allocate(bytes), code;
  fill_blocks(in_place ? blocks : sent, comm, round, SMALL);
  const void *from = in_place ? MPI_IN_PLACE : sent;
  jumps = round / 2 % 2;
  if (rank_in(comm) == partners_in(comm) - 1)
    for (int error = 0; error <= round % 2; error++) REQUIRE(attempt(from, blocks, -1, comm) != MPI_SUCCESS);
  do code = attempt(from, blocks, SMALL, comm);
  while (code != MPI_SUCCESS);
  check_blocks(blocks, comm, round, SMALL);
  free(blocks);
  free(sent);
}

/* --- exchanges --------------------------------------------------------------------------------- */

/* Only exchanges that are compared. */
static void exchange_short(MPI_Comm comm, int first, int rounds) {
  for (int round = first; round < first + rounds; round++) {
    exchange_blocks(comm, round, elements_of(round));
    exchange_in_place(comm, round, elements_of(round));
  }
}

/* All kinds of exchanges. */
static void exchange_all(MPI_Comm comm, int rounds) {
  for (int round = 0; round < rounds; round++) {
    exchange_short(comm, round, 1);
    if (round % 3 == 0) exchange_lists_in_place(comm, round);
    if (round % 100 == 40) exchange_in_place(comm, round, LONG);
    if (round % 100 == 30) exchange_blocks(comm, round, LONG);
    if (round % 5 == 1) exchange_blocks(comm, round, 0);
    if (round % 5 == 2) exchange_in_place(comm, round, 0);
  }
}

/* A communicator that is freed in the middle of its comparisons; the next one may get its handle. */
static void exchange_on_new(int rounds) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  exchange_short(copy, 0, rounds);
  MPI_Comm_free(&copy);
}

int main(int argc, char **argv) {
  MPI_Comm second, half;
  MPI_Errhandler handler;
  int errors = argc > 1 && strcmp(argv[1], "errors") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Errhandler_free(&handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  MPI_Comm_split(MPI_COMM_WORLD, rank_in(MPI_COMM_WORLD) % 2, 0, &half);
  /* The first exchange of a communicator is forwarded. The statistics show the first reason of each function: here of
   * MPI_Alltoallv out of place, later of MPI_Alltoall where it is compared. */
  exchange_lists(MPI_COMM_WORLD);
  exchange_lists(second);
  exchange_short(MPI_COMM_WORLD, 0, 250);
  exchange_short(second, 0, 50);
  for (int part = 0; part < 2; part++) {
    exchange_all(MPI_COMM_WORLD, 100);
    exchange_all(second, 50);
    exchange_all(half, 50);
    if (errors)
      for (int round = 0; round < 30; round++) exchange_after_errors(MPI_COMM_WORLD, round, round % 3 == 0);
    for (int rounds = 15; rounds < 60; rounds += 11) exchange_on_new(rounds);
  }
  MPI_Comm_free(&second);
  MPI_Comm_free(&half);
  if (rank_in(MPI_COMM_WORLD) == 0) printf("ok between\n");
  return end_program();
}
