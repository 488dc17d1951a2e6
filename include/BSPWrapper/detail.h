/* Internal parts of the headers of BSPWrapper; not for use in programs. */
#ifndef BSPWRAPPER_DETAIL_H
#define BSPWRAPPER_DETAIL_H

#include "../bsp.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#if defined(__GNUC__)
#define BSPWRAPPER_UNUSED __attribute__((__unused__))
#else
#define BSPWRAPPER_UNUSED
#endif

namespace BSPWrapper
{
namespace detail
{

/* The variables behind P and Pid. They are static members of a template, because C++98 permits their definition in a
 * header that several files of a program include. */
template <int unused>
struct Process {
    static int count;
    static int number;
};
template <int unused>
int Process<unused>::count = 0;
template <int unused>
int Process<unused>::number = -1;

/* Ends the job with a message in the format of the library. */
inline void fail(const char *function, const char *format, ...) BSP_FORMAT(2, 3);
inline void fail(const char *function, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (Process<0>::number < 0) bsp_abort("hcube: %s: %s\n", function, text);
    else bsp_abort("hcube: process %d: %s: %s\n", Process<0>::number, function, text);
}

/* Checks that an argument is at least 0. */
inline int not_negative(const char *function, const char *name, int value)
{
    if (value < 0) fail(function, "%s = %d: expected 0 or more", name, value);
    return value;
}

/* Checks that an argument is at least 1. */
inline int positive(const char *function, const char *name, int value)
{
    if (value < 1) fail(function, "%s = %d: expected 1 or more", name, value);
    return value;
}

/* Checks that an argument lies from 0 to count - 1. */
inline int below(const char *function, const char *name, int value, int count)
{
    if (value >= 0 && value < count) return value;
    if (count == 0) fail(function, "%s = %d: expected none, because the length is 0", name, value);
    else fail(function, "%s = %d: expected 0 to %d", name, value, count - 1);
    return value;
}

/* Checks that an address is not NULL if count is not 0. */
inline void address(const char *function, const char *name, const void *value, int count)
{
    if (value == NULL && count > 0) fail(function, "%s = NULL: expected an address of %d elements", name, count);
}

/* A size in the type of the dialect of bsp.h. */
inline bsp_size_t size(const char *function, const char *name, int value)
{
    return static_cast<bsp_size_t>(not_negative(function, name, value));
}

/* A process in the type of the dialect of bsp.h; the library checks that it is below the number of processes. */
inline bsp_pid_t process(const char *function, const char *name, int value)
{
    return static_cast<bsp_pid_t>(not_negative(function, name, value));
}

} /* namespace detail */
} /* namespace BSPWrapper */

#endif /* BSPWRAPPER_DETAIL_H */
