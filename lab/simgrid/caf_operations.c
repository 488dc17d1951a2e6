/* Operations of coarray programs on simulated images (SimGrid SMPI), through hcube's C interface, as `hcube bench caf`
 * and, with neighbours=1, `hcube bench gfortran` repeat them.
 *
 *   caf_operations <case>...
 *
 * A case is key=value,key=value:
 *   operation=put|get|put-strided|fetch-add|lock|copy-async   by the first image, on its target, while all others poll
 *   operation=event   between these two images, back and forth; the time of one way
 *   operation=barrier|broadcast|allreduce|spawn-xor   by all images
 *   bytes=        of put, get, copy-async, broadcast and allreduce, a multiple of 8; 8 by default
 *   target=       the image; 1 by default
 *   neighbours=1  get by all images at the same time, each from the next one
 *   together-us=  operations are timed in batches of about this time; 5000 by default
 *
 * The time is that of an operation on the slowest image. Rank 0 prints a record for each case, in the form of
 * lab/src/records.rs. What put, get, copy-async, broadcast, allreduce, fetch-add and
 * spawn-xor leave is checked.
 */
#include "driver.h"

#define ELEMENTS 1000
#define STRIDE 8
#define FIRST_BATCH 3
#define MAX_BATCH 20000

enum { PUT, GET, STRIDED, ADD, LOCK, COPY, EVENT, BARRIER, BROADCAST, ALLREDUCE, SPAWN };

static const meaning operations[] = {{"put", PUT},
                                     {"get", GET},
                                     {"put-strided", STRIDED},
                                     {"fetch-add", ADD},
                                     {"lock", LOCK},
                                     {"copy-async", COPY},
                                     {"event", EVENT},
                                     {"barrier", BARRIER},
                                     {"broadcast", BROADCAST},
                                     {"allreduce", ALLREDUCE},
                                     {"spawn-xor", SPAWN},
                                     {NULL, 0}};

typedef struct test_case {
  int operation;
  int64_t bytes, target, neighbours, together_us;
} test_case;

/* An image with its memory, the memory that others access, and the image that it accesses. */
typedef struct image {
  const test_case *test;
  int32_t rank, size, function, target;
  uint64_t *own, *shared, *sum;
  int64_t shared_bytes, words, calls, shipped, batches;
  hcube_coarray coarray;
  hcube_events events;
  hcube_locks locks;
} image;

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "operation") == 0) return (test->operation = find_name(operations, value)) >= 0;
  if (strcmp(key, "bytes") == 0) return read_number(value, &test->bytes) && test->bytes > 0 && test->bytes % 8 == 0;
  if (strcmp(key, "target") == 0) return read_number(value, &test->target);
  if (strcmp(key, "neighbours") == 0) return read_number(value, &test->neighbours) && test->neighbours <= 1;
  if (strcmp(key, "together-us") == 0) return read_number(value, &test->together_us);
  return 0;
}

/* The word of an image at a place. */
static uint64_t word(int64_t rank, int64_t place) {
  return mix((uint64_t)rank << 32 ^ (uint64_t)place);
}

/* The function that is shipped: its arguments are the word and what is combined with it. */
static void exclusive_or(int32_t from, const void *arguments, uint64_t bytes) {
  uint64_t values[2];
  (void)from;
  (void)bytes;
  memcpy(values, arguments, sizeof values);
  *(uint64_t *)(uintptr_t)values[0] ^= values[1];
}

static void copy(image *of) {
  const test_case *test = of->test;
  struct hcube_place to, from;
  struct hcube_event done;
  hcube_error error;
  memset(&to, 0, sizeof to);
  memset(&from, 0, sizeof from);
  memset(&done, 0, sizeof done);
  to.coarray = of->coarray;
  to.image = (int32_t)test->target;
  from.memory = of->own;
  done.events = of->events;
  done.index = 1;
  done.image = of->rank;
  SUCCEED(hcube_caf_copy_async(&to, &from, (uint64_t)test->bytes, &done, NULL, &error), error);
  SUCCEED(hcube_caf_event_wait(of->events, 1, &error), error);
}

static void put_elements(image *of) {
  const int64_t counts[] = {ELEMENTS}, strides[] = {8 * STRIDE};
  hcube_error error;
  SUCCEED(
      hcube_caf_put_strided(of->coarray, (int32_t)of->test->target, 0, 8, 1, counts, strides, of->own, NULL, &error),
      error);
}

/* All ranks are in one process, so that the place of a word is its address. */
static void ship(image *of) {
  uint64_t number = mix((uint64_t)of->rank << 40 ^ (uint64_t)of->shipped++), arguments[2];
  int32_t to = (int32_t)(number % (uint64_t)of->size);
  hcube_error error;
  arguments[0] = (uint64_t)(uintptr_t)(of->sum + to);
  arguments[1] = 1;
  SUCCEED(hcube_caf_spawn(0, to, of->function, arguments, sizeof arguments, NULL, &error), error);
}

/* Notices between the first image and the target. */
static void notify(image *of) {
  int32_t other = of->rank == 0 ? (int32_t)of->test->target : 0;
  hcube_error error;
  if (of->rank == 0) SUCCEED(hcube_caf_event_notify(of->events, 0, other, &error), error);
  SUCCEED(hcube_caf_event_wait(of->events, 0, &error), error);
  if (of->rank != 0) SUCCEED(hcube_caf_event_notify(of->events, 0, other, &error), error);
}

static void operate(image *of) {
  const test_case *test = of->test;
  int32_t target = of->target;
  uint64_t bytes = (uint64_t)test->bytes, before;
  hcube_error error;
  switch (test->operation) {
    case PUT: SUCCEED(hcube_caf_put(of->coarray, target, 0, of->own, bytes, &error), error); break;
    case GET: SUCCEED(hcube_caf_get(of->coarray, target, 0, of->own, bytes, &error), error); break;
    case STRIDED: put_elements(of); break;
    case ADD: SUCCEED(hcube_caf_atomic(of->coarray, target, 0, HCUBE_CAF_ADD, 1, 0, &before, &error), error); break;
    case LOCK:
      SUCCEED(hcube_caf_lock(of->locks, 0, target, &error), error);
      SUCCEED(hcube_caf_unlock(of->locks, 0, target, &error), error);
      break;
    case COPY: copy(of); break;
    case EVENT: notify(of); break;
    case BARRIER: SUCCEED(hcube_caf_barrier(0, &error), error); break;
    case BROADCAST: SUCCEED(hcube_caf_broadcast(0, 0, of->own, bytes, &error), error); break;
    case ALLREDUCE:
      SUCCEED(hcube_caf_allreduce(0, of->own, of->shared, (int64_t)(bytes / 8), MPI_UINT64_T, MPI_SUM, &error), error);
      break;
    default: ship(of);
  }
}

static int takes_part(const image *of) {
  if (of->test->operation >= BARRIER || of->test->neighbours) return 1;
  return of->rank == 0 || (of->test->operation == EVENT && of->rank == of->test->target);
}

/* Batches of a case that images have ended, the first one or all of them: all images are in one process. */
static int64_t ended_batches;

/* Polls as an image in a barrier does, but in equal intervals: the library lets a simulated image that waits for long
 * poll rarely, which would delay what it serves. */
static void serve(int64_t batches) {
  double pause = cost_ns("rest") + 1000;
  hcube_error error;
  while (ended_batches < batches) {
    SUCCEED(hcube_caf_progress(&error), error);
    pass(pause);
  }
}

/* Seconds of an operation on this image: with what completes the operations of the batch. */
static double run_batch(image *of, int64_t times) {
  int operation = of->test->operation;
  double begin = MPI_Wtime(), seconds;
  int64_t call, batch = ++of->batches;
  uint64_t read;
  hcube_error error;
  if (operation == SPAWN) SUCCEED(hcube_caf_finish_begin(0, &error), error);
  if (takes_part(of)) {
    for (call = 0; call < times; call++) operate(of);
    if (operation == PUT || operation == STRIDED)
      SUCCEED(hcube_caf_get(of->coarray, of->target, 0, &read, sizeof read, &error), error);
  }
  if (operation == SPAWN) SUCCEED(hcube_caf_finish_end(&error), error);
  seconds = takes_part(of) ? MPI_Wtime() - begin : 0;
  ended_batches += of->rank == 0 || of->test->neighbours;
  if (operation < EVENT) serve(batch * (of->test->neighbours ? of->size : 1));
  of->calls += times;
  SUCCEED(hcube_caf_barrier(0, &error), error);
  return (operation == EVENT ? 0.5 : 1) * seconds / (double)times;
}

/* The same on all images. */
static double timed(image *of, int64_t times) {
  double own, slowest;
  MPI_Barrier(MPI_COMM_WORLD);
  own = run_batch(of, times);
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static void prepare(image *of) {
  int64_t at, bytes = of->test->bytes;
  void *shared;
  hcube_error error;
  of->rank = own_rank();
  of->size = all_ranks();
  of->target = of->test->neighbours ? (of->rank + 1) % of->size : (int32_t)of->test->target;
  of->words = of->test->operation == STRIDED ? ELEMENTS : bytes / 8;
  of->shared_bytes = of->test->operation == STRIDED ? (int64_t)8 * ELEMENTS * STRIDE : bytes;
  of->own = (uint64_t *)allocate(8 * of->words);
  of->sum = (uint64_t *)calloc((size_t)of->size, sizeof *of->sum);
  if (of->sum == NULL) FAIL("no memory for %d images", (int)of->size);
  SUCCEED(hcube_caf_coarray_alloc(0, (uint64_t)of->shared_bytes, &of->coarray, &shared, &error), error);
  SUCCEED(hcube_caf_event_alloc(0, 2, &of->events, &error), error);
  SUCCEED(hcube_caf_lock_alloc(0, 1, &of->locks, &error), error);
  of->shared = (uint64_t *)shared;
  if (of->rank == 0) ended_batches = 0;
  for (at = 0; at < of->words; at++) of->own[at] = word(of->rank, at);
  for (at = 0; at < of->shared_bytes / 8; at++) of->shared[at] = of->test->operation == GET ? word(of->rank, at) : 0;
  SUCCEED(hcube_caf_barrier(0, &error), error);
}

/* What the last operation has left. */
static int64_t wrong_words(const image *of) {
  int64_t at, wrong = 0, image;
  int operation = of->test->operation, is_target = of->rank == of->test->target;
  for (at = 0; at < of->words; at++) {
    uint64_t sum = 0;
    if ((operation == PUT || operation == COPY) && is_target) wrong += of->shared[at] != word(0, at);
    if (operation == STRIDED && is_target) wrong += of->shared[at * STRIDE] != word(0, at);
    if (operation == GET && takes_part(of)) wrong += of->own[at] != word(of->target, at);
    if (operation == BROADCAST) wrong += of->own[at] != word(0, at);
    for (image = 0; operation == ALLREDUCE && image < of->size; image++) sum += word(image, at);
    if (operation == ALLREDUCE) wrong += of->shared[at] != sum;
  }
  if (operation == ADD && is_target) wrong += of->shared[0] != (uint64_t)of->calls;
  return wrong;
}

/* Each function changes a bit of the image that ships it, so that all of them are counted by parity. */
static int64_t wrong_parities(const image *of) {
  int64_t wrong = 0, call;
  int image;
  for (image = 0; of->test->operation == SPAWN && image < of->size; image++) {
    uint64_t expected = 0;
    for (call = 0; call < of->shipped; call++)
      expected ^= mix((uint64_t)of->rank << 40 ^ (uint64_t)call) % (uint64_t)of->size == (uint64_t)image;
    wrong += of->sum[image] != expected;
  }
  return wrong;
}

static void run_case(const char *text) {
  test_case test;
  image of;
  double seconds;
  int64_t batch, wrong;
  hcube_error error;
  memset(&test, 0, sizeof test);
  memset(&of, 0, sizeof of);
  test.bytes = 8;
  test.target = 1;
  test.together_us = 5000;
  read_case(text, take_pair, &test);
  of.test = &test;
  prepare(&of);
  if (test.neighbours && test.operation != GET) FAIL("case '%s': expected get with neighbours=", text);
  if (test.target < 1 || test.target >= of.size) FAIL("case '%s': expected target= from 1 to %d", text, of.size - 1);
  SUCCEED(hcube_caf_register(exclusive_or, &of.function, &error), error);
  timed(&of, 1);
  seconds = timed(&of, FIRST_BATCH);
  batch = seconds * MAX_BATCH < 1e-6 * (double)test.together_us
              ? MAX_BATCH
              : 1 + (int64_t)(1e-6 * (double)test.together_us / seconds);
  timed(&of, batch);
  seconds = timed(&of, batch);
  wrong = sum_at_first(wrong_words(&of) + wrong_parities(&of));
  RECORD(text, SECONDS("seconds") COUNT("errors"), seconds, wrong);
  SUCCEED(hcube_caf_barrier(0, &error), error);
  free(of.own);
  free(of.sum);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, begin_coarrays, run_case, end_coarrays);
}
