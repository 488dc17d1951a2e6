/* Many concurrent nonblocking exchanges, on several communicators in different orders, mixed with messages, all
 * completed by one MPI_Waitall; every byte is compared.
 *
 *   nonblocking <seed> <rounds> <requests> <largest block in elements> hcube|preload [late|refused <block>]
 *
 * hcube: hcube_ialltoall and its variants; preload: MPI's. The communicators are set up by blocking exchanges before.
 * late: rank 0 starts all exchanges before the others start any, which they do after a message from it. Prints `ok
 * <rounds> served=<exchanges by hcube>`. refused: instead, exchanges with wrong arguments and with blocks of that many
 * elements, one of which is longer than expected; prints `truncated <ranks with that error>`.
 */
#include "nonblocking.h"
#include "rounds.h"

static void start(exchange *of, MPI_Request *request) {
  MPI_Comm comm = comms[of->comm];
  int code;
  switch (of->kind) {
    case 0:
      code = (use_hcube ? hcube_ialltoall : MPI_Ialltoall)(of->buffers[0], of->counts[0][0], MPI_INT, of->buffers[1],
                                                           of->counts[1][0], MPI_INT, comm, request);
      break;
    case 1:
      code = (use_hcube ? hcube_ialltoallv : MPI_Ialltoallv)(of->buffers[0], of->counts[0], of->places[0], MPI_INT,
                                                             of->buffers[1], of->counts[1], of->places[1], MPI_INT,
                                                             comm, request);
      break;
    default:
      code = (use_hcube ? hcube_ialltoallw : MPI_Ialltoallw)(of->buffers[0], of->counts[0], of->bytes[0], of->types[0],
                                                             of->buffers[1], of->counts[1], of->bytes[1], of->types[1],
                                                             comm, request);
  }
  REQUIRE(code == MPI_SUCCESS);
  count_served(comm);
}

/* Ranks start the exchanges of different communicators in different orders, and of one communicator in the same order.
 */
static void start_all(exchange *all, int exchanges, MPI_Request *requests) {
  int first = rank % COMMS;
  for (int step = 0; step < COMMS; step++)
    for (int at = 0; at < exchanges; at++)
      if (all[at].comm == (first + step) % COMMS) start(&all[at], &requests[at]);
}

static void make_round(uint64_t round, int requests, int late) {
  int exchanges = requests / 2, messages = (requests - exchanges) / 2, next = (rank + 1) % size;
  int token = 0, previous = (rank + size - 1) % size;
  exchange *all = OF_CASE(exchange, exchanges);
  MPI_Request *pending = OF_CASE(MPI_Request, requests);
  MPI_Status *statuses = OF_CASE(MPI_Status, requests);
  int *sent = OF_CASE(int, messages), *arrived = OF_CASE(int, messages);
  for (int at = 0; at < exchanges; at++) all[at] = prepare(round * 10000 + (uint64_t)at);
  if (late && rank > 0) MPI_Recv(&token, 1, MPI_INT, 0, 5000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int at = 0; at < messages; at++) {
    sent[at] = rank * 1000 + at;
    arrived[at] = -1;
    MPI_Irecv(&arrived[at], 1, MPI_INT, previous, at, MPI_COMM_WORLD, &pending[exchanges + 2 * at]);
    MPI_Isend(&sent[at], 1, MPI_INT, next, at, MPI_COMM_WORLD, &pending[exchanges + 2 * at + 1]);
  }
  start_all(all, exchanges, pending);
  if (late && rank == 0)
    for (int at = 1; at < size; at++) MPI_Send(&token, 1, MPI_INT, at, 5000, MPI_COMM_WORLD);
  MPI_Waitall(exchanges + 2 * messages, pending, statuses);
  for (int at = 0; at < messages; at++) REQUIRE(arrived[at] == previous * 1000 + at);
  for (int at = 0; at < exchanges; at++) check(&all[at], round * 10000 + (uint64_t)at);
  free_case();
}

/* Buffers for exchanges of blocks of one length, with room for an element more in each. */
typedef struct equal {
  int count, *counts[2], *places, *buffers[2];
} equal;

static equal make_equal(int count) {
  equal made = {count, {NULL, NULL}, NULL, {NULL, NULL}};
  made.places = OF_CASE(int, size);
  for (int side = 0; side < 2; side++) {
    made.counts[side] = OF_CASE(int, size);
    made.buffers[side] = OF_CASE(int, (count + 1) * (int64_t)size);
    for (int peer = 0; peer < size; peer++) {
      made.counts[side][peer] = count;
      made.places[peer] = peer * (count + 1);
    }
  }
  return made;
}

/* Fills the buffers for an exchange, so that blocks of different exchanges differ. */
static void fill_equal(equal *of, int number) {
  for (int peer = 0; peer < size; peer++)
    for (int at = 0; at <= of->count; at++) {
      of->buffers[0][of->places[peer] + at] = number * 10000 + rank * 100 + peer;
      of->buffers[1][of->places[peer] + at] = -1;
    }
}

/* Starts the exchange; the error class. */
static int start_equal(equal *of, MPI_Request *request) {
  int error = MPI_SUCCESS;
  int code = (use_hcube ? hcube_ialltoallv : MPI_Ialltoallv)(of->buffers[0], of->counts[0], of->places, MPI_INT,
                                                             of->buffers[1], of->counts[1], of->places, MPI_INT,
                                                             comms[0], request);
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error);
  return error;
}

/* Whether the first elements of a block have arrived, and no others. */
static void check_equal(equal *of, int number, int peer, int count) {
  for (int at = 0; at <= of->count; at++)
    REQUIRE(of->buffers[1][of->places[peer] + at] == (at < count ? number * 10000 + peer * 100 + rank : -1));
}

/* Rank 0 sends one element more than expected to the last rank: an error on one of the two, and all other blocks
 * arrive; blocks of ranks for themselves are shorter than expected. Then these are longer: an error on all ranks. */
static void make_truncated(equal *of) {
  int all;
  MPI_Request request;
  fill_equal(of, 1);
  of->counts[0][rank] -= 5;
  if (rank == 0) of->counts[0][size - 1]++;
  int error = start_equal(of, &request);
  REQUIRE(error == MPI_SUCCESS || error == MPI_ERR_TRUNCATE);
  REQUIRE(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (int peer = 0; peer < size; peer++)
    check_equal(of, 1, peer, peer == rank ? of->count - 5 : peer == 0 && rank == size - 1 ? 0 : of->count);
  if (rank == 0) of->counts[0][size - 1]--;
  of->counts[0][rank] += 6;
  int wrong = error != MPI_SUCCESS;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  REQUIRE(start_equal(of, &request) == MPI_ERR_TRUNCATE);
  REQUIRE(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  of->counts[0][rank] -= 1;
  if (rank == 0) printf("truncated %d\n", all);
}

/* Invalid arguments of one rank are an immediate error, of MPI's class for them, and start nothing: the exchange of the
 * others is the next one of this rank. */
static void make_refused(equal *of) {
  MPI_Request request;
  int error = MPI_SUCCESS, code;
  for (int number = 2; number < 5; number++) {
    fill_equal(of, number);
    if (rank == 0 && number == 2) {
      of->counts[0][size - 1] = -1;
      REQUIRE(start_equal(of, &request) == MPI_ERR_COUNT);
      of->counts[0][size - 1] = of->count;
      code = (use_hcube ? hcube_ialltoall : MPI_Ialltoall)(of->buffers[0], of->count, MPI_INT, of->buffers[1],
                                                           of->count, MPI_DATATYPE_NULL, comms[0], &request);
      MPI_Error_class(code, &error);
      REQUIRE(error == MPI_ERR_TYPE);
    }
    REQUIRE(start_equal(of, &request) == MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int peer = 0; peer < size; peer++) check_equal(of, number, peer, of->count);
  }
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  REQUIRE(argc > 5);
  seed = strtoull(argv[1], NULL, 10);
  int rounds = atoi(argv[2]);
  int requests = atoi(argv[3]);
  largest = strtoll(argv[4], NULL, 10);
  use_hcube = strcmp(argv[5], "hcube") == 0;
  make_handles();
  int *blocks = OF_CASE(int, 2 * size);
  for (int comm = 0; comm < COMMS; comm++)
    for (int call = 0; call < 3; call++) {
      for (int peer = 0; peer < 2 * size; peer++) blocks[peer] = rank;
      if (use_hcube) hcube_alltoall(blocks, 1, MPI_INT, blocks + size, 1, MPI_INT, comms[comm]);
      else MPI_Alltoall(blocks, 1, MPI_INT, blocks + size, 1, MPI_INT, comms[comm]);
    }
  if (argc > 7) {
    equal of = make_equal(atoi(argv[7]));
    MPI_Comm_set_errhandler(comms[0], MPI_ERRORS_RETURN);
    make_truncated(&of);
    make_refused(&of);
    rounds = 0;
  }
  while (rounds > 0 && next_round())
    for (int call = 0; call < rounds; call++) make_round((uint64_t)call + 1, requests, argc == 7);
  free_handles();
  if (rank == 0 && rounds > 0) printf("ok %d served=%ld\n", rounds, served);
  return end_program();
}
