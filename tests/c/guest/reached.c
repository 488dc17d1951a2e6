/* What a process of another user can reach of a rank that has made exchanges. Prints whether the program has more
 * permissions than its user, the number of successful attempts, whether others of the same user may trace the rank, and
 * the number of named files of hcube except libraries.
 * Prints `skipped <what>` where no process can become another user.
 */
#include "../privileged.h"
#include "../process.h"
#include "guest.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Single copy is for blocks of more than hcube's memory holds. */
enum { LARGE = 1 << 17, SMALL = 100, MAX_FILES = 64, OTHER_USER = 65534 };

static int secret = 42;

static int opens(pid_t process, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
  return open(path, O_RDONLY | O_NONBLOCK) >= 0;
}

/* Attempts that succeed. */
static int reached(pid_t process) {
  static const char *const names[] = {"mem", "maps", "environ", "auxv", "fd", "map_files", "pagemap", "root", "cwd"};
  int count = 0, copy = 0;
  char name[32];
  struct iovec here, there;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) count += opens(process, names[i]);
  for (int file = 0; file < MAX_FILES; file++) {
    snprintf(name, sizeof name, "fd/%d", file);
    count += opens(process, name);
  }
  here.iov_base = &copy;
  there.iov_base = &secret;
  here.iov_len = there.iov_len = sizeof copy;
  count += process_vm_readv(process, &here, 1, &there, 1, 0) > 0;
  count += process_vm_writev(process, &here, 1, &there, 1, 0) > 0;
  count += ptrace(PTRACE_SEIZE, process, NULL, NULL) == 0;
  return count;
}

/* The same by a child that has become another user. */
static int reached_by_other(pid_t process) {
  int status = 0;
  pid_t child;
  fflush(stdout);
  child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, OTHER_USER, OTHER_USER, OTHER_USER) != 0 ||
        syscall(SYS_setresuid, OTHER_USER, OTHER_USER, OTHER_USER) != 0)
      _exit(255);
    _exit(reached(process));
  }
  REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) != 255);
  return WEXITSTATUS(status);
}

/* Whether a path, or a line that ends with one, names a file of hcube that is no library. A file without a name has
 * this one, too: /memfd:hcube. */
static int is_named_file(const char *path) {
  const char *name = strrchr(path, '/');
  if (name == NULL || strncmp(name, "/memfd:", 7) == 0) return 0;
  return strstr(name, "hcube") != NULL && strncmp(name, "/libhcube", 9) != 0;
}

static long named_files(void) {
  char path[64], text[8192];
  long count = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  REQUIRE(maps != NULL);
  while (fgets(text, sizeof text, maps) != NULL) count += is_named_file(text);
  fclose(maps);
  for (int file = 3; file < MAX_FILES; file++) {
    ssize_t length;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    length = readlink(path, text, sizeof text - 1);
    text[length < 0 ? 0 : length] = '\0';
    count += is_named_file(text);
  }
  return count;
}

int main(int argc, char **argv) {
  int number = (int)getpid(), privileged = give_up_privileges(), *all;
  begin_program(&argc, &argv);
  if (geteuid() != 0) {
    if (rank == 0) puts("skipped root");
    return end_program();
  }
  all = (int *)allocate((size_t)size * sizeof(int));
  MPI_Allgather(&number, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  exchange_often(MPI_COMM_WORLD, 6, LARGE);
  exchange_often(MPI_COMM_WORLD, 6, SMALL);
  agree("privileged", privileged);
  agree("reached", reached_by_other((pid_t)all[(rank + 1) % size]));
  agree("traceable", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
  agree("named files", named_files());
  figure("memory", mappings_of("/memfd:hcube"));
  MPI_Barrier(MPI_COMM_WORLD);
  free(all);
  return end_program();
}
