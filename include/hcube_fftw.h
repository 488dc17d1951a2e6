/* hcube in FFTW: transposes of FFTW-MPI through hcube's exchange.
 *
 * With libhcube_fftw.so preloaded (LD_PRELOAD) nothing needs to be called: fftw_mpi_init brings hcube's
 * solver along. These functions are for programs that link it, shared or as the static archive, that
 * load FFTW in other ways, or that want to know. They are in libhcube_fftw.so and libhcube_fftw.a (double precision),
 * libhcube_fftwf (single) and libhcube_fftwl (long double). These libraries contain code that is under
 * the GNU General Public License, as FFTW is; see README.md beside the sources of the glue.
 */
#ifndef HCUBE_FFTW_H
#define HCUBE_FFTW_H

#ifdef __cplusplus
extern "C" {
#endif

/* Make hcube's transposes known to FFTW's planner, which is the one of the process for that precision.
 * To be called on all ranks, after fftw_mpi_init, and again after each fftw_mpi_cleanup and
 * fftw_mpi_init. Calling it once more does nothing. Not safe beside FFTW's planner in another thread.
 *
 * Return 0 where the planner has the solver now. Otherwise FFTW is as it was, and with HCUBE_VERBOSE=1
 * one line on the standard error stream says why: FFTW is of another version than 3.3.10 or was built
 * for another MPI library, fftw_mpi_init has not been called, or HCUBE_FFTW is `never`. */
int hcube_fftw_register(void);
int hcube_fftwf_register(void);
int hcube_fftwl_register(void);

#ifdef __cplusplus
}
#endif

#endif
