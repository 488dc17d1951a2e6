/* The all-to-all exchange on simulated ranks (SimGrid SMPI), through hcube's C interface or its preload library.
 *
 *   alltoall <case>...
 *
 * A case is key=value,key=value:
 *   algorithm=auto|mpich|linear-shift|hierarchical-sets|hypercube|node-leaders   hcube's
 *   algorithm=mpich4-in-place|mpich5-in-place|ompi-in-place|mpich-out-of-place|ompi-out-of-place   of MPI libraries
 *   algorithm=fftw-in-place                                         of FFTW's transpositions
 *   algorithm=library-out-of-place                                  MPI_Alltoallv of the simulator
 *   preload=1   hcube as unmodified programs use it, with its default options
 *   function=alltoall|alltoallv|alltoallw   alltoallv by default, alltoall with block=
 *   block=   the mean bytes of the block of each rank for each, its own included; out of place unless in-place=1
 *   in-place=1
 *   rows=|columns=   ranks of each row or column of a grid of all ranks; all of them exchange at the same time
 *   node=    ranks per node, which MPICH 5 exchanges with first; all ranks by default
 *   path=auto|single-copy|shared|message   inside a node   memory=  bytes of extra memory
 *   bytes=   bytes that a rank sends to others in total, 1 MiB by default
 *   counts=random|equal   random: a random size for each pair, as in the paper's section 4.1
 *   forwards=  the algorithm of the MPI library for exchanges that hcube forwards to it; without it, the
 *            simulator's own function
 *   warm=    at most this number of exchanges before the timed ones, back to back, in which hcube compares algorithms;
 *            fewer where they take more than 2 s
 *   together-us=  as many exchanges are timed together as take this time; without it, one
 *   repeat=  measurements for the median, 1 by default: a simulation has no noise, but hcube tries two paths inside
 *            a node before it selects one
 *
 * The simulator's own exchange in place is not among them (libraries.h says why).
 * All ranks begin at the same simulated time; the time is that of the last to finish. Rank 0 prints a record
 * for each case, in the form of lab/src/records.rs. Every byte that arrives is checked.
 */
#include "driver.h"
#include "forwards.h"
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
  OMPI,
  OF_FFTW
};

/* Seconds of exchanges before those that are measured. */
#define WARM_SECONDS 2.0
/* Of these, the first ones are timed. */
#define WARM_TIMED 10
/* Exchanges that are timed together, at most; an odd number, so that blocks in place are not back. */
#define MAX_BATCH 1001

typedef struct test_case {
  hcube_alltoall_options options;
  int algorithm, forwards, function, is_equal;
  int64_t bytes, block, repeat, ranks_per_node, rows, columns, warm, together_us, is_in_place, is_preloaded;
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
                                     {"fftw-in-place", OF_FFTW},
                                     {NULL, 0}};
static const meaning paths[] = {{"auto", HCUBE_PATH_AUTO},
                                {"single-copy", HCUBE_PATH_SINGLE_COPY},
                                {"shared", HCUBE_PATH_SHARED},
                                {"message", HCUBE_PATH_MESSAGE},
                                {NULL, 0}};
static const meaning functions[] = {
    {"alltoall", OF_ONE_COUNT}, {"alltoallv", OF_COUNTS}, {"alltoallw", OF_TYPES}, {NULL, 0}};

static int is_of_hcube(const test_case *test) {
  return test->algorithm < OUT_OF_PLACE;
}

static int is_out_of_place(const test_case *test) {
  return !test->is_in_place && ((test->algorithm >= OUT_OF_PLACE && test->algorithm < IN_PLACE) || test->block > 0);
}

static int is_preloaded(const test_case *test) {
  return is_of_hcube(test) && test->is_preloaded;
}

/* The function of an algorithm that is not hcube's or the simulator's. */
static library_function function_of(int algorithm) {
  static const library_function libraries[] = {
      [MPICH_OUT - OUT_OF_PLACE] = mpich_out_of_place, [OMPI_OUT - OUT_OF_PLACE] = open_mpi_out_of_place,
      [MPICH4 - OUT_OF_PLACE] = mpich4_in_place,       [MPICH5 - OUT_OF_PLACE] = mpich5_in_place,
      [OMPI - OUT_OF_PLACE] = open_mpi_in_place,       [OF_FFTW - OUT_OF_PLACE] = fftw_in_place,
  };
  return libraries[algorithm - OUT_OF_PLACE];
}

static int take_number(test_case *test, const char *key, const char *value) {
  const struct {
    const char *key;
    int64_t *number, min;
  } numbers[] = {
      {"block", &test->block, 1},
      {"node", &test->ranks_per_node, 1},
      {"bytes", &test->bytes, 0},
      {"repeat", &test->repeat, 1},
      {"rows", &test->rows, 1},
      {"columns", &test->columns, 1},
      {"warm", &test->warm, 0},
      {"together-us", &test->together_us, 0},
      {"in-place", &test->is_in_place, 0},
      {"preload", &test->is_preloaded, 0},
      {"memory", &test->options.memory, 0},
  };
  size_t at;
  for (at = 0; at < sizeof numbers / sizeof *numbers; at++)
    if (strcmp(key, numbers[at].key) == 0)
      return read_number(value, numbers[at].number) && *numbers[at].number >= numbers[at].min;
  return 0;
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
    return test->forwards > OF_SIMULATOR;
  }
  if (strcmp(key, "path") == 0) return (test->options.path = find_name(paths, value)) >= 0;
  if (strcmp(key, "counts") == 0) {
    test->is_equal = strcmp(value, "equal") == 0;
    return test->is_equal || strcmp(value, "random") == 0;
  }
  if (strcmp(key, "function") == 0) return (test->function = find_name(functions, value)) >= 0;
  return take_number(test, key, value);
}

/* Count of numbers between a pair of ranks of a communicator: equal in both directions. */
static int count_of_pair(const test_case *test, int first, int second, int size) {
  int64_t partners = test->block > 0 || size < 2 ? 1 : size - 1;
  int64_t mean = (test->block > 0 ? test->block : test->bytes) / (int64_t)sizeof(uint64_t) / partners;
  uint64_t low = (uint64_t)(first < second ? first : second), high = (uint64_t)(first < second ? second : first);
  if (first == second) return test->block > 0 ? (int)mean : 0;
  /* As `hcube bench alltoall`, one number each where the mean is one. */
  if (test->is_equal || test->function == OF_ONE_COUNT || mean < 2) return (int)mean;
  /* Uniform from 0 to twice the mean. */
  return (int)(mix(low << 32 | high) % (uint64_t)(2 * mean + 1));
}

static uint64_t value_of(int from, int to, int64_t position) {
  return (uint64_t)from << 44 ^ (uint64_t)to << 24 ^ (uint64_t)position;
}

/* The communicator of this rank: its row or column, or all ranks. */
static MPI_Comm communicator(const test_case *test) {
  MPI_Comm made;
  int64_t color = 0;
  if (test->rows > 0) color = own_rank() / test->rows;
  if (test->columns > 0) color = own_rank() % (all_ranks() / test->columns);
  /* What the preload library has learned of a communicator is not for other cases. */
  if (test->rows == 0 && test->columns == 0 && !is_preloaded(test)) return MPI_COMM_WORLD;
  MPI_Comm_split(MPI_COMM_WORLD, (int)color, own_rank(), &made);
  return made;
}

static exchange make_exchange(const test_case *test, MPI_Comm comm) {
  exchange made;
  int *counts, *displacements, peer;
  made.comm = comm;
  MPI_Comm_rank(comm, &made.rank);
  MPI_Comm_size(comm, &made.size);
  made.function = test->function;
  made.ranks_per_node = (int)test->ranks_per_node;
  counts = (int *)allocate(made.size * (int64_t)sizeof *counts);
  displacements = (int *)allocate(made.size * (int64_t)sizeof *displacements);
  made.total = 0;
  for (peer = 0; peer < made.size; peer++) {
    counts[peer] = count_of_pair(test, made.rank, peer, made.size);
    displacements[peer] = (int)made.total;
    made.total += counts[peer];
  }
  if (made.total > INT32_MAX) FAIL("bytes=%" PRId64 ": too many for MPI's counts", test->bytes);
  made.counts = counts;
  made.displacements = displacements;
  made.data = (uint64_t *)allocate(made.total * (int64_t)sizeof(uint64_t));
  made.sent = is_out_of_place(test) ? (uint64_t *)allocate(made.total * (int64_t)sizeof(uint64_t)) : NULL;
  return made;
}

static void free_exchange(const exchange *of) {
  free(of->sent);
  free(of->data);
  free((void *)of->displacements);
  free((void *)of->counts);
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

/* After an odd number of exchanges of the values of `fill`: after an even number in place, blocks are back. */
static int64_t wrong_numbers(const exchange *of) {
  int64_t wrong = 0;
  int peer, position;
  for (peer = 0; peer < of->size; peer++)
    for (position = 0; position < of->counts[peer]; position++)
      wrong += of->data[of->displacements[peer] + position] != value_of(peer, of->rank, position);
  return wrong;
}

static int call_hcube_with_types(const exchange *of) {
  int *displacements = (int *)allocate(of->size * (int64_t)sizeof *displacements), peer, code;
  MPI_Datatype *types = (MPI_Datatype *)allocate(of->size * (int64_t)sizeof *types);
  for (peer = 0; peer < of->size; peer++) {
    displacements[peer] = of->displacements[peer] * (int)sizeof(uint64_t);
    types[peer] = MPI_UINT64_T;
  }
  code =
      hcube_alltoallw(of->sent, of->counts, displacements, types, of->data, of->counts, displacements, types, of->comm);
  free(types);
  free(displacements);
  return code;
}

static int call_by(const functions_of_mpi *by, const exchange *of) {
  const void *sent = of->sent != NULL ? of->sent : MPI_IN_PLACE;
  int count = of->counts[0];
  if (of->function == OF_ONE_COUNT)
    return by->one_count(sent, count, MPI_UINT64_T, of->data, count, MPI_UINT64_T, of->comm);
  return by->counts(sent, of->counts, of->displacements, MPI_UINT64_T, of->data, of->counts, of->displacements,
                    MPI_UINT64_T, of->comm);
}

static int call(const exchange *of, const test_case *test) {
  static functions_of_mpi preloaded;
  if (is_preloaded(test)) {
    if (preloaded.counts == NULL) preloaded = of_preload_library();
    return call_by(&preloaded, of);
  }
  if (is_of_hcube(test)) return of->function == OF_TYPES ? call_hcube_with_types(of) : call_by(&of_hcube, of);
  if (test->algorithm == OF_SIMULATOR) return call_by(&of_simulator, of);
  function_of(test->algorithm)(of);
  return MPI_SUCCESS;
}

static void call_times(const exchange *of, const test_case *test, int64_t times, const char *text) {
  for (; times > 0; times--)
    if (call(of, test) != MPI_SUCCESS) FAIL("case '%s': the exchange was refused", text);
}

/* One number to and from a neighbour: hcube detects nodes and memory at its first exchange. */
static void prepare(const exchange *like, const test_case *test, const char *text) {
  exchange of = *like;
  int *counts = (int *)calloc((size_t)of.size, sizeof *counts), partner = of.rank ^ 1;
  if (counts == NULL) FAIL("no memory for %d ranks", of.size);
  of.counts = of.displacements = counts;
  if (of.function == OF_ONE_COUNT) counts[0] = of.total > 0;
  else if (partner < of.size && of.total > 0) counts[partner] = 1;
  if (of.sent != NULL) memset(of.sent, 0, (size_t)of.total * sizeof(uint64_t));
  call_times(&of, test, 1, text);
  free(counts);
}

static int compare(const void *first, const void *second) {
  double difference = *(const double *)first - *(const double *)second;
  return (difference > 0) - (difference < 0);
}

static double largest(double value) {
  double max = value;
  MPI_Allreduce(&value, &max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return max;
}

/* Seconds of the slowest rank since all ranks have begun, for one of several exchanges; the same on all ranks. */
static double timed_calls(const exchange *of, const test_case *test, int64_t times, const char *text) {
  double begin = begin_together(text);
  call_times(of, test, times, text);
  return largest(MPI_Wtime() - begin) / (double)times;
}

/* The exchanges in which hcube compares algorithms, back to back: hcube times several of them together, and a barrier
 * between them would be part of the time. */
static void warm_up(const exchange *of, const test_case *test, const char *text) {
  int64_t timed = test->warm < WARM_TIMED ? test->warm : WARM_TIMED, others = test->warm - timed;
  double seconds;
  if (timed == 0) return;
  seconds = timed_calls(of, test, timed, text);
  if ((double)test->warm * seconds > WARM_SECONDS) others = (int64_t)(WARM_SECONDS / seconds) - timed;
  call_times(of, test, others, text);
}

/* How many exchanges are timed together: an odd number. */
static int64_t length_of_batch(const exchange *of, const test_case *test, const char *text) {
  double seconds, together = 1e-6 * (double)test->together_us;
  if (test->together_us == 0) return 1;
  seconds = timed_calls(of, test, 1, text);
  return seconds * MAX_BATCH < together ? MAX_BATCH : 1 | (int64_t)(1 + together / seconds);
}

/* How hcube has made the last exchange; nothing where it does not say. */
static void find_way(const exchange *of, const test_case *test, int64_t forwards_before, char *way, uint64_t length) {
  hcube_error error;
  way[0] = '\0';
  if (number_of_forwards() > forwards_before) strncpy(way, "library", length);
  else if (is_of_hcube(test) && !test->is_preloaded)
    SUCCEED(hcube_alltoall_last_path(of->comm, way, length, &error), error);
}

/* The options of the case, and the set-up of hcube with them. */
static void set_up(const exchange *of, test_case *test, const char *text) {
  hcube_error error;
  char way[16];
  if (!is_of_hcube(test)) return;
  if (test->forwards != 0) begin_forwards(of, function_of(test->forwards));
  if (test->is_preloaded) return;
  SUCCEED(hcube_alltoall_set_options(of->comm, &test->options, &error), error);
  prepare(of, test, text);
  if (test->function == OF_TYPES && test->forwards != 0) {
    /* The simulator's function cannot be replaced, but hcube's decision is the same for all calls. */
    find_way(of, test, number_of_forwards(), way, sizeof way);
    if (strcmp(way, "library") == 0) test->algorithm = test->forwards;
  }
}

/* Whether the options of a case go together. */
static void check_test(const test_case *test, const char *text) {
  int is_out = test->algorithm >= OUT_OF_PLACE && test->algorithm < IN_PLACE;
  const struct {
    int is_wrong;
    const char *expected;
  } rules[] = {
      {test->function == OF_ONE_COUNT && test->block == 0, "block= with function=alltoall"},
      {test->function == OF_TYPES && (test->is_preloaded || test->is_in_place || test->algorithm == OF_SIMULATOR),
       "function=alltoallw out of place, without preload=1, by hcube or an MPI library"},
      {is_preloaded(test) && test->algorithm != HCUBE_ALLTOALL_AUTO, "algorithm=auto with preload=1"},
      {is_out && test->is_in_place, "no in-place=1 with an algorithm out of place"},
  };
  size_t at;
  for (at = 0; at < sizeof rules / sizeof *rules; at++)
    if (rules[at].is_wrong) FAIL("case '%s': expected %s", text, rules[at].expected);
}

static test_case read_test(const char *text) {
  test_case test;
  hcube_error error;
  memset(&test, 0, sizeof test);
  SUCCEED(hcube_alltoall_default_options(&test.options, sizeof test.options, &error), error);
  test.bytes = 1 << 20;
  test.repeat = 1;
  test.ranks_per_node = all_ranks();
  test.function = -1;
  read_case(text, take_pair, &test);
  if (test.function < 0) test.function = test.block > 0 ? OF_ONE_COUNT : OF_COUNTS;
  check_test(&test, text);
  return test;
}

static void run_case(const char *text) {
  test_case test = read_test(text);
  MPI_Comm comm = communicator(&test);
  exchange of = make_exchange(&test, comm);
  double *times = (double *)allocate(test.repeat * (int64_t)sizeof(double));
  int64_t turn, wrong = 0, bytes, batch, forwarded = 0;
  int has_forwards = is_of_hcube(&test) && test.forwards != 0;
  char way[256] = "";

  set_up(&of, &test, text);
  fill(&of);
  warm_up(&of, &test, text);
  batch = length_of_batch(&of, &test, text);
  for (turn = 0; turn < test.repeat; turn++) {
    fill(&of);
    forwarded = number_of_forwards();
    times[turn] = timed_calls(&of, &test, batch, text);
    wrong += wrong_numbers(&of);
  }
  qsort(times, (size_t)test.repeat, sizeof *times, compare);
  wrong = sum_at_first(wrong);
  bytes = sum_at_first(of.total * (int64_t)sizeof(uint64_t));
  if (has_forwards && !is_of_hcube(&test)) strcpy(way, "library");
  else find_way(&of, &test, forwarded, way, sizeof way);
  RECORD(text, SECONDS("seconds") COUNT("errors") COUNT("bytes") TEXT("way"), times[test.repeat / 2], wrong, bytes,
         way);
  if (has_forwards) end_forwards();
  free(times);
  free_exchange(&of);
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, NULL, run_case, NULL);
}
