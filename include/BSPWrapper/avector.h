/* CAVector of BSPWrapper: a vector whose memory is passed to communication functions (Krusche 2005, appendix A.1).
 *
 * May be included without BSPWrapper.h. An invalid argument ends the job by bsp_abort with a line that names class,
 * function, argument and value. A failed allocation throws std::bad_alloc, which ends the job as well. */
#ifndef BSPWRAPPER_AVECTOR_H
#define BSPWRAPPER_AVECTOR_H

#include "detail.h"

namespace BSPWrapper
{

/* A vector of elements of type _t, which must be default-constructible and assignable. All lengths and indices count
 * elements. The length of a vector that owns its memory is rounded up to a multiple of its alignment. New elements are
 * value-initialised: zero for numbers.
 *
 * Memory: only the elements. A change of the length reallocates them, so the address in `data` changes: deregister it
 * before (PopReg, Sync), and register the new address afterwards. */
template <class _t>
class CAVector
{
   public:
    /* The elements, for communication functions: NULL in a vector of length 0. Do not assign to it. */
    _t *data;

    /* An empty vector of alignment 1. */
    CAVector() : data(NULL), length(0), alignment(1), is_own(true)
    {
    }

    /* A vector on the cnt elements at buffer, which are not copied. The caller keeps ownership of the buffer and frees
     * it after the vector. A function that changes the length first copies the elements to memory that the vector owns.
     */
    CAVector(int cnt, _t *buffer) : data(NULL), length(0), alignment(1), is_own(false)
    {
        detail::address("CAVector::CAVector", "buffer", buffer, detail::not_negative("CAVector::CAVector", "cnt", cnt));
        length = cnt;
        data = cnt > 0 ? buffer : NULL;
    }

    /* A vector of _size elements, rounded up to a multiple of _g, the alignment of the length (1 or more). */
    CAVector(int _size, int _g = 1) : data(NULL), length(0), alignment(1), is_own(true)
    {
        resize("CAVector::CAVector", "_size", _size, "_g", _g);
    }

    /* A copy that owns its elements. */
    CAVector(const CAVector &other) : data(NULL), length(0), alignment(other.alignment), is_own(true)
    {
        copy(other);
    }

    /* Replaces the elements by copies of the elements of another vector; this vector owns them. */
    CAVector &operator=(const CAVector &other)
    {
        if (this != &other) {
            release();
            alignment = other.alignment;
            copy(other);
        }
        return *this;
    }

    /* Frees the elements, unless they are in a buffer of the caller. */
    ~CAVector()
    {
        release();
    }

    /* Number of elements. (Not in the thesis.) */
    int Size() const
    {
        return length;
    }

    /* The element at index, 0 to Size() - 1. The reference is valid until the length changes. */
    _t &operator[](int index)
    {
        if (index < 0 || index >= length) detail::below("CAVector::operator[]", "index", index, length);
        return data[index];
    }
    const _t &operator[](int index) const
    {
        if (index < 0 || index >= length) detail::below("CAVector::operator[]", "index", index, length);
        return data[index];
    }

    /* Copies len elements from _data to the elements from index on; increases the length if they do not fit. _data must
     * not be part of this vector. */
    void Put(const _t *_data, int index, int len)
    {
        const char *function = "CAVector::Put";
        detail::not_negative(function, "index", index);
        detail::not_negative(function, "len", len);
        detail::address(function, "_data", _data, len);
        if (len > INT_MAX - index)
            detail::fail(function, "index + len exceeds %d: index = %d, len = %d", INT_MAX, index, len);
        if (len > 0 && index + len > length) resize(function, "index + len", index + len, "alignment", alignment);
        for (int number = 0; number < len; number++) data[index + number] = _data[number];
    }

    /* Copies at most len elements, from index on, to _data. Returns the number of copied elements: fewer than len at
     * the end of the vector, and 0 if index >= Size(). */
    int Get(int index, _t *_data, int len)
    {
        const char *function = "CAVector::Get";
        detail::not_negative(function, "index", index);
        detail::not_negative(function, "len", len);
        const int left = index < length ? length - index : 0;
        const int count = len < left ? len : left;
        detail::address(function, "_data", _data, count);
        for (int number = 0; number < count; number++) _data[number] = data[index + number];
        return count;
    }

    /* Sets the length to _size elements, rounded up to a multiple of _grow, the new alignment (1 or more). Elements
     * below both the old and the new length keep their values. */
    void SetSize(int _size, int _grow = 1)
    {
        resize("CAVector::SetSize", "_size", _size, "_grow", _grow);
    }

    /* Reduces the length to newcount elements, rounded up to a multiple of the alignment; no effect on a shorter
     * vector. The remaining elements keep their values. */
    void Shrink(int newcount)
    {
        if (detail::not_negative("CAVector::Shrink", "newcount", newcount) < length)
            resize("CAVector::Shrink", "newcount", newcount, "alignment", alignment);
    }

   private:
    int length;
    int alignment;
    /* Whether the vector owns the elements. */
    bool is_own;

    void release()
    {
        if (is_own) delete[] data;
        data = NULL;
        length = 0;
        is_own = true;
    }

    void copy(const CAVector &other)
    {
        if (other.length > 0) data = new _t[static_cast<size_t>(other.length)]();
        length = other.length;
        for (int number = 0; number < length; number++) data[number] = other.data[number];
    }

    /* Sets length and alignment. Error messages use the names. */
    void resize(const char *function, const char *name, int wanted, const char *grow_name, int grow)
    {
        detail::not_negative(function, name, wanted);
        detail::positive(function, grow_name, grow);
        const int rest = wanted % grow;
        if (rest > 0 && wanted > INT_MAX - (grow - rest))
            detail::fail(function, "%s = %d: expected at most %d with %s = %d", name, wanted, INT_MAX / grow * grow,
                         grow_name, grow);
        const int rounded = rest > 0 ? wanted + (grow - rest) : wanted;
        alignment = grow;
        if (rounded == length) return;
        _t *elements = rounded > 0 ? new _t[static_cast<size_t>(rounded)]() : NULL;
        const int kept = rounded < length ? rounded : length;
        for (int number = 0; number < kept; number++) elements[number] = data[number];
        release();
        data = elements;
        length = rounded;
    }
};

} /* namespace BSPWrapper */

#endif /* BSPWRAPPER_AVECTOR_H */
