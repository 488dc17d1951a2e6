/* Constants of MPI as functions: in some MPI libraries they are no constant expressions
 * (addresses of objects, casts, calls), so bindgen cannot carry them over. */
#ifndef HCUBE_SHIM_H
#define HCUBE_SHIM_H

#include <mpi.h>

MPI_Comm hcube_shim_comm_null(void);
MPI_Comm hcube_shim_comm_self(void);
MPI_Comm hcube_shim_comm_world(void);
MPI_Datatype hcube_shim_byte(void);
MPI_Datatype hcube_shim_uint64(void);
MPI_Datatype hcube_shim_int64(void);
MPI_Op hcube_shim_max(void);
MPI_Request hcube_shim_request_null(void);
MPI_Status *hcube_shim_status_ignore(void);
MPI_Status *hcube_shim_statuses_ignore(void);
MPI_Info hcube_shim_info_null(void);
MPI_Errhandler hcube_shim_errors_return(void);
void *hcube_shim_in_place(void);
int hcube_shim_any_source(void);
int hcube_shim_any_tag(void);
int hcube_shim_success(void);
int hcube_shim_comm_type_shared(void);
int hcube_shim_keyval_invalid(void);
int hcube_shim_max_error_string(void);
int hcube_shim_max_library_version_string(void);

/* 1 where all ranks are simulated in one process by one thread (SimGrid SMPI): there a rank that
 * waits without calling MPI waits for ever. */
int hcube_shim_simulated(void);

/* 1 unless it is certain that the handle is no living communicator. Where handles are addresses (Open
 * MPI) a freed communicator is freed memory that may still look alive; the table of Fortran handles
 * knows the living ones, and asking it raises no error. */
int hcube_shim_may_be_alive(MPI_Comm comm);

/* Creates a key value whose attribute is not copied by MPI_Comm_dup. The null copy function is a
 * macro or a function, depending on the library. */
int hcube_shim_create_keyval(MPI_Comm_delete_attr_function *release, int *keyval);

#endif
