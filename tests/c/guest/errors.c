/* Errors of a rank, which MPI_ERRORS_RETURN returns to it.
 *
 *   errors alone       one rank passes bad arguments and no other rank calls; it tells the others by a message
 *   errors early <n>   the same after n exchanges on a communicator, and then all ranks exchange on it
 *   errors twice       the same several times in a row, on two communicators in turn, and the program ends
 *   errors together    all ranks call, and one of them passes bad arguments; MPI itself would wait for ever
 *   errors mismatch    all ranks call with counts that do not match; what MPI itself does then is not defined
 */
#include "guest.h"

enum { EXCHANGES = 6, ELEMENTS = 500, MAX_RANKS = 16 };

static long class_of(int code) {
  int class_number;
  MPI_Error_class(code, &class_number);
  return class_number;
}

/* Kinds of bad arguments that a rank can see by itself. */
enum { NEGATIVE_COUNT, NO_TYPE, NEGATIVE_COUNT_OF_ONE, KINDS };

static int bad_call(int kind, MPI_Comm comm) {
  int sent[MAX_RANKS], received[MAX_RANKS], counts[MAX_RANKS], displacements[MAX_RANKS];
  for (int i = 0; i < size; i++) counts[i] = 1, displacements[i] = i, sent[i] = i;
  counts[size - 1] = -3;
  if (kind == NEGATIVE_COUNT) return MPI_Alltoall(sent, -1, MPI_INT, received, 1, MPI_INT, comm);
  if (kind == NO_TYPE) return MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_DATATYPE_NULL, comm);
  return MPI_Alltoallv(sent, counts, displacements, MPI_INT, received, counts, displacements, MPI_INT, comm);
}

/* The last rank errs, alone; the others wait for its message. */
static void err_alone(MPI_Comm comm, int kind) {
  long found = 0;
  if (rank == size - 1) found = class_of(bad_call(kind, comm));
  MPI_Bcast(&found, 1, MPI_LONG, size - 1, MPI_COMM_WORLD);
  agree("class", found);
}

/* In one of the first calls of each communicator, when hcube need not serve its exchanges yet. */
static void run_early(int before) {
  MPI_Comm copy;
  for (int kind = 0; kind < KINDS; kind++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    exchange_often(copy, before, ELEMENTS);
    err_alone(copy, kind);
    exchange_often(copy, EXCHANGES, ELEMENTS);
    MPI_Comm_free(&copy);
  }
}

/* No other rank is affected by the errors before the message, or makes an exchange after it. */
static void run_twice(void) {
  enum { ERRORS = 10 };
  MPI_Comm comms[2];
  long found[ERRORS] = {0};
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  for (int turn = 0; turn < 2; turn++) exchange_often(comms[turn], EXCHANGES, ELEMENTS);
  for (int turn = 0; turn < ERRORS && rank == size - 1; turn++)
    found[turn] = class_of(bad_call(turn % KINDS, comms[turn % 2]));
  MPI_Bcast(found, ERRORS, MPI_LONG, size - 1, MPI_COMM_WORLD);
  for (int turn = 0; turn < ERRORS; turn++) agree("class", found[turn]);
  MPI_Comm_free(&comms[1]);
}

static void run_alone(void) {
  MPI_Comm copy;
  for (int kind = 0; kind < KINDS; kind++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    exchange_often(copy, EXCHANGES, ELEMENTS);
    err_alone(copy, kind);
    exchange_often(MPI_COMM_WORLD, EXCHANGES, ELEMENTS);
    MPI_Comm_free(&copy);
  }
}

static void run_together(void) {
  int kind, good[MAX_RANKS], received[MAX_RANKS], counts[MAX_RANKS], displacements[MAX_RANKS], code;
  for (int turn = 0; turn < size; turn++) good[turn] = counts[turn] = 1, displacements[turn] = turn;
  for (int turn = 0; turn < 3 * KINDS; turn++) {
    kind = turn % KINDS;
    exchange_often(MPI_COMM_WORLD, EXCHANGES, ELEMENTS);
    if (rank == turn % size) code = bad_call(kind, MPI_COMM_WORLD);
    else if (kind == NEGATIVE_COUNT_OF_ONE)
      code =
          MPI_Alltoallv(good, counts, displacements, MPI_INT, received, counts, displacements, MPI_INT, MPI_COMM_WORLD);
    else code = MPI_Alltoall(good, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS) FAIL("turn %d: rank %d has no error", turn, rank);
  }
  exchange_often(MPI_COMM_WORLD, EXCHANGES, ELEMENTS);
}

/* The last rank expects one element less than rank 0 sends to it. */
static void run_mismatch(void) {
  int blocks[2 * MAX_RANKS], counts[MAX_RANKS], displacements[MAX_RANKS];
  for (int i = 0; i < size; i++) counts[i] = 1, displacements[i] = 2 * i;
  memset(blocks, 0, sizeof blocks);
  exchange_often(MPI_COMM_WORLD, EXCHANGES, ELEMENTS);
  if (rank == 0) counts[size - 1] = 2;
  agree("class", class_of(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, blocks, counts, displacements,
                                        MPI_INT, MPI_COMM_WORLD)));
  exchange_often(MPI_COMM_WORLD, EXCHANGES, ELEMENTS);
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  REQUIRE(size <= MAX_RANKS);
  if (strcmp(argv[1], "together") == 0) run_together();
  else if (strcmp(argv[1], "mismatch") == 0) run_mismatch();
  else if (strcmp(argv[1], "early") == 0) run_early(atoi(argv[2]));
  else if (strcmp(argv[1], "twice") == 0) run_twice();
  else run_alone();
  if (rank == 0) printf("ok %s\n", argv[1]);
  return end_program();
}
