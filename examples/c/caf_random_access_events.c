/* RandomAccess by software routing (Jin et al. 2011, Figure 6): batches of updates are sent along the dimensions of a
 * hypercube of images. A copy to a partner begins when the partner has read the previous one (event received), and
 * notifies its completion (event delivered).
 *
 *     caf_random_access_events [LOG_WORDS]      each image has 2^LOG_WORDS words of the table
 *
 * The updates are HPCC's, four for each word of the table. The hypercube has the largest power of two of images; others
 * have no part in it. */
#include <hcube/caf.h>
#include <stdio.h>
#include <stdlib.h>

/* Values that an image has at a stage: 1024 are expected, and the standard deviation is 32. */
enum { BATCH = 1024, ROOM = 2 * BATCH, MIN_LOG_WORDS = 8, MAX_LOG_WORDS = 32 };

/* The values of an image for another image. */
typedef struct list {
    uint64_t count, values[ROOM];
} list;

static hcube_error failure;
static hcube_team cube;
static hcube_coarray table_coarray, incoming_coarray;
static hcube_events delivered, received;
static int32_t images, me, dimensions;
static int log_words = 20;
static uint64_t words, *table;
static list *incoming, *outgoing, staying[2]; /* incoming and outgoing: one for each dimension */

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_random_access_events: %s\n", failure.message);
    exit(1);
}

/* The next number of HPCC's sequence: times x, modulo x^64 + x^2 + x + 1. */
static uint64_t next(uint64_t value) { return value << 1 ^ (value >> 63 ? 7 : 0); }

/* The number at a place of the sequence: a power of x, by squares. */
static uint64_t number_at(uint64_t place) {
    uint64_t value = 1;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t square = 0;
        for (int i = 63; i >= 0; i--) square = next(square) ^ (value >> i & 1 ? value : 0);
        value = place >> bit & 1 ? next(square) : square;
    }
    return value;
}

/* The image that has the word of an update. */
static int32_t owner(uint64_t value) { return (int32_t)(value >> log_words & ((UINT64_C(1) << dimensions) - 1)); }

static void append(list *to, uint64_t value) {
    if (to->count == ROOM) {
        fprintf(stderr, "caf_random_access_events: too many updates for one image\n");
        exit(1);
    }
    to->values[to->count++] = value;
}

/* Divides values into those that stay in this half of the cube and those that leave it along a dimension. */
static void split(const list *values, list *stay, list *leave, int32_t dimension) {
    for (uint64_t i = 0; i < values->count; i++) {
        const uint64_t value = values->values[i];
        append((owner(value) ^ me) >> dimension & 1 ? leave : stay, value);
    }
}

static void apply(const list *values) {
    for (uint64_t i = 0; i < values->count; i++) table[values->values[i] & (words - 1)] ^= values->values[i];
}

/* Routes the values in staying[0] along all dimensions, and applies what arrives. */
static void route_and_apply(void) {
    int now = 0;
    /* The copies of the last round have left their buffers. */
    check(hcube_caf_cofence(&failure));
    for (int32_t i = dimensions - 1; i >= 0; i--) {
        const int32_t partner = me ^ 1 << i;
        outgoing[i].count = staying[!now].count = 0;
        split(&staying[now], &staying[!now], &outgoing[i], i);
        now = !now;
        if (i < dimensions - 1) {
            check(hcube_caf_event_wait(delivered, i + 1, &failure));
            split(&incoming[i + 1], &staying[now], &outgoing[i], i);
            check(hcube_caf_event_notify(received, i + 1, me ^ 1 << (i + 1), &failure));
        }
        const hcube_place to = {.coarray = incoming_coarray, .offset = (uint64_t)i * sizeof(list), .image = partner};
        const hcube_place from = {.memory = &outgoing[i]};
        const hcube_event done = {.events = delivered, .index = i, .image = partner};
        const hcube_event may_begin = {.events = received, .index = i, .image = HCUBE_CAF_THIS_IMAGE};
        const uint64_t bytes = (1 + outgoing[i].count) * sizeof(uint64_t);
        check(hcube_caf_copy_async(&to, &from, bytes, &done, &may_begin, &failure));
    }
    apply(&staying[now]);
    if (dimensions == 0) return;
    check(hcube_caf_event_wait(delivered, 0, &failure));
    apply(&incoming[0]);
    check(hcube_caf_event_notify(received, 0, me ^ 1, &failure));
}

static void prepare(void) {
    void *address;
    const int64_t stages = dimensions > 0 ? dimensions : 1;
    words = UINT64_C(1) << log_words;
    check(hcube_caf_coarray_alloc(cube, words * sizeof *table, &table_coarray, &address, &failure));
    table = address;
    check(hcube_caf_coarray_alloc(cube, (uint64_t)stages * sizeof(list), &incoming_coarray, &address, &failure));
    incoming = address;
    outgoing = malloc((size_t)stages * sizeof(list));
    if (outgoing == NULL) exit(1);
    check(hcube_caf_event_alloc(cube, stages, &delivered, &failure));
    check(hcube_caf_event_alloc(cube, stages, &received, &failure));
    for (uint64_t i = 0; i < words; i++) table[i] = (uint64_t)me * words + i;
    /* Nothing is in the buffers of the partners yet. */
    for (int32_t i = 0; i < dimensions; i++) check(hcube_caf_event_notify(received, i, HCUBE_CAF_THIS_IMAGE, &failure));
}

/* All updates of this image; returns the seconds. */
static double update_all(uint64_t value) {
    check(hcube_caf_barrier(cube, &failure));
    const double begin = MPI_Wtime();
    for (uint64_t done = 0; done < 4 * words; done += BATCH) {
        staying[0].count = 0;
        while (staying[0].count < BATCH) append(&staying[0], value = next(value));
        route_and_apply();
    }
    check(hcube_caf_barrier(cube, &failure));
    return MPI_Wtime() - begin;
}

/* The same updates again, by atomic operations, must restore the table. Returns how many words are wrong. */
static int64_t verify(uint64_t value) {
    for (uint64_t i = 0; i < 4 * words; i++) {
        value = next(value);
        const uint64_t offset = (value & (words - 1)) * sizeof value;
        check(hcube_caf_atomic(table_coarray, owner(value), offset, HCUBE_CAF_XOR, value, 0, NULL, &failure));
    }
    check(hcube_caf_barrier(cube, &failure));
    int64_t errors = 0, all_errors = 0;
    for (uint64_t i = 0; i < words; i++) errors += table[i] != (uint64_t)me * words + i;
    check(hcube_caf_reduce(cube, 0, &errors, &all_errors, 1, MPI_INT64_T, MPI_SUM, &failure));
    return all_errors;
}

static int64_t run(void) {
    prepare();
    const uint64_t first = number_at(4 * words * (uint64_t)me), updates = 4 * words << dimensions;
    const double seconds = update_all(first);
    const int64_t errors = verify(first);
    if (me == 0)
        printf("%d images, %llu updates, %.5f GUP/s, %lld errors\n", images, (unsigned long long)updates,
               (double)updates / seconds * 1e-9, (long long)errors);
    free(outgoing);
    return errors;
}

/* Reads the size from the command line. */
static int is_right(int count, char **arguments) {
    if (count < 2) return 1;
    char *end;
    const long value = strtol(arguments[1], &end, 10);
    log_words = (int)value;
    if (end != arguments[1] && *end == 0 && value >= MIN_LOG_WORDS && value <= MAX_LOG_WORDS) return 1;
    if (me == 0)
        fprintf(stderr, "caf_random_access_events: LOG_WORDS %s: expected %d to %d\n", arguments[1], MIN_LOG_WORDS,
                MAX_LOG_WORDS);
    return 0;
}

int main(int argc, char **argv) {
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_size(0, &images, &failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    const int has_sizes = is_right(argc, argv);
    while (2 << dimensions <= images) dimensions++;
    check(hcube_caf_team_split(0, me < 1 << dimensions ? 0 : -1, me, &cube, &failure));
    const int64_t errors = has_sizes && me < 1 << dimensions ? run() : 0;
    check(hcube_caf_finalize(&failure));
    return !has_sizes || (me == 0 && errors != 0);
}
