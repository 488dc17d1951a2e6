//! A tree installed by `make install`, and its commands and files.

use super::{Language, Launch, Mpi};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs `make` on the installation of the selected MPI library below `folder`.
pub fn make(target: &str, folder: &Path) -> Output {
    make_for(Mpi::selected(), target, folder)
}

/// The same for a certain MPI library.
pub fn make_for(mpi: Mpi, target: &str, folder: &Path) -> Output {
    let mut command = fresh_make();
    command.arg(target).arg(format!("MPI={}", mpi.name())).arg("PREFIX=/opt/hcube");
    command.arg(format!("DESTDIR={}", folder.display())).current_dir(super::root());
    // Of the MPI library under test.
    command.env_remove("MPI").env_remove("MPICC");
    command.output().expect("make starts")
}

/// `make` without options and variables of the make that has started these tests.
pub fn fresh_make() -> Command {
    let mut command = Command::new("make");
    for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL"] {
        command.env_remove(name);
    }
    command
}

/// An installed tree, at another place than it was installed for; its folder is the test's own.
pub fn installed(name: &str) -> PathBuf {
    super::preload::library();
    let folder = super::build().join("clients/install").join(name);
    drop(fs::remove_dir_all(&folder));
    let output = make("install", &folder.join("destination"));
    assert!(output.status.success(), "{output:?}");
    let tree = folder.join("moved");
    fs::rename(folder.join("destination/opt/hcube"), &tree).expect("installed there");
    tree
}

/// All files below a folder, links among them.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        if entry.file_type().expect("readable").is_dir() {
            all.extend(files(&entry.path()));
        } else {
            all.push(entry.path());
        }
    }
    all
}

/// What pkg-config says of a package of the tree, as arguments.
pub fn pkg_config(tree: &Path, package: &str, options: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.args(options).arg(package).env("PKG_CONFIG_PATH", tree.join("lib/pkgconfig"));
    super::output(&mut command).split_whitespace().map(str::to_owned).collect()
}

/// Compiles the C client of the all-to-all exchange for an MPI library as a package of the tree says.
pub fn client(mpi: Mpi, tree: &Path, package: &str) -> PathBuf {
    let program = tree.join(format!("client-{package}"));
    let mut compiler = Language::C11.compiler(mpi);
    compiler.args(pkg_config(tree, package, &["--cflags"]));
    compiler.arg(super::root().join("tests/c/alltoall.c")).arg("-o").arg(&program);
    compiler.args(pkg_config(tree, package, &["--libs"])).args(["-pthread", "-lm"]);
    super::output(&mut compiler);
    program
}

/// That a program finds hcube's library below a folder, with nothing but what it carries itself.
pub fn loads_from(folder: &Path, program: &Path) {
    loads_library_from("libhcube.so.0", folder, program);
}

/// The same with another of hcube's libraries.
pub fn loads_library_from(library: &str, folder: &Path, program: &Path) {
    let libraries = super::output(Command::new("ldd").arg(program).env_remove("LD_LIBRARY_PATH"));
    let start = format!("{library} => ");
    let path = libraries.lines().find_map(|line| line.trim().strip_prefix(&start)?.split(" (").next());
    let path =
        path.unwrap_or_else(|| panic!("{} is not linked to {library}:\n{libraries}", program.display()));
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|error| panic!("{error}: {libraries}"));
    assert!(canonical(Path::new(path)).starts_with(canonical(folder)), "{}: {path}", program.display());
}

/// Runs a program with nothing but what it carries itself to find libraries by.
pub fn runs(program: &Path, arguments: &[&str]) -> String {
    let launch = Launch::new(program, 2).args(arguments.iter().copied());
    launch.env("LD_LIBRARY_PATH", "").limit(60).run().success()
}
