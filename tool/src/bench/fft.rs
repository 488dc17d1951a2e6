//! `hcube bench fft`: the Fourier transform of a distributed vector, by hcube and by FFTW.

mod arguments;
mod fftw;
mod measure;
mod system;
mod vector;

pub use arguments::Arguments;

use crate::bench::frame;
use crate::session;
use hcube_results::fft::Results;
use measure::Fft;
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    arguments.drawn.run::<Results>(&arguments.common.json, || {
        session::run(|session| {
            let check = || arguments.drawn.check();
            frame::start(session, &arguments.common, check, || Fft::new(session, arguments))
        })
    })
}
