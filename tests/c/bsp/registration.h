/* bsp_push_reg and bsp_pop_reg. */
#ifndef REGISTRATION_H
#define REGISTRATION_H

#include "bsp_client.h"

/* Writes a value to the place that `name` means on the next process. */
static void put_int(void *name, int value) {
  bsp_put(at(1), &value, name, 0, sizeof value);
}

static void effective_at_the_next_sync(void) {
  int cells[2] = {-1, -1}, value = 7 + own;
  bsp_push_reg(cells, sizeof(int));
  bsp_sync();
  /* A larger registration of the same address, while the former one is in use; then it is removed, and still in use. */
  bsp_push_reg(cells, sizeof cells);
  put_int(cells, 7 + own);
  bsp_sync();
  REQUIRE(cells[0] == 7 + (int)at(-1) && cells[1] == -1);
  bsp_pop_reg(cells);
  bsp_put(at(1), &value, cells, sizeof(int), sizeof(int));
  bsp_sync();
  REQUIRE(cells[1] == 7 + (int)at(-1));
  bsp_pop_reg(cells);
  put_int(cells, 30 + own);
  bsp_sync();
  REQUIRE(cells[0] == 30 + (int)at(-1));
}

/* Process 0 knows by the name `a` what others know by `b`, and later what they know by `a`. */
static void a_stack_for_each_address(void) {
  int a = -1, b = -1, *second = own == 0 ? &a : &b;
  bsp_push_reg(&a, sizeof a);
  bsp_push_reg(second, sizeof a);
  bsp_sync();
  put_int(second, 50 + own);
  bsp_sync();
  REQUIRE(*second == 50 + (int)at(-1));
  REQUIRE(own == 0 || a == -1);
  REQUIRE(own != 0 || b == -1);
  bsp_pop_reg(second);
  bsp_sync();
  a = b = -1;
  put_int(&a, 60 + own);
  bsp_sync();
  REQUIRE(a == 60 + (int)at(-1) && b == -1);
  bsp_pop_reg(&a);
  bsp_sync();
}

/* Registrations are removed in another order than they were made in. */
static void not_a_stack_of_all(void) {
  int a = -1, b = -1, c = -1;
  bsp_push_reg(&a, sizeof a);
  bsp_push_reg(&b, sizeof b);
  bsp_sync();
  bsp_pop_reg(&a);
  bsp_push_reg(&c, sizeof c);
  put_int(&b, 1 + own);
  bsp_sync();
  put_int(&b, 10 + own);
  put_int(&c, 20 + own);
  bsp_sync();
  REQUIRE(a == -1 && b == 10 + (int)at(-1) && c == 20 + (int)at(-1));
  /* In one superstep: made, and removed again. */
  bsp_push_reg(&a, sizeof a);
  bsp_pop_reg(&a);
  bsp_pop_reg(&b);
  bsp_pop_reg(&c);
  bsp_sync();
}

/* Process 0 has no part. */
static void null_is_not_here(void) {
  int a = -1, b = -1, value = 70 + own, next = own == all - 1 ? 1 : own + 1, before = own == 1 ? all - 1 : own - 1;
  bsp_push_reg(own == 0 ? NULL : &a, own == 0 ? 0 : sizeof a);
  bsp_push_reg(own == 0 ? NULL : &b, own == 0 ? 0 : sizeof b);
  bsp_sync();
  if (own > 0) bsp_put((bsp_pid_t)next, &value, &b, 0, sizeof value);
  bsp_sync();
  REQUIRE(a == -1 && b == (own == 0 ? -1 : 70 + before));
  /* NULL means what the others remove, which is not the latest registration. */
  if (all > 1) {
    bsp_pop_reg(own == 0 ? NULL : &a);
    value += 10;
    bsp_sync();
    if (own > 0) bsp_put((bsp_pid_t)next, &value, &b, 0, sizeof value);
    bsp_sync();
    REQUIRE(a == -1 && b == (own == 0 ? -1 : 80 + before));
    bsp_pop_reg(own == 0 ? NULL : &b);
  } else {
    bsp_pop_reg(NULL);
    bsp_pop_reg(NULL);
  }
  bsp_sync();
}

/* NULL on all processes: the latest such registration. Others stay. */
static void null_on_all_processes(void) {
  int a = -1, *even = own % 2 == 0 ? &a : NULL;
  bsp_push_reg(NULL, 0);
  bsp_push_reg(&a, sizeof a);
  bsp_push_reg(even, own % 2 == 0 ? sizeof a : 0);
  bsp_sync();
  bsp_pop_reg(NULL);
  bsp_sync();
  /* The even ones name the registration; it is the latest of their stack. */
  bsp_pop_reg(even);
  bsp_sync();
  put_int(&a, 90 + own);
  bsp_sync();
  REQUIRE(a == 90 + (int)at(-1));
  bsp_pop_reg(&a);
  bsp_sync();
}

/* Many, that overlap. */
static void many_registrations(void) {
  enum { COUNT = 400 };
  static unsigned char block[COUNT + 8];
  for (int repeat = 0; repeat < 2; repeat++) {
    memset(block, 0, sizeof block);
    for (int index = 0; index < COUNT; index++) bsp_push_reg(block + index, 8);
    bsp_sync();
    for (int index = 0; index < COUNT; index++) {
      unsigned char value = (unsigned char)(index + own + repeat);
      bsp_put(at(index), &value, block + index, 5, 1);
    }
    bsp_sync();
    for (int index = 0; index < COUNT; index++)
      REQUIRE(block[index + 5] == (unsigned char)(index + (int)at(-index) + repeat));
    for (int index = 0; index < COUNT; index++) bsp_pop_reg(block + (index * 7 + repeat) % COUNT);
    bsp_sync();
  }
}

/* One replaces another in every superstep, while others stay: in the middle of all is an old one that is used. */
static void registrations_that_come_and_go(void) {
  enum { TURNS = 300, KINDS = 5 };
  static int kept[2], blocks[KINDS][2];
  bsp_push_reg(&kept[0], sizeof kept[0]);
  bsp_push_reg(blocks[0], sizeof blocks[0]);
  bsp_push_reg(&kept[1], sizeof kept[1]);
  bsp_sync();
  for (int turn = 1; turn < TURNS; turn++) {
    int *old = blocks[(turn - 1) % KINDS], *block = blocks[turn % KINDS];
    bsp_push_reg(block, sizeof blocks[0]);
    put_int(&kept[turn % 2], 1000 * turn + own);
    put_int(old, 2000 * turn + own);
    bsp_pop_reg(old);
    bsp_sync();
    REQUIRE(kept[turn % 2] == 1000 * turn + (int)at(-1) && old[0] == 2000 * turn + (int)at(-1));
  }
  bsp_pop_reg(blocks[(TURNS - 1) % KINDS]);
  bsp_pop_reg(&kept[1]);
  bsp_pop_reg(&kept[0]);
  bsp_sync();
}

static void registration(void) {
  effective_at_the_next_sync();
  a_stack_for_each_address();
  not_a_stack_of_all();
  null_is_not_here();
  null_on_all_processes();
  many_registrations();
  registrations_that_come_and_go();
}

#endif
