/* What the benchmarks of the preload library share: times of the slowest rank, memory of a process, and records in the
 * form of lab/src/records.rs, which `hcube-lab collect preload` reads.
 *
 * Every program is called as <program> FILE VARIANT [argument...]: rank 0 appends to FILE, and VARIANT says whether the
 * preload library is there. */
#ifndef BENCH_H
#define BENCH_H

#include <mpi.h>
#include <stddef.h>

typedef struct {
    const char *benchmark;
    const char *name; /* of the case within the benchmark */
    const char *unit; /* s or B */
    double bound;     /* by how much a value may exceed that of the MPI library, as a factor; 0 without a bound */
} bench_case;

typedef struct {
    double resident, share, address_space; /* in bytes; the share counts a page once for all processes that map it */
} bench_footprint;

/* Between these two lines a program measures; they include MPI_Init and MPI_Finalize. */
void bench_begin(int *argc, char ***argv, int arguments, const char *usage);
void bench_end(void);

int bench_rank(void);
int bench_size(void);

/* An argument that must be a number from 1. */
int bench_number(const char *text);

/* Writes a value of this process's variant, or of another one. */
void bench_write(const bench_case *of, double value);
void bench_write_as(const bench_case *of, const char *variant, const double *values, int count);

/* Collective: the largest value of all ranks, and their mean. */
double bench_most(double mine);
double bench_mean(double mine);

/* Reorders the values. */
double bench_median(double *values, int count);

void *bench_memory(size_t bytes);

/* Collective: the memory of this process, measured between two barriers, so that no rank has gone on. */
bench_footprint bench_take(void);

/* Ends the job. */
void bench_fail(const char *what);

#endif
