/* hcube/panel.h: asynchronous broadcasts of the panels of LU factorisations.
 *
 * Generated from src/panel.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_PANEL_H
#define HCUBE_PANEL_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective. Prepares a communicator, a process row, for broadcasts of panels, as LU factorisations
 * with look-ahead need them: the root of a panel computes it where the other ranks of its node
 * read it, so nothing is copied, and no rank has to poll.
 *
 * A panel is begun on all ranks of the row, in the same order (hcube_panels_begin). Its root writes
 * it and posts it; the others look for it (hcube_panels_test, hcube_panels_wait) and read it in
 * place; every rank releases it. Memory stays with the communicator until it is freed.
 *
 * A communicator may be prepared again, for larger panels or more slots, where all panels were
 * released by all ranks.
 *
 * comm: an intracommunicator.
 * bytes: size of the largest panel; the same on all ranks.
 * slots: panels of one root for which there is memory, 1 or more; the same on all ranks. Where
 * all slots of a root are in use, hcube_panels_begin waits there until all ranks have released its
 * oldest panel. hcube_panels_slots returns how many exclude a deadlock.
 * Errors on all ranks: HCUBE_ERR_ARGUMENT, also if a panel is still in use or ranks do not share
 * memory; HCUBE_ERR_MISMATCH; HCUBE_ERR_MEMORY; HCUBE_ERR_MPI.
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
 * root, which waits until all ranks have released the panel that it has begun `slots` panels
 * before.
 *
 * comm: a communicator that was prepared.
 * root: the rank that computes the panel.
 * bytes: size of the panel; the same on all ranks.
 * panel: receives the number of the panel.
 * place: on the root receives the address to which it writes the panel before it posts it, aligned
 * to 64 bytes; elsewhere NULL.
 * Errors: HCUBE_ERR_ARGUMENT, also if the communicator was not prepared, or if the root itself still
 * uses the panel for whose release it would wait; HCUBE_ERR_COMM; HCUBE_ERR_MPI_STATE.
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
 * Local. Looks whether a panel was posted. No rank has to call this for another one to proceed.
 *
 * comm: a communicator that was prepared.
 * panel: the number from hcube_panels_begin.
 * place: receives the address of the panel, which may be read until it is released; NULL if it was
 * not posted yet.
 * Errors: as hcube_panels_post; HCUBE_ERR_ARGUMENT also if the root has begun the panel with another
 * size, or released it without posting it.
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
 * Errors: as hcube_panels_test.
 */
int32_t hcube_panels_wait(MPI_Comm comm,
                          uint64_t panel,
                          const void **place,
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
