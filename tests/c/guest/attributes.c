/* What a communicator of the program tells about duplicates that others have made of it.
 *
 *   attributes counted    callbacks of attributes are called for the program's own calls
 *   attributes refused    the same, and on the last rank the callback refuses every copy
 *   attributes handles    how far apart are the handles of communicators that the program creates in succession
 *   attributes all        how many communicators can be created, with an exchange on each of them
 */
#include "guest.h"

enum { EXCHANGES = 5, ELEMENTS = 10 };

static long copies, deletions;
static int refuses;

static int copy(MPI_Comm comm, int key, void *state, void *value, void *result, int *flag) {
  (void)comm, (void)key, (void)state;
  copies++;
  *(void **)result = value;
  *flag = 1;
  return refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void *value, void *state) {
  (void)comm, (void)key, (void)value, (void)state;
  deletions++;
  return MPI_SUCCESS;
}

static void count_callbacks(void) {
  MPI_Comm own;
  int key, rank = rank_in(MPI_COMM_WORLD), value = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_create_keyval(copy, forget, &key, NULL);
  refuses = refuses && rank == partners_in(MPI_COMM_WORLD) - 1;
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
  MPI_Comm_set_attr(own, key, &value);
  exchange_often(own, EXCHANGES, ELEMENTS);
  exchange_often(MPI_COMM_WORLD, EXCHANGES, ELEMENTS);
  agree("copies after exchanges", copies);
  MPI_Comm_free(&own);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
  agree("deletions", deletions);
}

/* Handles in Fortran are numbers, and the next one is the lowest that is free. */
static void compare_handles(void) {
  enum { COMMUNICATORS = 20 };
  MPI_Comm comms[COMMUNICATORS];
  for (int number = 0; number < COMMUNICATORS; number++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[number]);
    if (number > 0) agree("distance", (long)MPI_Comm_c2f(comms[number]) - MPI_Comm_c2f(comms[number - 1]));
    exchange_often(comms[number], EXCHANGES, ELEMENTS);
  }
  for (int number = 0; number < COMMUNICATORS; number++) MPI_Comm_free(&comms[number]);
}

/* Every identifier that the MPI library has. */
static void create_all(void) {
  enum { MAX_COMMUNICATORS = 80000 };
  MPI_Comm *comms = (MPI_Comm *)allocate(MAX_COMMUNICATORS * sizeof(MPI_Comm));
  long number = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (number < MAX_COMMUNICATORS && MPI_Comm_dup(MPI_COMM_WORLD, &comms[number]) == MPI_SUCCESS) {
    exchange_often(comms[number], 2, 1);
    number++;
  }
  for (long each = 0; each < number; each++) MPI_Comm_free(&comms[each]);
  free(comms);
  agree("communicators", number);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  refuses = strcmp(argv[1], "refused") == 0;
  if (strcmp(argv[1], "handles") == 0) compare_handles();
  else if (strcmp(argv[1], "all") == 0) create_all();
  else count_callbacks();
  if (rank_in(MPI_COMM_WORLD) == 0) printf("ok %s\n", argv[1]);
  return end_program();
}
