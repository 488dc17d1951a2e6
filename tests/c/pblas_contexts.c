/* Products on grids that come and go.
 *
 *   pblas_contexts cycle <grids>   makes and destroys that many grids, all shapes in turn, with a product on each;
 *                                  prints how file descriptors, mappings and memory have grown
 *   pblas_contexts keep            leaves its grids to MPI_Finalize
 *   pblas_contexts left <grids>    makes that many grids with a larger product on each, and leaves them; multiplies
 *                                  on all of them again; prints how memory has grown after each part
 *   pblas_contexts threads         two threads multiply on a grid of their own each
 *   pblas_contexts killed|leaves   the last rank dies or leaves while the others multiply
 */
#include "pblas.h"
#include "process.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { SIZE = 24, LARGE_SIZE = 300, BLOCK = 5 };

/* A product of matrices whose elements are small integers, checked; C is a sum over `size` inner indices. */
static void multiply_large(const grid *on, int round, int size) {
  static const double one = 1, zero = 0;
  matrix all[3];
  int height = 0, width = 0;
  for (int number = 0; number < 3; number++) {
    axis rows = {size, BLOCK, BLOCK, number % on->rows, on->row, on->rows};
    axis columns = {size, BLOCK, BLOCK, number % on->columns, on->column, on->columns};
    matrix *it = &all[number];
    memset(it, 0, sizeof *it);
    it->kind = DOUBLE;
    it->type = 1;
    it->axes[0] = rows;
    it->axes[1] = columns;
    it->length[0] = it->length[1] = size;
    it->leading = local_count(&rows, size) + 1;
    describe(it, on->context);
    allocate_matrix(it, (uint64_t)round);
    height = local_count(&rows, size);
    width = local_count(&columns, size);
    for (int column = 0; column < width; column++) {
      for (int row = 0; row < height; row++) {
        double value[2] = {(double)(number + 1 + round % 5), 0};
        store(DOUBLE, element(it, row, column), value);
      }
    }
  }
  pdgemm_("N", "T", &size, &size, &size, &one, elements(&all[0]), &all[0].from[0], &all[0].from[1], all[0].descriptor,
          elements(&all[1]), &all[1].from[0], &all[1].from[1], all[1].descriptor, &zero, elements(&all[2]),
          &all[2].from[0], &all[2].from[1], all[2].descriptor);
  for (int column = 0; column < width; column++) {
    for (int row = 0; row < height; row++) {
      double value[2];
      load(DOUBLE, element(&all[2], row, column), value);
      if (value[0] != size * (1.0 + round % 5) * (2.0 + round % 5)) FAIL("round %d: %g", round, value[0]);
    }
  }
  for (int number = 0; number < 3; number++) free(all[number].memory);
}

static void multiply(const grid *on, int round) {
  multiply_large(on, round, SIZE);
}

/* --- What a process holds --- */

/* Resident memory in KiB. */
static long resident(void) {
  return field("/proc/self/status", "VmRSS") / 1024;
}

static void cycle(int rounds) {
  long before[3] = {0, 0, 0}, growth[3], largest[3];
  int number = -1, again = 0;
  for (int round = 0; round < rounds + rounds / 5; round++) {
    int rows = 1 + round % size, columns = size / rows;
    grid on = make_grid(round % 2 ? "Column" : "Row", rows, columns);
    if (round == rounds / 5) {
      before[0] = open_files();
      before[1] = mappings_of("");
      before[2] = resident();
    }
    if (on.row < 0) continue;
    again += on.context == number;
    number = on.context;
    multiply(&on, round);
    Cblacs_gridexit(on.context);
  }
  growth[0] = open_files() - before[0];
  growth[1] = mappings_of("") - before[1];
  growth[2] = resident() - before[2];
  MPI_Reduce(growth, largest, 3, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  /* The number of a context is used again, by grids of other shapes. */
  if (rank == 0) {
    REQUIRE(again > rounds / 2);
    printf("ok descriptors=%ld mappings=%ld kilobytes=%ld\n", largest[0], largest[1], largest[2]);
  }
}

/* Grids that are never freed, and products on all of them, twice in another order. */
static void leave(int count) {
  grid *all = (grid *)allocate(sizeof *all * (size_t)count);
  long before = 0, growth[2], largest[2];
  REQUIRE(count > 10);
  for (int number = 0; number < count; number++) {
    int rows = number % 3 == 0 ? size : 1;
    if (number == 10) before = resident();
    all[number] = make_grid(number % 2 ? "Column" : "Row", rows, size / rows);
    multiply_large(&all[number], number, LARGE_SIZE);
  }
  growth[0] = resident() - before;
  for (int number = 0; number < 2 * count; number++)
    multiply_large(&all[number * 7 % count], number, LARGE_SIZE - number % 5);
  growth[1] = resident() - before;
  MPI_Reduce(growth, largest, 2, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("ok kilobytes=%ld again=%ld\n", largest[0], largest[1]);
  free(all);
}

static void *in_thread(void *own) {
  for (int round = 0; round < 200; round++) multiply((const grid *)own, round);
  return NULL;
}

static void in_threads(int size) {
  grid grids[2];
  pthread_t threads[2];
  grids[0] = make_grid("Row", 1, size);
  grids[1] = make_grid("Column", size, 1);
  for (int number = 0; number < 2; number++)
    REQUIRE(pthread_create(&threads[number], NULL, in_thread, &grids[number]) == 0);
  for (int number = 0; number < 2; number++) REQUIRE(pthread_join(threads[number], NULL) == 0);
}

/* Never comes back where a rank is missing. */
static void lose(int rank, int size, int killed) {
  grid on = make_grid("Row", 1, size);
  for (int round = 0; round < 1000000; round++) {
    multiply(&on, round);
    if (rank == size - 1 && round == 50) {
      Dl_info place;
      REQUIRE(dladdr((void *)(uintptr_t)gemm[DOUBLE], &place) != 0);
      printf("going by %s\n", place.dli_fname);
      fflush(stdout);
      if (killed) raise(SIGKILL);
      exit(3);
    }
  }
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  grid first, second;
  int provided = begin_with_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  if (strcmp(mode, "cycle") == 0) {
    cycle(atoi(argv[2]));
  } else if (strcmp(mode, "left") == 0) {
    leave(atoi(argv[2]));
  } else if (strcmp(mode, "threads") == 0) {
    REQUIRE(provided == MPI_THREAD_MULTIPLE);
    in_threads(size);
    if (rank == 0) printf("ok\n");
  } else if (strcmp(mode, "keep") == 0) {
    first = make_grid("Row", 1, size);
    second = make_grid("Column", size, 1);
    multiply(&first, 1);
    multiply(&second, 2);
    if (rank == 0) printf("ok\n");
  } else {
    lose(rank, size, strcmp(mode, "killed") == 0);
  }
  return end_program();
}
