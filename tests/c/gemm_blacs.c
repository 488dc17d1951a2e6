/* A program with BLACS of its own, in which contexts are what the BLACS functions below say: products on grids of all
 * shapes. The first argument says by which function: `hcube` hcube_p?gemm_, `pblas` p?gemm_ of a preloaded library. The
 * second one makes the last call wrong: `none`, `block`, `context`. Prints `ok <products>`. */
#include "gemm.h"

#include <dlfcn.h>

/* As ScaLAPACK finds them: by name. */
#ifdef __cplusplus
extern "C" {
#endif
void blacs_gridinfo_(const int *context, int *rows, int *columns, int *row, int *column);
void blacs_get_(const int *context, const int *what, int *value);
#ifdef __cplusplus
}
#endif

static int products;
static int grid[2];
static MPI_Comm grid_comm;

/* The number of the only context there is. */
#define CONTEXT 3

void blacs_gridinfo_(const int *context, int *rows, int *columns, int *row, int *column) {
  int known = *context == CONTEXT;
  *rows = known ? grid[0] : -1;
  *columns = known ? grid[1] : -1;
  *row = known ? rank / grid[1] : -1;
  *column = known ? rank % grid[1] : -1;
}

void blacs_get_(const int *context, const int *what, int *value) {
  REQUIRE(*context == CONTEXT && *what == 10);
  *value = (int)MPI_Comm_c2f(grid_comm);
}

#define BLAS(name, with)                                                                                               \
  void name(const char *transa, const char *transb, const int *m, const int *n, const int *k, const void *alpha,       \
            const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c, const int *ldc);  \
  void name(const char *transa, const char *transb, const int *m, const int *n, const int *k, const void *alpha,       \
            const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c, const int *ldc) { \
    with(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                                \
  }

#ifdef __cplusplus
extern "C" {
#endif
BLAS(sgemm_, plain_single)
BLAS(dgemm_, plain_double)
BLAS(cgemm_, plain_complex)
BLAS(zgemm_, plain_double_complex)
#ifdef __cplusplus
}
#endif

typedef void routine(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
                     const int *, const int *, const int *, const void *, const int *, const int *, const int *,
                     const void *, void *, const int *, const int *, const int *);

static routine *find(const char *way, int32_t element) {
  static const char *const names[] = {"psgemm_", "pdgemm_", "pcgemm_", "pzgemm_"};
  union {
    void *address;
    routine *function;
  } found;
  routine *const own[] = {hcube_psgemm_, hcube_pdgemm_, hcube_pcgemm_, hcube_pzgemm_};
  if (strcmp(way, "hcube") == 0) return own[element];
  found.address = dlsym(RTLD_DEFAULT, names[element]);
  if (!found.address) FAIL("no %s", names[element]);
  return found.function;
}

/* A descriptor of type 2, or of type 1 where that can describe the matrix. */
static void describe(const hcube_matrix *shape, int type, int descriptor[11]) {
  int at = 0;
  descriptor[at++] = type;
  descriptor[at++] = CONTEXT;
  descriptor[at++] = (int)shape->rows;
  descriptor[at++] = (int)shape->columns;
  if (type == 2) {
    descriptor[at++] = (int)shape->first_row_block;
    descriptor[at++] = (int)shape->first_column_block;
  }
  descriptor[at++] = (int)shape->row_block;
  descriptor[at++] = (int)shape->column_block;
  descriptor[at++] = shape->row_source;
  descriptor[at++] = shape->column_source;
  descriptor[at++] = (int)shape->leading_dimension;
}

static void compute(const char *way, product made, int type, const char *fault) {
  part parts[3], before[3];
  int descriptors[3][11], first[3][2];
  int m = (int)made.m, n = (int)made.n, k = (int)made.k;
  unsigned char alpha[16], beta[16];
  for (int which = 0; which < 3; which++) {
    hcube_matrix *shape = &made.shapes[which];
    int64_t extra = below(3);
    if (type == 1) {
      shape->first_row_block = shape->row_block;
      shape->first_column_block = shape->column_block;
    }
    parts[which] = make_part(made.element, which, *shape, extra, grid[0], grid[1], rank);
    before[which] = make_part(made.element, which, *shape, extra, grid[0], grid[1], rank);
    describe(&parts[which].shape, type, descriptors[which]);
    first[which][0] = (int)shape->row + 1;
    first[which][1] = (int)shape->column + 1;
  }
  if (strcmp(fault, "block") == 0) descriptors[0][6] = 0;
  if (strcmp(fault, "context") == 0) descriptors[0][1] = descriptors[1][1] = descriptors[2][1] = 4;
  put(made.element, alpha, 0, made.alpha);
  put(made.element, beta, 0, made.beta);
  find(way, made.element)(&made.letters[0], &made.letters[1], &m, &n, &k, alpha, parts[0].memory, &first[0][0],
                          &first[0][1], descriptors[0], parts[1].memory, &first[1][0], &first[1][1], descriptors[1],
                          beta, parts[2].memory, &first[2][0], &first[2][1], descriptors[2]);
  update_by_definition(&made, &before[2]);
  for (int which = 0; which < 3; which++) {
    drop_signs(made.element, &parts[which]);
    drop_signs(made.element, &before[which]);
    if (!same(&parts[which], &before[which]))
      FAIL("rank %d of %d x %d: matrix %d is wrong after product %d", rank, grid[0], grid[1], which, products);
    free_part(&parts[which]);
    free_part(&before[which]);
  }
  products++;
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  REQUIRE(argc == 3);
  for (grid[0] = 1; grid[0] <= size; grid[0]++) {
    if (size % grid[0]) continue;
    grid[1] = size / grid[0];
    MPI_Comm_dup(MPI_COMM_WORLD, &grid_comm);
    for (int turn = 0; turn < 27; turn++)
      compute(argv[1], random_product(turn % 4, grid[0], grid[1], turn), 1 + turn % 2, "none");
    if (grid[0] == size && strcmp(argv[2], "none") != 0)
      compute(argv[1], random_product(HCUBE_ELEMENT_DOUBLE, grid[0], grid[1], 1), 2, argv[2]);
    MPI_Comm_free(&grid_comm);
  }
  if (rank == 0) printf("ok %d\n", products);
  return end_program();
}
