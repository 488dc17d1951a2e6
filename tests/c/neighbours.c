/* Random exchanges between neighbours in Cartesian topologies, graphs and distributed graphs, in which a rank may be
 * its own neighbour and others several times. Every byte is compared with what the MPI library's function delivers.
 *
 *   neighbours <seed> <cases> <largest block in elements> hcube|preload
 *       [without-alltoallw|counts|negative|datatype|null]
 *
 * hcube: hcube_neighbor_alltoall and its variants against MPI's. preload: MPI's functions against their first calls on
 * each communicator, which the preload library forwards. counts: with hcube, a call in which rank 0 sends more than is
 * expected. Prints `ok <cases> shared=<n> single-copy=<n> ...`, the calls by path.
 */
#include "alltoall.h"
#include "rounds.h"

typedef struct side {
  int degree, *peers, *counts, *places;
  MPI_Aint *far;
  MPI_Datatype *types;
  unsigned char *buffer;
  int64_t bytes;
} side;

static int preload;
static uint64_t seed;
static int64_t largest;
/* Four ints, of which the second and the fourth are sent. */
static MPI_Datatype spread;

enum { ALLTOALL, ALLTOALLV, ALLTOALLW };
static int last_function = ALLTOALLW;

/* Ranks without neighbours may pass no arrays, as far as the MPI library lets them: hcube does. */
static side without_arrays(const side *of, int hcube) {
  side made = *of;
#ifdef OPEN_MPI
  if (hcube && of->degree == 0) {
    made.counts = made.places = NULL;
    made.far = NULL;
    made.types = NULL;
  }
#else
  (void)hcube;
#endif
  return made;
}

static int exchange(int function, int hcube, const side *all_sent, const side *all_received, MPI_Comm comm) {
  side sent_part = without_arrays(all_sent, hcube && function != ALLTOALL);
  side received_part = without_arrays(all_received, hcube && function != ALLTOALL);
  const side *sent = &sent_part, *received = &received_part;
  const void *from = sent->buffer;
  void *to = received->buffer;
  switch (function) {
    case ALLTOALL:
      return (hcube ? hcube_neighbor_alltoall : MPI_Neighbor_alltoall)(from, sent->counts[0], MPI_INT, to,
                                                                       received->counts[0], MPI_INT, comm);
    case ALLTOALLV:
      return (hcube ? hcube_neighbor_alltoallv : MPI_Neighbor_alltoallv)(
          from, sent->counts, sent->places, MPI_INT, to, received->counts, received->places, MPI_INT, comm);
    default:
      return (hcube ? hcube_neighbor_alltoallw : MPI_Neighbor_alltoallw)(
          from, sent->counts, sent->far, sent->types, to, received->counts, received->far, received->types, comm);
  }
}

/* How often a rank sends to another; all ranks compute the same. */
static int edges(uint64_t number, int from, int to) {
  dice of_pair = make_dice(seed * 1000 + number, (uint64_t)from, (uint64_t)to);
  int64_t rolled = roll(&of_pair, 8);
  return rolled < 4 ? 0 : rolled < 7 ? 1 : 2;
}

static int edges_of_graph(uint64_t number, int from, int to) {
  return from < to ? edges(number, from, to) : edges(number, to, from);
}

static MPI_Comm cartesian(uint64_t number) {
  dice all = make_dice(seed, number, 1);
  int dimensions = 1 + (int)roll(&all, 3), extent[3] = {0, 0, 0}, periodic[3], axis;
  MPI_Comm made;
  for (axis = 0; axis < 3; axis++) periodic[axis] = (int)roll(&all, 2);
  MPI_Dims_create(size, dimensions, extent);
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, extent, periodic, 0, &made);
  return made;
}

static MPI_Comm graph(uint64_t number) {
  int *ends = OF_CASE(int, size);
  int *all = OF_CASE(int, 2 * (int64_t)size * size), count = 0;
  MPI_Comm made;
  for (int from = 0; from < size; from++) {
    for (int to = 0; to < size; to++)
      for (int again = edges_of_graph(number, from, to); again > 0; again--) all[count++] = to;
    ends[from] = count;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, ends, all, 0, &made);
  return made;
}

static MPI_Comm distributed(uint64_t number) {
  dice own = make_dice(seed, number, (uint64_t)rank + 5);
  int *lists[2], *weights, counts[2] = {0, 0}, peer, again, which, at;
  MPI_Comm made;
  for (which = 0; which < 2; which++) {
    lists[which] = OF_CASE(int, 2 * size);
    for (peer = 0; peer < size; peer++)
      for (again = which ? edges(number, rank, peer) : edges(number, peer, rank); again > 0; again--)
        lists[which][counts[which]++] = peer;
    for (at = counts[which] - 1; at > 0; at--) {
      int other = (int)roll(&own, at + 1), kept = lists[which][at];
      lists[which][at] = lists[which][other];
      lists[which][other] = kept;
    }
  }
  /* GCC takes MPI_UNWEIGHTED for an array. */
  weights = OF_CASE(int, 2 * size);
  for (at = 0; at < 2 * size; at++) weights[at] = 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, counts[0], lists[0], weights, counts[1], lists[1], weights,
                                 MPI_INFO_NULL, 0, &made);
  return made;
}

static void find_peers(MPI_Comm comm, side *sent, side *received) {
  int kind, dimensions, weighted;
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    MPI_Cartdim_get(comm, &dimensions);
    sent->degree = received->degree = 2 * dimensions;
  } else if (kind == MPI_GRAPH) {
    MPI_Graph_neighbors_count(comm, rank, &sent->degree);
    received->degree = sent->degree;
  } else {
    MPI_Dist_graph_neighbors_count(comm, &received->degree, &sent->degree, &weighted);
  }
  sent->peers = OF_CASE(int, sent->degree);
  received->peers = OF_CASE(int, received->degree);
  if (kind == MPI_CART) {
    for (int axis = 0; axis < dimensions; axis++)
      MPI_Cart_shift(comm, axis, 1, &sent->peers[2 * axis], &sent->peers[2 * axis + 1]);
    memcpy(received->peers, sent->peers, (size_t)sent->degree * sizeof(int));
  } else if (kind == MPI_GRAPH) {
    MPI_Graph_neighbors(comm, rank, sent->degree, sent->peers);
    memcpy(received->peers, sent->peers, (size_t)sent->degree * sizeof(int));
  } else {
    int *weights = OF_CASE(int, (sent->degree + received->degree + 1));
    MPI_Dist_graph_neighbors(comm, received->degree, received->peers, weights, sent->degree, sent->peers,
                             weights + received->degree);
  }
}

/* Ints from one rank to another, as many in all blocks of a pair. */
static int elements(uint64_t number, int function, int from, int to) {
  dice of_pair = make_dice(seed * 77 + number, function == ALLTOALL ? 0 : (uint64_t)from, (uint64_t)function);
  of_pair.state += function == ALLTOALL ? 0 : (uint64_t)to * 1000;
  return roll(&of_pair, 5) == 0 ? 0 : 2 * (int)roll(&of_pair, largest / 2 + 1);
}

static void lay_out(uint64_t number, int function, side *of, int is_sent) {
  dice own = make_dice(seed + number, (uint64_t)rank, (uint64_t)is_sent + 9);
  int end = 0;
  of->counts = OF_CASE(int, (of->degree + 1));
  of->places = OF_CASE(int, of->degree);
  of->far = OF_CASE(MPI_Aint, of->degree);
  of->types = OF_CASE(MPI_Datatype, of->degree);
  of->counts[0] = elements(number, function, 0, 0);
  for (int at = 0; at < of->degree; at++) {
    int peer = of->peers[at], is_spread = function == ALLTOALLW && roll(&own, 2) == 0;
    int count = peer == MPI_PROC_NULL ? 3 : elements(number, function, is_sent ? rank : peer, is_sent ? peer : rank);
    if (function == ALLTOALL) count = of->counts[0];
    int room = is_spread ? 2 * count + 4 : count;
    of->types[at] = is_spread ? spread : MPI_INT;
    of->counts[at] = is_spread ? count / 2 : count;
    if (function != ALLTOALL) end += (int)roll(&own, 3);
    of->places[at] = end;
    of->far[at] = (MPI_Aint)end * (MPI_Aint)sizeof(int);
    end += room;
  }
  of->bytes = (end + 8) * (int64_t)sizeof(int);
  of->buffer = OF_CASE(unsigned char, of->bytes);
  put_canary(of->buffer, of->bytes);
  if (is_sent) put_data(data_key(seed + number, rank, 0), 0, of->buffer, of->bytes);
}

static void make_case(uint64_t number, int64_t *used) {
  int code, calls = preload ? 3 : 2;
  MPI_Comm comm = number % 3 == 0 ? cartesian(number) : number % 3 == 1 ? graph(number) : distributed(number);
  for (int function = ALLTOALL; function <= last_function; function++) {
    side sent, received;
    find_peers(comm, &sent, &received);
    lay_out(number, function, &sent, 1);
    lay_out(number, function, &received, 0);
    unsigned char *expected = OF_CASE(unsigned char, received.bytes);
    for (int call = 0; call < calls; call++) {
      /* A communicator of its own, so that the first call of each function is forwarded. */
      MPI_Comm own = comm;
      if (preload && call == 0) MPI_Comm_dup(comm, &own);
      put_canary(received.buffer, received.bytes);
      code = exchange(function, !preload && call > 0, &sent, &received, own);
      if (code != MPI_SUCCESS) FAIL("case %" PRIu64 ", function %d returned %d", number, function, code);
      if (call == 0) memcpy(expected, received.buffer, (size_t)received.bytes);
      if (memcmp(expected, received.buffer, (size_t)received.bytes) != 0)
        FAIL("case %" PRIu64 ", function %d, call %d: wrong bytes", number, function, call);
      if (!preload && call > 0) used[last_path(comm)]++;
      if (own != comm) MPI_Comm_free(&own);
    }
  }
  MPI_Comm_free(&comm);
  free_case();
}

/* A call in which only rank 0 has a wrong argument: all ranks return an error, and nothing is written. */
static void refused(const char *what) {
  int extent = size, periodic = 1, counts[2] = {4, 4}, wrong[2] = {4, 4}, places[2] = {0, 8};
  int sent[16], received[16];
  MPI_Datatype type = MPI_INT;
  const int *sent_counts = counts;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &periodic, 0, &ring);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  for (int at = 0; at < 16; at++) sent[at] = received[at] = at;
  if (rank == 0) {
    if (strcmp(what, "counts") == 0) wrong[1] = 5;
    if (strcmp(what, "negative") == 0) wrong[1] = -1;
    if (strcmp(what, "datatype") == 0) type = MPI_DATATYPE_NULL;
    sent_counts = strcmp(what, "null") == 0 ? NULL : wrong;
  }
  int code = hcube_neighbor_alltoallv(sent, sent_counts, places, type, received, counts, places, MPI_INT, ring);
  for (int at = 0; at < 16; at++) REQUIRE(received[at] == at);
  print_refusal(what, code);
  MPI_Comm_free(&ring);
}

int main(int argc, char **argv) {
  int64_t used[PATHS] = {0};
  begin_program(&argc, &argv);
  REQUIRE(argc > 4);
  seed = strtoull(argv[1], NULL, 10);
  uint64_t cases = strtoull(argv[2], NULL, 10);
  largest = strtoll(argv[3], NULL, 10);
  preload = strcmp(argv[4], "preload") == 0;
  MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
  {
    MPI_Datatype moved = spread;
    int length = 1;
    MPI_Aint place = sizeof(int);
    MPI_Type_create_hindexed(1, &length, &place, moved, &spread);
    MPI_Type_free(&moved);
    moved = spread;
    MPI_Type_create_resized(moved, 0, 4 * (MPI_Aint)sizeof(int), &spread);
    MPI_Type_free(&moved);
  }
  MPI_Type_commit(&spread);
  if (argc > 5 && strcmp(argv[5], "without-alltoallw") == 0) {
    last_function = ALLTOALLV;
    argc = 5;
  }
  if (argc > 5) refused(argv[5]);
  while (argc == 5 && next_round())
    for (uint64_t number = 0; number < cases; number++) make_case(number, used);
  if (rank == 0 && argc == 5) {
    printf("ok %" PRIu64, cases);
    for (int path = 0; path < PATHS; path++) printf(" %s=%" PRId64, path_names[path], used[path]);
    printf("\n");
  }
  MPI_Type_free(&spread);
  return end_program();
}
