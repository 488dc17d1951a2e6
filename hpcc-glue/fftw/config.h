/* Stands in for the config.h that FFTW's configure writes, so that the glue and
 * FFTW's benchmark program compile against FFTW's headers without a configured
 * tree. It describes a 64-bit Linux with the GNU C library, which is where the
 * libraries built with it run.
 *
 * Settings that determine the layout of FFTW's structures must match the FFTW that
 * the glue is loaded into: sizes of types, and the clock (crude_time is a struct
 * timeval). SIMD units are omitted on purpose: they change alignments inside FFTW,
 * on which no header that the glue uses depends.
 *
 * In an FFTW tree (patch-fftw.sh) this file is not used.
 */
#ifndef HCUBE_FFTW_CONFIG_H
#define HCUBE_FFTW_CONFIG_H

#define PACKAGE "fftw"
#define VERSION "3.3.10"

#define SIZEOF_FLOAT __SIZEOF_FLOAT__
#define SIZEOF_DOUBLE __SIZEOF_DOUBLE__
#define SIZEOF_INT __SIZEOF_INT__
#define SIZEOF_UNSIGNED_INT __SIZEOF_INT__
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_UNSIGNED_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_UNSIGNED_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_PTRDIFF_T __SIZEOF_PTRDIFF_T__
#define SIZEOF_VOID_P __SIZEOF_POINTER__

#define HAVE_STDDEF_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE_MALLOC_H 1
#define HAVE_UINTPTR_T 1

#define TIME_WITH_SYS_TIME 1
#define HAVE_SYS_TIME_H 1
#define HAVE_GETTIMEOFDAY 1

/* For the benchmark program. */
#define HAVE_SNPRINTF 1
#define HAVE_ISNAN 1
#define HAVE_COSL 1
#define HAVE_DRAND48 1
#define HAVE_MEMALIGN 1
#define HAVE_POSIX_MEMALIGN 1
#define HAVE_DECL_DRAND48 1
#define HAVE_DECL_SRAND48 1
#define HAVE_DECL_MEMALIGN 1
#define HAVE_DECL_POSIX_MEMALIGN 1

#endif
