/* Random calls of hcube_alltoallv_in_place, with int and with large counts, whose send and receive blocks lie in one
 * buffer with counts, orders and distances of their own. Every byte is compared, of blocks and of what lies between
 * them.
 *
 *   alltoall_in_one_buffer <seed> <cases> <largest block in elements> [fail|counts|overlap|datatype|null]
 *
 * With `fail`, the kernel refuses some of the copies; any other last word makes one call that is refused instead.
 * Prints `ok <cases> shared=<n> message=<n> ... refused=<n>`, the calls by path and the copies that rank 0 was refused.
 */
#include "failing_copies.h"
#include "rounds.h"

typedef struct layout {
  int *counts, *places;
  MPI_Count *large_counts;
  MPI_Aint *large_places;
  int64_t end;
} layout;

static uint64_t seed;
static int64_t largest;

/* Elements from one rank to another; all ranks compute the same. */
static int elements(uint64_t number, int from, int to) {
  dice of_pair = make_dice(seed * 1000 + number, (uint64_t)from, (uint64_t)to);
  switch (number % 5) {
    case 0: return (int)largest / 2;
    case 1: return to == (from + 1) % size ? (int)largest : 0;
    case 2: return roll(&of_pair, 3) == 0 ? (int)roll(&of_pair, largest + 1) : 0;
    default: return (int)roll(&of_pair, largest + 1);
  }
}

/* Blocks in a random order, some with bytes between them. */
static layout make_layout(uint64_t number, int sent, int64_t start, int seamless) {
  dice own = make_dice(seed * 1000 + number, (uint64_t)rank, (uint64_t)sent + 77);
  int *order = OF_CASE(int, size);
  layout made;
  made.counts = OF_CASE(int, size);
  made.places = OF_CASE(int, size);
  made.large_counts = OF_CASE(MPI_Count, size);
  made.large_places = OF_CASE(MPI_Aint, size);
  made.end = start;
  for (int at = 0; at < size; at++) order[at] = at;
  for (int at = size - 1; at > 0 && !seamless; at--) {
    int other = (int)roll(&own, at + 1), kept = order[at];
    order[at] = order[other];
    order[other] = kept;
  }
  for (int at = 0; at < size; at++) {
    int peer = order[at];
    made.counts[peer] = sent ? elements(number, rank, peer) : elements(number, peer, rank);
    made.places[peer] = (int)made.end;
    made.large_counts[peer] = made.counts[peer];
    made.large_places[peer] = (MPI_Aint)made.end;
    made.end += made.counts[peer] + (seamless ? 0 : roll(&own, 5));
  }
  return made;
}

static int path_of_call(uint64_t number, MPI_Datatype type, int bytes) {
  int seamless = number % 3 == 0, code;
  layout sent = make_layout(number, 1, 3, seamless);
  layout received = make_layout(number, 0, number % 4 == 1 ? sent.end : 3 + (int64_t)(number % 7), seamless);
  int64_t all = (sent.end > received.end ? sent.end : received.end) * bytes + 64;
  unsigned char *buffer = OF_CASE(unsigned char, all), *expected = OF_CASE(unsigned char, all);
  put_canary(buffer, all);
  for (int peer = 0; peer < size; peer++)
    put_data(data_key(seed + number, rank, peer), 0, buffer + (int64_t)sent.places[peer] * bytes,
             (int64_t)sent.counts[peer] * bytes);
  memcpy(expected, buffer, (size_t)all);
  if (number % 2 == 0)
    code = hcube_alltoallv_in_place(buffer, sent.counts, sent.places, received.counts, received.places, type,
                                    MPI_COMM_WORLD);
  else
    code = hcube_alltoallv_in_place_c(buffer, sent.large_counts, sent.large_places, received.large_counts,
                                      received.large_places, type, MPI_COMM_WORLD);
  if (code != MPI_SUCCESS) FAIL("case %" PRIu64 " returned %d", number, code);
  int path = last_path(MPI_COMM_WORLD);
  /* The bytes of send blocks are undefined afterwards. */
  for (int peer = 0; peer < size; peer++) {
    int64_t at = (int64_t)sent.places[peer] * bytes;
    memcpy(expected + at, buffer + at, (size_t)((int64_t)sent.counts[peer] * bytes));
  }
  for (int peer = 0; peer < size; peer++)
    put_data(data_key(seed + number, peer, rank), 0, expected + (int64_t)received.places[peer] * bytes,
             (int64_t)received.counts[peer] * bytes);
  if (memcmp(buffer, expected, (size_t)all) != 0) FAIL("case %" PRIu64 ": wrong bytes", number);
  free_case();
  return path;
}

/* A call that every rank must be refused, though only one has a wrong argument; nothing may change. */
static void refused(const char *what) {
  layout sent = make_layout(3, 1, 0, 1), received = make_layout(3, 0, 0, 1);
  int64_t all = (sent.end > received.end ? sent.end : received.end) * 4 + 64;
  unsigned char *buffer = OF_CASE(unsigned char, all), *before = OF_CASE(unsigned char, all);
  MPI_Datatype type = MPI_INT, resized;
  put_canary(buffer, all);
  memcpy(before, buffer, (size_t)all);
  MPI_Type_create_resized(MPI_INT, 0, 8, &resized);
  MPI_Type_commit(&resized);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == size - 1) {
    if (strcmp(what, "counts") == 0) sent.counts[size - 1]++;
    if (strcmp(what, "overlap") == 0) received.places[1] = received.places[0];
    if (strcmp(what, "datatype") == 0) type = resized;
  }
  int code = hcube_alltoallv_in_place(strcmp(what, "null") == 0 && rank == 0 ? NULL : buffer, sent.counts, sent.places,
                                      received.counts, received.places, type, MPI_COMM_WORLD);
  REQUIRE(memcmp(buffer, before, (size_t)all) == 0);
  print_refusal(what, code);
  MPI_Type_free(&resized);
}

int main(int argc, char **argv) {
  const MPI_Datatype types[] = {MPI_BYTE, MPI_INT, MPI_DOUBLE};
  const int bytes[] = {1, 4, 8};
  int64_t used[PATHS] = {0};
  int refusals = 0;
  begin_program(&argc, &argv);
  REQUIRE(argc > 3);
  seed = strtoull(argv[1], NULL, 10);
  uint64_t cases = strtoull(argv[2], NULL, 10);
  largest = strtoll(argv[3], NULL, 10);
  int fail = argc > 4 && strcmp(argv[4], "fail") == 0;
  luck = make_dice(seed, 5, (uint64_t)rank);
  if (argc > 4 && !fail) refused(argv[4]);
  while ((argc == 4 || fail) && next_round())
    for (uint64_t number = 0; number < cases; number++) {
      used[path_of_call(number, types[number % 3], bytes[number % 3])]++;
      refusals += failed;
      failed = 0;
      /* The first call has proved that copies are permitted. */
      failing = fail ? 2 + (int)(number % 7) : 0;
    }
  if (rank == 0 && (argc == 4 || fail)) {
    printf("ok %" PRIu64, cases);
    for (int path = 0; path < PATHS; path++) printf(" %s=%" PRId64, path_names[path], used[path]);
    printf(" refused=%d\n", refusals);
  }
  return end_program();
}
