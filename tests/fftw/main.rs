//! FFTW with hcube's transposes: for Open MPI the machine's own, unmodified FFTW with the library
//! preloaded, for MPICH an FFTW with the solver built in.
//!
//! The plan tells who executes it (`fftw_sprint_plan`): otherwise a test might measure FFTW's own transposes.

use hcube_testing as common;
use hcube_testing::fftw as clients;

mod installed;
mod life;
mod refusals;
mod transforms;
mod transposes;
mod upstream;
mod wisdom;
