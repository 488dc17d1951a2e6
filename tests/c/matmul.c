/* hcube_matmul against the definition, with both distributions as the header describes them, many sizes, with dgemm_
 * and without, on communicators of several kinds; then bad arguments, refused on all ranks with nothing written. Prints
 * `ok <products> <refusals>`.
 *
 *   matmul limit <n> <blocks> <temporary blocks>
 *
 * computes a product within an address space that has room for the temporary blocks and half a block, and is refused on
 * all ranks where half a block is missing, on all of them or on the last one. Prints `ok limit <bytes of a block>
 * <bytes>`, by which the memory of the rank has grown at most during the product. */
#include "memory.h"
#include "rounds.h"

#include <sys/resource.h>

enum { CUSTOMIZED = HCUBE_MATMUL_CUSTOMIZED, STATIC = HCUBE_MATMUL_STATIC, EXTRA = 3 };

static const double untouched = -77;

static int products, calls_of_dgemm;

/* dgemm_ by the definition, for matrices that are not transposed. */
static void dgemm(const char *transa, const char *transb, const int32_t *m, const int32_t *n, const int32_t *k,
                  const double *alpha, const double *a, const int32_t *lda, const double *b, const int32_t *ldb,
                  const double *beta, double *c, const int32_t *ldc) {
  REQUIRE(*transa == 'N' && *transb == 'N' && *alpha == 1 && (*beta == 0 || *beta == 1));
  REQUIRE(*lda >= *m && *ldb >= *k && *ldc >= *m && *lda > 0 && *ldb > 0 && *ldc > 0);
  for (int32_t column = 0; column < *n; column++) {
    double *to = c + (int64_t)column * *ldc;
    for (int32_t row = 0; row < *m; row++) to[row] = *beta == 0 ? 0 : to[row];
    for (int32_t inner = 0; inner < *k; inner++) {
      double factor = b[inner + (int64_t)column * *ldb];
      for (int32_t row = 0; row < *m; row++) to[row] += a[row + (int64_t)inner * *lda] * factor;
    }
  }
  calls_of_dgemm++;
}

typedef struct {
  int64_t n, blocks;
  int32_t distribution;
} problem;

static int64_t divided(int64_t number, int64_t by) {
  return (number + by - 1) / by;
}

static int64_t least(int64_t one, int64_t other) {
  return one < other ? one : other;
}

/* Where an element lies, as the header says: the rank, and the place in its array. */
static int64_t place(problem of, int64_t row, int64_t column, int ranks, int *owner) {
  if (of.distribution == CUSTOMIZED) {
    int64_t blocks = of.blocks;
    if (blocks == 0) {
      blocks = 1;
      while (blocks * blocks < ranks && blocks < of.n) blocks++;
    }
    int64_t side = divided(of.n, blocks);
    int64_t number = row / side * blocks + column / side;
    *owner = (int)(number % ranks);
    return number / ranks * side * side + row % side + column % side * least(side, of.n - row / side * side);
  } else {
    int64_t rows = 1, number;
    for (number = 1; number * number <= ranks; number++)
      if (ranks % number == 0) rows = number;
    int64_t columns = ranks / rows;
    int64_t height = divided(of.n, rows);
    int64_t width = divided(of.n, columns);
    *owner = (int)(row / height * columns + column / width);
    return row % height + column % width * least(height, of.n - row / height * height);
  }
}

static double element_of_a(int64_t row, int64_t column) {
  return (double)((row * 3 + column * 5) % 7 - 3);
}

static double element_of_b(int64_t row, int64_t column) {
  return (double)((row * 4 + column) % 11 - 5);
}

static double element_of_c(int64_t n, int64_t row, int64_t column) {
  double sum = 0;
  for (int64_t inner = 0; inner < n; inner++) sum += element_of_a(row, inner) * element_of_b(inner, column);
  return sum;
}

static int64_t local_elements(problem of, MPI_Comm comm) {
  int64_t elements = -1;
  SUCCEED(hcube_matmul_local_elements(of.n, of.blocks, of.distribution, comm, &elements, &failure));
  REQUIRE(elements >= 0);
  return elements;
}

static double *new_part(int64_t elements) {
  double *memory = (double *)allocate((size_t)(elements + EXTRA) * sizeof(double));
  for (int64_t number = 0; number < elements + EXTRA; number++) memory[number] = untouched;
  return memory;
}

/* The elements of this rank of one matrix; returns their number. */
static int64_t fill(problem of, MPI_Comm comm, double *memory, int64_t elements, double (*value)(int64_t, int64_t)) {
  int64_t count = 0;
  int own, all, owner;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &all);
  for (int64_t row = 0; row < of.n; row++)
    for (int64_t column = 0; column < of.n; column++) {
      int64_t at = place(of, row, column, all, &owner);
      if (owner != own) continue;
      REQUIRE(at < elements && memory[at] == untouched);
      memory[at] = value(row, column);
      count++;
    }
  return count;
}

/* Checks every element of C, or the elements of every `step`th row. */
static void check(problem of, MPI_Comm comm, const double *c, int64_t elements, int64_t step) {
  int own, all, owner;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &all);
  for (int64_t row = 0; row < of.n; row += step)
    for (int64_t column = 0; column < of.n; column++) {
      int64_t at = place(of, row, column, all, &owner);
      if (owner == own && c[at] != element_of_c(of.n, row, column))
        FAIL("(%" PRId64 ", %" PRId64 ") is %g instead of %g: n %" PRId64 ", blocks %" PRId64 ", distribution %d", row,
             column, c[at], element_of_c(of.n, row, column), of.n, of.blocks, (int)of.distribution);
    }
  for (int64_t number = elements; number < elements + EXTRA; number++) REQUIRE(c[number] == untouched);
}

static void check_product(problem of, MPI_Comm comm, hcube_matmul_kernel kernel) {
  int64_t elements = local_elements(of, comm);
  double *a = new_part(elements), *b = new_part(elements), *c = new_part(elements);
  int64_t filled = fill(of, comm, a, elements, element_of_a);
  REQUIRE(fill(of, comm, b, elements, element_of_b) == filled && sum_over_ranks(comm, filled) == of.n * of.n);
  /* A rank without elements may pass NULL. */
  if (elements == 0) SUCCEED(hcube_matmul(of.n, of.blocks, of.distribution, NULL, NULL, NULL, kernel, comm, &failure));
  else SUCCEED(hcube_matmul(of.n, of.blocks, of.distribution, a, b, c, kernel, comm, &failure));
  check(of, comm, c, elements, 1);
  free(a);
  free(b);
  free(c);
  products++;
}

static void all_sizes(void) {
  static const int64_t sizes[] = {0, 1, 2, 7, 16, 33, 90};
  hcube_matmul_kernel kernels[2];
  MPI_Comm comms[3];
  int turn = 0;
  kernels[0] = NULL;
  kernels[1] = (hcube_matmul_kernel)dgemm;
  comms[0] = MPI_COMM_WORLD;
  comms[1] = MPI_COMM_SELF;
  /* In another order, and in two parts. */
  MPI_Comm_split(MPI_COMM_WORLD, size > 3 ? rank % 2 : 0, -rank, &comms[2]);
  for (int number = 0; number < 7; number++)
    for (int32_t distribution = CUSTOMIZED; distribution <= STATIC; distribution++) {
      int64_t n = sizes[number], most = n < 1 ? 1 : least(n, 6);
      for (int64_t blocks = 0; blocks <= most; blocks++) {
        problem of;
        of.n = n;
        of.blocks = blocks;
        of.distribution = distribution;
        check_product(of, MPI_COMM_WORLD, kernels[turn % 2]);
        check_product(of, comms[turn / 2 % 3], kernels[turn % 3 == 0]);
        turn++;
      }
    }
  REQUIRE(calls_of_dgemm > 0);
  MPI_Comm_free(&comms[2]);
}

#define REFUSE(expected, text, ...) \
  REFUSED(expected, text, hcube_matmul(__VA_ARGS__, (hcube_matmul_kernel)dgemm, world, &failure))

static void bad_arguments(void) {
  MPI_Comm world = MPI_COMM_WORLD;
  problem of = {9, 3, CUSTOMIZED};
  int64_t elements = local_elements(of, world), found = 7;
  double *a = new_part(elements), *b = new_part(elements), *c = new_part(elements);
  int last = rank == size - 1;
  /* An error of the last rank is one on all. */
#define MINE(text) (last ? (text) : "refused")
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("n = -1"), last ? -1 : 9, 3, CUSTOMIZED, a, b, c);
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("n = 268435457"), last ? 268435457 : 9, 3, CUSTOMIZED, a, b, c);
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("blocks = -3"), 9, last ? -3 : 3, CUSTOMIZED, a, b, c);
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("blocks = 10: expected 0 to 9 for n = 9"), 9, last ? 10 : 3, STATIC, a, b, c);
  REFUSE(HCUBE_ERR_ARGUMENT, MINE("distribution = 2: expected HCUBE_MATMUL_CUSTOMIZED (0) or"), 9, 3,
         last ? 2 : CUSTOMIZED, a, b, c);
  /* The last rank has elements of 3 x 3 blocks on at most 9 ranks. */
  REFUSE(HCUBE_ERR_BUFFER, MINE("a = NULL"), 9, 3, CUSTOMIZED, last ? NULL : a, b, c);
  REFUSE(HCUBE_ERR_BUFFER, MINE("b = NULL"), 9, 3, CUSTOMIZED, a, last ? NULL : b, c);
  REFUSE(HCUBE_ERR_BUFFER, MINE("c = NULL"), 9, 3, CUSTOMIZED, a, b, last ? NULL : c);
  REFUSE(HCUBE_ERR_BUFFER, MINE("c: overlaps"), 9, 3, CUSTOMIZED, a, last ? c : b, c);
  REFUSE(HCUBE_ERR_BUFFER, MINE("b: 0x"), 9, 3, CUSTOMIZED, a,
         last ? (const double *)(const void *)((const char *)b + 4) : b, c);
  if (size > 1) {
    REFUSE(HCUBE_ERR_MISMATCH, "n differs", last ? 8 : 9, 3, CUSTOMIZED, a, b, c);
    REFUSE(HCUBE_ERR_MISMATCH, "blocks differs", 9, last ? 4 : 3, CUSTOMIZED, a, b, c);
    REFUSE(HCUBE_ERR_MISMATCH, "distribution differs", 9, 3, last ? STATIC : CUSTOMIZED, a, b, c);
    REFUSE(HCUBE_ERR_BUFFER, "b: the array of a on some ranks only", 9, 3, CUSTOMIZED, a, last ? a : b, c);
  }
  world = MPI_COMM_NULL;
  REFUSE(HCUBE_ERR_COMM, "", 9, 3, CUSTOMIZED, a, b, c);
#undef MINE
  for (int64_t number = 0; number < elements; number++) REQUIRE(c[number] == untouched);
  world = MPI_COMM_WORLD;
  REFUSED(HCUBE_ERR_ARGUMENT, "n = -1", hcube_matmul_local_elements(-1, 0, STATIC, world, &found, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "blocks = 5", hcube_matmul_local_elements(4, 5, STATIC, world, &found, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "distribution", hcube_matmul_local_elements(4, 2, -1, world, &found, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "elements", hcube_matmul_local_elements(4, 2, STATIC, world, NULL, &failure));
  REFUSED(HCUBE_ERR_COMM, "", hcube_matmul_local_elements(4, 2, STATIC, MPI_COMM_NULL, &found, &failure));
  REQUIRE(found == 7);
  /* A and B may be one array. */
  for (int64_t number = 0; number < elements; number++) a[number] = 0;
  SUCCEED(hcube_matmul(9, 3, CUSTOMIZED, a, a, c, NULL, world, NULL));
  for (int64_t number = 0; number < elements; number++) REQUIRE(c[number] == 0);
  free(a);
  free(b);
  free(c);
}

/* A limit for the address space, this many bytes above what is in use. */
static void allow(int64_t bytes) {
  struct rlimit allowed;
  REQUIRE(getrlimit(RLIMIT_AS, &allowed) == 0);
  allowed.rlim_cur = (rlim_t)(field("/proc/self/status", "VmSize") + bytes);
  REQUIRE(setrlimit(RLIMIT_AS, &allowed) == 0);
}

static void unlimited(void) {
  struct rlimit allowed;
  REQUIRE(getrlimit(RLIMIT_AS, &allowed) == 0);
  allowed.rlim_cur = allowed.rlim_max;
  REQUIRE(setrlimit(RLIMIT_AS, &allowed) == 0);
}

static void limited(problem of, int64_t temporary) {
  int64_t elements = local_elements(of, MPI_COMM_WORLD), side = divided(of.n, of.blocks), block = side * side * 8;
  double *a = new_part(elements), *b = new_part(elements), *c = new_part(elements);
  problem small = {of.blocks, of.blocks, CUSTOMIZED};
  memory before, after;
  small.distribution = of.distribution;
  fill(of, MPI_COMM_WORLD, a, elements, element_of_a);
  fill(of, MPI_COMM_WORLD, b, elements, element_of_b);
  warm_up(MPI_COMM_WORLD);
  /* The set-up of the communicator is not temporary. */
  check_product(small, MPI_COMM_WORLD, NULL);
  for (int turn = 0; turn < 2; turn++) {
    int is_short = turn == 0 || rank == size - 1;
    allow(is_short ? temporary * block - block / 2 : temporary * block + block / 2);
    int32_t code = hcube_matmul(of.n, of.blocks, of.distribution, a, b, c, NULL, MPI_COMM_WORLD, &failure);
    unlimited();
    REFUSED(HCUBE_ERR_MEMORY, is_short ? "cannot allocate" : "refused: cannot allocate", code);
    REQUIRE(c[0] == untouched);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  reset_peak();
  before = measure();
  allow(temporary * block + block / 2);
  SUCCEED(hcube_matmul(of.n, of.blocks, of.distribution, a, b, c, NULL, MPI_COMM_WORLD, &failure));
  unlimited();
  after = measure();
  check(of, MPI_COMM_WORLD, c, elements, 97);
  int64_t grown = after.peak - before.peak;
  MPI_Allreduce(MPI_IN_PLACE, &grown, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("ok limit %" PRId64 " %" PRId64 "\n", block, grown);
  free(a);
  free(b);
  free(c);
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  if (argc > 4 && strcmp(argv[1], "limit") == 0) {
    problem of = {0, 0, CUSTOMIZED};
    of.n = atoll(argv[2]);
    of.blocks = atoll(argv[3]);
    limited(of, atoll(argv[4]));
  } else {
    while (next_round()) {
      all_sizes();
      bad_arguments();
    }
    if (rank == 0) printf("ok %d %d\n", products, refusals);
  }
  return end_program();
}
