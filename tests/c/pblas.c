/* Random products on random grids: by the library that serves p?gemm_, by ScaLAPACK itself and by plain loops.
 *
 *   pblas <seed> <cases> <grids>...
 *
 * Cases are a number of them, or FIRST+NUMBER to repeat some of a longer run.
 *
 * A grid is ROWSxCOLUMNS with a letter: r or c for row- or column-major by gridinit, p for gridmap with permuted
 * ranks, d for gridmap from the last rank down. Several with + between them are on disjoint ranks and multiply at the
 * same time. All grids exist during the whole run. Ends with `ok <cases> cases calls=<calls of this process's p?gemm_,
 * summed over ranks>`. */
#include "pblas.h"

#include <float.h>
#include <math.h>

enum { MOST_GRIDS = 16, LONGEST = 48 };

/* The values of a case. */
enum { EXACT, INEXACT, SPECIAL };

typedef struct {
  int kind, numbers, aliased;
  char letters[2];
  int sizes[3];
  double alpha[2], beta[2];
  matrix matrices[3];
  uint64_t seed;
} product;

static int64_t calls;

/* --- Values --- */

/* The element of a matrix: exact ones such that every sum of products is exact in whatever order. */
static void value_of(const product *of, int number, int row, int column, double value[2]) {
  uint64_t noise = mix(of->seed ^ mix((uint64_t)number << 40 | (uint64_t)row << 20 | (uint64_t)column));
  int bits = is_single(of->kind) ? 4 : 16;
  value[1] = 0;
  for (int part = 0; part < parts_of(of->kind); part++, noise >>= 32) {
    int integer = (int)(noise & ((1u << bits) - 1)) - (1 << (bits - 1));
    value[part] =
        of->numbers == INEXACT ? (double)(int32_t)noise / 2147483648.0 : ldexp(integer, is_single(of->kind) ? -3 : -16);
    if (is_single(of->kind)) value[part] = (float)value[part];
  }
  if (of->numbers == SPECIAL && number < 2 && noise % 23 == 0) value[0] = noise % 2 ? NAN : -INFINITY;
}

typedef struct {
  const product *of;
  int number;
} filler;

static void fill(void *closure, void *element, int row, int column) {
  filler *with = (filler *)closure;
  double value[2];
  value_of(with->of, with->number, row, column, value);
  store(with->of->kind, element, value);
}

/* Adds the product of two numbers. */
static void add_product(int kind, const double x[2], const double y[2], long double sum[2]) {
  sum[0] += (long double)x[0] * y[0];
  if (kind < COMPLEX) return;
  sum[0] -= (long double)x[1] * y[1];
  sum[1] += (long double)x[0] * y[1] + (long double)x[1] * y[0];
}

/* --- Checking --- */

typedef struct {
  const product *of;
  /* op(A) and op(B), whole: inner index first. */
  double (*factors[2])[2];
  const matrix *result, *other;
  const char *who;
  int64_t wrong;
} checker;

static int is_zero(const double value[2]) {
  return value[0] == 0 && value[1] == 0;
}

static int same(double x, double y) {
  return x == y || (isnan(x) && isnan(y));
}

/* The expected value of an element of C, by a loop, and its tolerance. */
static void expected(const checker *with, int row, int column, double value[2], double *tolerance) {
  const product *of = with->of;
  int inner = of->sizes[2];
  long double inner_sum[2] = {0, 0}, sum[2] = {0, 0}, all = 0;
  double before[2], narrow[2];
  if (!is_zero(of->alpha)) {
    for (int index = 0; index < inner; index++) {
      const double *x = with->factors[0][(size_t)row * inner + index];
      const double *y = with->factors[1][(size_t)column * inner + index];
      add_product(of->kind, x, y, inner_sum);
      all += (fabsl(x[0]) + fabsl(x[1])) * (fabsl(y[0]) + fabsl(y[1]));
    }
    narrow[0] = (double)inner_sum[0];
    narrow[1] = (double)inner_sum[1];
    add_product(of->kind, of->alpha, narrow, sum);
    all *= fabs(of->alpha[0]) + fabs(of->alpha[1]);
  }
  if (!is_zero(of->beta)) {
    value_of(of, 2, row, column, before);
    add_product(of->kind, of->beta, before, sum);
    all += (fabs(before[0]) + fabs(before[1])) * (fabs(of->beta[0]) + fabs(of->beta[1]));
  }
  value[0] = (double)sum[0];
  value[1] = (double)sum[1];
  *tolerance = (double)all * (parts_of(of->kind) * (inner + 2)) * (is_single(of->kind) ? FLT_EPSILON : DBL_EPSILON);
}

static void check(void *closure, void *element, int row, int column) {
  checker *with = (checker *)closure;
  const product *of = with->of;
  double got[2], want[2], tolerance;
  int good = 1;
  expected(with, row, column, want, &tolerance);
  load(of->kind, element, got);
  for (int part = 0; part < parts_of(of->kind); part++) {
    if (of->numbers == INEXACT) {
      good &= fabs(got[part] - want[part]) <= tolerance;
    } else if (of->numbers == SPECIAL && of->kind >= COMPLEX) {
      /* Complex infinities are whatever formula multiplies them. */
      good &= isfinite(got[part]) ? got[part] == want[part] : !isfinite(want[0]) || !isfinite(want[1]);
    } else {
      good &= same(got[part], want[part]);
    }
  }
  if (!good && with->wrong++ == 0)
    fprintf(stderr, "%s: element (%d, %d) is %.17g %.17g and not %.17g %.17g\n", with->who, row, column, got[0], got[1],
            want[0], want[1]);
}

/* Puts what was there before into the place of sub(C), after it was checked. */
typedef struct {
  const matrix *result, *before;
} restorer;

static void restore(void *closure, void *element, int row, int column) {
  restorer *with = (restorer *)closure;
  size_t at = (size_t)((unsigned char *)element - with->result->memory);
  (void)row;
  (void)column;
  memcpy(element, with->before->memory + at, size_of(with->result->kind));
}

/* --- Cases --- */

static void pick_scalar(uint64_t *state, int kind, double value[2]) {
  static const double usual[] = {1, 0, -1, 2, 0.5, -3};
  value[0] = usual[between(state, 0, 5)];
  value[1] = kind >= COMPLEX && chance(state, 50) ? usual[between(state, 0, 5)] : 0;
}

static int pick_size(uint64_t *state) {
  if (chance(state, 6)) return 0;
  return chance(state, 25) ? between(state, 1, 3) : between(state, 1, LONGEST);
}

static int pick_block(uint64_t *state) {
  static const int usual[] = {1, 2, 3, 4, 5, 7, 8, 16, 64};
  return usual[between(state, 0, 8)];
}

/* The distribution of a matrix: everything but its leading dimension, which only this process knows. */
static void pick_matrix(uint64_t *state, const product *of, const grid *on, const int length[2], matrix *result) {
  int number, processes[2] = {on->rows, on->columns}, own[2] = {on->row, on->column};
  result->kind = of->kind;
  result->type = between(state, 1, 2);
  for (number = 0; number < 2; number++) {
    axis *along = &result->axes[number];
    result->length[number] = length[number];
    result->first[number] = chance(state, 40) ? 0 : between(state, 0, 20);
    along->size = result->first[number] + length[number] + (chance(state, 50) ? 0 : between(state, 1, 9));
    if (along->size == 0) along->size = 1;
    along->block = pick_block(state);
    along->first_block = result->type == 2 ? pick_block(state) : along->block;
    along->source = chance(state, 10) ? -1 : between(state, 0, processes[number] - 1);
    along->own = own[number];
    along->processes = processes[number];
  }
}

static void pick_leading(uint64_t *state, matrix *of) {
  int rows = local_count(&of->axes[0], of->axes[0].size);
  of->leading = (rows > 1 ? rows : 1) + (chance(state, 50) ? 0 : between(state, 1, 5));
}

/* A, B and C as an LU factorization has them: panels and the rest of one matrix. */
static void alias(product *of) {
  int inner = of->sizes[2];
  matrix *a = &of->matrices[0], *b = &of->matrices[1], *c = &of->matrices[2];
  of->letters[0] = of->letters[1] = 'N';
  for (int number = 0; number < 2; number++) {
    c->axes[number].size = of->sizes[number] + inner + c->first[number];
    if (c->axes[number].size == 0) c->axes[number].size = 1;
  }
  *a = *b = *c;
  c->first[0] += inner;
  c->first[1] += inner;
  a->first[0] += inner;
  b->first[1] += inner;
  a->length[0] = c->length[0] = of->sizes[0];
  b->length[1] = c->length[1] = of->sizes[1];
  a->length[1] = b->length[0] = inner;
}

static void pick(product *of, uint64_t *state, const grid *on) {
  static const char letters[] = "NTCntc";
  memset(of, 0, sizeof *of);
  of->kind = between(state, 0, KINDS - 1);
  of->numbers = chance(state, 70) ? EXACT : between(state, INEXACT, SPECIAL);
  of->aliased = chance(state, 15);
  of->seed = draw(state);
  for (int number = 0; number < 2; number++) of->letters[number] = letters[between(state, 0, 5)];
  for (int number = 0; number < 3; number++) of->sizes[number] = pick_size(state);
  pick_scalar(state, of->kind, of->alpha);
  pick_scalar(state, of->kind, of->beta);
  for (int number = 0; number < 3; number++) {
    int plain = number == 2 || of->letters[number] == 'N' || of->letters[number] == 'n';
    int shape[3][2] = {{of->sizes[0], of->sizes[2]}, {of->sizes[2], of->sizes[1]}, {of->sizes[0], of->sizes[1]}};
    int length[2] = {shape[number][!plain], shape[number][plain]};
    pick_matrix(state, of, on, length, &of->matrices[number]);
  }
  if (of->aliased) alias(of);
  /* Not the same on all ranks. */
  of->matrices[0].leading = 0;
  *state ^= (uint64_t)(on->row * on->columns + on->column + 1) << 32;
  for (int number = 0; number < 3; number++) pick_leading(state, &of->matrices[number]);
  int leading = of->matrices[2].leading;
  for (int number = 0; number < 3; number++) {
    if (of->aliased) of->matrices[number].leading = leading;
    describe(&of->matrices[number], on->context);
  }
}

static void call(gemm_function *function, const product *of, const matrix matrices[3]) {
  float narrow[2][2] = {{(float)of->alpha[0], (float)of->alpha[1]}, {(float)of->beta[0], (float)of->beta[1]}};
  const void *alpha = is_single(of->kind) ? (const void *)narrow[0] : of->alpha;
  const void *beta = is_single(of->kind) ? (const void *)narrow[1] : of->beta;
  const matrix *a = &matrices[0], *b = &matrices[1], *c = &matrices[2];
  function(&of->letters[0], &of->letters[1], &of->sizes[0], &of->sizes[1], &of->sizes[2], alpha, elements(a),
           &a->from[0], &a->from[1], a->descriptor, elements(b), &b->from[0], &b->from[1], b->descriptor, beta,
           elements(c), &c->from[0], &c->from[1], c->descriptor);
}

/* op(A) or op(B) whole, the inner index running fastest. */
static double (*factor(const product *of, int number))[2] {
  int outer = of->sizes[number], inner = of->sizes[2], at, index;
  int plain = of->letters[number] == 'N' || of->letters[number] == 'n';
  int conjugated = of->letters[number] == 'C' || of->letters[number] == 'c';
  double(*all)[2] = (double(*)[2])calloc((size_t)outer * (size_t)inner + 1, sizeof *all);
  REQUIRE(all != NULL);
  for (at = 0; at < outer; at++) {
    for (index = 0; index < inner; index++) {
      double *value = all[(size_t)at * inner + index];
      int by_row = (number == 0) == plain;
      value_of(of, number, by_row ? at : index, by_row ? index : at, value);
      if (conjugated) value[1] = -value[1];
    }
  }
  return all;
}

/* The same matrix in memory of its own. */
static matrix copy(const matrix *of) {
  matrix other = *of;
  other.memory = (unsigned char *)allocate(of->bytes);
  memcpy(other.memory, of->memory, of->bytes);
  return other;
}

static void describe_failure(const product *of, const grid *on) {
  fprintf(stderr, "grid %dx%d, process (%d, %d), type %d, %c%c, %d x %d x %d, alpha %g %g, beta %g %g, numbers %d%s\n",
          on->rows, on->columns, on->row, on->column, of->kind, of->letters[0], of->letters[1], of->sizes[0],
          of->sizes[1], of->sizes[2], of->alpha[0], of->alpha[1], of->beta[0], of->beta[1], of->numbers,
          of->aliased ? ", parts of one matrix" : "");
  for (int number = 0; number < 3; number++) {
    const matrix *it = &of->matrices[number];
    fprintf(stderr, "  %c from (%d, %d), descriptor", 'A' + number, it->from[0], it->from[1]);
    for (int entry = 0; entry < (it->type == 1 ? 9 : 11); entry++) fprintf(stderr, " %d", it->descriptor[entry]);
    fprintf(stderr, "\n");
  }
}

/* One call of a function on fresh copies, checked; the result has what the function left in C's memory. */
static int run(const char *who, gemm_function *function, const product *of, double (*factors[2])[2], matrix *result) {
  matrix used[3];
  checker with = {of, {factors[0], factors[1]}, NULL, NULL, who, 0};
  restorer back;
  for (int number = 0; number < 3; number++) {
    if (of->aliased && number < 2) continue;
    used[number] = copy(&of->matrices[number]);
  }
  for (int number = 0; of->aliased && number < 2; number++) {
    used[number] = of->matrices[number];
    used[number].memory = used[2].memory;
  }
  call(function, of, used);
  *result = copy(&used[2]);
  for_own(&used[2], check, &with);
  int bad = with.wrong > 0;
  back.result = &used[2];
  back.before = &of->matrices[2];
  for_own(&used[2], restore, &back);
  for (int number = 0; number < 3; number++) {
    if (memcmp(used[number].memory, of->matrices[number].memory, of->matrices[number].bytes) != 0) {
      fprintf(stderr, "%s: memory of %c changed\n", who, 'A' + number);
      bad = 1;
    }
    if (number == 2 || !of->aliased) free(used[number].memory);
  }
  return bad;
}

static void one_case(uint64_t seed, int number, const set *on) {
  uint64_t state = mix(seed + mix((uint64_t)number + ((uint64_t)on->number << 32)));
  static const char *const names[KINDS] = {"psgemm_", "pdgemm_", "pcgemm_", "pzgemm_"};
  product of;
  double(*factors[2])[2];
  matrix first, second, stock;
  pick(&of, &state, &on->own);
  for (int index = 2; index >= 0; index--) {
    filler with = {&of, index};
    matrix *it = &of.matrices[index];
    if (index == 2 || !of.aliased) {
      allocate_matrix(it, draw(&state));
    } else {
      it->memory = of.matrices[2].memory;
      it->bytes = of.matrices[2].bytes;
    }
    /* Memory that must not be read stays full of signalling NaNs. */
    if (is_zero(index == 2 ? of.beta : of.alpha)) continue;
    for_own(it, fill, &with);
  }
  factors[0] = factor(&of, 0);
  factors[1] = factor(&of, 1);
  int bad = run("p?gemm_", gemm[of.kind], &of, factors, &first);
  bad |= run("p?gemm_ again", gemm[of.kind], &of, factors, &second);
  calls += 2;
  if (memcmp(first.memory, second.memory, first.bytes) != 0) {
    fprintf(stderr, "the second call has other bits\n");
    bad = 1;
  }
  bad |= run("ScaLAPACK", (gemm_function *)(uintptr_t)original(names[of.kind]), &of, factors, &stock);
  if (bad) {
    describe_failure(&of, &on->own);
    FAIL("case %d of seed %llu", number, (unsigned long long)seed);
  }
  free(first.memory);
  free(second.memory);
  free(stock.memory);
  for (int index = 0; index < 3; index++)
    if (index == 2 || !of.aliased) free(of.matrices[index].memory);
  free(factors[0]);
  free(factors[1]);
}

/* OpenBLAS keeps the memory of its first product; where the process gets none, it asks for it for ever. */
static void prepare_blas(void) {
  typedef void zgemm_function(const char *, const char *, const int *, const int *, const int *, const double *,
                              const double *, const int *, const double *, const int *, const double *, double *,
                              const int *);
  zgemm_function *multiply = (zgemm_function *)(uintptr_t)original("zgemm_");
  const int one = 1;
  const double number[2] = {1, 0};
  double product[2] = {0, 0};
  multiply("N", "N", &one, &one, &one, number, number, &one, number, &one, number, product, &one);
}

int main(int argc, char **argv) {
  set sets[MOST_GRIDS];
  int first = 0, cases = 0, count = argc - 3;
  int64_t all = 0;
  prepare_blas();
  begin_program(&argc, &argv);
  if (count < 1 || count > MOST_GRIDS) FAIL("usage: pblas <seed> <cases> <grids>...");
  uint64_t seed = strtoull(argv[1], NULL, 10);
  if (sscanf(argv[2], "%d+%d", &first, &cases) != 2) cases = atoi(argv[2]), first = 0;
  for (int number = 0; number < count; number++) sets[number] = make_set(argv[3 + number]);
  for (int number = first; number < first + cases; number++)
    if (sets[number % count].own.row >= 0) one_case(seed, number, &sets[number % count]);
  for (int number = 0; number < count; number++)
    if (sets[number].own.row >= 0) Cblacs_gridexit(sets[number].own.context);
  MPI_Reduce(&calls, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("ok %d cases calls=%lld\n", cases, (long long)all);
  return end_program();
}
