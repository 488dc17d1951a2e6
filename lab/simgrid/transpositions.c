/* The exchange of transpositions in transforms, in place, on simulated ranks (SimGrid SMPI): blocks of equal sizes by
 * hcube's schedules and as FFTW exchanges them.
 *
 *   transpositions <case>...
 *
 * A case is key=value,key=value:
 *   algorithm=mpich|linear-shift|hierarchical-sets   of hcube, by messages and without additional memory
 *   algorithm=fftw-in-place   a partner at a time, all ranks in pairs, each block copied before it is sent
 *   bytes=   bytes that a rank sends in total, 1 MiB by default
 *
 * Source: FFTW 3.3, mpi/transpose-pairwise.c, in which the order of partners is that of another tournament.
 *
 * All ranks begin at the same simulated time; the time is that of the last to finish. Rank 0 prints a record for each
 * case, in the form of lab/src/records.rs. Every number that arrives is checked.
 */
#include "driver.h"
#include "libraries.h"

#define OF_FFTW 100

typedef struct test_case {
  hcube_alltoall_options options;
  int64_t bytes;
} test_case;

static const meaning algorithms[] = {{"mpich", HCUBE_ALLTOALL_MPICH},
                                     {"linear-shift", HCUBE_ALLTOALL_LINEAR_SHIFT},
                                     {"hierarchical-sets", HCUBE_ALLTOALL_HIERARCHICAL_SETS},
                                     {"fftw-in-place", OF_FFTW},
                                     {NULL, 0}};

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "algorithm") == 0) return (test->options.schedule = find_name(algorithms, value)) >= 0;
  if (strcmp(key, "bytes") == 0) return read_number(value, &test->bytes);
  return 0;
}

/* The partner of a rank in a step of a tournament in which each meets each other once; the rank itself where it pauses.
 * An odd number of ranks has one more, which does not exist. */
static int partner_of(int rank, int size, int step) {
  int even = size + size % 2, turning = even - 1, partner;
  if (rank == turning) partner = step * (even / 2) % turning;
  else {
    partner = ((step - rank) % turning + turning) % turning;
    if (partner == rank) partner = turning;
  }
  return partner < size ? partner : rank;
}

static void exchange_as_fftw(const exchange *of) {
  uint64_t *copy = (uint64_t *)allocate(largest_count(of) * (int64_t)sizeof *copy);
  int step, steps = of->size + of->size % 2 - 1;
  for (step = 0; step < steps; step++) {
    int partner = partner_of(of->rank, of->size, step);
    if (partner != of->rank) replace_block(of, partner, copy);
  }
  free(copy);
}

static exchange make_exchange(const test_case *test) {
  exchange made;
  int *counts, *displacements, peer, count;
  memset(&made, 0, sizeof made);
  made.comm = MPI_COMM_WORLD;
  made.rank = own_rank();
  made.size = all_ranks();
  count = (int)(test->bytes / (int64_t)sizeof(uint64_t) / (made.size > 1 ? made.size - 1 : 1));
  counts = (int *)allocate(made.size * (int64_t)sizeof *counts);
  displacements = (int *)allocate(made.size * (int64_t)sizeof *displacements);
  for (peer = 0; peer < made.size; peer++) {
    counts[peer] = peer == made.rank ? 0 : count;
    displacements[peer] = (int)made.total;
    made.total += counts[peer];
  }
  made.counts = counts;
  made.displacements = displacements;
  made.data = (uint64_t *)allocate(made.total * (int64_t)sizeof(uint64_t));
  return made;
}

static void free_exchange(const exchange *of) {
  free(of->data);
  free((void *)of->displacements);
  free((void *)of->counts);
}

static uint64_t value_of(int from, int to, int64_t position) {
  return (uint64_t)from << 44 ^ (uint64_t)to << 24 ^ (uint64_t)position;
}

static void fill(const exchange *of) {
  int peer, position;
  for (peer = 0; peer < of->size; peer++)
    for (position = 0; position < of->counts[peer]; position++)
      block_of(of, peer)[position] = value_of(of->rank, peer, position);
}

static int64_t wrong_numbers(const exchange *of) {
  int64_t wrong = 0;
  int peer, position;
  for (peer = 0; peer < of->size; peer++)
    for (position = 0; position < of->counts[peer]; position++)
      wrong += block_of(of, peer)[position] != value_of(peer, of->rank, position);
  return wrong;
}

static void exchange_blocks(const exchange *of, const test_case *test, const char *text) {
  int failed;
  if (test->options.schedule == OF_FFTW) {
    exchange_as_fftw(of);
    return;
  }
  failed = hcube_alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, of->data, of->counts, of->displacements,
                           MPI_UINT64_T, of->comm);
  if (failed) FAIL("case '%s': the exchange was refused", text);
}

static void run_case(const char *text) {
  test_case test;
  hcube_error error;
  exchange of;
  double begin, seconds;
  int64_t wrong;
  int turn;

  memset(&test, 0, sizeof test);
  SUCCEED(hcube_alltoall_default_options(&test.options, sizeof test.options, &error), error);
  test.bytes = 1 << 20;
  test.options.path = HCUBE_PATH_MESSAGE;
  test.options.memory = 0;
  read_case(text, take_pair, &test);
  if (test.options.schedule != OF_FFTW)
    SUCCEED(hcube_alltoall_set_options(MPI_COMM_WORLD, &test.options, &error), error);
  /* hcube detects nodes and memory at its first exchange, of a number for each rank. */
  for (turn = test.options.schedule == OF_FFTW; turn < 2; turn++) {
    test_case one = test;
    if (turn == 0) one.bytes = (all_ranks() - 1) * (int64_t)sizeof(uint64_t);
    of = make_exchange(&one);
    fill(&of);
    begin = begin_together(text);
    exchange_blocks(&of, &test, text);
    seconds = largest_at_first(MPI_Wtime() - begin);
    wrong = sum_at_first(wrong_numbers(&of));
    free_exchange(&of);
  }
  RECORD(text, SECONDS("seconds") COUNT("errors"), seconds, wrong);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, NULL, run_case, NULL);
}
