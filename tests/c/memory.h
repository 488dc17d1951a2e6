/* Memory of a process as the kernel counts it. */
#ifndef MEMORY_H
#define MEMORY_H

#include "client.h"
#include "process.h"

typedef struct memory {
  long anonymous, shared;                     /* proportional, bytes */
  long peak, resident_shared, resident_files; /* of the whole process, bytes */
} memory;

static inline memory measure(void) {
  memory now;
  now.anonymous = field("/proc/self/smaps_rollup", "Pss_Anon");
  now.shared = field("/proc/self/smaps_rollup", "Pss_Shmem");
  now.peak = field("/proc/self/status", "VmHWM");
  now.resident_shared = field("/proc/self/status", "RssShmem");
  now.resident_files = field("/proc/self/status", "RssFile");
  return now;
}

/* The peak of the resident set starts again from what is resident now. */
static inline void reset_peak(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  REQUIRE(file != NULL);
  REQUIRE(fputs("5", file) >= 0);
  fclose(file);
}

/* What MPI itself allocates at the first message or collective is not hcube's. */
static inline void warm_up(MPI_Comm comm) {
  int rank, size;
  int64_t sum = 0;
  MPI_Request requests[16];
  MPI_Status statuses[16]; /* MPICH's header makes compilers warn of MPI_STATUSES_IGNORE */
  static uint64_t words[2][2048];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int turn = 0; turn < 3; turn++) {
    MPI_Comm copy, node;
    char *gathered = (char *)calloc((size_t)size, 64);
    REQUIRE(gathered != NULL);
    /* Several outstanding short and long messages, as in a run. */
    for (int length = 1; length <= 2048; length *= 4) {
      for (int other = 1; other < size; other++) {
        for (int number = 0; number < 8; number++) {
          MPI_Irecv(words[1], length, MPI_UINT64_T, (rank + size - other) % size, number, comm, &requests[number]);
          MPI_Isend(words[0], length, MPI_UINT64_T, (rank + other) % size, number, comm, &requests[8 + number]);
        }
        MPI_Waitall(16, requests, statuses);
      }
    }
    sum += sum_over_ranks(comm, 1);
    MPI_Allgather(words, 64, MPI_BYTE, gathered, 64, MPI_BYTE, comm);
    MPI_Barrier(comm);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_split_type(copy, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    sum += sum_over_ranks(copy, 1) + sum_over_ranks(node, 1);
    MPI_Bcast(words, 512, MPI_BYTE, 0, copy);
    MPI_Comm_free(&node);
    MPI_Comm_free(&copy);
    free(gathered);
  }
  REQUIRE(sum > 0);
}

#endif
