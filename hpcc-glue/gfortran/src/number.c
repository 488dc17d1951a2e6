/* Numbers of the kinds for which Rust has no types: the long double of the platform and 128-bit floating point. */
#include <complex.h>
#include <stdint.h>
#include <string.h>

#ifdef __SIZEOF_FLOAT128__
typedef __float128 wide;
#else
typedef long double wide;
#endif

enum { REAL_4 = 4, REAL_8 = 8, REAL_10 = 10, REAL_16 = 16 };

/* Reads a real number of a kind. */
static wide load(const char *from, int kind)
{
    float single;
    double twice;
    long double extended;
    wide result;
    switch (kind) {
    case REAL_4: memcpy(&single, from, sizeof single); return single;
    case REAL_8: memcpy(&twice, from, sizeof twice); return twice;
    case REAL_10: memcpy(&extended, from, sizeof extended); return extended;
    default: memcpy(&result, from, sizeof result); return result;
    }
}

/* Writes a real number as one of a kind. */
static void store(char *to, int kind, wide value)
{
    float single = value;
    double twice = value;
    long double extended = value;
    switch (kind) {
    case REAL_4: memcpy(to, &single, sizeof single); break;
    case REAL_8: memcpy(to, &twice, sizeof twice); break;
    case REAL_10: memcpy(to, &extended, sizeof extended); break;
    default: memcpy(to, &value, sizeof value);
    }
}

void hcube_caf_real_from_real(char *to, int to_kind, const char *from, int from_kind)
{
    store(to, to_kind, load(from, from_kind));
}

/* The integer comes and goes in two halves. */
void hcube_caf_real_from_integer(char *to, int to_kind, int64_t high, uint64_t low)
{
    store(to, to_kind, (wide)high * 18446744073709551616.0L + (wide)low);
}

void hcube_caf_integer_from_real(int64_t *high, uint64_t *low, const char *from, int from_kind)
{
    __int128 value = (__int128)load(from, from_kind);
    *high = (int64_t)(value >> 64);
    *low = (uint64_t)value;
}
