/* Bad input of the all-to-all functions: the right class on all ranks, through the error handler of
 * the communicator and once, buffers untouched, no rank left waiting, and a good call on the same
 * communicator afterwards.
 *
 *   alltoall_errors          prints `ok <n> refusals` and for each message that a rank must write
 *                            a line `expect|<rank>|<function>|<words that must be in it>|...`
 *   alltoall_errors fatal    a mismatch with the default handler: does not come back
 *
 * Words are on stderr always; where the library can carry them (Open MPI) also in MPI_Error_string.
 */
#include "alltoall.h"

#include <limits.h>

/* Elements per block of a valid call, and room for invalid ones. */
#define GOOD 100
#define ROOM 400

enum { OUT_OF_PLACE, IN_PLACE };

#define NONE LONG_MIN

static MPI_Comm comm;
static int *received, *sent, *received_before, *sent_before;
static int *counts, *sent_counts, *displacements;
static MPI_Count *large_counts;
static MPI_Aint *large_displacements;
static MPI_Datatype *types;
static MPI_Datatype type;

/* The arguments of the calls of the error handlers. */
static int calls, world_calls, handled_code;
static MPI_Comm handled_comm;

static void note_error(MPI_Comm *of, int *code, ...) {
  calls++;
  handled_comm = *of;
  handled_code = *code;
}

static void note_world_error(MPI_Comm *of, int *code, ...) {
  (void)of;
  world_calls++;
  handled_code = *code;
}

static int *integers(int count) {
  return (int *)allocate(count * (int64_t)sizeof(int));
}

/* Arguments and buffers of a good call. */
static void reset(void) {
  for (int i = 0; i < size; i++) {
    counts[i] = sent_counts[i] = GOOD;
    displacements[i] = i * ROOM;
    types[i] = MPI_INT;
  }
  type = MPI_INT;
  for (int i = 0; i < size * ROOM; i++) {
    received[i] = received_before[i] = (int)mix3(1, (uint64_t)rank, (uint64_t)i);
    sent[i] = sent_before[i] = (int)mix3(2, (uint64_t)rank, (uint64_t)i);
  }
  calls = world_calls = 0;
}

static int alltoallv(int in_place) {
  if (in_place)
    return hcube_alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, received, counts, displacements, type, comm);
  return hcube_alltoallv(sent, sent_counts, displacements, type, received, counts, displacements, type, comm);
}

static int alltoallw(int in_place) {
  /* Displacements in bytes. */
  int *bytes = integers(size);
  for (int i = 0; i < size; i++) bytes[i] = displacements[i] * (int)sizeof(int);
  int code = in_place ? hcube_alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, received, counts, bytes, types, comm)
                      : hcube_alltoallw(sent, sent_counts, bytes, types, received, counts, bytes, types, comm);
  free(bytes);
  return code;
}

static int alltoall(int in_place) {
  if (in_place) return hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, received, counts[0], type, comm);
  return hcube_alltoall(sent, sent_counts[0], type, received, counts[0], type, comm);
}

static int alltoallv_c(int in_place) {
  for (int i = 0; i < size; i++) {
    large_counts[i] = counts[i];
    large_displacements[i] = displacements[i];
  }
  REQUIRE(in_place);
  return hcube_alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, received, large_counts, large_displacements,
                           type, comm);
}

/* The same communicator does its work. */
static void good_call(const char *what) {
  reset();
  int code = alltoallv(IN_PLACE);
  if (code != MPI_SUCCESS) FAIL("after '%s': a good call returned %d", what, code);
  REQUIRE(calls == 0 && world_calls == 0);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < ROOM; j++) {
      int from = j < GOOD ? i : rank, at = j < GOOD ? rank * ROOM + j : i * ROOM + j;
      if (received[i * ROOM + j] != (int)mix3(1, (uint64_t)from, (uint64_t)at))
        FAIL("after '%s': wrong data of rank %d at %d", what, i, j);
    }
}

/* Checks what a refused call has done. */
static void refused(const char *what, int code, int expected) {
  int class_of_code = -1;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (code == MPI_SUCCESS) FAIL("%s: rank %d: was not refused", what, rank);
  MPI_Error_class(code, &class_of_code);
  MPI_Error_string(code, text, &length);
  if (class_of_code != expected)
    FAIL("%s: rank %d: class %d instead of %d: %s", what, rank, class_of_code, expected, text);
  if (calls != 1 || world_calls != 0)
    FAIL("%s: rank %d: %d calls of the error handler, %d of that of MPI_COMM_WORLD", what, rank, calls, world_calls);
  if (handled_comm != comm) FAIL("%s: rank %d: the error handler got another communicator", what, rank);
  if (handled_code != code) FAIL("%s: rank %d: the error handler got code %d, not %d", what, rank, handled_code, code);
  if (memcmp(received, received_before, (size_t)(size * ROOM) * sizeof(int)) != 0)
    FAIL("%s: rank %d: the buffer was written to", what, rank);
  if (memcmp(sent, sent_before, (size_t)(size * ROOM) * sizeof(int)) != 0)
    FAIL("%s: rank %d: what is sent was written to", what, rank);
  refusals++;
  good_call(what);
  reset();
}

/* Checks what the text of an error must have: numbers, unless they are NONE, and another rank, unless it is
 * below 0. Prints them, if this is the rank that must have printed the text. */
static void expect(int speaks, const char *function, int code, long first, long second, int other) {
  char line[200];
  int at = snprintf(line, sizeof line, "expect|%d|%s", rank, function);
#ifdef OPEN_MPI
  char text[MPI_MAX_ERROR_STRING], number[32];
  int length = 0;
  MPI_Error_string(code, text, &length);
  snprintf(number, sizeof number, "%ld", first);
  if (first != NONE && strstr(text, number) == NULL) FAIL("no %ld in '%s'", first, text);
  snprintf(number, sizeof number, "%ld", second);
  if (second != NONE && strstr(text, number) == NULL) FAIL("no %ld in '%s'", second, text);
  snprintf(number, sizeof number, "rank %d", other);
  if (other >= 0 && strstr(text, number) == NULL) FAIL("no %s in '%s'", number, text);
#else
  (void)code;
#endif
  if (!speaks) return;
  if (first != NONE) at += snprintf(line + at, sizeof line - (size_t)at, "|%ld", first);
  if (second != NONE) at += snprintf(line + at, sizeof line - (size_t)at, "|%ld", second);
  if (other >= 0) at += snprintf(line + at, sizeof line - (size_t)at, "|rank %d", other);
  snprintf(line + at, sizeof line - (size_t)at, "\n");
  /* One write: MPICH turns buffering off, and the other ranks write at the same time. */
  fwrite(line, 1, strlen(line), stdout);
  fflush(stdout);
}

/* --- what does not match between ranks ---------------------------------------------------------- */

/* Runs a call in which ranks 0 and `with` disagree about `first` and `second` bytes. */
static void mismatch(const char *what, const char *function, int (*call)(int), int in_place, int with, long first,
                     long second) {
  int code = call(in_place);
  /* The message belongs to this call, so it is checked before another call. */
  if (code != MPI_SUCCESS && (rank == 0 || rank == with))
    expect(rank == 0, function, code, first, second, rank == 0 ? with : 0);
  refused(what, code, MPI_ERR_TRUNCATE);
}

static void mismatches(int with) {
  if (rank == 0) counts[with] = GOOD + 1;
  mismatch("more than the other in place", "MPI_Alltoallv", alltoallv, IN_PLACE, with, 404, 400);
  if (rank == with) counts[0] = 309;
  mismatch("less than the other in place", "MPI_Alltoallv", alltoallv, IN_PLACE, with, 400, 1236);
  if (rank == 0) counts[with] = 0;
  mismatch("nothing in place", "MPI_Alltoallv", alltoallv, IN_PLACE, with, 0, 400);
  if (rank == 0) counts[with] = 307;
  mismatch("large counts in place", "MPI_Alltoallv", alltoallv_c, IN_PLACE, with, 1228, 400);
  if (rank == with) {
    counts[0] = 51;
    types[0] = MPI_DOUBLE;
  }
  mismatch("another type in place", "MPI_Alltoallw", alltoallw, IN_PLACE, with, 400, 408);
  if (rank == 0) sent_counts[with] = GOOD + 3;
  mismatch("sends too much", "MPI_Alltoallv", alltoallv, OUT_OF_PLACE, with, 412, 400);
  if (rank == 0) sent_counts[with] = GOOD - 3;
  mismatch("sends too little", "MPI_Alltoallv", alltoallv, OUT_OF_PLACE, with, 388, 400);
  if (rank == with) counts[0] = GOOD + 5;
  mismatch("expects too much", "MPI_Alltoallw", alltoallw, OUT_OF_PLACE, with, 400, 420);
}

/* One rank disagrees with all others, so that it is told about one of them at least. */
static void mismatch_of_all(void) {
  if (rank == size - 1) counts[0] = sent_counts[0] = 77;
  int code = alltoall(IN_PLACE);
  if (code != MPI_SUCCESS) expect(rank == 0, "MPI_Alltoall", code, 308, 400, rank == size - 1 ? -1 : size - 1);
  refused("another count in place", code, MPI_ERR_TRUNCATE);
  if (rank == size - 1) counts[0] = sent_counts[0] = 78;
  code = alltoall(OUT_OF_PLACE);
  if (code != MPI_SUCCESS) expect(rank == 0, "MPI_Alltoall", code, 312, 400, rank == size - 1 ? -1 : size - 1);
  refused("another count", code, MPI_ERR_TRUNCATE);
}

/* The block of a rank for itself. */
static void mismatch_with_itself(void) {
  int bad = size - 1;
  if (rank == bad) sent_counts[bad] = GOOD + 7;
  int code = alltoallv(OUT_OF_PLACE);
  if (code != MPI_SUCCESS && rank == bad) expect(1, "MPI_Alltoallv", code, 428, 400, bad);
  refused("a mismatch with itself", code, MPI_ERR_TRUNCATE);
}

/* --- errors on one rank only --------------------------------------------------------------------- */

/* All others must be told which rank it is. `value` is what that rank must name. */
static void local_error(const char *what, const char *function, int (*call)(int), int in_place, int bad, int expected,
                        long value) {
  int code = call(in_place);
  if (code != MPI_SUCCESS && rank == bad) expect(1, function, code, value, NONE, -1);
  if (code != MPI_SUCCESS && rank != bad) expect(0, function, code, NONE, NONE, bad);
  refused(what, code, expected);
}

static int without_buffer(int in_place) {
  int *kept = received;
  received = NULL;
  int code = alltoallv(in_place);
  received = kept;
  return code;
}

static int without_sent(int in_place) {
  int *kept = sent;
  sent = NULL;
  int code = alltoallv(in_place);
  sent = kept;
  return code;
}

static void local_errors(int bad) {
  MPI_Datatype uncommitted;
  int here = rank == bad;
  MPI_Type_contiguous(1, MPI_INT, &uncommitted);
  if (here) counts[size / 2] = -5;
  local_error("negative count in place", "MPI_Alltoallv", alltoallv, IN_PLACE, bad, MPI_ERR_COUNT, -5);
  if (here) sent_counts[0] = -1;
  local_error("negative count", "MPI_Alltoallv", alltoallv, OUT_OF_PLACE, bad, MPI_ERR_COUNT, -1);
  if (here) counts[0] = -7;
  local_error("negative count of alltoall", "MPI_Alltoall", alltoall, IN_PLACE, bad, MPI_ERR_COUNT, -7);
  if (here) counts[0] = -2;
  local_error("negative large count", "MPI_Alltoallv", alltoallv_c, IN_PLACE, bad, MPI_ERR_COUNT, -2);
  local_error("no buffer in place", "MPI_Alltoallv", here ? without_buffer : alltoallv, IN_PLACE, bad, MPI_ERR_BUFFER,
              NONE);
  local_error("no buffer", "MPI_Alltoallv", here ? without_buffer : alltoallv, OUT_OF_PLACE, bad, MPI_ERR_BUFFER, NONE);
  local_error("nothing to send", "MPI_Alltoallv", here ? without_sent : alltoallv, OUT_OF_PLACE, bad, MPI_ERR_BUFFER,
              NONE);
  if (here) type = MPI_DATATYPE_NULL;
  local_error("no type", "MPI_Alltoallv", alltoallv, IN_PLACE, bad, MPI_ERR_TYPE, NONE);
  if (here) types[0] = MPI_DATATYPE_NULL;
  local_error("no type of a block", "MPI_Alltoallw", alltoallw, IN_PLACE, bad, MPI_ERR_TYPE, NONE);
  if (here) type = uncommitted;
  local_error("uncommitted type", "MPI_Alltoallv", alltoallv, IN_PLACE, bad, MPI_ERR_TYPE, NONE);
  if (here) type = uncommitted;
  local_error("uncommitted type", "MPI_Alltoall", alltoall, OUT_OF_PLACE, bad, MPI_ERR_TYPE, NONE);
  MPI_Type_free(&uncommitted);
}

/* Two ranks have different errors: all ranks get the class of one of them. */
static void two_errors(void) {
  int class_of_code = MPI_SUCCESS, least, most;
  if (rank == 0) counts[0] = -1;
  if (rank == 1) type = MPI_DATATYPE_NULL;
  int code = alltoallv(IN_PLACE);
  MPI_Error_class(code, &class_of_code);
  MPI_Allreduce(&class_of_code, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&class_of_code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank > 1) REQUIRE(class_of_code == MPI_ERR_COUNT || class_of_code == MPI_ERR_TYPE);
  REQUIRE((least == MPI_ERR_COUNT || least == MPI_ERR_TYPE) && (most == MPI_ERR_COUNT || most == MPI_ERR_TYPE));
  refused("two errors", code, rank == 0 ? MPI_ERR_COUNT : rank == 1 ? MPI_ERR_TYPE : class_of_code);
}

/* No communicator to raise an error on: the error handler of MPI_COMM_WORLD is called. */
static void no_communicator(void) {
  MPI_Comm good = comm;
  int code, class_of_code = -1;
  comm = MPI_COMM_NULL;
  code = alltoallv(IN_PLACE);
  comm = good;
  MPI_Error_class(code, &class_of_code);
  REQUIRE(class_of_code == MPI_ERR_COMM && world_calls == 1 && calls == 0 && handled_code == code);
  refusals++;
  good_call("MPI_COMM_NULL");
  reset();
#ifndef OPEN_MPI
  /* A handle of Open MPI is an address, which is invalid after the communicator has been freed. */
  MPI_Comm_dup(good, &comm);
  good = comm;
  MPI_Comm_free(&comm);
  comm = good;
  code = alltoallv(IN_PLACE);
  MPI_Error_class(code, &class_of_code);
  REQUIRE(class_of_code == MPI_ERR_COMM && world_calls == 1 && calls == 0);
  refusals++;
#endif
}

int main(int argc, char **argv) {
  MPI_Errhandler handler, world_handler;
  begin_program(&argc, &argv);
  received = integers(size * ROOM);
  sent = integers(size * ROOM);
  received_before = integers(size * ROOM);
  sent_before = integers(size * ROOM);
  counts = integers(size);
  sent_counts = integers(size);
  displacements = integers(size);
  large_counts = (MPI_Count *)allocate(size * (int64_t)sizeof(MPI_Count));
  large_displacements = (MPI_Aint *)allocate(size * (int64_t)sizeof(MPI_Aint));
  types = (MPI_Datatype *)allocate(size * (int64_t)sizeof(MPI_Datatype));
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  reset();
  if (argc > 1 && strcmp(argv[1], "fatal") == 0) {
    if (rank == 0) counts[size - 1] = -3;
    alltoallv(IN_PLACE);
    printf("rank %d came back\n", rank);
    return end_program();
  }
  MPI_Comm_create_errhandler(note_error, &handler);
  MPI_Comm_create_errhandler(note_world_error, &world_handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, world_handler);
  /* The first call on the communicator is a bad one in the first of these. */
  local_errors(0);
  local_errors(size - 1);
  mismatch_with_itself();
  if (size > 1) {
    mismatches(1);
    if (size > 2) mismatches(size - 1);
    mismatch_of_all();
    two_errors();
  }
  no_communicator();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (rank == 0) printf("ok %d refusals\n", refusals);
  return end_program();
}
