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

static void report(const char *when, const bench_footprint *now, int communicators, int exchanges)
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
    bench_footprint before, living, freed;
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
    before = bench_take();
    for (number = 0; number < communicators; number++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &all[number]);
        for (turn = 0; turn < exchanges; turn++) MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, all[number]);
    }
    living = bench_take();
    for (number = 0; number < communicators; number++) MPI_Comm_free(&all[number]);
    freed = bench_take();
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
