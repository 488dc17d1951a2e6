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
 * hcube_caf_image_status.status: it has terminated normally.
 */
#define HCUBE_CAF_STOPPED 2

/**
 * Counters of the operations of an image since hcube_caf_init.
 */
typedef struct hcube_caf_statistics {
    /**
     * sizeof(hcube_caf_statistics), set by the caller. A later version may append fields; no more than
     * this size is filled.
     */
    uint64_t struct_size;
    /**
     * Number of puts to images on this node, including this image.
     */
    uint64_t node_puts;
    /**
     * Number of gets from images on this node, including this image.
     */
    uint64_t node_gets;
    /**
     * Number of bytes of these puts and gets.
     */
    uint64_t node_bytes;
    /**
     * Number of puts to images on other nodes.
     */
    uint64_t message_puts;
    /**
     * Number of gets from images on other nodes.
     */
    uint64_t message_gets;
    /**
     * Number of bytes of these puts and gets.
     */
    uint64_t message_bytes;
    /**
     * Number of atomic operations.
     */
    uint64_t atomics;
    /**
     * Number of team members whose image had to be looked up.
     */
    uint64_t lookups;
    /**
     * Number of remote reads for these lookups.
     */
    uint64_t link_reads;
    /**
     * Number of coarray addresses that were requested from other images.
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
     * Number of reductions for the termination detection of finish blocks.
     */
    uint64_t finish_rounds;
    /**
     * Memory of this image for its teams, in 64-bit words, without cached lookups.
     */
    uint64_t team_words;
} hcube_caf_statistics;

/**
 * A team: a handle, valid only on the image that received it. 0 stands for the default team: the team of all
 * images, unless hcube_caf_team_push has set another team.
 */
typedef uint64_t hcube_team;

/**
 * A coarray: memory of the same size on each member of a team. A handle, valid only on the image that
 * received it; never 0.
 */
typedef uint64_t hcube_coarray;

/**
 * An address in a coarray on an image, created by hcube_caf_copointer. It may be sent to other images; all
 * images may use it until the coarray is freed.
 */
typedef struct hcube_copointer {
    /**
     * Image and address, set by hcube_caf_copointer.
     */
    uint64_t place;
    /**
     * Number of bytes from this address to the end of the coarray.
     */
    uint64_t bytes;
} hcube_copointer;

/**
 * Events: the same number on each member of a team. An event is a counter: a notification increments it, and
 * a wait that returns decrements it. A handle, valid only on the image that received it; never 0.
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
     * Index, from 0.
     */
    int64_t index;
    /**
     * A rank in the team, or HCUBE_CAF_THIS_IMAGE.
     */
    int32_t image;
    /**
     * 0; reserved for a later version.
     */
    int32_t reserved;
} hcube_event;

/**
 * Locks: the same number on each member of a team. A handle, valid only on the image that received it; never
 * 0.
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
     * Index, from 0.
     */
    int64_t index;
    /**
     * A rank in the team, or HCUBE_CAF_THIS_IMAGE.
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
     * A coarray, accessed on the member image of its team; otherwise 0.
     */
    hcube_coarray coarray;
    /**
     * A copointer; otherwise its fields are 0.
     */
    struct hcube_copointer copointer;
    /**
     * Memory of this image, in use until the copy is locally complete; otherwise NULL.
     */
    void *memory;
    /**
     * Offset in bytes from the start of the coarray, the copointer or the memory.
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
 * Compares two elements, as for qsort: negative if the first element is less than the second, positive if it
 * is greater, else 0.
 */
typedef int32_t (*hcube_caf_compare)(const void *first, const void *second);

/**
 * A function that can be shipped. It may call all functions of this header, except functions marked
 * 'Collective', hcube_caf_team_push and hcube_caf_team_pop. It must not leave by longjmp or an exception.
 *
 * image: the image that shipped the function, as a rank in the team of all images.
 * arguments, bytes: a copy of the arguments and its size; aligned to 8 bytes, freed when the function
 * returns.
 */
typedef void (*hcube_caf_function)(int32_t image, const void *arguments, uint64_t bytes);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Collective over MPI_COMM_WORLD: its ranks become images. Initialises MPI if the program has not. Call all
 * other functions of this header after this function and before hcube_caf_finalize, in the thread that
 * called this function.
 *
 * Every function that waits for other images or accesses them may return, in addition to the errors listed
 * there, HCUBE_ERR_FAILED_IMAGE if an image has failed, and HCUBE_ERR_STOPPED_IMAGE if an image has called
 * hcube_caf_finalize.
 *
 * Reads the environment variables HCUBE_CAF_LOOK, HCUBE_CAF_PROGRESS and HCUBE_RANKS_PER_NODE.
 * Errors on all images: HCUBE_ERR_ARGUMENT for an invalid value of a variable and for a second call,
 * HCUBE_ERR_MISMATCH if variables differ, HCUBE_ERR_MEMORY, HCUBE_ERR_MPI.
 * Source: G. Jin, J. Mellor-Crummey, L. Adhianto, W. N. Scherer III, C. Yang, Implementation and
 * Performance Evaluation of the HPC Challenge Benchmarks in Coarray Fortran 2.0, IPDPS 2011.
 */
int32_t hcube_caf_init(struct hcube_error *error);

/**
 * Collective over all images: waits until all asynchronous copies and all shipped functions are complete,
 * then ends the runtime and frees all teams, coarrays, events and locks. Finalises MPI if hcube_caf_init has
 * initialised it.
 *
 * Errors: HCUBE_ERR_ARGUMENT in a finish block or a shipped function, and on all images if a function was
 * shipped to an image that has not registered it: the program may register it and call hcube_caf_finalize
 * again; HCUBE_ERR_FAILED_IMAGE if an image has failed: the runtime has ended on this image nevertheless.
 */
int32_t hcube_caf_finalize(struct hcube_error *error);

/**
 * Local. Makes progress: serves pending requests of other images, runs the functions that they have shipped,
 * and advances asynchronous operations. Every function that waits makes progress as well, so calls are
 * needed only in long computations.
 */
int32_t hcube_caf_progress(struct hcube_error *error);

/**
 * Local. Returns the statistics of this image since hcube_caf_init.
 *
 * statistics: receives the statistics; statistics->struct_size is sizeof(hcube_caf_statistics).
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_last_statistics(struct hcube_caf_statistics *statistics,
                                  struct hcube_error *error);

/**
 * Local. Marks this image as failed: functions that wait for it, directly or through other images, return
 * HCUBE_ERR_FAILED_IMAGE. So does every later call on this image, except hcube_caf_finalize, which it must
 * still call.
 */
int32_t hcube_caf_fail_image(struct hcube_error *error);

/**
 * Local. Returns the status of an image as far as this image knows it: a failure is known after it has ended
 * a wait of this image.
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
 * Local. Returns the images of a team with a given status, as far as this image knows it.
 *
 * team: a team; 0 is the default team.
 * status: HCUBE_CAF_FAILED or HCUBE_CAF_STOPPED.
 * images: receives their ranks in the team, in ascending order, at most room ranks.
 * room: number of elements of images; 0 if images is NULL.
 * count: receives the number of such images, which may exceed room.
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
 * Collective over the parent: forms a team for each colour, as MPI_Comm_split. Time O(log^2 P), memory O(log
 * P) words per member.
 *
 * parent: a team; 0 is the default team.
 * colour: members with the same colour form a team; a member with a negative colour is in no team.
 * key: members are ranked by key, then by their rank in the parent.
 * team: receives the handle, or 0 for a negative colour. Freed by hcube_caf_team_free.
 * Errors: HCUBE_ERR_ARGUMENT; this image is then in no team.
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
 * Local. Makes a team the default team of this image, which 0 stands for, until hcube_caf_team_pop.
 *
 * team: a team.
 * Errors: HCUBE_ERR_ARGUMENT, also in a shipped function.
 */
int32_t hcube_caf_team_push(hcube_team team, struct hcube_error *error);

/**
 * Local. Restores the previous default team, before the last hcube_caf_team_push.
 *
 * Errors: HCUBE_ERR_ARGUMENT without a preceding hcube_caf_team_push, and in a shipped function.
 */
int32_t hcube_caf_team_pop(struct hcube_error *error);

/**
 * Collective over the team: allocates a coarray.
 *
 * team: a team; 0 is the default team.
 * bytes: size of the part of each member in bytes; the same on all members. The parts are aligned to 128
 * bytes and not initialised.
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
 * Local. Returns the address of the part of this image. It is the same address in all images of the node.
 *
 * coarray: a coarray.
 * address: receives the address, which is valid until the coarray is freed.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_address(hcube_coarray coarray,
                          void **address,
                          struct hcube_error *error);

/**
 * One-sided. Writes bytes to a coarray on an image. Locally complete on return: from may be changed. Another
 * image sees the bytes after the next synchronisation of this image with it: barrier, event, lock or the end
 * of a finish block.
 *
 * coarray: a coarray.
 * image: a rank in its team, or HCUBE_CAF_THIS_IMAGE.
 * offset: bytes from the start of the part of that image.
 * from, bytes: the data to write and its size in bytes.
 * Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER, with nothing written.
 */
int32_t hcube_caf_put(hcube_coarray coarray,
                      int32_t image,
                      uint64_t offset,
                      const void *from,
                      uint64_t bytes,
                      struct hcube_error *error);

/**
 * One-sided. Reads bytes from a coarray on an image; complete on return. Earlier puts of this image to the
 * same memory are visible.
 *
 * coarray, image, offset: as for hcube_caf_put.
 * into, bytes: receives the data; its size in bytes.
 * Errors: as for hcube_caf_put.
 */
int32_t hcube_caf_get(hcube_coarray coarray,
                      int32_t image,
                      uint64_t offset,
                      void *into,
                      uint64_t bytes,
                      struct hcube_error *error);

/**
 * One-sided. Performs an atomic operation on a 64-bit word of a coarray on an image. It is atomic with
 * respect to all calls of this function by any image.
 *
 * coarray, image: as for hcube_caf_put.
 * offset: bytes from the start of the part of that image, a multiple of 8.
 * operation: HCUBE_CAF_LOAD, HCUBE_CAF_SWAP, HCUBE_CAF_ADD, HCUBE_CAF_AND, HCUBE_CAF_OR, HCUBE_CAF_XOR
 * or HCUBE_CAF_COMPARE_SWAP.
 * operand: the operand; not used by HCUBE_CAF_LOAD.
 * compare: the value to compare with; used only by HCUBE_CAF_COMPARE_SWAP.
 * before: receives the previous value of the word; may be NULL.
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
 * One-sided. Writes a strided section of an array to a coarray on an image; otherwise as hcube_caf_put.
 * Between nodes the elements are packed into messages of up to 128 KiB.
 *
 * coarray, image, offset: as for hcube_caf_put; offset is the offset of the first element.
 * element_bytes: size of an element.
 * dimensions: number of dimensions, 0 or more.
 * counts: number of elements per dimension, 0 or more; the dimension that varies fastest comes first.
 * strides: distance in bytes from one element to the next in the coarray, per dimension; may be
 * negative.
 * from: address of the first element.
 * from_strides: the strides of from; NULL if its elements are contiguous.
 * Errors: as for hcube_caf_put, and HCUBE_ERR_COUNT if the number of bytes exceeds the address space.
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
 * One-sided. Reads a strided section of a coarray on an image; the inverse of hcube_caf_put_strided.
 *
 * coarray, image, offset, element_bytes, dimensions, counts, strides: as for hcube_caf_put_strided.
 * into: address of the first element; receives the elements.
 * into_strides: the strides of into; NULL if its elements are contiguous.
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
 * One-sided. Writes elements to a vector subscript of a coarray on an image (scatter); otherwise as
 * hcube_caf_put. If an index occurs several times, the last element is written.
 *
 * coarray, image, offset: as for hcube_caf_put; offset is the offset of index 0.
 * element_bytes: size of an element.
 * count, indices: the number of indices and the indices, in elements.
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
 * One-sided. Reads the elements of a vector subscript of a coarray on an image (gather); the inverse of
 * hcube_caf_put_indexed.
 *
 * coarray, image, offset, element_bytes, count, indices: as for hcube_caf_put_indexed.
 * into: receives count contiguous elements.
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
 * One-sided. Returns an address in a coarray on an image as a value that all images of the job may use, for
 * example as an argument of a shipped function.
 *
 * coarray, image, offset: as for hcube_caf_put.
 * copointer: receives the copointer.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_copointer(hcube_coarray coarray,
                            int32_t image,
                            uint64_t offset,
                            struct hcube_copointer *copointer,
                            struct hcube_error *error);

/**
 * One-sided. Writes bytes at a copointer; otherwise as hcube_caf_put.
 *
 * copointer: a copointer whose coarray has not been freed.
 * offset: bytes from the address of the copointer.
 * from, bytes: the data to write and its size in bytes.
 * Errors: as for hcube_caf_put.
 */
int32_t hcube_caf_copointer_put(const struct hcube_copointer *copointer,
                                uint64_t offset,
                                const void *from,
                                uint64_t bytes,
                                struct hcube_error *error);

/**
 * One-sided. Reads bytes at a copointer; otherwise as hcube_caf_get.
 *
 * copointer, offset: as for hcube_caf_copointer_put.
 * into, bytes: receives the data; its size in bytes.
 * Errors: as for hcube_caf_put.
 */
int32_t hcube_caf_copointer_get(const struct hcube_copointer *copointer,
                                uint64_t offset,
                                void *into,
                                uint64_t bytes,
                                struct hcube_error *error);

/**
 * Collective over the team: returns when all members have called it. Puts before the barrier, by any member,
 * are visible to all members after it.
 *
 * team: a team; 0 is the default team.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_barrier(hcube_team team,
                          struct hcube_error *error);

/**
 * Collective over the team: allocates events with counters of 0.
 *
 * team: a team; 0 is the default team.
 * count: number of events of each member; the same on all members. An event takes 64 bytes.
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
 * One-sided. Notifies an event of an image, which may be this image. Earlier puts of this image, to any
 * image, are visible to the image that waits for the event when its wait returns.
 *
 * events, index: the event; index counts from 0.
 * image: a rank in the team of the events, or HCUBE_CAF_THIS_IMAGE.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_event_notify(hcube_events events,
                               int64_t index,
                               int32_t image,
                               struct hcube_error *error);

/**
 * Local. Waits until the counter of an event of this image is positive, then decrements it.
 *
 * events, index: the event; index counts from 0.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_event_wait(hcube_events events, int64_t index, struct hcube_error *error);

/**
 * Local. As hcube_caf_event_wait, but returns at once if the counter is 0.
 *
 * events, index: the event; index counts from 0.
 * notified: receives 1 if the counter was positive and has been decremented, else 0.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_event_trywait(hcube_events events,
                                int64_t index,
                                int32_t *notified,
                                struct hcube_error *error);

/**
 * Local. Waits until any of these events has been notified, and decrements its counter. Polls round-robin,
 * starting after the event that the previous call returned.
 *
 * events, count: events of this image, at least one.
 * which: receives the index in events of this event, from 0.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_eventset_waitany(const struct hcube_event *events,
                                   int64_t count,
                                   int64_t *which,
                                   struct hcube_error *error);

/**
 * Local. Waits for each of these events, as hcube_caf_event_wait.
 *
 * events, count: events of this image. An event that occurs twice is waited for twice.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_eventset_waitall(const struct hcube_event *events,
                                   int64_t count,
                                   struct hcube_error *error);

/**
 * One-sided. Notifies each of these events, as hcube_caf_event_notify.
 *
 * events, count: events of any images.
 * Errors: HCUBE_ERR_ARGUMENT, with no event notified.
 */
int32_t hcube_caf_eventset_notifyall(const struct hcube_event *events,
                                     int64_t count,
                                     struct hcube_error *error);

/**
 * Collective over the team: allocates locks, initially unlocked.
 *
 * team: a team; 0 is the default team.
 * count: number of locks of each member; the same on all members. A lock takes 64 bytes.
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
 * One-sided. Acquires a lock, waiting if another image holds it. Locks are FIFO; each waiting image polls
 * only its own memory (MCS lock).
 *
 * locks, index: the lock; index counts from 0.
 * image: a rank in the team of the locks, or HCUBE_CAF_THIS_IMAGE.
 * Errors: HCUBE_ERR_ARGUMENT, also for a lock that this image holds.
 */
int32_t hcube_caf_lock(hcube_locks locks,
                       int64_t index,
                       int32_t image,
                       struct hcube_error *error);

/**
 * One-sided. As hcube_caf_lock, but does not wait if another image holds the lock.
 *
 * locks, index, image: as for hcube_caf_lock.
 * acquired: receives 1 if this image now holds the lock, else 0.
 * Errors: as for hcube_caf_lock.
 */
int32_t hcube_caf_trylock(hcube_locks locks,
                          int64_t index,
                          int32_t image,
                          int32_t *acquired,
                          struct hcube_error *error);

/**
 * One-sided. Releases a lock. Earlier puts of this image are visible to the next image that acquires the
 * lock.
 *
 * locks, index, image: as for hcube_caf_lock.
 * Errors: HCUBE_ERR_ARGUMENT, also for a lock that this image does not hold.
 */
int32_t hcube_caf_unlock(hcube_locks locks,
                         int64_t index,
                         int32_t image,
                         struct hcube_error *error);

/**
 * One-sided. Acquires all of these locks, in an order that is the same on all images. Images that acquire
 * overlapping sets of locks therefore do not deadlock.
 *
 * locks, count: different locks of any images; this image must hold none of them.
 * Errors: as for hcube_caf_lock, with no lock acquired.
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
 * One-sided. Starts an asynchronous copy, which makes progress while this image waits or calls
 * hcube_caf_progress. A copy inside a node is performed immediately, unless it waits for predicate. Source
 * and destination may be on any images.
 *
 * destination, source: a coarray on an image, a copointer, or memory of this image. Memory is in use until
 * hcube_caf_cofence has returned or done has been notified.
 * bytes: number of bytes to copy.
 * done: an event of any image, notified when the copy is complete at the destination; may be NULL.
 * predicate: an event of any image; the copy begins when the event has been notified, and decrements its
 * counter. NULL: the copy begins immediately.
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
 * Collective over the team: starts a broadcast, as hcube_caf_broadcast. Waits for other members only to
 * compare the arguments.
 *
 * team, root, buffer, bytes: as for hcube_caf_broadcast; buffer stays in use until done has been
 * notified or hcube_caf_cofence has returned.
 * done: an event, notified when the buffer of this image has been received or, on the root, may be reused;
 * may be NULL.
 * Errors: as for hcube_caf_broadcast.
 */
int32_t hcube_caf_broadcast_async(hcube_team team,
                                  int32_t root,
                                  void *buffer,
                                  uint64_t bytes,
                                  const struct hcube_event *done,
                                  struct hcube_error *error);

/**
 * Collective over the team: starts a non-blocking barrier.
 *
 * team: a team; 0 is the default team.
 * done: an event of any image, notified when all members have called it.
 * Errors: HCUBE_ERR_ARGUMENT; if the event is not valid, this image takes part in the barrier nevertheless.
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
 * buffer, bytes: the data that is sent or received and its size in bytes, which is the same on all members.
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
 * Collective over the team. Gathers a block of each member on the root.
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
 * Collective over the team. Scatters the blocks of the root to all members.
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
 * Collective over the team. Gathers a block of each member on all members.
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
 * Collective over the team. Sends a block to each member and receives a block from each member.
 *
 * team: a team; 0 is the default team.
 * from: a block for each member in rank order.
 * bytes: size of a block; the same on all members.
 * into: receives a block from each member in rank order; may be from.
 * Errors: as for hcube_caf_broadcast.
 */
int32_t hcube_caf_alltoall(hcube_team team,
                           const void *from,
                           uint64_t bytes,
                           void *into,
                           struct hcube_error *error);

/**
 * Collective over the team. Circular shift: each member sends a block to the member distance ranks higher,
 * modulo the size of the team, and receives a block from the member distance ranks lower.
 *
 * team: a team; 0 is the default team.
 * distance: number of ranks; may be negative; the same on all members.
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
 * Collective over the team. Permutes blocks: each member sends its block to one member, its destination, and
 * receives a block from one member.
 *
 * team: a team; 0 is the default team.
 * destination: a rank in the team; the destinations of all members are a permutation of their ranks.
 * from, bytes: the block that is sent; bytes is the same on all members.
 * into: receives a block; may be from.
 * Errors: as for hcube_caf_broadcast; HCUBE_ERR_ARGUMENT if two members have the same destination.
 */
int32_t hcube_caf_permute(hcube_team team,
                          int32_t destination,
                          const void *from,
                          uint64_t bytes,
                          void *into,
                          struct hcube_error *error);

/**
 * Collective over the team. Sorts the elements of all members: on return, the elements in rank order are
 * sorted.
 *
 * team: a team; 0 is the default team.
 * elements: the elements of this member; receives the sorted elements.
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
 * Collective over the team. Reduces the elements of all members, in rank order, on the root, as MPI_Reduce.
 *
 * team, root: as for hcube_caf_broadcast; the root receives.
 * from: elements of this member.
 * into: on the root, receives the results; may be from. On other members it is work space of the same size.
 * count, datatype: number of elements, 0 to 2^31 - 1, and their type; the same on all members.
 * operation: an MPI reduction operation, predefined or user-defined; associative.
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
 * Collective over the team. Reduces the elements of all members, in rank order, on all members, as
 * MPI_Allreduce. The results are bitwise identical on all members.
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
 * Collective over the team. Computes a prefix reduction in rank order, as MPI_Scan or MPI_Exscan.
 *
 * team, from, count, datatype, operation: as for hcube_caf_reduce.
 * into: receives the results; may be from.
 * inclusive: 1 includes the elements of this member (MPI_Scan); 0 excludes them (MPI_Exscan), and into of
 * rank 0 is not written. The same on all members.
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
 * Local. Registers a function that can be shipped. All images must register the same functions in the same
 * order, because the same number identifies a function on all images. If other images ship it to this image
 * before it is registered, it runs after the registration.
 *
 * function: the function.
 * number: receives its number, from 0.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_caf_register(hcube_caf_function function,
                           int32_t *number,
                           struct hcube_error *error);

/**
 * One-sided. Ships a function: another image executes it with a copy of the arguments, while it waits or
 * calls hcube_caf_progress. Functions that one image ships to another image run in the order of the calls.
 *
 * team: a team; 0 is the default team. In a finish block it must be the team of the block, or a team that
 * was split from it.
 * image: a rank in the team.
 * function: the number from hcube_caf_register.
 * arguments, bytes: the arguments and their size; copied before the function returns. They may contain
 * copointers, but not addresses.
 * done: an event of any image, notified when the function has returned; may be NULL.
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
 * Collective over the team: begins a finish block. Blocks may be nested; the team of an inner block must be
 * a subset of the team of the outer block. Does not wait.
 *
 * team: a team; 0 is the default team.
 * Errors: HCUBE_ERR_ARGUMENT, also in a shipped function.
 */
int32_t hcube_caf_finish_begin(hcube_team team,
                               struct hcube_error *error);

/**
 * Collective over the team of the innermost finish block: ends it. Returns when all functions that members
 * have shipped in the block, and all functions that these have shipped in turn, have returned, and all
 * copies that members have started are complete. Needs at most d + 1 reductions if functions ship functions
 * to depth d.
 *
 * Errors: HCUBE_ERR_ARGUMENT outside of a finish block, and in a shipped function; on all members if a
 * function was shipped to an image that has not registered it. The block then stays open: that image can
 * register the function, and all members call hcube_caf_finish_end again.
 */
int32_t hcube_caf_finish_end(struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_CAF_H */
