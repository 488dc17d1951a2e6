/* Operations that the kernel refuses to a process that has made exchanges, or will make some.
 *
 *   refused filter <whom> {0|1}    the system calls of single copy, by a filter; 0: the next exchange is out of place
 *   refused traced <whom> {0|1}    the same to processes that others may not trace (PR_SET_DUMPABLE)
 *   refused user <whom> {0|1}      the same to processes that root runs as another user
 *   refused secret                 buffers that no system call reads or writes (memfd_secret)
 *   refused files <whom> <n>       files of more than n bytes, before the first exchange
 *   refused limited all <n>        the same, before MPI_Init
 *   refused space <whom> <n>       more than n KiB of address space, before the first exchange
 *   refused descriptors <whom>     further descriptors of files, before the first exchange
 *   refused memory <whom>          files in memory (memfd_create), by a filter, before the first exchange
 * Whom: all ranks, the first or the last one. Prints `skipped <what>` where it cannot be done.
 */
#include "../process.h"
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
  if (file < 0) return NULL;
  REQUIRE(ftruncate(file, (off_t)bytes) == 0);
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? NULL : (int *)memory;
}

/* Rank 0 sends from such memory, then it receives there. */
static int run_secret(void) {
  size_t bytes = (size_t)size * LARGE * sizeof(int);
  int *secret = secret_memory(LARGE), *other = (int *)allocate(bytes), possible = secret != NULL, all;
  MPI_Allreduce(&possible, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all) return 0;
  for (int turn = 0; turn < 4; turn++) {
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

/* --- what the process may still get before the first exchange ------------------------------------- */

enum { MAX_RANKS = 8, MAX_ELEMENTS = 20000 };

/* The buffers of the program and of the MPI library exist before. */
static int sent[MAX_RANKS * MAX_ELEMENTS], received[MAX_RANKS * MAX_ELEMENTS];
static const int lengths[] = {10, 900, MAX_ELEMENTS};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

/* Exchanges of the same lengths that are not collective. */
static void warm_up(void) {
  memset(sent, 1, sizeof sent);
  memset(received, 1, sizeof received);
  for (int number = 0; number < LENGTHS; number++)
    for (int distance = 1; distance < size; distance++)
      MPI_Sendrecv(sent, lengths[number], MPI_INT, (rank + distance) % size, 1, received, lengths[number], MPI_INT,
                   (rank + size - distance) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Sets a limit to a value; returns the one before. */
static rlim_t limit_to(int resource, rlim_t value) {
  struct rlimit limit;
  rlim_t before;
  REQUIRE(getrlimit((__rlimit_resource_t)resource, &limit) == 0);
  before = limit.rlim_cur;
  limit.rlim_cur = value;
  REQUIRE(setrlimit((__rlimit_resource_t)resource, &limit) == 0);
  return before;
}

static rlim_t address_space_kib(void) {
  return (rlim_t)field("/proc/self/status", "VmSize") / 1024;
}

static void refuse_files_in_memory(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EMFILE),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program;
  program.len = sizeof code / sizeof code[0];
  program.filter = code;
  REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

/* Out of place and in place, without memory of the program's; MPI libraries need memory for long blocks in place. */
static void exchange_static(MPI_Comm comm, int round, int elements) {
  fill_blocks(sent, comm, round, elements);
  memset(received, 0xFF, sizeof received);
  if (round % 3 < 2 || elements == MAX_ELEMENTS) {
    REQUIRE(MPI_Alltoall(sent, elements, MPI_INT, received, elements, MPI_INT, comm) == MPI_SUCCESS);
    check_blocks(received, comm, round, elements);
  } else {
    REQUIRE(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sent, elements, MPI_INT, comm) == MPI_SUCCESS);
    check_blocks(sent, comm, round, elements);
  }
}

static void run_short_of(const char *what, int concerned, long kib) {
  int resource = strcmp(what, "space") == 0 ? (int)RLIMIT_AS : (int)RLIMIT_NOFILE;
  rlim_t before = 0;
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  REQUIRE(size <= MAX_RANKS);
  warm_up();
  if (concerned) {
    if (strcmp(what, "memory") == 0) refuse_files_in_memory();
    else before = limit_to(resource, resource == (int)RLIMIT_AS ? (address_space_kib() + (rlim_t)kib) * 1024 : 3);
  }
  for (int number = 0; number < LENGTHS; number++)
    for (int round = 0; round < 12; round++)
      exchange_static(round % 2 == 0 ? MPI_COMM_WORLD : copy, round, lengths[number]);
  /* The statistics are written when this has ended. */
  if (before != 0) limit_to(resource, before);
  MPI_Comm_free(&copy);
}

int main(int argc, char **argv) {
  const char *part = argv[1], *whom = argc > 2 ? argv[2] : "all";
  int possible = 1;
  if (strcmp(part, "limited") == 0) limit_files((rlim_t)atol(argv[3]));
  if (strcmp(part, "traced") == 0) give_up_tracing();
  begin_program(&argc, &argv);
  int concerned = strcmp(whom, "all") == 0 || rank == (strcmp(whom, "last") == 0 ? size - 1 : 0);
  if (strcmp(part, "limited") == 0) {
    run_limited();
  } else if (strcmp(part, "files") == 0) {
    if (concerned) limit_files((rlim_t)atol(argv[3]));
    run_limited();
  } else if (strcmp(part, "space") == 0 || strcmp(part, "descriptors") == 0 || strcmp(part, "memory") == 0) {
    run_short_of(part, concerned, argc > 3 ? atol(argv[3]) : 0);
  } else if (strcmp(part, "secret") == 0) {
    possible = run_secret();
  } else if (strcmp(part, "user") == 0 && geteuid() != 0) {
    possible = 0;
  } else {
    run_refused(part, concerned, atoi(argv[3]));
  }
  if (rank == 0) printf("%s %s\n", possible ? "ok" : "skipped", part);
  return end_program();
}
