#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static const char *variant_name;
static FILE *file;

void bench_fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    abort();
}

/* A variant is what it is called: `stock` calls the MPI library's exchange, all others that of a library in front of
 * it. */
static void check_variant(void)
{
    void *exchange = dlsym(RTLD_DEFAULT, "MPI_Alltoall"), *barrier = dlsym(RTLD_DEFAULT, "MPI_Barrier");
    Dl_info of_exchange, of_barrier;
    int is_stock;

    if (exchange == NULL || barrier == NULL || dladdr(exchange, &of_exchange) == 0 || dladdr(barrier, &of_barrier) == 0)
        bench_fail("the MPI library is not known to the loader");
    is_stock = strcmp(of_exchange.dli_fname, of_barrier.dli_fname) == 0;
    if (is_stock == (strcmp(variant_name, "stock") == 0)) return;
    fprintf(stderr, "bench: variant %s: MPI_Alltoall is that of %s\n", variant_name, of_exchange.dli_fname);
    bench_fail("NOT MEASURED: another implementation than the variant is called");
}

void bench_begin(int *argc, char ***argv, int arguments, const char *usage)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (*argc < 3 + arguments) bench_fail(usage);
    variant_name = (*argv)[2];
    check_variant();
    if (rank > 0) return;
    file = fopen((*argv)[1], "a");
    if (file == NULL) bench_fail("the file of the results cannot be written");
}

void bench_end(void)
{
    if (rank == 0 && fclose(file) != 0) bench_fail("the file of the results cannot be written");
    MPI_Finalize();
}

int bench_rank(void)
{
    return rank;
}

int bench_size(void)
{
    return size;
}

int bench_number(const char *text)
{
    int number = atoi(text);

    if (number < 1) bench_fail("expected a number from 1");
    return number;
}

void bench_write(const bench_case *of, double value)
{
    bench_write_as(of, variant_name, &value, 1);
}

/* The median on standard output, as soon as it is known. */
static void show(const bench_case *of, const char *variant, const double *values, int count)
{
    double *copy = bench_memory((size_t)count * sizeof *copy);

    memcpy(copy, values, (size_t)count * sizeof *copy);
    printf("%s, %s, %d ranks, %s: %.3g %s\n", of->benchmark, of->name, size, variant, bench_median(copy, count),
           of->unit);
    fflush(stdout);
    free(copy);
}

void bench_write_as(const bench_case *of, const char *variant, const double *values, int count)
{
    int number;

    if (rank > 0) return;
    fprintf(file, "benchmark\t%s\ncase\t%s\nranks\t%d\nvariant\t%s\nunit\t%s\n", of->benchmark, of->name, size, variant,
            of->unit);
    if (of->bound > 0) fprintf(file, "bound\t%g\n", of->bound);
    fputs("values\t", file);
    for (number = 0; number < count; number++) fprintf(file, "%s%.9g", number > 0 ? " " : "", values[number]);
    fputs("\n\n", file);
    show(of, variant, values, count);
}

double bench_most(double mine)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

double bench_mean(double mine)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all / size;
}

static int compare(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;

    return difference < 0 ? -1 : difference > 0;
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

void *bench_memory(size_t bytes)
{
    void *memory = malloc(bytes);

    if (memory == NULL) bench_fail("not enough memory");
    return memory;
}

/* A field of a file in /proc, in bytes. */
static double field(const char *path, const char *format)
{
    char line[256];
    long kilobytes = -1;
    FILE *status = fopen(path, "r");

    if (status == NULL) bench_fail(path);
    while (kilobytes < 0 && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, format, &kilobytes) != 1) kilobytes = -1;
    fclose(status);
    if (kilobytes < 0) bench_fail(path);
    return 1024.0 * (double)kilobytes;
}

bench_footprint bench_take(void)
{
    bench_footprint now;

    MPI_Barrier(MPI_COMM_WORLD);
    now.resident = field("/proc/self/smaps_rollup", "Rss: %ld kB");
    now.share = field("/proc/self/smaps_rollup", "Pss: %ld kB");
    now.address_space = field("/proc/self/status", "VmSize: %ld kB");
    MPI_Barrier(MPI_COMM_WORLD);
    return now;
}
