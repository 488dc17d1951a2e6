/* A filter of system calls that refuses a process what single copy needs, as containers have one. */
#ifndef SINGLE_COPY_FILTER_H
#define SINGLE_COPY_FILTER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "fail.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* From here on the kernel refuses this process the system calls of single copy: reads, writes or both. */
static inline void refuse_single_copy(int reads, int writes) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program;
  struct iovec none;
  REQUIRE(reads || writes);
  code[1].k = reads ? __NR_process_vm_readv : __NR_process_vm_writev;
  code[2].k = writes ? __NR_process_vm_writev : __NR_process_vm_readv;
  program.len = sizeof code / sizeof code[0];
  program.filter = code;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) FAIL("PR_SET_NO_NEW_PRIVS: %s", strerror(errno));
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) FAIL("PR_SET_SECCOMP: %s", strerror(errno));
  memset(&none, 0, sizeof none);
  REQUIRE(!reads || (process_vm_readv(getpid(), &none, 1, &none, 1, 0) == -1 && errno == EPERM));
  REQUIRE(!writes || (process_vm_writev(getpid(), &none, 1, &none, 1, 0) == -1 && errno == EPERM));
}

#endif
