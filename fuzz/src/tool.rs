//! What the command-line tool reads: options, and files. Files go through whole subcommands, so that what
//! is made of them has a turn, too.

#[path = "../../src/bin/hcube"]
mod sources {
    #![allow(dead_code, reason = "parts of the tool alone are reached from here")]

    pub mod alltoall;
    pub mod doctor;
    pub mod fftw;
    pub mod gups;
    pub mod hpcc;
    pub mod launched;
    pub mod machine;
    pub mod memory;
    pub mod model;
    pub mod numbers;
    pub mod output;
    pub mod progress;
    pub mod published;
    pub mod report;
    pub mod session;
    pub mod simulate;
    pub mod table;
}

pub use sources::*;

use clap::Parser;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The subcommands of the tool, but for the one that writes its manual.
#[derive(Debug, Parser)]
enum CommandLine {
    Gups(gups::Arguments),
    Alltoall(alltoall::Arguments),
    Doctor(doctor::Arguments),
    Hpcc(hpcc::Arguments),
    Fftw(fftw::Arguments),
    Model(model::Arguments),
    Simulate(simulate::Arguments),
    Report(report::Arguments),
}

/// A command line, of which the arguments stand on lines.
pub fn command_line(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Err(error) = CommandLine::try_parse_from(["hcube"].into_iter().chain(text.split('\n'))) {
        assert!(!error.to_string().is_empty());
    }
}

/// A folder of this process in memory.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let parent = std::env::var_os("HCUBE_FUZZ_FOLDER").unwrap_or_else(|| "/dev/shm".into());
        let folder = PathBuf::from(parent).join(format!("hcube-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder of our own");
        folder
    })
}

/// Writes the bytes to a file and runs the tool with it.
fn with_file(data: &[u8], arguments: &[&str], run: impl FnOnce(&CommandLine)) {
    let path = folder().join("input.json");
    std::fs::write(&path, data).expect("room");
    let path = path.to_str().expect("UTF-8");
    let line = ["hcube"].into_iter().chain(arguments.iter().copied()).chain([path]);
    run(&CommandLine::try_parse_from(line).expect("a sound command line"));
}

/// The description of a machine, and predictions for it.
pub fn machine_description(data: &[u8]) {
    let arguments = ["model", "--ranks", "1 2 3 64 1000", "--bytes", "1M", "--machine"];
    with_file(data, &arguments, |line| {
        if let CommandLine::Model(arguments) = line {
            model::run(arguments);
        }
    });
}

/// A file of results, and the page that is made of it.
fn report_of(data: &[u8], option: &str) {
    let page = folder().join("page.html");
    let arguments = ["report", "--output", page.to_str().expect("UTF-8"), option];
    with_file(data, &arguments, |line| {
        if let CommandLine::Report(arguments) = line {
            report::run(arguments);
        }
    });
}

/// Results of `hcube hpcc`.
pub fn report_run(data: &[u8]) {
    report_of(data, "--run");
}

/// Results of `hcube gups`.
pub fn report_gups(data: &[u8]) {
    report_of(data, "--bench-gups");
}

/// Results of simulations.
pub fn report_simulate(data: &[u8]) {
    report_of(data, "--simulate");
}

/// A machine that was measured.
pub fn report_calibration(data: &[u8]) {
    report_of(data, "--calibration");
}

/// Results of `hcube alltoall`, in the report and in the subcommand's own table and plot.
pub fn report_alltoall(data: &[u8]) {
    report_of(data, "--bench-alltoall");
    let plot = folder().join("plot.svg");
    with_file(data, &["alltoall", "--plot", plot.to_str().expect("UTF-8"), "--from"], |line| {
        if let CommandLine::Alltoall(arguments) = line {
            alltoall::run(arguments);
        }
    });
}

/// Measurements of FFTW's transposes, likewise.
pub fn report_fftw(data: &[u8]) {
    report_of(data, "--bench-fftw");
    let plot = folder().join("plot.svg");
    with_file(data, &["fftw", "--plot", plot.to_str().expect("UTF-8"), "--from"], |line| {
        if let CommandLine::Fftw(arguments) = line {
            fftw::run(arguments);
        }
    });
}

/// What HPCC has written.
pub fn hpcc_output(data: &[u8]) {
    use hpcc::parse::{LCG, POLYNOMIAL, current_section, has_ended, section, success};
    let text = String::from_utf8_lossy(data);
    for name in [POLYNOMIAL, LCG] {
        if let Some(found) = section(&text, name) {
            assert!(found.gups.is_finite() && found.gups >= 0.0, "{found:?}");
            assert!(found.log2_table < 64, "{found:?}");
        }
    }
    if let Some(current) = current_section(&text) {
        assert!(!has_ended(&text, current));
    }
    success(&text);
}
