/* Exchanges on communicators by every function of MPI that makes one from another, of fewer, of all and of reordered
 * processes, and on their duplicates.
 *
 *   constructors              all but MPI_Comm_spawn
 *   constructors spawn        one of parents and children; prints `skipped spawn` where none can be started
 */
#include "guest.h"

enum { EXCHANGES = 4, ELEMENTS = 3 };

static int communicators;

static void exchange_and_free(MPI_Comm *comm) {
  if (*comm == MPI_COMM_NULL) return;
  exchange_often(*comm, EXCHANGES, ELEMENTS);
  MPI_Comm_free(comm);
}

/* Takes turns with exchanges of all processes: what is kept for them fits no other communicator. */
static void use(MPI_Comm comm) {
  MPI_Comm copy;
  communicators++;
  exchange_often(MPI_COMM_WORLD, 2, ELEMENTS);
  if (comm == MPI_COMM_NULL) return;
  exchange_often(comm, EXCHANGES, ELEMENTS);
  MPI_Comm_dup(comm, &copy);
  exchange_and_free(&copy);
  exchange_and_free(&comm);
}

/* A group of the first processes, or of all in the opposite order. */
static MPI_Group group_of(int processes, int reversed) {
  int *ranks = (int *)allocate((size_t)processes * sizeof(int));
  MPI_Group all, some;
  for (int i = 0; i < processes; i++) ranks[i] = reversed ? processes - 1 - i : i;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, processes, ranks, &some);
  MPI_Group_free(&all);
  free(ranks);
  return some;
}

static void duplicates(void) {
  MPI_Comm comm;
  MPI_Request request;
  MPI_Info info;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  use(comm);
  MPI_Info_create(&info);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  use(comm);
  MPI_Info_free(&info);
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use(comm);
}

static void parts(void) {
  MPI_Comm comm;
  for (int reversed = 0; reversed < 2; reversed++) {
    int key = reversed ? -rank : rank;
    MPI_Comm_split(MPI_COMM_WORLD, 0, key, &comm);
    use(comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size - 1 ? 0 : MPI_UNDEFINED, key, &comm);
    use(comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &comm);
    use(comm);
  }
}

static void of_groups(void) {
  for (int processes = size; processes >= size - 1; processes--)
    for (int reversed = 0; reversed < 2; reversed++) {
      MPI_Group group = group_of(processes, reversed);
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
      use(comm);
      comm = MPI_COMM_NULL;
      if (rank < processes) MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm);
      use(comm);
#if MPI_VERSION >= 4
      comm = MPI_COMM_NULL;
      if (rank < processes) MPI_Comm_create_from_group(group, "hcube", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
      use(comm);
#endif
      MPI_Group_free(&group);
    }
}

static void grids(void) {
  int line[1], plane[2], periodic[2] = {1, 1}, keep[2], reorder, processes, dimension;
  MPI_Comm comm, part;
  for (processes = size; processes >= size - 1; processes--)
    for (reorder = 0; reorder < 2; reorder++) {
      line[0] = plane[1] = processes;
      plane[0] = 1;
      MPI_Cart_create(MPI_COMM_WORLD, 1, line, periodic, reorder, &comm);
      use(comm);
      MPI_Cart_create(MPI_COMM_WORLD, 2, plane, periodic, reorder, &comm);
      for (dimension = 0; dimension < 2; dimension++) {
        part = MPI_COMM_NULL;
        keep[dimension] = 1;
        keep[1 - dimension] = 0;
        if (comm != MPI_COMM_NULL) MPI_Cart_sub(comm, keep, &part);
        /* A part of one process has nothing to exchange. */
        if (part != MPI_COMM_NULL && dimension == 0) MPI_Comm_free(&part);
        use(part);
      }
      use(comm);
    }
}

/* Rings. */
static void graphs(void) {
  int *index = (int *)allocate((size_t)size * sizeof(int)), *edges = (int *)allocate((size_t)(2 * size) * sizeof(int));
  MPI_Comm comm;
  for (int processes = size; processes >= size - 1; processes--)
    for (int reorder = 0; reorder < 2; reorder++) {
      for (int i = 0; i < processes; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + processes - 1) % processes;
        edges[2 * i + 1] = (i + 1) % processes;
      }
      MPI_Graph_create(MPI_COMM_WORLD, processes, index, edges, reorder, &comm);
      use(comm);
    }
  for (int reorder = 0; reorder < 2; reorder++) {
    int degree = 1, weight = 1, before = (rank + size - 1) % size, behind = (rank + 1) % size;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &behind, &weight, MPI_INFO_NULL, reorder, &comm);
    use(comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &weight, 1, &behind, &weight, MPI_INFO_NULL, reorder,
                                   &comm);
    use(comm);
  }
  free(index);
  free(edges);
}

/* The first process and the others, merged in both orders. */
static void merged(void) {
  MPI_Comm part, between, comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &between);
  for (int high = 0; high < 2; high++) {
    MPI_Intercomm_merge(between, (rank == 0) == high, &comm);
    use(comm);
  }
  MPI_Comm_free(&between);
  MPI_Comm_free(&part);
}

/* A grid of some of the processes, made from a grid of all, and from a communicator in the opposite order. */
static void of_others(void) {
  int all[1], some[1], periodic[1] = {0};
  MPI_Comm comm, grid;
  all[0] = size;
  some[0] = size - 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, all, periodic, 0, &comm);
  MPI_Cart_create(comm, 1, some, periodic, 0, &grid);
  use(grid);
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  MPI_Cart_create(comm, 1, some, periodic, 0, &grid);
  use(grid);
  exchange_and_free(&comm);
}

static void with_children(const char *program) {
  char command[4096], mode[] = "child", *arguments[] = {mode, NULL};
  int order, code = 0, side[1], periodic[1] = {0};
  MPI_Comm between, comm, grid;
  MPI_Comm_get_parent(&between);
  if (between == MPI_COMM_NULL) {
    REQUIRE(snprintf(command, sizeof command, "%s", program) < (int)sizeof command);
    exchange_often(MPI_COMM_WORLD, EXCHANGES, ELEMENTS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Comm_spawn(command, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
    if (code != MPI_SUCCESS) {
      if (rank == 0) printf("skipped spawn\n");
      return;
    }
    code = 1;
  }
  for (order = 0; order < 2; order++) {
    MPI_Intercomm_merge(between, code == order, &comm);
    exchange_often(comm, EXCHANGES, ELEMENTS);
    side[0] = partners_in(comm) - 1;
    MPI_Cart_create(comm, 1, side, periodic, 0, &grid);
    exchange_and_free(&grid);
    exchange_and_free(&comm);
  }
  MPI_Comm_disconnect(&between);
  exchange_often(MPI_COMM_WORLD, EXCHANGES, ELEMENTS);
}

int main(int argc, char **argv) {
  int child = argc > 1 && strcmp(argv[1], "child") == 0;
  begin_program(&argc, &argv);
  if (argc > 1) {
    with_children(argv[0]);
  } else {
    duplicates();
    parts();
    of_groups();
    grids();
    graphs();
    merged();
    of_others();
    agree("communicators", communicators);
  }
  if (!child && rank == 0) printf("ok constructors\n");
  return end_program();
}
