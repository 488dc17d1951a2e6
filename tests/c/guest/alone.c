/* A program that may find itself alone: exchanges on all ranks there are.
 *
 *   alone <status>    each process prints `<rank> of <ranks>` and ends with this exit status
 */
#include "guest.h"

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  REQUIRE(argc == 2);
  exchange_often(MPI_COMM_WORLD, 6, 100);
  printf("%d of %d\n", rank_in(MPI_COMM_WORLD), partners_in(MPI_COMM_WORLD));
  fflush(stdout);
  MPI_Finalize();
  return atoi(argv[1]);
}
