/* hcube/panel.h: broadcasts of panels, for LU.
 *
 * Generated from src/types/panel.rs and src/panel.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_PANEL_H
#define HCUBE_PANEL_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * hcube_panels_options.topology: hcube chooses: the modified ring.
 */
#define HCUBE_PANELS_AUTO 0

/**
 * hcube_panels_options.topology: a ring: each node passes the panel to the next one.
 */
#define HCUBE_PANELS_RING 1

/**
 * hcube_panels_options.topology: a ring without the node after the root's node, which has the next
 * root and only receives.
 */
#define HCUBE_PANELS_MODIFIED_RING 2

/**
 * hcube_panels_options.topology: two rings, each for half of the nodes.
 */
#define HCUBE_PANELS_TWO_RINGS 3

/**
 * hcube_panels_options.topology: two rings without the node after the root's node, which only
 * receives.
 */
#define HCUBE_PANELS_MODIFIED_TWO_RINGS 4

/**
 * hcube_panels_options.topology: a scatter along a tree, then an all-gather in a ring.
 */
#define HCUBE_PANELS_LONG 5

/**
 * hcube_panels_options.topology: the same without the node after the root's node, which receives
 * the whole panel.
 */
#define HCUBE_PANELS_MODIFIED_LONG 6

/**
 * Options of hcube_panels_prepare_for; the same on all ranks. Set fields that are not needed to 0.
 */
typedef struct hcube_panels_options {
    /**
     * sizeof(hcube_panels_options) in the program of the caller.
     */
    uint64_t struct_size;
    /**
     * Size of the largest panel in bytes.
     */
    uint64_t bytes;
    /**
     * Number of panel buffers per root, 1 or more.
     */
    uint64_t slots;
    /**
     * Maximum number of panels in use at a time on a rank, up to 1024: a rank releases panel i before it
     * begins panel i + in_use. Determines the memory for panels of other nodes. 0: the number of panels that
     * fit into the slots if the roots alternate.
     */
    uint64_t in_use;
    /**
     * Topology of the broadcast between nodes, HCUBE_PANELS_*: the six broadcasts of HPL.
     */
    int32_t topology;
    /**
     * Maximum number of ranks per node, for tests. 0: HCUBE_RANKS_PER_NODE, or the nodes as they are.
     */
    int32_t ranks_per_node;
} hcube_panels_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective. Prepares a communicator, usually a process row, for asynchronous broadcasts of panels in LU
 * factorisations with look-ahead. The root computes a panel in shared memory, where the other ranks of its
 * node read it without a copy and without progress calls. On each other node, one rank receives the panel in
 * shared memory and forwards it to other nodes; the ranks of a node alternate.
 *
 * All ranks begin the panels in the same order (hcube_panels_begin). The root of a panel writes it and posts
 * it (hcube_panels_post); the other ranks test or wait for it (hcube_panels_test, hcube_panels_wait) and
 * read it in place; every rank releases it (hcube_panels_release). The memory is kept until the communicator
 * is freed.
 *
 * On several nodes, a rank forwards panels only inside calls of these functions: call hcube_panels_progress
 * until it returns done = 1. A rank must post its panels before it waits for later panels.
 *
 * A communicator may be prepared again, for larger panels or more slots, when all ranks have released all
 * panels.
 *
 * comm: an intracommunicator.
 * bytes: size of the largest panel in bytes; the same on all ranks.
 * slots: number of panel buffers per root, 1 or more; the same on all ranks. If all slots of a root are in
 * use, hcube_panels_begin waits on the root until all ranks have released its oldest panel.
 * hcube_panels_slots returns a number that excludes deadlock.
 * Errors on all ranks: HCUBE_ERR_ARGUMENT, also if a panel is still in use; HCUBE_ERR_MISMATCH;
 * HCUBE_ERR_MEMORY, also if ranks of a node cannot share memory; HCUBE_ERR_MPI.
 * Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator,
 * HCUBE_ERR_MPI_STATE.
 * Source of asynchronous broadcasts in HPL on teams and events: G. Jin et al., Implementation and
 * Performance Evaluation of the HPC Challenge Benchmarks in Coarray Fortran 2.0, IPDPS 2011.
 */
int32_t hcube_panels_prepare(MPI_Comm comm,
                             uint64_t bytes,
                             uint64_t slots,
                             struct hcube_error *error);

/**
 * Collective. As hcube_panels_prepare, with a choice of the topology of the broadcast between nodes.
 *
 * comm: an intracommunicator.
 * options: the same on all ranks.
 * Errors: as hcube_panels_prepare.
 */
int32_t hcube_panels_prepare_for(MPI_Comm comm,
                                 const struct hcube_panels_options *options,
                                 struct hcube_error *error);

/**
 * Local. Computes the number of slots for hcube_panels_prepare that excludes deadlock if every rank releases
 * panel i before it begins panel i + in_use.
 *
 * in_use: maximum number of panels that a rank has begun and not released, including the panel that it
 * begins. HPL with look-ahead d: d + 2.
 * roots: number of ranks that are root in turn, usually the size of the process row; 1 if many consecutive
 * panels may have the same root.
 * slots: receives the number of slots per rank.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_panels_slots(uint64_t in_use,
                           uint64_t roots,
                           uint64_t *slots,
                           struct hcube_error *error);

/**
 * Local. Returns the panel size and the number of slots for which a communicator was prepared.
 *
 * comm: an intracommunicator.
 * bytes: receives the size of the largest panel in bytes; 0 before hcube_panels_prepare.
 * slots: receives the number of slots per rank; 0 before hcube_panels_prepare.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_panels_prepared(MPI_Comm comm,
                              uint64_t *bytes,
                              uint64_t *slots,
                              struct hcube_error *error);

/**
 * Begins a panel; called by all ranks of the communicator in the same order. Local, except on the root,
 * which waits until all ranks have released the panel in the slot that is reused, the root's own panel
 * `slots` panels earlier.
 *
 * comm: a communicator that was prepared.
 * root: the rank that computes the panel.
 * bytes: size of the panel in bytes; the same on all ranks.
 * panel: receives the number of the panel.
 * place: on the root, receives the address where the root writes the panel before it posts it, aligned to 64
 * bytes; NULL on other ranks.
 * Errors only on the calling rank: HCUBE_ERR_ARGUMENT, also if the communicator was not prepared, if this
 * rank has not released panel number - in_use, or if the root itself still uses the panel for whose release
 * it would wait; HCUBE_ERR_COMM; HCUBE_ERR_MPI_STATE. After an error this rank has not begun the panel, and
 * its later panels no longer match the panels of other ranks: hcube_panels_test and hcube_panels_wait report
 * this if roots or sizes differ.
 */
int32_t hcube_panels_begin(MPI_Comm comm,
                           int32_t root,
                           uint64_t bytes,
                           uint64_t *panel,
                           void **place,
                           struct hcube_error *error);

/**
 * Local, on the root of a panel. Publishes the panel to the other ranks; the root must not write to it
 * afterwards. A root posts its panels in the order in which it has begun them. No effect on a panel that has
 * been posted.
 *
 * comm: a communicator that was prepared.
 * panel: the number from hcube_panels_begin.
 * Errors: HCUBE_ERR_ARGUMENT if the panel was not begun or was released, this rank is not the root,
 * an earlier panel was not posted, or the communicator was not prepared; HCUBE_ERR_COMM;
 * HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_panels_post(MPI_Comm comm,
                          uint64_t panel,
                          struct hcube_error *error);

/**
 * Local. Tests whether a panel has been posted and has arrived on this node.
 *
 * comm: a communicator that was prepared.
 * panel: the number from hcube_panels_begin.
 * place: receives the address of the panel, which may be read until it is released; NULL if it has not
 * arrived.
 * Errors: as hcube_panels_post; HCUBE_ERR_ARGUMENT also if the root has begun the panel with another
 * size, has not begun the same panels before it, or has released it without posting it.
 */
int32_t hcube_panels_test(MPI_Comm comm,
                          uint64_t panel,
                          const void **place,
                          struct hcube_error *error);

/**
 * Waits until a panel has been posted and has arrived on this node; MPI makes progress during the wait.
 *
 * comm: a communicator that was prepared.
 * panel: the number from hcube_panels_begin.
 * place: receives the address of the panel, which may be read until it is released.
 * Errors: as hcube_panels_test; HCUBE_ERR_ARGUMENT also on a root that has not posted the panel.
 */
int32_t hcube_panels_wait(MPI_Comm comm,
                          uint64_t panel,
                          const void **place,
                          struct hcube_error *error);

/**
 * Local. Makes progress on messages to other nodes, and returns whether this rank has completed all its
 * messages for this panel and earlier panels. A root, or a rank that receives a panel for its node, must
 * call this function until it returns done = 1 before it waits for other ranks by other means. On ranks
 * without messages it returns done = 1 immediately.
 *
 * comm: a communicator that was prepared.
 * panel: the number from hcube_panels_begin.
 * done: receives 1 or 0.
 * Errors: HCUBE_ERR_ARGUMENT if the panel was not begun or was released, or the communicator was not
 * prepared; HCUBE_ERR_COMM; HCUBE_ERR_MPI; HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_panels_progress(MPI_Comm comm,
                              uint64_t panel,
                              int32_t *done,
                              struct hcube_error *error);

/**
 * Local. Releases a panel on this rank; its memory is reused for a later panel. Panels may be released in
 * any order. A root may release a panel that it has not posted if no other rank tests or waits for it.
 *
 * comm: a communicator that was prepared.
 * panel: the number from hcube_panels_begin.
 * Errors: as hcube_panels_post.
 */
int32_t hcube_panels_release(MPI_Comm comm,
                             uint64_t panel,
                             struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_PANEL_H */
