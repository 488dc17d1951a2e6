/* Times the exchange of data within transpositions: MPI_Sendrecv, MPI_Alltoall and MPI_Alltoallv in FFTW's
 * transpositions, hcube's functions in hcube's. The definitions in the program have precedence over definitions in
 * libraries, so no other change is needed.
 *
 * FFTW's pairwise transposition copies each block into a buffer outside of these calls; that copy counts
 * as local work here. hcube_transpose does its local work inside.
 */
#define _GNU_SOURCE
#include "exchange_time.h"

#include <hcube.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double spent;

double exchange_time(void)
{
    double seconds = spent;

    spent = 0;
    return seconds;
}

#define TIMED(type, call)             \
    do {                              \
        double begin = MPI_Wtime();   \
        type result = (call);         \
        spent += MPI_Wtime() - begin; \
        return result;                \
    } while (0)

int MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status *status)
{
    TIMED(int, PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type, from,
                             receive_tag, comm, status));
}

int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm)
{
    TIMED(int, PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm));
}

int MPI_Alltoallv(const void *send, const int *send_counts, const int *send_places, MPI_Datatype send_type,
                  void *receive, const int *receive_counts, const int *receive_places, MPI_Datatype receive_type,
                  MPI_Comm comm)
{
    TIMED(int, PMPI_Alltoallv(send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
                              receive_type, comm));
}

/* hcube's own function of that name. */
static void original(const char *name, void *function)
{
    void *address = dlsym(RTLD_NEXT, name);

    if (address == NULL) {
        fprintf(stderr, "fftw-bench: %s is not defined\n", name);
        abort();
    }
    memcpy(function, &address, sizeof address);
}

int hcube_alltoall_c(const void *send, MPI_Count send_count, MPI_Datatype send_type, void *receive,
                     MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    static int (*call)(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm);

    if (call == NULL) original("hcube_alltoall_c", &call);
    TIMED(int, call(send, send_count, send_type, receive, receive_count, receive_type, comm));
}

int hcube_alltoallv_c(const void *send, const MPI_Count *send_counts, const MPI_Aint *send_places,
                      MPI_Datatype send_type, void *receive, const MPI_Count *receive_counts,
                      const MPI_Aint *receive_places, MPI_Datatype receive_type, MPI_Comm comm)
{
    static int (*call)(const void *, const MPI_Count *, const MPI_Aint *, MPI_Datatype, void *, const MPI_Count *,
                       const MPI_Aint *, MPI_Datatype, MPI_Comm);

    if (call == NULL) original("hcube_alltoallv_c", &call);
    TIMED(int,
          call(send, send_counts, send_places, send_type, receive, receive_counts, receive_places, receive_type, comm));
}

int32_t hcube_transpose(const void *input, void *output, const hcube_transpose_shape *shape, MPI_Comm comm,
                        hcube_error *error)
{
    static int32_t (*call)(const void *, void *, const hcube_transpose_shape *, MPI_Comm, hcube_error *);

    if (call == NULL) original("hcube_transpose", &call);
    TIMED(int32_t, call(input, output, shape, comm, error));
}
