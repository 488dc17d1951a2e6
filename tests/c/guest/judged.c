/* Arguments that some MPI libraries accept and others refuse, passed by all ranks: the class of the error of each
 * function.
 *
 *   judged <n>    on communicators on which n exchanges were made before
 */
#include "guest.h"

enum { MAX_BLOCKS = 16 };

static MPI_Comm plain, ring;
static MPI_Datatype uncommitted, empty;
static int sent[64], received[64];

/* --- arguments ------------------------------------------------------------------------------------ */

typedef enum { MEMORY, NOTHING, IN_PLACE, OTHER } Buffer;
typedef enum { GOOD, NONE, UNCOMMITTED, EMPTY } Type;

/* One side of a call. */
typedef struct {
  Buffer buffer;
  int count;
  Type type;
} Side;

typedef struct {
  const char *name;
  Side send, receive;
  /* Only the block for this rank itself is so; the others have a good datatype and no elements. */
  int one_block;
} Case;

static const Case CASES[] = {
    {"good arguments", {MEMORY, 1, GOOD}, {MEMORY, 1, GOOD}, 0},
    {"nothing", {MEMORY, 0, GOOD}, {MEMORY, 0, GOOD}, 0},
    {"nothing of no type sent", {MEMORY, 0, NONE}, {MEMORY, 0, GOOD}, 0},
    {"nothing of no type received", {MEMORY, 0, GOOD}, {MEMORY, 0, NONE}, 0},
    {"nothing of no type", {MEMORY, 0, NONE}, {MEMORY, 0, NONE}, 0},
    {"one block of no type", {MEMORY, 0, NONE}, {MEMORY, 0, NONE}, 1},
    {"no type sent", {MEMORY, 1, NONE}, {MEMORY, 1, GOOD}, 0},
    {"no type received", {MEMORY, 1, GOOD}, {MEMORY, 1, NONE}, 0},
    {"nothing of an uncommitted type sent", {MEMORY, 0, UNCOMMITTED}, {MEMORY, 0, GOOD}, 0},
    {"nothing of an uncommitted type received", {MEMORY, 0, GOOD}, {MEMORY, 0, UNCOMMITTED}, 0},
    {"nothing of an uncommitted type", {MEMORY, 0, UNCOMMITTED}, {MEMORY, 0, UNCOMMITTED}, 0},
    {"one block of an uncommitted type", {MEMORY, 0, UNCOMMITTED}, {MEMORY, 0, UNCOMMITTED}, 1},
    {"an uncommitted type", {MEMORY, 1, UNCOMMITTED}, {MEMORY, 1, UNCOMMITTED}, 0},
    {"a negative count sent", {MEMORY, -1, GOOD}, {MEMORY, 1, GOOD}, 0},
    {"a negative count received", {MEMORY, 1, GOOD}, {MEMORY, -1, GOOD}, 0},
    {"negative counts", {MEMORY, -1, GOOD}, {MEMORY, -1, GOOD}, 0},
    {"one negative count", {MEMORY, -1, GOOD}, {MEMORY, -1, GOOD}, 1},
    {"negative counts of no type", {MEMORY, -1, NONE}, {MEMORY, -1, NONE}, 0},
    {"nothing without buffers", {NOTHING, 0, GOOD}, {NOTHING, 0, GOOD}, 0},
    {"nothing from no buffer", {NOTHING, 0, GOOD}, {MEMORY, 0, GOOD}, 0},
    {"nothing into no buffer", {MEMORY, 0, GOOD}, {NOTHING, 0, GOOD}, 0},
    {"elements without bytes, without buffers", {NOTHING, 1, EMPTY}, {NOTHING, 1, EMPTY}, 0},
    {"nothing from the buffer that receives", {MEMORY, 0, GOOD}, {OTHER, 0, GOOD}, 0},
    {"nothing received in place", {MEMORY, 0, GOOD}, {IN_PLACE, 0, GOOD}, 0},
    {"received in place", {MEMORY, 1, GOOD}, {IN_PLACE, 1, GOOD}, 0},
    {"sent and received in place", {IN_PLACE, 1, GOOD}, {IN_PLACE, 1, GOOD}, 0},
    {"in place", {IN_PLACE, 1, GOOD}, {MEMORY, 1, GOOD}, 0},
    {"in place with no type sent", {IN_PLACE, 0, NONE}, {MEMORY, 1, GOOD}, 0},
    {"in place with a negative count sent", {IN_PLACE, -1, GOOD}, {MEMORY, 1, GOOD}, 0},
    {"nothing in place", {IN_PLACE, 0, GOOD}, {MEMORY, 0, GOOD}, 0},
    {"nothing of no type in place", {IN_PLACE, 0, GOOD}, {MEMORY, 0, NONE}, 0},
    {"one block of no type in place", {IN_PLACE, 0, GOOD}, {MEMORY, 0, NONE}, 1},
    {"nothing of an uncommitted type in place", {IN_PLACE, 0, GOOD}, {MEMORY, 0, UNCOMMITTED}, 0},
    {"nothing in place without a buffer", {IN_PLACE, 0, GOOD}, {NOTHING, 0, GOOD}, 0},
    {"no type in place", {IN_PLACE, 0, GOOD}, {MEMORY, 1, NONE}, 0},
    {"a negative count in place", {IN_PLACE, 0, GOOD}, {MEMORY, -1, GOOD}, 0},
    {"one negative count in place", {IN_PLACE, 0, GOOD}, {MEMORY, -1, GOOD}, 1},
#ifdef MPICH_VERSION
    /* Open MPI gives each rank what some rank has written there last. */
    {"one buffer", {MEMORY, 1, GOOD}, {OTHER, 1, GOOD}, 0},
#endif
};

static MPI_Datatype type_of(Type type) {
  const MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL, uncommitted, empty};
  return types[type];
}

static void *buffer_of(Buffer buffer, int *own, int *other) {
  void *const buffers[] = {own, NULL, MPI_IN_PLACE, other};
  return buffers[buffer];
}

/* Buffer, count and type of a side, and its arrays. */
typedef struct {
  void *buffer;
  int count, counts[MAX_BLOCKS], places[MAX_BLOCKS], bytes[MAX_BLOCKS];
  MPI_Aint far[MAX_BLOCKS];
  MPI_Datatype type, types[MAX_BLOCKS];
} Arguments;

static Arguments arguments_of(Side side, int one_block, int own_block, int *own, int *other) {
  Arguments a;
  a.buffer = buffer_of(side.buffer, own, other);
  a.count = side.count;
  a.type = type_of(side.type);
  for (int block = 0; block < MAX_BLOCKS; block++) {
    int concerned = !one_block || block == own_block;
    a.counts[block] = concerned ? side.count : 0;
    a.places[block] = block;
    a.bytes[block] = block * (int)sizeof(int);
    a.far[block] = a.bytes[block];
    a.types[block] = concerned ? a.type : MPI_INT;
  }
  return a;
}

/* --- functions ------------------------------------------------------------------------------------ */

#if MPI_VERSION >= 4 || defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5
#define PERSISTENT 1
#else
#define PERSISTENT 0
#endif

typedef enum { BLOCKING, NEIGHBOURS, NONBLOCKING, INITIALISED, KINDS } Kind;

static const char *const NAMES[KINDS] = {"MPI_Alltoall", "MPI_Neighbor_alltoall", "MPI_Ialltoall", "MPI_Alltoall_init"};

/* The function of this kind for equal counts (0), counts (1) or types (2). */
static int call(Kind kind, int form, Arguments s, Arguments r) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (kind == BLOCKING) {
    if (form == 0) return MPI_Alltoall(s.buffer, s.count, s.type, r.buffer, r.count, r.type, plain);
    if (form == 1)
      return MPI_Alltoallv(s.buffer, s.counts, s.places, s.type, r.buffer, r.counts, r.places, r.type, plain);
    return MPI_Alltoallw(s.buffer, s.counts, s.bytes, s.types, r.buffer, r.counts, r.bytes, r.types, plain);
  }
  if (kind == NEIGHBOURS) {
    if (form == 0) return MPI_Neighbor_alltoall(s.buffer, s.count, s.type, r.buffer, r.count, r.type, ring);
    if (form == 1)
      return MPI_Neighbor_alltoallv(s.buffer, s.counts, s.places, s.type, r.buffer, r.counts, r.places, r.type, ring);
    return MPI_Neighbor_alltoallw(s.buffer, s.counts, s.far, s.types, r.buffer, r.counts, r.far, r.types, ring);
  }
  if (kind == NONBLOCKING) {
    if (form == 0) code = MPI_Ialltoall(s.buffer, s.count, s.type, r.buffer, r.count, r.type, plain, &request);
    if (form == 1)
      code =
          MPI_Ialltoallv(s.buffer, s.counts, s.places, s.type, r.buffer, r.counts, r.places, r.type, plain, &request);
    if (form == 2)
      code =
          MPI_Ialltoallw(s.buffer, s.counts, s.bytes, s.types, r.buffer, r.counts, r.bytes, r.types, plain, &request);
    if (code == MPI_SUCCESS) MPI_Wait(&request, MPI_STATUS_IGNORE);
    return code;
  }
#if PERSISTENT
  if (form == 0)
    code = MPI_Alltoall_init(s.buffer, s.count, s.type, r.buffer, r.count, r.type, plain, MPI_INFO_NULL, &request);
  if (form == 1)
    code = MPI_Alltoallv_init(s.buffer, s.counts, s.places, s.type, r.buffer, r.counts, r.places, r.type, plain,
                              MPI_INFO_NULL, &request);
  if (form == 2)
    code = MPI_Alltoallw_init(s.buffer, s.counts, s.bytes, s.types, r.buffer, r.counts, r.bytes, r.types, plain,
                              MPI_INFO_NULL, &request);
  if (code == MPI_SUCCESS) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
#endif
  return code;
}

/* Neighbours in place are no call for MPICH, which takes the address of MPI_IN_PLACE for memory. */
static int is_defined(Kind kind, const Case *of) {
#ifdef OPEN_MPI
  (void)kind, (void)of;
  return 1;
#else
  return kind != NEIGHBOURS || (of->send.buffer != IN_PLACE && of->receive.buffer != IN_PLACE);
#endif
}

/* Neighbours that share a buffer read what others have written. */
static int is_wanted(Kind kind, int form, const Case *of) {
  if (kind == INITIALISED && !PERSISTENT) return 0;
  if (of->one_block && (form == 0 || (form == 1 && of->receive.type != GOOD))) return 0;
  if (of->receive.buffer == OTHER && of->receive.count > 0 && (kind != BLOCKING || form > 0)) return 0;
  return is_defined(kind, of);
}

static const char *class_of(int code) {
  int kind = MPI_SUCCESS;
  if (code == MPI_SUCCESS) return "accepted";
  MPI_Error_class(code, &kind);
  return kind == MPI_ERR_TYPE     ? "type"
         : kind == MPI_ERR_COUNT  ? "count"
         : kind == MPI_ERR_BUFFER ? "buffer"
         : kind == MPI_ERR_ARG    ? "argument"
                                  : "another class";
}

static void judge(const Case *of) {
  static const char *const FORMS[] = {"", "v", "w"};
  int rank = rank_in(MPI_COMM_WORLD);
  for (int kind = 0; kind < KINDS; kind++)
    for (int form = 0; form < 3; form++) {
      int code;
      const char *found;
      if (!is_wanted((Kind)kind, form, of)) continue;
      code =
          call((Kind)kind, form, arguments_of(of->send, of->one_block, kind == NEIGHBOURS ? 0 : rank, sent, received),
               arguments_of(of->receive, of->one_block, kind == NEIGHBOURS ? 0 : rank, received, sent));
      char first = *(found = class_of(code));
      MPI_Bcast(&first, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
      if (first != *found) FAIL("rank %d: %s of %s%s, and not on rank 0", rank, found, NAMES[kind], FORMS[form]);
      if (rank == 0) printf("%s: %s%s: %s\n", of->name, NAMES[kind], FORMS[form], found);
    }
}

int main(int argc, char **argv) {
  int periodic = 1, before = argc > 1 ? atoi(argv[1]) : 0;
  begin_program(&argc, &argv);
  REQUIRE(size <= MAX_BLOCKS);
  MPI_Comm_dup(MPI_COMM_WORLD, &plain);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(plain, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  exchange_often(plain, before, 3);
  exchange_often(ring, before, 3);
  for (size_t number = 0; number < sizeof CASES / sizeof *CASES; number++) judge(&CASES[number]);
  exchange_often(plain, 4, 3);
  exchange_often(ring, 4, 3);
  MPI_Type_free(&uncommitted);
  MPI_Type_free(&empty);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&plain);
  if (rank_in(MPI_COMM_WORLD) == 0) printf("ok judged\n");
  return end_program();
}
