/* Starts a program to which the kernel refuses anonymous files in memory, as containers can, or pages in advance, as
 * where memory is short:
 *
 *   refuse_shared_memory {all|last|pages-of-last} <program> <argument>...
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

static void filter(struct sock_filter *code, size_t length) {
  struct sock_fprog program;
  program.len = (unsigned short)length;
  program.filter = code;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) FAIL("PR_SET_NO_NEW_PRIVS: %s", strerror(errno));
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) FAIL("PR_SET_SECCOMP: %s", strerror(errno));
}

static void refuse_files(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  filter(code, sizeof code / sizeof code[0]);
  REQUIRE(memfd_create("refused", 0) == -1 && errno == EPERM);
}

/* Since Linux 5.14. */
#define POPULATE_WRITE 23

static void refuse_pages(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_madvise, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, POPULATE_WRITE, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  filter(code, sizeof code / sizeof code[0]);
  REQUIRE(madvise(NULL, 0, POPULATE_WRITE) == -1 && errno == ENOMEM);
}

int main(int argc, char **argv) {
  if (argc < 3) FAIL("usage: refuse_shared_memory {all|last|pages-of-last} <program> <argument>...");
  int is_last =
      from_launcher("OMPI_COMM_WORLD_RANK", "PMI_RANK") == from_launcher("OMPI_COMM_WORLD_SIZE", "PMI_SIZE") - 1;
  if (strcmp(argv[1], "pages-of-last") != 0) {
    if (is_last || strcmp(argv[1], "all") == 0) refuse_files();
  } else if (is_last) {
    refuse_pages();
  }
  execv(argv[2], argv + 2);
  FAIL("%s: %s", argv[2], strerror(errno));
}
