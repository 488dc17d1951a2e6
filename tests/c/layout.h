/* Random datatypes with a known position of each byte, so that expected values do not depend on
 * the MPI library's own packing.
 *
 * All elements consist of units (see `units`), which are the same on both sides of an exchange; how
 * many units an element has and how they lie in memory is each rank's own choice.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "alltoall.h"

typedef struct piece {
  int64_t offset, length;
} piece;

/* A datatype and the bytes of one element in the order in which they are packed. */
typedef struct layout {
  MPI_Datatype type;
  int predefined;
  int64_t units, size, extent;
  int64_t first, end; /* of the bytes that belong to an element, against its address */
  int64_t pieces;
  piece *list;
} layout;

enum { UNIT_BYTE, UNIT_INT, UNIT_DOUBLE, UNIT_DOUBLE_INT, UNIT_RECORD, UNIT_NOTHING, UNITS };

static const int64_t unit_size[UNITS] = {
    1, sizeof(int), sizeof(double), sizeof(double) + sizeof(int), sizeof(char) + sizeof(int) + sizeof(double), 0};

static inline void add_piece(layout *to, int64_t offset, int64_t length) {
  piece *last = to->pieces > 0 ? &to->list[to->pieces - 1] : NULL;
  if (last != NULL && last->offset + last->length == offset) {
    last->length += length;
  } else if (length > 0) {
    to->list[to->pieces].offset = offset;
    to->list[to->pieces++].length = length;
  }
}

/* Completes a layout whose pieces are known; what MPI says of the type must agree with them. */
static inline void complete(layout *of, MPI_Datatype type) {
  MPI_Aint lower, extent;
  int size;
  of->type = type;
  of->size = 0;
  of->first = INT64_MAX;
  of->end = INT64_MIN;
  if (!of->predefined) MPI_Type_commit(&of->type);
  for (int64_t i = 0; i < of->pieces; i++) {
    const piece *one = &of->list[i];
    of->size += one->length;
    if (one->offset < of->first) of->first = one->offset;
    if (one->offset + one->length > of->end) of->end = one->offset + one->length;
  }
  MPI_Type_size(type, &size);
  REQUIRE(size == of->size);
  MPI_Type_get_true_extent(type, &lower, &extent);
  if (size > 0) REQUIRE(lower == of->first && lower + extent == of->end);
  if (size == 0) of->first = of->end = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  of->extent = extent;
}

static inline void free_layout(layout *of) {
  if (!of->predefined) MPI_Type_free(&of->type);
}

/* A unit of several parts, at the given places. */
static inline MPI_Datatype make_record(layout *of, int parts, const MPI_Datatype *types, const MPI_Aint *places) {
  static const int ones[3] = {1, 1, 1};
  MPI_Datatype type;
  int size;
  for (int i = 0; i < parts; i++) {
    MPI_Type_size(types[i], &size);
    add_piece(of, places[i], size);
  }
  MPI_Type_create_struct(parts, ones, places, types, &type);
  return type;
}

/* One unit; units of several parts lie close together or far apart. */
static inline layout make_unit(dice *random, int unit) {
  static const MPI_Aint close_record[3] = {0, 4, 8}, far_record[3] = {2, 12, 23};
  static const MPI_Aint far_pair[2] = {3, 16}, turned_pair[2] = {8, 0};
  MPI_Datatype record[3] = {MPI_CHAR, MPI_INT, MPI_DOUBLE}, pair[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype plain[4] = {MPI_BYTE, MPI_INT, MPI_DOUBLE, MPI_DOUBLE_INT}, type = MPI_DATATYPE_NULL;
  int64_t variant = roll(random, 3);
  layout made;
  memset(&made, 0, sizeof made);
  made.units = 1;
  made.list = OF_CASE(piece, 3);
  if (unit == UNIT_RECORD) {
    type = make_record(&made, 3, record, variant == 0 ? far_record : close_record);
  } else if (unit == UNIT_DOUBLE_INT && variant > 0) {
    type = make_record(&made, 2, pair, variant == 1 ? far_pair : turned_pair);
  } else if (unit == UNIT_NOTHING) {
    MPI_Type_contiguous(0, MPI_INT, &type);
  } else {
    made.predefined = 1;
    type = plain[unit];
    add_piece(&made, 0, unit_size[unit]);
  }
  complete(&made, type);
  return made;
}

/* --- how the units of an element lie: each fills `at` with their displacements in bytes -------- */

/* The arguments of a constructor. */
typedef struct plan {
  dice *random;
  const layout *unit;
  int units;
  int64_t columns; /* of a matrix in which elements may lie as columns; 0 for none */
  int64_t *at;
} plan;

static inline int divisor(dice *random, int number) {
  int found = 1 + (int)roll(random, number);
  while (number % found != 0) found--;
  return found;
}

static inline MPI_Datatype contiguous(const plan *with) {
  MPI_Datatype type;
  for (int i = 0; i < with->units; i++) with->at[i] = i * with->unit->extent;
  MPI_Type_contiguous(with->units, with->unit->type, &type);
  return type;
}

static inline MPI_Datatype vector_with_gaps(const plan *with) {
  MPI_Datatype type;
  int block = divisor(with->random, with->units), stride = block + 1 + (int)roll(with->random, 3);
  for (int i = 0; i < with->units; i++) with->at[i] = (i / block * stride + i % block) * with->unit->extent;
  MPI_Type_vector(with->units / block, block, stride, with->unit->type, &type);
  return type;
}

/* Some bytes of padding: nothing is aligned. */
static inline MPI_Datatype vector_of_bytes(const plan *with) {
  MPI_Datatype type;
  int block = divisor(with->random, with->units);
  int64_t stride = block * with->unit->extent + 1 + roll(with->random, 7);
  for (int i = 0; i < with->units; i++) with->at[i] = i / block * stride + i % block * with->unit->extent;
  MPI_Type_create_hvector(with->units / block, block, (MPI_Aint)stride, with->unit->type, &type);
  return type;
}

/* Blocks that are packed in another order than they lie, around the element's address: half of them
 * in front of it. */
static inline MPI_Datatype permuted(const plan *with) {
  int block = divisor(with->random, with->units), count = with->units / block;
  int shift = (int)roll(with->random, 2) * (count / 2);
  int *lengths = OF_CASE(int, count);
  MPI_Aint *places = OF_CASE(MPI_Aint, count);
  int64_t step = block * with->unit->extent + roll(with->random, 6);
  MPI_Datatype type;
  for (int i = 0; i < count; i++) {
    int64_t other = roll(with->random, i + 1);
    places[i] = places[other];
    places[other] = (MPI_Aint)((i - shift) * step);
    lengths[i] = block;
  }
  for (int i = 0; i < with->units; i++) with->at[i] = places[i / block] + i % block * with->unit->extent;
  MPI_Type_create_hindexed(count, lengths, places, with->unit->type, &type);
  return type;
}

/* Two parts with padding in front, between and, by resizing, behind. */
static inline MPI_Datatype padded(const plan *with) {
  int lengths[2];
  MPI_Aint places[2], lower, extent;
  MPI_Datatype types[2], inner, type;
  lengths[0] = 1 + (int)roll(with->random, with->units);
  lengths[1] = with->units - lengths[0];
  places[0] = 5;
  places[1] = (MPI_Aint)(5 + lengths[0] * with->unit->extent + 9);
  types[0] = types[1] = with->unit->type;
  for (int i = 0; i < with->units; i++)
    with->at[i] = i < lengths[0] ? 5 + i * with->unit->extent : places[1] + (i - lengths[0]) * with->unit->extent;
  MPI_Type_create_struct(lengths[1] > 0 ? 2 : 1, lengths, places, types, &inner);
  MPI_Type_get_extent(inner, &lower, &extent);
  MPI_Type_create_resized(inner, 0, lower + extent + 3, &type);
  MPI_Type_free(&inner);
  return type;
}

static inline MPI_Datatype negative_lower_bound(const plan *with) {
  MPI_Datatype inner = contiguous(with), type;
  int64_t before = 1 + roll(with->random, 40);
  int64_t extent = before + with->units * with->unit->extent + roll(with->random, 9) + 8;
  MPI_Type_create_resized(inner, (MPI_Aint)-before, (MPI_Aint)extent, &type);
  MPI_Type_free(&inner);
  return type;
}

/* The inside of a matrix. */
static inline MPI_Datatype subarray(const plan *with) {
  int sizes[2], inside[2], starts[2] = {1, 2}, i;
  MPI_Datatype type;
  inside[0] = divisor(with->random, with->units);
  inside[1] = with->units / inside[0];
  sizes[0] = inside[0] + 2;
  sizes[1] = inside[1] + 3;
  for (i = 0; i < with->units; i++)
    with->at[i] = ((1 + i / inside[1]) * sizes[1] + 2 + i % inside[1]) * with->unit->extent;
  MPI_Type_create_subarray(2, sizes, inside, starts, MPI_ORDER_C, with->unit->type, &type);
  return type;
}

static inline MPI_Datatype contiguous_vectors(const plan *with) {
  MPI_Aint lower, extent;
  MPI_Datatype type;
  plan each = *with;
  int count = divisor(with->random, with->units);
  each.units = with->units / count;
  MPI_Datatype inner = vector_with_gaps(&each);
  MPI_Type_get_extent(inner, &lower, &extent);
  for (int i = each.units; i < with->units; i++) with->at[i] = with->at[i % each.units] + i / each.units * extent;
  MPI_Type_contiguous(count, inner, &type);
  MPI_Type_free(&inner);
  return type;
}

/* A column of a matrix, with the extent of one entry: elements lie between each other. */
static inline MPI_Datatype column(const plan *with) {
  MPI_Datatype inner, type;
  if (with->columns == 0) return vector_with_gaps(with);
  for (int i = 0; i < with->units; i++) with->at[i] = i * with->columns * with->unit->extent;
  MPI_Type_vector(with->units, 1, (int)with->columns, with->unit->type, &inner);
  MPI_Type_create_resized(inner, 0, (MPI_Aint)with->unit->extent, &type);
  MPI_Type_free(&inner);
  return type;
}

/* A random datatype of `units` units. Elements can be columns if all elements of a buffer,
 * including unused ones, are at most `columns`. */
static inline layout make_layout(dice *random, int unit, int units, int64_t columns) {
  static MPI_Datatype (*const constructors[])(const plan *) = {
      contiguous,           vector_with_gaps, vector_of_bytes,    permuted, padded,
      negative_lower_bound, subarray,         contiguous_vectors, column};
  layout base = make_unit(random, unit), made;
  plan with;
  if (unit == UNIT_NOTHING || (units == 1 && roll(random, 3) == 0)) return base;
  memset(&made, 0, sizeof made);
  with.random = random;
  with.unit = &base;
  with.units = units;
  with.columns = columns;
  with.at = OF_CASE(int64_t, units);
  MPI_Datatype type = constructors[roll(random, (int64_t)(sizeof constructors / sizeof constructors[0]))](&with);
  made.units = units;
  made.list = OF_CASE(piece, units * base.pieces);
  for (int64_t i = 0; i < units; i++)
    for (int64_t j = 0; j < base.pieces; j++) add_piece(&made, with.at[i] + base.list[j].offset, base.list[j].length);
  complete(&made, type);
  free_layout(&base);
  return made;
}

#endif
