/* A problem of the benchmark with its arrays, and the memory of the process. */
#ifndef FFTW_BENCH_H
#define FFTW_BENCH_H

#include <fftw3-mpi.h>

typedef enum { TRANSPOSE, COMPLEX_TO_COMPLEX, REAL_TO_COMPLEX } problem_kind;

typedef struct {
    problem_kind kind;
    int dimensions, in_place;
    unsigned flags;
    ptrdiff_t n[3];
    char name[80];
    ptrdiff_t length; /* doubles of an array on this rank */
    double *in, *out;
} problem;

/* Reads a description and allocates; returns 0 if it cannot be read. */
int make_problem(const char *description, problem *made);
void free_problem(problem *of);
fftw_plan plan_problem(const problem *of, unsigned rigour);

/* Input that depends on the place in the whole array; a sum over the whole output in which the place of
 * every value counts; zeros, on which transforms can be repeated for ever. */
void fill_problem(const problem *of);
double checksum_problem(const problem *of);
void clear_problem(const problem *of);

/* Bytes of the arrays on this rank. */
long problem_bytes(const problem *of);

/* Growth of the resident set to its peak, of shared memory by share. */
typedef struct {
    long peak, shared, files;
} memory_mark;

void memory_begin(memory_mark *begin);
long memory_grown(const memory_mark *begin, int ranks);

/* Ends the job. */
void bench_fail(const char *what, const char *which);

#endif
