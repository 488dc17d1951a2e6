/* Puts and gets, buffered and unbuffered. */
#ifndef COPIES_H
#define COPIES_H

#include "bsp_client.h"

static void puts_are_buffered(void) {
  int cell = -1 - own, value = 100 + own;
  bsp_push_reg(&cell, sizeof cell);
  bsp_sync();
  bsp_put(at(1), &value, &cell, 0, sizeof value);
  value = -7; /* buffered at the source, */
  REQUIRE(cell == -1 - own);
  bsp_put(at(0), &value, &cell, 0, 0);
  REQUIRE(cell == -1 - own); /* and at the destination */
  bsp_sync();
  REQUIRE(cell == 100 + (int)at(-1));
  bsp_pop_reg(&cell);
  bsp_sync();
}

static void gets_read_before_puts_write(void) {
  int cell = own, read = -1, value = 100 + own;
  bsp_push_reg(&cell, sizeof cell);
  bsp_sync();
  bsp_put(at(1), &value, &cell, 0, sizeof value);
  bsp_get(at(1), &cell, 0, &read, sizeof read);
  REQUIRE(read == -1); /* buffered at the destination */
  bsp_sync();
  REQUIRE(read == (int)at(1) && cell == 100 + (int)at(-1));
  /* A get reads the value at the end of the superstep. */
  cell = 1000 + own;
  bsp_get(at(-1), &cell, 0, &read, sizeof read);
  cell = 2000 + own;
  bsp_sync();
  REQUIRE(read == 2000 + (int)at(-1));
  /* Into memory that another process reads: all gets read before any writes. */
  cell = own;
  bsp_get(at(1), &cell, 0, &cell, sizeof cell);
  bsp_sync();
  REQUIRE(cell == (int)at(1));
  /* Into memory that a put writes, which comes later. */
  cell = own;
  bsp_put(at(2), &value, &cell, 0, sizeof value);
  bsp_get(at(1), &cell, 0, &cell, sizeof cell);
  bsp_sync();
  REQUIRE(cell == 100 + (int)at(-2));
  bsp_pop_reg(&cell);
  bsp_sync();
}

/* Registered sizes differ; offsets and lengths are odd. */
static void every_process_has_its_size(void) {
  size_t bytes = 3 + 5 * (size_t)own;
  unsigned char *block = (unsigned char *)room(bytes), values[64], read[64];
  memset(block, 0, bytes);
  fill(values, sizeof values, (size_t)own, 1);
  bsp_push_reg(block, (bsp_size_t)bytes);
  bsp_sync();
  for (int other = 0; other < all; other++) {
    /* The last byte of the block, the first one, and one between. */
    bsp_size_t size = (bsp_size_t)(3 + 5 * other);
    if (other == (int)at(1)) bsp_put((bsp_pid_t)other, values, block, size - 1, 1);
    if (other == (int)at(2)) bsp_put((bsp_pid_t)other, values + 1, block, 0, 1);
    if (other == (int)at(3)) bsp_put((bsp_pid_t)other, values + 2, block, 1, size - 2);
  }
  bsp_sync();
  REQUIRE(block[bytes - 1] == byte_of(0, at(-1), 1));
  REQUIRE(block[0] == byte_of(1, at(-2), 1));
  REQUIRE(block[1] == byte_of(2, at(-3), 1));
  fill(block, bytes, (size_t)own, 2);
  for (int other = 0; other < all; other++) {
    bsp_size_t size = (bsp_size_t)(3 + 5 * other);
    memset(read, 0xee, sizeof read);
    bsp_get((bsp_pid_t)other, block, 1, read + 1, size - 1);
    bsp_sync();
    REQUIRE(read[0] == 0xee && read[size] == 0xee && read[1] == byte_of(1, (size_t)other, 2));
    REQUIRE(read[size - 1] == byte_of(size - 1, (size_t)other, 2));
  }
  bsp_pop_reg(block);
  bsp_sync();
  free(block);
}

/* Without bytes nothing is done, and nothing is checked. */
static void no_bytes(void) {
  char cell = 5, other = 6;
  bsp_put((bsp_pid_t)-3, NULL, NULL, NONE, 0);
  bsp_put((bsp_pid_t)all, &other, &cell, 7, 0);
  bsp_get((bsp_pid_t)-3, NULL, NONE, NULL, 0);
  bsp_get((bsp_pid_t)all, &other, 3, &cell, 0);
  bsp_hpput((bsp_pid_t)all, NULL, NULL, NONE, 0);
  bsp_hpget((bsp_pid_t)all, NULL, NONE, NULL, 0);
  bsp_push_reg(&cell, 0);
  bsp_sync();
  bsp_put(at(1), &other, &cell, 9, 0);
  bsp_get(at(1), &cell, 9, &other, 0);
  bsp_pop_reg(&cell);
  bsp_sync();
  REQUIRE(cell == 5 && other == 6);
}

/* Each process has one segment for every process. */
static void total_exchange(size_t bytes) {
  unsigned char *block = (unsigned char *)room(bytes * (size_t)all), *values = (unsigned char *)room(bytes);
  unsigned char *read = (unsigned char *)room(bytes * (size_t)all);
  memset(block, 0, bytes * (size_t)all);
  bsp_push_reg(block, (bsp_size_t)(bytes * (size_t)all));
  bsp_sync();
  for (int other = 0; other < all; other++) {
    fill(values, bytes, (size_t)own, (size_t)other);
    bsp_put((bsp_pid_t)other, values, block, (bsp_size_t)(bytes * (size_t)own), (bsp_size_t)bytes);
  }
  bsp_sync();
  for (int other = 0; other < all; other++) {
    REQUIRE(is_filled(block + bytes * (size_t)other, bytes, (size_t)other, (size_t)own));
    bsp_get((bsp_pid_t)other, block, (bsp_size_t)(bytes * (size_t)own), read + bytes * (size_t)other,
            (bsp_size_t)bytes);
  }
  bsp_sync();
  for (int other = 0; other < all; other++)
    REQUIRE(is_filled(read + bytes * (size_t)other, bytes, (size_t)own, (size_t)other));
  bsp_pop_reg(block);
  bsp_sync();
  free(block);
  free(values);
  free(read);
}

/* Unbuffered, in both directions, several supersteps one after another, also to the process itself. */
static void unbuffered(size_t bytes) {
  unsigned char *block = (unsigned char *)room(3 * bytes), *values = (unsigned char *)room(bytes);
  unsigned char *read = (unsigned char *)room(bytes);
  bsp_push_reg(block, (bsp_size_t)(3 * bytes));
  bsp_sync();
  for (int step = 0; step < 3; step++) {
    fill(values, bytes, (size_t)own, (size_t)step);
    fill(block, bytes, (size_t)own, (size_t)step + 50);
    bsp_sync();
    bsp_hpput(at(step), values, block, (bsp_size_t)bytes, (bsp_size_t)bytes);
    bsp_hpget(at(step + 1), block, 0, read, (bsp_size_t)bytes);
    bsp_sync();
    REQUIRE(is_filled(block + bytes, bytes, at(-step), (size_t)step));
    REQUIRE(is_filled(read, bytes, at(step + 1), (size_t)step + 50));
    /* A buffered put of the superstep before is there before an unbuffered get reads it. */
    bsp_put(at(1), values, block, (bsp_size_t)(2 * bytes), (bsp_size_t)bytes);
    bsp_sync();
    bsp_hpget(at(1), block, (bsp_size_t)(2 * bytes), read, (bsp_size_t)bytes);
    bsp_sync();
    REQUIRE(is_filled(read, bytes, (size_t)own, (size_t)step));
  }
  bsp_pop_reg(block);
  bsp_sync();
  free(block);
  free(values);
  free(read);
}

/* All write the same bytes: one of them wins. */
static void puts_to_the_same_bytes(void) {
  int64_t cell = -1, value = own;
  bsp_push_reg(&cell, sizeof cell);
  bsp_sync();
  bsp_put(0, &value, &cell, 0, sizeof value);
  bsp_sync();
  REQUIRE(own == 0 ? cell >= 0 && cell < all : cell == -1);
  bsp_pop_reg(&cell);
  bsp_sync();
}

/* Many in one superstep. */
static void many_puts_and_gets(void) {
  enum { COUNT = 3000 };
  static int block[COUNT], read[COUNT];
  bsp_push_reg(block, sizeof block);
  bsp_sync();
  for (int index = 0; index < COUNT; index++) {
    int value = own * COUNT + index;
    bsp_put(at(index), &value, block, (bsp_size_t)((size_t)index * sizeof(int)), sizeof value);
  }
  bsp_sync();
  for (int index = 0; index < COUNT; index++) {
    REQUIRE(block[index] == (int)at(-index) * COUNT + index);
    bsp_get(at(index), block, (bsp_size_t)((size_t)index * sizeof(int)), read + index, sizeof(int));
  }
  bsp_sync();
  for (int index = 0; index < COUNT; index++) REQUIRE(read[index] == own * COUNT + index);
  bsp_pop_reg(block);
  bsp_sync();
}

static void copies(void) {
  puts_are_buffered();
  gets_read_before_puts_write();
  every_process_has_its_size();
  no_bytes();
  for (size_t bytes = 1; bytes < 100000; bytes = bytes * 9 + 1) total_exchange(bytes);
  total_exchange(16384);
  unbuffered(8);
  unbuffered(40000);
  unbuffered(65536);
  unbuffered(700001);
  puts_to_the_same_bytes();
  many_puts_and_gets();
}

#endif
