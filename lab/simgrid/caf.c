/* Teams of coarray programs on simulated images (SimGrid SMPI), through hcube's C interface.
 *
 *   caf <case>...
 *
 * A case is key=value,key=value:
 *   what=team
 *   team=world|all|row|column   that of all images; one of all images in another order; images in a grid, row by row
 *   columns=      of the grid; by default the divisor of the number of images next to its square root
 *   lookups=      members that each image gets a word of, twice: the first access looks them up; 8 by default
 *
 * Times are those of the slowest image, all of which begin together. Rank 0 prints a record for each case, in the form
 * of lab/src/records.rs. All words that are read are checked.
 */
#include "driver.h"

enum { WORLD, ALL, ROW, COLUMN };

static const meaning teams[] = {{"world", WORLD}, {"all", ALL}, {"row", ROW}, {"column", COLUMN}, {NULL, 0}};

typedef struct test_case {
  int team;
  int64_t columns, lookups;
} test_case;

/* The images and their grid; a team has its members in the order of `place`. */
typedef struct grid {
  int team, rank, size;
  int64_t columns, factor;
} grid;

/* What an image has found out about a team. */
typedef struct figures {
  double split, barrier, lookup, access;
  int64_t words, reads, looked_up, wrong;
} figures;

static int take_pair(void *into, const char *key, const char *value) {
  test_case *test = (test_case *)into;
  if (strcmp(key, "what") == 0) return strcmp(value, "team") == 0;
  if (strcmp(key, "team") == 0) return (test->team = find_name(teams, value)) >= 0;
  if (strcmp(key, "columns") == 0) return read_number(value, &test->columns);
  if (strcmp(key, "lookups") == 0) return read_number(value, &test->lookups);
  return 0;
}

static int64_t divisor_of_all(int64_t one, int64_t other) {
  return other == 0 ? one : divisor_of_all(other, one % other);
}

static grid make_grid(const test_case *test) {
  grid made;
  made.team = test->team;
  made.rank = own_rank();
  made.size = all_ranks();
  made.columns = test->columns;
  if (made.columns == 0)
    for (made.columns = 1; made.columns * made.columns <= made.size; made.columns++) {
    }
  while (made.columns > 1 && (made.size % made.columns != 0 || made.columns * made.columns > made.size)) made.columns--;
  /* Ranks times this, modulo their number, are all ranks in another order. */
  made.factor = made.size * INT64_C(618) / 1000 + 1;
  while (divisor_of_all(made.factor, made.size) != 1) made.factor++;
  return made;
}

/* The team of an image, and its place there. */
static int64_t colour(const grid *of, int64_t image) {
  return of->team == ROW ? image / of->columns : of->team == COLUMN ? image % of->columns : 0;
}

static int64_t place(const grid *of, int64_t image) {
  switch (of->team) {
    case ALL: return image * of->factor % of->size;
    case ROW: return image % of->columns;
    case COLUMN: return image / of->columns;
    default: return image;
  }
}

/* Gets the words of some members, the first time and again. */
static void look_up(const grid *of, hcube_team team, const test_case *test, const char *text, figures *found) {
  hcube_coarray coarray;
  hcube_error error;
  void *own;
  int32_t members;
  int64_t turn;
  double begin;
  SUCCEED(hcube_caf_team_size(team, &members, &error), error);
  SUCCEED(hcube_caf_coarray_alloc(team, sizeof(int64_t), &coarray, &own, &error), error);
  *(int64_t *)own = of->rank;
  SUCCEED(hcube_caf_barrier(0, &error), error);
  begin_together(text);
  for (turn = 0; turn < test->lookups; turn++) {
    int32_t member = (int32_t)(mix((uint64_t)of->rank << 32 ^ (uint64_t)turn) % (uint64_t)members);
    hcube_caf_statistics before = image_statistics(), after;
    int64_t image = -1;
    int again;
    for (again = 0; again < 2; again++) {
      double taken;
      begin = MPI_Wtime();
      SUCCEED(hcube_caf_get(coarray, member, 0, &image, sizeof image, &error), error);
      taken = MPI_Wtime() - begin;
      if (taken > found->lookup && !again) found->lookup = taken;
      if (taken > found->access && again) found->access = taken;
    }
    after = image_statistics();
    found->looked_up += (int64_t)(after.lookups - before.lookups);
    if ((int64_t)(after.link_reads - before.link_reads) > found->reads)
      found->reads = (int64_t)(after.link_reads - before.link_reads);
    found->wrong +=
        image < 0 || image >= of->size || place(of, image) != member || colour(of, image) != colour(of, of->rank);
  }
  SUCCEED(hcube_caf_barrier(0, &error), error);
  SUCCEED(hcube_caf_coarray_free(coarray, &error), error);
}

/* Seconds of a barrier of the team, the mean of some. */
static double barriers(hcube_team team, const char *text) {
  enum { BARRIERS = 3 };
  hcube_error error;
  double begin, seconds;
  int number;
  SUCCEED(hcube_caf_barrier(team, &error), error);
  begin = begin_together(text);
  for (number = 0; number < BARRIERS; number++) SUCCEED(hcube_caf_barrier(team, &error), error);
  seconds = (MPI_Wtime() - begin) / BARRIERS;
  SUCCEED(hcube_caf_barrier(0, &error), error);
  return seconds;
}

static void run_case(const char *text) {
  test_case test;
  grid of;
  hcube_caf_statistics before = image_statistics();
  hcube_team team;
  hcube_error error;
  figures found;
  int32_t members, rank;
  double begin;
  memset(&test, 0, sizeof test);
  memset(&found, 0, sizeof found);
  test.lookups = 8;
  read_case(text, take_pair, &test);
  of = make_grid(&test);
  if (of.team == WORLD) {
    SUCCEED(hcube_caf_team_world(&team, &error), error);
    found.words = (int64_t)before.team_words;
  } else {
    begin = begin_together(text);
    SUCCEED(hcube_caf_team_split(0, colour(&of, of.rank), place(&of, of.rank), &team, &error), error);
    found.split = MPI_Wtime() - begin;
    found.words = (int64_t)(image_statistics().team_words - before.team_words);
    SUCCEED(hcube_caf_barrier(0, &error), error);
  }
  SUCCEED(hcube_caf_team_rank(team, &rank, &error), error);
  found.wrong = rank != place(&of, of.rank);
  found.barrier = barriers(team, text);
  look_up(&of, team, &test, text, &found);
  SUCCEED(hcube_caf_team_size(team, &members, &error), error);
  if (of.team != WORLD) SUCCEED(hcube_caf_team_free(team, &error), error);
  SUCCEED(hcube_caf_barrier(0, &error), error);
  found.split = largest_at_first(found.split);
  found.barrier = largest_at_first(found.barrier);
  found.lookup = largest_at_first(found.lookup);
  found.access = largest_at_first(found.access);
  found.words = (int64_t)largest_at_first((double)found.words);
  found.reads = (int64_t)largest_at_first((double)found.reads);
  found.looked_up = sum_at_first(found.looked_up);
  found.wrong = sum_at_first(found.wrong);
  RECORD(text,
         COUNT("members") COUNT("words") SECONDS("split") SECONDS("barrier") SECONDS("lookup") SECONDS("access")
             COUNT("lookups") COUNT("reads") COUNT("errors"),
         (int64_t)members, found.words, found.split, found.barrier, found.lookup, found.access, found.looked_up,
         found.reads, found.wrong);
}

int main(int argc, char **argv) {
  return run_driver(argc, argv, begin_coarrays, run_case, end_coarrays);
}
