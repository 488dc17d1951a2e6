/*
 * The kernels of STREAM as a program writes them: loops over vectors of which the
 * compiler does not know that they lie apart. build.rs compiles them with -O3.
 */
#include <stddef.h>

/* How often one of them has run. */
unsigned long hcube_bench_plain_runs;

void hcube_bench_plain_copy(const double *a, double *c, size_t length)
{
    hcube_bench_plain_runs++;
    for (size_t i = 0; i < length; i++) c[i] = a[i];
}

void hcube_bench_plain_scale(const double *c, double *b, double scalar, size_t length)
{
    hcube_bench_plain_runs++;
    for (size_t i = 0; i < length; i++) b[i] = scalar * c[i];
}

void hcube_bench_plain_add(const double *a, const double *b, double *c, size_t length)
{
    hcube_bench_plain_runs++;
    for (size_t i = 0; i < length; i++) c[i] = a[i] + b[i];
}

void hcube_bench_plain_triad(const double *b, const double *c, double *a, double scalar, size_t length)
{
    hcube_bench_plain_runs++;
    for (size_t i = 0; i < length; i++) a[i] = b[i] + scalar * c[i];
}
