//! `hcube bench gfortran`: Fortran programs with coarrays by hcube, by OpenCoarrays, and without coarrays by
//! MPI.
//!
//! The tool contains the programs of hpcc-glue/gfortran/bench. It compiles them once, links the same objects
//! to each library, and starts them alternately.

mod arguments;
mod compile;
mod job;
mod lines;
mod measure;

pub use arguments::Arguments;

use crate::session::{self, Verdict};
use crate::{interrupt::Interrupt, launched};
use hcube_results::gfortran::Run;
use std::process::ExitCode;

/// Measures, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    arguments.drawn.run::<Run>(&arguments.json, || {
        if launched::by_launcher() {
            let text = "bench gfortran starts its programs by itself: expected to be started without mpirun";
            return session::report_failure(text);
        }
        let verdict = Interrupt::install()
            .map_err(|error| error.to_string())
            .and_then(|interrupt| measure::run(arguments, &interrupt));
        verdict.map_or_else(|failure| session::report_failure(&failure), Verdict::into)
    })
}
