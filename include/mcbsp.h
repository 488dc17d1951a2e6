/* mcbsp.h: bsp.h with the types of MulticoreBSP for C. */
#ifndef HCUBE_MCBSP_H
#define HCUBE_MCBSP_H

#ifdef HCUBE_BSP_H
#error "mcbsp.h after bsp.h: include only mcbsp.h, or define BSP_MCBSP before bsp.h"
#endif
#ifndef BSP_MCBSP
#define BSP_MCBSP
#endif
#include "bsp.h"

#endif  /* HCUBE_MCBSP_H */
