/* Shared code of the drivers: the main function, cases, records, failures, and calls that rely on all simulated ranks
 * being in one process. */
#ifndef DRIVER_H
#define DRIVER_H

#include <hcube.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Ends the simulation with a message. */
#define FAIL(...)                      \
  do {                                 \
    fprintf(stderr, "hcube driver: "); \
    fprintf(stderr, __VA_ARGS__);      \
    fprintf(stderr, "\n");             \
    fflush(stderr);                    \
    MPI_Abort(MPI_COMM_WORLD, 1);      \
    abort();                           \
  } while (0)

/* A call of hcube that must succeed. */
#define SUCCEED(call, error)                                             \
  do {                                                                   \
    if ((call) != HCUBE_SUCCESS) FAIL("%s: %s", #call, (error).message); \
  } while (0)

/* A name and its number. */
typedef struct meaning {
  const char *name;
  int number;
} meaning;

/* The number of a name in a list that ends with NULL, or -1. */
static inline int find_name(const meaning *list, const char *name) {
  for (; list->name != NULL; list++)
    if (strcmp(list->name, name) == 0) return list->number;
  return -1;
}

/* Reads a case, `key=value,key=value`, with a function that reads a pair and returns whether it is valid. */
static inline void read_case(const char *text, int (*take)(void *into, const char *key, const char *value),
                             void *into) {
  char copy[512], *save = NULL, *part;
  if (strlen(text) >= sizeof copy) FAIL("case '%s': expected fewer than %d characters", text, (int)sizeof copy);
  strcpy(copy, text);
  for (part = strtok_r(copy, ",", &save); part != NULL; part = strtok_r(NULL, ",", &save)) {
    char *value = strchr(part, '=');
    if (value == NULL) FAIL("case '%s': '%s' is not key=value", text, part);
    *value++ = '\0';
    if (!take(into, part, value)) FAIL("case '%s': %s=%s is not known", text, part, value);
  }
}

/* A non-negative integer. */
static inline int read_number(const char *value, int64_t *into) {
  char *end;
  *into = strtoll(value, &end, 10);
  return *value != '\0' && *end == '\0' && *into >= 0;
}

/* A number from 0 to less than a bound. */
static inline int read_amount(const char *value, double bound, double *into) {
  char *end;
  *into = strtod(value, &end);
  return *value != '\0' && *end == '\0' && *into >= 0 && *into < bound;
}

static inline int own_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline int all_ranks(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

static inline void *allocate(int64_t bytes) {
  void *memory = malloc(bytes > 0 ? (size_t)bytes : 1);
  if (memory == NULL) FAIL("no memory for %" PRId64 " bytes", bytes);
  return memory;
}

/* Finaliser of SplitMix64: a hash of its argument. */
static inline uint64_t mix(uint64_t value) {
  value += UINT64_C(0x9E3779B97F4A7C15);
  value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
  return value ^ value >> 31;
}

/* Lets the given number of simulated nanoseconds pass. */
static inline void pass(double nanoseconds) {
  struct timespec time;
  if (nanoseconds < 0.5) return;
  time.tv_sec = (time_t)(nanoseconds * 1e-9);
  time.tv_nsec = (long)(nanoseconds - 1e9 * (double)time.tv_sec + 0.5);
  nanosleep(&time, NULL);
}

/* Lets the given nanoseconds of a rank's own work pass: on its processor, where ranks share some (cores.hpp). */
static inline void work(double nanoseconds) {
  union {
    void *found;
    void (*use)(double seconds);
  } processor = {dlsym(RTLD_DEFAULT, "hcube_use_processor")};
  if (processor.found == NULL) pass(nanoseconds);
  else if (nanoseconds > 0) processor.use(1e-9 * nanoseconds);
}

/* Nanoseconds of a unit of work, as the library has them. */
static inline double cost_ns(const char *unit) {
  const char *found = getenv("HCUBE_SIMULATED_COSTS");
  size_t length = strlen(unit);
  while (found != NULL && (strncmp(found, unit, length) != 0 || found[length] != '=')) {
    found = strchr(found, ',');
    if (found != NULL) found++;
  }
  return found == NULL ? 0 : strtod(found + length + 1, NULL);
}

static inline int64_t sum_at_first(int64_t value) {
  int64_t sum = 0;
  MPI_Reduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return sum;
}

static inline double largest_at_first(double value) {
  double most = 0;
  MPI_Reduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return most;
}

/* Prints the record of a case, in the form of lab/src/records.rs, on rank 0: its fields follow in a format of printf.
 */
#define RECORD(text, ...)                                   \
  do {                                                      \
    if (own_rank() == 0) {                                  \
      printf("case\t%s\nranks\t%d\n", (text), all_ranks()); \
      printf(__VA_ARGS__);                                  \
      printf("\n");                                         \
      fflush(stdout);                                       \
    }                                                       \
  } while (0)

/* Formats of the fields of a record. */
#define SECONDS(name) name "\t%.9g\n"
#define COUNT(name) name "\t%" PRId64 "\n"
#define TEXT(name) name "\t%s\n"

/* Waits until all ranks are here, and returns the time at which all of them continue. Ranks leave a barrier one after
 * the other; `seconds` is long enough for all of them to leave it. */
static inline double begin_together_after(double seconds, const char *text) {
  double begin = MPI_Wtime(), latest;
  MPI_Allreduce(&begin, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  begin = latest + seconds;
  pass(1e9 * (begin - MPI_Wtime()));
  if (MPI_Wtime() > begin + 1e-6) FAIL("case '%s': the ranks could not begin together", text);
  return begin;
}

static inline double begin_together(const char *text) {
  return begin_together_after(10e-3, text);
}

/* The main function of a driver whose arguments are cases. `begin` and `end` surround all of them, where there are any.
 */
static inline int run_driver(int argc, char **argv, void (*begin)(void), void (*run_case)(const char *text),
                             void (*end)(void)) {
  int number;
  MPI_Init(&argc, &argv);
  if (argc < 2) FAIL("expected: %s <case>...", argv[0]);
  if (begin != NULL) begin();
  for (number = 1; number < argc; number++) run_case(argv[number]);
  if (end != NULL) end();
  MPI_Finalize();
  return 0;
}

/* The runtime of coarrays, which the drivers end themselves: a simulated rank can no longer be told from others in
 * MPI_Finalize, which is no place for messages. */
static inline void begin_coarrays(void) {
  hcube_error error;
  SUCCEED(hcube_caf_init(&error), error);
}

static inline void end_coarrays(void) {
  hcube_error error;
  SUCCEED(hcube_caf_finalize(&error), error);
}

/* What this image has done so far. */
static inline hcube_caf_statistics image_statistics(void) {
  hcube_caf_statistics found;
  hcube_error error;
  memset(&found, 0, sizeof found);
  found.struct_size = sizeof found;
  SUCCEED(hcube_caf_last_statistics(&found, &error), error);
  return found;
}

#endif
