/* LU factorisation with asynchronous broadcasts of panels (Jin et al. 2011, Figure 4, a part of HPL): while images
 * update their columns by one panel, the next one is factored and sent. Two panels alternate.
 *
 * The matrix [A, b] lies on one row of images: blocks of columns, in turn. Pivots are the largest elements of
 * columns. */
#include <float.h>
#include <hcube/caf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 256, BLOCK = 16, BLOCKS = N / BLOCK };

typedef double column[N];

/* Columns of L below the diagonal, and the rows that were exchanged. */
typedef struct panel {
    column columns[BLOCK];
    int32_t pivots[BLOCK];
} panel;

static hcube_error failure;
static hcube_events delivered;
static int32_t images, me;
static panel panels[2];
static column *a, x; /* a: the blocks of this image */

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_panel_broadcast: %s\n", failure.message);
    exit(1);
}

/* The image of a block of columns. Block BLOCKS has one column, b. */
static int32_t owner(int block) { return block % images; }

/* The columns of a block of this image. */
static column *columns_of(int block) { return a + block / images * BLOCK; }

static int width(int block) { return block < BLOCKS ? BLOCK : 1; }

/* Pseudo-random elements between -0.5 and 0.5. */
static double element(int row, int column) {
    uint64_t bits = UINT64_C(88172645463325252) + UINT64_C(7919) * (uint64_t)row + UINT64_C(104729) * (uint64_t)column;
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    return (double)(bits >> 11) / 9007199254740992.0 - 0.5;
}

static void swap(double *column, int first, int second) {
    const double kept = column[first];
    column[first] = column[second];
    column[second] = kept;
}

static void subtract(double *column, const double *other, double factor, int first) {
    for (int row = first; row < N; row++) column[row] -= factor * other[row];
}

/* Factors the columns of a block into a panel. */
static void factor(int block, panel *into) {
    column *columns = columns_of(block);
    for (int k = 0; k < BLOCK; k++) {
        const int diagonal = block * BLOCK + k;
        int pivot = diagonal;
        for (int row = diagonal; row < N; row++)
            if (fabs(columns[k][row]) > fabs(columns[k][pivot])) pivot = row;
        for (int j = 0; j < BLOCK; j++) swap(columns[j], diagonal, pivot);
        for (int row = diagonal + 1; row < N; row++) columns[k][row] /= columns[k][diagonal];
        for (int j = k + 1; j < BLOCK; j++) subtract(columns[j], columns[k], columns[j][diagonal], diagonal + 1);
        into->pivots[k] = pivot;
    }
    memcpy(into->columns, columns, sizeof into->columns);
}

/* Updates the columns of other blocks by the panel of a block. */
static void update(int block, const panel *by, int first, int last) {
    for (int other = first; other <= last; other++) {
        if (owner(other) != me) continue;
        for (int j = 0; j < width(other); j++) {
            double *column = columns_of(other)[j];
            for (int k = 0; k < BLOCK; k++) swap(column, block * BLOCK + k, by->pivots[k]);
            for (int k = 0; k < BLOCK; k++) {
                const int diagonal = block * BLOCK + k;
                subtract(column, by->columns[k], column[diagonal], diagonal + 1);
            }
        }
    }
}

static void broadcast(int block) {
    const hcube_event done = {.events = delivered, .index = block % 2, .image = HCUBE_CAF_THIS_IMAGE};
    check(hcube_caf_broadcast_async(0, owner(block), &panels[block % 2], sizeof(panel), &done, &failure));
}

static void factor_all(void) {
    if (owner(0) == me) factor(0, &panels[0]);
    broadcast(0);
    for (int block = 0; block < BLOCKS; block++) {
        const panel *by = &panels[block % 2];
        const int next = block + 1;
        check(hcube_caf_event_wait(delivered, block % 2, &failure));
        /* The next panel first: its broadcast goes on during the update of all other columns. */
        if (next < BLOCKS) {
            if (owner(next) == me) {
                update(block, by, next, next);
                factor(next, &panels[next % 2]);
            }
            broadcast(next);
        }
        update(block, by, next < BLOCKS ? next + 1 : BLOCKS, BLOCKS);
    }
}

/* Solves Ux = y: x goes from block to block. */
static void solve(void) {
    if (owner(BLOCKS) == me) memcpy(x, columns_of(BLOCKS), sizeof x);
    check(hcube_caf_broadcast(0, owner(BLOCKS), x, sizeof x, &failure));
    for (int block = BLOCKS - 1; block >= 0; block--) {
        for (int k = BLOCK - 1; k >= 0 && owner(block) == me; k--) {
            const double *column = columns_of(block)[k];
            const int diagonal = block * BLOCK + k;
            x[diagonal] /= column[diagonal];
            for (int row = 0; row < diagonal; row++) x[row] -= x[diagonal] * column[row];
        }
        check(hcube_caf_broadcast(0, owner(block), x, sizeof x, &failure));
    }
}

/* Whether the residual, scaled as in HPL, is too large. Each image has the products of its columns. */
static int is_wrong(void) {
    column products = {0}, sums;
    for (int block = 0; block < BLOCKS; block++)
        for (int j = block * BLOCK; j < (block + 1) * BLOCK && owner(block) == me; j++)
            for (int row = 0; row < N; row++) products[row] += element(row, j) * x[j];
    check(hcube_caf_allreduce(0, products, sums, N, MPI_DOUBLE, MPI_SUM, &failure));
    double residual = 0, largest = 0;
    for (int row = 0; row < N; row++) {
        residual = fmax(residual, fabs(sums[row] - element(row, N)));
        largest = fmax(largest, fabs(x[row]));
    }
    return !(residual < 16 * DBL_EPSILON * N * (largest * N + 1));
}

int main(void) {
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_size(0, &images, &failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    check(hcube_caf_event_alloc(0, 2, &delivered, &failure));
    a = malloc((size_t)(BLOCKS / images + 1) * BLOCK * sizeof *a);
    if (a == NULL) return 1;
    for (int block = 0; block <= BLOCKS; block++)
        for (int j = 0; j < width(block) && owner(block) == me; j++)
            for (int row = 0; row < N; row++) columns_of(block)[j][row] = element(row, block * BLOCK + j);
    factor_all();
    solve();
    const int errors = is_wrong();
    if (me == 0) printf("%d images, order %d, %d errors\n", images, N, errors);
    free(a);
    check(hcube_caf_event_free(delivered, &failure));
    check(hcube_caf_finalize(&failure));
    return errors;
}
