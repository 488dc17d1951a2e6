/* Two ranks exchange blocks of more than 2^31 bytes in place: with counts above 2^31 and with counts
 * of type int of a large datatype; then blocks of no elements. Every byte is checked. Prints `ok large`.
 */
#include "alltoall.h"

/* Neither a power of two nor a multiple of a page. */
#define ELEMENT ((INT64_C(1) << 20) + 12)
#define ELEMENTS 2060
#define BLOCK (ELEMENT * ELEMENTS)
#define OWN 1000
#define CHUNK (1 << 20)

static unsigned char *memory;

static void fill(uint64_t key) {
  for (int64_t at = 0; at < BLOCK; at += CHUNK) put_data(key, at, memory + at, BLOCK - at < CHUNK ? BLOCK - at : CHUNK);
}

static void check(const char *what, uint64_t key) {
  static unsigned char expected[CHUNK];
  for (int64_t at = 0; at < BLOCK; at += CHUNK) {
    int64_t length = BLOCK - at < CHUNK ? BLOCK - at : CHUNK;
    put_data(key, at, expected, length);
    if (memcmp(memory + at, expected, (size_t)length) != 0)
      FAIL("%s: wrong bytes between %" PRId64 " and %" PRId64, what, at, at + length);
  }
}

/* The block for the other rank lies in front, the small one for this rank behind 2^31. */
static void begin(uint64_t seed) {
  fill(data_key(seed, rank, 1 - rank));
  put_data(data_key(seed, rank, rank), 0, memory + BLOCK, OWN);
  put_canary(memory + BLOCK + OWN, CHUNK);
}

static void finish(const char *what, uint64_t seed, int code) {
  hcube_alltoall_options options = environment_options();
  static unsigned char expected[CHUNK];
  if (code != MPI_SUCCESS) FAIL("%s returned %d", what, code);
  check_path(MPI_COMM_WORLD, &options, 1, BLOCK);
  check(what, data_key(seed, 1 - rank, rank));
  put_data(data_key(seed, rank, rank), 0, expected, OWN);
  REQUIRE(memcmp(memory + BLOCK, expected, OWN) == 0);
  put_canary(expected, CHUNK);
  REQUIRE(memcmp(memory + BLOCK + OWN, expected, CHUNK) == 0);
}

static void large_counts(void) {
  MPI_Count counts[2];
  MPI_Aint displacements[2];
  counts[rank] = OWN;
  counts[1 - rank] = BLOCK;
  displacements[rank] = BLOCK;
  displacements[1 - rank] = 0;
  begin(1);
  finish("hcube_alltoallv_c", 1,
         hcube_alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, memory, counts, displacements, MPI_BYTE,
                           MPI_COMM_WORLD));
}

static void large_type(void) {
  int counts[2], displacements[2];
  MPI_Datatype type;
  MPI_Type_contiguous((int)ELEMENT, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  counts[rank] = 0;
  counts[1 - rank] = ELEMENTS;
  displacements[0] = displacements[1] = 0;
  begin(2);
  finish("hcube_alltoallv", 2,
         hcube_alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, memory, counts, displacements, type,
                         MPI_COMM_WORLD));
  MPI_Type_free(&type);
}

/* The displacements mean nothing, and as bytes they exceed an address. */
static void no_elements(void) {
  MPI_Count counts[2] = {0, 0};
  MPI_Aint displacements[2] = {PTRDIFF_MIN, PTRDIFF_MAX};
  REQUIRE(hcube_alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, memory, counts, displacements, MPI_INT64_T,
                            MPI_COMM_WORLD) == MPI_SUCCESS);
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  REQUIRE(size == 2);
  memory = (unsigned char *)allocate(BLOCK + OWN + CHUNK);
  large_counts();
  large_type();
  no_elements();
  free(memory);
  if (rank == 0) printf("ok large\n");
  return end_program();
}
