/* hcube/caf.h: teams, coarrays, events, copies, collectives and shipped functions of Coarray Fortran 2.0.
 *
 * Generated from src/types/caf.rs and src/caf/runtime.rs and src/caf/teams.rs and src/caf/memory.rs
 * and src/caf/sections.rs and src/caf/copointers.rs and src/caf/synchronisation.rs and
 * src/caf/asynchronous.rs and src/caf/collectives.rs and src/caf/reductions.rs and
 * src/caf/functions.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_CAF_H
#define HCUBE_CAF_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * This image, wherever an image of a team is named.
 */
#define HCUBE_CAF_THIS_IMAGE (-1)

/**
 * hcube_caf_atomic.operation: returns the word; coarray may also be events or locks, with this
 * operation only.
 */
#define HCUBE_CAF_LOAD 0

/**
 * hcube_caf_atomic.operation: replaces the word by the operand.
 */
#define HCUBE_CAF_SWAP 1

/**
 * hcube_caf_atomic.operation: adds the operand, modulo 2^64.
 */
#define HCUBE_CAF_ADD 2

/**
 * hcube_caf_atomic.operation: bitwise and with the operand.
 */
#define HCUBE_CAF_AND 3

/**
 * hcube_caf_atomic.operation: bitwise or with the operand.
 */
#define HCUBE_CAF_OR 4

/**
 * hcube_caf_atomic.operation: bitwise exclusive or with the operand.
 */
#define HCUBE_CAF_XOR 5

/**
 * hcube_caf_atomic.operation: replaces the word by the operand if it is equal to the value to
 * compare with.
 */
#define HCUBE_CAF_COMPARE_SWAP 6

/**
 * hcube_caf_image_status.status: it is alive.
 */
#define HCUBE_CAF_ALIVE 0

/**
 * hcube_caf_image_status.status: it has failed.
 */
#define HCUBE_CAF_FAILED 1

/**
 * hcube_caf_image_status.status: it has ended normally.
 */
#define HCUBE_CAF_STOPPED 2

/**
 * What an image has done so far.
 */
typedef struct hcube_caf_statistics {
    /**
     * sizeof(hcube_caf_statistics), set by the caller. A later version may append fields; no more than
     * this size is filled.
     */
    uint64_t struct_size;
    /**
     * Number of puts to images of this node, this one included.
     */
    uint64_t node_puts;
    /**
     * Number of gets from images of this node, this one included.
     */
    uint64_t node_gets;
    /**
     * Number of bytes that both have moved.
     */
    uint64_t node_bytes;
    /**
     * Number of puts to images of other nodes.
     */
    uint64_t message_puts;
    /**
     * Number of gets from images of other nodes.
     */
    uint64_t message_gets;
    /**
     * Number of bytes that both have moved.
     */
    uint64_t message_bytes;
    /**
     * Number of atomic operations.
     */
    uint64_t atomics;
    /**
     * Number of members of teams that had to be looked up.
     */
    uint64_t lookups;
    /**
     * Number of links that were read on other images for them.
     */
    uint64_t link_reads;
    /**
     * Number of addresses of coarrays that other images were asked for.
     */
    uint64_t address_questions;
    /**
     * Number of functions that this image has shipped.
     */
    uint64_t spawned;
    /**
     * Number of shipped functions that have run on this image.
     */
    uint64_t executed;
    /**
     * Number of reductions by which finish blocks have found that all functions had ended.
     */
    uint64_t finish_rounds;
    /**
     * Number of 64-bit words that this image keeps for its teams, without members that were looked up.
     */
    uint64_t team_words;
} hcube_caf_statistics;

/**
 * A team: a handle, valid on the image that got it. 0 stands for the default team, which is that of all
 * images unless hcube_caf_team_push has named another one.
 */
typedef uint64_t hcube_team;

/**
 * A coarray: memory of the same size on each member of a team. A handle, valid on the image that got
 * it; never 0.
 */
typedef uint64_t hcube_coarray;

/**
 * A place in a coarray on an image, which may be sent to other images: all of them may use it until
 * the coarray is freed. hcube_caf_copointer makes one.
 */
typedef struct hcube_copointer {
    /**
     * The place: image and address, as hcube_caf_copointer has set them.
     */
    uint64_t place;
    /**
     * Number of bytes from there to the end of the coarray.
     */
    uint64_t bytes;
} hcube_copointer;

/**
 * Events: the same number on each member of a team. An event is a counter, which notices raise and
 * waits lower. A handle, valid on the image that got it; never 0.
 */
typedef uint64_t hcube_events;

/**
 * An event on an image.
 */
typedef struct hcube_event {
    /**
     * Events of hcube_caf_event_alloc.
     */
    hcube_events events;
    /**
     * Which of them, from 0.
     */
    int64_t index;
    /**
     * A rank in their team, or HCUBE_CAF_THIS_IMAGE.
     */
    int32_t image;
    /**
     * 0; reserved for a later version.
     */
    int32_t reserved;
} hcube_event;

/**
 * Locks: the same number on each member of a team. A handle, valid on the image that got it; never 0.
 */
typedef uint64_t hcube_locks;

/**
 * A lock on an image.
 */
typedef struct hcube_lock {
    /**
     * Locks of hcube_caf_lock_alloc.
     */
    hcube_locks locks;
    /**
     * Which of them, from 0.
     */
    int64_t index;
    /**
     * A rank in their team, or HCUBE_CAF_THIS_IMAGE.
     */
    int32_t image;
    /**
     * 0; reserved for a later version.
     */
    int32_t reserved;
} hcube_lock;

/**
 * One side of an asynchronous copy: a coarray on an image, a copointer, or memory of this image.
 * Exactly one of coarray, copointer and memory is not 0.
 */
typedef struct hcube_place {
    /**
     * A coarray, on the member image of its team; 0 if the place is not in a coarray.
     */
    hcube_coarray coarray;
    /**
     * A copointer; its members are 0 if the place is not that of a copointer.
     */
    struct hcube_copointer copointer;
    /**
     * Memory of this image, until the copy is locally complete; NULL if the place is not in it.
     */
    void *memory;
    /**
     * Bytes from the beginning of the coarray, the copointer or the memory.
     */
    uint64_t offset;
    /**
     * A rank in the team of the coarray, or HCUBE_CAF_THIS_IMAGE.
     */
    int32_t image;
    /**
     * 0; reserved for a later version.
     */
    int32_t reserved;
} hcube_place;

/**
 * Compares two elements, as for qsort: below 0 if the first one comes before the second one, above 0
 * if it comes after it, else 0.
 */
typedef int32_t (*hcube_caf_compare)(const void *first, const void *second);

/**
 * A function that can be shipped. It may call all functions of this header but those marked
 * 'Collective', hcube_caf_team_push and hcube_caf_team_pop, and must not leave by longjmp or an
 * exception.
 *
 * image: the image that has shipped it, a rank in the team of all images.
 * arguments, bytes: a copy of the arguments, aligned to 8 bytes, which is freed when the function
 * returns.
 */
typedef void (*hcube_caf_function)(int32_t image, const void *arguments, uint64_t bytes);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective over MPI_COMM_WORLD: its ranks become images. Initialises MPI if the program has not.
 * All other functions of this header are called between this one and hcube_caf_finalize, by the
 * thread that has called it.
 *
 * Every function that waits for other images or accesses them may return, beside the errors that are
 * listed with it, HCUBE_ERR_FAILED_IMAGE if an image has failed, and HCUBE_ERR_STOPPED_IMAGE if an
 * image has called hcube_caf_finalize.
 *
 * The environment is read here: HCUBE_CAF_LOOK, HCUBE_CAF_PROGRESS and HCUBE_RANKS_PER_NODE.
 * Errors on all images: HCUBE_ERR_ARGUMENT for the value of a variable and for a second call,
 * HCUBE_ERR_MISMATCH if variables differ, HCUBE_ERR_MEMORY, HCUBE_ERR_MPI.
 * Source: G. Jin, J. Mellor-Crummey, L. Adhianto, W. N. Scherer III, C. Yang, Implementation and
 * Performance Evaluation of the HPC Challenge Benchmarks in Coarray Fortran 2.0, IPDPS 2011.
 */
int32_t hcube_caf_init(struct hcube_error *error);

/**
 * Collective over all images: waits until all copies and all functions that images have shipped
 * have ended, then ends the runtime and frees all teams, coarrays, events and locks. Finalises MPI if
 * hcube_caf_init has initialised it.
 *
 * Errors: HCUBE_ERR_ARGUMENT in a finish block or a shipped function, and on all images if a function
 * was shipped to an image that has not registered it, where the program goes on and may call this again;
 * HCUBE_ERR_FAILED_IMAGE if an image has failed, where the runtime has ended on this image.
 */
int32_t hcube_caf_finalize(struct hcube_error *error);

/**
 * Local. Does what other images have asked for by now, runs the functions that they have shipped, and
 * goes on with asynchronous operations. Every function that waits does so as well: a program calls
 * this one in long computations only.
 */
int32_t hcube_caf_progress(struct hcube_error *error);

/**
 * Local. Returns what this image has done since hcube_caf_init.
 *
 * statistics: receives the statistics; statistics->struct_size is sizeof(hcube_caf_statistics).
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_last_statistics(struct hcube_caf_statistics *statistics,
                                  struct hcube_error *error);

/**
 * Local. Marks this image as failed: all images that wait for it, or for one that does, return
 * HCUBE_ERR_FAILED_IMAGE. Every later call of this image does, except hcube_caf_finalize, which it must
 * still call.
 */
int32_t hcube_caf_fail_image(struct hcube_error *error);

/**
 * Local. What is known here of an image: a failure is known after the first wait that it has ended.
 *
 * team: a team; 0 is the default team.
 * image: a rank in the team.
 * status: receives HCUBE_CAF_ALIVE, HCUBE_CAF_FAILED or HCUBE_CAF_STOPPED.
 * Errors: HCUBE_ERR_ARGUMENT; HCUBE_ERR_FAILED_IMAGE if the image cannot be looked up.
 */
int32_t hcube_caf_image_status(hcube_team team,
                               int32_t image,
                               int32_t *status,
                               struct hcube_error *error);

/**
 * Local. The images of a team of which a status is known here.
 *
 * team: a team; 0 is the default team.
 * status: HCUBE_CAF_FAILED or HCUBE_CAF_STOPPED.
 * images: receives their ranks in the team, in ascending order, as many as there is room for.
 * room: number of elements of images; 0 if images is NULL.
 * count: receives the number of such images.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_images_with_status(hcube_team team,
                                     int32_t status,
                                     int32_t *images,
                                     int64_t room,
                                     int64_t *count,
                                     struct hcube_error *error);

/**
 * Local. Returns the team of all images.
 *
 * team: receives the handle.
 */
int32_t hcube_caf_team_world(hcube_team *team, struct hcube_error *error);

/**
 * Collective over the parent: forms a team for each colour. Time O(log^2 P), memory O(log P) words per
 * member.
 *
 * parent: a team; 0 is the default team.
 * colour: members with the same colour form a team; a member with a negative colour is in none.
 * key: members are ranked by key, then by their rank in the parent.
 * team: receives the handle, or 0 for a negative colour. Freed by hcube_caf_team_free.
 * Errors: HCUBE_ERR_ARGUMENT, where this image is in no team.
 */
int32_t hcube_caf_team_split(hcube_team parent,
                             int64_t colour,
                             int64_t key,
                             hcube_team *team,
                             struct hcube_error *error);

/**
 * Collective over the team: frees it.
 *
 * team: a team of hcube_caf_team_split.
 * Errors: HCUBE_ERR_ARGUMENT for the team of all images, a default team, and a team that has
 * coarrays, events or locks.
 */
int32_t hcube_caf_team_free(hcube_team team, struct hcube_error *error);

/**
 * Local. Returns the rank of this image in a team, from 0.
 *
 * team: a team; 0 is the default team.
 * rank: receives the rank.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_team_rank(hcube_team team, int32_t *rank, struct hcube_error *error);

/**
 * Local. Returns the number of images of a team.
 *
 * team: a team; 0 is the default team.
 * size: receives the number.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_team_size(hcube_team team, int32_t *size, struct hcube_error *error);

/**
 * Local. Makes a team the default team of this image, until hcube_caf_team_pop: the one that 0 stands
 * for.
 *
 * team: a team.
 * Errors: HCUBE_ERR_ARGUMENT, also in a shipped function.
 */
int32_t hcube_caf_team_push(hcube_team team,
                            struct hcube_error *error);

/**
 * Local. Restores the default team that hcube_caf_team_push has replaced.
 *
 * Errors: HCUBE_ERR_ARGUMENT if it has replaced none, and in a shipped function.
 */
int32_t hcube_caf_team_pop(struct hcube_error *error);

/**
 * Collective over the team: allocates a coarray.
 *
 * team: a team; 0 is the default team.
 * bytes: size of the part of each member; the same on all of them. The parts begin at addresses
 * divisible by 128 and are not initialised.
 * coarray: receives the handle. Freed by hcube_caf_coarray_free.
 * address: receives the address of the part of this image; may be NULL.
 * Errors on all members: HCUBE_ERR_MEMORY, HCUBE_ERR_MISMATCH; HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_coarray_alloc(hcube_team team,
                                uint64_t bytes,
                                hcube_coarray *coarray,
                                void **address,
                                struct hcube_error *error);

/**
 * Collective over the team of the coarray: frees it.
 *
 * coarray: a coarray.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_coarray_free(hcube_coarray coarray, struct hcube_error *error);

/**
 * Local. Returns the address of the part of this image. Other images of the node have it at the same
 * address.
 *
 * coarray: a coarray.
 * address: receives the address, which is valid until the coarray is freed.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_address(hcube_coarray coarray,
                          void **address,
                          struct hcube_error *error);

/**
 * One-sided. Writes bytes to a coarray on an image. from may be changed when it returns; others see
 * the bytes after the next synchronisation of this image with them: barrier, event, lock or the end
 * of a finish block.
 *
 * coarray: a coarray.
 * image: a rank in its team, or HCUBE_CAF_THIS_IMAGE.
 * offset: bytes from the beginning of the part of that image.
 * from, bytes: what is written.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER, with nothing written.
 */
int32_t hcube_caf_put(hcube_coarray coarray,
                      int32_t image,
                      uint64_t offset,
                      const void *from,
                      uint64_t bytes,
                      struct hcube_error *error);

/**
 * One-sided. Reads bytes from a coarray on an image; they are there when it returns. What this image
 * has put there before is read.
 *
 * coarray, image, offset: as for hcube_caf_put.
 * into, bytes: receives the bytes.
 * Errors: as for hcube_caf_put.
 */
int32_t hcube_caf_get(hcube_coarray coarray,
                      int32_t image,
                      uint64_t offset,
                      void *into,
                      uint64_t bytes,
                      struct hcube_error *error);

/**
 * One-sided. An atomic operation on a word of 64 bits of a coarray on an image. Atomic with respect to
 * all atomic operations of this function, by any image.
 *
 * coarray, image: as for hcube_caf_put.
 * offset: bytes from the beginning of the part of that image, a multiple of 8.
 * operation: HCUBE_CAF_LOAD, HCUBE_CAF_SWAP, HCUBE_CAF_ADD, HCUBE_CAF_AND, HCUBE_CAF_OR, HCUBE_CAF_XOR
 * or HCUBE_CAF_COMPARE_SWAP.
 * operand: the operand; not used by HCUBE_CAF_LOAD.
 * compare: the value to compare with; used by HCUBE_CAF_COMPARE_SWAP only.
 * before: receives the word as it was before; may be NULL.
 * Errors: as for hcube_caf_put.
 */
int32_t hcube_caf_atomic(hcube_coarray coarray,
                         int32_t image,
                         uint64_t offset,
                         int32_t operation,
                         uint64_t operand,
                         uint64_t compare,
                         uint64_t *before,
                         struct hcube_error *error);

/**
 * One-sided. Writes elements at regular distances, such as a section of an array, to a coarray on an
 * image; otherwise as hcube_caf_put. Between nodes they travel packed, in pieces of up to 128 KiB.
 *
 * coarray, image, offset: as for hcube_caf_put; offset is that of the first element.
 * element_bytes: size of an element.
 * dimensions: number of dimensions, 0 or more.
 * counts: number of elements per dimension, 0 or more; the dimension that varies fastest comes first.
 * strides: distance in bytes from one element to the next in the coarray, per dimension; may be
 * negative.
 * from: the first element.
 * from_strides: the same for from; NULL if its elements are contiguous.
 * Errors: as for hcube_caf_put, and HCUBE_ERR_COUNT for more bytes than there are addresses.
 */
int32_t hcube_caf_put_strided(hcube_coarray coarray,
                              int32_t image,
                              uint64_t offset,
                              uint64_t element_bytes,
                              int32_t dimensions,
                              const int64_t *counts,
                              const int64_t *strides,
                              const void *from,
                              const int64_t *from_strides,
                              struct hcube_error *error);

/**
 * One-sided. Reads elements at regular distances; as hcube_caf_put_strided, in the other direction.
 *
 * coarray, image, offset, element_bytes, dimensions, counts, strides: as for hcube_caf_put_strided.
 * into: receives the elements, the first one here.
 * into_strides: distances for into; NULL if its elements are contiguous.
 * Errors: as for hcube_caf_put_strided.
 */
int32_t hcube_caf_get_strided(hcube_coarray coarray,
                              int32_t image,
                              uint64_t offset,
                              uint64_t element_bytes,
                              int32_t dimensions,
                              const int64_t *counts,
                              const int64_t *strides,
                              void *into,
                              const int64_t *into_strides,
                              struct hcube_error *error);

/**
 * One-sided. Writes elements to the places of a coarray on an image that an index vector names;
 * otherwise as hcube_caf_put. Where an index comes twice, the last element remains.
 *
 * coarray, image, offset: as for hcube_caf_put; offset is that of index 0.
 * element_bytes: size of an element.
 * count, indices: the indices, in elements.
 * from: count contiguous elements.
 * Errors: as for hcube_caf_put_strided.
 */
int32_t hcube_caf_put_indexed(hcube_coarray coarray,
                              int32_t image,
                              uint64_t offset,
                              uint64_t element_bytes,
                              int64_t count,
                              const int64_t *indices,
                              const void *from,
                              struct hcube_error *error);

/**
 * One-sided. Reads the elements of a coarray on an image that an index vector names; as
 * hcube_caf_put_indexed, in the other direction.
 *
 * coarray, image, offset, element_bytes, count, indices: as for hcube_caf_put_indexed.
 * into: receives count elements, which are contiguous.
 * Errors: as for hcube_caf_put_strided.
 */
int32_t hcube_caf_get_indexed(hcube_coarray coarray,
                              int32_t image,
                              uint64_t offset,
                              uint64_t element_bytes,
                              int64_t count,
                              const int64_t *indices,
                              void *into,
                              struct hcube_error *error);

/**
 * One-sided. A place in a coarray on an image as a value that all images of the job may use, for
 * example an image that gets it as an argument of a shipped function.
 *
 * coarray, image, offset: as for hcube_caf_put.
 * copointer: receives the place.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_copointer(hcube_coarray coarray,
                            int32_t image,
                            uint64_t offset,
                            struct hcube_copointer *copointer,
                            struct hcube_error *error);

/**
 * One-sided. Writes bytes to the place of a copointer; otherwise as hcube_caf_put.
 *
 * copointer: a copointer whose coarray has not been freed.
 * offset: bytes from that place.
 * from, bytes: what is written.
 * Errors: as for hcube_caf_put.
 */
int32_t hcube_caf_copointer_put(const struct hcube_copointer *copointer,
                                uint64_t offset,
                                const void *from,
                                uint64_t bytes,
                                struct hcube_error *error);

/**
 * One-sided. Reads bytes from the place of a copointer; otherwise as hcube_caf_get.
 *
 * copointer, offset: as for hcube_caf_copointer_put.
 * into, bytes: receives the bytes.
 * Errors: as for hcube_caf_put.
 */
int32_t hcube_caf_copointer_get(const struct hcube_copointer *copointer,
                                uint64_t offset,
                                void *into,
                                uint64_t bytes,
                                struct hcube_error *error);

/**
 * Collective over the team: returns when all members have called it. What they have put before is
 * there.
 *
 * team: a team; 0 is the default team.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_barrier(hcube_team team, struct hcube_error *error);

/**
 * Collective over the team: allocates events, without notices.
 *
 * team: a team; 0 is the default team.
 * count: number of events of each member; the same on all of them. Each takes 64 bytes.
 * events: receives the handle. Freed by hcube_caf_event_free.
 * Errors: as for hcube_caf_coarray_alloc.
 */
int32_t hcube_caf_event_alloc(hcube_team team,
                              int64_t count,
                              hcube_events *events,
                              struct hcube_error *error);

/**
 * Collective over the team of the events: frees them.
 *
 * events: events of hcube_caf_event_alloc.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_event_free(hcube_events events, struct hcube_error *error);

/**
 * One-sided. Notifies an event of an image, which may be this one: what this image has put before, to
 * any image, is there for the image that has waited for the event.
 *
 * events, index: which event, index from 0.
 * image: a rank in the team of the events, or HCUBE_CAF_THIS_IMAGE.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_event_notify(hcube_events events,
                               int64_t index,
                               int32_t image,
                               struct hcube_error *error);

/**
 * Local. Waits until an event of this image has been notified more often than it was waited for.
 *
 * events, index: which event, index from 0.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_event_wait(hcube_events events, int64_t index, struct hcube_error *error);

/**
 * Local. As hcube_caf_event_wait, without waiting.
 *
 * events, index: which event, index from 0.
 * notified: receives 1 if the event had been notified, else 0.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_event_trywait(hcube_events events,
                                int64_t index,
                                int32_t *notified,
                                struct hcube_error *error);

/**
 * Local. Waits for a notice of any of these events, and takes it. Looks at them in turn, from behind
 * the one that it has found last.
 *
 * events, count: events of this image, at least one.
 * which: receives the place in events of the one that was notified.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_eventset_waitany(const struct hcube_event *events,
                                   int64_t count,
                                   int64_t *which,
                                   struct hcube_error *error);

/**
 * Local. Waits for a notice of each of these events, and takes them.
 *
 * events, count: events of this image. One that is there twice is waited for twice.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_eventset_waitall(const struct hcube_event *events,
                                   int64_t count,
                                   struct hcube_error *error);

/**
 * One-sided. Notifies each of these events, as hcube_caf_event_notify does.
 *
 * events, count: events of any images.
 * Errors: HCUBE_ERR_ARGUMENT, where none has been notified.
 */
int32_t hcube_caf_eventset_notifyall(const struct hcube_event *events,
                                     int64_t count,
                                     struct hcube_error *error);

/**
 * Collective over the team: allocates locks, which nobody holds.
 *
 * team: a team; 0 is the default team.
 * count: number of locks of each member; the same on all of them. Each takes 64 bytes.
 * locks: receives the handle. Freed by hcube_caf_lock_free.
 * Errors: as for hcube_caf_coarray_alloc.
 */
int32_t hcube_caf_lock_alloc(hcube_team team,
                             int64_t count,
                             hcube_locks *locks,
                             struct hcube_error *error);

/**
 * Collective over the team of the locks: frees them.
 *
 * locks: locks of hcube_caf_lock_alloc, of which this image holds none.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_lock_free(hcube_locks locks, struct hcube_error *error);

/**
 * One-sided. Waits until this image holds a lock. Images that wait get it in the order in which they
 * have come; each waits at a word of its own memory.
 *
 * locks, index: which lock, index from 0.
 * image: a rank in the team of the locks, or HCUBE_CAF_THIS_IMAGE.
 * Errors: HCUBE_ERR_ARGUMENT, also for a lock that this image holds.
 */
int32_t hcube_caf_lock(hcube_locks locks,
                       int64_t index,
                       int32_t image,
                       struct hcube_error *error);

/**
 * One-sided. As hcube_caf_lock, if nobody holds the lock; does not wait for it.
 *
 * locks, index, image: as for hcube_caf_lock.
 * acquired: receives 1 if this image holds the lock now, else 0.
 * Errors: as for hcube_caf_lock.
 */
int32_t hcube_caf_trylock(hcube_locks locks,
                          int64_t index,
                          int32_t image,
                          int32_t *acquired,
                          struct hcube_error *error);

/**
 * One-sided. Releases a lock. What this image has put before is there for the next image that gets it.
 *
 * locks, index, image: as for hcube_caf_lock.
 * Errors: HCUBE_ERR_ARGUMENT, also for a lock that this image does not hold.
 */
int32_t hcube_caf_unlock(hcube_locks locks,
                         int64_t index,
                         int32_t image,
                         struct hcube_error *error);

/**
 * One-sided. Waits until this image holds all of these locks. They are taken in an order that is the
 * same on all images, so images that want some of the same locks do not block each other.
 *
 * locks, count: different locks of any images, none of which this image holds.
 * Errors: as for hcube_caf_lock, where this image has taken none.
 */
int32_t hcube_caf_lockset_lock(const struct hcube_lock *locks,
                               int64_t count,
                               struct hcube_error *error);

/**
 * One-sided. Releases all of these locks.
 *
 * locks, count: different locks that this image holds.
 * Errors: as for hcube_caf_unlock.
 */
int32_t hcube_caf_lockset_unlock(const struct hcube_lock *locks,
                                 int64_t count,
                                 struct hcube_error *error);

/**
 * One-sided. Starts a copy, which goes on while this image waits or calls hcube_caf_progress, and
 * inside a node is made at once if it may begin. Each side may be on any image.
 *
 * destination, source: a coarray on an image, a copointer, or memory of this image, which stays in use
 * until hcube_caf_cofence has returned or done has been notified.
 * bytes: how many are copied.
 * done: an event of any image, notified when the bytes can be seen at the destination; NULL for none.
 * predicate: an event of any image; the copy begins when it has been notified, and takes that notice.
 * NULL: it begins at once.
 * Errors: as for hcube_caf_put; nothing is copied then.
 * The innermost finish block of this image does not end before the copy has ended.
 */
int32_t hcube_caf_copy_async(const struct hcube_place *destination,
                             const struct hcube_place *source,
                             uint64_t bytes,
                             const struct hcube_event *done,
                             const struct hcube_event *predicate,
                             struct hcube_error *error);

/**
 * Collective over the team: starts a broadcast, as hcube_caf_broadcast; does not wait for other
 * members but to compare arguments.
 *
 * team, root, buffer, bytes: as for hcube_caf_broadcast; buffer stays in use until done has been
 * notified or hcube_caf_cofence has returned.
 * done: an event, notified when the buffer of this image is complete, on the root when it is not needed
 * any more; NULL for none.
 * Errors: as for hcube_caf_broadcast.
 */
int32_t hcube_caf_broadcast_async(hcube_team team,
                                  int32_t root,
                                  void *buffer,
                                  uint64_t bytes,
                                  const struct hcube_event *done,
                                  struct hcube_error *error);

/**
 * Collective over the team: starts a barrier and does not wait for it.
 *
 * team: a team; 0 is the default team.
 * done: an event of any image, notified when all members have called it.
 * Errors: HCUBE_ERR_ARGUMENT; for an event that is not valid this image takes part in the barrier all
 * the same.
 */
int32_t hcube_caf_barrier_async(hcube_team team,
                                const struct hcube_event *done,
                                struct hcube_error *error);

/**
 * Local. Waits until all asynchronous operations that this image has started are locally complete:
 * memory that they read may be changed, and memory of this image that they write has been written.
 */
int32_t hcube_caf_cofence(struct hcube_error *error);

/**
 * Collective over the team. Copies the buffer of one member to all others.
 *
 * team: a team; 0 is the default team.
 * root: the rank of that member in the team; the same on all members.
 * buffer, bytes: what is sent or received; bytes is the same on all members.
 * Errors on all members of the team, for this and all other collective operations on data:
 * HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER, HCUBE_ERR_MISMATCH if arguments differ, the code of another
 * member.
 */
int32_t hcube_caf_broadcast(hcube_team team,
                            int32_t root,
                            void *buffer,
                            uint64_t bytes,
                            struct hcube_error *error);

/**
 * Collective over the team. Collects a block of each member on one of them.
 *
 * team, root: as for hcube_caf_broadcast; the root receives.
 * from, bytes: the block of this member; bytes is the same on all members.
 * into: on the root, receives the blocks in rank order; not used on others.
 * Errors: as for hcube_caf_broadcast.
 */
int32_t hcube_caf_gather(hcube_team team,
                         int32_t root,
                         const void *from,
                         uint64_t bytes,
                         void *into,
                         struct hcube_error *error);

/**
 * Collective over the team. Distributes the blocks of one member to all of them.
 *
 * team, root: as for hcube_caf_broadcast; the root sends.
 * from: on the root, a block for each member in rank order; not used on others.
 * bytes: size of a block; the same on all members.
 * into: receives the block of this member.
 * Errors: as for hcube_caf_broadcast.
 */
int32_t hcube_caf_scatter(hcube_team team,
                          int32_t root,
                          const void *from,
                          uint64_t bytes,
                          void *into,
                          struct hcube_error *error);

/**
 * Collective over the team. Collects a block of each member on all of them.
 *
 * team: a team; 0 is the default team.
 * from, bytes: the block of this member; bytes is the same on all members.
 * into: receives the blocks in rank order.
 * Errors: as for hcube_caf_broadcast.
 */
int32_t hcube_caf_allgather(hcube_team team,
                            const void *from,
                            uint64_t bytes,
                            void *into,
                            struct hcube_error *error);

/**
 * Collective over the team. Sends a block to each member and receives one of each.
 *
 * team: a team; 0 is the default team.
 * from: a block for each member in rank order.
 * bytes: size of a block; the same on all members.
 * into: receives a block of each member in rank order; may be from.
 * Errors: as for hcube_caf_broadcast.
 */
int32_t hcube_caf_alltoall(hcube_team team,
                           const void *from,
                           uint64_t bytes,
                           void *into,
                           struct hcube_error *error);

/**
 * Collective over the team. Sends a block to the member at a distance, along the ring of the ranks, and
 * receives that of the member at the same distance the other way.
 *
 * team: a team; 0 is the default team.
 * distance: the member with rank r sends to rank r + distance modulo the size of the team; may be
 * negative; the same on all members.
 * from, bytes: the block that is sent; bytes is the same on all members.
 * into: receives a block; may be from.
 * Errors: as for hcube_caf_broadcast.
 */
int32_t hcube_caf_shift(hcube_team team,
                        int64_t distance,
                        const void *from,
                        uint64_t bytes,
                        void *into,
                        struct hcube_error *error);

/**
 * Collective over the team. Each member sends its block to the member that it names, and receives that
 * of the member that has named it.
 *
 * team: a team; 0 is the default team.
 * destination: a rank in the team; the destinations of all members are a permutation of their ranks.
 * from, bytes: the block that is sent; bytes is the same on all members.
 * into: receives a block; may be from.
 * Errors: as for hcube_caf_broadcast; HCUBE_ERR_ARGUMENT if two members name the same one.
 */
int32_t hcube_caf_permute(hcube_team team,
                          int32_t destination,
                          const void *from,
                          uint64_t bytes,
                          void *into,
                          struct hcube_error *error);

/**
 * Collective over the team. Sorts the elements of all members: afterwards those of rank 0 come first,
 * then those of rank 1, and so on.
 *
 * team: a team; 0 is the default team.
 * elements: the elements of this member, which are replaced.
 * count: number of elements of each member; the same on all members.
 * element_bytes: size of an element, 1 or more; the same on all members.
 * compare: the order of elements; the same on all members.
 * Errors: as for hcube_caf_broadcast.
 */
int32_t hcube_caf_sort(hcube_team team,
                       void *elements,
                       int64_t count,
                       uint64_t element_bytes,
                       hcube_caf_compare compare,
                       struct hcube_error *error);

/**
 * Collective over the team. Combines the elements of all members, in the order of their ranks, on one of
 * them.
 *
 * team, root: as for hcube_caf_broadcast; the root receives.
 * from: elements of this member.
 * into: on the root, receives the results; may be from. On others it is used as well.
 * count, datatype: number of the elements, 0 to 2^31 - 1, and their type; the same on all members.
 * operation: an operation of MPI, predefined or of the program; associative.
 * Errors: as for hcube_caf_broadcast; HCUBE_ERR_DATATYPE if the operation is not defined for the type.
 */
int32_t hcube_caf_reduce(hcube_team team,
                         int32_t root,
                         const void *from,
                         void *into,
                         int64_t count,
                         MPI_Datatype datatype,
                         MPI_Op operation,
                         struct hcube_error *error);

/**
 * Collective over the team. Combines the elements of all members, in the order of their ranks, on all of
 * them; the results have the same bits on all members.
 *
 * team, from, count, datatype, operation: as for hcube_caf_reduce.
 * into: receives the results; may be from.
 * Errors: as for hcube_caf_reduce.
 */
int32_t hcube_caf_allreduce(hcube_team team,
                            const void *from,
                            void *into,
                            int64_t count,
                            MPI_Datatype datatype,
                            MPI_Op operation,
                            struct hcube_error *error);

/**
 * Collective over the team. Combines the elements of all members with lower ranks.
 *
 * team, from, count, datatype, operation: as for hcube_caf_reduce.
 * into: receives the results; may be from.
 * inclusive: 1 if the elements of this member are combined as well; 0 if not, in which case into of rank
 * 0 is not written. The same on all members.
 * Errors: as for hcube_caf_reduce.
 */
int32_t hcube_caf_scan(hcube_team team,
                       const void *from,
                       void *into,
                       int64_t count,
                       MPI_Datatype datatype,
                       MPI_Op operation,
                       int32_t inclusive,
                       struct hcube_error *error);

/**
 * Local. Registers a function that can be shipped. All images register the same functions in the same
 * order, since a number names them on all of them. Other images may ship it here before it is
 * registered; it runs afterwards.
 *
 * function: the function.
 * number: receives its number, from 0.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_register(hcube_caf_function function,
                           int32_t *number,
                           struct hcube_error *error);

/**
 * One-sided. Has an image run a function with a copy of the arguments. It runs where that image waits
 * or calls hcube_caf_progress; functions that one image ships to another one run in that order.
 *
 * team: a team; 0 is the default team. In a finish block that of the block, or one that was split
 * from it.
 * image: a rank in the team.
 * function: a number of hcube_caf_register.
 * arguments, bytes: copied before this returns. Copointers may be among them, addresses may not.
 * done: an event of any image, notified when the function has returned; NULL for none.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER, with nothing shipped.
 */
int32_t hcube_caf_spawn(hcube_team team,
                        int32_t image,
                        int32_t function,
                        const void *arguments,
                        uint64_t bytes,
                        const struct hcube_event *done,
                        struct hcube_error *error);

/**
 * Collective over the team: begins a finish block. Blocks may be nested; the team of an inner one has
 * only members of the team of the outer one. Does not wait.
 *
 * team: a team; 0 is the default team.
 * Errors: HCUBE_ERR_ARGUMENT, also in a shipped function.
 */
int32_t hcube_caf_finish_begin(hcube_team team,
                               struct hcube_error *error);

/**
 * Collective over the team of the innermost finish block: ends it. Returns when all functions that its
 * members have shipped in it have returned, with all that these have shipped, and all copies that
 * its members have started are complete. Takes at most one reduction more than the longest chain of
 * functions that ship each other is long.
 *
 * Errors: HCUBE_ERR_ARGUMENT outside of a finish block, and in a shipped function; on all members if a
 * function was shipped to an image that has not registered it, where the block stays open: that image
 * registers it, and all members call this again.
 */
int32_t hcube_caf_finish_end(struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_CAF_H */
