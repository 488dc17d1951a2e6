//! `hcube bench llcs`: the length of longest common subsequences, by hcube, its kernels, and a library of string metrics.

mod algorithms;
mod arguments;
mod measure;
mod model;
mod strings;
mod system;

pub use arguments::Arguments;

use crate::bench::frame;
use crate::session;
use hcube_results::llcs::Results;
use measure::Llcs;
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    arguments.drawn.run::<Results>(&arguments.common.json, || {
        session::run(|session| {
            let check = || arguments.drawn.check();
            frame::start(session, &arguments.common, check, || Llcs::new(session, arguments))
        })
    })
}
