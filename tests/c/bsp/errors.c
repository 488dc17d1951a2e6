/* One error, which ends the job. The argument names it; the last process makes it unless a comment says that all do. */
#include "bsp_client.h"

#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE 100000

static const char *chosen;
static int32_t cells[16], unregistered[16], value = 4;
static char large[LARGE];

static int is(const char *name) {
  return strcmp(chosen, name) == 0;
}

static void nothing(void) {
}

static void begin_only(void) {
  bsp_begin(bsp_nprocs());
}

/* The operation of the last process in a superstep in which `cells` are registered on all and tags have 4 bytes. */
static void wrong_copies(void) {
  if (is("put-unregistered")) bsp_put(0, &value, unregistered, 0, 4);
  if (is("get-unregistered")) bsp_get(0, unregistered, 0, &value, 4);
  if (is("hpput-unregistered")) bsp_hpput(0, large, unregistered, 0, LARGE);
  if (is("hpget-unregistered")) bsp_hpget(0, unregistered, 0, large, LARGE);
  if (is("inside-registered")) bsp_put(0, &value, cells + 1, 0, 4);
  if (is("put-null")) bsp_put(0, &value, NULL, 0, 4);
  if (is("get-null")) bsp_get(0, NULL, 0, &value, 4);
  if (is("put-from-null")) bsp_put(0, NULL, cells, 0, 4);
  if (is("get-to-null")) bsp_get(0, cells, 0, NULL, 4);
  if (is("put-beyond")) bsp_put(0, &value, cells, 61, 4);
  if (is("get-beyond")) bsp_get(0, cells, 61, &value, 4);
  if (is("hpput-beyond")) bsp_hpput(0, large, cells, 1, LARGE);
  if (is("hpget-beyond")) bsp_hpget(0, cells, 1, large, LARGE);
  if (is("put-own-beyond")) bsp_put(at(0), &value, cells, 64, 1);
  if (is("put-int-max")) bsp_put(0, &value, cells, INT_MAX, 4);
  if (is("get-int-max")) bsp_get(0, cells, INT_MAX, &value, INT_MAX);
  if (is("put-null-there")) bsp_put(0, &value, large, 0, 4);
  if (is("get-null-there")) bsp_get(0, large, 0, &value, 4);
  if (is("put-pid")) bsp_put((bsp_pid_t)all, &value, cells, 0, 4);
  if (is("get-pid")) bsp_get((bsp_pid_t)all, cells, 0, &value, 4);
  if (is("hpput-pid")) bsp_hpput((bsp_pid_t)all, large, cells, 0, LARGE);
  if (is("hpget-pid")) bsp_hpget((bsp_pid_t)all, cells, 0, large, LARGE);
  if (is("pid-negative")) bsp_put((bsp_pid_t)-1, &value, cells, 0, 4);
  if (is("direct-pid")) bsp_direct_get((bsp_pid_t)all, cells, 0, &value, 4);
  if (is("direct-unregistered")) bsp_direct_get(0, unregistered, 0, &value, 4);
  if (is("direct-beyond")) bsp_direct_get(at(0), cells, 61, &value, 4);
  if (is("direct-elsewhere")) bsp_direct_get(0, cells, 0, &value, 4);
#ifdef BSP_MCBSP
  if (is("put-size-max")) bsp_put(0, &value, cells, SIZE_MAX, 4);
  if (is("put-bytes-max")) bsp_put(0, &value, cells, 4, SIZE_MAX);
  if (is("get-size-max")) bsp_get(0, cells, SIZE_MAX, &value, SIZE_MAX);
  if (is("send-size-max")) bsp_send(0, &value, &value, SIZE_MAX);
#else
  if (is("put-negative")) bsp_put(0, &value, cells, 0, -4);
  if (is("put-negative-offset")) bsp_put(0, &value, cells, -1, 4);
  if (is("get-negative")) bsp_get(0, cells, 0, &value, INT_MIN);
  if (is("hpget-negative-offset")) bsp_hpget(0, cells, INT_MIN, &value, 4);
#endif
}

static void wrong_messages(void) {
  bsp_size_t size = 4;
  bsp_nprocs_t packets;
  void *pointer;
  if (is("send-pid")) bsp_send((bsp_pid_t)all, &value, &value, 4);
  if (is("hpsend-pid")) bsp_hpsend((bsp_pid_t)-1, &value, &value, 0);
  if (is("send-null")) bsp_send(0, &value, NULL, 4);
  if (is("send-tag-null")) bsp_send(0, NULL, &value, 4);
  if (is("move-empty")) bsp_move(&value, 4);
  if (is("move-null")) bsp_move(NULL, 4);
  if (is("qsize-null")) bsp_qsize(NULL, &size);
  if (is("qsize-bytes-null")) bsp_qsize(&packets, NULL);
  if (is("get-tag-null")) bsp_get_tag(NULL, &value);
  if (is("hpmove-null")) bsp_hpmove(NULL, &pointer);
  if (is("hpmove-payload-null")) bsp_hpmove(&pointer, NULL);
  if (is("tagsize-null")) bsp_set_tagsize(NULL);
  if (is("move-too-many")) {
    bsp_send(at(0), &value, &value, 4);
    for (;;) {
      bsp_sync();
      bsp_qsize(&packets, &size);
      REQUIRE(packets == 1);
      bsp_move(&value, 4);
      bsp_move(&value, 4);
    }
  }
#ifndef BSP_MCBSP
  if (is("send-negative")) bsp_send(0, &value, &value, -1);
  if (is("move-negative")) bsp_move(&value, -1);
  size = -1;
  if (is("tagsize-negative")) bsp_set_tagsize(&size);
#endif
}

static void wrong_registrations(void) {
  if (is("push-null")) bsp_push_reg(NULL, 4);
  if (is("pop-unregistered")) bsp_pop_reg(unregistered);
  if (is("pop-twice")) {
    bsp_pop_reg(cells);
    bsp_pop_reg(cells);
  }
#ifndef BSP_MCBSP
  if (is("push-negative")) bsp_push_reg(unregistered, -1);
#endif
  /* Calls that differ between processes. */
  if (is("push-alone")) bsp_push_reg(unregistered, 4);
  if (is("pop-alone")) bsp_pop_reg(cells);
  if (is("tagsize-alone")) {
    bsp_size_t size = 4;
    bsp_set_tagsize(&size);
  }
  if (is("end-alone")) bsp_end();
  if (is("begin-twice")) bsp_begin(1);
  if (is("init-late")) bsp_init(nothing, 0, NULL);
  if (is("bcast-pid")) bsp_bcast(all, &value, &value, 4);
  if (is("bcast-null")) bsp_bcast(0, &value, NULL, 4);
  if (is("fold-null")) bsp_fold(NULL, &value, &value, 4);
  if (is("exit")) exit(0);
  if (is("killed")) raise(SIGKILL);
}

/* Errors that all processes make. */
static void wrong_on_all(int is_last) {
  bsp_size_t size = is_last ? 8 : 4;
  if (is("used-at-once")) {
    bsp_push_reg(unregistered, sizeof unregistered);
    if (is_last) bsp_put(0, &value, unregistered, 0, 4);
  }
  if (is("used-after-pop")) {
    bsp_pop_reg(cells);
    bsp_sync();
    if (is_last) bsp_put(0, &value, cells, 0, 4);
  }
  if (is("tagsizes-differ")) bsp_set_tagsize(&size);
  if (is("pops-differ")) {
    bsp_push_reg(unregistered, 4);
    bsp_sync();
    bsp_pop_reg(is_last ? cells : unregistered);
  }
  if (is("pops-differ-with-null")) {
    /* The first call removes what is NULL on all; by the second one the processes mean different memory. */
    bsp_push_reg(NULL, 0);
    bsp_push_reg(unregistered, 4);
    bsp_sync();
    bsp_pop_reg(NULL);
    bsp_pop_reg(is_last ? cells : unregistered);
  }
  if (is("null-nowhere")) bsp_pop_reg(NULL);
  if (is("null-elsewhere")) bsp_pop_reg(is_last ? NULL : cells);
  if (is("return")) exit(0);
  if (is("finalize")) {
    MPI_Finalize();
    exit(0);
  }
  if (is("late")) {
    bsp_end();
    if (is_last) bsp_sync();
    for (;;) pause();
  }
  if (is("late-put") || is("late-end") || is("late-begin") || is("late-pid")) {
    bsp_end();
    if (is_last && is("late-put")) bsp_put(0, &value, cells, 0, 4);
    if (is_last && is("late-end")) bsp_end();
    if (is_last && is("late-begin")) bsp_begin(1);
    if (is_last && is("late-pid")) bsp_pid();
    for (;;) pause();
  }
}

/* Every function outside of the SPMD part, each in a process of its own, in which MPI is not initialised. */
static void outside(void) {
  int functions = 20;
  for (int function = 0; function < functions; function++) {
    pid_t child = fork();
    int status = 0;
    bsp_size_t size = 0;
    bsp_nprocs_t packets;
    void *pointer;
    REQUIRE(child >= 0);
    if (child == 0) {
      switch (function) {
        case 0: bsp_end(); break;
        case 1: bsp_pid(); break;
        case 2: bsp_time(); break;
        case 3: bsp_sync(); break;
        case 4: bsp_push_reg(cells, 4); break;
        case 5: bsp_pop_reg(cells); break;
        case 6: bsp_put(0, &value, cells, 0, 4); break;
        case 7: bsp_hpput(0, &value, cells, 0, 4); break;
        case 8: bsp_get(0, cells, 0, &value, 4); break;
        case 9: bsp_hpget(0, cells, 0, &value, 4); break;
        case 10: bsp_set_tagsize(&size); break;
        case 11: bsp_send(0, NULL, NULL, 0); break;
        case 12: bsp_qsize(&packets, &size); break;
        case 13: bsp_get_tag(&size, NULL); break;
        case 14: bsp_move(NULL, 0); break;
        case 15: bsp_hpmove(&pointer, &pointer); break;
        case 16: bsp_hpsend(0, NULL, NULL, 0); break;
        case 17: bsp_direct_get(0, cells, 0, &value, 4); break;
        case 18: bsp_bcast(0, &value, &value, 4); break;
        default: bsp_put(0, &value, cells, 0, 0); break;
      }
      _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) FAIL("function %d: status %d", function, status);
  }
  printf("ok outside\n");
}

int main(int argc, char **argv) {
  int is_last;
  bsp_size_t size = 4;
  chosen = argc > 1 ? argv[1] : "";
  if (is("outside")) {
    outside();
    return 0;
  }
  if (is("init-null")) bsp_init(NULL, argc, argv);
#ifndef STANDARD
  if (is("data-null")) bsp_init_with_user_data(NULL, argc, argv, NULL);
#endif
  if (is("init-twice")) bsp_init(nothing, argc, argv);
  if (is("init-twice")) bsp_init(nothing, argc, argv);
  if (is("init-without-begin")) bsp_init(nothing, argc, argv);
  if (is("init-without-end")) bsp_init(begin_only, argc, argv);
  bsp_begin(is("begin-none") ? 0 : bsp_nprocs());
  own = (int)bsp_pid();
  all = (int)bsp_nprocs();
  is_last = own == all - 1;
  bsp_push_reg(cells, sizeof cells);
  bsp_push_reg(own == 0 && all > 1 ? NULL : large, own == 0 && all > 1 ? 0 : LARGE);
  bsp_set_tagsize(&size);
  bsp_sync();
  wrong_on_all(is_last);
  if (is_last) {
    wrong_copies();
    wrong_messages();
    wrong_registrations();
  }
  for (;;) bsp_sync();
}
