/* Messages: tags, the queue, and how messages are taken from it. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "bsp_client.h"

/* Announces a size of tags, where the size before is known. */
static void set_tag(bsp_size_t bytes, bsp_size_t before) {
  bsp_size_t size = bytes;
  bsp_set_tagsize(&size);
  REQUIRE(size == before);
}

/* Checks that this number of messages with this number of bytes are left. */
static void is_left(int messages, int payload) {
  bsp_nprocs_t packets = (bsp_nprocs_t)-5;
  bsp_size_t bytes = NONE, status = 0;
  bsp_qsize(&packets, &bytes);
  REQUIRE(packets == (bsp_nprocs_t)messages && bytes == (bsp_size_t)payload);
#ifdef BSP_MCBSP
  packets = (bsp_nprocs_t)-5;
  bsp_qsize(&packets, NULL);
  REQUIRE(packets == (bsp_nprocs_t)messages);
#endif
  if (messages > 0) return;
  bsp_get_tag(&status, NULL);
  REQUIRE(status == NONE);
}

/* The first message: tag and length, which do not change between calls. */
static void is_first(const void *tag, size_t tag_bytes, bsp_size_t payload) {
  unsigned char found[64];
  for (int look = 0; look < 2; look++) {
    bsp_size_t status = NONE;
    memset(found, 0xee, sizeof found);
    bsp_get_tag(&status, found);
    REQUIRE(status == payload && found[tag_bytes] == 0xee);
    REQUIRE(tag_bytes == 0 || memcmp(found, tag, tag_bytes) == 0);
  }
}

/* (A, B, C): those in the queue, those that are sent, the last call. */
static void sizes_of_tags(void) {
  const unsigned char tag[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  is_left(0, 0);
  set_tag(4, 0);
  set_tag(9, 4);
  bsp_send(at(1), NULL, "a", 1); /* still without a tag */
  bsp_sync();
  is_first(tag, 0, 1);
  bsp_send(at(1), tag, "bc", 2);
  set_tag(2, 9);
  bsp_sync();
  is_left(1, 2);
  is_first(tag, 9, 2);
  bsp_send(at(1), tag, "def", 3);
  bsp_sync();
  is_first(tag, 2, 3);
  bsp_send(at(1), tag, "", 0);
  set_tag(0, 2);
  bsp_sync();
  is_first(tag, 2, 0);
  bsp_sync();
  is_left(0, 0);
}

/* Highest process first, and then in the order in which they were sent; buffered at the source. */
static void order_of_the_queue(void) {
  enum { COUNT = 7 };
  int tag[2], payload, packets = 0;
  set_tag(sizeof tag, 0);
  bsp_sync();
  for (int number = 0; number < COUNT; number++) {
    for (int other = 0; other < all; other++) {
      tag[0] = own;
      tag[1] = payload = number;
      if (number % 3 == 1) bsp_hpsend((bsp_pid_t)other, tag, NULL, 0);
      else bsp_send((bsp_pid_t)other, tag, &payload, sizeof payload);
    }
  }
  is_left(0, 0);
  bsp_sync();
  for (int other = all - 1; other >= 0; other--) {
    for (int number = 0; number < COUNT; number++, packets++) {
      int is_empty = number % 3 == 1;
      tag[0] = other;
      tag[1] = number;
      is_first(tag, sizeof tag, is_empty ? 0 : sizeof payload);
      payload = -1;
      bsp_move(&payload, sizeof payload);
      REQUIRE(payload == (is_empty ? -1 : number));
    }
  }
  REQUIRE(packets == all * COUNT);
  is_left(0, 0);
  set_tag(0, sizeof tag);
  bsp_sync();
}

/* At most as many bytes as there is room for, and no byte more than there are. */
static void moves_cut(void) {
  unsigned char payload[40], found[64];
  const int rooms[] = {0, 1, 39, 40, 64};
  fill(payload, sizeof payload, (size_t)own, 3);
  for (int index = 0; index < 6; index++) bsp_send(at(1), NULL, payload, sizeof payload);
  bsp_sync();
  for (int index = 0; index < 5; index++) {
    size_t bytes = (size_t)(rooms[index] < 40 ? rooms[index] : 40);
    is_left(6 - index, 40 * (6 - index));
    memset(found, 0xee, sizeof found);
    bsp_move(rooms[index] == 0 ? NULL : found, (bsp_size_t)rooms[index]);
    REQUIRE(is_filled(found, bytes, at(-1), 3) && is_all(found + bytes, sizeof found - bytes, 0xee));
  }
#ifdef BSP_MCBSP
  /* As much as there is. */
  bsp_send(at(1), NULL, payload, 40);
  memset(found, 0xee, sizeof found);
  bsp_move(found, NONE);
  REQUIRE(is_filled(found, 40, at(-1), 3) && found[40] == 0xee);
  bsp_sync();
#endif
  /* Messages that are not taken are discarded in the next superstep. */
  is_left(1, 40);
  bsp_sync();
  is_left(0, 0);
}

/* In place: aligned, and unchanged until the end of the superstep. */
static void in_place(size_t bytes) {
  enum { COUNT = 5, TAG = 3 };
  unsigned char *payload = (unsigned char *)room(bytes + COUNT), *cells = (unsigned char *)room(bytes);
  void *tags[COUNT], *payloads[COUNT];
  set_tag(TAG, 0);
  bsp_push_reg(cells, (bsp_size_t)bytes);
  bsp_sync();
  for (int number = 0; number < COUNT; number++) {
    fill(payload, bytes + (size_t)number, (size_t)own, (size_t)number);
    bsp_send(at(1), payload, payload, (bsp_size_t)(bytes + (size_t)number));
  }
  bsp_sync();
  for (int number = 0; number < COUNT; number++)
    REQUIRE(bsp_hpmove(&tags[number], &payloads[number]) == (bsp_size_t)(bytes + (size_t)number));
  REQUIRE(bsp_hpmove(&tags[0], &payloads[0]) == NONE);
  is_left(0, 0);
  /* Other processes continue meanwhile: they put here, and send the same again. */
  bsp_put(at(1), payload, cells, 0, (bsp_size_t)bytes);
  bsp_send(at(1), payload, payload, (bsp_size_t)bytes);
  for (int number = 0; number < COUNT; number++) {
    REQUIRE((uintptr_t)payloads[number] % 16 == 0 && (uintptr_t)tags[number] % 16 == 0);
    REQUIRE(is_filled(payloads[number], bytes + (size_t)number, at(-1), (size_t)number));
    REQUIRE(is_filled(tags[number], TAG, at(-1), (size_t)number));
  }
  bsp_sync();
  is_left(1, (int)bytes);
  REQUIRE(is_filled(cells, bytes, at(-1), COUNT - 1));
  set_tag(0, TAG);
  bsp_pop_reg(cells);
  bsp_sync();
  free(payload);
  free(cells);
}

/* Messages in place are unaffected by the superstep of processes that are ahead, and by messages of the next superstep.
 */
static void in_place_while_others_are_ahead(void) {
  int value;
  void *tag, *payload[20];
  for (int step = 0; step < 20; step++) {
    is_left(step == 0 ? 0 : 20, step == 0 ? 0 : 20 * (int)sizeof value);
    for (int number = 0; number < 20 && step > 0; number++) bsp_hpmove(&tag, &payload[number]);
    for (int number = 0; number < 20; number++) {
      value = step * 1000 + number;
      bsp_send(at(step), NULL, &value, sizeof value);
    }
    for (int number = 0; number < 20 && step > 0; number++)
      REQUIRE(*(int *)payload[number] == (step - 1) * 1000 + number);
    bsp_sync();
  }
  bsp_sync();
}

/* Many, and large ones, with puts and gets in the same superstep. */
static void many_messages(void) {
  enum { COUNT = 2000, LARGE = 1500000 };
  unsigned char *large = (unsigned char *)room(LARGE), *found = (unsigned char *)room(LARGE);
  int value = 0, cell = own, read = -1;
  bsp_push_reg(&cell, sizeof cell);
  bsp_sync();
  fill(large, LARGE, (size_t)own, 9);
  for (int number = 0; number < COUNT; number++) {
    value = number * all + own;
    bsp_send(at(1), NULL, &value, sizeof value);
    if (number == COUNT / 2) bsp_send(at(1), NULL, large, LARGE);
  }
  bsp_put(at(1), &value, &cell, 0, sizeof value);
  bsp_get(at(-1), &cell, 0, &read, sizeof read);
  bsp_sync();
  REQUIRE(read == (int)at(-1) && cell == (COUNT - 1) * all + (int)at(-1));
  is_left(COUNT + 1, COUNT * (int)sizeof value + LARGE);
  for (int number = 0; number < COUNT; number++) {
    bsp_move(&value, sizeof value);
    REQUIRE(value == number * all + (int)at(-1));
    if (number != COUNT / 2) continue;
    bsp_move(found, LARGE);
    REQUIRE(is_filled(found, LARGE, at(-1), 9));
  }
  bsp_pop_reg(&cell);
  bsp_sync();
  free(large);
  free(found);
}

static void messages(void) {
  sizes_of_tags();
  order_of_the_queue();
  moves_cut();
  in_place(16);
  in_place(100000);
  in_place_while_others_are_ahead();
  many_messages();
}

#endif
