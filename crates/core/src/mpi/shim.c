#include "shim.h"

#ifdef SMPI_H
#include <smpi/smpi_helpers_internal.h>
#include <time.h>
#endif

MPI_Comm hcube_shim_comm_null(void) { return MPI_COMM_NULL; }
MPI_Comm hcube_shim_comm_self(void) { return MPI_COMM_SELF; }
MPI_Comm hcube_shim_comm_world(void) { return MPI_COMM_WORLD; }
MPI_Datatype hcube_shim_datatype_null(void) { return MPI_DATATYPE_NULL; }
MPI_Datatype hcube_shim_byte(void) { return MPI_BYTE; }
MPI_Datatype hcube_shim_uint64(void) { return MPI_UINT64_T; }
MPI_Datatype hcube_shim_int64(void) { return MPI_INT64_T; }
MPI_Datatype hcube_shim_double(void) { return MPI_DOUBLE; }
MPI_Datatype hcube_shim_float(void) { return MPI_FLOAT; }
MPI_Op hcube_shim_min(void) { return MPI_MIN; }
MPI_Op hcube_shim_max(void) { return MPI_MAX; }
MPI_Op hcube_shim_sum(void) { return MPI_SUM; }
MPI_Request hcube_shim_request_null(void) { return MPI_REQUEST_NULL; }
MPI_Status *hcube_shim_status_ignore(void) { return MPI_STATUS_IGNORE; }
MPI_Status *hcube_shim_statuses_ignore(void) { return MPI_STATUSES_IGNORE; }
MPI_Info hcube_shim_info_null(void) { return MPI_INFO_NULL; }
MPI_Errhandler hcube_shim_errors_return(void) { return MPI_ERRORS_RETURN; }
void *hcube_shim_in_place(void) { return MPI_IN_PLACE; }
int hcube_shim_proc_null(void) { return MPI_PROC_NULL; }
int hcube_shim_undefined(void) { return MPI_UNDEFINED; }
int hcube_shim_any_source(void) { return MPI_ANY_SOURCE; }
int hcube_shim_any_tag(void) { return MPI_ANY_TAG; }
int hcube_shim_success(void) { return MPI_SUCCESS; }
int hcube_shim_comm_type_shared(void) { return MPI_COMM_TYPE_SHARED; }
int hcube_shim_keyval_invalid(void) { return MPI_KEYVAL_INVALID; }
int hcube_shim_max_error_string(void) { return MPI_MAX_ERROR_STRING; }
int hcube_shim_max_library_version_string(void) { return MPI_MAX_LIBRARY_VERSION_STRING; }

int hcube_shim_error_arg(void) { return MPI_ERR_ARG; }
int hcube_shim_error_buffer(void) { return MPI_ERR_BUFFER; }
int hcube_shim_error_comm(void) { return MPI_ERR_COMM; }
int hcube_shim_error_count(void) { return MPI_ERR_COUNT; }
int hcube_shim_error_intern(void) { return MPI_ERR_INTERN; }
int hcube_shim_error_no_mem(void) { return MPI_ERR_NO_MEM; }
int hcube_shim_error_other(void) { return MPI_ERR_OTHER; }
int hcube_shim_error_truncate(void) { return MPI_ERR_TRUNCATE; }
int hcube_shim_error_type(void) { return MPI_ERR_TYPE; }

/* Functions in some libraries, macros in others. A number that means nothing is 0 or NULL in some. */
MPI_Comm hcube_shim_comm_of_fortran(MPI_Fint number) {
    MPI_Comm comm = PMPI_Comm_f2c(number);
    return comm ? comm : MPI_COMM_NULL;
}

MPI_Datatype hcube_shim_type_of_fortran(MPI_Fint number) {
    MPI_Datatype type = PMPI_Type_f2c(number);
    return type ? type : MPI_DATATYPE_NULL;
}

int hcube_shim_texts_for_classes(void) {
#ifdef OPEN_MPI
    return 1;
#else
    return 0;
#endif
}

#if MPI_VERSION >= 4

int hcube_shim_has_large_counts(void) { return 1; }

int hcube_shim_alltoall_c(const void *sent, MPI_Count sent_count, MPI_Datatype sent_type, void *received,
                          MPI_Count received_count, MPI_Datatype received_type, MPI_Comm comm) {
    return PMPI_Alltoall_c(sent, sent_count, sent_type, received, received_count, received_type, comm);
}

int hcube_shim_alltoallv_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from,
                           MPI_Datatype sent_type, void *received, const MPI_Count *received_counts,
                           const MPI_Aint *to, MPI_Datatype received_type, MPI_Comm comm) {
    return PMPI_Alltoallv_c(sent, sent_counts, from, sent_type, received, received_counts, to,
                            received_type, comm);
}

int hcube_shim_alltoallw_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from,
                           const MPI_Datatype *sent_types, void *received, const MPI_Count *received_counts,
                           const MPI_Aint *to, const MPI_Datatype *received_types, MPI_Comm comm) {
    return PMPI_Alltoallw_c(sent, sent_counts, from, sent_types, received, received_counts, to,
                            received_types, comm);
}

#else

int hcube_shim_has_large_counts(void) { return 0; }

int hcube_shim_alltoall_c(const void *sent, MPI_Count sent_count, MPI_Datatype sent_type, void *received,
                          MPI_Count received_count, MPI_Datatype received_type, MPI_Comm comm) {
    (void)sent, (void)sent_count, (void)sent_type, (void)received, (void)received_count;
    (void)received_type, (void)comm;
    return MPI_ERR_COUNT;
}

int hcube_shim_alltoallv_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from,
                           MPI_Datatype sent_type, void *received, const MPI_Count *received_counts,
                           const MPI_Aint *to, MPI_Datatype received_type, MPI_Comm comm) {
    (void)sent, (void)sent_counts, (void)from, (void)sent_type, (void)received, (void)received_counts;
    (void)to, (void)received_type, (void)comm;
    return MPI_ERR_COUNT;
}

int hcube_shim_alltoallw_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from,
                           const MPI_Datatype *sent_types, void *received, const MPI_Count *received_counts,
                           const MPI_Aint *to, const MPI_Datatype *received_types, MPI_Comm comm) {
    (void)sent, (void)sent_counts, (void)from, (void)sent_types, (void)received, (void)received_counts;
    (void)to, (void)received_types, (void)comm;
    return MPI_ERR_COUNT;
}

#endif

int hcube_shim_simulated(void) {
#ifdef SMPI_H
    return 1;
#else
    return 0;
#endif
}

void hcube_shim_pass(double nanoseconds) {
#ifdef SMPI_H
    /* A sleep and not operations of a host: every rank has a core of its own. */
    struct timespec time;
    if (nanoseconds < 0.5) return;
    time.tv_sec = (time_t)(nanoseconds * 1e-9);
    time.tv_nsec = (long)(nanoseconds - 1e9 * (double)time.tv_sec + 0.5);
    smpi_nanosleep(&time, NULL);
#else
    (void)nanoseconds;
#endif
}

int hcube_shim_may_be_alive(MPI_Comm comm) {
#ifdef OPEN_MPI
    return PMPI_Comm_f2c(PMPI_Comm_c2f(comm)) == comm;
#else
    (void)comm;
    return 1;
#endif
}

int hcube_shim_create_keyval(MPI_Comm_delete_attr_function *release, int *keyval) {
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release, keyval, NULL);
}

int hcube_shim_create_type_keyval(MPI_Type_delete_attr_function *release, int *keyval) {
    return PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, release, keyval, NULL);
}

static enum hcube_shim_combiner combiner_of(int combiner) {
    switch (combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
        return HCUBE_SHIM_NAMED;
    case MPI_COMBINER_DUP:
        return HCUBE_SHIM_DUP;
    case MPI_COMBINER_CONTIGUOUS:
        return HCUBE_SHIM_CONTIGUOUS;
    case MPI_COMBINER_VECTOR:
        return HCUBE_SHIM_VECTOR;
    case MPI_COMBINER_HVECTOR:
        return HCUBE_SHIM_HVECTOR;
    case MPI_COMBINER_INDEXED:
        return HCUBE_SHIM_INDEXED;
    case MPI_COMBINER_HINDEXED:
        return HCUBE_SHIM_HINDEXED;
    case MPI_COMBINER_INDEXED_BLOCK:
        return HCUBE_SHIM_INDEXED_BLOCK;
    case MPI_COMBINER_HINDEXED_BLOCK:
        return HCUBE_SHIM_HINDEXED_BLOCK;
    case MPI_COMBINER_STRUCT:
        return HCUBE_SHIM_STRUCT;
    case MPI_COMBINER_SUBARRAY:
        return HCUBE_SHIM_SUBARRAY;
    case MPI_COMBINER_DARRAY:
        return HCUBE_SHIM_DARRAY;
    case MPI_COMBINER_RESIZED:
        return HCUBE_SHIM_RESIZED;
    default:
        return HCUBE_SHIM_UNKNOWN;
    }
}

#if MPI_VERSION >= 4

int hcube_shim_type_envelope(MPI_Datatype type, MPI_Count lengths[4], enum hcube_shim_combiner *combiner) {
    int number;
    int code =
        PMPI_Type_get_envelope_c(type, &lengths[0], &lengths[1], &lengths[2], &lengths[3], &number);
    if (code == MPI_SUCCESS)
        *combiner = combiner_of(number);
    return code;
}

int hcube_shim_type_contents(MPI_Datatype type, const MPI_Count lengths[4], int *integers,
                             MPI_Aint *addresses, MPI_Count *counts, MPI_Datatype *types) {
    return PMPI_Type_get_contents_c(type, lengths[0], lengths[1], lengths[2], lengths[3], integers,
                                    addresses, counts, types);
}

#else

int hcube_shim_type_envelope(MPI_Datatype type, MPI_Count lengths[4], enum hcube_shim_combiner *combiner) {
    int integers, addresses, types, number;
    int code = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &number);
    if (code == MPI_SUCCESS) {
        lengths[0] = integers;
        lengths[1] = addresses;
        lengths[2] = 0;
        lengths[3] = types;
        *combiner = combiner_of(number);
    }
    return code;
}

int hcube_shim_type_contents(MPI_Datatype type, const MPI_Count lengths[4], int *integers,
                             MPI_Aint *addresses, MPI_Count *counts, MPI_Datatype *types) {
    (void)counts;
    return PMPI_Type_get_contents(type, (int)lengths[0], (int)lengths[1], (int)lengths[3], integers,
                                  addresses, types);
}

#endif

int hcube_shim_pair(MPI_Datatype type, size_t *value, size_t *second) {
    struct double_int { double value; int second; };
    struct long_int { long value; int second; };
    struct short_int { short value; int second; };
    struct long_double_int { long double value; int second; };
    if (type == MPI_DOUBLE_INT) {
        *value = sizeof(double), *second = offsetof(struct double_int, second);
    } else if (type == MPI_LONG_INT) {
        *value = sizeof(long), *second = offsetof(struct long_int, second);
    } else if (type == MPI_SHORT_INT) {
        *value = sizeof(short), *second = offsetof(struct short_int, second);
    } else if (type == MPI_LONG_DOUBLE_INT) {
        *value = sizeof(long double), *second = offsetof(struct long_double_int, second);
    } else {
        return 0;
    }
    return 1;
}

MPI_Datatype hcube_shim_pair_type(int number) {
    switch (number) {
    case 0:
        return MPI_DOUBLE_INT;
    case 1:
        return MPI_LONG_INT;
    case 2:
        return MPI_SHORT_INT;
    case 3:
        return MPI_LONG_DOUBLE_INT;
    case 4:
        return MPI_FLOAT_INT;
    case 5:
        return MPI_2INT;
    default:
        return MPI_DATATYPE_NULL;
    }
}

int hcube_shim_order_fortran(void) { return MPI_ORDER_FORTRAN; }
int hcube_shim_distribute_none(void) { return MPI_DISTRIBUTE_NONE; }
int hcube_shim_distribute_block(void) { return MPI_DISTRIBUTE_BLOCK; }
int hcube_shim_distribute_cyclic(void) { return MPI_DISTRIBUTE_CYCLIC; }
int hcube_shim_distribute_default(void) { return MPI_DISTRIBUTE_DFLT_DARG; }
