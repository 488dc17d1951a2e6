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

/* What a function returns; a function without a code ends the program. */
enum { HCUBE_CODE, MPI_CODE, NO_CODE };

typedef struct function {
  const char *name;
  int (*call)(const arguments *a);
  int kind;
  /* Faults that its arguments may have. */
  unsigned faults;
} function;

#define CALL(name, arguments_)                 \
  static int call_##name(const arguments *a) { \
    return (int)name arguments_;               \
  }

CALL(hcube_random_access_default_options, (a->defaults, a->size, a->error))
CALL(hcube_random_access_prepare, (a->comm, a->options, a->error))
CALL(hcube_random_access_run, (a->comm, a->table, a->updates, a->options, a->error))
CALL(hcube_random_access_verify, (a->comm, a->table, a->updates, a->errors, a->error))
CALL(hcube_random_access_last_statistics, (a->comm, a->statistics, a->error))
CALL(hcube_random_access_describe, (a->comm, a->options, a->text, a->length, a->error))
CALL(hcube_fortran_random_access_prepare, (a->number, a->options, a->error))
CALL(hcube_fortran_random_access_run, (a->number, a->table, a->updates, a->options, a->error))
CALL(hcube_fortran_random_access_verify, (a->number, a->table, a->updates, a->errors, a->error))
CALL(hcube_fortran_random_access_last_statistics, (a->number, a->statistics, a->error))
CALL(hcube_fortran_random_access_describe, (a->number, a->options, a->text, a->length, a->error))

CALL(hcube_transpose, (a->input, a->output, a->shape, a->comm, a->error))
CALL(hcube_transpose_check, (a->shape, a->in_place, a->comm, a->error))
CALL(hcube_fortran_transpose, (a->input, a->output, a->shape, a->number, a->error))
CALL(hcube_fortran_transpose_in_place, (a->output, a->shape, a->number, a->error))
CALL(hcube_fortran_transpose_check, (a->shape, a->in_place, a->number, a->error))

CALL(hcube_alltoall_default_options, (a->alltoall_defaults, a->alltoall_size, a->error))
CALL(hcube_alltoall_set_options, (a->comm, a->alltoall_options, a->error))
CALL(hcube_alltoall_last_path, (a->comm, a->text, a->length, a->error))
CALL(hcube_alltoall_last_way, (a->comm, a->text, a->length, a->error))
CALL(hcube_fortran_alltoall_set_options, (a->number, a->alltoall_options, a->error))
CALL(hcube_fortran_alltoall_last_way, (a->number, a->text, a->length, a->error))

CALL(hcube_alltoall, (a->sent, a->count, a->type, a->received, a->count, a->type, a->comm))
CALL(hcube_alltoall_c, (a->sent, a->count, a->type, a->received, a->count, a->type, a->comm))
CALL(hcube_alltoallv,
     (a->sent, a->counts, a->displacements, a->type, a->received, a->counts, a->displacements, a->type, a->comm))
CALL(hcube_alltoallv_c, (a->sent, a->large_counts, a->large_displacements, a->type, a->received, a->large_counts,
                         a->large_displacements, a->type, a->comm))
CALL(hcube_alltoallv_in_place,
     (a->received, a->counts, a->displacements, a->counts, a->displacements, a->type, a->comm))
CALL(hcube_alltoallv_in_place_c,
     (a->received, a->large_counts, a->large_displacements, a->large_counts, a->large_displacements, a->type, a->comm))
CALL(hcube_alltoallw,
     (a->sent, a->counts, a->displacements, a->types, a->received, a->counts, a->displacements, a->types, a->comm))
CALL(hcube_alltoallw_c, (a->sent, a->large_counts, a->large_displacements, a->types, a->received, a->large_counts,
                         a->large_displacements, a->types, a->comm))
CALL(hcube_fortran_alltoall, (a->sent, a->count, a->type_number, a->received, a->count, a->type_number, a->number))
CALL(hcube_fortran_alltoall_in_place, (a->received, a->count, a->type_number, a->number))
CALL(hcube_fortran_alltoallv, (a->sent, a->counts, a->displacements, a->type_number, a->received, a->counts,
                               a->displacements, a->type_number, a->number))
CALL(hcube_fortran_alltoallv_in_place, (a->received, a->counts, a->displacements, a->type_number, a->number))
CALL(hcube_fortran_alltoallv_in_one_buffer,
     (a->received, a->counts, a->displacements, a->counts, a->displacements, a->type_number, a->number))
CALL(hcube_fortran_alltoallw, (a->sent, a->counts, a->displacements, a->type_numbers, a->received, a->counts,
                               a->displacements, a->type_numbers, a->number))
CALL(hcube_fortran_alltoallw_in_place, (a->received, a->counts, a->displacements, a->type_numbers, a->number))

CALL(hcube_gemm, (a->comm, a->grid_rows, size, a->element, a->transa, 'N', a->m, SIDE *(int64_t)size, SIDE, a->alpha,
                  a->factor, a->at, a->factor, a->at, a->alpha, a->matrix, a->at, a->gemm_options, a->error))
CALL(hcube_gemm_default_options, (a->gemm_defaults, a->gemm_size, a->error))
CALL(hcube_gemm_set_options, (a->comm, a->gemm_options, a->error))
CALL(hcube_gemm_last_path, (a->comm, a->text, a->length, a->error))
CALL(hcube_fortran_gemm,
     (a->number, a->grid_rows, size, a->element, a->transa, 'N', a->m, SIDE *(int64_t)size, SIDE, a->alpha, a->factor,
      a->at, a->factor, a->at, a->alpha, a->matrix, a->at, a->gemm_options, a->error))
CALL(hcube_fortran_gemm_set_options, (a->number, a->gemm_options, a->error))
CALL(hcube_fortran_gemm_last_path, (a->number, a->text, a->length, a->error))

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

#define FUNCTION(name, kind, faults) \
  { #name, call_##name, kind, faults }
#define RUN (ALL_COMMS | COLLECTIVE)
#define ONE (ALL_COMMS)
#define EXCHANGE (COMM | FREED | COLLECTIVE | RECEIVED)

static const function functions[] = {
    FUNCTION(hcube_version, HCUBE_CODE, 0),
    FUNCTION(hcube_error_string, HCUBE_CODE, 0),
    FUNCTION(hcube_random_access_default_options, HCUBE_CODE, DEFAULTS),
    FUNCTION(hcube_random_access_prepare, HCUBE_CODE, RUN | OPTIONS),
    FUNCTION(hcube_random_access_run, HCUBE_CODE, RUN | TABLE | UPDATES | OPTIONS),
    FUNCTION(hcube_random_access_verify, HCUBE_CODE, RUN | TABLE | UPDATES | ERRORS),
    FUNCTION(hcube_random_access_last_statistics, HCUBE_CODE, ONE | STATISTICS),
    FUNCTION(hcube_random_access_describe, HCUBE_CODE, RUN | OPTIONS | TEXT),
    FUNCTION(hcube_fortran_random_access_prepare, HCUBE_CODE, RUN | OPTIONS),
    FUNCTION(hcube_fortran_random_access_run, HCUBE_CODE, RUN | TABLE | UPDATES | OPTIONS),
    FUNCTION(hcube_fortran_random_access_verify, HCUBE_CODE, RUN | TABLE | UPDATES | ERRORS),
    FUNCTION(hcube_fortran_random_access_last_statistics, HCUBE_CODE, ONE | STATISTICS),
    FUNCTION(hcube_fortran_random_access_describe, HCUBE_CODE, RUN | OPTIONS | TEXT),
    FUNCTION(hcube_transpose, HCUBE_CODE, RUN | SHAPE | INPUT | OUTPUT),
    FUNCTION(hcube_transpose_check, HCUBE_CODE, RUN | SHAPE | PLACE),
    FUNCTION(hcube_fortran_transpose, HCUBE_CODE, RUN | SHAPE | INPUT | OUTPUT),
    FUNCTION(hcube_fortran_transpose_in_place, HCUBE_CODE, RUN | SHAPE | OUTPUT),
    FUNCTION(hcube_fortran_transpose_check, HCUBE_CODE, RUN | SHAPE | PLACE),
    FUNCTION(hcube_alltoall_default_options, HCUBE_CODE, DEFAULTS),
    FUNCTION(hcube_alltoall_set_options, HCUBE_CODE, RUN | ALLTOALL_OPTIONS),
    FUNCTION(hcube_alltoall_last_path, HCUBE_CODE, ONE | TEXT),
    FUNCTION(hcube_alltoall_last_way, HCUBE_CODE, ONE | TEXT),
    FUNCTION(hcube_fortran_alltoall_set_options, HCUBE_CODE, RUN | ALLTOALL_OPTIONS),
    FUNCTION(hcube_fortran_alltoall_last_way, HCUBE_CODE, ONE | TEXT),
    FUNCTION(hcube_gemm, HCUBE_CODE, RUN | GEMM | GEMM_OPTIONS),
    FUNCTION(hcube_gemm_default_options, HCUBE_CODE, DEFAULTS),
    FUNCTION(hcube_gemm_set_options, HCUBE_CODE, RUN | GEMM_OPTIONS),
    FUNCTION(hcube_gemm_last_path, HCUBE_CODE, ONE | TEXT),
    FUNCTION(hcube_fortran_gemm, HCUBE_CODE, RUN | GEMM | GEMM_OPTIONS),
    FUNCTION(hcube_fortran_gemm_set_options, HCUBE_CODE, RUN | GEMM_OPTIONS),
    FUNCTION(hcube_fortran_gemm_last_path, HCUBE_CODE, ONE | TEXT),
    FUNCTION(hcube_psgemm_, NO_CODE, 0),
    FUNCTION(hcube_pdgemm_, NO_CODE, 0),
    FUNCTION(hcube_pcgemm_, NO_CODE, 0),
    FUNCTION(hcube_pzgemm_, NO_CODE, 0),
    FUNCTION(hcube_alltoall, MPI_CODE, EXCHANGE | SENT | COUNT | TYPE),
    FUNCTION(hcube_alltoall_c, MPI_CODE, EXCHANGE | SENT | COUNT | TYPE),
    FUNCTION(hcube_alltoallv, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPE),
    FUNCTION(hcube_alltoallv_c, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPE),
    FUNCTION(hcube_alltoallv_in_place, MPI_CODE, EXCHANGE | COUNTS | TYPE),
    FUNCTION(hcube_alltoallv_in_place_c, MPI_CODE, EXCHANGE | COUNTS | TYPE),
    FUNCTION(hcube_alltoallw, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPES),
    FUNCTION(hcube_alltoallw_c, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPES),
    FUNCTION(hcube_fortran_alltoall, MPI_CODE, EXCHANGE | SENT | COUNT | TYPE),
    FUNCTION(hcube_fortran_alltoall_in_place, MPI_CODE, EXCHANGE | COUNT | TYPE),
    FUNCTION(hcube_fortran_alltoallv, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPE),
    FUNCTION(hcube_fortran_alltoallv_in_place, MPI_CODE, EXCHANGE | COUNTS | TYPE),
    FUNCTION(hcube_fortran_alltoallv_in_one_buffer, MPI_CODE, EXCHANGE | COUNTS | TYPE),
    FUNCTION(hcube_fortran_alltoallw, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPES),
    FUNCTION(hcube_fortran_alltoallw_in_place, MPI_CODE, EXCHANGE | COUNTS | TYPES),
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static int refused_calls[FUNCTIONS];

/* While MPI is not active there is nobody to abort. */
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
