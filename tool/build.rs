//! Compiles what `hcube bench gemm` puts in front of ScaLAPACK's functions, and exports it from the program,
//! so that the loader binds ScaLAPACK's own calls to it, and the plain loops of `hcube bench stream`. Exports
//! the end of the program's data as well, by which OpenSHMEM's library finds that data in `hcube bench caf`.
//! The profile and the compiler are passed to `hcube --version`. Where the compiler wrapper gives programs a
//! run path to the MPI library, the tool has it as well.

use std::env;
use std::process::Command;

#[path = "../crates/core/run_path.rs"]
mod run_path;

fn main() {
    const FOLDER: &str = "src/bench/gemm";
    println!("cargo::rerun-if-changed={FOLDER}/interpose.c");
    cc::Build::new().file(format!("{FOLDER}/interpose.c")).warnings(true).compile("hcube_bench_gemm");
    const PLAIN: &str = "src/bench/stream/plain.c";
    println!("cargo::rerun-if-changed={PLAIN}");
    // Also in builds without optimisation: these loops are what programs with -O3 are.
    cc::Build::new().file(PLAIN).warnings(true).opt_level(3).compile("hcube_bench_stream");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    for list in [format!("{FOLDER}/interpose.list"), "src/bench/caf/export.list".to_owned()] {
        println!("cargo::rerun-if-changed={list}");
        println!("cargo::rustc-link-arg-bin=hcube=-Wl,--dynamic-list={root}/{list}");
    }
    run_path::link("bins");
    build();
}

/// What `hcube --version` says of the build.
fn build() {
    let profile = env::var("PROFILE").expect("cargo sets it");
    let compiler = env::var_os("RUSTC").expect("cargo sets it");
    let said = Command::new(compiler).arg("--version").output().expect("the compiler starts").stdout;
    println!("cargo::rustc-env=HCUBE_BUILD_PROFILE={profile}");
    println!("cargo::rustc-env=HCUBE_BUILD_COMPILER={}", String::from_utf8_lossy(&said).trim());
}
