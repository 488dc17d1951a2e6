/*
 * The part of the interface of FFTW 2 that HPCC calls for transforms on one rank, provided by
 * hcube. HPCC includes this header if it is compiled with -DUSING_FFTW.
 */
#ifndef HCUBE_FFTW2_H
#define HCUBE_FFTW2_H

#include <stddef.h>

typedef double fftw_real;

typedef struct {
  fftw_real re, im;
} fftw_complex;

#define c_re(c) ((c).re)
#define c_im(c) ((c).im)

typedef enum { FFTW_FORWARD = -1, FFTW_BACKWARD = 1 } fftw_direction;

/* Flags of the planner, which hcube does not need: it always uses what it has found to be fastest.
 */
#define FFTW_ESTIMATE (0)
#define FFTW_MEASURE (1)
#define FFTW_OUT_OF_PLACE (0)
#define FFTW_IN_PLACE (8)
#define FFTW_USE_WISDOM (16)

typedef struct hcube_fftw_plan *fftw_plan;

/* A transform of n points on the calling rank, or NULL if there is no memory. Local. */
fftw_plan fftw_create_plan(int n, fftw_direction direction, int flags);
void fftw_destroy_plan(fftw_plan plan);
/* Transforms in to out, n points each, without a factor. Local. */
void fftw_one(fftw_plan plan, fftw_complex *in, fftw_complex *out);

/* Memory that is aligned for vectors, or NULL. */
void *fftw_malloc(size_t bytes);
void fftw_free(void *memory);

#endif
