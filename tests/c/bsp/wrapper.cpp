/* Every function of BSPWrapper.h and every member of its classes. Without an argument: all checks; process 0 prints
 * "ok <processes>". With an argument: the error of that name, which ends the job. */
#include <BSPWrapper.h>

#include <stdlib.h>
#include <string.h>

using namespace BSPWrapper;

/* In wrapper_second.cpp. */
int processes();
int *own_number();

#define CHECK(condition)                                                                                  \
  do {                                                                                                    \
    if (!(condition)) bsp_abort("%s:%d: process %d of %d: %s\n", __FILE__, __LINE__, Pid, P, #condition); \
  } while (0)

namespace {

void registered_memory() {
  CAVector<int> all(P), from_all(P);
  PushReg(all.data, P * static_cast<int>(sizeof(int)));
  int part = 100 + Pid;
  PushReg(Pid == 0 ? &part : NULL, Pid == 0 ? static_cast<int>(sizeof part) : 0);
  Sync();

  for (int p = 0; p < P; p++) {
    int value = 10 * Pid + p;
    Put(p, &value, all.data, Pid * static_cast<int>(sizeof value), sizeof value);
    value = -1;
  }
  Sync();
  for (int p = 0; p < P; p++) CHECK(all[p] == 10 * p + Pid);

  /* Gets read before puts write. */
  for (int p = 0; p < P; p++) {
    const int value = -7;
    Get(p, all.data, Pid * static_cast<int>(sizeof(int)), &from_all[p], sizeof(int));
    Put(p, &value, all.data, Pid * static_cast<int>(sizeof value), sizeof value);
  }
  Sync();
  for (int p = 0; p < P; p++) CHECK(from_all[p] == 10 * Pid + p && all[p] == -7);
  PopReg(Pid == 0 ? &part : NULL);
  PopReg(all.data);
  Sync();
}

/* Unbuffered, small and large enough for single copy. */
void unbuffered(int length) {
  CAVector<char> out(length), in(length), read(length);
  memset(out.data, 'a' + Pid, length);
  PushReg(in.data, length);
  PushReg(out.data, length);
  Sync();
  const int next = (Pid + 1) % P, previous = (Pid + P - 1) % P;
  HpPut(next, out.data, in.data, 0, length);
  Sync();
  HpGet(previous, out.data, 1, read.data, length - 1);
  Sync();
  for (int i = 0; i < length; i++) CHECK(in[i] == 'a' + previous && (i == length - 1 || read[i] == 'a' + previous));
  PopReg(out.data);
  PopReg(in.data);
  Sync();
}

/* The example of the thesis, with status and tag in all forms. */
void messages() {
  SetTagSize(sizeof(int));
  Sync();
  for (int form = 0; form < 4; form++) {
    int tag = Pid;
    char data[10];
    memset(data, '0' + Pid, sizeof data);
    for (int p = 0; p < P; ++p) Send(p, &tag, data, 10);
    memset(data, 0, sizeof data);
    Sync();

    CAVector<char> receivebuffer(10 * P);
    int status = 0, seen = 0;
    while (status >= 0) {
      tag = -1;
      switch (form) {
        case 0: GetTag(status, tag); break;
        case 1: GetTag(&status, tag); break;
        case 2: GetTag(status, &tag); break;
        default: GetTag(&status, &tag);
      }
      CHECK((status < 0) == (seen == P) && (status < 0) == (tag < 0));
      if (status > 0) {
        if (form % 2 == 0) Move(receivebuffer[10 * tag], status);
        else Move(receivebuffer.data + 10 * tag, status);
        seen++;
      }
    }
    for (int i = 0; i < 10 * P; i++) CHECK(receivebuffer[i] == '0' + i / 10);
  }

  /* Without buffers, of different lengths, and one of 0 bytes. */
  CAVector<double> numbers(P);
  for (int p = 0; p < P; p++) numbers[p] = 1000 * Pid + p;
  int tag = 7 * Pid;
  for (int p = 0; p < P; p++) HpSend(p, &tag, numbers.data, p * static_cast<int>(sizeof(double)));
  Sync();
  void *data = NULL;
  int size = 0;
  for (int message = 0; message < P; message++) {
    GetTag(size, tag);
    HpMove(data, size);
    CHECK(tag % 7 == 0 && size == Pid * static_cast<int>(sizeof(double)) && data != NULL);
    for (int i = 0; i < Pid; i++) CHECK(static_cast<double *>(data)[i] == 1000 * (tag / 7) + i);
  }
  HpMove(data, size);
  CHECK(data == NULL && size == -1);
  SetTagSize(0);
  Sync();
  Send(Pid, NULL, "x", 1);
  Sync();
  GetTag(size, NULL);
  char one = 0, *place = &one;
  Move(place, 8);
  CHECK(size == 1 && one == 'x');
}

/* result := a * b of 2 x 2 matrices, which does not commute. */
void multiply(char *result, char *a, char *b, int *bytes) {
  CHECK(*bytes == 4 * static_cast<int>(sizeof(double)));
  double *c = reinterpret_cast<double *>(result), *x = reinterpret_cast<double *>(a),
         *y = reinterpret_cast<double *>(b);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) c[2 * i + j] = x[2 * i] * y[j] + x[2 * i + 1] * y[2 + j];
}

void collectives() {
  for (int root = 0; root < P; root++) {
    const int source = 50 + Pid;
    int target = 0;
    Broadcast(root, sizeof source, Pid == root ? &source : NULL, &target);
    CHECK(target == 50 + root);
  }
  const double own[4] = {1.0 + Pid, 1, 1, 0};
  double expected[4] = {1, 1, 1, 0}, product[4];
  for (int p = 1; p < P; p++) {
    double next[4] = {1.0 + p, 1, 1, 0}, before[4];
    int bytes = sizeof before;
    memcpy(before, expected, sizeof before);
    multiply(reinterpret_cast<char *>(expected), reinterpret_cast<char *>(before), reinterpret_cast<char *>(next),
             &bytes);
  }
  Fold(own, product, sizeof product, multiply);
  for (int i = 0; i < 4; i++) CHECK(product[i] == expected[i]);
}

void vectors() {
  CAVector<int> empty;
  int values[6] = {1, 2, 3, 4, 5, 6}, read[6] = {0};
  CHECK(empty.Size() == 0 && empty.data == NULL && empty.Get(0, read, 3) == 0);
  empty.Put(values, 2, 3);
  CHECK(empty.Size() == 5 && empty[0] == 0 && empty[1] == 0 && empty[2] == 1 && empty[4] == 3);
  empty.Put(values, 1, 1);
  empty.Put(NULL, 9, 0);
  CHECK(empty.Size() == 5 && empty[1] == 1 && empty[2] == 1);
  CHECK(empty.Get(3, read, 6) == 2 && read[0] == 2 && read[1] == 3 && empty.Get(5, read, 1) == 0);

  /* A buffer of the caller is used in place, until the length changes. */
  {
    CAVector<int> of_caller(6, values);
    of_caller[0] = 11;
    CHECK(values[0] == 11 && of_caller.data == values);
    of_caller.Put(values, 6, 1);
    of_caller[1] = 12;
    CHECK(of_caller.data != values && of_caller.Size() == 7 && of_caller[6] == 11 && values[1] == 2);
  }
  CHECK(values[5] == 6);

  CAVector<double> aligned(5, 4);
  CHECK(aligned.Size() == 8 && aligned[7] == 0.0);
  for (int i = 0; i < 8; i++) aligned[i] = i;
  const double more[2] = {8, 9};
  aligned.Put(more, 8, 2);
  CHECK(aligned.Size() == 12 && aligned[7] == 7 && aligned[9] == 9 && aligned[11] == 0);
  aligned.Shrink(20);
  CHECK(aligned.Size() == 12);
  aligned.Shrink(6);
  CHECK(aligned.Size() == 8 && aligned[7] == 7);
  aligned.SetSize(3);
  CHECK(aligned.Size() == 3 && aligned[2] == 2);
  aligned.SetSize(4, 5);
  CHECK(aligned.Size() == 5 && aligned[2] == 2 && aligned[4] == 0);

  CAVector<double> copy(aligned), assigned(9);
  assigned = copy;
  assigned = *&assigned;
  copy[0] = -1;
  CHECK(assigned.Size() == 5 && assigned[2] == 2 && aligned[0] == 0 && assigned[0] == 0);
  const CAVector<double> &constant = assigned;
  CHECK(constant[2] == 2);
  aligned.Shrink(0);
  CHECK(aligned.Size() == 0 && aligned.data == NULL);
}

struct Pair {
  short key;
  double value;
};

void queues() {
  CMultiQueue<Pair> queues(3, 2, 4);
  Pair *data = NULL;
  int count = -1;
  queues.FirstHead(data, count);
  CHECK(data == NULL && count == 0);
  queues.DeleteFirstHead(0);
  for (int i = 0; i < 100; i++) {
    const Pair pairs[2] = {{static_cast<short>(i), i / 2.0}, {static_cast<short>(-i), 0}};
    queues.Enqueue(1, pairs, 2);
    queues.Enqueue(2, pairs, i % 2);
  }
  queues.Head(0, data, count);
  CHECK(data == NULL && count == 0);
  queues.Head(2, data, count);
  CHECK(count == 50 && data[49].key == 99 && data[49].value == 49.5);
  queues.FirstHead(data, count);
  CHECK(count == 200 && data[3].key == -1 && data[198].key == 99);
  queues.DeleteHead(1, 198);
  queues.FirstHead(data, count);
  CHECK(count == 2 && data[0].key == 99);
  /* Room of removed elements is used again. */
  const Pair last = {5, 5};
  for (int i = 0; i < 300; i++) queues.Enqueue(1, &last, 1);
  queues.Head(1, data, count);
  CHECK(count == 302 && data[1].key == -99 && data[301].key == 5);
  queues.DeleteFirstHead(302);
  queues.FirstHead(data, count);
  CHECK(count == 50);
  queues.Enqueue(0, &last, 1);

  char *array = NULL;
  int *counts = NULL, *displacements = NULL;
  const int bytes = sizeof(Pair);
  queues.ToArray(array, counts, displacements);
  CHECK(counts[0] == bytes && counts[1] == 0 && counts[2] == 50 * bytes);
  CHECK(displacements[0] == 0 && displacements[1] == bytes && displacements[2] == bytes);

  CMultiQueue<Pair> from(3, array, counts, displacements), other;
  from.Head(2, data, count);
  CHECK(count == 50 && data[49].value == 49.5);
  other.FromArray(3, array, counts, displacements);
  /* The array was copied. */
  memset(array, 0, counts[0] + counts[2]);
  other.FirstHead(data, count);
  CHECK(count == 1 && data[0].value == 5);
  delete[] array;
  delete[] counts;
  delete[] displacements;

  other = from;
  from.Reset();
  from.FirstHead(data, count);
  CHECK(count == 0);
  from.Enqueue(2, &last, 1);
  other.SetSize(5);
  other.Head(2, data, count);
  CHECK(count == 50);
  other.Enqueue(4, &last, 1);
  other.SetSize(1, 8, 8);
  other.Head(0, data, count);
  CHECK(count == 1 && data[0].key == 5);
  CMultiQueue<Pair> copy(other);
  copy.DeleteFirstHead(1);
  other.FirstHead(data, count);
  CHECK(count == 1);
}

/* Queues of all processes exchanged by puts, as MPI_Alltoallv does. */
void exchanged_queues() {
  CMultiQueue<int> outgoing(P);
  for (int p = 0; p < P; p++)
    for (int i = 0; i < Pid + p; i++) {
      const int value = 100 * Pid + p;
      outgoing.Enqueue(p, &value, 1);
    }
  char *array = NULL;
  int *counts = NULL, *begins = NULL;
  outgoing.ToArray(array, counts, begins);
  CAVector<int> in_counts(P), in_begins(P);
  PushReg(in_counts.data, P * static_cast<int>(sizeof(int)));
  Sync();
  for (int p = 0; p < P; p++) Put(p, counts + p, in_counts.data, Pid * static_cast<int>(sizeof(int)), sizeof(int));
  Sync();
  for (int p = 0, sum = 0; p < P; sum += in_counts[p], p++) in_begins[p] = sum;
  const int bytes = in_begins[P - 1] + in_counts[P - 1];
  CAVector<char> in(bytes + 1);
  CAVector<int> remote(P);
  PushReg(in.data, bytes + 1);
  PushReg(in_begins.data, P * static_cast<int>(sizeof(int)));
  Sync();
  for (int p = 0; p < P; p++) Get(p, in_begins.data, Pid * static_cast<int>(sizeof(int)), &remote[p], sizeof(int));
  Sync();
  for (int p = 0; p < P; p++) Put(p, array + begins[p], in.data, remote[p], counts[p]);
  Sync();
  CMultiQueue<int> incoming(P, in.data, in_counts.data, in_begins.data);
  for (int p = 0; p < P; p++) {
    int *data = NULL, count = 0;
    incoming.Head(p, data, count);
    CHECK(count == Pid + p);
    for (int i = 0; i < count; i++) CHECK(data[i] == 100 * p + Pid);
  }
  delete[] array;
  delete[] counts;
  delete[] begins;
  PopReg(in_begins.data);
  PopReg(in.data);
  PopReg(in_counts.data);
  Sync();
}

/* Errors, by name. */
void error(const char *name) {
  CAVector<int> vector(5);
  CMultiQueue<int> queue(2);
  int value = 0, *array = NULL, wrong[2] = {3, 0}, none[2] = {0, 0};
  PushReg(&value, sizeof value);
  Sync();
  const char *names[] = {"index",  "negative-index", "vector-put", "vector-get", "vector-size", "vector-grow",
                         "shrink", "buffer",         "qnr",        "delete",     "first",       "counts",
                         "displs", "queues",         "count",      "process",    "range",       "address",
                         "tag",    "empty",          "status",     "null",       "overflow"};
  /* The others wait, and end with the job. */
  int number = Pid == 0 ? 0 : 23;
  while (number < 23 && strcmp(name, names[number]) != 0) number++;
  switch (number) {
    case 0: vector[5] = 0; break;
    case 1: vector[-1] = 0; break;
    case 2: vector.Put(&value, -1, 1); break;
    case 3: vector.Get(0, &value, -2); break;
    case 4: vector.SetSize(-3); break;
    case 5: vector.SetSize(3, 0); break;
    case 6: vector.Shrink(-1); break;
    case 7: CAVector<int>(3, array); break;
    case 8: queue.Enqueue(2, &value, 1); break;
    case 9: queue.DeleteHead(1, 1); break;
    case 10: queue.DeleteFirstHead(1); break;
    case 11: queue.FromArray(2, &value, wrong, none); break;
    case 12:
      wrong[0] = 4;
      none[0] = -4;
      queue.FromArray(2, &value, wrong, none);
      break;
    case 13: queue.SetSize(-1); break;
    case 14: Put(0, &value, &value, 0, -1); break;
    case 15: HpGet(P, &value, 0, &value, sizeof value); break;
    case 16: HpPut(0, &value, &value, 1, sizeof value); break;
    case 17: Get(0, wrong, 0, &value, sizeof value); break;
    case 18: SetTagSize(-1); break;
    case 19: Move(&value, sizeof value); break;
    case 20: GetTag(static_cast<int *>(NULL), &value); break;
    case 21: vector.Put(NULL, 0, 1); break;
    case 22: vector.Put(&value, 2147483647, 1); break;
    default:
      if (Pid == 0) bsp_abort("no error has the name %s\n", name);
  }
  Sync();
}

} /* namespace */

int main(int argc, char **argv) {
  CHECK(P == 0 && Pid == -1);
  Init(argc, argv);
  CHECK(P == static_cast<int>(bsp_nprocs()) && Pid == static_cast<int>(bsp_pid()) && processes() == P &&
        own_number() == &Pid && Pid < P);
  const int *place = &Pid;
  CHECK(*place == Pid);
  if (argc > 1) error(argv[1]);
  const double begin = Time();
  registered_memory();
  unbuffered(100);
  unbuffered(1 << 20);
  messages();
  collectives();
  vectors();
  queues();
  exchanged_queues();
  CHECK(begin >= 0 && Time() > begin && Time() < 600);
  Print(P, "nobody\n");
  Print(-1, "process %d\n", Pid);
  Sync();
  Print(P - 1, "last %s\n", "one");
  Sync();
  Print(0, "ok %d\n", P);
  Exit();
  return 0;
}
