/* Calls of MPI for the statistics that need mpi.h: handles that are not constant expressions in every
 * MPI library, and types whose layout differs between libraries. */
#include <mpi.h>

#include <stdint.h>

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
