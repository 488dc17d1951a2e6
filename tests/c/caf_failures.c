/* An image that is marked as failed, leaves, or dies, while the others wait in a barrier, for an event, for a lock that
 * it holds, in a finish block, or in an allocation, or one of them reads from another one that has ended for that
 * reason. Each of them must be told so. Arguments: marked, leaves or dies; barrier, event, lock, finish, allocation or
 * get. With the argument ends, all images call MPI_Finalize: after a barrier, in a finish block, or (finalised) with
 * hcube_caf_finalize after it; in the first two cases they end without it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* usleep */
#endif
#include <hcube.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static hcube_error error;

static void succeed(int code) {
  if (code == HCUBE_SUCCESS) return;
  fprintf(stderr, "%s\n", error.message);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int wait_in(const char *where, hcube_events events, hcube_locks locks, hcube_coarray data, int own, int last) {
  hcube_coarray coarray;
  int64_t word;
  int code;
  if (strcmp(where, "barrier") == 0) return hcube_caf_barrier(0, &error);
  if (strcmp(where, "event") == 0) return hcube_caf_event_wait(events, 0, &error);
  if (strcmp(where, "lock") == 0) return hcube_caf_lock(locks, 0, last, &error);
  if (strcmp(where, "allocation") == 0) return hcube_caf_coarray_alloc(0, 8, &coarray, NULL, &error);
  if (strcmp(where, "get") == 0) {
    code = hcube_caf_barrier(0, &error);
    if (own > 0 || code != HCUBE_ERR_FAILED_IMAGE) return code;
    do code = hcube_caf_get(data, 1, 0, &word, 8, &error);
    while (code == HCUBE_SUCCESS);
    return code;
  }
  succeed(hcube_caf_finish_begin(0, &error));
  return hcube_caf_finish_end(&error);
}

int main(int argc, char **argv) {
  hcube_events events;
  hcube_locks locks;
  hcube_coarray data;
  int32_t own, images, status;
  int code;
  if (argc != 3) return 2;
  succeed(hcube_caf_init(&error));
  succeed(hcube_caf_team_rank(0, &own, &error));
  succeed(hcube_caf_team_size(0, &images, &error));
  succeed(hcube_caf_coarray_alloc(0, 8, &data, NULL, &error));
  succeed(hcube_caf_event_alloc(0, 1, &events, &error));
  succeed(hcube_caf_lock_alloc(0, 1, &locks, &error));
  if (own == images - 1) succeed(hcube_caf_lock(locks, 0, own, &error));
  succeed(hcube_caf_barrier(0, &error));
  if (strcmp(argv[1], "ends") == 0) {
    if (strcmp(argv[2], "finish") == 0) succeed(hcube_caf_finish_begin(0, &error));
    if (strcmp(argv[2], "finalised") != 0) return MPI_Finalize();
    code = MPI_Finalize();
    succeed(hcube_caf_finalize(&error));
    return code;
  }
  if (own == images - 1) {
    usleep(100000);
    if (strcmp(argv[1], "dies") == 0) raise(SIGKILL);
    if (strcmp(argv[1], "leaves") == 0) exit(0);
    succeed(hcube_caf_fail_image(&error));
    code = hcube_caf_finalize(&error);
    return code == HCUBE_ERR_FAILED_IMAGE ? 0 : 1;
  }
  code = wait_in(argv[2], events, locks, data, own, images - 1);
  succeed(hcube_caf_image_status(0, images - 1, &status, NULL) == HCUBE_SUCCESS && status != HCUBE_CAF_FAILED);
  if (code == HCUBE_ERR_FAILED_IMAGE) printf("image %d: %s\n", own, error.message);
  else printf("image %d came back with %d\n", own, code);
  fflush(stdout);
  code = hcube_caf_finalize(&error);
  return code == HCUBE_ERR_FAILED_IMAGE ? 0 : 1;
}
