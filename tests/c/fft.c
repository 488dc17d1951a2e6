/* hcube_fft_* against the definition on small vectors, and there and back on a large one; then bad input,
 * refused on all ranks with nothing written. Prints `ok <transforms> <refusals>`. */
#include "client.h"
#include "random.h"
#include "rounds.h"

#include <math.h>

static int transforms;

static double *numbers(int64_t count) {
  double *memory = (double *)allocate((size_t)count * 2 * sizeof(double));
  return memory;
}

static double *part_of(int64_t start, int64_t count) {
  double *part = numbers(count);
  for (int64_t at = 0; at < 2 * count; at++) part[at] = fraction_at(2 * start + at);
  return part;
}

/* Number k of the transform by its definition. */
static void expected(int64_t length, int direction, int64_t k, double *result) {
  result[0] = result[1] = 0;
  for (int64_t j = 0; j < length; j++) {
    double angle = direction * 2 * acos(-1.0) * (double)(j * k % length) / (double)length;
    double real = cos(angle), imaginary = sin(angle), x = fraction_at(2 * j), y = fraction_at(2 * j + 1);
    result[0] += x * real - y * imaginary;
    result[1] += x * imaginary + y * real;
  }
}

static void compare(int64_t length, int direction, int64_t start, int64_t count, const double *found) {
  for (int64_t at = 0; at < count; at++) {
    double right[2], bound = 1e-13 * sqrt((double)length);
    expected(length, direction, start + at, right);
    if (fabs(found[2 * at] - right[0]) > bound || fabs(found[2 * at + 1] - right[1]) > bound)
      FAIL("length %" PRId64 ", direction %d, number %" PRId64 ": (%g, %g) instead of (%g, %g)", length, direction,
           start + at, found[2 * at], found[2 * at + 1], right[0], right[1]);
  }
  transforms++;
}

static hcube_fft_plan *create(int64_t length, int direction, MPI_Comm comm, int64_t *start, int64_t *count) {
  hcube_fft_plan *plan = NULL;
  int own, all;
  SUCCEED(hcube_fft_create(length, direction, comm, &plan, &failure));
  SUCCEED(hcube_fft_local(plan, start, count, &failure));
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &all);
  REQUIRE(*count == length / all && *start == length / all * own);
  return plan;
}

/* In place, in place by name, and out of place; twice. */
static void small(int64_t length, int direction, MPI_Comm comm) {
  int64_t start, count;
  hcube_fft_plan *plan = create(length, direction, comm, &start, &count);
  for (int round = 0; round < 2; round++) {
    double *input = part_of(start, count), *same = part_of(start, count), *output = numbers(count);
    hcube_fft_times times;
    SUCCEED(hcube_fft_execute(plan, input, output, &failure));
    REQUIRE(memcmp(input, same, (size_t)count * 2 * sizeof(double)) == 0);
    compare(length, direction, start, count, output);
    SUCCEED(hcube_fft_execute(plan, round ? MPI_IN_PLACE : same, same, &failure));
    REQUIRE(memcmp(output, same, (size_t)count * 2 * sizeof(double)) == 0);
    times.struct_size = sizeof times;
    SUCCEED(hcube_fft_last_times(plan, &times, &failure));
    REQUIRE(times.columns_seconds > 0 && times.rows_seconds > 0 && times.last_exchange_seconds >= 0);
    free(input);
    free(same);
    free(output);
  }
  SUCCEED(hcube_fft_free(&plan, &failure));
  REQUIRE(plan == NULL);
}

/* Forward and backward: the vector times its length. */
static void there_and_back(int64_t length, MPI_Comm comm) {
  int64_t start, count;
  hcube_fft_plan *forward = create(length, -1, comm, &start, &count);
  hcube_fft_plan *backward = create(length, 1, comm, &start, &count);
  double *vector = part_of(start, count);
  SUCCEED(hcube_fft_execute(forward, vector, vector, &failure));
  SUCCEED(hcube_fft_execute(backward, vector, vector, &failure));
  for (int64_t at = 0; at < 2 * count; at++) {
    double right = fraction_at(2 * start + at);
    if (fabs(vector[at] / (double)length - right) > 1e-14)
      FAIL("length %" PRId64 ", number %" PRId64 ": %g instead of %g", length, start + at / 2,
           vector[at] / (double)length, right);
  }
  transforms += 2;
  free(vector);
  SUCCEED(hcube_fft_free(&forward, &failure));
  SUCCEED(hcube_fft_free(&backward, &failure));
}

/* All pairs of both parts of the plan's memory and memory of the program, on ranks alike and not; after the plan
 * is freed, the memory remains. */
static void in_memory_of_the_plan(int64_t length, MPI_Comm comm) {
  int64_t start, count;
  int own;
  void *parts[2], *again = NULL;
  hcube_fft_memory *memory = NULL, *same = NULL;
  hcube_fft_plan *plan = create(length, -1, comm, &start, &count);
  double *ends[3], *values = part_of(start, count), *result = numbers(count);
  size_t bytes = (size_t)count * 2 * sizeof(double);
  MPI_Comm_rank(comm, &own);
  SUCCEED(hcube_fft_memory_create(plan, &memory, &parts[0], &parts[1], &failure));
  SUCCEED(hcube_fft_memory_create(plan, &same, NULL, &again, &failure));
  REQUIRE(again == parts[1] && (uintptr_t)parts[0] % 64 == 0 && (uintptr_t)parts[1] % 64 == 0);
  SUCCEED(hcube_fft_memory_free(&same, &failure));
  REQUIRE(same == NULL);
  ends[0] = (double *)parts[0];
  ends[1] = (double *)parts[1];
  ends[2] = numbers(count);
  memcpy(ends[2], values, bytes);
  SUCCEED(hcube_fft_execute(plan, ends[2], result, &failure));
  compare(length, -1, start, count, result);
  for (int round = 0; round < 18; round++) {
    int pair = round / 2 + (round % 2 ? own : 0);
    double *from = ends[pair % 3], *to = ends[pair / 3 % 3];
    memcpy(from, values, bytes);
    SUCCEED(hcube_fft_execute(plan, from, to, &failure));
    if (memcmp(to, result, bytes) != 0)
      FAIL("length %" PRId64 ", round %d: another result in memory of the plan", length, round);
    REQUIRE(from == to || memcmp(from, values, bytes) == 0);
  }
  memcpy(ends[0], values, bytes);
  if (transforms % 2) SUCCEED(hcube_fft_memory_free(&memory, &failure));
  SUCCEED(hcube_fft_free(&plan, &failure));
  if (memory != NULL) {
    REQUIRE(memcmp(ends[0], values, bytes) == 0);
    SUCCEED(hcube_fft_memory_free(&memory, &failure));
  }
  REQUIRE(memory == NULL);
  free(ends[2]);
  free(values);
  free(result);
}

static void bad_plans(void) {
  hcube_fft_plan *plan = NULL;
  int64_t square = (int64_t)size * size, start, count;
  REFUSED(HCUBE_ERR_ARGUMENT, "length = ", hcube_fft_create(7 * square, -1, MPI_COMM_WORLD, &plan, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "length = 0", hcube_fft_create(0, -1, MPI_COMM_WORLD, &plan, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "direction = 0", hcube_fft_create(square, 0, MPI_COMM_WORLD, &plan, &failure));
  REFUSED(HCUBE_ERR_COMM, "", hcube_fft_create(square, 1, MPI_COMM_NULL, &plan, &failure));
  if (size > 1) {
    REFUSED(HCUBE_ERR_ARGUMENT, "a multiple of", hcube_fft_create(square / size, 1, MPI_COMM_WORLD, &plan, &failure));
    REFUSED(HCUBE_ERR_MISMATCH, "length differs",
            hcube_fft_create(rank ? square : 4 * square, 1, MPI_COMM_WORLD, &plan, &failure));
    REFUSED(HCUBE_ERR_MISMATCH, "direction differs",
            hcube_fft_create(square, rank ? 1 : -1, MPI_COMM_WORLD, &plan, &failure));
    REFUSED(HCUBE_ERR_ARGUMENT, "direction = 5",
            hcube_fft_create(square, rank ? 1 : 5, MPI_COMM_WORLD, &plan, &failure));
  }
  REFUSED(HCUBE_ERR_ARGUMENT, "plan = NULL", hcube_fft_create(square, 1, MPI_COMM_WORLD, NULL, &failure));
  REQUIRE(plan == NULL);
  REFUSED(HCUBE_ERR_ARGUMENT, "plan = NULL", hcube_fft_local(NULL, &start, &count, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "plan = NULL", hcube_fft_execute(NULL, &start, &count, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "plan = NULL", hcube_fft_memory_create(NULL, NULL, NULL, NULL, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "memory = NULL", hcube_fft_memory_free(NULL, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "plan = NULL", hcube_fft_free(NULL, &failure));
  SUCCEED(hcube_fft_free(&plan, &failure));
}

static void bad_parts(void) {
  int64_t start, count, length = (int64_t)64 * size * size;
  hcube_fft_plan *plan = create(length, -1, MPI_COMM_WORLD, &start, &count);
  double *input = part_of(start, count), *same = part_of(start, count), *output = numbers(count);
  hcube_fft_times times;
  hcube_fft_memory *memory = NULL;
  REFUSED(HCUBE_ERR_ARGUMENT, rank ? "rank 0 refused" : "memory = NULL",
          hcube_fft_memory_create(plan, rank ? &memory : NULL, NULL, NULL, &failure));
  REQUIRE(memory == NULL);
  SUCCEED(hcube_fft_memory_free(&memory, &failure));
  memset(output, 1, (size_t)count * 2 * sizeof(double));
  times.struct_size = 3;
  REFUSED(HCUBE_ERR_ARGUMENT, "times.struct_size = 3", hcube_fft_last_times(plan, &times, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "times = NULL", hcube_fft_last_times(plan, NULL, &failure));
  REFUSED(HCUBE_ERR_BUFFER, rank ? "rank 0 refused" : "input = NULL",
          hcube_fft_execute(plan, rank ? input : NULL, output, &failure));
  REFUSED(HCUBE_ERR_BUFFER, rank == size - 1 ? "output = NULL" : "refused",
          hcube_fft_execute(plan, input, rank == size - 1 ? NULL : output, &failure));
  REFUSED(HCUBE_ERR_BUFFER, "MPI_IN_PLACE", hcube_fft_execute(plan, input, MPI_IN_PLACE, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "input = ", hcube_fft_execute(plan, input, input + 1, &failure));
  REQUIRE(memcmp(input, same, (size_t)count * 2 * sizeof(double)) == 0);
  REQUIRE(((unsigned char *)output)[0] == 1 && ((unsigned char *)output)[count * 16 - 1] == 1);
  /* It still works. */
  SUCCEED(hcube_fft_execute(plan, input, output, &failure));
  compare(length, -1, start, count, output);
  free(input);
  free(same);
  free(output);
  SUCCEED(hcube_fft_free(&plan, &failure));
}

static void all_lengths(void) {
  static const int64_t factors[] = {1, 2, 3, 4, 5, 6, 8, 15, 16, 27, 64, 75};
  MPI_Comm other;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
  for (int number = 0; number < (int)(sizeof factors / sizeof *factors); number++) {
    int64_t length = factors[number] * size * size;
    small(length, number % 2 ? 1 : -1, MPI_COMM_WORLD);
    small(length, number % 2 ? -1 : 1, other);
    small(factors[number], -1, MPI_COMM_SELF);
    in_memory_of_the_plan(length, number % 2 ? MPI_COMM_WORLD : other);
  }
  there_and_back((INT64_C(1) << 14) * size * size, MPI_COMM_WORLD);
  there_and_back(INT64_C(3) << 15, MPI_COMM_SELF);
  bad_plans();
  bad_parts();
  MPI_Comm_free(&other);
}

int main(int argc, char **argv) {
  hcube_fft_plan *plan = NULL;
  begin_program(&argc, &argv);
  while (next_round()) {
    if (size == 7) REFUSED(HCUBE_ERR_COMM, "7 ranks", hcube_fft_create(49, -1, MPI_COMM_WORLD, &plan, &failure));
    else all_lengths();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok %d %d\n", transforms, refusals);
  return end_program();
}
