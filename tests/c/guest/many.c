/* The cost of communicators for a process.
 *
 *   many first <n>     one exchange on each of n communicators, and some on one of a single rank
 *   many living <n> [<exchanges>]    exchanges on n communicators that live at the same time; then all are freed
 *   many threads <n> [<exchanges>]   the same with MPI_THREAD_MULTIPLE
 *   many fork          children that are forked while communicators live, and after they were freed
 */
#include "../process.h"
#include "guest.h"

#include <sys/wait.h>
#include <unistd.h>

enum { EXCHANGES = 4, ELEMENTS = 2 };

/* The mappings of a process. */
typedef struct {
  /* hcube's shared memory: mappings and their length. */
  long shared, shared_bytes;
  /* The preload library. */
  long library;
} Mappings;

static Mappings mappings(void) {
  char line[8192];
  unsigned long from, to;
  Mappings found = {0, 0, 0};
  FILE *maps = fopen("/proc/self/maps", "r");
  REQUIRE(maps != NULL);
  while (fgets(line, sizeof line, maps) != NULL) {
    found.library += strstr(line, "libhcube_preload") != NULL;
    if (strstr(line, "memfd:hcube") == NULL && strstr(line, "/dev/shm/hcube") == NULL) continue;
    REQUIRE(sscanf(line, "%lx-%lx", &from, &to) == 2);
    found.shared++;
    found.shared_bytes += (long)(to - from);
  }
  fclose(maps);
  return found;
}

/* Resident memory of this process in KiB, with what it shares with others. */
static long resident(void) {
  return field("/proc/self/smaps_rollup", "Rss") / 1024;
}

static MPI_Comm *duplicates(int number) {
  MPI_Comm *comms = (MPI_Comm *)allocate((size_t)number * sizeof(MPI_Comm));
  for (int i = 0; i < number; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  return comms;
}

static void free_all(MPI_Comm *comms, int number) {
  for (int i = 0; i < number; i++) MPI_Comm_free(&comms[i]);
  free(comms);
}

static void run_first(int number) {
  MPI_Comm *comms = duplicates(number);
  for (int i = 0; i < number; i++) exchange_blocks(comms[i], i, ELEMENTS);
  exchange_often(MPI_COMM_SELF, EXCHANGES, ELEMENTS);
  agree("mappings after first exchanges", mappings().shared);
  free_all(comms, number);
}

static void run_living(int number, int exchanges) {
  MPI_Comm *comms = duplicates(number);
  for (int i = 0; i < number; i++) exchange_often(comms[i], exchanges, ELEMENTS);
  figure("living", resident());
  free_all(comms, number);
  /* The memory that the others still held at that time. */
  MPI_Barrier(MPI_COMM_WORLD);
  figure("freed", resident());
  figure("mapped", mappings().shared_bytes);
}

/* Mappings of a child that is forked now. */
static long mappings_of_child(void) {
  int status;
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    long number = mappings().shared;
    _exit(number > 100 ? 100 : (int)number);
  }
  REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void run_fork(void) {
  enum { NUMBER = 20 };
  MPI_Comm *comms = duplicates(NUMBER), half;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD), &half);
  for (int i = 0; i < NUMBER; i++) exchange_often(comms[i], EXCHANGES, ELEMENTS);
  exchange_often(half, EXCHANGES, ELEMENTS);
  figure("own", mappings().shared);
  agree("mappings of a child", mappings_of_child());
  free_all(comms, NUMBER);
  MPI_Comm_free(&half);
  agree("mappings of a later child", mappings_of_child());
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, strcmp(argv[1], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (strcmp(argv[1], "first") == 0) run_first(atoi(argv[2]));
  else if (argc > 2) run_living(atoi(argv[2]), argc > 3 ? atoi(argv[3]) : EXCHANGES);
  else run_fork();
  figure("library", mappings().library);
  if (rank_in(MPI_COMM_WORLD) == 0) printf("ok %s\n", argv[1]);
  return end_program();
}
