/* A driver of `hcube simulate` that hangs: rank 0 and 1 wait for each other's message, the others in a
 * barrier; `algorithm=auto` in its case is what the tool asks for and is not looked at. */
#include <mpi.h>

int main(int argc, char **argv) {
  int rank, word = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank < 2) MPI_Recv(&word, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
