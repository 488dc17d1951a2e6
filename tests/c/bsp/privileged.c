/* Process 0 prints whether the program has more permissions than its user. */
#include "../privileged.h"
#include "bsp_client.h"

int main(void) {
  int privileged = give_up_privileges();
  bsp_begin(bsp_nprocs());
  bsp_sync();
  if (bsp_pid() == 0) printf("privileged: %d\n", privileged);
  bsp_end();
  return 0;
}
