/* The functions, one in a row: name, what it returns, the faults that its arguments may have, and these. boundary.c
 * includes this twice: for their calls, and for their table. */
FUNCTION(hcube_random_access_default_options, HCUBE_CODE, DEFAULTS, (a->defaults, a->size, a->error))
FUNCTION(hcube_random_access_prepare, HCUBE_CODE, RUN | OPTIONS, (a->comm, a->options, a->error))
FUNCTION(hcube_random_access_run, HCUBE_CODE, RUN | TABLE | UPDATES | OPTIONS,
         (a->comm, a->table, a->updates, a->options, a->error))
FUNCTION(hcube_random_access_verify, HCUBE_CODE, RUN | TABLE | UPDATES | ERRORS,
         (a->comm, a->table, a->updates, a->errors, a->error))
FUNCTION(hcube_random_access_last_statistics, HCUBE_CODE, ONE | STATISTICS, (a->comm, a->statistics, a->error))
FUNCTION(hcube_random_access_describe, HCUBE_CODE, RUN | OPTIONS | TEXT,
         (a->comm, a->options, a->text, a->length, a->error))
FUNCTION(hcube_fortran_random_access_prepare, HCUBE_CODE, RUN | OPTIONS, (a->number, a->options, a->error))
FUNCTION(hcube_fortran_random_access_run, HCUBE_CODE, RUN | TABLE | UPDATES | OPTIONS,
         (a->number, a->table, a->updates, a->options, a->error))
FUNCTION(hcube_fortran_random_access_verify, HCUBE_CODE, RUN | TABLE | UPDATES | ERRORS,
         (a->number, a->table, a->updates, a->errors, a->error))
FUNCTION(hcube_fortran_random_access_last_statistics, HCUBE_CODE, ONE | STATISTICS,
         (a->number, a->statistics, a->error))
FUNCTION(hcube_fortran_random_access_describe, HCUBE_CODE, RUN | OPTIONS | TEXT,
         (a->number, a->options, a->text, a->length, a->error))
FUNCTION(hcube_transpose, HCUBE_CODE, RUN | SHAPE | INPUT | OUTPUT, (a->input, a->output, a->shape, a->comm, a->error))
FUNCTION(hcube_transpose_check, HCUBE_CODE, RUN | SHAPE | PLACE, (a->shape, a->in_place, a->comm, a->error))
FUNCTION(hcube_fortran_transpose, HCUBE_CODE, RUN | SHAPE | INPUT | OUTPUT,
         (a->input, a->output, a->shape, a->number, a->error))
FUNCTION(hcube_fortran_transpose_in_place, HCUBE_CODE, RUN | SHAPE | OUTPUT, (a->output, a->shape, a->number, a->error))
FUNCTION(hcube_fortran_transpose_check, HCUBE_CODE, RUN | SHAPE | PLACE, (a->shape, a->in_place, a->number, a->error))
FUNCTION(hcube_alltoall_default_options, HCUBE_CODE, DEFAULTS, (a->alltoall_defaults, a->alltoall_size, a->error))
FUNCTION(hcube_alltoall_set_options, HCUBE_CODE, RUN | ALLTOALL_OPTIONS, (a->comm, a->alltoall_options, a->error))
FUNCTION(hcube_alltoall_last_path, HCUBE_CODE, ONE | TEXT, (a->comm, a->text, a->length, a->error))
FUNCTION(hcube_alltoall_last_way, HCUBE_CODE, ONE | TEXT, (a->comm, a->text, a->length, a->error))
FUNCTION(hcube_fortran_alltoall_set_options, HCUBE_CODE, RUN | ALLTOALL_OPTIONS,
         (a->number, a->alltoall_options, a->error))
FUNCTION(hcube_fortran_alltoall_last_way, HCUBE_CODE, ONE | TEXT, (a->number, a->text, a->length, a->error))
FUNCTION(hcube_gemm, HCUBE_CODE, RUN | GEMM | GEMM_OPTIONS,
         (a->comm, a->grid_rows, size, a->element, a->transa, 'N', a->m, SIDE *(int64_t)size, SIDE, a->alpha, a->factor,
          a->at, a->factor, a->at, a->alpha, a->matrix, a->at, a->gemm_options, a->error))
FUNCTION(hcube_gemm_default_options, HCUBE_CODE, DEFAULTS, (a->gemm_defaults, a->gemm_size, a->error))
FUNCTION(hcube_gemm_set_options, HCUBE_CODE, RUN | GEMM_OPTIONS, (a->comm, a->gemm_options, a->error))
FUNCTION(hcube_gemm_last_path, HCUBE_CODE, ONE | TEXT, (a->comm, a->text, a->length, a->error))
FUNCTION(hcube_fortran_gemm, HCUBE_CODE, RUN | GEMM | GEMM_OPTIONS,
         (a->number, a->grid_rows, size, a->element, a->transa, 'N', a->m, SIDE *(int64_t)size, SIDE, a->alpha,
          a->factor, a->at, a->factor, a->at, a->alpha, a->matrix, a->at, a->gemm_options, a->error))
FUNCTION(hcube_fortran_gemm_set_options, HCUBE_CODE, RUN | GEMM_OPTIONS, (a->number, a->gemm_options, a->error))
FUNCTION(hcube_fortran_gemm_last_path, HCUBE_CODE, ONE | TEXT, (a->number, a->text, a->length, a->error))
FUNCTION(hcube_alltoall, MPI_CODE, EXCHANGE | SENT | COUNT | TYPE,
         (a->sent, a->count, a->type, a->received, a->count, a->type, a->comm))
FUNCTION(hcube_alltoall_c, MPI_CODE, EXCHANGE | SENT | COUNT | TYPE,
         (a->sent, a->count, a->type, a->received, a->count, a->type, a->comm))
FUNCTION(hcube_alltoallv, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPE,
         (a->sent, a->counts, a->displacements, a->type, a->received, a->counts, a->displacements, a->type, a->comm))
FUNCTION(hcube_alltoallv_c, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPE,
         (a->sent, a->large_counts, a->large_displacements, a->type, a->received, a->large_counts,
          a->large_displacements, a->type, a->comm))
FUNCTION(hcube_alltoallv_in_place, MPI_CODE, EXCHANGE | COUNTS | TYPE,
         (a->received, a->counts, a->displacements, a->counts, a->displacements, a->type, a->comm))
FUNCTION(hcube_alltoallv_in_place_c, MPI_CODE, EXCHANGE | COUNTS | TYPE,
         (a->received, a->large_counts, a->large_displacements, a->large_counts, a->large_displacements, a->type,
          a->comm))
FUNCTION(hcube_alltoallw, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPES,
         (a->sent, a->counts, a->displacements, a->types, a->received, a->counts, a->displacements, a->types, a->comm))
FUNCTION(hcube_alltoallw_c, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPES,
         (a->sent, a->large_counts, a->large_displacements, a->types, a->received, a->large_counts,
          a->large_displacements, a->types, a->comm))
FUNCTION(hcube_fortran_alltoall, MPI_CODE, EXCHANGE | SENT | COUNT | TYPE,
         (a->sent, a->count, a->type_number, a->received, a->count, a->type_number, a->number))
FUNCTION(hcube_fortran_alltoall_in_place, MPI_CODE, EXCHANGE | COUNT | TYPE,
         (a->received, a->count, a->type_number, a->number))
FUNCTION(hcube_fortran_alltoallv, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPE,
         (a->sent, a->counts, a->displacements, a->type_number, a->received, a->counts, a->displacements,
          a->type_number, a->number))
FUNCTION(hcube_fortran_alltoallv_in_place, MPI_CODE, EXCHANGE | COUNTS | TYPE,
         (a->received, a->counts, a->displacements, a->type_number, a->number))
FUNCTION(hcube_fortran_alltoallv_in_one_buffer, MPI_CODE, EXCHANGE | COUNTS | TYPE,
         (a->received, a->counts, a->displacements, a->counts, a->displacements, a->type_number, a->number))
FUNCTION(hcube_fortran_alltoallw, MPI_CODE, EXCHANGE | SENT | COUNTS | TYPES,
         (a->sent, a->counts, a->displacements, a->type_numbers, a->received, a->counts, a->displacements,
          a->type_numbers, a->number))
FUNCTION(hcube_fortran_alltoallw_in_place, MPI_CODE, EXCHANGE | COUNTS | TYPES,
         (a->received, a->counts, a->displacements, a->type_numbers, a->number))
#undef FUNCTION
