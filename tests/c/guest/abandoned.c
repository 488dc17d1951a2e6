/* Nonblocking reductions that the program starts and never waits for. Their operator tells whether they go on in
 * MPI_Finalize, when a program may have given back their memory. Prints `late: <calls>` for each rank where they do. */
#include "guest.h"

#include <unistd.h>

enum { REDUCTIONS = 10, PAUSE = 100000 };

static int finalizing, late;

static void add(void *from, void *to, int *elements, MPI_Datatype *type) {
  (void)type;
  late += finalizing;
  for (int i = 0; i < *elements; i++) ((int *)to)[i] += ((int *)from)[i];
}

int main(int argc, char **argv) {
  static int sent[REDUCTIONS], received[REDUCTIONS];
  MPI_Request requests[REDUCTIONS];
  MPI_Op operator_of_program;
  MPI_Init(&argc, &argv);
  int rank = rank_in(MPI_COMM_WORLD);
  MPI_Op_create(add, 1, &operator_of_program);
  exchange_often(MPI_COMM_WORLD, 4, 10);
  MPI_Barrier(MPI_COMM_WORLD);
  /* The rank that begins first finds nothing to do yet. */
  if (rank > 0) usleep(PAUSE);
  for (int i = 0; i < REDUCTIONS; i++)
    MPI_Iallreduce(&sent[i], &received[i], 1, MPI_INT, operator_of_program, MPI_COMM_WORLD, &requests[i]);
  if (rank == 0) printf("ok abandoned\n");
  if (rank > 0) usleep(PAUSE);
  finalizing = 1;
  MPI_Finalize();
  if (late > 0) printf("late: %d\n", late);
  return 0;
}
