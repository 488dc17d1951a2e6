/* The functions in a program without errors, on any number of processes and in every dialect. Arguments:
 *
 *   refused <processes>  the kernel refuses single copy to the processes whose numbers have this remainder modulo 2; 2:
 * to all direct               every process may read memory of every other one
 *
 * Prints `ok <dialect> <language> <processes>`. */
#include "../single_copy_filter.h"
#include "bsp_client.h"
#include "copies.h"
#include "messages.h"
#include "registration.h"

#ifdef __cplusplus
#define LANGUAGE "C++"
#else
#define LANGUAGE "C"
#endif

#if !defined(STANDARD)
/* The result is right, then left: the order of operands counts. */
static void affine(void *result, void *left, void *right, int *bytes) {
  const uint64_t *first = (const uint64_t *)left, *second = (const uint64_t *)right;
  uint64_t both[2];
  REQUIRE(*bytes == sizeof both);
  both[0] = first[0] * second[0];
  both[1] = second[0] * first[1] + second[1];
  memcpy(result, both, sizeof both);
}

static void broadcast_and_fold(void) {
  int cell = -1, value = 40 + own;
  unsigned char *large = (unsigned char *)room(300000);
  bsp_push_reg(&cell, sizeof cell);
  bsp_sync();
  /* They are no supersteps: this put is not carried out by them. */
  bsp_put(at(1), &value, &cell, 0, sizeof cell);
  for (int root = 0; root < all; root++) {
    int source = 1000 + own, target = -1;
    bsp_bcast(root, own == root ? &source : NULL, &target, sizeof target);
    REQUIRE(target == 1000 + root && cell == -1);
    fill(large, 300000, (size_t)own, 4);
    bsp_bcast(root, large, large, 300000);
    REQUIRE(is_filled(large, 300000, (size_t)root, 4));
  }
  bsp_bcast(0, NULL, NULL, 0);
  for (int step = 0; step < 2; step++) {
    uint64_t function[2] = {(uint64_t)own * 2 + 3, (uint64_t)own + 5}, result[2] = {1, 0}, expected[2] = {1, 0};
    int bytes = sizeof expected;
    for (int process = 0; process < all; process++) {
      uint64_t of[2] = {(uint64_t)process * 2 + 3, (uint64_t)process + 5};
      affine(expected, expected, of, &bytes);
    }
    /* Also in the memory of the operand. */
    bsp_fold(affine, function, step == 0 ? result : function, sizeof function);
    REQUIRE(memcmp(step == 0 ? result : function, expected, sizeof expected) == 0 && cell == -1);
  }
  bsp_sync();
  REQUIRE(cell == 40 + (int)at(-1));
  bsp_pop_reg(&cell);
  bsp_sync();
  free(large);
}

/* At once: what is read is the value of the moment, which a broadcast separates from the next one. */
static void direct_gets(int all_of_them) {
  int block[3] = {own, 500 + own, own}, read = -1, none = 0, other;
  bsp_push_reg(block, sizeof block);
  bsp_sync();
  bsp_direct_get(at(0), block, sizeof(int), &read, sizeof read);
  REQUIRE(read == 500 + own);
  bsp_direct_get((bsp_pid_t)all, NULL, NONE, NULL, 0);
  for (other = 0; other < all && all_of_them; other++) {
    bsp_direct_get((bsp_pid_t)other, block, sizeof(int), &read, sizeof read);
    REQUIRE(read == 500 + other);
  }
  bsp_bcast(0, &none, &none, sizeof none);
  bsp_pop_reg(block);
  bsp_sync();
}
#endif

static void identity(void) {
  int processes, process;
  double begin = bsp_time();
  /* The library has initialised MPI. */
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  REQUIRE(own == process && all == processes && begin >= 0);
  double now = bsp_time();
  REQUIRE(now >= begin && now < 1000);
  while (bsp_time() == begin) continue;
}

int main(int argc, char **argv) {
  int direct = 0, most = (int)bsp_nprocs();
  for (int index = 1; index < argc; index++) direct |= strcmp(argv[index], "direct") == 0;
  if (argc > 2 && strcmp(argv[1], "refused") == 0) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK") != NULL ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    REQUIRE(rank != NULL);
    if (atoi(argv[2]) == 2 || atoi(argv[2]) == atoi(rank) % 2) refuse_single_copy(1, 1);
  }
  bsp_begin(bsp_nprocs());
  own = (int)bsp_pid();
  all = (int)bsp_nprocs();
  REQUIRE(all == most);
  identity();
  copies();
  registration();
  messages();
#if !defined(STANDARD)
  broadcast_and_fold();
  direct_gets(direct);
#endif
  bsp_end();
  REQUIRE((int)bsp_nprocs() == all);
  if (own == 0) printf("ok %s %s %d\n", DIALECT, LANGUAGE, all);
  return 0;
}
