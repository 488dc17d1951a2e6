//! The common code of the tests under a launcher.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles main.c with an MPI compiler wrapper and links the library in `folder`.
pub fn compile(wrapper: &str, folder: &Path, program: PathBuf) -> PathBuf {
    std::fs::create_dir_all(program.parent().expect("a file lies in a folder")).expect("writable");
    let mut compiler = Command::new(wrapper);
    compiler.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]);
    compiler.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("main.c")).arg("-o").arg(&program);
    compiler.arg("-L").arg(folder).arg("-lhcube_core_client");
    // Before LD_LIBRARY_PATH, which names a folder that may hold the library of an earlier build.
    let path = format!("-Wl,--disable-new-dtags,-rpath,{}", folder.display());
    hcube_testing::output(compiler.arg(path));
    program
}

/// Checks what the ranks of a job have printed.
pub fn assert_passed(text: &str, ranks: usize) {
    let expected = format!(" checks on {ranks} ranks");
    assert!(text.lines().any(|line| line.ends_with(&expected)), "'{expected}' expected:\n{text}");
}
