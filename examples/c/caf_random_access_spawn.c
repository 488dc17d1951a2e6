/* RandomAccess by function shipping: each update is a function that runs on the image that has the word, so no word is
 * read or written by another image. The finish block ends when all of them have run. */
#include <hcube/caf.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1 << 12 };

static hcube_error failure;
static uint64_t *table;

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_random_access_spawn: %s\n", failure.message);
    exit(1);
}

/* The shipped function: the argument is the update. */
static void update(int32_t image, const void *arguments, uint64_t bytes) {
    const uint64_t value = *(const uint64_t *)arguments;
    (void)image, (void)bytes;
    table[value % WORDS] ^= value;
}

/* Pseudo-random numbers, a sequence for each image. */
static uint64_t seed(int32_t image) { return UINT64_C(88172645463325252) + UINT64_C(7919) * (uint64_t)image; }

static uint64_t next(uint64_t value) {
    value ^= value << 13;
    value ^= value >> 7;
    return value ^ value << 17;
}

int main(void) {
    hcube_coarray coarray;
    int32_t images, me, number;
    void *address;
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_size(0, &images, &failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    check(hcube_caf_coarray_alloc(0, WORDS * sizeof *table, &coarray, &address, &failure));
    table = address;
    for (uint64_t i = 0; i < WORDS; i++) table[i] = (uint64_t)me * WORDS + i;
    check(hcube_caf_register(update, &number, &failure));

    /* No image may get an update before it has filled its part of the table. */
    check(hcube_caf_barrier(0, &failure));
    uint64_t value = seed(me);
    check(hcube_caf_finish_begin(0, &failure));
    for (int i = 0; i < 4 * WORDS; i++) {
        value = next(value);
        const int32_t owner = (int32_t)((value >> 13) % (uint64_t)images);
        check(hcube_caf_spawn(0, owner, number, &value, sizeof value, NULL, &failure));
    }
    check(hcube_caf_finish_end(&failure));

    /* A second round of the same updates, by atomic operations, must restore the table. */
    value = seed(me);
    for (int i = 0; i < 4 * WORDS; i++) {
        value = next(value);
        const int32_t owner = (int32_t)((value >> 13) % (uint64_t)images);
        check(hcube_caf_atomic(coarray, owner, value % WORDS * sizeof value, HCUBE_CAF_XOR, value, 0, NULL, &failure));
    }
    check(hcube_caf_barrier(0, &failure));
    int64_t errors = 0, all_errors = 0;
    for (uint64_t i = 0; i < WORDS; i++) errors += table[i] != (uint64_t)me * WORDS + i;
    check(hcube_caf_reduce(0, 0, &errors, &all_errors, 1, MPI_INT64_T, MPI_SUM, &failure));
    if (me == 0) printf("%d images, %d updates, %lld errors\n", images, 4 * WORDS * images, (long long)all_errors);
    check(hcube_caf_finalize(&failure));
    return me == 0 && all_errors != 0;
}
