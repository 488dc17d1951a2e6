/* FFT of a vector that is distributed over the images (Figure 7 of the paper): radix 2, binary exchange. The levels
 * that span several images fetch blocks from a partner and send results to it by asynchronous copies. A fetch begins
 * when the partner has said that its block is complete (event ready); a block that has come back is announced by event
 * copied.
 *
 * The transform has a power of two of images; others have no part in it. */
#include <complex.h>
#include <hcube/caf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOG_LOCAL = 10, N = 1 << LOG_LOCAL, BLOCK = 64, BLOCKS = N / BLOCK };

static hcube_error failure;
static hcube_team team;
static hcube_coarray coarray;
static hcube_events ready, copied, prefetch;
static int32_t images, me, dimensions;
static int64_t m;                     /* elements of the vector */
static double complex (*c)[N], *root; /* c: two vectors, of which one is read and one written */
static double complex buffer[N], input[N];
static int last, awaited = -BLOCKS; /* awaited: the first block that the partner of the last level computes */

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_fft_exchange: %s\n", failure.message);
    exit(1);
}

static double complex *allocate(int64_t elements) {
    double complex *memory = malloc((size_t)elements * sizeof *memory);
    if (memory == NULL) exit(1);
    return memory;
}

/* A power of the first root of unity. */
static double complex power(int64_t exponent) {
    return exponent % m < m / 2 ? root[exponent % m] : -root[exponent % m - m / 2];
}

/* The lowest bits in reverse order. */
static int64_t reversed(int64_t number, int bits) {
    int64_t result = 0;
    for (int bit = 0; bit < bits; bit++) result |= (number >> bit & 1) << (bits - 1 - bit);
    return result;
}

/* Bit reversal: packs a block for each image, exchanges the blocks, and unpacks them. */
static void permute(void) {
    const int64_t members = INT64_C(1) << dimensions, share = N / members;
    static double complex packed[N], received[N];
    for (int64_t image = 0; image < members; image++)
        for (int64_t s = 0; s < share; s++)
            packed[image * share + s] = input[s * members + reversed(image, dimensions)];
    check(hcube_caf_alltoall(team, packed, (uint64_t)share * sizeof *packed, received, &failure));
    for (int64_t image = 0; image < members; image++)
        for (int64_t s = 0; s < share; s++) {
            const int64_t from = image * N + s * members + reversed(me, dimensions);
            c[last][reversed(from, LOG_LOCAL + dimensions) % N] = received[image * share + s];
        }
}

/* The butterflies of a level whose elements are on this image, with this distance. */
static void local_level(double complex *x, int64_t distance) {
    for (int64_t first = 0; first < N; first += 2 * distance)
        for (int64_t j = first; j < first + distance; j++) {
            const double complex t = root[(j - first) * (m / (2 * distance))] * x[j + distance];
            x[j + distance] = x[j] - t;
            x[j] += t;
        }
}

static int is_in_half(int block, int first) { return block >= first && block < first + BLOCKS / 2; }

/* Waits until a block is complete, if the partner of the last level computes it. */
static void wait_for(int block) {
    if (is_in_half(block, awaited)) check(hcube_caf_event_wait(copied, block, &failure));
}

/* A block of one of the two vectors on an image. */
static hcube_place block_of(int32_t image, int vector, int block) {
    const uint64_t offset = ((uint64_t)vector * N + (uint64_t)block * BLOCK) * sizeof *input;
    return (hcube_place){.coarray = coarray, .offset = offset, .image = image};
}

/* A level between this image and a partner: each of them computes one half of the butterflies, block by block. */
static void remote_level(int level, int32_t partner) {
    const int is_lower = me < partner, first = is_lower ? 0 : BLOCKS / 2, partners_first = BLOCKS / 2 - first;
    const int32_t lower = is_lower ? me : partner;
    const int64_t distance = (int64_t)N << level;
    /* A partner of the next level may be early: each level has its own events. */
    const int64_t event = (int64_t)level * BLOCKS;

    /* What was sent from the buffer before has left it. */
    check(hcube_caf_cofence(&failure));
    for (int block = 0; block < BLOCKS; block++) {
        wait_for(block);
        if (is_in_half(block, partners_first)) check(hcube_caf_event_notify(ready, event + block, partner, &failure));
    }

    for (int block = first; block < first + BLOCKS / 2; block++) {
        const hcube_place to = {.memory = buffer + block * BLOCK}, from = block_of(partner, last, block);
        const hcube_event done = {.events = prefetch, .index = block, .image = HCUBE_CAF_THIS_IMAGE};
        const hcube_event may_begin = {.events = ready, .index = event + block, .image = HCUBE_CAF_THIS_IMAGE};
        check(hcube_caf_copy_async(&to, &from, BLOCK * sizeof *input, &done, &may_begin, &failure));
    }

    for (int block = first; block < first + BLOCKS / 2; block++) {
        check(hcube_caf_event_wait(prefetch, block, &failure));
        for (int64_t i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
            const double complex twiddle = root[((int64_t)lower * N + i) % distance * (m / (2 * distance))];
            const double complex x = is_lower ? c[last][i] : buffer[i];
            const double complex t = (is_lower ? buffer[i] : c[last][i]) * twiddle;
            c[!last][i] = is_lower ? x + t : x - t;
            buffer[i] = is_lower ? x - t : x + t;
        }
        /* The result goes to the image that needs it next. */
        const hcube_place to = block_of(partner, !last, block), from = {.memory = buffer + block * BLOCK};
        const hcube_event done = {.events = copied, .index = block, .image = partner};
        check(hcube_caf_copy_async(&to, &from, BLOCK * sizeof *input, &done, NULL, &failure));
    }
    awaited = partners_first;
    last = !last;
}

/* Compares all elements with their definition, a sum over all images. */
static int64_t verify(void) {
    double complex *contribution = allocate(m), *expected = allocate(m);
    for (int64_t k = 0; k < m; k++) {
        contribution[k] = 0;
        for (int64_t j = 0; j < N; j++) contribution[k] += input[j] * power(k * (me * N + j));
    }
    check(hcube_caf_allreduce(team, contribution, expected, m, MPI_C_DOUBLE_COMPLEX, MPI_SUM, &failure));
    int64_t errors = 0, all_errors = 0;
    for (int64_t j = 0; j < N; j++) errors += !(cabs(c[last][j] - expected[me * N + j]) < 1e-7 * (double)m);
    check(hcube_caf_allreduce(team, &errors, &all_errors, 1, MPI_INT64_T, MPI_SUM, &failure));
    if (me == 0) printf("%d images, %lld elements, %lld errors\n", images, (long long)m, (long long)all_errors);
    free(contribution);
    free(expected);
    return all_errors;
}

static int64_t run(void) {
    const double pi = acos(-1);
    void *address;
    check(hcube_caf_coarray_alloc(team, 2 * sizeof *c, &coarray, &address, &failure));
    c = address;
    check(hcube_caf_event_alloc(team, BLOCKS * (dimensions + 1), &ready, &failure));
    check(hcube_caf_event_alloc(team, BLOCKS, &copied, &failure));
    check(hcube_caf_event_alloc(team, BLOCKS, &prefetch, &failure));
    root = allocate(m / 2);
    for (int64_t j = 0; j < m / 2; j++) root[j] = cexp(-2 * pi * I * (double)j / (double)m);
    for (int64_t j = 0; j < N; j++) input[j] = (double)(31 * (me * N + j) % 101) + (double)(17 * j % 59) * I;
    permute();
    for (int level = 0; level < LOG_LOCAL; level++) local_level(c[last], INT64_C(1) << level);
    for (int level = 0; level < dimensions; level++) remote_level(level, me ^ 1 << level);
    for (int block = 0; block < BLOCKS; block++) wait_for(block);
    const int64_t errors = verify();
    free(root);
    return errors;
}

int main(void) {
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_size(0, &images, &failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    while (2 << dimensions <= images) dimensions++;
    m = (int64_t)N << dimensions;
    check(hcube_caf_team_split(0, me < 1 << dimensions ? 0 : -1, me, &team, &failure));
    const int64_t errors = me < 1 << dimensions ? run() : 0;
    check(hcube_caf_finalize(&failure));
    return errors != 0;
}
