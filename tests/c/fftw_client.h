/* The common part of the clients of FFTW: one source for its three precisions, transpositions whose values identify
 * their positions, and their planners. The clients call nothing of hcube, which is preloaded into them; without it they
 * check FFTW itself. */
#ifndef FFTW_CLIENT_H
#define FFTW_CLIENT_H

#include "client.h"

#include <fftw3-mpi.h>

#include <float.h>

#if defined(SINGLE)
#define F(name) fftwf_##name
typedef float real;
#define MPI_REAL_TYPE MPI_FLOAT
#define EPSILON FLT_EPSILON
#elif defined(LONG_DOUBLE)
#define F(name) fftwl_##name
typedef long double real;
#define MPI_REAL_TYPE MPI_LONG_DOUBLE
#define EPSILON LDBL_EPSILON
#else
#define F(name) fftw_##name
typedef double real;
#define MPI_REAL_TYPE MPI_DOUBLE
#define EPSILON DBL_EPSILON
#endif

/* Random numbers that are the same on all ranks. */
typedef struct random_state {
  uint64_t state;
} random_state;

static inline ptrdiff_t draw(random_state *random, ptrdiff_t below) {
  random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (ptrdiff_t)((random->state >> 33) % (uint64_t)below);
}

/* An array between words that nobody may touch. */
enum { GUARD = 32 };

typedef struct array {
  real *base, *data;
  ptrdiff_t length;
} array;

static inline real guard_word(ptrdiff_t place) {
  return (real)(-1000 - place);
}

static inline array make_array(ptrdiff_t length) {
  array made;
  ptrdiff_t place;
  made.base = (real *)F(malloc)(sizeof(real) * (size_t)(length + 2 * GUARD));
  REQUIRE(made.base != NULL);
  made.data = made.base + GUARD;
  made.length = length;
  for (place = 0; place < GUARD; place++) made.base[place] = made.data[length + place] = guard_word(place);
  for (place = 0; place < length; place++) made.data[place] = -1;
  return made;
}

static inline void check_guards(const array *checked) {
  ptrdiff_t place;
  for (place = 0; place < GUARD; place++) {
    if (checked->base[place] != guard_word(place)) FAIL("word %td before an array was written", GUARD - place);
    if (checked->data[checked->length + place] != guard_word(place))
      FAIL("word %td behind an array was written", place);
  }
}

static inline void free_array(array *freed) {
  check_guards(freed);
  F(free)(freed->base);
}

/* A transposition of nx x ny elements of `howmany` reals each. */
typedef struct shape {
  ptrdiff_t nx, ny, howmany;
  ptrdiff_t row_block, column_block; /* FFTW_MPI_DEFAULT_BLOCK or rows and columns of a rank */
  unsigned flags;                    /* FFTW_MPI_TRANSPOSED_IN, FFTW_MPI_TRANSPOSED_OUT */
  int in_place;
} shape;

/* The part of this rank. */
typedef struct part {
  ptrdiff_t rows, first_row, columns, first_column, length;
} part;

static inline const char *text_of(const shape *of) {
  static char text[160];
  snprintf(text, sizeof text, "%td x %td x %td, blocks %td and %td, %s%s%s", of->nx, of->ny, of->howmany, of->row_block,
           of->column_block, of->in_place ? "in place" : "out of place",
           of->flags & FFTW_MPI_TRANSPOSED_IN ? ", IN" : "", of->flags & FFTW_MPI_TRANSPOSED_OUT ? ", OUT" : "");
  return text;
}

static inline ptrdiff_t block_of(ptrdiff_t length, ptrdiff_t block, int rank, ptrdiff_t *first) {
  *first = rank * block;
  return *first >= length ? 0 : length - *first < block ? length - *first : block;
}

/* FFTW's function is called only for the size of the memory: for a matrix whose columns are all on one rank
 * after the transposition, it returns the parts before it. */
static inline part part_of(const shape *of, MPI_Comm comm) {
  const ptrdiff_t n[2] = {of->nx, of->ny};
  ptrdiff_t row_block = of->row_block, column_block = of->column_block, unused[4];
  part mine;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (row_block == FFTW_MPI_DEFAULT_BLOCK) row_block = (of->nx + size - 1) / size;
  if (column_block == FFTW_MPI_DEFAULT_BLOCK) column_block = (of->ny + size - 1) / size;
  mine.rows = block_of(of->nx, row_block, rank, &mine.first_row);
  mine.columns = block_of(of->ny, column_block, rank, &mine.first_column);
  ptrdiff_t words = mine.rows * of->ny > mine.columns * of->nx ? mine.rows * of->ny : mine.columns * of->nx;
  mine.length = F(mpi_local_size_many_transposed)(2, n, of->howmany, of->row_block, of->column_block, comm, &unused[0],
                                                  &unused[1], &unused[2], &unused[3]);
  if (mine.length < words * of->howmany) mine.length = words * of->howmany;
  return mine;
}

static inline F(plan) plan_transpose(const shape *of, MPI_Comm comm, real *in, real *out, unsigned flags) {
  F(plan)
  plan = F(mpi_plan_many_transpose)(of->nx, of->ny, of->howmany, of->row_block, of->column_block, in, out, comm,
                                    of->flags | flags);
  if (plan == NULL && !(flags & FFTW_WISDOM_ONLY)) FAIL("no plan for %s", text_of(of));
  return plan;
}

/* Every word of a matrix has its own value, which single precision represents; `turn` makes others. */
static inline real value_at(const shape *of, ptrdiff_t row, ptrdiff_t column, ptrdiff_t word, int turn) {
  return (real)(((row * of->ny + column) * of->howmany + word + 7919 * turn) % 16777213);
}

static inline void fill(const shape *of, const part *mine, real *in, int turn) {
  ptrdiff_t row, column, word;
  for (row = 0; row < mine->rows; row++) {
    for (column = 0; column < of->ny; column++) {
      ptrdiff_t place = of->flags & FFTW_MPI_TRANSPOSED_IN ? column * mine->rows + row : row * of->ny + column;
      for (word = 0; word < of->howmany; word++)
        in[place * of->howmany + word] = value_at(of, mine->first_row + row, column, word, turn);
    }
  }
}

static inline void check_transposed(const shape *of, const part *mine, const real *out, int turn) {
  ptrdiff_t row, column, word;
  for (column = 0; column < mine->columns; column++) {
    for (row = 0; row < of->nx; row++) {
      ptrdiff_t place = of->flags & FFTW_MPI_TRANSPOSED_OUT ? row * mine->columns + column : column * of->nx + row;
      for (word = 0; word < of->howmany; word++) {
        real expected = value_at(of, row, mine->first_column + column, word, turn);
        real found = out[place * of->howmany + word];
        if (found != expected)
          FAIL("%s: row %td, column %td, word %td is %g, not %g", text_of(of), row, mine->first_column + column, word,
               (double)found, (double)expected);
      }
    }
  }
}

/* Whether hcube does a part of the plan on all ranks of the communicator. FFTW may divide a transposition
 * into smaller ones for groups of ranks, and hcube then serves some of these; a whole one it serves on all
 * ranks or on none. */
static inline int by_hcube(F(plan) plan, MPI_Comm comm) {
  static const char NAME[] = "(mpi-transpose-hcube";
  char *text = F(sprint_plan)(plan);
  int mine[3], most[3];
  REQUIRE(text != NULL);
  mine[0] = strncmp(text, NAME, sizeof NAME - 1) == 0;
  mine[1] = -mine[0];
  mine[2] = strstr(text, NAME) == NULL;
  MPI_Allreduce(mine, most, 3, MPI_INT, MPI_MAX, comm);
  if (most[0] != -most[1]) FAIL("some ranks only have a plan of hcube; here: %s", text);
  free(text);
  return !most[2];
}

/* The cases that hcube serves for every size and path: all transpositions out of place; in place symmetric exchanges,
 * whose rows and columns have the same ratio to their blocks. */
static inline int hcube_can(const shape *of, MPI_Comm comm) {
  ptrdiff_t row_block = of->row_block, column_block = of->column_block;
  int size;
  MPI_Comm_size(comm, &size);
  if (!of->in_place) return 1;
  if (row_block == FFTW_MPI_DEFAULT_BLOCK) row_block = (of->nx + size - 1) / size;
  if (column_block == FFTW_MPI_DEFAULT_BLOCK) column_block = (of->ny + size - 1) / size;
  if (row_block > of->nx) row_block = of->nx;
  if (column_block > of->ny) column_block = of->ny;
  return of->nx * column_block == of->ny * row_block;
}

#endif
