/* What both parts of the driver of coarrays share. */
#ifndef CAF_H
#define CAF_H

#include "driver.h"

/* What a case asks for. */
enum { TEAM, EVENTS, SPAWN };

typedef struct test_case {
  int what;
  /* Of a team. */
  int team;
  int64_t columns, lookups;
  /* Of updates. */
  int64_t values, rounds;
  double generate, divide, update, ship;
} test_case;

/* What this image has done so far. */
static inline hcube_caf_statistics statistics(void) {
  hcube_caf_statistics found;
  hcube_error error;
  memset(&found, 0, sizeof found);
  found.struct_size = sizeof found;
  SUCCEED(hcube_caf_last_statistics(&found, &error), error);
  return found;
}

#endif
