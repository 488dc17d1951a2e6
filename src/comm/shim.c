#include "shim.h"

#include <stddef.h>

MPI_Comm hcube_shim_comm_null(void) { return MPI_COMM_NULL; }
MPI_Comm hcube_shim_comm_self(void) { return MPI_COMM_SELF; }
MPI_Comm hcube_shim_comm_world(void) { return MPI_COMM_WORLD; }
MPI_Datatype hcube_shim_byte(void) { return MPI_BYTE; }
MPI_Datatype hcube_shim_uint64(void) { return MPI_UINT64_T; }
MPI_Datatype hcube_shim_int64(void) { return MPI_INT64_T; }
MPI_Op hcube_shim_max(void) { return MPI_MAX; }
MPI_Request hcube_shim_request_null(void) { return MPI_REQUEST_NULL; }
MPI_Status *hcube_shim_status_ignore(void) { return MPI_STATUS_IGNORE; }
MPI_Status *hcube_shim_statuses_ignore(void) { return MPI_STATUSES_IGNORE; }
MPI_Info hcube_shim_info_null(void) { return MPI_INFO_NULL; }
MPI_Errhandler hcube_shim_errors_return(void) { return MPI_ERRORS_RETURN; }
void *hcube_shim_in_place(void) { return MPI_IN_PLACE; }
int hcube_shim_any_source(void) { return MPI_ANY_SOURCE; }
int hcube_shim_any_tag(void) { return MPI_ANY_TAG; }
int hcube_shim_success(void) { return MPI_SUCCESS; }
int hcube_shim_comm_type_shared(void) { return MPI_COMM_TYPE_SHARED; }
int hcube_shim_keyval_invalid(void) { return MPI_KEYVAL_INVALID; }
int hcube_shim_max_error_string(void) { return MPI_MAX_ERROR_STRING; }
int hcube_shim_max_library_version_string(void) { return MPI_MAX_LIBRARY_VERSION_STRING; }

int hcube_shim_simulated(void) {
#ifdef SMPI_H
    return 1;
#else
    return 0;
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
