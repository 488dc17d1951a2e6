/* Starts the checks of hcube-core on the ranks of MPI_COMM_WORLD. */
#include <mpi.h>

int hcube_core_client(void);

int main(int argc, char **argv)
{
    int failed;
    MPI_Init(&argc, &argv);
    failed = hcube_core_client();
    MPI_Finalize();
    return failed;
}
