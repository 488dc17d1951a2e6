/* CMultiQueue of BSPWrapper: one queue of elements for each destination (Krusche 2005, appendix A.1).
 *
 * May be included without BSPWrapper.h. An invalid argument ends the job by bsp_abort with a line that names class,
 * function, argument and value. */
#ifndef BSPWRAPPER_MULTIQUEUE_H
#define BSPWRAPPER_MULTIQUEUE_H

#include "avector.h"

#include <string.h>

namespace BSPWrapper
{

/* qcount queues of elements of type _t, which must be trivially copyable, for example numbers and structures of
 * numbers. Queues are numbered from 0. Lengths count elements, except in ToArray and FromArray, where counts and
 * displacements are in bytes, as MPI_Alltoallv expects them with MPI_CHAR.
 *
 * Memory: the capacity of a queue doubles when it is full, rounded up to a multiple of its alignment, and is kept until
 * Reset, SetSize or destruction. */
template <class _t>
class CMultiQueue
{
   public:
    /* qcount empty queues with a capacity of _qbmin elements each, rounded up to a multiple of the alignment _qbgrow (1
     * or more). */
    CMultiQueue(int qcount = 0, int _qbmin = 0, int _qbgrow = 1) : queues(NULL), total(0), least(0), alignment(1)
    {
        allocate("CMultiQueue::CMultiQueue", qcount, _qbmin, _qbgrow);
    }

    /* As an object without queues, then FromArray. */
    CMultiQueue(int qcount, void *array, int counts[], int displs[]) : queues(NULL), total(0), least(0), alignment(1)
    {
        fill("CMultiQueue::CMultiQueue", qcount, array, counts, displs);
    }

    CMultiQueue(const CMultiQueue &other) : queues(NULL), total(0), least(0), alignment(1)
    {
        copy(other);
    }
    CMultiQueue &operator=(const CMultiQueue &other)
    {
        if (this != &other) copy(other);
        return *this;
    }

    ~CMultiQueue()
    {
        delete[] queues;
    }

    /* Sets the number of queues, and capacity and alignment of each as in the constructor. Queues numbered below both
     * the old and the new number keep their elements. */
    void SetSize(int qcount, int _qbmin = 0, int _qbgrow = 1)
    {
        allocate("CMultiQueue::SetSize", qcount, _qbmin, _qbgrow);
    }

    /* Empties all queues, and frees their memory except the initial capacity. */
    void Reset()
    {
        for (int number = 0; number < total; number++) {
            queues[number].begin = queues[number].end = 0;
            queues[number].buffer.SetSize(least, alignment);
        }
    }

    /* Appends copies of count elements at data to queue qnr. data must not be part of this queue. */
    void Enqueue(int qnr, const _t *data, int count)
    {
        const char *function = "CMultiQueue::Enqueue";
        Queue &queue = at(function, qnr);
        detail::not_negative(function, "count", count);
        detail::address(function, "data", data, count);
        queue.append(function, data, count);
    }

    /* Returns the elements of queue qnr without removing them: data receives the address of the first element, count
     * their number; NULL and 0 if the queue is empty. The address is valid until the queue is changed. */
    void Head(int qnr, _t *&data, int &count)
    {
        at("CMultiQueue::Head", qnr).head(data, count);
    }

    /* Removes the first _count elements of queue qnr, 0 to its length. */
    void DeleteHead(int qnr, int _count)
    {
        at("CMultiQueue::DeleteHead", qnr).remove("CMultiQueue::DeleteHead", "_count", _count);
    }

    /* As Head, for the first queue that is not empty; NULL and 0 if all queues are empty. */
    void FirstHead(_t *&data, int &count)
    {
        Queue *queue = first();
        data = NULL;
        count = 0;
        if (queue != NULL) queue->head(data, count);
    }

    /* As DeleteHead, for the first queue that is not empty. */
    void DeleteFirstHead(int count)
    {
        const char *function = "CMultiQueue::DeleteFirstHead";
        Queue *queue = first();
        if (queue != NULL) queue->remove(function, "count", count);
        else if (count != 0) detail::fail(function, "count = %d: expected 0, because all queues are empty", count);
    }

    /* Copies the elements of all queues to a new array, one queue after the other: the elements of queue q are the
     * charcounts[q] bytes at array + chardispls[q]. The queues are unchanged. The caller frees the three arrays by
     * delete[].
     */
    void ToArray(char *&array, int *&charcounts, int *&chardispls)
    {
        const char *function = "CMultiQueue::ToArray";
        size_t bytes = 0;
        for (int number = 0; number < total; number++) bytes += bytes_of(queues[number].length());
        if (bytes > INT_MAX)
            detail::fail(function, "the queues have %lu bytes: expected at most %d", static_cast<unsigned long>(bytes),
                         INT_MAX);
        charcounts = new int[static_cast<size_t>(total)];
        chardispls = new int[static_cast<size_t>(total)];
        array = new char[bytes];
        int begin = 0;
        for (int number = 0; number < total; number++) {
            const int of_queue = static_cast<int>(bytes_of(queues[number].length()));
            charcounts[number] = of_queue;
            chardispls[number] = begin;
            if (of_queue > 0)
                memcpy(array + begin, queues[number].buffer.data + queues[number].begin, static_cast<size_t>(of_queue));
            begin += of_queue;
        }
    }

    /* Replaces all queues by qcount queues with the elements of an array: queue q receives the counts[q] bytes at array
     * + displs[q]. Counts are multiples of sizeof(_t); displacements need no alignment. The elements are copied; the
     * caller keeps ownership of the three arrays. */
    void FromArray(int qcount, void *array, int counts[], int displs[])
    {
        fill("CMultiQueue::FromArray", qcount, array, counts, displs);
    }

   private:
    static size_t bytes_of(int elements)
    {
        return static_cast<size_t>(elements) * sizeof(_t);
    }

    struct Queue {
        CAVector<_t> buffer;
        /* The elements are begin to end - 1 of the buffer. */
        int begin, end;

        Queue() : begin(0), end(0)
        {
        }

        int length() const
        {
            return end - begin;
        }

        void head(_t *&data, int &count)
        {
            count = length();
            data = count > 0 ? buffer.data + begin : NULL;
        }

        void append(const char *function, const void *data, int count)
        {
            if (count == 0) return;
            if (count > INT_MAX - length())
                detail::fail(function, "count = %d: expected at most %d, with %d elements in the queue", count,
                             INT_MAX - length(), length());
            if (count > buffer.Size() - end) {
                /* Reuse the space of removed elements before allocating. */
                if (begin > 0) memmove(buffer.data, buffer.data + begin, bytes_of(length()));
                end -= begin;
                begin = 0;
                const int twice = buffer.Size() > INT_MAX / 2 ? INT_MAX : 2 * buffer.Size();
                if (count > buffer.Size() - end) grow(twice > end + count ? twice : end + count);
            }
            memcpy(buffer.data + end, data, bytes_of(count));
            end += count;
        }

        void grow(int room)
        {
            /* Put keeps the alignment. */
            const _t none = _t();
            buffer.Put(&none, room - 1, 1);
        }

        void remove(const char *function, const char *name, int count)
        {
            if (count < 0 || count > length())
                detail::fail(function, "%s = %d: expected 0 to %d, the length of the queue", name, count, length());
            begin += count;
            if (begin == end) begin = end = 0;
        }
    };

    Queue *queues;
    int total;
    /* Initial capacity and alignment of a queue. */
    int least, alignment;

    Queue &at(const char *function, int qnr)
    {
        if (qnr < 0 || qnr >= total) {
            if (total == 0) detail::fail(function, "qnr = %d: expected none, because there are no queues", qnr);
            detail::below(function, "qnr", qnr, total);
        }
        return queues[qnr];
    }

    Queue *first()
    {
        for (int number = 0; number < total; number++)
            if (queues[number].length() > 0) return queues + number;
        return NULL;
    }

    void allocate(const char *function, int qcount, int qbmin, int qbgrow)
    {
        detail::not_negative(function, "qcount", qcount);
        detail::not_negative(function, "_qbmin", qbmin);
        detail::positive(function, "_qbgrow", qbgrow);
        Queue *old = queues;
        const int kept = qcount < total ? qcount : total;
        queues = new Queue[static_cast<size_t>(qcount)];
        for (int number = 0; number < qcount; number++) {
            queues[number].buffer.SetSize(qbmin, qbgrow);
            if (number < kept && old[number].length() > 0)
                queues[number].append(function, old[number].buffer.data + old[number].begin, old[number].length());
        }
        total = qcount;
        least = qbmin;
        alignment = qbgrow;
        delete[] old;
    }

    void fill(const char *function, int qcount, const void *array, const int counts[], const int displs[])
    {
        detail::not_negative(function, "qcount", qcount);
        detail::address(function, "counts", counts, qcount);
        detail::address(function, "displs", displs, qcount);
        Queue *filled = new Queue[static_cast<size_t>(qcount)];
        for (int number = 0; number < qcount; number++) {
            const int bytes = counts[number];
            if (bytes < 0 || bytes % static_cast<int>(sizeof(_t)) != 0)
                detail::fail(function, "counts[%d] = %d: expected a multiple of %d, the bytes of an element", number,
                             bytes, static_cast<int>(sizeof(_t)));
            if (bytes > 0 && displs[number] < 0)
                detail::fail(function, "displs[%d] = %d: expected 0 or more", number, displs[number]);
            detail::address(function, "array", array, bytes / static_cast<int>(sizeof(_t)));
            filled[number].buffer.SetSize(least, alignment);
            if (bytes > 0)
                filled[number].append(function, static_cast<const char *>(array) + displs[number],
                                      bytes / static_cast<int>(sizeof(_t)));
        }
        delete[] queues;
        queues = filled;
        total = qcount;
    }

    void copy(const CMultiQueue &other)
    {
        Queue *copied = new Queue[static_cast<size_t>(other.total)];
        for (int number = 0; number < other.total; number++) copied[number] = other.queues[number];
        delete[] queues;
        queues = copied;
        total = other.total;
        least = other.least;
        alignment = other.alignment;
    }
};

} /* namespace BSPWrapper */

#endif /* BSPWRAPPER_MULTIQUEUE_H */
