/* STREAM triad (Figure 5 of the paper): a sequential program whose arrays are coarrays. */
#include <hcube/caf.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 17, ROUNDS = 10, REPETITIONS = 4 };

static hcube_error failure;

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_stream: %s\n", failure.message);
    exit(1);
}

static double *allocate(hcube_coarray *coarray) {
    void *address;
    check(hcube_caf_coarray_alloc(0, N * sizeof(double), coarray, &address, &failure));
    return address;
}

/* restrict tells the compiler that the arrays do not overlap. */
static void triad(double *restrict a, const double *restrict b, const double *restrict c, double scalar) {
    for (int j = 0; j < N; j++) a[j] = b[j] + scalar * c[j];
}

int main(void) {
    hcube_coarray coarrays[3];
    int32_t images, me;
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_size(0, &images, &failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    double *a = allocate(&coarrays[0]), *b = allocate(&coarrays[1]), *c = allocate(&coarrays[2]);
    for (int j = 0; j < N; j++) {
        a[j] = 0;
        b[j] = j;
        c[j] = me + 1;
    }

    check(hcube_caf_barrier(0, &failure));
    const double begin = MPI_Wtime();
    for (int round = 0; round < ROUNDS; round++) {
        for (int j = 0; j < REPETITIONS; j++) triad(a, b, c, 3);
        check(hcube_caf_barrier(0, &failure));
    }
    const double seconds = MPI_Wtime() - begin;

    int64_t errors = 0, all_errors = 0;
    for (int j = 0; j < N; j++) errors += a[j] != j + 3.0 * (me + 1);
    check(hcube_caf_reduce(0, 0, &errors, &all_errors, 1, MPI_INT64_T, MPI_SUM, &failure));
    if (me == 0)
        printf("%d images, %.1f GB/s, %lld errors\n", images, 24e-9 * N * REPETITIONS * ROUNDS * images / seconds,
               (long long)all_errors);
    check(hcube_caf_finalize(&failure));
    return me == 0 && all_errors != 0;
}
