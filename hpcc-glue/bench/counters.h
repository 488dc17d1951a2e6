/* What a process has used so far, as benchmarks count it around what they measure: results/src/usage.rs reads the sums
 * of all processes. */
#ifndef HCUBE_BENCH_COUNTERS_H
#define HCUBE_BENCH_COUNTERS_H

enum {
    PROCESSOR_US, /* of the processors */
    KERNEL_US,    /* of these in the kernel */
    SWITCHES,     /* context switches */
    PACKETS,      /* sent by the interfaces of the host; counted by one process of each host, */
    BYTES,
    HOSTS, /* which has 1 here */
    COUNTERS
};

void hcube_bench_counters(double counters[COUNTERS]);

#endif
