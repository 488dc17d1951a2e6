/*
 * The common part of hcube's replacements of HPCC's kernels: which of them are switched on, and
 * their messages.
 */
#ifndef HCUBE_HPCC_GLUE_H
#define HCUBE_HPCC_GLUE_H

#include <hcube.h>

/* The kernels that hcube replaces, in the order of their names in HCUBE_HPCC. */
enum hcube_hpcc_kernel {
  HCUBE_HPCC_RA,
  HCUBE_HPCC_FFT,
  HCUBE_HPCC_HPL,
  HCUBE_HPCC_STREAM,
  HCUBE_HPCC_PTRANS,
  HCUBE_HPCC_KERNELS
};

/* Whether the kernel is switched on by HCUBE_HPCC: the same on all ranks. Local; HPCC_external_init
 * has read the variable on rank 0. */
int hcube_hpcc_serves(enum hcube_hpcc_kernel kernel);

/* Whether HCUBE_VERBOSE requests announcements: the same on all ranks. Local. */
int hcube_hpcc_verbose(void);

/* Says that hcube serves this kernel, and how: once per kernel, if HCUBE_VERBOSE requests it.
 * Local; one rank calls it, outside of what HPCC measures. */
void hcube_hpcc_active(enum hcube_hpcc_kernel kernel, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says that HPCC's own code runs for this kernel, and why: once per kernel. Local; one rank calls
 * it. */
void hcube_hpcc_falls_back(enum hcube_hpcc_kernel kernel, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* HPCC's own code runs for this kernel on these ranks from now on. Local, on all of them; the first
 * one prints it. */
void hcube_hpcc_give_up(enum hcube_hpcc_kernel kernel, MPI_Comm ranks, const char *reason);

/* Says that hcube serves this kernel by another algorithm than was selected, and why: once per
 * kernel. Local; one rank calls it. */
void hcube_hpcc_changes(enum hcube_hpcc_kernel kernel, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the job: HPCC's kernels cannot return an error, and if one rank returned, the others would
 * wait for its messages. */
void hcube_hpcc_fail(const char *doing, int32_t code, const hcube_error *error);

/* Reads the options of transforms on rank 0, for all ranks. Collective over all ranks. */
void hcube_hpcc_prepare_fft(void);

/* The set-up of RandomAccess, which HPCC must not measure. Collective over all ranks. */
void hcube_hpcc_prepare_random_access(void);

#endif
