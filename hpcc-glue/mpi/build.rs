//! Compiles the C code that needs mpi.h, and determines whether the selected MPI library has the large-count
//! functions: only functions of the MPI library are exported.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

#[path = "../../crates/core/run_path.rs"]
mod run_path;

fn main() {
    println!("cargo::rerun-if-env-changed=MPICC");
    println!("cargo::rerun-if-changed=src/mpi.c");
    println!("cargo::rustc-check-cfg=cfg(large_counts)");
    let wrapper = env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    if version(&wrapper) >= 4 {
        println!("cargo::rustc-cfg=large_counts");
    }
    // MPI keeps addresses of callbacks that free attributes of communicators.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
    // Also programs without MPI must find what this library needs.
    run_path::link("cdylib");
    let major = env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it");
    println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,libhcube_preload.so.{major}");
    // An exception of the program's error handler may pass.
    let mut compiler = cc::Build::new();
    compiler
        .compiler(&wrapper)
        .file("src/mpi.c")
        .warnings(true)
        .flag("-fexceptions")
        .compile("hcube_preload_mpi");
}

/// The version of the MPI standard that the library of the compiler wrapper implements.
fn version(wrapper: &str) -> u32 {
    const MARK: &str = "hcube_mpi_version";
    let probe = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("probe.c");
    fs::write(&probe, format!("#include <mpi.h>\n{MARK} MPI_VERSION\n")).expect("OUT_DIR is writable");
    let output = Command::new(wrapper).arg("-E").arg(&probe).output().unwrap_or_else(|error| {
        panic!("cannot run the MPI compiler wrapper '{wrapper}' ({error}); name one with MPICC=...")
    });
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix(MARK));
    line.and_then(|version| version.trim().parse().ok()).unwrap_or_else(|| {
        panic!("'{wrapper} -E' shows no MPI_VERSION:\n{}", String::from_utf8_lossy(&output.stderr))
    })
}
