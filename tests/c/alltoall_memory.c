/* The extra memory of an all-to-all exchange in place.
 *
 *   alltoall_memory bound <bytes of data> [vector|random]
 *       prints `ok first=<bytes> steady=<bytes>` for the rank that grew most: growth since before the
 *       first call, the peak included, at the end of the first call and of a later one. vector: every other part of
 *       the memory is data; random: other counts for each pair of ranks
 *   alltoall_memory limit <bytes of data>
 *       with an address space of at most 1.2 times the data a second buffer cannot be allocated, but the exchange
 *       works; prints `ok limit`
 *
 * Memory is counted as in memory.c: private memory plus the process's share of shared memory.
 */
#include "alltoall.h"
#include "memory.h"

#include <sys/resource.h>

/* Elements of a vector: half of its extent is data. */
#define SPAN 64

/* Memory of MPI itself for large messages in both directions is not counted. */
static void warm_up_large(void) {
  enum { LENGTH = 1 << 20, PIECES = 4 };
  unsigned char *from = (unsigned char *)allocate(LENGTH), *to = (unsigned char *)allocate(LENGTH);
  memset(from, 1, LENGTH);
  memset(to, 2, LENGTH);
  for (int turn = 0; turn < 3; turn++) {
    for (int distance = 1; distance < size; distance++) {
      int length = LENGTH / PIECES;
      MPI_Request requests[2 * PIECES];
      MPI_Status statuses[2 * PIECES]; /* MPICH's header makes compilers warn of MPI_STATUSES_IGNORE */
      for (int piece = 0; piece < PIECES; piece++) {
        MPI_Irecv(to + piece * length, length, MPI_BYTE, (rank + size - distance) % size, piece, MPI_COMM_WORLD,
                  &requests[piece]);
        MPI_Isend(from + piece * length, length, MPI_BYTE, (rank + distance) % size, piece, MPI_COMM_WORLD,
                  &requests[PIECES + piece]);
      }
      MPI_Waitall(2 * PIECES, requests, statuses);
    }
  }
  free(from);
  free(to);
}

static unsigned char *make_data(int64_t length) {
  unsigned char *data = (unsigned char *)allocate(length);
  memset(data, 1, (size_t)length);
  warm_up(MPI_COMM_WORLD);
  warm_up_large();
  return data;
}

/* Where each pair of ranks has counts of its own. */
static int *counts, *places;

/* At most twice the mean for each pair. */
static void draw_counts(int count) {
  int end = 0;
  counts = (int *)allocate(size * (int64_t)sizeof(int));
  places = (int *)allocate(size * (int64_t)sizeof(int));
  for (int peer = 0; peer < size; peer++) {
    dice pair = make_dice(9, (uint64_t)(peer < rank ? peer : rank), (uint64_t)(peer < rank ? rank : peer));
    counts[peer] = (int)roll(&pair, 2 * count);
    places[peer] = end;
    end += counts[peer];
  }
}

static void call(unsigned char *data, int count, MPI_Datatype type) {
  int code = counts != NULL ? hcube_alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, data, counts, places, type,
                                              MPI_COMM_WORLD)
                            : hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, count, type, MPI_COMM_WORLD);
  if (code != MPI_SUCCESS) FAIL("hcube_alltoall returned %d", code);
}

/* Growth from `before` to now, or to the peak of the last call, whichever is larger. */
static int64_t grown(const memory *before, const memory *call_begin) {
  memory now = measure();
  long remains = now.anonymous + now.shared - before->anonymous - before->shared;
  long held = call_begin->anonymous + call_begin->shared - before->anonymous - before->shared;
  long shared = now.resident_shared - call_begin->resident_shared;
  /* Pages of program files come in with the first call: code is no memory beside the data. */
  long code = now.resident_files - call_begin->resident_files;
  long peak = held + now.peak - call_begin->peak - shared + shared / size - code;
  return remains > peak ? remains : peak;
}

static void bound(int64_t bytes, const char *kind) {
  int count = (int)(bytes / SPAN / size), vector = strcmp(kind, "vector") == 0, random = strcmp(kind, "random") == 0;
  unsigned char *data = make_data((int64_t)count * size * SPAN * (vector || random ? 2 : 1));
  memory before, begin;
  int64_t mine[2], most[2];
  MPI_Datatype element, type;
  MPI_Type_contiguous(SPAN, MPI_BYTE, &element);
  MPI_Type_create_resized(element, 0, vector ? 2 * SPAN : SPAN, &type);
  MPI_Type_commit(&type);
  if (random) draw_counts(count);
  MPI_Barrier(MPI_COMM_WORLD);
  reset_peak();
  before = begin = measure();
  MPI_Barrier(MPI_COMM_WORLD);
  call(data, count, type);
  MPI_Barrier(MPI_COMM_WORLD);
  mine[0] = grown(&before, &begin);
  /* Steady state: nothing that happens only once. */
  for (int turn = 0; turn < 2; turn++) call(data, count, type);
  MPI_Barrier(MPI_COMM_WORLD);
  reset_peak();
  begin = measure();
  MPI_Barrier(MPI_COMM_WORLD);
  call(data, count, type);
  MPI_Barrier(MPI_COMM_WORLD);
  mine[1] = grown(&before, &begin);
  MPI_Allreduce(mine, most, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("ok first=%" PRId64 " steady=%" PRId64 "\n", most[0], most[1]);
  MPI_Type_free(&element);
  MPI_Type_free(&type);
  free(counts);
  free(places);
  free(data);
}

/* In pieces: there is no room for a whole block. */
static void check_data(const unsigned char *data, int block) {
  static unsigned char expected[1 << 16];
  int length;
  for (int peer = 0; peer < size; peer++) {
    for (int at = 0; at < block; at += length) {
      length = block - at < (int)sizeof expected ? block - at : (int)sizeof expected;
      put_data(data_key(3, peer, rank), at, expected, length);
      if (memcmp(data + (int64_t)peer * block + at, expected, (size_t)length) != 0)
        FAIL("wrong data of rank %d at %d", peer, at);
    }
  }
}

static void limit(int64_t bytes) {
  int block = (int)(bytes / size);
  unsigned char *data = make_data((int64_t)block * size);
  struct rlimit allowed;
  fill_blocks(MPI_COMM_WORLD, 3, data, block);
  REQUIRE(getrlimit(RLIMIT_AS, &allowed) == 0);
  allowed.rlim_cur = (rlim_t)(field("/proc/self/status", "VmSize") + bytes / 5);
  REQUIRE(setrlimit(RLIMIT_AS, &allowed) == 0);
  void *second = malloc((size_t)bytes);
  if (second != NULL) FAIL("no limit: a second buffer was allocated");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int turn = 0; turn < 3; turn++) {
    call(data, block, MPI_BYTE);
    /* The second call brings everything back. */
    if (turn != 1) check_data(data, block);
  }
  if (rank == 0) printf("ok limit\n");
  free(data);
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  if (argc < 3) FAIL("usage: %s bound|limit <bytes> [vector|random]", argv[0]);
  if (strcmp(argv[1], "bound") == 0) {
    bound(atoll(argv[2]), argc > 3 ? argv[3] : "");
  } else {
    limit(atoll(argv[2]));
  }
  return end_program();
}
