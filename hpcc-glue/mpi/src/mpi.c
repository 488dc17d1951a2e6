/* Calls of MPI for the statistics that need mpi.h: handles that are not constant expressions in every
 * MPI library, and types whose layout differs between libraries. */
#include <mpi.h>

#include <sched.h>
#include <stdint.h>

int hcube_preload_world_rank(void)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int hcube_preload_world_size(void)
{
    int size = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/* Returns the number of blocks of a call on this communicator on each side; *own is the block that stays
 * on this rank, -1 on an intercommunicator. */
int hcube_preload_blocks(MPI_Comm comm, int *own)
{
    int inter = 0, size = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) {
        PMPI_Comm_remote_size(comm, &size);
        *own = -1;
    } else {
        PMPI_Comm_size(comm, &size);
        PMPI_Comm_rank(comm, own);
    }
    return size;
}

int64_t hcube_preload_type_size(MPI_Datatype type)
{
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    return size;
}

/* Collective over MPI_COMM_WORLD, if all ranks take part: sums and maxima of the ranks' values for rank
 * 0. Returns 1 if this rank's part is complete, 0 if it has waited for the others longer than `limit`
 * seconds: then MPI may use the buffers until the process ends.
 *
 * Not MPI_Reduce: a rank without the library, or without statistics, never joins. And no
 * point-to-point messages on MPI_COMM_WORLD: another rank may be in a receive with MPI_ANY_SOURCE and
 * MPI_ANY_TAG. */
int hcube_preload_reduce(const uint64_t *summands, uint64_t *sums, int summand_count, const uint64_t *values,
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
