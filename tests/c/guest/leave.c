/* Error handlers that do not return: in C they leave by longjmp, in C++ by an exception.
 *
 *   leave inter    from erroneous calls of even ranks on an intercommunicator
 *   leave intra    from erroneous calls of all ranks
 * After each of them, all ranks make exchanges that are valid. */
#include "guest.h"

#ifdef __cplusplus

/* Makes a call whose error handler throws the code of the error, and sets `code` to it. */
#define ATTEMPT(code, call)       \
  do {                            \
    try {                         \
      call;                       \
      FAIL("%s returned", #call); \
    } catch (int thrown) {        \
      (code) = thrown;            \
    }                             \
  } while (0)

static void leave(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  throw *code;
}

#else

#include <setjmp.h>

static jmp_buf place;
static volatile int jumped_with;

/* Makes a call whose error handler jumps back with the code of the error, and sets `code` to it. */
#define ATTEMPT(code, call)       \
  do {                            \
    if (setjmp(place) == 0) {     \
      call;                       \
      FAIL("%s returned", #call); \
    }                             \
    (code) = jumped_with;         \
  } while (0)

static void leave(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  jumped_with = *code;
  longjmp(place, 1);
}

#endif

enum { TURNS = 5, EXCHANGES = 4, ELEMENTS = 1000 };

static long class_of(int code) {
  int class_number;
  MPI_Error_class(code, &class_number);
  return class_number;
}

static int erroneous(MPI_Comm comm) {
  int sent[64], received[64];
  volatile int code = MPI_SUCCESS;
  memset(sent, 0, sizeof sent);
  ATTEMPT(code, MPI_Alltoall(sent, -1, MPI_INT, received, -1, MPI_INT, comm));
  return code;
}

static void between_groups(MPI_Errhandler handler) {
  int rank = rank_in(MPI_COMM_WORLD);
  MPI_Comm group, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &between);
  MPI_Comm_set_errhandler(between, handler);
  for (int turn = 0; turn < TURNS; turn++) {
    if (rank % 2 == 0) REQUIRE(class_of(erroneous(between)) == MPI_ERR_COUNT);
    exchange_often(MPI_COMM_WORLD, EXCHANGES, ELEMENTS);
    exchange_blocks(between, turn, ELEMENTS);
  }
  MPI_Comm_free(&between);
  MPI_Comm_free(&group);
}

static void inside_group(MPI_Errhandler handler) {
  MPI_Comm copy;
  for (int turn = 0; turn < TURNS; turn++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, handler);
    /* On a new communicator, and on one with exchanges behind it. */
    agree("class", class_of(erroneous(copy)));
    exchange_often(copy, EXCHANGES, ELEMENTS);
    agree("class", class_of(erroneous(copy)));
    exchange_often(MPI_COMM_WORLD, EXCHANGES, ELEMENTS);
    exchange_often(copy, EXCHANGES, ELEMENTS);
    MPI_Comm_free(&copy);
  }
}

int main(int argc, char **argv) {
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(leave, &handler);
  if (strcmp(argv[1], "inter") == 0) between_groups(handler);
  else inside_group(handler);
  MPI_Errhandler_free(&handler);
  if (rank_in(MPI_COMM_WORLD) == 0) printf("ok %s\n", argv[1]);
  return end_program();
}
