/* Items of mpi.h that bindgen cannot translate: constants that are addresses of objects, casts or calls in some MPI
 * libraries, functions that are macros in others, and differences between libraries. */
#ifndef HCUBE_SHIM_H
#define HCUBE_SHIM_H

#include <mpi.h>
#include <stddef.h>

/* Values that do not change while a process runs. */
struct hcube_shim_constants {
    MPI_Comm comm_null;
    MPI_Datatype datatype_null, byte, uint64, int64, int32, float32, float64;
    MPI_Op op_null, max, min, sum;
    MPI_Request request_null;
    MPI_Status *status_ignore, *statuses_ignore;
    MPI_Info info_null;
    MPI_Errhandler errors_return, errors_are_fatal;
    void *in_place;
    int proc_null, undefined, thread_multiple, any_source, any_tag, tag_ub;
    int comm_type_shared;
    int max_error_string, max_library_version_string;
    int order_fortran;
    int topology_cart, topology_graph, topology_dist_graph;
    int distribute_none, distribute_block, distribute_cyclic, distribute_default;
    int error_arg, error_buffer, error_comm, error_count, error_intern, error_no_mem, error_other, error_truncate,
        error_type;
    /* 1 where all ranks are simulated in one process by one thread (SimGrid SMPI): there a rank that waits
     * without calling MPI waits for ever. */
    int simulated;
    /* 1 where the library has MPI-4's functions with large counts, and its persistent collective operations, which Open
     * MPI has had since before it claims MPI 4. The hcube_shim_ forms of them below call them, or return MPI_ERR_COUNT
     * and MPI_ERR_OTHER. */
    int large_counts, persistent;
    /* 1 where MPI_Add_error_code takes a predefined class and keeps the text (Open MPI); MPICH 4.0 mixes
     * the new code with its own message tables. */
    int texts_for_classes;
    /* 1 where hcube_shim_is_living needs a guard. */
    int guard_needed;
};

/* Fills the structure; may be called at any time, also before MPI_Init. */
void hcube_shim_fill(struct hcube_shim_constants *constants);

/* SimGrid has one of each per simulated rank. */
MPI_Comm hcube_shim_comm_self(void);
MPI_Comm hcube_shim_comm_world(void);

/* The standard ABI of MPI 5 leaves Fortran to the library: there, Fortran handles are the results of MPI_Comm_toint. */
#ifdef MPI_ABI_VERSION
typedef int MPI_Fint;
#endif
/* A macro in some libraries. */
typedef MPI_Fint hcube_shim_fint;
/* Handles as Fortran has them. Only while MPI is active. */
MPI_Comm hcube_shim_comm_of_fortran(MPI_Fint number);
hcube_shim_fint hcube_shim_number_of_comm(MPI_Comm comm);
MPI_Datatype hcube_shim_type_of_fortran(MPI_Fint number);
MPI_Op hcube_shim_op_of_fortran(MPI_Fint number);

/* See large_counts and persistent. */
int hcube_shim_alltoall_c(const void *sent, MPI_Count sent_count, MPI_Datatype sent_type, void *received,
                          MPI_Count received_count, MPI_Datatype received_type, MPI_Comm comm);
int hcube_shim_alltoallv_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from, MPI_Datatype sent_type,
                           void *received, const MPI_Count *received_counts, const MPI_Aint *to,
                           MPI_Datatype received_type, MPI_Comm comm);
int hcube_shim_alltoallw_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from,
                           const MPI_Datatype *sent_types, void *received, const MPI_Count *received_counts,
                           const MPI_Aint *to, const MPI_Datatype *received_types, MPI_Comm comm);

int hcube_shim_alltoall_init(const void *sent, int sent_count, MPI_Datatype sent_type, void *received,
                             int received_count, MPI_Datatype received_type, MPI_Comm comm, MPI_Info info,
                             MPI_Request *request);
int hcube_shim_alltoallv_init(const void *sent, const int *sent_counts, const int *from, MPI_Datatype sent_type,
                              void *received, const int *received_counts, const int *to, MPI_Datatype received_type,
                              MPI_Comm comm, MPI_Info info, MPI_Request *request);
int hcube_shim_alltoallw_init(const void *sent, const int *sent_counts, const int *from, const MPI_Datatype *sent_types,
                              void *received, const int *received_counts, const int *to,
                              const MPI_Datatype *received_types, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int hcube_shim_barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);

/* Lets simulated time pass for this rank. */
void hcube_shim_pass(double nanoseconds);

/* 1 if the handle is a valid communicator, as far as the library can tell, tested without raising an error on a
 * communicator of the program. If handles are addresses (Open MPI), a freed communicator is freed memory that may still
 * seem valid; the table of Fortran handles contains only valid ones. MPICH's MPI_Comm_compare raises errors of its
 * second argument on the first: on the guard, a private communicator of one rank that returns errors. */
int hcube_shim_is_living(MPI_Comm comm, MPI_Comm guard);

/* Creates a key value whose attribute is not copied by MPI_Comm_dup. The null copy function is a
 * macro or a function, depending on the library. */
int hcube_shim_create_keyval(MPI_Comm_delete_attr_function *release, int *keyval);

/* 1 for the usual predefined datatypes, which are always valid. */
int hcube_shim_is_predefined(MPI_Datatype type);

/* 1 for predefined operations on predefined integers, whose result does not depend on any order. */
int hcube_shim_is_exact(MPI_Datatype type, MPI_Op operation);

/* As hcube_shim_create_keyval, for datatypes and MPI_Type_dup. */
int hcube_shim_create_type_keyval(MPI_Type_delete_attr_function *release, int *keyval);

/* How a datatype was made. MPI's own numbers differ between libraries. */
enum hcube_shim_combiner {
    HCUBE_SHIM_NAMED, /* or of the Fortran kinds, which have no parts either */
    HCUBE_SHIM_DUP,
    HCUBE_SHIM_CONTIGUOUS,
    HCUBE_SHIM_VECTOR,
    HCUBE_SHIM_HVECTOR,
    HCUBE_SHIM_INDEXED,
    HCUBE_SHIM_HINDEXED,
    HCUBE_SHIM_INDEXED_BLOCK,
    HCUBE_SHIM_HINDEXED_BLOCK,
    HCUBE_SHIM_STRUCT,
    HCUBE_SHIM_SUBARRAY,
    HCUBE_SHIM_DARRAY,
    HCUBE_SHIM_RESIZED,
    HCUBE_SHIM_UNKNOWN
};

/* MPI_Type_get_envelope and MPI_Type_get_contents, or MPI-4's variants for large counts if the library has them: the
 * others fail for types with large counts. Lengths are the lengths of the arrays of integers, addresses, large counts
 * and datatypes. */
int hcube_shim_type_envelope(MPI_Datatype type, MPI_Count lengths[4], enum hcube_shim_combiner *combiner);
int hcube_shim_type_contents(MPI_Datatype type, const MPI_Count lengths[4], int *integers, MPI_Aint *addresses,
                             MPI_Count *counts, MPI_Datatype *types);

/* Whether a datatype is one of MPI's pairs of a value and an int: the bytes of the value, and where
 * the int begins. */
int hcube_shim_pair(MPI_Datatype type, size_t *value, size_t *second);
/* The pairs that may be non-contiguous, by number; MPI_DATATYPE_NULL beyond the last. */
MPI_Datatype hcube_shim_pair_type(int number);

#endif
