//! Compiles the C code that needs mpi.h, and determines which functions of MPI 4 the selected MPI library
//! has: only functions of the MPI library are exported.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

#[path = "../../crates/core/run_path.rs"]
mod run_path;

fn main() {
    println!("cargo::rerun-if-env-changed=MPICC");
    println!("cargo::rerun-if-changed=src/mpi.c");
    let wrapper = env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    for (name, has) in features(&wrapper) {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if has {
            println!("cargo::rustc-cfg={name}");
        }
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

/// The MPI-4 functions of the library of the compiler wrapper, and the condition for them.
const FEATURES: [(&str, &str); 2] = [
    ("large_counts", "MPI_VERSION >= 4"),
    // Open MPI has had them since before it claims MPI 4.
    ("persistent", "MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5"),
];

fn features(wrapper: &str) -> Vec<(&'static str, bool)> {
    let probe = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("probe.c");
    let lines = FEATURES.map(|(name, has)| format!("#if {has}\nhcube_has_{name}\n#endif\n")).concat();
    fs::write(&probe, format!("#include <mpi.h>\n{lines}")).expect("OUT_DIR is writable");
    let output = Command::new(wrapper).arg("-E").arg(&probe).output().unwrap_or_else(|error| {
        panic!("cannot run the MPI compiler wrapper '{wrapper}' ({error}); name one with MPICC=...")
    });
    assert!(output.status.success(), "'{wrapper} -E': {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let has = |name: &str| text.lines().any(|line| line.trim() == format!("hcube_has_{name}"));
    FEATURES.map(|(name, _)| (name, has(name))).to_vec()
}
