/* Every function of the transforms, panels, grids, subsequences, products by BSP and STREAM with bad arguments: before
 * MPI_Init, on all ranks and on the last one only, after MPI_Finalize. The code must be the right one, the message must
 * say which argument, nothing may be written, and no rank may wait. For each function it prints
 *
 *   called <function> <refusals>
 *
 * and tests/interface.rs compares the functions with those that the library exports.
 */
#include "called.h"

enum { LENGTH = 3600, SLOTS = 2 };

/* The message must have the word. */
#define REFUSE(expected, word, name, ...) count_refusal(#name, __LINE__, name(__VA_ARGS__, &failure), expected, word)

static void stream_functions(void) {
  hcube_stream *stream = NULL;
  double *a = NULL, *b = NULL, *c = NULL;
  char text[200];

  REFUSE(HCUBE_ERR_ARGUMENT, "length = -1", hcube_stream_create, -1, &stream, &a, &b, &c);
  REFUSE(HCUBE_ERR_ARGUMENT, "stream", hcube_stream_create, 10, NULL, &a, &b, &c);
  REFUSE(HCUBE_ERR_ARGUMENT, "a = NULL", hcube_stream_create, 10, &stream, NULL, &b, &c);
  REFUSE(HCUBE_ERR_ARGUMENT, "c = NULL", hcube_stream_create, 10, &stream, &a, &b, NULL);
  REFUSE(HCUBE_ERR_MEMORY, "vectors", hcube_stream_create, INT64_MAX, &stream, &a, &b, &c);
  if (stream != NULL || a != NULL || b != NULL || c != NULL) abort();
  REFUSE(HCUBE_ERR_ARGUMENT, "stream", hcube_stream_copy, NULL);
  REFUSE(HCUBE_ERR_ARGUMENT, "stream", hcube_stream_scale, NULL, 0.5);
  REFUSE(HCUBE_ERR_ARGUMENT, "stream", hcube_stream_add, NULL);
  REFUSE(HCUBE_ERR_ARGUMENT, "stream", hcube_stream_triad, NULL, 0.5);
  REFUSE(HCUBE_ERR_ARGUMENT, "stream", hcube_stream_free, NULL);
  REFUSE(HCUBE_ERR_ARGUMENT, "stream", hcube_stream_describe, NULL, text, sizeof text);

  if (hcube_stream_create(1001, &stream, &a, &b, &c, &failure) != HCUBE_SUCCESS) abort();
  REFUSE(HCUBE_ERR_ARGUMENT, "text", hcube_stream_describe, stream, NULL, sizeof text);
  if (hcube_stream_describe(stream, text, sizeof text, &failure) != HCUBE_SUCCESS || strstr(text, "triad") == NULL)
    abort();
  for (int i = 0; i < 1001; i++) a[i] = i;
  if (hcube_stream_copy(stream, NULL) || hcube_stream_scale(stream, 2.0, NULL) || hcube_stream_add(stream, NULL) ||
      hcube_stream_triad(stream, 3.0, NULL))
    abort();
  /* c = a + 2 a, a = 2 a + 3 c */
  for (int i = 0; i < 1001; i++)
    if (b[i] != 2.0 * i || c[i] != 3.0 * i || a[i] != 11.0 * i) abort();
  if (hcube_stream_free(&stream, &failure) != HCUBE_SUCCESS || stream != NULL) abort();
  if (hcube_stream_free(&stream, &failure) != HCUBE_SUCCESS) abort();
}

static hcube_panels_options panel_options(void) {
  hcube_panels_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.bytes = 100;
  options.slots = SLOTS;
  return options;
}

/* The results of the functions with a communicator while MPI is not active. */
static void inactive(const char *word) {
  hcube_fft_plan *plan = NULL;
  uint64_t bytes = 7, slots = 7, panel = 7;
  const void *place = NULL;
  void *own = NULL;
  hcube_grid_transpose_shape shape = {1, 1, 1, 1, 1, 1};
  hcube_grid_transpose_memory *memory = NULL;
  hcube_grid_transpose *transposition = NULL;
  int32_t done = 7;
  int64_t length = 7;
  hcube_panels_options options = panel_options();

  stream_functions();
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_fft_create, LENGTH, 1, MPI_COMM_WORLD, &plan);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_panels_prepare, MPI_COMM_WORLD, 100, SLOTS);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_panels_prepare_for, MPI_COMM_WORLD, &options);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_panels_progress, MPI_COMM_WORLD, 0, &done);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_panels_prepared, MPI_COMM_WORLD, &bytes, &slots);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_panels_begin, MPI_COMM_WORLD, 0, 100, &panel, &own);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_panels_post, MPI_COMM_WORLD, 0);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_panels_test, MPI_COMM_WORLD, 0, &place);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_panels_wait, MPI_COMM_WORLD, 0, &place);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_panels_release, MPI_COMM_WORLD, 0);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_grid_transpose_memory_create, 100, MPI_COMM_WORLD, &memory, &own);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_grid_transpose_create, &shape, NULL, MPI_COMM_WORLD, &transposition);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_fortran_grid_transpose_memory_create, 100, 0, &memory, &own);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_fortran_grid_transpose_create, &shape, NULL, 0, &transposition);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_llcs, NULL, 0, NULL, 0, 1, 0, NULL, NULL, MPI_COMM_WORLD, &length);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_matmul, 0, 0, HCUBE_MATMUL_STATIC, NULL, NULL, NULL, NULL, MPI_COMM_WORLD);
  REFUSE(HCUBE_ERR_MPI_STATE, word, hcube_matmul_local_elements, 0, 0, HCUBE_MATMUL_STATIC, MPI_COMM_WORLD, &length);
  REQUIRE(memory == NULL && transposition == NULL && length == 7);
  if (plan != NULL || bytes != 7 || slots != 7 || panel != 7 || place != NULL || own != NULL || done != 7) abort();
}

static void transforms(void) {
  hcube_fft_plan *plan = NULL;
  hcube_fft_times times;
  hcube_fft_options options;
  hcube_fft_memory *memory = NULL;
  void *part = NULL;
  int64_t length = (int64_t)LENGTH * size * size, start, local;
  double *vector;
  /* The last rank's mistake is an error on all. */
  int last = rank == size - 1;

  memset(&times, 0, sizeof times);
  times.struct_size = sizeof times;

  REFUSE(HCUBE_ERR_COMM, "", hcube_fft_create, length, 1, MPI_COMM_NULL, &plan);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_fft_create, last ? -5 : length, 1, MPI_COMM_WORLD, &plan);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_fft_create, length + 1, 1, MPI_COMM_WORLD, &plan);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_fft_create, length, last ? 0 : -1, MPI_COMM_WORLD, &plan);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_fft_create, length, 1, MPI_COMM_WORLD, last ? NULL : &plan);
  REFUSE(HCUBE_ERR_ARGUMENT, "options", hcube_fft_default_options, NULL, sizeof options);
  REFUSE(HCUBE_ERR_ARGUMENT, "size", hcube_fft_default_options, &options, 3);
  SUCCEED(hcube_fft_default_options(&options, sizeof options, &failure));
  options.algorithm = last ? 9 : 0;
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_fft_create_with, length, 1, MPI_COMM_WORLD, &options, &plan);
  if (plan != NULL) abort();
  REFUSE(HCUBE_ERR_ARGUMENT, "plan", hcube_fft_memory_create, NULL, &memory, &part, NULL);
  REFUSE(HCUBE_ERR_ARGUMENT, "memory", hcube_fft_memory_free, NULL);
  REFUSE(HCUBE_ERR_ARGUMENT, "plan", hcube_fft_local, NULL, &start, &local);
  REFUSE(HCUBE_ERR_ARGUMENT, "plan", hcube_fft_execute, NULL, &local, &local);
  REFUSE(HCUBE_ERR_ARGUMENT, "plan", hcube_fft_last_times, NULL, &times);
  REFUSE(HCUBE_ERR_ARGUMENT, "plan", hcube_fft_free, NULL);
  if (hcube_fft_create(length, 1, MPI_COMM_WORLD, &plan, &failure) != HCUBE_SUCCESS) FAIL("%s", failure.message);
  REFUSE(HCUBE_ERR_ARGUMENT, "times", hcube_fft_last_times, plan, NULL);
  times.struct_size = 3;
  REFUSE(HCUBE_ERR_ARGUMENT, "times.struct_size", hcube_fft_last_times, plan, &times);
  SUCCEED(hcube_fft_local(plan, &start, &local, &failure));
  REQUIRE(local == length / size && start == rank * local);
  vector = (double *)calloc((size_t)local, 2 * sizeof *vector);
  REQUIRE(vector != NULL);
  REFUSE(HCUBE_ERR_BUFFER, "", hcube_fft_execute, plan, last ? NULL : vector, vector);
  SUCCEED(hcube_fft_execute(plan, vector, vector, &failure));
  SUCCEED(hcube_fft_free(&plan, &failure));
  REQUIRE(plan == NULL);
  free(vector);
}

/* Options of panels that are not valid on any rank, on the last one, or not the same. */
static void options_of_panels(MPI_Comm row) {
  hcube_panels_options options = panel_options();
  int last = rank == size - 1;

  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_panels_prepare_for, row, last ? NULL : &options);
  options.topology = last ? 7 : 0;
  REFUSE(HCUBE_ERR_ARGUMENT, "options.topology", hcube_panels_prepare_for, row, &options);
  options = panel_options();
  options.ranks_per_node = last ? -1 : 0;
  REFUSE(HCUBE_ERR_ARGUMENT, "options.ranks_per_node", hcube_panels_prepare_for, row, &options);
  options = panel_options();
  options.in_use = 1025;
  REFUSE(HCUBE_ERR_ARGUMENT, "options.in_use", hcube_panels_prepare_for, row, &options);
  options = panel_options();
  options.struct_size = 20;
  REFUSE(HCUBE_ERR_ARGUMENT, "options.struct_size", hcube_panels_prepare_for, row, &options);
  if (size > 1) {
    options = panel_options();
    options.topology = last ? HCUBE_PANELS_RING : HCUBE_PANELS_LONG;
    REFUSE(HCUBE_ERR_MISMATCH, "topology", hcube_panels_prepare_for, row, &options);
  }
}

static void panels(void) {
  int32_t done = 7;
  MPI_Comm row;
  uint64_t bytes = 7, slots = 7, panel = 7, number;
  const void *place = NULL;
  void *own = NULL;

  MPI_Comm_dup(MPI_COMM_WORLD, &row);
  REFUSE(HCUBE_ERR_COMM, "", hcube_panels_prepare, MPI_COMM_NULL, 100, SLOTS);
  REFUSE(HCUBE_ERR_ARGUMENT, "slots", hcube_panels_prepare, row, 100, 0);
  REFUSE(HCUBE_ERR_ARGUMENT, "slots", hcube_panels_slots, 3, 1, NULL);
  options_of_panels(row);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_panels_progress, row, 0, &done);
  REFUSE(HCUBE_ERR_ARGUMENT, "bytes", hcube_panels_prepared, row, NULL, &slots);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_panels_begin, row, 0, 100, &panel, &own);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_panels_post, row, 0);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_panels_test, row, 0, &place);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_panels_wait, row, 0, &place);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_panels_release, row, 0);
  SUCCEED(hcube_panels_prepare(row, 100, SLOTS, &failure));
  SUCCEED(hcube_panels_prepared(row, &bytes, &slots, &failure));
  REQUIRE(bytes >= 100 && slots == SLOTS);
  REFUSE(HCUBE_ERR_ARGUMENT, "root", hcube_panels_begin, row, size, 100, &panel, &own);
  REFUSE(HCUBE_ERR_ARGUMENT, "bytes", hcube_panels_begin, row, 0, bytes + 1, &panel, &own);
  REFUSE(HCUBE_ERR_ARGUMENT, "panel", hcube_panels_test, row, 4711, &place);
  REQUIRE(panel == 7 && own == NULL && place == NULL);
  SUCCEED(hcube_panels_begin(row, 0, 100, &number, &own, &failure));
  if (rank == 0) {
    /* It would wait for itself. */
    REFUSE(HCUBE_ERR_ARGUMENT, "not posted", hcube_panels_wait, row, number, &place);
    SUCCEED(hcube_panels_post(row, number, &failure));
  }
  REFUSE(HCUBE_ERR_ARGUMENT, "done", hcube_panels_progress, row, number, NULL);
  SUCCEED(hcube_panels_progress(row, number, &done, &failure));
  REQUIRE(done == 1);
  REFUSE(HCUBE_ERR_ARGUMENT, "place", hcube_panels_wait, row, number, NULL);
  SUCCEED(hcube_panels_wait(row, number, &place, &failure));
  SUCCEED(hcube_panels_release(row, number, &failure));
  REFUSE(HCUBE_ERR_ARGUMENT, "panel", hcube_panels_release, row, number);
  MPI_Barrier(row);
  MPI_Comm_free(&row);
}

static int calls;

/* Counts its calls, and ends the computation where data is not NULL. */
static int32_t observe(int64_t done, int64_t total, void *data) {
  if (done <= 0 || done > total) abort();
  calls++;
  return data != NULL;
}

/* Both strings are the digits of all ranks' parts; the second one has only every other. */
static void subsequences(void) {
  enum { PART = 1000 };
  uint8_t a[PART], b[PART / 2];
  uint32_t wide[PART];
  int64_t length = 7, expected = (int64_t)size * (PART / 2);
  int last = rank == size - 1;

  for (int i = 0; i < PART; i++) wide[i] = (uint32_t)(a[i] = (uint8_t)(i % 251)) << 20;
  for (int i = 0; i < PART / 2; i++) b[i] = a[2 * i];
#define STRINGS a, PART, b, PART / 2
  REFUSE(HCUBE_ERR_COMM, "", hcube_llcs, STRINGS, 1, 0, NULL, NULL, MPI_COMM_NULL, &length);
  REFUSE(HCUBE_ERR_ARGUMENT, "symbol_bytes = 3", hcube_llcs, STRINGS, 3, 0, NULL, NULL, MPI_COMM_WORLD, &length);
  REFUSE(HCUBE_ERR_ARGUMENT, "at_least = -1", hcube_llcs, STRINGS, 1, -1, NULL, NULL, MPI_COMM_WORLD, &length);
  REFUSE(HCUBE_ERR_ARGUMENT, "length = NULL", hcube_llcs, STRINGS, 1, 0, NULL, NULL, MPI_COMM_WORLD,
         last ? NULL : &length);
  REFUSE(HCUBE_ERR_ARGUMENT, "b = NULL", hcube_llcs, a, PART, last ? NULL : b, 5, 1, 0, NULL, NULL, MPI_COMM_WORLD,
         &length);
  REFUSE(HCUBE_ERR_ARGUMENT, "a = 0x", hcube_llcs, (char *)wide + 1, 5, wide, 5, 4, 0, NULL, NULL, MPI_COMM_WORLD,
         &length);
  REFUSE(HCUBE_ERR_COUNT, "a_length = -1", hcube_llcs, a, last ? -1 : PART, b, 5, 1, 0, NULL, NULL, MPI_COMM_WORLD,
         &length);
  REFUSE(HCUBE_ERR_COUNT, "a_length = 4611686018427387904", hcube_llcs, a, (int64_t)1 << 62, b, 5, 2, 0, NULL, NULL,
         MPI_COMM_WORLD, &length);
  if (size > 1) {
    REFUSE(HCUBE_ERR_MISMATCH, "at_least", hcube_llcs, STRINGS, 1, last, NULL, NULL, MPI_COMM_WORLD, &length);
    REFUSE(HCUBE_ERR_MISMATCH, "symbol", hcube_llcs, wide, 5, wide, 5, last ? 2 : 4, 0, NULL, NULL, MPI_COMM_WORLD,
           &length);
  }
  if (last) setenv("HCUBE_LLCS_ALPHA", "many", 1);
  REFUSE(HCUBE_ERR_ARGUMENT, last ? "HCUBE_LLCS_ALPHA = 'many': expected" : "", hcube_llcs, STRINGS, 1, 0, NULL, NULL,
         MPI_COMM_WORLD, &length);
  if (last) setenv("HCUBE_LLCS_ALPHA", "3", 1);
  if (size > 1) REFUSE(HCUBE_ERR_MISMATCH, "alpha", hcube_llcs, STRINGS, 1, 0, NULL, NULL, MPI_COMM_WORLD, &length);
  REQUIRE(length == 7 && calls == 0);
  setenv("HCUBE_LLCS_ALPHA", "3", 1);
  setenv("HCUBE_LLCS_BLOCK_ROWS", "5", 1);
  setenv("HCUBE_LLCS_BARRIERS", "1", 1);
  setenv("HCUBE_LLCS_KERNEL", "standard", 1);
  SUCCEED(hcube_llcs(STRINGS, 1, 0, NULL, NULL, MPI_COMM_WORLD, &length, &failure));
  REQUIRE(length == expected);
  unsetenv("HCUBE_LLCS_ALPHA");
  unsetenv("HCUBE_LLCS_BLOCK_ROWS");
  unsetenv("HCUBE_LLCS_BARRIERS");
  unsetenv("HCUBE_LLCS_KERNEL");
  SUCCEED(hcube_llcs(STRINGS, 1, 0, observe, NULL, MPI_COMM_WORLD, &length, &failure));
  REQUIRE(length == expected && calls > 0);
  SUCCEED(hcube_llcs(STRINGS, 1, expected, NULL, NULL, MPI_COMM_WORLD, &length, &failure));
  REQUIRE(length == expected);
  SUCCEED(hcube_llcs(STRINGS, 1, expected + 1, NULL, NULL, MPI_COMM_WORLD, &length, &failure));
  REQUIRE(length == -1);
  SUCCEED(hcube_llcs(STRINGS, 1, 0, last ? observe : NULL, &length, MPI_COMM_WORLD, &length, &failure));
  REQUIRE(length == -2);
  SUCCEED(hcube_llcs(wide, PART, wide, rank ? 0 : PART, 4, 0, NULL, NULL, MPI_COMM_WORLD, &length, &failure));
  REQUIRE(length == PART);
  SUCCEED(hcube_llcs(a, PART, a + 1, PART - 1, 1, 0, NULL, NULL, MPI_COMM_SELF, &length, NULL));
  REQUIRE(length == PART - 1);
}

static void products(void) {
  enum { N = 6, STATIC = HCUBE_MATMUL_STATIC };
  static double a[N * N], b[N * N], c[N * N];
  int last = rank == size - 1;
  int64_t elements = 7;

  REFUSE(HCUBE_ERR_COMM, "", hcube_matmul, N, 2, STATIC, a, b, c, NULL, MPI_COMM_NULL);
  REFUSE(HCUBE_ERR_COMM, "", hcube_matmul_local_elements, N, 2, STATIC, MPI_COMM_NULL, &elements);
  REFUSE(HCUBE_ERR_ARGUMENT, "n = -1", hcube_matmul, last ? -1 : N, 2, STATIC, a, b, c, NULL, MPI_COMM_WORLD);
  REFUSE(HCUBE_ERR_ARGUMENT, "blocks = 7", hcube_matmul, N, last ? 7 : 2, STATIC, a, b, c, NULL, MPI_COMM_WORLD);
  REFUSE(HCUBE_ERR_ARGUMENT, "distribution = 3", hcube_matmul, N, 2, last ? 3 : STATIC, a, b, c, NULL, MPI_COMM_WORLD);
  /* Variables are read by the set-up of the communicator, in the first call with a valid problem. */
  if (last) setenv("HCUBE_BSP_SINGLE_COPY", "much", 1);
  REFUSE(HCUBE_ERR_ARGUMENT, "HCUBE_BSP_SINGLE_COPY = 'much'", hcube_matmul, N, 2, STATIC, a, b, c, NULL,
         MPI_COMM_WORLD);
  unsetenv("HCUBE_BSP_SINGLE_COPY");
  REFUSE(HCUBE_ERR_BUFFER, "c = NULL", hcube_matmul, N, 2, STATIC, a, b, last ? NULL : c, NULL, MPI_COMM_WORLD);
  REFUSE(HCUBE_ERR_ARGUMENT, "blocks = 7", hcube_matmul_local_elements, N, 7, STATIC, MPI_COMM_WORLD, &elements);
  REFUSE(HCUBE_ERR_ARGUMENT, "elements = NULL", hcube_matmul_local_elements, N, 2, STATIC, MPI_COMM_WORLD, NULL);
  REQUIRE(elements == 7);
  SUCCEED(hcube_matmul_local_elements(N, 2, STATIC, MPI_COMM_WORLD, &elements, &failure));
  REQUIRE(elements <= N * N);
  SUCCEED(hcube_matmul(N, 2, STATIC, a, b, c, NULL, MPI_COMM_WORLD, &failure));
}

static void grids(void) {
  hcube_grid_transpose_shape shape = {5, 7, 2, 3, 1, 0}, bad;
  hcube_grid_transpose_memory *memory = NULL;
  hcube_grid_transpose *transposition = NULL;
  void *place = NULL;
  double *a, c[64] = {0};
  char text[200];
  int last = rank == size - 1;
  MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD);

  shape.grid_columns = size;
  REFUSE(HCUBE_ERR_COMM, "", hcube_grid_transpose_memory_create, 100, MPI_COMM_NULL, &memory, &place);
  REFUSE(HCUBE_ERR_ARGUMENT, "bytes", hcube_grid_transpose_memory_create, -1, MPI_COMM_WORLD, &memory, &place);
  REFUSE(HCUBE_ERR_ARGUMENT, "memory", hcube_grid_transpose_memory_create, 100, MPI_COMM_WORLD, last ? NULL : &memory,
         &place);
  REFUSE(HCUBE_ERR_ARGUMENT, "address", hcube_grid_transpose_memory_create, 100, MPI_COMM_WORLD, &memory, NULL);
  REFUSE(HCUBE_ERR_MEMORY, "", hcube_grid_transpose_memory_create, INT64_MAX, MPI_COMM_WORLD, &memory, &place);
  if (size > 1)
    REFUSE(HCUBE_ERR_MISMATCH, "bytes", hcube_grid_transpose_memory_create, last ? 8 : 9, MPI_COMM_WORLD, &memory,
           &place);
  REFUSE(HCUBE_ERR_COMM, "", hcube_fortran_grid_transpose_memory_create, 100, 123456789, &memory, &place);
  REFUSE(HCUBE_ERR_ARGUMENT, "bytes", hcube_fortran_grid_transpose_memory_create, -1, world, &memory, &place);
  REQUIRE(memory == NULL && place == NULL);
  REFUSE(HCUBE_ERR_ARGUMENT, "memory", hcube_grid_transpose_memory_free, NULL);
  SUCCEED(hcube_grid_transpose_memory_create(1000, MPI_COMM_WORLD, &memory, &place, &failure));

  bad = shape;
  bad.rows = last ? -5 : 5;
  REFUSE(HCUBE_ERR_COMM, "", hcube_grid_transpose_create, &shape, memory, MPI_COMM_NULL, &transposition);
  REFUSE(HCUBE_ERR_ARGUMENT, "shape.rows = -5", hcube_grid_transpose_create, &bad, memory, MPI_COMM_WORLD,
         &transposition);
  bad = shape;
  bad.grid_rows = size + 1;
  REFUSE(HCUBE_ERR_ARGUMENT, "shape.grid", hcube_grid_transpose_create, &bad, memory, MPI_COMM_WORLD, &transposition);
  REFUSE(HCUBE_ERR_ARGUMENT, "shape = NULL", hcube_grid_transpose_create, NULL, memory, MPI_COMM_WORLD, &transposition);
  REFUSE(HCUBE_ERR_ARGUMENT, "transposition", hcube_grid_transpose_create, &shape, memory, MPI_COMM_WORLD,
         last ? NULL : &transposition);
  if (size > 1)
    REFUSE(HCUBE_ERR_MISMATCH, "memory", hcube_grid_transpose_create, &shape, last ? NULL : memory, MPI_COMM_WORLD,
           &transposition);
  REFUSE(HCUBE_ERR_COMM, "", hcube_fortran_grid_transpose_create, &shape, memory, 123456789, &transposition);
  REFUSE(HCUBE_ERR_ARGUMENT, "shape = NULL", hcube_fortran_grid_transpose_create, NULL, memory, world, &transposition);
  REQUIRE(transposition == NULL);
  SUCCEED(hcube_grid_transpose_create(&shape, memory, MPI_COMM_WORLD, &transposition, &failure));

  a = (double *)place;
  REFUSE(HCUBE_ERR_ARGUMENT, "transposition", hcube_grid_transpose_execute, NULL, 1.0, a, 5, c, 7);
  REFUSE(HCUBE_ERR_ARGUMENT, "", hcube_grid_transpose_execute, transposition, 1.0, a, last ? 4 : 5, c, 7);
  REFUSE(HCUBE_ERR_ARGUMENT, "ldc = 0", hcube_grid_transpose_execute, transposition, 1.0, a, 5, c, 0);
  REFUSE(HCUBE_ERR_BUFFER, "", hcube_grid_transpose_execute, transposition, 1.0, rank ? a : NULL, 5, c, 7);
  /* It still works. */
  SUCCEED(hcube_grid_transpose_execute(transposition, 1.0, a, 5, c, 7, &failure));
  REFUSE(HCUBE_ERR_ARGUMENT, "transposition", hcube_grid_transpose_describe, NULL, text, sizeof text);
  REFUSE(HCUBE_ERR_ARGUMENT, "text", hcube_grid_transpose_describe, transposition, NULL, sizeof text);
  REFUSE(HCUBE_ERR_ARGUMENT, "transposition", hcube_grid_transpose_free, NULL);
  SUCCEED(hcube_grid_transpose_free(&transposition, &failure));
  SUCCEED(hcube_grid_transpose_memory_free(&memory, &failure));
  REQUIRE(transposition == NULL && memory == NULL);
}

int main(int argc, char **argv) {
  inactive("not initialised");
  begin_program(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  stream_functions();
  transforms();
  panels();
  grids();
  subsequences();
  products();
  MPI_Finalize();
  inactive("already finalised");
  if (rank == 0) print_called();
  return 0;
}
