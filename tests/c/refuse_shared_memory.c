/* Starts a program to which the kernel refuses anonymous files in memory, as containers can:
 *
 *   refuse_shared_memory {all|last} <program> <argument>...
 *
 * `last` is the last rank, by what the launcher has set. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "fail.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A number that Open MPI or MPICH has set. */
static int from_launcher(const char *open_mpi, const char *mpich) {
  const char *value = getenv(open_mpi);
  if (value == NULL) value = getenv(mpich);
  if (value == NULL) FAIL("neither %s nor %s is set", open_mpi, mpich);
  return atoi(value);
}

static void refuse(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program;
  program.len = sizeof code / sizeof code[0];
  program.filter = code;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) FAIL("PR_SET_NO_NEW_PRIVS: %s", strerror(errno));
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) FAIL("PR_SET_SECCOMP: %s", strerror(errno));
  REQUIRE(memfd_create("refused", 0) == -1 && errno == EPERM);
}

int main(int argc, char **argv) {
  if (argc < 3) FAIL("usage: refuse_shared_memory {all|last} <program> <argument>...");
  if (strcmp(argv[1], "all") == 0 ||
      from_launcher("OMPI_COMM_WORLD_RANK", "PMI_RANK") == from_launcher("OMPI_COMM_WORLD_SIZE", "PMI_SIZE") - 1)
    refuse();
  execv(argv[2], argv + 2);
  FAIL("%s: %s", argv[2], strerror(errno));
}
