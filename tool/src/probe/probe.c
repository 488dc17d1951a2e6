/* Measures a BSPlib on this machine: the time of an operation, the latency of a superstep, and the time of supersteps
 * that communicate, for messages of several lengths and numbers. `hcube bsp probe` determines f, l, g and the overheads
 * of the machine from the samples, which predict the time of bulk-synchronous programs.
 *
 * With hcube, 4 processes:
 *
 *   bspcc -std=c99 -O3 bspprobe.c -o bspprobe
 *   bsprun -n 4 ./bspprobe -l hcube > samples.txt
 *   hcube bsp probe --from samples.txt machine.json
 *
 * With another BSPlib that has the types of 1998 (int for sizes), here BSPonMPI, the first two commands are as follows;
 * each library needs a machine file of its own, and so does 'mpirun hcube bsp probe':
 *
 *   mpicc -std=c99 -O3 bspprobe.c -I bsponmpi/include -L bsponmpi/lib -lbsponmpi -o bspprobe
 *   mpirun -np 4 ./bspprobe -l bsponmpi > samples.txt
 *
 * Compile with the options of the programs whose time is to be predicted. With -DUSE_BLAS and a BLAS (-lblas), products
 * by ddot_ and dgemm_ are measured, too; set its number of threads to 1 (OPENBLAS_NUM_THREADS=1). LIBRARY is the
 * default of -l: -DLIBRARY='"bsponmpi"'.
 *
 * Options:
 *   -l NAME   name of the library in the output
 *   -r N      repeats of each measurement [default: 9]
 *   -w LOG2   a process sends at most 2^LOG2 words of 64 bits in a superstep [default: 17]
 *
 * Output of process 0; the time of the slowest process counts, one value for each repeat:
 *
 *   hcube-bsp-samples 1
 *   library NAME
 *   processes P
 *   cores C                                    of the node of process 0; 0: unknown
 *   operation NAME NS...                       nanoseconds of a multiplication and an addition
 *   latency empty|shift|all-to-all US...       microseconds of a superstep: without data, with a put of 8 bytes to the
 *                                              next process, to all other processes
 *   gap PATTERN OPERATION WORDS COUNT SECONDS...
 *                                              seconds of a superstep in which a process sends COUNT messages of WORDS
 *                                              words; in the pattern all-to-all, to each other process
 *   end
 *
 * Method: each value is the mean of a batch of supersteps of about 1 ms, after some that are not timed. The repeats are
 * the outer loop and the cases of a pattern and an operation the inner one, so that a disturbance affects all cases.
 * Each repeat has a new random permutation without fixed points. The data of every case is verified before it is timed.
 * A single process communicates with itself. Operations are simple loops; that of the matrix product has the order
 * i, j, k: z[i][k] += x[i][j] * y[j][k].
 *
 * Source: P. Krusche, Experimental Evaluation of BSP Programming Libraries, 2005, chapter 3. */
#include <bsp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#define CORES sysconf(_SC_NPROCESSORS_ONLN)
#else
#define CORES 0L
#endif

#ifndef LIBRARY
#define LIBRARY "unknown"
#endif

#define MAX_CASES 48          /* of a pattern and an operation: 8 lengths, 6 numbers of messages */
#define BATCH_SECONDS 1e-3    /* the clock of a BSPlib may count microseconds */
#define MAX_UNTIMED 64        /* supersteps before a batch */
#define IDLE_SUPERSTEPS 300   /* hcube has then given back memory that they do not use */
#define VECTOR_LENGTH 1048576 /* elements: vectors are larger than the caches of a core */

enum { EMPTY, SHIFT, RANDOM_PERMUTATION, ALL_TO_ALL };
static const char *const pattern_names[] = {"empty", "shift", "random-permutation", "all-to-all"};

enum { GET, HP_GET, HP_PUT, PUT, SEND, LATENCY };
static const char *const transfer_names[] = {"get", "hp-get", "hp-put", "put", "send", "latency"};

/* A superstep: `count` messages of `words` words to each partner. The latency is measured with puts. */
typedef struct {
    int pattern, transfer, words, count;
} Case;

/* The state of a process. Nothing is global: the processes of a BSPlib may be threads. */
typedef struct {
    int processes, pid, repeats;
    uint64_t *own, *area; /* what only this process knows, and what is registered */
    int max_words;        /* that a process sends in a superstep */
    double *gathered;     /* registered: up to MAX_CASES values of each process */
    int told[2];          /* registered: what process 0 has decided */
    uint64_t random;
    int *permutation, to, from; /* this process sends to `to` and receives from `from` */
} Probe;

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) bsp_abort("bspprobe: out of memory: %.0f bytes\n", (double)bytes);
    return memory;
}

/* Superstep: all processes know two numbers of process 0. */
static void tell(Probe *probe, int first, int second)
{
    const int numbers[2] = {first, second};
    for (int to = 0; to < probe->processes && probe->pid == 0; to++)
        bsp_put(to, numbers, probe->told, 0, sizeof numbers);
    bsp_sync();
}

/* Superstep: process 0 knows the largest of the values of all processes, for each of `count` numbers. */
static void gather(Probe *probe, const double *values, int count, double *largest)
{
    const int bytes = count * (int)sizeof *values;
    bsp_put(0, values, probe->gathered, probe->pid * bytes, bytes);
    bsp_sync();
    for (int i = 0; i < count && probe->pid == 0; i++)
        for (int process = 0; process < probe->processes; process++) {
            const double value = probe->gathered[(size_t)process * count + i];
            if (process == 0 || value > largest[i]) largest[i] = value;
        }
}

/* Ends a line with the values of a case: `values` has a row of `count` cases for each repeat. */
static void print_values(const double *values, int repeats, int count, int index, double scale, int decimals)
{
    for (int repeat = 0; repeat < repeats; repeat++)
        printf(" %.*f", decimals, scale * values[(size_t)repeat * count + index]);
    printf("\n");
}

/* Volatile: programs do not know the order when they are compiled, and the compiler must not know it here. */
static const volatile int matrix_order = 256;

/* Of the matrix product z := x y, the last element. */
#define DEFINE_PRODUCTS(TYPE)                                                                                  \
    static TYPE dot_product_##TYPE(const TYPE *x, const TYPE *y, int length)                                   \
    {                                                                                                          \
        TYPE sum = 0;                                                                                          \
        for (int i = 0; i < length; i++) sum += x[i] * y[i];                                                   \
        return sum;                                                                                            \
    }                                                                                                          \
    static TYPE matrix_product_##TYPE(const TYPE *restrict x, const TYPE *restrict y, TYPE *restrict z, int n) \
    {                                                                                                          \
        for (int i = 0; i < n * n; i++) z[i] = 0;                                                              \
        for (int i = 0; i < n; i++)                                                                            \
            for (int j = 0; j < n; j++)                                                                        \
                for (int k = 0; k < n; k++) z[i * n + k] += x[i * n + j] * y[j * n + k];                       \
        return z[n * n - 1];                                                                                   \
    }
DEFINE_PRODUCTS(double)
DEFINE_PRODUCTS(int)

static const char *const operation_names[] = {
    "dot-product-double", "matrix-product-double",   "dot-product-int",
    "matrix-product-int", "dot-product-double-blas", "matrix-product-double-blas",
};
#ifdef USE_BLAS
#define OPERATIONS 6
double ddot_(const int *, const double *, const int *, const double *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
#else
#define OPERATIONS 4
#endif

/* Seconds of a multiplication and an addition. The elements are small integers, all results are exact. */
static double time_operation(int operation, double *x, int *x_int)
{
    const int n = matrix_order, is_matrix = operation % 2, length = is_matrix ? n : VECTOR_LENGTH;
    double *y = x + VECTOR_LENGTH, *z = y + VECTOR_LENGTH, expected = 0, result = 0;
    int *y_int = x_int + VECTOR_LENGTH, *z_int = y_int + VECTOR_LENGTH;
    for (int i = 0; i < length; i++) expected += is_matrix ? x[(n - 1) * n + i] * y[i * n + n - 1] : x[i] * y[i];
    bsp_sync();
    const double begin = bsp_time();
    switch (operation) {
    case 0: result = dot_product_double(x, y, length); break;
    case 1: result = matrix_product_double(x, y, z, n); break;
    case 2: result = dot_product_int(x_int, y_int, length); break;
    case 3: result = matrix_product_int(x_int, y_int, z_int, n); break;
#ifdef USE_BLAS
    case 4: result = ddot_(&length, x, (const int[]){1}, y, (const int[]){1}); break;
    case 5: /* The BLAS stores columns: of the transposed matrices, the product is y x. */
        dgemm_("N", "N", &n, &n, &n, (const double[]){1}, y, &n, x, &n, (const double[]){0}, z, &n);
        result = z[n * n - 1];
        break;
#endif
    }
    const double seconds = bsp_time() - begin;
    if (result != expected)
        bsp_abort("bspprobe: %s is wrong: %.0f, expected %.0f\n", operation_names[operation], result, expected);
    return seconds / (is_matrix ? (double)n * n * n : VECTOR_LENGTH);
}

static void measure_operations(Probe *probe, double *values)
{
    /* Two vectors, whose first elements are also those of two matrices, and the product of the matrices. */
    const size_t length = 2 * VECTOR_LENGTH + (size_t)matrix_order * matrix_order;
    double *x = allocate(length * sizeof *x);
    int *x_int = allocate(length * sizeof *x_int);
    for (int i = 0; i < 2 * VECTOR_LENGTH; i++) x[i] = x_int[i] = i % 7 - 3;
    /* The first repeat is not counted: memory and processor become ready. */
    for (int repeat = -1; repeat < probe->repeats; repeat++) {
        double seconds[OPERATIONS];
        for (int operation = 0; operation < OPERATIONS; operation++)
            seconds[operation] = time_operation(operation, x, x_int);
        gather(probe, seconds, OPERATIONS, values + (repeat < 0 ? 0 : repeat) * OPERATIONS);
    }
    for (int operation = 0; operation < OPERATIONS && probe->pid == 0; operation++) {
        printf("operation %s", operation_names[operation]);
        print_values(values, probe->repeats, OPERATIONS, operation, 1e9, 4);
    }
    free(x_int);
    free(x);
}

/* A new permutation, the same on all processes; one with fixed points is rejected, on average 1.7 times. */
static void permute(Probe *probe)
{
    int fixed, *permutation = probe->permutation;
    for (int i = 0; i < probe->processes; i++) permutation[i] = i;
    do {
        for (int i = probe->processes - 1; i > 0; i--) {
            /* xorshift64* */
            probe->random ^= probe->random >> 12;
            probe->random ^= probe->random << 25;
            probe->random ^= probe->random >> 27;
            const uint64_t random = (probe->random * 2685821657736338717ULL) >> 32;
            const int other = (int)(random % (i + 1)), value = permutation[i];
            permutation[i] = permutation[other];
            permutation[other] = value;
        }
        fixed = 0;
        for (int i = 0; i < probe->processes; i++) {
            fixed += permutation[i] == i;
            if (permutation[i] == probe->pid) probe->from = i;
        }
    } while (fixed > 0 && probe->processes > 1);
    probe->to = permutation[probe->pid];
}

/* Number of processes to which a process sends. With one process, it is its own partner. */
static int partners(const Probe *probe, int pattern)
{
    if (pattern == EMPTY) return 0;
    return pattern == ALL_TO_ALL && probe->processes > 2 ? probe->processes - 1 : 1;
}

/* The process at a distance of 1 to partners(); at a negative distance, the process that has this one there. */
static int partner(const Probe *probe, int pattern, int distance)
{
    if (pattern == RANDOM_PERMUTATION) return distance > 0 ? probe->to : probe->from;
    return (probe->pid + probe->processes + distance) % probe->processes;
}

/* Requests the communication of a superstep: at the same place of `own` and of `area`, in the order of the partners. */
static void request(const Probe *probe, const Case *step)
{
    const int bytes = step->words * (int)sizeof(uint64_t), distances = partners(probe, step->pattern);
    int offset = 0;
    uint64_t *own = probe->own;
    for (int distance = 1; distance <= distances; distance++) {
        const int to = partner(probe, step->pattern, distance);
        for (int message = 0; message < step->count; message++) {
            switch (step->transfer) {
            case GET: bsp_get(to, probe->area, offset, own, bytes); break;
            case HP_GET: bsp_hpget(to, probe->area, offset, own, bytes); break;
            case HP_PUT: bsp_hpput(to, own, probe->area, offset, bytes); break;
            case LATENCY:
            case PUT: bsp_put(to, own, probe->area, offset, bytes); break;
            case SEND: bsp_send(to, own, own, bytes); break; /* The tag has 0 bytes. */
            }
            offset += bytes;
            own += step->words;
        }
    }
}

static void superstep(const Probe *probe, const Case *step)
{
    request(probe, step);
    bsp_sync();
    if (step->transfer != SEND) return;
    const int expected = step->count * partners(probe, step->pattern), bytes = step->words * (int)sizeof(uint64_t);
    int arrived, all_bytes;
    bsp_qsize(&arrived, &all_bytes);
    if (arrived != expected)
        bsp_abort("bspprobe: process %d has %d messages, expected %d\n", probe->pid, arrived, expected);
    for (int message = 0; message < arrived; message++) bsp_move(probe->area + (size_t)message * step->words, bytes);
}

/* The word of a process at a place; never 0. */
#define KNOWN_WORD(process, place) ((uint64_t)((process) + 1) << 32 | (place))

/* Performs a superstep with known data; ends the program if a word has not arrived. */
static void verify(const Probe *probe, const Case *step)
{
    const int is_get = step->transfer == GET || step->transfer == HP_GET, distances = partners(probe, step->pattern);
    const size_t of_partner = (size_t)step->count * step->words, length = of_partner * distances;
    uint64_t *source = is_get ? probe->area : probe->own, *destination = is_get ? probe->own : probe->area;
    for (size_t place = 0; place < length; place++) {
        source[place] = KNOWN_WORD(probe->pid, place);
        destination[place] = 0;
    }
    bsp_sync();
    superstep(probe, step);
    if (step->transfer == SEND) {
        /* Messages arrive in any order: the first word says where they belong. */
        destination = memset(probe->own, 0, length * sizeof *destination);
        for (size_t message = 0; message < length; message += step->words) {
            const size_t place = probe->area[message] & UINT32_MAX;
            if (place <= length - step->words)
                memcpy(destination + place, probe->area + message, step->words * sizeof *destination);
        }
    }
    for (size_t place = 0; place < length; place++) {
        const int distance = (int)(place / of_partner) + 1;
        const int from = partner(probe, step->pattern, is_get ? distance : -distance);
        if (destination[place] != KNOWN_WORD(from, place))
            bsp_abort("bspprobe: %s %s, %d messages of %d words: process %d has wrong data from process %d\n",
                      pattern_names[step->pattern], transfer_names[step->transfer], step->count, step->words,
                      probe->pid, from);
    }
    bsp_sync();
}

/* Seconds of a superstep, the mean of a batch after another one: libraries have several buffers, which they enlarge. */
static double time_batch(const Probe *probe, const Case *step, int batch)
{
    const int untimed = batch < 4 ? 4 : batch < MAX_UNTIMED ? batch : MAX_UNTIMED;
    for (int i = 0; i < untimed; i++) superstep(probe, step);
    const double begin = bsp_time();
    for (int i = 0; i < batch; i++) superstep(probe, step);
    return (bsp_time() - begin) / batch;
}

/* Number of supersteps that take about BATCH_SECONDS, decided by process 0. */
static int calibrate(Probe *probe, const Case *step)
{
    int batch = 1, is_ready = 0;
    while (!is_ready) {
        const double seconds = time_batch(probe, step, batch);
        is_ready = seconds * batch >= BATCH_SECONDS / 4 || batch >= 1 << 20;
        tell(probe, is_ready ? 1 + (int)(BATCH_SECONDS / (seconds > 1e-9 ? seconds : 1e-9)) : 4 * batch, is_ready);
        batch = probe->told[0];
        is_ready = probe->told[1];
    }
    return batch;
}

/* Measures the cases of a pattern and an operation. `values` has a row of cases for each repeat. */
static void measure(Probe *probe, const Case *cases, int count, double *values)
{
    int batch[MAX_CASES];
    for (int repeat = -1; repeat < probe->repeats; repeat++) {
        double seconds[MAX_CASES];
        permute(probe);
        for (int i = 0; i < IDLE_SUPERSTEPS; i++) bsp_sync();
        for (int i = 0; i < count; i++)
            if (repeat < 0) {
                verify(probe, &cases[i]);
                batch[i] = calibrate(probe, &cases[i]);
            } else {
                seconds[i] = time_batch(probe, &cases[i], batch[i]);
            }
        if (repeat >= 0) gather(probe, seconds, count, values + (size_t)repeat * count);
    }
    for (int i = 0; i < count && probe->pid == 0; i++) {
        const int is_latency = cases[i].transfer == LATENCY;
        printf("%s %s", is_latency ? "latency" : "gap", pattern_names[cases[i].pattern]);
        if (!is_latency) printf(" %s %d %d", transfer_names[cases[i].transfer], cases[i].words, cases[i].count);
        print_values(values, probe->repeats, count, i, is_latency ? 1e6 : 1, is_latency ? 4 : 10);
    }
}

static void measure_gap(Probe *probe, int pattern, int transfer, double *values)
{
    Case cases[MAX_CASES];
    int count = 0;
    /* Ascending, so that memory which a library gives back and obtains again is not part of the measurement. */
    for (int total = 1; total <= 16384 * 1024; total *= 4)
        for (int words = 1; words <= total && words <= 16384; words *= 4)
            if (total / words <= 1024 && (double)total * partners(probe, pattern) <= probe->max_words)
                cases[count++] = (Case){pattern, transfer, words, total / words};
    if (count > 0) measure(probe, cases, count, values);
    if (probe->pid == 0)
        fprintf(stderr, "bspprobe: %s %s: %d cases, %.1f s\n", pattern_names[pattern], transfer_names[transfer], count,
                bsp_time());
}

static int number(const char *option, const char *text, int least, int most)
{
    char *end;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < least || value > most)
        bsp_abort("bspprobe: %s %s: expected %d to %d\n", option, text, least, most);
    return (int)value;
}

int main(int argc, char **argv)
{
    bsp_begin(bsp_nprocs());
    Probe probe = {.processes = bsp_nprocs(), .pid = bsp_pid(), .random = 88172645463325252ULL};
    const char *library = LIBRARY;
    int log_words = 17, repeats = 9;
    /* Some libraries pass the arguments only to process 0. */
    for (int i = 1; i < argc && probe.pid == 0; i += 2) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(option, "-l") == 0 && *value != '\0') library = value;
        else if (strcmp(option, "-r") == 0) repeats = number(option, value, 1, 10000);
        else if (strcmp(option, "-w") == 0) log_words = number(option, value, 0, 26); /* The bytes are an int. */
        else bsp_abort("usage: bspprobe [-l NAME] [-r REPEATS] [-w LOG2]\n");
    }
    bsp_push_reg(probe.told, sizeof probe.told);
    bsp_sync();
    tell(&probe, log_words, repeats);
    probe.max_words = 1 << probe.told[0];
    probe.repeats = probe.told[1];

    /* All-to-all exchanges that measure the latency need a word for each process. */
    const int words = probe.max_words > probe.processes ? probe.max_words : probe.processes;
    const int area_bytes = words * (int)sizeof *probe.area;
    const int gathered_bytes = probe.processes * MAX_CASES * (int)sizeof *probe.gathered;
    probe.own = allocate(area_bytes);
    probe.area = allocate(area_bytes);
    probe.gathered = allocate(gathered_bytes);
    probe.permutation = allocate(probe.processes * sizeof *probe.permutation);
    double *values = allocate((size_t)probe.repeats * MAX_CASES * sizeof *values);
    bsp_push_reg(probe.area, area_bytes);
    bsp_push_reg(probe.gathered, gathered_bytes);
    bsp_sync();

    if (probe.pid == 0)
        printf("hcube-bsp-samples 1\nlibrary %s\nprocesses %d\ncores %ld\n", library, probe.processes,
               CORES > 0 ? CORES : 0);
    measure_operations(&probe, values);
    const Case latencies[] = {{EMPTY, LATENCY, 0, 0}, {SHIFT, LATENCY, 1, 1}, {ALL_TO_ALL, LATENCY, 1, 1}};
    measure(&probe, latencies, 3, values);
    for (int pattern = RANDOM_PERMUTATION; pattern <= ALL_TO_ALL; pattern++)
        for (int transfer = 0; transfer < LATENCY; transfer++) measure_gap(&probe, pattern, transfer, values);
    if (probe.pid == 0) printf("end\n");

    bsp_pop_reg(probe.gathered);
    bsp_pop_reg(probe.area);
    bsp_pop_reg(probe.told);
    bsp_sync();
    free(values);
    free(probe.permutation);
    free(probe.gathered);
    free(probe.area);
    free(probe.own);
    bsp_end();
    return 0;
}
