/* What MPICH and Open MPI do for MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw, and FFTW in transpositions, on
 * simulated ranks.
 *
 * SimGrid's own exchange in place copies the whole buffer first, as no MPI library does, and its selections of
 * algorithms are older than the present libraries. These functions send the messages of the libraries in their order
 * and let simulated time pass for their copies, at the cost of a copied byte in HCUBE_SIMULATED_COSTS:
 *
 *   MPICH 4, in place      a pair of ranks at a time, partners in ascending order, each block copied before it is sent
 *   MPICH 5, in place      the same with all partners inside the node first
 *   Open MPI, in place     both neighbours at a distance that grows; the block for the right one is copied first
 *   FFTW, in place         a partner at a time, all ranks in pairs that change, each block copied before it is sent
 *   MPICH, out of place    MPI_Alltoall by Bruck's algorithm, 32 messages at a time or pairs; the others by 32
 *   Open MPI, out of place Bruck's algorithm, all messages at once or pairs, by two tables; MPI_Alltoallw all at once
 *
 * Sources: MPICH 4.0 to 5.0.1, alltoallv_intra_pairwise_sendrecv_replace.c, alltoall_intra_*.c and the selections in
 * maint/tuning/coll/mpir/generic.json; Open MPI 4.1.2 to 5.0.9, coll_base_alltoall.c, coll_base_alltoallv.c,
 * coll_basic_alltoallw.c and coll_tuned_decision_fixed.c; FFTW 3.3, mpi/transpose-pairwise.c, which has another order
 * of partners. Open MPI's linear and linear-sync are one algorithm here: linear-sync posts all messages too unless its
 * number of requests is limited, which is not the default. All sends are nonblocking, because SimGrid charges the
 * sender for these only. */
#ifndef LIBRARIES_H
#define LIBRARIES_H

#include "driver.h"

/* Which of MPI's functions an exchange is. */
enum { OF_ONE_COUNT, OF_COUNTS, OF_TYPES };

/* Counts and displacements of 64-bit numbers for each rank of a communicator. */
typedef struct exchange {
  MPI_Comm comm;
  int rank, size;
  const int *counts, *displacements;
  int64_t total;
  /* Received numbers, and in place the sent ones; out of place `sent` has them. */
  uint64_t *data, *sent;
  /* The function: one count for all blocks, a count for each, or a count and a datatype for each. */
  int function;
  int ranks_per_node;
} exchange;

/* Messages that MPICH has in flight in each direction. */
#define MPICH_THROTTLE 32
#define LIBRARY_TAG 1

static inline void charge_copies(int64_t numbers) {
  pass(cost_ns("copy") * (double)numbers * (double)sizeof(uint64_t));
}

static inline void copy_numbers(uint64_t *to, const uint64_t *from, int64_t count) {
  if (count > 0) memcpy(to, from, (size_t)count * sizeof *to);
  charge_copies(count);
}

static inline MPI_Request start_send(const exchange *of, const uint64_t *from, int count, int peer) {
  MPI_Request request;
  MPI_Isend(from, count, MPI_UINT64_T, peer, LIBRARY_TAG, of->comm, &request);
  return request;
}

static inline MPI_Request start_receive(const exchange *of, uint64_t *into, int count, int peer) {
  MPI_Request request;
  MPI_Irecv(into, count, MPI_UINT64_T, peer, LIBRARY_TAG, of->comm, &request);
  return request;
}

static inline void wait_for(MPI_Request request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static inline uint64_t *block_of(const exchange *of, int peer) {
  return of->data + of->displacements[peer];
}

static inline const uint64_t *sent_block_of(const exchange *of, int peer) {
  return of->sent + of->displacements[peer];
}

static inline int largest_count(const exchange *of) {
  int peer, most = 0;
  for (peer = 0; peer < of->size; peer++)
    if (of->counts[peer] > most) most = of->counts[peer];
  return most;
}

/* Exchanges a block with a partner, by way of a copy. A rank is also a partner of itself. */
static inline void replace_block(const exchange *of, int partner, uint64_t *copy) {
  int count = of->counts[partner];
  MPI_Request receive, send;
  if (count == 0) return;
  copy_numbers(copy, block_of(of, partner), count);
  receive = start_receive(of, block_of(of, partner), count, partner);
  send = start_send(of, copy, count, partner);
  wait_for(receive);
  wait_for(send);
}

/* All pairs of ranks in ascending order: for one rank, its partners in ascending order. */
static inline void mpich4_in_place(const exchange *of) {
  uint64_t *copy = (uint64_t *)allocate(largest_count(of) * (int64_t)sizeof *copy);
  int partner;
  for (partner = 0; partner < of->size; partner++) replace_block(of, partner, copy);
  free(copy);
}

/* The same, with the partners inside the node first, and without the rank itself. Ranks fill one node after the
 * other. */
static inline void mpich5_in_place(const exchange *of) {
  uint64_t *copy = (uint64_t *)allocate(largest_count(of) * (int64_t)sizeof *copy);
  int node = of->rank / of->ranks_per_node, is_between, partner;
  for (is_between = 0; is_between < 2; is_between++)
    for (partner = 0; partner < of->size; partner++)
      if (partner != of->rank && (partner / of->ranks_per_node != node) == is_between) replace_block(of, partner, copy);
  free(copy);
}

/* The partner of a rank in a step of a round-robin tournament, in which all ranks meet each other once; the rank itself
 * where it pauses. An odd number of ranks has one more, which does not exist. */
static inline int partner_in_tournament(int rank, int size, int step) {
  int even = size + size % 2, turning = even - 1, partner;
  if (rank == turning) partner = step * (even / 2) % turning;
  else {
    partner = ((step - rank) % turning + turning) % turning;
    if (partner == rank) partner = turning;
  }
  return partner < size ? partner : rank;
}

static inline void fftw_in_place(const exchange *of) {
  uint64_t *copy = (uint64_t *)allocate(largest_count(of) * (int64_t)sizeof *copy);
  int step, steps = of->size + of->size % 2 - 1;
  for (step = 0; step < steps; step++) {
    int partner = partner_in_tournament(of->rank, of->size, step);
    if (partner != of->rank) replace_block(of, partner, copy);
  }
  free(copy);
}

/* At each distance, both neighbours: the block for the right one is copied, then the block for the left one leaves
 * while the block of the right one arrives in the place of the copied block, then the copy follows. */
static inline void open_mpi_in_place(const exchange *of) {
  uint64_t *copy = (uint64_t *)allocate(largest_count(of) * (int64_t)sizeof *copy);
  int distance;
  for (distance = 1; 2 * distance <= of->size; distance++) {
    int right = (of->rank + distance) % of->size, left = (of->rank + of->size - distance) % of->size;
    int to_right = of->counts[right], to_left = left != right ? of->counts[left] : 0;
    MPI_Request receive = MPI_REQUEST_NULL;
    copy_numbers(copy, block_of(of, right), to_right);
    if (to_right > 0) receive = start_receive(of, block_of(of, right), to_right, right);
    if (to_left > 0) {
      wait_for(start_send(of, block_of(of, left), to_left, left));
      wait_for(receive);
      receive = start_receive(of, block_of(of, left), to_left, left);
    }
    if (to_right > 0) wait_for(start_send(of, copy, to_right, right));
    wait_for(receive);
  }
  free(copy);
}

static inline void copy_own_block(const exchange *of) {
  copy_numbers(block_of(of, of->rank), sent_block_of(of, of->rank), of->counts[of->rank]);
}

/* All blocks, with at most `throttle` messages in flight in each direction: all of them end before others begin. */
static inline void exchange_at_once(const exchange *of, int throttle) {
  MPI_Request *requests = (MPI_Request *)allocate(2 * of->size * (int64_t)sizeof *requests);
  int begin, distance;
  for (begin = 0; begin < of->size; begin += throttle) {
    int end = begin + throttle < of->size ? begin + throttle : of->size, started = 0;
    for (distance = begin; distance < end; distance++) {
      int from = (of->rank + distance) % of->size;
      if (distance > 0 && of->counts[from] > 0)
        requests[started++] = start_receive(of, block_of(of, from), of->counts[from], from);
    }
    for (distance = begin; distance < end; distance++) {
      int to = (of->rank + of->size - distance) % of->size;
      if (distance == 0) copy_own_block(of);
      else if (of->counts[to] > 0) requests[started++] = start_send(of, sent_block_of(of, to), of->counts[to], to);
    }
    MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
  }
  free(requests);
}

/* A block to one rank and from one rank at a time. Where `is_mutual`, which needs a power of two of ranks, these are
 * one rank. */
static inline void exchange_by_pairs(const exchange *of, int is_mutual) {
  int step;
  copy_own_block(of);
  for (step = 1; step < of->size; step++) {
    int to = is_mutual ? of->rank ^ step : (of->rank + step) % of->size;
    int from = is_mutual ? to : (of->rank + of->size - step) % of->size;
    MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
    if (of->counts[from] > 0) receive = start_receive(of, block_of(of, from), of->counts[from], from);
    if (of->counts[to] > 0) send = start_send(of, sent_block_of(of, to), of->counts[to], to);
    wait_for(send);
    wait_for(receive);
  }
}

/* Blocks of a step of Bruck's algorithm into a message, or back. Returns the count of numbers. */
static inline int64_t bruck_step(const exchange *of, uint64_t *blocks, int distance, uint64_t *message,
                                 int is_packing) {
  int64_t count = of->counts[0], done = 0;
  int block;
  for (block = 0; block < of->size; block++)
    if ((block & distance) != 0) {
      uint64_t *own = blocks + block * count, *other = message + done;
      memcpy(is_packing ? other : own, is_packing ? own : other, (size_t)count * sizeof *own);
      done += count;
    }
  return done;
}

/* Bruck's algorithm for equal blocks: rotated by the own rank, blocks whose number has a bit move by that distance.
 * Libraries differ in the copies of a step and of the end. */
static inline void exchange_by_bruck(const exchange *of, int copies_of_step, int copies_at_end) {
  int64_t count = of->counts[0], bytes = of->total * (int64_t)sizeof(uint64_t), moved;
  uint64_t *blocks = (uint64_t *)allocate(bytes), *sent = (uint64_t *)allocate(bytes);
  uint64_t *received = (uint64_t *)allocate(bytes);
  int block, distance;
  for (block = 0; block < of->size; block++)
    memcpy(blocks + block * count, sent_block_of(of, (of->rank + block) % of->size), (size_t)count * sizeof *blocks);
  charge_copies(of->total);
  for (distance = 1; distance < of->size; distance *= 2) {
    int to = (of->rank + distance) % of->size, from = (of->rank + of->size - distance) % of->size;
    MPI_Request receive, send;
    moved = bruck_step(of, blocks, distance, sent, 1);
    charge_copies(moved);
    receive = start_receive(of, received, (int)moved, from);
    send = start_send(of, sent, (int)moved, to);
    wait_for(send);
    wait_for(receive);
    bruck_step(of, blocks, distance, received, 0);
    charge_copies((copies_of_step - 1) * moved);
  }
  for (block = 0; block < of->size; block++)
    memcpy(block_of(of, (of->rank + of->size - block) % of->size), blocks + block * count,
           (size_t)count * sizeof *blocks);
  charge_copies(copies_at_end * of->total);
  free(received);
  free(sent);
  free(blocks);
}

static inline void mpich_out_of_place(const exchange *of) {
  int64_t block = of->counts[0] * (int64_t)sizeof(uint64_t);
  int is_power = (of->size & (of->size - 1)) == 0;
  int has_one_count = of->function == OF_ONE_COUNT;
  if (has_one_count && of->size >= 8 && block <= 256) exchange_by_bruck(of, 2, 2);
  else if (!has_one_count || block <= 32768) exchange_at_once(of, MPICH_THROTTLE);
  else exchange_by_pairs(of, is_power);
}

/* From `ranks` ranks on, a row holds; a column is the smallest block in bytes for which its algorithm is used. */
typedef struct selection {
  int ranks;
  int64_t bruck, linear, pairs, linear_again;
} selection;

/* Open MPI's selection for MPI_Alltoall. */
static inline const selection *open_mpi_selection(int ranks) {
  static const selection rows[] = {
      {0, 0, 0, INT64_MAX, INT64_MAX},       {3, 0, 0, 524288, 1048576},           {8, 0, 0, INT64_MAX, INT64_MAX},
      {16, 4, 512, INT64_MAX, INT64_MAX},    {32, 0, 512, INT64_MAX, INT64_MAX},   {64, 0, 1024, 262144, INT64_MAX},
      {256, 0, 1024, 32768, INT64_MAX},      {512, 0, 512, 262144, INT64_MAX},     {1024, 0, 512, INT64_MAX, INT64_MAX},
      {2048, 0, 1024, INT64_MAX, INT64_MAX}, {4096, 0, 2048, INT64_MAX, INT64_MAX}};
  size_t row = sizeof rows / sizeof *rows - 1;
  while (row > 0 && ranks < rows[row].ranks) row--;
  return &rows[row];
}

static inline void open_mpi_out_of_place(const exchange *of) {
  const selection *by = open_mpi_selection(of->size);
  int64_t block = of->counts[0] * (int64_t)sizeof(uint64_t);
  int has_one_count = of->function == OF_ONE_COUNT, is_by_pairs = 0;
  if (has_one_count) is_by_pairs = block >= by->pairs && block < by->linear_again;
  else if (of->function == OF_COUNTS)
    is_by_pairs = of->size < 4 || (of->size >= 64 && of->size < 128) || (of->size >= 256 && of->size < 1024);
  if (has_one_count && block >= by->bruck && block < by->linear) exchange_by_bruck(of, 3, 1);
  else if (is_by_pairs) exchange_by_pairs(of, 0);
  else exchange_at_once(of, of->size);
}

#endif
