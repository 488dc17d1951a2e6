/* RandomAccess on simulated images of a coarray program (SimGrid SMPI), through hcube's C interface.
 *
 *   caf_updates <case>...
 *
 * A case is key=value,key=value:
 *   what=events   the paper's Figure 6 (Jin et al. 2011): values are routed along the dimensions of a hypercube. In
 * each dimension an image divides what it has in two lists and copies one to its partner, when an event says that the
 * partner has room; an event of the partner says that the values are there. Powers of two only. what=spawn    a
 * function is shipped to the owner of each word, in a finish block for each round. values=       that an image
 * generates before it waits for all of them to be applied; 1024 by default rounds=       that are timed, after one that
 * is not; 2 by default generate=, divide=, update=, ship=   nanoseconds to generate a value, to put it on a list, to
 * apply it, and to ship a function as well as to run one; 0 by default
 *
 * Either way no more than values= values are generated and not applied by their image. Values are hashes of their
 * numbers; a serial loop over all values makes the table that is expected, with which all words are compared. Times are
 * those of the slowest image, all of which begin together. Rank 0 prints a record for each case, in the form of
 * lab/src/records.rs.
 */
#include "driver.h"

enum { EVENTS, SPAWN };

typedef struct test_case {
  int what;
  int64_t values, rounds;
  double generate, divide, update, ship;
} test_case;

static const meaning programs[] = {{"events", EVENTS}, {"spawn", SPAWN}, {NULL, 0}};

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "what") == 0) return (test->what = find_name(programs, value)) >= 0;
  if (strcmp(key, "values") == 0) return read_number(value, &test->values) && test->values > 0;
  if (strcmp(key, "rounds") == 0) return read_number(value, &test->rounds) && test->rounds > 0;
  if (strcmp(key, "generate") == 0) return read_amount(value, 1e6, &test->generate);
  if (strcmp(key, "divide") == 0) return read_amount(value, 1e6, &test->divide);
  if (strcmp(key, "update") == 0) return read_amount(value, 1e6, &test->update);
  if (strcmp(key, "ship") == 0) return read_amount(value, 1e6, &test->ship);
  return 0;
}

/* Words of the table on an image. */
#define LOG2_WORDS 10
/* Functions that are shipped or run between two passages of simulated time. */
#define BATCH 64

/* Buffers of a dimension: what comes in and what goes out. */
enum { IN, OUT };

typedef struct list {
  uint64_t *values;
  int64_t length;
} list;

/* An image. */
typedef struct image {
  int rank, size, dimensions;
  const test_case *test;
  uint64_t *table;
  /* Buffers of the dimensions: for each a word with the number of values, and room for `room` values. */
  int64_t room;
  hcube_coarray buffers;
  uint64_t *words;
  hcube_events delivered, received;
  list lists[2];
  int64_t applied, pending;
} image;

/* Shipped functions find their image here; all of them are in one process. */
static image **images;

/* The number of the function that is shipped, which is the same on all images. */
static int32_t xor_function;

static uint64_t value_of(const image *of, int rank, int64_t round, int64_t number) {
  uint64_t values = (uint64_t)of->test->values, rounds = (uint64_t)of->test->rounds + 1;
  return mix(((uint64_t)rank * rounds + (uint64_t)round) * values + (uint64_t)number);
}

/* The number of a word, by as many bits as there are words. */
static uint64_t place_of(const image *of, uint64_t value) {
  return value >> (64 - LOG2_WORDS - of->dimensions);
}

static int owner_of(const image *of, uint64_t value) {
  return (int)(place_of(of, value) >> LOG2_WORDS);
}

static void apply(image *of, uint64_t value) {
  if (owner_of(of, value) != of->rank) FAIL("a value is on image %d: expected %d", of->rank, owner_of(of, value));
  of->table[place_of(of, value) & ((UINT64_C(1) << LOG2_WORDS) - 1)] ^= value;
  of->applied++;
}

/* The function that is shipped. */
static void xor_word(int32_t from, const void *arguments, uint64_t bytes) {
  uint64_t value;
  image *own = images[own_rank()];
  (void)from;
  if (bytes != sizeof value) FAIL("%d bytes of arguments", (int)bytes);
  memcpy(&value, arguments, sizeof value);
  apply(own, value);
  if (++own->pending == BATCH) {
    own->pending = 0;
    pass(BATCH * (own->test->ship + own->test->update));
  }
}

static int64_t offset_of(const image *of, int dimension, int direction) {
  return (2 * dimension + direction) * (of->room + 1);
}

static image make_image(const test_case *test) {
  image made;
  hcube_error error;
  void *address = NULL;
  int64_t word, all;
  memset(&made, 0, sizeof made);
  made.rank = own_rank();
  made.size = all_ranks();
  made.test = test;
  while (1 << made.dimensions < made.size) made.dimensions++;
  if (1 << made.dimensions != made.size) FAIL("%d images: expected a power of two", made.size);
  made.table = (uint64_t *)allocate(8 << LOG2_WORDS);
  for (word = 0; word < 1 << LOG2_WORDS; word++)
    made.table[word] = ((uint64_t)made.rank << LOG2_WORDS) + (uint64_t)word;
  if (test->what == SPAWN) return made;
  /* An image has as many values as it generates, on average. */
  made.room = test->values + 128;
  all = 8 * offset_of(&made, made.dimensions + 1, IN);
  SUCCEED(hcube_caf_coarray_alloc(0, (uint64_t)all, &made.buffers, &address, &error), error);
  SUCCEED(hcube_caf_event_alloc(0, made.dimensions + 1, &made.delivered, &error), error);
  SUCCEED(hcube_caf_event_alloc(0, made.dimensions + 1, &made.received, &error), error);
  made.words = (uint64_t *)address;
  for (word = 0; word < 2; word++) made.lists[word].values = (uint64_t *)allocate(16 * made.room);
  for (word = 0; word < made.dimensions; word++)
    SUCCEED(hcube_caf_event_notify(made.received, word, HCUBE_CAF_THIS_IMAGE, &error), error);
  return made;
}

static void free_image(image *of) {
  hcube_error error;
  free(of->table);
  free(of->lists[0].values);
  free(of->lists[1].values);
  if (of->test->what == SPAWN) return;
  SUCCEED(hcube_caf_event_free(of->received, &error), error);
  SUCCEED(hcube_caf_event_free(of->delivered, &error), error);
  SUCCEED(hcube_caf_coarray_free(of->buffers, &error), error);
}

/* Appends the values of an image on the other side of a dimension to `leaving`, which begins with their number, and the
 * others to `staying`. */
static void split(const image *of, const uint64_t *values, int64_t length, int dimension, list *staying,
                  uint64_t *leaving) {
  int64_t number;
  for (number = 0; number < length; number++) {
    int stays = ((owner_of(of, values[number]) ^ of->rank) >> dimension & 1) == 0;
    if (stays ? staying->length >= 2 * of->room : (int64_t)leaving[0] >= of->room) FAIL("too many values on an image");
    if (stays) staying->values[staying->length++] = values[number];
    else leaving[++leaving[0]] = values[number];
  }
  pass((double)length * of->test->divide);
}

/* Takes what the partner of a dimension has sent: its values and their number. */
static const uint64_t *take(const image *of, int dimension) {
  hcube_error error;
  SUCCEED(hcube_caf_event_wait(of->delivered, dimension, &error), error);
  return of->words + offset_of(of, dimension, IN);
}

/* Tells the partner of a dimension that it may send again. */
static void release(const image *of, int dimension) {
  hcube_error error;
  SUCCEED(hcube_caf_event_notify(of->received, dimension, of->rank ^ 1 << dimension, &error), error);
}

/* Copies what leaves in a dimension to the partner, when it has room. */
static void forward(const image *of, int dimension) {
  hcube_place destination, source;
  hcube_event done, predicate;
  hcube_error error;
  memset(&destination, 0, sizeof destination);
  memset(&done, 0, sizeof done);
  destination.coarray = of->buffers;
  destination.offset = 8 * (uint64_t)offset_of(of, dimension, IN);
  destination.image = of->rank ^ 1 << dimension;
  source = destination;
  source.offset = 8 * (uint64_t)offset_of(of, dimension, OUT);
  source.image = HCUBE_CAF_THIS_IMAGE;
  done.events = of->delivered;
  done.index = dimension;
  done.image = destination.image;
  predicate = done;
  predicate.events = of->received;
  predicate.image = HCUBE_CAF_THIS_IMAGE;
  SUCCEED(hcube_caf_copy_async(&destination, &source, 8 * (of->words[offset_of(of, dimension, OUT)] + 1), &done,
                               &predicate, &error),
          error);
}

static void apply_all(image *of, const uint64_t *values, int64_t length) {
  int64_t number;
  for (number = 0; number < length; number++) apply(of, values[number]);
  pass((double)length * of->test->update);
}

/* A round of routing. */
static void route(image *of, int64_t round) {
  list *last = &of->lists[0], *current = &of->lists[1], *other;
  hcube_error error;
  int dimension;
  int64_t number;
  for (number = 0; number < of->test->values; number++) last->values[number] = value_of(of, of->rank, round, number);
  last->length = of->test->values;
  pass((double)of->test->values * of->test->generate);
  /* What has left in the last round may be overwritten. */
  SUCCEED(hcube_caf_cofence(&error), error);
  for (dimension = of->dimensions - 1; dimension >= 0; dimension--) {
    uint64_t *leaving = of->words + offset_of(of, dimension, OUT);
    leaving[0] = 0;
    current->length = 0;
    split(of, last->values, last->length, dimension, current, leaving);
    if (dimension < of->dimensions - 1) {
      const uint64_t *in = take(of, dimension + 1);
      split(of, in + 1, (int64_t)in[0], dimension, current, leaving);
      release(of, dimension + 1);
    }
    forward(of, dimension);
    other = last;
    last = current;
    current = other;
  }
  apply_all(of, last->values, last->length);
  if (of->dimensions > 0) {
    const uint64_t *in = take(of, 0);
    apply_all(of, in + 1, (int64_t)in[0]);
    release(of, 0);
  }
}

/* A round of shipped functions. */
static void ship(image *of, int64_t round) {
  const test_case *test = of->test;
  hcube_error error;
  int64_t number;
  SUCCEED(hcube_caf_finish_begin(0, &error), error);
  for (number = 0; number < test->values; number++) {
    uint64_t value = value_of(of, of->rank, round, number);
    SUCCEED(hcube_caf_spawn(0, owner_of(of, value), xor_function, &value, sizeof value, NULL, &error), error);
    if ((number + 1) % BATCH == 0) pass(BATCH * (test->generate + test->ship));
  }
  pass((double)(test->values % BATCH) * (test->generate + test->ship));
  SUCCEED(hcube_caf_finish_end(&error), error);
  pass((double)of->pending * (test->ship + test->update));
  of->pending = 0;
}

/* Words of this image that differ from those of a serial loop, which rank 0 makes. */
static int64_t wrong_words(const image *of) {
  static uint64_t *expected;
  int64_t word, wrong = 0, round, number, words = (int64_t)of->size << LOG2_WORDS;
  int rank;
  if (of->rank == 0) {
    expected = (uint64_t *)allocate(8 * words);
    for (word = 0; word < words; word++) expected[word] = (uint64_t)word;
    for (rank = 0; rank < of->size; rank++)
      for (round = 0; round <= of->test->rounds; round++)
        for (number = 0; number < of->test->values; number++) {
          uint64_t value = value_of(of, rank, round, number);
          expected[place_of(of, value)] ^= value;
        }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (word = 0; word < 1 << LOG2_WORDS; word++)
    wrong += of->table[word] != expected[((int64_t)of->rank << LOG2_WORDS) + word];
  MPI_Barrier(MPI_COMM_WORLD);
  if (of->rank == 0) free(expected);
  return wrong;
}

static void run_case(const char *text) {
  test_case test;
  image of;
  hcube_error error;
  int64_t round, wrong, reductions = 0;
  double begin = 0, seconds;
  memset(&test, 0, sizeof test);
  test.values = 1024;
  test.rounds = 2;
  read_case(text, take_pair, &test);
  of = make_image(&test);
  if (images == NULL) images = (image **)allocate(of.size * (int64_t)sizeof *images);
  images[of.rank] = &of;
  SUCCEED(hcube_caf_barrier(0, &error), error);
  for (round = 0; round <= test.rounds; round++) {
    if (round == 1) {
      reductions = (int64_t)image_statistics().finish_rounds;
      SUCCEED(hcube_caf_barrier(0, &error), error);
      begin = begin_together(text);
    }
    if (test.what == EVENTS) route(&of, round);
    else ship(&of, round);
  }
  seconds = MPI_Wtime() - begin;
  reductions = (int64_t)image_statistics().finish_rounds - reductions;
  SUCCEED(hcube_caf_cofence(&error), error);
  SUCCEED(hcube_caf_barrier(0, &error), error);
  seconds = largest_at_first(seconds);
  reductions = (int64_t)largest_at_first((double)reductions);
  wrong = sum_at_first(wrong_words(&of));
  RECORD(text, SECONDS("seconds") COUNT("updates") COUNT("reductions") COUNT("errors"), seconds,
         of.size * test.values * test.rounds, reductions, wrong);
  free_image(&of);
}

static void begin(void) {
  hcube_error error;
  begin_coarrays();
  SUCCEED(hcube_caf_register(xor_word, &xor_function, &error), error);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, begin, run_case, end_coarrays);
}
