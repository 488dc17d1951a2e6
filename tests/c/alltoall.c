/* Random calls of the all-to-all functions; every byte of the buffers, between and around the
 * blocks too, is compared with its expected value, also after the MPI library's own function.
 *
 *   alltoall <seed> <cases> <largest block in bytes> [sweep] [alone]
 *
 * sweep: each case sets options of its own; otherwise the environment applies.
 * alone: without the library's own function, which is slow where ranks share cores.
 * Prints `ok <cases> cases` and the number of calls on each path, in place and out of place, summed over ranks.
 */
#include "exchange.h"
#include "rounds.h"

enum { COMMS = 8 };

static MPI_Comm comms[COMMS];
static int one_host[COMMS];
/* In place, and out of place. */
static int64_t calls_by_path[2][PATHS];

/* Parameters of a case, the same on all ranks. */
typedef struct scenario {
  uint64_t seed;
  int function, large, in_place, comm;
  int unit, grain, style;
  int64_t most; /* multiples of the grain in a large block */
} scenario;

static void make_comms(uint64_t seed) {
  dice same = make_dice(seed, 1, 0), own = make_dice(seed, 2, (uint64_t)rank);
  int parts = 1 + (int)roll(&same, 3);
  comms[0] = MPI_COMM_WORLD;
  comms[1] = MPI_COMM_SELF;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[3]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[4]);
  MPI_Comm_split(MPI_COMM_WORLD, (int)roll(&own, parts), (int)roll(&own, 1000), &comms[5]);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, (int)roll(&own, 1000), MPI_INFO_NULL, &comms[6]);
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, -rank, &comms[7]);
  for (int number = 0; number < COMMS; number++) one_host[number] = on_one_host(comms[number]);
}

static scenario make_scenario(uint64_t seed, int number, int64_t largest) {
  static const int grains[] = {1, 1, 2, 3, 4, 6, 12, 30};
  dice random = make_dice(seed, 1000 + (uint64_t)number, 0);
  scenario made;
  made.seed = mix3(seed, 7, (uint64_t)number);
  made.function = (int)roll(&random, FUNCTIONS);
  made.large = roll(&random, 3) == 0;
  made.in_place = roll(&random, 3) > 0;
  made.comm = (int)roll(&random, COMMS);
  /* One draw after the other: C does not say which operand of % comes first. */
  made.unit = (int)roll(&random, 3 * UNITS);
  made.unit %= roll(&random, 4) == 0 ? UNITS : UNITS - 1;
  made.grain = grains[roll(&random, (int64_t)(sizeof grains / sizeof grains[0]))];
  /* A single element may be a whole block. */
  if (roll(&random, 8) == 0) made.grain = 31 + (int)roll(&random, 500);
  made.style = (int)roll(&random, 7);
  int64_t size = unit_size[made.unit] > 0 ? unit_size[made.unit] : 1;
  made.most = 1 + largest / (size * made.grain);
  return made;
}

/* Multiples of the grain that one rank sends to another; every rank can compute them for all ranks. */
static int64_t multiples(const scenario *of, int from, int to, int size) {
  int first = of->in_place && to < from ? to : from, second = of->in_place && to < from ? from : to;
  dice common = make_dice(of->seed, 3, 0), pair;
  int64_t giant = roll(&common, size), other = roll(&common, size);
  if (of->function == ALLTOALL) first = second = 0;
  pair = make_dice(of->seed, 4 + (uint64_t)first, (uint64_t)second);
  switch (of->style) {
    case 0: return 0;
    case 1: return 1;
    case 2: return roll(&pair, 5) * 2 + 1;
    case 3: return 1 + roll(&pair, of->most);
    case 4: /* one giant block */
      if (of->function == ALLTOALL) return roll(&pair, 3);
      return (first == giant && second == other) || (of->in_place && first == other && second == giant)
                 ? of->most
                 : roll(&pair, 3);
    case 5: return roll(&pair, 2) * roll(&pair, 1 + of->most / 16);
    default: /* one rank has most of the data */
      return first == giant || (of->in_place && second == giant) ? roll(&pair, 1 + of->most / 4) : roll(&pair, 2);
  }
}

static side make_random_side(const scenario *of, const exchange *in, int sends) {
  dice random = make_dice(of->seed, 100 + (uint64_t)sends, (uint64_t)in->rank);
  side made = make_side(in->size, in->function == ALLTOALLW ? in->size : 1);
  int64_t columns = 0, grains[64];
  REQUIRE(in->size <= 64);
  for (int peer = 0; peer < in->size; peer++) {
    grains[peer] = sends ? multiples(of, in->rank, peer, in->size) : multiples(of, peer, in->rank, in->size);
    /* At most 3 unused elements precede each block. */
    columns += grains[peer] * of->grain + 8;
  }
  for (int peer = 0; peer < made.layouts; peer++) {
    int units = in->function == ALLTOALLW && grains[peer] == 1 ? of->grain : divisor(&random, of->grain);
    made.layout_list[peer] = make_layout(&random, of->unit, units, columns < 5000 ? columns : 0);
  }
  for (int peer = 0; peer < in->size; peer++)
    made.counts[peer] = grains[peer] * of->grain / layout_of(&made, peer)->units;
  place_blocks(&made, in->function, &random);
  make_memory(&made);
  return made;
}

static exchange make_exchange(const scenario *of, MPI_Comm comm) {
  exchange made;
  memset(&made, 0, sizeof made);
  made.function = of->function;
  made.large = of->large;
  made.in_place = of->in_place;
  made.comm = comm;
  MPI_Comm_rank(comm, &made.rank);
  MPI_Comm_size(comm, &made.size);
  made.receive = make_random_side(of, &made, 0);
  if (!made.in_place) made.send = make_random_side(of, &made, 1);
  return made;
}

static void free_exchange(exchange *made) {
  free_types(&made->receive);
  if (!made->in_place) free_types(&made->send);
  free_case();
}

static void describe(const scenario *of, const exchange *in, const char *who, int64_t at) {
  static const char *const names[FUNCTIONS] = {"alltoall", "alltoallv", "alltoallw"};
  FAIL("%s, case %" PRIx64 ": %s%s%s on communicator %d, rank %d of %d, style %d, unit %d, grain %d: byte %" PRId64
       " of %" PRId64 " is wrong",
       who, of->seed, names[of->function], of->large ? "_c" : "", of->in_place ? " in place" : "", of->comm, in->rank,
       in->size, of->style, of->unit, of->grain, at - in->receive.origin, in->receive.length - in->receive.origin);
}

static void compare(const scenario *of, const exchange *in, const char *who, const side *what,
                    const unsigned char *memory, const unsigned char *expected) {
  int64_t at = 0;
  if (memcmp(memory, expected, (size_t)what->length) == 0) return;
  while (memory[at] == expected[at]) at++;
  describe(of, in, who, at);
}

/* Bytes of the largest block between any two ranks of a communicator. */
static int64_t largest_block(const scenario *of, int size) {
  int64_t most = 0, grains;
  for (int from = 0; from < size; from++) {
    for (int to = 0; to < size; to++) {
      grains = multiples(of, from, to, size);
      if (grains > most) most = grains;
    }
  }
  return most * of->grain * unit_size[of->unit];
}

/* Calls in which the library's own function is known to be wrong. All ranks of a communicator must
 * make a call or none, so it may not depend on the datatypes that a rank has chosen. */
static int library_is_wrong(const scenario *of, const exchange *in) {
#ifdef OPEN_MPI
  /* 4.1.4: byte displacements are scaled by the extent. */
  if (in->function == ALLTOALLW && in->size == 1 && !in->in_place) return 1;
#if OMPI_MAJOR_VERSION >= 5
  /* 5.0.11: blocks that are sent in segments have wrong bytes with some derived datatypes. */
  return in->size > 1 && largest_block(of, in->size) > 2048;
#else
  (void)largest_block;
  (void)of;
  return 0;
#endif
#else
  /* 4.0.2: with elements of several basic types, blocks that are sent in segments abort with 'Message truncated': a
   * segment may end inside an element. */
  return (of->unit == UNIT_DOUBLE_INT || of->unit == UNIT_RECORD) && in->size > 1 && largest_block(of, in->size) > 4096;
#endif
}

/* Whether hcube may hand a call to the library. */
static int may_be_library(const exchange *in, const hcube_alltoall_options *options) {
  return !in->in_place || options->schedule == HCUBE_ALLTOALL_LIBRARY;
}

static void run_case(const scenario *of, const hcube_alltoall_options *options, int with_library) {
  exchange in = make_exchange(of, comms[of->comm]);
  const side *received = &in.receive;
  unsigned char *sent = NULL;
  if (library_is_wrong(of, &in) && may_be_library(&in, options)) {
    free_exchange(&in);
    return;
  }
  unsigned char *expected = OF_CASE(unsigned char, received->length);
  put_canary(expected, received->length);
  put_received(&in, of->seed, expected);
  unsigned char *other = OF_CASE(unsigned char, received->length);
  if (in.in_place) {
    put_sent(&in, of->seed, received, received->memory);
  } else {
    put_sent(&in, of->seed, &in.send, in.send.memory);
    sent = OF_CASE(unsigned char, in.send.length);
    memcpy(sent, in.send.memory, (size_t)in.send.length);
  }
  memcpy(other, received->memory, (size_t)received->length);

  perform(&in, 0, received->memory);
  if (in.in_place) check_path(in.comm, options, one_host[of->comm], bytes_to_others(&in));
  calls_by_path[!in.in_place][last_path(in.comm)]++;
  compare(of, &in, "hcube", received, received->memory, expected);
  if (with_library && !library_is_wrong(of, &in)) {
    perform(&in, 1, other);
    compare(of, &in, "the library", received, other, expected);
  }
  if (sent != NULL) compare(of, &in, "what was sent", &in.send, in.send.memory, sent);

  free_exchange(&in);
}

/* Options that no other case of the sweep need have. */
static hcube_alltoall_options set_random_options(const scenario *of) {
  static const int64_t memories[] = {0, 1000, 4097, 65536, 1 << 20, 1 << 30};
  static const int nodes[] = {0, 0, 0, 1, 2, 3};
  static const int32_t schedules[] = {HCUBE_ALLTOALL_AUTO,         HCUBE_ALLTOALL_MPICH,
                                      HCUBE_ALLTOALL_LINEAR_SHIFT, HCUBE_ALLTOALL_HIERARCHICAL_SETS,
                                      HCUBE_ALLTOALL_HYPERCUBE,    HCUBE_ALLTOALL_NODE_LEADERS};
  hcube_alltoall_options options = environment_options();
  dice random = make_dice(of->seed, 5, 0);
  options.schedule = schedules[roll(&random, (int64_t)(sizeof schedules / sizeof schedules[0]))];
  options.path = (int32_t)roll(&random, HCUBE_PATH_MESSAGE + 1);
  options.memory = memories[roll(&random, (int64_t)(sizeof memories / sizeof memories[0]))];
  options.ranks_per_node = nodes[roll(&random, (int64_t)(sizeof nodes / sizeof nodes[0]))];
  SUCCEED(hcube_alltoall_set_options(comms[of->comm], &options, &failure));
  return options;
}

int main(int argc, char **argv) {
  int64_t sums[2][PATHS];
  int sweep = 0, with_library = 1;
  begin_program(&argc, &argv);
  if (argc < 4) FAIL("usage: %s <seed> <cases> <largest block> [sweep] [alone]", argv[0]);
  uint64_t seed = strtoull(argv[1], NULL, 10);
  int cases = atoi(argv[2]);
  int64_t largest = atoll(argv[3]);
  for (int i = 4; i < argc; i++) {
    sweep |= strcmp(argv[i], "sweep") == 0;
    with_library &= strcmp(argv[i], "alone") != 0;
  }
  while (next_round()) {
    make_comms(seed);
    for (int number = 0; number < cases; number++) {
      scenario of = make_scenario(seed, number, largest);
      hcube_alltoall_options options = sweep ? set_random_options(&of) : environment_options();
      run_case(&of, &options, with_library);
    }
    for (int i = 2; i < COMMS; i++) MPI_Comm_free(&comms[i]);
  }
  MPI_Reduce(calls_by_path, sums, 2 * PATHS, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("ok %d cases", cases);
    for (int i = 0; i < PATHS; i++)
      printf(" %s=%" PRId64 " out-of-place:%s=%" PRId64, path_names[i], sums[0][i], path_names[i], sums[1][i]);
    printf("\n");
  }
  return end_program();
}
