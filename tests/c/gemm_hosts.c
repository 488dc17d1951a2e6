/* Two equal products on ranks of several hosts, every element of which is compared, and the bytes that the hosts have
 * received during the second one.
 *
 *   gemm_hosts <process rows> <process columns> <m> <n> <k> <block>
 *
 * All matrices have blocks of this size. With PBLAS by PDGEMM, otherwise by hcube_gemm. Prints
 * `ok received=<bytes> <path>`. */
#ifdef PBLAS
#include "pblas.h"
#else
#include "gemm.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes that this host has received from others since it was started. */
static double received(void) {
  char line[512];
  double bytes = 0;
  FILE *file = fopen("/proc/self/net/dev", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char *colon = strchr(line, ':');
    if (colon != NULL && strstr(line, "eth0") != NULL) bytes = strtod(colon + 1, NULL);
  }
  if (file != NULL) fclose(file);
  return bytes;
}

/* The same of all hosts. */
static double all_received(void) {
  MPI_Comm host;
  int on_host;
  double sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &on_host);
  MPI_Comm_free(&host);
  double bytes = on_host == 0 ? received() : 0;
  MPI_Allreduce(&bytes, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static int sizes[3], block, rows, columns, row, column;

/* An element of A (0) or B (1). */
static double value_at(int which, int i, int j) {
  return (i * 7 + j * 13 + which * 5) % 17 - 8;
}

static int owned(int length, int own, int count) {
  int number = 0;
  for (int start = own * block; start < length; start += count * block)
    number += length - start < block ? length - start : block;
  return number;
}

static int global_index(int local, int own, int count) {
  return local / block * block * count + own * block + local % block;
}

/* This rank's part of a matrix. */
typedef struct {
  int size[2], height, width;
  double *elements;
} local_part;

static local_part local_part_of(int which, int size_0, int size_1) {
  local_part made;
  made.size[0] = size_0;
  made.size[1] = size_1;
  made.height = owned(size_0, row, rows);
  made.width = owned(size_1, column, columns);
  made.elements = (double *)allocate(sizeof(double) * (size_t)(made.height * made.width + 1));
  for (int j = 0; j < made.width; j++)
    for (int i = 0; i < made.height; i++)
      made.elements[j * made.height + i] =
          which == 2 ? NAN : value_at(which, global_index(i, row, rows), global_index(j, column, columns));
  return made;
}

static void check_result(const local_part *c) {
  for (int j = 0; j < c->width; j++)
    for (int i = 0; i < c->height; i++) {
      double sum = 0;
      for (int inner = 0; inner < sizes[2]; inner++)
        sum += value_at(0, global_index(i, row, rows), inner) * value_at(1, inner, global_index(j, column, columns));
      if (c->elements[j * c->height + i] != sum)
        FAIL("element %d, %d of row %d, column %d is wrong", i, j, row, column);
    }
}

#ifdef PBLAS
static void multiply(const local_part *parts, char *path) {
  static int context = -1;
  int descriptors[3][9], one = 1;
  double alpha = 1, beta = 0;
  if (context < 0) {
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", rows, columns);
  }
  for (int which = 0; which < 3; which++) {
    int leading = parts[which].height > 0 ? parts[which].height : 1;
    int known[9] = {1, context, parts[which].size[0], parts[which].size[1], block, block, 0, 0, leading};
    memcpy(descriptors[which], known, sizeof known);
  }
  gemm[DOUBLE]("N", "N", &sizes[0], &sizes[1], &sizes[2], &alpha, parts[0].elements, &one, &one, descriptors[0],
               parts[1].elements, &one, &one, descriptors[1], &beta, parts[2].elements, &one, &one, descriptors[2]);
  strcpy(path, "-");
}
#else
static void multiply(const local_part *parts, char *path) {
  hcube_matrix matrices[3];
  hcube_gemm_options options;
  double alpha = 1, beta = 0;
  for (int which = 0; which < 3; which++) {
    hcube_matrix *matrix = &matrices[which];
    memset(matrix, 0, sizeof *matrix);
    matrix->struct_size = sizeof *matrix;
    matrix->rows = parts[which].size[0];
    matrix->columns = parts[which].size[1];
    matrix->row_block = matrix->column_block = matrix->first_row_block = matrix->first_column_block = block;
    matrix->leading_dimension = parts[which].height > 0 ? parts[which].height : 1;
  }
  SUCCEED(hcube_gemm_default_options(&options, sizeof options, &failure));
  options.multiply = plain(HCUBE_ELEMENT_DOUBLE);
  SUCCEED(hcube_gemm(MPI_COMM_WORLD, rows, columns, HCUBE_ELEMENT_DOUBLE, 'N', 'N', sizes[0], sizes[1], sizes[2],
                     &alpha, parts[0].elements, &matrices[0], parts[1].elements, &matrices[1], &beta, parts[2].elements,
                     &matrices[2], &options, &failure));
  SUCCEED(hcube_gemm_last_path(MPI_COMM_WORLD, path, 64, &failure));
}
#endif

int main(int argc, char **argv) {
  local_part parts[3];
  char path[64];
  begin_program(&argc, &argv);
  REQUIRE(argc == 7);
  rows = atoi(argv[1]);
  columns = atoi(argv[2]);
  for (int which = 0; which < 3; which++) sizes[which] = atoi(argv[3 + which]);
  block = atoi(argv[6]);
  row = rank / columns;
  column = rank % columns;
  parts[0] = local_part_of(0, sizes[0], sizes[2]);
  parts[1] = local_part_of(1, sizes[2], sizes[1]);
  parts[2] = local_part_of(2, sizes[0], sizes[1]);
  multiply(parts, path);
  check_result(&parts[2]);
  double before = all_received();
  multiply(parts, path);
  double after = all_received();
  check_result(&parts[2]);
  for (int which = 0; which < 3; which++) free(parts[which].elements);
  if (rank == 0) printf("ok received=%.0f %s\n", after - before, path);
  return end_program();
}
