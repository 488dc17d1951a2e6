/* Calls of MPI on MPI_COMM_WORLD, which is not a constant expression in every MPI library. */
#include <mpi.h>

#include <sched.h>
#include <stdint.h>

int hcube_drop_in_world_rank(void)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int hcube_drop_in_world_size(void)
{
    int size = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/* Collective over MPI_COMM_WORLD, if all ranks take part: sums and maxima of the ranks' values for rank
 * 0. Returns 1 if this rank's part is complete, 0 if it has waited for the others longer than `limit`
 * seconds: then MPI may use the buffers until the process ends.
 *
 * Not MPI_Reduce: a rank without the library, or without statistics, never joins. And no
 * point-to-point messages on MPI_COMM_WORLD: another rank may be in a receive with MPI_ANY_SOURCE and
 * MPI_ANY_TAG. */
int hcube_drop_in_reduce(const uint64_t *summands, uint64_t *sums, int summand_count, const uint64_t *values,
                         uint64_t *maxima, int value_count, double limit)
{
    MPI_Request requests[2];
    /* Not MPI_STATUSES_IGNORE: gcc warns about MPICH's definition. */
    MPI_Status statuses[2];
    double start = PMPI_Wtime();
    int done = 0;
    if (PMPI_Ireduce(summands, sums, summand_count, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD, &requests[0]) !=
            MPI_SUCCESS ||
        PMPI_Ireduce(values, maxima, value_count, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD, &requests[1]) !=
            MPI_SUCCESS)
        return 0;
    for (;;) {
        if (PMPI_Testall(2, requests, &done, statuses) != MPI_SUCCESS) return 0;
        if (done) return 1;
        if (PMPI_Wtime() - start > limit) return 0;
        /* Ranks may be oversubscribed. */
        sched_yield();
    }
}
