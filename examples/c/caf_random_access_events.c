/* RandomAccess by software routing (Figure 6 of the paper): batches of updates travel along the dimensions of a
 * hypercube of images. A copy to a partner begins when the partner has read the one before (event received), and says
 * when it has arrived (event delivered).
 *
 * The hypercube has the largest power of two of images; others have no part in it. */
#include <hcube/caf.h>
#include <stdio.h>
#include <stdlib.h>

/* Values that an image has at a stage: 1024 are expected, and the standard deviation is 32. */
enum { WORDS = 1 << 12, BATCH = 1024, ROOM = 2 * BATCH };

/* What an image has for another one. */
typedef struct list {
    uint64_t count, values[ROOM];
} list;

static hcube_error failure;
static hcube_team cube;
static hcube_coarray table_coarray, incoming_coarray;
static hcube_events delivered, received;
static int32_t images, me, dimensions;
static uint64_t *table;
static list *incoming, *outgoing, staying[2]; /* incoming and outgoing: one for each dimension */

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_random_access_events: %s\n", failure.message);
    exit(1);
}

/* Pseudo-random numbers, a sequence for each image. */
static uint64_t seed(int32_t image) { return UINT64_C(88172645463325252) + UINT64_C(7919) * (uint64_t)image; }

static uint64_t next(uint64_t value) {
    value ^= value << 13;
    value ^= value >> 7;
    return value ^ value << 17;
}

/* The image that has the word. */
static int32_t owner(uint64_t value) { return (int32_t)(value / WORDS % (UINT64_C(1) << dimensions)); }

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
    for (uint64_t i = 0; i < values->count; i++) table[values->values[i] % WORDS] ^= values->values[i];
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

static int64_t run(void) {
    void *address;
    const int64_t stages = dimensions > 0 ? dimensions : 1;
    check(hcube_caf_coarray_alloc(cube, WORDS * sizeof *table, &table_coarray, &address, &failure));
    table = address;
    check(hcube_caf_coarray_alloc(cube, (uint64_t)stages * sizeof(list), &incoming_coarray, &address, &failure));
    incoming = address;
    outgoing = malloc((size_t)stages * sizeof(list));
    if (outgoing == NULL) exit(1);
    check(hcube_caf_event_alloc(cube, stages, &delivered, &failure));
    check(hcube_caf_event_alloc(cube, stages, &received, &failure));
    for (uint64_t i = 0; i < WORDS; i++) table[i] = (uint64_t)me * WORDS + i;
    /* Nothing is in the buffers of the partners yet. */
    for (int32_t i = 0; i < dimensions; i++) check(hcube_caf_event_notify(received, i, HCUBE_CAF_THIS_IMAGE, &failure));
    check(hcube_caf_barrier(cube, &failure));

    uint64_t value = seed(me);
    for (int round = 0; round < 4 * WORDS / BATCH; round++) {
        staying[0].count = 0;
        while (staying[0].count < BATCH) append(&staying[0], value = next(value));
        route_and_apply();
    }
    check(hcube_caf_barrier(cube, &failure));

    /* A second round of the same updates, by atomic operations, must restore the table. */
    value = seed(me);
    for (int i = 0; i < 4 * WORDS; i++) {
        value = next(value);
        const uint64_t offset = value % WORDS * sizeof value;
        check(hcube_caf_atomic(table_coarray, owner(value), offset, HCUBE_CAF_XOR, value, 0, NULL, &failure));
    }
    check(hcube_caf_barrier(cube, &failure));
    int64_t errors = 0, all_errors = 0;
    for (uint64_t i = 0; i < WORDS; i++) errors += table[i] != (uint64_t)me * WORDS + i;
    check(hcube_caf_reduce(cube, 0, &errors, &all_errors, 1, MPI_INT64_T, MPI_SUM, &failure));
    if (me == 0) printf("%d images, %d updates, %lld errors\n", images, 4 * WORDS << dimensions, (long long)all_errors);
    free(outgoing);
    return all_errors;
}

int main(void) {
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_size(0, &images, &failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    while (2 << dimensions <= images) dimensions++;
    check(hcube_caf_team_split(0, me < 1 << dimensions ? 0 : -1, me, &cube, &failure));
    const int64_t errors = me < 1 << dimensions ? run() : 0;
    check(hcube_caf_finalize(&failure));
    return me == 0 && errors != 0;
}
