//! The suite on disk: its tarball, which scripts/setup.sh downloads, and its compiled programs.

use super::programs::Program;
use hcube_testing::gfortran::check_linked;
use hcube_testing::{Mpi, build, folder, output, root, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The common modules of the programs, in the order of compilation. Paths are relative to the folder src of
/// OpenCoarrays.
const SHARED: [&str; 4] = [
    "runtime-libraries/mpi/opencoarrays.F90",
    "tests/utilities/opencoarrays_object_interface.f90",
    "tests/utilities/oc_assertions_interface.F90",
    "tests/utilities/oc_assertions_implementation.F90",
];

/// What the suite asks the compiler for, and finds with gfortran 12.
const DEFINITIONS: [&str; 3] =
    ["-DHAVE_ERROR_STOP_IN_PURE", "-DHAVE_VARIABLE_STOP_CODE", "-DUSE_ASSERTIONS=.true."];

/// The suite.
#[derive(Debug)]
pub struct Suite {
    /// The folder src of OpenCoarrays.
    source: PathBuf,
    /// Its compiled programs.
    made: PathBuf,
    /// When the tarball was written.
    written: SystemTime,
    shared: OnceLock<Vec<PathBuf>>,
}

/// The suite, unpacked; the test is skipped where there is no tarball.
pub fn suite() -> Option<&'static Suite> {
    static SUITE: OnceLock<Option<Suite>> = OnceLock::new();
    let suite = SUITE.get_or_init(Suite::unpack).as_ref();
    if suite.is_none() {
        skip("opencoarrays-tests", "no source of OpenCoarrays; scripts/setup.sh opencoarrays downloads it");
    }
    suite
}

impl Suite {
    fn unpack() -> Option<Self> {
        let tarball = root().join("target/opencoarrays/source/opencoarrays.tar");
        let written = modified(&tarball)?;
        let made = folder("opencoarrays-tests");
        let (source, stamp) = (made.join("src"), made.join("unpacked"));
        if modified(&stamp) <= Some(written) {
            drop(fs::remove_dir_all(&made));
            fs::create_dir_all(&made).expect("the target directory is writable");
            let mut tar = Command::new("tar");
            tar.arg("-xf").arg(&tarball).arg("-C").arg(&made);
            output(tar.args([
                "--strip-components=1",
                "--wildcards",
                "*/src/tests",
                "*/src/runtime-libraries",
            ]));
            // The configuration of one of the programs.
            let chosen =
                "tests/integration/pde_solvers/coarrayBurgers/include-files/gfortran_capabilities.txt";
            let copied = fs::copy(source.join(chosen), made.join("compiler_capabilities.txt"));
            copied.expect("a file of the suite");
            fs::write(&stamp, "").expect("the target directory is writable");
        }
        Some(Self { source, made, written, shared: OnceLock::new() })
    }

    /// Fortran files in folders of the suite, by their paths from src/tests on.
    pub fn files(&self, folders: &[&str]) -> Vec<String> {
        let tests = self.source.join("tests");
        let mut left: Vec<PathBuf> = folders.iter().map(|folder| tests.join(folder)).collect();
        let mut files = Vec::new();
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(&folder).expect("a folder of the suite").flatten() {
                let path = entry.path();
                let is_fortran = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("f90"));
                if path.is_dir() {
                    left.push(path);
                } else if is_fortran {
                    let path = path.strip_prefix(&tests).expect("a file of the suite");
                    files.push(path.to_str().expect("an ASCII name").to_owned());
                }
            }
        }
        files.sort();
        files
    }

    /// A compiler that finds modules of the suite and of MPI, and writes modules into a folder.
    fn compiler(&self, modules: &Path) -> Command {
        fs::create_dir_all(modules).expect("the target directory is writable");
        let mut compiler = Command::new(format!("mpifort.{}", Mpi::selected().name()));
        compiler.args(["-O0", "-w", "-cpp", "-fcoarray=lib", "-fallow-argument-mismatch", "-J"]).arg(modules);
        compiler.args(DEFINITIONS).arg("-I").arg(&self.made).arg("-I").arg(self.made.join("shared"));
        compiler
    }

    /// Objects of what the programs share.
    fn shared(&self) -> &[PathBuf] {
        self.shared.get_or_init(|| {
            let folder = self.made.join("shared");
            let compile = |source: &&str| {
                let stem = Path::new(source).file_stem().expect("a file of the suite");
                let object = folder.join(stem).with_extension("o");
                let mut compiler = self.compiler(&folder);
                output(compiler.arg("-c").arg(self.source.join(source)).arg("-o").arg(&object));
                object
            };
            SHARED.iter().map(compile).collect()
        })
    }

    /// Compiles a program, unless that has been done since the tarball was written, after a check that hcube
    /// serves all its calls of a coarray library.
    pub fn program(&self, of: &Program) -> PathBuf {
        let program = self.made.join(of.name);
        if modified(&program) > Some(self.written) {
            return program;
        }
        let mut compiler = self.compiler(&self.made.join(format!("{}.modules", of.name)));
        let [others @ .., main] = of.sources else { panic!("{} has no file", of.name) };
        compiler.args(others.iter().map(|source| self.source.join("tests").join(source)));
        compiler.arg(self.main(of, main)).args(self.shared());
        let libraries = build();
        compiler.arg("-L").arg(&libraries).arg(format!("-Wl,-rpath,{}", libraries.display()));
        // Whole before its check, so that the next run does not take it for one that was checked.
        let new = program.with_extension("new");
        output(compiler.arg("-lhcube_caf").arg("-o").arg(&new));
        check_linked(&new);
        fs::rename(&new, &program).expect("the target directory is writable");
        program
    }

    /// The file of the main program, corrected where it has to be.
    fn main(&self, of: &Program, main: &str) -> PathBuf {
        let path = self.source.join("tests").join(main);
        let Some((wrong, right)) = of.correction else { return path };
        let text = fs::read_to_string(&path).expect("a file of the suite");
        assert_eq!(text.matches(wrong).count(), 1, "{main}: '{wrong}' is to be corrected");
        let corrected = self.made.join(format!("{}.f90", of.name));
        fs::write(&corrected, text.replace(wrong, right)).expect("the target directory is writable");
        corrected
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}
