/* hcube/alltoall.h: all-to-all, also in place.
 *
 * Generated from src/types/alltoall.rs and src/alltoall.rs and src/alltoall_in_place.rs and
 * src/alltoall_neighbours.rs and src/alltoall_nonblocking.rs and src/alltoall_persistent.rs by
 * 'make header'; do not edit.
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
 * hcube_alltoall_options.schedule: the order of MPICH, which sorts the pairs of ranks
 * lexicographically; 2P - 3 steps.
 */
#define HCUBE_ALLTOALL_MPICH 1

/**
 * hcube_alltoall_options.schedule: linear shift: in step s, the two ranks whose sum is s modulo P
 * exchange; P steps (1 for P = 2).
 */
#define HCUBE_ALLTOALL_LINEAR_SHIFT 2

/**
 * hcube_alltoall_options.schedule: hierarchical sets: the two halves of the ranks exchange with
 * each other, then each half recursively; at most P + ceil(log2 P) - 2 steps.
 */
#define HCUBE_ALLTOALL_HIERARCHICAL_SETS 3

/**
 * hcube_alltoall_options.schedule: every exchange is forwarded to the MPI library.
 */
#define HCUBE_ALLTOALL_LIBRARY 4

/**
 * hcube_alltoall_options.schedule: blocks of up to 256 bytes are combined along the hypercube,
 * ceil(log2 P) messages; hierarchical sets for larger blocks.
 */
#define HCUBE_ALLTOALL_HYPERCUBE 5

/**
 * hcube_alltoall_options.schedule: the leader of each node combines the blocks between two nodes
 * into few messages, if they fit into the memory bound; hierarchical sets for larger blocks.
 */
#define HCUBE_ALLTOALL_NODE_LEADERS 6

/**
 * hcube_alltoall_options.path: the fastest path that is available.
 */
#define HCUBE_PATH_AUTO 0

/**
 * hcube_alltoall_options.path: single copy: one process reads or writes the memory of the other;
 * the kernel must permit it.
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
 * struct_size is the size in the header of the caller, and fields beyond it have their defaults.
 */
typedef struct hcube_alltoall_options {
    /**
     * sizeof(hcube_alltoall_options) in the program of the caller.
     */
    uint64_t struct_size;
    /**
     * Bound on extra memory per rank and communicator, in bytes, met to within 64 KiB; 0 selects
     * the minimum. Values: 0 to 1099511627776 bytes. Default: 1 MiB. Environment variable:
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
     * Maximum number of ranks per node: larger nodes are divided into groups of consecutive ranks,
     * for tests. 1 uses only messages, 0 the nodes as they are. Values: 0 or more. Default: 0.
     * Environment variable: HCUBE_RANKS_PER_NODE.
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
 * Collective. MPI_Alltoall with its arguments, its semantics and its return value: MPI_SUCCESS, or
 * an MPI error code after the error handler of the communicator has been called.
 *
 * sendbuf may be MPI_IN_PLACE: block i of recvbuf is then replaced by the block that rank i has for this
 * rank, with extra memory that hcube_alltoall_options.memory bounds instead of a second buffer. Any
 * other overlap of the buffers is erroneous, as in MPI, and not detected.
 *
 * hcube selects schedule and path, unless hcube_alltoall_set_options or the environment does. An
 * exchange that hcube does not speed up is forwarded to the MPI library. If that is known without
 * communication (large blocks between nodes, HCUBE_ALLTOALL_LIBRARY), only the MPI library checks
 * the arguments, on each rank separately.
 *
 * Errors, by MPI error class: MPI_ERR_TRUNCATE on all ranks if a rank sends a different amount of
 * data than its partner expects (the message names both ranks and counts; nothing is written);
 * MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_COMM; the class of the error of another
 * rank if its arguments are not valid.
 * Source of the in-place algorithms: M. Hofmann and G. Ruenger, In-place Algorithms for the
 * Symmetric All-to-all Exchange with MPI, EuroMPI 2013.
 */
int hcube_alltoall(const void *sendbuf,
                   int sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   MPI_Comm comm);

/**
 * Collective. MPI_Alltoallv; see hcube_alltoall.
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
 * Collective. MPI_Alltoallw; see hcube_alltoall. Displacements are in bytes.
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
 * Collective. hcube_alltoall with large counts, as MPI_Alltoall_c of MPI-4; available with every
 * MPI library.
 */
int hcube_alltoall_c(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     MPI_Comm comm);

/**
 * Collective. hcube_alltoallv with large counts, as MPI_Alltoallv_c of MPI-4; available with every
 * MPI library.
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
 * Collective. hcube_alltoallw with large counts, as MPI_Alltoallw_c of MPI-4; available with every
 * MPI library.
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
 * Local. Returns the default options, changed by the environment variables
 * HCUBE_ALLTOALL, HCUBE_PATH, HCUBE_MEMORY and HCUBE_RANKS_PER_NODE.
 * May be called before MPI_Init.
 *
 * options: receives the options; allocated by the caller.
 * size: size of *options in bytes, sizeof(hcube_alltoall_options).
 * Errors: HCUBE_ERR_ARGUMENT if options is NULL, size is not valid or the value of a variable is
 * not valid.
 */
int32_t hcube_alltoall_default_options(struct hcube_alltoall_options *options,
                                       uint64_t size,
                                       struct hcube_error *error);

/**
 * Collective. Sets the options of all later exchanges and transpositions on a communicator, in
 * place of the defaults and the environment. Performs the set-up of the first exchange in advance
 * (agrees on the options, allocates shared memory), which is useful before a timed region.
 *
 * comm: an intracommunicator.
 * options: the same on all ranks; NULL restores the defaults and the environment.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE, HCUBE_ERR_MISMATCH,
 * HCUBE_ERR_MPI; HCUBE_ERR_MEMORY if the selected path is not available here.
 */
int32_t hcube_alltoall_set_options(MPI_Comm comm,
                                   const struct hcube_alltoall_options *options,
                                   struct hcube_error *error);

/**
 * Local. Returns the path of the last exchange of this rank on a communicator as text: "none" (no exchange
 * yet), "alone" (nothing to exchange), "shared", "single-copy", "message", "node+message", "hypercube",
 * "node-leaders", "library" (forwarded to the MPI library) or "refused" (an error).
 *
 * comm: an intracommunicator.
 * text, length: a buffer of length bytes, at least 1. The text is truncated to fit and always
 * terminated by a zero byte.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_alltoall_last_path(MPI_Comm comm,
                                 char *text,
                                 uint64_t length,
                                 struct hcube_error *error);

/**
 * Local. Deprecated name of hcube_alltoall_last_path.
 */
int32_t hcube_alltoall_last_way(MPI_Comm comm,
                                char *text,
                                uint64_t length,
                                struct hcube_error *error);

/**
 * Collective. MPI_Alltoallv with one buffer for both directions and bounded extra memory: scounts and
 * sdispls describe the blocks that are sent, rcounts and rdispls the blocks that are received, as in
 * MPI_Alltoallv. Send blocks may overlap receive blocks, and the counts of the two directions may differ;
 * MPI_IN_PLACE requires equal counts. MPI has no such function.
 *
 * Send blocks must not overlap each other, nor may receive blocks. Elements outside of all blocks keep their
 * values. Elements of send blocks that are in no receive block are undefined on return.
 *
 * buffer: contains all blocks, in host memory; displacements are from its start, in extents of datatype.
 * datatype: its elements must be contiguous.
 * Extra memory: hcube_alltoall_options.memory (HCUBE_MEMORY) bytes and 20 KiB per rank, in addition to the
 * same amount for other exchanges on this communicator, until it is freed. A larger bound needs fewer
 * messages. If each rank's send blocks fit into it, the exchange is performed out of place. Returns
 * MPI_SUCCESS, or an MPI error code after the error handler of the communicator has been called, on all
 * ranks, with nothing written: MPI_ERR_TRUNCATE if counts do not match, MPI_ERR_BUFFER for blocks that
 * overlap, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_COMM.
 * The problem is described in M. Hofmann and G. Ruenger, An in-place algorithm for irregular all-to-all
 * communication with limited memory, EuroMPI 2010; hcube uses a different algorithm.
 */
int hcube_alltoallv_in_place(void *buffer,
                             const int *scounts,
                             const int *sdispls,
                             const int *rcounts,
                             const int *rdispls,
                             MPI_Datatype datatype,
                             MPI_Comm comm);

/**
 * Collective. hcube_alltoallv_in_place with large counts, as the _c functions of MPI-4; available with every
 * MPI library.
 */
int hcube_alltoallv_in_place_c(void *buffer,
                               const MPI_Count *scounts,
                               const MPI_Aint *sdispls,
                               const MPI_Count *rcounts,
                               const MPI_Aint *rdispls,
                               MPI_Datatype datatype,
                               MPI_Comm comm);

/**
 * Collective. MPI_Neighbor_alltoall with its arguments, its semantics and its return value, on a
 * communicator with a Cartesian topology, a graph or a distributed graph.
 *
 * If all ranks of the communicator share memory, hcube performs the exchange with the algorithms of
 * hcube_alltoall. Between nodes, where these algorithms would send to all ranks, the call is forwarded
 * to the MPI library. After an exchange with blocks of less than 4 KiB on average, the next 63 exchanges
 * are forwarded as well, unless a schedule or a path is selected. For exchanges that hcube performs,
 * errors and options are as for hcube_alltoall. If a rank is a neighbour several times, blocks arrive in
 * the same order as with the MPI library.
 */
int hcube_neighbor_alltoall(const void *sendbuf,
                            int sendcount,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            int recvcount,
                            MPI_Datatype recvtype,
                            MPI_Comm comm);

/**
 * Collective. MPI_Neighbor_alltoallv; see hcube_neighbor_alltoall.
 */
int hcube_neighbor_alltoallv(const void *sendbuf,
                             const int *sendcounts,
                             const int *sdispls,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             const int *recvcounts,
                             const int *rdispls,
                             MPI_Datatype recvtype,
                             MPI_Comm comm);

/**
 * Collective. MPI_Neighbor_alltoallw; see hcube_neighbor_alltoall. Displacements are in bytes.
 */
int hcube_neighbor_alltoallw(const void *sendbuf,
                             const int *sendcounts,
                             const MPI_Aint *sdispls,
                             const MPI_Datatype *sendtypes,
                             void *recvbuf,
                             const int *recvcounts,
                             const MPI_Aint *rdispls,
                             const MPI_Datatype *recvtypes,
                             MPI_Comm comm);

/**
 * Collective. MPI_Ialltoall with its arguments, its semantics and its return value; request receives an MPI
 * request, for MPI_Wait, MPI_Waitall and their variants.
 *
 * hcube performs the exchange if all ranks of the communicator are on one node and single copy is selected:
 * by hcube_alltoall_set_options, or by HCUBE_PATH and an earlier blocking exchange on this communicator,
 * which performs the set-up. Of two ranks, the rank that starts later copies the blocks in both directions.
 * If both start at about the same time, each copies the block that it receives; a rank waits at most 1 ms
 * for this. Otherwise, and in place, the call is forwarded to the MPI library.
 *
 * A rank may be any number of exchanges ahead of another rank. Extra memory, in addition to
 * hcube_alltoall_options.memory: 33 KiB and 34 KiB per rank on the node, whose pages become resident when
 * used, and for each pending exchange 64 bytes per rank and 16 bytes for each contiguous part of its blocks.
 *
 * Errors of arguments are raised only on the calling rank, which then starts nothing. MPI_ERR_TRUNCATE for a
 * block that is longer than the other rank expects is raised on one of the two ranks; the other blocks are
 * exchanged, and the request must still be completed. A datatype that hcube cannot decode, or a copy that
 * the kernel refuses, ends the job with a message, because other ranks would otherwise take the exchange for
 * complete.
 */
int hcube_ialltoall(const void *sendbuf,
                    int sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    int recvcount,
                    MPI_Datatype recvtype,
                    MPI_Comm comm,
                    MPI_Request *request);

/**
 * Collective. MPI_Ialltoallv; see hcube_ialltoall.
 */
int hcube_ialltoallv(const void *sendbuf,
                     const int *sendcounts,
                     const int *sdispls,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     const int *recvcounts,
                     const int *rdispls,
                     MPI_Datatype recvtype,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * Collective. MPI_Ialltoallw; see hcube_ialltoall. Displacements are in bytes.
 */
int hcube_ialltoallw(const void *sendbuf,
                     const int *sendcounts,
                     const int *sdispls,
                     const MPI_Datatype *sendtypes,
                     void *recvbuf,
                     const int *recvcounts,
                     const int *rdispls,
                     const MPI_Datatype *recvtypes,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * Collective. MPI_Alltoall_init with its arguments and its return value: a persistent exchange, started by
 * hcube_start or hcube_startall. request receives an inactive MPI request, for MPI_Wait, MPI_Waitall and
 * their variants, freed by hcube_request_free. Do not use MPI_Start, MPI_Startall or MPI_Request_free with
 * it, not even with libhcube_preload.so loaded: MPI_Start moves no data, and after MPI_Request_free
 * hcube_start may take a new request with the same handle for this one.
 *
 * hcube performs the exchange if the path is HCUBE_PATH_SINGLE_COPY and all ranks of comm are on one node;
 * otherwise the MPI library does. Of two ranks, the rank that starts later copies the blocks in both
 * directions; if both start at about the same time, each copies half. A start waits at most 1 ms for this.
 * Extra memory: 16 bytes for each contiguous part of the blocks of this rank and of the corresponding blocks
 * of its partners, and some pages of shared memory.
 *
 * Errors of arguments, and MPI_ERR_TRUNCATE for a block that is longer than the other rank expects, are
 * raised on all ranks, and no request is created. With an MPI library without persistent collective
 * operations (MPI-4; Open MPI 5), the error is MPI_ERR_ARG. A copy that the kernel refuses after a start
 * ends the job with a message.
 */
int hcube_alltoall_init(const void *sendbuf,
                        int sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        int recvcount,
                        MPI_Datatype recvtype,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

/**
 * Collective. MPI_Alltoallv_init; see hcube_alltoall_init.
 */
int hcube_alltoallv_init(const void *sendbuf,
                         const int *sendcounts,
                         const int *sdispls,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         const int *recvcounts,
                         const int *rdispls,
                         MPI_Datatype recvtype,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

/**
 * Collective. MPI_Alltoallw_init; see hcube_alltoall_init. Displacements are in bytes.
 */
int hcube_alltoallw_init(const void *sendbuf,
                         const int *sendcounts,
                         const int *sdispls,
                         const MPI_Datatype *sendtypes,
                         void *recvbuf,
                         const int *recvcounts,
                         const int *rdispls,
                         const MPI_Datatype *recvtypes,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

/**
 * Local. MPI_Start, for requests of hcube_alltoall_init and its variants, and for all other persistent
 * requests.
 */
int hcube_start(MPI_Request *request);

/**
 * Local. MPI_Startall, for requests of hcube_alltoall_init and its variants, and for all other
 * persistent requests.
 */
int hcube_startall(int count, MPI_Request *requests);

/**
 * Local. MPI_Request_free, for requests of hcube_alltoall_init and its variants, and for all other
 * requests.
 */
int hcube_request_free(MPI_Request *request);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_ALLTOALL_H */
