/* The all-to-all exchange on simulated ranks (SimGrid SMPI), through hcube's C interface.
 *
 *   alltoall <case>...
 *
 * A case is key=value,key=value:
 *   algorithm=auto|mpich|linear-shift|hierarchical-sets|hypercube|node-leaders   hcube's, in place
 *   algorithm=mpich4-in-place|mpich5-in-place|ompi-in-place|mpich-out-of-place|ompi-out-of-place   of MPI libraries
 *   algorithm=library-out-of-place                                  MPI_Alltoallv of the simulator
 *   block=   blocks of this number of bytes from each rank for each, out of place: MPI_Alltoall instead
 *   node=    ranks per node, which MPICH 5 exchanges with first; all ranks by default
 *   path=auto|single-copy|shared|message   inside a node   memory=  bytes of extra memory
 *   bytes=   bytes that a rank sends in total, 1 MiB by default
 *   counts=random|equal   random: a random size for each pair, as in the paper's section 4.1
 *   forwards=  the algorithm of the MPI library for exchanges that hcube forwards to it; without it, the
 *            simulator's own function
 *   repeat=  runs for the median, 1 by default: a simulation has no noise, but hcube tries two paths inside
 *            a node before it selects one
 *
 * The simulator's own exchange in place is not among them (libraries.h says why).
 * All ranks begin at the same simulated time; the time is that of the last to finish. Rank 0 prints a record
 * for each case, in the form of lab/src/records.rs. Every byte that arrives is checked.
 */
#include "driver.h"
#include "libraries.h"

/* Algorithms that are not hcube's; hcube's are HCUBE_ALLTOALL_*. */
enum {
  OUT_OF_PLACE = 100,
  OF_SIMULATOR = OUT_OF_PLACE,
  MPICH_OUT,
  OMPI_OUT,
  IN_PLACE,
  MPICH4 = IN_PLACE,
  MPICH5,
  OMPI
};

typedef struct test_case {
  hcube_alltoall_options options;
  int algorithm, forwards;
  int64_t bytes, block, repeat, ranks_per_node;
  int equal;
} test_case;

static const meaning algorithms[] = {{"auto", HCUBE_ALLTOALL_AUTO},
                                     {"mpich", HCUBE_ALLTOALL_MPICH},
                                     {"linear-shift", HCUBE_ALLTOALL_LINEAR_SHIFT},
                                     {"hierarchical-sets", HCUBE_ALLTOALL_HIERARCHICAL_SETS},
                                     {"hypercube", HCUBE_ALLTOALL_HYPERCUBE},
                                     {"node-leaders", HCUBE_ALLTOALL_NODE_LEADERS},
                                     {"library-out-of-place", OF_SIMULATOR},
                                     {"mpich-out-of-place", MPICH_OUT},
                                     {"ompi-out-of-place", OMPI_OUT},
                                     {"mpich4-in-place", MPICH4},
                                     {"mpich5-in-place", MPICH5},
                                     {"ompi-in-place", OMPI},
                                     {NULL, 0}};
static const meaning paths[] = {{"auto", HCUBE_PATH_AUTO},
                                {"single-copy", HCUBE_PATH_SINGLE_COPY},
                                {"shared", HCUBE_PATH_SHARED},
                                {"message", HCUBE_PATH_MESSAGE},
                                {NULL, 0}};

static int is_of_hcube(const test_case *test) {
  return test->algorithm < OUT_OF_PLACE;
}

static int is_out_of_place(const test_case *test) {
  return (test->algorithm >= OUT_OF_PLACE && test->algorithm < IN_PLACE) || test->block > 0;
}

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "algorithm") == 0) {
    test->algorithm = find_name(algorithms, value);
    if (is_of_hcube(test)) test->options.schedule = test->algorithm;
    return test->algorithm >= 0;
  }
  if (strcmp(key, "forwards") == 0) {
    test->forwards = find_name(algorithms, value);
    return test->forwards >= OUT_OF_PLACE;
  }
  if (strcmp(key, "path") == 0) return (test->options.path = find_name(paths, value)) >= 0;
  if (strcmp(key, "counts") == 0) {
    test->equal = strcmp(value, "equal") == 0;
    return test->equal || strcmp(value, "random") == 0;
  }
  if (strcmp(key, "memory") == 0) return read_number(value, &test->options.memory);
  if (strcmp(key, "block") == 0) return read_number(value, &test->block);
  if (strcmp(key, "node") == 0) return read_number(value, &test->ranks_per_node) && test->ranks_per_node > 0;
  if (strcmp(key, "bytes") == 0) return read_number(value, &test->bytes);
  if (strcmp(key, "repeat") == 0) return read_number(value, &test->repeat) && test->repeat > 0;
  return 0;
}

/* Count of numbers between a pair of ranks: equal in both directions. */
static int count_of_pair(const test_case *test, int first, int second, int size) {
  int64_t mean = test->bytes / (int64_t)sizeof(uint64_t) / (size > 1 ? size - 1 : 1);
  uint64_t low = (uint64_t)(first < second ? first : second), high = (uint64_t)(first < second ? second : first);
  if (test->block > 0) return (int)(test->block / (int64_t)sizeof(uint64_t));
  if (first == second) return 0;
  if (test->equal) return (int)mean;
  /* Uniform from 0 to twice the mean. */
  return (int)(mix(low << 32 | high) % (uint64_t)(2 * mean + 1));
}

static uint64_t value_of(int from, int to, int64_t position) {
  return (uint64_t)from << 44 ^ (uint64_t)to << 24 ^ (uint64_t)position;
}

static exchange make_exchange(const test_case *test) {
  exchange made;
  int peer;
  made.rank = own_rank();
  made.size = all_ranks();
  made.equal = test->block > 0;
  made.ranks_per_node = (int)test->ranks_per_node;
  made.counts = (int *)allocate(made.size * (int64_t)sizeof(int));
  made.displacements = (int *)allocate(made.size * (int64_t)sizeof(int));
  made.total = 0;
  for (peer = 0; peer < made.size; peer++) {
    made.counts[peer] = count_of_pair(test, made.rank, peer, made.size);
    made.displacements[peer] = (int)made.total;
    made.total += made.counts[peer];
  }
  if (made.total > INT32_MAX) FAIL("bytes=%" PRId64 ": too many for MPI's counts", test->bytes);
  made.data = (uint64_t *)allocate(made.total * (int64_t)sizeof(uint64_t));
  made.sent = is_out_of_place(test) ? (uint64_t *)allocate(made.total * (int64_t)sizeof(uint64_t)) : NULL;
  return made;
}

static void free_exchange(const exchange *of) {
  free(of->sent);
  free(of->data);
  free(of->displacements);
  free(of->counts);
}

static void fill(const exchange *of) {
  uint64_t *data = of->sent != NULL ? of->sent : of->data;
  int peer, position;
  /* Out of place, data of the exchange before must not be mistaken for received data. */
  if (of->sent != NULL) memset(of->data, 0xff, (size_t)of->total * sizeof *of->data);
  for (peer = 0; peer < of->size; peer++)
    for (position = 0; position < of->counts[peer]; position++)
      data[of->displacements[peer] + position] = value_of(of->rank, peer, position);
}

static int64_t wrong_numbers(const exchange *of) {
  int64_t wrong = 0;
  int peer, position;
  for (peer = 0; peer < of->size; peer++)
    for (position = 0; position < of->counts[peer]; position++)
      wrong += of->data[of->displacements[peer] + position] != value_of(peer, of->rank, position);
  return wrong;
}

static int call_simulator(const exchange *of) {
  if (of->equal)
    return MPI_Alltoall(of->sent, of->counts[0], MPI_UINT64_T, of->data, of->counts[0], MPI_UINT64_T, MPI_COMM_WORLD);
  return MPI_Alltoallv(of->sent, of->counts, of->displacements, MPI_UINT64_T, of->data, of->counts, of->displacements,
                       MPI_UINT64_T, MPI_COMM_WORLD);
}

static int call_hcube(const exchange *of) {
  int count = of->counts[0];
  if (of->equal) return hcube_alltoall(of->sent, count, MPI_UINT64_T, of->data, count, MPI_UINT64_T, MPI_COMM_WORLD);
  return hcube_alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, of->data, of->counts, of->displacements,
                         MPI_UINT64_T, MPI_COMM_WORLD);
}

static int call(const exchange *of, const test_case *test) {
  static void (*const libraries[])(const exchange *) = {
      [MPICH_OUT - OUT_OF_PLACE] = mpich_out_of_place, [OMPI_OUT - OUT_OF_PLACE] = open_mpi_out_of_place,
      [MPICH4 - OUT_OF_PLACE] = mpich4_in_place,       [MPICH5 - OUT_OF_PLACE] = mpich5_in_place,
      [OMPI - OUT_OF_PLACE] = open_mpi_in_place,
  };
  if (is_of_hcube(test)) return call_hcube(of);
  if (test->algorithm == OF_SIMULATOR) return call_simulator(of);
  libraries[test->algorithm - OUT_OF_PLACE](of);
  return MPI_SUCCESS;
}

/* One number to and from a neighbour: hcube detects nodes and memory at its first exchange. */
static void prepare(const test_case *test) {
  exchange of = make_exchange(test);
  int peer, partner = of.rank ^ 1;
  for (peer = 0; peer < of.size; peer++) of.counts[peer] = of.displacements[peer] = 0;
  if (test->block == 0 && partner < of.size && of.total > 0) of.counts[partner] = 1;
  if (test->block > 0) {
    memset(of.sent, 0, (size_t)of.total * sizeof(uint64_t));
    of.counts[0] = 1;
  }
  if (call(&of, test) != MPI_SUCCESS) FAIL("the first exchange was refused");
  free_exchange(&of);
}

/* Seconds of the slowest rank since all ranks have begun. */
static double timed_call(const exchange *of, const test_case *test, const char *text) {
  double begin = begin_together(text);
  if (call(of, test) != MPI_SUCCESS) FAIL("case '%s': the exchange was refused", text);
  return largest_at_first(MPI_Wtime() - begin);
}

static int compare(const void *first, const void *second) {
  double difference = *(const double *)first - *(const double *)second;
  return (difference > 0) - (difference < 0);
}

static void run_case(const char *text) {
  test_case test;
  hcube_error error;
  exchange of;
  double *times;
  int64_t turn, wrong = 0, bytes;
  char way[256] = "";

  memset(&test, 0, sizeof test);
  SUCCEED(hcube_alltoall_default_options(&test.options, sizeof test.options, &error), error);
  test.bytes = 1 << 20;
  test.repeat = 1;
  test.ranks_per_node = all_ranks();
  read_case(text, take_pair, &test);
  SUCCEED(hcube_alltoall_set_options(MPI_COMM_WORLD, &test.options, &error), error);
  of = make_exchange(&test);
  times = (double *)allocate(test.repeat * (int64_t)sizeof(double));
  if (is_of_hcube(&test)) prepare(&test);
  if (is_of_hcube(&test) && test.forwards != 0) {
    /* Whether hcube forwards it depends on its size. */
    fill(&of);
    if (call(&of, &test) != MPI_SUCCESS) FAIL("case '%s': the exchange was refused", text);
    SUCCEED(hcube_alltoall_last_path(MPI_COMM_WORLD, way, sizeof way, &error), error);
    if (strcmp(way, "library") == 0) test.algorithm = test.forwards;
  }
  for (turn = 0; turn < test.repeat; turn++) {
    fill(&of);
    times[turn] = timed_call(&of, &test, text);
    wrong += wrong_numbers(&of);
  }
  qsort(times, (size_t)test.repeat, sizeof *times, compare);
  wrong = sum_at_first(wrong);
  bytes = sum_at_first(of.total * (int64_t)sizeof(uint64_t));
  if (is_of_hcube(&test)) SUCCEED(hcube_alltoall_last_path(MPI_COMM_WORLD, way, sizeof way, &error), error);
  RECORD(text, SECONDS("seconds") COUNT("errors") COUNT("bytes") TEXT("way"), times[test.repeat / 2], wrong, bytes,
         way);
  free(times);
  free_exchange(&of);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, NULL, run_case, NULL);
}
