/* The state of communicators: several of them, their life, copies, threads, MPI_Finalize. Prints `ok communicators` and
 * one line per part; a part that MPI does not permit says `skipped`.
 */
#include "client.h"
#include "process.h"

#include <pthread.h>

#define LOG2 11

/* Mappings of shared memory of hcube. */
static long mappings(void) {
  return mappings_of("memfd:hcube");
}

static void say(const char *text) {
  if (rank == 0) printf("%s\n", text);
  fflush(stdout);
}

static uint64_t generated_last(MPI_Comm comm) {
  hcube_random_access_statistics statistics;
  hcube_error failure;
  memset(&statistics, 0, sizeof statistics);
  statistics.struct_size = sizeof statistics;
  SUCCEED(hcube_random_access_last_statistics(comm, &statistics, &failure));
  return statistics.generated;
}

/* Communicators of all shapes, used in turn while all of them live. */
static void several(void) {
  MPI_Comm comms[5];
  comms[0] = MPI_COMM_WORLD;
  comms[1] = MPI_COMM_SELF;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[3]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[4]);
  for (int turn = 0; turn < 3; turn++) {
    for (int number = 0; number < 5; number++)
      run_and_verify(comms[number], LOG2 - number, turn % 2 ? HCUBE_STREAM_LCG : HCUBE_STREAM_POLYNOMIAL, NULL);
  }
  for (int number = 2; number < 5; number++) MPI_Comm_free(&comms[number]);
  say("ok several");
}

/* State goes with its communicator, is not copied with it, and survives the original. */
static void life(void) {
  MPI_Comm original, copy;
  long files_before = 0;
  long maps_before = mappings();
  MPI_Comm_dup(MPI_COMM_WORLD, &original);
  run_and_verify(original, LOG2, HCUBE_STREAM_POLYNOMIAL, NULL);
  REQUIRE(generated_last(original) > 0);
  MPI_Comm_dup(original, &copy);
  REQUIRE(generated_last(copy) == 0);
  MPI_Comm_free(&original);
  REQUIRE(mappings() == maps_before);
  run_and_verify(copy, LOG2, HCUBE_STREAM_LCG, NULL);
  REQUIRE(generated_last(copy) > 0);
  MPI_Comm_free(&copy);
  REQUIRE(mappings() == maps_before);
  for (int cycle = 0; cycle < 200; cycle++) {
    MPI_Comm one;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    run_and_verify(one, 6, HCUBE_STREAM_POLYNOMIAL, NULL);
    MPI_Comm_free(&one);
    if (mappings() != maps_before) FAIL("cycle %d: %ld mappings, %ld before", cycle, mappings(), maps_before);
    /* MPI itself may open a file at first. */
    if (cycle == 5) files_before = open_files();
    if (cycle > 5 && open_files() > files_before)
      FAIL("cycle %d: %ld open files, %ld before", cycle, open_files(), files_before);
  }
  say("ok life");
}

/* Another set of options replaces what was prepared; the old shared memory goes. */
static void other_options(void) {
  hcube_random_access_options options;
  hcube_error failure;
  MPI_Comm one;
  long most = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  SUCCEED(hcube_random_access_default_options(&options, sizeof options, &failure));
  for (int turn = 0; turn < 20; turn++) {
    options.look_ahead = 64 << turn % 3;
    run_and_verify(one, LOG2, HCUBE_STREAM_POLYNOMIAL, &options);
    if (turn == 2) most = mappings();
    if (turn > 2) REQUIRE(mappings() == most);
  }
  MPI_Comm_free(&one);
  say("ok other options");
}

static void *work(void *argument) {
  MPI_Comm comm = *(MPI_Comm *)argument;
  for (int turn = 0; turn < 20; turn++) {
    run_and_verify(comm, 8 + turn % 3, HCUBE_STREAM_LCG, NULL);
    generated_last(comm);
  }
  /* Long enough for the threads to meet in what hcube does to handles that all threads share. */
  for (int turn = 0; turn < 300000; turn++) generated_last(comm);
  return NULL;
}

/* Two threads, each with a communicator of its own. */
static void threads(int provided) {
  MPI_Comm comms[2];
  MPI_Errhandler handler;
  pthread_t second;
  if (provided < MPI_THREAD_MULTIPLE) {
    say("skipped threads: MPI does not provide MPI_THREAD_MULTIPLE");
    return;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  REQUIRE(pthread_create(&second, NULL, work, &comms[1]) == 0);
  work(&comms[0]);
  REQUIRE(pthread_join(second, NULL) == 0);
  MPI_Comm_free(&comms[0]);
  MPI_Comm_free(&comms[1]);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  if (handler != MPI_ERRORS_ARE_FATAL) FAIL("hcube has changed the error handler of MPI_COMM_WORLD");
  say("ok threads");
}

int main(int argc, char **argv) {
  int want_threads = argc > 1 && strcmp(argv[1], "threads") == 0;
  int provided = begin_with_threads(&argc, &argv, want_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
  if (want_threads) {
    threads(provided);
  } else {
    several();
    life();
    other_options();
  }
  /* State on MPI_COMM_WORLD and on a communicator that is never freed: MPI_Finalize must handle it. */
  MPI_Comm left;
  MPI_Comm_dup(MPI_COMM_WORLD, &left);
  run_and_verify(left, LOG2, HCUBE_STREAM_POLYNOMIAL, NULL);
  run_and_verify(MPI_COMM_WORLD, LOG2, HCUBE_STREAM_POLYNOMIAL, NULL);
  say("ok communicators");
  return end_program();
}
