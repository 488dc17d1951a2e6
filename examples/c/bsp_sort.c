/* Sorts numbers that are distributed over the processes of a BSPlib program: regular samples (puts), one message for
 * each pair of processes, and a check of the result (a put, a get and bsp_fold). */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 100000 /* numbers of a process, before the sort */

static int ascending(const void *left, const void *right) {
    const unsigned long long a = *(const unsigned long long *)left, b = *(const unsigned long long *)right;
    return (a > b) - (a < b);
}

/* result := left + right, for bsp_fold. */
static void add(void *result, void *left, void *right, int *bytes) {
    for (size_t i = 0; i < *bytes / sizeof(unsigned long long); i++)
        ((unsigned long long *)result)[i] = ((unsigned long long *)left)[i] + ((unsigned long long *)right)[i];
}

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (memory == NULL) bsp_abort("bsp_sort: out of memory\n");
    return memory;
}

int main(void) {
    bsp_begin(bsp_nprocs());
    const int processes = bsp_nprocs(), pid = bsp_pid(), word = sizeof(unsigned long long);

    /* Pseudo-random numbers, different on all processes. Their count and sum do not change. */
    unsigned long long *numbers = allocate(N * sizeof *numbers), value = 88172645463325252ULL + pid;
    unsigned long long before[2] = {N, 0}, after[2] = {0, 0};
    for (int i = 0; i < N; i++) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
        numbers[i] = value;
        before[1] += value;
    }
    qsort(numbers, N, sizeof *numbers, ascending);

    /* Superstep: every process puts `processes` regular samples into the memory of all. Registered memory may be used
     * from the next superstep on. */
    const int samples = processes * processes;
    unsigned long long *sample = allocate(samples * sizeof *sample), edge[2] = {0, 0};
    bsp_push_reg(sample, samples * word);
    bsp_push_reg(edge, sizeof edge);
    /* Tags count from the next superstep on, too. */
    int tag_bytes = sizeof(int);
    bsp_set_tagsize(&tag_bytes);
    bsp_sync();
    for (int to = 0; to < processes; to++)
        for (int i = 0; i < processes; i++)
            bsp_put(to, numbers + (size_t)N * i / processes, sample, (pid * processes + i) * word, word);
    bsp_sync();

    /* Superstep: process p gets the numbers from splitter p on, in one message from each process; the tag is its
     * length. */
    qsort(sample, samples, sizeof *sample, ascending);
    for (int to = 0, begin = 0; to < processes; to++) {
        int end = begin;
        while (end < N && (to == processes - 1 || numbers[end] < sample[(to + 1) * processes])) end++;
        const int count = end - begin;
        bsp_send(to, &count, numbers + begin, count * word);
        begin = end;
    }
    bsp_sync();

    int messages, bytes;
    bsp_qsize(&messages, &bytes);
    unsigned long long *sorted = allocate(bytes > 0 ? bytes : 1);
    int length = 0;
    for (int message = 0; message < messages; message++) {
        int status, count;
        bsp_get_tag(&status, &count);
        bsp_move(sorted + length, status);
        length += count;
    }
    qsort(sorted, length, sizeof *sorted, ascending);

    /* The check: every process puts its largest number into the memory of those after it. */
    int errors = 0;
    for (int i = 1; i < length; i++) errors += sorted[i - 1] > sorted[i];
    if (length > 0)
        for (int to = pid + 1; to < processes; to++) bsp_put(to, sorted + length - 1, sample, pid * word, word);
    for (int i = 0; i < processes; i++) sample[i] = 0;
    bsp_sync();
    for (int from = 0; from < pid; from++) errors += length > 0 && sample[from] > sorted[0];
    after[0] = length;
    for (int i = 0; i < length; i++) after[1] += sorted[i];
    bsp_fold(add, before, before, sizeof before);
    bsp_fold(add, after, after, sizeof after);
    errors += memcmp(before, after, sizeof before) != 0;

    /* Process 0 reads the errors of all. */
    edge[0] = errors;
    unsigned long long all_errors = 0;
    unsigned long long *of_process = allocate(processes * sizeof *of_process);
    for (int from = 0; from < processes && pid == 0; from++) bsp_get(from, edge, 0, of_process + from, word);
    bsp_sync();
    if (pid == 0) {
        for (int from = 0; from < processes; from++) all_errors += of_process[from];
        printf("%d processes, %llu numbers, %llu errors\n", processes, after[0], all_errors);
    }
    bsp_pop_reg(edge);
    bsp_pop_reg(sample);
    bsp_sync();

    free(of_process);
    free(sorted);
    free(sample);
    free(numbers);
    bsp_end();
    return all_errors != 0;
}
