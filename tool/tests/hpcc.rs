//! `hcube bench fft`, `stream` and `panels`, and what `hcube doctor` says of HPCC, as users start them.

use hcube_testing as common;

use common::{Launch, Mpi, TOOL, runs};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

fn file(name: &str) -> PathBuf {
    common::folder("tool").join(name)
}

fn bench(ranks: usize, system: &str, options: &[&str]) -> Launch {
    let launch = Launch::new(TOOL.as_str(), ranks).args(["bench", system, "--no-progress"]);
    launch.args(options.iter().copied())
}

/// The runs of which a field has this value.
fn of<'a>(runs: &'a [Value], field: &str, value: &str) -> Vec<&'a Value> {
    runs.iter().filter(|run| run[field].as_str() == Some(value)).collect()
}

/// What all runs have.
fn check(runs: &[Value], ranks: usize, repeat: usize) {
    for run in runs {
        assert_eq!(run["ranks"].as_u64(), Some(ranks as u64), "{run}");
        assert!(run["median_us"].as_f64().is_some_and(|median| median > 0.0), "{run}");
        assert_eq!(run["measured_us"].as_array().map(Vec::len), Some(repeat), "{run}");
        assert!(run["mpi"].as_str().is_some_and(|name| !name.is_empty()), "{run}");
    }
}

/// Whether this machine has FFTW's library for the selected MPI, as the C compiler and the loader find it.
fn has_fftw() -> bool {
    let file = common::output(Command::new("cc").arg("-print-file-name=libfftw3_mpi.so.3"));
    let file = PathBuf::from(file.trim());
    let name = match Mpi::selected() {
        Mpi::Open => "libmpi.so",
        Mpi::Mpich => "libmpich.so",
    };
    // The compiler repeats the name of what it does not find.
    file.is_absolute() && common::output(Command::new("ldd").arg(&file)).contains(name)
}

#[test]
fn transforms_are_measured_verified_and_compared() {
    let ranks = if Mpi::selected() == Mpi::Mpich { 2 } else { 3 };
    let path = file("fft.json");
    let options = ["--lengths", "36*2^7,3600", "--repeat", "2"];
    let output = bench(ranks, "fft", &options).arg(common::json_to(&path)).run().success();
    assert!(output.contains("verified: 0 errors") && output.contains("GFLOP/s"), "{output}");
    let runs = runs(&path);
    check(&runs, ranks, 2);
    let hcube = of(&runs, "algorithm", "six-step");
    let lengths: Vec<Option<u64>> = hcube.iter().map(|run| run["length"].as_u64()).collect();
    assert_eq!(lengths, [Some(36 << 7), Some(3600)], "{output}");
    let has_fftw = has_fftw();
    for algorithm in ["fftw-estimate", "fftw-measure"] {
        let measured = of(&runs, "algorithm", algorithm).len();
        assert_eq!(measured, if has_fftw { lengths.len() } else { 0 }, "{output}");
        // What is not measured is said.
        assert_eq!(output.contains(&format!("{algorithm} left out: ")), !has_fftw, "{output}");
    }
    for run in &runs {
        assert_eq!(run["errors"].as_u64(), Some(0), "{run}");
        assert!(run["error"].as_f64().is_some_and(|error| error < 16.0), "{run}");
        assert!(run["gflop_s"].as_f64().is_some_and(|rate| rate > 0.0), "{run}");
        let own = run["algorithm"].as_str() == Some("six-step");
        assert_eq!(run["stages"].is_null(), !own, "{run}");
        assert_eq!(run["over_fftw"].is_null(), !own || !has_fftw, "{run}");
    }
}

#[test]
fn transforms_on_several_nodes_exchange_messages() {
    let path = file("fft-nodes.json");
    let options =
        ["--ranks-per-node", "1", "--out-of-place", "--lengths", "2^10", "--algorithms", "six-step"];
    let output =
        bench(2, "fft", &options).args(["--repeat", "1"]).arg(common::json_to(&path)).run().success();
    assert!(output.contains("verified: 0 errors") && output.contains("2 (1/node)"), "{output}");
    let runs = runs(&path);
    assert!(runs.len() == 1 && runs[0]["ranks_per_node"].as_u64() == Some(1), "{runs:?}");
    assert_eq!(runs[0]["out_of_place"].as_bool(), Some(true));
}

#[test]
fn stream_has_four_kernels_by_all_ranks_and_by_one() {
    let path = file("stream.json");
    let options = ["--sizes", "8,64k", "--repeat", "2"];
    let output = bench(2, "stream", &options).arg(common::json_to(&path)).run().success();
    assert!(output.contains("verified: 0 errors") && output.contains("speed-up"), "{output}");
    let runs = runs(&path);
    check(&runs, 2, 2);
    // Two sizes by two ranks and by one; memcpy has only copy.
    assert_eq!(runs.len(), 2 * 2 * (4 * 4 + 1), "{output}");
    assert_eq!(of(&runs, "variant", "memcpy").len(), 4);
    for run in &runs {
        assert_eq!(run["errors"].as_u64(), Some(0), "{run}");
        assert!(run["gb_s"].as_f64().is_some_and(|rate| rate > 0.0), "{run}");
        assert!([Some(1), Some(2)].contains(&run["running"].as_u64()), "{run}");
        let variant = run["variant"].as_str();
        assert_eq!(run["over_plain"].is_null(), variant == Some("plain-c"), "{run}");
        assert_eq!(run["stores"].is_null(), variant != Some("hcube"), "{run}");
    }
}

#[test]
fn panels_are_broadcast_by_all_means() {
    let ranks = if Mpi::selected() == Mpi::Mpich { 2 } else { 3 };
    let path = file("panels.json");
    let options = ["--sizes", "8,4k,300k", "--work", "0,20", "--panels", "7", "--repeat", "2"];
    let output = bench(ranks, "panels", &options).arg(common::json_to(&path)).run().success();
    assert!(output.contains("verified: 0 errors") && output.contains("speed-up"), "{output}");
    let runs = runs(&path);
    check(&runs, ranks, 2);
    assert_eq!(runs.len(), 3 * 2 * 4, "{output}");
    for run in &runs {
        assert_eq!((run["errors"].as_u64(), run["panels"].as_u64()), (Some(0), Some(7)), "{run}");
        assert_eq!(run["hcube_speedup"].is_null(), run["variant"].as_str() == Some("hcube"), "{run}");
    }
}

#[test]
fn one_rank_is_a_program_too() {
    for (system, options) in [
        ("fft", &["--lengths", "1,2^8", "--algorithms", "six-step"][..]),
        ("stream", &["--sizes", "1k", "--kernels", "triad", "--variants", "hcube,plain-c"]),
        ("panels", &["--sizes", "1k", "--work", "0", "--panels", "3"]),
    ] {
        let output = bench(1, system, options).args(["--repeat", "1"]).run().success();
        assert!(output.contains("verified: 0 errors"), "{system}: {output}");
        let output = bench(1, system, options).args(["--repeat", "1", "--no-verify"]).run().success();
        assert!(output.contains("not verified"), "{system}: {output}");
    }
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (ranks, line, words) in [
        (1, "fft --lengths 14", &["--lengths = 14: expected 2^a 3^b 5^c"][..]),
        (2, "fft --lengths 2^10,6", &["--lengths = 6", "a multiple of 2 x 2 on 2 ranks"]),
        (1, "fft --lengths 2^40", &["--lengths = 2^40", "a vector that can fit"]),
        (1, "fft --lengths 2^9 --json=/proc/none/results", &["--json", "/proc/none"]),
        (1, "fft --algorithms radix", &["--algorithms", "radix"]),
        (1, "stream --sizes 1T", &["--sizes = 1 TiB", "six vectors that can fit"]),
        (1, "stream --sizes 12", &["--sizes", "12", "a multiple of 8"]),
        (1, "stream --plot /proc/none/plot.svg", &["--plot", "/proc/none"]),
        (1, "panels --sizes 2G", &["--sizes", "2G", "up to 1G"]),
        (1, "panels --panels 0", &["--panels", "0"]),
    ] {
        let options: Vec<&str> = line.split(' ').collect();
        let outcome = bench(ranks, options[0], &options[1..]).run();
        assert!(!outcome.status.success() && outcome.stdout.is_empty(), "{line}: {outcome:?}");
        assert!(words.iter().all(|word| outcome.stderr.contains(word)), "{line}: {}", outcome.stderr);
    }
    if Mpi::selected() != Mpi::Mpich {
        let outcome = bench(7, "fft", &[]).run();
        assert!(!outcome.status.success(), "{outcome:?}");
        assert!(outcome.stderr.contains("7 ranks: expected 2^a 3^b 5^c ranks"), "{}", outcome.stderr);
    }
    let none = bench(1, "fft", &["--lengths", "2^8", "--repeat", "1", "--fftw", "/nowhere/lib.so"]);
    let output = none.run().success();
    assert!(output.contains("fftw-estimate left out: /nowhere/lib.so"), "{output}");
    let wrong = bench(1, "fft", &["--lengths", "2^8", "--repeat", "1", "--fftw", "libc.so.6"]);
    let output = wrong.run().success();
    assert!(output.contains("left out: the function fftw_malloc was not found"), "{output}");
}

#[test]
fn the_doctor_knows_what_hpcc_needs() {
    let launch = Launch::new(TOOL.as_str(), 2).args(["doctor", "--json"]);
    let results: Value = serde_json::from_str(&launch.run().success()).expect("JSON");
    let findings = results["findings"].as_array().expect("a list");
    let of_hpcc = findings.iter().filter(|finding| finding["topic"].as_str() == Some("HPCC"));
    let texts: Vec<&str> = of_hpcc.filter_map(|finding| finding["text"].as_str()).collect();
    assert!(texts.len() == 4 && texts[0].contains("in shared memory"), "{texts:?}");
    assert!(texts[1].contains("vectors of 16 MiB") && texts[2].contains("panels of HPL"), "{texts:?}");
    assert!(texts[3].contains("shmem_enabled"), "{texts:?}");
    let launch = Launch::new(TOOL.as_str(), 2).args(["doctor", "--json"]).env("HCUBE_PATH", "message");
    let output = launch.run();
    assert!(output.stdout.contains("Fourier transforms by messages"), "{output:?}");
}
