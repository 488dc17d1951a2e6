/* Teams (Jin et al. 2011, Figure 2): the images of a grid form a team for each row and one for each column, and each
 * column team allocates a coarray. Then data is shifted along the columns, and sums are formed along the rows. */
#include <hcube/caf.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 16, LENGTH = 2 * BLOCK + 4 };

static hcube_error failure;

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_teams: %s\n", failure.message);
    exit(1);
}

int main(void) {
    hcube_team world, row_team, column_team;
    hcube_coarray coarray;
    int32_t images, me;
    void *address;
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_world(&world, &failure));
    check(hcube_caf_team_size(world, &images, &failure));
    check(hcube_caf_team_rank(world, &me, &failure));

    /* The grid that is nearest to a square, with the images in columns. */
    int32_t rows = 1;
    for (int32_t divisor = 2; divisor * divisor <= images; divisor++)
        if (images % divisor == 0) rows = divisor;
    const int32_t columns = images / rows, column = me / rows, row = me % rows;

    check(hcube_caf_team_split(world, row, column, &row_team, &failure));
    check(hcube_caf_team_split(world, column, row, &column_team, &failure));

    /* Only the images of the column allocate; other images do not wait. */
    check(hcube_caf_team_push(column_team, &failure));
    check(hcube_caf_coarray_alloc(0, LENGTH * sizeof(double), &coarray, &address, &failure));
    check(hcube_caf_team_pop(&failure));

    /* Images are named by their ranks in the team of the coarray. */
    double *w = address, from_below[LENGTH];
    for (int i = 0; i < LENGTH; i++) w[i] = me;
    check(hcube_caf_barrier(column_team, &failure));
    const int32_t below = (row + 1) % rows;
    check(hcube_caf_get(coarray, below, 0, from_below, sizeof from_below, &failure));
    int64_t errors = 0, all_errors = 0, own_column = column, sum = 0;
    for (int i = 0; i < LENGTH; i++) errors += (int32_t)from_below[i] != column * rows + below;

    check(hcube_caf_allreduce(row_team, &own_column, &sum, 1, MPI_INT64_T, MPI_SUM, &failure));
    errors += sum != columns * (columns - 1) / 2;

    check(hcube_caf_reduce(world, 0, &errors, &all_errors, 1, MPI_INT64_T, MPI_SUM, &failure));
    if (me == 0) printf("%d images, %d x %d, %lld errors\n", images, rows, columns, (long long)all_errors);
    check(hcube_caf_coarray_free(coarray, &failure));
    check(hcube_caf_team_free(row_team, &failure));
    check(hcube_caf_team_free(column_team, &failure));
    check(hcube_caf_finalize(&failure));
    return me == 0 && all_errors != 0;
}
