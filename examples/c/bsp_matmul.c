/* Matrix product C = A B in bounded memory on any BSPlib: the algorithm of McColl and Tiskin, by unbuffered gets.
 *
 *   bsp_matmul [ORDER [BLOCKS]]
 *
 * ORDER is the order of the matrices [default: 256], BLOCKS the number Q of blocks in a row of a matrix [default: the
 * smallest one with Q^2 >= p, the number of processes]. A process has the blocks of all matrices whose number, counted
 * row by row, is its own modulo p. The last block of a row or column may be smaller than the others.
 *
 * There are Q^3 products of blocks. In a superstep, each process computes one of them: it gets block (i, j) of A and
 * block (j, k) of B, and adds their product to block (i, k) of C, which is its own. If p does not divide Q^2, the
 * products for the last Q^2 mod p blocks of C are distributed over all processes, which send them to the owner of the
 * block. Apart from the matrices, a process has memory for three blocks.
 *
 * Cost, for blocks of order s = ORDER / Q: ceil(Q^3 / p) supersteps with s^3 multiplications and gets of 2 s^2 words,
 * and a last one. -DUSE_BLAS computes the products of blocks by dgemm_.
 *
 * Source: McColl, Tiskin, Memory-efficient matrix computations in the BSP model, Algorithmica 24 (1999). */
#include <bsp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small integers, so that the product is exact. */
static double a_element(int i, int j) { return (i + 2 * j) % 7 - 3; }
static double b_element(int i, int j) { return (3 * i + j) % 5 - 2; }

/* The distribution of a matrix. Block `number` is on process `number` mod `processes`, in place `number` / `processes`.
 */
typedef struct {
    int processes, pid, order, blocks;
    int side;   /* order of a block */
    int places; /* blocks of a process, at most */
} Distribution;

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (memory == NULL) bsp_abort("bsp_matmul: out of memory\n");
    return memory;
}

static int argument(const char *name, const char *text, int most) {
    char *end;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > most)
        bsp_abort("bsp_matmul: %s %s: expected 1 to %d\n", name, text, most);
    return (int)value;
}

/* Rows of the blocks in a row of blocks, or columns. */
static int extent(const Distribution *of, int block) {
    const int rest = of->order - block * of->side;
    return rest < 0 ? 0 : rest < of->side ? rest : of->side;
}

/* First element of the block in a place of this process. */
static double *block_at(const Distribution *of, double *matrix, int place) {
    return matrix + (size_t)place * of->side * of->side;
}

/* A block of a registered matrix, in the next superstep: the block itself, or a copy that is requested here. */
static double *get_block(const Distribution *of, double *matrix, int row, int column, double *copy) {
    const int number = row * of->blocks + column, process = number % of->processes, place = number / of->processes;
    if (process == of->pid) return block_at(of, matrix, place);
    const int word = sizeof *matrix, offset = place * of->side * of->side * word;
    bsp_hpget(process, matrix, offset, copy, extent(of, row) * extent(of, column) * word);
    return copy;
}

/* C := C + A B for blocks that are stored row by row. */
#ifdef USE_BLAS
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);

static void multiply(int rows, int inner, int columns, const double *a, const double *b, double *c) {
    const double one = 1;
    /* The BLAS stores columns: of the transposed matrices, the product is B A. */
    if (rows > 0 && inner > 0 && columns > 0)
        dgemm_("N", "N", &columns, &rows, &inner, &one, b, &columns, a, &inner, &one, c, &columns);
}
#else
static void multiply(int rows, int inner, int columns, const double *a, const double *restrict b, double *restrict c) {
    for (int i = 0; i < rows; i++, c += columns)
        for (int j = 0; j < inner; j++) {
            const double factor = *a++;
            for (int k = 0; k < columns; k++) c[k] += factor * b[(size_t)j * columns + k];
        }
}
#endif

/* Adds the products that other processes have sent to blocks of C; the tag is the place of the block. */
static void add_received(const Distribution *of, double *c, double *product) {
    int messages, bytes;
    bsp_qsize(&messages, &bytes);
    for (int message = 0; message < messages; message++) {
        int place, status;
        bsp_get_tag(&status, &place);
        bsp_move(product, status);
        double *sum = block_at(of, c, place);
        for (size_t i = 0; i < status / sizeof *sum; i++) sum[i] += product[i];
    }
}

/* C := A B. A and B are registered. */
static void matrix_product(const Distribution *of, double *a, double *b, double *c) {
    const int processes = of->processes, blocks = of->blocks, all = blocks * blocks, rest = all % processes;
    const int own_steps = all / processes * blocks, steps = own_steps + (rest * blocks + processes - 1) / processes;
    const size_t block_bytes = (size_t)of->side * of->side * sizeof(double);
    double *a_copy = allocate(block_bytes), *b_copy = allocate(block_bytes), *product = allocate(block_bytes);
    memset(c, 0, of->places * block_bytes);
    for (int step = 0; step < steps; step++) {
        int number, j; /* of the block of C, and of the product for it */
        if (step < own_steps) {
            /* A block of this process; the processes begin with different products, so that they get different blocks.
             */
            number = step / blocks * processes + of->pid;
            j = (number / blocks + number + step) % blocks;
        } else {
            const int cube = (step - own_steps) * processes + of->pid;
            number = cube < rest * blocks ? all - rest + cube % rest : all;
            j = (cube / rest + number) % blocks;
        }
        const int i = number / blocks, k = number % blocks, is_idle = number == all;
        const double *a_block = is_idle ? NULL : get_block(of, a, i, j, a_copy);
        const double *b_block = is_idle ? NULL : get_block(of, b, j, k, b_copy);
        bsp_sync();
        add_received(of, c, product);
        if (is_idle) continue;

        const int rows = extent(of, i), columns = extent(of, k), owner = number % processes, place = number / processes;
        const int bytes = rows * columns * (int)sizeof(double);
        double *sum = owner == of->pid ? block_at(of, c, place) : memset(product, 0, bytes);
        multiply(rows, extent(of, j), columns, a_block, b_block, sum);
        if (sum == product) bsp_send(owner, &place, product, bytes);
    }
    bsp_sync();
    add_received(of, c, product);
    free(product);
    free(b_copy);
    free(a_copy);
}

int main(int argc, char **argv) {
    bsp_begin(bsp_nprocs());
    Distribution of = {.processes = bsp_nprocs(), .pid = bsp_pid()};
    const int word = sizeof(double);

    /* Superstep: process 0 puts the arguments into the memory of all. Some libraries pass them only to process 0. */
    int arguments[2], tag_bytes = sizeof(int);
    double *results = allocate(of.processes * 2 * sizeof *results);
    bsp_push_reg(arguments, sizeof arguments);
    bsp_push_reg(results, of.processes * 2 * word);
    bsp_set_tagsize(&tag_bytes);
    bsp_sync();
    if (of.pid == 0) {
        int chosen[2] = {argc > 1 ? argument("ORDER", argv[1], 1 << 20) : 256, 1};
        while (chosen[1] * chosen[1] < of.processes && chosen[1] < chosen[0]) chosen[1]++;
        if (argc > 2) chosen[1] = argument("BLOCKS", argv[2], chosen[0] < 1024 ? chosen[0] : 1024);
        for (int to = 0; to < of.processes; to++) bsp_put(to, chosen, arguments, 0, sizeof chosen);
    }
    bsp_sync();
    of.order = arguments[0];
    of.blocks = arguments[1];
    of.side = (of.order + of.blocks - 1) / of.blocks;
    of.places = (of.blocks * of.blocks + of.processes - 1) / of.processes;

    const double bytes = (double)of.places * of.side * of.side * word;
    if (bytes > INT_MAX) bsp_abort("bsp_matmul: %.0f bytes of a matrix on a process: too many\n", bytes);
    double *a = allocate((size_t)bytes), *b = allocate((size_t)bytes), *c = allocate((size_t)bytes);
    for (int number = of.pid; number < of.blocks * of.blocks; number += of.processes) {
        const int row = number / of.blocks, column = number % of.blocks, width = extent(&of, column);
        double *a_block = block_at(&of, a, number / of.processes), *b_block = block_at(&of, b, number / of.processes);
        for (int i = 0; i < extent(&of, row); i++)
            for (int j = 0; j < width; j++) {
                a_block[(size_t)i * width + j] = a_element(row * of.side + i, column * of.side + j);
                b_block[(size_t)i * width + j] = b_element(row * of.side + i, column * of.side + j);
            }
    }
    bsp_push_reg(a, (int)bytes);
    bsp_push_reg(b, (int)bytes);
    bsp_sync();

    const double begin = bsp_time();
    matrix_product(&of, a, b, c);
    const double seconds = bsp_time() - begin;

    /* The check: the elements of A and B repeat after 7 rows and 5 columns, so do the elements of C. */
    double expected[7][5] = {{0}}, errors = 0;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 5; k++)
            for (int j = 0; j < of.order; j++) expected[i][k] += a_element(i, j) * b_element(j, k);
    for (int number = of.pid; number < of.blocks * of.blocks; number += of.processes) {
        const int row = number / of.blocks, column = number % of.blocks, width = extent(&of, column);
        const double *block = block_at(&of, c, number / of.processes);
        for (int i = 0; i < extent(&of, row); i++)
            for (int k = 0; k < width; k++)
                errors += block[(size_t)i * width + k] != expected[(row * of.side + i) % 7][(column * of.side + k) % 5];
    }

    /* Superstep: process 0 gets the errors of all processes, and the time of the slowest process. */
    const double result[2] = {seconds, errors};
    bsp_put(0, result, results, of.pid * 2 * word, 2 * word);
    bsp_pop_reg(b);
    bsp_pop_reg(a);
    bsp_pop_reg(results);
    bsp_pop_reg(arguments);
    bsp_sync();
    double all_errors = 0, slowest = 1e-9;
    for (int from = 0; from < of.processes && of.pid == 0; from++) {
        if (results[2 * from] > slowest) slowest = results[2 * from];
        all_errors += results[2 * from + 1];
    }
    if (of.pid == 0)
        printf("%d processes, n = %d, %d x %d blocks of %d, %.2f GFLOP/s, %.0f errors\n", of.processes, of.order,
               of.blocks, of.blocks, of.side, 2e-9 * of.order * of.order * of.order / slowest, all_errors);
    free(c);
    free(b);
    free(a);
    free(results);
    bsp_end();
    return all_errors != 0;
}
