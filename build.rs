//! Builds what depends on the chosen MPI library: the raw bindings (bindgen), the constants that
//! are no constant expressions in every MPI (a C shim), and the C header (cbindgen), which is
//! committed and therefore only compared.
//!
//! One build serves one MPI library: the one whose compiler wrapper `MPICC` names.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The sources that define the C interface, in the order in which the header shows them.
const INTERFACE: [&str; 8] = [
    "src/ffi/types.rs",
    "src/ffi/library.rs",
    "src/ffi/alltoall.rs",
    "src/ffi/transpose.rs",
    "src/ffi/random_access.rs",
    "src/ffi/fortran_alltoall.rs",
    "src/ffi/fortran.rs",
    "src/error.rs",
];

fn main() {
    println!("cargo:rerun-if-env-changed=MPICC");
    println!("cargo:rerun-if-changed=build.rs");
    let wrapper = env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    let flags = MpiFlags::ask(&wrapper);
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    bind(&flags, &out);
    flags.link();
    // MPI keeps addresses of functions that free what hangs on communicators.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // The preload library contains hcube without its C interface, and cargo hands flags on to it.
    if env::var_os("CARGO_FEATURE_C_INTERFACE").is_some() {
        soname(&out);
    }
    header(&out);
}

/// Gives the library the name that programs look for at run time: that of its major version. Cargo knows
/// no such names, so links of that name are put beside the library where it will be.
fn soname(out: &Path) {
    let name = format!("libhcube.so.{}", env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it"));
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{name}");
    // target/<profile>/build/<package>/out
    let profile = out.ancestors().nth(3).expect("a folder of cargo's");
    for folder in [profile.to_owned(), profile.join("deps")] {
        let link = folder.join(&name);
        drop(fs::remove_file(&link));
        symlink("libhcube.so", &link).unwrap_or_else(|error| panic!("{}: {error}", link.display()));
    }
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
            println!("cargo:rustc-link-search=native={directory}");
        }
        for library in &self.libraries {
            println!("cargo:rustc-link-lib=dylib={library}");
        }
    }
}

fn bind(flags: &MpiFlags, out: &Path) {
    let shim = "src/comm/shim.h";
    println!("cargo:rerun-if-changed={shim}");
    println!("cargo:rerun-if-changed=src/comm/shim.c");
    bindgen::builder()
        .header(shim)
        .clang_args(flags.include.iter().map(|directory| format!("-I{directory}")))
        .allowlist_function("PMPI_.*|hcube_shim_.*")
        .allowlist_type("MPI_.*|hcube_shim_fint")
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
    compiler.file("src/comm/shim.c").warnings(true).compile("hcube_shim");
}

/// Generates the C header and compares it with the committed one; `HCUBE_UPDATE_HEADER=1` replaces
/// the committed one instead.
fn header(out: &Path) {
    println!("cargo:rerun-if-env-changed=HCUBE_UPDATE_HEADER");
    println!("cargo:rerun-if-changed=cbindgen.toml");
    println!("cargo:rerun-if-changed=include/hcube.h");
    let mut config = cbindgen::Config::from_file("cbindgen.toml").expect("cbindgen.toml is valid");
    config.after_includes = Some(version());
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in INTERFACE {
        println!("cargo:rerun-if-changed={source}");
        builder = builder.with_src(source);
    }
    let generated = out.join("hcube.h");
    builder.generate().expect("cbindgen reads the interface").write_to_file(&generated);
    let new = without_safety_sections(&fs::read_to_string(&generated).expect("just written"));
    let committed = Path::new("include/hcube.h");
    let old = fs::read_to_string(committed).unwrap_or_default();
    if new == old {
        return;
    }
    if env::var_os("HCUBE_UPDATE_HEADER").is_some() {
        fs::write(committed, new).expect("include/hcube.h is writable");
    } else {
        panic!("include/hcube.h is out of date: run 'make header' and commit the result");
    }
}

/// The version for the preprocessor, from the same place as that of `hcube_version()`.
fn version() -> String {
    let of = |name: &str| env::var(format!("CARGO_PKG_VERSION{name}")).expect("cargo sets it");
    let text = "\n/**\n * The version of this header, as text and as numbers; that of the library is hcube_version().\n */";
    format!(
        "{text}\n#define HCUBE_VERSION \"{}\"\n#define HCUBE_VERSION_MAJOR {}\n#define HCUBE_VERSION_MINOR {}\n\
         #define HCUBE_VERSION_PATCH {}",
        of(""),
        of("_MAJOR"),
        of("_MINOR"),
        of("_PATCH")
    )
}

/// Leaves out the sections that Rust asks of unsafe functions: to C they say what goes without
/// saying.
fn without_safety_sections(header: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut skipping = false;
    for line in header.lines() {
        if line.trim() == "* # Safety" {
            skipping = true;
            if lines.last().is_some_and(|last| last.trim() == "*") {
                lines.pop();
            }
        }
        skipping &= line.trim() != "*/";
        if !skipping {
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}
