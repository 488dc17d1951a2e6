/* Transpositions by FFTW, every word of them checked.
 *
 *   fftw_transpose shapes <seed> <cases>   random shapes, blocks, flags and rigours of planning, then
 *                                          some large ones
 *   fftw_transpose communicators <seed> <cases>
 *                                          the same on parts of the ranks, in other orders
 *
 * Prints `ok <mode> plans=<n> hcube=<n> missed=<n>`: how many plans are hcube's, and how many are not
 * although hcube can. */
#include "fftw_client.h"

static const ptrdiff_t SIDES[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24};
static const ptrdiff_t LARGE[][2] = {{64, 64}, {100, 60}, {96, 96}, {128, 32}};
static const ptrdiff_t HOW_MANY[] = {1, 2, 3, 8};
static const unsigned FLAGS[] = {0, FFTW_MPI_TRANSPOSED_IN, FFTW_MPI_TRANSPOSED_OUT,
                                 FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT};

typedef struct tally {
  int plans, hcube, missed;
} tally;

/* Plans, executes twice with different values, and checks all that may be relied upon. */
static void transpose(const shape *of, MPI_Comm comm, unsigned rigour, tally *count) {
  part mine = part_of(of, comm);
  array in = make_array(mine.length), out = in;
  F(plan) plan;
  ptrdiff_t place;
  if (!of->in_place) out = make_array(mine.length);
  plan = plan_transpose(of, comm, in.data, out.data, rigour);
  int planned = by_hcube(plan, comm);
  count->plans++;
  count->hcube += planned;
  if (hcube_can(of, comm) && !planned) {
    count->missed++;
    if (getenv("HCUBE_TEST_VERBOSE") != NULL) fprintf(stderr, "not planned by hcube: %s\n", text_of(of));
  }
  for (int turn = 0; turn < 2; turn++) {
    fill(of, &mine, in.data, turn);
    F(execute)(plan);
    check_transposed(of, &mine, out.data, turn);
    if (of->in_place) continue;
    /* Input stays as it is unless it is given away, and hcube keeps it even then. */
    if (!(rigour & FFTW_DESTROY_INPUT) || planned) {
      array again = make_array(mine.length);
      memcpy(again.data, in.data, sizeof(real) * (size_t)mine.length);
      fill(of, &mine, again.data, turn);
      for (place = 0; place < mine.length; place++)
        if (in.data[place] != again.data[place]) FAIL("%s: word %td of the input was changed", text_of(of), place);
      free_array(&again);
    }
  }
  F(destroy_plan)(plan);
  free_array(&in);
  if (!of->in_place) free_array(&out);
}

/* A number of rows for each rank, more than FFTW's own choice: uneven parts, idle ranks. */
static ptrdiff_t draw_block(random_state *random, ptrdiff_t length, int size) {
  ptrdiff_t least = (length + size - 1) / size;
  return draw(random, 2) == 0 ? FFTW_MPI_DEFAULT_BLOCK : least + draw(random, length - least + 1);
}

static shape draw_shape(random_state *random, int size) {
  const ptrdiff_t sides = (ptrdiff_t)(sizeof SIDES / sizeof *SIDES);
  shape drawn;
  drawn.nx = SIDES[draw(random, sides)];
  drawn.ny = draw(random, 2) == 0 ? drawn.nx : SIDES[draw(random, sides)];
  drawn.howmany = HOW_MANY[draw(random, 4)];
  drawn.flags = FLAGS[draw(random, 4)];
  drawn.in_place = (int)draw(random, 2);
  drawn.row_block = draw_block(random, drawn.nx, size);
  drawn.column_block = draw_block(random, drawn.ny, size);
  if (drawn.nx == drawn.ny && draw(random, 2) == 0) drawn.column_block = drawn.row_block;
  return drawn;
}

/* Measuring takes its time: estimates mostly. */
static unsigned draw_rigour(random_state *random) {
  ptrdiff_t number = draw(random, 60);
  unsigned rigour = number == 0 ? FFTW_PATIENT : number < 5 ? FFTW_MEASURE : FFTW_ESTIMATE;
  return draw(random, 4) == 0 ? rigour | FFTW_DESTROY_INPUT : rigour;
}

static void shapes(MPI_Comm comm, uint64_t seed, int cases, tally *count) {
  random_state random = {seed};
  int size;
  MPI_Comm_size(comm, &size);
  for (int number = 0; number < cases; number++) {
    shape drawn = draw_shape(&random, size);
    transpose(&drawn, comm, draw_rigour(&random), count);
  }
}

static void large(MPI_Comm comm, tally *count) {
  for (size_t sides = 0; sides < sizeof LARGE / sizeof *LARGE; sides++) {
    for (size_t flags = 0; flags < sizeof FLAGS / sizeof *FLAGS; flags++) {
      for (size_t in_place = 0; in_place < 2; in_place++) {
        shape of = {LARGE[sides][0], LARGE[sides][1], 2, 0, 0, FLAGS[flags], (int)in_place};
        transpose(&of, comm, flags == 0 ? FFTW_MEASURE : FFTW_ESTIMATE, count);
      }
    }
  }
}

/* Two halves at the same time, the second in reverse order; all ranks in reverse order; one rank. */
static void communicators(uint64_t seed, int cases, tally *count) {
  MPI_Comm half, reversed, copy;
  MPI_Comm_split(MPI_COMM_WORLD, rank < (size + 1) / 2, rank < (size + 1) / 2 ? rank : -rank, &half);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_dup(reversed, &copy);
  shapes(half, seed + (rank < (size + 1) / 2), cases, count);
  shapes(reversed, seed + 2, cases, count);
  MPI_Comm_free(&reversed);
  shapes(copy, seed + 2, cases, count);
  shapes(MPI_COMM_SELF, seed + 3 + (uint64_t)rank, cases, count);
  shapes(half, seed + 20, cases, count);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  shapes(MPI_COMM_WORLD, seed + 21, cases, count);
}

int main(int argc, char **argv) {
  tally count = {0, 0, 0}, least, most;
  begin_program(&argc, &argv);
  F(mpi_init)();
  if (argc < 4) FAIL("usage: %s shapes|communicators <seed> <cases>", argv[0]);
  if (strcmp(argv[1], "shapes") == 0) {
    shapes(MPI_COMM_WORLD, strtoull(argv[2], NULL, 10), atoi(argv[3]), &count);
    large(MPI_COMM_WORLD, &count);
  } else {
    communicators(strtoull(argv[2], NULL, 10), atoi(argv[3]), &count);
  }
  MPI_Allreduce(&count, &most, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&count, &least, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf("ok %s plans=%d hcube=%d missed=%d\n", argv[1], count.plans, least.hcube, most.missed);
  fflush(stdout);
  F(mpi_cleanup)();
  return end_program();
}
