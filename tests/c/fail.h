/* How the C programs of the tests begin, end, and fail: with a message, and with the whole job. Valid C11 and C++17. */
#ifndef FAIL_H
#define FAIL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

/* Ends the job with a message that says where and why. */
#define FAIL(...)                                   \
  do {                                              \
    fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
    fprintf(stderr, __VA_ARGS__);                   \
    fprintf(stderr, "\n");                          \
    fflush(stderr);                                 \
    MPI_Abort(MPI_COMM_WORLD, 1);                   \
    abort();                                        \
  } while (0)

#define REQUIRE(condition)                              \
  do {                                                  \
    if (!(condition)) FAIL("not true: %s", #condition); \
  } while (0)

static inline void *allocate(size_t bytes) {
  void *memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL) FAIL("no %zu bytes", bytes);
  return memory;
}

/* This process in MPI_COMM_WORLD, from begin_program on; before, it is alone. */
static int rank, size = 1;

static inline void begin_program(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* The same with threads; returns the level that the MPI library provides. */
static inline int begin_with_threads(int *argc, char ***argv, int level) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(argc, argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return provided;
}

/* The exit status of a program that has done all it had to. */
static inline int end_program(void) {
  fflush(stdout);
  MPI_Finalize();
  return 0;
}

#endif
