/* The common part of the programs of BSPlib's tests. Valid C11 and C++17, in any dialect:
 *
 *   BSP_MCBSP      that of MulticoreBSP for C
 *   STANDARD       that of 1998 by the names of LPF's header
 */
#ifndef BSP_CLIENT_H
#define BSP_CLIENT_H

#include <bsp.h>

#include "../fail.h"

#include <stdint.h>
#include <string.h>

#ifdef STANDARD
#ifdef __cplusplus
extern "C" {
#endif
void bsplibstd_init(void (*spmd_part)(void), int argc, char **argv);
int bsplibstd_spawn(unsigned int maxprocs);
void bsplibstd_abort(const char *format, ...);
void bsplibstd_end(void);
int bsplibstd_nprocs(void);
int bsplibstd_pid(void);
double bsplibstd_time(void);
void bsplibstd_sync(void);
void bsplibstd_push_reg(const void *ident, int size);
void bsplibstd_pop_reg(const void *ident);
void bsplibstd_put(int pid, const void *src, void *dst, int offset, int nbytes);
void bsplibstd_hpput(int pid, const void *src, void *dst, int offset, int nbytes);
void bsplibstd_get(int pid, const void *src, int offset, void *dst, int nbytes);
void bsplibstd_hpget(int pid, const void *src, int offset, void *dst, int nbytes);
void bsplibstd_set_tagsize(int *tag_nbytes);
void bsplibstd_send(int pid, const void *tag, const void *payload, int payload_nbytes);
void bsplibstd_hpsend(int pid, const void *tag, const void *payload, int payload_nbytes);
void bsplibstd_qsize(int *packets, int *accumulated_nbytes);
void bsplibstd_get_tag(int *status, void *tag);
void bsplibstd_move(void *payload, int reception_nbytes);
int bsplibstd_hpmove(void **tag_ptr, void **payload_ptr);
#ifdef __cplusplus
}
#endif
#define bsp_init bsplibstd_init
/* LPF's header replaces bsp_begin by it: 0 tells the caller to continue. */
#define bsp_begin(maxprocs) REQUIRE(bsplibstd_spawn(maxprocs) == 0)
#define bsp_abort bsplibstd_abort
#define bsp_end bsplibstd_end
#define bsp_nprocs bsplibstd_nprocs
#define bsp_pid bsplibstd_pid
#define bsp_time bsplibstd_time
#define bsp_sync bsplibstd_sync
#define bsp_push_reg bsplibstd_push_reg
#define bsp_pop_reg bsplibstd_pop_reg
#define bsp_put bsplibstd_put
#define bsp_hpput bsplibstd_hpput
#define bsp_get bsplibstd_get
#define bsp_hpget bsplibstd_hpget
#define bsp_set_tagsize bsplibstd_set_tagsize
#define bsp_send bsplibstd_send
#define bsp_hpsend bsplibstd_hpsend
#define bsp_qsize bsplibstd_qsize
#define bsp_get_tag bsplibstd_get_tag
#define bsp_move bsplibstd_move
#define bsp_hpmove bsplibstd_hpmove
#endif

#if defined(BSP_MCBSP)
#define DIALECT "mcbsp"
#elif defined(STANDARD)
#define DIALECT "standard"
#else
#define DIALECT "classic"
#endif

/* The value for "none". */
#define NONE ((bsp_size_t)-1)

/* This process, and the number of processes. */
static int own, all;

/* A process at this distance. */
static inline bsp_pid_t at(int distance) {
  return (bsp_pid_t)(((own + distance) % all + all) % all);
}

static inline void *room(size_t bytes) {
  return allocate(bytes + 1);
}

/* A value that says whose it is. */
static inline unsigned char byte_of(size_t index, size_t process, size_t salt) {
  return (unsigned char)(index * 7 + index / 251 + process * 31 + salt * 97 + 1);
}

static inline void fill(void *memory, size_t bytes, size_t process, size_t salt) {
  for (size_t index = 0; index < bytes; index++) ((unsigned char *)memory)[index] = byte_of(index, process, salt);
}

static inline int is_filled(const void *memory, size_t bytes, size_t process, size_t salt) {
  for (size_t index = 0; index < bytes; index++)
    if (((const unsigned char *)memory)[index] != byte_of(index, process, salt)) return 0;
  return 1;
}

/* Whether all bytes have this value. */
static inline int is_all(const void *memory, size_t bytes, int value) {
  for (size_t index = 0; index < bytes; index++)
    if (((const unsigned char *)memory)[index] != value) return 0;
  return 1;
}

#endif
