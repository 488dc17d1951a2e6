/* What the statistics need of MPI and what needs mpi.h: handles that are no constant expressions in
 * every MPI, and types whose layout is the library's own. */
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

/* Returns how many blocks a call on this communicator has on each side; *own is the one that stays on
 * this rank, -1 between two groups. */
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
 * 0. Returns 1 when this rank's part is done, 0 when the others have let it wait longer than `limit`
 * seconds: then MPI may still use the buffers, until the process ends.
 *
 * Not MPI_Reduce: a rank without the library, or without statistics, never joins. And no messages of
 * our own on MPI_COMM_WORLD: another rank may still be receiving from any source with any tag. */
int hcube_preload_reduce(const uint64_t *summands, uint64_t *sums, int summand_count, const uint64_t *values,
                         uint64_t *maxima, int value_count, double limit)
{
    MPI_Request requests[2];
    /* MPI_STATUSES_IGNORE would do, but gcc warns of MPICH's. */
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
        /* More ranks than cores are common. */
        sched_yield();
    }
}
