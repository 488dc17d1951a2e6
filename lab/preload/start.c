/* Time and memory of the start of a program: MPI_Init, and the first exchanges on MPI_COMM_WORLD.
 *
 *   mpirun -np <ranks> start FILE VARIANT EXCHANGES BYTES
 *
 * All exchanges are MPI_Alltoallv of BYTES bytes per pair. hcube forwards the first one; the second one includes its
 * set-up; EXCHANGES more follow. Times are those of the slowest rank. Memory is that of a rank: resident, of the
 * largest one, and the proportional share, which counts shared pages once for all ranks, the mean. */
#define _POSIX_C_SOURCE 199309L
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *in, *out;
static int *counts, *places;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What comes from rank FROM for rank TO in an exchange. */
static int content(int number, int from, int to)
{
    return (number + 7 * from + 3 * to) % 251;
}

static void exchange(int number)
{
    int rank, bytes = counts[0];

    for (rank = 0; rank < bench_size(); rank++) {
        memset(in + places[rank], content(number, bench_rank(), rank), (size_t)bytes);
        memset(out + places[rank], 255, (size_t)bytes);
    }
    MPI_Alltoallv(in, counts, places, MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD);
    for (rank = 0; rank < bench_size(); rank++)
        if ((unsigned char)out[places[rank]] != content(number, rank, bench_rank()) ||
            (unsigned char)out[places[rank] + bytes - 1] != content(number, rank, bench_rank()))
            bench_fail("an exchange has other results");
}

static void report_memory(const char *when)
{
    bench_footprint is = bench_take();
    char name[80];
    bench_case of = {"start", name, "B", 0};

    snprintf(name, sizeof name, "%s: resident", when);
    bench_write(&of, bench_most(is.resident));
    snprintf(name, sizeof name, "%s: proportional share", when);
    bench_write(&of, bench_mean(is.share));
}

static void report_time(const char *what, double seconds)
{
    bench_case of = {"start", what, "s", 0};

    bench_write(&of, bench_most(seconds));
}

int main(int argc, char **argv)
{
    double begin = now(), started, first, second, more;
    int exchanges, bytes, rank, number;

    bench_begin(&argc, &argv, 2, "expected FILE VARIANT EXCHANGES BYTES");
    started = now() - begin;
    exchanges = bench_number(argv[3]);
    bytes = bench_number(argv[4]);
    in = bench_memory((size_t)bench_size() * (size_t)bytes);
    out = bench_memory((size_t)bench_size() * (size_t)bytes);
    counts = bench_memory((size_t)bench_size() * sizeof *counts);
    places = bench_memory((size_t)bench_size() * sizeof *places);
    for (rank = 0; rank < bench_size(); rank++) {
        counts[rank] = bytes;
        places[rank] = rank * bytes;
    }
    report_memory("after MPI_Init");
    begin = now();
    exchange(0);
    first = now() - begin;
    report_memory("after the first exchange");
    begin = now();
    exchange(1);
    second = now() - begin;
    report_memory("after the second exchange");
    begin = now();
    for (number = 0; number < exchanges; number++) exchange(2 + number);
    more = (now() - begin) / exchanges;
    report_memory("after all exchanges");
    report_time("MPI_Init", started);
    report_time("the first exchange", first);
    report_time("the second exchange", second);
    report_time("a further exchange", more);
    free(in);
    free(out);
    free(counts);
    free(places);
    bench_end();
    return 0;
}
