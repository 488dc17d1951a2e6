/* How much memory a product takes beside the matrices.
 *
 *   pblas_memory <size> <rows> <columns>
 *
 * Prints `ok kilobytes=<n>`: by how much the memory of all processes has grown, divided by their number; what processes
 * share counts once. */
#include "pblas.h"

typedef void local_function(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                            const double *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                            const double *beta, void *c, const int *ldc, size_t, size_t);

static const double one = 1, zero = 0;

static matrix make(const grid *on, int size, double value) {
  axis along[2] = {{size, 32, 32, 0, on->row, on->rows}, {size, 32, 32, 0, on->column, on->columns}};
  matrix made;
  memset(&made, 0, sizeof made);
  made.kind = DOUBLE;
  made.type = 1;
  memcpy(made.axes, along, sizeof along);
  made.leading = local_count(&along[0], size);
  describe(&made, on->context);
  allocate_matrix(&made, 1);
  for (size_t at = GUARD_BYTES; at < made.bytes - GUARD_BYTES; at += sizeof value)
    memcpy(made.memory + at, &value, sizeof value);
  return made;
}

static long kilobytes(void) {
  char line[256];
  long value = -1;
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  REQUIRE(file != NULL);
  while (fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "Pss:", 4) == 0) value = atol(line + 4);
  fclose(file);
  REQUIRE(value > 0);
  return value;
}

static void multiply(const matrix *a, const matrix *b, const matrix *c, int size) {
  pdgemm_("N", "T", &size, &size, &size, &one, elements(a), &a->from[0], &a->from[1], a->descriptor, elements(b),
          &b->from[0], &b->from[1], b->descriptor, &zero, elements(c), &c->from[0], &c->from[1], c->descriptor);
}

/* Has the BLAS allocate what it keeps, by a product that is larger than any local one. */
static void warm_up(int size) {
  local_function *gemm_of_blas = (local_function *)(uintptr_t)dlsym(RTLD_DEFAULT, "dgemm_");
  double *memory = (double *)calloc(3 * (size_t)size * (size_t)size, sizeof *memory);
  size_t step = (size_t)size * (size_t)size;
  static const char *const letters = "NT";
  REQUIRE(gemm_of_blas != NULL && memory != NULL);
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      gemm_of_blas(&letters[a], &letters[b], &size, &size, &size, &one, memory, &size, memory + step, &size, &zero,
                   memory + 2 * step, &size, 1, 1);
  free(memory);
}

int main(int argc, char **argv) {
  long all;
  int ranks;
  grid on;
  matrix a, b, c;
  double got[2];
  begin_program(&argc, &argv);
  REQUIRE(argc == 4);
  int size = atoi(argv[1]);
  on = make_grid("Row", atoi(argv[2]), atoi(argv[3]));
  a = make(&on, size, 2);
  b = make(&on, size, 3);
  c = make(&on, size, 0);
  /* What the BLAS, the MPI library and hcube set up once is there before: a small product, and a local one. */
  multiply(&a, &b, &c, 8);
  int rows = local_count(&c.axes[0], size);
  int local = local_count(&c.axes[1], size);
  warm_up((rows > local ? rows : local) + 64);
  MPI_Barrier(MPI_COMM_WORLD);
  long before = kilobytes();
  for (int round = 0; round < 2; round++) {
    MPI_Barrier(MPI_COMM_WORLD);
    multiply(&a, &b, &c, size);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  long growth = kilobytes() - before;
  MPI_Reduce(&growth, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  load(DOUBLE, element(&c, rows - 1, local - 1), got);
  if (got[0] != 6.0 * size) FAIL("%g and not %g", got[0], 6.0 * size);
  if (rank == 0) printf("ok kilobytes=%ld\n", all / ranks);
  return end_program();
}
