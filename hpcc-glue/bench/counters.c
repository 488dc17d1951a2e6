#define _GNU_SOURCE
#include "counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

static double microseconds(struct timeval time)
{
    return 1e6 * (double)time.tv_sec + (double)time.tv_usec;
}

/* Whether this process is the first one of its host, as the launchers of Open MPI and MPICH say. */
static int is_first(void)
{
    const char *number = getenv("OMPI_COMM_WORLD_LOCAL_RANK");

    if (number == NULL) number = getenv("MPI_LOCALRANKID");
    return number != NULL && strcmp(number, "0") == 0;
}

/* Adds what all interfaces have sent, except the loopback interface. Behind the name of an interface the kernel has
 * eight counters of what was received, proc_pid_net(5). */
static void add_sent(double *packets, double *bytes)
{
    FILE *file = fopen("/proc/self/net/dev", "r");
    char line[512], name[64];
    double sent_bytes, sent_packets;

    if (file == NULL) return;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, " %63[^:]: %*s %*s %*s %*s %*s %*s %*s %*s %lf %lf", name, &sent_bytes, &sent_packets) != 3 ||
            strcmp(name, "lo") == 0)
            continue;
        *packets += sent_packets;
        *bytes += sent_bytes;
    }
    fclose(file);
}

void hcube_bench_counters(double counters[COUNTERS])
{
    struct rusage used;

    memset(counters, 0, COUNTERS * sizeof *counters);
    if (is_first()) {
        counters[HOSTS] = 1;
        add_sent(&counters[PACKETS], &counters[BYTES]);
    }
    if (getrusage(RUSAGE_SELF, &used) != 0) return;
    counters[KERNEL_US] = microseconds(used.ru_stime);
    counters[PROCESSOR_US] = microseconds(used.ru_utime) + counters[KERNEL_US];
    /* A rank that yields while it polls is switched without having asked for it, in the kernel's words. */
    counters[SWITCHES] = (double)used.ru_nvcsw + (double)used.ru_nivcsw;
}
