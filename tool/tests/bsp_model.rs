//! `hcube bsp` as users start it: a probe, machine files, predictions, and programs that are compared with
//! them.

use hcube_testing as common;

use common::{Language, Launch, Mpi, TOOL, json};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn file(name: &str) -> PathBuf {
    common::folder("bsp-model").join(name)
}

/// Measurements of a machine that behaves as the model says: 1 ns per word, 1000 words for the start of a
/// superstep and 20 for a message.
fn samples(processes: usize, library: &str) -> String {
    let mut text = format!(
        "hcube-bsp-samples 1\nlibrary {library}\nprocesses {processes}\ncores 8\noperation matmul 0.5 0.5\n\
         operation llcs-standard 0.2 0.2\noperation llcs-bit-parallel 0.01\n\
         latency empty 2 2\nlatency shift 3 3\nlatency all-to-all 4 4\n"
    );
    for (pattern, partners) in [("random-permutation", 1), ("all-to-all", processes.max(2) - 1)] {
        for operation in ["get", "hp-get", "hp-put", "put", "send"] {
            for (words, count) in
                [1, 16, 256, 4096].into_iter().flat_map(|words| [1, 8, 64].map(|count| (words, count)))
            {
                let (total, messages) = (words * count * partners, count * partners);
                let seconds = 2e-6 + 1e-9 * (1000 + 20 * messages + total) as f64;
                text += &format!(
                    "gap {pattern} {operation} {words} {count} {seconds:e} {seconds:e} {seconds:e}\n"
                );
            }
        }
    }
    text + "end\n"
}

/// A command that needs no MPI.
fn alone(arguments: &[&str]) -> Output {
    Command::new(TOOL.as_str()).arg("bsp").args(arguments).output().expect("the tool starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn success(arguments: &[&str]) -> String {
    let output = alone(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The message with which a command is refused.
fn refused(arguments: &[&str]) -> String {
    let output = alone(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("a name")
}

/// A machine file with figures for these numbers of processes.
fn machine(name: &str, processes: &[usize]) -> PathBuf {
    let path = file(name);
    drop(fs::remove_file(&path));
    for &count in processes {
        let from = file(&format!("{name}-{count}.txt"));
        fs::write(&from, samples(count, "a machine")).expect("a file");
        success(&["probe", shown(&path), "--from", shown(&from)]);
    }
    path
}

fn ranks() -> &'static [usize] {
    if Mpi::selected() == Mpi::Mpich { &[1, 2] } else { &[1, 2, 3, 5] }
}

/// Each pattern and operation has a gap in the file, or a warning says that it has none.
fn every_gap_is_known_or_missed(machine: &Path, warnings: &str) {
    let gaps = json(machine)["bsp"]["processes"][0]["gaps"].clone();
    let gaps = gaps.as_array().expect("a list");
    let mut known = 0;
    for operation in ["get", "hp-get", "hp-put", "put", "send"] {
        for pattern in ["random-permutation", "all-to-all"] {
            let is_known = gaps.iter().any(|gap| gap["pattern"] == pattern && gap["operation"] == operation);
            let name = format!("{pattern} {operation}");
            let is_missed = warnings
                .lines()
                .filter_map(|line| line.split_once("no gap of ")?.1.split_once(':'))
                .any(|(names, _)| names.split(", ").any(|missed| missed == name));
            assert!(is_known != is_missed, "{name}: {warnings}, {gaps:?}");
            known += usize::from(is_known);
        }
    }
    assert_eq!(known, gaps.len(), "{gaps:?}");
}

/// A program on some ranks; its rows.
fn run(ranks: usize, program: &str, machine: &Path, options: &[&str]) -> Vec<Value> {
    let launch = Launch::new(TOOL.as_str(), ranks).args(["bsp", "run", program, "--no-progress", "--json=-"]);
    let launch = launch.args(["--repeat", "2", "--machine", shown(machine)]).args(options.iter().copied());
    let output = launch.run().success();
    let results: Value = serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"));
    results["rows"].as_array().expect("rows").clone()
}

#[test]
fn programs_are_verified_and_predicted() {
    let machine = machine("run.json", &[1, 2, 3, 5]);
    for &ranks in ranks() {
        for distribution in ["customized", "static"] {
            let options = ["--sizes", "1,33", "--blocks", "1", "--distribution", distribution];
            let rows = run(ranks, "matmul", &machine, &options);
            assert_eq!(rows.len(), 2);
            let options = ["--sizes", "33", "--blocks", "2,3,5", "--distribution", distribution];
            for row in run(ranks, "matmul", &machine, &options).iter().chain(&rows) {
                assert_eq!(
                    (row["errors"].as_u64(), row["processes"].as_u64()),
                    (Some(0), Some(ranks as u64)),
                    "{row}"
                );
                assert_eq!(row["measured"].as_array().map(Vec::len), Some(2), "{row}");
                let seconds = &row["seconds"];
                let [constant, messages] =
                    ["constant", "messages"].map(|name| seconds[name].as_f64().expect("predicted"));
                assert!(constant > 0.0 && messages > 0.0, "{row}");
            }
        }
        for kernel in ["standard", "bit-parallel"] {
            let options = ["--sizes", "1,1000", "--alpha", "1,3", "--kernel", kernel];
            let rows = run(ranks, "llcs", &machine, &options);
            assert_eq!(rows.len(), 4);
            assert!(rows.iter().all(|row| row["errors"].as_u64() == Some(0)), "{rows:?}");
        }
    }
}

#[test]
fn a_probe_adds_its_figures_to_the_file() {
    let (machine, samples, plot) = (machine("probe.json", &[7]), file("two.txt"), file("gaps.svg"));
    let launch = |options: &[&str]| {
        let launch = Launch::new(TOOL.as_str(), 2).args(["bsp", "probe", shown(&machine), "--no-progress"]);
        let launch = launch.args(["--repeat", "3", "--max-words", "10"]).args(options.iter().copied());
        launch.arg("--bsp").arg(common::build().join("libhcube_bsp.so")).run()
    };
    // Those of another library are not lost without a word.
    let refused = launch(&[]);
    assert!(!refused.status.success() && refused.stderr.contains("--replace"), "{}", refused.stderr);
    assert_eq!(json(&machine)["bsp"]["library"].as_str(), Some("a machine"));
    // Measurements of a machine that behaves as the model says tell all gaps.
    let whole = alone(&[
        "probe",
        shown(&file("whole.json")),
        "--replace",
        "--from",
        shown(&file("probe.json-7.txt")),
    ]);
    let table = text(&whole.stdout);
    assert!(table.contains("random-permutation") && table.contains("hp-get"), "{table}");
    every_gap_is_known_or_missed(&file("whole.json"), "");
    let outcome = launch(&["--replace", "--samples", shown(&samples), "--plot", shown(&plot)]);
    let warnings = outcome.stderr.clone();
    let output = outcome.success();
    every_gap_is_known_or_missed(&machine, &warnings);
    for words in ["on 2 processes", "cyclic shift", "least squares", "exceeds its minimum"] {
        assert!(output.contains(words), "{words} expected: {output}");
    }
    let measured = fs::read_to_string(&samples).expect("a file");
    assert!(measured.contains("gap random-permutation hp-get 1 1 "), "{measured}");
    let bsp = &json(&machine)["bsp"];
    let processes = bsp["processes"].as_array().expect("a list");
    assert_eq!((processes.len(), processes[0]["processes"].as_u64()), (1, Some(2)));
    assert!(bsp["library"].as_str().is_some_and(|library| library.starts_with("hcube ")), "{bsp}");
    assert!(fs::read_to_string(&plot).expect("a picture").contains("bsp_hpput"));
    // What was measured gives the same file again.
    let again = file("again.json");
    drop(fs::remove_file(&again));
    success(&["probe", shown(&again), "--from", shown(&samples)]);
    assert_eq!(json(&again)["bsp"]["processes"].as_array().map(Vec::len), Some(1));
    // Another library, here the same one from another file, is compared in a picture.
    let other = file("other.txt");
    fs::write(&other, self::samples(2, "another")).expect("a file");
    let both = format!("{},{}", shown(&samples), shown(&other));
    success(&["probe", "--from", &both, "--plot", shown(&plot)]);
    assert!(fs::read_to_string(&plot).expect("a picture").contains("64 messages in a superstep"));
    assert!(self::refused(&["probe", "--from", &both]).contains("expected --plot"));
}

/// It says how long it takes; what is interrupted before anything is known writes nothing.
#[test]
fn a_probe_that_is_interrupted_ends_at_once_and_says_so() {
    let machine = file("interrupted.json");
    drop(fs::remove_file(&machine));
    let name = shown(&machine).to_owned();
    let stop = move || {
        let script = "kill -INT $(grep -lz -- \"$1\" /proc/[0-9]*/cmdline 2>/dev/null | \
                      while read -r file; do process=${file#/proc/}; process=${process%/cmdline}; \
                      [ \"$(readlink /proc/$process/exe)\" != \"$2\" ] || echo $process; done)";
        let tool = fs::canonicalize(TOOL.as_str()).expect("the tool");
        let status = Command::new("bash").args(["-c", script, "kill", &name]).arg(tool).status();
        assert!(status.is_ok_and(|status| status.success()), "no signal was sent");
    };
    let launch = Launch::new(TOOL.as_str(), 2).args(["bsp", "probe", shown(&machine), "--no-progress"]);
    let launch = launch.args(["--seconds", "600"]).arg("--bsp").arg(common::build().join("libhcube_bsp.so"));
    let outcome = launch.interrupt("the measurements take about 600 s (--seconds)", stop).run();
    assert!(!outcome.status.success() && outcome.left.is_empty(), "{outcome:?}");
    assert!(outcome.stderr.contains("interrupted before the first exchange was measured"), "{outcome:?}");
    assert!(!machine.exists());
}

#[test]
fn the_probe_in_c_measures_any_library() {
    let (source, program) = (file("bspprobe.c"), file("bspprobe"));
    let said = success(&["probe", "--source", shown(&source)]);
    assert!(said.contains("bspprobe.c"), "{said}");
    let library = common::build();
    let mut compiler = Language::C11.compiler(Mpi::selected());
    compiler.args(["-O2", "-std=c99"]);
    compiler.arg("-o").arg(&program).arg(&source).arg("-L").arg(&library).arg("-lhcube_bsp");
    compiler.arg(format!("-Wl,-rpath,{}", library.display()));
    common::output(&mut compiler);
    let ranks = if Mpi::selected() == Mpi::Mpich { 2 } else { 3 };
    let launch = Launch::new(&program, ranks).args(["-w", "8", "-r", "2"]);
    let samples = file("c.txt");
    fs::write(&samples, launch.run().success()).expect("a file");
    let machine = file("c.json");
    drop(fs::remove_file(&machine));
    let probe = alone(&["probe", shown(&machine), "--from", shown(&samples)]);
    assert!(probe.status.success(), "{}", text(&probe.stderr));
    every_gap_is_known_or_missed(&machine, &text(&probe.stderr));
    let output = text(&probe.stdout);
    assert!(
        output.contains(&format!("on {ranks} processes")) && output.contains("matrix-product-int"),
        "{output}"
    );
    // The shortest messages may be lost in the noise of the machine, which the tool then says.
    let measured = fs::read_to_string(&samples).expect("a file");
    for operation in ["get", "hp-get", "hp-put", "put", "send"] {
        for pattern in ["random-permutation", "all-to-all"] {
            assert!(measured.contains(&format!("gap {pattern} {operation} 4 4 ")), "{measured}");
        }
    }
}

#[test]
fn published_machines_are_predicted_beside_what_was_published() {
    let plot = file("llcs.svg");
    let output = success(&["predict", "llcs", "--machine", "aracari-oxtool", "--plot", shown(&plot)]);
    assert!(output.contains("published") && output.contains("mean difference"), "{output}");
    let picture = fs::read_to_string(&plot).expect("a picture");
    assert!(picture.contains("llcs-standard, 32 processes, size 65536") && picture.contains("published"));
    let rows = |costs: &str| {
        let arguments = [
            "predict",
            "matmul",
            "--machine",
            "aracari-oxtool",
            "--processes",
            "4",
            "--costs",
            costs,
            "--json=-",
        ];
        let results: Value = serde_json::from_str(&success(&arguments)).expect("JSON");
        results["rows"].as_array().expect("rows").clone()
    };
    let [corrected, printed] = ["corrected", "printed"].map(rows);
    assert_eq!(corrected.len(), 8);
    assert!(corrected[0]["published_percent"].as_f64() == Some(91.2), "{}", corrected[0]);
    // With 2 blocks per side nothing remains for an output phase; with 3 one block column remains.
    let constant = |row: &Value| row["seconds"]["constant"].as_f64().expect("predicted");
    assert_eq!(constant(&corrected[0]), constant(&printed[0]));
    assert!(constant(&corrected[1]) < constant(&printed[1]));
    // The file serves other models as well.
    let model = Command::new(TOOL.as_str())
        .args(["model", "gemm", "--machine", "aracari-mpi", "--ranks", "16"])
        .output();
    let model = model.expect("the tool starts");
    assert!(model.status.success(), "{}", text(&model.stderr));
}

/// Strings of the bit-parallel algorithm were longer, and what was published stands beside predictions for
/// these.
#[test]
fn default_sizes_are_those_of_each_table() {
    for (kernel, size) in [("standard", "65536"), ("bit-parallel", "524288")] {
        let predict = ["predict", "llcs", "--machine", "argus-mpi", "--processes", "4", "--kernel", kernel];
        let output = success(&predict);
        let rows = output.lines().filter(|line| line.starts_with(&format!("llcs-{kernel} ")));
        let rows: Vec<&str> = rows.filter(|line| line.contains(&format!(" {size} "))).collect();
        assert_eq!(rows.len(), 5, "{output}");
        // One of table F.2 is not printed.
        let published = rows.iter().filter(|row| !row.ends_with(" -")).count();
        assert!(published >= 4, "{output}");
        let other = if size == "65536" { "524288" } else { "65536" };
        let output = success(&[&predict[..], &["--sizes", other]].concat());
        assert!(!output.contains("published"), "{output}");
    }
}

#[test]
fn all_published_runs_are_compared() {
    let output = success(&["published"]);
    let rows = |program: &str| output.lines().filter(|line| line.starts_with(program)).count();
    let programs = ["matmul-customized", "matmul-static", "llcs-standard", "llcs-bit-parallel"];
    assert_eq!(programs.map(rows), [9; 4], "{output}");
    let results: Value = serde_json::from_str(&success(&["published", "--json=-"])).expect("JSON");
    let rows = results["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 36);
    assert!(rows.iter().all(|row| row["published_constant_percent"].as_f64() > Some(0.0)), "{results}");
}

#[test]
fn what_is_beyond_the_measurements_is_marked() {
    let machine = machine("range.json", &[2]);
    let predicted = |size: &str| {
        success(&["predict", "matmul", "--machine", shown(&machine), "--sizes", size, "--blocks", "2"])
    };
    assert!(predicted("4000").contains("2*") && predicted("4000").contains("* beyond"));
    assert!(!predicted("100").contains("* beyond"));
}

#[test]
fn bad_files_are_named_with_what_is_wrong() {
    let machine = machine("bad.json", &[2]);
    let changed = |old: &str, new: &str| {
        let text = fs::read_to_string(&machine).expect("a file");
        assert!(text.contains(old), "{old}: {text}");
        let path = file("changed.json");
        fs::write(&path, text.replacen(old, new, 1)).expect("a file");
        path
    };
    let message = |path: &Path| refused(&["predict", "llcs", "--machine", shown(path)]);
    let other = message(&changed("\"version\": 1", "\"version\": 2"));
    assert!(other.contains("bsp.version = 2: expected 1") && other.contains("hcube bsp probe"), "{other}");
    let broken = message(&changed("\"processes\": [", "\"processes\": "));
    assert!(broken.contains("changed.json"), "{broken}");
    let negative = message(&changed("\"empty\": ", "\"empty\": -"));
    assert!(negative.contains("bsp.processes[0].latency_us.empty = -2"), "{negative}");
    let none = refused(&["predict", "llcs", "--machine", "red-storm"]);
    assert!(none.contains("no figures of BSP") && none.contains("hcube bsp probe"), "{none}");
    let missing = refused(&["predict", "llcs", "--machine", shown(&machine), "--processes", "3"]);
    assert!(missing.contains("bad.json: no figures for 3 processes") && missing.contains('2'), "{missing}");
    let large =
        refused(&["predict", "matmul", "--machine", shown(&machine), "--sizes", "4", "--blocks", "5"]);
    assert!(large.contains("--blocks 5"), "{large}");
    let quiet = fs::read_to_string(&machine).expect("a file");
    let (_, noise) = quiet.split_once("\"noise_percent\": ").expect("the noise");
    let noise = noise.split([',', '}']).next().expect("a number");
    let noisy = changed(&format!("\"noise_percent\": {noise}"), "\"noise_percent\": 60.0");
    let noisy = alone(&["predict", "llcs", "--machine", shown(&noisy)]);
    let warning = text(&noisy.stderr);
    assert!(noisy.status.success() && warning.contains("60") && warning.contains("25 %"), "{warning}");
    let cut = file("cut.txt");
    fs::write(&cut, samples(2, "a machine").replace("\nend\n", "\n")).expect("a file");
    let cut = refused(&["probe", shown(&file("cut.json")), "--from", shown(&cut)]);
    assert!(cut.contains("the last line is not 'end'"), "{cut}");
    assert!(!file("cut.json").exists());
}

#[test]
fn a_program_that_cannot_run_ends_on_all_ranks() {
    let [machine, both] =
        [("ends.json", &[1][..]), ("ends-2.json", &[1, 2])].map(|(name, all)| machine(name, all));
    let launch = |machine: &Path, options: &[&str]| {
        let launch =
            Launch::new(TOOL.as_str(), 2).args(["bsp", "run", "matmul", "--no-progress", "--machine"]);
        launch.arg(machine).args(options.iter().copied()).run()
    };
    let figures = launch(&machine, &["--sizes", "10"]);
    assert!(
        !figures.status.success() && figures.stderr.contains("no figures for 2 processes"),
        "{}",
        figures.stderr
    );
    let blas = launch(&both, &["--sizes", "10", "--blas", "/nowhere/libnone.so"]);
    assert!(
        !blas.status.success() && blas.stderr.contains("--blas = /nowhere/libnone.so"),
        "{}",
        blas.stderr
    );
    // Before anything is measured.
    let blocks = launch(&both, &["--sizes", "600", "--blocks", "8,600"]);
    assert!(!blocks.status.success() && blocks.stderr.contains("--blocks 600"), "{}", blocks.stderr);
    let memory = launch(&both, &["--sizes", "600", "--memory", "24"]);
    assert!(!memory.status.success() && memory.stderr.contains("--memory: "), "{}", memory.stderr);
}
