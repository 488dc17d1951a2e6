//! Builds what depends on the chosen MPI library: the raw bindings (bindgen) and the constants that are
//! no constant expressions in every MPI library (a C shim).
//!
//! One build serves one MPI library: the one whose compiler wrapper `MPICC` names.

use std::env;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds and links it.
///
/// # Errors
/// Says what to install where something is missing.
pub fn build() -> Result<(), String> {
    println!("cargo::rerun-if-env-changed=MPICC");
    println!("cargo::rerun-if-env-changed=LIBCLANG_PATH");
    println!("cargo::rerun-if-changed=build/mpi.rs");
    let wrapper = env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    let flags = MpiFlags::ask(&wrapper)?;
    if !has_libclang() {
        return Err(
            "libclang, which reads mpi.h, is missing: install it (Debian, Ubuntu: apt install clang; \
                    Fedora, RHEL: dnf install clang) or name its folder with LIBCLANG_PATH=..."
                .to_owned(),
        );
    }
    bind(&wrapper, &flags, &PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")));
    flags.link();
    Ok(())
}

/// Whether bindgen finds libclang, without which it panics.
fn has_libclang() -> bool {
    let report = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let found = panic::catch_unwind(bindgen::clang_version).is_ok();
    panic::set_hook(report);
    found
}

/// What the compiler wrapper adds to a command line.
struct MpiFlags {
    /// Folders of headers and macros, as arguments. The standard ABI of MPI 5 is a macro.
    preprocessor: Vec<String>,
    search: Vec<String>,
    libraries: Vec<String>,
    /// Folders that the loader searches for the library.
    run_path: Vec<String>,
}

impl MpiFlags {
    /// Asks the wrapper for its command line. All of Open MPI, MPICH, Intel MPI and SMPI know `-show`.
    fn ask(wrapper: &str) -> Result<Self, String> {
        let output = Command::new(wrapper).arg("-show").output().map_err(|_| {
            format!(
                "the MPI compiler wrapper '{wrapper}' cannot be run: install an MPI library with its development \
                 files (Debian, Ubuntu: apt install libopenmpi-dev) or name its wrapper with MPICC=..."
            )
        })?;
        if !output.status.success() {
            return Err(format!("'{wrapper} -show' failed: set MPICC to an MPI compiler wrapper"));
        }
        let line = String::from_utf8_lossy(&output.stdout);
        let words =
            shlex::split(&line).ok_or_else(|| format!("'{wrapper} -show' prints no command: {line}"))?;
        Ok(Self::of(&words))
    }

    fn of(words: &[String]) -> Self {
        let take = |prefix: &str| -> Vec<String> {
            words.iter().filter_map(|word| word.strip_prefix(prefix)).map(str::to_owned).collect()
        };
        let is_for_preprocessor = |word: &&String| word.starts_with("-I") || word.starts_with("-D");
        Self {
            preprocessor: words.iter().filter(is_for_preprocessor).cloned().collect(),
            search: take("-L"),
            libraries: take("-l"),
            run_path: run_path(words),
        }
    }

    /// Links the library. The run path goes to the build scripts of direct dependents as
    /// `DEP_HCUBE_MPI_RUN_PATH`, since cargo passes no arguments of the linker on to them.
    fn link(&self) {
        for directory in &self.search {
            println!("cargo::rustc-link-search=native={directory}");
        }
        for library in &self.libraries {
            println!("cargo::rustc-link-lib=dylib={library}");
        }
        println!("cargo::metadata=run_path={}", self.run_path.join(":"));
    }
}

/// The folders of `-rpath`, which the linker takes as one argument or as two, each behind `-Wl,` or
/// `-Xlinker`.
fn run_path(words: &[String]) -> Vec<String> {
    let arguments = words.iter().filter(|word| *word != "-Xlinker");
    let arguments: Vec<&str> =
        arguments.flat_map(|word| word.strip_prefix("-Wl,").unwrap_or(word).split(',')).collect();
    let behind = arguments.windows(2).filter(|pair| pair[0] == "-rpath").map(|pair| pair[1]);
    let within = arguments.iter().filter_map(|argument| argument.strip_prefix("-rpath="));
    behind.chain(within).map(str::to_owned).collect()
}

fn bind(wrapper: &str, flags: &MpiFlags, out: &Path) {
    let shim = "src/mpi/shim.h";
    println!("cargo::rerun-if-changed={shim}");
    println!("cargo::rerun-if-changed=src/mpi/shim.c");
    bindgen::builder()
        .header(shim)
        .clang_args(&flags.preprocessor)
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
    cc::Build::new()
        .compiler(wrapper)
        .file("src/mpi/shim.c")
        .warnings(true)
        .flag("-fexceptions")
        .compile("hcube_shim");
}
