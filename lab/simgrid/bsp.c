/* Supersteps on simulated ranks (SimGrid SMPI), through the functions of BSPlib.
 *
 *   bsp <case>...
 *
 * A case is key=value,key=value:
 *   by=hcube|library   hcube's bsp_put and bsp_sync; or what a BSP library does with functions of MPI: MPI_Alltoall of
 *                      the numbers of bytes, a message to each process for which there is data; MPI_Barrier without any
 *   puts=              puts of each process in a superstep, to processes that a hash selects; 0 by default
 *   bytes=             bytes of a put, a multiple of 8; 8 by default
 *   supersteps=        of which the mean time is printed; 4 by default
 *   copy=              nanoseconds per byte that the program itself copies (by=library); 0 by default
 *
 * All ranks begin at the same simulated time; the time is that of the last to finish. Rank 0 prints a record for each
 * case, in the form of lab/src/records.rs. All memory that may be written is checked. All cases are in one SPMD part.
 */
#include "driver.h"

#include <bsp.h>

enum { BY_HCUBE, BY_LIBRARY };

typedef struct test_case {
  int by;
  int64_t puts, bytes, supersteps;
  double copy;
} test_case;

/* The memory of a rank: a cell for each put that any rank makes, of `words` words. */
typedef struct memory {
  int rank, size;
  int64_t puts, words, length;
  uint64_t *cells, *value;
} memory;

/* Buffers of an exchange by MPI: cells with their numbers. */
typedef struct exchange {
  int *numbers;
  uint64_t *sent, *received;
  MPI_Request *requests;
} exchange;

static const meaning ways[] = {{"hcube", BY_HCUBE}, {"library", BY_LIBRARY}, {NULL, 0}};

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "by") == 0) return (test->by = find_name(ways, value)) >= 0;
  if (strcmp(key, "puts") == 0) return read_number(value, &test->puts);
  if (strcmp(key, "bytes") == 0) return read_number(value, &test->bytes) && test->bytes > 0 && test->bytes % 8 == 0;
  if (strcmp(key, "supersteps") == 0) return read_number(value, &test->supersteps) && test->supersteps > 0;
  if (strcmp(key, "copy") == 0) return read_amount(value, 1e6, &test->copy);
  return 0;
}

/* Where the put of a rank goes: the same in all supersteps. */
static int target(const memory *of, int64_t from, int64_t put) {
  return (int)(mix((uint64_t)from << 32 ^ (uint64_t)put) % (uint64_t)of->size);
}

static uint64_t word(int64_t cell, int64_t number, int64_t superstep) {
  return mix((uint64_t)cell << 24 ^ (uint64_t)number << 8 ^ (uint64_t)superstep);
}

static memory make_memory(const test_case *test) {
  memory made;
  made.rank = own_rank();
  made.size = all_ranks();
  made.puts = test->puts;
  made.words = test->bytes / 8;
  made.length = made.size * made.puts * made.words;
  if (made.length * 8 > INT32_MAX) FAIL("puts=%" PRId64 ": the memory exceeds 2 GiB", test->puts);
  made.cells = (uint64_t *)allocate(made.length * 8);
  made.value = (uint64_t *)allocate(test->bytes);
  memset(made.cells, 0xff, (size_t)made.length * 8);
  return made;
}

static void write_value(const memory *of, int64_t cell, int64_t superstep, uint64_t *into) {
  int64_t number;
  for (number = 0; number < of->words; number++) into[number] = word(cell, number, superstep);
}

/* Words that are not those of the last superstep, or that no put may have written. */
static int64_t wrong_words(const memory *of, int64_t last) {
  int64_t wrong = 0, from, put, number;
  for (from = 0; from < of->size; from++)
    for (put = 0; put < of->puts; put++) {
      int64_t cell = from * of->puts + put;
      int is_written = target(of, from, put) == of->rank;
      for (number = 0; number < of->words; number++)
        wrong += of->cells[cell * of->words + number] != (is_written ? word(cell, number, last) : UINT64_MAX);
    }
  return wrong;
}

static void by_hcube(const memory *of, int64_t superstep) {
  int64_t put;
  for (put = 0; put < of->puts; put++) {
    int64_t cell = of->rank * of->puts + put;
    write_value(of, cell, superstep, of->value);
    bsp_put(target(of, of->rank, put), of->value, of->cells, (int)(cell * of->words * 8), (int)(of->words * 8));
  }
  bsp_sync();
}

static exchange make_exchange(const memory *of) {
  exchange made;
  made.numbers = (int *)allocate(5 * of->size * (int64_t)sizeof(int));
  made.sent = (uint64_t *)allocate(of->puts * (of->words + 1) * 8);
  /* All ranks may choose this one. */
  made.received = (uint64_t *)allocate(of->size * of->puts * (of->words + 1) * 8);
  made.requests = (MPI_Request *)allocate(2 * of->size * (int64_t)sizeof(MPI_Request));
  return made;
}

/* Displacements of parts that follow each other; the sum of all. */
static int place(const int *counts, int *displacements, int size) {
  int part, sum = 0;
  for (part = 0; part < size; part++) {
    displacements[part] = sum;
    sum += counts[part];
  }
  return sum;
}

/* The messages with data, to the next ranks first. */
static void exchange_data(const memory *of, const exchange *with) {
  const int *sends = with->numbers, *receives = sends + of->size, *starts = receives + of->size;
  const int *sources = starts + of->size;
  int distance, under_way = 0;
  for (distance = 0; distance < of->size; distance++) {
    int from = (of->rank + of->size - distance) % of->size;
    if (receives[from] > 0)
      MPI_Irecv(with->received + sources[from], receives[from], MPI_UINT64_T, from, 0, MPI_COMM_WORLD,
                with->requests + under_way++);
  }
  for (distance = 0; distance < of->size; distance++) {
    int to = (of->rank + distance) % of->size;
    if (sends[to] > 0)
      MPI_Isend(with->sent + starts[to], sends[to], MPI_UINT64_T, to, 0, MPI_COMM_WORLD, with->requests + under_way++);
  }
  MPI_Waitall(under_way, with->requests, MPI_STATUSES_IGNORE);
}

static void by_library(const memory *of, const exchange *with, int64_t superstep, double copy) {
  int *sends = with->numbers, *receives = sends + of->size, *starts = receives + of->size;
  int *sources = starts + of->size, *next = sources + of->size;
  int64_t put, unit = of->words + 1;
  int at, received;
  if (of->puts == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    return;
  }
  memset(sends, 0, (size_t)of->size * sizeof *sends);
  for (put = 0; put < of->puts; put++) sends[target(of, of->rank, put)] += (int)unit;
  place(sends, starts, of->size);
  memcpy(next, starts, (size_t)of->size * sizeof *next);
  for (put = 0; put < of->puts; put++) {
    int64_t cell = of->rank * of->puts + put;
    int *end = next + target(of, of->rank, put);
    with->sent[*end] = (uint64_t)cell;
    write_value(of, cell, superstep, with->sent + *end + 1);
    *end += (int)unit;
  }
  MPI_Alltoall(sends, 1, MPI_INT, receives, 1, MPI_INT, MPI_COMM_WORLD);
  received = place(receives, sources, of->size);
  pass((double)(of->puts * unit * 8) * copy);
  exchange_data(of, with);
  for (at = 0; at < received; at += (int)unit)
    memcpy(of->cells + with->received[at] * (uint64_t)of->words, with->received + at + 1, (size_t)of->words * 8);
  pass((double)received * 8 * copy);
}

/* Seconds of a superstep on the slowest rank since all ranks have begun. */
static double timed(const test_case *test, const memory *of, const exchange *with, const char *text) {
  double begin = begin_together(text);
  int64_t superstep;
  for (superstep = 1; superstep <= test->supersteps; superstep++) {
    if (test->by == BY_HCUBE) by_hcube(of, superstep);
    else by_library(of, with, superstep, test->copy);
  }
  return largest_at_first(MPI_Wtime() - begin) / (double)test->supersteps;
}

static void run_case(const char *text) {
  test_case test;
  memory of;
  exchange with;
  double seconds;
  int64_t wrong;

  memset(&test, 0, sizeof test);
  test.bytes = 8;
  test.supersteps = 4;
  read_case(text, take_pair, &test);
  of = make_memory(&test);
  with = make_exchange(&of);
  bsp_push_reg(of.cells, (int)(of.length * 8));
  bsp_sync();
  seconds = timed(&test, &of, &with, text);
  wrong = sum_at_first(wrong_words(&of, test.supersteps));
  bsp_pop_reg(of.cells);
  bsp_sync();
  RECORD(text, SECONDS("seconds") COUNT("errors"), seconds, wrong);
  free(with.requests);
  free(with.received);
  free(with.sent);
  free(with.numbers);
  free(of.value);
  free(of.cells);
}

static void begin(void) {
  bsp_begin(bsp_nprocs());
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, begin, run_case, bsp_end);
}
