/* hcube/library.h: errors and version of hcube.
 *
 * Generated from src/types/library.rs and src/library.rs by 'make header'; do not edit.
 * The conventions are in hcube.h.
 */

#ifndef HCUBE_LIBRARY_H
#define HCUBE_LIBRARY_H

#include <stdint.h>

/**
 * Version of this header, as text and as numbers; hcube_version() returns the version of the
 * library.
 */
#define HCUBE_VERSION "0.1.0"

/**
 * Version of this header: the major number.
 */
#define HCUBE_VERSION_MAJOR 0

/**
 * Version of this header: the minor number.
 */
#define HCUBE_VERSION_MINOR 1

/**
 * Version of this header: the patch number.
 */
#define HCUBE_VERSION_PATCH 0

/**
 * No error.
 */
#define HCUBE_SUCCESS 0

/**
 * An argument is not valid; the message names it.
 */
#define HCUBE_ERR_ARGUMENT 1

/**
 * The local part of the table is not the part that this rank has in the distribution.
 */
#define HCUBE_ERR_DISTRIBUTION 2

/**
 * The communicator is null, freed, an intercommunicator or too large.
 */
#define HCUBE_ERR_COMM 3

/**
 * MPI is not initialised yet or already finalised.
 */
#define HCUBE_ERR_MPI_STATE 4

/**
 * An MPI function failed; the message names it and contains the error string of MPI.
 */
#define HCUBE_ERR_MPI 5

/**
 * Memory, or shared memory, could not be allocated.
 */
#define HCUBE_ERR_MEMORY 6

/**
 * The ranks passed different values for an argument that must be the same on all ranks.
 */
#define HCUBE_ERR_MISMATCH 7

/**
 * An internal error of hcube; please report the message.
 */
#define HCUBE_ERR_INTERNAL 8

/**
 * A rank sends a different amount of data than its partner expects; the message names both.
 */
#define HCUBE_ERR_TRUNCATE 9

/**
 * A count or displacement is negative or too large.
 */
#define HCUBE_ERR_COUNT 10

/**
 * A datatype is null, not committed or not valid.
 */
#define HCUBE_ERR_DATATYPE 11

/**
 * A buffer is null or cannot be used.
 */
#define HCUBE_ERR_BUFFER 12

/**
 * An image has failed; the operation that was waited for may never complete.
 */
#define HCUBE_ERR_FAILED_IMAGE 13

/**
 * An image has stopped; the operation that was waited for will never complete.
 */
#define HCUBE_ERR_STOPPED_IMAGE 14

/**
 * The error of a call. Allocated by the caller and need not be initialised: every function with an argument
 * error sets it, unless the argument is NULL.
 */
typedef struct hcube_error {
    /**
     * The code that the function returns: HCUBE_SUCCESS or HCUBE_ERR_*.
     */
    int32_t code;
    /**
     * A message that names the argument and its value, terminated by a zero byte; empty on success.
     */
    char message[508];
} hcube_error;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Local. Returns the version of the library, for example "0.1.0". The text is static. May be
 * called before MPI_Init and after MPI_Finalize.
 */
const char *hcube_version(void);

/**
 * Local. Returns a short text for an error code, also for an unknown one. The text is static and
 * never NULL. May be called before MPI_Init and after MPI_Finalize.
 *
 * The details of a failure are in hcube_error.message.
 *
 * code: HCUBE_SUCCESS or HCUBE_ERR_*.
 */
const char *hcube_error_string(int32_t code);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HCUBE_LIBRARY_H */
