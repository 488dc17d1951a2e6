//! Builds the libraries and the programs that use FFTW, with hcube's transposes, and starts these.

use super::{Language, Launch, Mpi, build, folder, output, root};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// FFTW has a library for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    Double,
    Single,
    LongDouble,
}

impl Precision {
    pub const ALL: [Self; 3] = [Self::Double, Self::Single, Self::LongDouble];

    /// The suffix of library names.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Double => "",
            Self::Single => "f",
            Self::LongDouble => "l",
        }
    }

    fn flag(self) -> Option<&'static str> {
        match self {
            Self::Double => None,
            Self::Single => Some("-DSINGLE"),
            Self::LongDouble => Some("-DLONG_DOUBLE"),
        }
    }
}

/// Whether FFTW is the machine's own, so that hcube comes by preloading. Debian's is for Open MPI.
pub fn is_preloaded() -> bool {
    Mpi::selected() == Mpi::Open
}

/// Whether a test that is only about a preloaded hcube has its turn.
pub fn only_preloaded(reason: &str) -> bool {
    super::only_with(Mpi::Open, reason)
}

/// The precisions that there are: the patched FFTW has one.
pub fn precisions() -> &'static [Precision] {
    if is_preloaded() { &Precision::ALL } else { &Precision::ALL[..1] }
}

/// The ranks that the selected MPI is tested with. MPICH never yields where there are more ranks than
/// cores.
pub fn ranks() -> std::ops::RangeInclusive<usize> {
    if is_preloaded() { 1..=5 } else { 1..=2 }
}

/// One of these lists, the second for MPICH.
pub fn counts(openmpi: &'static [usize], mpich: &'static [usize]) -> &'static [usize] {
    if is_preloaded() { openmpi } else { mpich }
}

/// Whether FFTW's source is there, from which the programs are built; a test that needs it is skipped where
/// it is not.
pub fn has_source() -> bool {
    let files = fs::read_dir(root().join("target/fftw/source")).into_iter().flatten().flatten();
    let found = files.map(|file| file.file_name()).any(|name| name.to_string_lossy().ends_with(".tar.gz"));
    if !found {
        super::skip("fftw", "no source of FFTW: run scripts/setup.sh build fftw");
    }
    found
}

/// Has scripts/build-fftw.sh make what is not there or out of date.
fn built() {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        // FFTW is linked with it, so it must be up to date.
        super::library();
        let mut script = Command::new(root().join("scripts/build-fftw.sh"));
        script.env("MPI", Mpi::selected().name());
        if cfg!(hcube_fault) {
            script.env("BUILD", build());
        }
        output(script.args(if is_preloaded() { &["plugin", "bench"][..] } else { &["patched"] }));
    });
}

/// The library to preload for a precision.
pub fn plugin(precision: Precision) -> PathBuf {
    built();
    build().join(format!("libhcube_fftw{}.so", precision.suffix()))
}

/// A folder of what was built from FFTW's sources for the selected MPI.
pub fn products() -> PathBuf {
    built();
    if cfg!(hcube_fault) {
        build().join("fftw")
    } else {
        root().join("target/fftw").join(Mpi::selected().name())
    }
}

/// FFTW's own benchmark and test program.
pub fn mpi_bench(precision: Precision) -> PathBuf {
    if is_preloaded() {
        products().join(format!("mpi-bench{}", precision.suffix()))
    } else {
        products().join("patched/mpi/mpi-bench")
    }
}

/// How a client gets at FFTW and, in some of them, at hcube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linked {
    /// With FFTW only.
    Plain,
    /// With hcube's library for FFTW as well.
    Shared,
    /// With archives of both.
    Static,
}

/// Names FFTW's libraries to the compiler.
fn link(compiler: &mut Command, precision: Precision, linked: Linked) {
    let suffix = precision.suffix();
    let folder = super::library().parent().expect("a file lies in a folder").to_path_buf();
    if !is_preloaded() {
        let patched = products().join("patched");
        compiler.arg("-L").arg(patched.join("mpi/.libs")).arg("-L").arg(patched.join(".libs"));
        compiler.args(["-lfftw3_mpi", "-lfftw3"]).arg("-L").arg(folder).args(["-lhcube", "-lm", "-pthread"]);
        return;
    }
    let fftw = ["_threads", "_mpi", ""].map(|part| format!("fftw3{suffix}{part}"));
    match linked {
        Linked::Plain => {}
        Linked::Shared => {
            compiler.arg(format!("-Wl,-rpath,{}", build().display())).arg("-L").arg(build());
            compiler
                .arg(format!("-Wl,-rpath-link,{}", folder.display()))
                .arg(format!("-lhcube_fftw{suffix}"));
        }
        Linked::Static => {
            let archive = plugin(precision).with_extension("a");
            compiler.arg(archive).arg("-L").arg(folder).arg("-lhcube");
        }
    }
    for library in fftw {
        let exact = format!("-l:lib{library}.a");
        compiler.arg(if linked == Linked::Static { exact } else { format!("-l{library}") });
    }
    compiler.args(["-lm", "-pthread"]);
}

/// Compiles tests/c/`name`.c.
pub fn linked_client(name: &str, precision: Precision, linked: Linked) -> PathBuf {
    built();
    let folder = folder("");
    let program = folder.join(format!("{name}-{}{linked:?}", precision.suffix()));
    super::made_once(program, |program| {
        let mut compiler = Language::C11.compiler(Mpi::selected());
        if is_preloaded() {
            compiler.arg("-DWITH_THREADS");
        } else {
            let patched = products().join("patched");
            compiler.arg("-I").arg(patched.join("api")).arg("-I").arg(patched.join("mpi"));
        }
        compiler.args(precision.flag()).arg("-O1").arg(root().join(format!("tests/c/{name}.c")));
        link(compiler.arg("-o").arg(program), precision, linked);
        output(&mut compiler);
    })
}

/// tests/fortran/fftw_client.f90.
pub fn fortran_client() -> PathBuf {
    built();
    let program = build().join("clients/fftw_fortran");
    fs::create_dir_all(build().join("clients")).expect("the target directory is writable");
    let mut compiler = Command::new(format!("mpifort.{}", Mpi::selected().name()));
    // FFTW's interfaces have input and output as two arguments, which in place are one array.
    compiler.args(["-w", "-O1", "-I/usr/include", "-o"]).arg(&program);
    compiler.arg(root().join("tests/fortran/fftw_client.f90"));
    link(&mut compiler, Precision::Double, Linked::Plain);
    output(&mut compiler);
    program
}

/// A program without hcube. Waiting ranks yield, as if they were oversubscribed: FFTW's planner
/// exchanges many small messages, and any other load would delay tests.
pub fn alone(program: impl Into<OsString>, ranks: usize) -> Launch {
    Launch::new(program, ranks).env("OMPI_MCA_mpi_yield_when_idle", "1")
}

/// A program that gets hcube as a user of the selected MPI gives it.
pub fn with_hcube(program: &Path, precision: Precision, ranks: usize) -> Launch {
    if !is_preloaded() {
        return alone(program, ranks);
    }
    let mut preload = OsString::from("LD_PRELOAD=");
    preload.push(plugin(precision));
    alone("env", ranks).arg(preload).arg(program)
}

/// A client with hcube that serves all transpositions that it supports.
pub fn always(name: &str, precision: Precision, ranks: usize) -> Launch {
    with_hcube(&linked_client(name, precision, Linked::Plain), precision, ranks).env("HCUBE_FFTW", "always")
}

/// The line that a client ends with.
#[derive(Debug)]
pub struct Line(String);

impl Line {
    /// Of a run that must succeed.
    pub fn of(launch: Launch) -> Self {
        Self::in_text(&launch.run().success())
    }

    pub fn in_text(text: &str) -> Self {
        let line = text.lines().find(|line| line.starts_with("ok "));
        Self(line.unwrap_or_else(|| panic!("no line of success:\n{text}")).to_owned())
    }

    /// A figure by its name.
    pub fn count(&self, name: &str) -> i64 {
        let value = self.0.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("no '{name}' in {}", self.0)).parse().expect("a number")
    }

    /// That hcube has planned all that it can, which is something.
    pub fn all_planned(&self, context: &str) {
        assert!(self.count("hcube") > 0 && self.count("missed") == 0, "{context}: {}", self.0);
    }
}
