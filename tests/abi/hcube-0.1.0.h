/* The declarations of hcube.h 0.1.0, without its comments. */

#ifndef HCUBE_H
#define HCUBE_H
#include <mpi.h>
#include <stdint.h>
#define HCUBE_VERSION "0.1.0"
#define HCUBE_VERSION_MAJOR 0
#define HCUBE_VERSION_MINOR 1
#define HCUBE_VERSION_PATCH 0
#define HCUBE_STREAM_POLYNOMIAL 0
#define HCUBE_STREAM_LCG 1
#define HCUBE_MODE_AUTO 0
#define HCUBE_MODE_MESSAGE 1
#define HCUBE_MODE_NODE 2
#define HCUBE_MODE_THREE_HOP 3
#define HCUBE_RECEIVE_AHEAD 1
#define HCUBE_LATE_UPDATES 2
#define HCUBE_LATE_WAITS 4
#define HCUBE_OVERLAPPED_SENDS 8
#define HCUBE_OPTIMISATIONS_ALL 15
#define HCUBE_ALLTOALL_AUTO 0
#define HCUBE_ALLTOALL_MPICH 1
#define HCUBE_ALLTOALL_LINEAR_SHIFT 2
#define HCUBE_ALLTOALL_HIERARCHICAL_SETS 3
#define HCUBE_ALLTOALL_LIBRARY 4
#define HCUBE_ALLTOALL_HYPERCUBE 5
#define HCUBE_PATH_AUTO 0
#define HCUBE_PATH_SINGLE_COPY 1
#define HCUBE_PATH_SHARED 2
#define HCUBE_PATH_MESSAGE 3
#define HCUBE_SUCCESS 0
#define HCUBE_ERR_ARGUMENT 1
#define HCUBE_ERR_DISTRIBUTION 2
#define HCUBE_ERR_COMM 3
#define HCUBE_ERR_MPI_STATE 4
#define HCUBE_ERR_MPI 5
#define HCUBE_ERR_MEMORY 6
#define HCUBE_ERR_MISMATCH 7
#define HCUBE_ERR_INTERNAL 8
#define HCUBE_ERR_TRUNCATE 9
#define HCUBE_ERR_COUNT 10
#define HCUBE_ERR_DATATYPE 11
#define HCUBE_ERR_BUFFER 12
typedef struct hcube_alltoall_options {
    uint64_t struct_size;
    int64_t memory;
    int32_t schedule;
    int32_t path;
    int32_t ranks_per_node;
    int32_t reserved;
} hcube_alltoall_options;

typedef struct hcube_error {
    int32_t code;
    char message[508];
} hcube_error;

typedef struct hcube_transpose_shape {
    int64_t rows;
    int64_t columns;
    int64_t element_bytes;
    int64_t row_block;
    int64_t column_block;
    int32_t transposed_in;
    int32_t transposed_out;
} hcube_transpose_shape;

typedef struct hcube_random_access_options {
    uint64_t struct_size;
    int64_t look_ahead;
    int32_t mode;
    int32_t dimensions;
    int32_t relaxed;
    uint32_t optimisations;
    int32_t huge_pages;
    int32_t ranks_per_node;
} hcube_random_access_options;

typedef struct hcube_table {
    uint64_t *words;
    int64_t local_length;
    int64_t global_length;
    int64_t first_index;
} hcube_table;

typedef struct hcube_updates {
    int32_t stream;
    int64_t start;
    int64_t count;
} hcube_updates;

typedef struct hcube_random_access_statistics {
    uint64_t struct_size;
    uint64_t generated;
    uint64_t applied;
    uint64_t messages;
    uint64_t message_bytes;
    uint64_t shared_bytes;
    uint64_t stages;
    uint64_t rounds;
    uint64_t excess;
    uint64_t most_held;
    uint64_t open_bound;
    uint64_t huge_pages;
    uint64_t memory_bytes;
    double total_seconds;
    double paging_seconds;
    double generate_seconds;
    double route_seconds;
    double wait_seconds;
    double update_seconds;
} hcube_random_access_statistics;
#ifdef __cplusplus
extern "C" {
#endif  // __cplusplus
const char *hcube_version(void);
const char *hcube_error_string(int32_t code);
int hcube_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm);
int hcube_alltoallv(const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype sendtype,
                    void *recvbuf, const int *recvcounts, const int *rdispls, MPI_Datatype recvtype, MPI_Comm comm);
int hcube_alltoallw(const void *sendbuf, const int *sendcounts, const int *sdispls, const MPI_Datatype *sendtypes,
                    void *recvbuf, const int *recvcounts, const int *rdispls, const MPI_Datatype *recvtypes,
                    MPI_Comm comm);
int hcube_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int hcube_alltoallv_c(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Aint *sdispls, MPI_Datatype sendtype,
                      void *recvbuf, const MPI_Count *recvcounts, const MPI_Aint *rdispls, MPI_Datatype recvtype,
                      MPI_Comm comm);
int hcube_alltoallw_c(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Aint *sdispls,
                      const MPI_Datatype *sendtypes, void *recvbuf, const MPI_Count *recvcounts,
                      const MPI_Aint *rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm);
int32_t hcube_alltoall_default_options(struct hcube_alltoall_options *options, uint64_t size,
                                       struct hcube_error *error);
int32_t hcube_alltoall_set_options(MPI_Comm comm, const struct hcube_alltoall_options *options,
                                   struct hcube_error *error);
int32_t hcube_alltoall_last_way(MPI_Comm comm, char *text, uint64_t length, struct hcube_error *error);
int32_t hcube_transpose(const void *input, void *output, const struct hcube_transpose_shape *shape, MPI_Comm comm,
                        struct hcube_error *error);
int32_t hcube_transpose_check(const struct hcube_transpose_shape *shape, int32_t in_place, MPI_Comm comm,
                              struct hcube_error *error);
int32_t hcube_random_access_default_options(struct hcube_random_access_options *options, uint64_t size,
                                            struct hcube_error *error);
int32_t hcube_random_access_prepare(MPI_Comm comm, const struct hcube_random_access_options *options,
                                    struct hcube_error *error);
int32_t hcube_random_access_run(MPI_Comm comm, const struct hcube_table *table, const struct hcube_updates *updates,
                                const struct hcube_random_access_options *options, struct hcube_error *error);
int32_t hcube_random_access_verify(MPI_Comm comm, const struct hcube_table *table, const struct hcube_updates *updates,
                                   int64_t *errors, struct hcube_error *error);
int32_t hcube_random_access_last_statistics(MPI_Comm comm, struct hcube_random_access_statistics *statistics,
                                            struct hcube_error *error);
int32_t hcube_random_access_describe(MPI_Comm comm, const struct hcube_random_access_options *options, char *text,
                                     uint64_t length, struct hcube_error *error);
int hcube_fortran_alltoall(const void *sendbuf, int sendcount, MPI_Fint sendtype, void *recvbuf, int recvcount,
                           MPI_Fint recvtype, MPI_Fint comm);
int hcube_fortran_alltoall_in_place(void *buffer, int count, MPI_Fint kind, MPI_Fint comm);
int hcube_fortran_alltoallv(const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Fint sendtype,
                            void *recvbuf, const int *recvcounts, const int *rdispls, MPI_Fint recvtype, MPI_Fint comm);
int hcube_fortran_alltoallv_in_place(void *buffer, const int *counts, const int *displs, MPI_Fint kind, MPI_Fint comm);
int hcube_fortran_alltoallw(const void *sendbuf, const int *sendcounts, const int *sdispls, const MPI_Fint *sendtypes,
                            void *recvbuf, const int *recvcounts, const int *rdispls, const MPI_Fint *recvtypes,
                            MPI_Fint comm);
int hcube_fortran_alltoallw_in_place(void *buffer, const int *counts, const int *displs, const MPI_Fint *kinds,
                                     MPI_Fint comm);
int32_t hcube_fortran_alltoall_set_options(MPI_Fint comm, const struct hcube_alltoall_options *options,
                                           struct hcube_error *error);
int32_t hcube_fortran_alltoall_last_way(MPI_Fint comm, char *text, uint64_t length, struct hcube_error *error);
int32_t hcube_fortran_random_access_prepare(MPI_Fint comm, const struct hcube_random_access_options *options,
                                            struct hcube_error *error);
int32_t hcube_fortran_random_access_run(MPI_Fint comm, const struct hcube_table *table,
                                        const struct hcube_updates *updates,
                                        const struct hcube_random_access_options *options, struct hcube_error *error);
int32_t hcube_fortran_random_access_verify(MPI_Fint comm, const struct hcube_table *table,
                                           const struct hcube_updates *updates, int64_t *errors,
                                           struct hcube_error *error);
int32_t hcube_fortran_random_access_last_statistics(MPI_Fint comm, struct hcube_random_access_statistics *statistics,
                                                    struct hcube_error *error);
int32_t hcube_fortran_random_access_describe(MPI_Fint comm, const struct hcube_random_access_options *options,
                                             char *text, uint64_t length, struct hcube_error *error);
int32_t hcube_fortran_transpose(const void *input, void *output, const struct hcube_transpose_shape *shape,
                                MPI_Fint comm, struct hcube_error *error);
int32_t hcube_fortran_transpose_in_place(void *matrix, const struct hcube_transpose_shape *shape, MPI_Fint comm,
                                         struct hcube_error *error);
int32_t hcube_fortran_transpose_check(const struct hcube_transpose_shape *shape, int32_t in_place, MPI_Fint comm,
                                      struct hcube_error *error);
#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus
#endif
