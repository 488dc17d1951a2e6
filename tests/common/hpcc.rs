//! HPCC's input and result files.

use std::fs;
use std::path::{Path, PathBuf};

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
