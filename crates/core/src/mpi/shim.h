/* Constants of MPI as functions: in some MPI libraries they are no constant expressions
 * (addresses of objects, casts, calls), so bindgen cannot carry them over. */
#ifndef HCUBE_SHIM_H
#define HCUBE_SHIM_H

#include <mpi.h>
#include <stddef.h>

MPI_Comm hcube_shim_comm_null(void);
MPI_Comm hcube_shim_comm_self(void);
MPI_Comm hcube_shim_comm_world(void);
MPI_Datatype hcube_shim_datatype_null(void);
MPI_Datatype hcube_shim_byte(void);
MPI_Datatype hcube_shim_uint64(void);
MPI_Datatype hcube_shim_int64(void);
MPI_Datatype hcube_shim_double(void);
MPI_Datatype hcube_shim_float(void);
MPI_Op hcube_shim_max(void);
MPI_Op hcube_shim_min(void);
MPI_Op hcube_shim_sum(void);
MPI_Request hcube_shim_request_null(void);
MPI_Status *hcube_shim_status_ignore(void);
MPI_Status *hcube_shim_statuses_ignore(void);
MPI_Info hcube_shim_info_null(void);
MPI_Errhandler hcube_shim_errors_return(void);
void *hcube_shim_in_place(void);
int hcube_shim_proc_null(void);
int hcube_shim_undefined(void);
int hcube_shim_any_source(void);
int hcube_shim_any_tag(void);
int hcube_shim_success(void);
int hcube_shim_comm_type_shared(void);
int hcube_shim_keyval_invalid(void);
int hcube_shim_max_error_string(void);
int hcube_shim_max_library_version_string(void);

int hcube_shim_error_arg(void);
int hcube_shim_error_buffer(void);
int hcube_shim_error_comm(void);
int hcube_shim_error_count(void);
int hcube_shim_error_intern(void);
int hcube_shim_error_no_mem(void);
int hcube_shim_error_other(void);
int hcube_shim_error_truncate(void);
int hcube_shim_error_type(void);

/* A macro in some libraries. */
typedef MPI_Fint hcube_shim_fint;
/* Handles as Fortran has them. Only while MPI is active. */
MPI_Comm hcube_shim_comm_of_fortran(MPI_Fint number);
MPI_Datatype hcube_shim_type_of_fortran(MPI_Fint number);

/* 1 where MPI_Add_error_code takes a predefined class and keeps the text (Open MPI); MPICH 4.0 mixes
 * the new code with its own message tables. */
int hcube_shim_texts_for_classes(void);

/* 1 where the library has MPI-4's functions with large counts; the three below call them, or return
 * MPI_ERR_COUNT where it has not. */
int hcube_shim_has_large_counts(void);
int hcube_shim_alltoall_c(const void *sent, MPI_Count sent_count, MPI_Datatype sent_type, void *received,
                          MPI_Count received_count, MPI_Datatype received_type, MPI_Comm comm);
int hcube_shim_alltoallv_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from,
                           MPI_Datatype sent_type, void *received, const MPI_Count *received_counts,
                           const MPI_Aint *to, MPI_Datatype received_type, MPI_Comm comm);
int hcube_shim_alltoallw_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from,
                           const MPI_Datatype *sent_types, void *received, const MPI_Count *received_counts,
                           const MPI_Aint *to, const MPI_Datatype *received_types, MPI_Comm comm);

/* 1 where all ranks are simulated in one process by one thread (SimGrid SMPI): there a rank that
 * waits without calling MPI waits for ever. */
int hcube_shim_simulated(void);

/* Lets simulated time pass for this rank. */
void hcube_shim_pass(double nanoseconds);

/* 1 unless it is certain that the handle is no living communicator. Where handles are addresses (Open
 * MPI) a freed communicator is freed memory that may still look alive; the table of Fortran handles
 * knows the living ones, and asking it raises no error. */
int hcube_shim_may_be_alive(MPI_Comm comm);

/* Creates a key value whose attribute is not copied by MPI_Comm_dup. The null copy function is a
 * macro or a function, depending on the library. */
int hcube_shim_create_keyval(MPI_Comm_delete_attr_function *release, int *keyval);

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

/* MPI_Type_get_envelope and MPI_Type_get_contents, or MPI-4's variants for large counts where the
 * library has them: the others fail for types with large counts. Lengths are those of the arrays of
 * integers, addresses, large counts and datatypes. */
int hcube_shim_type_envelope(MPI_Datatype type, MPI_Count lengths[4], enum hcube_shim_combiner *combiner);
int hcube_shim_type_contents(MPI_Datatype type, const MPI_Count lengths[4], int *integers,
                             MPI_Aint *addresses, MPI_Count *counts, MPI_Datatype *types);

/* Whether a datatype is one of MPI's pairs of a value and an int: the bytes of the value, and where
 * the int begins. */
int hcube_shim_pair(MPI_Datatype type, size_t *value, size_t *second);
/* The pairs that may have a gap, by number; MPI_DATATYPE_NULL beyond the last. */
MPI_Datatype hcube_shim_pair_type(int number);

int hcube_shim_order_fortran(void);
int hcube_shim_distribute_none(void);
int hcube_shim_distribute_block(void);
int hcube_shim_distribute_cyclic(void);
int hcube_shim_distribute_default(void);

#endif
