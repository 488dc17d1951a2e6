/* Problems of the benchmark: descriptions, arrays, plans, data. */
#define _GNU_SOURCE
#include "fftw_bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const KINDS[] = {"transpose", "c2c", "r2c"};

static const struct {
    const char *name, *text;
    unsigned flags;
} LAYOUTS[] = {{"none", "", 0},
               {"IN", " IN", FFTW_MPI_TRANSPOSED_IN},
               {"OUT", " OUT", FFTW_MPI_TRANSPOSED_OUT},
               {"both", " IN|OUT", FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT}};

/* Sizes of the parts before and after, in elements; returns doubles to allocate. */
static ptrdiff_t local_size(const problem *of, ptrdiff_t *before, ptrdiff_t *after)
{
    ptrdiff_t n[3] = {of->n[0], of->n[1], of->n[2]}, length, first[2], count[2], many = 1, inner = 1;
    int dimensions = of->dimensions;

    if (of->kind == TRANSPOSE) {
        many = dimensions == 3 ? n[2] : 1;
        dimensions = 2;
    }
    if (of->kind == REAL_TO_COMPLEX) n[dimensions - 1] = n[dimensions - 1] / 2 + 1;
    length = fftw_mpi_local_size_many_transposed(dimensions, n, many, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                                 MPI_COMM_WORLD, &count[0], &first[0], &count[1], &first[1]);
    if (dimensions == 3) inner = n[2];
    *before = count[0] * n[1] * inner * many;
    *after = count[1] * n[0] * inner * many;
    /* Transforms leave their result transposed only on request. */
    if (of->kind != TRANSPOSE && !(of->flags & FFTW_MPI_TRANSPOSED_OUT)) *after = *before;
    return of->kind == TRANSPOSE ? length : 2 * length;
}

static ptrdiff_t result_length(const problem *of)
{
    ptrdiff_t before, after;

    local_size(of, &before, &after);
    return of->kind == TRANSPOSE ? after : 2 * after;
}

static int read_description(const char *description, problem *made)
{
    char kind[16], sizes[40], place[8], layout[8];
    size_t number, layouts = sizeof LAYOUTS / sizeof *LAYOUTS;

    if (sscanf(description, "%15[^,],%39[^,],%7[^,],%7s", kind, sizes, place, layout) != 4) return 0;
    made->dimensions = sscanf(sizes, "%tdx%tdx%td", &made->n[0], &made->n[1], &made->n[2]);
    if (made->dimensions < 2) return 0;
    for (number = 0; number < 3 && strcmp(kind, KINDS[number]) != 0; number++) continue;
    if (number == 3) return 0;
    made->kind = (problem_kind)number;
    if (strcmp(place, "in") != 0 && strcmp(place, "out") != 0) return 0;
    made->in_place = place[0] == 'i';
    for (number = 0; number < layouts && strcmp(layout, LAYOUTS[number].name) != 0; number++) continue;
    if (number == layouts) return 0;
    made->flags = LAYOUTS[number].flags;
    snprintf(made->name, sizeof made->name, "%s%s%s %s%s", made->kind == TRANSPOSE ? "" : kind,
             made->kind == TRANSPOSE ? "" : " ", sizes, made->in_place ? "in place" : "out of place",
             LAYOUTS[number].text);
    return 1;
}

int make_problem(const char *description, problem *made)
{
    ptrdiff_t before, after;

    if (!read_description(description, made)) return 0;
    made->length = local_size(made, &before, &after);
    made->in = fftw_alloc_real((size_t)made->length);
    made->out = made->in_place ? made->in : fftw_alloc_real((size_t)made->length);
    if (made->in == NULL || made->out == NULL) bench_fail("out of memory", made->name);
    clear_problem(made);
    return 1;
}

void free_problem(problem *of)
{
    if (!of->in_place) fftw_free(of->out);
    fftw_free(of->in);
}

fftw_plan plan_problem(const problem *of, unsigned rigour)
{
    unsigned flags = of->flags | rigour;

    switch (of->kind) {
    case TRANSPOSE:
        return fftw_mpi_plan_many_transpose(of->n[0], of->n[1], of->dimensions == 3 ? of->n[2] : 1,
                                            FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, of->in, of->out,
                                            MPI_COMM_WORLD, flags);
    case COMPLEX_TO_COMPLEX:
        return fftw_mpi_plan_dft(of->dimensions, of->n, (fftw_complex *)of->in, (fftw_complex *)of->out, MPI_COMM_WORLD,
                                 FFTW_FORWARD, flags);
    default:
        return fftw_mpi_plan_dft_r2c(of->dimensions, of->n, of->in, (fftw_complex *)of->out, MPI_COMM_WORLD, flags);
    }
}

/* A number from 0 to 1 that differs for each position and rank. */
static double mixed(int rank, ptrdiff_t place)
{
    uint64_t word = ((uint64_t)rank << 40 ^ (uint64_t)place) * UINT64_C(0x9e3779b97f4a7c15);

    return (double)((word ^ word >> 29) & 0xffff) / 65536;
}

void fill_problem(const problem *of)
{
    ptrdiff_t place;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (place = 0; place < of->length; place++) of->in[place] = mixed(rank, place) - 0.5;
}

double checksum_problem(const problem *of)
{
    ptrdiff_t place, length = result_length(of);
    double sum = 0, all;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (place = 0; place < length; place++) sum += of->out[place] * mixed(rank, 2 * place + 1);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

void clear_problem(const problem *of)
{
    memset(of->in, 0, sizeof(double) * (size_t)of->length);
    if (!of->in_place) memset(of->out, 0, sizeof(double) * (size_t)of->length);
}

long problem_bytes(const problem *of)
{
    return (long)of->length * (long)sizeof(double) * (of->in_place ? 1 : 2);
}

static long field(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kibibytes = 0;

    if (file == NULL) bench_fail("cannot be read", "/proc/self/status");
    while (fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(name);

        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            kibibytes = strtol(line + length + 1, NULL, 10);
            break;
        }
    }
    fclose(file);
    return kibibytes * 1024;
}

void memory_begin(memory_mark *begin)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");

    if (file == NULL || fputs("5", file) < 0 || fclose(file) != 0)
        bench_fail("cannot be written", "/proc/self/clear_refs");
    begin->peak = field("VmHWM");
    begin->shared = field("RssShmem");
    begin->files = field("RssFile");
}

/* Pages of program files are code that is used for the first time, not extra memory. */
long memory_grown(const memory_mark *begin, int ranks)
{
    long shared = field("RssShmem") - begin->shared, files = field("RssFile") - begin->files;
    long grown = field("VmHWM") - begin->peak - shared + shared / ranks - files;

    return grown > 0 ? grown : 0;
}
