/* Processes that may not all have the preload library.
 *
 *   dynamic spawn <n>    starts n processes, of the same program with the argument `child`, and exchanges with them
 *   dynamic parts        exchanges on MPI_COMM_WORLD, whose processes were started in several parts
 */
#include "guest.h"

enum { EXCHANGES = 5 };

static void exchange_all_sizes(MPI_Comm comm) {
  exchange_often(comm, EXCHANGES, 3);
  exchange_often(comm, EXCHANGES, 10000);
}

/* By parents and children: on both orders of the merged communicator, on parts of it, and between the groups. */
static void exchange_across(MPI_Comm between, int is_child) {
  for (int order = 0; order < 2; order++) {
    MPI_Comm merged, half;
    MPI_Intercomm_merge(between, is_child == order, &merged);
    exchange_all_sizes(merged);
    MPI_Comm_split(merged, rank_in(merged) % 2, 0, &half);
    exchange_all_sizes(half);
    MPI_Comm_free(&half);
    MPI_Comm_split(merged, is_child, 0, &half);
    exchange_all_sizes(half);
    MPI_Comm_free(&half);
    MPI_Comm_free(&merged);
  }
  exchange_blocks(between, 0, 3);
  exchange_blocks(between, 1, 3);
}

static void spawn(const char *program, int children) {
  char command[4096], mode[] = "child", *arguments[] = {mode, NULL};
  MPI_Comm between;
  REQUIRE(snprintf(command, sizeof command, "%s", program) < (int)sizeof command);
  exchange_all_sizes(MPI_COMM_WORLD);
  MPI_Comm_spawn(command, arguments, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
  exchange_across(between, 0);
  MPI_Comm_disconnect(&between);
  exchange_all_sizes(MPI_COMM_WORLD);
}

static void be_child(void) {
  MPI_Comm between;
  MPI_Comm_get_parent(&between);
  REQUIRE(between != MPI_COMM_NULL);
  exchange_all_sizes(MPI_COMM_WORLD);
  exchange_across(between, 1);
  MPI_Comm_disconnect(&between);
}

/* Two ranks that are neighbours may have come from different parts. */
static void exchange_between_parts(void) {
  int rank = rank_in(MPI_COMM_WORLD);
  MPI_Comm pair, copy;
  exchange_all_sizes(MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  exchange_all_sizes(copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pair);
  exchange_all_sizes(pair);
  MPI_Comm_free(&pair);
  MPI_Comm_free(&copy);
}

int main(int argc, char **argv) {
  int child = argc > 1 && strcmp(argv[1], "child") == 0;
  MPI_Init(&argc, &argv);
  if (child) be_child();
  else if (argc > 2) spawn(argv[0], atoi(argv[2]));
  else exchange_between_parts();
  if (!child && rank_in(MPI_COMM_WORLD) == 0) printf("ok %s\n", argv[1]);
  return end_program();
}
