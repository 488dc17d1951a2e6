/* HPCC's RandomAccess on a table of 2^18 words: four updates for each word, anywhere in the table. */
#include <hcube.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS (INT64_C(1) << 18) /* of all ranks together */

static void stop(const char *what, const hcube_error *error) {
    fprintf(stderr, "%s: %s (%s)\n", what, error->message, hcube_error_string(error->code));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    hcube_random_access_options options;
    hcube_random_access_statistics statistics;
    hcube_table table;
    hcube_updates updates;
    hcube_error error;
    int64_t errors = -1, made = 0, mine;
    char line[200];
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* Contiguous blocks in rank order; the first ranks have one more word if the division leaves a remainder. */
    int64_t least = WORDS / size, longer = WORDS % size;
    table.global_length = WORDS;
    table.local_length = least + (rank < longer);
    table.first_index = rank * least + (rank < longer ? rank : longer);
    table.words = malloc((size_t)table.local_length * sizeof *table.words);
    if (table.words == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int64_t i = 0; i < table.local_length; i++) table.words[i] = (uint64_t)(table.first_index + i);

    updates.stream = HCUBE_STREAM_POLYNOMIAL;
    updates.start = 4 * table.first_index;
    updates.count = 4 * table.local_length;

    if (hcube_random_access_default_options(&options, sizeof options, &error) != HCUBE_SUCCESS)
        stop("default options", &error);
    options.look_ahead = 512; /* the maximum number of outstanding values of a rank */
    if (hcube_random_access_describe(MPI_COMM_WORLD, &options, line, sizeof line, &error) != HCUBE_SUCCESS)
        stop("describe", &error);
    if (hcube_random_access_run(MPI_COMM_WORLD, &table, &updates, &options, &error) != HCUBE_SUCCESS)
        stop("run", &error);
    statistics.struct_size = sizeof statistics;
    if (hcube_random_access_last_statistics(MPI_COMM_WORLD, &statistics, &error) != HCUBE_SUCCESS)
        stop("statistics", &error);
    if (hcube_random_access_verify(MPI_COMM_WORLD, &table, &updates, &errors, &error) != HCUBE_SUCCESS)
        stop("verify", &error);

    mine = (int64_t)statistics.applied;
    MPI_Reduce(&mine, &made, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("hcube %s: %s\n", hcube_version(), line);
        printf("%d ranks, %" PRId64 " updates, %" PRId64 " errors\n", size, made, errors);
    }

    free(table.words);
    MPI_Finalize();
    return errors != 0;
}
