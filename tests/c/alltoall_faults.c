/* Faults during the all-to-all exchange.
 *
 *   alltoall_faults killed     the last rank dies in the middle; prints `ready: <path>` before
 *   alltoall_faults endless    exchanges until something ends the job; prints the same
 *   alltoall_faults progress   messages of the program must arrive while a rank is inside hcube
 *   alltoall_faults leaving    buffers are overwritten and given back as soon as a call returns
 *   alltoall_faults forbidden {all|some} {before|after}
 *                              single copy is forbidden to all or to the odd ranks, before MPI_Init or
 *                              after the first exchange
 *   alltoall_faults alone      a rank with a bad argument returns before the others call
 *   alltoall_faults refused    single copy is forbidden and asked for by hcube_alltoall_set_options
 * Prints `ok <part>`.
 */
#include "alltoall.h"
#include "single_copy_filter.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static void die(int signal_number) {
  (void)signal_number;
  kill(getpid(), SIGKILL);
}

static void endless(int dies) {
  enum { BYTES = 200000 };
  unsigned char *buffer = (unsigned char *)allocate((int64_t)size * BYTES);
  exchange_blocks(MPI_COMM_WORLD, 1, buffer, BYTES);
  if (rank == 0) printf("ready: %s\n", path_names[last_path(MPI_COMM_WORLD)]);
  fflush(stdout);
  if (dies && rank == size - 1) {
    signal(SIGALRM, die);
    alarm(1);
  }
  for (;;) hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, BYTES, MPI_BYTE, MPI_COMM_WORLD);
}

/* `from` has an outstanding message to `to` while it is in an exchange on `comm`. Far above any eager
 * limit, it needs its sender's help after MPI_Isend has returned. */
static void one_message(MPI_Comm comm, int from, int to, int takes_part, int bytes) {
  enum { LENGTH = 1 << 24 };
  static unsigned char message[LENGTH];
  unsigned char *buffer = (unsigned char *)allocate((int64_t)size * bytes), *expected;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == from) {
    put_data(77, 0, message, LENGTH);
    MPI_Isend(message, LENGTH, MPI_BYTE, to, 1, MPI_COMM_WORLD, &request);
  }
  if (rank == to) {
    MPI_Recv(message, LENGTH, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expected = (unsigned char *)allocate(LENGTH);
    put_data(77, 0, expected, LENGTH);
    REQUIRE(memcmp(message, expected, LENGTH) == 0);
    free(expected);
  }
  if (takes_part) exchange_blocks(comm, (uint64_t)bytes, buffer, bytes);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  free(buffer);
}

static void progress(void) {
  static const int lengths[] = {4, 3000, 300000};
  MPI_Comm copy, part;
  REQUIRE(size >= 2);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &part);
  /* The first call on a communicator prepares collectively, the later ones do not. */
  for (int turn = 0; turn < 6; turn++) {
    one_message(MPI_COMM_WORLD, 0, size - 1, 1, lengths[turn % 3]);
    one_message(copy, size - 1, 0, 1, lengths[turn % 3]);
    /* The receiver is no member: only the sender's wait inside hcube can help it on. */
    one_message(part, 0, size - 1, rank != size - 1, lengths[turn % 3]);
  }
  MPI_Comm_free(&copy);
  MPI_Comm_free(&part);
}

/* Nobody may read or write a buffer whose owner has returned. Its memory goes back to the kernel, so
 * that a late access faults or reads what was written over it. */
static void leaving(void) {
  dice own = make_dice(5, 6, (uint64_t)rank);
  for (int turn = 0; turn < 200; turn++) {
    static const int lengths[] = {64, 5000, 40000, 150000};
    int bytes = lengths[turn % 4];
    size_t length = (size_t)size * (size_t)bytes;
    void *buffer = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(buffer != MAP_FAILED);
    fill_blocks(MPI_COMM_WORLD, (uint64_t)turn, (unsigned char *)buffer, bytes);
    /* A different rank is the first and the last one in every turn. */
    if (rank != turn / 4 % size) usleep((useconds_t)roll(&own, 2000));
    REQUIRE(hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, bytes, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS);
    if (rank == turn / 4 % size) {
      /* At once: what has arrived here is checked in the other turns. */
      memset(buffer, 0xEE, length);
    } else {
      check_blocks(MPI_COMM_WORLD, (uint64_t)turn, (const unsigned char *)buffer, bytes);
    }
    munmap(buffer, length);
  }
}

/* --- a bad argument on one rank ----------------------------------------------------------------- */

/* The first message is sent when the call has returned, and the others wait for it before they call. */
static void refuse_alone(MPI_Comm comm, int refusing) {
  unsigned char *buffer = (unsigned char *)allocate((int64_t)size * 8);
  int class_of_code, word = 1;
  fill_blocks(comm, 3, buffer, 8);
  if (rank != refusing) MPI_Recv(&word, 1, MPI_INT, refusing, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int code = hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, rank == refusing ? -3 : 8, MPI_BYTE, comm);
  MPI_Error_class(code, &class_of_code);
  if (class_of_code != MPI_ERR_COUNT) FAIL("code %d of class %d", code, class_of_code);
  for (int peer = 0; peer < size && rank == refusing; peer++)
    if (peer != rank) MPI_Send(&word, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);
  free(buffer);
}

static void alone(void) {
  unsigned char *buffer = (unsigned char *)allocate((int64_t)size * 300000);
  MPI_Comm copy;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int turn = 0; turn < 12; turn++) {
    exchange_blocks(MPI_COMM_WORLD, (uint64_t)turn, buffer, turn % 2 == 0 ? 300000 : 8);
    refuse_alone(MPI_COMM_WORLD, turn % size);
    if (turn % 3 == 0) refuse_alone(MPI_COMM_WORLD, (turn + 1) % size);
  }
  /* Nobody else calls, and the communicator is freed. */
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  for (int turn = 0; turn < 6; turn++) exchange_blocks(copy, (uint64_t)turn, buffer, 8);
  if (rank == 0) REQUIRE(hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, -1, MPI_BYTE, copy) != MPI_SUCCESS);
  MPI_Comm_free(&copy);
  exchange_blocks(MPI_COMM_WORLD, 1, buffer, 8);
  free(buffer);
}

/* --- single copy forbidden ----------------------------------------------------------------------- */

static void exchanges(int turns) {
  enum { MAX_BYTES = 120000 };
  unsigned char *buffer = (unsigned char *)allocate((int64_t)size * MAX_BYTES);
  for (int turn = 0; turn < turns; turn++)
    exchange_blocks(MPI_COMM_WORLD, (uint64_t)turn, buffer, turn % 3 == 0 ? MAX_BYTES : turn % 3 == 1 ? 20000 : 8);
  free(buffer);
}

/* A feature that is disabled next must have been in use. */
static void require_single_copy(void) {
  if (size > 1 && last_path(MPI_COMM_WORLD) != PATH_SINGLE_COPY) FAIL("no single copy that could be taken away");
}

/* Not all ranks can, so single copy cannot be used, and all of them must know. */
static void refused(void) {
  hcube_alltoall_options options = environment_options();
  options.path = HCUBE_PATH_SINGLE_COPY;
  int32_t code = hcube_alltoall_set_options(MPI_COMM_WORLD, &options, &failure);
  if (code != HCUBE_ERR_MEMORY) FAIL("code %d instead of %d: %s", (int)code, HCUBE_ERR_MEMORY, failure.message);
  /* Earlier settings are unchanged. */
  exchanges(6);
  if (last_path(MPI_COMM_WORLD) == PATH_SINGLE_COPY) FAIL("single copy, which is forbidden");
}

int main(int argc, char **argv) {
  const char *part = argc > 1 ? argv[1] : "";
  int forbidden = strcmp(part, "forbidden") == 0 && argc > 3, late = forbidden && strcmp(argv[3], "after") == 0;
  /* Before MPI_Init the rank is known only from the environment, which differs between libraries. */
  const char *number = getenv("OMPI_COMM_WORLD_RANK") != NULL ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  int concerned = strcmp(part, "refused") == 0 || forbidden;
  if (forbidden && strcmp(argv[2], "some") == 0) {
    REQUIRE(number != NULL);
    concerned = atoi(number) % 2 == 1;
  }
  if (concerned && !late) refuse_single_copy(1, 1);
  begin_program(&argc, &argv);
  if (strcmp(part, "killed") == 0 || strcmp(part, "endless") == 0) {
    endless(strcmp(part, "killed") == 0);
  } else if (strcmp(part, "progress") == 0) {
    progress();
  } else if (strcmp(part, "leaving") == 0) {
    leaving();
  } else if (strcmp(part, "alone") == 0) {
    alone();
  } else if (strcmp(part, "refused") == 0) {
    refused();
  } else if (forbidden) {
    exchanges(6);
    if (late) require_single_copy();
    if (late && concerned) refuse_single_copy(1, 1);
    exchanges(30);
    if (!late && size > 1 && last_path(MPI_COMM_WORLD) == PATH_SINGLE_COPY) FAIL("single copy, which is forbidden");
  } else {
    FAIL("no part '%s'", part);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok %s\n", part);
  return end_program();
}
