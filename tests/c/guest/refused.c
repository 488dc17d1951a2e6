/* What the kernel refuses a process that has made exchanges, or is about to.
 *
 *   refused filter <whom> {0|1}    the system calls of single copy, by a filter; 0: the next exchange is out of place
 *   refused traced <whom> {0|1}    the same to processes that others may not trace (PR_SET_DUMPABLE)
 *   refused user <whom> {0|1}      the same to processes that root runs as another user
 *   refused secret                 buffers that no system call reads or writes (memfd_secret)
 *   refused files <whom> <n>       files of more than n bytes, before the first exchange
 *   refused limited all <n>        the same, before MPI_Init
 * Whom: all ranks, the first or the last one. Prints `skipped <what>` where it cannot be done.
 */
#include "../single_copy_filter.h"
#include "guest.h"

#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

/* Single copy is for blocks of more than hcube's memory holds; with the others the shared memory has its turn. */
enum { LARGE = 1 << 17, MIDDLE = 5000, SMALL = 2 };

static int rank, size;

/* --- the kernel's refusals ---------------------------------------------------------------------- */

/* As another user than root: root may trace everybody. */
static void give_up_tracing(void) {
  struct __user_cap_header_struct header;
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  memset(&header, 0, sizeof header);
  header.version = _LINUX_CAPABILITY_VERSION_3;
  REQUIRE(syscall(SYS_capget, &header, sets) == 0);
  sets[0].effective &= ~(1u << CAP_SYS_PTRACE);
  sets[0].permitted &= ~(1u << CAP_SYS_PTRACE);
  sets[0].inheritable &= ~(1u << CAP_SYS_PTRACE);
  REQUIRE(syscall(SYS_capset, &header, sets) == 0);
}

static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = bytes;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static void refuse(const char *what) {
  enum { NOBODY = 65534 };
  if (strcmp(what, "filter") == 0) refuse_single_copy(1, 1);
  if (strcmp(what, "traced") == 0) REQUIRE(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
  if (strcmp(what, "user") == 0) REQUIRE(setresuid(NOBODY, NOBODY, 0) == 0);
}

/* --- exchanges ----------------------------------------------------------------------------------- */

static void exchange_all_sizes(MPI_Comm comm) {
  exchange_often(comm, 8, LARGE);
  exchange_often(comm, 4, MIDDLE);
  exchange_often(comm, 4, SMALL);
}

static void run_refused(const char *what, int concerned, int in_place) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  exchange_all_sizes(MPI_COMM_WORLD);
  exchange_all_sizes(copy);
  if (concerned) refuse(what);
  /* In the first of these exchanges each communicator learns of it. */
  if (in_place) exchange_in_place(copy, 77, LARGE);
  else exchange_blocks(copy, 77, LARGE);
  exchange_all_sizes(MPI_COMM_WORLD);
  exchange_all_sizes(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  exchange_all_sizes(copy);
  MPI_Comm_free(&copy);
  /* The MPI library removes files that root has created. */
  if (concerned && strcmp(what, "user") == 0) REQUIRE(setresuid(0, 0, 0) == 0);
  /* Rank 0 waits for the statistics of the others, which they cannot bring to such a process. */
  if (concerned && strcmp(what, "traced") == 0) REQUIRE(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Memory for `elements` per rank that only this process can reach, or NULL. */
static int *secret_memory(int elements) {
  size_t bytes = (size_t)size * (size_t)elements * sizeof(int);
  int file = (int)syscall(SYS_memfd_secret, 0);
  void *memory;
  if (file < 0) return NULL;
  REQUIRE(ftruncate(file, (off_t)bytes) == 0);
  memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? NULL : (int *)memory;
}

/* Rank 0 sends from such memory, then it receives there. */
static int run_secret(void) {
  size_t bytes = (size_t)size * LARGE * sizeof(int);
  int *secret = secret_memory(LARGE), *other = (int *)allocate(bytes), possible = secret != NULL, all, turn;
  MPI_Allreduce(&possible, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all) return 0;
  for (turn = 0; turn < 4; turn++) {
    int sends = rank == 0 && turn % 2 == 0, receives = rank == 0 && turn % 2 == 1;
    int *sent = sends ? secret : (int *)allocate(bytes), *received = receives ? secret : other;
    exchange_all_sizes(MPI_COMM_WORLD);
    fill_blocks(sent, MPI_COMM_WORLD, turn, LARGE);
    memset(received, 0xFF, bytes);
    REQUIRE(MPI_Alltoall(sent, LARGE, MPI_INT, received, LARGE, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
    check_blocks(received, MPI_COMM_WORLD, turn, LARGE);
    if (!sends) free(sent);
  }
  if (rank == 0) fill_blocks(secret, MPI_COMM_WORLD, 9, LARGE);
  else fill_blocks(other, MPI_COMM_WORLD, 9, LARGE);
  REQUIRE(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, rank == 0 ? secret : other, LARGE, MPI_INT,
                       MPI_COMM_WORLD) == MPI_SUCCESS);
  check_blocks(rank == 0 ? secret : other, MPI_COMM_WORLD, 9, LARGE);
  munmap(secret, bytes);
  free(other);
  return 1;
}

static void run_limited(void) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  exchange_often(MPI_COMM_WORLD, 4, MIDDLE);
  exchange_often(copy, 4, SMALL);
  exchange_often(copy, 4, MIDDLE);
  MPI_Comm_free(&copy);
}

int main(int argc, char **argv) {
  const char *part = argv[1], *whom = argc > 2 ? argv[2] : "all";
  int concerned, possible = 1;
  if (strcmp(part, "limited") == 0) limit_files((rlim_t)atol(argv[3]));
  if (strcmp(part, "traced") == 0) give_up_tracing();
  MPI_Init(&argc, &argv);
  rank = rank_in(MPI_COMM_WORLD);
  size = partners_in(MPI_COMM_WORLD);
  concerned = strcmp(whom, "all") == 0 || rank == (strcmp(whom, "last") == 0 ? size - 1 : 0);
  if (strcmp(part, "limited") == 0) {
    run_limited();
  } else if (strcmp(part, "files") == 0) {
    if (concerned) limit_files((rlim_t)atol(argv[3]));
    run_limited();
  } else if (strcmp(part, "secret") == 0) {
    possible = run_secret();
  } else if (strcmp(part, "user") == 0 && geteuid() != 0) {
    possible = 0;
  } else {
    run_refused(part, concerned, atoi(argv[3]));
  }
  if (rank == 0) printf("%s %s\n", possible ? "ok" : "skipped", part);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
