/* SPDX-License-Identifier: GPL-2.0-or-later (see transpose-hcube.h)
 *
 * Distributed transpositions of FFTW through hcube, as a solver of FFTW's planner.
 *
 * Two variants, which the planner compares with each other and with FFTW's own:
 *
 *   whole     hcube does everything in one pass: blocks are transposed while
 *             they are moved. Out of place any shape; in place square matrices in
 *             equal blocks, and other shapes if elements are large.
 *   exchange  in place: the local transpositions before and after are FFTW's
 *             plans, and between them hcube exchanges in bounded memory. Needs a
 *             symmetric exchange: what a rank sends to another has the size and
 *             the place of what it receives from it.
 *
 * FFTW's own exchange in place allocates one block of the matrix at every
 * execution and serves one partner after the other.
 */
#include "transpose-hcube.h"

#include <stdlib.h>
#include <string.h>

typedef enum { EXCHANGE, WHOLE, VARIANTS } variant;

typedef struct {
    solver super;
    variant variant;
} hcube_solver;

typedef problem_mpi_transpose transpose_problem;

/* FFTW distributes rows and columns in blocks; the last one may be smaller, and
 * the ranks after it have none. */
static INT part(INT length, INT block, int rank)
{
    INT rest = length - rank * block;

    return rest < 0 ? 0 : rest < block ? rest : block;
}

/* --- Which problems ----------------------------------------------------------- */

/* These functions use only data of the problem that all ranks know, so that all ranks get the same result. */

/* With rows and columns in the same proportion to their blocks, rank r has
 * c * R(r) rows and C(r) columns with the same c for all r, including the last and
 * idle ranks. Then what i sends to j has the size and the position of what i
 * receives from j. */
static int symmetric(const transpose_problem *p)
{
    return p->nx * p->tblock == p->ny * p->block;
}

/* Square, in equal blocks, with the same layout before and after: `whole` swaps what
 * `exchange` would swap, without the local transpositions. If the planner measured
 * both, noise might select the slower one. */
static int swaps(const transpose_problem *p)
{
    return p->nx == p->ny && p->block == p->tblock && !(p->flags & TRANSPOSED_IN) == !(p->flags & TRANSPOSED_OUT);
}

static int applicable(variant kind, const transpose_problem *p)
{
    if (!ONLY_TRANSPOSEDP(p->flags)) return 0;
    return kind == WHOLE || (p->I == p->O && symmetric(p) && !swaps(p));
}

static hcube_transpose_shape shape_of(const transpose_problem *p)
{
    hcube_transpose_shape shape;

    shape.rows = p->nx;
    shape.columns = p->ny;
    shape.element_bytes = (int64_t)(p->vn * (INT)sizeof(R));
    shape.row_block = p->block;
    shape.column_block = p->tblock;
    shape.transposed_in = (p->flags & TRANSPOSED_IN) != 0;
    shape.transposed_out = (p->flags & TRANSPOSED_OUT) != 0;
    return shape;
}

/* The same with hcube's data on the channel's ranks. Collective over them. */
static int servable(variant kind, const transpose_problem *p, const hcube_fftw_channel *channel)
{
    hcube_transpose_shape shape = shape_of(p);

    if (!applicable(kind, p)) return 0;
    if (kind == EXCHANGE || p->I != p->O) return 1;
    return hcube_transpose_check(&shape, 1, channel->comm, NULL) == HCUBE_SUCCESS;
}

/* --- The setting `always` ------------------------------------------------------- */

/* The planner goes through hcube's variants before FFTW's solvers. This is the
 * problem that one of them has just planned under `always`; FFTW's solvers skip it. */
static const problem *claimed;

static hcube_fftw_setting setting_for(const planner *plnr)
{
    return HX(registered)(plnr) ? HX(read_setting)() : SETTING_NEVER;
}

/* Wraps the mkplan of a solver of FFTW. */
typedef struct {
    solver_adt adt;
    const solver_adt *original;
    int first; /* the solver that the planner calls first */
} guard;

/* On ranks where hcube is switched off from the start: takes part in the agreement
 * that the other ranks begin for each variant. */
static void stand_in(const transpose_problem *p)
{
    hcube_fftw_setting agreed;
    int kind;

    for (kind = VARIANTS - 1; kind >= 0; kind--)
        if (applicable(kind, p)) HX(acquire)(p->comm, SETTING_NEVER, SETTING_AUTO, &agreed);
}

/* Wisdom names a solver of FFTW: whether hcube serves the problem nevertheless. */
static int overrules_wisdom(const transpose_problem *p, const planner *plnr)
{
    hcube_fftw_setting agreed;
    hcube_fftw_channel *channel;
    int serves;

    if (!applicable(WHOLE, p)) return 0;
    channel = HX(acquire)(p->comm, setting_for(plnr), SETTING_ALWAYS, &agreed);
    if (channel == NULL) return 0;
    serves = servable(EXCHANGE, p, channel) || servable(WHOLE, p, channel);
    HX(release)(channel);
    return serves;
}

static plan *guarded_mkplan(const solver *ego, const problem *p_, planner *plnr)
{
    const guard *g = (const guard *)ego->adt;
    const transpose_problem *p = (const transpose_problem *)p_;

    if (plnr->wisdom_state == WISDOM_ONLY) {
        if (overrules_wisdom(p, plnr)) return NULL;
    } else if (!HX(registered)(plnr)) {
        if (g->first) stand_in(p);
    } else if (claimed == p_) {
        return NULL;
    }
    return g->original->mkplan(ego, p_, plnr);
}

static void remove_guard(solver *ego)
{
    guard *g = (guard *)ego->adt;

    ego->adt = g->original;
    free(g);
    if (ego->adt->destroy) ego->adt->destroy(ego);
}

static int is_guarded(const solver *s)
{
    return s->adt->mkplan == guarded_mkplan;
}

static void guard_solver(solver *s, int first)
{
    guard *g = malloc(sizeof *g);

    if (g == NULL) return;
    g->adt.problem_kind = s->adt->problem_kind;
    g->adt.mkplan = guarded_mkplan;
    g->adt.destroy = remove_guard;
    g->original = s->adt;
    g->first = first;
    s->adt = &g->adt;
}

/* Counts a plan that the planner has chosen: trials have tables of zeros. */
static int chosen(enum wakefulness wakefulness)
{
    if (wakefulness == SLEEPY || wakefulness == AWAKE_ZERO) return 0;
    HX(figures).plans++;
    return 1;
}

/* --- Plans: exchange ------------------------------------------------------------ */

/* FFTW's local transpositions around the exchange: one before it, up to three
 * after it. Each may be missing. */
enum { BEFORE, AFTER, REST, LAST, CHILDREN };

typedef struct {
    plan_mpi_transpose super;
    hcube_fftw_channel *channel;
    plan *child[CHILDREN];
    INT rest; /* where REST begins */
    /* In elements of FFTW's real type. Equal blocks on all ranks need no lists. */
    MPI_Count block;
    MPI_Count *counts;
    MPI_Aint *displacements;
    int counted; /* its executions count */
} exchange_plan;

static void apply_child(const plan *child, R *data)
{
    if (child != NULL) ((const plan_rdft *)child)->apply(child, data, data);
}

static void apply_exchange(const plan *ego_, R *I, R *O)
{
    const exchange_plan *ego = (const exchange_plan *)ego_;
    int code;

    UNUSED(I);
    if (ego->counted) HX(figures).executions++;
    apply_child(ego->child[BEFORE], O);
    if (ego->counts == NULL)
        code = hcube_alltoall_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, O, ego->block, FFTW_MPI_TYPE, ego->channel->comm);
    else
        code = hcube_alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, O, ego->counts, ego->displacements,
                                 FFTW_MPI_TYPE, ego->channel->comm);
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING] = "";
        int length = 0;

        MPI_Error_string(code, text, &length);
        HX(fail)(ego->channel, text);
    }
    apply_child(ego->child[AFTER], O);
    apply_child(ego->child[REST], O + ego->rest);
    apply_child(ego->child[LAST], O);
}

/* Counts and displacements of this rank; false if out of memory. */
static int fill_blocks(exchange_plan *ego, const transpose_problem *p)
{
    int rank, size, other, full;
    INT rows, columns;

    MPI_Comm_rank(p->comm, &rank);
    MPI_Comm_size(p->comm, &size);
    full = size * p->block == p->nx; /* and, being symmetric, of the columns as well */
    rows = part(p->nx, p->block, rank);
    columns = part(p->ny, p->tblock, rank);
    ego->block = (MPI_Count)(rows * columns * p->vn);
    if (full) return 1;
    ego->counts = malloc((size_t)size * sizeof *ego->counts);
    ego->displacements = malloc((size_t)size * sizeof *ego->displacements);
    if (ego->counts == NULL || ego->displacements == NULL) return 0;
    for (other = 0; other < size; other++) {
        ego->counts[other] = (MPI_Count)(rows * part(p->ny, p->tblock, other) * p->vn);
        ego->displacements[other] = (MPI_Aint)(other * p->block * columns * p->vn);
    }
    return 1;
}

/* The children; false on all ranks if a child has no plan on any rank. */
static int plan_children(exchange_plan *ego, const transpose_problem *p, planner *plnr)
{
    INT rest_in = 0, rest_out = 0, rows, row = p->ny * p->vn;
    int rank, ok;

    MPI_Comm_rank(p->comm, &rank);
    if (!(p->flags & TRANSPOSED_IN)) {
        /* From rows of columns to columns of rows, so that the block for each rank
         * is contiguous. */
        rows = part(p->nx, p->block, rank);
        ego->child[BEFORE] =
            F(mkplan_f_d)(plnr,
                          F(mkproblem_rdft_0_d)(
                              F(mktensor_3d)(rows, row, p->vn, p->ny, p->vn, rows * p->vn, p->vn, 1, 1), p->I, p->O),
                          0, 0, NO_SLOW);
        if (FM(any_true)(ego->child[BEFORE] == NULL, p->comm)) return 0;
    }
    ok = FM(mkplans_posttranspose)(p, plnr, p->O, p->O, rank, &ego->child[AFTER], &ego->child[REST], &ego->child[LAST],
                                   &rest_in, &rest_out);
    ego->rest = rest_in; /* in place: equal to rest_out */
    return !FM(any_true)(!ok, p->comm);
}

static void destroy_exchange(plan *ego_)
{
    exchange_plan *ego = (exchange_plan *)ego_;
    int i;

    for (i = 0; i < CHILDREN; i++) F(plan_destroy_internal)(ego->child[i]);
    free(ego->counts);
    free(ego->displacements);
    HX(release)(ego->channel);
}

static void awake_exchange(plan *ego_, enum wakefulness wakefulness)
{
    exchange_plan *ego = (exchange_plan *)ego_;
    int i;

    ego->counted = chosen(wakefulness);
    for (i = 0; i < CHILDREN; i++) F(plan_awake)(ego->child[i], wakefulness);
}

static void print_exchange(const plan *ego_, printer *out)
{
    const exchange_plan *ego = (const exchange_plan *)ego_;

    out->print(out, "(mpi-transpose-hcube/exchange%(%p%)%(%p%)%(%p%)%(%p%))", ego->child[BEFORE], ego->child[AFTER],
               ego->child[REST], ego->child[LAST]);
}

static void solve(const plan *ego, const problem *p)
{
    FM(transpose_solve)(ego, p);
}

static plan *mkplan_exchange(const transpose_problem *p, planner *plnr, hcube_fftw_channel *channel)
{
    static const plan_adt adt = {solve, awake_exchange, print_exchange, destroy_exchange};
    exchange_plan *ego = (exchange_plan *)F(mkplan_rdft)(sizeof *ego, &adt, apply_exchange);
    int i;

    ego->channel = channel;
    for (i = 0; i < CHILDREN; i++) ego->child[i] = NULL;
    ego->counts = NULL;
    ego->displacements = NULL;
    ego->counted = 0;
    if (FM(any_true)(!fill_blocks(ego, p), p->comm) || !plan_children(ego, p, plnr)) {
        F(plan_destroy_internal)(&ego->super.super);
        return NULL;
    }
    /* As in FFTW's own solvers, the exchange counts no operations: the estimate
     * covers local work. */
    F(ops_zero)(&ego->super.super.ops);
    for (i = 0; i < CHILDREN; i++)
        if (ego->child[i] != NULL) F(ops_add2)(&ego->child[i]->ops, &ego->super.super.ops);
    return &ego->super.super;
}

/* --- Plans: whole ----------------------------------------------------------------- */

typedef struct {
    plan_mpi_transpose super;
    hcube_fftw_channel *channel;
    hcube_transpose_shape shape;
    int in_place;
    int idle;    /* no data before and afterwards */
    int counted; /* its executions count */
} whole_plan;

static void apply_whole(const plan *ego_, R *I, R *O)
{
    const whole_plan *ego = (const whole_plan *)ego_;
    hcube_error error;

    if (ego->counted) HX(figures).executions++;
    /* On a rank without data the addresses are meaningless. */
    if (ego->idle) I = O = NULL;
    if (hcube_transpose(ego->in_place ? MPI_IN_PLACE : I, O, &ego->shape, ego->channel->comm, &error) != HCUBE_SUCCESS)
        HX(fail)(ego->channel, error.message);
}

static void destroy_whole(plan *ego)
{
    HX(release)(((whole_plan *)ego)->channel);
}

static void awake_whole(plan *ego, enum wakefulness wakefulness)
{
    ((whole_plan *)ego)->counted = chosen(wakefulness);
}

static void print_whole(const plan *ego, printer *out)
{
    UNUSED(ego);
    out->print(out, "(mpi-transpose-hcube/whole)");
}

static plan *mkplan_whole(const transpose_problem *p, hcube_fftw_channel *channel)
{
    static const plan_adt adt = {solve, awake_whole, print_whole, destroy_whole};
    whole_plan *ego = (whole_plan *)F(mkplan_rdft)(sizeof *ego, &adt, apply_whole);
    double reals;
    int rank;

    ego->channel = channel;
    ego->shape = shape_of(p);
    ego->in_place = p->I == p->O;
    ego->counted = 0;
    /* For the estimate: FFTW counts a load and a store for each number of a local
     * transposition, and nothing for an exchange. Here each number is loaded and
     * stored once as well; subtracting one prefers this variant to an exchange with a
     * single local transposition, which is a second pass over the data. */
    MPI_Comm_rank(p->comm, &rank);
    reals = (double)part(p->nx, p->block, rank) * (double)(p->ny * p->vn) +
            (double)part(p->ny, p->tblock, rank) * (double)(p->nx * p->vn);
    ego->idle = reals == 0;
    F(ops_zero)(&ego->super.super.ops);
    ego->super.super.ops.other = reals > 1 ? reals - 1 : 0;
    return &ego->super.super;
}

/* --- The solver ------------------------------------------------------------------ */

static plan *mkplan(const solver *ego_, const problem *p_, planner *plnr)
{
    const hcube_solver *ego = (const hcube_solver *)ego_;
    const transpose_problem *p = (const transpose_problem *)p_;
    hcube_fftw_channel *channel;
    hcube_fftw_setting agreed;
    variant kind = ego->variant;
    plan *made;

    /* A search begins with this variant, at an address that an earlier problem
     * may have had. */
    if (kind == WHOLE) claimed = NULL;
    /* Wisdom does not distinguish transpositions whose flags differ. If the variant
     * that it names cannot make the plan, the other one does. */
    if (plnr->wisdom_state == WISDOM_ONLY && kind == EXCHANGE && !applicable(EXCHANGE, p)) kind = WHOLE;
    if (!applicable(kind, p)) return NULL;
    channel = HX(acquire)(p->comm, setting_for(plnr), SETTING_AUTO, &agreed);
    if (channel == NULL) return NULL;
    if (kind == WHOLE && plnr->wisdom_state == WISDOM_ONLY && !servable(WHOLE, p, channel)) kind = EXCHANGE;
    if (!servable(kind, p, channel)) {
        HX(release)(channel);
        return NULL;
    }
    made = kind == WHOLE ? mkplan_whole(p, channel) : mkplan_exchange(p, plnr, channel);
    if (made != NULL && agreed == SETTING_ALWAYS) claimed = p_;
    return made;
}

static const solver_adt hcube_adt = {PROBLEM_MPI_TRANSPOSE, mkplan, 0};

/* By name: the solver may be both built into FFTW and preloaded. */
static int is_ours(const slvdesc *description)
{
    return strcmp(description->reg_nam, STRINGIZE(XM(transpose_hcube_register))) == 0;
}

int HX(registered)(const planner *plnr)
{
    FORALL_SOLVERS_OF_KIND(PROBLEM_MPI_TRANSPOSE, plnr, s, description, {
        UNUSED(s);
        if (is_ours(description)) return 1;
    });
    return 0;
}

void XM(transpose_hcube_register)(planner *plnr)
{
    int kind, first = 1;

    FORALL_SOLVERS_OF_KIND(PROBLEM_MPI_TRANSPOSE, plnr, s, description, {
        if (is_ours(description)) return;
        if (!is_guarded(s)) guard_solver(s, first);
        first = 0;
    });
    /* If it is switched off, hcube does not change the planner's list of solvers and
     * therefore the signature of wisdom. */
    if (HX(read_setting)() == SETTING_NEVER) return;
    /* The planner tries the one that is registered last first. */
    for (kind = 0; kind < VARIANTS; kind++) {
        hcube_solver *ego = (hcube_solver *)F(mksolver)(sizeof *ego, &hcube_adt);

        ego->variant = kind;
        F(solver_register)(plnr, &ego->super);
    }
}
