/* bsp.h: BSPlib, bulk-synchronous parallel programs (Hill et al. 1998).
 *
 * Generated from hpcc-glue/bsplib/src by 'make header'; do not edit.
 * Valid C99 and C++17. Compile and link with bspcc or bspcxx, start with bsprun.
 *
 * All processes run the SPMD part of the program, from bsp_begin to bsp_end. It is a sequence of supersteps, each of
 * which bsp_sync ends: communication that a process requests in a superstep is performed at the end of the superstep.
 * An error ends the job within a second; a line on standard error names process, function, argument and value. An
 * operation of 0 bytes has no effect, and its arguments are not checked.
 *
 * Dialects: the functions bsp_* are the classic dialect, BSPlib (1998), with int for processes and sizes. With BSP_MCBSP
 * defined before the header is included, or with mcbsp.h, these names are macros for the functions mcbsp_*, which have
 * the types of MulticoreBSP for C: unsigned int for processes and size_t for sizes; -1 in the comments is then
 * (size_t) -1. With MCBSP_COMPATIBILITY_MODE defined as well, the names are the classic dialect, as in MulticoreBSP
 * for C.
 */

#ifndef HCUBE_BSP_H
#define HCUBE_BSP_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#ifdef MCBSP_COMPATIBILITY_MODE
#undef BSP_MCBSP
#endif

#ifdef BSP_MCBSP
typedef unsigned int bsp_pid_t;
typedef unsigned int bsp_nprocs_t;
typedef size_t bsp_size_t;
#else
typedef int bsp_pid_t;
typedef int bsp_nprocs_t;
typedef int bsp_size_t;
#endif

/**
 * The same types, under the names of MulticoreBSP for C.
 */
#define MCBSP_PROCESSOR_INDEX_DATATYPE bsp_pid_t
#define MCBSP_NUMMSG_TYPE bsp_nprocs_t
#define MCBSP_BYTESIZE_TYPE bsp_size_t

#if defined(__GNUC__)
#define BSP_FORMAT(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define BSP_FORMAT(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Prints a message in the format of printf, and ends all processes of the job.
 */
void bsp_abort(const char *format, ...) BSP_FORMAT(1, 2);

/**
 * As bsp_abort, with a va_list, as vprintf takes it.
 */
void bsp_abort_va(const char *format, va_list arguments);

/**
 * As bsp_abort_va, under the name of MulticoreBSP for C.
 */
void bsp_vabort(const char *format, va_list arguments);

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Names the function that contains the SPMD part. Call it as the first statement of main if main does not
 * itself call bsp_begin as its first statement.
 *
 * Process 0 returns and executes the rest of main, with sequential parts before and after the SPMD part; all
 * other processes call spmd_part here and then exit. argc and argv are the arguments of main, or 0 and NULL.
 * The other processes do not execute the rest of main: assign variables that all processes need before this
 * call, or send them in the SPMD part, for example by bsp_bcast.
 */
void bsp_init(void (*spmd_part)(void),
              int argc,
              char **argv);

/**
 * Begins the SPMD part with at most maxprocs processes; only the value on process 0 is used. Processes
 * beyond maxprocs wait here until the SPMD part has ended, then exit.
 *
 * Initialises MPI if the program has not. A program has exactly one SPMD part. bsp_nprocs() returns its
 * number of processes.
 */
void bsp_begin(int maxprocs);

/**
 * Ends the SPMD part on all processes. Communication that was requested since the last bsp_sync is not
 * performed.
 */
void bsp_end(void);

/**
 * Returns the number of processes of the SPMD part; before bsp_begin, the number of processes that are
 * available.
 */
int bsp_nprocs(void);

/**
 * Returns the number of the calling process, 0 to bsp_nprocs() - 1.
 */
int bsp_pid(void);

/**
 * Returns the wall-clock time since bsp_begin in seconds, from the local clock of this process.
 */
double bsp_time(void);

/**
 * Ends the superstep on all processes: gets read, then puts write, and messages are in the queues of their
 * receivers.
 */
void bsp_sync(void);

/**
 * Registers size bytes at ident from the next superstep on. All processes call it, in the same order.
 *
 * A process refers to the memory of other processes by the address that it passed itself in the same call.
 * Memory may be registered several times; the latest registration is used. A process without memory to
 * register passes NULL and size 0. If it accesses the memory of others, it passes any address of its own
 * with size 0 instead, because NULL cannot identify a registration.
 */
void bsp_push_reg(const void *ident,
                  int size);

/**
 * Removes the latest registration of ident at the end of the superstep. All processes call it, in the same
 * order.
 *
 * NULL removes the latest registration for which this process passed NULL; all other processes must remove
 * the same registration by their own addresses.
 */
void bsp_pop_reg(const void *ident);

/**
 * Copies nbytes bytes from src to the memory that process pid has registered as dst, offset bytes from its
 * start, at the end of the superstep.
 *
 * src is copied before the function returns. All gets read before any put writes. Puts are performed in the
 * order of the process numbers, and puts of one process in the order of its calls.
 */
void bsp_put(int pid,
             const void *src,
             void *dst,
             int offset,
             int nbytes);

/**
 * As bsp_put, but without buffers: the data is read and written at any time until the end of the superstep.
 * Until then, do not change src, and do not access the destination.
 */
void bsp_hpput(int pid,
               const void *src,
               void *dst,
               int offset,
               int nbytes);

/**
 * Copies nbytes bytes from the memory that process pid has registered as src, offset bytes from its start,
 * to dst, at the end of the superstep.
 *
 * Gets read before any put of this superstep writes. Gets of one process write dst in the order of the
 * calls.
 */
void bsp_get(int pid,
             const void *src,
             int offset,
             void *dst,
             int nbytes);

/**
 * As bsp_get, but without buffers: the data is read and written at any time until the end of the superstep.
 * Until then, do not change the source, and do not access dst.
 */
void bsp_hpget(int pid,
               const void *src,
               int offset,
               void *dst,
               int nbytes);

/**
 * Sets the tag size in bytes of messages sent from the next superstep on. On return, *tag_nbytes is the size
 * that the previous call has set, initially 0. All processes call it with the same size.
 */
void bsp_set_tagsize(int *tag_nbytes);

/**
 * Sends a message with a tag and a payload of payload_nbytes bytes to process pid, which has it in its queue
 * in the next superstep.
 *
 * Tag and payload are copied before the function returns. tag may be NULL if the tag size is 0.
 */
void bsp_send(int pid,
              const void *tag,
              const void *payload,
              int payload_nbytes);

/**
 * Returns the number of messages in the queue and the total size of their payloads in bytes.
 */
void bsp_qsize(int *packets, int *accumulated_nbytes);

/**
 * Copies the tag of the first message to tag; *status becomes the size of its payload in bytes, or -1 if the
 * queue is empty.
 *
 * Messages are sorted by the number of the sender, highest first; messages of one sender are in the order in
 * which they were sent.
 */
void bsp_get_tag(int *status,
                 void *tag);

/**
 * Copies the payload of the first message, at most reception_nbytes bytes, to payload, and removes the
 * message from the queue.
 */
void bsp_move(void *payload,
              int reception_nbytes);

/**
 * Removes the first message without a copy: *tag_ptr and *payload_ptr point to its tag and payload, which
 * are aligned for every type and are valid until the end of the superstep. Returns the size of the payload
 * in bytes, or -1 if the queue is empty.
 */
int bsp_hpmove(void **tag_ptr,
               void **payload_ptr);

/**
 * As bsp_init, for an SPMD part with an argument: the other processes call spmd_part(data)
 * here, and process 0 calls it itself later.
 *
 * data is passed to spmd_part of the same process; hcube does not send it to other processes.
 */
void bsp_init_with_user_data(void (*spmd_part)(void *data), int argc, char **argv, void *data);

/**
 * Copies nbytes bytes from src on process pid to dst on all processes.
 *
 * Collective, like MPI_Bcast: complete on return, and not the end of a superstep. src is used only on
 * process pid.
 */
void bsp_bcast(int pid,
               const void *src,
               void *dst,
               int nbytes);

/**
 * Combines nbytes bytes at src of all processes, in the order of the processes, by operation(result, left,
 * right, &nbytes); all processes receive the result in dst.
 *
 * Collective, like MPI_Allreduce: complete on return, and not the end of a superstep. The operation must be
 * associative, must not call functions of BSPlib, and must not leave by an exception or longjmp.
 */
void bsp_fold(void (*operation)(void *result, void *left, void *right, int *nbytes),
              const void *src,
              void *dst,
              int nbytes);

/**
 * As bsp_send, but without buffers: do not change tag and payload until the end of the superstep.
 */
void bsp_hpsend(int pid, const void *tag, const void *payload, int payload_nbytes);

/**
 * Copies nbytes bytes from the memory that process pid has registered as src, offset bytes from its start,
 * to dst; complete on return, not at the end of the superstep.
 *
 * Process pid must be on the same node, and the kernel must permit single copy (process_vm_readv); otherwise
 * the job ends with an error message.
 */
void bsp_direct_get(int pid,
                    const void *src,
                    int offset,
                    void *dst,
                    int nbytes);

/**
 * As `bsp_init`, with the types of MulticoreBSP for C.
 */
void mcbsp_init(void (*spmd_part)(void), int argc, char **argv);

/**
 * As `bsp_init_with_user_data`, with the types of MulticoreBSP for C.
 */
void mcbsp_init_with_user_data(void (*spmd_part)(void *data), int argc, char **argv, void *data);

/**
 * As `bsp_begin`, with the types of MulticoreBSP for C.
 */
void mcbsp_begin(unsigned int maxprocs);

/**
 * As `bsp_end`, with the types of MulticoreBSP for C.
 */
void mcbsp_end(void);

/**
 * As `bsp_nprocs`, with the types of MulticoreBSP for C.
 */
unsigned int mcbsp_nprocs(void);

/**
 * As `bsp_pid`, with the types of MulticoreBSP for C.
 */
unsigned int mcbsp_pid(void);

/**
 * As `bsp_time`, with the types of MulticoreBSP for C.
 */
double mcbsp_time(void);

/**
 * As `bsp_sync`, with the types of MulticoreBSP for C.
 */
void mcbsp_sync(void);

/**
 * As `bsp_push_reg`, with the types of MulticoreBSP for C.
 */
void mcbsp_push_reg(const void *ident, size_t size);

/**
 * As `bsp_pop_reg`, with the types of MulticoreBSP for C.
 */
void mcbsp_pop_reg(const void *ident);

/**
 * As `bsp_put`, with the types of MulticoreBSP for C.
 */
void mcbsp_put(unsigned int pid, const void *src, const void *dst, size_t offset, size_t nbytes);

/**
 * As `bsp_hpput`, with the types of MulticoreBSP for C.
 */
void mcbsp_hpput(unsigned int pid, const void *src, const void *dst, size_t offset, size_t nbytes);

/**
 * As `bsp_get`, with the types of MulticoreBSP for C.
 */
void mcbsp_get(unsigned int pid, const void *src, size_t offset, void *dst, size_t nbytes);

/**
 * As `bsp_hpget`, with the types of MulticoreBSP for C.
 */
void mcbsp_hpget(unsigned int pid, const void *src, size_t offset, void *dst, size_t nbytes);

/**
 * As `bsp_set_tagsize`, with the types of MulticoreBSP for C.
 */
void mcbsp_set_tagsize(size_t *tag_nbytes);

/**
 * As `bsp_send`, with the types of MulticoreBSP for C.
 */
void mcbsp_send(unsigned int pid, const void *tag, const void *payload, size_t payload_nbytes);

/**
 * As `bsp_qsize`, with the types of MulticoreBSP for C; accumulated_nbytes may be NULL.
 */
void mcbsp_qsize(unsigned int *packets, size_t *accumulated_nbytes);

/**
 * As `bsp_get_tag`, with the types of MulticoreBSP for C.
 */
void mcbsp_get_tag(size_t *status, void *tag);

/**
 * As `bsp_move`, with the types of MulticoreBSP for C.
 */
void mcbsp_move(void *payload, size_t reception_nbytes);

/**
 * As `bsp_hpmove`, with the types of MulticoreBSP for C.
 */
size_t mcbsp_hpmove(void **tag_ptr, void **payload_ptr);

/**
 * As `bsp_hpsend`, with the types of MulticoreBSP for C.
 */
void mcbsp_hpsend(unsigned int pid, const void *tag, const void *payload, size_t payload_nbytes);

/**
 * As `bsp_direct_get`, with the types of MulticoreBSP for C.
 */
void mcbsp_direct_get(unsigned int pid, const void *src, size_t offset, void *dst, size_t nbytes);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_BSP_H */

#ifdef BSP_MCBSP
#define bsp_init mcbsp_init
#define bsp_init_with_user_data mcbsp_init_with_user_data
#define bsp_begin mcbsp_begin
#define bsp_end mcbsp_end
#define bsp_nprocs mcbsp_nprocs
#define bsp_pid mcbsp_pid
#define bsp_time mcbsp_time
#define bsp_sync mcbsp_sync
#define bsp_push_reg mcbsp_push_reg
#define bsp_pop_reg mcbsp_pop_reg
#define bsp_put mcbsp_put
#define bsp_hpput mcbsp_hpput
#define bsp_get mcbsp_get
#define bsp_hpget mcbsp_hpget
#define bsp_set_tagsize mcbsp_set_tagsize
#define bsp_send mcbsp_send
#define bsp_qsize mcbsp_qsize
#define bsp_get_tag mcbsp_get_tag
#define bsp_move mcbsp_move
#define bsp_hpmove mcbsp_hpmove
#define bsp_hpsend mcbsp_hpsend
#define bsp_direct_get mcbsp_direct_get
#endif  /* BSP_MCBSP */
