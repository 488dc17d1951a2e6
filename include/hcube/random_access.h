/* hcube/random_access.h: updates of random words of a distributed table (HPCC RandomAccess).
 *
 * Generated from src/types/random_access.rs and src/random_access.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_RANDOM_ACCESS_H
#define HCUBE_RANDOM_ACCESS_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * hcube_updates.stream: multiplication by x modulo x^64 + x^2 + x + 1 over GF(2); the low bits of a
 * value select the word.
 */
#define HCUBE_STREAM_POLYNOMIAL 0

/**
 * hcube_updates.stream: the 64-bit linear congruential generator of Knuth; the high bits of a value
 * select the word.
 */
#define HCUBE_STREAM_LCG 1

/**
 * hcube_random_access_options.mode: shared memory inside nodes if available; between nodes three
 * hops, or the hypercube if three hops need many more messages.
 */
#define HCUBE_MODE_AUTO 0

/**
 * hcube_random_access_options.mode: only messages, as if every rank were on a separate node.
 */
#define HCUBE_MODE_MESSAGE 1

/**
 * hcube_random_access_options.mode: shared memory inside nodes, the hypercube between them.
 */
#define HCUBE_MODE_NODE 2

/**
 * hcube_random_access_options.mode: three hops, inside the node, between nodes and inside the node;
 * every value crosses the network once.
 */
#define HCUBE_MODE_THREE_HOP 3

/**
 * hcube_random_access_options.mode: on coarrays: routed along a hypercube by asynchronous copies
 * with events, as in Jin et al. 2011, Figure 6. Needs a communicator of all processes.
 */
#define HCUBE_MODE_EVENTS 4

/**
 * hcube_random_access_options.mode: on coarrays: functions shipped to the owners of the words.
 * Needs a communicator of all processes.
 */
#define HCUBE_MODE_SPAWN 5

/**
 * hcube_random_access_options.optimisations: the receives of all stages are posted before a round
 * begins (Mod1).
 */
#define HCUBE_RECEIVE_AHEAD 1

/**
 * hcube_random_access_options.optimisations: a rank applies its own values after the last send, not
 * before (Mod2).
 */
#define HCUBE_LATE_UPDATES 2

/**
 * hcube_random_access_options.optimisations: a rank waits for a message after it has divided its
 * own values for the next stage (Mod3).
 */
#define HCUBE_LATE_WAITS 4

/**
 * hcube_random_access_options.optimisations: sends do not block; every stage has separate send
 * buffers (Mod7).
 */
#define HCUBE_OVERLAPPED_SENDS 8

/**
 * hcube_random_access_options.optimisations: all of them.
 */
#define HCUBE_OPTIMISATIONS_ALL 15

/**
 * Options of a run; the same on all ranks. Call hcube_random_access_default_options first, then
 * change fields. A later version may append fields: struct_size is the size in the header of the
 * caller, and fields beyond it have their defaults.
 */
typedef struct hcube_random_access_options {
    /**
     * sizeof(hcube_random_access_options) in the program of the caller.
     */
    uint64_t struct_size;
    /**
     * Look-ahead Q: the maximum number of values that a rank has generated and that are not yet
     * applied. The rules of the benchmark permit 1024. Values: 1 to 1048576. Default: 1024.
     * Environment variable: HCUBE_LOOK_AHEAD.
     */
    int64_t look_ahead;
    /**
     * Path of values between ranks. Values: HCUBE_MODE_*. Default: HCUBE_MODE_AUTO. Environment
     * variable: HCUBE_MODE.
     */
    int32_t mode;
    /**
     * Dimensionality d of the message stages, from 1 (every rank sends to every other) to log2 of
     * the number of nodes (the hypercube); 0 selects the hypercube. Values: 0 or more. Default: 0.
     * Environment variable: HCUBE_DIMENSIONS.
     */
    int32_t dimensions;
    /**
     * Overlap of whole rounds of Q values. A rank then has up to 3 Q values outstanding, which the
     * rules of the benchmark do not permit. Values: 0 or 1. Default: 0. Environment variable:
     * HCUBE_RELAXED.
     */
    int32_t relaxed;
    /**
     * Optimisations of the message stages, by their numbers in Plimpton et al. 2006, Table 3.
     * Values: the bitwise OR of any of HCUBE_RECEIVE_AHEAD, HCUBE_LATE_UPDATES, HCUBE_LATE_WAITS,
     * HCUBE_OVERLAPPED_SENDS. Default: HCUBE_OPTIMISATIONS_ALL. Environment variable:
     * HCUBE_OPTIMISATIONS.
     */
    uint32_t optimisations;
    /**
     * 2 MiB pages for the table, where the kernel permits them and they are faster. Values: 0 or 1.
     * Default: 1. Environment variable: HCUBE_HUGE_PAGES.
     */
    int32_t huge_pages;
    /**
     * Maximum number of ranks per node: larger nodes are divided into groups of consecutive ranks,
     * for tests. 1 uses only messages, 0 the nodes as they are. Values: 0 or more. Default: 0.
     * Environment variable: HCUBE_RANKS_PER_NODE.
     */
    int32_t ranks_per_node;
} hcube_random_access_options;

/**
 * The part of this rank of a table of 64-bit words that is distributed over all ranks of a
 * communicator.
 *
 * HPCC's distribution: contiguous blocks in rank order; if the number of ranks P does not divide
 * global_length, the first global_length mod P ranks have one word more than the others. A rank without
 * words has local_length 0 and may pass NULL for words.
 */
typedef struct hcube_table {
    /**
     * The words of this rank, aligned to 8 bytes. Owned by the caller; hcube accesses them only
     * during the call.
     */
    uint64_t *words;
    /**
     * Number of words of this rank.
     */
    int64_t local_length;
    /**
     * Number of words of all ranks: a power of two from 1 to 2^60.
     */
    int64_t global_length;
    /**
     * Global index of the first word of this rank.
     */
    int64_t first_index;
} hcube_table;

/**
 * The updates of this rank. Update i (from 0) replaces the word that value i of the stream selects
 * by its exclusive or with that value. Value i is the state of the generator after start + i + 1
 * steps from state 1.
 */
typedef struct hcube_updates {
    /**
     * Generator of the values, HCUBE_STREAM_*; the same on all ranks.
     */
    int32_t stream;
    /**
     * Number of steps before the first value of this rank, 0 or more. In HPCC: 4 * first_index.
     */
    int64_t start;
    /**
     * Number of updates of this rank, 0 or more; may differ between ranks. In HPCC: 4 *
     * local_length.
     */
    int64_t count;
} hcube_updates;

/**
 * Statistics of the last run of a rank. Times are in seconds; the times for generating, routing, waiting and
 * updating are estimated from a sample of the rounds.
 */
typedef struct hcube_random_access_statistics {
    /**
     * sizeof(hcube_random_access_statistics), set by the caller. A later version may append fields;
     * no more than this size is filled.
     */
    uint64_t struct_size;
    /**
     * Number of values that this rank generated.
     */
    uint64_t generated;
    /**
     * Number of values that this rank applied.
     */
    uint64_t applied;
    /**
     * Number of messages that this rank sent.
     */
    uint64_t messages;
    /**
     * Number of bytes that this rank sent in messages.
     */
    uint64_t message_bytes;
    /**
     * Number of bytes that this rank passed to other ranks through shared memory.
     */
    uint64_t shared_bytes;
    /**
     * Number of stages of the plan of this rank.
     */
    uint64_t stages;
    /**
     * Number of rounds; on one node, which has no rounds, the number of filled slots.
     */
    uint64_t rounds;
    /**
     * Number of values beyond Q that this rank held while routing, summed over all rounds.
     */
    uint64_t excess;
    /**
     * Maximum number of values that this rank held at a time while routing.
     */
    uint64_t most_held;
    /**
     * Bound on the number of values generated and not yet applied: Q if strict, 3 Q if relaxed.
     */
    uint64_t open_bound;
    /**
     * Number of 2 MiB pages of the table in this run.
     */
    uint64_t huge_pages;
    /**
     * Number of bytes of buffers and mailboxes that hcube allocated in addition to the table.
     */
    uint64_t memory_bytes;
    /**
     * Time of the whole run.
     */
    double total_seconds;
    /**
     * Time to move the table to 2 MiB pages.
     */
    double paging_seconds;
    /**
     * Time to generate values.
     */
    double generate_seconds;
    /**
     * Time to sort values by destination and copy them.
     */
    double route_seconds;
    /**
     * Time waiting for other ranks.
     */
    double wait_seconds;
    /**
     * Time to apply values.
     */
    double update_seconds;
} hcube_random_access_statistics;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Local. Returns the default options, changed by the environment variables
 * HCUBE_LOOK_AHEAD, HCUBE_MODE, HCUBE_DIMENSIONS, HCUBE_RELAXED, HCUBE_OPTIMISATIONS,
 * HCUBE_HUGE_PAGES and HCUBE_RANKS_PER_NODE.
 * May be called before MPI_Init.
 *
 * options: receives the options; allocated by the caller.
 * size: size of *options in bytes, sizeof(hcube_random_access_options).
 * Errors: HCUBE_ERR_ARGUMENT if options is NULL, size is not valid or the value of a variable is
 * not valid.
 */
int32_t hcube_random_access_default_options(struct hcube_random_access_options *options,
                                            uint64_t size,
                                            struct hcube_error *error);

/**
 * Collective. Performs the set-up of the first run on a communicator in advance: creates
 * a communicator for messages, plans the stages and allocates shared memory; with the modes
 * HCUBE_MODE_EVENTS and HCUBE_MODE_SPAWN, starts the coarray runtime if the program has not called
 * hcube_caf_init; MPI_Finalize then ends it. Optional; useful before a timed region.
 * The set-up is attached to the communicator and freed with it, at the latest by MPI_Finalize.
 *
 * comm: an intracommunicator.
 * options: the same on all ranks; NULL selects the defaults and the environment.
 * Errors: HCUBE_ERR_ARGUMENT, also for a mode on coarrays with a communicator that does not have the
 * processes of MPI_COMM_WORLD; HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE, HCUBE_ERR_MISMATCH, HCUBE_ERR_MPI;
 * HCUBE_ERR_MEMORY if the selected mode needs shared memory that is not available.
 */
int32_t hcube_random_access_prepare(MPI_Comm comm,
                                    const struct hcube_random_access_options *options,
                                    struct hcube_error *error);

/**
 * Collective. Applies the updates of all ranks to the table. Every update is applied exactly once,
 * duplicates and the remainder included. On return, all updates of the words of this rank have
 * been applied.
 *
 * If the arguments of one rank are not valid, no rank writes to the table. An error of MPI during
 * the exchange aborts the job, because other ranks are waiting. Only one call at a time may be
 * active on a communicator; calls on different communicators may be active in different threads.
 *
 * The additional memory per rank grows in proportion to the look-ahead; doc/clusters.md lists it.
 *
 * comm: an intracommunicator.
 * table: the part of this rank. Its words are read and written.
 * updates: the updates of this rank.
 * options: the same on all ranks; NULL selects the defaults and the environment.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_DISTRIBUTION, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE,
 * HCUBE_ERR_MISMATCH, HCUBE_ERR_MEMORY, HCUBE_ERR_MPI.
 * Source: S. Plimpton, R. Brightwell, C. Vaughan, K. Underwood and M. Davis, A Simple Synchronous
 * Distributed-Memory Algorithm for the HPCC RandomAccess Benchmark, IEEE Cluster 2006.
 */
int32_t hcube_random_access_run(MPI_Comm comm,
                                const struct hcube_table *table,
                                const struct hcube_updates *updates,
                                const struct hcube_random_access_options *options,
                                struct hcube_error *error);

/**
 * Collective. Verifies the updates of a table whose word i was i before the run: applies all updates again
 * by a separate algorithm, which restores the words, and counts the words that differ from their index. On
 * return, every word is its index.
 *
 * comm: an intracommunicator.
 * table: the part of this rank, as in the run.
 * updates: the updates of this rank, as in the run.
 * errors: receives the number of wrong words on all ranks, the same on every rank; 0 if the run
 * was correct.
 * Errors: as hcube_random_access_run.
 * Source: the verification that HPCC prescribes.
 */
int32_t hcube_random_access_verify(MPI_Comm comm,
                                   const struct hcube_table *table,
                                   const struct hcube_updates *updates,
                                   int64_t *errors,
                                   struct hcube_error *error);

/**
 * Local. Returns the statistics of the last run of this rank on a communicator; all fields are
 * zero if there was none.
 *
 * comm: an intracommunicator.
 * statistics: receives the statistics; allocated by the caller, who sets statistics->struct_size
 * to sizeof(hcube_random_access_statistics) before the call.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_random_access_last_statistics(MPI_Comm comm,
                                            struct hcube_random_access_statistics *statistics,
                                            struct hcube_error *error);

/**
 * Collective. Describes a run with the given options in one line, for example "4 ranks, 1 node,
 * shared memory, look-ahead 1024 (strict), AVX-512". Performs the same set-up as
 * hcube_random_access_prepare.
 *
 * comm: an intracommunicator.
 * options: the same on all ranks; NULL selects the defaults and the environment.
 * text, length: a buffer of length bytes, at least 1. The line is truncated to fit and always
 * terminated by a zero byte.
 * Errors: as hcube_random_access_prepare.
 */
int32_t hcube_random_access_describe(MPI_Comm comm,
                                     const struct hcube_random_access_options *options,
                                     char *text,
                                     uint64_t length,
                                     struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_RANDOM_ACCESS_H */
