/* Communicators that do not live long: duplicate, a few exchanges of 8 bytes, free; and the first exchanges of a
 * process.
 *
 *   mpirun -np <ranks> churn FILE VARIANT COMMUNICATORS
 *
 * The time is that of the slowest rank for one communicator; the one of the first exchange is a median over
 * communicators. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { EXCHANGES = 3, FIRST = 10, BOUND = 2 };

static const int COUNTS[EXCHANGES] = {1, 2, 10};

static double *in, *out;

static void exchange(MPI_Comm comm)
{
    MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, comm);
}

static double seconds_each(int communicators, int exchanges)
{
    double begin;
    int turn, number;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (turn = 0; turn < communicators; turn++) {
        MPI_Comm comm;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (number = 0; number < exchanges; number++) exchange(comm);
        MPI_Comm_free(&comm);
    }
    return bench_most(MPI_Wtime() - begin) / communicators;
}

static double seconds_first(int communicators)
{
    double *times = bench_memory((size_t)communicators * sizeof *times), median;
    int turn;

    for (turn = 0; turn < communicators; turn++) {
        MPI_Comm comm;
        double begin;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Barrier(comm);
        begin = MPI_Wtime();
        exchange(comm);
        times[turn] = bench_most(MPI_Wtime() - begin);
        MPI_Comm_free(&comm);
    }
    median = bench_median(times, communicators);
    free(times);
    return median;
}

/* Once in a process: includes what hcube sets up for MPI_COMM_WORLD. */
static void write_beginning(void)
{
    bench_case of = {"churn", "first 10 exchanges of a process", "s", 0};
    double begin;
    int number;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (number = 0; number < FIRST; number++) exchange(MPI_COMM_WORLD);
    bench_write(&of, bench_most(MPI_Wtime() - begin));
}

int main(int argc, char **argv)
{
    char name[80];
    bench_case of = {"churn", name, "s", BOUND};
    int communicators, number;

    bench_begin(&argc, &argv, 1, "expected FILE VARIANT COMMUNICATORS");
    communicators = bench_number(argv[3]);
    in = bench_memory((size_t)bench_size() * sizeof *in);
    out = bench_memory((size_t)bench_size() * sizeof *out);
    for (number = 0; number < bench_size(); number++) in[number] = number;
    write_beginning();
    seconds_each(communicators / 20 + 1, COUNTS[0]);
    for (number = 0; number < EXCHANGES; number++) {
        snprintf(name, sizeof name, "dup, %d exchange%s, free", COUNTS[number], COUNTS[number] > 1 ? "s" : "");
        bench_write(&of, seconds_each(communicators, COUNTS[number]));
    }
    snprintf(name, sizeof name, "first exchange of a communicator");
    bench_write(&of, seconds_first(communicators / 20 + 1));
    free(in);
    free(out);
    bench_end();
    return 0;
}
