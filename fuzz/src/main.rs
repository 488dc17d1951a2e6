//! Fuzz targets: one for each parser and argument checker, all in one program. `HCUBE_FUZZ_TARGET` selects
//! the target. A target panics on a wrong result; the program is built with the address sanitizer, which
//! detects invalid accesses. scripts/check-deep.sh builds it and runs each target for some seconds.

#![no_main]

mod arguments;
mod bsp;
mod caf;
mod datatype;
mod gemm;
mod grid_transpose;
mod kernels;
mod leaders;
mod options;
mod singleton;
mod tool;

use std::sync::OnceLock;

/// A target: it processes the given bytes.
type Target = fn(&[u8]);

/// All targets by name. inputs/<name> holds the first inputs of some.
const TARGETS: [(&str, Target); 33] = [
    ("options", options::variables),
    ("lists", options::lists),
    ("command-line", tool::command_line),
    ("machine", tool::machine_description),
    ("report-run", tool::report_run),
    ("report-gups", tool::report_gups),
    ("report-alltoall", tool::report_alltoall),
    ("report-programs", tool::report_programs),
    ("report-fftw", tool::report_fftw),
    ("report-fft", tool::report_fft),
    ("report-stream", tool::report_stream),
    ("report-panels", tool::report_panels),
    ("report-simulate", tool::report_simulate),
    ("report-calibration", tool::report_calibration),
    ("hpcc-output", tool::hpcc_output),
    ("collect-fftw", tool::collect_fftw),
    ("collect-mpi-bench", tool::collect_mpi_bench),
    ("collect-preload", tool::collect_preload),
    ("collect-random-access", tool::collect_random_access),
    ("option-structures", arguments::option_structures),
    ("random-access", arguments::random_access),
    ("alltoall", arguments::alltoall),
    ("leaders", leaders::leaders),
    ("transpose", arguments::transpose),
    ("grid-transpose", grid_transpose::grid_transpose),
    ("gemm", gemm::gemm),
    ("fft-lengths", kernels::fft_lengths),
    ("fft", kernels::fft),
    ("stream", kernels::stream),
    ("panel", kernels::panel),
    ("bsp", bsp::bsp),
    ("caf", caf::caf),
    ("datatype", datatype::datatype),
];

/// The target of this process.
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
