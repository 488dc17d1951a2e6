/* Combines elements of all types that gfortran passes to its reductions. Blocks need not be aligned. */
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { INTEGER = 1, LOGICAL = 2, REAL = 3, COMPLEX = 4, DERIVED = 5, CHARACTER = 6 };
enum { SUM, MIN, MAX };
enum { DONE, UNKNOWN_TYPE };

#define UNALIGNED(type) typedef type __attribute__((aligned(1), may_alias)) unaligned

/* Combines blocks of numbers: expression of a, of a lower rank, and b. */
#define LOOP(type, expression)                      \
    do {                                            \
        UNALIGNED(type);                            \
        const unaligned *one = (const void *)lower; \
        unaligned *two = (void *)higher;            \
        for (size_t i = 0; i < count; i++) {        \
            type a = one[i], b = two[i];            \
            two[i] = (expression);                  \
        }                                           \
        return DONE;                                \
    } while (0)

#define NUMBERS(type)                    \
    switch (operation) {                 \
    case SUM: LOOP(type, a + b);         \
    case MIN: LOOP(type, b < a ? b : a); \
    default: LOOP(type, b > a ? b : a);  \
    }

/* Sums of integers wrap. */
#define INTEGERS(type)                          \
    switch (operation) {                        \
    case SUM: LOOP(unsigned type, a + b);       \
    case MIN: LOOP(signed type, b < a ? b : a); \
    default: LOOP(signed type, b > a ? b : a);  \
    }

static int compare(const char *one, const char *other, size_t bytes, int parameter)
{
    if (parameter == 1) return memcmp(one, other, bytes);
    for (size_t at = 0; at < bytes; at += sizeof(uint32_t)) {
        uint32_t a, b;
        memcpy(&a, one + at, sizeof a);
        memcpy(&b, other + at, sizeof b);
        if (a != b) return a < b ? -1 : 1;
    }
    return 0;
}

/* Leaves the smaller or the larger one of two texts in the higher block. */
static int choose_text(int operation, size_t bytes, int parameter, const char *lower, char *higher, size_t count)
{
    for (size_t i = 0; i < count; i++, lower += bytes, higher += bytes) {
        int order = compare(lower, higher, bytes, parameter);
        if (operation == MIN ? order < 0 : order > 0) memcpy(higher, lower, bytes);
    }
    return DONE;
}

int hcube_caf_combine(int operation, int type, size_t bytes, int parameter, const char *lower, char *higher,
                      size_t count)
{
    if (type == CHARACTER && operation != SUM) return choose_text(operation, bytes, parameter, lower, higher, count);
    if (type == COMPLEX && operation == SUM) {
        type = REAL;
        bytes /= 2;
        count *= 2;
    }
    if (type == INTEGER) {
        switch (bytes) {
        case 1: INTEGERS(char)
        case 2: INTEGERS(short)
        case 4: INTEGERS(int)
        case 8: INTEGERS(long)
        case 16: INTEGERS(__int128)
        }
    }
    if (type == REAL) {
        switch (bytes) {
        case 4: NUMBERS(float)
        case 8: NUMBERS(double)
        case 16: NUMBERS(long double)
        }
    }
    return UNKNOWN_TYPE;
}

/* Functions of the program, with arguments by reference or by value. */
#define CALL(type)                                                                       \
    do {                                                                                 \
        UNALIGNED(type);                                                                 \
        const unaligned *one = (const void *)lower;                                      \
        unaligned *two = (void *)higher;                                                 \
        for (size_t i = 0; i < count; i++) {                                             \
            type a = one[i], b = two[i];                                                 \
            two[i] = by_value ? ((type(*)(type, type))function)(a, b)                    \
                              : ((type(*)(const type *, const type *))function)(&a, &b); \
        }                                                                                \
        return DONE;                                                                     \
    } while (0)

int hcube_caf_apply_structure(void (*function)(void), int by_value, size_t bytes, const char *lower, char *higher,
                              size_t count);

typedef void text_function(char *result, size_t result_length, const char *a, const char *b, size_t a_length,
                           size_t b_length);

int hcube_caf_apply(void (*function)(void), int by_value, int type, size_t bytes, int parameter, const char *lower,
                    char *higher, size_t count)
{
    if (type == DERIVED) return hcube_caf_apply_structure(function, by_value, bytes, lower, higher, count);
    if (type == CHARACTER) {
        size_t length = bytes / parameter;
        char result[bytes + 1];
        for (size_t i = 0; i < count; i++, lower += bytes, higher += bytes) {
            ((text_function *)function)(result, length, lower, higher, length, length);
            memcpy(higher, result, bytes);
        }
        return DONE;
    }
    if (type == INTEGER || type == LOGICAL) {
        switch (bytes) {
        case 1: CALL(int8_t);
        case 2: CALL(int16_t);
        case 4: CALL(int32_t);
        case 8: CALL(int64_t);
        case 16: CALL(__int128);
        }
    }
    if (type == REAL) {
        switch (bytes) {
        case 4: CALL(float);
        case 8: CALL(double);
        case 16: CALL(long double);
        }
    }
    if (type == COMPLEX) {
        switch (bytes) {
        case 8: CALL(float _Complex);
        case 16: CALL(double _Complex);
        case 32: CALL(long double _Complex);
        }
    }
    return UNKNOWN_TYPE;
}
