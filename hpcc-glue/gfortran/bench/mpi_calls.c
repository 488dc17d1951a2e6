/* MPI for mpi_interface.f90. Arguments are addresses, as everywhere in Fortran; the only communicator is
 * MPI_COMM_WORLD, and datatypes and operations are numbers. */
#include <mpi.h>
#include <stddef.h>

static MPI_Datatype type_of(const int *number)
{
    switch (*number) {
    case 0: return MPI_INT;
    case 1: return MPI_INT64_T;
    default: return MPI_DOUBLE;
    }
}

static int process(const int *rank)
{
    return *rank < 0 ? MPI_PROC_NULL : *rank;
}

void bench_mpi_init(int *error)
{
    *error = MPI_Init(NULL, NULL);
}

void bench_mpi_finalize(int *error)
{
    *error = MPI_Finalize();
}

void bench_mpi_comm_rank(const int *comm, int *rank, int *error)
{
    (void)comm;
    *error = MPI_Comm_rank(MPI_COMM_WORLD, rank);
}

void bench_mpi_comm_size(const int *comm, int *count, int *error)
{
    (void)comm;
    *error = MPI_Comm_size(MPI_COMM_WORLD, count);
}

void bench_mpi_barrier(const int *comm, int *error)
{
    (void)comm;
    *error = MPI_Barrier(MPI_COMM_WORLD);
}

void bench_mpi_allreduce(const void *sent, void *received, const int *count, const int *type, const int *operation,
                         const int *comm, int *error)
{
    (void)comm;
    *error = MPI_Allreduce(sent, received, *count, type_of(type), *operation == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
}

void bench_mpi_sendrecv(const void *sent, const int *sent_count, const int *sent_type, const int *to,
                        const int *sent_tag, void *received, const int *received_count, const int *received_type,
                        const int *from, const int *received_tag, const int *comm, const int *status, int *error)
{
    (void)comm;
    (void)status;
    *error = MPI_Sendrecv(sent, *sent_count, type_of(sent_type), process(to), *sent_tag, received, *received_count,
                          type_of(received_type), process(from), *received_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void bench_mpi_alltoall(const void *sent, const int *sent_count, const int *sent_type, void *received,
                        const int *received_count, const int *received_type, const int *comm, int *error)
{
    (void)comm;
    *error = MPI_Alltoall(sent, *sent_count, type_of(sent_type), received, *received_count, type_of(received_type),
                          MPI_COMM_WORLD);
}
