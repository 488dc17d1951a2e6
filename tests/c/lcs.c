/* hcube_llcs against the plain loop over all entries of the matrix, on strings and parts of many kinds; the bound,
 * the progress function on each rank, and bad input, refused on all ranks with nothing written. Prints
 * `ok <lengths> <computations ended> <refusals>`. */
#include "client.h"
#include "random.h"
#include "rounds.h"

typedef struct {
  uint32_t *symbols;
  int64_t length;
} string;

/* When a progress function ends the computation. */
enum { NEVER, AT_ONCE, AT_THE_END };

/* How far a rank is, as its progress function was told. */
typedef struct {
  int64_t done, total, calls;
  int ends;
} watch;

static int lengths, ended;

static string create(int64_t length) {
  string made;
  made.length = length;
  made.symbols = (uint32_t *)allocate((size_t)length * sizeof(uint32_t));
  return made;
}

static string random_string(uint64_t seed, int64_t length, uint32_t alphabet) {
  string made = create(length);
  for (int64_t at = 0; at < length; at++) made.symbols[at] = (uint32_t)(mix(seed << 32 | (uint64_t)at) % alphabet);
  return made;
}

/* The symbols first, first + 1, ... below first + period, again and again. */
static string periodic_string(int64_t length, uint32_t first, uint32_t period) {
  string made = create(length);
  for (int64_t at = 0; at < length; at++) made.symbols[at] = first + (uint32_t)(at % period);
  return made;
}

/* The definition: L(i, j) from its neighbours. */
static int64_t plain_length(string a, string b) {
  int64_t *row = (int64_t *)calloc((size_t)a.length + 1, sizeof(int64_t));
  REQUIRE(row != NULL);
  for (int64_t j = 0; j < b.length; j++) {
    int64_t before = 0;
    for (int64_t i = 0; i < a.length; i++) {
      int64_t above = row[i + 1];
      if (a.symbols[i] == b.symbols[j]) row[i + 1] = before + 1;
      else if (row[i] > above) row[i + 1] = row[i];
      before = above;
    }
  }
  int64_t length = row[a.length];
  free(row);
  return length;
}

/* One rank has the time for the plain loop. */
static int64_t expected_length(string a, string b) {
  int64_t length = rank == 0 ? plain_length(a, b) : 0;
  MPI_Bcast(&length, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return length;
}

/* Where the part of a rank begins: nearly equal parts, everything on one rank, parts that grow, parts on every
 * other rank. */
static int64_t bound(int64_t length, int own, int all, int way) {
  switch (way % 4) {
    case 0: return length * own / all;
    case 1: return own > way / 4 % all ? length : 0;
    case 2: return length * own * own / ((int64_t)all * all);
    default: return own == all ? length : length * (own / 2) / ((all + 1) / 2);
  }
}

/* This rank's part of a string in symbols of some bytes, which differ in their upper bits as well. */
static void *part_of(string whole, MPI_Comm comm, int way, int bytes, int64_t *length) {
  int own, all;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &all);
  int64_t start = bound(whole.length, own, all, way);
  *length = bound(whole.length, own + 1, all, way) - start;
  /* A rank without symbols may pass NULL. */
  if (*length == 0 && way % 2) return NULL;
  uint8_t *part = (uint8_t *)allocate((size_t)(*length * bytes) + 1);
  for (int64_t at = 0; at < *length; at++) {
    uint32_t symbol = whole.symbols[start + at];
    uint16_t half = (uint16_t)(symbol * 40503u);
    uint32_t full = symbol * 2654435761u;
    if (bytes == 1) part[at] = (uint8_t)symbol;
    else if (bytes == 2) memcpy(part + 2 * at, &half, 2);
    else memcpy(part + 4 * at, &full, 4);
  }
  return part;
}

static int32_t observe(int64_t done, int64_t total, void *data) {
  watch *seen = (watch *)data;
  if (done <= seen->done || done > total || (seen->calls > 0 && total != seen->total)) abort();
  seen->done = done;
  seen->total = total;
  seen->calls++;
  return seen->ends == AT_ONCE || (seen->ends == AT_THE_END && done == total);
}

/* The result of a call with the parts of the ranks. */
static int64_t call(string a, string b, MPI_Comm comm, int way, int bytes, int64_t at_least, watch *seen) {
  int64_t a_length, b_length, length = -7;
  void *a_part = part_of(a, comm, way, bytes, &a_length), *b_part = part_of(b, comm, way / 3 + 1, bytes, &b_length);
  SUCCEED(hcube_llcs(a_part, a_length, b_part, b_length, bytes, at_least, seen ? observe : NULL, seen, comm, &length,
                     &failure));
  free(a_part);
  free(b_part);
  return length;
}

static void compare(int64_t found, int64_t expected, string a, string b, int way, int bytes, int64_t at_least) {
  if (found != expected)
    FAIL("%" PRId64 " instead of %" PRId64 ": %" PRId64 " x %" PRId64 " symbols of %d bytes, way %d, at least %" PRId64,
         found, expected, a.length, b.length, bytes, way, at_least);
  lengths++;
}

/* The length, and once more with a bound below, at or above it. */
static void check(string a, string b, MPI_Comm comm, int way, int bytes) {
  int64_t right = expected_length(a, b), at_least;
  watch seen = {0, 0, 0, NEVER};
  compare(call(a, b, comm, way, bytes, 0, &seen), right, a, b, way, bytes, 0);
  /* The last call, if there was any, says that all is done. */
  REQUIRE(seen.calls == 0 || seen.done == seen.total);
  switch (lengths / 2 % 4) {
    case 0: at_least = right; break;
    case 1: at_least = right + 1; break;
    case 2: at_least = right / 2; break;
    default: at_least = INT64_MAX;
  }
  compare(call(a, b, comm, way, bytes, at_least, NULL), at_least > right ? -1 : right, a, b, way, bytes, at_least);
}

/* The communicators that take turns, and the number of the turn. */
static MPI_Comm comms[4];
static int turn;

static void check_and_free(string a, string b, int bytes) {
  check(a, b, comms[turn % 4], turn / 4, bytes);
  turn++;
  free(a.symbols);
  free(b.symbols);
}

static void strings(void) {
  static const uint32_t alphabets[] = {1, 2, 4, 26, 256, 60000};
  static const int widths[] = {1, 2, 4};
  for (int width = 0; width < 3; width++) {
    int bytes = widths[width];
    for (int number = 0; number < 6; number++) {
      uint32_t alphabet = alphabets[number];
      if (bytes == 1 && alphabet > 256) continue;
      /* No number of ranks above 1 divides both lengths. */
      check_and_free(random_string(1, 1301, alphabet), random_string(2, 709 + 97 * width, alphabet), bytes);
    }
    /* Equal, one the beginning of the other, disjoint, periodic, much shorter, empty, of one symbol. */
    check_and_free(random_string(3, 900, 50), random_string(3, 900, 50), bytes);
    check_and_free(random_string(3, 900, 50), random_string(3, 617, 50), bytes);
    check_and_free(periodic_string(800, 0, 100), periodic_string(700, 100, 90), bytes);
    check_and_free(periodic_string(1000, 0, 7), periodic_string(1100, 3, 5), bytes);
    check_and_free(periodic_string(3, 0, 3), random_string(4, 1500, 3), bytes);
    check_and_free(random_string(5, 0, 9), random_string(5, 300, 9), bytes);
    check_and_free(random_string(5, 0, 9), random_string(5, 0, 9), bytes);
    check_and_free(random_string(6, 1, 1), random_string(6, 1, 1), bytes);
  }
}

/* Each rank ends the computation at its first call and at its last one; every rank learns of it. */
static void interruptions(void) {
  string a = random_string(7, 4000, 20), b = random_string(8, 3001, 20);
  int64_t right = expected_length(a, b);
  compare(call(a, b, MPI_COMM_WORLD, 0, 1, 0, NULL), right, a, b, 0, 1, 0);
  for (int ending = 0; ending < 2 * size; ending++) {
    watch seen = {0, 0, 0, NEVER};
    int is_mine = ending / 2 == rank;
    if (is_mine) seen.ends = ending % 2 ? AT_THE_END : AT_ONCE;
    /* Every third time the others have no progress function. */
    REQUIRE(call(a, b, MPI_COMM_WORLD, 0, 1, 0, is_mine || ending % 3 ? &seen : NULL) == -2);
    REQUIRE(!is_mine || (ending % 2 ? seen.done == seen.total && seen.calls > 0 : seen.calls == 1));
    ended++;
    compare(call(a, b, MPI_COMM_WORLD, 0, 1, 0, NULL), right, a, b, 0, 1, 0);
  }
  free(a.symbols);
  free(b.symbols);
}

/* A message of the program that is under way, with any tag from any rank, is not one of hcube. */
static void messages_of_the_program(void) {
  string a = random_string(9, 2000, 4), b = random_string(10, 2100, 4);
  int received = -1, arrived, to = (rank + 1) % size;
  MPI_Request request;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  check(a, b, MPI_COMM_WORLD, 0, 1);
  MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
  REQUIRE(!arrived);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&rank, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  REQUIRE(received == (rank + size - 1) % size);
  free(a.symbols);
  free(b.symbols);
}

static int64_t untouched = 7;

/* With arguments a, a_length, b, b_length, symbol_bytes and at_least; the progress function is never called. */
#define REFUSE(expected, text, comm, place, ...)                                               \
  do {                                                                                         \
    watch never_ = {0, 0, 0, NEVER};                                                           \
    REFUSED(expected, text, hcube_llcs(__VA_ARGS__, observe, &never_, comm, place, &failure)); \
    REQUIRE(never_.calls == 0 && untouched == 7);                                              \
  } while (0)

static void bad_arguments(void) {
  static uint32_t memory[64];
  uint8_t *odd = (uint8_t *)memory + 1;
  int last = rank == size - 1, others = size > 1 && !last;
  const char *remote = others ? "refused" : "";
  MPI_Comm world = MPI_COMM_WORLD;
  /* An error of the last rank is one on all. */
#define MINE(text) (others ? remote : (text))
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("a = NULL"), world, &untouched, last ? NULL : memory, 5, memory, 5, 1, 0);
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("b = NULL"), world, &untouched, memory, 5, last ? NULL : memory, 5, 4, 0);
  REFUSE(HCUBE_ERR_COUNT, MINE("a_length = -1"), world, &untouched, memory, last ? -1 : 5, memory, 5, 1, 0);
  REFUSE(HCUBE_ERR_COUNT, MINE("b_length = -9"), world, &untouched, memory, 5, memory, last ? -9 : 5, 2, 0);
  REFUSE(HCUBE_ERR_COUNT, MINE("b_length = "), world, &untouched, memory, 5, memory, last ? INT64_MAX : 5, 2, 0);
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("symbol_bytes = 3"), world, &untouched, memory, 5, memory, 5, last ? 3 : 4, 0);
  REFUSE(HCUBE_ERR_ARGUMENT, "symbol_bytes = 0", world, &untouched, memory, 5, memory, 5, 0, 0);
  REFUSE(HCUBE_ERR_ARGUMENT, "symbol_bytes = 8", world, &untouched, memory, 5, memory, 5, 8, 0);
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("at_least = -1"), world, &untouched, memory, 5, memory, 5, 1, last ? -1 : 0);
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("a = 0x"), world, &untouched, last ? (void *)odd : (void *)memory, 5, memory, 5, 2,
         0);
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("b = 0x"), world, &untouched, memory, 5, last ? (void *)(odd + 1) : (void *)memory, 5,
         4, 0);
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("length = NULL"), world, last ? NULL : &untouched, memory, 5, memory, 5, 1, 0);
  REFUSE(HCUBE_ERR_COMM, "", MPI_COMM_NULL, &untouched, memory, 5, memory, 5, 1, 0);
  if (size > 1) {
    MPI_Comm half, inter;
    REFUSE(HCUBE_ERR_MISMATCH, "bits of a symbol differs", world, &untouched, memory, 5, memory, 5, last ? 2 : 4, 0);
    REFUSE(HCUBE_ERR_MISMATCH, "at_least differs", world, &untouched, memory, 5, memory, 5, 1, last ? 3 : 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
    REFUSE(HCUBE_ERR_COMM, "intercommunicator", inter, &untouched, memory, 5, memory, 5, 1, 0);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
#undef MINE
  /* Without a place for the error. */
  REQUIRE(hcube_llcs(memory, 5, memory, 5, 3, 0, NULL, NULL, world, &untouched, NULL) == HCUBE_ERR_ARGUMENT);
  REQUIRE(untouched == 7);
}

int main(int argc, char **argv) {
  MPI_Comm other;
  begin_program(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
  comms[0] = comms[2] = MPI_COMM_WORLD;
  comms[1] = other;
  comms[3] = MPI_COMM_SELF;
  while (next_round()) {
    strings();
    strings();
    interruptions();
    messages_of_the_program();
    bad_arguments();
  }
  /* It still works. */
  check_and_free(random_string(11, 500, 9), random_string(12, 501, 9), 4);
  MPI_Comm_free(&other);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok %d %d %d\n", lengths, ended, refusals);
  return end_program();
}
