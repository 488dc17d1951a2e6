/* Exchanges to which the last rank comes late.
 *
 *   late <seconds>    sleeps that long before its second exchange
 */
#include "guest.h"

#include <unistd.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = rank_in(MPI_COMM_WORLD);
  exchange_often(MPI_COMM_WORLD, 1, 3);
  if (rank == partners_in(MPI_COMM_WORLD) - 1) sleep((unsigned)atoi(argv[1]));
  exchange_often(MPI_COMM_WORLD, 5, 3);
  if (rank == 0) printf("ok late\n");
  return end_program();
}
