//! `hcube bench stream`: the kernels of STREAM, by hcube and by loops that a C compiler translates.

mod arguments;
mod measure;
mod plain;
mod system;

pub use arguments::Arguments;

use crate::bench::frame;
use crate::session;
use hcube_results::stream::Results;
use measure::StreamBench;
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    arguments.drawn.run::<Results>(&arguments.common.json, || {
        session::run(|session| {
            let check = || arguments.drawn.check();
            frame::start(session, &arguments.common, check, || StreamBench::new(session, arguments))
        })
    })
}
