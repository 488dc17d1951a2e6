/* Every function of hcube/caf.h with valid arguments, on any number of images; the results are checked. Prints
 * `ok <images>`. */
#include "client.h"
#include "rounds.h"

#include <math.h>

enum { ROOM = 64 };

static int32_t me, images;
static hcube_team world;
static hcube_coarray coarray;
static int64_t *part;
static hcube_events events;

/* The image at a distance, around the ring. */
static int32_t at(int32_t distance) {
  return ((me + distance) % images + images) % images;
}

static hcube_event event(int64_t index, int32_t image) {
  hcube_event made;
  memset(&made, 0, sizeof made);
  made.events = events;
  made.index = index;
  made.image = image;
  return made;
}

static void barrier(void) {
  SUCCEED(hcube_caf_barrier(world, &failure));
}

static hcube_caf_statistics statistics_so_far(void) {
  hcube_caf_statistics statistics;
  memset(&statistics, 0, sizeof statistics);
  statistics.struct_size = sizeof statistics;
  SUCCEED(hcube_caf_last_statistics(&statistics, &failure));
  return statistics;
}

static void life_and_teams(void) {
  int32_t rank = -1, size = -1, status = -1, list[4] = {-1, -1, -1, -1};
  int64_t count = -1;
  hcube_team halves, none = 1;
  SUCCEED(hcube_caf_progress(&failure));
  SUCCEED(hcube_caf_image_status(0, at(1), &status, &failure));
  REQUIRE(status == HCUBE_CAF_ALIVE);
  SUCCEED(hcube_caf_images_with_status(0, HCUBE_CAF_FAILED, list, 4, &count, &failure));
  REQUIRE(count == 0 && list[0] == -1);

  /* Even and odd ranks, in descending order. */
  SUCCEED(hcube_caf_team_split(world, me % 2, -me, &halves, &failure));
  SUCCEED(hcube_caf_team_size(halves, &size, &failure));
  SUCCEED(hcube_caf_team_rank(halves, &rank, &failure));
  REQUIRE(size == (images + 1 - me % 2) / 2 && rank == size - 1 - me / 2);
  SUCCEED(hcube_caf_team_push(halves, &failure));
  SUCCEED(hcube_caf_team_size(0, &rank, &failure));
  REQUIRE(rank == size);
  SUCCEED(hcube_caf_team_pop(&failure));
  SUCCEED(hcube_caf_team_size(0, &rank, &failure));
  REQUIRE(rank == images);
  SUCCEED(hcube_caf_team_split(world, -1, 0, &none, &failure));
  REQUIRE(none == 0);
  SUCCEED(hcube_caf_team_free(halves, &failure));
}

static void put_and_get(void) {
  int64_t value = 1000 + me, found = 0;
  hcube_copointer there;
  void *address = NULL;
  SUCCEED(hcube_caf_address(coarray, &address, &failure));
  REQUIRE(address == (void *)part);
  for (int64_t i = 0; i < ROOM; i++) part[i] = 100 * me + i;
  barrier();
  hcube_caf_statistics before = statistics_so_far();
  SUCCEED(hcube_caf_put(coarray, at(1), 8 * 40, &value, 8, &failure));
  SUCCEED(hcube_caf_get(coarray, at(1), 8 * 40, &found, 8, &failure));
  REQUIRE(found == value);
  barrier();
  REQUIRE(part[40] == 1000 + at(-1));
  SUCCEED(hcube_caf_get(coarray, at(-1), 8 * 3, &found, 8, &failure));
  REQUIRE(found == 100 * at(-1) + 3);
  SUCCEED(hcube_caf_get(coarray, HCUBE_CAF_THIS_IMAGE, 8 * 5, &found, 8, &failure));
  REQUIRE(found == 100 * me + 5);

  SUCCEED(hcube_caf_copointer(coarray, at(1), 8 * 41, &there, &failure));
  REQUIRE(there.bytes == 8 * (ROOM - 41));
  value = 2000 + me;
  SUCCEED(hcube_caf_copointer_put(&there, 8, &value, 8, &failure));
  SUCCEED(hcube_caf_copointer_get(&there, 8, &found, 8, &failure));
  REQUIRE(found == value);
  hcube_caf_statistics after = statistics_so_far();
  REQUIRE(after.node_puts + after.message_puts == before.node_puts + before.message_puts + 2);
  REQUIRE(after.node_gets + after.message_gets == before.node_gets + before.message_gets + 4);
  REQUIRE(after.node_bytes + after.message_bytes == before.node_bytes + before.message_bytes + 6 * 8);
  barrier();
  REQUIRE(part[42] == 2000 + at(-1));
  barrier();
}

static void sections(void) {
  /* Columns 1 and 3 of two rows of four elements, from the end of a packed array to its beginning. */
  const int64_t counts[2] = {2, 2}, strides[2] = {16, 32}, backwards[2] = {-8, -16}, indices[3] = {2, 0, 5};
  int64_t values[4], found[4];
  for (int64_t i = 0; i < 4; i++) values[i] = 3000 + 10 * me + i;
  SUCCEED(hcube_caf_put_strided(coarray, at(1), 8 * 17, 8, 2, counts, strides, values + 3, backwards, &failure));
  SUCCEED(hcube_caf_get_strided(coarray, at(1), 8 * 17, 8, 2, counts, strides, found, NULL, &failure));
  for (int64_t i = 0; i < 4; i++) REQUIRE(found[i] == values[3 - i]);
  barrier();
  REQUIRE(part[17] == 3000 + 10 * at(-1) + 3 && part[19] == part[17] - 1 && part[21] == part[17] - 2);
  REQUIRE(part[18] == 100 * me + 18 && part[23] == part[17] - 3);

  SUCCEED(hcube_caf_put_indexed(coarray, at(1), 8 * 30, 8, 3, indices, values, &failure));
  SUCCEED(hcube_caf_get_indexed(coarray, at(1), 8 * 30, 8, 3, indices, found, &failure));
  for (int64_t i = 0; i < 3; i++) REQUIRE(found[i] == values[i]);
  barrier();
  REQUIRE(part[32] == 3000 + 10 * at(-1) && part[30] == part[32] + 1 && part[35] == part[32] + 2);
  REQUIRE(part[31] == 100 * me + 31);
  barrier();
}

static void atomics(void) {
  uint64_t before = 1;
  part[0] = 0;
  part[1] = 12;
  barrier();
  SUCCEED(hcube_caf_atomic(coarray, 0, 0, HCUBE_CAF_ADD, 5, 0, NULL, &failure));
  barrier();
  SUCCEED(hcube_caf_atomic(coarray, 0, 0, HCUBE_CAF_LOAD, 0, 0, &before, &failure));
  REQUIRE(before == 5 * (uint64_t)images);
  SUCCEED(hcube_caf_atomic(coarray, at(1), 8, HCUBE_CAF_SWAP, 10, 0, &before, &failure));
  REQUIRE(before == 12);
  SUCCEED(hcube_caf_atomic(coarray, at(1), 8, HCUBE_CAF_AND, 6, 0, &before, &failure));
  REQUIRE(before == 10);
  SUCCEED(hcube_caf_atomic(coarray, at(1), 8, HCUBE_CAF_OR, 9, 0, &before, &failure));
  REQUIRE(before == 2);
  SUCCEED(hcube_caf_atomic(coarray, at(1), 8, HCUBE_CAF_XOR, 1, 0, &before, &failure));
  REQUIRE(before == 11);
  SUCCEED(hcube_caf_atomic(coarray, at(1), 8, HCUBE_CAF_COMPARE_SWAP, 77, 3, &before, &failure));
  REQUIRE(before == 10);
  SUCCEED(hcube_caf_atomic(coarray, at(1), 8, HCUBE_CAF_COMPARE_SWAP, 77, 10, &before, &failure));
  barrier();
  REQUIRE(before == 10 && part[1] == 77);
  barrier();
}

static void events_of_images(void) {
  hcube_event set[2] = {event(1, at(1)), event(2, at(1))}, own[2] = {event(1, HCUBE_CAF_THIS_IMAGE), event(2, me)};
  int64_t which = -1;
  int32_t notified = -1;
  SUCCEED(hcube_caf_event_trywait(events, 0, &notified, &failure));
  REQUIRE(notified == 0);
  barrier();
  SUCCEED(hcube_caf_event_notify(events, 0, at(1), &failure));
  SUCCEED(hcube_caf_event_wait(events, 0, &failure));
  SUCCEED(hcube_caf_event_notify(events, 0, HCUBE_CAF_THIS_IMAGE, &failure));
  SUCCEED(hcube_caf_event_trywait(events, 0, &notified, &failure));
  REQUIRE(notified == 1);
  SUCCEED(hcube_caf_eventset_notifyall(set, 2, &failure));
  SUCCEED(hcube_caf_eventset_waitall(own, 2, &failure));
  SUCCEED(hcube_caf_event_notify(events, 2, at(1), &failure));
  SUCCEED(hcube_caf_eventset_waitany(own, 2, &which, &failure));
  REQUIRE(which == 1);
}

static void locks_of_images(void) {
  hcube_locks locks;
  hcube_lock set[2];
  int32_t acquired = -1;
  int64_t value;
  SUCCEED(hcube_caf_lock_alloc(world, 2, &locks, &failure));
  part[2] = 0;
  barrier();
  for (int32_t round = 0; round < 20; round++) {
    SUCCEED(hcube_caf_lock(locks, 1, 0, &failure));
    SUCCEED(hcube_caf_get(coarray, 0, 16, &value, 8, &failure));
    value++;
    SUCCEED(hcube_caf_put(coarray, 0, 16, &value, 8, &failure));
    SUCCEED(hcube_caf_unlock(locks, 1, 0, &failure));
  }
  /* Each image takes two locks, which its neighbours take, too. */
  memset(set, 0, sizeof set);
  set[0].locks = set[1].locks = locks;
  set[0].image = at(1);
  set[1].image = me;
  if (images > 1) {
    for (int32_t round = 0; round < 20; round++) {
      SUCCEED(hcube_caf_lockset_lock(set, 2, &failure));
      SUCCEED(hcube_caf_lockset_unlock(set, 2, &failure));
    }
  } else {
    SUCCEED(hcube_caf_lockset_lock(set, 1, &failure));
    SUCCEED(hcube_caf_lockset_unlock(set, 1, &failure));
  }
  barrier();
  SUCCEED(hcube_caf_trylock(locks, 0, HCUBE_CAF_THIS_IMAGE, &acquired, &failure));
  REQUIRE(acquired == 1);
  barrier();
  if (images > 1) {
    SUCCEED(hcube_caf_trylock(locks, 0, at(1), &acquired, &failure));
    REQUIRE(acquired == 0);
  }
  barrier();
  SUCCEED(hcube_caf_unlock(locks, 0, HCUBE_CAF_THIS_IMAGE, &failure));
  if (me == 0) REQUIRE(part[2] == 20 * images);
  SUCCEED(hcube_caf_lock_free(locks, &failure));
}

static void asynchronous(void) {
  hcube_place to, from, elsewhere;
  hcube_event arrived = event(0, at(1)), begin = event(1, HCUBE_CAF_THIS_IMAGE), here = event(2, HCUBE_CAF_THIS_IMAGE);
  int64_t value = 5000 + me, found[2] = {0, 0}, sent[16];
  memset(&to, 0, sizeof to);
  memset(&from, 0, sizeof from);
  to.coarray = coarray;
  to.image = at(1);
  to.offset = 8 * 50;
  from.memory = &value;
  SUCCEED(hcube_caf_copy_async(&to, &from, 8, &arrived, &begin, &failure));
  SUCCEED(hcube_caf_event_notify(events, 1, HCUBE_CAF_THIS_IMAGE, &failure));
  SUCCEED(hcube_caf_event_wait(events, 0, &failure));
  REQUIRE(part[50] == 5000 + at(-1));
  SUCCEED(hcube_caf_cofence(&failure));
  /* From a third image to a fourth one, by a copointer; then back. */
  memset(&elsewhere, 0, sizeof elsewhere);
  SUCCEED(hcube_caf_copointer(coarray, at(2), 8 * 51, &elsewhere.copointer, &failure));
  to.image = at(1);
  barrier();
  SUCCEED(hcube_caf_copy_async(&elsewhere, &to, 8, &here, NULL, &failure));
  SUCCEED(hcube_caf_event_wait(events, 2, &failure));
  memset(&from, 0, sizeof from);
  from.memory = found;
  from.offset = 8;
  SUCCEED(hcube_caf_copy_async(&from, &elsewhere, 8, NULL, NULL, &failure));
  SUCCEED(hcube_caf_cofence(&failure));
  REQUIRE(found[0] == 0 && found[1] == 5000 + me);

  memset(sent, me == images - 1 ? 0x5a : 0, sizeof sent);
  SUCCEED(hcube_caf_broadcast_async(world, images - 1, sent, sizeof sent, &here, &failure));
  SUCCEED(hcube_caf_event_wait(events, 2, &failure));
  REQUIRE(sent[15] == INT64_C(0x5a5a5a5a5a5a5a5a));
  SUCCEED(hcube_caf_barrier_async(world, &here, &failure));
  SUCCEED(hcube_caf_event_wait(events, 2, &failure));
}

static int32_t descending(const void *first, const void *second) {
  const int64_t a = *(const int64_t *)first, b = *(const int64_t *)second;
  return (a < b) - (a > b);
}

static void collectives(void) {
  int64_t blocks[ROOM], received[ROOM], value = 10 * me, sum = -1;
  int32_t last = images - 1;
  REQUIRE(images <= ROOM);
  value = me == last ? 42 : 0;
  SUCCEED(hcube_caf_broadcast(world, last, &value, 8, &failure));
  REQUIRE(value == 42);
  value = 10 * me;
  SUCCEED(hcube_caf_gather(world, last, &value, 8, received, &failure));
  for (int32_t i = 0; i < images && me == last; i++) REQUIRE(received[i] == 10 * i);
  for (int32_t i = 0; i < images; i++) blocks[i] = 100 * me + i;
  SUCCEED(hcube_caf_scatter(world, last, blocks, 8, &value, &failure));
  REQUIRE(value == 100 * last + me);
  SUCCEED(hcube_caf_allgather(world, &value, 8, received, &failure));
  for (int32_t i = 0; i < images; i++) REQUIRE(received[i] == 100 * last + i);
  SUCCEED(hcube_caf_alltoall(world, blocks, 8, received, &failure));
  for (int32_t i = 0; i < images; i++) REQUIRE(received[i] == 100 * i + me);
  SUCCEED(hcube_caf_alltoall(world, blocks, 8, blocks, &failure));
  for (int32_t i = 0; i < images; i++) REQUIRE(blocks[i] == 100 * i + me);
  value = me;
  SUCCEED(hcube_caf_shift(world, -1, &value, 8, &sum, &failure));
  REQUIRE(sum == at(1));
  SUCCEED(hcube_caf_permute(world, last - me, &value, 8, &sum, &failure));
  REQUIRE(sum == last - me);

  value = me + 1;
  sum = -1;
  SUCCEED(hcube_caf_reduce(world, last, &value, &sum, 1, MPI_INT64_T, MPI_SUM, &failure));
  if (me == last) REQUIRE(sum == (int64_t)images * (images + 1) / 2);
  SUCCEED(hcube_caf_allreduce(world, &value, &sum, 1, MPI_INT64_T, MPI_MAX, &failure));
  REQUIRE(sum == images);
  SUCCEED(hcube_caf_scan(world, &value, &sum, 1, MPI_INT64_T, MPI_SUM, 1, &failure));
  REQUIRE(sum == (int64_t)(me + 1) * (me + 2) / 2);
  sum = -1;
  SUCCEED(hcube_caf_scan(world, &value, &sum, 1, MPI_INT64_T, MPI_SUM, 0, &failure));
  REQUIRE(sum == (me == 0 ? -1 : (int64_t)me * (me + 1) / 2));

  for (int32_t i = 0; i < 8; i++) blocks[i] = (int64_t)(37 * (8 * me + i) + 11) % 1009;
  SUCCEED(hcube_caf_sort(world, blocks, 8, 8, descending, &failure));
  SUCCEED(hcube_caf_shift(world, 1, &blocks[7], 8, &value, &failure));
  for (int32_t i = 0; i < 8; i++) REQUIRE((i > 0 ? blocks[i - 1] : me > 0 ? value : 2000) >= blocks[i]);
}

static int64_t count_of_runs, sum_of_arguments;
static int32_t function;

/* Ships itself on, as often as the argument says. */
static void work(int32_t image, const void *arguments, uint64_t bytes) {
  int64_t left;
  REQUIRE(image >= 0 && image < images && bytes == 8);
  memcpy(&left, arguments, 8);
  count_of_runs++;
  sum_of_arguments += left;
  left--;
  if (left >= 0) SUCCEED(hcube_caf_spawn(world, at(1), function, &left, 8, NULL, &failure));
}

static void shipped_functions(void) {
  const int64_t length = 3;
  int64_t sums[2], all[2];
  hcube_event done = event(0, HCUBE_CAF_THIS_IMAGE);
  count_of_runs = sum_of_arguments = 0;
  barrier();
  SUCCEED(hcube_caf_finish_begin(world, &failure));
  SUCCEED(hcube_caf_spawn(world, at(1), function, &length, 8, &done, &failure));
  SUCCEED(hcube_caf_event_wait(events, 0, &failure));
  SUCCEED(hcube_caf_finish_end(&failure));
  sums[0] = count_of_runs;
  sums[1] = sum_of_arguments;
  SUCCEED(hcube_caf_allreduce(world, sums, all, 2, MPI_INT64_T, MPI_SUM, &failure));
  REQUIRE(all[0] == 4 * images && all[1] == 6 * images);
}

static void all_functions(void) {
  void *address;
  life_and_teams();
  SUCCEED(hcube_caf_coarray_alloc(world, 8 * ROOM, &coarray, &address, &failure));
  part = (int64_t *)address;
  SUCCEED(hcube_caf_event_alloc(world, 3, &events, &failure));
  put_and_get();
  sections();
  atomics();
  events_of_images();
  locks_of_images();
  asynchronous();
  collectives();
  shipped_functions();
  SUCCEED(hcube_caf_event_free(events, &failure));
  SUCCEED(hcube_caf_coarray_free(coarray, &failure));
}

int main(int argc, char **argv) {
  hcube_caf_statistics counts;
  int owns_mpi = argc > 1, finalised = 0;
  (void)argv;
  if (!owns_mpi) MPI_Init(&argc, &argv);
  SUCCEED(hcube_caf_init(&failure));
  SUCCEED(hcube_caf_team_world(&world, &failure));
  SUCCEED(hcube_caf_team_rank(world, &me, &failure));
  SUCCEED(hcube_caf_team_size(world, &images, &failure));
  counts = statistics_so_far();
  REQUIRE(counts.struct_size == sizeof counts && counts.spawned == 0);
  SUCCEED(hcube_caf_register(work, &function, &failure));
  REQUIRE(function == 0);
  while (next_round()) all_functions();
  counts.struct_size = sizeof counts;
  SUCCEED(hcube_caf_last_statistics(&counts, &failure));
  if (argc > 2) {
    /* The last image fails, the others end without it. All have returned from the functions above: a failure is an
       error in all functions that wait. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == images - 1) {
      SUCCEED(hcube_caf_fail_image(&failure));
      REQUIRE(hcube_caf_barrier(world, &failure) == HCUBE_ERR_FAILED_IMAGE);
    } else {
      int64_t count = 0;
      REQUIRE(hcube_caf_barrier(world, &failure) == HCUBE_ERR_FAILED_IMAGE);
      SUCCEED(hcube_caf_images_with_status(world, HCUBE_CAF_FAILED, NULL, 0, &count, &failure));
      REQUIRE(count == 1);
    }
    REQUIRE(hcube_caf_finalize(&failure) == HCUBE_ERR_FAILED_IMAGE);
  } else {
    SUCCEED(hcube_caf_finalize(&failure));
  }
  MPI_Finalized(&finalised);
  REQUIRE(finalised == owns_mpi);
  if (me == 0) {
    printf("ok %d%s%s\n", (int)images, counts.node_puts + counts.node_gets > 0 ? " node" : "",
           counts.message_puts + counts.message_gets > 0 ? " messages" : "");
  }
  if (!owns_mpi) MPI_Finalize();
  return 0;
}
