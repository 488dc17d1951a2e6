/* Supersteps on many simulated ranks (SimGrid), which share the memory of one process: so everything is on the stack or
 * the heap, and the program initialises MPI itself. Prints `ok <processes>`. */
#include "bsp_client.h"

static void larger(void *result, void *left, void *right, int *bytes) {
  memcpy(result, *(int *)left > *(int *)right ? left : right, (size_t)*bytes);
}

int main(int argc, char **argv) {
  int other, packets, bytes, status, most = -1;
  MPI_Init(&argc, &argv);
  int processes = bsp_nprocs();
  bsp_begin(processes);
  int process = bsp_pid();
  REQUIRE(bsp_nprocs() == processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &other);
  REQUIRE(process == other);
  int *cells = (int *)room((size_t)processes * sizeof(int));
  int *read = (int *)room((size_t)processes * sizeof(int));
  bsp_push_reg(cells, processes * (int)sizeof(int));
  int number = sizeof(int);
  bsp_set_tagsize(&number);
  bsp_sync();
  for (int step = 0; step < 3; step++) {
    for (other = 0; other < processes; other++) cells[other] = 1000 * process + step;
    bsp_sync();
    for (other = 0; other < processes; other++) {
      number = 10000 * process + 100 * other + step;
      bsp_put(other, &number, cells, process * (int)sizeof(int), sizeof number);
      bsp_get(other, cells, process * (int)sizeof(int), read + other, sizeof(int));
      bsp_send(other, &process, &number, step == 1 ? 0 : (int)sizeof number);
    }
    bsp_sync();
    bsp_qsize(&packets, &bytes);
    REQUIRE(packets == processes && bytes == (step == 1 ? 0 : processes * (int)sizeof number));
    for (other = processes - 1; other >= 0; other--) {
      int from = -1, payload = 10000 * other + 100 * process + step;
      REQUIRE(cells[other] == payload && read[other] == 1000 * other + step);
      bsp_get_tag(&status, &from);
      REQUIRE(from == other && status == (step == 1 ? 0 : (int)sizeof number));
      number = payload;
      bsp_move(&number, sizeof number);
      REQUIRE(number == payload);
    }
    bsp_hpput((process + 1) % processes, &process, cells, 0, sizeof(int));
    bsp_sync();
    REQUIRE(cells[0] == (process + processes - 1) % processes);
  }
  bsp_fold(larger, &process, &most, sizeof most);
  REQUIRE(most == processes - 1 && bsp_time() > 0);
  bsp_end();
  MPI_Barrier(MPI_COMM_WORLD);
  if (process == 0) printf("ok %d\n", processes);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
