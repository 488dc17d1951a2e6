//! `hcube bench panels`: broadcasts of panels along a row of ranks, as LU factorisations with look-ahead make them.

mod arguments;
mod calls;
mod measure;
mod system;
mod work;

pub use arguments::Arguments;

use crate::bench::frame;
use crate::session;
use hcube_results::panels::Results;
use measure::PanelBench;
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    arguments.drawn.run::<Results>(&arguments.common.json, || {
        session::run(|session| {
            let check = || arguments.drawn.check();
            frame::start(session, &arguments.common, check, || PanelBench::new(session, arguments))
        })
    })
}
