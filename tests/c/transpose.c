/* hcube_transpose against the definition: every element of every part, in place and out of place, on the
 * world and on a communicator with the ranks in another order; then bad input, refused on all ranks with
 * nothing written. Prints `ok <transpositions> <refusals> <path of a large one>`. */
#include "client.h"
#include "rounds.h"

#define GUARD 0x5a

static int transpositions;

typedef struct part {
  unsigned char *bytes;
  int64_t own, first, other, length;
} part;

static unsigned char byte_of(int64_t row, int64_t column, int64_t number) {
  return (unsigned char)(row * 31 + column * 7 + number + row * column / 13);
}

static int64_t share(int64_t all, int64_t block, int rank) {
  int64_t left = all - block * rank;
  return left < 0 ? 0 : left < block ? left : block;
}

/* The part of a rank, before or, with `after`, of the transposed matrix; a guard behind it. */
static part make_part(const hcube_transpose_shape *shape, int rank, int after) {
  int columnwise = after ? shape->transposed_out : shape->transposed_in;
  int64_t block = after ? shape->column_block : shape->row_block;
  part result;
  result.other = after ? shape->rows : shape->columns;
  result.own = share(after ? shape->columns : shape->rows, block, rank);
  result.first = block * rank;
  result.length = result.own * result.other * shape->element_bytes;
  result.bytes = (unsigned char *)allocate((size_t)result.length + 1);
  for (int64_t here = 0; here < result.own; here++)
    for (int64_t there = 0; there < result.other; there++) {
      int64_t place = columnwise ? there * result.own + here : here * result.other + there;
      int64_t row = after ? there : result.first + here, column = after ? result.first + here : there;
      for (int64_t number = 0; number < shape->element_bytes; number++)
        result.bytes[place * shape->element_bytes + number] = byte_of(row, column, number);
    }
  result.bytes[result.length] = GUARD;
  return result;
}

static void check(const char *what, const unsigned char *found, const part *expected,
                  const hcube_transpose_shape *shape) {
  for (int64_t at = 0; at <= expected->length; at++)
    if (found[at] != expected->bytes[at])
      FAIL("%s, %" PRId64 " x %" PRId64 " x %" PRId64 ", blocks %" PRId64 " and %" PRId64 ", %d %d: byte %" PRId64
           " of %" PRId64 " is %d instead of %d",
           what, shape->rows, shape->columns, shape->element_bytes, shape->row_block, shape->column_block,
           (int)shape->transposed_in, (int)shape->transposed_out, at, expected->length, found[at], expected->bytes[at]);
}

/* The rule that hcube.h states for every communicator. */
static int symmetric(const hcube_transpose_shape *shape) {
  return shape->rows == shape->columns && shape->row_block == shape->column_block &&
         shape->transposed_in == shape->transposed_out;
}

/* In place where hcube says that it can, and it must where the shape is symmetric. */
static void transpose_in_place(const hcube_transpose_shape *shape, MPI_Comm comm) {
  int rank;
  part before, after;
  if (hcube_transpose_check(shape, 1, comm, &failure) != HCUBE_SUCCESS) {
    if (symmetric(shape)) FAIL("refused in place: %s", failure.message);
    REQUIRE(failure.code == HCUBE_ERR_ARGUMENT && strstr(failure.message, "input == output") != NULL);
    return;
  }
  MPI_Comm_rank(comm, &rank);
  before = make_part(shape, rank, 0);
  after = make_part(shape, rank, 1);
  int64_t length = before.length > after.length ? before.length : after.length;
  unsigned char *data = (unsigned char *)allocate((size_t)length + 1);
  memcpy(data, before.bytes, (size_t)before.length);
  data[length] = GUARD;
  /* Both forms; a rank without elements has only one. */
  const void *input = length == 0 || transpositions % 2 ? MPI_IN_PLACE : (void *)data;
  SUCCEED(hcube_transpose(input, length > 0 ? data : NULL, shape, comm, &failure));
  REQUIRE(data[length] == GUARD);
  data[after.length] = GUARD;
  check("in place", data, &after, shape);
  transpositions++;
  free(data);
  free(before.bytes);
  free(after.bytes);
}

static void transpose(const hcube_transpose_shape *shape, MPI_Comm comm) {
  int rank;
  part before, after;
  MPI_Comm_rank(comm, &rank);
  before = make_part(shape, rank, 0);
  after = make_part(shape, rank, 1);
  unsigned char *output = (unsigned char *)allocate((size_t)after.length + 1);
  memset(output, 0xee, (size_t)after.length);
  output[after.length] = GUARD;
  /* A rank without elements may pass NULL. */
  SUCCEED(hcube_transpose(before.length > 0 ? before.bytes : NULL, after.length > 0 ? output : NULL, shape, comm,
                          &failure));
  check("out of place", output, &after, shape);
  free(output);
  output = before.bytes;
  before = make_part(shape, rank, 0);
  check("the input", output, &before, shape);
  transpositions++;
  free(output);
  free(before.bytes);
  free(after.bytes);
}

static void all_shapes(MPI_Comm comm) {
  static const int64_t sizes[][3] = {{1, 1, 8}, {2, 5, 4},    {7, 7, 8},     {16, 16, 16}, {12, 30, 8},  {33, 20, 24},
                                     {9, 9, 1}, {3, 8, 3000}, {130, 130, 8}, {100, 64, 4}, {300, 300, 8}};
  int size;
  MPI_Comm_size(comm, &size);
  for (size_t number = 0; number < sizeof sizes / sizeof *sizes; number++)
    for (int flags = 0; flags < 4; flags++)
      for (int more = 0; more < 2; more++) {
        hcube_transpose_shape shape;
        shape.rows = sizes[number][0];
        shape.columns = sizes[number][1];
        shape.element_bytes = sizes[number][2];
        shape.row_block = (shape.rows + size - 1) / size + more;
        shape.column_block = (shape.columns + size - 1) / size + more;
        shape.transposed_in = flags & 1;
        shape.transposed_out = flags >> 1;
        transpose(&shape, comm);
        transpose_in_place(&shape, comm);
      }
}

static void bad_input(MPI_Comm comm) {
  int size, rank;
  double input[64], output[64];
  hcube_transpose_shape good, bad;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  memset(input, 0, sizeof input);
  memset(output, GUARD, sizeof output);
  good.rows = good.columns = 8;
  good.element_bytes = 8;
  good.row_block = good.column_block = (8 + size - 1) / size;
  good.transposed_in = good.transposed_out = 0;
#define REFUSE(change, fragment)                                                                 \
  do {                                                                                           \
    bad = good;                                                                                  \
    change;                                                                                      \
    REFUSED(HCUBE_ERR_ARGUMENT, fragment, hcube_transpose(input, output, &bad, comm, &failure)); \
  } while (0)
  REFUSE(bad.rows = 0, "shape.rows = 0");
  REFUSE(bad.columns = -3, "shape.columns = -3");
  REFUSE(bad.element_bytes = 0, "shape.element_bytes = 0");
  REFUSE(bad.row_block = 0, "shape.row_block = 0");
  REFUSE(bad.transposed_in = 2, "shape.transposed_in = 2");
  REFUSE(bad.transposed_out = -1, "shape.transposed_out = -1");
  REFUSE(bad.element_bytes = INT64_C(1) << 60, "element_bytes");
  if (size > 1) REFUSE(bad.column_block = good.column_block - 1, "shape.column_block");
  REFUSED(HCUBE_ERR_ARGUMENT, "shape = NULL", hcube_transpose(input, output, NULL, comm, &failure));
  /* Parts of many small elements that are not square, never accessed. */
  bad = good;
  bad.rows = bad.row_block = 1000000;
  bad.columns = bad.column_block = 1;
  REFUSED(HCUBE_ERR_ARGUMENT, "rows == columns", hcube_transpose(input, input, &bad, comm, &failure));
  if (size > 1 || bad.rows != bad.columns) {
    REQUIRE(hcube_transpose_check(&bad, 0, comm, &failure) == HCUBE_SUCCESS);
    REQUIRE(hcube_transpose_check(&bad, 2, comm, &failure) == HCUBE_ERR_ARGUMENT);
    bad.transposed_in = rank == 0;
    if (size > 1) REQUIRE(hcube_transpose_check(&bad, 0, comm, &failure) == HCUBE_ERR_MISMATCH);
  }
  REFUSED(HCUBE_ERR_BUFFER, "output = MPI_IN_PLACE", hcube_transpose(input, MPI_IN_PLACE, &good, comm, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "overlap", hcube_transpose(input, input + 1, &good, comm, &failure));
  REFUSED(HCUBE_ERR_COMM, "MPI_COMM_NULL", hcube_transpose(input, output, &good, MPI_COMM_NULL, &failure));
  /* Also if a rank has no rows: it receives the error of the others. */
  REFUSED(HCUBE_ERR_BUFFER, "input = NULL", hcube_transpose(NULL, output, &good, comm, &failure));
  /* Only one rank: the others are told which. */
  bad = good;
  if (rank == size - 1) bad.rows = 0;
  REFUSED(HCUBE_ERR_ARGUMENT, "shape.rows = 0", hcube_transpose(input, output, &bad, comm, &failure));
  for (size_t at = 0; at < sizeof output; at++) REQUIRE(((unsigned char *)output)[at] == GUARD);
}

int main(int argc, char **argv) {
  char path[64];
  MPI_Comm backwards;
  hcube_transpose_shape large = {400, 400, 8, 400, 400, 0, 0};
  begin_with_threads(&argc, &argv, MPI_THREAD_SINGLE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (next_round()) {
    all_shapes(MPI_COMM_WORLD);
    bad_input(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &backwards);
    all_shapes(backwards);
    MPI_Comm_free(&backwards);
  }
  large.row_block = large.column_block = (large.rows + size - 1) / size;
  transpose_in_place(&large, MPI_COMM_WORLD);
  SUCCEED(hcube_alltoall_last_path(MPI_COMM_WORLD, path, sizeof path, &failure));
  if (rank == 0) printf("ok %d %d %s\n", transpositions, refusals, path);
  return end_program();
}
