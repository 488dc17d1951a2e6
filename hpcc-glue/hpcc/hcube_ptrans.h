/*
 * Included before HPCC's pdtransdriver.c when that is compiled a second time: allocates its
 * matrices in memory that ranks of a node share, and replaces its transposition by hcube_ptrans.c.
 */
#ifndef HCUBE_HPCC_PTRANS_H
#define HCUBE_HPCC_PTRANS_H

#include <hpcc.h>

/* The memory of both matrices, then ordinary memory. */
void *hcube_hpcc_ptrans_allocate(size_t elements, size_t bytes);
void hcube_hpcc_ptrans_free(void *memory);

#undef HPCC_XMALLOC
#define HPCC_XMALLOC(type, elements) ((type *)hcube_hpcc_ptrans_allocate(elements, sizeof(type)))
#undef HPCC_free
#define HPCC_free hcube_hpcc_ptrans_free

/* A variable of this file that HPCC's own transposition reads: both copies use the variable of the
 * first.
 */
#pragma weak context_

#endif
