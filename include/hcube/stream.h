/* hcube/stream.h: the kernels of STREAM.
 *
 * Generated from src/types/stream.rs and src/stream.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_STREAM_H
#define HCUBE_STREAM_H

#include <mpi.h>
#include <stdint.h>
#include "library.h"

/**
 * Three vectors and the kernels selected for them; opaque. Created by hcube_stream_create and freed by
 * hcube_stream_free.
 */
typedef struct hcube_stream hcube_stream;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Local. Allocates the vectors a, b and c of STREAM, all zero, aligned to cache lines, padded, and on 2 MiB
 * pages if the system provides them. Times each kernel with ordinary and with streaming stores: call it on
 * all ranks at the same time if they will run the kernels at the same time.
 *
 * length: elements of each vector, 0 or more.
 * stream: receives the handle, which only one thread at a time may use.
 * a, b, c: receive the addresses of the vectors, which are valid until the handle is freed.
 * Errors: HCUBE_ERR_ARGUMENT; HCUBE_ERR_MEMORY.
 * Source: J. D. McCalpin, Memory bandwidth and machine balance in current high performance
 * computers, IEEE TCCA Newsletter, 1995.
 */
int32_t hcube_stream_create(int64_t length,
                            struct hcube_stream **stream,
                            double **a,
                            double **b,
                            double **c,
                            struct hcube_error *error);

/**
 * Local. Frees the vectors and the handle.
 *
 * stream: the handle, which is set to NULL; no effect if it is NULL.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_stream_free(struct hcube_stream **stream, struct hcube_error *error);

/**
 * Local. Computes c = a.
 *
 * stream: a handle.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_stream_copy(struct hcube_stream *stream, struct hcube_error *error);

/**
 * Local. Computes b = scalar * c.
 *
 * stream: a handle.
 * scalar: the factor.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_stream_scale(struct hcube_stream *stream, double scalar, struct hcube_error *error);

/**
 * Local. Computes c = a + b.
 *
 * stream: a handle.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_stream_add(struct hcube_stream *stream, struct hcube_error *error);

/**
 * Local. Computes a = b + scalar * c.
 *
 * stream: a handle.
 * scalar: the factor.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_stream_triad(struct hcube_stream *stream, double scalar, struct hcube_error *error);

/**
 * Local. Writes a line that describes the selected kernels, without a newline, truncated to fit.
 *
 * stream: a handle.
 * text: receives the line and a terminating zero byte.
 * text_length: size of text in bytes, 1 or more.
 * Errors: HCUBE_ERR_ARGUMENT.
 */
int32_t hcube_stream_describe(const struct hcube_stream *stream,
                              char *text,
                              uint64_t text_length,
                              struct hcube_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_STREAM_H */
