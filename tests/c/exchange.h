/* One call of an all-to-all function: its blocks in memory, what they hold, and the call itself by
 * hcube or by the MPI library.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "layout.h"

enum { ALLTOALL, ALLTOALLV, ALLTOALLW, FUNCTIONS };

/* One buffer of a call. Blocks of MPI_Alltoall{,v} share one layout. */
typedef struct side {
  int peers, layouts;
  layout *layout_list;
  int64_t *counts;        /* in elements */
  int64_t *displacements; /* in extents, of MPI_Alltoallw in bytes */
  int64_t *addresses;     /* of the first element in bytes */
  int64_t length, origin; /* of the memory in bytes; where the buffer's address is in it */
  unsigned char *memory;
} side;

typedef struct exchange {
  int function, large, in_place;
  MPI_Comm comm;
  int rank, size;
  side send, receive;
} exchange;

/* Bytes in front of and behind everything: they must not be touched either. */
#define RED_ZONE 64

static inline const layout *layout_of(const side *of, int peer) {
  return &of->layout_list[of->layouts == 1 ? 0 : peer];
}

static inline side make_side(int peers, int layouts) {
  side made;
  memset(&made, 0, sizeof made);
  made.peers = peers;
  made.layouts = layouts;
  made.layout_list = OF_CASE(layout, layouts);
  made.counts = OF_CASE(int64_t, peers);
  made.displacements = OF_CASE(int64_t, peers);
  made.addresses = OF_CASE(int64_t, peers);
  return made;
}

static inline void free_types(side *one) {
  for (int i = 0; i < one->layouts; i++) free_layout(&one->layout_list[i]);
}

/* Gives the blocks their places: in random order with random padding, before or after the buffer's
 * address, or one behind the other as MPI_Alltoall has them. */
static inline void place_blocks(side *of, int function, dice *random) {
  int *order = OF_CASE(int, of->peers);
  int64_t next = function == ALLTOALL ? 0 : roll(random, 8) - 4;
  int padded = roll(random, 3) > 0, shuffled = roll(random, 3) > 0, reversed = roll(random, 4) == 0;
  for (int i = 0; i < of->peers; i++) {
    int other = shuffled ? (int)roll(random, i + 1) : i;
    order[i] = order[other];
    order[other] = i;
  }
  for (int i = 0; i < of->peers; i++) {
    int peer = function == ALLTOALL ? i : reversed ? of->peers - 1 - i : order[i];
    const layout *lies = layout_of(of, peer);
    int64_t count = of->counts[peer];
    if (function != ALLTOALL && padded) next += roll(random, 4);
    if (function == ALLTOALLW) {
      of->addresses[peer] = of->displacements[peer] = next - lies->first;
      if (count > 0) next += (count - 1) * lies->extent + lies->end - lies->first;
    } else {
      of->displacements[peer] = next;
      of->addresses[peer] = next * lies->extent;
      next += count;
    }
  }
}

/* Allocates memory for all blocks and the padding between them. */
static inline void make_memory(side *of) {
  int64_t first = 0, end = 0;
  for (int peer = 0; peer < of->peers; peer++) {
    const layout *lies = layout_of(of, peer);
    int64_t from = of->addresses[peer] + lies->first;
    if (of->counts[peer] == 0 || lies->size == 0) continue;
    int64_t to = of->addresses[peer] + (of->counts[peer] - 1) * lies->extent + lies->end;
    if (from < first) first = from;
    if (to > end) end = to;
  }
  /* A buffer's address is aligned as malloc would have it. */
  of->origin = (RED_ZONE - first + 15) / 16 * 16;
  of->length = of->origin + end + RED_ZONE;
  of->memory = OF_CASE(unsigned char, of->length);
  put_canary(of->memory, of->length);
}

/* Writes the data of a block where it belongs. */
static inline void put_block(const side *of, int peer, uint64_t key, unsigned char *memory) {
  const layout *lies = layout_of(of, peer);
  int64_t position = 0;
  for (int64_t element = 0; element < of->counts[peer]; element++) {
    unsigned char *base = memory + of->origin + of->addresses[peer] + element * lies->extent;
    for (int64_t i = 0; i < lies->pieces; i++) {
      put_data(key, position, base + lies->list[i].offset, lies->list[i].length);
      position += lies->list[i].length;
    }
  }
}

static inline void put_sent(const exchange *of, uint64_t seed, const side *from, unsigned char *memory) {
  for (int peer = 0; peer < from->peers; peer++) put_block(from, peer, data_key(seed, of->rank, peer), memory);
}

static inline void put_received(const exchange *of, uint64_t seed, unsigned char *memory) {
  for (int peer = 0; peer < of->size; peer++) put_block(&of->receive, peer, data_key(seed, peer, of->rank), memory);
}

/* Bytes that this rank exchanges with others. */
static inline int64_t bytes_to_others(const exchange *of) {
  const side *from = of->in_place ? &of->receive : &of->send;
  int64_t bytes = 0;
  for (int peer = 0; peer < of->size; peer++)
    if (peer != of->rank) bytes += from->counts[peer] * layout_of(from, peer)->size;
  return bytes;
}

/* --- the call ------------------------------------------------------------------------------- */

/* One side's arguments in MPI's types. */
typedef struct arguments {
  const void *buffer;
  int *counts, *displacements;
  MPI_Count *large_counts;
  MPI_Aint *large_displacements;
  MPI_Datatype *types;
} arguments;

static inline arguments make_arguments(const side *of) {
  arguments made;
  made.buffer = of->memory + of->origin;
  made.counts = OF_CASE(int, of->peers);
  made.displacements = OF_CASE(int, of->peers);
  made.large_counts = OF_CASE(MPI_Count, of->peers);
  made.large_displacements = OF_CASE(MPI_Aint, of->peers);
  made.types = OF_CASE(MPI_Datatype, of->peers);
  for (int i = 0; i < of->peers; i++) {
    made.counts[i] = (int)of->counts[i];
    made.displacements[i] = (int)of->displacements[i];
    made.large_counts[i] = (MPI_Count)of->counts[i];
    made.large_displacements[i] = (MPI_Aint)of->displacements[i];
    made.types[i] = layout_of(of, i)->type;
  }
  return made;
}

/* Values that a caller may pass for arguments that are ignored because the call is in place. */
static inline arguments in_place_arguments(void) {
  arguments made;
  memset(&made, 0, sizeof made);
  made.buffer = MPI_IN_PLACE;
  return made;
}

static inline int call_hcube(const exchange *of, const arguments *s, void *buffer, const arguments *r) {
  MPI_Datatype sent = of->in_place ? MPI_DATATYPE_NULL : s->types[0];
  int count = of->in_place ? -1 : s->counts[0];
  if (of->function == ALLTOALL && of->large)
    return hcube_alltoall_c(s->buffer, count, sent, buffer, r->large_counts[0], r->types[0], of->comm);
  if (of->function == ALLTOALL)
    return hcube_alltoall(s->buffer, count, sent, buffer, r->counts[0], r->types[0], of->comm);
  if (of->function == ALLTOALLV && of->large)
    return hcube_alltoallv_c(s->buffer, s->large_counts, s->large_displacements, sent, buffer, r->large_counts,
                             r->large_displacements, r->types[0], of->comm);
  if (of->function == ALLTOALLV)
    return hcube_alltoallv(s->buffer, s->counts, s->displacements, sent, buffer, r->counts, r->displacements,
                           r->types[0], of->comm);
  if (of->large)
    return hcube_alltoallw_c(s->buffer, s->large_counts, s->large_displacements, s->types, buffer, r->large_counts,
                             r->large_displacements, r->types, of->comm);
  return hcube_alltoallw(s->buffer, s->counts, s->displacements, s->types, buffer, r->counts, r->displacements,
                         r->types, of->comm);
}

/* With counts of type int, which all libraries have. */
static inline int call_library(const exchange *of, const arguments *s, void *buffer, const arguments *r) {
  MPI_Datatype sent = of->in_place ? r->types[0] : s->types[0];
  if (of->function == ALLTOALL)
    return MPI_Alltoall(s->buffer, of->in_place ? 0 : s->counts[0], sent, buffer, r->counts[0], r->types[0], of->comm);
  if (of->function == ALLTOALLV)
    return MPI_Alltoallv(s->buffer, s->counts, s->displacements, sent, buffer, r->counts, r->displacements, r->types[0],
                         of->comm);
  return MPI_Alltoallw(s->buffer, s->counts, s->displacements, s->types, buffer, r->counts, r->displacements, r->types,
                       of->comm);
}

/* Makes the call; what is received goes to `memory`, which is laid out as the receive side's. */
static inline void perform(const exchange *of, int by_library, unsigned char *memory) {
  arguments send = of->in_place ? in_place_arguments() : make_arguments(&of->send);
  arguments receive = make_arguments(&of->receive);
  void *buffer = memory + of->receive.origin;
  int code = by_library ? call_library(of, &send, buffer, &receive) : call_hcube(of, &send, buffer, &receive);
  if (code != MPI_SUCCESS) FAIL("%s returned %d", by_library ? "the library" : "hcube", code);
}

#endif
