/* Transpose solver for FFTW-MPI.
 *
 * If libhcube_fftw.so is preloaded, no call is needed: fftw_mpi_init registers the solver. Programs that link the
 * library call one of these functions. They are in libhcube_fftw.so and libhcube_fftw.a (double precision),
 * libhcube_fftwf (single precision) and libhcube_fftwl (long double precision). These libraries contain code under the
 * GNU General Public License, version 2 or later: see README.md beside their sources.
 */
#ifndef HCUBE_FFTW_H
#define HCUBE_FFTW_H

#ifdef __cplusplus
extern "C" {
#endif

/* Registers the solver with FFTW's planner of the precision double (fftw), float (fftwf) or long double (fftwl). Call
 * it on all ranks after fftw_mpi_init, and again after each fftw_mpi_cleanup and fftw_mpi_init. A second call has no
 * effect. No other thread may use the planner during the call.
 *
 * Returns 0 on success. Otherwise the planner is unchanged, and with HCUBE_VERBOSE=1 a message on standard error states
 * the reason: FFTW is not version 3.3.10, does not export a function that the solver needs, or uses another MPI
 * library; fftw_mpi_init has not been called; or HCUBE_FFTW is never. */
int hcube_fftw_register(void);
int hcube_fftwf_register(void);
int hcube_fftwl_register(void);

#ifdef __cplusplus
}
#endif

#endif
