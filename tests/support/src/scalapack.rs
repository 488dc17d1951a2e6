//! Programs that use ScaLAPACK, without hcube and with its library for PBLAS.

use super::preload::{Counted, pblas_library};
use super::{Launch, Mpi, build, folder, modified, newest_header, output, root};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The routines that hcube takes over.
pub const ROUTINES: [&str; 4] = ["psgemm", "pdgemm", "pcgemm", "pzgemm"];

/// The argument of `env` that has it preloaded.
pub fn preload_variable() -> OsString {
    let mut variable = OsString::from("LD_PRELOAD=");
    variable.push(pblas_library());
    variable
}

/// The linker's name of ScaLAPACK for the selected MPI library.
pub fn scalapack() -> String {
    format!("-lscalapack-{}", Mpi::selected().name())
}

/// Whether programs can be linked to ScaLAPACK; a test that needs that is skipped where it returns false.
pub fn available() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let found = *FOUND.get_or_init(|| {
        let source = folder("scalapack").join("probe.c");
        fs::write(&source, "int main(void) { return 0; }\n").expect("the target directory is writable");
        let mut compiler = Command::new(format!("mpicc.{}", Mpi::selected().name()));
        compiler.arg(&source).arg("-o").arg(source.with_extension("")).arg(scalapack());
        compiler.output().is_ok_and(|output| output.status.success())
    });
    if !found {
        super::skip("scalapack", &format!("no ScaLAPACK for {}", Mpi::selected().name()));
    }
    found
}

/// The folder of the distribution's testers of ScaLAPACK, with PBLAS' testers in the folder PBLAS.
pub fn testers() -> Option<PathBuf> {
    let found = fs::read_dir("/usr/lib").into_iter().flatten().flatten().find_map(|entry| {
        let folder = entry.path().join(format!("scalapack/{}-tests", Mpi::selected().name()));
        folder.join("PBLAS/dpb3tst").exists().then_some(folder)
    });
    if found.is_none() {
        super::skip("scalapack-testers", &format!("no testers of ScaLAPACK for {}", Mpi::selected().name()));
    }
    found
}

/// Compiles tests/c/`name`.c with further arguments, unless that has been done since it was changed, where
/// ScaLAPACK is. `variant` distinguishes programs of the same source.
pub fn client(name: &str, variant: &str, arguments: &[&str]) -> Option<PathBuf> {
    let sources = root().join("tests/c");
    let source = sources.join(format!("{name}.c"));
    let mut compiler = super::Language::C11.compiler(Mpi::selected());
    compiler.arg("-O1");
    compiled(compiler, &source, newest_header(&sources), &format!("{name}{variant}"), arguments)
}

/// The same for a program in Fortran.
pub fn fortran_client(name: &str, arguments: &[&str]) -> Option<PathBuf> {
    let source = root().join(format!("tests/fortran/{name}.f90"));
    let compiler = Command::new(format!("mpifort.{}", Mpi::selected().name()));
    compiled(compiler, &source, None, &format!("{name}-fortran"), arguments)
}

fn compiled(
    mut compiler: Command,
    source: &Path,
    headers: Option<std::time::SystemTime>,
    name: &str,
    arguments: &[&str],
) -> Option<PathBuf> {
    if !available() {
        return None;
    }
    static COMPILING: Mutex<()> = Mutex::new(());
    let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    let program = folder("scalapack").join(name);
    let newest = modified(source).max(headers).max(modified(&pblas_library()));
    if modified(&program) <= newest {
        compiler.arg(source).arg("-o").arg(&program).args(arguments);
        output(compiler.args([&scalapack(), "-lm", "-pthread"]));
    }
    Some(program)
}

/// Options of the linker by which a program gets hcube before ScaLAPACK, also where it names no routine of
/// it.
pub fn link_options() -> Vec<String> {
    let folder = build();
    let folder = folder.display();
    vec![
        format!("-L{folder}"),
        format!("-Wl,-rpath,{folder}"),
        "-Wl,--push-state,--no-as-needed".to_owned(),
        "-lhcube_pblas".to_owned(),
        "-Wl,--pop-state".to_owned(),
    ]
}

/// A launch in which every rank computes with one thread.
pub fn stock(program: impl Into<OsString>, ranks: usize) -> Launch {
    Launch::new(program, ranks).env("OPENBLAS_NUM_THREADS", "1")
}

/// A program with hcube and statistics.
pub type WithHcube = Counted<Statistics>;

impl WithHcube {
    /// By preloading; the name appears in the statistics.
    pub fn preloaded(name: &str, program: impl Into<OsString>, ranks: usize) -> Self {
        Self::of(name, stock("env", ranks).arg(preload_variable()).arg(program.into()))
    }

    /// A program that is linked to it.
    pub fn linked(name: &str, program: impl Into<OsString>, ranks: usize) -> Self {
        Self::of(name, stock(program, ranks))
    }
}

/// What `HCUBE_STATS=json:FILE` has written.
#[derive(Debug)]
pub struct Statistics(Value);

impl From<Value> for Statistics {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl Statistics {
    fn rows(&self) -> impl Iterator<Item = &Value> {
        self.0["rows"].as_array().expect("an array").iter()
    }

    fn sum(&self, figure: &str, which: impl Fn(&Value) -> bool) -> u64 {
        self.rows().filter(|row| which(row)).map(|row| row[figure].as_u64().expect("a number")).sum()
    }

    /// Calls of a routine that hcube has computed, summed over ranks.
    pub fn served(&self, routine: &str) -> u64 {
        self.sum("calls", |row| row["routine"] == routine && row["path"] != "library")
    }

    /// Calls of all routines that hcube has computed.
    pub fn all_served(&self) -> u64 {
        ROUTINES.iter().map(|routine| self.served(routine)).sum()
    }

    /// Calls of all routines on a path.
    pub fn by_path(&self, path: &str) -> u64 {
        self.sum("calls", |row| row["path"] == path)
    }

    /// Bytes that hcube has sent to other nodes.
    pub fn bytes(&self) -> u64 {
        self.sum("bytes", |row| row["path"] != "library")
    }

    /// Calls that were forwarded to ScaLAPACK for a reason.
    pub fn left(&self, reason: &str) -> u64 {
        self.sum("calls", |row| row["reason"] == reason)
    }

    /// Calls that were forwarded to ScaLAPACK.
    pub fn all_left(&self) -> u64 {
        self.by_path("library")
    }

    /// Extra memory of a rank in bytes, at most.
    pub fn memory(&self) -> u64 {
        self.rows().map(|row| row["memory_max"].as_u64().expect("a number")).max().unwrap_or(0)
    }
}
