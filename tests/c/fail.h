/* How the C programs of the tests fail: with a message, and with the whole job. Valid C11 and C++17. */
#ifndef FAIL_H
#define FAIL_H

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

#endif
