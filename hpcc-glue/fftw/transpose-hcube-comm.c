/* SPDX-License-Identifier: GPL-2.0-or-later (see transpose-hcube.h)
 *
 * The agreement of the ranks of hcube's transpose solver: the setting, and the communicator for transpositions.
 */
#include "transpose-hcube.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FFTW's planner is used by one thread at a time, and everything here is called
 * by the planner or when plans and problems are destroyed, so statics need no lock. */

static int mpi_is_usable(void)
{
    int started = 0, ended = 0;

    MPI_Initialized(&started);
    if (started) MPI_Finalized(&ended);
    return started && !ended;
}

/* Whether the launcher's environment names this process rank 0, if MPI is not active. */
static int is_launched_first(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL) return strcmp(getenv(names[i]), "0") == 0;
    return 1;
}

int HX(is_rank_0)(MPI_Comm comm)
{
    int rank = 0;

    if (comm == MPI_COMM_NULL || !mpi_is_usable()) return is_launched_first();
    MPI_Comm_rank(comm, &rank);
    return rank == 0;
}

/* A bit for each reason that this process has printed. */
static unsigned said;

hcube_fftw_figures HX(figures);

void HX(say)(hcube_fftw_reason reason, MPI_Comm comm, const char *format, ...)
{
    const char *verbose = getenv("HCUBE_VERBOSE");
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(HX(figures).reason, sizeof HX(figures).reason, format, arguments);
    va_end(arguments);
    if (verbose == NULL || verbose[0] == '\0' || strcmp(verbose, "0") == 0) return;
    if (said & 1u << reason || !HX(is_rank_0)(comm)) return;
    said |= 1u << reason;
    fprintf(stderr, "hcube: FFTW: %s; FFTW uses its own solvers\n", HX(figures).reason);
}

void HX(fail)(const hcube_fftw_channel *channel, const char *message)
{
    int rank = -1;

    MPI_Comm_rank(channel->comm, &rank);
    fprintf(stderr, "hcube: FFTW: rank %d: transposition failed: %s\n", rank, message);
    fflush(stderr);
    MPI_Abort(channel->comm, EXIT_FAILURE);
}

hcube_fftw_setting HX(read_setting)(void)
{
    static int complained;
    const char *value = getenv("HCUBE_FFTW");

    if (value == NULL || value[0] == '\0' || strcmp(value, "auto") == 0) return SETTING_AUTO;
    if (strcmp(value, "always") == 0) return SETTING_ALWAYS;
    if (strcmp(value, "never") != 0 && !complained) {
        complained = 1;
        said |= 1u << REASON_NEVER; /* the message below */
        if (HX(is_rank_0)(MPI_COMM_WORLD))
            fprintf(stderr,
                    "hcube: FFTW: HCUBE_FFTW is '%s', but only auto, always and never are accepted; "
                    "FFTW uses its own solvers\n",
                    value);
    }
    return SETTING_NEVER;
}

/* --- Communicators ---------------------------------------------------------- */

static hcube_fftw_channel *channels;
static int last_id;

/* FFTW makes and destroys many plans while it plans one problem. A channel that is
 * attached to the problem's communicator lives as long as the problem. It is not
 * copied to duplicates of the communicator, which FFTW's own plans hold: they do
 * not need hcube's memory. */
static int key = MPI_KEYVAL_INVALID;

void HX(release)(hcube_fftw_channel *channel)
{
    hcube_fftw_channel **link;

    if (channel == NULL || --channel->references > 0) return;
    for (link = &channels; channel->listed && *link != NULL; link = &(*link)->next) {
        if (*link == channel) {
            *link = channel->next;
            break;
        }
    }
    if (mpi_is_usable()) MPI_Comm_free(&channel->comm);
    free(channel);
}

static int release_attached(MPI_Comm comm, int keyval, void *channel, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    HX(release)(channel);
    return MPI_SUCCESS;
}

static hcube_fftw_channel *attached(MPI_Comm comm)
{
    hcube_fftw_channel *channel = NULL;
    int found = 0;

    if (key != MPI_KEYVAL_INVALID) MPI_Comm_get_attr(comm, key, &channel, &found);
    return found ? channel : NULL;
}

static void attach(MPI_Comm comm, hcube_fftw_channel *channel)
{
    if (key == MPI_KEYVAL_INVALID &&
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release_attached, &key, NULL) != MPI_SUCCESS)
        return;
    if (attached(comm) == NULL && MPI_Comm_set_attr(comm, key, channel) == MPI_SUCCESS) channel->references++;
}

/* This rank's channel over the same ranks in the same order. */
static hcube_fftw_channel *find(MPI_Comm comm)
{
    hcube_fftw_channel *channel = attached(comm);
    int relation = MPI_UNEQUAL;

    if (channel != NULL) return channel;
    for (channel = channels; channel != NULL; channel = channel->next) {
        MPI_Comm_compare(channel->comm, comm, &relation);
        if (relation == MPI_CONGRUENT || relation == MPI_IDENT) return channel;
    }
    return NULL;
}

/* Duplicates a communicator with errors returned; succeeds on all ranks or on none. */
static int duplicate(MPI_Comm comm, MPI_Comm *copy)
{
    MPI_Errhandler handler;
    int code;

    MPI_Comm_get_errhandler(comm, &handler);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    code = MPI_Comm_dup(comm, copy);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    if (!FM(any_true)(code != MPI_SUCCESS, comm)) return 1;
    /* Some ranks may have a duplicate and others not: freeing is local in MPI libraries. */
    if (code == MPI_SUCCESS) MPI_Comm_free(copy);
    return 0;
}

static hcube_fftw_channel *create(MPI_Comm comm, int id, int shared)
{
    hcube_fftw_channel *channel;
    hcube_error error = {0, ""};
    MPI_Comm copy;
    int32_t code;

    last_id = id;
    if (!duplicate(comm, &copy)) {
        HX(say)(REASON_DUPLICATE, comm, "the MPI library cannot duplicate the communicator");
        return NULL;
    }
    /* Set up hcube here and not in the first execution. The call is collective, so that
     * all ranks get the same code. */
    code = hcube_alltoall_set_options(copy, NULL, &error);
    channel = malloc(sizeof *channel);
    if (FM(any_true)(code != HCUBE_SUCCESS || channel == NULL, comm)) {
        if (error.message[0] == '\0') strcpy(error.message, "no memory");
        HX(say)(REASON_REFUSED, comm, "hcube cannot serve the communicator: %s", error.message);
        MPI_Comm_free(&copy);
        free(channel);
        return NULL;
    }
    channel->comm = copy;
    channel->id = id;
    channel->references = 1;
    channel->listed = shared;
    channel->next = channels;
    if (shared) channels = channel;
    return channel;
}

/* --- Agreement --------------------------------------------------------------- */

static hcube_fftw_reason refusal(void)
{
    hcube_alltoall_options options;

    if (hcube_alltoall_default_options(&options, sizeof options, NULL) != HCUBE_SUCCESS) return REASON_OPTIONS;
    return options.schedule == HCUBE_ALLTOALL_LIBRARY ? REASON_LIBRARY : REASON_NONE;
}

static void explain(hcube_fftw_reason reason, MPI_Comm comm)
{
    hcube_alltoall_options options;
    hcube_error error = {0, ""};

    switch (reason) {
    case REASON_SETTINGS: HX(say)(reason, comm, "HCUBE_FFTW is not the same on all ranks"); break;
    case REASON_LIBRARY: HX(say)(reason, comm, "HCUBE_ALLTOALL=library forwards exchanges to the MPI library"); break;
    default:
        hcube_alltoall_default_options(&options, sizeof options, &error);
        if (error.message[0] == '\0') strcpy(error.message, "another rank cannot parse a variable of hcube");
        HX(say)(REASON_OPTIONS, comm, "%s", error.message);
    }
}

hcube_fftw_channel *HX(acquire)(MPI_Comm comm, hcube_fftw_setting mine, hcube_fftw_setting minimum,
                                hcube_fftw_setting *agreed)
{
    enum { SETTING, SETTING_NEGATED, REASON, ID, ID_NEGATED, LAST_ID, VALUES };
    int own[VALUES], all[VALUES], level = MPI_THREAD_SINGLE, shared;
    hcube_fftw_channel *channel;

    *agreed = SETTING_NEVER;
    if (!mpi_is_usable()) return NULL;
    /* If several threads may execute plans at the same time, they must not share a
     * communicator: each plan has its own. */
    MPI_Query_thread(&level);
    shared = level < MPI_THREAD_MULTIPLE;
    channel = shared ? find(comm) : NULL;

    own[SETTING] = mine;
    own[SETTING_NEGATED] = -(int)mine;
    own[REASON] = mine == SETTING_NEVER ? REASON_NONE : refusal();
    own[ID] = channel != NULL ? channel->id : 0;
    own[ID_NEGATED] = -own[ID];
    own[LAST_ID] = last_id;
    MPI_Allreduce(own, all, VALUES, MPI_INT, MPI_MAX, comm);

    if (all[SETTING] != -all[SETTING_NEGATED]) {
        explain(REASON_SETTINGS, comm);
        return NULL;
    }
    if (all[REASON] != REASON_NONE) {
        explain(all[REASON], comm);
        return NULL;
    }
    *agreed = mine;
    if (mine == SETTING_NEVER || mine < minimum) return NULL;
    /* Ranks may hold different channels over these ranks if communicators were freed in
     * different orders; then they create a new one. */
    if (all[ID] > 0 && all[ID] == -all[ID_NEGATED]) channel->references++;
    else channel = create(comm, all[LAST_ID] + 1, shared);
    if (channel != NULL && shared) attach(comm, channel);
    return channel;
}
