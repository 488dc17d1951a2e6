/* A BSPlib program of any dialect and language, for tests of the installed tree. Prints from process 0 how many
 * processes there are, the bytes of a size, and the first argument.
 */
#ifdef BY_MCBSP_H
#include <mcbsp.h>
#else
#include <bsp.h>
#endif
#include <stdio.h>
#include <stdlib.h>

static void check(int holds, const char *what) {
  if (!holds) {
    bsp_abort("process %d: %s\n", (int)bsp_pid(), what);
  }
}

int main(int argc, char **argv) {
  bsp_begin(bsp_nprocs());
  const int processes = (int)bsp_nprocs(), own = (int)bsp_pid();
  int from_left = -1, from_right = -1, messages = 0;
  bsp_push_reg(&from_left, sizeof from_left);
  bsp_sync();
  bsp_put((own + 1) % processes, &own, &from_left, 0, sizeof own);
  bsp_send(0, NULL, &own, sizeof own);
  bsp_sync();
  check(from_left == (own + processes - 1) % processes, "bsp_put");
  bsp_get((own + 1) % processes, &from_left, 0, &from_right, sizeof from_right);
  for (;; messages++) {
    bsp_size_t bytes = 0;
    bsp_get_tag(&bytes, NULL);
    if (bytes == (bsp_size_t)-1) {
      break;
    }
    int sender = -1;
    bsp_move(&sender, sizeof sender);
    check(sender >= 0 && sender < processes, "bsp_send");
  }
  check(messages == (own == 0 ? processes : 0), "messages");
  bsp_sync();
  check(from_right == own, "bsp_get");
  if (own == 0) {
    printf("ok %d processes, sizes of %d bytes, '%s'\n", processes, (int)sizeof(bsp_size_t), argc > 1 ? argv[1] : "");
  }
  bsp_end();
  return EXIT_SUCCESS;
}
