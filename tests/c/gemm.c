/* hcube_gemm against the definition: all types of elements, operations, random blocks, offsets, sources and replicated
 * matrices on all grids of these ranks. Every element of C must be right, and no other byte may change. Then bad
 * arguments, refused on all ranks with nothing written. Prints `ok <products> <refusals> <path of a large product>`. */
#include "gemm.h"
#include "rounds.h"

static int products;
static hcube_gemm_options options_for(int32_t element) {
  hcube_gemm_options options;
  SUCCEED(hcube_gemm_default_options(&options, sizeof options, &failure));
  options.multiply = plain(element);
  return options;
}

static void compute(MPI_Comm comm, int grid_rows, int grid_columns, const product *made,
                    const hcube_gemm_options *options) {
  part parts[3], before[3];
  unsigned char alpha[16], beta[16];
  for (int which = 0; which < 3; which++) {
    int64_t extra = below(3);
    parts[which] = make_part(made->element, which, made->shapes[which], extra, grid_rows, grid_columns, rank);
    before[which] = make_part(made->element, which, made->shapes[which], extra, grid_rows, grid_columns, rank);
  }
  put(made->element, alpha, 0, made->alpha);
  put(made->element, beta, 0, made->beta);
  SUCCEED(hcube_gemm(comm, grid_rows, grid_columns, made->element, made->letters[0], made->letters[1], made->m, made->n,
                     made->k, alpha, parts[0].memory, &parts[0].shape, parts[1].memory, &parts[1].shape, beta,
                     parts[2].memory, &parts[2].shape, options, &failure));
  update_by_definition(made, &before[2]);
  for (int which = 0; which < 3; which++) {
    drop_signs(made->element, &parts[which]);
    drop_signs(made->element, &before[which]);
    if (!same(&parts[which], &before[which]))
      FAIL("rank %d of %d x %d: matrix %d is wrong after product %d: element %d, %c%c, %d x %d x %d", rank, grid_rows,
           grid_columns, which, products, (int)made->element, made->letters[0], made->letters[1], (int)made->m,
           (int)made->n, (int)made->k);
    free_part(&parts[which]);
    free_part(&before[which]);
  }
  products++;
}

/* The arguments of a small product, which the cases below change. */
typedef struct arguments {
  int grid_rows, grid_columns, element;
  char transa, transb;
  int64_t m, n, k;
  const void *alpha, *beta, *a, *b;
  void *c;
  hcube_matrix shapes[3];
  const hcube_matrix *at, *bt, *ct;
  const hcube_gemm_options *options;
  hcube_gemm_options chosen;
} arguments;

static part small[3];
static double one = 1;

static void good(arguments *a) {
  a->grid_rows = 1;
  a->grid_columns = size;
  a->element = HCUBE_ELEMENT_DOUBLE;
  a->transa = a->transb = 'N';
  a->m = a->n = a->k = 8;
  a->alpha = a->beta = &one;
  a->a = small[0].memory;
  a->b = small[1].memory;
  a->c = small[2].memory;
  for (int which = 0; which < 3; which++) a->shapes[which] = small[which].shape;
  a->at = &a->shapes[0];
  a->bt = &a->shapes[1];
  a->ct = &a->shapes[2];
  a->chosen = options_for(a->element);
  a->options = &a->chosen;
}

/* The error, its code, and the message. */
typedef struct fault {
  const char *name;
  int32_t code;
  const char *text;
} fault;

static const fault faults[] = {
    {"element", HCUBE_ERR_ARGUMENT, "element = 4: expected HCUBE_ELEMENT_SINGLE (0)"},
    {"grid_rows", HCUBE_ERR_ARGUMENT, "grid_rows = 0: expected 1 or more"},
    {"grid_columns", HCUBE_ERR_ARGUMENT, "the size of comm"},
    {"transa", HCUBE_ERR_ARGUMENT, "transa = 'X': expected N, T or C (error -1 of PBLAS)"},
    {"transb", HCUBE_ERR_ARGUMENT, "(error -2 of PBLAS)"},
    {"m", HCUBE_ERR_ARGUMENT, "m = -1: expected 0 or more (error -3 of PBLAS)"},
    {"n", HCUBE_ERR_ARGUMENT, "n = -2: expected 0 or more (error -4 of PBLAS)"},
    {"k", HCUBE_ERR_ARGUMENT, "k = -3: expected 0 or more (error -5 of PBLAS)"},
    {"k too large", HCUBE_ERR_ARGUMENT, "k = 4611686018427387904"},
    {"alpha", HCUBE_ERR_ARGUMENT, "alpha = NULL"},
    {"beta", HCUBE_ERR_ARGUMENT, "beta = NULL"},
    {"at", HCUBE_ERR_ARGUMENT, "at = NULL"},
    {"bt", HCUBE_ERR_ARGUMENT, "bt = NULL"},
    {"ct", HCUBE_ERR_ARGUMENT, "ct = NULL"},
    {"struct_size", HCUBE_ERR_ARGUMENT, "matrix.struct_size = 12"},
    {"shorter struct", HCUBE_ERR_ARGUMENT, "matrix.struct_size = 16"},
    {"row", HCUBE_ERR_ARGUMENT, "at.row = -1: expected 0 or more (error -8 of PBLAS)"},
    {"column", HCUBE_ERR_ARGUMENT, "bt.column = 1: expected a sub-matrix that ends inside the matrix (error -13"},
    {"rows", HCUBE_ERR_ARGUMENT, "ct.rows = 0: expected 1 or more (error -1903 of PBLAS)"},
    {"columns", HCUBE_ERR_ARGUMENT, "at.columns = -1: expected 1 or more (error -1004 of PBLAS)"},
    {"first_row_block", HCUBE_ERR_ARGUMENT, "at.first_row_block = 0: expected 1 or more (error -1005 of PBLAS)"},
    {"first_column_block", HCUBE_ERR_ARGUMENT, "(error -1006 of PBLAS)"},
    {"row_block", HCUBE_ERR_ARGUMENT, "bt.row_block = 0: expected 1 or more (error -1407 of PBLAS)"},
    {"column_block", HCUBE_ERR_ARGUMENT, "(error -1408 of PBLAS)"},
    {"row_source", HCUBE_ERR_ARGUMENT, "ct.row_source = 1: expected -1 to 0 (error -1909 of PBLAS)"},
    {"column_source", HCUBE_ERR_ARGUMENT, "ct.column_source = -2"},
    {"leading_dimension", HCUBE_ERR_ARGUMENT, "at.leading_dimension = 7: expected 8 or more on this rank (error -1011"},
    {"size", HCUBE_ERR_ARGUMENT, "at.rows = 4611686018427387904"},
    {"a", HCUBE_ERR_BUFFER, "a = NULL: expected "},
    {"c", HCUBE_ERR_BUFFER, "c = NULL: expected "},
    {"options.struct_size", HCUBE_ERR_ARGUMENT, "options.struct_size = 3"},
    {"options.memory", HCUBE_ERR_ARGUMENT, "options.memory = -1: expected 0 to "},
    {"options.outer_block", HCUBE_ERR_ARGUMENT,
     "options.outer_block = 7: expected 0, or options.inner_block = 8 or more"},
    {"options.algorithm", HCUBE_ERR_ARGUMENT, "options.algorithm = 9: expected HCUBE_GEMM_AUTO (0)"},
    {"options.reserved", HCUBE_ERR_ARGUMENT, "options.reserved = 1"},
    {"options.multiply", HCUBE_ERR_ARGUMENT, "options.multiply = NULL: expected a BLAS routine: no BLAS with dgemm_"},
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

static void spoil(arguments *a, const char *what) {
#define CASE(text) else if (strcmp(what, text) == 0)
  if (strcmp(what, "element") == 0) a->element = 4;
  CASE("grid_rows") a->grid_rows = 0;
  CASE("grid_columns") a->grid_columns = size + 1;
  CASE("transa") a->transa = 'X';
  CASE("transb") a->transb = '\0';
  CASE("m") a->m = -1;
  CASE("n") a->n = -2;
  CASE("k") a->k = -3;
  CASE("k too large") a->k = INT64_C(1) << 62;
  CASE("alpha") a->alpha = NULL;
  CASE("beta") a->beta = NULL;
  CASE("at") a->at = NULL;
  CASE("bt") a->bt = NULL;
  CASE("ct") a->ct = NULL;
  CASE("struct_size") a->shapes[1].struct_size = 12;
  CASE("shorter struct") a->shapes[0].struct_size = 16;
  CASE("row") a->shapes[0].row = -1;
  CASE("column") a->shapes[1].column = 1;
  CASE("rows") a->shapes[2].rows = 0;
  CASE("columns") a->shapes[0].columns = -1;
  CASE("first_row_block") a->shapes[0].first_row_block = 0;
  CASE("first_column_block") a->shapes[0].first_column_block = -5;
  CASE("row_block") a->shapes[1].row_block = 0;
  CASE("column_block") a->shapes[1].column_block = 0;
  CASE("row_source") a->shapes[2].row_source = 1;
  CASE("column_source") a->shapes[2].column_source = -2;
  CASE("leading_dimension") a->shapes[0].leading_dimension = 7;
  CASE("size") a->shapes[0].rows = INT64_C(1) << 62;
  CASE("a") a->a = NULL;
  CASE("c") a->c = NULL;
  CASE("options.struct_size") a->chosen.struct_size = 3;
  CASE("options.memory") a->chosen.memory = -1;
  CASE("options.outer_block") {
    a->chosen.inner_block = 8;
    a->chosen.outer_block = 7;
  }
  CASE("options.algorithm") a->chosen.algorithm = 9;
  CASE("options.reserved") a->chosen.reserved = 1;
  CASE("options.multiply") a->chosen.multiply = NULL;
  else FAIL("unknown fault %s", what); }

static int32_t call(const arguments *a, hcube_error *error) {
  return hcube_gemm(MPI_COMM_WORLD, a->grid_rows, a->grid_columns, a->element, a->transa, a->transb, a->m, a->n, a->k,
                    a->alpha, a->a, a->at, a->b, a->bt, a->beta, a->c, a->ct, a->options, error);
}

static void refuse(const arguments *a, int32_t code, const char *text) {
  part untouched = make_part(HCUBE_ELEMENT_DOUBLE, 2, small[2].shape, 0, 1, size, rank);
  char path[16];
  int32_t found = call(a, &failure);
  if (found != code || failure.code != code || !strstr(failure.message, text))
    FAIL("rank %d: code %d, '%s': expected %d, '%s'", rank, (int)found, failure.message, (int)code, text);
  REQUIRE(same(&small[2], &untouched));
  SUCCEED(hcube_gemm_last_path(MPI_COMM_WORLD, path, sizeof path, &failure));
  REQUIRE(strcmp(path, "refused") == 0);
  free_part(&untouched);
  refusals++;
}

/* Of more than 8 ranks the last one has no column, and what is said of its columns may be wrong. */
static int is_of_columns(const char *what) {
  return strcmp(what, "leading_dimension") == 0 || strcmp(what, "a") == 0 || strcmp(what, "c") == 0;
}

static void refuse_all(void) {
  hcube_matrix shape;
  arguments a;
  memset(&shape, 0, sizeof shape);
  shape.struct_size = sizeof shape;
  shape.rows = shape.columns = 8;
  shape.row_block = shape.column_block = shape.first_row_block = shape.first_column_block = 1;
  for (int which = 0; which < 3; which++)
    small[which] = make_part(HCUBE_ELEMENT_DOUBLE, which, shape, 0, 1, size, rank);
  for (int number = 0; number < FAULTS; number++) {
    if (size > 8 && is_of_columns(faults[number].name)) continue;
    good(&a);
    spoil(&a, faults[number].name);
    refuse(&a, faults[number].code, faults[number].text);
    /* Only on the last rank: the others learn of it. */
    good(&a);
    if (rank == size - 1) spoil(&a, faults[number].name);
    refuse(&a, faults[number].code, rank == size - 1 ? faults[number].text : "refused: ");
  }
  if (size > 1) {
    good(&a);
    a.m = rank == 0 ? 7 : 8;
    refuse(&a, HCUBE_ERR_MISMATCH, "m differs between ranks, from 7 to 8");
    good(&a);
    a.shapes[1].row_block = 1 + rank;
    refuse(&a, HCUBE_ERR_MISMATCH, "bt.row_block differs between ranks");
    good(&a);
    a.chosen.inner_block = rank;
    refuse(&a, HCUBE_ERR_MISMATCH, "options.inner_block differs between ranks");
  }
  for (int which = 0; which < 3; which++) free_part(&small[which]);
}

static void all_products(void) {
  static const int32_t elements[] = {HCUBE_ELEMENT_SINGLE, HCUBE_ELEMENT_DOUBLE, HCUBE_ELEMENT_COMPLEX,
                                     HCUBE_ELEMENT_DOUBLE_COMPLEX};
  for (int grid_rows = 1; grid_rows <= size; grid_rows++) {
    if (size % grid_rows) continue;
    for (int turn = 0; turn < 54; turn++) {
      int32_t element = elements[turn % 4];
      product made = random_product(element, grid_rows, size / grid_rows, turn);
      hcube_gemm_options options = options_for(element);
      compute(MPI_COMM_WORLD, grid_rows, size / grid_rows, &made, &options);
    }
  }
  refuse_all();
}

int main(int argc, char **argv) {
  char path[32];
  hcube_gemm_options options;
  product large;
  begin_program(&argc, &argv);
  SUCCEED(hcube_gemm_last_path(MPI_COMM_WORLD, path, sizeof path, &failure));
  REQUIRE(strcmp(path, "none") == 0);
  while (next_round()) all_products();
  /* Options of the communicator instead of the call's. */
  options = options_for(HCUBE_ELEMENT_DOUBLE);
  SUCCEED(hcube_gemm_set_options(MPI_COMM_WORLD, &options, &failure));
  large = random_product(HCUBE_ELEMENT_DOUBLE, 1, size, 0);
  large.m = large.n = 50;
  large.k = 60;
  large.shapes[0] = make_shape(50, 60, 1, size, 0);
  large.shapes[1] = make_shape(60, 50, 1, size, 0);
  large.shapes[2] = make_shape(50, 50, 1, size, 0);
  compute(MPI_COMM_WORLD, 1, size, &large, NULL);
  SUCCEED(hcube_gemm_last_path(MPI_COMM_WORLD, path, sizeof path, &failure));
  SUCCEED(hcube_gemm_set_options(MPI_COMM_WORLD, NULL, &failure));
  if (rank == 0) printf("ok %d %d %s\n", products, refusals, path);
  return end_program();
}
