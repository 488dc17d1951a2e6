/*
 * What the two parts of hcube's HPL share: process rows (hcube_hpl.c) and process columns
 * (hcube_hpl_column.c).
 */
#ifndef HCUBE_HPCC_HPL_H
#define HCUBE_HPCC_HPL_H

#include <hpcc.h>

#include "hcube_glue.h"

/* Whether HPCC's own code runs in this process row or column. Local. */
int hcube_hpl_is_refused(MPI_Comm comm);

/* From now on HPCC's own code runs in this process row or column; called by all of its ranks.
 * Local: HPL frees the communicator, and with it the refusal, when it has finished with the grid.
 */
void hcube_hpl_refuse(MPI_Comm comm);

/* Decides whether hcube serves the process column of a panel. Collective over the column if its
 * memory is too small, which is so on all ranks or on none. */
void hcube_hpl_prepare_column(const HPL_T_panel *panel);

#endif
