/* What a message of an MPI library costs on hosts of one machine: scripts/calibrate-hosts.sh runs it.
 *
 *   messages <largest bytes>
 *
 * The first rank and the last one exchange messages, all others wait for one. Printed are sizes and half of the time in
 * which a message goes forth and back, in microseconds: the smallest mean of many short batches, because other work on
 * the machine only makes batches longer, and their median. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 7, MOST = 131072, BATCHES = 200, REPEATS = 4 };

static const int sizes[] = {8, 1024, 4096, 16384, 65536, MOST};

static void ping_pong(char *data, int bytes, int is_first, int peer) {
  if (is_first) MPI_Send(data, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD);
  MPI_Recv(data, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!is_first) MPI_Send(data, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD);
}

static int compare(const void *first, const void *second) {
  double difference = *(const double *)first - *(const double *)second;
  return (difference > 0) - (difference < 0);
}

/* Mean microseconds of a message in each batch, in ascending order. */
static void measure(double *means, char *data, int bytes, int is_first, int peer) {
  int batch, repeat;
  for (batch = -5; batch < BATCHES; batch++) {
    double begin = MPI_Wtime();
    for (repeat = 0; repeat < REPEATS; repeat++) ping_pong(data, bytes, is_first, peer);
    /* The first batches make connections. */
    if (batch >= 0) means[batch] = 1e6 * (MPI_Wtime() - begin) / REPEATS / 2;
  }
  qsort(means, BATCHES, sizeof *means, compare);
}

int main(int argc, char **argv) {
  int rank, ranks, waiting, largest = argc > 1 ? atoi(argv[1]) : MOST;
  char *data = (char *)calloc(MOST, 1);
  size_t at;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (data == NULL || ranks < 2) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank > 0 && rank < ranks - 1) {
    MPI_Recv(data, 0, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    for (at = 0; at < sizeof sizes / sizeof *sizes && sizes[at] <= largest; at++) {
      double means[BATCHES];
      measure(means, data, sizes[at], rank == 0, rank == 0 ? ranks - 1 : 0);
      if (rank == 0) printf("%d %.2f %.2f\n", sizes[at], means[0], means[BATCHES / 2]);
    }
    for (waiting = 1; rank == 0 && waiting < ranks - 1; waiting++)
      MPI_Send(data, 0, MPI_CHAR, waiting, TAG, MPI_COMM_WORLD);
  }
  free(data);
  MPI_Finalize();
  return 0;
}
