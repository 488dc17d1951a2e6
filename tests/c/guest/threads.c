/* Threads that use MPI at the same time.
 *
 *   threads apart        two threads of two ranks exchange on two communicators, in an order that works only if
 *                        exchanges on different communicators do not wait for each other
 *   threads together <n> two threads exchange in n rounds, on a communicator of their own, without regard to each other
 *   threads handlers <n> one thread sets and reads an error handler while another one makes exchanges on n
 *                        communicators
 *
 * Prints `skipped threads` where the MPI library does not support them.
 */
#include "guest.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { ROUNDS = 4, ELEMENTS = 100, PAUSE = 30000 };

/* --- apart ------------------------------------------------------------------------------------- */

/* The communicators of the threads, and one for the word that rank 1's first thread waits for. */
static MPI_Comm first, second, word;
static int round_number;

static void *exchange_first(void *unused) {
  int go = 0;
  (void)unused;
  if (rank == 1) MPI_Recv(&go, 1, MPI_INT, 0, 0, word, MPI_STATUS_IGNORE);
  exchange_blocks(first, round_number, ELEMENTS);
  return NULL;
}

static void *exchange_second(void *unused) {
  int go = 1;
  (void)unused;
  /* Long enough that rank 0's first thread is in its exchange. Without the pause the order would work as well. */
  if (rank == 0) usleep(PAUSE);
  exchange_blocks(second, round_number, ELEMENTS);
  if (rank == 0) MPI_Send(&go, 1, MPI_INT, 1, 0, word);
  return NULL;
}

static void run_apart(void) {
  MPI_Comm_dup(MPI_COMM_WORLD, &word);
  for (int pair = 0; pair < 3; pair++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    for (round_number = 0; round_number < ROUNDS; round_number++) {
      pthread_t one, other;
      REQUIRE(pthread_create(&one, NULL, exchange_first, NULL) == 0);
      REQUIRE(pthread_create(&other, NULL, exchange_second, NULL) == 0);
      pthread_join(one, NULL);
      pthread_join(other, NULL);
      MPI_Barrier(word);
    }
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
  }
  MPI_Comm_free(&word);
}

/* --- together ---------------------------------------------------------------------------------- */

enum { LONGEST = 700 };

static int rounds;

/* Blocks of changing lengths, and other data than the other thread's in the same round. */
static void *exchange_rounds(void *place) {
  MPI_Comm comm = *(MPI_Comm *)place;
  int base = comm == second ? rounds : 0;
  for (int round = base; round < base + rounds; round++) {
    int elements = 1 + 37 * round % LONGEST;
    exchange_blocks(comm, round, elements);
    if (round % 3 != 0) exchange_in_place(comm, round, elements);
  }
  return NULL;
}

static void run_together(void) {
  pthread_t one, other;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  exchange_often(first, ROUNDS, ELEMENTS);
  exchange_often(second, ROUNDS, ELEMENTS);
  REQUIRE(pthread_create(&one, NULL, exchange_rounds, &first) == 0);
  REQUIRE(pthread_create(&other, NULL, exchange_rounds, &second) == 0);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  MPI_Comm_free(&first);
  exchange_often(second, ROUNDS, ELEMENTS);
  MPI_Comm_free(&second);
}

/* --- handlers ---------------------------------------------------------------------------------- */

enum { MAX_COMMUNICATORS = 1000 };

static MPI_Comm comms[MAX_COMMUNICATORS];
static int communicators;
/* The communicator that the exchanges are on, and the last one whose error handler was set during that. */
static int current, seen = -1;

static void ignore(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
}

/* How often the error handler was another one than that which this thread, the only one, had set. */
static void *set_and_read(void *result) {
  MPI_Errhandler own[2], found;
  long wrong = 0;
  MPI_Comm_create_errhandler(ignore, &own[0]);
  MPI_Comm_create_errhandler(ignore, &own[1]);
  for (long turn = 0;; turn++) {
    int number = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    if (number == communicators) break;
    MPI_Comm_set_errhandler(comms[number], own[turn % 2]);
    MPI_Comm_get_errhandler(comms[number], &found);
    wrong += found != own[turn % 2];
    MPI_Errhandler_free(&found);
    __atomic_store_n(&seen, number, __ATOMIC_RELEASE);
  }
  MPI_Errhandler_free(&own[0]);
  MPI_Errhandler_free(&own[1]);
  *(long *)result = wrong;
  return NULL;
}

static void run_handlers(void) {
  pthread_t setter;
  long wrong = 0;
  comms[0] = MPI_COMM_WORLD;
  for (int number = 1; number < communicators; number++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[number]);
  REQUIRE(pthread_create(&setter, NULL, set_and_read, &wrong) == 0);
  for (int number = 0; number < communicators; number++) {
    while (__atomic_load_n(&seen, __ATOMIC_ACQUIRE) != number) sched_yield();
    exchange_often(comms[number], 3, 2);
    __atomic_store_n(&current, number + 1, __ATOMIC_RELEASE);
  }
  pthread_join(setter, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (int number = 1; number < communicators; number++) MPI_Comm_free(&comms[number]);
  agree("wrong error handlers", wrong);
}

int main(int argc, char **argv) {
  int provided = begin_with_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("skipped threads\n");
  } else {
    if (strcmp(argv[1], "apart") == 0) run_apart();
    else if (strcmp(argv[1], "together") == 0) rounds = atoi(argv[2]), run_together();
    else communicators = atoi(argv[2]), run_handlers();
    if (rank == 0) printf("ok %s\n", argv[1]);
  }
  return end_program();
}
