/* Small blocks by default: node leaders, also beside a few larger ones; where most are larger, the MPI library out of
 * place, and other algorithms in place.
 *
 *   HCUBE_MEMORY=8M alltoall_leaders
 *
 * MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw: contiguous blocks and blocks of every other byte, all of whose bytes
 * are checked; counts that do not match and arguments that are not valid, which are an error on all ranks. Prints
 * `ok leaders`.
 */
#include "alltoall.h"

enum { LARGEST_LED = 16 << 10, LARGEST = (16 << 10) + 100, MOSTLY_LARGE = 64 << 10 };

/* Blocks of this number of elements, which are `stride` bytes apart; what is received lies between canaries. */
static void exchange(int count, int stride, MPI_Datatype type, int expected_path) {
  int64_t length = (int64_t)size * count * stride;
  unsigned char *sent = (unsigned char *)allocate(length), *received = (unsigned char *)allocate(length);
  unsigned char *block = (unsigned char *)allocate(count);
  for (int peer = 0; peer < size; peer++) {
    put_data(data_key(7, rank, peer), 0, block, count);
    for (int64_t i = 0; i < count; i++) sent[((int64_t)peer * count + i) * stride] = block[i];
  }
  put_canary(received, length);
  REQUIRE(hcube_alltoall(sent, count, type, received, count, type, MPI_COMM_WORLD) == MPI_SUCCESS);
  int path = last_path(MPI_COMM_WORLD);
  if (path != expected_path) FAIL("%d bytes by '%s', not '%s'", count, path_names[path], path_names[expected_path]);
  for (int peer = 0; peer < size; peer++) {
    put_data(data_key(7, peer, rank), 0, block, count);
    for (int64_t i = 0; i < count; i++)
      if (received[((int64_t)peer * count + i) * stride] != block[i]) FAIL("%d bytes: wrong data from %d", count, peer);
  }
  for (int64_t i = 0; i < length; i++)
    if (i % stride != 0 && received[i] != (unsigned char)(i * 7 + 0xA5)) FAIL("%d bytes: a gap has changed", count);
  free(block);
  free(received);
  free(sent);
}

/* The same in place, of contiguous blocks. */
static void exchange_in_place(int count) {
  unsigned char *blocks = (unsigned char *)allocate((int64_t)size * count);
  unsigned char *block = (unsigned char *)allocate(count);
  for (int peer = 0; peer < size; peer++) put_data(data_key(8, rank, peer), 0, blocks + (int64_t)peer * count, count);
  REQUIRE(hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, blocks, count, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS);
  int path = last_path(MPI_COMM_WORLD);
  if ((path == PATH_LEADERS) != (count <= LARGEST_LED)) FAIL("%d bytes in place by '%s'", count, path_names[path]);
  for (int peer = 0; peer < size; peer++) {
    put_data(data_key(8, peer, rank), 0, block, count);
    if (memcmp(blocks + (int64_t)peer * count, block, (size_t)count) != 0)
      FAIL("%d bytes in place: wrong data from %d", count, peer);
  }
  free(block);
  free(blocks);
}

/* One rank sends and expects other counts than the others: no rank may be left waiting, and nothing is written. */
static void mismatch(int in_place) {
  int count = rank == 1 ? 30 : 20;
  unsigned char *sent = (unsigned char *)allocate((int64_t)size * 30);
  int64_t length = (int64_t)size * 30;
  int error;
  unsigned char *received = (unsigned char *)allocate(length);
  memset(sent, 0, (size_t)length);
  put_canary(received, length);
  int code = hcube_alltoall(in_place ? MPI_IN_PLACE : sent, count, MPI_BYTE, received, count, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Error_class(code, &error);
  if (error != MPI_ERR_TRUNCATE) FAIL("counts that do not match: class %d", error);
  for (int64_t i = 0; i < length; i++)
    if (received[i] != (unsigned char)(i * 7 + 0xA5)) FAIL("counts that do not match: byte %d was written", (int)i);
  free(received);
  free(sent);
}

enum { NONE = -1 };

/* Bytes of a block of blocks of several sizes: at most `most`, and that from rank 1 to rank 2 and back. Beside blocks
 * of LARGEST all others are small. */
static int bytes_of(int from, int to, int most) {
  int low = from < to ? from : to, high = from < to ? to : from;
  int others = most == LARGEST ? 110 : most;
  return low == 1 && high == 2 ? most : (7 * low + 5 * high) % 11 * (others / 11);
}

/* The arguments of blocks of several sizes, each with a gap of two bytes before it. */
typedef struct {
  unsigned char *bytes;
  int *counts, *places;
  MPI_Datatype *types;
  int length;
} counted;

static counted counted_blocks(int most, int more_for) {
  counted blocks = {NULL, (int *)allocate((int64_t)size * sizeof(int)), (int *)allocate((int64_t)size * sizeof(int)),
                    (MPI_Datatype *)allocate((int64_t)size * sizeof(MPI_Datatype)), 0};
  for (int peer = 0; peer < size; peer++) {
    blocks.counts[peer] = bytes_of(rank, peer, most) + (peer == more_for ? 3 : 0);
    blocks.places[peer] = blocks.length + 2;
    blocks.types[peer] = MPI_BYTE;
    blocks.length += blocks.counts[peer] + 2;
  }
  blocks.bytes = (unsigned char *)allocate(blocks.length);
  put_canary(blocks.bytes, blocks.length);
  return blocks;
}

static void release(counted *blocks) {
  free(blocks->bytes);
  free(blocks->counts);
  free(blocks->places);
  free(blocks->types);
}

static int call_counted(int with_types, const void *from, const counted *sent, const counted *received) {
  if (with_types)
    return hcube_alltoallw(from, sent->counts, sent->places, sent->types, received->bytes, received->counts,
                           received->places, received->types, MPI_COMM_WORLD);
  return hcube_alltoallv(from, sent->counts, sent->places, MPI_BYTE, received->bytes, received->counts,
                         received->places, MPI_BYTE, MPI_COMM_WORLD);
}

/* Blocks of several sizes. */
static void exchange_counted(int with_types, int in_place, int most, int expected_path) {
  int key = 9 + 2 * with_types + in_place;
  counted sent = counted_blocks(most, NONE), received = counted_blocks(most, NONE);
  counted *source = in_place ? &received : &sent;
  unsigned char *block = (unsigned char *)allocate(most);
  for (int peer = 0; peer < size; peer++)
    put_data(data_key(key, rank, peer), 0, source->bytes + source->places[peer], source->counts[peer]);
  REQUIRE(call_counted(with_types, in_place ? MPI_IN_PLACE : sent.bytes, &sent, &received) == MPI_SUCCESS);
  int path = last_path(MPI_COMM_WORLD);
  /* NONE: by messages, or out of place by the library's function, which is compared with them. */
  int is_compared = path != PATH_LEADERS && (path != PATH_LIBRARY || !in_place);
  int right = expected_path == NONE ? is_compared : path == expected_path;
  if (!right) FAIL("blocks of at most %d bytes by '%s'", most, path_names[path]);
  for (int peer = 0; peer < size; peer++) {
    unsigned char *found = received.bytes + received.places[peer];
    put_data(data_key(key, peer, rank), 0, block, received.counts[peer]);
    if (memcmp(found, block, (size_t)received.counts[peer]) != 0)
      FAIL("blocks of at most %d bytes: wrong data from %d", most, peer);
    for (int gap = received.places[peer] - 2; gap < received.places[peer]; gap++)
      if (received.bytes[gap] != (unsigned char)(gap * 7 + 0xA5)) FAIL("blocks of at most %d bytes: a gap", most);
  }
  free(block);
  release(&sent);
  release(&received);
}

/* Rank 1 sends more to rank 0 than that expects, or passes a negative count: an error on all ranks. */
static void refused_counted(int in_place, int is_invalid) {
  counted sent = counted_blocks(50, rank == 1 && !in_place && !is_invalid ? 0 : NONE);
  counted received = counted_blocks(50, rank == 1 && in_place && !is_invalid ? 0 : NONE);
  int error;
  if (is_invalid && rank == 1) received.counts[0] = -1;
  int code = call_counted(0, in_place ? MPI_IN_PLACE : sent.bytes, &sent, &received);
  MPI_Error_class(code, &error);
  if (error != (is_invalid ? MPI_ERR_COUNT : MPI_ERR_TRUNCATE)) FAIL("blocks that are refused: class %d", error);
  for (int i = 0; i < received.length; i++)
    if (received.bytes[i] != (unsigned char)(i * 7 + 0xA5)) FAIL("blocks that are refused: byte %d was written", i);
  release(&sent);
  release(&received);
}

int main(int argc, char **argv) {
  static const int counts[] = {1, 7, 64, LARGEST_LED, LARGEST_LED + 1, LARGEST};
  MPI_Datatype every_other;
  begin_program(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Type_create_resized(MPI_BYTE, 0, 2, &every_other);
  MPI_Type_commit(&every_other);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    exchange(counts[i], 1, MPI_BYTE, counts[i] <= LARGEST_LED ? PATH_LEADERS : PATH_LIBRARY);
    exchange_in_place(counts[i]);
  }
  exchange(100, 2, every_other, PATH_LEADERS);
  mismatch(0);
  mismatch(1);
  exchange(5, 1, MPI_BYTE, PATH_LEADERS);
  for (int with_types = 0; with_types < 2; with_types++) {
    for (int in_place = 0; in_place < 2; in_place++) {
      exchange_counted(with_types, in_place, 11, PATH_LEADERS);
      exchange_counted(with_types, in_place, LARGEST_LED, PATH_LEADERS);
      exchange_counted(with_types, in_place, LARGEST, PATH_LEADERS);
      exchange_counted(with_types, in_place, MOSTLY_LARGE, NONE);
      refused_counted(in_place, with_types);
      exchange_counted(with_types, in_place, 500, PATH_LEADERS);
    }
  }
  MPI_Type_free(&every_other);
  if (rank == 0) printf("ok leaders\n");
  return end_program();
}
