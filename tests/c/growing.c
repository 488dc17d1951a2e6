/* Keeps memory in every round (rounds.h): the test of the tests of growth. Prints `ok`. */
#include "client.h"
#include "rounds.h"

int main(int argc, char **argv) {
  enum { BYTES = 128 << 10 };
  static char *kept[1000];
  int round = 0;
  begin_program(&argc, &argv);
  while (next_round()) {
    kept[round] = (char *)allocate(BYTES);
    memset(kept[round], round, BYTES);
    round++;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok\n");
  while (round > 0) free(kept[--round]);
  return end_program();
}
