/* Every function of hcube/caf.h with every kind of bad argument: before hcube_caf_init, with wrong values on all images
 * and, where others wait, on the last one only, in shipped functions, and after hcube_caf_finalize. The code must be
 * the right one, the message must name the argument, and no output may be written. For each function it prints
 *
 *   called <function> <refusals>
 *
 * and tests/interface.rs compares the functions with those that the library exports. */
#include "caf_errors.h"
#include "caf_inside.h"

/* Every function with arguments that may be right. */
static void all_are_refused(int32_t code, const char *text) {
#define ALWAYS(name, arguments) REFUSES(name, arguments, code, text)
  ALWAYS(hcube_caf_finalize, (&failure));
  ALWAYS(hcube_caf_progress, (&failure));
  ALWAYS(hcube_caf_last_statistics, (&out.statistics, &failure));
  ALWAYS(hcube_caf_fail_image, (&failure));
  ALWAYS(hcube_caf_image_status, (0, 0, &out.number, &failure));
  ALWAYS(hcube_caf_images_with_status, (0, HCUBE_CAF_FAILED, out.list, 4, &out.count, &failure));
  ALWAYS(hcube_caf_team_world, (&out.handle, &failure));
  ALWAYS(hcube_caf_team_split, (0, 0, 0, &out.handle, &failure));
  ALWAYS(hcube_caf_team_free, (1, &failure));
  ALWAYS(hcube_caf_team_rank, (0, &out.number, &failure));
  ALWAYS(hcube_caf_team_size, (0, &out.number, &failure));
  ALWAYS(hcube_caf_team_push, (1, &failure));
  ALWAYS(hcube_caf_team_pop, (&failure));
  ALWAYS(hcube_caf_coarray_alloc, (0, 8, &out.handle, &out.address, &failure));
  ALWAYS(hcube_caf_coarray_free, (1, &failure));
  ALWAYS(hcube_caf_address, (1, &out.address, &failure));
  ALWAYS(hcube_caf_put, (1, 0, 0, &word, 8, &failure));
  ALWAYS(hcube_caf_get, (1, 0, 0, &out.word, 8, &failure));
  ALWAYS(hcube_caf_put_strided, (1, 0, 0, 8, 1, &one, &one, &word, NULL, &failure));
  ALWAYS(hcube_caf_get_strided, (1, 0, 0, 8, 1, &one, &one, &out.word, NULL, &failure));
  ALWAYS(hcube_caf_put_indexed, (1, 0, 0, 8, 1, &one, &word, &failure));
  ALWAYS(hcube_caf_get_indexed, (1, 0, 0, 8, 1, &one, &out.word, &failure));
  ALWAYS(hcube_caf_atomic, (1, 0, 0, HCUBE_CAF_ADD, 1, 0, &out.word, &failure));
  ALWAYS(hcube_caf_copointer, (1, 0, 0, &out.copointer, &failure));
  ALWAYS(hcube_caf_copointer_put, (&copointer, 0, &word, 8, &failure));
  ALWAYS(hcube_caf_copointer_get, (&copointer, 0, &out.word, 8, &failure));
  ALWAYS(hcube_caf_barrier, (0, &failure));
  ALWAYS(hcube_caf_event_alloc, (0, 1, &out.handle, &failure));
  ALWAYS(hcube_caf_event_free, (1, &failure));
  ALWAYS(hcube_caf_event_notify, (1, 0, 0, &failure));
  ALWAYS(hcube_caf_event_wait, (1, 0, &failure));
  ALWAYS(hcube_caf_event_trywait, (1, 0, &out.number, &failure));
  ALWAYS(hcube_caf_eventset_waitany, (&event, 1, &out.count, &failure));
  ALWAYS(hcube_caf_eventset_waitall, (&event, 1, &failure));
  ALWAYS(hcube_caf_eventset_notifyall, (&event, 1, &failure));
  ALWAYS(hcube_caf_lock_alloc, (0, 1, &out.handle, &failure));
  ALWAYS(hcube_caf_lock_free, (1, &failure));
  ALWAYS(hcube_caf_lock, (1, 0, 0, &failure));
  ALWAYS(hcube_caf_trylock, (1, 0, 0, &out.number, &failure));
  ALWAYS(hcube_caf_unlock, (1, 0, 0, &failure));
  ALWAYS(hcube_caf_lockset_lock, (&one_lock, 1, &failure));
  ALWAYS(hcube_caf_lockset_unlock, (&one_lock, 1, &failure));
  ALWAYS(hcube_caf_copy_async, (&there, &here, 8, NULL, NULL, &failure));
  ALWAYS(hcube_caf_broadcast_async, (0, 0, &word, 8, NULL, &failure));
  ALWAYS(hcube_caf_barrier_async, (0, &event, &failure));
  ALWAYS(hcube_caf_cofence, (&failure));
  ALWAYS(hcube_caf_broadcast, (0, 0, &word, 8, &failure));
  ALWAYS(hcube_caf_gather, (0, 0, &word, 8, &out.word, &failure));
  ALWAYS(hcube_caf_scatter, (0, 0, &word, 8, &out.word, &failure));
  ALWAYS(hcube_caf_allgather, (0, &word, 8, &out.word, &failure));
  ALWAYS(hcube_caf_alltoall, (0, &word, 8, &out.word, &failure));
  ALWAYS(hcube_caf_shift, (0, 1, &word, 8, &out.word, &failure));
  ALWAYS(hcube_caf_permute, (0, 0, &word, 8, &out.word, &failure));
  ALWAYS(hcube_caf_reduce, (0, 0, &word, &out.word, 1, MPI_INT64_T, MPI_SUM, &failure));
  ALWAYS(hcube_caf_allreduce, (0, &word, &out.word, 1, MPI_INT64_T, MPI_SUM, &failure));
  ALWAYS(hcube_caf_scan, (0, &word, &out.word, 1, MPI_INT64_T, MPI_SUM, 1, &failure));
  ALWAYS(hcube_fortran_caf_reduce, (0, 0, &word, &out.word, 1, 0, 0, &failure));
  ALWAYS(hcube_fortran_caf_allreduce, (0, &word, &out.word, 1, 0, 0, &failure));
  ALWAYS(hcube_fortran_caf_scan, (0, &word, &out.word, 1, 0, 0, 1, &failure));
  ALWAYS(hcube_caf_sort, (0, &word, 1, 8, compare, &failure));
  ALWAYS(hcube_caf_register, (function, &out.number, &failure));
  ALWAYS(hcube_caf_spawn, (0, 0, 0, &word, 8, NULL, &failure));
  ALWAYS(hcube_caf_finish_begin, (0, &failure));
  ALWAYS(hcube_caf_finish_end, (&failure));
#undef ALWAYS
}

static void teams_and_status(void) {
  hcube_team team;
  hcube_events held;
  ARGUMENT(hcube_caf_init, (&failure), "called twice");
  out.statistics.struct_size = 4;
  out_before = out;
  ARGUMENT(hcube_caf_last_statistics, (&out.statistics, &failure), "statistics.struct_size = 4");
  ARGUMENT(hcube_caf_last_statistics, (NULL, &failure), "statistics = NULL");
  ARGUMENT(hcube_caf_image_status, (0, images, &out.number, &failure), "image = ");
  ARGUMENT(hcube_caf_image_status, (0, -1, &out.number, &failure), "image = -1");
  ARGUMENT(hcube_caf_image_status, (12345, 0, &out.number, &failure), "team = ");
  ARGUMENT(hcube_caf_image_status, (0, 0, NULL, &failure), "status = NULL");
  ARGUMENT(hcube_caf_images_with_status, (0, HCUBE_CAF_ALIVE, out.list, 4, &out.count, &failure), "status = 0");
  ARGUMENT(hcube_caf_images_with_status, (0, 1, out.list, -1, &out.count, &failure), "= -1");
  ARGUMENT(hcube_caf_images_with_status, (0, 1, NULL, 4, &out.count, &failure), "images = NULL");
  ARGUMENT(hcube_caf_images_with_status, (0, 1, out.list, 4, NULL, &failure), "count = NULL");
  ARGUMENT(hcube_caf_images_with_status, (freed_team, 1, out.list, 4, &out.count, &failure), "team = ");

  ARGUMENT(hcube_caf_team_world, (NULL, &failure), "team = NULL");
  ARGUMENT(hcube_caf_team_split, (freed_team, 0, 0, &out.handle, &failure), "team = ");
  ARGUMENT(hcube_caf_team_split, (0, 0, 0, NULL, &failure), "team = NULL");
  ARGUMENT(hcube_caf_team_free, (world, &failure), "team = ");
  ARGUMENT(hcube_caf_team_free, (0, &failure), "team = ");
  ARGUMENT(hcube_caf_team_free, (freed_team, &failure), "team = ");
  ARGUMENT(hcube_caf_team_rank, (12345, &out.number, &failure), "team = ");
  ARGUMENT(hcube_caf_team_rank, (0, NULL, &failure), "rank = NULL");
  ARGUMENT(hcube_caf_team_size, (freed_team, &out.number, &failure), "team = ");
  ARGUMENT(hcube_caf_team_size, (0, NULL, &failure), "size = NULL");
  ARGUMENT(hcube_caf_team_push, (freed_team, &failure), "team = ");
  ARGUMENT(hcube_caf_team_pop, (&failure), "no team has been pushed");

  SUCCEED(hcube_caf_team_split(world, 0, me, &team, &failure));
  SUCCEED(hcube_caf_team_push(team, &failure));
  ARGUMENT(hcube_caf_team_free, (team, &failure), "team = ");
  SUCCEED(hcube_caf_team_pop(&failure));
  SUCCEED(hcube_caf_event_alloc(team, 1, &held, &failure));
  ARGUMENT(hcube_caf_team_free, (team, &failure), "team = ");
  SUCCEED(hcube_caf_event_free(held, &failure));
  SUCCEED(hcube_caf_team_free(team, &failure));
}

static void memory(void) {
  const uint64_t too_many = UINT64_C(1) << 63;
  const int64_t minus_one = -1, two = 2, eight = 8, far = INT64_C(1) << 40, most = INT64_C(1) << 58, zero = 0;
  hcube_copointer nowhere;
  memset(&nowhere, 0, sizeof nowhere);
  ARGUMENT(hcube_caf_coarray_alloc, (freed_team, 8, &out.handle, &out.address, &failure), "team = ");
  ARGUMENT(hcube_caf_coarray_alloc, (0, 8, NULL, &out.address, &failure), "coarray = NULL");
  REQUIRE(hcube_caf_coarray_alloc(0, too_many, &out.handle, &out.address, &failure) != HCUBE_SUCCESS);
  REFUSES(hcube_caf_coarray_alloc, (0, UINT64_C(1) << 55, &out.handle, &out.address, &failure), HCUBE_ERR_MEMORY, "");
  ARGUMENT(hcube_caf_coarray_free, (0, &failure), "coarray = 0");
  ARGUMENT(hcube_caf_coarray_free, (freed_coarray, &failure), "coarray = ");
  ARGUMENT(hcube_caf_coarray_free, (events, &failure), "coarray = ");
  ARGUMENT(hcube_caf_address, (freed_coarray, &out.address, &failure), "coarray = ");
  ARGUMENT(hcube_caf_address, (events, &out.address, &failure), "coarray = of events or locks");
  ARGUMENT(hcube_caf_address, (coarray, NULL, &failure), "address = NULL");

#define WRONG_PLACES(name, pointer, data)                                     \
  ARGUMENT(name, (0, 0, 0, data, 8, &failure), "coarray = 0");                \
  ARGUMENT(name, (freed_coarray, 0, 0, data, 8, &failure), "coarray = ");     \
  ARGUMENT(name, (coarray, images, 0, data, 8, &failure), "image = ");        \
  ARGUMENT(name, (coarray, -2, 0, data, 8, &failure), "image = -2");          \
  ARGUMENT(name, (coarray, 0, 57, data, 8, &failure), "offset = 57");         \
  ARGUMENT(name, (coarray, 0, too_many, data, 8, &failure), "offset = ");     \
  ARGUMENT(name, (coarray, 0, too_many - 1, data, 8, &failure), "offset = "); \
  ARGUMENT(name, (coarray, 0, 0, data, too_many, &failure), "bytes = ");      \
  BUFFER(name, (coarray, 0, 0, NULL, 8, &failure), pointer " = NULL")
  WRONG_PLACES(hcube_caf_put, "from", &word);
  WRONG_PLACES(hcube_caf_get, "into", &out.word);
#undef WRONG_PLACES

#define WRONG_SECTIONS(name, pointer, data)                                                                 \
  ARGUMENT(name, (freed_coarray, 0, 0, 8, 1, &one, &eight, data, NULL, &failure), "coarray = ");            \
  ARGUMENT(name, (coarray, images, 0, 8, 1, &one, &eight, data, NULL, &failure), "image = ");               \
  ARGUMENT(name, (coarray, 0, 64, 8, 1, &one, &eight, data, NULL, &failure), "section = ");                 \
  ARGUMENT(name, (coarray, 0, 0, 8, -1, &one, &eight, data, NULL, &failure), "= -1");                       \
  ARGUMENT(name, (coarray, 0, 0, 8, 1, NULL, &eight, data, NULL, &failure), "counts = NULL");               \
  ARGUMENT(name, (coarray, 0, 0, 8, 1, &one, NULL, data, NULL, &failure), "strides = NULL");                \
  ARGUMENT(name, (coarray, 0, 0, 8, 1, &minus_one, &eight, data, NULL, &failure), "counts = -1");           \
  ARGUMENT(name, (coarray, 0, 0, 8, 1, &two, &far, data, NULL, &failure), "section = ");                    \
  ARGUMENT(name, (coarray, 0, 0, 8, 1, &two, &minus_one, data, NULL, &failure), "section = ");              \
  ARGUMENT(name, (coarray, 0, 0, 8, 1, &far, &eight, data, &zero, &failure), "section = ");                 \
  REFUSES(name, (coarray, 0, 0, 8, 1, &most, &zero, data, &zero, &failure), HCUBE_ERR_MEMORY, "bytes");     \
  REFUSES(name, (coarray, 0, 0, too_many - 1, 1, &far, &eight, data, NULL, &failure), HCUBE_ERR_COUNT, ""); \
  BUFFER(name, (coarray, 0, 0, 8, 1, &one, &eight, NULL, NULL, &failure), pointer " = NULL");               \
  BUFFER(name, (coarray, 0, 0, 8, 1, &one, &eight, NULL, &eight, &failure), pointer " = NULL")
  WRONG_SECTIONS(hcube_caf_put_strided, "from", &word);
  WRONG_SECTIONS(hcube_caf_get_strided, "into", &out.word);
#undef WRONG_SECTIONS

#define WRONG_INDICES(name, pointer, data)                                         \
  ARGUMENT(name, (freed_coarray, 0, 0, 8, 1, &one, data, &failure), "coarray = "); \
  ARGUMENT(name, (coarray, images, 0, 8, 1, &one, data, &failure), "image = ");    \
  ARGUMENT(name, (coarray, 0, 0, 8, 1, &minus_one, data, &failure), "section = "); \
  ARGUMENT(name, (coarray, 0, 0, 8, 1, &eight, data, &failure), "section = ");     \
  ARGUMENT(name, (coarray, 0, 0, 8, 1, NULL, data, &failure), "indices = NULL");   \
  ARGUMENT(name, (coarray, 0, 0, 8, -1, &one, data, &failure), "count = -1");      \
  BUFFER(name, (coarray, 0, 0, 8, 1, &one, NULL, &failure), pointer " = NULL")
  WRONG_INDICES(hcube_caf_put_indexed, "from", &word);
  WRONG_INDICES(hcube_caf_get_indexed, "into", &out.word);
#undef WRONG_INDICES

  ARGUMENT(hcube_caf_atomic, (coarray, 0, 0, 7, 1, 0, &out.word, &failure), "operation = 7");
  ARGUMENT(hcube_caf_atomic, (coarray, 0, 4, HCUBE_CAF_ADD, 1, 0, &out.word, &failure), "offset = 4");
  ARGUMENT(hcube_caf_atomic, (coarray, 0, 64, HCUBE_CAF_ADD, 1, 0, &out.word, &failure), "offset = 64");
  ARGUMENT(hcube_caf_atomic, (coarray, images, 0, HCUBE_CAF_ADD, 1, 0, &out.word, &failure), "image = ");
  ARGUMENT(hcube_caf_atomic, (freed_coarray, 0, 0, HCUBE_CAF_ADD, 1, 0, &out.word, &failure), "coarray = ");

  ARGUMENT(hcube_caf_copointer, (coarray, 0, 0, NULL, &failure), "copointer = NULL");
  ARGUMENT(hcube_caf_copointer, (coarray, images, 0, &out.copointer, &failure), "image = ");
  ARGUMENT(hcube_caf_copointer, (coarray, 0, 65, &out.copointer, &failure), "offset = 65");
  ARGUMENT(hcube_caf_copointer, (freed_coarray, 0, 0, &out.copointer, &failure), "coarray = ");
#define WRONG_POINTERS(name, pointer, data)                               \
  ARGUMENT(name, (NULL, 0, data, 8, &failure), "copointer = NULL");       \
  ARGUMENT(name, (&nowhere, 0, data, 8, &failure), "copointer");          \
  ARGUMENT(name, (&copointer, 64, data, 8, &failure), "offset = 64");     \
  ARGUMENT(name, (&copointer, too_many, data, 8, &failure), "offset = "); \
  BUFFER(name, (&copointer, 0, NULL, 8, &failure), pointer " = NULL")
  WRONG_POINTERS(hcube_caf_copointer_put, "from", &word);
  WRONG_POINTERS(hcube_caf_copointer_get, "into", &out.word);
#undef WRONG_POINTERS
}

static void synchronisation(void) {
  hcube_event reserved = event, beyond = event, elsewhere = event;
  hcube_lock pair[2] = {one_lock, one_lock}, far = one_lock;
  reserved.reserved = 1;
  beyond.index = 2;
  elsewhere.image = (me + 1) % images;
  far.image = images;
  ARGUMENT(hcube_caf_barrier, (freed_team, &failure), "team = ");
  ARGUMENT(hcube_caf_event_alloc, (freed_team, 1, &out.handle, &failure), "team = ");
  ARGUMENT(hcube_caf_event_alloc, (0, -1, &out.handle, &failure), "count = -1");
  ARGUMENT(hcube_caf_event_alloc, (0, 1, NULL, &failure), "events = NULL");
  ARGUMENT(hcube_caf_event_free, (0, &failure), "events = 0x0: expected events that were not freed");
  ARGUMENT(hcube_caf_event_free, (freed_events, &failure), "events = 0x");
  ARGUMENT(hcube_caf_event_free, (coarray, &failure), "events = ");
  ARGUMENT(hcube_caf_event_notify, (freed_events, 0, 0, &failure), "events = 0x");
  ARGUMENT(hcube_caf_event_notify, (events, 2, 0, &failure), "index = 2");
  ARGUMENT(hcube_caf_event_notify, (events, -1, 0, &failure), "index = -1");
  ARGUMENT(hcube_caf_event_notify, (events, 0, images, &failure), "image = ");
  ARGUMENT(hcube_caf_event_notify, (freed_events, 0, HCUBE_CAF_THIS_IMAGE, &failure), "events = 0x");
  ARGUMENT(hcube_caf_event_wait, (freed_events, 0, &failure), "events = 0x");
  ARGUMENT(hcube_caf_event_wait, (coarray, 0, &failure), "events = a coarray or locks");
  ARGUMENT(hcube_caf_event_wait, (events, 2, &failure), "index = 2");
  ARGUMENT(hcube_caf_event_trywait, (events, 0, NULL, &failure), "notified = NULL");
  ARGUMENT(hcube_caf_event_trywait, (events, INT64_MAX, &out.number, &failure), "index = ");
  ARGUMENT(hcube_caf_eventset_waitany, (NULL, 1, &out.count, &failure), "events = NULL");
  ARGUMENT(hcube_caf_eventset_waitany, (&event, 0, &out.count, &failure), "events = none");
  ARGUMENT(hcube_caf_eventset_waitany, (&event, 1, NULL, &failure), "which = NULL");
  ARGUMENT(hcube_caf_eventset_waitany, (&reserved, 1, &out.count, &failure), "reserved = 1");
  ARGUMENT(hcube_caf_eventset_waitall, (&beyond, 1, &failure), "index = 2");
  ARGUMENT(hcube_caf_eventset_waitall, (&event, -1, &failure), "count = -1");
  if (images > 1) ARGUMENT(hcube_caf_eventset_waitall, (&elsewhere, 1, &failure), "image = ");
  ARGUMENT(hcube_caf_eventset_notifyall, (&beyond, 1, &failure), "index = 2");
  ARGUMENT(hcube_caf_eventset_notifyall, (NULL, 1, &failure), "events = NULL");

  ARGUMENT(hcube_caf_lock_alloc, (freed_team, 1, &out.handle, &failure), "team = ");
  ARGUMENT(hcube_caf_lock_alloc, (0, -1, &out.handle, &failure), "count = -1");
  ARGUMENT(hcube_caf_lock_alloc, (0, 1, NULL, &failure), "locks = NULL");
  ARGUMENT(hcube_caf_lock_free, (events, &failure), "locks = ");
  ARGUMENT(hcube_caf_lock_free, (0, &failure), "locks = 0x0: expected locks that were not freed");
  ARGUMENT(hcube_caf_lock, (events, 0, 0, &failure), "locks = a coarray or events");
  ARGUMENT(hcube_caf_lock, (0, 0, 0, &failure), "locks = 0x0");
  ARGUMENT(hcube_caf_lock, (0, 0, HCUBE_CAF_THIS_IMAGE, &failure), "locks = 0x0");
  ARGUMENT(hcube_caf_lock, (locks, 2, 0, &failure), "index = 2");
  ARGUMENT(hcube_caf_lock, (locks, 0, images, &failure), "image = ");
  ARGUMENT(hcube_caf_unlock, (locks, 0, HCUBE_CAF_THIS_IMAGE, &failure), "locks = lock 0 of image ");
  ARGUMENT(hcube_caf_unlock, (locks, -1, 0, &failure), "index = -1");
  ARGUMENT(hcube_caf_unlock, (locks, 1, images - 1, &failure), "locks = lock 1 of image ");
  SUCCEED(hcube_caf_lock(locks, 0, HCUBE_CAF_THIS_IMAGE, &failure));
  ARGUMENT(hcube_caf_lock, (locks, 0, HCUBE_CAF_THIS_IMAGE, &failure), "which this image has");
  ARGUMENT(hcube_caf_lock, (locks, 0, me, &failure), "locks = lock 0 of image ");
  ARGUMENT(hcube_caf_trylock, (locks, 0, me, &out.number, &failure), "locks = lock 0 of image ");
  ARGUMENT(hcube_caf_lockset_lock, (&one_lock, 1, &failure), "locks = lock 0 of image ");
  ARGUMENT(hcube_caf_lock_free, (locks, &failure), "locks = 0x");
  SUCCEED(hcube_caf_unlock(locks, 0, HCUBE_CAF_THIS_IMAGE, &failure));
  ARGUMENT(hcube_caf_trylock, (locks, 0, 0, NULL, &failure), "acquired = NULL");
  ARGUMENT(hcube_caf_lockset_lock, (pair, 2, &failure), "named twice");
  ARGUMENT(hcube_caf_lockset_lock, (NULL, 1, &failure), "locks = NULL");
  ARGUMENT(hcube_caf_lockset_lock, (&far, 1, &failure), "image = ");
  ARGUMENT(hcube_caf_lockset_unlock, (&one_lock, 1, &failure), "which this image does not hold");
  ARGUMENT(hcube_caf_lockset_unlock, (&one_lock, -1, &failure), "count = -1");
}

static void asynchronous(void) {
  hcube_place none, both = there, reserved = there, far = there, beyond = there;
  hcube_event wrong = event;
  memset(&none, 0, sizeof none);
  both.memory = &word;
  reserved.reserved = 1;
  far.image = images;
  beyond.offset = 60;
  wrong.index = 2;
  ARGUMENT(hcube_caf_copy_async, (NULL, &here, 8, NULL, NULL, &failure), "destination = NULL");
  ARGUMENT(hcube_caf_copy_async, (&there, NULL, 8, NULL, NULL, &failure), "source = NULL");
  ARGUMENT(hcube_caf_copy_async, (&none, &here, 8, NULL, NULL, &failure), "destination = ");
  ARGUMENT(hcube_caf_copy_async, (&there, &both, 8, NULL, NULL, &failure), "source = ");
  ARGUMENT(hcube_caf_copy_async, (&reserved, &here, 8, NULL, NULL, &failure), "destination.reserved = 1");
  ARGUMENT(hcube_caf_copy_async, (&far, &here, 8, NULL, NULL, &failure), "destination.image = ");
  ARGUMENT(hcube_caf_copy_async, (&here, &far, 8, NULL, NULL, &failure), "source.image = ");
  ARGUMENT(hcube_caf_copy_async, (&beyond, &here, 8, NULL, NULL, &failure), "destination.offset + bytes = 68");
  ARGUMENT(hcube_caf_copy_async, (&here, &beyond, 8, NULL, NULL, &failure), "source.offset + bytes = 68");
  ARGUMENT(hcube_caf_copy_async, (&there, &here, UINT64_C(1) << 63, NULL, NULL, &failure), "bytes = ");
  ARGUMENT(hcube_caf_copy_async, (&there, &here, 8, &wrong, NULL, &failure), "done.index = 2");
  ARGUMENT(hcube_caf_copy_async, (&there, &here, 8, NULL, &wrong, &failure), "predicate.index = 2");
  ARGUMENT(hcube_caf_broadcast_async, (freed_team, 0, &word, 8, NULL, &failure), "team = ");
  ARGUMENT(hcube_caf_broadcast_async, (0, images, &word, 8, NULL, &failure), "root = ");
  ARGUMENT(hcube_caf_broadcast_async, (0, -1, &word, 8, NULL, &failure), "root = -1");
  BUFFER(hcube_caf_broadcast_async, (0, 0, NULL, 8, NULL, &failure), "buffer = NULL");
  ARGUMENT(hcube_caf_broadcast_async, (0, 0, &word, 8, &wrong, &failure), "done.index = 2");
  ARGUMENT(hcube_caf_barrier_async, (freed_team, &event, &failure), "team = ");
  ARGUMENT(hcube_caf_barrier_async, (0, NULL, &failure), "done = NULL");
  ARGUMENT(hcube_caf_barrier_async, (0, &wrong, &failure), "done.index = 2");
}

static void collectives(void) {
  uint64_t *into = &out.word;
  MPI_Datatype narrow;
#define WRONG_TEAM(name, arguments) ARGUMENT(name, arguments, "team = ")
  WRONG_TEAM(hcube_caf_broadcast, (freed_team, 0, &word, 8, &failure));
  WRONG_TEAM(hcube_caf_gather, (freed_team, 0, &word, 8, into, &failure));
  WRONG_TEAM(hcube_caf_scatter, (freed_team, 0, &word, 8, into, &failure));
  WRONG_TEAM(hcube_caf_allgather, (freed_team, &word, 8, into, &failure));
  WRONG_TEAM(hcube_caf_alltoall, (freed_team, &word, 8, into, &failure));
  WRONG_TEAM(hcube_caf_shift, (freed_team, 1, &word, 8, into, &failure));
  WRONG_TEAM(hcube_caf_permute, (freed_team, 0, &word, 8, into, &failure));
  WRONG_TEAM(hcube_caf_reduce, (freed_team, 0, &word, into, 1, MPI_INT64_T, MPI_SUM, &failure));
  WRONG_TEAM(hcube_caf_allreduce, (freed_team, &word, into, 1, MPI_INT64_T, MPI_SUM, &failure));
  WRONG_TEAM(hcube_caf_scan, (freed_team, &word, into, 1, MPI_INT64_T, MPI_SUM, 1, &failure));
  WRONG_TEAM(hcube_caf_sort, (freed_team, &word, 1, 8, compare, &failure));
#undef WRONG_TEAM
  ARGUMENT(hcube_caf_broadcast, (0, images, &word, 8, &failure), "root = ");
  ARGUMENT(hcube_caf_broadcast, (0, -1, &word, 8, &failure), "root = -1");
  BUFFER(hcube_caf_broadcast, (0, 0, NULL, 8, &failure), "buffer = NULL");
  ARGUMENT(hcube_caf_gather, (0, images, &word, 8, into, &failure), "root = ");
  BUFFER(hcube_caf_gather, (0, 0, NULL, 8, into, &failure), "from = NULL");
  BUFFER(hcube_caf_gather, (0, 0, &word, 8, NULL, &failure), me == 0 ? "into = NULL" : "");
  ARGUMENT(hcube_caf_scatter, (0, -5, &word, 8, into, &failure), "root = -5");
  BUFFER(hcube_caf_scatter, (0, 0, NULL, 8, into, &failure), me == 0 ? "from = NULL" : "");
  BUFFER(hcube_caf_scatter, (0, 0, &word, 8, NULL, &failure), "into = NULL");
  BUFFER(hcube_caf_allgather, (0, &word, 8, NULL, &failure), "into = NULL");
  ARGUMENT(hcube_caf_allgather, (0, &word, UINT64_C(1) << 63, into, &failure), "bytes = ");
  BUFFER(hcube_caf_alltoall, (0, NULL, 8, into, &failure), "from = NULL");
  BUFFER(hcube_caf_shift, (0, 1, &word, 8, NULL, &failure), "into = NULL");
  ARGUMENT(hcube_caf_permute, (0, images, &word, 8, into, &failure), "destination = ");
  ARGUMENT(hcube_caf_permute, (0, -1, &word, 8, into, &failure), "destination = -1");
  if (images > 1) ARGUMENT(hcube_caf_permute, (0, 0, &word, 8, into, &failure), "destination");
  ARGUMENT(hcube_caf_reduce, (0, images, &word, into, 1, MPI_INT64_T, MPI_SUM, &failure), "root = ");
  ARGUMENT(hcube_caf_reduce, (0, 0, &word, into, -1, MPI_INT64_T, MPI_SUM, &failure), "count = -1");
  ARGUMENT(hcube_caf_allreduce, (0, &word, into, INT64_C(1) << 40, MPI_BYTE, MPI_SUM, &failure), "count = ");
  REFUSES(hcube_caf_allreduce, (0, &word, into, 1, MPI_DATATYPE_NULL, MPI_SUM, &failure), HCUBE_ERR_DATATYPE,
          "datatype");
  REFUSES(hcube_caf_allreduce, (0, &word, into, 1, MPI_INT64_T, MPI_OP_NULL, &failure), HCUBE_ERR_DATATYPE,
          "operation");
  MPI_Type_create_resized(MPI_INT64_T, 0, 4, &narrow);
  MPI_Type_commit(&narrow);
  REFUSES(hcube_caf_allreduce, (0, &word, into, 1, narrow, MPI_SUM, &failure), HCUBE_ERR_DATATYPE, "true extent 8");
  MPI_Type_free(&narrow);
  BUFFER(hcube_caf_allreduce, (0, NULL, into, 1, MPI_INT64_T, MPI_SUM, &failure), "from = NULL");
  ARGUMENT(hcube_caf_scan, (0, &word, into, 1, MPI_INT64_T, MPI_SUM, 2, &failure), "inclusive = 2");
  ARGUMENT(hcube_caf_sort, (0, &word, 1, 8, NULL, &failure), "compare = NULL");
  ARGUMENT(hcube_caf_sort, (0, &word, -1, 8, compare, &failure), "count = -1");
  ARGUMENT(hcube_caf_sort, (0, &word, 1, 0, compare, &failure), "element_bytes = 0");
  BUFFER(hcube_caf_sort, (0, NULL, 1, 8, compare, &failure), "elements = NULL");
}

/* Nobody waits for the last image, whose arguments are wrong. */
static void on_one_image(void) {
  const int is_last = me == images - 1;
  uint64_t *into = &out.word;
  BUFFER(hcube_caf_broadcast, (0, 0, is_last ? NULL : &word, 8, &failure), is_last ? "buffer = NULL" : "");
  ARGUMENT(hcube_caf_broadcast, (0, is_last ? -1 : 0, &word, 8, &failure), is_last ? "root = -1" : "");
  BUFFER(hcube_caf_allgather, (0, &word, 8, is_last ? NULL : into, &failure), is_last ? "into = NULL" : "");
  ARGUMENT(hcube_caf_sort, (0, &word, 1, 8, is_last ? NULL : compare, &failure), is_last ? "compare = NULL" : "");
  ARGUMENT(hcube_caf_scan, (0, &word, into, 1, MPI_INT64_T, MPI_SUM, is_last ? 2 : 1, &failure), "");
  if (images == 1) return;
  REFUSES(hcube_caf_broadcast, (0, 0, &word, is_last ? 4 : 8, &failure), HCUBE_ERR_MISMATCH, "");
  REFUSES(hcube_caf_broadcast, (0, is_last, &word, 8, &failure), HCUBE_ERR_MISMATCH, "");
  REFUSES(hcube_caf_coarray_alloc, (0, is_last ? 8 : 16, &out.handle, NULL, &failure), HCUBE_ERR_MISMATCH, "");
  REFUSES(hcube_caf_event_alloc, (0, is_last ? 1 : 2, &out.handle, &failure), HCUBE_ERR_MISMATCH, "");
}

static void shipped_functions(void) {
  hcube_event wrong = event;
  wrong.image = images;
  ARGUMENT(hcube_caf_register, (NULL, &out.number, &failure), "function = NULL");
  ARGUMENT(hcube_caf_register, (function, NULL, &failure), "number = NULL");
  SUCCEED(hcube_caf_register(in_function, &number, &failure));
  ARGUMENT(hcube_caf_spawn, (0, 0, 1, NULL, 0, NULL, &failure), "function = 1");
  ARGUMENT(hcube_caf_spawn, (0, 0, -1, NULL, 0, NULL, &failure), "function = -1");
  ARGUMENT(hcube_caf_spawn, (0, images, number, NULL, 0, NULL, &failure), "image = ");
  ARGUMENT(hcube_caf_spawn, (0, -1, number, NULL, 0, NULL, &failure), "image = -1");
  ARGUMENT(hcube_caf_spawn, (freed_team, 0, number, NULL, 0, NULL, &failure), "team = ");
  BUFFER(hcube_caf_spawn, (0, 0, number, NULL, 8, NULL, &failure), "arguments = NULL");
  ARGUMENT(hcube_caf_spawn, (0, 0, number, NULL, UINT64_C(1) << 63, NULL, &failure), "bytes = ");
  ARGUMENT(hcube_caf_spawn, (0, 0, number, NULL, 0, &wrong, &failure), "done.image = ");
  ARGUMENT(hcube_caf_finish_begin, (freed_team, &failure), "team = ");
  ARGUMENT(hcube_caf_finish_end, (&failure), "hcube_caf_finish_begin");
  SUCCEED(hcube_caf_finish_begin(0, &failure));
  ARGUMENT(hcube_caf_finalize, (&failure), "finish");
  SUCCEED(hcube_caf_spawn(0, (me + 1) % images, number, NULL, 0, NULL, &failure));
  SUCCEED(hcube_caf_finish_end(&failure));
  REQUIRE(calls_inside == 1);
}

static void make_and_free(void) {
  SUCCEED(hcube_caf_team_world(&world, &failure));
  SUCCEED(hcube_caf_team_rank(world, &me, &failure));
  SUCCEED(hcube_caf_team_size(world, &images, &failure));
  SUCCEED(hcube_caf_team_split(world, 0, 0, &freed_team, &failure));
  SUCCEED(hcube_caf_team_free(freed_team, &failure));
  SUCCEED(hcube_caf_coarray_alloc(world, 8, &freed_coarray, NULL, &failure));
  SUCCEED(hcube_caf_coarray_free(freed_coarray, &failure));
  SUCCEED(hcube_caf_event_alloc(world, 1, &freed_events, &failure));
  SUCCEED(hcube_caf_event_free(freed_events, &failure));
  SUCCEED(hcube_caf_coarray_alloc(world, 64, &coarray, NULL, &failure));
  SUCCEED(hcube_caf_event_alloc(world, 2, &events, &failure));
  SUCCEED(hcube_caf_lock_alloc(world, 2, &locks, &failure));
  SUCCEED(hcube_caf_copointer(coarray, 0, 0, &copointer, &failure));
  event.events = events;
  event.image = HCUBE_CAF_THIS_IMAGE;
  one_lock.locks = locks;
  one_lock.image = HCUBE_CAF_THIS_IMAGE;
  there.coarray = coarray;
  here.memory = &word;
}

int main(int argc, char **argv) {
  (void)argc, (void)argv;
  memset(&out, 0x5a, sizeof out);
  out.statistics.struct_size = sizeof out.statistics;
  out_before = out;
  all_are_refused(HCUBE_ERR_ARGUMENT, "called before hcube_caf_init");
  SUCCEED(hcube_caf_init(&failure));
  make_and_free();
  teams_and_status();
  memory();
  synchronisation();
  asynchronous();
  collectives();
  on_one_image();
  shipped_functions();
  /* With right arguments all of it still works. */
  SUCCEED(hcube_caf_barrier(world, &failure));
  SUCCEED(hcube_caf_put(coarray, 0, 8 * (uint64_t)(me % 8), &word, 8, &failure));
  SUCCEED(hcube_caf_finalize(&failure));
  all_are_refused(HCUBE_ERR_ARGUMENT, "called after hcube_caf_finalize");
  ARGUMENT(hcube_caf_init, (&failure), "called after hcube_caf_finalize");
  if (me == 0) print_called();
  return 0;
}
