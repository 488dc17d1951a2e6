/* HPL: solves a system of linear equations by LU factorisation with partial pivoting (Jin et al. 2011, Figures 2 and
 * 4).
 *
 *     caf_hpl [ORDER [BLOCK [ROWS]]]      ROWS: of the grid of images; it divides their number
 *
 * The matrix [A, b] is distributed block-cyclically in square blocks over a grid of images. The images of a column
 * factor a panel, one block wide, together: a reduction finds each pivot and its row. The panel is sent along the rows
 * of the grid by an asynchronous broadcast, while images still update their columns by the previous panel; two panels
 * alternate. Rows are swapped by puts. L is not kept. dgemm and dtrsm perform the local work. */
#include <float.h>
#include <hcube/caf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
            const double *, const int *, double *, const int *);

/* STRIP: columns of an update between two calls that make progress for the broadcast. */
enum { MAX_ORDER = 200000, MAX_BLOCK = 512, STRIP = 256 };

/* A panel in one of the two buffers: the data that is sent along a row of the grid. */
typedef struct panel {
    int first, width, height; /* the first column; the number of columns, and of rows of this image from `first` on */
    int is_top;               /* whether this image has the rows of the block on the diagonal: the first ones */
    double *pivots;           /* the rows with which those of the block change places, one after the other */
    double *block;            /* the block on the diagonal: L, without its diagonal, and U */
    double *l;                /* height x width: rows of L below the block */
} panel;

static hcube_error failure;
static hcube_team row_team, column_team;
static hcube_events delivered;
static hcube_coarray stage_coarray;
static MPI_Datatype candidate_type;
static MPI_Op larger;
static int32_t images, me;
static int order, nb = 64, grid_rows, grid_columns, my_row, my_column, leading, updates;
static double *a, *stage, *buffers[2], *line;
static int *row_at;
static size_t stage_doubles; /* of one of the two stages */
static const double one = 1, minus_one = -1;

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_hpl: %s\n", failure.message);
    exit(1);
}

static void *allocate(size_t count, size_t bytes) {
    void *memory = calloc(count > 0 ? count : 1, bytes);
    if (memory != NULL) return memory;
    fprintf(stderr, "caf_hpl: no memory for %zu elements\n", count);
    exit(1);
}

/* How many of the first `count` rows or columns are at this place of the grid, which has `places` of them. */
static int share(int count, int place, int places) {
    const int blocks = count / nb, rest = blocks % places;
    return blocks / places * nb + (place < rest ? nb : place == rest ? count % nb : 0);
}

static int rows_before(int row) { return share(row, my_row, grid_rows); }
static int columns_before(int column) { return share(column, my_column, grid_columns); }

/* The row or column of the grid that has a row or column of the matrix, and the reverse. */
static int owner(int index, int places) { return index / nb % places; }
static int global_index(int local, int place, int places) { return (local / nb * places + place) * nb + local % nb; }

/* An element of this image. */
static double *at(int row, int column) { return a + row + (size_t)column * (size_t)leading; }

/* Pseudo-random elements between -0.5 and 0.5. */
static double element(int row, int column) {
    uint64_t bits = (uint64_t)column * MAX_ORDER + (uint64_t)row + 1;
    bits *= UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return (double)((bits ^ bits >> 31) >> 11) / 9007199254740992.0 - 0.5;
}

static panel panel_at(int first) {
    double *memory = buffers[first / nb % 2];
    panel p = {.first = first, .width = order - first < nb ? order - first : nb};
    p.height = rows_before(order) - rows_before(first);
    p.is_top = owner(first, grid_rows) == my_row;
    p.pivots = memory;
    p.block = memory + nb;
    p.l = p.block + nb * nb;
    return p;
}

/* A candidate for a pivot is its absolute value, its row, the elements of that row in the panel, and the elements of
 * the row that it is swapped with, from the image that has them. */
static void choose(void *in, void *inout, int *count, MPI_Datatype *type) {
    const double *other = in;
    double *best = inout;
    (void)type;
    for (int i = 0; i < *count; i++, other += 2 + 2 * nb, best += 2 + 2 * nb) {
        if (other[0] > best[0] || (other[0] == best[0] && other[1] < best[1]))
            memcpy(best, other, (size_t)(2 + nb) * sizeof *best);
        for (int j = 2 + nb; j < 2 + 2 * nb; j++) best[j] += other[j];
    }
}

/* Finds the pivot of a column of the panel, exchanges the rows, and divides the column by the pivot. */
static void factor_column(const panel *p, int k) {
    const int before = rows_before(p->first), height = p->height;
    double *column = p->l + (size_t)k * (size_t)height, *mine = line, *best = line + 2 + 2 * nb;
    int place = p->is_top ? k : 0;
    for (int row = place; row < height; row++)
        if (fabs(column[row]) > fabs(column[place])) place = row;
    memset(mine, 0, (size_t)(2 + 2 * nb) * sizeof *mine);
    mine[0] = place < height ? fabs(column[place]) : -1;
    mine[1] = global_index(before + place, my_row, grid_rows);
    for (int j = 0; j < p->width; j++) {
        const double *from = p->l + (size_t)j * (size_t)height;
        if (place < height) mine[2 + j] = from[place];
        if (p->is_top) mine[2 + nb + j] = from[k];
    }
    check(hcube_caf_allreduce(column_team, mine, best, 1, candidate_type, larger, &failure));

    const int pivot = (int)best[1], is_mine = owner(pivot, grid_rows) == my_row;
    p->pivots[k] = pivot;
    for (int j = 0; j < p->width; j++) {
        p->block[k + j * nb] = best[2 + j];
        if (is_mine) p->l[rows_before(pivot) - before + (size_t)j * (size_t)height] = best[2 + nb + j];
    }
    for (int row = p->is_top ? k + 1 : 0; row < height; row++) column[row] /= p->block[k + k * nb];
}

/* Factors columns of the panel: the left half, then by that the right one. */
static void factor_columns(const panel *p, int first, int width) {
    if (width == 1) {
        factor_column(p, first);
        return;
    }
    const int left = width / 2, right = width - left, middle = first + left, height = p->height;
    factor_columns(p, first, left);
    double *corner = p->block + first + middle * nb;
    dtrsm_("L", "L", "N", "U", &left, &right, &one, p->block + first + first * nb, &nb, corner, &nb);
    const int skipped = p->is_top ? middle : 0, below = height - skipped;
    if (below > 0)
        dgemm_("N", "N", &below, &right, &left, &minus_one, p->l + skipped + (size_t)first * (size_t)height, &height,
               corner, &nb, &one, p->l + skipped + (size_t)middle * (size_t)height, &height);
    factor_columns(p, middle, right);
}

/* Factors the panel on the images of its column. U of its block is kept in the matrix. */
static void factor(int first) {
    const panel p = panel_at(first);
    const int row = rows_before(first), column = columns_before(first);
    for (int j = 0; j < p.width; j++)
        memcpy(p.l + (size_t)j * (size_t)p.height, at(row, column + j), (size_t)p.height * sizeof *a);
    factor_columns(&p, 0, p.width);
    for (int j = 0; j < p.width && p.is_top; j++)
        memcpy(at(row, column + j), p.block + j * nb, (size_t)p.width * sizeof *a);
}

/* Starts the broadcast of a panel along the rows. */
static void broadcast(int first) {
    const panel p = panel_at(first);
    const hcube_event done = {.events = delivered, .index = first / nb % 2, .image = HCUBE_CAF_THIS_IMAGE};
    const size_t doubles = (size_t)(nb + nb * nb) + (size_t)p.height * (size_t)p.width;
    check(hcube_caf_broadcast_async(row_team, owner(first, grid_columns), p.pivots, doubles * sizeof *a, &done,
                                    &failure));
}

/* The moves that the pivots of a panel amount to: first those of the rows that U begins with, in order, then those
 * that they push out. */
static int moves_of(const panel *p, int *from, int *to) {
    int moves = 0;
    for (int k = 0; k < p->width; k++) {
        int *row = &row_at[p->first + k], *pivot = &row_at[(int)p->pivots[k]];
        const int kept = *row;
        *row = *pivot;
        *pivot = kept;
    }
    for (int k = 0; k < p->width; k++, moves++) from[moves] = row_at[to[moves] = p->first + k];
    for (int k = 0; k < p->width; k++) {
        const int pivot = (int)p->pivots[k];
        if (pivot < p->first + p->width || row_at[pivot] == pivot) continue;
        to[moves] = pivot;
        from[moves++] = row_at[pivot];
        row_at[pivot] = pivot;
    }
    for (int k = 0; k < p->width; k++) row_at[p->first + k] = p->first + k;
    return moves;
}

/* Exchanges rows in n columns. Rows of U go to all images of the column; the return value is U, transposed. Two stages
 * alternate, so that one barrier is enough: an image that passes it has read the previous stage. */
static double *exchange(const panel *p, int column, int n) {
    int from[2 * MAX_BLOCK], to[2 * MAX_BLOCK];
    const int moves = moves_of(p, from, to);
    const size_t begin = (size_t)(updates++ % 2) * stage_doubles, length = (size_t)n * sizeof *a;
    for (int move = 0; move < moves; move++) {
        if (owner(from[move], grid_rows) != my_row) continue;
        const int row = rows_before(from[move]), to_all = move < p->width;
        for (int j = 0; j < n; j++) line[j] = *at(row, column + j);
        const uint64_t offset = (begin + (size_t)move * (size_t)n) * sizeof *a;
        for (int image = 0; image < grid_rows; image++)
            if (to_all || image == owner(to[move], grid_rows))
                check(hcube_caf_put(stage_coarray, image, offset, line, length, &failure));
    }
    check(hcube_caf_barrier(column_team, &failure));
    for (int move = p->width; move < moves; move++) {
        if (owner(to[move], grid_rows) != my_row) continue;
        const double *values = stage + begin + (size_t)move * (size_t)n;
        for (int j = 0; j < n; j++) *at(rows_before(to[move]), column + j) = values[j];
    }
    return stage + begin;
}

/* Updates the columns of the matrix from `from` to `to` by a panel. */
static void update(int first, int from, int to) {
    const panel p = panel_at(first);
    const int column = columns_before(from), n = columns_before(to) - column, row = rows_before(first);
    if (n == 0) return;
    double *u = exchange(&p, column, n);
    dtrsm_("R", "L", "T", "U", &n, &p.width, &one, p.block, &nb, u, &n);
    for (int j = 0; j < n && p.is_top; j++)
        for (int k = 0; k < p.width; k++) *at(row + k, column + j) = u[j + (size_t)k * (size_t)n];
    const int skipped = p.is_top ? p.width : 0, below = p.height - skipped;
    for (int j = 0; j < n && below > 0; j += STRIP) {
        const int strip = n - j < STRIP ? n - j : STRIP;
        dgemm_("N", "T", &below, &strip, &p.width, &minus_one, p.l + skipped, &p.height, u + j, &n, &one,
               at(row + skipped, column + j), &leading);
        check(hcube_caf_progress(&failure));
    }
}

static void factor_all(void) {
    if (owner(0, grid_columns) == my_column) factor(0);
    broadcast(0);
    for (int first = 0; first < order; first += nb) {
        const int next = first + nb < order ? first + nb : order, after = next + nb < order ? next + nb : order;
        check(hcube_caf_event_wait(delivered, first / nb % 2, &failure));
        /* The next panel first: its broadcast overlaps with the update of all other columns. */
        if (next < order) {
            if (owner(next, grid_columns) == my_column) {
                update(first, next, after);
                factor(next);
            }
            broadcast(next);
        }
        const int has_next = next < order && owner(next, grid_columns) == my_column;
        update(first, has_next ? after : next, order + 1);
    }
}

/* Solves Ux = y from the last block to the first. Each image subtracts what its columns contribute to its rows; the
 * sums along a row go to the block on the diagonal. All images get x. */
static void solve(double *x) {
    const int single = 1;
    double *rest = allocate((size_t)leading, sizeof *rest), sums[MAX_BLOCK];
    if (owner(order, grid_columns) == my_column)
        memcpy(rest, at(0, columns_before(order)), (size_t)rows_before(order) * sizeof *rest);
    for (int first = (order - 1) / nb * nb; first >= 0; first -= nb) {
        const int row = owner(first, grid_rows), column = owner(first, grid_columns), above = rows_before(first);
        const int width = order - first < nb ? order - first : nb;
        const double *block = at(above, columns_before(first));
        if (row == my_row)
            check(hcube_caf_reduce(row_team, column, rest + above, sums, width, MPI_DOUBLE, MPI_SUM, &failure));
        if (column != my_column) continue;
        if (row == my_row) dtrsm_("L", "U", "N", "N", &width, &single, &one, block, &leading, sums, &leading);
        check(hcube_caf_broadcast(column_team, row, sums, (uint64_t)width * sizeof *x, &failure));
        memcpy(x + first, sums, (size_t)width * sizeof *x);
        if (above > 0)
            dgemm_("N", "N", &above, &single, &width, &minus_one, at(0, columns_before(first)), &leading, sums, &nb,
                   &one, rest, &leading);
    }
    check(hcube_caf_allreduce(row_team, x, x, order, MPI_DOUBLE, MPI_SUM, &failure));
    free(rest);
}

/* The residual as HPL scales it, with the largest sums of absolute values. The matrix is generated again. */
static double residual(const double *x) {
    const int height = rows_before(order), width = columns_before(order + 1);
    double *sums = allocate(2 * (size_t)height, sizeof *sums), norms[3] = {0}, largest = 0;
    for (int j = 0; j < width; j++) {
        const int column = global_index(j, my_column, grid_columns);
        const double factor = column < order ? x[column] : -1;
        for (int i = 0; i < height; i++) {
            const double value = element(global_index(i, my_row, grid_rows), column);
            sums[i] += value * factor;
            if (column < order) sums[height + i] += fabs(value);
            if (column == order) norms[2] = fmax(norms[2], fabs(value));
        }
    }
    check(hcube_caf_allreduce(row_team, sums, sums, 2 * height, MPI_DOUBLE, MPI_SUM, &failure));
    for (int i = 0; i < height; i++) {
        norms[0] = isnan(sums[i]) ? INFINITY : fmax(norms[0], fabs(sums[i]));
        norms[1] = fmax(norms[1], sums[height + i]);
    }
    check(hcube_caf_allreduce(0, norms, norms, 3, MPI_DOUBLE, MPI_MAX, &failure));
    for (int j = 0; j < order; j++) largest = fmax(largest, fabs(x[j]));
    free(sums);
    const double scale = DBL_EPSILON / 2 * (norms[1] * largest + norms[2]) * order;
    /* Over an infinite scale any residual would be small. */
    return isfinite(scale) ? norms[0] / scale : INFINITY;
}

/* Teams of the rows and columns, the matrix, the buffers. */
static void prepare(void) {
    void *address;
    my_row = me % grid_rows;
    my_column = me / grid_rows;
    check(hcube_caf_team_split(0, my_row, my_column, &row_team, &failure));
    check(hcube_caf_team_split(0, my_column, my_row, &column_team, &failure));
    check(hcube_caf_event_alloc(row_team, 2, &delivered, &failure));
    const int height = rows_before(order), width = columns_before(order + 1);
    leading = height > 1 ? height : 1;
    a = allocate((size_t)leading * (size_t)(width > 1 ? width : 1), sizeof *a);
    row_at = allocate((size_t)order, sizeof *row_at);
    for (int row = 0; row < order; row++) row_at[row] = row;
    for (int i = 0; i < 2; i++) buffers[i] = allocate((size_t)(1 + nb + leading) * (size_t)nb, sizeof *a);
    line = allocate((size_t)(width > 4 + 4 * nb ? width : 4 + 4 * nb), sizeof *line);
    /* A row for each move. All images of a column have as many columns. */
    stage_doubles = 2 * (size_t)nb * (size_t)width;
    check(hcube_caf_coarray_alloc(column_team, 2 * stage_doubles * sizeof *a, &stage_coarray, &address, &failure));
    stage = address;
    for (int j = 0; j < width; j++)
        for (int i = 0; i < height; i++)
            *at(i, j) = element(global_index(i, my_row, grid_rows), global_index(j, my_column, grid_columns));
    MPI_Type_contiguous(2 + 2 * nb, MPI_DOUBLE, &candidate_type);
    MPI_Type_commit(&candidate_type);
    MPI_Op_create(choose, 1, &larger);
}

/* A number on the command line, or the default. */
static int argument(int count, char **arguments, int which, const char *name, int preset, int largest) {
    if (which >= count) return preset;
    char *end;
    const long value = strtol(arguments[which], &end, 10);
    if (end != arguments[which] && *end == 0 && value >= 1 && value <= largest) return (int)value;
    if (me == 0) fprintf(stderr, "caf_hpl: %s %s: expected 1 to %d\n", name, arguments[which], largest);
    check(hcube_caf_finalize(&failure));
    exit(1);
}

int main(int argc, char **argv) {
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_size(0, &images, &failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    /* The grid that is nearest to a square, with more columns than rows. */
    grid_rows = 1;
    for (int rows = 2; rows * rows <= images; rows++)
        if (images % rows == 0) grid_rows = rows;
    order = argument(argc, argv, 1, "ORDER", 2000, MAX_ORDER);
    nb = argument(argc, argv, 2, "BLOCK", nb, MAX_BLOCK);
    grid_rows = argument(argc, argv, 3, "ROWS", grid_rows, images);
    grid_columns = images / grid_rows;
    if (grid_rows * grid_columns != images) {
        if (me == 0) fprintf(stderr, "caf_hpl: ROWS %d: expected a divisor of %d images\n", grid_rows, images);
        check(hcube_caf_finalize(&failure));
        return 1;
    }
    prepare();
    double *x = allocate((size_t)order, sizeof *x);
    check(hcube_caf_barrier(0, &failure));
    double seconds = MPI_Wtime();
    factor_all();
    solve(x);
    seconds = MPI_Wtime() - seconds;
    check(hcube_caf_allreduce(0, &seconds, &seconds, 1, MPI_DOUBLE, MPI_MAX, &failure));
    const double n = order, scaled = residual(x);
    const int errors = !(scaled < 16);
    if (me == 0)
        printf("%d images, %d x %d, order %d, block %d, %.2f GFLOP/s, residual %.2g, %d errors\n", images, grid_rows,
               grid_columns, order, nb, (2 * n * n * n / 3 + 3 * n * n / 2) / seconds * 1e-9, scaled, errors);
    free(x);
    MPI_Op_free(&larger);
    MPI_Type_free(&candidate_type);
    check(hcube_caf_finalize(&failure));
    return errors;
}
