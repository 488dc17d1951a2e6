/*
 * HPCC's hooks after MPI_Init and before MPI_Finalize, and what hcube's replacements of its kernels
 * share.
 *
 * HCUBE_HPCC selects the kernels that hcube serves. Where it does not, HPCC's own code runs:
 * hcube.mk compiles HPCC's files a second time with other names for the functions that hcube
 * replaces.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <hpcc.h>

#include "hcube_glue.h"

/* A program with two MPI libraries would crash in MPI_Init. */
#if (defined(HCUBE_FOR_openmpi) && !defined(OPEN_MPI)) || \
    (defined(HCUBE_FOR_mpich) && defined(OPEN_MPI))
#error HCUBE_MPI is not the MPI library that HPCC is compiled with: set HCUBE_MPI before the include
#endif

/*
 * HPCC is one process per rank and calls the hooks and kernels from one thread, so statics can hold
 * what rank 0 has read and what was printed.
 */
static unsigned serves = (1u << HCUBE_HPCC_KERNELS) - 1;
static int verbose;
static unsigned announced;
static unsigned fallen_back;
static unsigned changed;

static const struct {
  const char *name;  /* in HCUBE_HPCC */
  const char *title; /* in messages */
} kernels[HCUBE_HPCC_KERNELS] = {
    [HCUBE_HPCC_RA] = {"ra", "RandomAccess update"}, [HCUBE_HPCC_FFT] = {"fft", "FFT"},
    [HCUBE_HPCC_HPL] = {"hpl", "HPL broadcast"},     [HCUBE_HPCC_STREAM] = {"stream", "STREAM"},
    [HCUBE_HPCC_PTRANS] = {"ptrans", "PTRANS"},
};

int hcube_hpcc_serves(enum hcube_hpcc_kernel kernel)
{
  return (serves >> kernel) & 1;
}

int hcube_hpcc_verbose(void)
{
  return verbose;
}

void hcube_hpcc_fail(const char *doing, int32_t code, const hcube_error *error)
{
  const char *message = error->message[0] ? error->message : hcube_error_string(code);
  int rank = -1;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "hcube: rank %d: %s: %s (error %d)\n", rank, doing, message, (int)code);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* One line in one write, so that it is not mixed with lines of other ranks. */
static void say(enum hcube_hpcc_kernel kernel, const char *what, const char *format,
                va_list arguments)
{
  char line[1024];
  int used;

  used = snprintf(line, sizeof line, "hcube %s: HPCC %s %s: ", hcube_version(),
                  kernels[kernel].title, what);
  if (used > 0 && (size_t)used < sizeof line)
    vsnprintf(line + used, sizeof line - used, format, arguments);
  fprintf(stderr, "%s\n", line);
  fflush(stderr);
}

void hcube_hpcc_active(enum hcube_hpcc_kernel kernel, const char *format, ...)
{
  va_list arguments;

  if (!verbose || (announced >> kernel) & 1) return;
  announced |= 1u << kernel;
  va_start(arguments, format);
  say(kernel, "active", format, arguments);
  va_end(arguments);
}

void hcube_hpcc_falls_back(enum hcube_hpcc_kernel kernel, const char *format, ...)
{
  va_list arguments;

  if ((fallen_back >> kernel) & 1) return;
  fallen_back |= 1u << kernel;
  va_start(arguments, format);
  say(kernel, "not active, HPCC's own code runs", format, arguments);
  va_end(arguments);
}

void hcube_hpcc_changes(enum hcube_hpcc_kernel kernel, const char *format, ...)
{
  va_list arguments;

  if ((changed >> kernel) & 1) return;
  changed |= 1u << kernel;
  va_start(arguments, format);
  say(kernel, "uses another algorithm", format, arguments);
  va_end(arguments);
}

void hcube_hpcc_give_up(enum hcube_hpcc_kernel kernel, MPI_Comm ranks, const char *reason)
{
  int rank;

  serves &= ~(1u << kernel);
  MPI_Comm_rank(ranks, &rank);
  if (rank == 0) hcube_hpcc_falls_back(kernel, "%s", reason);
}

/* The kernel of a name of `length` letters, or HCUBE_HPCC_KERNELS. */
static int kernel_of(const char *name, size_t length)
{
  int kernel;

  for (kernel = 0; kernel < HCUBE_HPCC_KERNELS; kernel++)
    if (strlen(kernels[kernel].name) == length && strncmp(kernels[kernel].name, name, length) == 0)
      break;
  return kernel;
}

/* The kernels of a list such as "ra,fft" as bits, or -1 with a message if a name is unknown.
 * Without a value, all; "none" for none. */
static long selected(const char *list)
{
  long bits = 0;

  if (list == NULL || list[0] == '\0') return (1l << HCUBE_HPCC_KERNELS) - 1;
  if (strcmp(list, "none") == 0) return 0;
  for (;;) {
    size_t length = strcspn(list, ",");
    int kernel = kernel_of(list, length);

    if (kernel == HCUBE_HPCC_KERNELS) {
      fprintf(stderr,
              "hcube: HCUBE_HPCC: '%.*s' is unknown: expected a list of ra, fft, hpl, stream, "
              "ptrans, or none\n",
              (int)length, list);
      fflush(stderr);
      return -1;
    }
    bits |= 1l << kernel;
    if (list[length] == '\0') return bits;
    list += length + 1;
  }
}

/* Collective: reads the variables on rank 0, because launchers may not pass the environment to
 * other nodes, and a collective call that only some ranks make would hang. */
static void read_variables(void)
{
  long choice[2] = {0, 0};
  int rank;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const char *value = getenv("HCUBE_VERBOSE");

    choice[0] = selected(getenv("HCUBE_HPCC"));
    choice[1] = value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
  }
  MPI_Bcast(choice, 2, MPI_LONG, 0, MPI_COMM_WORLD);
  if (choice[0] < 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  serves = (unsigned)choice[0];
  verbose = (int)choice[1];
}

/* Collective: HPCC compiled with OpenMP computes transforms and STREAM in all threads of a rank,
 * hcube in one. */
static void leave_threads_to_hpcc(void)
{
#ifdef _OPENMP
  static const enum hcube_hpcc_kernel threaded[] = {HCUBE_HPCC_FFT, HCUBE_HPCC_STREAM};
  int own = omp_get_max_threads(), threads;
  char reason[128];
  size_t index;

  MPI_Allreduce(&own, &threads, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (threads == 1) return;
  snprintf(reason, sizeof reason,
           "it uses %d threads per rank, and hcube's one (OMP_NUM_THREADS=1)", threads);
  for (index = 0; index < sizeof threaded / sizeof threaded[0]; index++)
    if (hcube_hpcc_serves(threaded[index]))
      hcube_hpcc_give_up(threaded[index], MPI_COMM_WORLD, reason);
#endif
}

/* A failure ends the job here: if it were returned, HPCC would skip all its tests and clean up
 * parameters that it has not read yet. */
int HPCC_external_init(int argc, char *argv[], void *extdata)
{
  (void)argc;
  (void)argv;
  *(void **)extdata = NULL; /* passed on to the hook below, which needs nothing */

  read_variables();
  leave_threads_to_hpcc();
  if (hcube_hpcc_serves(HCUBE_HPCC_FFT)) hcube_hpcc_prepare_fft();
  if (hcube_hpcc_serves(HCUBE_HPCC_RA)) hcube_hpcc_prepare_random_access();
  return 0;
}

/* Nothing to do: hcube's state is an attribute of the communicators, which MPI_Finalize frees. */
int HPCC_external_finalize(int argc, char *argv[], void *extdata)
{
  (void)argc;
  (void)argv;
  (void)extdata;
  return 0;
}
