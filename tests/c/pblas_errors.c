/* Calls of PDGEMM with arguments that are not valid.
 *
 *   pblas_errors <case>   one case, which ends the job
 *   pblas_errors          all cases one after the other, in a program with a PB_Cabort of its own (OWN_ABORT), as
 * PBLAS' testers have
 *
 * A case is `<argument>=<value>[,<argument>=<value>]`, where an argument of a matrix has the matrix before it (C.LLD);
 * a value with an @ concerns only that rank. */
#include "pblas.h"

enum { SIZE = 12 };

typedef struct {
  char letters[2];
  int sizes[3];
  int place[3][2];
  int descriptors[3][11];
  double memory[3][SIZE * SIZE];
} arguments;

static const char *current = "";

#ifdef OWN_ABORT
void PB_Cabort(int context, char *routine, int info);

/* What ScaLAPACK calls instead of ending the job. */
void PB_Cabort(int context, char *routine, int info) {
  (void)context;
  printf("%s: rank %d: PB_Cabort %s %d\n", current, rank, routine, info);
}
#endif

static const char *const entries_of_2[] = {"DTYPE", "CTXT", "M", "N", "IMB", "INB", "MB", "NB", "RSRC", "CSRC", "LLD"};
static const char *const entries_of_1[] = {"DTYPE", "CTXT", "M", "N", "MB", "NB", "RSRC", "CSRC", "LLD"};

/* Valid arguments; `type` is the type of the descriptors. */
static void begin(arguments *with, const grid *on, int type) {
  memset(with, 0, sizeof *with);
  with->letters[0] = with->letters[1] = 'N';
  for (int number = 0; number < 3; number++) {
    int one[9] = {1, on->context, SIZE, SIZE, 3, 3, 0, 0, SIZE};
    int two[11] = {2, on->context, SIZE, SIZE, 2, 2, 3, 3, 0, 0, SIZE};
    memcpy(with->descriptors[number], type == 1 ? one : two, type == 1 ? sizeof one : sizeof two);
    with->sizes[number] = SIZE - 3;
    with->place[number][0] = with->place[number][1] = 2;
    for (int at = 0; at < SIZE * SIZE; at++) with->memory[number][at] = at;
  }
}

static int *argument(arguments *with, const char *name, int type) {
  static const char *const sizes[] = {"m", "n", "k"};
  const char *const *entries = type == 1 ? entries_of_1 : entries_of_2;
  int count = type == 1 ? 9 : 11;
  for (int number = 0; number < 3; number++)
    if (strcmp(name, sizes[number]) == 0) return &with->sizes[number];
  REQUIRE(name[0] >= 'A' && name[0] <= 'C' && name[1] == '.');
  if (name[2] == 'i' || name[2] == 'j') return &with->place[name[0] - 'A'][name[2] == 'j'];
  for (int number = 0; number < count; number++)
    if (strcmp(name + 2, entries[number]) == 0) return &with->descriptors[name[0] - 'A'][number];
  return NULL;
}

/* Changes what the case says; 0 where descriptors of this type have no such entry. */
static int change(arguments *with, const char *text, int type) {
  char name[16];
  int value, length, only;
  for (; *text != 0; text += length + (text[length] == ',')) {
    only = rank;
    REQUIRE(sscanf(text, "%15[^=]=%d%n@%d", name, &value, &length, &only) >= 2);
    if (text[length] == '@') length += 2;
    if (strncmp(name, "trans", 5) == 0) {
      with->letters[name[5] == 'b'] = (char)value;
      continue;
    }
    int *place = argument(with, name, type);
    if (place == NULL) return 0;
    if (only == rank) *place = value;
  }
  return 1;
}

static void run(const char *text, const grid *on, int type) {
  static arguments with;
  static const double two = 2;
  char title[80];
  begin(&with, on, type);
  if (!change(&with, text, type)) return;
  snprintf(title, sizeof title, "%s, type %d", text, type);
  current = title;
  pdgemm_(&with.letters[0], &with.letters[1], &with.sizes[0], &with.sizes[1], &with.sizes[2], &two, with.memory[0],
          &with.place[0][0], &with.place[0][1], with.descriptors[0], with.memory[1], &with.place[1][0],
          &with.place[1][1], with.descriptors[1], &two, with.memory[2], &with.place[2][0], &with.place[2][1],
          with.descriptors[2]);
  for (int number = 0; number < 3; number++)
    for (int at = 0; at < SIZE * SIZE; at++)
      if (with.memory[number][at] != at) FAIL("%s: %c has changed", title, 'A' + number);
}

static const char *const of_call[] = {"transa=88", "transb=0",       "m=-1",  "n=-1",  "k=-1",  "transa=88,transb=88",
                                      "m=-1,k=-2", "transb=84,n=-3", "m=100", "k=100", "n=100", "transa=67,k=40"};
static const char *const of_matrix[] = {
    "DTYPE=501", "DTYPE=502", "DTYPE=0", "DTYPE=3", "CTXT=-1",    "CTXT=1",        "M=-1",
    "M=0",       "N=-1",      "N=0",     "IMB=0",   "INB=-1",     "MB=0",          "NB=0",
    "RSRC=9",    "RSRC=-2",   "CSRC=9",  "CSRC=-2", "LLD=0",      "LLD=1",         "i=0",
    "j=0",       "i=-4",      "i=99",    "j=99",    "i=0,%c.j=0", "MB=0,%c.LLD=0", "DTYPE=0,%c.i=0"};

int main(int argc, char **argv) {
  grid on;
  begin_program(&argc, &argv);
  /* Lines are written whole. */
  setvbuf(stdout, NULL, _IOLBF, 0);
  on = make_grid("Row", 1, size);
  /* The context of the other grid, number 1. */
  REQUIRE(make_grid("Column", size, 1).context == 1);
  for (int type = 1; type <= 2; type++) {
    char text[80], format[80];
    if (argc > 1) {
      run(argv[1], &on, type);
      continue;
    }
    for (size_t number = 0; number < sizeof of_call / sizeof *of_call; number++) run(of_call[number], &on, type);
    for (size_t number = 0; number < 3 * (sizeof of_matrix / sizeof *of_matrix); number++) {
      int letter = 'A' + (int)(number % 3);
      snprintf(format, sizeof format, "%%c.%s", of_matrix[number / 3]);
      snprintf(text, sizeof text, format, letter, letter);
      run(text, &on, type);
    }
  }
  return end_program();
}
