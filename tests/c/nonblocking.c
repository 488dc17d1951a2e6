/* Many nonblocking exchanges at once, on several communicators in different orders, mixed with messages, all completed
 * by one MPI_Waitall; every byte is compared.
 *
 *   nonblocking <seed> <rounds> <requests> <largest block in elements> hcube|preload [late|refused <block>]
 *
 * hcube: hcube_ialltoall and its variants; preload: MPI's. The communicators are set up by blocking exchanges before.
 * late: rank 0 starts all exchanges before the others start any, which they do after a message from it. Prints `ok
 * <rounds> served=<exchanges by hcube>`. refused: instead, exchanges with wrong arguments and with blocks of that many
 * elements, one of which is longer than expected; prints `truncated <ranks with that error>`.
 */
#include "alltoall.h"

enum { COMMS = 3, KINDS = 3 };

typedef struct exchange {
  int comm, kind, *counts[2], *places[2], *bytes[2];
  MPI_Datatype *types[2];
  unsigned char *buffers[2], *expected;
  int64_t length[2];
} exchange;

static int rank, size, use_hcube;
/* Exchanges of this rank by single copy, through hcube's functions. */
static long served;
static uint64_t seed;
static int64_t largest;
static MPI_Comm comms[COMMS];
/* Every second int. */
static MPI_Datatype spread;

static int elements(uint64_t number, int kind, int from, int to) {
  dice of_pair = make_dice(seed * 1000 + number, kind == 0 ? 0 : (uint64_t)from, kind == 0 ? 0 : (uint64_t)to);
  return kind > 0 && roll(&of_pair, 4) == 0 ? 0 : (int)roll(&of_pair, largest + 1);
}

static int is_spread(uint64_t number, int kind, int side, int peer) {
  dice own = make_dice(seed + number, (uint64_t)rank * 2 + (uint64_t)side, (uint64_t)peer);
  return kind == 2 && roll(&own, 3) == 0;
}

static exchange prepare(uint64_t number) {
  dice all = make_dice(seed, number, 3);
  exchange made;
  int side, peer;
  made.comm = (int)roll(&all, COMMS);
  made.kind = (int)roll(&all, KINDS);
  for (side = 0; side < 2; side++) {
    int64_t end = 0;
    made.counts[side] = (int *)allocate(size * (int64_t)sizeof(int));
    made.places[side] = (int *)allocate(size * (int64_t)sizeof(int));
    made.bytes[side] = (int *)allocate(size * (int64_t)sizeof(int));
    made.types[side] = (MPI_Datatype *)allocate(size * (int64_t)sizeof(MPI_Datatype));
    for (peer = 0; peer < size; peer++) {
      int count = side == 0 ? elements(number, made.kind, rank, peer) : elements(number, made.kind, peer, rank);
      int twice = is_spread(number, made.kind, side, peer) ? 2 : 1;
      made.counts[side][peer] = count;
      made.places[side][peer] = (int)end;
      made.bytes[side][peer] = (int)(end * 4);
      made.types[side][peer] = twice == 2 ? spread : MPI_INT;
      end += (int64_t)count * twice + (made.kind == 0 ? 0 : 1);
    }
    made.length[side] = end * 4 + 16;
    made.buffers[side] = (unsigned char *)allocate(made.length[side]);
    put_canary(made.buffers[side], made.length[side]);
  }
  made.expected = (unsigned char *)allocate(made.length[1]);
  put_canary(made.expected, made.length[1]);
  for (side = 0; side < 2; side++)
    for (peer = 0; peer < size; peer++) {
      unsigned char *to = (side == 0 ? made.buffers[0] : made.expected) + made.bytes[side][peer];
      uint64_t key = side == 0 ? data_key(seed + number, rank, peer) : data_key(seed + number, peer, rank);
      int count = made.counts[side][peer], at;
      if (made.types[side][peer] == MPI_INT) put_data(key, 0, to, (int64_t)count * 4);
      else
        for (at = 0; at < count; at++) put_data(key, at * 4, to + (int64_t)at * 8, 4);
    }
  return made;
}

static void count_served(MPI_Comm comm) {
  char way[32];
  if (!use_hcube) return;
  REQUIRE(hcube_alltoall_last_way(comm, way, sizeof way, NULL) == HCUBE_SUCCESS);
  served += strcmp(way, "single-copy") == 0;
}

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

static void finish(exchange *of, uint64_t number) {
  int side;
  if (memcmp(of->buffers[1], of->expected, (size_t)of->length[1]) != 0) {
    int64_t at = 0;
    while (of->buffers[1][at] == of->expected[at]) at++;
    FAIL("exchange %" PRIu64 " of kind %d: byte %" PRId64 " of %" PRId64 " is wrong", number, of->kind, at,
         of->length[1]);
  }
  for (side = 0; side < 2; side++) {
    free(of->counts[side]), free(of->places[side]), free(of->bytes[side]), free(of->types[side]);
    free(of->buffers[side]);
  }
  free(of->expected);
}

/* Ranks start the exchanges of different communicators in different orders, those of one communicator in the same one.
 */
static void start_all(exchange *all, int exchanges, MPI_Request *requests) {
  int first = rank % COMMS, step, at;
  for (step = 0; step < COMMS; step++)
    for (at = 0; at < exchanges; at++)
      if (all[at].comm == (first + step) % COMMS) start(&all[at], &requests[at]);
}

static void make_round(uint64_t round, int requests, int late) {
  int exchanges = requests / 2, messages = (requests - exchanges) / 2, at, next = (rank + 1) % size;
  int token = 0, previous = (rank + size - 1) % size;
  exchange *all = (exchange *)allocate(exchanges * (int64_t)sizeof *all);
  MPI_Request *pending = (MPI_Request *)allocate(requests * (int64_t)sizeof *pending);
  MPI_Status *statuses = (MPI_Status *)allocate(requests * (int64_t)sizeof *statuses);
  int *sent = (int *)allocate(messages * (int64_t)sizeof(int)),
      *arrived = (int *)allocate(messages * (int64_t)sizeof(int));
  for (at = 0; at < exchanges; at++) all[at] = prepare(round * 10000 + (uint64_t)at);
  if (late && rank > 0) MPI_Recv(&token, 1, MPI_INT, 0, 5000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (at = 0; at < messages; at++) {
    sent[at] = rank * 1000 + at;
    arrived[at] = -1;
    MPI_Irecv(&arrived[at], 1, MPI_INT, previous, at, MPI_COMM_WORLD, &pending[exchanges + 2 * at]);
    MPI_Isend(&sent[at], 1, MPI_INT, next, at, MPI_COMM_WORLD, &pending[exchanges + 2 * at + 1]);
  }
  start_all(all, exchanges, pending);
  if (late && rank == 0)
    for (at = 1; at < size; at++) MPI_Send(&token, 1, MPI_INT, at, 5000, MPI_COMM_WORLD);
  MPI_Waitall(exchanges + 2 * messages, pending, statuses);
  for (at = 0; at < messages; at++) REQUIRE(arrived[at] == previous * 1000 + at);
  for (at = 0; at < exchanges; at++) finish(&all[at], round * 10000 + (uint64_t)at);
  free(all), free(pending), free(statuses), free(sent), free(arrived);
}

/* Buffers for exchanges of blocks of one length, with room for an element more in each. */
typedef struct equal {
  int count, *counts[2], *places, *buffers[2];
} equal;

static equal make_equal(int count) {
  equal made = {count, {NULL, NULL}, NULL, {NULL, NULL}};
  int side, peer;
  made.places = (int *)allocate(size * (int64_t)sizeof(int));
  for (side = 0; side < 2; side++) {
    made.counts[side] = (int *)allocate(size * (int64_t)sizeof(int));
    made.buffers[side] = (int *)allocate((count + 1) * (int64_t)size * (int64_t)sizeof(int));
    for (peer = 0; peer < size; peer++) {
      made.counts[side][peer] = count;
      made.places[peer] = peer * (count + 1);
    }
  }
  return made;
}

static void free_equal(equal *of) {
  free(of->counts[0]), free(of->counts[1]), free(of->places), free(of->buffers[0]), free(of->buffers[1]);
}

/* Fills the buffers for an exchange, so that blocks of different exchanges differ. */
static void fill_equal(equal *of, int number) {
  int peer, at;
  for (peer = 0; peer < size; peer++)
    for (at = 0; at <= of->count; at++) {
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
  int at;
  for (at = 0; at <= of->count; at++)
    REQUIRE(of->buffers[1][of->places[peer] + at] == (at < count ? number * 10000 + peer * 100 + rank : -1));
}

/* Rank 0 sends one element more than expected to the last rank: an error on one of the two, and all other blocks
 * arrive; those of ranks for themselves are shorter than expected. Then these are longer: an error on all ranks. */
static void make_truncated(equal *of) {
  int peer, error, wrong, all;
  MPI_Request request;
  fill_equal(of, 1);
  of->counts[0][rank] -= 5;
  if (rank == 0) of->counts[0][size - 1]++;
  error = start_equal(of, &request);
  REQUIRE(error == MPI_SUCCESS || error == MPI_ERR_TRUNCATE);
  REQUIRE(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (peer = 0; peer < size; peer++)
    check_equal(of, 1, peer, peer == rank ? of->count - 5 : peer == 0 && rank == size - 1 ? 0 : of->count);
  if (rank == 0) of->counts[0][size - 1]--;
  of->counts[0][rank] += 6;
  wrong = error != MPI_SUCCESS;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  REQUIRE(start_equal(of, &request) == MPI_ERR_TRUNCATE);
  REQUIRE(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  of->counts[0][rank] -= 1;
  if (rank == 0) printf("truncated %d\n", all);
}

/* Wrong arguments of one rank are an error at once, of the class that MPI has for them, and start nothing: the exchange
 * of the others is the one that it makes then. */
static void make_refused(equal *of) {
  MPI_Request request;
  int error = MPI_SUCCESS, code, number, peer;
  for (number = 2; number < 5; number++) {
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
    for (peer = 0; peer < size; peer++) check_equal(of, number, peer, of->count);
  }
}

int main(int argc, char **argv) {
  int rounds, requests, comm, call, *blocks, peer;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  REQUIRE(argc > 5);
  seed = strtoull(argv[1], NULL, 10);
  rounds = atoi(argv[2]);
  requests = atoi(argv[3]);
  largest = strtoll(argv[4], NULL, 10);
  use_hcube = strcmp(argv[5], "hcube") == 0;
  MPI_Type_create_resized(MPI_INT, 0, 8, &spread);
  MPI_Type_commit(&spread);
  blocks = (int *)allocate(2 * size * (int64_t)sizeof(int));
  for (comm = 0; comm < COMMS; comm++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[comm]);
    for (call = 0; call < 3; call++) {
      for (peer = 0; peer < 2 * size; peer++) blocks[peer] = rank;
      if (use_hcube) hcube_alltoall(blocks, 1, MPI_INT, blocks + size, 1, MPI_INT, comms[comm]);
      else MPI_Alltoall(blocks, 1, MPI_INT, blocks + size, 1, MPI_INT, comms[comm]);
    }
  }
  if (argc > 7) {
    equal of = make_equal(atoi(argv[7]));
    MPI_Comm_set_errhandler(comms[0], MPI_ERRORS_RETURN);
    make_truncated(&of);
    make_refused(&of);
    free_equal(&of);
    rounds = 0;
  }
  for (call = 0; call < rounds; call++) make_round((uint64_t)call + 1, requests, argc == 7);
  for (comm = 0; comm < COMMS; comm++) MPI_Comm_free(&comms[comm]);
  MPI_Type_free(&spread);
  free(blocks);
  if (rank == 0 && rounds > 0) printf("ok %d served=%ld\n", rounds, served);
  MPI_Finalize();
  return 0;
}
