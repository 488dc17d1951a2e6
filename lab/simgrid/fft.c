/* Fourier transforms on simulated ranks (SimGrid SMPI), through hcube's C interface.
 *
 *   fft <case>...
 *
 * A case is key=value,key=value:
 *   algorithm=six-step|binary-exchange
 *   part=         complex numbers of a rank
 *   levels=       levels of butterflies that a part has less than in the transform that is simulated; 0 by default
 *   level=        nanoseconds of a number in such a level; 0 by default
 *
 * The vector is a tone and an impulse, whose transform has a value of its own at each place: all numbers are compared.
 * A transform is timed after one that is not. Rank 0 prints a record for each case, in the form of lab/src/records.rs.
 */
#include "driver.h"

#include <math.h>

#define TURN 6.28318530717958647692

typedef struct test_case {
  hcube_fft_options options;
  int64_t part, levels;
  double level;
} test_case;

typedef struct number {
  double re, im;
} number;

/* A distributed vector; this rank has `part` numbers from `start` on. */
typedef struct vector {
  int64_t length, start, part;
  /* The tone, and the place of the impulse. */
  int64_t tone, impulse;
} vector;

static const meaning algorithms[] = {
    {"six-step", HCUBE_FFT_SIX_STEP}, {"binary-exchange", HCUBE_FFT_BINARY_EXCHANGE}, {NULL, 0}};

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "algorithm") == 0) return (test->options.algorithm = find_name(algorithms, value)) >= 0;
  if (strcmp(key, "part") == 0) return read_number(value, &test->part) && test->part > 0;
  if (strcmp(key, "levels") == 0) return read_number(value, &test->levels) && test->levels < 64;
  if (strcmp(key, "level") == 0) return read_amount(value, 1e9, &test->level);
  return 0;
}

/* exp(2 pi i one other / length) */
static number wave(const vector *of, int64_t one, int64_t other) {
  double angle = TURN * (double)(one * other % of->length) / (double)of->length;
  number value;
  value.re = cos(angle);
  value.im = sin(angle);
  return value;
}

static void fill(const vector *of, number *into) {
  int64_t at;
  for (at = 0; at < of->part; at++) {
    into[at] = wave(of, of->start + at, of->tone);
    into[at].re += of->start + at == of->impulse;
  }
}

static int64_t wrong_numbers(const vector *of, const number *found) {
  int64_t at, wrong = 0;
  /* Rounding errors grow with the root of the length. */
  double bound = 1e-14 * 64 * sqrt((double)of->length);
  for (at = 0; at < of->part; at++) {
    number expected = wave(of, of->start + at, of->impulse);
    expected.re += of->start + at == of->tone ? (double)of->length : 0;
    wrong += !(hypot(found[at].re - expected.re, found[at].im + expected.im) <= bound);
  }
  return wrong;
}

/* Seconds of the slowest rank since all ranks have begun. */
static double timed_transform(const test_case *test, const char *text, hcube_fft_plan *plan, const number *from,
                              number *into) {
  hcube_error error;
  /* Messages of the barrier are as slow as all others on a machine with less bandwidth. */
  double begin = begin_together_after(1.0, text);
  pass((double)test->levels * test->level * (double)test->part);
  SUCCEED(hcube_fft_execute(plan, from, into, &error), error);
  return largest_at_first(MPI_Wtime() - begin);
}

static void run_case(const char *text) {
  test_case test;
  vector of;
  hcube_fft_plan *plan;
  hcube_fft_times times;
  hcube_error error;
  number *from, *into;
  double seconds, exchanges;
  int64_t wrong;
  memset(&test, 0, sizeof test);
  SUCCEED(hcube_fft_default_options(&test.options, sizeof test.options, &error), error);
  test.part = 64;
  read_case(text, take_pair, &test);
  of.length = all_ranks() * test.part;
  of.tone = of.length * 5 / 8 + 1;
  of.impulse = of.length * 3 / 8 + 2;
  SUCCEED(hcube_fft_create_with(of.length, -1, MPI_COMM_WORLD, &test.options, &plan, &error), error);
  SUCCEED(hcube_fft_local(plan, &of.start, &of.part, &error), error);
  from = (number *)allocate(of.part * (int64_t)sizeof *from);
  into = (number *)allocate(of.part * (int64_t)sizeof *into);
  fill(&of, from);
  SUCCEED(hcube_fft_execute(plan, from, into, &error), error);
  memset(into, 0xff, (size_t)of.part * sizeof *into);
  seconds = timed_transform(&test, text, plan, from, into);
  memset(&times, 0, sizeof times);
  times.struct_size = sizeof times;
  SUCCEED(hcube_fft_last_times(plan, &times, &error), error);
  exchanges = times.first_exchange_seconds + times.first_wait_seconds + times.second_exchange_seconds +
              times.last_wait_seconds + times.last_exchange_seconds;
  exchanges = largest_at_first(exchanges);
  wrong = sum_at_first(wrong_numbers(&of, into));
  RECORD(text, COUNT("length") SECONDS("seconds") SECONDS("exchanges") COUNT("errors"), of.length, seconds, exchanges,
         wrong);
  SUCCEED(hcube_fft_free(&plan, &error), error);
  free(from);
  free(into);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, begin_coarrays, run_case, end_coarrays);
}
