/* A driver of `hcube-lab simulate` that never ends; HCUBE_TEST_HANG selects how. First rank 0 prints the record of
 * the first case; the other cases are ignored. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <hcube.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks 0 and 1 wait for each other's message, the others for them. */
static void deadlock(int rank) {
  int word = 0;
  if (rank < 2) MPI_Recv(&word, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 2 does not take part in an exchange of hcube's. */
static void deadlock_inside(int rank, int size) {
  int data[64] = {0};
  if (size > 64) abort();
  if (rank != 2) hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 1, MPI_INT, MPI_COMM_WORLD);
  else MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ranks 0 and 1 poll for a message that nobody sends, one by MPI_ names and the other by the names that hcube uses. */
static void livelock(int rank) {
  MPI_Request request;
  int word = 0, found = 0;
  if (rank == 0) {
    MPI_Irecv(&word, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &request);
    while (!found) MPI_Test(&request, &found, MPI_STATUS_IGNORE);
  }
  if (rank == 1)
    while (!found) PMPI_Iprobe(0, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  const char *kind = getenv("HCUBE_TEST_HANG");
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0 && argc > 1) {
    printf("case\t%s\nseconds\t1\nerrors\t0\nway\t\n\n", argv[1]);
    fflush(stdout);
  }
  if (kind != NULL && strcmp(kind, "deadlock") == 0) deadlock(rank);
  if (kind != NULL && strcmp(kind, "inside") == 0) deadlock_inside(rank, size);
  if (kind != NULL && strcmp(kind, "livelock") == 0) livelock(rank);
  if (kind != NULL && strcmp(kind, "failure") == 0) {
    fprintf(stderr, "the driver gives up\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Finalize();
  return 0;
}
