/* Distributed matrices for the clients of hcube_gemm, with whole numbers as elements, so that every sum is exact; and
 * products by plain loops. */
#ifndef GEMM_H
#define GEMM_H

#include "client.h"
#include "elements.h"

#define UNTOUCHED 0x5a

/* A complex number, whose imaginary part is 0 in real matrices. */
typedef struct number {
  double re, im;
} number;

static inline number get(int32_t element, const void *memory, int64_t index) {
  double parts[2];
  load(element, (const char *)memory + (size_t)index * size_of(element), parts);
  number value = {parts[0], parts[1]};
  return value;
}

static inline void put(int32_t element, void *memory, int64_t index, number value) {
  const double parts[2] = {value.re, value.im};
  store(element, (char *)memory + (size_t)index * size_of(element), parts);
}

static inline number plus(number x, number y) {
  x.re += y.re;
  x.im += y.im;
  return x;
}

static inline number times(number x, number y) {
  number value;
  value.re = x.re * y.re - x.im * y.im;
  value.im = x.re * y.im + x.im * y.re;
  return value;
}

/* Element (i, j) of matrix `which`, a small whole number. */
static inline number element_of(int32_t element, int which, int64_t i, int64_t j) {
  number value;
  value.re = (double)((i * 7 + j * 3 + which * 5 + i * j % 11) % 9 - 4);
  value.im = parts_of(element) == 2 ? (double)((i * 5 + j * 2 + which) % 7 - 3) : 0;
  return value;
}

/* One dimension of a matrix on the processes of a grid: where an index is on process `me`, -1 if elsewhere; returns the
 * number of indices there. */
static inline int64_t place(int64_t length, int64_t first, int64_t block, int source, int processes, int me,
                            int64_t *local) {
  int64_t count = 0;
  for (int64_t index = 0; index < length; index++) {
    int64_t number = index < first ? 0 : (index - first) / block + 1;
    int owner = source < 0 ? me : (int)((source + number) % processes);
    local[index] = owner == me ? count++ : -1;
  }
  return count;
}

/* A matrix, and the part of this rank. */
typedef struct part {
  hcube_matrix shape;
  int64_t *rows, *columns, local_rows, local_columns;
  unsigned char *memory;
  size_t bytes;
} part;

static inline part make_part(int32_t element, int which, hcube_matrix shape, int64_t extra, int grid_rows,
                             int grid_columns, int rank) {
  part made;
  made.rows = (int64_t *)allocate((size_t)(shape.rows + 1) * sizeof(int64_t));
  made.columns = (int64_t *)allocate((size_t)(shape.columns + 1) * sizeof(int64_t));
  made.local_rows = place(shape.rows, shape.first_row_block, shape.row_block, shape.row_source, grid_rows,
                          rank / grid_columns, made.rows);
  made.local_columns = place(shape.columns, shape.first_column_block, shape.column_block, shape.column_source,
                             grid_columns, rank % grid_columns, made.columns);
  shape.leading_dimension = (made.local_rows > 0 ? made.local_rows : 1) + extra;
  made.shape = shape;
  made.bytes = (size_t)(shape.leading_dimension * made.local_columns) * size_of(element);
  made.memory = (unsigned char *)allocate(made.bytes + 16);
  memset(made.memory, UNTOUCHED, made.bytes + 16);
  for (int64_t i = 0; i < shape.rows; i++)
    for (int64_t j = 0; j < shape.columns; j++)
      if (made.rows[i] >= 0 && made.columns[j] >= 0)
        put(element, made.memory, made.columns[j] * shape.leading_dimension + made.rows[i],
            element_of(element, which, i, j));
  return made;
}

static inline void free_part(part *made) {
  free(made->rows);
  free(made->columns);
  free(made->memory);
}

/* Element (i, j) of op(sub(X)). */
static inline number of_factor(int32_t element, int which, const hcube_matrix *shape, char letter, int64_t i,
                               int64_t j) {
  int plain = letter == 'N' || letter == 'n';
  number value = element_of(element, which, shape->row + (plain ? i : j), shape->column + (plain ? j : i));
  if (letter == 'C' || letter == 'c') value.im = -value.im;
  return value;
}

/* ?gemm_ for all types of elements, by plain loops. */
static inline void multiply_plainly(int32_t element, const char *transa, const char *transb, const int *m, const int *n,
                                    const int *k, const void *alpha, const void *a, const int *lda, const void *b,
                                    const int *ldb, const void *beta, void *c, const int *ldc) {
  number factor = get(element, alpha, 0), old = get(element, beta, 0);
  for (int j = 0; j < *n; j++)
    for (int i = 0; i < *m; i++) {
      int64_t at = i + (int64_t)j * *ldc;
      number sum = {0, 0}, value = {0, 0};
      for (int l = 0; l < *k; l++) {
        number x = get(element, a, *transa == 'N' ? i + (int64_t)l * *lda : l + (int64_t)i * *lda);
        number y = get(element, b, *transb == 'N' ? l + (int64_t)j * *ldb : j + (int64_t)l * *ldb);
        if (*transa == 'C') x.im = -x.im;
        if (*transb == 'C') y.im = -y.im;
        sum = plus(sum, times(x, y));
      }
      if (old.re != 0 || old.im != 0) value = times(old, get(element, c, at));
      put(element, c, at, plus(value, times(factor, sum)));
    }
}

#define PLAIN(name, element)                                                                                          \
  static void name(const char *transa, const char *transb, const int *m, const int *n, const int *k,                  \
                   const void *alpha, const void *a, const int *lda, const void *b, const int *ldb, const void *beta, \
                   void *c, const int *ldc) {                                                                         \
    multiply_plainly(element, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                          \
  }

PLAIN(plain_single, HCUBE_ELEMENT_SINGLE)
PLAIN(plain_double, HCUBE_ELEMENT_DOUBLE)
PLAIN(plain_complex, HCUBE_ELEMENT_COMPLEX)
PLAIN(plain_double_complex, HCUBE_ELEMENT_DOUBLE_COMPLEX)

typedef void (*any_function)(void);

static inline any_function plain(int32_t element) {
  switch (element) {
    case HCUBE_ELEMENT_SINGLE: return (any_function)plain_single;
    case HCUBE_ELEMENT_DOUBLE: return (any_function)plain_double;
    case HCUBE_ELEMENT_COMPLEX: return (any_function)plain_complex;
    default: return (any_function)plain_double_complex;
  }
}

static uint64_t state = 1;

static inline int64_t below(int64_t bound) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)bound);
}

/* A matrix with a sub-matrix of that size anywhere in it. */
static inline hcube_matrix make_shape(int64_t rows, int64_t columns, int grid_rows, int grid_columns, int replicated) {
  hcube_matrix shape;
  memset(&shape, 0, sizeof shape);
  shape.struct_size = sizeof shape;
  shape.row = below(6);
  shape.column = below(6);
  shape.rows = shape.row + rows + below(4) + (rows == 0);
  shape.columns = shape.column + columns + below(4) + (columns == 0);
  shape.row_block = 1 + below(7);
  shape.column_block = 1 + below(7);
  shape.first_row_block = 1 + below(7);
  shape.first_column_block = 1 + below(7);
  shape.row_source = replicated & 1 ? -1 : (int32_t)below(grid_rows);
  shape.column_source = replicated & 2 ? -1 : (int32_t)below(grid_columns);
  return shape;
}

typedef struct product {
  int32_t element;
  char letters[2];
  int64_t m, n, k;
  number alpha, beta;
  hcube_matrix shapes[3];
} product;

static inline product random_product(int32_t element, int grid_rows, int grid_columns, int turn) {
  static const char letters[] = "NTCntc";
  product made;
  made.element = element;
  made.letters[0] = letters[turn % 3 + 3 * (turn / 27 % 2)];
  made.letters[1] = letters[turn / 3 % 3];
  made.m = below(25);
  made.n = below(25);
  made.k = below(25);
  made.alpha.re = (double)(turn % 7 - 2);
  made.alpha.im = parts_of(element) == 2 ? (double)(turn % 3) : 0;
  made.beta.re = (double)(turn % 4 - 1);
  made.beta.im = parts_of(element) == 2 && made.beta.re != 0 ? (double)(turn % 2) : 0;
  int plain_a = made.letters[0] == 'N' || made.letters[0] == 'n';
  int plain_b = made.letters[1] == 'N';
  made.shapes[0] = make_shape(plain_a ? made.m : made.k, plain_a ? made.k : made.m, grid_rows, grid_columns,
                              turn % 5 == 1 ? 1 + turn / 5 % 3 : 0);
  made.shapes[1] = make_shape(plain_b ? made.k : made.n, plain_b ? made.n : made.k, grid_rows, grid_columns,
                              turn % 5 == 2 ? 1 + turn / 5 % 3 : 0);
  made.shapes[2] = make_shape(made.m, made.n, grid_rows, grid_columns, turn % 5 == 3 ? 1 + turn / 5 % 3 : 0);
  return made;
}

/* What C must be after the product. */
static inline void update_by_definition(const product *made, part *c) {
  int keeps = made->beta.re != 0 || made->beta.im != 0;
  for (int64_t i = 0; i < made->m; i++)
    for (int64_t j = 0; j < made->n; j++) {
      int64_t row = c->rows[c->shape.row + i], column = c->columns[c->shape.column + j];
      int64_t at = column * c->shape.leading_dimension + row;
      number sum = {0, 0}, value = {0, 0};
      if (row < 0 || column < 0) continue;
      for (int64_t l = 0; l < made->k; l++) {
        number x = times(of_factor(made->element, 0, &made->shapes[0], made->letters[0], i, l),
                         of_factor(made->element, 1, &made->shapes[1], made->letters[1], l, j));
        sum = plus(sum, x);
      }
      if (keeps) value = times(made->beta, get(made->element, c->memory, at));
      put(made->element, c->memory, at, plus(value, times(made->alpha, sum)));
    }
}

/* Without signs of zeros, which depend on the order of sums. */
static inline void drop_signs(int32_t element, part *made) {
  int64_t count = (int64_t)(made->bytes / size_of(element));
  for (int64_t index = 0; index < count; index++) {
    number value = get(element, made->memory, index);
    value.re += 0.0;
    value.im += 0.0;
    put(element, made->memory, index, value);
  }
}

static inline int same(const part *found, const part *expected) {
  return memcmp(found->memory, expected->memory, found->bytes + 16) == 0;
}

#endif
