/* Callers that know less of a structure than the library, or more: what they were compiled with is another
 * version of hcube.h. Prints `ok <checks>`. */
#include "client.h"

#define ROOM 256
#define GARBAGE 0xA5

static int checks;

/* A structure of unknown size, with garbage behind. */
typedef union anything {
  uint64_t struct_size;
  unsigned char bytes[ROOM];
  hcube_random_access_options random_access;
  hcube_alltoall_options alltoall;
  hcube_gemm_options gemm;
  hcube_fft_options fft;
  hcube_random_access_statistics statistics;
} anything;

typedef int32_t filler(anything *options, uint64_t size, hcube_error *error);
typedef int32_t user(anything *options, hcube_error *error);

static int32_t fill_random_access(anything *options, uint64_t size, hcube_error *error) {
  return hcube_random_access_default_options(&options->random_access, size, error);
}

static int32_t fill_alltoall(anything *options, uint64_t size, hcube_error *error) {
  return hcube_alltoall_default_options(&options->alltoall, size, error);
}

static int32_t fill_gemm(anything *options, uint64_t size, hcube_error *error) {
  return hcube_gemm_default_options(&options->gemm, size, error);
}

static int32_t fill_fft(anything *options, uint64_t size, hcube_error *error) {
  return hcube_fft_default_options(&options->fft, size, error);
}

static int32_t fill_statistics(anything *options, uint64_t size, hcube_error *error) {
  options->struct_size = size;
  return hcube_random_access_last_statistics(MPI_COMM_WORLD, &options->statistics, error);
}

static int32_t use_random_access(anything *options, hcube_error *error) {
  return hcube_random_access_prepare(MPI_COMM_WORLD, &options->random_access, error);
}

static int32_t use_alltoall(anything *options, hcube_error *error) {
  return hcube_alltoall_set_options(MPI_COMM_WORLD, &options->alltoall, error);
}

static int32_t use_fft(anything *options, hcube_error *error) {
  hcube_fft_plan *plan = NULL;
  int32_t code = hcube_fft_create_with(64, -1, MPI_COMM_SELF, &options->fft, &plan, error);
  if (code == HCUBE_SUCCESS) hcube_fft_free(&plan, NULL);
  return code;
}

static int32_t use_gemm(anything *options, hcube_error *error) {
  return hcube_gemm_set_options(MPI_COMM_WORLD, &options->gemm, error);
}

/* Filled as far as the caller knows, zeros where the library knows no more, nothing behind. */
static void check_filling(const char *what, filler *fill, size_t known) {
  anything whole, part;
  memset(&whole, GARBAGE, sizeof whole);
  SUCCEED(fill(&whole, known, &failure));
  for (uint64_t size = 16; size <= known + 24; size += 8) {
    memset(&part, GARBAGE, sizeof part);
    SUCCEED(fill(&part, size, &failure));
    REQUIRE(part.struct_size == size);
    for (size_t at = 8; at < ROOM; at++) {
      unsigned char expected = at >= size ? GARBAGE : at >= known ? 0 : whole.bytes[at];
      if (part.bytes[at] != expected)
        FAIL("%s of %d bytes: byte %d is %d instead of %d", what, (int)size, (int)at, part.bytes[at], expected);
    }
    checks++;
  }
}

/* No version has such a size. */
static void check_nonsense(const char *what, filler *fill, user *use) {
  static const uint64_t sizes[] = {0, 8, 12, 20, 33, 4104, UINT64_MAX, UINT64_C(0xA5A5A5A5A5A5A5A5)};
  anything options;
  char number[32];
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    memset(&options, GARBAGE, sizeof options);
    snprintf(number, sizeof number, "= %" PRIu64 ":", sizes[i]);
    options.struct_size = sizes[i];
    REQUIRE(fill(&options, sizes[i], &failure) == HCUBE_ERR_ARGUMENT);
    if (strstr(failure.message, "size ") == NULL || strstr(failure.message, number) == NULL)
      FAIL("%s: message '%s'", what, failure.message);
    for (size_t at = 8; at < ROOM; at++) REQUIRE(options.bytes[at] == GARBAGE);
    if (use != NULL) {
      REQUIRE(use(&options, &failure) == HCUBE_ERR_ARGUMENT);
      if (strstr(failure.message, "options.struct_size ") == NULL || strstr(failure.message, number) == NULL)
        FAIL("%s: message '%s'", what, failure.message);
    }
    checks++;
  }
}

/* A caller with a larger structure is served while its additional fields are zero. */
static void check_larger(const char *what, filler *fill, user *use, size_t known) {
  anything options;
  memset(&options, GARBAGE, sizeof options);
  SUCCEED(fill(&options, known + 16, &failure));
  SUCCEED(use(&options, &failure));
  for (size_t at = known; at < known + 16; at++) {
    options.bytes[at] = 1;
    if (use(&options, &failure) != HCUBE_ERR_ARGUMENT || strstr(failure.message, "options.struct_size") == NULL ||
        strstr(failure.message, HCUBE_VERSION) == NULL)
      FAIL("%s, byte %d set: '%s'", what, (int)at, failure.message);
    options.bytes[at] = 0;
    checks++;
  }
}

/* Fields that the caller knows are used; the others have their defaults, and their memory is not read. */
static void check_smaller_random_access(void) {
  anything options;
  hcube_random_access_options whole;
  hcube_random_access_statistics statistics;
  char expected[200], line[200];
  SUCCEED(hcube_random_access_default_options(&whole, sizeof whole, &failure));
  whole.look_ahead = 64;
  SUCCEED(hcube_random_access_describe(MPI_COMM_WORLD, &whole, expected, sizeof expected, &failure));
  memset(&options, GARBAGE, sizeof options);
  options.struct_size = 16;
  options.random_access.look_ahead = 64;
  SUCCEED(hcube_random_access_describe(MPI_COMM_WORLD, &options.random_access, line, sizeof line, &failure));
  if (strcmp(line, expected) != 0) FAIL("'%s' instead of '%s'", line, expected);
  run_and_verify(MPI_COMM_WORLD, 10, HCUBE_STREAM_LCG, &options.random_access);
  statistics.struct_size = sizeof statistics;
  SUCCEED(hcube_random_access_last_statistics(MPI_COMM_WORLD, &statistics, &failure));
  REQUIRE(statistics.open_bound == 64);
  /* With an additional pair of fields the mode is used, and its number is invalid. */
  options.struct_size = 24;
  options.random_access.mode = 6;
  options.random_access.dimensions = 0;
  REQUIRE(hcube_random_access_prepare(MPI_COMM_WORLD, &options.random_access, &failure) == HCUBE_ERR_ARGUMENT);
  REQUIRE(strstr(failure.message, "options.mode = 6") != NULL);
  checks += 3;
}

/* The path of an exchange in place; with one rank it is the MPI library's only on request. */
static const char *path_with(const anything *options) {
  static char path[32];
  int blocks[64];
  REQUIRE(size <= 64);
  memset(blocks, 0, sizeof blocks);
  SUCCEED(hcube_alltoall_set_options(MPI_COMM_WORLD, &options->alltoall, &failure));
  REQUIRE(hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, blocks, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
  SUCCEED(hcube_alltoall_last_path(MPI_COMM_WORLD, path, sizeof path, &failure));
  return path;
}

static void check_smaller_alltoall(void) {
  anything options;
  memset(&options, GARBAGE, sizeof options);
  options.alltoall.memory = 1 << 20;
  options.alltoall.schedule = HCUBE_ALLTOALL_LIBRARY;
  options.alltoall.path = HCUBE_PATH_AUTO;
  options.struct_size = 24;
  REQUIRE(strcmp(path_with(&options), "library") == 0);
  options.struct_size = 16;
  REQUIRE(strcmp(path_with(&options), "library") != 0);
  /* The default is the user's, where the environment says so. */
  setenv("HCUBE_ALLTOALL", "library", 1);
  REQUIRE(strcmp(path_with(&options), "library") == 0);
  unsetenv("HCUBE_ALLTOALL");
  SUCCEED(hcube_alltoall_default_options(&options.alltoall, sizeof options.alltoall, &failure));
  options.alltoall.reserved = 1;
  REQUIRE(hcube_alltoall_set_options(MPI_COMM_WORLD, &options.alltoall, &failure) == HCUBE_ERR_ARGUMENT);
  REQUIRE(strstr(failure.message, "options.reserved = 1") != NULL);
  checks += 4;
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  check_filling("RandomAccess options", fill_random_access, sizeof(hcube_random_access_options));
  check_filling("all-to-all options", fill_alltoall, sizeof(hcube_alltoall_options));
  check_filling("options of products", fill_gemm, sizeof(hcube_gemm_options));
  check_filling("options of Fourier transforms", fill_fft, sizeof(hcube_fft_options));
  check_nonsense("RandomAccess options", fill_random_access, use_random_access);
  check_nonsense("all-to-all options", fill_alltoall, use_alltoall);
  check_nonsense("options of products", fill_gemm, use_gemm);
  check_nonsense("options of Fourier transforms", fill_fft, use_fft);
  check_nonsense("statistics", fill_statistics, NULL);
  check_larger("RandomAccess options", fill_random_access, use_random_access, sizeof(hcube_random_access_options));
  check_larger("all-to-all options", fill_alltoall, use_alltoall, sizeof(hcube_alltoall_options));
  check_larger("options of products", fill_gemm, use_gemm, sizeof(hcube_gemm_options));
  check_smaller_random_access();
  check_smaller_alltoall();
  /* After a run, so that there is something to fill with. */
  check_larger("options of Fourier transforms", fill_fft, use_fft, sizeof(hcube_fft_options));
  check_filling("statistics", fill_statistics, sizeof(hcube_random_access_statistics));
  if (rank == 0) printf("ok %d checks\n", checks);
  return end_program();
}
