/* Supersteps on simulated ranks (SimGrid SMPI), through the functions of BSPlib.
 *
 *   bsp <case>...
 *
 * A case is key=value,key=value:
 *   by=hcube|library|mpich   hcube's bsp_put and bsp_sync; or what a BSP library does with functions of MPI:
 *                      MPI_Alltoall of the numbers of bytes, a message to each process for which there is data;
 *                      MPI_Barrier without any; or without any as MPICH's MPI_Barrier
 *   puts=              puts of each process in a superstep; 0 by default
 *   to=random|next|all whom: processes that a hash selects (the default), the next one, or one after the other
 *   node=              ranks of each node (by=mpich)
 *   before=            supersteps that are not timed; 0 by default
 *   bytes=             bytes of a put, a multiple of 8; 8 by default
 *   supersteps=        of which the mean time is printed; 4 by default
 *   copy=              nanoseconds per byte that the program itself copies (by=library); 0 by default
 *
 * All ranks begin at the same simulated time; the time is that of the last to finish. Rank 0 prints a record for each
 * case, in the form of lab/src/records.rs. All memory that may be written is checked. All cases are in one SPMD part.
 */
#include "driver.h"

#include <bsp.h>

enum { BY_HCUBE, BY_LIBRARY, BY_MPICH };
enum { TO_RANDOM, TO_NEXT, TO_ALL };

typedef struct test_case {
  int by, to;
  int64_t puts, bytes, supersteps, before, node;
  double copy;
} test_case;

/* The memory of a rank: a cell of `words` words for each put that any rank makes; where only the previous rank puts,
 * for each of its puts. */
typedef struct memory {
  int rank, size, to;
  int64_t puts, words, length;
  uint64_t *cells, *value;
} memory;

/* Buffers of an exchange by MPI: cells with their numbers. */
typedef struct exchange {
  int *numbers;
  uint64_t *sent, *received;
  MPI_Request *requests;
} exchange;

static const meaning ways[] = {{"hcube", BY_HCUBE}, {"library", BY_LIBRARY}, {"mpich", BY_MPICH}, {NULL, 0}};
static const meaning targets[] = {{"random", TO_RANDOM}, {"next", TO_NEXT}, {"all", TO_ALL}, {NULL, 0}};

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "by") == 0) return (test->by = find_name(ways, value)) >= 0;
  if (strcmp(key, "to") == 0) return (test->to = find_name(targets, value)) >= 0;
  if (strcmp(key, "before") == 0) return read_number(value, &test->before);
  if (strcmp(key, "node") == 0) return read_number(value, &test->node) && test->node > 0;
  if (strcmp(key, "puts") == 0) return read_number(value, &test->puts);
  if (strcmp(key, "bytes") == 0) return read_number(value, &test->bytes) && test->bytes > 0 && test->bytes % 8 == 0;
  if (strcmp(key, "supersteps") == 0) return read_number(value, &test->supersteps) && test->supersteps > 0;
  if (strcmp(key, "copy") == 0) return read_amount(value, 1e6, &test->copy);
  return 0;
}

/* Where the put of a rank goes: the same in all supersteps. */
static int target(const memory *of, int64_t from, int64_t put) {
  if (of->to == TO_NEXT) return (int)((from + 1) % of->size);
  if (of->to == TO_ALL) return (int)((from + put) % of->size);
  return (int)(mix((uint64_t)from << 32 ^ (uint64_t)put) % (uint64_t)of->size);
}

static int64_t cell_of(const memory *of, int64_t from, int64_t put) {
  return of->to == TO_NEXT ? put : from * of->puts + put;
}

static uint64_t word(int64_t cell, int64_t number, int64_t superstep) {
  return mix((uint64_t)cell << 24 ^ (uint64_t)number << 8 ^ (uint64_t)superstep);
}

static memory make_memory(const test_case *test) {
  memory made;
  made.rank = own_rank();
  made.size = all_ranks();
  made.to = test->to;
  made.puts = test->puts;
  made.words = test->bytes / 8;
  made.length = (made.to == TO_NEXT ? 1 : made.size) * made.puts * made.words;
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
      int64_t cell = cell_of(of, from, put);
      if (of->to == TO_NEXT && (from + 1) % of->size != of->rank) continue;
      int is_written = target(of, from, put) == of->rank;
      for (number = 0; number < of->words; number++)
        wrong += of->cells[cell * of->words + number] != (is_written ? word(cell, number, last) : UINT64_MAX);
    }
  return wrong;
}

static void by_hcube(const memory *of, int64_t superstep) {
  int64_t put;
  for (put = 0; put < of->puts; put++) {
    int64_t cell = cell_of(of, of->rank, put);
    write_value(of, cell, superstep, of->value);
    bsp_put(target(of, of->rank, put), of->value, of->cells, (int)(cell * of->words * 8), (int)(of->words * 8));
  }
  bsp_sync();
}

static exchange make_exchange(const memory *of) {
  exchange made;
  made.numbers = (int *)allocate(5 * of->size * (int64_t)sizeof(int));
  made.sent = (uint64_t *)allocate(of->puts * (of->words + 1) * 8);
  /* A cell and its number for each put that may arrive. */
  made.received = (uint64_t *)allocate((of->length + of->size * of->puts) * 8);
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

/* A dissemination barrier of every `step`th of `size` ranks from the first one. */
static void disseminate(int first, int size, int step) {
  int own = (own_rank() - first) / step, distance;
  for (distance = 1; distance < size; distance *= 2)
    MPI_Sendrecv(NULL, 0, MPI_CHAR, first + (own + distance) % size * step, 1, NULL, 0, MPI_CHAR,
                 first + (own + size - distance) % size * step, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* MPICH 4's barrier in three steps (src/mpid/ch4/src/ch4_coll_impl.h, MPIDI_Barrier_intra_composition_alpha): of the
 * ranks of each node, of their first ranks, and a broadcast in each node. The steps inside a node are messages here, a
 * dissemination and a binomial tree; MPICH 4.0.2 makes them with flags in shared memory (release_gather) unless MPI is
 * initialised with MPI_THREAD_MULTIPLE. */
static void mpich_barrier(int node) {
  int rank = own_rank(), first = rank - rank % node, own = rank - first, value = 0, distance = 1;
  disseminate(first, node, 1);
  if (own == 0) disseminate(0, all_ranks() / node, node);
  while (distance < node && (own & distance) == 0) distance *= 2;
  if (own > 0) MPI_Recv(&value, 1, MPI_INT, first + own - distance, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (distance /= 2; distance > 0; distance /= 2)
    if (own + distance < node) MPI_Send(&value, 1, MPI_INT, first + own + distance, 2, MPI_COMM_WORLD);
}

static void run_supersteps(const test_case *test, const memory *of, const exchange *with, int64_t first, int64_t end) {
  int64_t superstep;
  for (superstep = first; superstep < end; superstep++) {
    if (test->by == BY_HCUBE) by_hcube(of, superstep);
    else if (test->by == BY_MPICH) mpich_barrier((int)test->node);
    else by_library(of, with, superstep, test->copy);
  }
}

/* Seconds of a superstep on the slowest rank since all ranks have begun. */
static double timed(const test_case *test, const memory *of, const exchange *with, const char *text) {
  int64_t first = 1 + test->before;
  double begin;
  run_supersteps(test, of, with, 1, first);
  begin = begin_together(text);
  run_supersteps(test, of, with, first, first + test->supersteps);
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
  if (test.by == BY_MPICH && (test.node == 0 || all_ranks() % test.node != 0 || test.puts > 0))
    FAIL("case '%s': expected node= that divides %d ranks, and no puts", text, all_ranks());
  if (test.by == BY_LIBRARY && test.to == TO_NEXT) FAIL("case '%s': to=next is hcube's only", text);
  of = make_memory(&test);
  with = make_exchange(&of);
  bsp_push_reg(of.cells, (int)(of.length * 8));
  bsp_sync();
  seconds = timed(&test, &of, &with, text);
  wrong = sum_at_first(wrong_words(&of, test.before + test.supersteps));
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
