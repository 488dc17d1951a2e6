/* Wisdom of FFTW, saved and loaded.
 *
 *   fftw_wisdom save <file>     measures plans and saves what was learnt
 *   fftw_wisdom load <file>     loads it, on rank 0 for all
 *
 * Prints `ok <mode> imported=<0|1> plans=<n> known=<n> hcube=<n>`: how many problems were planned, how many
 * of them only from wisdom, and how many plans are hcube's. */
#include "fftw_client.h"

static const ptrdiff_t SIDES[][2] = {{24, 24}, {30, 30}, {60, 30}, {17, 17}};

static int plans, known, planned;

/* Planned only from wisdom if there is any, and executed in either case. */
static void plan_and_check(const shape *of) {
  part mine = part_of(of, MPI_COMM_WORLD);
  array in = make_array(mine.length), out = of->in_place ? in : make_array(mine.length);
  F(plan) plan = plan_transpose(of, MPI_COMM_WORLD, in.data, out.data, FFTW_MEASURE | FFTW_WISDOM_ONLY);
  plans++;
  if (plan != NULL) {
    known++;
  } else {
    plan = plan_transpose(of, MPI_COMM_WORLD, in.data, out.data, FFTW_MEASURE);
  }
  planned += by_hcube(plan, MPI_COMM_WORLD);
  fill(of, &mine, in.data, 0);
  F(execute)(plan);
  check_transposed(of, &mine, out.data, 0);
  F(destroy_plan)(plan);
  free_array(&in);
  if (!of->in_place) free_array(&out);
}

int main(int argc, char **argv) {
  int imported = -1;
  begin_program(&argc, &argv);
  F(mpi_init)();
  if (argc < 3) FAIL("usage: %s save|load <file>", argv[0]);
  if (strcmp(argv[1], "load") == 0) {
    if (rank == 0) imported = F(import_wisdom_from_filename)(argv[2]);
    F(mpi_broadcast_wisdom)(MPI_COMM_WORLD);
  }
  for (size_t number = 0; number < 4 * sizeof SIDES / sizeof *SIDES; number++) {
    /* Wisdom about transpositions does not tell their flags: what differs in these differs in length too. */
    shape of = {SIDES[number / 4][0], SIDES[number / 4][1], 2 + (ptrdiff_t)number % 4, 0, 0, 0, number % 2 == 0};
    if (number % 4 > 1) of.flags = FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT;
    plan_and_check(&of);
  }
  if (strcmp(argv[1], "save") == 0) {
    F(mpi_gather_wisdom)(MPI_COMM_WORLD);
    if (rank == 0) REQUIRE(F(export_wisdom_to_filename)(argv[2]) != 0);
  }
  if (rank == 0) printf("ok %s imported=%d plans=%d known=%d hcube=%d\n", argv[1], imported, plans, known, planned);
  fflush(stdout);
  F(mpi_cleanup)();
  return end_program();
}
