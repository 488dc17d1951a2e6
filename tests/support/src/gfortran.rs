//! Fortran programs with coarrays (tests/gfortran), linked to the library under test.

pub mod arrays;
pub mod components;
mod section;
mod types;

use super::{Launch, Mpi, build, folder, modified, output, root, session};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// The end of every random program.
const PROCEDURES: &str = "
  ! The images with which an image has to do.
  subroutine partners(image, one, two)
    integer, intent(in) :: image, one, two
    to = modulo(image - 1 + one, n) + 1
    from = modulo(image - 1 + two, n) + 1
  end subroutine

  elemental real(8) function wrap(value)
    real(8), intent(in) :: value
    wrap = modulo(value, 64d0) - 20
  end function

  subroutine wrong(round, name)
    integer, intent(in) :: round
    character(*), intent(in) :: name
    print '(a, i0, a, i0, 2a)', 'image ', me, ', statement ', round, ': ', name
    error stop 'the elements differ from the model'
  end subroutine
end program
";

/// libhcube_caf.so of the build under test.
pub fn library() -> PathBuf {
    super::built::artifact("libhcube_caf.so")
}

/// Serialises compilations, since tests share programs.
static COMPILING: Mutex<()> = Mutex::new(());

/// Compiles tests/gfortran/`name`.f90, unless that has been done since the source or the library changed,
/// after [`check_linked`].
pub fn program(name: &str) -> PathBuf {
    let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    let source = root().join(format!("tests/gfortran/{name}.f90"));
    compile("gfortran", &source, name, &[]).expect("a program that the compiler can compile")
}

/// As [`program`], for one that uses the module `mpi`.
pub fn program_with_mpi(name: &str) -> PathBuf {
    let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    let wrapper = format!("mpifort.{}", Mpi::selected().name());
    let source = root().join(format!("tests/gfortran/{name}.f90"));
    compile(&wrapper, &source, name, &[]).expect("a program that the compiler can compile")
}

/// As [`program`], for a program that the test has written. Variables are static, so that they begin with
/// zeros: gfortran 12 leaves the distance of elements unset in an allocatable array to which the result of a
/// function is assigned, and hcube cannot always know.
pub fn written(name: &str, text: &str) -> PathBuf {
    random(name, text).expect("a program that the compiler can compile")
}

/// As [`written`]; nothing where the compiler ends with an internal error, as gfortran 12 does for some
/// sections of components.
pub fn random(name: &str, text: &str) -> Option<PathBuf> {
    let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    let source = folder("gfortran").join(format!("{name}.f90"));
    if !fs::read_to_string(&source).is_ok_and(|before| before == text) {
        fs::write(&source, text).expect("the target directory is writable");
    }
    compile("gfortran", &source, name, &["-fno-automatic"])
}

/// The program; nothing where the compiler ends with an internal error.
fn compile(compiler: &str, source: &Path, name: &str, options: &[&str]) -> Option<PathBuf> {
    let (library, folder) = (library(), folder("gfortran"));
    let program = folder.join(name);
    if modified(&program) > modified(source).max(modified(&library)) {
        return Some(program);
    }
    let mut compiler = Command::new(compiler);
    compiler.args(["-O1", "-fcoarray=lib", "-ffree-line-length-none"]).args(options);
    compiler.arg("-J").arg(&folder).arg(source);
    let libraries = build();
    compiler.arg("-o").arg(&program).arg("-L").arg(&libraries).arg("-lhcube_caf");
    compiler.arg(format!("-Wl,-rpath,{}", libraries.display()));
    let result = session::run(&mut compiler);
    let message = String::from_utf8_lossy(&result.stderr);
    if message.contains("internal compiler error") {
        return None;
    }
    assert!(result.status.success(), "{compiler:?}: {}\n{message}", result.status);
    check_linked(&program);
    Some(program)
}

/// Checks that hcube serves all that a program calls of a coarray library, and that it calls something of it.
pub fn check_linked(program: &Path) {
    let linked = output(Command::new("ldd").arg(program));
    assert!(linked.contains("libhcube_caf.so") && !linked.contains("libcaf_"), "{linked}");
    let called = output(Command::new("nm").args(["--undefined-only", "--format=posix"]).arg(program));
    assert!(called.contains("_gfortran_caf_"), "no function of a coarray library is called: {called}");
}

/// A program on some images, where there is a compiler.
pub fn launch(name: &str, images: usize) -> Option<Launch> {
    has_compiler().then(|| Launch::new(program(name), images).limit(60))
}

/// Whether there is a compiler whose interface the library has.
pub fn has_compiler() -> bool {
    let version = Command::new("gfortran").arg("-dumpversion").output();
    let version =
        version.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned());
    let major = version.trim().split('.').next().and_then(|major| major.parse::<u32>().ok());
    let is_one = major.is_some_and(|major| (12..15).contains(&major));
    if !is_one {
        super::skip::skip("gfortran", &format!("gfortran {version:?}: expected gfortran 12 to 14"));
    }
    is_one
}

/// Where OpenCoarrays for the selected MPI library is installed.
pub fn open_coarrays() -> Option<PathBuf> {
    let found = fs::read_dir("/usr/lib").into_iter().flatten().flatten().find_map(|entry| {
        let folder = entry.path().join(format!("open-coarrays/{}/lib", Mpi::selected().name()));
        folder.join("libcaf_mpi.so").exists().then_some(folder)
    });
    if found.is_none() {
        super::skip("opencoarrays", &format!("no OpenCoarrays for {}", Mpi::selected().name()));
    }
    found
}

/// Compiles tests/gfortran/`name`.f90 for OpenCoarrays, which lies in a folder, without hcube.
pub fn for_open_coarrays(name: &str, libraries: &Path, is_static: bool) -> PathBuf {
    let folder = folder("opencoarrays");
    let program = folder.join(format!("{name}-{}", if is_static { "static" } else { "shared" }));
    super::made_once(program, |program| {
        // MPI's wrapper for the static library, which does not bring the MPI library along.
        let mut compiler = Command::new(format!("mpifort.{}", Mpi::selected().name()));
        compiler.args(["-O1", "-fcoarray=lib", "-J"]).arg(&folder).arg("-o").arg(program);
        compiler.arg(root().join(format!("tests/gfortran/{name}.f90")));
        if is_static {
            compiler.arg(libraries.join("libcaf_mpi.a"));
        } else {
            compiler.arg("-L").arg(libraries).arg("-lcaf_mpi");
        }
        output(&mut compiler);
    })
}
