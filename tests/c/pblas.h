/* The common part of the clients of ScaLAPACK: its functions, grids, and block-cyclic matrices in memory. */
#ifndef PBLAS_H
#define PBLAS_H

#include "fail.h"
#include "elements.h"
#include "random.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridmap(int *context, int *map, int leading, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);

typedef void gemm_function(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                           const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
                           const void *b, const int *ib, const int *jb, const int *descb, const void *beta, void *c,
                           const int *ic, const int *jc, const int *descc);
gemm_function psgemm_, pdgemm_, pcgemm_, pzgemm_;

static gemm_function *const gemm[KINDS] = {psgemm_, pdgemm_, pcgemm_, pzgemm_};

/* A function of ScaLAPACK's own library, whatever is loaded before it. */
static inline void *original(const char *name) {
  Dl_info place;
  REQUIRE(dladdr(dlsym(RTLD_DEFAULT, "numroc_"), &place) != 0);
  void *library = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  REQUIRE(library != NULL);
  void *function = dlsym(library, name);
  REQUIRE(function != NULL);
  return function;
}

/* Random numbers: splitmix64. */
static inline uint64_t draw(uint64_t *state) {
  uint64_t drawn = mix(*state);
  *state += UINT64_C(0x9e3779b97f4a7c15);
  return drawn;
}

/* A number from `least` to `largest`. */
static inline int between(uint64_t *state, int least, int largest) {
  return least + (int)(draw(state) % (uint64_t)(largest - least + 1));
}

static inline int chance(uint64_t *state, int percent) {
  return between(state, 1, 100) <= percent;
}

/* A process grid, seen from this process. */
typedef struct {
  int context, rows, columns, row, column;
} grid;

/* Fills in the BLACS data of the context. */
static inline grid grid_of(int context) {
  grid known = {context, -1, -1, -1, -1};
  if (context >= 0) Cblacs_gridinfo(context, &known.rows, &known.columns, &known.row, &known.column);
  return known;
}

static inline grid make_grid(const char *order, int rows, int columns) {
  int context;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, order, rows, columns);
  return grid_of(context);
}

/* Grids on disjoint ranks: at most one of them has this process. */
typedef struct {
  grid own;
  int number;
} set;

/* One grid on ranks from `begin`; returns the rank after them. */
static inline int one_grid(const char *text, int begin, int alone, grid *made) {
  int rows, columns, context, size;
  char letter;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (sscanf(text, "%dx%d%c", &rows, &columns, &letter) != 3 || begin + rows * columns > size) FAIL("grid '%s'", text);
  if (alone && (letter == 'r' || letter == 'c')) {
    *made = make_grid(letter == 'r' ? "Row" : "Column", rows, columns);
    return rows * columns;
  }
  /* Prime to the number of ranks. */
  int step = rows * columns % 7 == 0 ? 5 : 7;
  int *map = (int *)allocate(sizeof(int) * (size_t)(rows * columns));
  for (int index = 0; index < rows * columns; index++)
    map[index] = letter == 'p'   ? begin + (index * step + 3) % (rows * columns)
                 : letter == 'd' ? size - 1 - begin - index
                                 : begin + index;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridmap(&context, map, rows, rows, columns);
  *made = grid_of(context);
  free(map);
  return begin + rows * columns;
}

static inline set make_set(const char *text) {
  set made = {{-1, -1, -1, -1, -1}, 0};
  int begin = 0, number = 0, alone = strchr(text, '+') == NULL;
  for (;;) {
    grid next;
    begin = one_grid(text, begin, alone, &next);
    if (next.row >= 0) {
      made.own = next;
      made.number = number;
    }
    text = strchr(text, '+');
    if (text == NULL) return made;
    text++;
    number++;
  }
}

/* One dimension of a distributed matrix. */
typedef struct {
  int size, first_block, block, source;
  /* The process on this dimension of the grid, and how many there are. */
  int own, processes;
} axis;

static inline int is_own(const axis *axis, int index) {
  int number = index < axis->first_block ? 0 : 1 + (index - axis->first_block) / axis->block;
  return axis->source < 0 || (axis->source + number) % axis->processes == axis->own;
}

/* How many of the first `end` indices this process has: also the local number of index `end`. */
static inline int local_count(const axis *axis, int end) {
  int count = 0;
  for (int index = 0; index < end; index++) count += is_own(axis, index);
  return count;
}

/* A distributed matrix; the sub-matrix begins at `first`, from 0, and has `length` rows and columns. */
typedef struct {
  int kind, type;
  axis axes[2];
  int first[2], length[2];
  int leading;
  int descriptor[11];
  /* First row and column, from 1, as PBLAS wants them. */
  int from[2];
  size_t bytes;
  unsigned char *memory;
} matrix;

static const size_t GUARD_BYTES = 64;

/* The descriptor of type 1 or 2. */
static inline void describe(matrix *of, int context) {
  const axis *rows = &of->axes[0], *columns = &of->axes[1];
  int one[9] = {
      1, context, rows->size, columns->size, rows->block, columns->block, rows->source, columns->source, of->leading};
  int two[11] = {2,           context,        rows->size,   columns->size,   rows->first_block, columns->first_block,
                 rows->block, columns->block, rows->source, columns->source, of->leading};
  memset(of->descriptor, 0x55, sizeof of->descriptor);
  memcpy(of->descriptor, of->type == 1 ? one : two, of->type == 1 ? sizeof one : sizeof two);
  of->from[0] = of->first[0] + 1;
  of->from[1] = of->first[1] + 1;
}

/* Memory for this process's part, with guards around it, all of it signalling NaNs of which no two are equal. */
static inline void allocate_matrix(matrix *of, uint64_t seed) {
  int rows = local_count(&of->axes[0], of->axes[0].size), columns = local_count(&of->axes[1], of->axes[1].size);
  size_t cells = rows > 0 && columns > 0 ? (size_t)(columns - 1) * (size_t)of->leading + (size_t)rows : 0;
  size_t step = is_single(of->kind) ? sizeof(float) : sizeof(double);
  of->bytes = cells * size_of(of->kind) + 2 * GUARD_BYTES;
  of->memory = (unsigned char *)allocate(of->bytes);
  for (size_t at = 0; at < of->bytes; at += step) {
    uint64_t noise = mix(seed + at) | 1;
    uint32_t narrow = UINT32_C(0x7f800000) | (uint32_t)(noise & 0x3fffff);
    uint64_t wide = UINT64_C(0x7ff0000000000000) | (noise & UINT64_C(0x7ffffffffffff));
    memcpy(of->memory + at, step == sizeof narrow ? (void *)&narrow : (void *)&wide, step);
  }
}

static inline void *elements(const matrix *of) {
  return of->memory + GUARD_BYTES;
}

/* The address of an element of this process. */
static inline void *element(const matrix *of, int local_row, int local_column) {
  size_t at = (size_t)local_row + (size_t)local_column * (size_t)of->leading;
  return of->memory + GUARD_BYTES + at * size_of(of->kind);
}

/* Calls `use` for each element of the sub-matrix that this process has, with its indices in the sub-matrix. */
static inline void for_own(const matrix *of, void (*use)(void *closure, void *element, int row, int column),
                           void *closure) {
  int local_column = local_count(&of->axes[1], of->first[1]);
  for (int column = 0; column < of->length[1]; column++) {
    int local_row = local_count(&of->axes[0], of->first[0]);
    if (!is_own(&of->axes[1], of->first[1] + column)) continue;
    for (int row = 0; row < of->length[0]; row++) {
      if (!is_own(&of->axes[0], of->first[0] + row)) continue;
      use(closure, element(of, local_row++, local_column), row, column);
    }
    local_column++;
  }
}

#endif
