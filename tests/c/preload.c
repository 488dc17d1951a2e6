/* An MPI program without calls of hcube: all-to-all calls in place and out of place, checked.
 * tests/preload.rs contains the number of calls. Modes:
 *   preload         the calls; prints `ok preload C` or `ok preload C++`
 *   preload inter   one call between two groups of ranks
 *   preload early   a call before MPI_Init, which MPI must refuse
 *   preload silent  no call at all
 *   preload sample  the calls whose statistics are in doc/alltoall.md
 */
#include "client.h"

enum { IN_PLACE_CALLS = 3, CALLS = 2, LONGEST = 3 };

/* Elements that two ranks exchange: the same in both directions, as calls in place demand. */
static int length(int one, int other) {
  return 1 + (one + other) % LONGEST;
}

static int value(int from, int to, int element) {
  return (from * 1000 + to) * 10 + element;
}

/* Blocks of the lengths of MPI_Alltoall or of the others, non-contiguous. */
typedef struct {
  int *data, *counts, *displacements, *bytes;
  MPI_Datatype *types;
} blocks;

static void *memory(size_t bytes) {
  void *block = malloc(bytes);
  REQUIRE(block != NULL);
  return block;
}

static blocks make_blocks(int equal) {
  size_t entries = (size_t)size * sizeof(int);
  blocks all;
  all.data = (int *)memory(LONGEST * entries);
  all.counts = (int *)memory(entries);
  all.displacements = (int *)memory(entries);
  all.bytes = (int *)memory(entries);
  all.types = (MPI_Datatype *)memory((size_t)size * sizeof(MPI_Datatype));
  for (int other = 0; other < size; other++) {
    all.counts[other] = equal ? LONGEST : length(rank, other);
    all.displacements[other] = LONGEST * other;
    all.bytes[other] = (int)sizeof(int) * LONGEST * other;
    all.types[other] = MPI_INT;
    for (int element = 0; element < LONGEST; element++)
      all.data[LONGEST * other + element] = value(rank, other, element);
  }
  return all;
}

static void free_blocks(blocks *all) {
  free(all->data), free(all->counts), free(all->displacements), free(all->bytes), free(all->types);
}

/* The blocks of the others have arrived, and the bytes between blocks are unchanged. */
static void check(const blocks *all) {
  for (int other = 0; other < size; other++) {
    for (int element = 0; element < LONGEST; element++) {
      int arrived = element < all->counts[other], found = all->data[LONGEST * other + element];
      int expected = arrived ? value(other, rank, element) : value(rank, other, element);
      if (found != expected) FAIL("element %d from %d is %d, not %d", element, other, found, expected);
    }
  }
}

typedef void exchange(const blocks *sent, const blocks *received);

static void alltoall(const blocks *sent, const blocks *received) {
  MPI_Alltoall(sent ? sent->data : MPI_IN_PLACE, LONGEST, MPI_INT, received->data, LONGEST, MPI_INT, MPI_COMM_WORLD);
}

static void alltoallv(const blocks *sent, const blocks *received) {
  MPI_Alltoallv(sent ? sent->data : MPI_IN_PLACE, sent ? sent->counts : NULL, sent ? sent->displacements : NULL,
                MPI_INT, received->data, received->counts, received->displacements, MPI_INT, MPI_COMM_WORLD);
}

/* Some programs call the profiling form. */
static void alltoallw(const blocks *sent, const blocks *received) {
  PMPI_Alltoallw(sent ? sent->data : MPI_IN_PLACE, sent ? sent->counts : NULL, sent ? sent->bytes : NULL,
                 sent ? sent->types : NULL, received->data, received->counts, received->bytes, received->types,
                 MPI_COMM_WORLD);
}

#if MPI_VERSION >= 4

static void alltoall_c(const blocks *sent, const blocks *received) {
  MPI_Alltoall_c(sent ? sent->data : MPI_IN_PLACE, LONGEST, MPI_INT, received->data, LONGEST, MPI_INT, MPI_COMM_WORLD);
}

typedef struct {
  MPI_Count *counts;
  MPI_Aint *displacements;
} large;

static large make_large(const int *counts, const int *displacements) {
  large all;
  all.counts = (MPI_Count *)memory((size_t)size * sizeof(MPI_Count));
  all.displacements = (MPI_Aint *)memory((size_t)size * sizeof(MPI_Aint));
  for (int other = 0; other < size; other++) {
    all.counts[other] = counts[other];
    all.displacements[other] = displacements[other];
  }
  return all;
}

static void free_large(large *all) {
  free(all->counts), free(all->displacements);
}

static void alltoallv_c(const blocks *sent, const blocks *received) {
  large all = make_large(received->counts, received->displacements);
  MPI_Alltoallv_c(sent ? sent->data : MPI_IN_PLACE, all.counts, all.displacements, MPI_INT, received->data, all.counts,
                  all.displacements, MPI_INT, MPI_COMM_WORLD);
  free_large(&all);
}

static void alltoallw_c(const blocks *sent, const blocks *received) {
  large all = make_large(received->counts, received->bytes);
  MPI_Alltoallw_c(sent ? sent->data : MPI_IN_PLACE, all.counts, all.displacements, received->types, received->data,
                  all.counts, all.displacements, received->types, MPI_COMM_WORLD);
  free_large(&all);
}

static exchange *const EXCHANGES[] = {alltoall, alltoallv, alltoallw, alltoall_c, alltoallv_c, alltoallw_c};

#else

static exchange *const EXCHANGES[] = {alltoall, alltoallv, alltoallw};

#endif

static void run(void) {
  for (size_t number = 0; number < sizeof EXCHANGES / sizeof *EXCHANGES; number++) {
    exchange *exchanged = EXCHANGES[number];
    int equal = number % 3 == 0;
    for (int call = 0; call < IN_PLACE_CALLS + CALLS; call++) {
      int in_place = call < IN_PLACE_CALLS;
      blocks received = make_blocks(equal), sent = make_blocks(equal);
      exchanged(in_place ? NULL : &sent, &received);
      check(&received);
      free_blocks(&sent);
      free_blocks(&received);
    }
  }
  if (rank == 0) printf("ok preload " CLIENT_LANGUAGE "\n");
}

/* Even ranks and odd ranks: each sends its number to all ranks of the other group. */
static void run_between_groups(void) {
  MPI_Comm group, between;
  int *sent = (int *)memory((size_t)size * sizeof(int)), *received = (int *)memory((size_t)size * sizeof(int));
  int others;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &between);
  MPI_Comm_remote_size(between, &others);
  for (int other = 0; other < others; other++) sent[other] = rank;
  MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, between);
  for (int other = 0; other < others; other++) REQUIRE(received[other] == 2 * other + 1 - rank % 2);
  MPI_Comm_free(&between);
  MPI_Comm_free(&group);
  free(sent);
  free(received);
  if (rank == 0) printf("ok preload inter\n");
}

/* 100 calls each with 1 MiB, 32 KiB and 8 bytes for each rank. */
static void run_sample(void) {
  enum { REPEATS = 100, LARGE = 1 << 20, MIDDLE = 32 << 10, SMALL = 8 };
  char *data = (char *)calloc((size_t)size, LARGE), *sent = (char *)calloc((size_t)size, MIDDLE);
  int *counts = (int *)memory((size_t)size * sizeof(int)), *displacements = (int *)memory((size_t)size * sizeof(int));
  REQUIRE(data != NULL && sent != NULL);
  for (int other = 0; other < size; other++) counts[other] = MIDDLE, displacements[other] = MIDDLE * other;
  for (int call = 0; call < REPEATS; call++) {
    MPI_Alltoall(MPI_IN_PLACE, LARGE, MPI_CHAR, data, LARGE, MPI_CHAR, MPI_COMM_WORLD);
  }
  for (int call = 0; call < REPEATS; call++) {
    MPI_Alltoallv(sent, counts, displacements, MPI_CHAR, data, counts, displacements, MPI_CHAR, MPI_COMM_WORLD);
  }
  for (int call = 0; call < REPEATS; call++) {
    MPI_Alltoall(sent, SMALL, MPI_CHAR, data, SMALL, MPI_CHAR, MPI_COMM_WORLD);
  }
  free(data), free(sent), free(counts), free(displacements);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "early") == 0) {
    int number = 0;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, &number, 1, MPI_INT, MPI_COMM_WORLD);
  }
  begin_program(&argc, &argv);
  if (strcmp(mode, "inter") == 0) {
    run_between_groups();
  } else if (strcmp(mode, "sample") == 0) {
    run_sample();
  } else if (strcmp(mode, "silent") != 0) {
    run();
  }
  return end_program();
}
