/* STREAM triad (Jin et al. 2011, Figure 5): a sequential program whose arrays are coarrays.
 *
 *     caf_stream [ELEMENTS [ROUNDS]]      elements of each of the three arrays, on each image
 *
 * The result is 24 m / t bytes per second, where m is the number of elements on all images, and t the time of the best
 * round on the slowest image. */
#include <hcube/caf.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ELEMENTS = 1 << 30, MIN_ROUNDS = 10, MAX_ROUNDS = 1000 };

static hcube_error failure;
static int32_t images, me;

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_stream: %s\n", failure.message);
    exit(1);
}

static double *allocate(int64_t elements, hcube_coarray *coarray) {
    void *address;
    check(hcube_caf_coarray_alloc(0, (uint64_t)elements * sizeof(double), coarray, &address, &failure));
    return address;
}

/* A number on the command line, or the default. */
static int argument(int count, char **arguments, int which, const char *name, int preset, int smallest, int largest) {
    if (which >= count) return preset;
    char *end;
    const long value = strtol(arguments[which], &end, 10);
    if (end != arguments[which] && *end == 0 && value >= smallest && value <= largest) return (int)value;
    if (me == 0) fprintf(stderr, "caf_stream: %s %s: expected %d to %d\n", name, arguments[which], smallest, largest);
    check(hcube_caf_finalize(&failure));
    exit(1);
}

/* restrict tells the compiler that the arrays do not overlap. */
static void triad(double *restrict a, const double *restrict b, const double *restrict c, double scalar, int n) {
    for (int j = 0; j < n; j++) a[j] = b[j] + scalar * c[j];
}

int main(int argc, char **argv) {
    hcube_coarray coarrays[3];
    double seconds[MAX_ROUNDS], slowest[MAX_ROUNDS], best;
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_size(0, &images, &failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    const int n = argument(argc, argv, 1, "ELEMENTS", 1 << 22, 1, MAX_ELEMENTS);
    const int rounds = argument(argc, argv, 2, "ROUNDS", MIN_ROUNDS, MIN_ROUNDS, MAX_ROUNDS);
    double *a = allocate(n, &coarrays[0]), *b = allocate(n, &coarrays[1]), *c = allocate(n, &coarrays[2]);
    for (int j = 0; j < n; j++) {
        a[j] = 0;
        b[j] = j;
        c[j] = me + 1;
    }

    for (int round = 0; round < rounds; round++) {
        check(hcube_caf_barrier(0, &failure));
        const double begin = MPI_Wtime();
        triad(a, b, c, 3, n);
        seconds[round] = MPI_Wtime() - begin;
    }
    check(hcube_caf_allreduce(0, seconds, slowest, rounds, MPI_DOUBLE, MPI_MAX, &failure));
    best = slowest[0];
    for (int round = 1; round < rounds; round++)
        if (slowest[round] < best) best = slowest[round];

    int64_t errors = 0, all_errors = 0;
    for (int j = 0; j < n; j++) errors += a[j] != j + 3.0 * (me + 1);
    check(hcube_caf_reduce(0, 0, &errors, &all_errors, 1, MPI_INT64_T, MPI_SUM, &failure));
    if (me == 0)
        printf("%d images, %lld elements, %.2f GB/s, %lld errors\n", images, (long long)n * images,
               24e-9 * n * images / best, (long long)all_errors);
    check(hcube_caf_finalize(&failure));
    return me == 0 && all_errors != 0;
}
