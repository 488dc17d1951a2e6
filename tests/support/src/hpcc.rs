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

/// Runs HPCC in a folder of this name and checks what it says; `path` is what hcube must announce.
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
    let folder = folder(name, N, ranks);
    let launch = Launch::new(program, ranks).folder(&folder).limit(240);
    // OpenBLAS would start a thread per core in every rank.
    let launch = launch.env("OPENBLAS_NUM_THREADS", "1").env("HCUBE_VERBOSE", "1");
    let outcome = change(launch).run();
    let announcements: Vec<&str> =
        outcome.stderr.lines().filter(|line| line.contains(": HPCC RandomAccess update active: ")).collect();
    assert_eq!(announcements.len(), 1, "one announcement:\n{}", outcome.stderr);
    let announcement = announcements[0].to_owned();
    outcome.success();
    assert!(
        announcement.starts_with("hcube ") && announcement.contains(path),
        "{path} expected: {announcement}"
    );
    let value = |name: &str| result(&folder, name);
    assert_eq!(value("Success"), "1");
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
}

/// A folder of this name for one run, with an input file.
pub fn folder(name: &str, n: usize, ranks: usize) -> PathBuf {
    let folder = super::build().join("clients").join(name);
    // HPCC adds to the result file of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target directory is writable");
    fs::write(folder.join("hpccinf.txt"), input(n, ranks)).expect("writable");
    folder
}

/// A value of the result file.
pub fn result(folder: &Path, name: &str) -> String {
    let file = folder.join("hpccoutf.txt");
    let text = fs::read_to_string(&file).expect("HPCC's result file");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    line.unwrap_or_else(|| panic!("no {name} in {}", file.display())).trim().to_owned()
}

/// HPCC's input file: one problem of size `n`, a grid of 1 x `ranks`.
fn input(n: usize, ranks: usize) -> String {
    let values = [
        ("HPL.out", "output file name"),
        ("8", "device out: the file"),
        ("1", "number of problem sizes"),
        (&n.to_string(), "N"),
        ("1", "number of block sizes"),
        ("80", "NB"),
        ("0", "process mapping by rows"),
        ("1", "number of grids"),
        ("1", "P"),
        (&ranks.to_string(), "Q"),
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
        ("1", "modified ring"),
        ("1", "look-ahead depths"),
        ("0", "depth"),
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
    let lines: Vec<String> = values.iter().map(|(value, meaning)| format!("{value:12} {meaning}")).collect();
    format!("HPLinpack benchmark input file\nUniversity of Tennessee\n{}\n", lines.join("\n"))
}
