//! Builds for two MPI libraries in one installed tree: each serves its own programs, and each can be removed
//! without the other. `make install` builds missing builds. Of several builds, hcube-run selects the one for
//! a program's MPI library.

use crate::common;
use crate::common::Mpi;
use crate::common::installed::{client, files, loads_from, loads_library_from, make_for, pkg_config};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BOTH: [Mpi; 2] = [Mpi::Open, Mpi::Mpich];

fn run(mpi: Mpi, target: &str, folder: &Path) {
    let output = make_for(mpi, target, folder);
    assert!(output.status.success(), "make {target} for {mpi:?}: {output:?}");
}

/// Checks that commands and packages without the name of an MPI library belong to this build.
fn default_is(mpi: Mpi, tree: &Path) {
    for name in ["hcube", "bspcc", "bspcxx", "bsprun", "hcube-caf"] {
        let tool = tree.join("bin").join(name).canonicalize().expect("a default");
        assert!(tool.ends_with(format!("{name}-{}", mpi.name())), "{}", tool.display());
    }
    for package in ["hcube", "hcube-pblas", "hcube-bsp", "hcube-caf"] {
        let folder = pkg_config(tree, package, &["--variable=libdir"]).concat();
        let folder = Path::new(&folder).canonicalize().expect("where the library lies");
        assert!(folder.ends_with(format!("hcube/{}", mpi.name())), "{}", folder.display());
    }
}

/// Each compiles and starts its own BSP and coarray programs.
fn compilers_serve(mpi: Mpi, tree: &Path) {
    let command = |name: &str| {
        let mut command = Command::new(tree.join(format!("bin/{name}-{}", mpi.name())));
        // See `Launch`: MPICH may hang at the end otherwise.
        command.env("UCX_TLS", "self,posix,sysv,cma");
        command
    };
    let program = tree.join("bsp");
    let source = common::root().join("tests/c/bsp/installed.c");
    common::output(command("bspcc").arg(source).arg("-o").arg(&program));
    let printed = common::output(command("bsprun").args(["-n", "2"]).arg(&program));
    assert_eq!(printed, "ok 2 processes, sizes of 4 bytes, ''\n");
    fs::remove_file(program).expect("our own");
    if common::gfortran::has_compiler() {
        let program = tree.join("caf");
        let source = common::root().join("tests/gfortran/installed.F90");
        common::output(command("hcube-caf").arg(source).arg("-o").arg(&program));
        loads_library_from("libhcube_caf.so.0", &tree.join("lib/hcube").join(mpi.name()), &program);
        let printed = common::output(command("hcube-caf").args(["run", "-np", "2"]).arg(&program));
        assert_eq!(printed, "ok 2 images, ''\n");
        fs::remove_file(program).expect("our own");
    }
}

#[test]
fn two_builds_live_side_by_side_and_go_one_by_one() {
    common::preload::library();
    let folder = common::build().join("clients/install/both");
    drop(fs::remove_dir_all(&folder));
    let tree = folder.join("opt/hcube");
    for mpi in BOTH {
        run(mpi, "install", &folder);
    }
    default_is(BOTH[0], &tree);
    for mpi in BOTH {
        let program = client(mpi, &tree, &format!("hcube-{}", mpi.name()));
        loads_from(&tree.join("lib/hcube").join(mpi.name()), &program);
        let mut print = Command::new(tree.join("bin/hcube-run"));
        let shown = common::output(print.arg("--print").arg(&program));
        assert!(shown.contains(&format!("/{}/libhcube_preload.so", mpi.name())), "{mpi:?}: {shown}");
        fs::remove_file(program).expect("our own");
        compilers_serve(mpi, &tree);
    }
    let of_mpich = |path: &PathBuf| path.to_string_lossy().contains("mpich");
    let before: Vec<PathBuf> = files(&folder).into_iter().filter(of_mpich).collect();
    run(Mpi::Open, "uninstall", &folder);
    default_is(Mpi::Mpich, &tree);
    let left = files(&folder);
    assert!(before.iter().all(|path| left.contains(path)), "{before:?}\n{left:?}");
    assert!(!tree.join("lib/hcube/openmpi").exists() && tree.join("share/man/man1/hcube.1").exists());
    run(Mpi::Mpich, "uninstall", &folder);
    assert_eq!(files(&folder), Vec::<PathBuf>::new());
}

/// A program of an MPI library, if its compiler wrapper is installed here.
fn program_of(mpi: &str, folder: &Path) -> Option<PathBuf> {
    let source = common::root().join("tests/c/preload.c");
    let program = folder.join(format!("program-{mpi}"));
    let mut compiler = Command::new(format!("mpicc.{mpi}"));
    let done = compiler
        .arg("-I")
        .arg(common::root().join("include"))
        .arg(source)
        .arg("-o")
        .arg(&program)
        .output()
        .ok()?;
    assert!(done.status.success(), "{mpi}: {done:?}");
    Some(program)
}

/// Adds a build as it is installed for another MPI library, as far as hcube-run uses it.
fn add_build(tree: &Path, mpi: &str, description: &str) {
    let folder = tree.join("lib/hcube").join(mpi);
    fs::create_dir_all(&folder).expect("writable");
    fs::write(folder.join("libhcube_preload.so"), "").expect("writable");
    fs::write(folder.join("mpi.txt"), description).expect("writable");
}

#[test]
fn of_several_builds_the_one_for_the_program_is_taken() {
    let tree = common::installed::installed("several");
    let own = fs::read_to_string(tree.join("lib/hcube/openmpi/mpi.txt")).expect("installed");
    let version = own.lines().find_map(|line| line.strip_prefix("version ")).expect("the wrapper is here");
    assert!(
        own.starts_with("soname libmpi.so.40\n") && version.starts_with(|c: char| c.is_ascii_digit()),
        "{own}"
    );
    let chosen = |program: &Path| {
        let mut run = Command::new(tree.join("bin/hcube-run"));
        let shown = common::output(run.arg("--print").arg(program));
        let folder = Path::new(shown.trim()).parent().and_then(Path::file_name).expect("a library");
        folder.to_str().expect("UTF-8").to_owned()
    };
    let client = program_of("openmpi", &tree).expect("the selected library");
    // By its name before by its version, and by its version before by the order of names.
    add_build(&tree, "mpich", "soname libmpich.so.12\nversion 4.0.2\n");
    assert_eq!(chosen(&client), "openmpi");
    add_build(&tree, "another", "soname libmpi.so.40\nversion 999.1.2\n");
    assert_eq!(chosen(&client), "openmpi");
    for (mpi, soname, version) in [
        ("openmpi5", "libmpi.so.40", "5.0.11"),
        ("mpich5", "libmpi.so.12", "5.0.2"),
        ("abi", "libmpi_abi.so.1", ""),
        ("intelmpi", "libmpi.so.12", "2021.16.1"),
    ] {
        let Some(program) = program_of(mpi, &tree) else { continue };
        if mpi == "intelmpi" {
            // The build for MPICH serves it, as long as no build of its own exists.
            assert_eq!(chosen(&program), "mpich5");
        }
        add_build(&tree, mpi, &format!("soname {soname}\nversion {version}\n"));
        assert_eq!(chosen(&program), mpi);
    }
    // Libraries of one name can take each other's place; without any of that name there is an error.
    fs::remove_dir_all(tree.join("lib/hcube/openmpi")).expect("installed");
    assert_eq!(chosen(&client), "another");
    for build in fs::read_dir(tree.join("lib/hcube")).expect("a folder").flatten() {
        let description = fs::read_to_string(build.path().join("mpi.txt")).expect("one of ours");
        if description.contains("libmpi.so.40") {
            fs::remove_dir_all(build.path()).expect("one of ours");
        }
    }
    let mut run = Command::new(tree.join("bin/hcube-run"));
    let refused = run.arg("--print").arg(&client).output().expect("it starts");
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{errors}");
    assert!(errors.contains("uses libmpi.so.40, for which hcube is not installed"), "{errors}");
}
