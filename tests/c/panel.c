/* Broadcasts of panels: look-ahead as in HPL, on the world and on rows of it, for larger panels on the same
 * communicator, for nodes of one and two ranks with each topology, and wrong arguments. Prints `ok <ranks>`. */
#include "client.h"
#include "rounds.h"

#include <sched.h>

enum { MAX_DEPTH = 3 };

static double element(int panel, uint64_t place) {
  return 1000.0 * panel + (double)place;
}

/* Panels become smaller, and the last one is empty. */
static uint64_t elements(int panel, int count) {
  return (uint64_t)(count - panel - 1) * 11;
}

static void check_panel(const double *content, int panel, int count) {
  for (uint64_t place = 0; place < elements(panel, count); place++)
    if (content[place] != element(panel, place)) FAIL("panel %d, element %d: %g", panel, (int)place, content[place]);
}

static void write_panel(double *content, int panel, int count) {
  for (uint64_t place = 0; place < elements(panel, count); place++) content[place] = element(panel, place);
}

/* `depth` panels are held beside the current one. */
static void factor(MPI_Comm row, int count, int depth, int topology, int ranks_per_node) {
  uint64_t number[MAX_DEPTH + 1], held = (uint64_t)depth + 1, bytes, slots;
  const void *place[MAX_DEPTH + 1];
  int rank, size;
  int32_t done;
  hcube_panels_options options;
  MPI_Comm_rank(row, &rank);
  MPI_Comm_size(row, &size);
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.bytes = elements(0, count) * sizeof(double);
  options.slots = (uint64_t)(held / size + 2);
  options.in_use = held + 1;
  options.topology = topology;
  options.ranks_per_node = ranks_per_node;
  if (topology == HCUBE_PANELS_AUTO && ranks_per_node == 0)
    SUCCEED(hcube_panels_prepare(row, options.bytes, options.slots, &failure));
  else SUCCEED(hcube_panels_prepare_for(row, &options, &failure));
  SUCCEED(hcube_panels_prepared(row, &bytes, &slots, &failure));
  REQUIRE(bytes == elements(0, count) * sizeof(double) && slots == (uint64_t)(held / size + 2));
  for (int panel = 0; panel < count; panel++) {
    int here = panel % (int)held;
    void *own;
    if (panel >= (int)held) SUCCEED(hcube_panels_release(row, number[here], &failure));
    SUCCEED(
        hcube_panels_begin(row, panel % size, elements(panel, count) * sizeof(double), &number[here], &own, &failure));
    REQUIRE((own != NULL) == (rank == panel % size));
    if (own != NULL) {
      REQUIRE((uintptr_t)own % 64 == 0);
      write_panel((double *)own, panel, count);
      SUCCEED(hcube_panels_post(row, number[here], &failure));
    }
    do {
      SUCCEED(hcube_panels_progress(row, number[here], &done, &failure));
    } while (!done);
    /* Some ranks poll. */
    place[here] = NULL;
    while (panel % 3 == 0 && place[here] == NULL) {
      SUCCEED(hcube_panels_test(row, number[here], &place[here], &failure));
      sched_yield();
    }
    SUCCEED(hcube_panels_wait(row, number[here], &place[here], &failure));
    for (int before = 0; before < (int)held && before <= panel; before++)
      check_panel((const double *)place[(panel - before) % (int)held], panel - before, count);
  }
  for (int panel = 0; panel < (int)held; panel++) SUCCEED(hcube_panels_release(row, number[panel], &failure));
}

/* A panel of several messages between nodes. */
static void large(MPI_Comm row) {
  const uint64_t count = 200000;
  hcube_panels_options options;
  uint64_t number;
  const void *found;
  void *own;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.bytes = count * sizeof(double);
  options.slots = options.in_use = options.ranks_per_node = 1;
  for (int32_t topology = HCUBE_PANELS_RING; topology <= HCUBE_PANELS_MODIFIED_LONG; topology++) {
    options.topology = topology;
    SUCCEED(hcube_panels_prepare_for(row, &options, &failure));
    SUCCEED(hcube_panels_begin(row, 0, options.bytes, &number, &own, &failure));
    for (uint64_t place = 0; own != NULL && place < count; place++) ((double *)own)[place] = element(topology, place);
    if (own != NULL) SUCCEED(hcube_panels_post(row, number, &failure));
    SUCCEED(hcube_panels_wait(row, number, &found, &failure));
    for (uint64_t place = 0; place < count; place++)
      if (((const double *)found)[place] != element(topology, place)) FAIL("element %d", (int)place);
    SUCCEED(hcube_panels_release(row, number, &failure));
  }
}

static void wrong_arguments(MPI_Comm row, int rank, int size) {
  uint64_t number, bytes = 1, slots = 1;
  const void *place;
  void *own;
  SUCCEED(hcube_panels_prepared(row, &bytes, &slots, &failure));
  REQUIRE(bytes == 0 && slots == 0);
  REFUSED(HCUBE_ERR_ARGUMENT, "bytes = NULL", hcube_panels_prepared(row, NULL, &slots, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "not prepared", hcube_panels_begin(row, 0, 8, &number, &own, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "slots = 0", hcube_panels_prepare(row, 64, 0, &failure));
  SUCCEED(hcube_panels_prepare(row, 64, 2, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "root", hcube_panels_begin(row, size, 8, &number, &own, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "root = -1", hcube_panels_begin(row, -1, 8, &number, &own, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "bytes = 65", hcube_panels_begin(row, 0, 65, &number, &own, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "panel = NULL", hcube_panels_begin(row, 0, 8, NULL, &own, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "panel = 7", hcube_panels_post(row, 7, &failure));
  SUCCEED(hcube_panels_begin(row, 0, 8, &number, &own, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "place = NULL", hcube_panels_test(row, number, NULL, &failure));
  if (rank != 0) REFUSED(HCUBE_ERR_ARGUMENT, "rank 0", hcube_panels_post(row, number, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "still in use", hcube_panels_prepare(row, 128, 2, &failure));
  SUCCEED(hcube_panels_release(row, number, &failure));
  REFUSED(HCUBE_ERR_ARGUMENT, "not released", hcube_panels_wait(row, number, &place, &failure));
  if (size > 1) REFUSED(HCUBE_ERR_MISMATCH, "", hcube_panels_prepare(row, 64 + (uint64_t)rank, 2, &failure));
  REFUSED(HCUBE_ERR_COMM, "", hcube_panels_prepare(MPI_COMM_NULL, 64, 2, &failure));
}

static void all_rows(void) {
  MPI_Comm row, copy;
  int depth;
  for (int columns = 1; columns <= size; columns++) {
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
    for (depth = 0; depth <= MAX_DEPTH; depth++) {
      factor(row, 20, depth, HCUBE_PANELS_AUTO, 0);
      factor(row, 45, depth, HCUBE_PANELS_AUTO, 0);
    }
    for (int topology = HCUBE_PANELS_RING; topology <= HCUBE_PANELS_MODIFIED_LONG; topology++) {
      factor(row, 20, topology % (MAX_DEPTH + 1), topology, 1);
      factor(row, 13, topology % (MAX_DEPTH + 1), topology, 2);
    }
    MPI_Comm_rank(row, &rank);
    if (columns == size) large(row);
    /* A copy of the communicator has no panels. */
    MPI_Comm_dup(row, &copy);
    MPI_Comm_rank(row, &rank);
    MPI_Comm_size(row, &depth);
    wrong_arguments(copy, rank, depth);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&row);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  }
}

int main(int argc, char **argv) {
  begin_program(&argc, &argv);
  while (next_round()) all_rows();
  if (rank == 0) printf("ok %d\n", size);
  return end_program();
}
