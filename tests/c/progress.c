/* A rank that waits inside hcube must let MPI deliver what others wait for. A large message needs
 * its sender's help after MPI_Isend has returned; the receiver enters hcube only when it has it.
 * Prints `ok progress`.
 */
#include "client.h"

/* Far above any eager limit. */
#define WORDS (1 << 21)

static uint64_t *message;

static void fill(uint64_t value) {
  for (int i = 0; i < WORDS; i++) message[i] = value + (uint64_t)i;
}

static void check(uint64_t value) {
  for (int i = 0; i < WORDS; i++) REQUIRE(message[i] == value + (uint64_t)i);
}

/* `from` has an outstanding message to `to` while it is in hcube with `comm`; all ranks of `comm` run. */
static void one_case(MPI_Comm comm, int from, int to, int takes_part, int log2) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == from) {
    fill(77);
    MPI_Isend(message, WORDS, MPI_UINT64_T, to, 1, MPI_COMM_WORLD, &request);
  }
  if (rank == to) {
    MPI_Recv(message, WORDS, MPI_UINT64_T, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(77);
  }
  if (takes_part) run_and_verify(comm, log2, HCUBE_STREAM_POLYNOMIAL, NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Comm copy, part;
  begin_program(&argc, &argv);
  REQUIRE(size >= 2);
  message = (uint64_t *)allocate(WORDS * sizeof(uint64_t));
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  /* All ranks except the last. */
  MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &part);
  /* The first call on a communicator prepares collectively, the later ones do not. */
  for (int turn = 0; turn < 3; turn++) {
    one_case(MPI_COMM_WORLD, 0, size - 1, 1, 10);
    one_case(copy, size - 1, 0, 1, 10);
    /* The receiver is no member: only the sender's wait inside hcube can help it on. */
    one_case(part, 0, size - 1, rank != size - 1, 14);
  }
  MPI_Comm_free(&copy);
  MPI_Comm_free(&part);
  if (rank == 0) printf("ok progress\n");
  fflush(stdout);
  free(message);
  return end_program();
}
