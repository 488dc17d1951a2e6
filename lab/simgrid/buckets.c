/* RandomAccess by direct messages on simulated ranks (SimGrid SMPI): a model of the algorithm that HPCC ships, as
 * Plimpton et al. 2006, section 2, describe it, and written from that description. It calls only MPI.
 *
 *   buckets <log2 of words per rank> <case>...
 *
 * A case is key=value,key=value:
 *   look_ahead=   values of a rank that are generated and not sent: 1024 by default
 *   update=       nanoseconds in which a rank generates a value and updates a word
 *   warmup=       microseconds until the rate of a steady state is counted
 *   window=       microseconds in which it is counted
 *
 * A rank keeps the values of each owner in a bucket, and updates its own words at once. When look_ahead values are in
 * buckets it sends the fullest one, a single message at a time; while it waits for the send it receives from all
 * others. Sends wait for their receivers, as messages of a library without a buffer do.
 *
 * Buckets first reach the sizes that they have after a long time without messages, which takes no time. Rates are those
 * of a window: values that have left buckets, or were the rank's own, by the length of the window. What
 * is left in buckets at the end is applied without messages, as all ranks are in one process; then rank 0 compares
 * every word with a serial loop over the values of all ranks. Rank 0 prints a record for each case, in the form of
 * lab/src/records.rs: `seconds` of the window, `updates`, `messages` and `errors`.
 */
#include "driver.h"

#define TAG 7

/* Times look_ahead: values after which buckets keep their sizes. */
#define SETTLED 8

typedef struct test_case {
  int64_t look_ahead, warmup, window;
  double update;
} test_case;

/* The values for one owner that were not sent. */
typedef struct bucket {
  uint64_t *values;
  int32_t count, room;
} bucket;

/* How the words lie on the ranks, as in HPCC: the first `larger` ranks have one word more. */
typedef struct distribution {
  int64_t least, larger;
  int log2;
} distribution;

/* A rank. All ranks can reach each other's words. */
typedef struct updates {
  const test_case *test;
  distribution words;
  int64_t first, length;
  uint64_t *table, value;
  int64_t generated, pending;
  bucket *buckets;
  /* For each number of values, the list of owners with a bucket of this size. */
  int32_t *next, *previous, *lists, fullest;
  uint64_t *sent, *received;
  MPI_Request requests[2]; /* receive, send */
  int64_t done, messages;  /* values that have left, and messages */
  int64_t ended;           /* ranks that send no more */
} updates;

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "look_ahead") == 0) return read_number(value, &test->look_ahead) && test->look_ahead > 0;
  if (strcmp(key, "warmup") == 0) return read_number(value, &test->warmup);
  if (strcmp(key, "window") == 0) return read_number(value, &test->window) && test->window > 0;
  if (strcmp(key, "update") == 0) return read_amount(value, 1e9, &test->update);
  return 0;
}

static int64_t word_of(const distribution *words, uint64_t value) {
  return words->log2 == 0 ? 0 : (int64_t)(value >> (64 - words->log2));
}

static int owner_of(const distribution *words, int64_t word) {
  int64_t of_larger = words->larger * (words->least + 1);
  if (word < of_larger) return (int)(word / (words->least + 1));
  return (int)(words->larger + (word - of_larger) / words->least);
}

static int64_t first_of(const distribution *words, int64_t rank) {
  return rank * words->least + (rank < words->larger ? rank : words->larger);
}

/* The next value of a rank: a hash of its number, so that values have no order. */
static uint64_t next_value(int rank, int64_t number) {
  return mix((uint64_t)rank << 40 ^ (uint64_t)number);
}

/* Takes an owner out of its list. */
static void unlink_owner(updates *own, int32_t owner) {
  int32_t next = own->next[owner], previous = own->previous[owner];
  if (previous >= 0) own->next[previous] = next;
  else own->lists[own->buckets[owner].count] = next;
  if (next >= 0) own->previous[next] = previous;
}

static void link_owner(updates *own, int32_t owner) {
  int32_t count = own->buckets[owner].count;
  int32_t first = own->lists[count];
  own->next[owner] = first;
  own->previous[owner] = -1;
  if (first >= 0) own->previous[first] = owner;
  own->lists[count] = owner;
  if (count > own->fullest) own->fullest = count;
}

static void keep(updates *own, int32_t owner, uint64_t value) {
  bucket *into = &own->buckets[owner];
  if (into->count > 0) unlink_owner(own, owner);
  if (into->count == into->room) {
    into->room = into->room == 0 ? 2 : 2 * into->room;
    into->values = (uint64_t *)realloc(into->values, (size_t)into->room * sizeof(uint64_t));
    if (into->values == NULL) FAIL("no memory for a bucket");
  }
  into->values[into->count++] = value;
  own->pending++;
  link_owner(own, owner);
}

static void update(updates *own, const uint64_t *values, int64_t count) {
  int64_t at;
  for (at = 0; at < count; at++) own->table[word_of(&own->words, values[at]) - own->first] ^= values[at];
}

/* Generates values until look_ahead of them are in buckets. */
static void fill(updates *own, int rank) {
  int64_t before = own->generated;
  while (own->pending < own->test->look_ahead) {
    uint64_t value = next_value(rank, own->generated++);
    int owner = owner_of(&own->words, word_of(&own->words, value));
    if (owner != rank) {
      keep(own, owner, value);
      continue;
    }
    update(own, &value, 1);
    own->done++;
    /* On one rank all values are its own. */
    if (own->generated - before >= own->test->look_ahead) break;
  }
}

static void receive_next(updates *own) {
  MPI_Irecv(own->received, (int)own->test->look_ahead, MPI_UINT64_T, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
            &own->requests[0]);
}

/* Applies a message and receives the next one; an empty message says that a rank, or all ranks, will send no more. The
 * time of a value, which was generated elsewhere, is charged here. */
static void apply_received(updates *own, const MPI_Status *status) {
  int count;
  MPI_Get_count(status, MPI_UINT64_T, &count);
  if (count == 0) own->ended++;
  update(own, own->received, count);
  receive_next(own);
  pass(own->test->update * count);
}

/* Empties the fullest bucket into the buffer of messages; returns its number of values, and its owner. */
static int32_t take_fullest(updates *own, int32_t *owner) {
  bucket *from;
  int32_t count;
  while (own->fullest > 0 && own->lists[own->fullest] < 0) own->fullest--;
  if (own->fullest == 0) return 0;
  *owner = own->lists[own->fullest];
  from = &own->buckets[*owner];
  count = from->count;
  unlink_owner(own, *owner);
  memcpy(own->sent, from->values, (size_t)count * sizeof(uint64_t));
  from->count = 0;
  return count;
}

/* Brings the buckets to the sizes that they have after a long time, without messages: values are applied at once. */
static void settle(updates *own, updates **ranks, int rank) {
  int64_t left = SETTLED * own->test->look_ahead;
  while (left > 0) {
    int32_t owner, count;
    fill(own, rank);
    count = take_fullest(own, &owner);
    if (count == 0) break;
    update(ranks[owner], own->sent, count);
    own->pending -= count;
    left -= count;
  }
}

/* Sends the fullest bucket, and receives until it has left. */
static void send_fullest(updates *own) {
  MPI_Status status;
  int32_t owner, count = take_fullest(own, &owner);
  int which;
  if (count == 0) return;
  MPI_Isend(own->sent, count, MPI_UINT64_T, owner, TAG, MPI_COMM_WORLD, &own->requests[1]);
  own->messages++;
  do {
    MPI_Waitany(2, own->requests, &which, &status);
    if (which == 0) apply_received(own, &status);
  } while (which == 0);
  own->pending -= count;
  own->done += count;
}

/* Receives until no rank has a message on its way: each says to rank 0 that its sends have ended, and rank 0 says to
 * all that this is so everywhere. A send ends when its message is in the buffer of the receive, so that no value comes
 * later. */
static void receive_last(updates *own, int rank, int size) {
  const int64_t expected = rank == 0 ? size - 1 : 1;
  MPI_Status status;
  int to;
  if (rank != 0) MPI_Isend(NULL, 0, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD, &own->requests[1]);
  while (own->ended < expected) {
    MPI_Wait(&own->requests[0], &status);
    apply_received(own, &status);
  }
  if (rank != 0) MPI_Wait(&own->requests[1], MPI_STATUS_IGNORE);
  for (to = 1; rank == 0 && to < size; to++) MPI_Send(NULL, 0, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD);
  MPI_Cancel(&own->requests[0]);
  MPI_Request_free(&own->requests[0]);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* The ranks of the case; all in one process. */
static updates **all_of(updates *own, int rank, int size) {
  static updates **ranks;
  if (rank == 0) ranks = (updates **)allocate(size * (int64_t)sizeof *ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  ranks[rank] = own;
  MPI_Barrier(MPI_COMM_WORLD);
  return ranks;
}

/* Applies what is left in buckets, on rank 0 for all. */
static void apply_left(updates **ranks, int size) {
  int from, owner;
  for (from = 0; from < size; from++)
    for (owner = 0; owner < size; owner++)
      update(ranks[owner], ranks[from]->buckets[owner].values, ranks[from]->buckets[owner].count);
}

/* How many words of all ranks are wrong, on rank 0. */
static int64_t wrong_words(updates **ranks, int size, int64_t length) {
  const distribution *words = &ranks[0]->words;
  uint64_t *whole = (uint64_t *)allocate(length * (int64_t)sizeof(uint64_t));
  int64_t word, number, wrong = 0;
  int rank;
  for (word = 0; word < length; word++) whole[word] = (uint64_t)word;
  for (rank = 0; rank < size; rank++)
    for (number = 0; number < ranks[rank]->generated; number++) {
      uint64_t value = next_value(rank, number);
      whole[word_of(words, value)] ^= value;
    }
  for (rank = 0; rank < size; rank++)
    for (word = 0; word < ranks[rank]->length; word++)
      wrong += ranks[rank]->table[word] != whole[ranks[rank]->first + word];
  free(whole);
  return wrong;
}

static void begin_rank(updates *own, const test_case *test, int log2, int rank, int size) {
  int64_t word;
  int32_t count;
  memset(own, 0, sizeof *own);
  own->test = test;
  own->words.log2 = log2;
  own->words.least = (INT64_C(1) << log2) / size;
  own->words.larger = (INT64_C(1) << log2) % size;
  own->first = first_of(&own->words, rank);
  own->length = first_of(&own->words, rank + 1) - own->first;
  own->table = (uint64_t *)allocate(own->length * (int64_t)sizeof(uint64_t));
  for (word = 0; word < own->length; word++) own->table[word] = (uint64_t)(own->first + word);
  own->buckets = (bucket *)calloc((size_t)size, sizeof(bucket));
  own->next = (int32_t *)allocate(size * (int64_t)sizeof(int32_t));
  own->previous = (int32_t *)allocate(size * (int64_t)sizeof(int32_t));
  own->lists = (int32_t *)allocate((test->look_ahead + 1) * (int64_t)sizeof(int32_t));
  own->sent = (uint64_t *)allocate(test->look_ahead * (int64_t)sizeof(uint64_t));
  own->received = (uint64_t *)allocate(test->look_ahead * (int64_t)sizeof(uint64_t));
  if (own->buckets == NULL) FAIL("no memory for buckets");
  for (count = 0; count <= test->look_ahead; count++) own->lists[count] = -1;
}

static void end_rank(updates *own, int size) {
  int owner;
  for (owner = 0; owner < size; owner++) free(own->buckets[owner].values);
  free(own->buckets);
  free(own->next);
  free(own->previous);
  free(own->lists);
  free(own->sent);
  free(own->received);
  free(own->table);
}

static void run_case(const char *text, int log2) {
  test_case test;
  updates own, **ranks;
  int rank = own_rank(), size = all_ranks();
  int64_t before[2] = {0, 0}, done, messages, wrong = 0;
  double count_from, end, from, to = 0, share;

  memset(&test, 0, sizeof test);
  test.look_ahead = 1024;
  read_case(text, take_pair, &test);
  if (test.window == 0) FAIL("case '%s': expected window=", text);
  begin_rank(&own, &test, log2, rank, size);
  ranks = all_of(&own, rank, size);
  settle(&own, ranks, rank);
  from = begin_together(text);
  count_from = from + 1e-6 * (double)test.warmup;
  end = count_from + 1e-6 * (double)test.window;
  receive_next(&own);
  while (MPI_Wtime() < end) {
    int64_t applied = own.done;
    fill(&own, rank);
    /* Its own values. */
    pass(test.update * (double)(own.done - applied));
    send_fullest(&own);
    if (MPI_Wtime() <= count_from) {
      from = MPI_Wtime();
      before[0] = own.done;
      before[1] = own.messages;
    }
    to = MPI_Wtime();
  }
  receive_last(&own, rank, size);
  /* The window of a rank begins and ends with a message. */
  share = 1e-6 * (double)test.window / (to - from);
  done = sum_at_first((int64_t)(share * (double)(own.done - before[0]) + 0.5));
  messages = sum_at_first((int64_t)(share * (double)(own.messages - before[1]) + 0.5));
  if (rank == 0) {
    apply_left(ranks, size);
    wrong = wrong_words(ranks, size, INT64_C(1) << log2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  RECORD(text, SECONDS("seconds") COUNT("updates") COUNT("errors") COUNT("messages"), 1e-6 * (double)test.window, done,
         wrong, messages);
  if (rank == 0) free(ranks);
  end_rank(&own, size);
}

int main(int argc, char **argv) {
  int size, number, log2 = 0;
  int64_t words = 0;
  MPI_Init(&argc, &argv);
  size = all_ranks();
  if (argc < 3 || !read_number(argv[1], &words) || words > 40)
    FAIL("expected: buckets <log2 of words per rank, 0 to 40> <case>...");
  while (1 << log2 < size) log2++;
  for (number = 2; number < argc; number++) run_case(argv[number], log2 + (int)words);
  MPI_Finalize();
  return 0;
}
