/*
 * Replaces the panel broadcast of HPCC's HPL by hcube's.
 *
 * HPL creates a panel (HPL_pdpanel_init), factors it in its process column, sends it along its
 * process row (HPL_binit, HPL_bcast, HPL_bwait), uses it in the updates and frees it
 * (HPL_pdpanel_free). Each of these five functions is the only one in its member of libhpl.a, so
 * the definitions below replace them. They run HPCC's own functions if hcube does not serve.
 *
 * The root of a panel gets memory that its row shares, and HPL factors and copies the panel there;
 * the other ranks use it there. HPL reads what it has received (L2, L1, DPIV, DINFO) and writes
 * only to A, U, WORK and IWORK afterwards, which stay its own.
 *
 * HPL calls HPL_bcast between parts of its update to forward messages, and computes narrow parts as
 * long as the broadcast is not finished. On one node nothing is forwarded, so HPL_bcast sets its
 * flag to HPL_SUCCESS, the update is one product, and HPL_bwait waits for the panel. If a row has
 * several nodes, HPL's broadcast (BCAST) selects the topology between them; only the root and the
 * rank that receives the panel for its node return that the broadcast continues, until they have
 * forwarded it.
 */
#include <stdint.h>

#include <hpcc.h>

#include "hcube_glue.h"

#ifdef HPL_CALL_VSIPL
#error hcube does not serve HPL on VSIPL, whose panels are blocks of VSIPL: use a BLAS
#endif

/* HPCC's own functions, under the names of hcube.mk. */
void hcube_stock_HPL_pdpanel_init(HPL_T_grid *, HPL_T_palg *, const int, const int, const int,
                                  HPL_T_pmat *, const int, const int, const int, HPL_T_panel *);
int hcube_stock_HPL_pdpanel_free(HPL_T_panel *);
int hcube_stock_HPL_binit(HPL_T_panel *);
int hcube_stock_HPL_bcast(HPL_T_panel *, int *);
int hcube_stock_HPL_bwait(HPL_T_panel *);

/* What HPL's own broadcast keeps in a panel is unused where hcube serves: buffers[0] points here in
 * the panels that hcube broadcasts, and counts hold the panel's number. */
static char mark;

static void check(int32_t code, const hcube_error *error)
{
  if (code != HCUBE_SUCCESS) hcube_hpcc_fail("HPL's broadcast of panels", code, error);
}

static int is_served(const HPL_T_panel *panel)
{
  return (const void *)panel->buffers[0] == (const void *)&mark;
}

static int is_root(const HPL_T_panel *panel)
{
  return panel->grid->mycol == panel->pcol;
}

static void set_number(HPL_T_panel *panel, uint64_t number)
{
  panel->buffers[0] = (void *)&mark;
  panel->counts[0] = (int)(uint32_t)(number >> 32);
  panel->counts[1] = (int)(uint32_t)number;
}

static uint64_t number_of(const HPL_T_panel *panel)
{
  return (uint64_t)(uint32_t)panel->counts[0] << 32 | (uint32_t)panel->counts[1];
}

/* HPL's order of a panel: L2, L1, DPIV, DINFO. */
static void set_place(HPL_T_panel *panel, double *place)
{
  const size_t jb = (size_t)panel->jb;
  const size_t rest = jb * jb + jb + 1;
  const size_t rows = jb > 0 ? ((size_t)panel->len - rest) / jb : 0;

  panel->ldl2 = rows > 0 ? (int)rows : 1;
  panel->L2 = place;
  panel->L1 = panel->L2 + rows * jb;
  panel->DPIV = panel->L1 + jb * jb;
  panel->DINFO = panel->DPIV + jb;
}

static uint64_t bytes_of(const HPL_T_panel *panel)
{
  return (uint64_t)panel->len * sizeof(double);
}

/* How nodes pass a panel on: as HPL's broadcast does among ranks. */
static int32_t topology_of(const HPL_T_palg *algo)
{
  switch (algo->btopo) {
  case HPL_1RING: return HCUBE_PANELS_RING;
  case HPL_1RING_M: return HCUBE_PANELS_MODIFIED_RING;
  case HPL_2RING: return HCUBE_PANELS_TWO_RINGS;
  case HPL_2RING_M: return HCUBE_PANELS_MODIFIED_TWO_RINGS;
  case HPL_BLONG: return HCUBE_PANELS_LONG;
  case HPL_BLONG_M: return HCUBE_PANELS_MODIFIED_LONG;
  }
  return HCUBE_PANELS_AUTO;
}

static void announce(const HPL_T_panel *panel)
{
  static const char *const names[] = {
      "ring", "ring", "modified ring", "2 rings", "modified 2 rings", "long", "modified long"};
  const HPL_T_grid *grid = panel->grid;

  if (grid->iam != 0) return;
  hcube_hpcc_active(HCUBE_HPCC_HPL,
                    "panels are read in the memory of the node by %d x %d ranks, look-ahead %d; "
                    "between nodes: %s",
                    grid->nprow, grid->npcol, panel->algo->depth, names[topology_of(panel->algo)]);
}

static int *created(int *key)
{
  if (*key == MPI_KEYVAL_INVALID)
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, NULL);
  return key;
}

/* Whether HPCC's own broadcast runs in this row: an attribute of its communicator, which HPL frees
 * with the grid. */
static int *refusal(void)
{
  static int key = MPI_KEYVAL_INVALID;

  return created(&key);
}

/* For which broadcast and look-ahead of HPL a row was prepared: another attribute. */
static int *choice(void)
{
  static int key = MPI_KEYVAL_INVALID;

  return created(&key);
}

static void *choice_of(const HPL_T_palg *algo)
{
  return (void *)((intptr_t)algo->depth * 8 + topology_of(algo));
}

static int is_chosen(const HPL_T_panel *panel)
{
  void *value = NULL;
  int found = 0;

  MPI_Comm_get_attr(panel->grid->row_comm, *choice(), &value, &found);
  return found && value == choice_of(panel->algo);
}

static int is_refused(MPI_Comm row)
{
  void *value;
  int found = 0;

  MPI_Comm_get_attr(row, *refusal(), &value, &found);
  return found;
}

static void refuse(const HPL_T_panel *panel, const hcube_error *error)
{
  MPI_Comm_set_attr(panel->grid->row_comm, *refusal(), &mark);
  if (panel->grid->mycol == 0)
    hcube_hpcc_falls_back(HCUBE_HPCC_HPL, "process row %d: %s", panel->grid->myrow, error->message);
}

/* HPL holds the panels of its look-ahead, the current one, and one that it frees unused. Process
 * columns are roots in turn, but all panels after the last column of a matrix have the same root.
 */
static uint64_t slots_of(const HPL_T_panel *panel)
{
  const HPL_T_pmat *matrix = panel->pmat;
  const int depth = panel->algo->depth;
  const int take_turns = matrix->n / matrix->nb >= depth;
  hcube_error error = {0};
  uint64_t slots;

  check(hcube_panels_slots((uint64_t)depth + 2, take_turns ? (uint64_t)panel->grid->npcol : 1,
                           &slots, &error),
        &error);
  return slots;
}

/* Whether hcube broadcasts this panel. Collective over the row if its memory is too small or was
 * prepared for another broadcast, which is so on all ranks or on none: HPL's first panel of a
 * matrix is the largest, and HPL creates it when it has freed all others. A refusal concerns all
 * ranks of the row, too. */
static int prepare(const HPL_T_panel *panel)
{
  const MPI_Comm row = panel->grid->row_comm;
  hcube_panels_options options = {0};
  uint64_t bytes, prepared, slots;
  hcube_error error = {0};

  if (panel->grid->npcol == 1 || !hcube_hpcc_serves(HCUBE_HPCC_HPL) || is_refused(row)) return 0;
  slots = slots_of(panel);
  check(hcube_panels_prepared(row, &bytes, &prepared, &error), &error);
  if (bytes_of(panel) <= bytes && slots <= prepared && is_chosen(panel)) return 1;
  if (bytes < bytes_of(panel)) bytes = bytes_of(panel);
  if (prepared < slots) prepared = slots;
  options.struct_size = sizeof options;
  options.bytes = bytes;
  options.slots = prepared;
  /* HPL frees a panel before it creates the panel that many later; one additional panel is freed
   * unused. */
  options.in_use = (uint64_t)panel->algo->depth + 2;
  options.topology = topology_of(panel->algo);
  switch (hcube_panels_prepare_for(row, &options, &error)) {
  case HCUBE_SUCCESS:
    MPI_Comm_set_attr(row, *choice(), choice_of(panel->algo));
    announce(panel);
    return 1;
  case HCUBE_ERR_ARGUMENT:
  case HCUBE_ERR_MISMATCH:
  case HCUBE_ERR_MEMORY: refuse(panel, &error); return 0;
  default: check(error.code, &error); return 0;
  }
}

void HPL_pdpanel_init(HPL_T_grid *grid, HPL_T_palg *algo, const int m, const int n, const int jb,
                      HPL_T_pmat *a, const int ia, const int ja, const int tag, HPL_T_panel *panel)
{
  hcube_error error = {0};
  uint64_t number;
  void *place;

  hcube_stock_HPL_pdpanel_init(grid, algo, m, n, jb, a, ia, ja, tag, panel);
  panel->buffers[0] = NULL;
  if (!prepare(panel)) return;
  check(hcube_panels_begin(grid->row_comm, panel->pcol, bytes_of(panel), &number, &place, &error),
        &error);
  set_number(panel, number);
  if (place == NULL) return;
  set_place(panel, place);
  *panel->DINFO = 0.0;
}

int HPL_pdpanel_free(HPL_T_panel *panel)
{
  hcube_error error = {0};
  /* Reads DINFO. */
  int code = hcube_stock_HPL_pdpanel_free(panel);

  if (is_served(panel))
    check(hcube_panels_release(panel->grid->row_comm, number_of(panel), &error), &error);
  return code;
}

int HPL_binit(HPL_T_panel *panel)
{
  if (!is_served(panel)) return hcube_stock_HPL_binit(panel);
  HPL_copyL(panel); /* on the root only */
  return HPL_SUCCESS;
}

/* Root and receivers of other nodes are called again until they have forwarded the panel; all other
 * ranks update in one product. */
int HPL_bcast(HPL_T_panel *panel, int *flag)
{
  hcube_error error = {0};
  int32_t done;

  if (panel == NULL || !is_served(panel)) return hcube_stock_HPL_bcast(panel, flag);
  if (is_root(panel))
    check(hcube_panels_post(panel->grid->row_comm, number_of(panel), &error), &error);
  check(hcube_panels_progress(panel->grid->row_comm, number_of(panel), &done, &error), &error);
  *flag = done ? HPL_SUCCESS : HPL_KEEP_TESTING;
  return *flag;
}

int HPL_bwait(HPL_T_panel *panel)
{
  hcube_error error = {0};
  const void *place;

  if (!is_served(panel)) return hcube_stock_HPL_bwait(panel);
  if (!is_root(panel)) {
    check(hcube_panels_wait(panel->grid->row_comm, number_of(panel), &place, &error), &error);
    set_place(panel, (double *)(uintptr_t)place); /* HPL only reads what it has received */
  }
  return HPL_SUCCESS;
}
