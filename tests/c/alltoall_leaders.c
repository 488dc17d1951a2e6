/* MPI_Alltoall by default: node leaders for small blocks; out of place the MPI library for others, in place others too.
 *
 *   alltoall_leaders
 *
 * Contiguous blocks and blocks of every other byte, all of whose bytes are checked; and counts that do not match, which
 * are an error on all ranks. Prints `ok leaders`.
 */
#include "alltoall.h"

enum { LARGEST_LED = 1024, LARGEST = 1100 };

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
  MPI_Type_free(&every_other);
  if (rank == 0) printf("ok leaders\n");
  return end_program();
}
