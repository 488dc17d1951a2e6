//! Compiles what `hcube bench gemm` puts in front of ScaLAPACK's functions, and exports it from the program, so that
//! the loader binds ScaLAPACK's own calls to it.

use std::env;

fn main() {
    const FOLDER: &str = "src/bench/gemm";
    println!("cargo::rerun-if-changed={FOLDER}/interpose.c");
    println!("cargo::rerun-if-changed={FOLDER}/interpose.list");
    cc::Build::new().file(format!("{FOLDER}/interpose.c")).warnings(true).compile("hcube_bench_gemm");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo::rustc-link-arg-bin=hcube=-Wl,--dynamic-list={root}/{FOLDER}/interpose.list");
}
