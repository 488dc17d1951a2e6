/* What a message of an MPI library costs on hosts of one machine: scripts/calibrate-hosts.sh runs it, and a test
 * compares simulated hosts with the figures of their files.
 *
 *   messages <ranks per host> <largest bytes> [costs|late|blocking|incast|copies|pairs [batches]]
 *
 * The first rank exchanges messages with the first rank of the last host, then with the third rank of its own host, or
 * the second of two; all others wait for a message. All connections are open, because a rank that waits asks the
 * kernel about all of them. Each line is a name, a size and microseconds: the smallest mean of many short batches,
 * because other work on the machine only makes batches longer. The names are `network` or `node` after
 *
 *   costs     half of the time in which a message goes forth and back; the name alone
 *   late      `early-` and `late-`: half of the time in which a message of this size and a short one go forth and back,
 *             with the receive of the first one posted in advance, or after the short one has been received
 *   blocking  `eager-`: the largest size of which a blocking send returns before its receive is posted, and its time
 *
 * copies: `copy`: the time in which one rank copies a message of this size out of memory that it has written before.
 * incast: `together` and `in-turn`: the time per message of the messages of all other ranks to the first one, which
 * asks all of them at once, or one after the other.
 * pairs: `pairs-network`: half the round-trip time of messages between all pairs of ranks at the same time, a rank and
 * the one of the same number on another host: the mean of all ranks in the shortest of some batches, 15 by default. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 7, SHORT_TAG, MOST = 131072, SHORT = 8, BATCHES = 200, REPEATS = 4, FIRST_BATCHES = 5 };
enum { FIRST_EXCHANGES = 20, ATTEMPTS = 3, PAIRED_BATCHES = 15, PAIRED_REPEATS = 200 };
/* Seconds by which a receive is posted late; a send that takes less than half of them has not waited. */
#define LATE 40e-3

static const int sizes[] = {8, 1024, 4096, 16384, 65536, MOST};

typedef struct pair {
  char *data;
  int bytes, is_first, peer;
} pair;

typedef void (*exchange)(const pair *of);

static int own_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int all_ranks(void) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

static void ping_pong(const pair *of) {
  if (of->is_first) MPI_Send(of->data, of->bytes, MPI_CHAR, of->peer, TAG, MPI_COMM_WORLD);
  MPI_Recv(of->data, of->bytes, MPI_CHAR, of->peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!of->is_first) MPI_Send(of->data, of->bytes, MPI_CHAR, of->peer, TAG, MPI_COMM_WORLD);
}

/* A message of the size, and a short one. */
static void send_two(const pair *of) {
  static char word[SHORT];
  MPI_Request sends[2];
  MPI_Isend(of->data, of->bytes, MPI_CHAR, of->peer, TAG, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(word, SHORT, MPI_CHAR, of->peer, SHORT_TAG, MPI_COMM_WORLD, &sends[1]);
  MPI_Wait(&sends[0], MPI_STATUS_IGNORE);
  MPI_Wait(&sends[1], MPI_STATUS_IGNORE);
}

static void receive_short(const pair *of) {
  static char word[SHORT];
  MPI_Recv(word, SHORT, MPI_CHAR, of->peer, SHORT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void in_advance(const pair *of) {
  MPI_Request receive;
  MPI_Irecv(of->data + MOST, of->bytes, MPI_CHAR, of->peer, TAG, MPI_COMM_WORLD, &receive);
  if (of->is_first) send_two(of);
  receive_short(of);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  if (!of->is_first) send_two(of);
}

static void late(const pair *of) {
  if (of->is_first) send_two(of);
  receive_short(of);
  MPI_Recv(of->data + MOST, of->bytes, MPI_CHAR, of->peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!of->is_first) send_two(of);
}

/* Microseconds of an exchange in the shortest batch. */
static double measure(exchange one, const pair *of) {
  double shortest = 1e12;
  int batch, repeat;
  for (batch = 0; batch < FIRST_BATCHES + BATCHES; batch++) {
    double begin = MPI_Wtime(), mean;
    for (repeat = 0; repeat < REPEATS; repeat++) one(of);
    mean = 1e6 * (MPI_Wtime() - begin) / REPEATS;
    if (batch >= FIRST_BATCHES && mean < shortest) shortest = mean;
  }
  return shortest;
}

static void measure_sizes(exchange one, pair of, const char *name, const char *place, int largest) {
  size_t at;
  for (at = 0; at < sizeof sizes / sizeof *sizes && sizes[at] <= largest; at++) {
    double us;
    of.bytes = sizes[at];
    us = measure(one, &of) / 2;
    if (of.is_first) printf("%s%s %d %.2f\n", name, place, of.bytes, us), fflush(stdout);
  }
}

static void pass(double seconds) {
  struct timespec time;
  time.tv_sec = 0;
  time.tv_nsec = (long)(1e9 * seconds);
  nanosleep(&time, NULL);
}

/* Seconds of a blocking send to a rank that receives late; on the other rank, of its receive. */
static double send_to_late(const pair *of) {
  double begin;
  if (!of->is_first) {
    MPI_Send(of->data, 0, MPI_CHAR, of->peer, SHORT_TAG, MPI_COMM_WORLD);
    pass(LATE);
  } else {
    MPI_Recv(of->data, 0, MPI_CHAR, of->peer, SHORT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  begin = MPI_Wtime();
  if (of->is_first) MPI_Send(of->data, of->bytes, MPI_CHAR, of->peer, TAG, MPI_COMM_WORLD);
  else MPI_Recv(of->data, of->bytes, MPI_CHAR, of->peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Wtime() - begin;
}

static int compare(const void *first, const void *second) {
  double difference = *(const double *)first - *(const double *)second;
  return (difference > 0) - (difference < 0);
}

/* The median of some attempts. Both ranks search alike: the first one tells the other whether its send has returned. */
static double send_without_receive(const pair *of) {
  double seconds[ATTEMPTS];
  int attempt;
  for (attempt = 0; attempt < ATTEMPTS; attempt++) seconds[attempt] = send_to_late(of);
  qsort(seconds, ATTEMPTS, sizeof *seconds, compare);
  if (of->is_first) MPI_Send(&seconds[ATTEMPTS / 2], 1, MPI_DOUBLE, of->peer, TAG, MPI_COMM_WORLD);
  else MPI_Recv(&seconds[ATTEMPTS / 2], 1, MPI_DOUBLE, of->peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return seconds[ATTEMPTS / 2];
}

static void find_eager(pair of, const char *place, int largest) {
  int eager = 0, waits = largest + 1;
  double found = 0;
  while (eager + 1 < waits) {
    double seconds;
    /* The largest size first. */
    of.bytes = waits > largest ? largest : (eager + waits) / 2;
    if (of.bytes == eager) break;
    seconds = send_without_receive(&of);
    if (seconds < LATE / 2) eager = of.bytes, found = seconds;
    else waits = of.bytes;
  }
  if (of.is_first) printf("eager-%s %d %.2f\n", place, eager, 1e6 * found), fflush(stdout);
}

static void measure_all(const char *kind, const char *place, char *data, int peer, int largest) {
  int rank = own_rank(), other;
  pair of = {data, 0, rank == 0, rank == 0 ? peer : 0};
  if (rank > 0 && rank != peer) {
    MPI_Recv(data, 0, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  if (strcmp(kind, "late") == 0) {
    measure_sizes(in_advance, of, "early-", place, largest);
    measure_sizes(late, of, "late-", place, largest);
  } else if (strcmp(kind, "blocking") == 0) {
    find_eager(of, place, largest);
  } else {
    measure_sizes(ping_pong, of, "", place, largest);
  }
  for (other = 1; rank == 0 && other < all_ranks(); other++)
    if (other != peer) MPI_Send(data, 0, MPI_CHAR, other, TAG, MPI_COMM_WORLD);
}

/* The first rank asks for messages and receives them; `peer` is the number of ranks that it asks at once. */
static void ask(const pair *of) {
  int ranks = all_ranks(), first, other;
  MPI_Request *receives = (MPI_Request *)malloc((size_t)ranks * sizeof *receives);
  if (receives == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (first = 1; first < ranks; first += of->peer) {
    int end = first + of->peer < ranks ? first + of->peer : ranks;
    for (other = first; other < end; other++)
      MPI_Irecv(of->data + (long)other * MOST, of->bytes, MPI_CHAR, other, TAG, MPI_COMM_WORLD, &receives[other]);
    for (other = first; other < end; other++) MPI_Send(of->data, 0, MPI_CHAR, other, SHORT_TAG, MPI_COMM_WORLD);
    for (other = first; other < end; other++) MPI_Wait(&receives[other], MPI_STATUS_IGNORE);
  }
  free(receives);
}

static void answer(const pair *of) {
  MPI_Recv(of->data, 0, MPI_CHAR, 0, SHORT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(of->data, of->bytes, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
}

static void measure_incast(char *data, int largest) {
  const int at_once[] = {all_ranks() - 1, 1};
  const char *names[] = {"together", "in-turn"};
  pair of = {data, 0, own_rank() == 0, 0};
  int way;
  size_t at;
  for (way = 0; way < 2; way++)
    for (at = 0; at < sizeof sizes / sizeof *sizes && sizes[at] <= largest; at++) {
      double us;
      of.bytes = sizes[at];
      of.peer = at_once[way];
      us = measure(of.is_first ? ask : answer, &of) / (all_ranks() - 1);
      if (of.is_first) printf("%s %d %.2f\n", names[way], of.bytes, us), fflush(stdout);
    }
}

/* All messages that fit, one after the other, so that the copies are not in the first cache. */
static void copy_all(const pair *of) {
  int at;
  for (at = 0; at + of->bytes <= MOST; at += of->bytes) memcpy(of->data + MOST + at, of->data + at, (size_t)of->bytes);
}

static void measure_copies(char *data, int largest) {
  pair of = {data, 0, own_rank() == 0, 0};
  size_t at;
  for (at = 0; of.is_first && at < sizeof sizes / sizeof *sizes && sizes[at] <= largest; at++) {
    of.bytes = sizes[at];
    printf("copy %d %.4f\n", of.bytes, measure(copy_all, &of) / (MOST / of.bytes)), fflush(stdout);
  }
}

/* Consecutive round trips of all pairs. */
static void measure_pairs(char *data, int largest, int batches) {
  int rank = own_rank(), ranks = all_ranks(), peer = (rank + ranks / 2) % ranks;
  pair of = {data, 0, rank < peer, peer};
  size_t at;
  for (at = 0; at < sizeof sizes / sizeof *sizes && sizes[at] <= largest; at++) {
    double shortest = 1e12;
    int batch, repeat;
    of.bytes = sizes[at];
    for (batch = 0; batch < batches; batch++) {
      double begin, own, all;
      MPI_Barrier(MPI_COMM_WORLD);
      begin = MPI_Wtime();
      for (repeat = 0; repeat < PAIRED_REPEATS; repeat++) ping_pong(&of);
      own = 1e6 * (MPI_Wtime() - begin) / PAIRED_REPEATS / 2;
      MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (all / ranks < shortest) shortest = all / ranks;
    }
    if (rank == 0) printf("pairs-network %d %.2f\n", of.bytes, shortest), fflush(stdout);
  }
}

static void open_connections(char *data) {
  int rank = own_rank(), ranks = all_ranks(), exchange, distance;
  for (exchange = 0; exchange < FIRST_EXCHANGES; exchange++)
    for (distance = 1; distance < ranks; distance++)
      MPI_Sendrecv(data, 1, MPI_CHAR, (rank + distance) % ranks, TAG, data + 1, 1, MPI_CHAR,
                   (rank - distance + ranks) % ranks, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int ranks, on_host = argc > 1 ? atoi(argv[1]) : 1, largest = argc > 2 ? atoi(argv[2]) : MOST;
  const char *kind = argc > 3 ? argv[3] : "costs";
  char *data;
  MPI_Init(&argc, &argv);
  ranks = all_ranks();
  /* A second buffer, or one for each rank. */
  data = (char *)calloc((size_t)ranks, MOST);
  if (data == NULL || ranks < 2 || on_host < 1 || largest > MOST) MPI_Abort(MPI_COMM_WORLD, 1);
  open_connections(data);
  /* Pairs are of ranks of the same number on hosts of two halves. */
  if (strcmp(kind, "pairs") == 0 && ranks % (2 * on_host) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  if (strcmp(kind, "incast") == 0) {
    measure_incast(data, largest);
  } else if (strcmp(kind, "copies") == 0) {
    measure_copies(data, largest);
  } else if (strcmp(kind, "pairs") == 0) {
    measure_pairs(data, largest, argc > 4 ? atoi(argv[4]) : PAIRED_BATCHES);
  } else {
    if (ranks > on_host) measure_all(kind, "network", data, ranks - on_host, largest);
    if (on_host > 1) measure_all(kind, "node", data, on_host > 2 ? 2 : 1, largest);
  }
  free(data);
  MPI_Finalize();
  return 0;
}
