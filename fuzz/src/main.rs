//! Fuzz targets: one for each parser and argument checker, all in one program, of which
//! `HCUBE_FUZZ_TARGET` names one. A target panics where something is wrong; the address sanitizer, with
//! which this is built, sees the rest. scripts/check-deep.sh builds it, and runs each for a while.

#![no_main]

mod arguments;
mod datatype;
mod options;
mod singleton;
mod tool;

use datatype::random;
use std::sync::OnceLock;

/// What a target does with the bytes that it is given.
type Target = fn(&[u8]);

/// All targets by name. First inputs of some are in a folder of that name, inputs/.
const TARGETS: [(&str, Target); 16] = [
    ("options", options::variables),
    ("lists", options::lists),
    ("command-line", tool::command_line),
    ("machine", tool::machine_description),
    ("report-run", tool::report_run),
    ("report-gups", tool::report_gups),
    ("report-alltoall", tool::report_alltoall),
    ("report-fftw", tool::report_fftw),
    ("report-simulate", tool::report_simulate),
    ("report-calibration", tool::report_calibration),
    ("hpcc-output", tool::hpcc_output),
    ("option-structures", arguments::option_structures),
    ("random-access", arguments::random_access),
    ("alltoall", arguments::alltoall),
    ("transpose", arguments::transpose),
    ("datatype", datatype::datatype),
];

/// The target that this process is about.
static CHOSEN: OnceLock<Target> = OnceLock::new();

fn choose() {
    let name = std::env::var("HCUBE_FUZZ_TARGET").unwrap_or_default();
    if name == "list" {
        TARGETS.iter().for_each(|(name, _)| println!("{name}"));
        std::process::exit(0);
    }
    let Some((_, target)) = TARGETS.iter().find(|(known, _)| *known == name) else {
        let names = TARGETS.map(|(name, _)| name).join(", ");
        eprintln!("HCUBE_FUZZ_TARGET = '{name}': expected list or one of {names}");
        std::process::exit(2);
    };
    CHOSEN.get_or_init(|| *target);
}

libfuzzer_sys::fuzz_target!(init: choose(), |data: &[u8]| {
    if let Some(target) = CHOSEN.get() {
        target(data);
    }
});
