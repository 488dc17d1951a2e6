/* Calls functions of the program that return derived types, as gfortran compiles them: structures, by the conventions
 * of C. Those that do not fit into registers are written where the caller says, so a caller need not know what they
 * consist of. */
#include <stddef.h>
#include <string.h>

enum { DONE, UNKNOWN_TYPE };

/* The smallest structure that is never returned in registers: on other processors, four numbers of 16 bytes may be. */
#if defined(__x86_64__)
enum { SMALLEST = 17 };
#else
enum { SMALLEST = 65 };
#endif

/* A function writes as many bytes of its result as its own type has. */
#define APPLY(size)                                                                                               \
    static void apply_##size(void (*function)(void), size_t bytes, const char *lower, char *higher, size_t count) \
    {                                                                                                             \
        typedef struct {                                                                                          \
            _Alignas(max_align_t) char bytes[size];                                                               \
        } structure;                                                                                              \
        structure one, two, result;                                                                               \
        for (size_t i = 0; i < count; i++, lower += bytes, higher += bytes) {                                     \
            memcpy(&one, lower, bytes);                                                                           \
            memcpy(&two, higher, bytes);                                                                          \
            result = ((structure(*)(const void *, const void *))function)(&one, &two);                            \
            memcpy(higher, &result, bytes);                                                                       \
        }                                                                                                         \
    }

APPLY(256)
APPLY(4096)
APPLY(65536)

int hcube_caf_apply_structure(void (*function)(void), int by_value, size_t bytes, const char *lower, char *higher,
                              size_t count)
{
    if (by_value || bytes < SMALLEST || bytes > 65536) return UNKNOWN_TYPE;
    (bytes <= 256 ? apply_256 : bytes <= 4096 ? apply_4096 : apply_65536)(function, bytes, lower, higher, count);
    return DONE;
}
