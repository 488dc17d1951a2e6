/* Clients that do their work again and again in one process, as often as HCUBE_TEST_ROUNDS says: the use of memory,
 * files and mappings must not grow with the number of rounds. Valid C11 and C++17. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "process.h"

#include <malloc.h>

/* What a process uses. */
typedef struct use {
  long files, shared_mappings, mappings;
  long bytes; /* allocated, and resident shared memory: freed memory may stay resident */
} use;

static inline use use_now(void) {
  use now;
  now.files = open_files();
  now.shared_mappings = mappings_of("memfd:hcube");
  now.mappings = mappings_of("");
  struct mallinfo2 allocated = mallinfo2();
  now.bytes = (long)(allocated.uordblks + allocated.hblkhd) + field("/proc/self/status", "RssShmem");
  return now;
}

/* Compares with the use after a third of the rounds, when the caches of all libraries are full. A little may come
 * later: MPI libraries keep some bytes for every communicator, and memory for long messages that come too early. Less
 * than that is no growth with the rounds. */
static inline void require_flat(int rounds, const use *settled) {
  enum { BYTES = 1 << 20, BYTES_OF_A_ROUND = 4 << 10 };
  use now = use_now();
  int later = rounds - rounds / 3;
  long files = now.files - settled->files, shared = now.shared_mappings - settled->shared_mappings;
  long mappings = now.mappings - settled->mappings, bytes = now.bytes - settled->bytes;
  if (files > 0 || shared > 0 || mappings > later / 2 || bytes > BYTES + (long)later * BYTES_OF_A_ROUND)
    FAIL("grown in %d rounds: %ld files, %ld of the %ld mappings shared, %ld bytes", later, files, shared, mappings,
         bytes);
  if (rank == 0) printf("flat rounds=%d files=%ld mappings=%ld bytes=%ld\n", later, files, mappings, bytes);
}

/* Whether a round follows; the first call begins the first one. */
static inline int next_round(void) {
  static int round = -1, rounds = 1;
  static use settled;
  const char *given = round < 0 ? getenv("HCUBE_TEST_ROUNDS") : NULL;
  if (given != NULL) rounds = atoi(given);
  round++;
  if (rounds > 2 && round == rounds / 3) settled = use_now();
  if (rounds > 2 && round == rounds) require_flat(rounds, &settled);
  return round < rounds;
}

#endif
