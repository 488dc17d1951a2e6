//! Input of the command-line tool: options and files. Files are passed to complete subcommands, so that their
//! output is tested too.

use clap::Parser;
use hcube_lab::{collect, hpcc, report, simulate};
use hcube_tool::command_line::{self, Command};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The subcommands of hcube-lab, except the one that writes the manual.
#[derive(Debug, Parser)]
enum Lab {
    Hpcc(hpcc::Arguments),
    Simulate(simulate::Arguments),
    Report(report::Arguments),
    Collect(collect::Arguments),
}

/// A command line with one argument per line.
pub fn command_line(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let line = || ["hcube"].into_iter().chain(text.split('\n'));
    let errors = [command_line::CommandLine::try_parse_from(line()).err(), Lab::try_parse_from(line()).err()];
    assert!(errors.into_iter().flatten().all(|error| !error.to_string().is_empty()));
}

/// A folder of this process, in memory.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let parent = std::env::var_os("HCUBE_FUZZ_FOLDER").unwrap_or_else(|| "/dev/shm".into());
        let folder = PathBuf::from(parent).join(format!("hcube-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a writable folder");
        folder
    })
}

/// A file in the folder.
fn file(name: &str, data: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, data).expect("room");
    path
}

/// Writes the bytes to a file whose name ends the command line.
fn with_file<T: Parser>(data: &[u8], arguments: &[&str]) -> T {
    with_path(&file("input.json", data), arguments)
}

/// A command line that ends with a path.
fn with_path<T: Parser>(path: &Path, arguments: &[&str]) -> T {
    let path = path.to_str().expect("UTF-8");
    let line = ["hcube"].into_iter().chain(arguments.iter().copied()).chain([path]);
    T::try_parse_from(line).expect("a sound command line")
}

/// Runs the tool with a file; only commands that never start MPI.
fn run_tool(data: &[u8], arguments: &[&str]) {
    let line: command_line::CommandLine = with_file(data, arguments);
    assert!(matches!(line.command, Command::Model(_) | Command::Bench(_)));
    line.run();
}

/// The description of a machine, and predictions for it.
pub fn machine_description(data: &[u8]) {
    run_tool(data, &["model", "--ranks", "1 2 3 64 1000", "--bytes", "1M", "--machine"]);
}

/// A file of results, and the page of the report.
fn report_of(data: &[u8], option: &str) {
    let page = folder().join("page.html");
    let line = with_file(data, &["report", "--output", page.to_str().expect("UTF-8"), option]);
    if let Lab::Report(arguments) = line {
        report::run(&arguments);
    }
}

/// Results of `hcube-lab hpcc`.
pub fn report_run(data: &[u8]) {
    report_of(data, "--run");
}

/// Results of `hcube bench random-access`.
pub fn report_gups(data: &[u8]) {
    report_of(data, "--bench-gups");
}

/// Results of programs with the preload library.
pub fn report_programs(data: &[u8]) {
    report_of(data, "--bench-programs");
}

/// Results of simulations.
pub fn report_simulate(data: &[u8]) {
    report_of(data, "--simulate");
}

/// Measurements of a machine.
pub fn report_calibration(data: &[u8]) {
    report_of(data, "--calibration");
}

/// Results of `hcube bench alltoall`, in the report and in the subcommand's own table and plot.
pub fn report_alltoall(data: &[u8]) {
    report_of(data, "--bench-alltoall");
    let plot = folder().join("plot.svg");
    run_tool(data, &["bench", "alltoall", "--plot", plot.to_str().expect("UTF-8"), "--from"]);
}

/// Measurements of FFTW's transposes, likewise.
pub fn report_fftw(data: &[u8]) {
    report_of(data, "--bench-fftw");
    let plot = folder().join("plot.svg");
    run_tool(data, &["bench", "fftw", "--plot", plot.to_str().expect("UTF-8"), "--from"]);
}

/// Results of a benchmark of HPCC's kernels, in the report and in its own table and plot.
fn report_kernel(data: &[u8], option: &str, system: &str) {
    report_of(data, option);
    let plot = folder().join("plot.svg");
    run_tool(data, &["bench", system, "--plot", plot.to_str().expect("UTF-8"), "--from"]);
}

/// Results of `hcube bench fft`.
pub fn report_fft(data: &[u8]) {
    report_kernel(data, "--bench-fft", "fft");
}

/// Results of `hcube bench stream`.
pub fn report_stream(data: &[u8]) {
    report_kernel(data, "--bench-stream", "stream");
}

/// Results of `hcube bench panels`.
pub fn report_panels(data: &[u8]) {
    report_kernel(data, "--bench-panels", "panels");
}

/// Runs `hcube-lab collect` with a path.
fn collect_from(path: &Path, arguments: &[&str]) {
    if let Lab::Collect(arguments) = with_path(path, &[&["collect"], arguments, &["--json", "-"]].concat()) {
        collect::run(&arguments);
    }
}

/// Output of the benchmark of FFTW, in the form that simulations have as well.
pub fn collect_fftw(data: &[u8]) {
    collect_from(&file("input.records", data), &["fftw"]);
}

/// Output of FFTW's mpi-bench.
pub fn collect_mpi_bench(data: &[u8]) {
    // A plan of hcube names it.
    let plan = [b"(mpi-transpose-hcube\n", data].concat();
    file("hcube.plan", &plan);
    for name in ["pairwise.plan", "pairwise.times", "hcube.times"] {
        file(name, data);
    }
    collect_from(folder(), &["mpi-bench", "--problem", "r2c", "--ranks", "2"]);
}

/// Output of the benchmarks of the preload library.
pub fn collect_preload(data: &[u8]) {
    let plot = folder().join("plot.svg");
    let plot = plot.to_str().expect("UTF-8");
    let options = ["preload", "--mpi", "openmpi", "--cores", "2", "--plot", plot];
    collect_from(&file("input.records", data), &options);
}

/// Results of `hcube bench random-access`; sections of this name are summarised.
pub fn collect_random_access(data: &[u8]) {
    collect_from(&file("ranks-2.json", data), &["random-access", "--mpi", "openmpi"]);
}

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
