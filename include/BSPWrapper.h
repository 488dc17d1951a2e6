/* BSPWrapper.h: the C++ interface to BSPlib of Krusche 2005 (section 2.6 and appendix A.1), on bsp.h.
 *
 * Valid C++98 and later; no library in addition to BSPlib is needed. Compile and link with bspcxx, start with bsprun.
 *
 *     #include <BSPWrapper.h>
 *     using namespace BSPWrapper;
 *
 *     int main(int argc, char **argv)
 *     {
 *         Init(argc, argv);
 *         int left = -1;
 *         PushReg(&left, sizeof left);
 *         Sync();
 *         Put((Pid + 1) % P, &Pid, &left, 0, sizeof left);
 *         Sync();
 *         Print(0, "process 0 has heard of %d\n", left);
 *         Exit();
 *     }
 *
 * All processes call Init and Exit; the calls between them are supersteps, which Sync ends. Counts, lengths, sizes and
 * offsets are bytes, and processes are numbers from 0 to P - 1. Memory that is passed remains the caller's. An error
 * ends the job within a second on all processes; a line on standard error names process, function, argument and value.
 * Functions of bsp.h may be called as well, in either dialect.
 *
 * CAVector and CMultiQueue are in BSPWrapper/avector.h and BSPWrapper/multiqueue.h, which this header includes. In the
 * thesis they are not in a namespace: they are global names as well, unless BSPWRAPPER_NO_GLOBAL_NAMES is defined.
 */
#ifndef BSPWRAPPER_H
#define BSPWRAPPER_H

#include "BSPWrapper/avector.h"
#include "BSPWrapper/detail.h"
#include "BSPWrapper/multiqueue.h"

namespace BSPWrapper
{

/* Number of processes, from Init on; 0 before. */
static int &P BSPWRAPPER_UNUSED = detail::Process<0>::count;

/* This process, 0 to P - 1, from Init on; -1 before. */
static int &Pid BSPWRAPPER_UNUSED = detail::Process<0>::number;

/* Begins the SPMD part with all processes of the job, and initialises MPI if the program has not. Call it once, on all
 * processes, with the arguments of main, which are not used. */
inline void Init(int argc, char **argv)
{
    static_cast<void>(argc);
    static_cast<void>(argv);
    bsp_begin(bsp_nprocs());
    detail::Process<0>::count = static_cast<int>(bsp_nprocs());
    detail::Process<0>::number = static_cast<int>(bsp_pid());
}

/* Ends the SPMD part on all processes. Communication that was requested since the last Sync is not performed. */
inline void Exit()
{
    bsp_end();
}

/* Ends the superstep on all processes: gets read, then puts write, and messages are in the queues of their receivers.
 */
inline void Sync()
{
    bsp_sync();
}

/* Registers len bytes at data from the next superstep on. All processes call it, in the same order. A process refers to
 * the memory of other processes by the address that it passed itself in the same call. The memory must stay allocated
 * until PopReg and the following Sync. A process without memory to register passes NULL and length 0. */
inline void PushReg(const void *data, int len)
{
    bsp_push_reg(data, detail::size("PushReg", "len", len));
}

/* Removes the latest registration of data at the end of the superstep. All processes call it, in the same order. */
inline void PopReg(const void *data)
{
    bsp_pop_reg(data);
}

/* Copies count bytes from src to the memory that process pid_dest has registered as dest, offset bytes from its start.
 * src is copied before the function returns; dest is written at the end of the superstep, after all gets have read. */
inline void Put(int pid_dest, const void *src, void *dest, int offset, int count)
{
    bsp_put(detail::process("Put", "pid_dest", pid_dest), src, dest, detail::size("Put", "offset", offset),
            detail::size("Put", "count", count));
}

/* Copies count bytes from the memory that process pid_from has registered as src, offset bytes from its start, to dest
 * at the end of the superstep. Gets read before any put of this superstep writes. */
inline void Get(int pid_from, const void *src, int offset, void *dest, int count)
{
    bsp_get(detail::process("Get", "pid_from", pid_from), src, detail::size("Get", "offset", offset), dest,
            detail::size("Get", "count", count));
}

/* As Put, but without buffers: the data is read and written at any time until the end of the superstep. Until then, do
 * not change src; the destination is undefined. */
inline void HpPut(int pid_dest, const void *src, void *dest, int offset, int count)
{
    bsp_hpput(detail::process("HpPut", "pid_dest", pid_dest), src, dest, detail::size("HpPut", "offset", offset),
              detail::size("HpPut", "count", count));
}

/* As Get, but without buffers: the data is read and written at any time until the end of the superstep. Until then, do
 * not change the source; dest is undefined. */
inline void HpGet(int pid_from, const void *src, int offset, void *dest, int count)
{
    bsp_hpget(detail::process("HpGet", "pid_from", pid_from), src, detail::size("HpGet", "offset", offset), dest,
              detail::size("HpGet", "count", count));
}

/* Sets the tag size in bytes of messages sent from the next superstep on; initially 0. All processes call it with the
 * same size. */
inline void SetTagSize(int sz)
{
    bsp_size_t size = detail::size("SetTagSize", "sz", sz);
    bsp_set_tagsize(&size);
}

/* Sends a message with a tag and a payload of count bytes to process pid, which has it in its queue in the next
 * superstep. Tag and message are copied before the function returns. tag may be NULL if the tag size is 0. */
inline void Send(int pid, const void *tag, const void *message, int count)
{
    bsp_send(detail::process("Send", "pid", pid), tag, message, detail::size("Send", "count", count));
}

/* As Send, but without buffers: do not change tag and message until the end of the superstep. */
inline void HpSend(int pid, const void *tag, const void *message, int count)
{
    bsp_hpsend(detail::process("HpSend", "pid", pid), tag, message, detail::size("HpSend", "count", count));
}

/* Sets *status to the size of the first message in the queue in bytes, which may be 0, and copies its tag to tag. If
 * the queue is empty, *status is -1 and tag is unchanged. The message stays in the queue. */
inline void GetTag(int *status, void *tag)
{
    if (status == NULL) detail::fail("GetTag", "status = NULL: expected an address");
    bsp_size_t size = 0;
    bsp_get_tag(&size, tag);
    *status = static_cast<int>(size);
}

/* The same with references, as in the example of the thesis. A tag of type int may be passed by reference if the tag
 * size is sizeof(int). */
inline void GetTag(int &status, void *tag)
{
    GetTag(&status, tag);
}
inline void GetTag(int *status, int &tag)
{
    GetTag(status, static_cast<void *>(&tag));
}
inline void GetTag(int &status, int &tag)
{
    GetTag(&status, static_cast<void *>(&tag));
}

/* Copies at most size bytes of the first message to data, and removes the message from the queue, which must not be
 * empty.
 */
inline void Move(void *data, int size)
{
    bsp_move(data, detail::size("Move", "size", size));
}

/* The same with a reference to the first byte of the destination, as in the example of the thesis. */
inline void Move(char &data, int size)
{
    Move(static_cast<void *>(&data), size);
}

/* Removes the first message from the queue without a copy: data receives its address, which is aligned for every type
 * and valid until the end of the superstep, and size its size in bytes. If the queue is empty, they receive NULL and
 * -1. */
inline void HpMove(void *&data, int &size)
{
    void *tag = NULL;
    data = NULL;
    size = static_cast<int>(bsp_hpmove(&tag, &data));
    if (size < 0) data = NULL;
}

/* Copies count bytes from src on process pid to dest on all processes. Collective, like MPI_Bcast: complete on return,
 * and not the end of a superstep. src is used only on process pid. */
inline void Broadcast(int pid, int count, const void *src, void *dest)
{
    bsp_bcast(pid, src, dest, count);
}

/* Combines count bytes at src of all processes, in the order of the processes, by fun(result, a, b, &count); all
 * processes receive the result in dest. Collective; complete on return, and not the end of a superstep. fun must be
 * associative and must not call functions of BSPWrapper. */
inline void Fold(const void *src, void *dest, int count, void fun(char *, char *, char *, int *))
{
    /* The cast is valid because char * and void * have the same representation. */
    bsp_fold(reinterpret_cast<void (*)(void *, void *, void *, int *)>(fun), src, dest, count);
}

/* Returns the wall-clock time since Init in seconds, from the local clock of this process. */
inline double Time()
{
    return bsp_time();
}

/* Prints in the format of printf on process pid, or on all processes if pid is negative; no process prints if pid >= P.
 * Flushes standard output before it returns. */
inline void Print(int pid, const char *format, ...) BSP_FORMAT(2, 3);
inline void Print(int pid, const char *format, ...)
{
    if (pid >= 0 && pid != detail::Process<0>::number) return;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    fflush(stdout);
}

} /* namespace BSPWrapper */

#ifndef BSPWRAPPER_NO_GLOBAL_NAMES
using BSPWrapper::CAVector;
using BSPWrapper::CMultiQueue;
#endif

#endif /* BSPWRAPPER_H */
