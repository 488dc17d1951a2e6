//! Builds what depends on the chosen MPI library: the raw bindings (bindgen) and the constants that are
//! no constant expressions in every MPI library (a C shim).
//!
//! One build serves one MPI library: the one whose compiler wrapper `MPICC` names.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=MPICC");
    println!("cargo::rerun-if-changed=build.rs");
    let wrapper = env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    let flags = MpiFlags::ask(&wrapper);
    bind(&flags, &PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")));
    flags.link();
}

/// What the compiler wrapper adds to a command line.
struct MpiFlags {
    include: Vec<String>,
    search: Vec<String>,
    libraries: Vec<String>,
}

impl MpiFlags {
    /// Asks the wrapper for its command line. All of Open MPI, MPICH and SMPI know `-show`.
    fn ask(wrapper: &str) -> Self {
        let output = Command::new(wrapper).arg("-show").output().unwrap_or_else(|error| {
            panic!(
                "cannot run the MPI compiler wrapper '{wrapper}' ({error}); install an MPI library \
                 with its development files or name its wrapper with MPICC=..."
            )
        });
        assert!(output.status.success(), "'{wrapper} -show' failed: set MPICC to an MPI compiler wrapper");
        let line = String::from_utf8_lossy(&output.stdout).into_owned();
        let take = |prefix: &str| -> Vec<String> {
            line.split_whitespace().filter_map(|word| word.strip_prefix(prefix)).map(str::to_owned).collect()
        };
        Self { include: take("-I"), search: take("-L"), libraries: take("-l") }
    }

    fn link(&self) {
        for directory in &self.search {
            println!("cargo::rustc-link-search=native={directory}");
        }
        for library in &self.libraries {
            println!("cargo::rustc-link-lib=dylib={library}");
        }
    }
}

fn bind(flags: &MpiFlags, out: &Path) {
    let shim = "src/mpi/shim.h";
    println!("cargo::rerun-if-changed={shim}");
    println!("cargo::rerun-if-changed=src/mpi/shim.c");
    bindgen::builder()
        .header(shim)
        .clang_args(flags.include.iter().map(|directory| format!("-I{directory}")))
        .allowlist_function("PMPI_.*|hcube_shim_.*")
        .allowlist_type("MPI_.*|hcube_shim_fint")
        // An error handler of the program may leave MPI's functions by an exception.
        .override_abi(bindgen::Abi::CUnwind, ".*")
        .layout_tests(false)
        .generate_comments(false)
        .generate()
        .expect("bindgen reads mpi.h")
        .write_to_file(out.join("mpi.rs"))
        .expect("OUT_DIR is writable");
    let mut compiler = cc::Build::new();
    for directory in &flags.include {
        compiler.include(directory);
    }
    compiler.file("src/mpi/shim.c").warnings(true).flag("-fexceptions").compile("hcube_shim");
}
