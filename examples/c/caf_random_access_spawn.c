/* RandomAccess by function shipping: each update is a function that runs on the image that has the word, so no word is
 * read or written by another image. The finish block ends when all of them have run.
 *
 *     caf_random_access_spawn [LOG_WORDS]      each image has up to 2^LOG_WORDS words of the table
 *
 * The table has the largest power of two of words that fit into the memory, in blocks. The updates are HPCC's, four for
 * each word of the table. */
#include <hcube/caf.h>
#include <stdio.h>
#include <stdlib.h>

enum { MIN_LOG_WORDS = 4, MAX_LOG_WORDS = 32 };

static hcube_error failure;
static hcube_coarray coarray;
static int32_t images, me, number;
static int log_words = 16;
static uint64_t *table, all_words = 1, words; /* words: of an image; the last one may have fewer */

static void check(int32_t code) {
    if (code == HCUBE_SUCCESS) return;
    fprintf(stderr, "caf_random_access_spawn: %s\n", failure.message);
    exit(1);
}

/* The place of an update in the table. */
static uint64_t place(uint64_t value) { return value & (all_words - 1); }

/* The shipped function: the argument is the update. */
static void update(int32_t image, const void *arguments, uint64_t bytes) {
    const uint64_t value = *(const uint64_t *)arguments;
    (void)image, (void)bytes;
    table[place(value) - (uint64_t)me * words] ^= value;
}

/* The next number of HPCC's sequence: times x, modulo x^64 + x^2 + x + 1. */
static uint64_t next(uint64_t value) { return value << 1 ^ (value >> 63 ? 7 : 0); }

/* The number at a place of the sequence: a power of x, by squares. */
static uint64_t number_at(uint64_t index) {
    uint64_t value = 1;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t square = 0;
        for (int i = 63; i >= 0; i--) square = next(square) ^ (value >> i & 1 ? value : 0);
        value = index >> bit & 1 ? next(square) : square;
    }
    return value;
}

static void prepare(void) {
    void *address;
    while (2 * all_words <= (uint64_t)images << log_words) all_words *= 2;
    words = (all_words + (uint64_t)images - 1) / (uint64_t)images;
    check(hcube_caf_coarray_alloc(0, words * sizeof *table, &coarray, &address, &failure));
    table = address;
    for (uint64_t i = 0; i < words; i++) table[i] = (uint64_t)me * words + i;
    check(hcube_caf_register(update, &number, &failure));
}

/* Ships updates to the images that have the words; returns the seconds. */
static double update_all(uint64_t value, uint64_t count) {
    /* No image may get an update before it has filled its part of the table. */
    check(hcube_caf_barrier(0, &failure));
    const double begin = MPI_Wtime();
    check(hcube_caf_finish_begin(0, &failure));
    for (uint64_t i = 0; i < count; i++) {
        value = next(value);
        const int32_t owner = (int32_t)(place(value) / words);
        check(hcube_caf_spawn(0, owner, number, &value, sizeof value, NULL, &failure));
    }
    check(hcube_caf_finish_end(&failure));
    return MPI_Wtime() - begin;
}

/* The same updates again, by atomic operations, must restore the table. Returns the number of wrong words. */
static int64_t verify(uint64_t value, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        value = next(value);
        const int32_t owner = (int32_t)(place(value) / words);
        const uint64_t offset = place(value) % words * sizeof value;
        check(hcube_caf_atomic(coarray, owner, offset, HCUBE_CAF_XOR, value, 0, NULL, &failure));
    }
    check(hcube_caf_barrier(0, &failure));
    int64_t errors = 0, all_errors = 0;
    for (uint64_t i = 0; i < words; i++) errors += table[i] != (uint64_t)me * words + i;
    check(hcube_caf_reduce(0, 0, &errors, &all_errors, 1, MPI_INT64_T, MPI_SUM, &failure));
    return all_errors;
}

static int64_t run(void) {
    prepare();
    const uint64_t updates = 4 * all_words, begin = updates * (uint64_t)me / (uint64_t)images;
    const uint64_t count = updates * (uint64_t)(me + 1) / (uint64_t)images - begin, first = number_at(begin);
    const double seconds = update_all(first, count);
    const int64_t errors = verify(first, count);
    if (me == 0)
        printf("%d images, %llu updates, %.5f GUP/s, %lld errors\n", images, (unsigned long long)updates,
               (double)updates / seconds * 1e-9, (long long)errors);
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
        fprintf(stderr, "caf_random_access_spawn: LOG_WORDS %s: expected %d to %d\n", arguments[1], MIN_LOG_WORDS,
                MAX_LOG_WORDS);
    return 0;
}

int main(int argc, char **argv) {
    check(hcube_caf_init(&failure));
    check(hcube_caf_team_size(0, &images, &failure));
    check(hcube_caf_team_rank(0, &me, &failure));
    const int has_sizes = is_right(argc, argv);
    const int64_t errors = has_sizes ? run() : 0;
    check(hcube_caf_finalize(&failure));
    return !has_sizes || (me == 0 && errors != 0);
}
