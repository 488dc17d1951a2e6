/* Coarrays on simulated images (SimGrid SMPI), through hcube's C interface.
 *
 *   caf <case>...
 *
 * A case is key=value,key=value:
 *   what=team|events|spawn   a team; or RandomAccess, see caf_updates.h
 * A team:
 *   team=world|all|row|column   that of all images; one of all images in another order; images in a grid, row by row
 *   columns=      of the grid; by default the divisor of the number of images next to its square root
 *   lookups=      members that each image gets a word of, twice: the first access looks them up; 8 by default
 * RandomAccess:
 *   values=       that an image generates before it waits for all of them to be applied; 1024 by default
 *   rounds=       that are timed, after one that is not; 2 by default
 *   generate=, divide=, update=, ship=   nanoseconds to generate a value, to put it on a list, to apply it, and to ship
 *                                        a function as well as to run one; 0 by default
 *
 * Times are those of the slowest image, all of which begin together. Rank 0 prints a record for each case, in the form
 * of lab/src/records.rs. All words that are read and all words of the table are checked.
 */
#include "caf_updates.h"

enum { WORLD, ALL, ROW, COLUMN };

static const meaning things[] = {{"team", TEAM}, {"events", EVENTS}, {"spawn", SPAWN}, {NULL, 0}};
static const meaning teams[] = {{"world", WORLD}, {"all", ALL}, {"row", ROW}, {"column", COLUMN}, {NULL, 0}};

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
  if (strcmp(key, "what") == 0) return (test->what = find_name(things, value)) >= 0;
  if (strcmp(key, "team") == 0) return (test->team = find_name(teams, value)) >= 0;
  if (strcmp(key, "columns") == 0) return read_number(value, &test->columns);
  if (strcmp(key, "lookups") == 0) return read_number(value, &test->lookups);
  if (strcmp(key, "values") == 0) return read_number(value, &test->values) && test->values > 0;
  if (strcmp(key, "rounds") == 0) return read_number(value, &test->rounds) && test->rounds > 0;
  if (strcmp(key, "generate") == 0) return read_amount(value, 1e6, &test->generate);
  if (strcmp(key, "divide") == 0) return read_amount(value, 1e6, &test->divide);
  if (strcmp(key, "update") == 0) return read_amount(value, 1e6, &test->update);
  if (strcmp(key, "ship") == 0) return read_amount(value, 1e6, &test->ship);
  return 0;
}

static int64_t divisor_of_all(int64_t one, int64_t other) {
  return other == 0 ? one : divisor_of_all(other, one % other);
}

static grid make_grid(const test_case *test) {
  grid made;
  made.team = test->team;
  MPI_Comm_rank(MPI_COMM_WORLD, &made.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &made.size);
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
    hcube_caf_statistics before = statistics(), after;
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
    after = statistics();
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

static void run_team(const test_case *test, const char *text) {
  grid of = make_grid(test);
  hcube_caf_statistics before = statistics();
  hcube_team team;
  hcube_error error;
  figures found;
  int32_t members, rank;
  double begin;
  memset(&found, 0, sizeof found);
  if (of.team == WORLD) {
    SUCCEED(hcube_caf_team_world(&team, &error), error);
    found.words = (int64_t)before.team_words;
  } else {
    begin = begin_together(text);
    SUCCEED(hcube_caf_team_split(0, colour(&of, of.rank), place(&of, of.rank), &team, &error), error);
    found.split = MPI_Wtime() - begin;
    found.words = (int64_t)(statistics().team_words - before.team_words);
    SUCCEED(hcube_caf_barrier(0, &error), error);
  }
  SUCCEED(hcube_caf_team_rank(team, &rank, &error), error);
  found.wrong = rank != place(&of, of.rank);
  found.barrier = barriers(team, text);
  look_up(&of, team, test, text, &found);
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
  if (of.rank == 0) {
    printf("case\t%s\nranks\t%d\nmembers\t%d\nwords\t%" PRId64
           "\nsplit\t%.9g\nbarrier\t%.9g\nlookup\t%.9g\n"
           "access\t%.9g\nlookups\t%" PRId64 "\nreads\t%" PRId64 "\nerrors\t%" PRId64 "\n\n",
           text, of.size, (int)members, found.words, found.split, found.barrier, found.lookup, found.access,
           found.looked_up, found.reads, found.wrong);
    fflush(stdout);
  }
}

static void run_case(const char *text, int32_t xor_function) {
  test_case test;
  memset(&test, 0, sizeof test);
  test.lookups = 8;
  test.values = 1024;
  test.rounds = 2;
  read_case(text, take_pair, &test);
  if (test.what == TEAM) run_team(&test, text);
  else run_updates(&test, text, xor_function);
}

int main(int argc, char **argv) {
  hcube_error error;
  int32_t xor_function;
  int number;
  MPI_Init(&argc, &argv);
  if (argc < 2) FAIL("expected: caf <case>...");
  SUCCEED(hcube_caf_init(&error), error);
  SUCCEED(hcube_caf_register(xor_word, &xor_function, &error), error);
  for (number = 1; number < argc; number++) run_case(argv[number], xor_function);
  SUCCEED(hcube_caf_finalize(&error), error);
  MPI_Finalize();
  return 0;
}
