/*
 * The part of the interface of FFTW 2 that HPCC calls for transforms over all ranks, provided by
 * hcube. Unlike in FFTW 2, the length of a vector has 64 bits.
 */
#ifndef HCUBE_FFTW2_MPI_H
#define HCUBE_FFTW2_MPI_H

#include <mpi.h>

#include "fftw.h"

typedef struct hcube_fftw_mpi_plan *fftw_mpi_plan;

/* Collective: a transform of n points, n / size points on each rank of comm; NULL if there is no
 * memory. */
fftw_mpi_plan fftw_mpi_create_plan(MPI_Comm comm, long long n, fftw_direction direction, int flags);
void fftw_mpi_destroy_plan(fftw_mpi_plan plan);
/* Points of this rank and the first of them, before and after the transform, and points that its
 * arrays must hold. Local. */
void fftw_mpi_local_sizes(fftw_mpi_plan plan, int *local_n, int *local_start,
                          int *local_n_after_transform, int *local_start_after_transform,
                          int *total_local_size);
/* Collective: transforms the vector in place, without a factor. fields is 1, and work has the size
 * of data. */
void fftw_mpi(fftw_mpi_plan plan, int fields, fftw_complex *data, fftw_complex *work);

#endif
