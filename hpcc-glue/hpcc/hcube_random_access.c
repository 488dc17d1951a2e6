/*
 * Replaces the RandomAccess update of HPCC by that of hcube.
 *
 * HPCC's harness allocates and fills the table, measures the time, verifies and
 * reports; it calls one of the four functions below for the timed update.
 * Defined here and linked before libhpl.a, they replace HPCC's own, so that
 * no source file of HPCC is changed. The harness passes its parameters as a
 * structure by value whose layout depends on the MPI library and on HPCC's
 * build flags: that is why this file is compiled against HPCC's headers, with
 * HPCC's flags, and not shipped inside libhcube.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <hpcc.h>
#include "RandomAccess.h"

#include <hcube.h>

_Static_assert(sizeof(u64Int) == sizeof(uint64_t),
               "HPCC's 64-bit type does not have 64 bits: check -DLONG_IS_64BITS");

/*
 * HPCC is one process per rank and calls these functions from one thread, so
 * statics can hold state between calls.
 *
 * The line that HCUBE_VERBOSE requests. Composed at start-up, because this needs
 * a collective call, which must not be timed; printed by the first update, which
 * shows that HPCC runs hcube's. Empty on ranks that have nothing to print.
 */
static char announcement[512];

/* Ends the job: HPCC's update functions cannot return an error, and if one rank
 * returned, the others would wait for its messages. */
static void fail(const char *doing, int32_t code, const hcube_error *error)
{
  const char *message = error->message[0] ? error->message : hcube_error_string(code);
  int rank = -1;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "hcube: rank %d: %s: %s (error %d)\n", rank, doing, message, (int)code);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* True on all ranks or on none. Launchers may not pass the environment to other
 * nodes, so rank 0 decides: a collective call that only some ranks make would
 * hang. */
static int announcement_wanted(void)
{
  const char *value = getenv("HCUBE_VERBOSE");
  int wanted = value != NULL && value[0] != '\0' && !(value[0] == '0' && value[1] == '\0');

  MPI_Bcast(&wanted, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return wanted;
}

/* Common to all four updates: hcube itself distinguishes numbers of ranks that are
 * powers of two, so only the stream of random values differs. */
static void update(int32_t stream, const HPCC_RandomAccess_tabparams_t *parameters)
{
  const hcube_table table = {
      .words = (uint64_t *)HPCC_Table,
      .local_length = (int64_t)parameters->LocalTableSize,
      .global_length = (int64_t)parameters->TableSize,
      .first_index = (int64_t)parameters->GlobalStartMyProc,
  };
  /* HPCC gives each rank the part of the stream that belongs to its part of
   * the table, at four updates per word. Only the count may be smaller: in
   * HPCC's time-bound runs. */
  const hcube_updates updates = {
      .stream = stream,
      .start = 4 * (int64_t)parameters->GlobalStartMyProc,
      .count = (int64_t)parameters->ProcNumUpdates,
  };
  hcube_error error = {0};
  int32_t code;

  if (announcement[0] != '\0') {
    fputs(announcement, stderr);
    fflush(stderr);
    announcement[0] = '\0';
  }
  code = hcube_random_access_run(MPI_COMM_WORLD, &table, &updates, NULL, &error);
  if (code != HCUBE_SUCCESS) fail("RandomAccess update", code, &error);
}

void AnyNodesMPIRandomAccessUpdate(HPCC_RandomAccess_tabparams_t tparams)
{
  update(HCUBE_STREAM_POLYNOMIAL, &tparams);
}

void Power2NodesMPIRandomAccessUpdate(HPCC_RandomAccess_tabparams_t tparams)
{
  update(HCUBE_STREAM_POLYNOMIAL, &tparams);
}

void HPCC_AnyNodesMPIRandomAccessUpdate_LCG(HPCC_RandomAccess_tabparams_t tparams)
{
  update(HCUBE_STREAM_LCG, &tparams);
}

void HPCC_Power2NodesMPIRandomAccessUpdate_LCG(HPCC_RandomAccess_tabparams_t tparams)
{
  update(HCUBE_STREAM_LCG, &tparams);
}

/* HPCC's hook after MPI_Init, which is not timed. A failure ends the job here: if
 * it were returned, HPCC would skip all its tests and clean up parameters that it
 * has not read yet. */
int HPCC_external_init(int argc, char *argv[], void *extdata)
{
  hcube_error error = {0};
  int32_t code;
  int rank;

  (void)argc;
  (void)argv;
  *(void **)extdata = NULL; /* passed on to the hook below, which needs nothing */

  code = hcube_random_access_prepare(MPI_COMM_WORLD, NULL, &error);
  if (code != HCUBE_SUCCESS) fail("preparing the RandomAccess update", code, &error);

  if (announcement_wanted()) {
    char description[256] = "";

    code =
        hcube_random_access_describe(MPI_COMM_WORLD, NULL, description, sizeof description, &error);
    if (code != HCUBE_SUCCESS) fail("describing the RandomAccess update", code, &error);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
      snprintf(announcement, sizeof announcement, "hcube %s: HPCC RandomAccess update active: %s\n",
               hcube_version(), description);
  }
  return 0;
}

/* HPCC's hook before MPI_Finalize. Nothing to do: hcube's state is an attribute of
 * the communicator, which MPI_Finalize frees. */
int HPCC_external_finalize(int argc, char *argv[], void *extdata)
{
  (void)argc;
  (void)argv;
  (void)extdata;
  return 0;
}
