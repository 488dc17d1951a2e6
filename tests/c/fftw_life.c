/* Plans of FFTW over the life of a process.
 *
 *   fftw_life arrays             plans executed on other arrays than they were made for; 200 plans alive
 *   fftw_life restart            FFTW cleaned up and started again, three times
 *   fftw_life restart threads    the same with threads of FFTW
 *   fftw_life concurrent         two threads, each with a plan, at the same time
 *   fftw_life cycles <n>         plans made, executed and destroyed: memory, files, mappings stay
 *   fftw_life cycles <n> multiple
 *                                the same where threads may execute plans at once
 *   fftw_life memory <n> [in|both]
 *                                memory that an in-place transposition of n x n takes beside the data,
 *                                with this part or both of them transposed locally
 *
 * Prints `ok <mode> plans=<n> hcube=<n>`, of `memory` also `first=<bytes> steady=<bytes>` of the rank with
 * the most. */
#include "fftw_client.h"
#include "memory.h"

#include <pthread.h>

enum { BOTH = FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT, ALIVE = 200 };

static int plans, planned;

static F(plan) planned_for(const shape *of, real *in, real *out) {
  F(plan) plan = plan_transpose(of, MPI_COMM_WORLD, in, out, FFTW_ESTIMATE);
  plans++;
  planned += by_hcube(plan, MPI_COMM_WORLD);
  return plan;
}

/* Shapes that hcube takes in place and out of place. */
static shape shape_of(int number) {
  const unsigned flags[] = {0, FFTW_MPI_TRANSPOSED_IN, FFTW_MPI_TRANSPOSED_OUT, BOTH};
  shape made = {12 + number % 5, 12 + number % 5, 1 + number % 3, 0, 0, flags[number % 4], number / 4 % 2};
  return made;
}

static void plan_and_check(int number) {
  shape of = shape_of(number);
  part mine = part_of(&of, MPI_COMM_WORLD);
  array in = make_array(mine.length), out = of.in_place ? in : make_array(mine.length);
  F(plan) plan = planned_for(&of, in.data, out.data);
  fill(&of, &mine, in.data, number);
  F(execute)(plan);
  check_transposed(&of, &mine, out.data, number);
  F(destroy_plan)(plan);
  free_array(&in);
  if (!of.in_place) free_array(&out);
}

/* Of a plan, the arrays that it was made for and others. */
static void arrays(void) {
  F(plan) alive[ALIVE];
  array in[ALIVE], out[ALIVE];
  for (int number = 0; number < ALIVE; number++) {
    shape of = shape_of(number);
    part mine = part_of(&of, MPI_COMM_WORLD);
    in[number] = make_array(mine.length);
    out[number] = of.in_place ? in[number] : make_array(mine.length);
    alive[number] = planned_for(&of, in[number].data, out[number].data);
  }
  for (int turn = 0; turn < 3; turn++) {
    for (int number = 0; number < ALIVE; number++) {
      int chosen = (number * 37 + turn) % ALIVE;
      shape of = shape_of(chosen);
      part mine = part_of(&of, MPI_COMM_WORLD);
      array other = make_array(mine.length), result = of.in_place ? other : make_array(mine.length);
      fill(&of, &mine, in[chosen].data, turn);
      F(execute)(alive[chosen]);
      check_transposed(&of, &mine, out[chosen].data, turn);
      fill(&of, &mine, other.data, turn + 5);
      F(mpi_execute_r2r)(alive[chosen], other.data, result.data);
      check_transposed(&of, &mine, result.data, turn + 5);
      check_transposed(&of, &mine, out[chosen].data, turn);
      free_array(&other);
      if (!of.in_place) free_array(&result);
    }
    /* Some go, the others stay as they are. */
    for (int number = turn; number < ALIVE; number += 7) {
      shape of = shape_of(number);
      part mine = part_of(&of, MPI_COMM_WORLD);
      F(destroy_plan)(alive[number]);
      alive[number] = planned_for(&of, in[number].data, out[number].data);
      REQUIRE(mine.length == in[number].length);
    }
  }
  for (int number = ALIVE - 1; number >= 0; number--) {
    F(destroy_plan)(alive[number]);
    if (out[number].data != in[number].data) free_array(&out[number]);
    free_array(&in[number]);
  }
}

static void restart(int threads) {
  for (int turn = 0; turn < 3; turn++) {
#ifdef WITH_THREADS
    if (threads) REQUIRE(F(init_threads)() != 0);
    F(mpi_init)();
    if (threads) F(plan_with_nthreads)(2);
#else
    REQUIRE(!threads);
    F(mpi_init)();
#endif
    for (int number = 0; number < 8; number++) plan_and_check(number);
    F(mpi_cleanup)();
#ifdef WITH_THREADS
    if (threads) F(cleanup_threads)();
#endif
  }
}

typedef struct worker {
  shape of;
  part mine;
  array data;
  F(plan) plan;
} worker;

static void *work(void *argument) {
  worker *own = (worker *)argument;
  for (int turn = 0; turn < 60; turn++) {
    fill(&own->of, &own->mine, own->data.data, turn);
    F(execute)(own->plan);
    check_transposed(&own->of, &own->mine, own->data.data, turn);
  }
  return NULL;
}

static void concurrent(void) {
  worker workers[2];
  pthread_t thread;
  for (int number = 0; number < 2; number++) {
    worker *one = &workers[number];
    one->of.nx = one->of.ny = 24 + 8 * number;
    one->of.howmany = 3;
    one->of.row_block = one->of.column_block = FFTW_MPI_DEFAULT_BLOCK;
    one->of.flags = number == 1 ? (unsigned)BOTH : 0u;
    one->of.in_place = 1;
    one->mine = part_of(&one->of, MPI_COMM_WORLD);
    one->data = make_array(one->mine.length);
    one->plan = planned_for(&one->of, one->data.data, one->data.data);
  }
  REQUIRE(pthread_create(&thread, NULL, work, &workers[0]) == 0);
  work(&workers[1]);
  REQUIRE(pthread_join(thread, NULL) == 0);
  for (int number = 0; number < 2; number++) {
    F(destroy_plan)(workers[number].plan);
    free_array(&workers[number].data);
  }
}

/* Ten rounds; what the first ones take is taken once. */
static void cycles(int number) {
  enum { ROUNDS = 10, WARM = 3 };
  /* Buffers of MPI for messages that come early grow in steps, and stay. */
  const char *path = getenv("HCUBE_PATH");
  long resident = 0, allowed = path != NULL && strcmp(path, "message") == 0 ? 4 << 20 : 384 << 10;
  long files = 0, maps = 0;
  for (int round = 0; round < ROUNDS; round++) {
    if (round == WARM) {
      files = open_files();
      maps = mappings_of("");
      resident = field("/proc/self/status", "VmRSS");
    }
    for (int cycle = 0; cycle < number / ROUNDS; cycle++) plan_and_check(cycle % 40);
  }
  if (open_files() != files) FAIL("%ld files open, %ld before", open_files(), files);
  if (mappings_of("") > maps + 4) FAIL("%ld mappings, %ld before", mappings_of(""), maps);
  resident = field("/proc/self/status", "VmRSS") - resident;
  if (resident > allowed) FAIL("%ld bytes more after %d cycles", resident, number);
}

/* Growth from `before` to the peak, of shared memory by share. */
static int64_t grown(const memory *before) {
  memory now = measure();
  long shared = now.resident_shared - before->resident_shared;
  /* Pages of program files come in with the first call: code is no memory beside the data. */
  return now.peak - before->peak - shared + shared / size - (now.resident_files - before->resident_files);
}

static void extra_memory(ptrdiff_t n, unsigned flags, int64_t most[2]) {
  shape of = {n, n, 1, 0, 0, flags, 1};
  part mine = part_of(&of, MPI_COMM_WORLD);
  array data = make_array(mine.length);
  int64_t grew[2];
  memory before;
  F(plan) plan;
  warm_up(MPI_COMM_WORLD);
  plan = planned_for(&of, data.data, data.data);
  /* The last of three executions is one in the steady state. What an execution has freed may stay with the
   * process, so that all count from before the first. */
  for (int turn = 0; turn < 3; turn++) {
    fill(&of, &mine, data.data, turn);
    MPI_Barrier(MPI_COMM_WORLD);
    reset_peak();
    if (turn == 0) before = measure();
    MPI_Barrier(MPI_COMM_WORLD);
    F(execute)(plan);
    MPI_Barrier(MPI_COMM_WORLD);
    grew[turn > 0] = grown(&before);
    check_transposed(&of, &mine, data.data, turn);
  }
  MPI_Allreduce(grew, most, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  F(destroy_plan)(plan);
  free_array(&data);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  int64_t most[2] = {0, 0};
  const char *last = argc > 1 ? argv[argc - 1] : "";
  int multiple = strcmp(mode, "concurrent") == 0 || strcmp(last, "multiple") == 0;
  int provided = begin_with_threads(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED);
  if (strcmp(mode, "restart") != 0) F(mpi_init)();
  if (strcmp(mode, "arrays") == 0) {
    arrays();
  } else if (strcmp(mode, "restart") == 0) {
    restart(argc > 2 && strcmp(argv[2], "threads") == 0);
  } else if (strcmp(mode, "concurrent") == 0) {
    if (provided < MPI_THREAD_MULTIPLE) {
      if (rank == 0) printf("skipped concurrent\n");
    } else {
      concurrent();
    }
  } else if (strcmp(mode, "cycles") == 0) {
    cycles(argc > 2 ? atoi(argv[2]) : 2000);
  } else if (strcmp(mode, "memory") == 0) {
    const unsigned in = FFTW_MPI_TRANSPOSED_IN, both = BOTH;
    const unsigned flags = strcmp(last, "both") == 0 ? both : strcmp(last, "in") == 0 ? in : 0u;
    extra_memory(argc > 2 ? atoi(argv[2]) : 2048, flags, most);
  } else {
    FAIL("usage: %s arrays|restart|concurrent|cycles|memory", argv[0]);
  }
  if (rank == 0)
    printf("ok %s plans=%d hcube=%d first=%" PRId64 " steady=%" PRId64 "\n", mode, plans, planned, most[0], most[1]);
  fflush(stdout);
  if (strcmp(mode, "restart") != 0) F(mpi_cleanup)();
  return end_program();
}
