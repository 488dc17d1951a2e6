/* For clients that call every function of a header with bad arguments: how often each one was refused. */
#ifndef CALLED_H
#define CALLED_H

#include "client.h"

enum { MAX_FUNCTIONS = 80 };

/* Functions in the order of their first refusal. */
static struct {
  const char *name;
  int refusals;
} called[MAX_FUNCTIONS];

/* Counts a refusal, which must have this code and a message with these words. */
static inline void count_refusal(const char *name, int line, int32_t code, int32_t expected, const char *words) {
  int place = 0;
  require_refusal(line, code, expected, words);
  while (called[place].name != NULL && strcmp(called[place].name, name) != 0) place++;
  REQUIRE(place < MAX_FUNCTIONS);
  called[place].name = name;
  called[place].refusals++;
}

/* Prints `called <function> <refusals>` for each function. */
static inline void print_called(void) {
  for (int place = 0; called[place].name != NULL; place++)
    printf("called %s %d\n", called[place].name, called[place].refusals);
}

#endif
