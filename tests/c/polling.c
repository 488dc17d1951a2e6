/* Polls by epoll_wait and poll, which find nothing, and prints how often this process has yielded. */
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

static int yields;

/* In the place of the C library's function. */
int sched_yield(void) {
  yields++;
  return 0;
}

int main(void) {
  int turn, ends[2], watched = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  if (watched < 0 || pipe(ends) != 0 || epoll_ctl(watched, EPOLL_CTL_ADD, ends[0], &event) != 0) return 1;
  for (turn = 0; turn < 10; turn++) {
    struct pollfd entry = {ends[0], POLLIN, 0};
    /* Those that wait, or find something, do not count. */
    if (epoll_wait(watched, &event, 1, 0) != 0 || poll(&entry, 1, 0) != 0) return 2;
    if (epoll_wait(watched, &event, 1, 1) != 0 || poll(&entry, 1, 1) != 0) return 3;
  }
  if (write(ends[1], "x", 1) != 1 || epoll_wait(watched, &event, 1, 0) != 1) return 4;
  printf("%d of 20\n", yields);
  return 0;
}
