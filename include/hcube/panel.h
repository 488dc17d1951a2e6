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
 * hcube_panels_options.topology: a ring without the node after the root's, which only receives; it
 * has the next root.
 */
#define HCUBE_PANELS_MODIFIED_RING 2

/**
 * hcube_panels_options.topology: two rings, each for half of the nodes.
 */
#define HCUBE_PANELS_TWO_RINGS 3

/**
 * hcube_panels_options.topology: two rings without the node after the root's, which only receives.
 */
#define HCUBE_PANELS_MODIFIED_TWO_RINGS 4

/**
 * hcube_panels_options.topology: each node gets a part of the panel along a tree, then the parts
 * travel around a ring.
 */
#define HCUBE_PANELS_LONG 5

/**
 * hcube_panels_options.topology: the same without the node after the root's, which gets the panel
 * as a whole.
 */
#define HCUBE_PANELS_MODIFIED_LONG 6

/**
 * The panels of a communicator; the same on all ranks. Set what is not needed to 0.
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
     * Panels of one root for which there is memory, 1 or more.
     */
    uint64_t slots;
    /**
     * Panels that a rank uses at once, up to 1024: it has released a panel before it begins the one that
     * many numbers later. From this follows the memory for panels of other nodes. 0: as many as fit in
     * the slots of roots that take turns.
     */
    uint64_t in_use;
    /**
     * How nodes pass a panel on, HCUBE_PANELS_*: the six broadcasts of HPL.
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
 * Collective. Prepares a communicator, a process row, for broadcasts of panels, as LU factorisations
 * with look-ahead need them: the root of a panel computes it where the other ranks of its node
 * read it, so nothing is copied, and ranks of this node need not poll. On each further node one rank, by
 * turns, receives the panel in memory that its node reads, and passes it on to other nodes.
 *
 * A panel is begun on all ranks of the row, in the same order (hcube_panels_begin). Its root writes
 * it and posts it; the others look for it (hcube_panels_test, hcube_panels_wait) and read it in
 * place; every rank releases it. Memory stays with the communicator until it is freed.
 *
 * On several nodes, a rank that has to pass a panel on does that in calls of these functions with the
 * communicator: call hcube_panels_progress until it says that this is done. A rank posts its panels
 * before it waits for later ones.
 *
 * A communicator may be prepared again, for larger panels or more slots, where all panels were
 * released by all ranks.
 *
 * comm: an intracommunicator.
 * bytes: size of the largest panel; the same on all ranks.
 * slots: panels of one root for which there is memory, 1 or more; the same on all ranks. Where
 * all slots of a root are in use, hcube_panels_begin waits there until all ranks have released its
 * oldest panel. hcube_panels_slots returns how many exclude a deadlock.
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
 * Collective. As hcube_panels_prepare, with a choice of how nodes pass panels on.
 *
 * comm: an intracommunicator.
 * options: the panels; the same on all ranks.
 * Errors: as hcube_panels_prepare.
 */
int32_t hcube_panels_prepare_for(MPI_Comm comm,
                                 const struct hcube_panels_options *options,
                                 struct hcube_error *error);

/**
 * Local. Computes the slots for hcube_panels_prepare that exclude a deadlock, where every rank
 * releases each panel before it begins the one `in_use` panels later.
 *
 * in_use: panels that a rank has begun and not released, at most, with the one that it begins. HPL
 * with look-ahead d: d + 2.
 * roots: ranks that begin panels in turn, usually the size of the row; 1 if many consecutive panels
 * may have the same root.
 * slots: receives the number of slots per rank.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_panels_slots(uint64_t in_use,
                           uint64_t roots,
                           uint64_t *slots,
                           struct hcube_error *error);

/**
 * Local. Returns for what a communicator was prepared.
 *
 * comm: an intracommunicator.
 * bytes: receives the size of the largest panel; 0 before hcube_panels_prepare.
 * slots: receives the number of slots per rank; 0 before hcube_panels_prepare.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_panels_prepared(MPI_Comm comm,
                              uint64_t *bytes,
                              uint64_t *slots,
                              struct hcube_error *error);

/**
 * Begins a panel; called by all ranks of the row in the same order. Local on all ranks but the
 * root, which waits until all ranks have released the panel that it has begun `slots` panels of its
 * own before.
 *
 * comm: a communicator that was prepared.
 * root: the rank that computes the panel.
 * bytes: size of the panel; the same on all ranks.
 * panel: receives the number of the panel.
 * place: on the root receives the address to which it writes the panel before it posts it, aligned
 * to 64 bytes; elsewhere NULL.
 * Errors only on the calling rank, which has not begun the panel then, so that its later panels are
 * not those of other ranks. hcube_panels_test and hcube_panels_wait report that where the roots or
 * sizes of panels differ: HCUBE_ERR_ARGUMENT, also if the communicator was not prepared, if this
 * rank has not released the panel `in_use` numbers before, or if the root itself still uses the panel
 * for whose release it would wait; HCUBE_ERR_COMM; HCUBE_ERR_MPI_STATE.
 */
int32_t hcube_panels_begin(MPI_Comm comm,
                           int32_t root,
                           uint64_t bytes,
                           uint64_t *panel,
                           void **place,
                           struct hcube_error *error);

/**
 * Local. Shows a panel to the other ranks, on its root, which does not write to it any more. A root
 * posts its panels in the order in which it has begun them. Has no effect on a panel that was posted
 * before.
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
 * Local. Looks whether a panel was posted and has arrived on this node.
 *
 * comm: a communicator that was prepared.
 * panel: the number from hcube_panels_begin.
 * place: receives the address of the panel, which may be read until it is released; NULL if it was
 * not posted yet.
 * Errors: as hcube_panels_post; HCUBE_ERR_ARGUMENT also if the root has begun the panel with another
 * size, has not begun the same panels before it, or has released it without posting it.
 */
int32_t hcube_panels_test(MPI_Comm comm,
                          uint64_t panel,
                          const void **place,
                          struct hcube_error *error);

/**
 * Waits until a panel was posted; MPI makes progress meanwhile.
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
 * Local. Passes panels on to other nodes, and says whether this rank has nothing more to do for one
 * and those before it: whether what it has to send or to receive for its node was sent and received.
 * A root, or a rank that receives a panel for its node, calls this until it is done before it waits for
 * others by other means; ranks with nothing to pass on are done at once.
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
 * Local. Ends the use of a panel on this rank; its memory serves a later panel. Panels may be
 * released in any order. A root may release a panel that it has not posted if no other rank looks
 * for it.
 *
 * comm: a communicator that was prepared.
 * panel: the number from hcube_panels_begin.
 * Errors: as hcube_panels_post.
 */
int32_t hcube_panels_release(MPI_Comm comm, uint64_t panel, struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_PANEL_H */
