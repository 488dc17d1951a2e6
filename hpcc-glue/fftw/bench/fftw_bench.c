/* Times FFTW's own plans against those with hcube, alternating in one process.
 *
 *   mpirun -np <ranks> env LD_PRELOAD=libhcube_fftw.so fftw-bench [--repeat N] [--rigour R] [--output FILE]
 *          <problem>...
 *
 * A problem is <kind>,<sizes>,<in|out>,<flags>: kind is transpose, c2c or r2c; sizes are two or three numbers
 * separated by x (for transpose, the third is the number of doubles of an element); then in place or out of
 * place; flags are none, IN, OUT or both, for FFTW_MPI_TRANSPOSED_IN and _OUT. R is estimate, measure
 * (default) or patient.
 *
 * Each problem is planned twice: with HCUBE_FFTW=never the plan is FFTW's best, with always it is hcube's, which is
 * checked in the plans' texts. Both are warmed up, then executed alternately; a time is the time of the slowest rank.
 * What an execution uses is counted on all ranks together, without what barriers and agreement use. Results must agree.
 * FILE gets a record for each plan, in the form of lab/src/records.rs; `hcube-lab collect fftw` reads it.
 */
#define _GNU_SOURCE
#include "../../bench/counters.h"
#include "exchange_time.h"
#include "fftw_bench.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN, HCUBE, SOLVERS, WARM_UP = 5, WITHOUT = 20, MAX_REPEAT = 1000 };

static const char *const SETTINGS[SOLVERS] = {"never", "always"};
static const char *const NAMES[SOLVERS] = {"pairwise", "hcube"};

typedef struct {
    fftw_plan plan;
    char *text;
    long extra_bytes;
    double checksum;
    double times[MAX_REPEAT], exchanges[MAX_REPEAT];
    double used[COUNTERS]; /* in all executions */
} candidate;

static int rank, size, repeat = 15;
static unsigned rigour = FFTW_MEASURE;

void bench_fail(const char *what, const char *which)
{
    fprintf(stderr, "fftw-bench: %s: %s\n", which, what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    abort();
}

static double most(double mine)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* Plans, then plans again from the wisdom. The second plan has not been executed yet, so that its extra memory
 * is measured from the first execution. */
static void make_plan(const problem *of, int solver, candidate *made)
{
    setenv("HCUBE_FFTW", SETTINGS[solver], 1);
    fftw_forget_wisdom();
    made->plan = plan_problem(of, rigour);
    if (made->plan == NULL) bench_fail("no plan", of->name);
    fftw_destroy_plan(made->plan);
    made->plan = plan_problem(of, rigour);
    made->text = fftw_sprint_plan(made->plan);
    if ((strstr(made->text, "(mpi-transpose-hcube") != NULL) != (solver == HCUBE))
        bench_fail(
            solver == HCUBE ? "the plan is not hcube's; is libhcube_fftw.so preloaded?" : "the plan is not FFTW's own",
            of->name);
}

/* Executes on known data, so that a wrong transposition is detected. */
static void warm_up(const problem *of, candidate *made)
{
    memory_mark before;
    int turn;

    fill_problem(of);
    /* Memory that planning has freed would hide what an execution allocates. */
    malloc_trim(0);
    MPI_Barrier(MPI_COMM_WORLD);
    memory_begin(&before);
    MPI_Barrier(MPI_COMM_WORLD);
    fftw_execute(made->plan);
    MPI_Barrier(MPI_COMM_WORLD);
    made->extra_bytes = (long)most((double)memory_grown(&before, size));
    made->checksum = checksum_problem(of);
    clear_problem(of);
    memory_begin(&before);
    MPI_Barrier(MPI_COMM_WORLD);
    for (turn = 1; turn < WARM_UP; turn++) fftw_execute(made->plan);
    MPI_Barrier(MPI_COMM_WORLD);
    {
        long later = (long)most((double)memory_grown(&before, size));

        if (later > made->extra_bytes) made->extra_bytes = later;
    }
}

/* Without a plan it measures nothing. */
static void execute(candidate *one, int turn)
{
    double begin, elapsed, before[COUNTERS], after[COUNTERS];
    int counter;

    hcube_bench_counters(before);
    MPI_Barrier(MPI_COMM_WORLD);
    exchange_time();
    begin = MPI_Wtime();
    if (one->plan != NULL) fftw_execute(one->plan);
    elapsed = MPI_Wtime() - begin;
    one->times[turn] = most(elapsed);
    one->exchanges[turn] = most(exchange_time());
    hcube_bench_counters(after);
    for (counter = 0; counter < HOSTS; counter++) one->used[counter] += after[counter] - before[counter];
    one->used[HOSTS] = after[HOSTS];
}

/* What an execution uses on all ranks together; on rank 0. */
static void sum_used(candidate *one, const candidate *without)
{
    double mine[COUNTERS];
    int counter;

    for (counter = 0; counter < HOSTS; counter++)
        mine[counter] = one->used[counter] / repeat - without->used[counter] / WITHOUT;
    mine[HOSTS] = one->used[HOSTS];
    MPI_Reduce(mine, one->used, COUNTERS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void write_times(FILE *file, const char *name, const double *seconds)
{
    int turn;

    fprintf(file, "%s\t", name);
    for (turn = 0; turn < repeat; turn++) fprintf(file, "%s%.6f", turn > 0 ? " " : "", 1e3 * seconds[turn]);
    fputc('\n', file);
}

/* A plan has several lines. */
static void write_plan(FILE *file, const char *text)
{
    fputs("plan\t", file);
    for (; *text != '\0'; text++) {
        fputc(*text, file);
        if (*text == '\n') fputs("plan\t", file);
    }
    fputc('\n', file);
}

static void write_run(FILE *file, const problem *of, int solver, const candidate *one)
{
    int counter;

    fprintf(file, "problem\t%s\nranks\t%d\nsolver\t%s\n", of->name, size, NAMES[solver]);
    write_times(file, "times_ms", one->times);
    write_times(file, "exchange_ms", one->exchanges);
    fprintf(file, "data_bytes\t%ld\nextra_bytes\t%ld\nused\t", problem_bytes(of), one->extra_bytes);
    for (counter = 0; counter < COUNTERS; counter++)
        fprintf(file, "%.3f%c", one->used[counter], counter < HOSTS ? ' ' : '\n');
    write_plan(file, one->text);
    fputc('\n', file);
}

static void compare(const char *description, FILE *file)
{
    static candidate candidates[SOLVERS], without;
    problem of;
    double begin = MPI_Wtime(), planned, difference;
    int solver, turn;

    if (!make_problem(description, &of))
        bench_fail("expected <transpose|c2c|r2c>,<sizes>,<in|out>,<none|IN|OUT|both>", description);
    if (rank == 0) fprintf(stderr, "%s, %d ranks: planning", of.name, size);
    for (solver = OWN; solver < SOLVERS; solver++) {
        make_plan(&of, solver, &candidates[solver]);
        warm_up(&of, &candidates[solver]);
    }
    planned = MPI_Wtime() - begin;
    difference = candidates[OWN].checksum - candidates[HCUBE].checksum;
    if (!(difference * difference <= 1e-18 * candidates[OWN].checksum * candidates[OWN].checksum))
        bench_fail("hcube's result differs from FFTW's", of.name);
    if (rank == 0) fprintf(stderr, " %.1f s, measuring", planned);
    memset(&without, 0, sizeof without);
    for (turn = 0; turn < WITHOUT; turn++) execute(&without, turn);
    for (solver = OWN; solver < SOLVERS; solver++) memset(candidates[solver].used, 0, sizeof candidates[solver].used);
    /* The order alternates: the first may find the data in another cache than the second. */
    for (turn = 0; turn < SOLVERS * repeat; turn++)
        execute(&candidates[(turn + turn / SOLVERS) % SOLVERS], turn / SOLVERS);
    if (rank == 0) fprintf(stderr, " %.1f s\n", MPI_Wtime() - begin - planned);
    for (solver = OWN; solver < SOLVERS; solver++) {
        sum_used(&candidates[solver], &without);
        if (rank == 0) write_run(file, &of, solver, &candidates[solver]);
        fftw_destroy_plan(candidates[solver].plan);
        free(candidates[solver].text);
    }
    free_problem(&of);
}

static void read_option(const char *option, const char *value, const char **output)
{
    static const struct {
        const char *name;
        unsigned flag;
    } RIGOURS[] = {{"estimate", FFTW_ESTIMATE}, {"measure", FFTW_MEASURE}, {"patient", FFTW_PATIENT}};
    size_t number;

    if (strcmp(option, "--output") == 0) {
        *output = value;
        return;
    }
    if (strcmp(option, "--repeat") == 0) {
        repeat = atoi(value);
        if (repeat < 1 || repeat > MAX_REPEAT) bench_fail("expected --repeat from 1 to 1000", value);
        return;
    }
    for (number = 0; strcmp(option, "--rigour") == 0 && number < sizeof RIGOURS / sizeof *RIGOURS; number++) {
        if (strcmp(value, RIGOURS[number].name) == 0) {
            rigour = RIGOURS[number].flag;
            return;
        }
    }
    bench_fail("unknown option or value", option);
}

int main(int argc, char **argv)
{
    const char *output = "/dev/stdout";
    FILE *file = NULL;
    int number;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* With `never` from the start hcube would not register. */
    unsetenv("HCUBE_FFTW");
    fftw_mpi_init();
    for (number = 1; number + 1 < argc && strncmp(argv[number], "--", 2) == 0; number += 2)
        read_option(argv[number], argv[number + 1], &output);
    if (rank == 0) {
        file = fopen(output, "w");
        if (file == NULL) bench_fail("cannot be written", output);
    }
    for (; number < argc; number++) compare(argv[number], file);
    if (rank == 0 && fclose(file) != 0) bench_fail("cannot be written", output);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return 0;
}
