//! Starts C clients under the launcher of the MPI library that hcube was built for.
//!
//! The libraries and the tool are those of `cargo build --release` in `target/<mpi>/release`. Cargo does not
//! build them for a test, so [`library`] rejects a library that is older than its sources. The environment
//! variable `MPI` names the MPI library (openmpi by default), whose commands are `mpicc.openmpi`,
//! `mpicxx.openmpi` and `mpirun.openmpi` or so; scripts/test.sh sets it together with the target directory.

#![expect(missing_docs, reason = "no public crate: only tests use it")]

pub mod alltoall;
pub mod bsp;
mod built;
pub mod chance;
mod disturb;
pub mod fftw;
pub mod gfortran;
pub mod guest;
pub mod headers;
pub mod hosts;
pub mod hpcc;
pub mod installed;
mod launch;
pub mod lcs;
pub mod links;
pub mod preload;
pub mod privileged;
mod results;
pub mod scalapack;
pub mod session;
mod shared_memory;
pub mod sizes;
mod skip;
mod supervise;
mod turn;
pub mod update;
pub mod variables;

pub use disturb::{Disturbance, Signal};
pub use launch::Launch;
pub use results::{TOOL, json, runs};
pub use shared_memory::{assert_no_shared_memory_left, left_in_shared_memory, named_shared_memory};
pub use skip::{only_with, skip, unproved};
pub use supervise::Outcome;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// The compiler flags of the clients. A warning in them may be one in hcube.h.
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// The kind of the MPI library that this test run is about: what behaves alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mpi {
    Open,
    /// MPICH, what comes from it (Intel MPI), and what the standard ABI is tested with.
    Mpich,
}

impl Mpi {
    pub fn selected() -> Self {
        if selected_name().starts_with("openmpi") { Self::Open } else { Self::Mpich }
    }

    /// The name in the commands of this library: the selected one, or the other kind that a machine has.
    pub fn name(self) -> &'static str {
        if self == Self::selected() { selected_name() } else { self.kind() }
    }

    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Open => "openmpi",
            Self::Mpich => "mpich",
        }
    }
}

/// What a test uses with Open MPI, and with MPICH: that never yields, so more ranks than cores take minutes.
pub fn by_mpi<T>(open: T, mpich: T) -> T {
    if Mpi::selected() == Mpi::Open { open } else { mpich }
}

fn selected_name() -> &'static str {
    static NAME: LazyLock<String> =
        LazyLock::new(|| std::env::var("MPI").unwrap_or_else(|_| "openmpi".to_owned()));
    &NAME
}

/// The checkout.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = here.ancestors().find(|folder| folder.join("Cargo.lock").exists());
    found.expect("this package lies in the checkout").to_path_buf()
}

/// The command `hcube` of the build under test.
pub fn tool() -> String {
    program("hcube")
}

/// The command `hcube-lab` of the build under test.
pub fn lab() -> String {
    program("hcube-lab")
}

fn program(name: &str) -> String {
    built::artifact(name).into_os_string().into_string().expect("a checkout with a UTF-8 path")
}

/// The directory of the build under test: `release` below CARGO_TARGET_DIR for tests of the profile
/// `checked`, otherwise the directory of the test's own profile, as for tests of faults, whose library is
/// built with them.
pub fn build() -> PathBuf {
    let own = own_build();
    if cfg!(hcube_fault) {
        return own;
    }
    match std::env::var_os("CARGO_TARGET_DIR") {
        // Tests contain nothing of MPI: those that were built for one library are run for others.
        Some(target) if own.ends_with("checked") => root().join(target).join("release"),
        None if own.ends_with("checked") => own.with_file_name("release"),
        _ => own,
    }
}

/// A folder of the build under test for what tests make. A build may serve several MPI libraries, whose
/// programs differ.
pub fn folder(name: &str) -> PathBuf {
    let build = build();
    let clients = match build.components().any(|part| part.as_os_str() == selected_name()) {
        true => "clients".to_owned(),
        false => format!("clients-{}", selected_name()),
    };
    let folder = build.join(clients).join(name);
    fs::create_dir_all(&folder).expect("the target directory is writable");
    folder
}

/// A name that no other file of this process has: jobs of two tests may run at the same time.
pub(crate) fn numbered(name: &str) -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    format!("{name}-{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// The option with which a command writes its results to a file.
pub fn json_to(path: &Path) -> String {
    format!("--json={}", path.display())
}

/// Writes a file that several tests of a process write alike and may be reading: it is never seen half
/// written.
pub fn write(path: &Path, text: &str) {
    let thread = format!("{:?}", std::thread::current().id());
    let new = path.with_extension(format!("{}-{thread}", std::process::id()));
    fs::write(&new, text).and_then(|()| fs::rename(&new, path)).expect("the target directory is writable");
}

/// Makes a program once in a process, even if nothing has changed since an earlier one: not again while
/// another test may be running it.
pub fn made_once(program: PathBuf, make: impl FnOnce(&Path)) -> PathBuf {
    static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if !made.contains(&program) {
        make(&program);
        made.push(program.clone());
    }
    program
}

/// The directory of the test itself, and of what cargo builds for it: libraries of its own package.
pub fn own_build() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    test.ancestors().nth(2).expect("a test lies in <build>/deps").to_path_buf()
}

/// The library under test, after a check that it is one for the selected MPI.
pub fn library() -> PathBuf {
    let path = built::artifact("libhcube.so");
    let linked = output(Command::new("ldd").arg(&path));
    let expected = match selected_name() {
        "openmpi" | "openmpi5" => "libmpi.so.40",
        "mpich" => "libmpich.so.12",
        "abi" => "libmpi_abi.so",
        _ => "libmpi.so.12",
    };
    assert!(
        linked.contains(expected),
        "{} is not linked to {expected}; set MPI as the build was:\n{linked}",
        path.display()
    );
    path
}

/// Standard output of a command that must succeed.
pub fn output(command: &mut Command) -> String {
    let output = session::run(command);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{text}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// A language of the clients: the same source must be valid in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C11,
    Cxx17,
}

impl Language {
    /// The start of a compiler's command line.
    pub fn compiler(self, mpi: Mpi) -> Command {
        let mut command = match self {
            Self::C11 => Command::new(format!("mpicc.{}", mpi.name())),
            Self::Cxx17 => Command::new(format!("mpicxx.{}", mpi.name())),
        };
        match self {
            Self::C11 => command.arg("-std=c11"),
            // MPI's own C++ bindings were removed from the standard in 2012, and they do not
            // compile without warnings.
            Self::Cxx17 => command.args(["-std=c++17", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]),
        };
        command.args(WARNINGS).arg("-I").arg(root().join("include"));
        command
    }
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// The newest of the headers that clients share.
fn newest_header(sources: &Path) -> Option<std::time::SystemTime> {
    let files = fs::read_dir(sources).expect("tests/c").flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|end| end == "h")).map(|path| modified(&path)).max()?
}

/// Compiles tests/c/`name`.c, unless that has been done since the source, a header or the library
/// changed.
pub fn client(name: &str, language: Language) -> PathBuf {
    static COMPILING: Mutex<()> = Mutex::new(());
    let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    let (sources, library) = (root().join("tests/c"), library());
    let folder = folder("");
    let suffix = if language == Language::C11 { "" } else { "_cxx" };
    let (source, program) = (sources.join(format!("{name}.c")), folder.join(format!("{name}{suffix}")));
    let inputs = headers::files().into_iter().chain([source.clone(), library.clone()]);
    let newest = inputs.map(|input| modified(&input).expect("an input of the client")).max();
    if modified(&program) > newest.max(newest_header(&sources)) {
        return program;
    }
    let mut compiler = language.compiler(Mpi::selected());
    if language == Language::Cxx17 {
        compiler.args(["-x", "c++"]);
    }
    // Functions of a client may be resolved by name.
    compiler.args(["-O1", "-rdynamic"]).arg(&source).args(["-x", "none"]).arg("-o").arg(&program);
    let folder = library.parent().expect("a file lies in a folder");
    compiler.arg("-L").arg(folder).args(["-lhcube", "-pthread", "-lm"]);
    output(compiler.arg(format!("-Wl,-rpath,{}", folder.display())));
    program
}
