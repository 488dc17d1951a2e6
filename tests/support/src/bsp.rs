//! Programs for BSPlib (tests/c/bsp), linked to the library under test.

use super::{Language, Launch, Mpi, build, folder, modified, newest_header, output, root};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Which names and types of BSPlib's functions a program uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `bsp_*`, the classic dialect.
    Classic,
    /// `mcbsp_*`.
    Multicore,
    /// `bsp_*`, as programs for MulticoreBSP for C have them in its compatibility mode.
    Compatible,
    /// `bsplibstd_*`.
    Standard,
}

impl Dialect {
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Classic => &[],
            Self::Multicore => &["-DBSP_MCBSP"],
            Self::Compatible => &["-DMCBSP_COMPATIBILITY_MODE", "-DBSP_MCBSP"],
            Self::Standard => &["-DSTANDARD"],
        }
    }
}

/// libhcube_bsp.so of the build under test.
pub fn library() -> PathBuf {
    super::built::artifact("libhcube_bsp.so")
}

/// Compiles tests/c/`name`.c, unless that has been done since the source, a header or the library changed.
pub fn program(name: &str, language: Language, dialect: Dialect) -> PathBuf {
    static COMPILING: Mutex<()> = Mutex::new(());
    let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    let (library, sources) = (library(), root().join("tests/c"));
    let source = sources.join(format!("{name}.c"));
    let program =
        folder("bsp").join(format!("{}-{language:?}-{dialect:?}", name.rsplit('/').next().unwrap_or(name)));
    let headers = [sources.clone(), sources.join("bsp"), root().join("include")];
    let newest = headers.iter().map(|folder| newest_header(folder)).max().flatten();
    if modified(&program) > newest.max(modified(&source)).max(modified(&library)) {
        return program;
    }
    let mut compiler = language.compiler(Mpi::selected());
    compiler.args(dialect.options());
    if language == Language::Cxx17 {
        compiler.args(["-x", "c++"]);
    }
    compiler.arg("-O1").arg(&source).args(["-x", "none"]).arg("-o").arg(&program);
    let folder = build();
    compiler.arg("-L").arg(&folder).arg("-lhcube_bsp").arg(format!("-Wl,-rpath,{}", folder.display()));
    output(&mut compiler);
    program
}

/// A program in C, in the classic dialect.
pub fn launch(name: &str, ranks: usize) -> Launch {
    Launch::new(program(name, Language::C11, Dialect::Classic), ranks).limit(60)
}

/// A program to which the kernel refuses shared memory on all processes or on the last one.
pub fn without_shared_memory(whom: &str, name: &str, ranks: usize) -> Launch {
    let program = program(name, Language::C11, Dialect::Classic);
    launch("refuse_shared_memory", ranks).arg(whom).arg(program)
}

/// The MPI library and UCX do without single copy as well, or they complain.
pub fn without_single_copy(launch: Launch) -> Launch {
    launch.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none").env("UCX_TLS", "self,posix,sysv")
}
