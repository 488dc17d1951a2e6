/* mcbsp.h: bsp.h with the types of MulticoreBSP for C; with MCBSP_COMPATIBILITY_MODE defined, with the types of BSPlib
 * (1998). */
#ifndef HCUBE_MCBSP_H
#define HCUBE_MCBSP_H

#if defined(HCUBE_BSP_H) && !defined(BSP_MCBSP) && !defined(MCBSP_COMPATIBILITY_MODE)
#error "mcbsp.h after bsp.h: include only mcbsp.h, or define BSP_MCBSP before bsp.h"
#endif
#if !defined(BSP_MCBSP) && !defined(MCBSP_COMPATIBILITY_MODE)
#define BSP_MCBSP
#endif
#include "bsp.h"

#endif  /* HCUBE_MCBSP_H */
