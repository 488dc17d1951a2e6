/* Errors that one thread raises on MPI_COMM_WORLD while another one calls hcube with a communicator of its
 * own: each arrives at the program's error handler, and none ends the job.
 *
 *   errors_of_threads [turns]     prints `ok errors: <n> raised`, or `skipped threads`
 */
#include "client.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#define LOG2 8

enum { ERRORS_BETWEEN_PAUSES = 20, PAUSE_MICROSECONDS = 50 };

/* Errors that thread B has raised, and those that have arrived; only that thread counts. */
static long raised, arrived;
static int started, stop;

static void on_error(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
  arrived++;
}

/* Thread B: an error that no other rank learns of. */
static void *raise_errors(void *argument) {
  int value = 1;
  (void)argument;
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    int code = MPI_Send(&value, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS) FAIL("a message to a rank that does not exist was sent");
    raised++;
    /* MPICH's lock is not fair: a thread that re-enters immediately can keep others out for minutes. */
    if (raised % ERRORS_BETWEEN_PAUSES == 0) usleep(PAUSE_MICROSECONDS);
    if (arrived != raised) FAIL("%ld errors raised, %ld have arrived at the error handler", raised, arrived);
    __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
  }
  return NULL;
}

/* Thread A: every system with a communicator that hcube knows, by all ranks. */
static void call_hcube(MPI_Comm comm, int turns) {
  hcube_transpose_shape shape;
  hcube_random_access_statistics statistics;
  hcube_error failure;
  double *matrix = (double *)calloc((size_t)size, sizeof(double));
  char text[64];
  REQUIRE(matrix != NULL);
  memset(&shape, 0, sizeof shape);
  shape.rows = shape.columns = (int64_t)size;
  shape.element_bytes = sizeof(double);
  shape.row_block = shape.column_block = 1;
  memset(&statistics, 0, sizeof statistics);
  statistics.struct_size = sizeof statistics;
  for (int turn = 0; turn < turns; turn++) {
    SUCCEED(hcube_transpose(matrix, matrix, &shape, comm, &failure));
    /* Calls that do not wait meet the other thread most often. */
    for (int call = 0; call < 200; call++) {
      SUCCEED(hcube_random_access_last_statistics(comm, &statistics, &failure));
      SUCCEED(hcube_alltoall_last_path(comm, text, sizeof text, &failure));
    }
    if (turn % 50 == 0) run_and_verify(comm, LOG2, HCUBE_STREAM_LCG, NULL);
  }
  free(matrix);
}

int main(int argc, char **argv) {
  MPI_Comm comm;
  MPI_Errhandler handler, found;
  pthread_t thread;
  int turns = argc > 1 ? atoi(argv[1]) : 1000;
  int provided = begin_with_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("skipped threads: MPI does not provide MPI_THREAD_MULTIPLE\n");
    return end_program();
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  REQUIRE(pthread_create(&thread, NULL, raise_errors, NULL) == 0);
  while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE)) sched_yield();
  call_hcube(comm, turns);
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  REQUIRE(pthread_join(thread, NULL) == 0);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
  if (found != handler) FAIL("hcube has changed the error handler of MPI_COMM_WORLD");
  if (raised < 100) FAIL("only %ld errors were raised: nothing was shown", raised);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&comm);
  if (rank == 0) printf("ok errors: %ld raised\n", raised);
  return end_program();
}
