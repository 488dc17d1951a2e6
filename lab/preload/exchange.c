/* Exchanges out of place of 8 bytes to 4 MiB for each pair of ranks: the function that the program calls against that
 * of the MPI library, alternating in one process.
 *
 *   mpirun -np <ranks> env LD_PRELOAD=libhcube_preload.so exchange FILE VARIANT MAX_BYTES SAMPLES
 *
 * MPI_Alltoall with equal blocks, and MPI_Alltoallv with blocks of 3/4 and 5/4 of a size from 32 bytes. A time is that
 * of the slowest rank, of a batch of exchanges. Each function has a communicator of its own. Results are compared once
 * for each size. */
#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*alltoall)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
typedef int (*alltoallv)(const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *,
                         MPI_Datatype, MPI_Comm);

static const int BYTES[] = {8,        32,        128,       256,       1 << 10, 4 << 10, 16 << 10,
                            64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 4 << 20};

enum { SIZES = sizeof BYTES / sizeof *BYTES };
enum { LIBRARY, CALLED, FUNCTIONS, WARM_UP = 12, MIN_SAMPLES = 7, MAX_SAMPLES = 101 };

/* Of a batch, so that the clock and the barrier before it do not count; and of all samples of a size. */
static const double BATCH_SECONDS = 3e-4, SIZE_SECONDS = 0.8;
/* The speed must be at least 0.97 of that of the MPI library. */
static const double BOUND = 1 / 0.97;

static alltoall equal[FUNCTIONS];
static alltoallv varying[FUNCTIONS];
static MPI_Comm comms[FUNCTIONS];
static int *counts, *displacements;
static double *in, *out, *expected;

/* The functions of the MPI library, which the preload library overrides. */
static void find_functions(void)
{
    int (*function)(MPI_Comm) = MPI_Barrier;
    Dl_info library;
    void *handle = NULL;

    if (dladdr(*(void **)&function, &library) != 0) handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL) bench_fail("the MPI library is not known to the loader");
    *(void **)&equal[LIBRARY] = dlsym(handle, "MPI_Alltoall");
    *(void **)&varying[LIBRARY] = dlsym(handle, "MPI_Alltoallv");
    equal[CALLED] = MPI_Alltoall;
    varying[CALLED] = MPI_Alltoallv;
    if (equal[LIBRARY] == NULL || equal[LIBRARY] == equal[CALLED])
        bench_fail("no preload library stands in front of MPI_Alltoall");
}

static void exchange(int function, int is_varying, int doubles)
{
    if (is_varying)
        varying[function](in, counts, displacements, MPI_DOUBLE, out, counts, displacements, MPI_DOUBLE,
                          comms[function]);
    else equal[function](in, doubles, MPI_DOUBLE, out, doubles, MPI_DOUBLE, comms[function]);
}

/* Counts are the same in both directions. */
static void set_counts(int doubles)
{
    int other, end = 0;

    for (other = 0; other < bench_size(); other++) {
        int quarter = doubles / 4;

        counts[other] = (bench_rank() + other) % 2 == 0 ? doubles - quarter : doubles + quarter;
        displacements[other] = end;
        end += counts[other];
    }
}

static double seconds(int function, int is_varying, int doubles, int batch)
{
    double begin;
    int turn;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (turn = 0; turn < batch; turn++) exchange(function, is_varying, doubles);
    return bench_most(MPI_Wtime() - begin) / batch;
}

/* Both functions must have the same result; also lets hcube try its paths. */
static void warm_up(int is_varying, int doubles, size_t bytes)
{
    int turn;

    for (turn = 0; turn < WARM_UP; turn++) {
        memset(out, 0, bytes);
        exchange(LIBRARY, is_varying, doubles);
        memcpy(expected, out, bytes);
        memset(out, 0, bytes);
        exchange(CALLED, is_varying, doubles);
        if (memcmp(expected, out, bytes) != 0) bench_fail("the result differs from that of the MPI library");
    }
}

static void measure(const char *variant, int is_varying, int doubles, int most)
{
    static double times[FUNCTIONS][MAX_SAMPLES];
    char name[80];
    bench_case of = {strcmp(variant, "preload") == 0 ? "exchange" : "exchange, all calls forwarded", name, "s", BOUND};
    size_t room = ((size_t)doubles + (size_t)doubles / 4) * (size_t)bench_size() * sizeof(double);
    int batch, samples, turn;
    double once;

    set_counts(doubles);
    warm_up(is_varying, doubles, room);
    once = seconds(LIBRARY, is_varying, doubles, 3);
    batch = (int)(BATCH_SECONDS / once) + 1;
    samples = (int)(SIZE_SECONDS / (FUNCTIONS * once * batch));
    if (samples > most) samples = most;
    if (samples < MIN_SAMPLES) samples = MIN_SAMPLES;
    /* The order alternates: the first may find the data in another cache than the second. */
    for (turn = 0; turn < FUNCTIONS * samples; turn++) {
        int function = (turn + turn / FUNCTIONS) % FUNCTIONS;

        times[function][turn / FUNCTIONS] = seconds(function, is_varying, doubles, batch);
    }
    snprintf(name, sizeof name, "%s, %d B per pair", is_varying ? "MPI_Alltoallv" : "MPI_Alltoall",
             doubles * (int)sizeof(double));
    bench_write_as(&of, "stock", times[LIBRARY], samples);
    bench_write_as(&of, variant, times[CALLED], samples);
}

int main(int argc, char **argv)
{
    int most, samples, size, is_varying, function;
    size_t bytes, number;

    bench_begin(&argc, &argv, 2, "expected FILE VARIANT MAX_BYTES SAMPLES");
    find_functions();
    most = bench_number(argv[3]);
    samples = bench_number(argv[4]);
    if (samples > MAX_SAMPLES) bench_fail("expected at most 101 samples");
    bytes = ((size_t)most + (size_t)most / 4 + sizeof(double)) * (size_t)bench_size();
    in = bench_memory(bytes);
    out = bench_memory(bytes);
    expected = bench_memory(bytes);
    counts = bench_memory((size_t)bench_size() * sizeof *counts);
    displacements = bench_memory((size_t)bench_size() * sizeof *displacements);
    for (number = 0; number < bytes / sizeof *in; number++) in[number] = 1e9 * bench_rank() + (double)number;
    for (function = 0; function < FUNCTIONS; function++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[function]);
    for (is_varying = 0; is_varying < 2; is_varying++)
        for (size = 0; size < SIZES && BYTES[size] <= most; size++)
            measure(argv[2], is_varying, BYTES[size] / (int)sizeof(double), samples);
    for (function = 0; function < FUNCTIONS; function++) MPI_Comm_free(&comms[function]);
    free(in);
    free(out);
    free(expected);
    free(counts);
    free(displacements);
    bench_end();
    return 0;
}
