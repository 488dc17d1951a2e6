/* Operations that write the same bytes: gets in the order of the calls; then puts in the order of the processes, and
 * puts of one process in the order of its calls. Prints `ok <processes>`. */
#include "bsp_client.h"

#define CELLS 64
/* Gets of this number of cells are direct copies if HCUBE_BSP_SINGLE_COPY permits it, and other gets are not. */
#define LONG 48

static int own, all, step;
static int cells[CELLS], private_cells[CELLS];

static int word(int process, int call, int place) {
  return ((step * 16 + process) * 64 + call) * CELLS + place;
}

static void put(int process, int call, int begin, int length) {
  int words[CELLS];
  for (int place = 0; place < length; place++) words[place] = word(own, call, begin + place);
  bsp_put((bsp_pid_t)process, words, cells, (bsp_size_t)begin * (bsp_size_t)sizeof(int),
          (bsp_size_t)length * (bsp_size_t)sizeof(int));
}

/* Everybody puts everywhere, and all ranges have cells in common; the order of the targets differs. */
static void overlapping_puts(void) {
  for (int call = 0; call < 5; call++)
    for (int turn = 0; turn < all; turn++) put((own * 3 + turn) % all, call, own + call, LONG - 3 * call);
  bsp_sync();
  for (int place = 0; place < CELLS; place++) {
    int expected = -1;
    for (int process = 0; process < all; process++)
      for (int call = 0; call < 5; call++)
        if (place >= process + call && place < process + call + LONG - 3 * call) expected = word(process, call, place);
    REQUIRE(cells[place] == expected);
  }
}

/* Gets from all processes, short and long, to the same memory. */
static void overlapping_gets(int *into) {
  int calls = 3 * all;
  for (int call = 0; call < calls; call++) {
    int begin = call % 7, length = call % 3 == 1 ? LONG : 9 + call % 5;
    bsp_get((bsp_pid_t)((own + 5 * call) % all), cells, (bsp_size_t)begin * (bsp_size_t)sizeof(int), into + begin,
            (bsp_size_t)length * (bsp_size_t)sizeof(int));
  }
  bsp_sync();
  for (int place = 0; place < CELLS; place++) {
    int expected = into == cells ? word(own, 0, place) : -1;
    for (int call = 0; call < calls; call++) {
      int begin = call % 7, length = call % 3 == 1 ? LONG : 9 + call % 5;
      if (place >= begin && place < begin + length) expected = word((own + 5 * call) % all, 0, place);
    }
    REQUIRE(into[place] == expected);
  }
}

int main(void) {
  bsp_begin(bsp_nprocs());
  own = (int)bsp_pid();
  all = (int)bsp_nprocs();
  bsp_push_reg(cells, (bsp_size_t)sizeof cells);
  bsp_sync();
  for (step = 0; step < 6; step++)
    for (int kind = 0; kind < 3; kind++) {
      for (int place = 0; place < CELLS; place++) {
        cells[place] = kind == 0 ? -1 : word(own, 0, place);
        private_cells[place] = -1;
      }
      bsp_sync();
      if (kind == 0) overlapping_puts();
      else overlapping_gets(kind == 1 ? private_cells : cells);
    }
  bsp_end();
  if (own == 0) printf("ok %d\n", all);
  return 0;
}
