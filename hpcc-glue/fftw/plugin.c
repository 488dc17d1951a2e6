/* SPDX-License-Identifier: GPL-2.0-or-later (see transpose-hcube.h)
 *
 * Adds hcube's transpose solver to an FFTW that was not built with it.
 *
 * As a shared library (HCUBE_FFTW_RUN_TIME) it replaces the function by which
 * fftw_mpi_init fills the planner, and looks FFTW's functions up in the calling
 * library. The static archive contains only hcube_fftw_register.
 */
#define _GNU_SOURCE
#include "transpose-hcube.h"

#include "api/api.h"
#include "hcube_fftw.h"

#include <string.h>

#if defined(FFTW_SINGLE)
#define REGISTER hcube_fftwf_register
#elif defined(FFTW_LDOUBLE)
#define REGISTER hcube_fftwl_register
#else
#define REGISTER hcube_fftw_register
#endif

#define EXPECTED "fftw-3.3.10"

/* FFTW's internal headers belong to one version. */
static int is_expected(const char *version)
{
    size_t length = strlen(EXPECTED);

    if (strncmp(version, EXPECTED, length) == 0 && (version[length] == '\0' || version[length] == '-')) return 1;
    HX(say)(REASON_VERSION, MPI_COMM_NULL, "this is %s, and hcube supports only " EXPECTED, version);
    return 0;
}

/* Returns 0 if the planner has the solver now. */
static int add_to(planner *plnr)
{
    static const solvtab table = {SOLVTAB(XM(transpose_hcube_register)), SOLVTAB_END};

    if (plnr->slvdescs_for_problem_kind[PROBLEM_MPI_TRANSPOSE] < 0) {
        HX(say)(REASON_NOT_STARTED, MPI_COMM_NULL, "its planner has no transpositions before " STRINGIZE(XM(init)));
        return 1;
    }
    F(solvtab_exec)(table, plnr);
    if (HX(registered)(plnr)) return 0;
    HX(say)(REASON_NEVER, MPI_COMM_NULL, "HCUBE_FFTW switches hcube off");
    return 1;
}

#ifndef HCUBE_FFTW_RUN_TIME

int REGISTER(void)
{
    return is_expected(X(version)) ? add_to(X(the_planner)()) : 1;
}

#else

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

hcube_fftw_functions hcube_fftw;

/* The FFTW that was initialised last: not closed, so that it stays loaded for hcube_fftw_register. */
static void *found = RTLD_DEFAULT;

/* The loaded shared library that contains an address. */
static void *library_of(const void *address)
{
    Dl_info place;

    if (dladdr(address, &place) == 0 || place.dli_fname == NULL) return NULL;
    return dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/* Name and version from the text of MPI_Get_library_version: 'Open MPI v4.1.4,
 * package: ...', 'MPICH Version:<tab>4.0.2<newline>...'. */
static void describe(void *get_version, char *text)
{
    static const char label[] = " Version:\t";
    int (*call)(char *, int *);
    int length = 0;
    char *found_label;

    memcpy(&call, &get_version, sizeof call);
    call(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    found_label = strstr(text, label);
    if (found_label == NULL) return;
    *found_label = ' ';
    memmove(found_label + 1, found_label + sizeof label - 1, strlen(found_label + sizeof label - 1) + 1);
}

/* FFTW and hcube must use the same MPI library: a communicator of one is invalid in
 * another. */
static int same_mpi(void *fftw)
{
    enum { ROOM = 1 << 14 }; /* more than any library's MPI_MAX_LIBRARY_VERSION_STRING */
    static char text[2][ROOM];
    void *own = library_of((const void *)&hcube_fftw), *probes[2];

    if (own == NULL) return 1;
    probes[0] = dlsym(fftw, "PMPI_Get_library_version");
    probes[1] = dlsym(own, "PMPI_Get_library_version");
    dlclose(own);
    if (probes[0] == probes[1] || probes[0] == NULL || probes[1] == NULL) return 1;
    describe(probes[0], text[0]);
    describe(probes[1], text[1]);
    HX(say)(REASON_MPI, MPI_COMM_NULL, "it uses %s, and this hcube was built for %s", text[0], text[1]);
    return 0;
}

static int look_up(void *fftw, const char *name, void *function)
{
    void *address = dlsym(fftw, name);

    if (address == NULL) {
        HX(say)(REASON_FUNCTIONS, MPI_COMM_NULL, "this FFTW does not export %s", name);
        return 0;
    }
    memcpy(function, &address, sizeof address);
    return 1;
}

#define LOOK_UP(name) &&look_up(fftw, STRINGIZE(X(name)), &hcube_fftw.name)
#define LOOK_UP_MPI(name) &&look_up(fftw, STRINGIZE(XM(name)), &hcube_fftw.mpi_##name)

static int look_up_all(void *fftw)
{
    return 1 HCUBE_FFTW_FUNCTIONS(LOOK_UP, LOOK_UP_MPI);
}

static int is_usable(void *fftw)
{
    const char *version = NULL;

    return same_mpi(fftw) && look_up(fftw, STRINGIZE(X(version)), &version) && is_expected(version) &&
                                     look_up_all(fftw);
}

/* --- The line at the end -------------------------------------------------------- */

#if defined(FFTW_SINGLE)
#define TITLE "hcube: FFTW, single precision: "
#elif defined(FFTW_LDOUBLE)
#define TITLE "hcube: FFTW, long double precision: "
#else
#define TITLE "hcube: FFTW, double precision: "
#endif

/* The libraries of all precisions are preloaded together, and the loader gives them
 * one copy of these: how many have still to report, and whether one has. */
EXPORTED int hcube_fftw_libraries, hcube_fftw_has_reported;

/* Whether FFTW of this precision was initialised, whether the solver is registered, and
 * whether this process reports it. */
static int is_initialised, is_registered, reports;

static int bring(planner *plnr)
{
    int failed = plnr == NULL || add_to(plnr);

    is_initialised = 1;
    is_registered |= !failed;
    reports = HX(is_rank_0)(MPI_COMM_WORLD);
    return failed;
}

/* HCUBE_STATS asks for statistics; hcube-run --fftw sets it to `fftw`. */
static int is_wanted(void)
{
    const char *value = getenv("HCUBE_STATS");

    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static const char *plural(unsigned long count)
{
    return count == 1 ? "" : "s";
}

static void print_report(void)
{
    const hcube_fftw_figures *f = &HX(figures);

    if (!is_registered) fprintf(stderr, TITLE "solver not registered: %s\n", f->reason);
    else if (f->executions > 0)
        fprintf(stderr, TITLE "solver registered and used: %lu plan%s, %lu transposition%s on rank 0\n", f->plans,
                plural(f->plans), f->executions, plural(f->executions));
    else if (f->plans > 0)
        fprintf(stderr, TITLE "solver registered and chosen for %lu plan%s, of which none was executed\n", f->plans,
                plural(f->plans));
    else if (f->reason[0] != '\0') fprintf(stderr, TITLE "solver registered, but not used: %s\n", f->reason);
    else
        fprintf(stderr, TITLE
                "solver registered, but not used: the planner found FFTW's own solvers faster, or no plan "
                "distributes data over ranks; HCUBE_FFTW=always uses hcube wherever it can\n");
}

__attribute__((constructor)) static void begin(void)
{
    hcube_fftw_libraries++;
}

__attribute__((destructor)) static void end(void)
{
    int is_last = --hcube_fftw_libraries == 0, is_mpi_program = 0;

    if (!is_wanted()) return;
    hcube_fftw_has_reported |= is_initialised;
    if (is_initialised) {
        if (reports) print_report();
        return;
    }
    /* Programs that an MPI program starts have these libraries as well. */
    MPI_Initialized(&is_mpi_program);
    if (is_last && !hcube_fftw_has_reported && is_mpi_program && HX(is_rank_0)(MPI_COMM_NULL))
        fprintf(stderr,
                "hcube: FFTW: solver not registered: the program has not called fftw_mpi_init of a shared library "
                "of FFTW; a program that contains FFTW (linked statically) must call hcube_fftw_register\n");
}

EXPORTED int REGISTER(void)
{
    return bring(is_usable(found) ? F(the_planner)() : NULL);
}

/* FFTW calls this in fftw_mpi_init. */
EXPORTED void XM(conf_standard)(planner *plnr)
{
    static const char name[] = STRINGIZE(XM(conf_standard));
    void *caller = library_of(__builtin_return_address(0));
    void *address = caller != NULL ? dlsym(caller, name) : NULL;
    void (*original)(planner *);

    memcpy(&original, &address, sizeof original);
    if (address == NULL || original == XM(conf_standard)) {
        /* Another preloaded tool intercepts the function: take the next definition in the
         * loader's search order. */
        address = dlsym(RTLD_NEXT, name);
        memcpy(&original, &address, sizeof original);
    }
    if (address == NULL) {
        fprintf(stderr,
                "hcube: FFTW: %s is not defined in a shared library, so FFTW cannot be initialised. If FFTW is "
                "linked statically, link the archive libhcube_fftw instead of the shared library.\n",
                name);
        abort();
    }
    original(plnr);
    if (caller != NULL && caller == found) dlclose(caller);
    if (caller != NULL) found = caller;
    bring(is_usable(found) ? plnr : NULL);
}

#endif
