/* hcube_fft_* by binary exchange against six steps: all lengths that are possible up to 2^16, some longer ones, both
 * directions, in place and out of place; then what is refused on all ranks. Prints `ok <transforms> <refusals>`. */
#include "client.h"
#include "random.h"

#include <math.h>

static int transforms;

static hcube_fft_options options_for(int32_t algorithm) {
  hcube_fft_options options;
  SUCCEED(hcube_fft_default_options(&options, sizeof options, &failure));
  options.algorithm = algorithm;
  return options;
}

/* Each direction has each radix, with every other length. */
static hcube_fft_plan *create(int64_t length, int direction, MPI_Comm comm, int32_t algorithm) {
  hcube_fft_options options = options_for(algorithm);
  int is_four = direction > 0;
  for (int64_t rest = length; rest > 1; rest /= 2) is_four = !is_four;
  options.radix = is_four ? HCUBE_FFT_RADIX_4 : HCUBE_FFT_RADIX_2;
  hcube_fft_plan *plan = NULL;
  SUCCEED(hcube_fft_create_with(length, direction, comm, &options, &plan, &failure));
  return plan;
}

static void compare(int64_t length, int direction, MPI_Comm comm) {
  hcube_fft_plan *binary = create(length, direction, comm, HCUBE_FFT_BINARY_EXCHANGE);
  hcube_fft_plan *six = create(length, direction, comm, HCUBE_FFT_SIX_STEP);
  int64_t start, count, six_start, six_count;
  double bound = 1e-13 * sqrt((double)length);
  hcube_fft_times times;
  SUCCEED(hcube_fft_local(binary, &start, &count, &failure));
  SUCCEED(hcube_fft_local(six, &six_start, &six_count, &failure));
  REQUIRE(start == six_start && count == six_count);
  double *input = (double *)allocate((size_t)count * 16);
  double *found = (double *)allocate((size_t)count * 16);
  double *right = (double *)allocate((size_t)count * 16);
  for (int64_t at = 0; at < 2 * count; at++) input[at] = found[at] = fraction_at(2 * start + at);
  SUCCEED(hcube_fft_execute(six, input, right, &failure));
  for (int round = 0; round < 2; round++) {
    if (round == 0) SUCCEED(hcube_fft_execute(binary, MPI_IN_PLACE, found, &failure));
    else SUCCEED(hcube_fft_execute(binary, input, found, &failure));
    for (int64_t at = 0; at < 2 * count; at++)
      if (fabs(found[at] - right[at]) > bound)
        FAIL("length %" PRId64 ", direction %d, number %" PRId64 ": %g instead of %g", length, direction,
             start + at / 2, found[at], right[at]);
  }
  for (int64_t at = 0; at < 2 * count; at++) REQUIRE(input[at] == fraction_at(2 * start + at));
  times.struct_size = sizeof times;
  SUCCEED(hcube_fft_last_times(binary, &times, &failure));
  REQUIRE(times.columns_seconds > 0 && (times.rows_seconds > 0 || count == length));
  free(input);
  free(found);
  free(right);
  SUCCEED(hcube_fft_free(&binary, &failure));
  SUCCEED(hcube_fft_free(&six, &failure));
  transforms++;
}

static void refused(int64_t length, MPI_Comm comm, const hcube_fft_options *options, int32_t expected,
                    const char *text) {
  hcube_fft_plan *plan = NULL;
  REFUSED(expected, text, hcube_fft_create_with(length, -1, comm, options, &plan, &failure));
  REQUIRE(plan == NULL);
}

static void bad_plans(void) {
  hcube_fft_options binary = options_for(HCUBE_FFT_BINARY_EXCHANGE), other = binary;
  int64_t least = (int64_t)size * (size < 64 ? 64 : size);
  MPI_Comm reversed, half;
  refused(3 * least, MPI_COMM_WORLD, &binary, HCUBE_ERR_ARGUMENT, "expected 2^b, at least");
  refused(least / 2, MPI_COMM_WORLD, &binary, HCUBE_ERR_ARGUMENT, "expected 2^b, at least");
  other.algorithm = rank == 0 ? 2 : 1;
  refused(least, MPI_COMM_WORLD, &other, HCUBE_ERR_ARGUMENT, "");
  other = binary;
  other.radix = 3;
  refused(least, MPI_COMM_WORLD, &other, HCUBE_ERR_ARGUMENT, "options.radix = 3");
  if (size == 1) return;
  other = options_for(rank == 0 ? HCUBE_FFT_BINARY_EXCHANGE : HCUBE_FFT_SIX_STEP);
  refused(least, MPI_COMM_WORLD, &other, HCUBE_ERR_MISMATCH, "differ");
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  refused(least, reversed, &binary, HCUBE_ERR_COMM, "MPI_COMM_WORLD");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (size > 2) refused(least, half, &binary, HCUBE_ERR_COMM, "MPI_COMM_WORLD");
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
  hcube_fft_options options;
  int64_t least;
  begin_program(&argc, &argv);
  if ((size & (size - 1)) != 0) {
    options = options_for(HCUBE_FFT_BINARY_EXCHANGE);
    refused(1 << 12, MPI_COMM_WORLD, &options, HCUBE_ERR_COMM, "expected 2^a ranks");
    compare(1 << 8, -1, MPI_COMM_SELF);
  } else {
    least = (int64_t)size * (size < 64 ? 64 : size);
    for (int64_t length = least; length <= 1 << 16; length *= 2) {
      compare(length, -1, MPI_COMM_WORLD);
      compare(length, 1, MPI_COMM_WORLD);
    }
    compare(1 << 20, 1, MPI_COMM_WORLD);
    compare(1 << 22, -1, MPI_COMM_WORLD);
    compare(least, -1, MPI_COMM_WORLD);
    compare(1 << 12, -1, MPI_COMM_SELF);
    bad_plans();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok %d %d\n", transforms, refusals);
  return end_program();
}
