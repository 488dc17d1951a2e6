/* A driver of `hcube-lab simulate` that measures single messages: between rank 0 and each of the ranks that
 * HCUBE_TEST_PEERS names, of several lengths. It ignores the contents of the cases and prints the same record
 * for each; its `way` is `<peer> <bytes> <seconds one way> <seconds in both directions at once>; ...`. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_BYTES (1 << 20)

static char sent[MAX_BYTES], received[MAX_BYTES];

/* Sent without blocking, as hcube does. */
static void send_message(int bytes, int peer) {
  MPI_Request request;
  MPI_Isend(sent, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double ping_pong(int rank, int peer, int bytes) {
  double begin = MPI_Wtime();
  if (rank == 0) {
    send_message(bytes, peer);
    MPI_Recv(received, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(received, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    send_message(bytes, 0);
  }
  return (MPI_Wtime() - begin) / 2;
}

/* Both begin at the same time, which a barrier would not do: all simulated ranks have one clock. */
static double exchange(int rank, int peer, int bytes) {
  double begin = MPI_Wtime() + 1e-3, own, others;
  struct timespec pause = {0, 0};
  int other = rank == 0 ? peer : 0;
  MPI_Sendrecv(rank == 0 ? &begin : &own, 1, MPI_DOUBLE, other, 2, rank == 0 ? &own : &begin, 1, MPI_DOUBLE, other, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pause.tv_nsec = (long)((begin - MPI_Wtime()) * 1e9);
  nanosleep(&pause, NULL);
  begin = MPI_Wtime();
  MPI_Sendrecv(sent, bytes, MPI_BYTE, other, 3, received, bytes, MPI_BYTE, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  own = MPI_Wtime() - begin;
  MPI_Sendrecv(&own, 1, MPI_DOUBLE, other, 4, &others, 1, MPI_DOUBLE, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return own > others ? own : others;
}

int main(int argc, char **argv) {
  static const int lengths[] = {1, 4096, MAX_BYTES};
  char peers[256] = "", line[4096] = "", *peer, *save = NULL;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (getenv("HCUBE_TEST_PEERS") != NULL) strncpy(peers, getenv("HCUBE_TEST_PEERS"), sizeof peers - 1);
  for (peer = strtok_r(peers, " ", &save); peer != NULL; peer = strtok_r(NULL, " ", &save)) {
    if (rank != 0 && rank != atoi(peer)) continue;
    for (int number = 0; number < 3; number++) {
      double one = ping_pong(rank, atoi(peer), lengths[number]), both = exchange(rank, atoi(peer), lengths[number]);
      size_t end = strlen(line);
      snprintf(line + end, sizeof line - end, "%s %d %.9g %.9g; ", peer, lengths[number], one, both);
    }
  }
  for (int number = 1; rank == 0 && number < argc; number++)
    printf("case\t%s\nseconds\t1\nerrors\t0\nway\t%s\n\n", argv[number], line);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
