/* A program with more permissions than its user. Valid C11 and C++17. */
#ifndef PRIVILEGED_H
#define PRIVILEGED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Whether it is one. The launcher's daemon does not talk with processes of another group, so the program becomes one of
 * its user's group again, whom other ranks may trace; the kernel's mark, AT_SECURE, stays. */
static inline int give_up_privileges(void) {
  if (getauxval(AT_SECURE) == 0) return 0;
  if (setresgid(getgid(), getgid(), getgid()) != 0 || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) abort();
  return 1;
}

#endif
