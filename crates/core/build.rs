//! Builds everything that depends on the selected MPI library: the raw bindings (bindgen) and the constants
//! that are not constant expressions in every MPI library (a C shim).
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
    bind(&wrapper, &flags, &PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")));
    flags.link();
}

/// The flags that the compiler wrapper adds to a command line.
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
    fn ask(wrapper: &str) -> Self {
        let output = Command::new(wrapper).arg("-show").output().unwrap_or_else(|error| {
            panic!(
                "cannot run the MPI compiler wrapper '{wrapper}' ({error}); install an MPI library \
                 with its development files or name its wrapper with MPICC=..."
            )
        });
        assert!(output.status.success(), "'{wrapper} -show' failed: set MPICC to an MPI compiler wrapper");
        let line = String::from_utf8_lossy(&output.stdout);
        let words =
            shlex::split(&line).unwrap_or_else(|| panic!("'{wrapper} -show' prints no command: {line}"));
        Self::of(&words)
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

    /// Links the library. The run path is passed to the build scripts of direct dependents as
    /// `DEP_HCUBE_MPI_RUN_PATH`, since cargo does not pass linker arguments on to them.
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

/// The folders of `-rpath`, which the linker accepts as one argument or as two, each after `-Wl,` or
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
