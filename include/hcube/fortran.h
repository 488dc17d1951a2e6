/* hcube/fortran.h: functions that the Fortran modules call; programs in C do not need them.
 *
 * Generated from src/fortran_alltoall.rs and src/fortran.rs and src/fortran_caf.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_FORTRAN_H
#define HCUBE_FORTRAN_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"
#include "alltoall.h"
#include "transpose.h"
#include "gemm.h"
#include "random_access.h"
#include "caf.h"

#ifdef MPI_ABI_VERSION
/**
 * A Fortran handle: the integer that MPI_Comm_toint, MPI_Type_toint and MPI_Op_toint return.
 */
typedef int MPI_Fint;
#endif


#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * hcube_alltoall with Fortran handles, for the Fortran module hcube.
 */
int hcube_fortran_alltoall(const void *sendbuf,
                           int sendcount,
                           MPI_Fint sendtype,
                           void *recvbuf,
                           int recvcount,
                           MPI_Fint recvtype,
                           MPI_Fint comm);

/**
 * hcube_alltoall in place with Fortran handles, for the Fortran module hcube.
 */
int hcube_fortran_alltoall_in_place(void *buffer, int count, MPI_Fint kind, MPI_Fint comm);

/**
 * hcube_alltoallv with Fortran handles, for the Fortran module hcube.
 */
int hcube_fortran_alltoallv(const void *sendbuf,
                            const int *sendcounts,
                            const int *sdispls,
                            MPI_Fint sendtype,
                            void *recvbuf,
                            const int *recvcounts,
                            const int *rdispls,
                            MPI_Fint recvtype,
                            MPI_Fint comm);

/**
 * hcube_alltoallv_in_place with Fortran handles, for the Fortran module hcube.
 */
int hcube_fortran_alltoallv_in_one_buffer(void *buffer,
                                          const int *scounts,
                                          const int *sdispls,
                                          const int *rcounts,
                                          const int *rdispls,
                                          MPI_Fint kind,
                                          MPI_Fint comm);

/**
 * hcube_alltoallv in place with Fortran handles, for the Fortran module hcube.
 */
int hcube_fortran_alltoallv_in_place(void *buffer,
                                     const int *counts,
                                     const int *displs,
                                     MPI_Fint kind,
                                     MPI_Fint comm);

/**
 * hcube_alltoallw with Fortran handles, for the Fortran module hcube.
 */
int hcube_fortran_alltoallw(const void *sendbuf,
                            const int *sendcounts,
                            const int *sdispls,
                            const MPI_Fint *sendtypes,
                            void *recvbuf,
                            const int *recvcounts,
                            const int *rdispls,
                            const MPI_Fint *recvtypes,
                            MPI_Fint comm);

/**
 * hcube_alltoallw in place with Fortran handles, for the Fortran module hcube.
 */
int hcube_fortran_alltoallw_in_place(void *buffer,
                                     const int *counts,
                                     const int *displs,
                                     const MPI_Fint *kinds,
                                     MPI_Fint comm);

/**
 * hcube_alltoall_set_options with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_alltoall_set_options(MPI_Fint comm,
                                           const struct hcube_alltoall_options *options,
                                           struct hcube_error *error);

/**
 * hcube_alltoall_last_path with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_alltoall_last_way(MPI_Fint comm,
                                        char *text,
                                        uint64_t length,
                                        struct hcube_error *error);

/**
 * hcube_random_access_prepare with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_random_access_prepare(MPI_Fint comm,
                                            const struct hcube_random_access_options *options,
                                            struct hcube_error *error);

/**
 * hcube_random_access_run with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_random_access_run(MPI_Fint comm,
                                        const struct hcube_table *table,
                                        const struct hcube_updates *updates,
                                        const struct hcube_random_access_options *options,
                                        struct hcube_error *error);

/**
 * hcube_random_access_verify with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_random_access_verify(MPI_Fint comm,
                                           const struct hcube_table *table,
                                           const struct hcube_updates *updates,
                                           int64_t *errors,
                                           struct hcube_error *error);

/**
 * hcube_random_access_last_statistics with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_random_access_last_statistics(MPI_Fint comm,
                                                    struct hcube_random_access_statistics *statistics,
                                                    struct hcube_error *error);

/**
 * hcube_random_access_describe with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_random_access_describe(MPI_Fint comm,
                                             const struct hcube_random_access_options *options,
                                             char *text,
                                             uint64_t length,
                                             struct hcube_error *error);

/**
 * hcube_transpose with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_transpose(const void *input,
                                void *output,
                                const struct hcube_transpose_shape *shape,
                                MPI_Fint comm,
                                struct hcube_error *error);

/**
 * hcube_transpose in place with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_transpose_in_place(void *matrix,
                                         const struct hcube_transpose_shape *shape,
                                         MPI_Fint comm,
                                         struct hcube_error *error);

/**
 * hcube_transpose_check with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_transpose_check(const struct hcube_transpose_shape *shape,
                                      int32_t in_place,
                                      MPI_Fint comm,
                                      struct hcube_error *error);

/**
 * hcube_grid_transpose_memory_create with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_grid_transpose_memory_create(int64_t bytes,
                                                   MPI_Fint comm,
                                                   hcube_grid_transpose_memory **memory,
                                                   void **address,
                                                   struct hcube_error *error);

/**
 * hcube_grid_transpose_create with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_grid_transpose_create(const struct hcube_grid_transpose_shape *shape,
                                            const hcube_grid_transpose_memory *memory,
                                            MPI_Fint comm,
                                            struct hcube_grid_transpose **transposition,
                                            struct hcube_error *error);

/**
 * hcube_gemm with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_gemm(MPI_Fint comm,
                           int32_t grid_rows,
                           int32_t grid_columns,
                           int32_t element,
                           char transa,
                           char transb,
                           int64_t m,
                           int64_t n,
                           int64_t k,
                           const void *alpha,
                           const void *a,
                           const struct hcube_matrix *at,
                           const void *b,
                           const struct hcube_matrix *bt,
                           const void *beta,
                           void *c,
                           const struct hcube_matrix *ct,
                           const struct hcube_gemm_options *options,
                           struct hcube_error *error);

/**
 * hcube_gemm_set_options with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_gemm_set_options(MPI_Fint comm,
                                       const struct hcube_gemm_options *options,
                                       struct hcube_error *error);

/**
 * hcube_gemm_last_path with a Fortran handle, for the Fortran module hcube.
 */
int32_t hcube_fortran_gemm_last_path(MPI_Fint comm,
                                     char *text,
                                     uint64_t length,
                                     struct hcube_error *error);

/**
 * hcube_caf_reduce with Fortran handles, for the Fortran module hcube_caf.
 */
int32_t hcube_fortran_caf_reduce(hcube_team team,
                                 int32_t root,
                                 const void *from,
                                 void *into,
                                 int64_t count,
                                 MPI_Fint datatype,
                                 MPI_Fint operation,
                                 struct hcube_error *error);

/**
 * hcube_caf_allreduce with Fortran handles, for the Fortran module hcube_caf.
 */
int32_t hcube_fortran_caf_allreduce(hcube_team team,
                                    const void *from,
                                    void *into,
                                    int64_t count,
                                    MPI_Fint datatype,
                                    MPI_Fint operation,
                                    struct hcube_error *error);

/**
 * hcube_caf_scan with Fortran handles, for the Fortran module hcube_caf.
 */
int32_t hcube_fortran_caf_scan(hcube_team team,
                               const void *from,
                               void *into,
                               int64_t count,
                               MPI_Fint datatype,
                               MPI_Fint operation,
                               int32_t inclusive,
                               struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_FORTRAN_H */
