/* FFT of a vector that is distributed over the images (Jin et al. 2011, Figure 7): radix 2, binary exchange. The levels
 * that span several images fetch blocks from a partner and send results to it by asynchronous copies. A fetch begins
 * when the partner has notified that its block is complete (event ready); the event copied is notified when a result
 * has arrived.
 *
 *     caf_fft_exchange [LOG_ELEMENTS]      each image has 2^LOG_ELEMENTS elements
 *
 * The transform has a power of two of images; others have no part in it. The result is 5 m log2(m) / t operations per
 * second, where m is the number of elements on all images. */
#include <complex.h>
#include <float.h>
#include <hcube/caf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* LOG_CHUNK: levels within 2^LOG_CHUNK elements run while these are in the cache. LOG_TILE: places that bit reversals
 * move together, so that they use whole lines of the cache. CHECKS: elements that are compared with their definition.
 */
enum { MIN_LOG = 8, MAX_LOG = 28, BLOCKS = 32, LOG_CHUNK = 12, LOG_TILE = 3, TILE = 1 << LOG_TILE, CHECKS = 4 };

static hcube_error failure;
static hcube_team team;
static hcube_coarray coarray;
static hcube_events ready, copied, prefetch;
static int32_t images, me, dimensions;
static int log_local = 18, last;
static int awaited = -BLOCKS;    /* the first block that the partner of the last level computes */
static int64_t n, block_size, m; /* elements of an image, of a block, of the vector */
static double complex *c[2];     /* two vectors, of which one is read and one written */
static double complex *root;     /* twiddle factors: local levels one after the other, then n for each remote level */
static double complex *buffer, *input;

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_fft_exchange: %s\n", failure.message);
    exit(1);
}

static double complex *allocate(int64_t elements) {
    double complex *memory = malloc((size_t)elements * sizeof *memory);
    if (memory != NULL) return memory;
    fprintf(stderr, "caf_fft_exchange: no memory for %lld elements\n", (long long)elements);
    exit(1);
}

/* The compiler's complex multiplication tests for infinities. */
static double complex product(double complex x, double complex y) {
    return CMPLX(creal(x) * creal(y) - cimag(x) * cimag(y), creal(x) * cimag(y) + cimag(x) * creal(y));
}

static double complex root_of_unity(int64_t number, int64_t of) {
    const double angle = -2 * acos(-1) * (double)number / (double)of;
    return CMPLX(cos(angle), sin(angle));
}

/* The lowest bits in reverse order. */
static int64_t reversed(int64_t number, int bits) {
    int64_t result = 0;
    for (int bit = 0; bit < bits; bit++) result |= (number >> bit & 1) << (bits - 1 - bit);
    return result;
}

/* Pseudo-random elements, with both parts between -0.5 and 0.5. */
static double complex element(int64_t index) {
    double parts[2];
    for (int part = 0; part < 2; part++) {
        uint64_t bits = (2 * (uint64_t)index + (uint64_t)part + 1) * UINT64_C(0x9E3779B97F4A7C15);
        bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        parts[part] = (double)((bits ^ bits >> 27) >> 11) / 9007199254740992.0 - 0.5;
    }
    return CMPLX(parts[0], parts[1]);
}

/* Packs a block for each image: some neighbours at a time. */
static void pack(double complex *packed) {
    const int64_t members = INT64_C(1) << dimensions, share = n / members, tile = members < TILE ? members : TILE;
    for (int64_t first = 0; first < members; first += tile)
        for (int64_t s = 0; s < share; s++)
            for (int64_t place = first; place < first + tile; place++)
                packed[reversed(place, dimensions) * share + s] = input[s * members + place];
}

/* Bit reversal on this image: TILE rows of TILE neighbours at a time. */
static void reverse_local(const double complex *from, double complex *to) {
    const int middle_bits = log_local - 2 * LOG_TILE;
    int64_t end[TILE];
    for (int i = 0; i < TILE; i++) end[i] = reversed(i, LOG_TILE);
    for (int64_t middle = 0; middle < INT64_C(1) << middle_bits; middle++) {
        const int64_t target = reversed(middle, middle_bits) << LOG_TILE;
        for (int high = 0; high < TILE; high++)
            for (int low = 0; low < TILE; low++)
                to[end[low] << (log_local - LOG_TILE) | target | end[high]] =
                    from[(int64_t)high << (log_local - LOG_TILE) | middle << LOG_TILE | low];
    }
}

/* Moves the elements of input to the places with the reversed numbers. */
static void permute(void) {
    const uint64_t bytes = (uint64_t)(n >> dimensions) * sizeof *input;
    /* The last data has left this buffer. */
    check(hcube_caf_cofence(&failure));
    pack(buffer);
    check(hcube_caf_alltoall(team, buffer, bytes, input, &failure));
    reverse_local(input, c[last]);
}

/* The butterflies of a level, in some elements. */
static void local_level(double complex *x, int64_t elements, int64_t distance) {
    for (int64_t first = 0; first < elements; first += 2 * distance)
        for (int64_t j = first; j < first + distance; j++) {
            const double complex t = product(root[distance + j - first], x[j + distance]);
            x[j + distance] = x[j] - t;
            x[j] += t;
        }
}

static void local_levels(double complex *x) {
    const int64_t chunk = log_local < LOG_CHUNK ? n : INT64_C(1) << LOG_CHUNK;
    for (int64_t first = 0; first < n; first += chunk)
        for (int64_t distance = 1; distance < chunk; distance *= 2) local_level(x + first, chunk, distance);
    for (int64_t distance = chunk; distance < n; distance *= 2) local_level(x, n, distance);
}

static int is_in_half(int block, int first) { return block >= first && block < first + BLOCKS / 2; }

/* Waits until a block is complete, if the partner of the last level computes it. */
static void wait_for(int block) {
    if (is_in_half(block, awaited)) check(hcube_caf_event_wait(copied, block, &failure));
}

/* A block of one of the two vectors on an image. */
static hcube_place block_of(int32_t image, int vector, int block) {
    const uint64_t offset = (uint64_t)(vector * n + block * block_size) * sizeof *input;
    return (hcube_place){.coarray = coarray, .offset = offset, .image = image};
}

/* A level between this image and a partner: each of them computes one half of the butterflies, block by block. */
static void remote_level(int level, int32_t partner) {
    const int is_lower = me < partner, first = is_lower ? 0 : BLOCKS / 2, partners_first = BLOCKS / 2 - first;
    const double complex *twiddle = root + (1 + level) * n, *own = c[last];
    const uint64_t bytes = (uint64_t)block_size * sizeof *input;
    /* A partner of the next level may be early: each level has its own events. */
    const int64_t event = (int64_t)level * BLOCKS;

    check(hcube_caf_cofence(&failure));
    for (int block = 0; block < BLOCKS; block++) {
        wait_for(block);
        if (is_in_half(block, partners_first)) check(hcube_caf_event_notify(ready, event + block, partner, &failure));
    }

    for (int block = first; block < first + BLOCKS / 2; block++) {
        const hcube_place to = {.memory = buffer + block * block_size}, from = block_of(partner, last, block);
        const hcube_event done = {.events = prefetch, .index = block, .image = HCUBE_CAF_THIS_IMAGE};
        const hcube_event may_begin = {.events = ready, .index = event + block, .image = HCUBE_CAF_THIS_IMAGE};
        check(hcube_caf_copy_async(&to, &from, bytes, &done, &may_begin, &failure));
    }

    for (int block = first; block < first + BLOCKS / 2; block++) {
        check(hcube_caf_event_wait(prefetch, block, &failure));
        for (int64_t i = block * block_size; i < (block + 1) * block_size; i++) {
            const double complex x = is_lower ? own[i] : buffer[i];
            const double complex t = product(is_lower ? buffer[i] : own[i], twiddle[i]);
            c[!last][i] = is_lower ? x + t : x - t;
            buffer[i] = is_lower ? x - t : x + t;
        }
        /* The result goes to the image that needs it next. */
        const hcube_place to = block_of(partner, !last, block), from = {.memory = buffer + block * block_size};
        const hcube_event done = {.events = copied, .index = block, .image = partner};
        check(hcube_caf_copy_async(&to, &from, bytes, &done, NULL, &failure));
    }
    awaited = partners_first;
    last = !last;
}

/* Transforms input, which is overwritten, into c[last]; returns the seconds. */
static double transform(void) {
    check(hcube_caf_barrier(team, &failure));
    const double begin = MPI_Wtime();
    permute();
    local_levels(c[last]);
    for (int level = 0; level < dimensions; level++) remote_level(level, me ^ 1 << level);
    for (int block = 0; block < BLOCKS; block++) wait_for(block);
    awaited = -BLOCKS;
    check(hcube_caf_barrier(team, &failure));
    return MPI_Wtime() - begin;
}

static void prepare(void) {
    void *address;
    n = INT64_C(1) << log_local;
    m = n << dimensions;
    block_size = n / BLOCKS;
    check(hcube_caf_coarray_alloc(team, (uint64_t)(2 * n) * sizeof *input, &coarray, &address, &failure));
    c[0] = address;
    c[1] = c[0] + n;
    check(hcube_caf_event_alloc(team, BLOCKS * (dimensions + 1), &ready, &failure));
    check(hcube_caf_event_alloc(team, BLOCKS, &copied, &failure));
    check(hcube_caf_event_alloc(team, BLOCKS, &prefetch, &failure));
    root = allocate((1 + dimensions) * n);
    buffer = allocate(n);
    input = allocate(n);
    for (int64_t distance = 1; distance < n; distance *= 2)
        for (int64_t j = 0; j < distance; j++) root[distance + j] = root_of_unity(j, 2 * distance);
    for (int level = 0; level < dimensions; level++) {
        const int64_t distance = n << level, lower = me & ~(1 << level);
        for (int64_t i = 0; i < n; i++)
            root[(1 + level) * n + i] = root_of_unity((lower * n + i) % distance, 2 * distance);
    }
    for (int64_t i = 0; i < n; i++) input[i] = element(me * n + i);
}

/* Compares some elements with their definition, a sum over all images. */
static int64_t differences(void) {
    double complex sums[CHECKS], expected[CHECKS];
    for (int i = 0; i < CHECKS; i++) {
        const int64_t k = m / CHECKS * i + 1;
        sums[i] = 0;
        /* j * k % m, without the product, which may overflow. */
        int64_t place = me * k % (m / n) * n;
        for (int64_t j = me * n; j < (me + 1) * n; j++, place = (place + k) % m)
            sums[i] += product(element(j), root_of_unity(place, m));
    }
    check(hcube_caf_allreduce(team, sums, expected, CHECKS, MPI_C_DOUBLE_COMPLEX, MPI_SUM, &failure));
    int64_t errors = 0;
    for (int i = 0; i < CHECKS; i++) {
        const int64_t k = m / CHECKS * i + 1;
        if (k / n == me) errors += !(cabs(c[last][k % n] - expected[i]) < 16 * DBL_EPSILON * (double)m);
    }
    return errors;
}

/* The error of the inverse transform as HPCC scales it. The inverse is the transform of the conjugates. */
static double inverse_error(void) {
    double error = 0, largest;
    for (int64_t i = 0; i < n; i++) input[i] = conj(c[last][i]);
    transform();
    for (int64_t i = 0; i < n; i++) {
        const double distance = cabs(conj(c[last][i]) / (double)m - element(me * n + i));
        error = isnan(distance) ? INFINITY : fmax(error, distance);
    }
    check(hcube_caf_allreduce(team, &error, &largest, 1, MPI_DOUBLE, MPI_MAX, &failure));
    return largest / DBL_EPSILON / (log_local + dimensions);
}

static int64_t run(void) {
    prepare();
    const double seconds = transform();
    int64_t errors = differences(), all_errors = 0;
    const double scaled = inverse_error();
    if (me == 0) errors += !(scaled < 16);
    check(hcube_caf_allreduce(team, &errors, &all_errors, 1, MPI_INT64_T, MPI_SUM, &failure));
    if (me == 0)
        printf("%d images, %lld elements, %.3f GFLOP/s, error %.2f, %lld errors\n", images, (long long)m,
               5e-9 * (double)m * (log_local + dimensions) / seconds, scaled, (long long)all_errors);
    free(root);
    free(buffer);
    free(input);
    return all_errors;
}

/* Reads the size from the command line. Each image needs a part for every other one. */
static int is_right(int count, char **arguments) {
    if (count < 2) return 1;
    char *end;
    const int smallest = dimensions > MIN_LOG ? dimensions : MIN_LOG;
    const long value = strtol(arguments[1], &end, 10);
    log_local = (int)value;
    if (end != arguments[1] && *end == 0 && value >= smallest && value <= MAX_LOG) return 1;
    if (me == 0)
        fprintf(stderr, "caf_fft_exchange: LOG_ELEMENTS %s: expected %d to %d\n", arguments[1], smallest, MAX_LOG);
    return 0;
}

int main(int argc, char **argv) {
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_size(0, &images, &failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    while (2 << dimensions <= images) dimensions++;
    const int has_sizes = is_right(argc, argv);
    check(hcube_caf_team_split(0, me < 1 << dimensions ? 0 : -1, me, &team, &failure));
    const int64_t errors = has_sizes && me < 1 << dimensions ? run() : 0;
    check(hcube_caf_finalize(&failure));
    return !has_sizes || (me == 0 && errors != 0);
}
