//! The preload library, and programs that do not use hcube's functions and run under it.

use super::{Language, Launch, Mpi, Outcome, by_mpi, folder, numbered, output, root};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// The preload library of the build under test.
pub fn library() -> PathBuf {
    super::built::artifact("libhcube_preload.so")
}

/// The library in the place of `p?gemm_` of the build under test.
pub fn pblas_library() -> PathBuf {
    super::built::artifact("libhcube_pblas.so")
}

/// BSPlib of the build under test.
pub fn bsp_library() -> PathBuf {
    super::built::artifact("libhcube_bsp.so")
}

/// The argument of `env` that has the library preloaded.
pub fn preload_variable() -> OsString {
    let mut variable = OsString::from("LD_PRELOAD=");
    variable.push(library());
    variable
}

/// Compiles a client under this name, unless that has been done since its source changed.
fn compiled(mut compiler: Command, source: &Path, name: &str) -> PathBuf {
    static COMPILING: Mutex<()> = Mutex::new(());
    let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = folder("preload");
    let program = folder.join(name);
    if super::modified(&program) <= super::modified(source) {
        output(compiler.arg("-O1").arg(source).arg("-o").arg(&program));
    }
    program
}

/// tests/c/preload.c for an MPI library, which need not be the selected one. It is not linked to hcube.
pub fn c_client(language: Language, mpi: Mpi) -> PathBuf {
    let mut compiler = language.compiler(mpi);
    if language == Language::Cxx17 {
        compiler.args(["-x", "c++"]);
    }
    compiled(compiler, &root().join("tests/c/preload.c"), &format!("{language:?}-{}", mpi.name()))
}

/// Whether the MPI library has Fortran's bindings and their compiler wrapper; wheels have not. A test that
/// needs them is skipped where this is false.
pub fn has_fortran() -> bool {
    let wrapper = format!("mpifort.{}", Mpi::selected().name());
    let found = Command::new(&wrapper).arg("--version").output().is_ok();
    if !found {
        super::skip("mpi-fortran", &format!("no {wrapper}"));
    }
    found
}

/// tests/fortran/preload.F90 with one of Fortran's bindings: 1 for mpif.h, 2 for `use mpi`, 3 for
/// `use mpi_f08`.
pub fn fortran_client(binding: usize) -> PathBuf {
    let mpi = Mpi::selected().name();
    let mut compiler = Command::new(format!("mpifort.{mpi}"));
    // The old bindings declare no interfaces: gfortran finds that buffers differ in type among calls.
    compiler.args(["-fallow-argument-mismatch", "-w"]).arg(format!("-DBINDING={binding}"));
    compiled(compiler, &root().join("tests/fortran/preload.F90"), &format!("fortran-{binding}-{mpi}"))
}

/// A Python on the search path whose mpi4py stands on the selected MPI library.
pub fn python() -> Option<PathBuf> {
    let wanted = match Mpi::selected() {
        Mpi::Open => "Open MPI",
        Mpi::Mpich => "MPICH",
    };
    let ask = "import mpi4py; mpi4py.rc.initialize = False\n\
               from mpi4py import MPI; print(MPI.Get_library_version())";
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("python3")).find(|python| {
        let answer = Command::new(python).args(["-c", ask]).output();
        answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).starts_with(wanted))
    })
}

/// A program that runs with one of hcube's libraries, which writes statistics.
#[derive(Debug)]
pub struct Counted<S> {
    launch: Launch,
    file: StatisticsFile,
    statistics: PhantomData<S>,
}

/// A program under the preload library.
pub type Preloaded = Counted<Statistics>;

impl Preloaded {
    /// As a user starts it: `mpirun ... env LD_PRELOAD=... program`. The name appears in the statistics.
    pub fn new(name: &str, program: impl Into<OsString>, ranks: usize) -> Self {
        let launch = Launch::new("env", ranks).arg(preload_variable()).arg(program.into());
        Self::of(&format!("{name}-{ranks}"), launch)
    }
}

impl<S: From<Value>> Counted<S> {
    /// With statistics of this name.
    pub(crate) fn of(name: &str, launch: Launch) -> Self {
        let file = StatisticsFile::new(name);
        Self { launch: launch.env("HCUBE_STATS", &file.variable()), file, statistics: PhantomData }
    }

    /// Changes how it is started.
    pub fn with(mut self, change: impl FnOnce(Launch) -> Launch) -> Self {
        self.launch = change(self.launch);
        self
    }

    pub fn run(self) -> (Outcome, Option<S>) {
        let outcome = self.launch.run();
        (outcome, self.file.read())
    }

    /// Standard output and statistics of a run in which all goes well.
    pub fn success(self) -> (String, S) {
        let (outcome, statistics) = self.run();
        let errors = outcome.stderr.clone();
        let text = outcome.success();
        (text, statistics.unwrap_or_else(|| panic!("no statistics:\n{errors}")))
    }
}

/// Where a job writes its statistics.
#[derive(Debug)]
pub struct StatisticsFile(PathBuf);

impl StatisticsFile {
    /// Removes what an earlier job has written under this name.
    pub fn new(name: &str) -> Self {
        let path = folder("preload").join(format!("{}.json", numbered(name)));
        let _ = fs::remove_file(&path);
        Self(path)
    }

    /// The value of `HCUBE_STATS`.
    pub fn variable(&self) -> String {
        format!("json:{}", self.0.display())
    }

    /// The statistics, if the job has written them.
    pub fn read<S: From<Value>>(&self) -> Option<S> {
        let text = fs::read_to_string(&self.0).ok()?;
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        Some(value.into())
    }
}

impl Drop for StatisticsFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// What `HCUBE_STATS=json:FILE` has written; hpcc-glue/mpi/README.md describes it.
#[derive(Debug)]
pub struct Statistics(Value);

impl From<Value> for Statistics {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl Statistics {
    pub fn ranks(&self) -> usize {
        self.0["ranks"].as_u64().expect("a number") as usize
    }

    /// What the MPI library says of itself.
    pub fn mpi(&self) -> String {
        self.0["mpi"].as_str().expect("a text").to_owned()
    }

    /// Rows of an operation: its path, calls and bytes.
    pub fn rows(&self, operation: &str, in_place: bool) -> Vec<(&str, u64, u64)> {
        let rows = self.0["rows"].as_array().expect("an array").iter();
        rows.filter(|row| row["operation"] == operation && row["in_place"] == in_place)
            .map(|row| {
                let number = |name: &str| row[name].as_u64().expect("a number");
                (row["path"].as_str().expect("a text"), number("calls"), number("bytes"))
            })
            .collect()
    }

    /// Calls and bytes of an operation by all paths together.
    pub fn total(&self, operation: &str, in_place: bool) -> (u64, u64) {
        self.rows(operation, in_place)
            .iter()
            .fold((0, 0), |sum, &(_, calls, bytes)| (sum.0 + calls, sum.1 + bytes))
    }

    /// Calls of all operations by a path.
    pub fn calls_by(&self, path: &str) -> u64 {
        let rows =
            OPERATIONS.iter().flat_map(|operation| [false, true].map(|place| self.rows(operation, place)));
        rows.flatten().filter(|row| row.0 == path).map(|row| row.1).sum()
    }

    /// Calls of all operations that hcube has made.
    pub fn served(&self) -> u64 {
        let all: u64 = self.0["rows"]
            .as_array()
            .expect("an array")
            .iter()
            .map(|row| row["calls"].as_u64().expect("a number"))
            .sum();
        all - self.calls_by("library") - self.calls_by("refused")
    }

    /// Why calls were forwarded.
    pub fn reasons(&self) -> Vec<&str> {
        let rows = self.0["rows"].as_array().expect("an array").iter();
        rows.filter_map(|row| row["reason"].as_str()).filter(|reason| !reason.is_empty()).collect()
    }
}

const OPERATIONS: [&str; 3] = ["MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"];
/// Calls that a client makes of each operation on each rank, out of place and in place.
pub const CALLS: [u64; 2] = [2, 3];
/// Elements that a client sends to a rank: by `MPI_Alltoall`, and by the others according to the ranks.
const LONGEST: u64 = 3;

/// That all calls of a client have been counted, and hcube has served those in place. `forms` is the
/// number of functions by which a client calls each operation.
pub fn served(statistics: &Statistics, ranks: usize, forms: u64) {
    assert_eq!(statistics.ranks(), ranks, "{statistics:?}");
    let all = ranks as u64;
    let pairs = || (0..all).flat_map(|one| (0..all).map(move |other| (one, other)));
    let elements = |operation: &str| -> u64 {
        let length =
            |(one, other)| if operation == OPERATIONS[0] { LONGEST } else { 1 + (one + other) % LONGEST };
        pairs().filter(|(one, other)| one != other).map(length).sum()
    };
    for operation in OPERATIONS {
        for (calls, in_place) in CALLS.into_iter().zip([false, true]) {
            let expected =
                (forms * calls * all, forms * calls * elements(operation) * size_of::<i32>() as u64);
            let counted = statistics.total(operation, in_place);
            assert_eq!(
                counted, expected,
                "calls and bytes of {operation}, in place {in_place}: {statistics:?}"
            );
        }
        for (path, ..) in statistics.rows(operation, true) {
            assert!(
                !["library", "refused"].contains(&path),
                "{operation} in place by {path}: {statistics:?}"
            );
        }
    }
}

/// With MPI-4 the client calls the functions with large counts as well.
pub fn c_forms() -> u64 {
    by_mpi(1, 2)
}
