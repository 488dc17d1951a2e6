/* The objects of the calls of caf_errors.c, and the check of a refusal. */
#ifndef CAF_ERRORS_H
#define CAF_ERRORS_H

#include "called.h"

/* All that functions may write to. */
typedef struct storage {
  int32_t number;
  int64_t count;
  uint64_t handle, word;
  int32_t list[4];
  void *address;
  hcube_copointer copointer;
  hcube_caf_statistics statistics;
} storage;

static storage out, out_before;
static int32_t me, images = 1, number;
static int64_t word;
static hcube_team world, freed_team;
static hcube_coarray coarray, freed_coarray;
static hcube_events events, freed_events;
static hcube_locks locks;
static hcube_event event;
static hcube_place there, here;
static hcube_copointer copointer;
static hcube_lock one_lock;
static const int64_t one = 1;

/* Counts a refusal, which must have this code and a message with this text. */
static void refuses(const char *name, int32_t result, int32_t code, const char *text, int line) {
  count_refusal(name, line, result, code, text);
  if (memcmp(&out, &out_before, sizeof out) != 0) FAIL("line %d: %s: has written an output", line, name);
}

#define REFUSES(name, arguments, code, text) refuses(#name, name arguments, code, text, __LINE__)
#define ARGUMENT(name, arguments, text) REFUSES(name, arguments, HCUBE_ERR_ARGUMENT, text)
#define BUFFER(name, arguments, text) REFUSES(name, arguments, HCUBE_ERR_BUFFER, text)

static void function(int32_t image, const void *arguments, uint64_t bytes) {
  (void)image, (void)arguments, (void)bytes;
}

static int32_t compare(const void *first, const void *second) {
  (void)first, (void)second;
  return 0;
}

#endif
