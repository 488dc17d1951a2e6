/* Each rank has a block for every other rank; hcube_alltoall exchanges the blocks in place, with 256 KiB of
 * extra memory instead of a second buffer. */
#include <hcube.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 50000 /* elements for each rank */

/* Element i of the block that `from` has for `to`. */
static double value(int from, int to, int i) { return 1e6 * from + 1e3 * to + 1e-3 * i; }

static void stop(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    hcube_alltoall_options options;
    hcube_error error;
    char path[32];
    int rank, size, errors = 0, all_errors = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* Optional: the defaults suffice in most cases. */
    if (hcube_alltoall_default_options(&options, sizeof options, &error) != HCUBE_SUCCESS)
        stop("default options", error.message);
    options.memory = 256 * 1024;
    if (hcube_alltoall_set_options(MPI_COMM_WORLD, &options, &error) != HCUBE_SUCCESS) stop("options", error.message);

    double *data = malloc((size_t)size * BLOCK * sizeof *data);
    if (data == NULL) stop("data", "out of memory");
    for (int to = 0; to < size; to++)
        for (int i = 0; i < BLOCK; i++) data[(size_t)to * BLOCK + i] = value(rank, to, i);

    /* As MPI_Alltoall, with its return value; errors end the job unless an error handler returns. */
    if (hcube_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, BLOCK, MPI_DOUBLE, MPI_COMM_WORLD) != MPI_SUCCESS)
        stop("hcube_alltoall", "failed");

    for (int from = 0; from < size; from++)
        for (int i = 0; i < BLOCK; i++) errors += data[(size_t)from * BLOCK + i] != value(from, rank, i);
    MPI_Reduce(&errors, &all_errors, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (hcube_alltoall_last_path(MPI_COMM_WORLD, path, sizeof path, &error) != HCUBE_SUCCESS)
        stop("hcube_alltoall_last_path", error.message);
    if (rank == 0) printf("%d ranks, path %s, %d errors\n", size, path, all_errors);

    free(data);
    MPI_Finalize();
    return all_errors != 0;
}
