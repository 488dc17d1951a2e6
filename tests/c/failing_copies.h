/* Single copies of hcube that the kernel refuses at random, or ends early. Those of the MPI library are left alone: it
 * may end the job. */
#ifndef FAILING_COPIES_H
#define FAILING_COPIES_H

#include "alltoall.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* One of this number of copies fails; 0: none does. */
static int failing;
/* Copies that have failed, and those that were forbidden. */
static int failed, forbidden;
static dice luck;

static int is_hcube(void *caller) {
  Dl_info found;
  if (dladdr(caller, &found) == 0 || found.dli_fname == NULL) return 0;
  const char *name = strrchr(found.dli_fname, '/');
  return strstr(name == NULL ? found.dli_fname : name, "libhcube") != NULL;
}

static ssize_t copy(long call, pid_t process, const struct iovec *here, const struct iovec *there) {
  struct iovec from = here[0], to = there[0];
  if (failing > 0 && roll(&luck, failing) == 0) {
    int never = roll(&luck, 8) == 0;
    failed++;
    forbidden += never;
    errno = never ? EPERM : EFAULT;
    return -1;
  }
  if (failing > 0 && from.iov_len > 1 && roll(&luck, 3) == 0)
    from.iov_len = to.iov_len = (size_t)roll(&luck, (int64_t)from.iov_len - 1) + 1;
  return syscall(call, process, &from, 1UL, &to, 1UL, 0UL);
}

/* Functions that libraries call: these definitions precede the C library's. */
ssize_t process_vm_readv(pid_t process, const struct iovec *here, unsigned long many, const struct iovec *there,
                         unsigned long as_many, unsigned long flags) {
  if (many != 1 || as_many != 1 || flags != 0 || !is_hcube(__builtin_return_address(0)))
    return syscall(SYS_process_vm_readv, process, here, many, there, as_many, flags);
  return copy(SYS_process_vm_readv, process, here, there);
}

ssize_t process_vm_writev(pid_t process, const struct iovec *here, unsigned long many, const struct iovec *there,
                          unsigned long as_many, unsigned long flags) {
  if (many != 1 || as_many != 1 || flags != 0 || !is_hcube(__builtin_return_address(0)))
    return syscall(SYS_process_vm_writev, process, here, many, there, as_many, flags);
  return copy(SYS_process_vm_writev, process, here, there);
}

#endif
