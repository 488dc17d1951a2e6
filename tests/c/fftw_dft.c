/* Whole Fourier transforms by FFTW on several ranks, compared with FFTW's serial ones.
 *
 *   fftw_dft <seed>       complex, real and trigonometric transforms of two and three dimensions
 *
 * Prints `ok dft plans=<n> hcube=<n> missed=<n>`: how many plans are hcube's in part, and how many are
 * not although all blocks are equal. */
#include "fftw_client.h"

typedef enum kind { COMPLEX, REAL_TO_COMPLEX, COMPLEX_TO_REAL, TRIGONOMETRIC, KINDS } kind;

typedef struct problem {
  kind what;
  int rank, sign, in_place;
  ptrdiff_t n[3], howmany;
  unsigned flags;
  F(r2r_kind) kinds[3];
} problem;

/* One side of a transform: d0 x d1 x inner reals, and the part of it on this rank. The padding of rows is not checked.
 */
typedef struct side {
  ptrdiff_t d0, d1, inner, row, used;
  ptrdiff_t first[2], count[2];
  int transposed;
} side;

static const ptrdiff_t LENGTHS[][3] = {{12, 8, 0},  {15, 10, 0}, {16, 16, 0},  {13, 7, 0}, {24, 6, 0}, {8, 8, 8},
                                       {12, 10, 6}, {9, 7, 5},   {16, 12, 10}, {4, 20, 3}, {60, 60, 2}};

static ptrdiff_t whole_length(const side *one) {
  return one->d0 * one->d1 * one->inner;
}

/* The layout of the real or of the complex side; only complex layouts are transposed. */
static side make_side(const problem *of, int is_real, unsigned transposed) {
  side made = {of->n[0], of->n[1], of->howmany, 0, 0, {0, 0}, {0, 0}, 0};
  ptrdiff_t last = of->n[of->rank - 1], units = last;
  if (of->what == REAL_TO_COMPLEX || of->what == COMPLEX_TO_REAL) units = is_real ? 2 * (last / 2 + 1) : last / 2 + 1;
  if (!is_real) made.inner *= 2;
  made.row = units * made.inner;
  made.used = is_real ? last * made.inner : made.row;
  if (of->rank == 3) {
    made.inner *= units;
  } else {
    made.d1 = units;
  }
  made.transposed = (of->flags & transposed) != 0;
  return made;
}

/* Copies between the whole array and the part of this rank. */
static void copy_part(const side *one, real *whole, real *local, int to_local) {
  ptrdiff_t count0 = one->transposed ? one->d0 : one->count[0], count1 = one->transposed ? one->count[1] : one->d1;
  ptrdiff_t a0, a1;
  for (a0 = 0; a0 < count0; a0++) {
    for (a1 = 0; a1 < count1; a1++) {
      ptrdiff_t global = one->transposed ? a0 * one->d1 + one->first[1] + a1 : (one->first[0] + a0) * one->d1 + a1;
      ptrdiff_t mine = one->transposed ? a1 * one->d0 + a0 : a0 * one->d1 + a1;
      real *from = to_local ? whole + global * one->inner : local + mine * one->inner;
      real *to = to_local ? local + mine * one->inner : whole + global * one->inner;
      memcpy(to, from, sizeof(real) * (size_t)one->inner);
    }
  }
}

static void draw_values(random_state *random, real *values, ptrdiff_t length) {
  ptrdiff_t place;
  for (place = 0; place < length; place++) values[place] = (real)(draw(random, 2001) - 1000) / 1000;
}

static F(plan) serial_plan(const problem *of, kind what, real *in, real *out) {
  F(complex) *complex_in = (F(complex) *)in, *complex_out = (F(complex) *)out;
  int n[3], real_side[3], complex_side[3], many = (int)of->howmany;
  for (int dimension = 0; dimension < of->rank; dimension++)
    n[dimension] = real_side[dimension] = complex_side[dimension] = (int)of->n[dimension];
  complex_side[of->rank - 1] = n[of->rank - 1] / 2 + 1;
  real_side[of->rank - 1] = 2 * complex_side[of->rank - 1];
  switch (what) {
    case COMPLEX:
      return F(plan_many_dft)(of->rank, n, many, complex_in, NULL, many, 1, complex_out, NULL, many, 1, of->sign,
                              FFTW_ESTIMATE);
    case REAL_TO_COMPLEX:
      return F(plan_many_dft_r2c)(of->rank, n, many, in, real_side, many, 1, complex_out, complex_side, many, 1,
                                  FFTW_ESTIMATE);
    case COMPLEX_TO_REAL:
      return F(plan_many_dft_c2r)(of->rank, n, many, complex_in, complex_side, many, 1, out, real_side, many, 1,
                                  FFTW_ESTIMATE);
    default:
      return F(plan_many_r2r)(of->rank, n, many, in, NULL, many, 1, out, NULL, many, 1, of->kinds, FFTW_ESTIMATE);
  }
}

static void run_serially(const problem *of, kind what, real *in, real *out) {
  F(plan) plan = serial_plan(of, what, in, out);
  REQUIRE(plan != NULL);
  F(execute)(plan);
  F(destroy_plan)(plan);
}

static F(plan) parallel_plan(const problem *of, real *in, real *out, unsigned rigour) {
  F(complex) *complex_in = (F(complex) *)in, *complex_out = (F(complex) *)out;
  unsigned flags = of->flags | rigour;
  const ptrdiff_t block = FFTW_MPI_DEFAULT_BLOCK;
  MPI_Comm comm = MPI_COMM_WORLD;
  switch (of->what) {
    case COMPLEX:
      return F(mpi_plan_many_dft)(of->rank, of->n, of->howmany, block, block, complex_in, complex_out, comm, of->sign,
                                  flags);
    case REAL_TO_COMPLEX:
      return F(mpi_plan_many_dft_r2c)(of->rank, of->n, of->howmany, block, block, in, complex_out, comm, flags);
    case COMPLEX_TO_REAL:
      return F(mpi_plan_many_dft_c2r)(of->rank, of->n, of->howmany, block, block, complex_in, out, comm, flags);
    default: return F(mpi_plan_many_r2r)(of->rank, of->n, of->howmany, block, block, in, out, comm, of->kinds, flags);
  }
}

static void compare(const problem *of, const side *one, const real *expected, const real *found, const char *what) {
  ptrdiff_t place, length = whole_length(one);
  real largest = 0, worst = 0;
  for (place = 0; place < length; place++) {
    real size, difference;
    if (place % one->row >= one->used) continue;
    size = expected[place] < 0 ? -expected[place] : expected[place];
    difference = found[place] < expected[place] ? expected[place] - found[place] : found[place] - expected[place];
    /* Written so that NaN fails as well. */
    if (!(difference <= worst)) worst = difference;
    if (size > largest) largest = size;
  }
  if (!(worst <= 100 * (real)EPSILON * largest))
    FAIL("%s of kind %d, %td x %td x %td, howmany %td, flags %u, in place %d: off by %g of %g", what, (int)of->what,
         of->n[0], of->n[1], of->rank == 3 ? of->n[2] : 1, of->howmany, of->flags, of->in_place, (double)worst,
         (double)largest);
}

/* Asks FFTW for the part of this rank; returns the reals of its arrays. */
static ptrdiff_t locate(const problem *of, side *in, side *out) {
  ptrdiff_t n[3] = {of->n[0], of->n[1], of->n[2]}, first[2], count[2], length;
  if (of->what == REAL_TO_COMPLEX || of->what == COMPLEX_TO_REAL) n[of->rank - 1] = n[of->rank - 1] / 2 + 1;
  length = F(mpi_local_size_many_transposed)(of->rank, n, of->howmany, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                             MPI_COMM_WORLD, &count[0], &first[0], &count[1], &first[1]);
  for (int dimension = 0; dimension < 2; dimension++) {
    in->first[dimension] = out->first[dimension] = first[dimension];
    in->count[dimension] = out->count[dimension] = count[dimension];
  }
  return of->what == TRIGONOMETRIC ? length : 2 * length;
}

/* All blocks equal, so that hcube can do every transposition there may be. */
static int equal_blocks(const problem *of) {
  ptrdiff_t d1 = of->n[1];
  if (of->rank == 2 && (of->what == REAL_TO_COMPLEX || of->what == COMPLEX_TO_REAL)) d1 = d1 / 2 + 1;
  return size > 1 && of->n[0] % size == 0 && d1 % size == 0;
}

typedef struct tally {
  int plans, hcube, missed;
} tally;

static void transform(const problem *of, random_state *random, unsigned rigour, tally *count) {
  int real_in = of->what == REAL_TO_COMPLEX || of->what == TRIGONOMETRIC;
  int real_out = of->what == COMPLEX_TO_REAL || of->what == TRIGONOMETRIC;
  side in = make_side(of, real_in, FFTW_MPI_TRANSPOSED_IN), out = make_side(of, real_out, FFTW_MPI_TRANSPOSED_OUT);
  ptrdiff_t length = locate(of, &in, &out);
  ptrdiff_t largest = whole_length(&in) > whole_length(&out) ? whole_length(&in) : whole_length(&out);
  array whole = make_array(largest), expected = make_array(largest), found = make_array(largest);
  array local = make_array(length), result = of->in_place ? local : make_array(length);
  F(plan) plan = parallel_plan(of, local.data, result.data, rigour);
  if (plan == NULL) FAIL("no plan");
  int planned = by_hcube(plan, MPI_COMM_WORLD);
  count->plans++;
  count->hcube += planned;
  if (equal_blocks(of) && !planned) {
    char *text = F(sprint_plan)(plan);
    count->missed++;
    if (getenv("HCUBE_TEST_VERBOSE") != NULL)
      fprintf(stderr, "not planned by hcube: %td x %td: %s\n", of->n[0], of->n[1], text);
    free(text);
  }
  draw_values(random, whole.data, largest);
  if (of->what == COMPLEX_TO_REAL) {
    run_serially(of, REAL_TO_COMPLEX, whole.data, expected.data);
    memcpy(whole.data, expected.data, sizeof(real) * (size_t)largest);
  }
  memcpy(found.data, whole.data, sizeof(real) * (size_t)largest);
  copy_part(&in, whole.data, local.data, 1);
  run_serially(of, of->what, whole.data, expected.data);
  F(execute)(plan);
  if (!of->in_place && of->what != COMPLEX_TO_REAL) {
    memcpy(whole.data, found.data, sizeof(real) * (size_t)largest);
    copy_part(&in, whole.data, local.data, 0);
    compare(of, &in, found.data, whole.data, "input");
  }
  /* The data of other ranks is assumed correct: each rank checks its own part. */
  memcpy(found.data, expected.data, sizeof(real) * (size_t)largest);
  copy_part(&out, found.data, result.data, 0);
  compare(of, &out, expected.data, found.data, "result");
  F(destroy_plan)(plan);
  free_array(&whole), free_array(&expected), free_array(&found), free_array(&local);
  if (!of->in_place) free_array(&result);
}

/* Layouts that FFTW has: only the complex side of a real transform is transposed. */
static unsigned draw_flags(random_state *random, kind what) {
  unsigned flags = 0;
  if (what != REAL_TO_COMPLEX && draw(random, 3) == 0) flags |= FFTW_MPI_TRANSPOSED_IN;
  if (what != COMPLEX_TO_REAL && draw(random, 3) == 0) flags |= FFTW_MPI_TRANSPOSED_OUT;
  return flags;
}

int main(int argc, char **argv) {
  static const F(r2r_kind) TRIGONOMETRIC_KINDS[] = {FFTW_DHT, FFTW_REDFT10, FFTW_RODFT00, FFTW_R2HC};
  random_state random = {argc > 1 ? strtoull(argv[1], NULL, 10) : 1};
  tally count = {0, 0, 0};
  begin_program(&argc, &argv);
  F(mpi_init)();
  for (size_t lengths = 0; lengths < sizeof LENGTHS / sizeof *LENGTHS; lengths++) {
    for (int what = 0; what < KINDS; what++) {
      for (int turn = 0; turn < 4; turn++) {
        problem of = {(kind)what,
                      LENGTHS[lengths][2] > 0 ? 3 : 2,
                      turn < 2 ? FFTW_FORWARD : FFTW_BACKWARD,
                      turn % 2,
                      {0, 0, 1},
                      1,
                      0,
                      {FFTW_DHT, FFTW_DHT, FFTW_DHT}};
        for (int dimension = 0; dimension < of.rank; dimension++) {
          of.n[dimension] = LENGTHS[lengths][dimension];
          of.kinds[dimension] = TRIGONOMETRIC_KINDS[draw(&random, 4)];
        }
        of.howmany = draw(&random, 3) == 0 ? 3 : 1;
        of.flags = draw_flags(&random, of.what);
        transform(&of, &random, draw(&random, 60) == 0 ? FFTW_MEASURE : FFTW_ESTIMATE, &count);
      }
    }
  }
  if (rank == 0) printf("ok dft plans=%d hcube=%d missed=%d\n", count.plans, count.hcube, count.missed);
  fflush(stdout);
  F(mpi_cleanup)();
  return end_program();
}
