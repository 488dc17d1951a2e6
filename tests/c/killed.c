/* A run that would last for days, until the last rank dies by SIGKILL or, as `killed elsewhere`, something
 * else ends it. Prints `ready: <what hcube says it does>` before. */
#include "client.h"

#include <signal.h>
#include <unistd.h>

static void die(int signal_number) {
  (void)signal_number;
  kill(getpid(), SIGKILL);
}

int main(int argc, char **argv) {
  char line[256];
  begin_program(&argc, &argv);
  hcube_table table = make_table(MPI_COMM_WORLD, 16);
  hcube_updates updates = make_updates(&table, HCUBE_STREAM_POLYNOMIAL);
  SUCCEED(hcube_random_access_run(MPI_COMM_WORLD, &table, &updates, NULL, &failure));
  SUCCEED(hcube_random_access_describe(MPI_COMM_WORLD, NULL, line, sizeof line, &failure));
  if (rank == 0) printf("ready: %s\n", line);
  fflush(stdout);
  updates.count = INT64_C(1) << 50;
  if (rank == size - 1 && (argc < 2 || strcmp(argv[1], "elsewhere") != 0)) {
    signal(SIGALRM, die);
    alarm(1);
  }
  hcube_random_access_run(MPI_COMM_WORLD, &table, &updates, NULL, &failure);
  printf("rank %d came back\n", rank);
  return 0;
}
