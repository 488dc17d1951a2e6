/* Exchanges with random counts and datatypes, for clients that complete them by requests: each has memory of its own
 * and the bytes that are to arrive.
 */
#ifndef HCUBE_TESTS_NONBLOCKING_H
#define HCUBE_TESTS_NONBLOCKING_H

#include "alltoall.h"

enum { COMMS = 3, KINDS = 3 };

typedef struct exchange {
  int comm, kind, *counts[2], *places[2], *bytes[2];
  MPI_Datatype *types[2];
  unsigned char *buffers[2], *expected;
  int64_t length[2];
} exchange;

static int use_hcube;
/* Exchanges of this rank by single copy, through hcube's functions. */
static long served;
static uint64_t seed;
static int64_t largest;
static MPI_Comm comms[COMMS];
/* Every second int. */
static MPI_Datatype spread;

static int elements(uint64_t number, int kind, int from, int to) {
  dice of_pair = make_dice(seed * 1000 + number, kind == 0 ? 0 : (uint64_t)from, kind == 0 ? 0 : (uint64_t)to);
  return kind > 0 && roll(&of_pair, 4) == 0 ? 0 : (int)roll(&of_pair, largest + 1);
}

static int is_spread(uint64_t number, int kind, int side, int peer) {
  dice own = make_dice(seed + number, (uint64_t)rank * 2 + (uint64_t)side, (uint64_t)peer);
  return kind == 2 && roll(&own, 3) == 0;
}

/* The data to send and the expected data, different for each number. */
static void fill(exchange *of, uint64_t number) {
  for (int side = 0; side < 2; side++) put_canary(of->buffers[side], of->length[side]);
  put_canary(of->expected, of->length[1]);
  for (int side = 0; side < 2; side++)
    for (int peer = 0; peer < size; peer++) {
      unsigned char *to = (side == 0 ? of->buffers[0] : of->expected) + of->bytes[side][peer];
      uint64_t key = side == 0 ? data_key(seed + number, rank, peer) : data_key(seed + number, peer, rank);
      int count = of->counts[side][peer];
      if (of->types[side][peer] == MPI_INT) put_data(key, 0, to, (int64_t)count * 4);
      else
        for (int at = 0; at < count; at++) put_data(key, at * 4, to + (int64_t)at * 8, 4);
    }
}

static exchange prepare(uint64_t number) {
  dice all = make_dice(seed, number, 3);
  exchange made;
  made.comm = (int)roll(&all, COMMS);
  made.kind = (int)roll(&all, KINDS);
  for (int side = 0; side < 2; side++) {
    int64_t end = 0;
    made.counts[side] = OF_CASE(int, size);
    made.places[side] = OF_CASE(int, size);
    made.bytes[side] = OF_CASE(int, size);
    made.types[side] = OF_CASE(MPI_Datatype, size);
    for (int peer = 0; peer < size; peer++) {
      int count = side == 0 ? elements(number, made.kind, rank, peer) : elements(number, made.kind, peer, rank);
      int twice = is_spread(number, made.kind, side, peer) ? 2 : 1;
      made.counts[side][peer] = count;
      made.places[side][peer] = (int)end;
      made.bytes[side][peer] = (int)(end * 4);
      made.types[side][peer] = twice == 2 ? spread : MPI_INT;
      end += (int64_t)count * twice + (made.kind == 0 ? 0 : 1);
    }
    made.length[side] = end * 4 + 16;
    made.buffers[side] = OF_CASE(unsigned char, made.length[side]);
  }
  made.expected = OF_CASE(unsigned char, made.length[1]);
  fill(&made, number);
  return made;
}

static void check(const exchange *of, uint64_t number) {
  if (memcmp(of->buffers[1], of->expected, (size_t)of->length[1]) != 0) {
    int64_t at = 0;
    while (of->buffers[1][at] == of->expected[at]) at++;
    FAIL("exchange %" PRIu64 " of kind %d: byte %" PRId64 " of %" PRId64 " is wrong", number, of->kind, at,
         of->length[1]);
  }
}

/* Communicators, whose options come from the environment, and the datatype. */
static void make_handles(void) {
  for (int comm = 0; comm < COMMS; comm++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[comm]);
  MPI_Type_create_resized(MPI_INT, 0, 8, &spread);
  MPI_Type_commit(&spread);
}

static void free_handles(void) {
  for (int comm = 0; comm < COMMS; comm++) MPI_Comm_free(&comms[comm]);
  MPI_Type_free(&spread);
}

static void count_served(MPI_Comm comm) {
  char way[32];
  if (!use_hcube) return;
  REQUIRE(hcube_alltoall_last_path(comm, way, sizeof way, NULL) == HCUBE_SUCCESS);
  served += strcmp(way, "single-copy") == 0;
}

#endif
