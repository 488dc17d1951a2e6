/* Many persistent exchanges, on several communicators, started again and again with new data together with persistent
 * messages and completed by one MPI_Waitall; every byte is compared.
 *
 *   persistent <seed> <turns> <requests> <largest block in elements> hcube|preload [errors]
 *
 * hcube: hcube_alltoall_init and its variants; preload: MPI's. Prints `ok <turns> served=<exchanges by hcube>`. errors:
 * instead, an exchange with a wrong argument on one rank, and one with a block that is longer than expected; prints
 * `refused`, or `lacking` where the MPI library has no persistent collective operations.
 */
#include "nonblocking.h"
#include "rounds.h"

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
enum { HAS_PERSISTENT = 1 };
#else
/* So that the program can be compiled; it does not call these. */
enum { HAS_PERSISTENT = 0 };
#define MPI_Alltoall_init hcube_alltoall_init
#define MPI_Alltoallv_init hcube_alltoallv_init
#define MPI_Alltoallw_init hcube_alltoallw_init
#endif

static void initialise(exchange *of, MPI_Request *request) {
  MPI_Comm comm = comms[of->comm];
  int code;
  switch (of->kind) {
    case 0:
      code = (use_hcube ? hcube_alltoall_init : MPI_Alltoall_init)(of->buffers[0], of->counts[0][0], MPI_INT,
                                                                   of->buffers[1], of->counts[1][0], MPI_INT, comm,
                                                                   MPI_INFO_NULL, request);
      break;
    case 1:
      code = (use_hcube ? hcube_alltoallv_init : MPI_Alltoallv_init)(
          of->buffers[0], of->counts[0], of->places[0], MPI_INT, of->buffers[1], of->counts[1], of->places[1], MPI_INT,
          comm, MPI_INFO_NULL, request);
      break;
    default:
      code = (use_hcube ? hcube_alltoallw_init : MPI_Alltoallw_init)(
          of->buffers[0], of->counts[0], of->bytes[0], of->types[0], of->buffers[1], of->counts[1], of->bytes[1],
          of->types[1], comm, MPI_INFO_NULL, request);
  }
  REQUIRE(code == MPI_SUCCESS);
  count_served(comm);
}

/* Starts all requests: by one call, or one by one. Messages may be started in any order, so they are started in
 * reverse. */
static void start(MPI_Request *requests, int exchanges, int messages, int turn) {
  if (turn % 2 == 0) {
    REQUIRE((use_hcube ? hcube_startall : MPI_Startall)(exchanges + messages, requests) == MPI_SUCCESS);
    return;
  }
  for (int at = exchanges + messages - 1; at >= exchanges; at--)
    REQUIRE((use_hcube ? hcube_start : MPI_Start)(&requests[at]) == MPI_SUCCESS);
  for (int at = 0; at < exchanges; at++) REQUIRE((use_hcube ? hcube_start : MPI_Start)(&requests[at]) == MPI_SUCCESS);
}

static void make_turns(int turns, int requests) {
  int exchanges = requests / 2, messages = (requests - exchanges) / 2;
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  exchange *all = OF_CASE(exchange, exchanges);
  MPI_Request *pending = OF_CASE(MPI_Request, requests);
  MPI_Status *statuses = OF_CASE(MPI_Status, requests);
  int *sent = OF_CASE(int, messages), *arrived = OF_CASE(int, messages);
  for (int at = 0; at < exchanges; at++) {
    all[at] = prepare((uint64_t)at);
    initialise(&all[at], &pending[at]);
  }
  for (int at = 0; at < messages; at++) {
    MPI_Recv_init(&arrived[at], 1, MPI_INT, previous, at, MPI_COMM_WORLD, &pending[exchanges + 2 * at]);
    MPI_Send_init(&sent[at], 1, MPI_INT, next, at, MPI_COMM_WORLD, &pending[exchanges + 2 * at + 1]);
  }
  for (int turn = 1; turn <= turns; turn++) {
    for (int at = 0; at < exchanges; at++) fill(&all[at], (uint64_t)turn * 10000 + (uint64_t)at);
    for (int at = 0; at < messages; at++) {
      sent[at] = turn * 100000 + rank * 1000 + at;
      arrived[at] = -1;
    }
    start(pending, exchanges, 2 * messages, turn);
    MPI_Waitall(exchanges + 2 * messages, pending, statuses);
    for (int at = 0; at < messages; at++) REQUIRE(arrived[at] == turn * 100000 + previous * 1000 + at);
    for (int at = 0; at < exchanges; at++) check(&all[at], (uint64_t)turn * 10000 + (uint64_t)at);
  }
  for (int at = 0; at < exchanges + 2 * messages; at++) {
    REQUIRE((use_hcube ? hcube_request_free : MPI_Request_free)(&pending[at]) == MPI_SUCCESS);
    REQUIRE(pending[at] == MPI_REQUEST_NULL);
  }
  free_case();
}

/* The error class of an exchange of one int between all ranks, where rank 0 sends `more` further ones to the last rank.
 */
static int initialise_with(int more) {
  MPI_Request request = MPI_REQUEST_NULL;
  int error = MPI_SUCCESS, *arrays = OF_CASE(int, 8 * size);
  int *counts[2] = {arrays, arrays + size}, *places = arrays + 2 * size;
  for (int peer = 0; peer < size; peer++) {
    counts[0][peer] = counts[1][peer] = 1;
    places[peer] = peer;
  }
  if (rank == 0) counts[0][size - 1] += more;
  int code = (use_hcube ? hcube_alltoallv_init : MPI_Alltoallv_init)(arrays + 3 * size, counts[0], places, MPI_INT,
                                                                     arrays + 6 * size, counts[1], places, MPI_INT,
                                                                     comms[0], MPI_INFO_NULL, &request);
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error);
  REQUIRE(request == MPI_REQUEST_NULL);
  return error;
}

static void make_errors(void) {
  MPI_Comm_set_errhandler(comms[0], MPI_ERRORS_RETURN);
  if (!HAS_PERSISTENT) {
    REQUIRE(initialise_with(0) == MPI_ERR_ARG);
    if (rank == 0) printf("lacking\n");
    return;
  }
  REQUIRE(initialise_with(-5) == MPI_ERR_COUNT);
  REQUIRE(initialise_with(1) == MPI_ERR_TRUNCATE);
  if (rank == 0) printf("refused\n");
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  REQUIRE(argc > 5);
  seed = strtoull(argv[1], NULL, 10);
  int turns = atoi(argv[2]);
  int requests = atoi(argv[3]);
  largest = strtoll(argv[4], NULL, 10);
  use_hcube = strcmp(argv[5], "hcube") == 0;
  make_handles();
  if (argc > 6) make_errors();
  while (argc == 6 && next_round()) make_turns(turns, requests);
  free_handles();
  if (rank == 0 && argc == 6) printf("ok %d served=%ld\n", turns, served);
  return end_program();
}
