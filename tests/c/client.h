/* The common part of all clients. Valid C11 and C++17, as hcube.h itself, which is included twice to test its include
 * guard. */
#ifndef CLIENT_H
#define CLIENT_H

#include "fail.h"

#include <hcube.h>
#include <hcube.h>

#include <inttypes.h>
#include <string.h>

#ifdef __cplusplus
#define CLIENT_LANGUAGE "C++"
#else
#define CLIENT_LANGUAGE "C"
#endif

/* Where calls of hcube say what went wrong; a function that threads call has one of its own with this name. */
static hcube_error failure;

/* A call of hcube that must succeed. */
#define SUCCEED(call)                                                                          \
  do {                                                                                         \
    int32_t code_ = (call);                                                                    \
    if (code_ != HCUBE_SUCCESS) FAIL("%s: code %d: %s", #call, (int)code_, (failure).message); \
  } while (0)

static int refusals;

/* Counts a refusal, which must have this code and these words in its message. */
static inline void require_refusal(int line, int32_t code, int32_t expected, const char *words) {
  if (code != expected || failure.code != code || strstr(failure.message, words) == NULL)
    FAIL("line %d: code %d instead of %d, without \"%s\": %s", line, (int)code, (int)expected, words, failure.message);
  refusals++;
}

/* A call of hcube that must be refused; its error is `failure`. */
#define REFUSED(expected, words, call) require_refusal(__LINE__, call, expected, words)

/* The part of `rank` in a table of `length` words on `size` ranks. */
static inline void distribute(int64_t length, int rank, int size, int64_t *first, int64_t *local) {
  int64_t least = length / size, larger = length % size;
  *local = least + (rank < larger ? 1 : 0);
  *first = rank * least + (rank < larger ? rank : larger);
}

/* One step of the generators that the benchmark prescribes. */
static inline uint64_t next_value(int32_t stream, uint64_t state) {
  if (stream == HCUBE_STREAM_LCG) return state * UINT64_C(6364136223846793005) + 1;
  return state << 1 ^ (state >> 63 ? UINT64_C(7) : 0);
}

/* The word of a table of 2^log2 words that a value updates. */
static inline uint64_t word_of(int32_t stream, int log2, uint64_t value) {
  if (log2 == 0) return 0;
  return stream == HCUBE_STREAM_LCG ? value >> (64 - log2) : value & ((UINT64_C(1) << log2) - 1);
}

/* The serial loop: the updates of one rank on the whole table. */
static inline void update_serially(uint64_t *whole, int log2, int32_t stream, int64_t start, int64_t count) {
  uint64_t value = 1;
  for (int64_t step = 0; step < start; step++) value = next_value(stream, value);
  for (int64_t step = 0; step < count; step++) {
    value = next_value(stream, value);
    whole[word_of(stream, log2, value)] ^= value;
  }
}

/* A table with word i = i, as the benchmark has it; words is owned by the caller. */
static inline hcube_table make_table(MPI_Comm comm, int log2) {
  hcube_table table;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  table.global_length = INT64_C(1) << log2;
  distribute(table.global_length, rank, size, &table.first_index, &table.local_length);
  table.words = (uint64_t *)allocate((size_t)table.local_length * sizeof(uint64_t));
  for (int64_t word = 0; word < table.local_length; word++) table.words[word] = (uint64_t)(table.first_index + word);
  return table;
}

/* HPCC's updates for the owner of such a part. */
static inline hcube_updates make_updates(const hcube_table *table, int32_t stream) {
  hcube_updates updates;
  updates.stream = stream;
  updates.start = 4 * table->first_index;
  updates.count = 4 * table->local_length;
  return updates;
}

/* Runs and verifies HPCC's updates on a table of 2^log2 words. */
static inline void run_and_verify(MPI_Comm comm, int log2, int32_t stream, const hcube_random_access_options *options) {
  hcube_table table = make_table(comm, log2);
  hcube_updates updates = make_updates(&table, stream);
  hcube_error failure;
  int64_t errors = -1;
  SUCCEED(hcube_random_access_run(comm, &table, &updates, options, &failure));
  SUCCEED(hcube_random_access_verify(comm, &table, &updates, &errors, &failure));
  if (errors != 0) FAIL("%" PRId64 " errors", errors);
  free(table.words);
}

static inline int64_t sum_over_ranks(MPI_Comm comm, int64_t value) {
  int64_t sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
  return sum;
}

#endif
