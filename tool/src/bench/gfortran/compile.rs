//! The programs: compiled once, and linked to each library.

use super::arguments::Arguments;
use crate::bench::library::own_files;
use crate::launcher;
use crate::output;
use crate::session::Failure;
use hcube_core::error::reason;
use hcube_results::gfortran::{HCUBE, MPI, OPENCOARRAYS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A source by its name, contained in the tool.
macro_rules! sources {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../../hpcc-glue/gfortran/bench/", $name, ".f90")))),*]
    };
}

/// Files in C: the counters, and MPI for [`INTERFACE`].
const HEADER: (&str, &str) = ("counters.h", include_str!("../../../../hpcc-glue/bench/counters.h"));
const COUNTERS: (&str, &str) = ("counters", include_str!("../../../../hpcc-glue/bench/counters.c"));
const CALLS: (&str, &str) = ("mpi_calls", include_str!("../../../../hpcc-glue/gfortran/bench/mpi_calls.c"));

/// Without communication.
const COMMON: [(&str, &str); 3] = sources!("repetitions", "grids", "matrices");
/// With coarrays. Modules come before their users.
const COARRAYS: [(&str, &str); 7] =
    sources!("images", "transfers", "statements", "operations", "halo", "transposition", "programs");
/// With MPI.
const MESSAGES: [(&str, &str); 4] = sources!("ranks", "mpi_halo", "mpi_transposition", "mpi_programs");
/// In the place of the module of an MPI library that has none.
const INTERFACE: [(&str, &str); 1] = sources!("mpi_interface");

/// The objects of the programs.
const OPERATIONS: [&str; 6] = ["counters", "repetitions", "images", "transfers", "statements", "operations"];
const PROGRAMS: [&str; 8] =
    ["counters", "repetitions", "images", "grids", "matrices", "halo", "transposition", "programs"];
const MPI_PROGRAMS: [&str; 8] = [
    "counters",
    "repetitions",
    "ranks",
    "grids",
    "matrices",
    "mpi_halo",
    "mpi_transposition",
    "mpi_programs",
];

/// The programs of a library.
#[derive(Debug)]
pub struct Variant {
    pub name: &'static str,
    /// The library in texts.
    pub library: String,
    /// The program of statements, where it exists, and the program with halos and transpositions.
    pub statements: Option<PathBuf>,
    pub programs: PathBuf,
}

/// Compilers and where they write.
pub struct Compiler<'a> {
    arguments: &'a Arguments,
    folder: &'a Path,
    mpi: &'a str,
    /// The compiler with the options of MPI.
    wrapper: String,
    /// Whether the wrapper compiles Fortran; otherwise it compiles C.
    has_fortran: bool,
}

/// Runs a compiler; its messages where it fails.
fn execute(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {}", reason(&error)))?;
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(format!("{program}: {}", if messages.is_empty() { output.status.to_string() } else { messages }))
}

/// Whether the library serves programs of this compiler.
fn is_served(version: &str) -> bool {
    let major = version.trim().split('.').next().and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| (12..15).contains(&major))
}

impl<'a> Compiler<'a> {
    /// Finds the compilers.
    pub fn new(arguments: &'a Arguments, folder: &'a Path, mpi: &'a str) -> Result<Self, Failure> {
        let name = &arguments.compiler;
        let refuse = |what: &str| {
            format!("--compiler = {name}: {what}: expected gfortran 12 to 14, which libhcube_caf.so serves")
        };
        let output = Command::new(name).arg("-dumpversion").output();
        let output = output.map_err(|error| refuse(&reason(&error)))?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if !is_served(&version) {
            return Err(refuse(&format!("version '{version}'")));
        }
        let names = match &arguments.mpi_compiler {
            Some(name) => vec![name.clone()],
            None => vec![format!("mpifort.{mpi}"), "mpifort".to_owned()],
        };
        let wrapper = names.iter().find(|name| launcher::exists(name) || Path::new(name).is_file());
        let wrapper = wrapper.ok_or_else(|| {
            format!("none of {} is in the search path (--mpi-compiler names another)", names.join(", "))
        })?;
        let file = Path::new(wrapper).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let has_fortran = !file.starts_with("mpicc");
        Ok(Self { arguments, folder, mpi, wrapper: wrapper.clone(), has_fortran })
    }

    /// The compiler of Fortran.
    fn fortran(&self) -> Command {
        Command::new(&self.arguments.compiler)
    }

    /// The compiler wrapper of MPI, around the same compiler.
    fn with_mpi(&self) -> Command {
        let mut command = Command::new(&self.wrapper);
        command.env("OMPI_FC", &self.arguments.compiler).env("MPICH_FC", &self.arguments.compiler);
        command
    }

    fn compile(&self, mut command: Command, source: (&str, &str)) -> Result<(), Failure> {
        command.arg("-J").arg(self.folder);
        self.compile_as("f90", command, source)
    }

    fn compile_as(
        &self,
        ending: &str,
        mut command: Command,
        (name, text): (&str, &str),
    ) -> Result<(), Failure> {
        let source = self.folder.join(name).with_extension(ending);
        fs::write(&source, text).map_err(output::failure(&source))?;
        execute(command.args(["-O2", "-c"]).arg(&source).arg("-o").arg(self.object(name)))
    }

    /// What programs in Fortran need from a linker for C.
    fn runtime(&self) -> Result<Vec<String>, Failure> {
        if self.has_fortran {
            return Ok(Vec::new());
        }
        let mut command = self.fortran();
        let output = command.arg("-print-file-name=libgfortran.so").output();
        let output = output.map_err(|error| format!("{}: {}", self.arguments.compiler, reason(&error)))?;
        Ok(vec![String::from_utf8_lossy(&output.stdout).trim().to_owned(), "-lm".to_owned()])
    }

    fn object(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension("o")
    }

    /// Links objects to a program, in front of what `finish` adds.
    fn link(
        &self,
        mut command: Command,
        objects: &[&str],
        program: &str,
        finish: impl Fn(&mut Command),
    ) -> Result<PathBuf, Failure> {
        let program = self.folder.join(program);
        command.args(objects.iter().map(|name| self.object(name))).arg("-o").arg(&program);
        finish(&mut command);
        if command.get_program() == self.wrapper.as_str() {
            command.args(self.runtime()?);
        }
        execute(&mut command)?;
        Ok(program)
    }

    /// Links both programs with coarrays.
    fn with_coarrays(
        &self,
        name: &'static str,
        library: String,
        command: impl Fn() -> Command,
        finish: impl Fn(&mut Command),
    ) -> Result<Variant, Failure> {
        let statements = self.link(command(), &OPERATIONS, &format!("operations-{name}"), &finish)?;
        let programs = self.link(command(), &PROGRAMS, &format!("programs-{name}"), &finish)?;
        Ok(Variant { name, library, statements: Some(statements), programs })
    }

    fn hcube(&self) -> Result<Variant, Failure> {
        const NAME: &str = "libhcube_caf.so";
        let found = match &self.arguments.caf {
            Some(file) => vec![file.clone()],
            None => own_files(NAME, self.mpi),
        };
        let file = found.iter().find_map(|file| file.canonicalize().ok());
        let file = file.ok_or_else(|| {
            format!("--caf = {}: expected the file {NAME}, which make builds", found[0].display())
        })?;
        let folder = file.parent().unwrap_or(Path::new("/")).display().to_string();
        let finish = |command: &mut Command| {
            command.arg(&file).arg(format!("-Wl,-rpath,{folder}"));
        };
        let library = file.display().to_string();
        self.with_coarrays(HCUBE, library, || self.fortran(), finish)
    }

    fn opencoarrays(&self) -> Result<Variant, Failure> {
        if let Some(file) = &self.arguments.opencoarrays {
            let file = file
                .canonicalize()
                .map_err(|error| format!("--opencoarrays = {}: {}", file.display(), reason(&error)))?;
            let folder = file.parent().unwrap_or(Path::new("/")).display().to_string();
            return self.with_coarrays(
                OPENCOARRAYS,
                file.display().to_string(),
                || self.with_mpi(),
                |command| {
                    command.arg(&file).arg(format!("-Wl,-rpath,{folder}"));
                },
            );
        }
        if !self.has_fortran {
            // Its usual names are those of the libraries of a distribution, which has mpifort.
            return Err(format!("none for {} was named (--opencoarrays FILE)", self.wrapper));
        }
        let mut reason = String::new();
        for name in [format!("caf_{}", self.mpi), "caf_mpi".to_owned()] {
            let option = format!("-l{name}");
            let linked = self.with_coarrays(
                OPENCOARRAYS,
                format!("lib{name}"),
                || self.with_mpi(),
                |command| {
                    command.arg(&option);
                },
            );
            match linked {
                Ok(variant) => return Ok(variant),
                Err(messages) if reason.is_empty() => reason = messages,
                Err(_) => {}
            }
        }
        let cause = reason.lines().find(|line| line.contains("caf_")).unwrap_or(&reason).to_owned();
        Err(format!("{cause} (--opencoarrays FILE names the library)"))
    }

    /// All variants that were not excluded, and notes about those that cannot be linked.
    pub fn variants(&self) -> Result<(Vec<Variant>, Vec<String>), Failure> {
        let header = self.folder.join(HEADER.0);
        fs::write(&header, HEADER.1).map_err(output::failure(&header))?;
        self.compile_as("c", self.fortran(), COUNTERS)?;
        for source in COMMON {
            self.compile(self.fortran(), source)?;
        }
        for source in COARRAYS {
            let mut command = self.fortran();
            command.arg("-fcoarray=lib");
            self.compile(command, source)?;
        }
        let (mut variants, mut notes) = (vec![self.hcube()?], Vec::new());
        if !self.arguments.no_opencoarrays {
            match self.opencoarrays() {
                Ok(variant) => variants.push(variant),
                Err(reason) if self.arguments.opencoarrays.is_some() => return Err(reason),
                Err(reason) => notes.push(format!("{OPENCOARRAYS} left out: {reason}")),
            }
        }
        if !self.arguments.no_mpi {
            variants.push(self.messages()?);
        }
        Ok((variants, notes))
    }

    /// The programs with MPI.
    fn messages(&self) -> Result<Variant, Failure> {
        let mut objects = MPI_PROGRAMS.to_vec();
        if self.has_fortran {
            // Not the module that another library needed in this folder.
            drop(fs::remove_file(self.folder.join("mpi.mod")));
        } else {
            self.compile_as("c", self.with_mpi(), CALLS)?;
            objects.push(CALLS.0);
            for source in INTERFACE {
                self.compile(self.fortran(), source)?;
            }
        }
        for source in MESSAGES {
            self.compile(if self.has_fortran { self.with_mpi() } else { self.fortran() }, source)?;
        }
        let programs = self.link(self.with_mpi(), &objects, "programs-mpi", |_| ())?;
        Ok(Variant { name: MPI, library: String::new(), statements: None, programs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_those_of_the_interface() {
        let served = ["12", "12.2.0\n", "14.1", "11", "15", "15.1.0", "", "clang"].map(is_served);
        assert_eq!(served, [true, true, true, false, false, false, false, false]);
    }

    #[test]
    fn objects_have_sources() {
        let sources = COMMON.iter().chain(&COARRAYS).chain(&MESSAGES).chain([&COUNTERS]);
        let sources: Vec<&str> = sources.map(|one| one.0).collect();
        let objects = OPERATIONS.iter().chain(&PROGRAMS).chain(&MPI_PROGRAMS);
        objects.for_each(|object| assert!(sources.contains(object), "{object}"));
    }

    #[test]
    fn a_compiler_that_fails_is_quoted() {
        let failed = execute(Command::new("sh").args(["-c", "echo wrong >&2; exit 1"]));
        assert_eq!(failed, Err("sh: wrong".to_owned()));
        assert!(execute(&mut Command::new("no-such-compiler")).is_err_and(|text| text.contains("no-such")));
    }
}
