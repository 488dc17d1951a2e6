/* An image that calls nothing of hcube runs a function of another one, which waits for it: in the progress thread.
 * Prints `ok <images>`. */
#include "client.h"

#include <time.h>

/* Longer than any machine takes to run a thread; nobody waits for so long unless the thread does not run the function.
 */
enum { LIMIT_SECONDS = 40 };

/* Written by the progress thread. */
static int count_of_runs;

static int runs(void) {
  return __atomic_load_n(&count_of_runs, __ATOMIC_ACQUIRE);
}

static void work(int32_t image, const void *arguments, uint64_t bytes) {
  (void)image, (void)arguments, (void)bytes;
  __atomic_fetch_add(&count_of_runs, 1, __ATOMIC_ACQ_REL);
}

int main(void) {
  hcube_error own_failure;
  hcube_events events;
  hcube_event done;
  int32_t me, images, function;
  SUCCEED(hcube_caf_init(&failure));
  SUCCEED(hcube_caf_team_rank(0, &me, &failure));
  SUCCEED(hcube_caf_team_size(0, &images, &failure));
  SUCCEED(hcube_caf_event_alloc(0, 1, &events, &failure));
  SUCCEED(hcube_caf_register(work, &function, &own_failure));
  memset(&done, 0, sizeof done);
  done.events = events;
  done.image = HCUBE_CAF_THIS_IMAGE;
  for (int32_t turn = 0; turn < 3; turn++) {
    SUCCEED(hcube_caf_barrier(0, &failure));
    if (me == 0) {
      for (int32_t image = 1; image < images; image++) {
        SUCCEED(hcube_caf_spawn(0, image, function, NULL, 0, &done, &failure));
        SUCCEED(hcube_caf_event_wait(events, 0, &failure));
      }
    } else {
      const time_t begin = time(NULL);
      volatile double sum = 0;
      while (runs() <= turn) {
        sum += 1;
        if (time(NULL) - begin > LIMIT_SECONDS) FAIL("image %d: no function has run while it computed", (int)me);
      }
    }
  }
  SUCCEED(hcube_caf_finalize(&failure));
  REQUIRE(runs() == (me == 0 ? 0 : 3));
  if (me == 0) printf("ok %d\n", (int)images);
  return 0;
}
