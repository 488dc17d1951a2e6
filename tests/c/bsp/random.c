/* Random supersteps of puts, gets, unbuffered operations and messages, against a serial model.
 *
 * Arguments: seed, number of programs, largest segment in bytes. All processes make the same program by the same
 * generator, and each carries out its own calls; the model has the memory of all of them. Prints `ok <calls>`. */
#include "bsp_client.h"
#include "../rounds.h"

/* A block has segments, each of which is written by one call at most; the last of them are for unbuffered ones. */
enum { SEGMENTS = 20, UNBUFFERED = 4, SUPERSTEPS = 5, MAX_TAG = 32, MAX_PROCESSES = 16 };

static uint64_t state;

static size_t number(size_t bound) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (size_t)(state >> 11) % bound;
}

/* Often none, one or all. */
static size_t length(size_t limit) {
  switch (number(5)) {
    case 0: return number(2);
    case 1: return limit;
    default: return number(limit + 1);
  }
}

/* A message for this process, as the model has it. */
typedef struct {
  int from, salt;
  size_t bytes;
} message;

static size_t segment;
/* Memory of all processes before and after the superstep. */
static unsigned char *before[MAX_PROCESSES], *after[MAX_PROCESSES];
static unsigned char *block, *data;
static message *expected;
static size_t messages, calls;

static void put(int from, int to, size_t index, int salt, int is_unbuffered) {
  size_t bytes = length(segment), begin = index * segment + number(segment - bytes + 1);
  fill(after[to] + begin, bytes, (size_t)from, (size_t)salt);
  calls++;
  if (from != own) return;
  fill(data, bytes, (size_t)from, (size_t)salt);
  if (is_unbuffered) {
    /* The data must stay until the end of the superstep: it is a part of its own. */
    unsigned char *stays = data + (1 + (size_t)to * UNBUFFERED + index % UNBUFFERED) * 3 * segment;
    memcpy(stays, data, bytes);
    bsp_hpput((bsp_pid_t)to, stays, block, (bsp_size_t)begin, (bsp_size_t)bytes);
  } else {
    bsp_put((bsp_pid_t)to, data, block, (bsp_size_t)begin, (bsp_size_t)bytes);
  }
}

/* The whole segment `source` of a process to a segment of the process that gets. */
static void get(int to, int from, size_t source, size_t index, int is_unbuffered) {
  calls++;
  if (to != own) return;
  if (is_unbuffered)
    bsp_hpget((bsp_pid_t)from, block, (bsp_size_t)(source * segment), block + index * segment, (bsp_size_t)segment);
  else bsp_get((bsp_pid_t)from, block, (bsp_size_t)(source * segment), block + index * segment, (bsp_size_t)segment);
}

static void send(int from, int to, int salt, size_t tag_bytes) {
  size_t bytes = length(3 * segment);
  unsigned char tag[MAX_TAG];
  calls++;
  if (to == own) {
    expected[messages].from = from;
    expected[messages].salt = salt;
    expected[messages++].bytes = bytes;
  }
  if (from != own) return;
  fill(data, bytes, (size_t)from, (size_t)salt);
  fill(tag, sizeof tag, (size_t)from, (size_t)salt + 1);
  bsp_send((bsp_pid_t)to, tag_bytes == 0 ? NULL : tag, data, (bsp_size_t)bytes);
}

/* The messages that this process has received, compared with the model: the highest process first. */
static void take(size_t tag_bytes, int salt) {
  size_t bytes = 0;
  bsp_nprocs_t packets;
  bsp_size_t accumulated;
  for (size_t index = 0; index < messages; index++) bytes += expected[index].bytes;
  bsp_qsize(&packets, &accumulated);
  if ((size_t)packets != messages || (size_t)accumulated != bytes)
    FAIL("process %d has %ld messages instead of %zu", own, (long)packets, messages);
  for (int from = all - 1; from >= 0; from--) {
    for (size_t index = 0; index < messages; index++) {
      const message *next = &expected[index];
      unsigned char tag[MAX_TAG];
      void *found_tag = tag, *found = data;
      bsp_size_t status;
      if (next->from != from) continue;
      bsp_get_tag(&status, tag);
      REQUIRE(status == (bsp_size_t)next->bytes);
      if ((index + (size_t)salt) % 2 == 0) REQUIRE(bsp_hpmove(&found_tag, &found) == status);
      else bsp_move(data, status);
      if (!is_filled(found_tag, tag_bytes, (size_t)from, (size_t)next->salt + 1) ||
          !is_filled(found, next->bytes, (size_t)from, (size_t)next->salt))
        FAIL("process %d has another message of process %d than was sent", own, from);
    }
  }
}

/* Calls of all processes, in an order that is the same for each of them in itself. In every other superstep nobody
 * writes the first segment, which is read unbuffered then. */
static void superstep(int step, size_t tag_bytes) {
  int salt = step * 10000;
  size_t first = (size_t)(step % 2);
  /* Gets first, because the model has their results before the results of puts. */
  for (int process = 0; process < all; process++) {
    memcpy(after[process], before[process], SEGMENTS * segment);
    for (size_t index = first; index < SEGMENTS - UNBUFFERED; index++) {
      int from = (int)number((size_t)all);
      /* Not from segments of unbuffered operations, which may change at any time. */
      size_t source = number(SEGMENTS - UNBUFFERED);
      if (number(3) != 0) continue;
      get(process, from, source, index, 0);
      memcpy(after[process] + index * segment, before[from] + source * segment, segment);
    }
  }
  for (int process = 0; process < all; process++) {
    for (size_t index = first; index < SEGMENTS; index++) {
      int other = (int)number((size_t)all), is_unbuffered = index >= SEGMENTS - UNBUFFERED;
      switch (number(4)) {
        case 0:
        case 1: put(other, process, index, ++salt, is_unbuffered); break;
        case 2:
          if (!is_unbuffered || first == 0) break;
          get(process, other, 0, index, 1);
          memcpy(after[process] + index * segment, before[other], segment);
          break;
        default: break;
      }
      while (number(3) == 0) send((int)number((size_t)all), process, ++salt, tag_bytes);
    }
  }
}

static void program(void) {
  static const size_t tags[SUPERSTEPS + 1] = {0, 4, 17, 32, 0, 0};
  segment = 1 + number(segment);
  for (int process = 0; process < all; process++) fill(before[process], SEGMENTS * segment, (size_t)process, 77);
  memcpy(block, before[own], SEGMENTS * segment);
  bsp_push_reg(block, (bsp_size_t)(SEGMENTS * segment));
  bsp_sync();
  for (int step = 0; step < SUPERSTEPS; step++) {
    bsp_size_t tag = (bsp_size_t)tags[step + 1];
    size_t looked_at = SEGMENTS - (step + 1 < SUPERSTEPS ? UNBUFFERED : 0);
    bsp_set_tagsize(&tag);
    REQUIRE(tag == (bsp_size_t)tags[step]);
    messages = 0;
    superstep(step, tags[step]);
    bsp_sync();
    /* Others may write to segments of unbuffered operations again. */
    if (memcmp(block, after[own], looked_at * segment) != 0) FAIL("process %d, superstep %d: other memory", own, step);
    take(tags[step], step);
    for (int process = 0; process < all; process++) memcpy(before[process], after[process], SEGMENTS * segment);
  }
  bsp_pop_reg(block);
  bsp_sync();
}

int main(int argc, char **argv) {
  REQUIRE(argc == 4);
  state = strtoull(argv[1], NULL, 10) * 2 + 1;
  int programs = atoi(argv[2]);
  size_t largest = (size_t)atol(argv[3]);
  bsp_begin(bsp_nprocs());
  rank = own = (int)bsp_pid();
  all = (int)bsp_nprocs();
  REQUIRE(all <= MAX_PROCESSES);
  for (int index = 0; index < all; index++) {
    before[index] = (unsigned char *)room(SEGMENTS * largest);
    after[index] = (unsigned char *)room(SEGMENTS * largest);
  }
  block = (unsigned char *)room(SEGMENTS * largest);
  data = (unsigned char *)room((size_t)(1 + all * UNBUFFERED) * 3 * largest);
  expected = (message *)room(sizeof(message) * 100000);
  uint64_t first = state;
  while (next_round()) {
    state = first;
    for (int index = 0; index < programs; index++) {
      segment = largest;
      program();
    }
  }
  bsp_end();
  if (own == 0) printf("ok %zu\n", calls);
  return 0;
}
