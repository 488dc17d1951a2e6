/* A program of ScaLAPACK without any reference to hcube: C := A B by PDGEMM on a grid of processes. hcube-run --pblas
 * runs it with hcube's products. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N 600 /* order of the matrices */
#define BLOCK 64

/* ScaLAPACK has no header. */
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *process, const int *source, const int *processes);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc, const int *csrc,
               const int *context, const int *lld, int *info);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc,
             const int *descc);

/* Small integers, so that the product is exact. */
static double a_element(int i, int j) { return (i + 2 * j) % 7 - 3; }
static double b_element(int i, int j) { return (3 * i + j) % 5 - 2; }

/* The global index, from 0, of local index `local` on process `process` of `processes`. */
static int global_index(int local, int process, int processes) {
    return (local / BLOCK * processes + process) * BLOCK + local % BLOCK;
}

int main(int argc, char **argv) {
    const int n = N, block = BLOCK, zero = 0, one = 1;
    const double alpha = 1.0, beta = 0.0;
    int rank, size, shape[2] = {0, 0}, context, rows, columns, row, column, desc[9], info, errors = 0, all_errors = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Dims_create(size, 2, shape);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", shape[0], shape[1]);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);

    /* This process's part of each matrix, by columns. */
    const int height = numroc_(&n, &block, &row, &zero, &rows), width = numroc_(&n, &block, &column, &zero, &columns);
    const int leading = height > 1 ? height : 1;
    descinit_(desc, &n, &n, &block, &block, &zero, &zero, &context, &leading, &info);
    const size_t length = (size_t)leading * (width > 1 ? width : 1);
    double *a = malloc(length * sizeof *a), *b = malloc(length * sizeof *b), *c = malloc(length * sizeof *c);
    if (info != 0 || a == NULL || b == NULL || c == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int j = 0; j < width; j++)
        for (int i = 0; i < height; i++) {
            const int of_row = global_index(i, row, rows), of_column = global_index(j, column, columns);
            a[i + (size_t)j * leading] = a_element(of_row, of_column);
            b[i + (size_t)j * leading] = b_element(of_row, of_column);
        }

    pdgemm_("N", "N", &n, &n, &n, &alpha, a, &one, &one, desc, b, &one, &one, desc, &beta, c, &one, &one, desc);

    for (int j = 0; j < width; j++)
        for (int i = 0; i < height; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a_element(global_index(i, row, rows), k) * b_element(k, global_index(j, column, columns));
            errors += c[i + (size_t)j * leading] != sum;
        }
    MPI_Reduce(&errors, &all_errors, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d ranks, grid %d x %d, %d errors\n", size, rows, columns, all_errors);

    free(a);
    free(b);
    free(c);
    Cblacs_gridexit(context);
    MPI_Finalize();
    return all_errors != 0;
}
