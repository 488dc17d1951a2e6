/*
 * Replaces the RandomAccess update of HPCC by hcube's.
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

#include "hcube_glue.h"

_Static_assert(sizeof(u64Int) == sizeof(uint64_t),
               "HPCC's 64-bit type does not have 64 bits: check -DLONG_IS_64BITS");

/* HPCC's standard algorithm, under the names in hcube.mk. */
void hcube_stock_AnyNodesMPIRandomAccessUpdate(HPCC_RandomAccess_tabparams_t tparams);
void hcube_stock_Power2NodesMPIRandomAccessUpdate(HPCC_RandomAccess_tabparams_t tparams);
void hcube_stock_HPCC_AnyNodesMPIRandomAccessUpdate_LCG(HPCC_RandomAccess_tabparams_t tparams);
void hcube_stock_HPCC_Power2NodesMPIRandomAccessUpdate_LCG(HPCC_RandomAccess_tabparams_t tparams);

/* How hcube works here. Composed at start-up, because this needs a collective call, which must not
 * be timed; announced by the first update, which shows that HPCC runs hcube's. Empty on ranks that
 * have nothing to print. */
static char description[256];

void hcube_hpcc_prepare_random_access(void)
{
  hcube_error error = {0};
  int32_t code = hcube_random_access_prepare(MPI_COMM_WORLD, NULL, &error);
  int rank;

  /* All ranks have the same code. */
  if (code == HCUBE_ERR_MEMORY || code == HCUBE_ERR_COMM || code == HCUBE_ERR_MISMATCH) {
    hcube_hpcc_give_up(HCUBE_HPCC_RA, MPI_COMM_WORLD, error.message);
    return;
  }
  if (code != HCUBE_SUCCESS) hcube_hpcc_fail("preparing the RandomAccess update", code, &error);
  if (!hcube_hpcc_verbose()) return;
  code =
      hcube_random_access_describe(MPI_COMM_WORLD, NULL, description, sizeof description, &error);
  if (code != HCUBE_SUCCESS) hcube_hpcc_fail("describing the RandomAccess update", code, &error);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) description[0] = '\0';
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

  if (description[0] != '\0') hcube_hpcc_active(HCUBE_HPCC_RA, "%s", description);
  code = hcube_random_access_run(MPI_COMM_WORLD, &table, &updates, NULL, &error);
  if (code != HCUBE_SUCCESS) hcube_hpcc_fail("RandomAccess update", code, &error);
}

void AnyNodesMPIRandomAccessUpdate(HPCC_RandomAccess_tabparams_t tparams)
{
  if (hcube_hpcc_serves(HCUBE_HPCC_RA)) update(HCUBE_STREAM_POLYNOMIAL, &tparams);
  else hcube_stock_AnyNodesMPIRandomAccessUpdate(tparams);
}

void Power2NodesMPIRandomAccessUpdate(HPCC_RandomAccess_tabparams_t tparams)
{
  if (hcube_hpcc_serves(HCUBE_HPCC_RA)) update(HCUBE_STREAM_POLYNOMIAL, &tparams);
  else hcube_stock_Power2NodesMPIRandomAccessUpdate(tparams);
}

void HPCC_AnyNodesMPIRandomAccessUpdate_LCG(HPCC_RandomAccess_tabparams_t tparams)
{
  if (hcube_hpcc_serves(HCUBE_HPCC_RA)) update(HCUBE_STREAM_LCG, &tparams);
  else hcube_stock_HPCC_AnyNodesMPIRandomAccessUpdate_LCG(tparams);
}

void HPCC_Power2NodesMPIRandomAccessUpdate_LCG(HPCC_RandomAccess_tabparams_t tparams)
{
  if (hcube_hpcc_serves(HCUBE_HPCC_RA)) update(HCUBE_STREAM_LCG, &tparams);
  else hcube_stock_HPCC_Power2NodesMPIRandomAccessUpdate_LCG(tparams);
}
