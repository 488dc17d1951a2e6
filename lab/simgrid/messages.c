/* What a message of an MPI library costs on hosts of one machine: scripts/calibrate-hosts.sh runs it.
 *
 *   messages <ranks per host> <largest bytes>
 *
 * The first rank exchanges messages with the first rank of the last host, then with the third rank of its own host, or
 * the second of two; all others wait for a message. All connections are open, because a rank that waits asks the
 * kernel about all of them. Printed are `network` or `node`, the size, and half of the time in which a message goes
 * forth and back, in microseconds: the smallest mean of many short batches, because other work on the machine only
 * makes batches longer. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 7, MOST = 131072, BATCHES = 200, REPEATS = 4, FIRST_BATCHES = 5, FIRST_EXCHANGES = 20 };

static const int sizes[] = {8, 1024, 4096, 16384, 65536, MOST};

static void ping_pong(char *data, int bytes, int is_first, int peer) {
  if (is_first) MPI_Send(data, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD);
  MPI_Recv(data, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!is_first) MPI_Send(data, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD);
}

/* Microseconds of a message in the shortest batch. */
static double measure(char *data, int bytes, int is_first, int peer) {
  double shortest = 1e12;
  int batch, repeat;
  for (batch = 0; batch < FIRST_BATCHES + BATCHES; batch++) {
    double begin = MPI_Wtime(), mean;
    for (repeat = 0; repeat < REPEATS; repeat++) ping_pong(data, bytes, is_first, peer);
    mean = 1e6 * (MPI_Wtime() - begin) / REPEATS / 2;
    if (batch >= FIRST_BATCHES && mean < shortest) shortest = mean;
  }
  return shortest;
}

static void measure_all(const char *place, char *data, int peer, int largest) {
  int rank, ranks, other;
  size_t at;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank > 0 && rank != peer) {
    MPI_Recv(data, 0, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  for (at = 0; at < sizeof sizes / sizeof *sizes && sizes[at] <= largest; at++) {
    double us = measure(data, sizes[at], rank == 0, rank == 0 ? peer : 0);
    if (rank == 0) printf("%s %d %.2f\n", place, sizes[at], us), fflush(stdout);
  }
  for (other = 1; rank == 0 && other < ranks; other++)
    if (other != peer) MPI_Send(data, 0, MPI_CHAR, other, TAG, MPI_COMM_WORLD);
}

static void open_connections(char *data) {
  int rank, ranks, exchange, distance;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (exchange = 0; exchange < FIRST_EXCHANGES; exchange++)
    for (distance = 1; distance < ranks; distance++)
      MPI_Sendrecv(data, 1, MPI_CHAR, (rank + distance) % ranks, TAG, data + 1, 1, MPI_CHAR,
                   (rank - distance + ranks) % ranks, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int ranks, on_host = argc > 1 ? atoi(argv[1]) : 1, largest = argc > 2 ? atoi(argv[2]) : MOST;
  char *data = (char *)calloc(MOST, 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (data == NULL || ranks < 2 || on_host < 1) MPI_Abort(MPI_COMM_WORLD, 1);
  open_connections(data);
  if (ranks > on_host) measure_all("network", data, ranks - on_host, largest);
  if (on_host > 1) measure_all("node", data, on_host > 2 ? 2 : 1, largest);
  free(data);
  MPI_Finalize();
  return 0;
}
