/* Single copy that the kernel refuses after it was proved that it works.
 *
 *   alltoall_refusals random {in|out} SEED CASES
 *                              copies end early at random places, and fail at random
 *   alltoall_refusals filter {in|out} {read|write|both} {all|some}
 *                              a filter of system calls forbids it between two exchanges
 *   alltoall_refusals secret {in|out}
 *                              buffers that no other process can read, all of them or from the middle on
 * Prints `ok <part>`, or `skip: <reason>`.
 */
#include "alltoall.h"
#include "failing_copies.h"
#include "single_copy_filter.h"

#include <sys/mman.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

enum { MAX_RANKS = 16, MAX_BYTES = 300000, GAP = 24 };

static int in_place;

/* --- exchanges -------------------------------------------------------------------------------- */

/* The same for both directions of a pair, as MPI_IN_PLACE requires. */
static int block_bytes(uint64_t seed, int one, int other, int least) {
  int low = one < other ? one : other, high = one < other ? other : one;
  dice pair = make_dice(seed, (uint64_t)low, (uint64_t)high + 1000);
  return least > 0 ? least : (int)roll(&pair, 3) == 0 ? (int)roll(&pair, 300) : (int)roll(&pair, MAX_BYTES);
}

static void place_blocks(uint64_t seed, int least, int counts[MAX_RANKS], int places[MAX_RANKS]) {
  int end = GAP;
  for (int peer = 0; peer < size; peer++) {
    counts[peer] = block_bytes(seed, rank, peer, least);
    places[peer] = end;
    end += counts[peer] + GAP;
  }
}

static size_t buffer_bytes(void) {
  return (size_t)MAX_RANKS * (MAX_BYTES + GAP) + GAP;
}

static void fill(uint64_t seed, int least, unsigned char *buffer) {
  int counts[MAX_RANKS], places[MAX_RANKS];
  place_blocks(seed, least, counts, places);
  put_canary(buffer, places[size - 1] + counts[size - 1] + GAP);
  for (int peer = 0; peer < size; peer++) put_data(data_key(seed, rank, peer), 0, buffer + places[peer], counts[peer]);
}

static void check(uint64_t seed, int least, const unsigned char *buffer) {
  int counts[MAX_RANKS], places[MAX_RANKS];
  place_blocks(seed, least, counts, places);
  int length = places[size - 1] + counts[size - 1] + GAP;
  unsigned char *expected = (unsigned char *)allocate(length);
  put_canary(expected, length);
  for (int peer = 0; peer < size; peer++) {
    put_data(data_key(seed, peer, rank), 0, expected + places[peer], counts[peer]);
    if (memcmp(expected + places[peer], buffer + places[peer], (size_t)counts[peer]) != 0)
      FAIL("rank %d of %d: wrong data from rank %d (seed %" PRIu64 ", %d bytes)", rank, size, peer, seed, counts[peer]);
  }
  if (memcmp(expected, buffer, (size_t)length) != 0)
    FAIL("rank %d: bytes between blocks (seed %" PRIu64 ")", rank, seed);
  free(expected);
}

/* An exchange of blocks of random sizes, or of `least` bytes each. */
static void exchange(uint64_t seed, int least, unsigned char *send, unsigned char *receive, int fails) {
  int counts[MAX_RANKS], places[MAX_RANKS];
  place_blocks(seed, least, counts, places);
  fill(seed, least, in_place ? receive : send);
  if (!in_place) put_canary(receive, places[size - 1] + counts[size - 1] + GAP);
  failed = forbidden = 0;
  failing = fails;
  int code = hcube_alltoallv(in_place ? MPI_IN_PLACE : send, counts, places, MPI_BYTE, receive, counts, places,
                             MPI_BYTE, MPI_COMM_WORLD);
  failing = 0;
  if (code != MPI_SUCCESS) FAIL("hcube_alltoallv returned %d", code);
  check(seed, least, receive);
}

static void require_path(int expected, const char *when) {
  int path = last_path(MPI_COMM_WORLD);
  if (size > 1 && path != expected) FAIL("%s: path '%s' instead of '%s'", when, path_names[path], path_names[expected]);
}

/* Asks for single copy and begins anew, as on a new communicator. */
static void begin(int ranks_per_node) {
  hcube_alltoall_options options = environment_options();
  options.path = HCUBE_PATH_SINGLE_COPY;
  options.ranks_per_node = ranks_per_node;
  SUCCEED(hcube_alltoall_set_options(MPI_COMM_WORLD, &options, &failure));
}

/* --- parts ------------------------------------------------------------------------------------ */

static int sum_of(int number) {
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return number;
}

static void random_part(uint64_t seed, int cases) {
  unsigned char *send = (unsigned char *)allocate((int64_t)buffer_bytes());
  unsigned char *receive = (unsigned char *)allocate((int64_t)buffer_bytes());
  int all = 0;
  luck = make_dice(seed, 1, (uint64_t)rank);
  for (int number = 0; number < cases; number++) {
    int refusals = 0, given_up = 0, nodes = size > 2 && number % 4 == 3;
    begin(nodes ? 2 : 0);
    for (int turn = 0; turn < 5; turn++) {
      uint64_t key = mix3(seed, (uint64_t)number, (uint64_t)turn);
      /* On one rank, on some, on all; never in the last turns of some cases. */
      int fails = turn == 4 || roll(&luck, 2) == 0 ? 0 : 2 + (int)roll(&luck, 12);
      exchange(key, 0, send, receive, fails);
      int some = sum_of(failed);
      int never = sum_of(forbidden);
      all += some;
      if (!nodes) {
        require_path(some > 0 || given_up ? PATH_SHARED : PATH_SINGLE_COPY, "copies at random");
        refusals += some > 0;
        given_up |= never > 0 || refusals == 2;
      }
    }
  }
  if (size > 1 && all < cases / 2) FAIL("only %d copies have failed", all);
  free(send);
  free(receive);
}

static void filter_part(const char *what, const char *whom) {
  unsigned char *send = (unsigned char *)allocate((int64_t)buffer_bytes());
  unsigned char *receive = (unsigned char *)allocate((int64_t)buffer_bytes());
  int reads = strcmp(what, "write") != 0, writes = strcmp(what, "read") != 0;
  begin(0);
  for (int turn = 0; turn < 3; turn++) exchange((uint64_t)turn, 200000, send, receive, 0);
  require_path(PATH_SINGLE_COPY, "before");
  if (strcmp(whom, "all") == 0 || rank % 2 == 1) refuse_single_copy(reads, writes);
  for (int turn = 3; turn < 12; turn++) {
    exchange((uint64_t)turn, turn % 3 == 0 ? 200000 : 0, send, receive, 0);
    /* Out of place nothing is written to other processes. */
    require_path(reads || in_place ? PATH_SHARED : PATH_SINGLE_COPY, "after");
  }
  free(send);
  free(receive);
}

/* Memory that no other process can read from this byte on. */
static unsigned char *secret_from(size_t start) {
  size_t length = buffer_bytes() / 4096 * 4096 + 4096;
  int file = (int)syscall(SYS_memfd_secret, 0);
  void *all = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(all != MAP_FAILED);
  if (file < 0 || ftruncate(file, (off_t)(length - start)) != 0) return NULL;
  void *hidden = mmap((char *)all + start, length - start, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  close(file);
  return hidden == MAP_FAILED ? NULL : (unsigned char *)all;
}

static int secret_part(void) {
  unsigned char *send = (unsigned char *)allocate((int64_t)buffer_bytes());
  unsigned char *receive = (unsigned char *)allocate((int64_t)buffer_bytes());
  unsigned char *whole = secret_from(0), *half = secret_from(4096 * 20);
  int possible[1];
  possible[0] = whole != NULL && half != NULL;
  MPI_Allreduce(MPI_IN_PLACE, possible, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!possible[0]) return 0;
  for (int turn = 0; turn < 6; turn++) {
    /* The buffers of one rank, of all others, of all. */
    int mine = turn / 2 == 0 ? rank == size - 1 : turn / 2 == 1 ? rank != 0 : 1;
    unsigned char *hidden = turn % 2 == 0 ? whole : half;
    unsigned char *from = mine ? hidden : send, *to = mine && in_place ? hidden : receive;
    begin(0);
    exchange(10 * (uint64_t)turn, 200000, send, receive, 0);
    require_path(PATH_SINGLE_COPY, "ordinary memory");
    exchange(10 * (uint64_t)turn + 1, 200000, from, to, 0);
    require_path(PATH_SHARED, "secret memory");
    exchange(10 * (uint64_t)turn + 2, 200000, send, receive, 0);
    require_path(PATH_SINGLE_COPY, "ordinary memory again");
    exchange(10 * (uint64_t)turn + 3, 0, from, to, 0);
    exchange(10 * (uint64_t)turn + 4, 200000, from, to, 0);
    require_path(PATH_SHARED, "secret memory again");
    exchange(10 * (uint64_t)turn + 5, 200000, send, receive, 0);
    require_path(PATH_SHARED, "after the last");
  }
  free(send);
  free(receive);
  return 1;
}

int main(int argc, char **argv) {
  const char *part = argc > 2 ? argv[1] : "";
  int done = 1;
  begin_program(&argc, &argv);
  REQUIRE(size <= MAX_RANKS && argc > 2);
  in_place = strcmp(argv[2], "in") == 0;
  if (strcmp(part, "random") == 0 && argc > 4) {
    random_part((uint64_t)strtoull(argv[3], NULL, 10), atoi(argv[4]));
  } else if (strcmp(part, "filter") == 0 && argc > 4) {
    filter_part(argv[3], argv[4]);
  } else if (strcmp(part, "secret") == 0) {
    done = secret_part();
  } else {
    FAIL("no part '%s'", part);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf(done ? "ok %s\n" : "skip: memfd_secret is refused (%s)\n", part);
  return end_program();
}
