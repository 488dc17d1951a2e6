/* The length of a longest common subsequence of two strings, whose parts lie on the ranks, by hcube_llcs:
 *
 *   llcs_c [FILE FILE]     the bytes of two files; without them, strings whose result is known */
#include <hcube.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH 20000 /* symbols of each generated string */

static int rank, size;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A rank's part of a string: the bytes from start to end. */
typedef struct {
    long long whole, start, end;
    unsigned char *symbols;
} part;

static part allocate(long long whole) {
    part own = {whole, whole * rank / size, whole * (rank + 1) / size, NULL};
    own.symbols = malloc((size_t)(own.end - own.start) + 1);
    if (own.symbols == NULL) stop("part of a string", "out of memory");
    return own;
}

/* Symbol i of the first string. In the second string each tenth is an x, so that nine tenths are common. */
static part generate(int is_second) {
    part own = allocate(LENGTH);
    for (long long i = own.start; i < own.end; i++) {
        const unsigned hash = (unsigned)i * 2654435761u;
        own.symbols[i - own.start] = is_second && i % 10 == 0 ? 'x' : "acgt"[hash >> 16 & 3];
    }
    return own;
}

/* Each rank reads only its part. */
static part read_part(const char *name) {
    FILE *file = fopen(name, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) stop(name, "cannot be read");
    part own = allocate(ftell(file));
    const size_t bytes = (size_t)(own.end - own.start);
    if (fseek(file, (long)own.start, SEEK_SET) != 0 || fread(own.symbols, 1, bytes, file) != bytes)
        stop(name, "cannot be read");
    fclose(file);
    return own;
}

/* Called many times per second; a result other than 0 would end the computation on all ranks. */
static int32_t show(int64_t done, int64_t total, void *data) {
    int *shown = data;
    const int tenths = (int)(10.0 * (double)done / (double)total);
    if (tenths > *shown) fprintf(stderr, "%d %%\n", 10 * tenths);
    if (tenths > *shown) *shown = tenths;
    return 0;
}

int main(int argc, char **argv) {
    hcube_error error;
    int64_t length;
    int shown = 0, errors = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 1 && argc != 3) stop("usage", "llcs_c [FILE FILE]");

    const int generated = argc == 1;
    part a = generated ? generate(0) : read_part(argv[1]);
    part b = generated ? generate(1) : read_part(argv[2]);

    /* Symbols of one byte; no lower bound (at_least is 0); rank 0 shows its progress. */
    if (hcube_llcs(a.symbols, a.end - a.start, b.symbols, b.end - b.start, 1, 0, rank == 0 ? show : NULL, &shown,
                   MPI_COMM_WORLD, &length, &error) != HCUBE_SUCCESS)
        stop("hcube_llcs", error.message);

    const long long longer = a.whole > b.whole ? a.whole : b.whole;
    const double similarity = longer > 0 ? (double)length / (double)longer : 1.0;
    if (generated) errors = length != LENGTH - LENGTH / 10;
    if (rank == 0) {
        printf("%d ranks, %lld and %lld symbols, length %lld, similarity %.4f", size, a.whole, b.whole,
               (long long)length, similarity);
        if (generated) printf(", %d errors", errors);
        printf("\n");
    }

    free(a.symbols);
    free(b.symbols);
    MPI_Finalize();
    return errors != 0;
}
