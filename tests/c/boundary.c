/* Every exported function, with every kind of bad argument that it takes: before MPI_Init, with bad
 * communicators, with NULL, wrong sizes and wrong values on all ranks and on the last one only, after
 * MPI_Finalize. The code or the error class must be the right one, nothing may be written, no rank may wait, and
 * with good arguments the function must succeed, before and after. For each function it prints
 *
 *   called <function> <refusals>
 *
 * and tests/interface.rs compares the functions with those that the library exports. The arguments and the faults
 * stand in boundary.h.
 */
#include "boundary.h"

#include <sys/wait.h>
#include <unistd.h>

/* The result of a function; a function without a code ends the program. */
enum { HCUBE_CODE, MPI_CODE, NO_CODE };

typedef struct function {
  const char *name;
  int (*call)(const arguments *a);
  int kind;
  /* Faults that its arguments may have. */
  unsigned faults;
} function;

#define RUN (ALL_COMMS | COLLECTIVE)
#define ONE (ALL_COMMS)
#define EXCHANGE (COMM | FREED | COLLECTIVE | RECEIVED)

#define FUNCTION(name, kind, faults, arguments_) \
  static int call_##name(const arguments *a) {   \
    return (int)name arguments_;                 \
  }
#include "boundary_functions.h"

/* This program has no BLACS. */
#define CALL_PBLAS(name)                                                                                          \
  static int call_##name(const arguments *a) {                                                                    \
    int numbers[11] = {2, 0, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, 0, 0, SIDE};                                     \
    name("N", "N", &numbers[2], &numbers[2], &numbers[2], a->alpha, a->factor, &numbers[0], &numbers[0], numbers, \
         a->factor, &numbers[0], &numbers[0], numbers, a->alpha, a->matrix, &numbers[0], &numbers[0], numbers);   \
    return 0;                                                                                                     \
  }

CALL_PBLAS(hcube_psgemm_)
CALL_PBLAS(hcube_pdgemm_)
CALL_PBLAS(hcube_pcgemm_)
CALL_PBLAS(hcube_pzgemm_)

/* These cannot fail with any arguments. */
static int call_hcube_version(const arguments *a) {
  (void)a;
  return strlen(hcube_version()) > 0 ? HCUBE_SUCCESS : HCUBE_ERR_INTERNAL;
}

static int call_hcube_error_string(const arguments *a) {
  static const int32_t codes[] = {HCUBE_SUCCESS, HCUBE_ERR_INTERNAL, -1, 4711, INT32_MIN, INT32_MAX};
  (void)a;
  for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++)
    if (strlen(hcube_error_string(codes[i])) == 0) return HCUBE_ERR_INTERNAL;
  return HCUBE_SUCCESS;
}

static const function functions[] = {
    {"hcube_version", call_hcube_version, HCUBE_CODE, 0},
    {"hcube_error_string", call_hcube_error_string, HCUBE_CODE, 0},
    {"hcube_psgemm_", call_hcube_psgemm_, NO_CODE, 0},
    {"hcube_pdgemm_", call_hcube_pdgemm_, NO_CODE, 0},
    {"hcube_pcgemm_", call_hcube_pcgemm_, NO_CODE, 0},
    {"hcube_pzgemm_", call_hcube_pzgemm_, NO_CODE, 0},
#define FUNCTION(name, kind, faults, arguments_) {#name, call_##name, kind, faults},
#include "boundary_functions.h"
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static int refused_calls[FUNCTIONS];

/* While MPI is not active no job can be aborted. */
#define GIVE_UP(...)              \
  do {                            \
    fprintf(stderr, __VA_ARGS__); \
    fflush(stderr);               \
    abort();                      \
  } while (0)

/* --- while MPI is active ------------------------------------------------------------------------------- */

/* The HCUBE_* code or MPI's class of what a function has returned. */
static int meaning(const function *of, int code) {
  int error_class = code;
  if (of->kind == MPI_CODE && code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
  return error_class;
}

static void succeeds(const function *of) {
  arguments a = good_arguments();
  int code = of->call(&a);
  if (code != 0) FAIL("%s: code %d with good arguments: %s", of->name, code, a.error->message);
}

/* Has ranks make the call with one fault: all of them, or only the last. */
static void refuses(const function *of, const fault *with, int only_last, int with_message) {
  arguments a = good_arguments();
  int expected = of->kind == MPI_CODE ? with->error_class : with->code;
  if (!only_last || rank == size - 1) with->apply(&a);
  if (!with_message) a.error = NULL;
  remember();
  int code = of->call(&a);
  if (meaning(of, code) != expected)
    FAIL("%s, %s: %d instead of %d", of->name, with->name, meaning(of, code), expected);
  if (of->kind == HCUBE_CODE && with_message && (failure.code != code || strlen(failure.message) < 10))
    FAIL("%s, %s: returned %d and told %d, '%s'", of->name, with->name, code, (int)failure.code, failure.message);
  if (!unchanged()) FAIL("%s, %s: something was written", of->name, with->name);
  refused_calls[of - functions]++;
}

static void every_fault(const function *of) {
  for (unsigned i = 0; i < FAULTS; i++) {
    const fault *with = &faults[i];
    if ((with->kind & of->faults) == 0 || !may_be_made(with, of->kind == MPI_CODE && !takes_number(of->name))) continue;
    refuses(of, with, 0, 1);
    if (of->kind == HCUBE_CODE) refuses(of, with, 0, 0);
    if (size > 1 && (of->faults & COLLECTIVE) != 0 && (with->kind & ALL_COMMS) == 0) refuses(of, with, 1, 1);
  }
}

/* --- while it is not ----------------------------------------------------------------------------------- */

/* The functions that are MPI's own in all but name do what MPI does, and that ends the program, as do those without a
 * code: they are called in
 * a process of their own. It must not crash, and must not come back with success. */
static void ended_by_mpi(const function *of, int with_comm, const char *when) {
  pid_t child = fork();
  int status = 0;
  if (child == 0) {
    arguments a = good_arguments();
    if (!with_comm) a.comm = MPI_COMM_NULL;
    /* Nothing of the job's may be told. */
    for (int descriptor = 3; descriptor < 1024; descriptor++) close(descriptor);
    if (freopen("/dev/null", "w", stderr) == NULL || freopen("/dev/null", "w", stdout) == NULL) _exit(0);
    remember();
    int code = of->call(&a);
    _exit(code == MPI_SUCCESS || !unchanged() ? 0 : 1);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) GIVE_UP("%s: no process of its own\n", of->name);
  if ((WIFEXITED(status) && WEXITSTATUS(status) == 0) || (WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT))
    GIVE_UP("%s %s: status %x\n", of->name, when, (unsigned)status);
  refused_calls[of - functions]++;
}

static void inactive(const char *when, const char *told) {
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    const function *of = &functions[i];
    arguments a = good_arguments();
    int expected = (of->faults & COMM) != 0 ? HCUBE_ERR_MPI_STATE : HCUBE_SUCCESS;
    if (of->kind != HCUBE_CODE) {
      ended_by_mpi(of, 1, when);
      ended_by_mpi(of, 0, when);
      continue;
    }
    remember();
    int code = of->call(&a);
    if (code != expected) GIVE_UP("%s %s: code %d instead of %d\n", of->name, when, code, expected);
    if (expected == HCUBE_SUCCESS) continue;
    if (strstr(failure.message, told) == NULL) GIVE_UP("%s %s: '%s'\n", of->name, when, failure.message);
    if (!unchanged()) GIVE_UP("%s %s: something was written\n", of->name, when);
    refused_calls[i]++;
  }
}

int main(int argc, char **argv) {
  inactive("before MPI_Init", "not initialised");
  begin_program(&argc, &argv);
  make_communicators();
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    if (functions[i].kind == NO_CODE) continue;
    succeeds(&functions[i]);
    every_fault(&functions[i]);
    succeeds(&functions[i]);
  }
  free_communicators();
  MPI_Finalize();
  inactive("after MPI_Finalize", "already finalised");
  for (unsigned i = 0; i < FUNCTIONS && rank == 0; i++) printf("called %s %d\n", functions[i].name, refused_calls[i]);
  return 0;
}
