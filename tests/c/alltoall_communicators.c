/* The state of the all-to-all exchange on communicators.
 *
 *   alltoall_communicators cycles <n>   duplicates, exchanges, frees; memory, files and mappings stay
 *   alltoall_communicators threads      four threads on four communicators
 *   alltoall_communicators several      communicators of all kinds in turn, copies, intercommunicators,
 *                                       state left to MPI_Finalize
 * Prints `ok <part>`, or `skipped <part>: <reason>`.
 */
#include "alltoall.h"
#include "process.h"

#include <pthread.h>

enum { THREADS = 4, BYTES = 3000 };

static void one_cycle(uint64_t seed, unsigned char *buffer) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  exchange_blocks(copy, seed, buffer, BYTES);
  MPI_Comm_free(&copy);
}

/* The first part warms up; what remains of a cycle shows in each of the windows that follow. A pool of the MPI
 * library that grows once, when ranks wait long for one another, shows in only one of them. */
static void cycles(int count) {
  enum { WINDOWS = 4 };
  unsigned char *buffer = (unsigned char *)allocate((int64_t)size * BYTES);
  long memory = 0, files = 0, mappings = 0, now, least = 0;
  int window = 0, warm = count / 5, length = (count - warm) / WINDOWS;
  for (int cycle = 0; cycle < warm + WINDOWS * length; cycle++) {
    if (cycle == warm) {
      memory = field("/proc/self/status", "VmRSS");
      files = open_files();
      mappings = mappings_of("");
    }
    one_cycle((uint64_t)cycle, buffer);
    if (cycle + 1 == warm + (window + 1) * length) {
      now = field("/proc/self/status", "VmRSS");
      if (window == 0 || now - memory < least) least = now - memory;
      memory = now;
      window++;
    }
  }
  /* In 1000 cycles less than 40 bytes of each; the MPI libraries themselves leave about one. */
  if (least > 40L * length) FAIL("rank %d: %ld bytes more in every %d cycles", rank, least, length);
  if (open_files() > files) FAIL("%ld open files, %ld before", open_files(), files);
  now = mappings_of("");
  /* malloc itself may occasionally create another mapping. */
  if (now > mappings + 8) FAIL("%ld mappings, %ld before", now, mappings);
  fflush(stdout);
  free(buffer);
}

static void *work(void *argument) {
  MPI_Comm comm = *(MPI_Comm *)argument;
  unsigned char *buffer = (unsigned char *)allocate((int64_t)size * BYTES * 20);
  for (int turn = 0; turn < 200; turn++)
    exchange_blocks(comm, (uint64_t)turn, buffer, turn % 3 == 0 ? 8 : turn % 3 == 1 ? BYTES : 20 * BYTES);
  free(buffer);
  return NULL;
}

static int threads(int provided) {
  MPI_Comm comms[THREADS];
  pthread_t others[THREADS];
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("skipped threads: MPI does not provide MPI_THREAD_MULTIPLE\n");
    return 0;
  }
  for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  /* All of them have their first exchange at the same time. */
  for (int i = 1; i < THREADS; i++) REQUIRE(pthread_create(&others[i], NULL, work, &comms[i]) == 0);
  work(&comms[0]);
  for (int i = 1; i < THREADS; i++) REQUIRE(pthread_join(others[i], NULL) == 0);
  for (int i = 0; i < THREADS; i++) MPI_Comm_free(&comms[i]);
  return 1;
}

/* Between two groups the exchange is the library's; it must be passed on as it is. */
static void between_groups(void) {
  MPI_Comm half, inter;
  int side = rank % 2, remote = 0;
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 9, &inter);
  MPI_Comm_remote_size(inter, &remote);
  int *sent = (int *)allocate(remote * (int64_t)sizeof(int));
  int *received = (int *)allocate(remote * (int64_t)sizeof(int));
  for (int i = 0; i < remote; i++) {
    sent[i] = rank * 1000 + i;
    received[i] = -1;
  }
  REQUIRE(hcube_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, inter) == MPI_SUCCESS);
  /* Remote rank i is rank 2 i + (1 - side) of all, and this rank is number rank / 2 of its group. */
  for (int i = 0; i < remote; i++) REQUIRE(received[i] == (2 * i + 1 - side) * 1000 + rank / 2);
  free(sent);
  free(received);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static void several(void) {
  unsigned char *buffer = (unsigned char *)allocate((int64_t)size * BYTES);
  MPI_Comm comms[5], copy, left;
  comms[0] = MPI_COMM_WORLD;
  comms[1] = MPI_COMM_SELF;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[3]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[4]);
  for (int turn = 0; turn < 6; turn++)
    for (int i = 0; i < 5; i++) exchange_blocks(comms[i], (uint64_t)turn, buffer, turn % 2 == 0 ? 8 : BYTES);
  /* A copy of a communicator in use is one of its own, and survives the original. */
  MPI_Comm_dup(comms[2], &copy);
  exchange_blocks(copy, 77, buffer, BYTES);
  MPI_Comm_free(&comms[2]);
  exchange_blocks(copy, 78, buffer, BYTES);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comms[3]);
  MPI_Comm_free(&comms[4]);
  if (size > 1) between_groups();
  /* Nobody frees these: MPI_Finalize must cope. */
  MPI_Comm_dup(MPI_COMM_WORLD, &left);
  exchange_blocks(left, 79, buffer, BYTES);
  exchange_blocks(MPI_COMM_WORLD, 80, buffer, BYTES);
  free(buffer);
}

int main(int argc, char **argv) {
  const char *part = argc > 1 ? argv[1] : "";
  int done = 1;
  int level = strcmp(part, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = begin_with_threads(&argc, &argv, level);
  if (strcmp(part, "cycles") == 0 && argc > 2) {
    cycles(atoi(argv[2]));
  } else if (strcmp(part, "threads") == 0) {
    done = threads(provided);
  } else if (strcmp(part, "several") == 0) {
    several();
  } else {
    FAIL("no part '%s'", part);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && done) printf("ok %s\n", part);
  return end_program();
}
