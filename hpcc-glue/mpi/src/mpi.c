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

/* Returns the number of blocks that this rank sends to neighbours in a topology. */
int hcube_preload_destinations(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, rank = 0, sources = 0, destinations = 0, weighted = 0;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &destinations);
        return 2 * destinations;
    }
    PMPI_Comm_rank(comm, &rank);
    if (kind == MPI_GRAPH) PMPI_Graph_neighbors_count(comm, rank, &destinations);
    else if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
    return destinations;
}

/* Whether a block for a neighbour goes nowhere: beyond an end of a Cartesian topology. */
int hcube_preload_is_beyond(MPI_Comm comm, int block)
{
    int kind = MPI_UNDEFINED, before, behind;
    PMPI_Topo_test(comm, &kind);
    if (kind != MPI_CART) return 0;
    PMPI_Cart_shift(comm, block / 2, 1, &before, &behind);
    return (block % 2 ? behind : before) == MPI_PROC_NULL;
}

int64_t hcube_preload_type_size(MPI_Datatype type)
{
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    return size;
}
