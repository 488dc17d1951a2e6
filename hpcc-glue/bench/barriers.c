/* Counts what an unchanged MPI program uses between its barriers: a library that is preloaded into all ranks.
 *
 * Each rank appends a line to the file `counters` of its folder after each of its first calls of MPI_Barrier but the
 * first: the number of the call before it, the seconds between both, and the counters of counters.h. Calls of
 * PMPI_Barrier, as hcube makes them, are not counted. A line is written before the program goes on, so it is there also
 * where the program does not end.
 */
#include "counters.h"

#include <mpi.h>
#include <stdio.h>

/* A program may call it often in what is not measured. */
enum { LIMIT = 8 };

static void append(int number, double seconds, const double *before, const double *after)
{
    FILE *file = fopen("counters", "a");

    if (file == NULL) return;
    fprintf(file, "%d %.6f %.0f %.0f %.0f %.0f %.0f %.0f\n", number, seconds,
            after[PROCESSOR_US] - before[PROCESSOR_US], after[KERNEL_US] - before[KERNEL_US],
            after[SWITCHES] - before[SWITCHES], after[PACKETS] - before[PACKETS], after[BYTES] - before[BYTES],
            after[HOSTS]);
    fclose(file);
}

int MPI_Barrier(MPI_Comm comm)
{
    static int calls;
    static double since, before[COUNTERS];
    double now, after[COUNTERS];
    int result = PMPI_Barrier(comm);

    if (calls > LIMIT) return result;
    now = PMPI_Wtime();
    hcube_bench_counters(after);
    if (calls > 0) append(calls, now - since, before, after);
    calls++;
    /* Again, because the line has been written in between. */
    hcube_bench_counters(before);
    since = PMPI_Wtime();
    return result;
}
