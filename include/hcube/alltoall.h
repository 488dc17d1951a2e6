/* hcube/alltoall.h: all-to-all exchanges, in place in bounded memory and out of place.
 *
 * Generated from src/types/alltoall.rs and src/alltoall.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_ALLTOALL_H
#define HCUBE_ALLTOALL_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * hcube_alltoall_options.schedule: hcube chooses, and forwards what it does not speed up to the MPI
 * library.
 */
#define HCUBE_ALLTOALL_AUTO 0

/**
 * hcube_alltoall_options.schedule: the order of MPICH, in which the pairs of ranks are sorted
 * lexicographically; 2P - 3 steps.
 */
#define HCUBE_ALLTOALL_MPICH 1

/**
 * hcube_alltoall_options.schedule: linear shift, in which step s joins the ranks whose sum is s
 * modulo P; P steps.
 */
#define HCUBE_ALLTOALL_LINEAR_SHIFT 2

/**
 * hcube_alltoall_options.schedule: hierarchical sets, in which the halves of the ranks exchange
 * with each other, then each half does the same inside; at most P + ceil(log2 P) - 2 steps.
 */
#define HCUBE_ALLTOALL_HIERARCHICAL_SETS 3

/**
 * hcube_alltoall_options.schedule: every exchange is forwarded to the MPI library.
 */
#define HCUBE_ALLTOALL_LIBRARY 4

/**
 * hcube_alltoall_options.schedule: blocks of up to 256 bytes bundled along the hypercube, ceil(log2
 * P) messages; hierarchical sets for larger blocks.
 */
#define HCUBE_ALLTOALL_HYPERCUBE 5

/**
 * hcube_alltoall_options.path: the fastest path that works here.
 */
#define HCUBE_PATH_AUTO 0

/**
 * hcube_alltoall_options.path: single copy, in which one process reads and writes the memory of the
 * other; the kernel must permit it.
 */
#define HCUBE_PATH_SINGLE_COPY 1

/**
 * hcube_alltoall_options.path: a segment of shared memory.
 */
#define HCUBE_PATH_SHARED 2

/**
 * hcube_alltoall_options.path: messages, as between nodes.
 */
#define HCUBE_PATH_MESSAGE 3

/**
 * Options of the exchanges and transpositions on a communicator; the same on all ranks. Call
 * hcube_alltoall_default_options first, then change fields. A later version may append fields:
 * struct_size is the size that the caller knows, and fields that the caller does not know have
 * their defaults.
 */
typedef struct hcube_alltoall_options {
    /**
     * sizeof(hcube_alltoall_options) in the program of the caller.
     */
    uint64_t struct_size;
    /**
     * Bound on additional memory per rank and communicator, in bytes; 0 selects the minimum, less
     * than 64 KiB. Values: 0 to 1099511627776 bytes. Default: 1 MiB. Environment variable:
     * HCUBE_MEMORY.
     */
    int64_t memory;
    /**
     * Order in which a rank exchanges messages with the other ranks. Values: HCUBE_ALLTOALL_*.
     * Default: HCUBE_ALLTOALL_AUTO. Environment variable: HCUBE_ALLTOALL.
     */
    int32_t schedule;
    /**
     * Path of data between ranks of a node. Values: HCUBE_PATH_*. Default: HCUBE_PATH_AUTO.
     * Environment variable: HCUBE_PATH.
     */
    int32_t path;
    /**
     * Maximum number of ranks per node that is assumed, for tests: 1 uses only messages, 0 takes
     * the nodes as they are. Values: 0 or more. Default: 0. Environment variable:
     * HCUBE_RANKS_PER_NODE.
     */
    int32_t ranks_per_node;
    /**
     * 0; reserved for a later version.
     */
    int32_t reserved;
} hcube_alltoall_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective: MPI_Alltoall, with its arguments, its semantics and its return value: MPI_SUCCESS, or
 * an MPI error code after the communicator's error handler has been called.
 *
 * sendbuf may be MPI_IN_PLACE: block i of recvbuf is then replaced by what rank i has for this
 * rank, with additional memory that is bounded (hcube_alltoall_options.memory) instead of a second
 * buffer. Buffers that overlap otherwise are an error, as in MPI, that is not detected.
 * Which way the data takes is hcube's choice unless hcube_alltoall_set_options or the environment says
 * otherwise; what hcube does not make faster it leaves to the library's own function. Of an exchange
 * that it leaves to it unasked (out of place between nodes, HCUBE_ALLTOALL_LIBRARY) the library checks
 * the arguments, on each rank alone.
 *
 * Errors, by their MPI error class: MPI_ERR_TRUNCATE on all ranks where what one rank sends is not
 * what another expects (both counts and ranks are named, nothing is written), MPI_ERR_COUNT,
 * MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_COMM; where another rank refused its arguments, the class
 * of that rank's error.
 * Source of the in-place algorithms: Hofmann and Ruenger, In-place Algorithms for the Symmetric
 * All-to-all Exchange with MPI, EuroMPI 2013.
 */
int hcube_alltoall(const void *sendbuf,
                   int sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   MPI_Comm comm);

/**
 * Collective: MPI_Alltoallv; see hcube_alltoall.
 */
int hcube_alltoallv(const void *sendbuf,
                    const int *sendcounts,
                    const int *sdispls,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    const int *recvcounts,
                    const int *rdispls,
                    MPI_Datatype recvtype,
                    MPI_Comm comm);

/**
 * Collective: MPI_Alltoallw; see hcube_alltoall. Displacements are in bytes.
 */
int hcube_alltoallw(const void *sendbuf,
                    const int *sendcounts,
                    const int *sdispls,
                    const MPI_Datatype *sendtypes,
                    void *recvbuf,
                    const int *recvcounts,
                    const int *rdispls,
                    const MPI_Datatype *recvtypes,
                    MPI_Comm comm);

/**
 * Collective: hcube_alltoall with the counts of MPI-4's MPI_Alltoall_c, with every MPI library.
 */
int hcube_alltoall_c(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     MPI_Comm comm);

/**
 * Collective: hcube_alltoallv with the counts of MPI-4's MPI_Alltoallv_c, with every MPI library.
 */
int hcube_alltoallv_c(const void *sendbuf,
                      const MPI_Count *sendcounts,
                      const MPI_Aint *sdispls,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *rdispls,
                      MPI_Datatype recvtype,
                      MPI_Comm comm);

/**
 * Collective: hcube_alltoallw with the counts of MPI-4's MPI_Alltoallw_c, with every MPI library.
 */
int hcube_alltoallw_c(const void *sendbuf,
                      const MPI_Count *sendcounts,
                      const MPI_Aint *sdispls,
                      const MPI_Datatype *sendtypes,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *rdispls,
                      const MPI_Datatype *recvtypes,
                      MPI_Comm comm);

/**
 * Fills *options, of size bytes (pass sizeof *options), with the defaults, changed by the
 * environment variables HCUBE_ALLTOALL, HCUBE_PATH, HCUBE_MEMORY and HCUBE_RANKS_PER_NODE. Local; may
 * be called before MPI_Init.
 *
 * Errors: HCUBE_ERR_ARGUMENT where options is NULL or a variable cannot be read.
 */
int32_t hcube_alltoall_default_options(struct hcube_alltoall_options *options,
                                       uint64_t size,
                                       struct hcube_error *error);

/**
 * Collective: sets the options of all later exchanges on a communicator, instead of the defaults and
 * the environment; NULL for these again. Prepares what the first exchange would prepare (a private
 * duplicate of the communicator, shared memory), which is useful before a timed region. The same
 * options on all ranks.
 *
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE, HCUBE_ERR_MISMATCH,
 * HCUBE_ERR_MEMORY where a path was asked for that does not work here, HCUBE_ERR_MPI.
 */
int32_t hcube_alltoall_set_options(MPI_Comm comm,
                                   const struct hcube_alltoall_options *options,
                                   struct hcube_error *error);

/**
 * Local: the way that the data of this rank's last exchange on a communicator took, as text: "none",
 * "alone", "shared", "single-copy", "message", "node+message", "hypercube", "library" or "refused".
 *
 * text: receives the text and a zero byte; cut where length bytes, at least 1, are not enough.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_alltoall_last_way(MPI_Comm comm,
                                char *text,
                                uint64_t length,
                                struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_ALLTOALL_H */
