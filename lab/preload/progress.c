/* One-sided communication with a rank that waits in an exchange: the MPI library must make progress there.
 *
 *   mpirun -np 2 progress FILE VARIANT
 *
 * Rank 1 has entered MPI_Alltoall. Rank 0 updates the memory of rank 1, and joins the exchange when it has finished;
 * the time is that of one operation. */
#include "bench.h"

#include <stdlib.h>

enum { WARM_UP = 8, FETCHES = 10000, ACCUMULATES = 20, STRIDED = 4096, LARGE = 1 << 17 };

static const double BOUND = 1.3;

static MPI_Win window;
static MPI_Datatype strided;
static double *in, *out;
static long *values;
/* Operations of this rank. */
static long fetches, accumulates;

static void fetch(void)
{
    long one = 1, before;

    MPI_Fetch_and_op(&one, &before, MPI_LONG, 1, 0, MPI_SUM, window);
    fetches++;
    MPI_Win_flush(1, window);
}

static void accumulate(void)
{
    MPI_Accumulate(values, STRIDED, MPI_LONG, 1, 1, 1, strided, MPI_SUM, window);
    accumulates++;
    MPI_Win_flush(1, window);
}

/* Seconds of an operation, on rank 0. */
static double update(void (*operation)(void), int count, int doubles)
{
    double begin, seconds = 0;
    int turn;

    MPI_Barrier(MPI_COMM_WORLD);
    if (bench_rank() == 0) {
        /* Rank 1 has spun, and waits. */
        for (begin = MPI_Wtime(); MPI_Wtime() - begin < 1e-3;) continue;
        begin = MPI_Wtime();
        for (turn = 0; turn < count; turn++) operation();
        seconds = (MPI_Wtime() - begin) / count;
    }
    MPI_Alltoall(in, doubles, MPI_DOUBLE, out, doubles, MPI_DOUBLE, MPI_COMM_WORLD);
    return bench_most(seconds);
}

static void measure(const char *name, void (*operation)(void), int count, int doubles)
{
    bench_case of = {"progress", name, "s", BOUND};
    int turn;

    /* The first exchanges of a communicator and of a size may differ. */
    for (turn = 0; turn < WARM_UP; turn++)
        MPI_Alltoall(in, doubles, MPI_DOUBLE, out, doubles, MPI_DOUBLE, MPI_COMM_WORLD);
    update(operation, count / 10 + 1, doubles);
    bench_write(&of, update(operation, count, doubles));
}

/* Collective: every operation has taken place once. */
static void check(const long *memory)
{
    MPI_Bcast(&fetches, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Bcast(&accumulates, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, bench_rank(), 0, window);
    if (bench_rank() == 1 && (memory[0] != fetches || memory[1] != accumulates || memory[2] != 0))
        bench_fail("one-sided operations are lost");
    MPI_Win_unlock(bench_rank(), window);
}

int main(int argc, char **argv)
{
    size_t bytes = 2 * (size_t)LARGE * sizeof(double);
    long *memory;
    int number;

    bench_begin(&argc, &argv, 0, "expected FILE VARIANT");
    if (bench_size() != 2) bench_fail("progress is for 2 ranks");
    in = bench_memory(bytes);
    out = bench_memory(bytes);
    values = bench_memory(STRIDED * sizeof *values);
    for (number = 0; number < 2 * LARGE; number++) in[number] = number;
    for (number = 0; number < STRIDED; number++) values[number] = 1;
    /* The counter of fetch-and-op, and the sums. */
    memory = bench_memory((1 + 2 * STRIDED) * sizeof *memory);
    for (number = 0; number < 1 + 2 * STRIDED; number++) memory[number] = 0;
    /* A window in memory of the program: that of MPI_Win_allocate is shared inside a node and needs no progress. */
    MPI_Win_create(memory, (1 + 2 * STRIDED) * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Type_vector(STRIDED, 1, 2, MPI_LONG, &strided);
    MPI_Type_commit(&strided);
    MPI_Win_lock_all(0, window);
    measure("fetch-and-op, target in an exchange of 8 bytes", fetch, FETCHES, 1);
    measure("fetch-and-op, target in an exchange of 1 MiB", fetch, FETCHES, LARGE);
    measure("strided accumulate, target in an exchange of 8 bytes", accumulate, ACCUMULATES, 1);
    MPI_Win_unlock_all(window);
    check(memory);
    MPI_Type_free(&strided);
    MPI_Win_free(&window);
    free(memory);
    free(in);
    free(out);
    free(values);
    bench_end();
    return 0;
}
