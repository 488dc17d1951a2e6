/* Arguments for every exported function, and what may be wrong with them. For boundary.c. */
#ifndef BOUNDARY_H
#define BOUNDARY_H

#include "client.h"

#include <signal.h>

enum { MAX_RANKS = 16, LENGTH = 256, SIDE = 4, BLOCK = 5 };

/* All that the functions may write to, and all that they read values from. */
typedef struct storage {
  uint64_t words[LENGTH];
  int64_t errors;
  char text[64];
  hcube_random_access_options defaults;
  hcube_alltoall_options alltoall_defaults;
  hcube_gemm_options gemm_defaults;
  hcube_random_access_statistics statistics;
  double matrix[SIDE * SIDE];
  unsigned char input[SIDE * SIDE * MAX_RANKS * 8], output[SIDE * SIDE * MAX_RANKS * 8];
  int sent[BLOCK * MAX_RANKS * 4], received[BLOCK * MAX_RANKS * 4];
} storage;

/* The arguments of all functions; `number` and so on are for Fortran's. */
typedef struct arguments {
  MPI_Comm comm;
  MPI_Fint number;
  hcube_error *error;
  hcube_table *table;
  hcube_updates *updates;
  hcube_random_access_options *options, *defaults;
  hcube_alltoall_options *alltoall_options, *alltoall_defaults;
  hcube_gemm_options *gemm_options, *gemm_defaults;
  uint64_t size, alltoall_size, gemm_size;
  hcube_random_access_statistics *statistics;
  int64_t *errors;
  char *text;
  uint64_t length;
  hcube_transpose_shape *shape;
  int grid_rows, element;
  char transa;
  int64_t m;
  const double *alpha, *factor;
  double *matrix;
  hcube_matrix *at;
  int in_place;
  void *input, *output, *sent, *received;
  int count;
  int *counts, *displacements;
  MPI_Count *large_counts;
  MPI_Aint *large_displacements;
  MPI_Datatype type, *types;
  MPI_Fint type_number, *type_numbers;
} arguments;

static storage memory, memory_before;
static int active;
static MPI_Comm comm, freed, inter;
static MPI_Fint freed_number;

static hcube_table table;
static hcube_updates updates;
static hcube_random_access_options options;
static hcube_alltoall_options alltoall_options;
static hcube_gemm_options gemm_options;
static hcube_transpose_shape shape;
static hcube_matrix shape_of_a;
static double one = 1, factor[SIDE * SIDE];
static int counts[MAX_RANKS], displacements[MAX_RANKS];
static MPI_Count large_counts[MAX_RANKS];
static MPI_Aint large_displacements[MAX_RANKS];
static MPI_Datatype types[MAX_RANKS];
static MPI_Fint type_numbers[MAX_RANKS];

static void remember(void) {
  memory_before = memory;
}

static int unchanged(void) {
  return memcmp(&memory, &memory_before, sizeof memory) == 0;
}

/* Local products that need not be right. */
static void multiply(void) {
}

/* Arguments with which every function succeeds where MPI is active. */
static arguments good_arguments(void) {
  arguments a;
  memset(&a, 0, sizeof a);
  memset(&failure, 0, sizeof failure);
  for (unsigned i = 0; i < sizeof memory; i++) ((unsigned char *)&memory)[i] = (unsigned char)(i * 37 + (unsigned)rank);
  memory.statistics.struct_size = sizeof memory.statistics;
  table.global_length = LENGTH;
  distribute(LENGTH, rank, size, &table.first_index, &table.local_length);
  table.words = memory.words;
  updates = make_updates(&table, HCUBE_STREAM_POLYNOMIAL);
  SUCCEED(hcube_random_access_default_options(&options, sizeof options, &failure));
  SUCCEED(hcube_alltoall_default_options(&alltoall_options, sizeof alltoall_options, &failure));
  SUCCEED(hcube_gemm_default_options(&gemm_options, sizeof gemm_options, &failure));
  gemm_options.multiply = multiply;
  memset(&shape_of_a, 0, sizeof shape_of_a);
  shape_of_a.struct_size = sizeof shape_of_a;
  shape_of_a.rows = SIDE;
  shape_of_a.columns = SIDE * (int64_t)size;
  shape_of_a.row_block = shape_of_a.column_block = shape_of_a.first_row_block = shape_of_a.first_column_block = SIDE;
  shape_of_a.leading_dimension = SIDE;
  shape.rows = shape.columns = SIDE * (int64_t)size;
  shape.row_block = shape.column_block = SIDE;
  shape.element_bytes = 8;
  shape.transposed_in = shape.transposed_out = 0;
  a.type = MPI_INT;
  a.type_number = active ? MPI_Type_c2f(MPI_INT) : 0;
  for (unsigned i = 0; i < MAX_RANKS; i++) {
    large_counts[i] = counts[i] = BLOCK;
    /* In bytes the blocks follow each other; in elements they are non-contiguous. */
    large_displacements[i] = displacements[i] = (int)(i * BLOCK * sizeof(int));
    types[i] = MPI_INT;
    type_numbers[i] = a.type_number;
  }
  a.comm = active ? comm : MPI_COMM_WORLD;
  a.number = active ? MPI_Comm_c2f(comm) : 0;
  a.error = &failure;
  a.table = &table;
  a.updates = &updates;
  a.options = &options;
  a.defaults = &memory.defaults;
  a.alltoall_options = &alltoall_options;
  a.alltoall_defaults = &memory.alltoall_defaults;
  a.gemm_options = &gemm_options;
  a.gemm_defaults = &memory.gemm_defaults;
  a.size = sizeof options;
  a.alltoall_size = sizeof alltoall_options;
  a.gemm_size = sizeof gemm_options;
  a.grid_rows = 1;
  a.element = HCUBE_ELEMENT_DOUBLE;
  a.transa = 'N';
  a.m = SIDE;
  a.alpha = &one;
  a.factor = factor;
  a.matrix = memory.matrix;
  a.at = &shape_of_a;
  a.statistics = &memory.statistics;
  a.errors = &memory.errors;
  a.text = memory.text;
  a.length = sizeof memory.text;
  a.shape = &shape;
  a.input = memory.input;
  a.output = memory.output;
  a.sent = memory.sent;
  a.received = memory.received;
  a.count = BLOCK;
  a.counts = counts;
  a.displacements = displacements;
  a.large_counts = large_counts;
  a.large_displacements = large_displacements;
  a.types = types;
  a.type_numbers = type_numbers;
  return a;
}

/* --- faults ---------------------------------------------------------------------------------------------- */

/* Kinds of faults, as bits: a function has the bits of its arguments. */
#define COMM 0x1u
#define FREED 0x2u
#define INTER 0x4u
#define ALL_COMMS (COMM | FREED | INTER)
/* No fault: one rank's makes all ranks refuse. */
#define COLLECTIVE 0x8u
#define DEFAULTS 0x10u
#define TABLE 0x20u
#define UPDATES 0x40u
#define OPTIONS 0x80u
#define ERRORS 0x100u
#define STATISTICS 0x200u
#define TEXT 0x400u
#define SHAPE 0x800u
#define INPUT 0x1000u
#define OUTPUT 0x2000u
#define PLACE 0x4000u
#define ALLTOALL_OPTIONS 0x8000u
#define SENT 0x10000u
#define RECEIVED 0x20000u
#define COUNT 0x40000u
#define COUNTS 0x80000u
#define TYPE 0x100000u
#define TYPES 0x200000u
#define GEMM_OPTIONS 0x400000u
#define GEMM 0x800000u

typedef struct fault {
  const char *name;
  unsigned kind;
  void (*apply)(arguments *a);
  /* The results of the two kinds of functions. */
  int32_t code;
  int error_class;
} fault;

#define FAULT(name, kind, code, error_class, ...) \
  static void make_##name(arguments *a) {         \
    __VA_ARGS__;                                  \
  }
#include "boundary_faults.h"

static const fault faults[] = {
#define FAULT(name, kind, code, error_class, ...) {#name, kind, make_##name, code, error_class},
#include "boundary_faults.h"
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

/* Whether a function takes Fortran's handles. */
static int takes_number(const char *name) {
  return strncmp(name, "hcube_fortran_", 14) == 0;
}

/* Whether a fault can be made: a freed handle is an address in Open MPI, which its own functions would follow
 * (`by_address`), and an intercommunicator needs two ranks. */
static int may_be_made(const fault *of, int by_address) {
#ifdef OPEN_MPI
  if (of->kind == FREED && by_address) return 0;
#else
  (void)by_address;
#endif
  return of->kind != INTER || size > 1;
}

/* --- life -------------------------------------------------------------------------------------------------- */

static void make_communicators(void) {
  MPI_Comm half;
  REQUIRE(size <= MAX_RANKS);
  active = 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (size > 1) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
    MPI_Comm_free(&half);
  }
  /* The last that is made: another one could get its number. One that hcube has used, and prepared for all. hcube asks
   * the library how it judges arguments on a communicator of its own, which it makes for the first question. */
  run_and_verify(comm, 8, HCUBE_STREAM_POLYNOMIAL, NULL);
  hcube_alltoall(NULL, 0, MPI_DATATYPE_NULL, NULL, 0, MPI_DATATYPE_NULL, comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  run_and_verify(freed, 8, HCUBE_STREAM_POLYNOMIAL, NULL);
  MPI_Comm stale = freed;
  freed_number = MPI_Comm_c2f(freed);
  MPI_Comm_free(&freed);
  freed = stale;
}

static void free_communicators(void) {
  if (size > 1) MPI_Comm_free(&inter);
  MPI_Comm_free(&comm);
  active = 0;
}

#endif
