/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Declarations shared by the files of hcube's transpose solver. They include FFTW's internal
 * headers and become part of FFTW, so they are under FFTW's licence, the GNU
 * General Public License, version 2 or any later one, unlike the rest of hcube.
 */
#ifndef TRANSPOSE_HCUBE_H
#define TRANSPOSE_HCUBE_H

#include "mpi-transpose.h"

#include "hcube.h"

/* FFTW's functions by name: F(name) is fftw_<name>, FM(name) is fftw_mpi_<name>.
 *
 * In an FFTW tree and in the static archive they are called directly. A library that is preloaded comes into processes
 * without FFTW as well (shells, mpirun), so it must not depend on any symbol of FFTW: the functions are resolved when
 * FFTW is initialised. */
#ifdef HCUBE_FFTW_RUN_TIME

/* clang-format off */
#define HCUBE_FFTW_FUNCTIONS(f, fm)                                             \
    f(the_planner) f(solvtab_exec) f(mksolver) f(solver_register)               \
    f(mkplan_rdft) f(mkplan_f_d) f(mkproblem_rdft_0_d) f(mktensor_3d)           \
    f(plan_awake) f(plan_destroy_internal) f(ops_zero) f(ops_add2)              \
    fm(any_true) fm(mkplans_posttranspose) fm(transpose_solve)
/* clang-format on */

#define HCUBE_FFTW_MEMBER(name) __typeof__(X(name)) *name;
#define HCUBE_FFTW_MEMBER_MPI(name) __typeof__(XM(name)) *mpi_##name;

planner *X(the_planner)(void);

typedef struct hcube_fftw_functions {
    HCUBE_FFTW_FUNCTIONS(HCUBE_FFTW_MEMBER, HCUBE_FFTW_MEMBER_MPI)
} hcube_fftw_functions;

extern hcube_fftw_functions hcube_fftw;

#define F(name) (*hcube_fftw.name)
#define FM(name) (*hcube_fftw.mpi_##name)

#else

#define F(name) X(name)
#define FM(name) XM(name)

#endif

/* Three precisions may be linked statically into one program: every function
 * that is not static carries FFTW's prefix. */
#define HX(name) XM(CONCAT(hcube_, name))

/* --- transpose-hcube.c ---------------------------------------------------- */

/* Registers the solver. The name is the same in a patched FFTW and in a preloaded
 * library, so that both accept each other's wisdom. */
void XM(transpose_hcube_register)(planner *plnr);

/* Whether the planner has the solver, and not only guards (HCUBE_FFTW=never). */
int HX(registered)(const planner *plnr);

/* --- transpose-hcube-comm.c ------------------------------------------------ */

/* HCUBE_FFTW: `never` is the smallest, so that one rank with this setting is enough. */
typedef enum { SETTING_NEVER, SETTING_AUTO, SETTING_ALWAYS } hcube_fftw_setting;

hcube_fftw_setting HX(read_setting)(void);

/* Why hcube does not serve a transposition. Ranks agree on the largest. */
typedef enum {
    REASON_NONE,
    REASON_LIBRARY,
    REASON_OPTIONS,
    REASON_SETTINGS,
    REASON_DUPLICATE,
    REASON_REFUSED,
    REASON_VERSION,
    REASON_FUNCTIONS,
    REASON_MPI,
    REASON_NOT_STARTED,
    REASON_NEVER
} hcube_fftw_reason;

/* With HCUBE_VERBOSE=1, rank 0 of the communicator prints on standard error, once per
 * process and reason, why FFTW uses its own solvers. MPI_COMM_NULL: no call of MPI;
 * the process prints that is rank 0 according to the launcher's environment. */
void HX(say)(hcube_fftw_reason reason, MPI_Comm comm, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Whether this process is rank 0: of the communicator, or according to the launcher's
 * environment where MPI is not active. */
int HX(is_rank_0)(MPI_Comm comm);

/* What the line at the end of a process says (plugin.c). Trials of the planner do
 * not count. */
typedef struct {
    unsigned long plans, executions;
    char reason[1024]; /* of the last transposition or FFTW that hcube does not serve */
} hcube_fftw_figures;

extern hcube_fftw_figures HX(figures);

/* A private communicator for transpositions. hcube keeps memory on each, so
 * plans share one where possible. */
typedef struct hcube_fftw_channel {
    MPI_Comm comm;
    int id;         /* the same on all ranks, larger than 0 */
    int references; /* plans, and communicators of FFTW's problems that it is attached to */
    int listed;     /* later plans may find it */
    struct hcube_fftw_channel *next;
} hcube_fftw_channel;

/* Collective over comm: all ranks get a channel or none does.
 *
 * mine      this rank's setting
 * minimum   ranks get none if the agreed setting is smaller
 * agreed    receives the setting of all ranks, SETTING_NEVER if they differ */
hcube_fftw_channel *HX(acquire)(MPI_Comm comm, hcube_fftw_setting mine, hcube_fftw_setting minimum,
                                hcube_fftw_setting *agreed);

/* Collective over the ranks that acquired it. */
void HX(release)(hcube_fftw_channel *channel);

/* Ends the job: apply cannot return an error, and other ranks are waiting. */
void HX(fail)(const hcube_fftw_channel *channel, const char *message);

#endif
