/* The common part of the clients of the all-to-all exchange: random numbers that are the same on all ranks, data that
 * identifies its sender and receiver, and the path of a call.
 */
#ifndef ALLTOALL_H
#define ALLTOALL_H

#include "client.h"
#include "random.h"

/* --- data ----------------------------------------------------------------------------------- */

/* Bytes position to position + length - 1 of the packed data of a block; key says from whom to whom. */
static inline void put_data(uint64_t key, int64_t position, unsigned char *to, int64_t length) {
  int64_t done = 0;
  while (done < length) {
    uint64_t word = mix(key + (uint64_t)(position + done) / 8);
    int byte = (int)((position + done) % 8);
    if (byte == 0 && length - done >= 8) {
      memcpy(to + done, &word, 8);
      done += 8;
    } else {
      to[done++] = (unsigned char)(word >> 8 * byte);
    }
  }
}

/* The bytes between, before and after blocks; they differ from position to position. */
static inline void put_canary(unsigned char *to, int64_t length) {
  for (int64_t i = 0; i < length; i++) to[i] = (unsigned char)(i * 7 + 0xA5);
}

/* The key of what `from` sends to `to` in a case. */
static inline uint64_t data_key(uint64_t seed, int from, int to) {
  return mix3(seed, (uint64_t)from + 1, (uint64_t)to + 1) & ~UINT64_C(0xFFFFFFFFF);
}

/* Memory of a case, which is freed as a whole. Only one thread may use it. */
typedef struct held {
  struct held *next;
  uint64_t padding;
} held;

static held *held_memory;

static inline void *of_case(int64_t bytes) {
  held *made = (held *)allocate(sizeof(held) + (size_t)bytes);
  made->next = held_memory;
  held_memory = made;
  return made + 1;
}

#define OF_CASE(type, count) ((type *)of_case((count) * (int64_t)sizeof(type)))

static inline void free_case(void) {
  while (held_memory != NULL) {
    held *next = held_memory->next;
    free(held_memory);
    held_memory = next;
  }
}

/* --- a simple exchange in place, blocks of the same size ---------------------------------------- */

static inline void fill_blocks(MPI_Comm comm, uint64_t seed, unsigned char *buffer, int bytes) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int peer = 0; peer < size; peer++)
    put_data(data_key(seed, rank, peer), 0, buffer + (int64_t)peer * bytes, bytes);
}

static inline void check_blocks(MPI_Comm comm, uint64_t seed, const unsigned char *buffer, int bytes) {
  unsigned char *expected = (unsigned char *)allocate(bytes);
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int peer = 0; peer < size; peer++) {
    put_data(data_key(seed, peer, rank), 0, expected, bytes);
    if (memcmp(buffer + (int64_t)peer * bytes, expected, (size_t)bytes) != 0)
      FAIL("rank %d of %d: wrong data from rank %d (seed %" PRIu64 ", %d bytes)", rank, size, peer, seed, bytes);
  }
  free(expected);
}

static inline void exchange_blocks(MPI_Comm comm, uint64_t seed, unsigned char *buffer, int bytes) {
  fill_blocks(comm, seed, buffer, bytes);
  int code = hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, bytes, MPI_BYTE, comm);
  if (code != MPI_SUCCESS) FAIL("hcube_alltoall returned %d", code);
  check_blocks(comm, seed, buffer, bytes);
}

/* Prints `refused <rank> <class>` for what a call has returned that must be refused. */
static inline void print_refusal(const char *what, int code) {
  int kind;
  if (code == MPI_SUCCESS) FAIL("%s was not refused", what);
  MPI_Error_class(code, &kind);
  printf("refused %d %s\n", rank,
         kind == MPI_ERR_TRUNCATE ? "truncate"
         : kind == MPI_ERR_COUNT  ? "count"
         : kind == MPI_ERR_TYPE   ? "type"
         : kind == MPI_ERR_BUFFER ? "buffer"
         : kind == MPI_ERR_ARG    ? "argument"
                                  : "other");
  fflush(stdout);
}

/* --- the path of a call --------------------------------------------------------------------- */

enum {
  PATH_ALONE,
  PATH_SHARED,
  PATH_SINGLE_COPY,
  PATH_MESSAGE,
  PATH_MIXED,
  PATH_HYPERCUBE,
  PATH_LEADERS,
  PATH_LIBRARY,
  PATHS
};

static const char *const path_names[PATHS] = {"alone",        "shared",    "single-copy",  "message",
                                              "node+message", "hypercube", "node-leaders", "library"};

/* The path of the last call on a communicator. */
static inline int last_path(MPI_Comm comm) {
  char text[32];
  hcube_error failure;
  int path = 0;
  SUCCEED(hcube_alltoall_last_path(comm, text, sizeof text, &failure));
  while (path < PATHS && strcmp(text, path_names[path]) != 0) path++;
  if (path == PATHS) FAIL("an unknown path: '%s'", text);
  return path;
}

static inline int one_of(int path, int first, int second, int third) {
  return path == PATH_ALONE || path == first || path == second || path == third;
}

/* Whether all ranks are on one host. */
static inline int on_one_host(MPI_Comm comm) {
  MPI_Comm here;
  int size, near;
  MPI_Comm_size(comm, &size);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &near);
  MPI_Comm_free(&here);
  return near == size;
}

/* Whether a call in place may use this path with these options. By default it may be any path of
 * hcube's own, and between nodes, whose algorithms are compared with it, the MPI library. */
static inline int path_is_permitted(int path, const hcube_alltoall_options *options, int one_host) {
  int small = options->schedule == HCUBE_ALLTOALL_AUTO || options->schedule == HCUBE_ALLTOALL_HYPERCUBE;
  int bundled = small ? PATH_HYPERCUBE : PATH_MESSAGE;
  int by_default = options->schedule == HCUBE_ALLTOALL_AUTO && options->path == HCUBE_PATH_AUTO;
  int led = by_default || options->schedule == HCUBE_ALLTOALL_NODE_LEADERS ? PATH_LEADERS : PATH_MESSAGE;
  if (options->schedule == HCUBE_ALLTOALL_LIBRARY) return path == PATH_LIBRARY;
  if (path == PATH_LIBRARY)
    return by_default && (!one_host || options->ranks_per_node > 0 || getenv("HCUBE_TEST_NOT_SHARED"));
  if (options->path == HCUBE_PATH_MESSAGE || options->ranks_per_node == 1)
    return one_of(path, PATH_MESSAGE, bundled, PATH_MESSAGE);
  if (!one_host) return path == led || one_of(path, PATH_MESSAGE, bundled, PATH_MIXED);
  if (options->path == HCUBE_PATH_AUTO) return 1;
  /* Non-contiguous blocks are not exchanged by single copy but through shared memory. */
  if (options->path == HCUBE_PATH_SHARED && path == PATH_SINGLE_COPY) return 0;
  /* Pretended nodes: a communicator may have several, one of them, or one rank of each. */
  return options->ranks_per_node > 1 || one_of(path, PATH_SHARED, PATH_SINGLE_COPY, PATH_SINGLE_COPY);
}

static inline void check_path(MPI_Comm comm, const hcube_alltoall_options *options, int one_host,
                              int64_t bytes_to_others) {
  int path = last_path(comm);
  if (!path_is_permitted(path, options, one_host))
    FAIL("used path '%s' with schedule %d, path %d, %d ranks per node", path_names[path], (int)options->schedule,
         (int)options->path, (int)options->ranks_per_node);
  if (path == PATH_ALONE && bytes_to_others > 0) FAIL("%" PRId64 " bytes for others, but 'alone'", bytes_to_others);
}

/* Options as the environment has them. */
static inline hcube_alltoall_options environment_options(void) {
  hcube_alltoall_options options;
  hcube_error failure;
  SUCCEED(hcube_alltoall_default_options(&options, sizeof options, &failure));
  return options;
}

#endif
