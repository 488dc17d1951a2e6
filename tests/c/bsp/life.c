/* The parts of a program: before, in and after the SPMD part. The first argument says which program it is:
 *
 *   main              the SPMD part is in main
 *   init              bsp_init; process 0 runs what comes before and after
 *   init-fewer <n>    the same on at most n processes
 *   init-leave        bsp_init; process 0 ends before the SPMD part
 *   data              bsp_init_with_user_data
 *   fewer <n>         the SPMD part in main, on at most n processes
 *   mpi               the program calls MPI_Init and MPI_Finalize itself
 *   mpi-fewer <n>     the same on at most n processes
 *   finalize          the program calls only MPI_Finalize
 *   fork              children of the program end in and after the SPMD part
 *   abort             process 1, or the only one, calls bsp_abort
 *   abort-before      all call bsp_abort before the SPMD part
 *   abort-long        all call bsp_abort with a text of 8000 characters
 *   abort-list        bsp_abort_va or bsp_vabort
 *
 * Each process that reaches a place prints a line about it. */
#include "bsp_client.h"

#include <sys/wait.h>
#include <unistd.h>

static bsp_nprocs_t limit = (bsp_nprocs_t)-1;
static int seen = 0;

static void say(const char *place, int number) {
  char line[100];
  snprintf(line, sizeof line, "%s %d\n", place, number);
  fputs(line, stdout);
  fflush(stdout);
}

/* Supersteps in which every process receives data from all others. */
static void supersteps(void) {
  static int cells[64];
  int step;
  own = (int)bsp_pid();
  all = (int)bsp_nprocs();
  bsp_push_reg(cells, sizeof cells);
  bsp_sync();
  for (step = 0; step < 10; step++) {
    for (int other = 0; other < all; other++) {
      int value = 100 * own + step;
      bsp_put((bsp_pid_t)other, &value, cells, (bsp_size_t)((size_t)own * sizeof value), sizeof value);
    }
    bsp_sync();
    for (int other = 0; other < all; other++) REQUIRE(cells[other] == 100 * other + step);
  }
  /* Not carried out: the SPMD part ends before. */
  bsp_put(at(1), &step, cells, 0, sizeof step);
  seen = cells[0];
}

static void spmd_part(void) {
  bsp_begin(limit == (bsp_nprocs_t)-1 ? bsp_nprocs() : limit);
  supersteps();
  say("inside", all);
  bsp_end();
}

#ifndef STANDARD
/* The data of main for the SPMD part, on each process. */
typedef struct {
  int arguments;
  const char *mode;
} user_data;

static void spmd_part_of(void *data) {
  const user_data *mine = (const user_data *)data;
  REQUIRE(mine->arguments == 2 && strcmp(mine->mode, "data") == 0);
  spmd_part();
}
#endif

static void give_up(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
#ifdef BSP_MCBSP
  bsp_vabort(format, arguments);
#else
  bsp_abort_va(format, arguments);
#endif
  va_end(arguments);
}

/* The program owns MPI, and uses it before, inside and after. */
static int with_mpi(int *argc, char ***argv, int is_whole) {
  int world, sum = 0, one = 1, flag = 0;
  MPI_Init(argc, argv);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  REQUIRE(sum == world);
  bsp_begin(is_whole ? bsp_nprocs() : limit);
  supersteps();
  if (is_whole) {
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    REQUIRE(sum == world && all == world);
  }
  bsp_sync();
  bsp_end();
  MPI_Finalized(&flag);
  REQUIRE(!flag);
  if (is_whole) {
    int next = (own + 1) % world, before = (own + world - 1) % world, got = -1;
    MPI_Sendrecv(&own, 1, MPI_INT, next, 0, &got, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    REQUIRE(got == before);
  }
  MPI_Finalize();
  say("after", (int)bsp_nprocs());
  return 0;
}

/* A child that ends as programs do. */
static void make_child(void) {
  pid_t child = fork();
  int status = -1;
  REQUIRE(child >= 0);
  if (child == 0) exit(7);
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) FAIL("a child has ended with status %d", status);
}

static int is(const char *mode, const char *name) {
  return strcmp(mode, name) == 0;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (argc > 2) limit = (bsp_nprocs_t)atoi(argv[2]);
  if (is(mode, "init") || is(mode, "init-fewer") || is(mode, "init-leave")) {
    bsp_init(spmd_part, argc, argv);
    say("before", (int)bsp_nprocs());
    if (is(mode, "init-leave")) exit(0);
    spmd_part();
    /* What process 0 has computed is still there. */
    REQUIRE(seen == 9);
    say("after", (int)bsp_nprocs());
    return 0;
  }
#ifndef STANDARD
  if (is(mode, "data")) {
    user_data mine;
    mine.arguments = argc;
    mine.mode = mode;
    bsp_init_with_user_data(spmd_part_of, argc, argv, &mine);
    spmd_part_of(&mine);
    say("after", (int)bsp_nprocs());
    return 0;
  }
#endif
  if (is(mode, "mpi")) return with_mpi(&argc, &argv, 1);
  if (is(mode, "mpi-fewer")) return with_mpi(&argc, &argv, 0);
  if (is(mode, "fork")) {
    bsp_begin(bsp_nprocs());
    bsp_sync();
    make_child();
    bsp_sync();
    bsp_end();
    make_child();
    say("after", (int)bsp_nprocs());
    return 0;
  }
  if (is(mode, "abort-long")) bsp_abort("%08000d\n", 7);
  if (is(mode, "abort-before")) bsp_abort("early: %s %d\n", "text", 42);
  say("before", (int)bsp_nprocs());
  if (is(mode, "main") || is(mode, "fewer") || is(mode, "finalize")) {
    spmd_part();
    say("after", (int)bsp_nprocs());
    if (is(mode, "finalize")) MPI_Finalize();
    return 0;
  }
  bsp_begin(bsp_nprocs());
  own = (int)bsp_pid();
  all = (int)bsp_nprocs();
  if (own == (all > 1 ? 1 : 0)) {
    if (is(mode, "abort")) bsp_abort("process %d of %d says %s %.1f\n", own, all, "text", 4.5);
    if (is(mode, "abort-list")) give_up("process %d of %d says %s %.1f\n", own, all, "text", 4.5);
  }
  for (;;) bsp_sync();
}
