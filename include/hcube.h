/* hcube: drop-in acceleration of communication-heavy inner loops of MPI programs.
 *
 * Generated from src/ffi and src/error.rs by 'make header'; do not edit.
 * Valid C11 and C++17. Compile with the compiler wrapper of the MPI library that hcube was built for.
 *
 * Conventions: every function that can fail returns HCUBE_SUCCESS (0) or another HCUBE_* code and,
 * where the pointer is not null, fills a caller-owned hcube_error with a message that names the
 * argument and its value. Nothing is written to other outputs on failure. The functions
 * that take the place of MPI's (hcube_alltoall and its kin) have MPI's arguments and return MPI's
 * error codes instead. A function marked 'Collective' is called by all ranks of its communicator; if
 * one rank's arguments are refused, all ranks return an error and none waits.
 * hcube calls MPI through PMPI_ names only and never calls
 * MPI_Init or MPI_Finalize.
 */

#ifndef HCUBE_H
#define HCUBE_H

#include <mpi.h>
#include <stdint.h>

/**
 * The version of this header, as text and as numbers; that of the library is hcube_version().
 */
#define HCUBE_VERSION "0.1.0"
#define HCUBE_VERSION_MAJOR 0
#define HCUBE_VERSION_MINOR 1
#define HCUBE_VERSION_PATCH 0

/**
 * hcube_updates.stream: multiplication by x modulo x^64 + x^2 + x + 1 over GF(2); a value updates
 * the word given by its low bits.
 */
#define HCUBE_STREAM_POLYNOMIAL 0

/**
 * hcube_updates.stream: Knuth's 64-bit linear congruential generator; a value updates the word
 * given by its high bits.
 */
#define HCUBE_STREAM_LCG 1

/**
 * hcube_random_access_options.mode: shared memory inside nodes where it works; between nodes the
 * hypercube, or three hops unless they need many more messages.
 */
#define HCUBE_MODE_AUTO 0

/**
 * hcube_random_access_options.mode: messages alone, as if every rank were a node.
 */
#define HCUBE_MODE_MESSAGE 1

/**
 * hcube_random_access_options.mode: shared memory inside nodes, the hypercube between them.
 */
#define HCUBE_MODE_NODE 2

/**
 * hcube_random_access_options.mode: local, network, local; every value crosses the network once.
 */
#define HCUBE_MODE_THREE_HOP 3

/**
 * hcube_random_access_options.optimisations: receives of all stages are posted before a round
 * (Mod1 of Plimpton et al. 2006, section 4).
 */
#define HCUBE_RECEIVE_AHEAD 1

/**
 * hcube_random_access_options.optimisations: own values are applied after the last send (Mod2).
 */
#define HCUBE_LATE_UPDATES 2

/**
 * hcube_random_access_options.optimisations: a message is waited for after the kept list has been
 * divided for the next stage (Mod3).
 */
#define HCUBE_LATE_WAITS 4

/**
 * hcube_random_access_options.optimisations: sends do not block, lists are double-buffered (Mod7).
 */
#define HCUBE_OVERLAPPED_SENDS 8

/**
 * hcube_random_access_options.optimisations: all of them.
 */
#define HCUBE_OPTIMISATIONS_ALL 15

/**
 * hcube_alltoall_options.schedule: hcube decides, and leaves what it does not make faster to the
 * library's own function.
 */
#define HCUBE_ALLTOALL_AUTO 0

/**
 * hcube_alltoall_options.schedule: pairs in lexicographic order, 2 P - 3 steps.
 */
#define HCUBE_ALLTOALL_MPICH 1

/**
 * hcube_alltoall_options.schedule: linear shift, P steps.
 */
#define HCUBE_ALLTOALL_LINEAR_SHIFT 2

/**
 * hcube_alltoall_options.schedule: hierarchical sets, P + ceil(log2 P) - 2 steps.
 */
#define HCUBE_ALLTOALL_HIERARCHICAL_SETS 3

/**
 * hcube_alltoall_options.schedule: always the library's own function.
 */
#define HCUBE_ALLTOALL_LIBRARY 4

/**
 * hcube_alltoall_options.schedule: blocks up to 256 bytes bundled along the hypercube in log2 P steps;
 * hierarchical sets where blocks are larger.
 */
#define HCUBE_ALLTOALL_HYPERCUBE 5

/**
 * hcube_alltoall_options.path: the fastest of those that work here.
 */
#define HCUBE_PATH_AUTO 0

/**
 * hcube_alltoall_options.path: inside a node, one process reads and writes the other's memory.
 */
#define HCUBE_PATH_SINGLE_COPY 1

/**
 * hcube_alltoall_options.path: inside a node, through a segment of shared memory.
 */
#define HCUBE_PATH_SHARED 2

/**
 * hcube_alltoall_options.path: messages, inside a node as between nodes.
 */
#define HCUBE_PATH_MESSAGE 3

/**
 * The call did what it says.
 */
#define HCUBE_SUCCESS 0

/**
 * An argument is outside what the function accepts; the message names it and its value.
 */
#define HCUBE_ERR_ARGUMENT 1

/**
 * The local part of the table is not the part that this rank has in the distribution.
 */
#define HCUBE_ERR_DISTRIBUTION 2

/**
 * The communicator is null, freed or an intercommunicator.
 */
#define HCUBE_ERR_COMM 3

/**
 * MPI is not initialised yet or already finalised.
 */
#define HCUBE_ERR_MPI_STATE 4

/**
 * An MPI function failed; the message names the function and carries MPI's own text.
 */
#define HCUBE_ERR_MPI 5

/**
 * Memory could not be obtained.
 */
#define HCUBE_ERR_MEMORY 6

/**
 * The ranks of the communicator passed different values for an argument that must agree.
 */
#define HCUBE_ERR_MISMATCH 7

/**
 * A defect of hcube itself: please report the message.
 */
#define HCUBE_ERR_INTERNAL 8

/**
 * What a rank sends is not what its partner expects; the message names ranks and counts.
 */
#define HCUBE_ERR_TRUNCATE 9

/**
 * A count is negative.
 */
#define HCUBE_ERR_COUNT 10

/**
 * A datatype is null, not committed or not valid.
 */
#define HCUBE_ERR_DATATYPE 11

/**
 * A buffer is null where it must hold data.
 */
#define HCUBE_ERR_BUFFER 12

/**
 * Options of the all-to-all exchanges on a communicator; the same on all ranks. Fill with
 * hcube_alltoall_default_options first and change what shall differ. A later version may add fields
 * behind the present ones; struct_size tells what the caller knows, and fields that the caller does not
 * know have their defaults.
 */
typedef struct hcube_alltoall_options {
    /**
     * sizeof(hcube_alltoall_options) as the caller knows it.
     */
    uint64_t struct_size;
    /**
     * Additional memory per rank and communicator in bytes, 0 for the least that works (below
     * 64 KiB). Default 1 MiB.
     */
    int64_t memory;
    /**
     * HCUBE_ALLTOALL_*: order of the exchanges by messages.
     */
    int32_t schedule;
    /**
     * HCUBE_PATH_*: way inside a node.
     */
    int32_t path;
    /**
     * Pretend that nodes hold at most so many ranks; 0, the default, for nodes as they are.
     */
    int32_t ranks_per_node;
    /**
     * 0; for a later version.
     */
    int32_t reserved;
} hcube_alltoall_options;

/**
 * Where a function puts what went wrong. Owned by the caller, who need not initialise it; pass
 * NULL where only the code matters.
 */
typedef struct hcube_error {
    /**
     * The HCUBE_* code that the function also returns.
     */
    int32_t code;
    /**
     * One sentence that names argument and value, terminated by a zero byte; empty on success.
     */
    char message[508];
} hcube_error;

/**
 * A matrix that is spread over the ranks of a communicator, and its transposition; the same on all
 * ranks. Before, rank r has the rows from r * row_block on, row_block of them or what is left;
 * afterwards the columns from r * column_block on, as rows of the transposed matrix.
 */
typedef struct hcube_transpose_shape {
    /**
     * Rows of the matrix, 1 or more.
     */
    int64_t rows;
    /**
     * Columns of the matrix, 1 or more.
     */
    int64_t columns;
    /**
     * Bytes of an element, 1 or more: of a number, or of several that stay together.
     */
    int64_t element_bytes;
    /**
     * Rows of a rank before; no less than rows / ranks, rounded up.
     */
    int64_t row_block;
    /**
     * Columns of a rank afterwards; no less than columns / ranks, rounded up.
     */
    int64_t column_block;
    /**
     * How a rank's rows are stored before: 0 row by row, 1 column by column.
     */
    int32_t transposed_in;
    /**
     * How a rank's rows of the transposed matrix are stored afterwards: 0 row by row, 1 column by
     * column.
     */
    int32_t transposed_out;
} hcube_transpose_shape;

/**
 * Options of a run; the same on all ranks. Fill with hcube_random_access_default_options first and
 * change what shall differ. A later version may add fields behind the present ones; struct_size tells
 * what the caller knows, and fields that the caller does not know have their defaults.
 */
typedef struct hcube_random_access_options {
    /**
     * sizeof(hcube_random_access_options) as the caller knows it.
     */
    uint64_t struct_size;
    /**
     * Look-ahead Q: how many values a rank may have generated that are not yet applied, 1 to
     * 1048576. Default 1024, what the benchmark's rules permit.
     */
    int64_t look_ahead;
    /**
     * HCUBE_MODE_*.
     */
    int32_t mode;
    /**
     * Dimensionality d of the message stages: 1 (direct) to log2 of the number of nodes (hypercube);
     * 0, the default, for the latter.
     */
    int32_t dimensions;
    /**
     * 0: strict, the look-ahead is a hard bound. 1: whole rounds of Q overlap, up to 3 Q values of a
     * rank may be open; outside the benchmark's rules.
     */
    int32_t relaxed;
    /**
     * HCUBE_RECEIVE_AHEAD and so on, or-ed. Default HCUBE_OPTIMISATIONS_ALL. They act on stages of
     * messages.
     */
    uint32_t optimisations;
    /**
     * 1: 2 MiB pages for the table where the kernel permits it and it pays (default). 0: not.
     */
    int32_t huge_pages;
    /**
     * Pretend that nodes hold at most so many ranks; 0, the default, for nodes as they are.
     */
    int32_t ranks_per_node;
} hcube_random_access_options;

/**
 * This rank's part of a table of 64-bit words that is spread over all ranks of a communicator.
 *
 * The distribution is HPCC's: contiguous blocks in rank order; where the number of ranks P does not
 * divide global_length, the first (global_length mod P) ranks own one word more. A rank that owns
 * no word has local_length 0 and may pass NULL for words.
 */
typedef struct hcube_table {
    /**
     * The words of this rank, aligned to 8 bytes. Owned by the caller; written by hcube during the
     * call only.
     */
    uint64_t *words;
    /**
     * Number of words of this rank.
     */
    int64_t local_length;
    /**
     * Number of words on all ranks together: a power of two from 1 to 2^60.
     */
    int64_t global_length;
    /**
     * Global index of the first of these words.
     */
    int64_t first_index;
} hcube_table;

/**
 * Which updates this rank makes. Update number i (from 0) exclusive-ors value i of the stream into
 * the word that the value selects; value i is the generator's state after start + i + 1 steps from
 * state 1.
 */
typedef struct hcube_updates {
    /**
     * HCUBE_STREAM_*; the same on all ranks.
     */
    int32_t stream;
    /**
     * Steps before this rank's first value, 0 or more. HPCC: four times first_index.
     */
    int64_t start;
    /**
     * Number of updates of this rank, 0 or more; may differ between ranks. HPCC: four times
     * local_length.
     */
    int64_t count;
} hcube_updates;

/**
 * What this rank has done in the last run and where its time went. Times are in seconds; generate,
 * route, wait and update are estimated from a sample of the rounds.
 */
typedef struct hcube_random_access_statistics {
    /**
     * sizeof(hcube_random_access_statistics), set by the caller; later versions add fields behind
     * the present ones and fill no more than this.
     */
    uint64_t struct_size;
    /**
     * Values generated by this rank.
     */
    uint64_t generated;
    /**
     * Values applied by this rank.
     */
    uint64_t applied;
    /**
     * Messages sent by this rank.
     */
    uint64_t messages;
    /**
     * Bytes sent by this rank in messages.
     */
    uint64_t message_bytes;
    /**
     * Bytes handed to other ranks through shared memory.
     */
    uint64_t shared_bytes;
    /**
     * Stages of this rank's plan.
     */
    uint64_t stages;
    /**
     * Rounds, or slots filled where there are no rounds.
     */
    uint64_t rounds;
    /**
     * Values above Q that this rank held while routing, summed over rounds.
     */
    uint64_t excess;
    /**
     * The largest number of values that this rank held at once while routing.
     */
    uint64_t most_held;
    /**
     * The bound that held for values generated and not yet applied: Q strict, 3 Q relaxed.
     */
    uint64_t open_bound;
    /**
     * 2 MiB pages given to the table in this run.
     */
    uint64_t huge_pages;
    /**
     * Bytes of buffers and mailboxes that hcube held beside the table.
     */
    uint64_t memory_bytes;
    /**
     * The whole run.
     */
    double total_seconds;
    /**
     * Giving 2 MiB pages to the table.
     */
    double paging_seconds;
    /**
     * Generating values.
     */
    double generate_seconds;
    /**
     * Dividing and copying values.
     */
    double route_seconds;
    /**
     * Waiting for other ranks.
     */
    double wait_seconds;
    /**
     * Applying values.
     */
    double update_seconds;
} hcube_random_access_statistics;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, for example "0.1.0". Static; may be called before MPI_Init.
 */
const char *hcube_version(void);

/**
 * One sentence for a code HCUBE_*. Static, never NULL, also for unknown codes; may be called before
 * MPI_Init. The particulars of a failure are in hcube_error.message.
 */
const char *hcube_error_string(int32_t code);

/**
 * Collective: MPI_Alltoall, with its arguments, its semantics and its return value: MPI_SUCCESS, or
 * an MPI error code after the communicator's error handler has been called.
 *
 * sendbuf may be MPI_IN_PLACE: block i of recvbuf is then replaced by what rank i has for this
 * rank, with additional memory that is bounded (hcube_alltoall_options.memory) instead of a second
 * buffer. Buffers that overlap otherwise are an error, as in MPI, that is not detected.
 * hcube chooses the path unless hcube_alltoall_set_options or the environment says otherwise; exchanges
 * that it does not make faster are forwarded to the MPI library. Where they are forwarded without a vote of
 * the ranks (out of place between nodes, HCUBE_ALLTOALL_LIBRARY) the library checks the arguments, on each
 * rank only its own.
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
 * Local: the path that this rank's last exchange on a communicator used, as text: "none",
 * "alone", "shared", "single-copy", "message", "node+message", "hypercube", "library" or "refused".
 *
 * text: receives the text and a zero byte; cut where length bytes, at least 1, are not enough.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_alltoall_last_way(MPI_Comm comm,
                                char *text,
                                uint64_t length,
                                struct hcube_error *error);

/**
 * Collective: transposes a matrix that is spread over the ranks of a communicator, as
 * fftw_mpi_plan_many_transpose describes it, in one step: blocks are transposed while they are packed and
 * unpacked, so that memory is read once and written once, without local transpositions before and
 * after an exchange.
 *
 * input and output are the rank's parts before and afterwards, of the bytes that *shape says; either
 * may be NULL where it has none. input == output, or MPI_IN_PLACE as input (which a rank without elements
 * passes, too), on all ranks: in place, with additional memory that is bounded
 * (hcube_alltoall_options.memory) instead of a second matrix; output has the bytes of the larger part
 * then. That is possible where rows == columns, row_block == column_block and transposed_in ==
 * transposed_out, and for any shape where ranks share memory and elements are large
 * (hcube_transpose_check tells). Otherwise the two do not overlap, every shape is possible, and input
 * stays as it is. The options of hcube_alltoall_set_options and the environment hold here, too, except
 * that the library has no function for this (library orders messages as auto does), and that single
 * copy does not transpose blocks: HCUBE_PATH=single-copy is as shared, but without the last method in place.
 *
 * Errors, on all ranks and with nothing written: HCUBE_ERR_ARGUMENT; HCUBE_ERR_BUFFER for NULL or device
 * memory; HCUBE_ERR_TRUNCATE where shapes differ, or only some ranks are in place;
 * HCUBE_ERR_COMM for more than 65535 ranks. Where another rank refused its arguments, the code of that
 * rank. At the first use of a communicator also HCUBE_ERR_MPI, HCUBE_ERR_MEMORY and HCUBE_ERR_MISMATCH
 * (of options). Only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, and
 * HCUBE_ERR_MPI_STATE.
 * Source of the exchange: Hofmann and Ruenger, EuroMPI 2013, section 4.4.
 */
int32_t hcube_transpose(const void *input,
                        void *output,
                        const struct hcube_transpose_shape *shape,
                        MPI_Comm comm,
                        struct hcube_error *error);

/**
 * Collective: whether hcube_transpose can do this on a communicator, in_place being 1 or 0, without
 * doing it; prepares what the first exchange would prepare.
 *
 * Errors: HCUBE_SUCCESS on all ranks where it can. Otherwise what hcube_transpose would return, and
 * HCUBE_ERR_MISMATCH where ranks pass different shapes.
 */
int32_t hcube_transpose_check(const struct hcube_transpose_shape *shape,
                              int32_t in_place,
                              MPI_Comm comm,
                              struct hcube_error *error);

/**
 * Fills *options, of size bytes (pass sizeof *options), with the defaults, changed by the
 * environment variables HCUBE_LOOK_AHEAD, HCUBE_MODE, HCUBE_DIMENSIONS, HCUBE_RELAXED,
 * HCUBE_OPTIMISATIONS, HCUBE_HUGE_PAGES and HCUBE_RANKS_PER_NODE. Local; may be called before MPI_Init.
 *
 * Errors: HCUBE_ERR_ARGUMENT where options is NULL or a variable cannot be read.
 */
int32_t hcube_random_access_default_options(struct hcube_random_access_options *options,
                                            uint64_t size,
                                            struct hcube_error *error);

/**
 * Collective, optional: performs the set-up of the first run on this communicator in advance (a private
 * duplicate of it, the plan of stages, shared memory). The result hangs on the communicator and
 * is freed with it or by MPI_Finalize. Useful before a timed region.
 *
 * options: NULL for the defaults and the environment.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE, HCUBE_ERR_MISMATCH,
 * HCUBE_ERR_MEMORY where the mode needs shared memory that is not available,
 * HCUBE_ERR_MPI.
 */
int32_t hcube_random_access_prepare(MPI_Comm comm,
                                    const struct hcube_random_access_options *options,
                                    struct hcube_error *error);

/**
 * Collective: applies the updates of all ranks to the table. Every update is done exactly once,
 * duplicates and remainders included. When a rank returns, all values for its part are applied.
 *
 * Ranks whose arguments are refused write nothing, nor do the others. One call at a time for a
 * communicator; calls with different communicators may run in different threads.
 * A failure of MPI in the middle of the exchange ends the job, because other ranks are waiting.
 * Extra memory at the default look-ahead: about 50 KiB a rank on one node, about 13 KB for each
 * stage of messages, and 40 bytes per rank of the node; beyond that in proportion to the look-ahead.
 *
 * options: NULL for the defaults and the environment.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_DISTRIBUTION, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE,
 * HCUBE_ERR_MISMATCH, HCUBE_ERR_MEMORY, HCUBE_ERR_MPI.
 * Source: Plimpton, Brightwell, Vaughan, Underwood and Davis, A Simple Synchronous
 * Distributed-Memory Algorithm for the HPCC RandomAccess Benchmark, IEEE Cluster 2006.
 */
int32_t hcube_random_access_run(MPI_Comm comm,
                                const struct hcube_table *table,
                                const struct hcube_updates *updates,
                                const struct hcube_random_access_options *options,
                                struct hcube_error *error);

/**
 * Collective: replays the updates by another route, counts the words (on all ranks together) that
 * do not come back to word i = i, what the table held before the updates, and restores that.
 *
 * errors: receives the count on every rank; 0 if everything was right.
 * Errors: as hcube_random_access_run.
 * Source: the verification that the benchmark prescribes (HPCC), by a route of its own.
 */
int32_t hcube_random_access_verify(MPI_Comm comm,
                                   const struct hcube_table *table,
                                   const struct hcube_updates *updates,
                                   int64_t *errors,
                                   struct hcube_error *error);

/**
 * Local: statistics of this rank's last run on the communicator; all zero where there was none.
 * Set statistics->struct_size to sizeof(hcube_random_access_statistics) before the call.
 *
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_random_access_last_statistics(MPI_Comm comm,
                                            struct hcube_random_access_statistics *statistics,
                                            struct hcube_error *error);

/**
 * Collective: writes one line that says what a run with these options does here, for example
 * "4 ranks, 1 node, shared memory, look-ahead 1024 (strict), AVX-512". Prepares as
 * hcube_random_access_prepare does.
 *
 * text, length: a buffer of that many bytes; the line is cut to fit and terminated by a zero byte.
 * Errors: as hcube_random_access_prepare.
 */
int32_t hcube_random_access_describe(MPI_Comm comm,
                                     const struct hcube_random_access_options *options,
                                     char *text,
                                     uint64_t length,
                                     struct hcube_error *error);

/**
 * hcube_alltoall with the handles of Fortran; for the Fortran module hcube.
 */
int hcube_fortran_alltoall(const void *sendbuf,
                           int sendcount,
                           MPI_Fint sendtype,
                           void *recvbuf,
                           int recvcount,
                           MPI_Fint recvtype,
                           MPI_Fint comm);

/**
 * hcube_alltoall in place with the handles of Fortran; for the Fortran module hcube.
 */
int hcube_fortran_alltoall_in_place(void *buffer, int count, MPI_Fint kind, MPI_Fint comm);

/**
 * hcube_alltoallv with the handles of Fortran; for the Fortran module hcube.
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
 * hcube_alltoallv in place with the handles of Fortran; for the Fortran module hcube.
 */
int hcube_fortran_alltoallv_in_place(void *buffer,
                                     const int *counts,
                                     const int *displs,
                                     MPI_Fint kind,
                                     MPI_Fint comm);

/**
 * hcube_alltoallw with the handles of Fortran; for the Fortran module hcube.
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
 * hcube_alltoallw in place with the handles of Fortran; for the Fortran module hcube.
 */
int hcube_fortran_alltoallw_in_place(void *buffer,
                                     const int *counts,
                                     const int *displs,
                                     const MPI_Fint *kinds,
                                     MPI_Fint comm);

/**
 * hcube_alltoall_set_options with a handle of Fortran; for the Fortran module hcube.
 */
int32_t hcube_fortran_alltoall_set_options(MPI_Fint comm,
                                           const struct hcube_alltoall_options *options,
                                           struct hcube_error *error);

/**
 * hcube_alltoall_last_way with a handle of Fortran; for the Fortran module hcube.
 */
int32_t hcube_fortran_alltoall_last_way(MPI_Fint comm,
                                        char *text,
                                        uint64_t length,
                                        struct hcube_error *error);

/**
 * hcube_random_access_prepare with a handle of Fortran; for the Fortran module hcube.
 */
int32_t hcube_fortran_random_access_prepare(MPI_Fint comm,
                                            const struct hcube_random_access_options *options,
                                            struct hcube_error *error);

/**
 * hcube_random_access_run with a handle of Fortran; for the Fortran module hcube.
 */
int32_t hcube_fortran_random_access_run(MPI_Fint comm,
                                        const struct hcube_table *table,
                                        const struct hcube_updates *updates,
                                        const struct hcube_random_access_options *options,
                                        struct hcube_error *error);

/**
 * hcube_random_access_verify with a handle of Fortran; for the Fortran module hcube.
 */
int32_t hcube_fortran_random_access_verify(MPI_Fint comm,
                                           const struct hcube_table *table,
                                           const struct hcube_updates *updates,
                                           int64_t *errors,
                                           struct hcube_error *error);

/**
 * hcube_random_access_last_statistics with a handle of Fortran; for the Fortran module hcube.
 */
int32_t hcube_fortran_random_access_last_statistics(MPI_Fint comm,
                                                    struct hcube_random_access_statistics *statistics,
                                                    struct hcube_error *error);

/**
 * hcube_random_access_describe with a handle of Fortran; for the Fortran module hcube.
 */
int32_t hcube_fortran_random_access_describe(MPI_Fint comm,
                                             const struct hcube_random_access_options *options,
                                             char *text,
                                             uint64_t length,
                                             struct hcube_error *error);

/**
 * hcube_transpose with a handle of Fortran; for the Fortran module hcube.
 */
int32_t hcube_fortran_transpose(const void *input,
                                void *output,
                                const struct hcube_transpose_shape *shape,
                                MPI_Fint comm,
                                struct hcube_error *error);

/**
 * hcube_transpose in place with a handle of Fortran; for the Fortran module hcube.
 */
int32_t hcube_fortran_transpose_in_place(void *matrix,
                                         const struct hcube_transpose_shape *shape,
                                         MPI_Fint comm,
                                         struct hcube_error *error);

/**
 * hcube_transpose_check with a handle of Fortran; for the Fortran module hcube.
 */
int32_t hcube_fortran_transpose_check(const struct hcube_transpose_shape *shape,
                                      int32_t in_place,
                                      MPI_Fint comm,
                                      struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_H */
