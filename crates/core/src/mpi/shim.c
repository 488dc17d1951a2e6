#include "shim.h"

#ifdef SMPI_H
#include <smpi/smpi_helpers_internal.h>
#include <time.h>
#endif

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
#define HAS_PERSISTENT 1
#else
#define HAS_PERSISTENT 0
#endif

void hcube_shim_fill(struct hcube_shim_constants *constants) {
    constants->comm_null = MPI_COMM_NULL;
    constants->datatype_null = MPI_DATATYPE_NULL;
    constants->byte = MPI_BYTE;
    constants->uint64 = MPI_UINT64_T;
    constants->int64 = MPI_INT64_T;
    constants->int32 = MPI_INT32_T;
    constants->float32 = MPI_FLOAT;
    constants->float64 = MPI_DOUBLE;
    constants->op_null = MPI_OP_NULL;
    constants->max = MPI_MAX;
    constants->min = MPI_MIN;
    constants->sum = MPI_SUM;
    constants->request_null = MPI_REQUEST_NULL;
    constants->status_ignore = MPI_STATUS_IGNORE;
    constants->statuses_ignore = MPI_STATUSES_IGNORE;
    constants->info_null = MPI_INFO_NULL;
    constants->errors_return = MPI_ERRORS_RETURN;
    constants->errors_are_fatal = MPI_ERRORS_ARE_FATAL;
    constants->in_place = MPI_IN_PLACE;
    constants->proc_null = MPI_PROC_NULL;
    constants->undefined = MPI_UNDEFINED;
    constants->thread_multiple = MPI_THREAD_MULTIPLE;
    constants->any_source = MPI_ANY_SOURCE;
    constants->any_tag = MPI_ANY_TAG;
    constants->tag_ub = MPI_TAG_UB;
    constants->comm_type_shared = MPI_COMM_TYPE_SHARED;
    constants->max_error_string = MPI_MAX_ERROR_STRING;
    constants->max_library_version_string = MPI_MAX_LIBRARY_VERSION_STRING;
    constants->order_fortran = MPI_ORDER_FORTRAN;
    constants->topology_cart = MPI_CART;
    constants->topology_graph = MPI_GRAPH;
    constants->topology_dist_graph = MPI_DIST_GRAPH;
    constants->distribute_none = MPI_DISTRIBUTE_NONE;
    constants->distribute_block = MPI_DISTRIBUTE_BLOCK;
    constants->distribute_cyclic = MPI_DISTRIBUTE_CYCLIC;
    constants->distribute_default = MPI_DISTRIBUTE_DFLT_DARG;
    constants->error_arg = MPI_ERR_ARG;
    constants->error_buffer = MPI_ERR_BUFFER;
    constants->error_comm = MPI_ERR_COMM;
    constants->error_count = MPI_ERR_COUNT;
    constants->error_intern = MPI_ERR_INTERN;
    constants->error_no_mem = MPI_ERR_NO_MEM;
    constants->error_other = MPI_ERR_OTHER;
    constants->error_truncate = MPI_ERR_TRUNCATE;
    constants->error_type = MPI_ERR_TYPE;
#ifdef SMPI_H
    constants->simulated = 1;
#else
    constants->simulated = 0;
#endif
    constants->large_counts = MPI_VERSION >= 4;
    constants->persistent = HAS_PERSISTENT;
#ifdef OPEN_MPI
    constants->texts_for_classes = 1;
#else
    constants->texts_for_classes = 0;
#endif
#if defined OPEN_MPI || defined SMPI_H
    constants->guard_needed = 0;
#else
    constants->guard_needed = 1;
#endif
}

MPI_Comm hcube_shim_comm_self(void) { return MPI_COMM_SELF; }
MPI_Comm hcube_shim_comm_world(void) { return MPI_COMM_WORLD; }

#ifdef MPI_ABI_VERSION
#define PMPI_Comm_c2f PMPI_Comm_toint
#define PMPI_Comm_f2c PMPI_Comm_fromint
#define PMPI_Type_f2c PMPI_Type_fromint
#define PMPI_Op_f2c PMPI_Op_fromint
#endif
/* Functions in some libraries, macros in others. A number that means nothing is 0 or NULL in some. */
hcube_shim_fint hcube_shim_number_of_comm(MPI_Comm comm) { return PMPI_Comm_c2f(comm); }

MPI_Comm hcube_shim_comm_of_fortran(MPI_Fint number) {
    MPI_Comm comm = PMPI_Comm_f2c(number);
    return comm ? comm : MPI_COMM_NULL;
}

MPI_Datatype hcube_shim_type_of_fortran(MPI_Fint number) {
    MPI_Datatype type = PMPI_Type_f2c(number);
    return type ? type : MPI_DATATYPE_NULL;
}

MPI_Op hcube_shim_op_of_fortran(MPI_Fint number) {
    MPI_Op op = PMPI_Op_f2c(number);
    return op ? op : MPI_OP_NULL;
}

#if MPI_VERSION >= 4

int hcube_shim_alltoall_c(const void *sent, MPI_Count sent_count, MPI_Datatype sent_type, void *received,
                          MPI_Count received_count, MPI_Datatype received_type, MPI_Comm comm) {
    return PMPI_Alltoall_c(sent, sent_count, sent_type, received, received_count, received_type, comm);
}

int hcube_shim_alltoallv_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from, MPI_Datatype sent_type,
                           void *received, const MPI_Count *received_counts, const MPI_Aint *to,
                           MPI_Datatype received_type, MPI_Comm comm) {
    return PMPI_Alltoallv_c(sent, sent_counts, from, sent_type, received, received_counts, to, received_type, comm);
}

int hcube_shim_alltoallw_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from,
                           const MPI_Datatype *sent_types, void *received, const MPI_Count *received_counts,
                           const MPI_Aint *to, const MPI_Datatype *received_types, MPI_Comm comm) {
    return PMPI_Alltoallw_c(sent, sent_counts, from, sent_types, received, received_counts, to, received_types, comm);
}

#else

int hcube_shim_alltoall_c(const void *sent, MPI_Count sent_count, MPI_Datatype sent_type, void *received,
                          MPI_Count received_count, MPI_Datatype received_type, MPI_Comm comm) {
    (void)sent, (void)sent_count, (void)sent_type, (void)received, (void)received_count;
    (void)received_type, (void)comm;
    return MPI_ERR_COUNT;
}

int hcube_shim_alltoallv_c(const void *sent, const MPI_Count *sent_counts, const MPI_Aint *from, MPI_Datatype sent_type,
                           void *received, const MPI_Count *received_counts, const MPI_Aint *to,
                           MPI_Datatype received_type, MPI_Comm comm) {
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

#if HAS_PERSISTENT

int hcube_shim_alltoall_init(const void *sent, int sent_count, MPI_Datatype sent_type, void *received,
                             int received_count, MPI_Datatype received_type, MPI_Comm comm, MPI_Info info,
                             MPI_Request *request) {
    return PMPI_Alltoall_init(sent, sent_count, sent_type, received, received_count, received_type, comm, info,
                              request);
}

int hcube_shim_alltoallv_init(const void *sent, const int *sent_counts, const int *from, MPI_Datatype sent_type,
                              void *received, const int *received_counts, const int *to, MPI_Datatype received_type,
                              MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    return PMPI_Alltoallv_init(sent, sent_counts, from, sent_type, received, received_counts, to, received_type, comm,
                               info, request);
}

int hcube_shim_alltoallw_init(const void *sent, const int *sent_counts, const int *from, const MPI_Datatype *sent_types,
                              void *received, const int *received_counts, const int *to,
                              const MPI_Datatype *received_types, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    return PMPI_Alltoallw_init(sent, sent_counts, from, sent_types, received, received_counts, to, received_types, comm,
                               info, request);
}

int hcube_shim_barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    return PMPI_Barrier_init(comm, info, request);
}

#else

int hcube_shim_alltoall_init(const void *sent, int sent_count, MPI_Datatype sent_type, void *received,
                             int received_count, MPI_Datatype received_type, MPI_Comm comm, MPI_Info info,
                             MPI_Request *request) {
    (void)sent, (void)sent_count, (void)sent_type, (void)received, (void)received_count;
    (void)received_type, (void)comm, (void)info, (void)request;
    return MPI_ERR_OTHER;
}

int hcube_shim_alltoallv_init(const void *sent, const int *sent_counts, const int *from, MPI_Datatype sent_type,
                              void *received, const int *received_counts, const int *to, MPI_Datatype received_type,
                              MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    (void)sent, (void)sent_counts, (void)from, (void)sent_type, (void)received, (void)received_counts;
    (void)to, (void)received_type, (void)comm, (void)info, (void)request;
    return MPI_ERR_OTHER;
}

int hcube_shim_alltoallw_init(const void *sent, const int *sent_counts, const int *from, const MPI_Datatype *sent_types,
                              void *received, const int *received_counts, const int *to,
                              const MPI_Datatype *received_types, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    (void)sent, (void)sent_counts, (void)from, (void)sent_types, (void)received, (void)received_counts;
    (void)to, (void)received_types, (void)comm, (void)info, (void)request;
    return MPI_ERR_OTHER;
}

int hcube_shim_barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    (void)comm, (void)info, (void)request;
    return MPI_ERR_OTHER;
}

#endif

void hcube_shim_pass(double nanoseconds) {
#ifdef SMPI_H
    /* A sleep and not operations of a host: every simulated rank has its own core. */
    struct timespec time;
    if (nanoseconds < 0.5) return;
    time.tv_sec = (time_t)(nanoseconds * 1e-9);
    time.tv_nsec = (long)(nanoseconds - 1e9 * (double)time.tv_sec + 0.5);
    smpi_nanosleep(&time, NULL);
#else
    (void)nanoseconds;
#endif
}

int hcube_shim_is_living(MPI_Comm comm, MPI_Comm guard) {
    int answer = 0;
#if defined OPEN_MPI
    (void)guard, (void)answer;
    /* A number that the table does not have is NULL again. */
    return comm != NULL && PMPI_Comm_f2c(PMPI_Comm_c2f(comm)) == comm;
#elif defined SMPI_H
    /* Errors are returned in any case. */
    (void)guard;
    return PMPI_Comm_test_inter(comm, &answer) == MPI_SUCCESS;
#else
#ifdef MPICH_NAME
    /* A value that is not a communicator handle at all is refused before the guard is used. */
    const unsigned kind = 0x3c000000;
    if (((unsigned)comm & kind) != ((unsigned)MPI_COMM_WORLD & kind) || (unsigned)comm >> 30 == 0) return 0;
#endif
    return PMPI_Comm_compare(guard, comm, &answer) == MPI_SUCCESS;
#endif
}

int hcube_shim_create_keyval(MPI_Comm_delete_attr_function *release, int *keyval) {
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release, keyval, NULL);
}

int hcube_shim_create_type_keyval(MPI_Type_delete_attr_function *release, int *keyval) {
    return PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, release, keyval, NULL);
}

int hcube_shim_is_predefined(MPI_Datatype type) {
    const MPI_Datatype usual[] = {
        MPI_BYTE,          MPI_CHAR,     MPI_SIGNED_CHAR,   MPI_UNSIGNED_CHAR,    MPI_SHORT,
        MPI_INT,           MPI_LONG,     MPI_LONG_LONG_INT, MPI_UNSIGNED,         MPI_UNSIGNED_SHORT,
        MPI_UNSIGNED_LONG, MPI_FLOAT,    MPI_DOUBLE,        MPI_LONG_DOUBLE,      MPI_INT8_T,
        MPI_INT16_T,       MPI_INT32_T,  MPI_INT64_T,       MPI_UINT8_T,          MPI_UINT16_T,
        MPI_UINT32_T,      MPI_UINT64_T, MPI_C_BOOL,        MPI_C_FLOAT_COMPLEX,  MPI_C_DOUBLE_COMPLEX,
        MPI_INTEGER,       MPI_REAL,     MPI_COMPLEX,       MPI_DOUBLE_PRECISION,
    };
    size_t number;
    if (type == MPI_DATATYPE_NULL) return 0;
    for (number = 0; number < sizeof usual / sizeof *usual; number++)
        if (type == usual[number]) return 1;
    return 0;
}

int hcube_shim_is_exact(MPI_Datatype type, MPI_Op operation) {
    const MPI_Datatype integers[] = {
        MPI_BYTE,     MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT,         MPI_UNSIGNED_SHORT, MPI_INT,
        MPI_UNSIGNED, MPI_LONG,        MPI_UNSIGNED_LONG, MPI_LONG_LONG_INT, MPI_INT8_T,         MPI_INT16_T,
        MPI_INT32_T,  MPI_INT64_T,     MPI_UINT8_T,       MPI_UINT16_T,      MPI_UINT32_T,       MPI_UINT64_T,
    };
    const MPI_Op operations[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR};
    size_t number;
    int has_type = 0, has_operation = 0;
    for (number = 0; number < sizeof integers / sizeof *integers; number++)
        if (type == integers[number]) has_type = 1;
    for (number = 0; number < sizeof operations / sizeof *operations; number++)
        if (operation == operations[number]) has_operation = 1;
    return has_type && has_operation;
}

static enum hcube_shim_combiner combiner_of(int combiner) {
    switch (combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER: return HCUBE_SHIM_NAMED;
    case MPI_COMBINER_DUP: return HCUBE_SHIM_DUP;
    case MPI_COMBINER_CONTIGUOUS: return HCUBE_SHIM_CONTIGUOUS;
    case MPI_COMBINER_VECTOR: return HCUBE_SHIM_VECTOR;
    case MPI_COMBINER_HVECTOR: return HCUBE_SHIM_HVECTOR;
    case MPI_COMBINER_INDEXED: return HCUBE_SHIM_INDEXED;
    case MPI_COMBINER_HINDEXED: return HCUBE_SHIM_HINDEXED;
    case MPI_COMBINER_INDEXED_BLOCK: return HCUBE_SHIM_INDEXED_BLOCK;
    case MPI_COMBINER_HINDEXED_BLOCK: return HCUBE_SHIM_HINDEXED_BLOCK;
    case MPI_COMBINER_STRUCT: return HCUBE_SHIM_STRUCT;
    case MPI_COMBINER_SUBARRAY: return HCUBE_SHIM_SUBARRAY;
    case MPI_COMBINER_DARRAY: return HCUBE_SHIM_DARRAY;
    case MPI_COMBINER_RESIZED: return HCUBE_SHIM_RESIZED;
    default: return HCUBE_SHIM_UNKNOWN;
    }
}

#if MPI_VERSION >= 4

int hcube_shim_type_envelope(MPI_Datatype type, MPI_Count lengths[4], enum hcube_shim_combiner *combiner) {
    int number;
    int code = PMPI_Type_get_envelope_c(type, &lengths[0], &lengths[1], &lengths[2], &lengths[3], &number);
    if (code == MPI_SUCCESS) *combiner = combiner_of(number);
    return code;
}

int hcube_shim_type_contents(MPI_Datatype type, const MPI_Count lengths[4], int *integers, MPI_Aint *addresses,
                             MPI_Count *counts, MPI_Datatype *types) {
    return PMPI_Type_get_contents_c(type, lengths[0], lengths[1], lengths[2], lengths[3], integers, addresses, counts,
                                    types);
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

int hcube_shim_type_contents(MPI_Datatype type, const MPI_Count lengths[4], int *integers, MPI_Aint *addresses,
                             MPI_Count *counts, MPI_Datatype *types) {
    (void)counts;
    return PMPI_Type_get_contents(type, (int)lengths[0], (int)lengths[1], (int)lengths[3], integers, addresses, types);
}

#endif

int hcube_shim_pair(MPI_Datatype type, size_t *value, size_t *second) {
    struct double_int {
        double value;
        int second;
    };
    struct long_int {
        long value;
        int second;
    };
    struct short_int {
        short value;
        int second;
    };
    struct long_double_int {
        long double value;
        int second;
    };
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
    case 0: return MPI_DOUBLE_INT;
    case 1: return MPI_LONG_INT;
    case 2: return MPI_SHORT_INT;
    case 3: return MPI_LONG_DOUBLE_INT;
    case 4: return MPI_FLOAT_INT;
    case 5: return MPI_2INT;
    default: return MPI_DATATYPE_NULL;
    }
}
