/*
 * Included before HPCC's stream.c when that is compiled a second time: allocates its three vectors
 * in hcube's memory, and replaces the kernels by hcube_stream.c.
 */
#ifndef HCUBE_HPCC_STREAM_H
#define HCUBE_HPCC_STREAM_H

#include <hpcc.h>

/* The three vectors in the order in which HPCC allocates them, then ordinary memory. */
void *hcube_hpcc_stream_allocate(size_t elements, size_t bytes);
void hcube_hpcc_stream_free(void *memory);

#undef HPCC_XMALLOC
#define HPCC_XMALLOC(type, elements) ((type *)hcube_hpcc_stream_allocate(elements, sizeof(type)))
#undef HPCC_free
#define HPCC_free hcube_hpcc_stream_free

/* HPCC defines the kernels in the same file: the definitions of hcube_stream.c replace these. */
#pragma weak tuned_STREAM_Copy
#pragma weak tuned_STREAM_Scale
#pragma weak tuned_STREAM_Add
#pragma weak tuned_STREAM_Triad

#endif
