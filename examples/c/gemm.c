/* C := A B for matrices that are distributed in blocks over a grid of processes, by hcube_gemm: without ScaLAPACK and
 * without the BLACS. Local products are dgemm_ of the BLAS that the program is linked to. */
#include <hcube.h>
#include <stdio.h>
#include <stdlib.h>

#define N 600 /* order of the matrices */
#define BLOCK 64

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);

/* Small integers, so that the product is exact. */
static double a_element(int i, int j) { return (i + 2 * j) % 7 - 3; }
static double b_element(int i, int j) { return (3 * i + j) % 5 - 2; }

/* How many of N rows or columns process `process` of `processes` has, and the global index of one of them. */
static int count(int process, int processes) {
    int count = 0;
    for (int i = 0; i < N; i++) count += i / BLOCK % processes == process;
    return count;
}
static int global_index(int local, int process, int processes) {
    return (local / BLOCK * processes + process) * BLOCK + local % BLOCK;
}

static void stop(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    const double alpha = 1.0, beta = 0.0;
    hcube_gemm_options options;
    hcube_error error;
    char path[32];
    int rank, size, grid[2] = {0, 0}, errors = 0, all_errors = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* Rank r is at row r / columns and column r % columns of the grid. */
    MPI_Dims_create(size, 2, grid);
    const int rows = grid[0], columns = grid[1], row = rank / columns, column = rank % columns;
    const int height = count(row, rows), width = count(column, columns), leading = height > 1 ? height : 1;

    /* Optional: the defaults suffice in most cases. */
    if (hcube_gemm_default_options(&options, sizeof options, &error) != HCUBE_SUCCESS)
        stop("default options", error.message);
    options.memory = 8 << 20;
    options.multiply = (void (*)(void))dgemm_;
    if (hcube_gemm_set_options(MPI_COMM_WORLD, &options, &error) != HCUBE_SUCCESS) stop("options", error.message);

    const size_t length = (size_t)leading * (width > 1 ? width : 1);
    double *a = malloc(length * sizeof *a), *b = malloc(length * sizeof *b), *c = malloc(length * sizeof *c);
    if (a == NULL || b == NULL || c == NULL) stop("matrices", "out of memory");
    for (int j = 0; j < width; j++)
        for (int i = 0; i < height; i++) {
            const int of_row = global_index(i, row, rows), of_column = global_index(j, column, columns);
            a[i + (size_t)j * leading] = a_element(of_row, of_column);
            b[i + (size_t)j * leading] = b_element(of_row, of_column);
        }

    /* All of an N x N matrix; the first block is on process (0, 0). */
    const hcube_matrix matrix = {
        .struct_size = sizeof matrix,
        .rows = N,
        .columns = N,
        .row_block = BLOCK,
        .column_block = BLOCK,
        .first_row_block = BLOCK,
        .first_column_block = BLOCK,
        .leading_dimension = leading,
    };
    if (hcube_gemm(MPI_COMM_WORLD, rows, columns, HCUBE_ELEMENT_DOUBLE, 'N', 'N', N, N, N, &alpha, a, &matrix, b,
                   &matrix, &beta, c, &matrix, NULL, &error) != HCUBE_SUCCESS)
        stop("hcube_gemm", error.message);

    for (int j = 0; j < width; j++)
        for (int i = 0; i < height; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a_element(global_index(i, row, rows), k) * b_element(k, global_index(j, column, columns));
            errors += c[i + (size_t)j * leading] != sum;
        }
    MPI_Reduce(&errors, &all_errors, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (hcube_gemm_last_path(MPI_COMM_WORLD, path, sizeof path, &error) != HCUBE_SUCCESS)
        stop("hcube_gemm_last_path", error.message);
    if (rank == 0) printf("%d ranks, path %s, %d errors\n", size, path, all_errors);

    free(a);
    free(b);
    free(c);
    MPI_Finalize();
    return all_errors != 0;
}
