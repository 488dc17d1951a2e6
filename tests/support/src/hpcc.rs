//! The official HPCC with hcube's update: its program, its input and result files.

use super::{Launch, Mpi, output};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Size of HPL's matrix, from which HPCC derives the table: about half of its words.
const N: usize = 400;

/// HPCC, linked with the library under test.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        super::library();
        let (root, mpi) = (super::root(), Mpi::selected().name());
        output(Command::new(root.join("scripts/build-hpcc.sh")).args(["hcube", mpi]));
        root.join(format!("target/hpcc/{mpi}/hcube/hpcc"))
    })
}

/// Runs HPCC in a folder of this name and checks what it says; `path` is what hcube must announce of
/// RandomAccess.
pub fn check(name: &str, ranks: usize, path: &str, change: impl FnOnce(Launch) -> Launch) {
    check_program(program(), name, ranks, path, change);
}

/// The same for an HPCC that was linked elsewhere.
pub fn check_program(
    program: &Path,
    name: &str,
    ranks: usize,
    path: &str,
    change: impl FnOnce(Launch) -> Launch,
) {
    let folder = folder(name, &Input { columns: ranks, ..Input::default() });
    let stderr = run(program, &folder, ranks, change);
    let announcement = announcement(&stderr, "RandomAccess update");
    assert!(announcement.contains(path), "{path} expected: {announcement}");
    passed(&folder, ranks);
}

/// Runs HPCC with this input in a folder of this name and checks its verdicts; its error output.
pub fn passes(name: &str, input: &Input, ranks: usize, change: impl FnOnce(Launch) -> Launch) -> String {
    let folder = folder(name, input);
    let stderr = run(program(), &folder, ranks, change);
    passed(&folder, ranks);
    stderr
}

/// Runs HPCC in a folder with its input; its error output.
pub fn run(program: &Path, folder: &Path, ranks: usize, change: impl FnOnce(Launch) -> Launch) -> String {
    let launch = Launch::new(program, ranks).folder(folder).limit(240);
    // OpenBLAS would start a thread per core in every rank.
    let launch = launch.env("OPENBLAS_NUM_THREADS", "1").env("HCUBE_VERBOSE", "1");
    let outcome = change(launch).run();
    let stderr = outcome.stderr.clone();
    outcome.success();
    stderr
}

/// The one line by which hcube announces that it serves a kernel.
pub fn announcement(stderr: &str, kernel: &str) -> String {
    let wanted = format!(": HPCC {kernel} active: ");
    let announcements: Vec<&str> = stderr.lines().filter(|line| line.contains(&wanted)).collect();
    assert_eq!(announcements.len(), 1, "one announcement of {kernel}:\n{stderr}");
    assert!(announcements[0].starts_with("hcube "), "{}", announcements[0]);
    announcements[0].to_owned()
}

/// Whether hcube says that it serves this kernel.
pub fn announces(stderr: &str, kernel: &str) -> bool {
    stderr.contains(&format!(": HPCC {kernel} active: "))
}

/// Checks HPCC's own verdicts, and that each update of RandomAccess was done once.
pub fn passed(folder: &Path, ranks: usize) {
    assert_eq!(result(folder, "Success"), "1");
    served(folder, ranks);
}

/// Checks the results of the benchmarks whose kernels hcube replaces.
pub fn served(folder: &Path, ranks: usize) {
    let value = |name: &str| result(folder, name);
    assert_eq!(value("CommWorldProcs"), ranks.to_string());
    for test in ["MPIRandomAccess", "MPIRandomAccess_LCG"] {
        let number = |name: &str| value(&format!("{test}_{name}")).parse::<u64>().expect("a number");
        assert_eq!(number("Errors"), 0, "{test} on {ranks} ranks");
        assert_eq!(number("ExeUpdates"), 4 * number("N"), "{test} on {ranks} ranks");
        assert!(
            number("N").is_power_of_two() && number("N") >= 1 << 14,
            "{test}: a table of {} words",
            number("N")
        );
    }
    let figure = |name: &str| value(name).parse::<f64>().expect("a number");
    for rate in [
        "HPL_Tflops",
        "MPIFFT_Gflops",
        "StarFFT_Gflops",
        "SingleFFT_Gflops",
        "StarSTREAM_Triad",
        "PTRANS_GBs",
    ] {
        assert!(figure(rate) > 0.0, "{rate} on {ranks} ranks");
    }
    // Each element of PTRANS is one sum.
    assert_eq!(figure("PTRANS_residual"), 0.0, "PTRANS on {ranks} ranks");
    solved(folder);
}

/// Checks what HPL and PTRANS say of each result: whether its residual is small enough.
pub fn solved(folder: &Path) {
    let text = fs::read_to_string(folder.join(RESULTS)).expect("HPCC's result file");
    assert!(text.contains("PASSED") && !text.contains("FAILED"), "HPL:\n{text}");
}

/// HPCC's result file.
const RESULTS: &str = "hpccoutf.txt";

/// The problem of a run.
#[derive(Debug, Clone, Copy)]
pub struct Input {
    /// Size of HPL's matrix, from which HPCC derives the other sizes.
    pub n: usize,
    /// Columns of a block.
    pub block: usize,
    /// Rows of the process grid.
    pub rows: usize,
    /// Columns of the process grid.
    pub columns: usize,
    /// HPL's broadcast, 0 to 5.
    pub broadcast: usize,
    /// Panels that HPL looks ahead.
    pub depth: usize,
}

impl Default for Input {
    fn default() -> Self {
        Self { n: N, block: 80, rows: 1, columns: 1, broadcast: 1, depth: 0 }
    }
}

/// A folder of this name for one run, with an input file.
pub fn folder(name: &str, problem: &Input) -> PathBuf {
    let folder = super::build().join("clients").join(name);
    // HPCC adds to the result file of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target directory is writable");
    fs::write(folder.join("hpccinf.txt"), input(problem)).expect("writable");
    folder
}

/// Changes lines of the input file in a folder, by what they mean.
pub fn change(folder: &Path, lines: &[(&str, &str)]) {
    let file = folder.join("hpccinf.txt");
    let text = fs::read_to_string(&file).expect("an input file");
    let changed = text.lines().map(|line| {
        let meaning = line.get(13..).unwrap_or_default();
        let new = lines.iter().find(|(of, _)| *of == meaning);
        new.map_or_else(|| line.to_owned(), |(_, value)| input_line(value, meaning))
    });
    let changed: Vec<String> = changed.collect();
    for (meaning, value) in lines {
        assert!(changed.contains(&input_line(value, meaning)), "no line of {meaning}:\n{text}");
    }
    fs::write(&file, changed.join("\n") + "\n").expect("writable");
}

/// A line of the input file: a value and its meaning.
fn input_line(value: &str, meaning: &str) -> String {
    format!("{value:12} {meaning}")
}

/// A value of the result file.
pub fn result(folder: &Path, name: &str) -> String {
    let file = folder.join(RESULTS);
    let text = fs::read_to_string(&file).expect("HPCC's result file");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    line.unwrap_or_else(|| panic!("no {name} in {}", file.display())).trim().to_owned()
}

/// HPCC's input file for one problem.
fn input(problem: &Input) -> String {
    let number = |value: usize| value.to_string();
    let values = [
        ("HPL.out", "output file name"),
        ("8", "device out: the file"),
        ("1", "number of problem sizes"),
        (&number(problem.n), "N"),
        ("1", "number of block sizes"),
        (&number(problem.block), "NB"),
        ("0", "process mapping by rows"),
        ("1", "number of grids"),
        (&number(problem.rows), "P"),
        (&number(problem.columns), "Q"),
        ("16.0", "threshold"),
        ("1", "panel factorisations"),
        ("2", "right"),
        ("1", "stopping criteria"),
        ("4", "NBMIN"),
        ("1", "panels in recursion"),
        ("2", "NDIV"),
        ("1", "recursive panel factorisations"),
        ("1", "Crout"),
        ("1", "broadcasts"),
        (&number(problem.broadcast), "broadcast"),
        ("1", "look-ahead depths"),
        (&number(problem.depth), "depth"),
        ("2", "swap: mix"),
        ("64", "swapping threshold"),
        ("0", "L1 transposed"),
        ("0", "U transposed"),
        ("1", "equilibration"),
        ("8", "alignment in doubles"),
        ("#", "ignored by HPCC"),
        ("0", "further sizes for PTRANS"),
        ("1200", "sizes"),
        ("0", "further block sizes for PTRANS"),
        ("40", "block sizes"),
    ];
    let lines: Vec<String> = values.iter().map(|(value, meaning)| input_line(value, meaning)).collect();
    format!("HPLinpack benchmark input file\nUniversity of Tennessee\n{}\n", lines.join("\n"))
}
