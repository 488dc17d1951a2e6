/* Memory of a process with many living communicators, and after they are freed.
 *
 *   mpirun -np <ranks> memory FILE VARIANT COMMUNICATORS EXCHANGES
 *
 * Every communicator is a duplicate and makes EXCHANGES exchanges of 8 bytes. Resident memory is that of the largest
 * rank. The proportional share counts shared pages once for all ranks; it is the mean over ranks. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

static const double BOUND = 2;

typedef struct {
    double resident, share, address_space;
} footprint;

/* A field of a file in /proc, in bytes. */
static double field(const char *path, const char *format)
{
    char line[256];
    long kilobytes = -1;
    FILE *file = fopen(path, "r");

    if (file == NULL) bench_fail(path);
    while (kilobytes < 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, format, &kilobytes) != 1) kilobytes = -1;
    fclose(file);
    if (kilobytes < 0) bench_fail(path);
    return 1024.0 * (double)kilobytes;
}

/* Collective: all ranks are at the same place, so that the share of each is that of this place. */
static footprint take(void)
{
    footprint now;

    MPI_Barrier(MPI_COMM_WORLD);
    now.resident = field("/proc/self/smaps_rollup", "Rss: %ld kB");
    now.share = field("/proc/self/smaps_rollup", "Pss: %ld kB");
    now.address_space = field("/proc/self/status", "VmSize: %ld kB");
    MPI_Barrier(MPI_COMM_WORLD);
    return now;
}

static void report(const char *when, const footprint *now, int communicators, int exchanges)
{
    char name[120];
    bench_case of = {"memory", name, "B", BOUND};

    snprintf(name, sizeof name, "%d communicators, %d exchange%s each, %s: resident", communicators, exchanges,
             exchanges > 1 ? "s" : "", when);
    bench_write(&of, bench_most(now->resident));
    snprintf(name, sizeof name, "%d communicators, %d exchange%s each, %s: proportional share", communicators,
             exchanges, exchanges > 1 ? "s" : "", when);
    bench_write(&of, bench_mean(now->share));
}

int main(int argc, char **argv)
{
    MPI_Comm *all;
    footprint before, living, freed;
    double *in, *out;
    char name[80];
    bench_case space = {"memory", name, "B", 0};
    int communicators, exchanges, number, turn;

    bench_begin(&argc, &argv, 2, "expected FILE VARIANT COMMUNICATORS EXCHANGES");
    communicators = bench_number(argv[3]);
    exchanges = bench_number(argv[4]);
    all = bench_memory((size_t)communicators * sizeof *all);
    in = bench_memory((size_t)bench_size() * sizeof *in);
    out = bench_memory((size_t)bench_size() * sizeof *out);
    for (number = 0; number < bench_size(); number++) in[number] = number;
    MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    before = take();
    for (number = 0; number < communicators; number++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &all[number]);
        for (turn = 0; turn < exchanges; turn++) MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, all[number]);
    }
    living = take();
    for (number = 0; number < communicators; number++) MPI_Comm_free(&all[number]);
    freed = take();
    report("living", &living, communicators, exchanges);
    report("freed", &freed, communicators, exchanges);
    snprintf(name, sizeof name, "address space per communicator, %d exchange%s", exchanges, exchanges > 1 ? "s" : "");
    bench_write(&space, bench_most((living.address_space - before.address_space) / communicators));
    free(all);
    free(in);
    free(out);
    bench_end();
    return 0;
}
