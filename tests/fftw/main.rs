//! FFTW with hcube's transposes: for Open MPI the machine's own, unmodified FFTW with the library
//! preloaded, for MPICH an FFTW with the solver built in.
//!
//! Plans are asked who executes them (`fftw_sprint_plan`): a test of FFTW's own transposes would prove
//! nothing.

use hcube_testing as common;

mod clients;
mod installed;
mod life;
mod refusals;
mod transforms;
mod transposes;
mod upstream;
mod wisdom;
