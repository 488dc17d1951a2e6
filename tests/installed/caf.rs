//! Coarrays of gfortran in the installed tree: hcube-caf, pkg-config and CMake, all from a tree that was
//! moved.

use crate::common;
use crate::common::gfortran::has_compiler;
use crate::common::installed::installed;
use crate::common::{Language, Mpi, by_mpi, output};
use crate::runtime::{self, Runtime, command, commands, exit_status_is_kept, shown};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const COARRAYS: Runtime = Runtime { library: "libhcube_caf", function: "_gfortran_caf_sync_all" };

fn source() -> PathBuf {
    common::root().join("tests/gfortran/installed.F90")
}

/// A tree whose path has a blank, where there is a compiler.
fn tree(name: &str) -> Option<PathBuf> {
    if !has_compiler() {
        return None;
    }
    common::gfortran::library();
    Some(runtime::tree(name))
}

/// hcube-caf of a tree.
fn wrapper(tree: &Path) -> Command {
    command(tree.join("bin/hcube-caf"))
}

/// hcube-caf run of a tree.
fn run(tree: &Path, arguments: &[&str]) -> Command {
    let mut command = wrapper(tree);
    command.arg("run").args(arguments);
    command
}

/// What the program prints.
fn expected(images: usize, argument: &str) -> String {
    format!("ok {images} images, '{argument}'\n")
}

#[test]
fn programs_are_compiled_and_started() {
    let Some(tree) = tree("caf") else { return };
    for (number, (arguments, is_static)) in [
        (&["-O2"][..], false),
        (&["-DWITH_MPI", "-Wall", "-Werror"], false),
        // Of makefiles for OpenCoarrays.
        (&["-L.", "-lcaf_mpi"], false),
        (&["--static-hcube"], true),
    ]
    .into_iter()
    .enumerate()
    {
        let program = tree.join(format!("program {number}"));
        output(wrapper(&tree).arg(source()).args(arguments).arg("-o").arg(&program));
        COARRAYS.serves(&tree, &program, is_static);
        assert_eq!(
            output(run(&tree, &["-np", "2"]).arg(&program).arg("x y")),
            expected(2, "x y"),
            "{arguments:?}"
        );
    }
    // In two steps, by a build system that has this wrapper in FC; a library of the user's before hcube's.
    let object = tree.join("part.o");
    output(wrapper(&tree).arg("-c").arg(source()).arg("-o").arg(&object).env("FC", "hcube-caf"));
    let program = tree.join("linked");
    output(
        wrapper(&tree).arg(&object).args(["-lm", "-o"]).arg(&program).env("FC", tree.join("bin/hcube-caf")),
    );
    COARRAYS.serves(&tree, &program, false);
    // More images than cores; the working directory, which is not on the search path.
    let images = std::thread::available_parallelism().expect("a number").get() + 1;
    for option in [format!("--nprocs={images}"), format!("-n={images}")] {
        assert_eq!(output(run(&tree, &[&option, "linked"]).current_dir(&tree)), expected(images, ""));
    }
    // By mpirun, without a word of hcube's.
    let mut mpirun = command(format!("mpirun.{}", Mpi::selected().name()));
    mpirun.args(["-n", "1"]).arg(&program).env("OMPI_ALLOW_RUN_AS_ROOT", "1");
    assert_eq!(output(mpirun.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")), expected(1, ""));
}

#[test]
fn programs_run_after_the_tree_was_moved_again() {
    let Some(tree) = tree("caf-moved") else { return };
    let program = tree.with_file_name("program");
    output(wrapper(&tree).arg(source()).arg("-o").arg(&program));
    let moved = COARRAYS.move_again(&tree, &program);
    // Also through a link, as in a folder of the search path.
    symlink(moved.join("bin/hcube-caf"), moved.join("caf")).expect("a new name");
    for name in ["bin/hcube-caf", "caf"] {
        let mut run = command(moved.join(name));
        assert_eq!(output(run.args(["run", "-n", "2"]).arg(&program)), expected(2, ""));
    }
}

#[test]
fn other_options_are_passed_on() {
    let Some(tree) = tree("caf-show") else { return };
    fs::copy("/bin/true", tree.join("prog")).expect("writable");
    let mpi = Mpi::selected().name();
    let library = format!("TREE/lib/hcube/{mpi}");
    let link = format!("'-L{library}' -Xlinker -rpath -Xlinker '{library}' -lhcube_caf");
    let archive = format!("'-L{library}' -l:libhcube_caf.a -pthread -ldl -lm");
    for (arguments, rest) in [
        (&["a.f90"][..], format!("a.f90 {link}")),
        (&["-fcoarray=single", "a.f90", "-o", "a b"], format!("-fcoarray=single a.f90 -o 'a b' {link}")),
        (&["a.o", "-lcaf_openmpi", "/x/libcaf_mpi.so", "-lcafe"], format!("a.o -lcafe {link}")),
        (&["--static-hcube", "a.o"], format!("a.o {archive}")),
        (&["-c", "-DX=it's", "a.F90"], "-c '-DX=it'\\''s' a.F90".to_owned()),
        (&["-v"], "-v".to_owned()),
        (&["-J", "--help", "-Xlinker", "--show", "x"], format!("-J --help -Xlinker --show x {link}")),
    ] {
        let text = shown(&tree, wrapper(&tree), arguments);
        assert_eq!(text, format!("mpifort.{mpi} -fcoarray=lib {rest}"), "{arguments:?}");
    }
    let variable = if mpi == "openmpi" { "OMPI_FC" } else { "MPICH_FC" };
    for (name, value, caller) in [
        ("FC", "caf", format!("mpifort.{mpi}")),
        ("FC", "gfortran", format!("env {variable}=gfortran mpifort.{mpi}")),
        ("HCUBE_FC", "gfortran -g", format!("env {variable}=gfortran mpifort.{mpi} -g")),
        ("FC", &format!("mpifort.{mpi} -g"), format!("mpifort.{mpi} -g")),
    ] {
        let mut command = wrapper(&tree);
        command.env(name, value);
        assert_eq!(shown(&tree, command, &["-c", "a.f90"]), format!("{caller} -fcoarray=lib -c a.f90"));
        assert_eq!(output(wrapper(&tree).arg("--wrapping").env(name, value)).trim_end(), caller);
    }
    let many = if mpi == "openmpi" { "-n 5000 --oversubscribe --bind-to none" } else { "-n 5000" };
    for (arguments, expected) in [
        (&["-np", "1", "./prog", "-n", "x y"][..], "-n 1 ./prog -n 'x y'"),
        (&["--mca", "btl", "self", "-n", "1", "prog"], "-n 1 --mca btl self ./prog"),
        (&["-n", "5000", "prog"], many),
        (&["-n", "1", "--prof", "prog"], "-n 1 --prof ./prog"),
        (&["-n", "1", "--unknown", "--", "prog", "--", "--show"], "-n 1 --unknown ./prog -- --show"),
    ] {
        let text = shown(&tree, run(&tree, &[]), arguments);
        assert!(text.starts_with(&format!("mpirun.{mpi} {expected}")), "{arguments:?}: {expected}: {text}");
    }
    for before in [&[][..], &["run"]] {
        let version = output(wrapper(&tree).args(before).arg("--version"));
        let first = format!("hcube {} for {mpi}\n", env!("CARGO_PKG_VERSION"));
        assert!(version.starts_with(&first) && version.lines().count() > 2, "{version}");
        let help = output(wrapper(&tree).args(before).arg("--help"));
        assert!(help.starts_with("usage: hcube-caf ") && help.contains("hcube-caf run "), "{help}");
    }
}

/// Refused in one line.
fn refused(output: &Output, command: &str, words: &str) {
    runtime::refused(output, command, words);
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{output:?}");
}

#[test]
fn what_cannot_be_done_is_told() {
    let Some(tree) = tree("caf-errors") else { return };
    let mpi = Mpi::selected();
    let other = if mpi == Mpi::Open { Mpi::Mpich } else { Mpi::Open };
    let foreign = common::preload::c_client(Language::C11, other);
    let uses = format!(
        "uses {0}, and this is hcube-caf run for {1}; install hcube for {0}, or build the program with hcube-caf-{1}",
        other.name(),
        mpi.name()
    );
    refused(&wrapper(&tree).output().expect("it starts"), "hcube-caf", "expected a file");
    for (arguments, words) in [
        (&[][..], "expected a program (--help)"),
        (&["-np"], "-np: expected a number of processes"),
        (&["-n", "0", "true"], "-n 0: expected a number of processes, at least 1"),
        (
            &["no-such-program"],
            "expected a program; no-such-program is not one: no such program in the search path",
        ),
        (&["/"], "expected a program; / is not one: is a directory"),
        (&[foreign.to_str().expect("UTF-8")], &*uses),
    ] {
        refused(&run(&tree, arguments).output().expect("it starts"), "hcube-caf run", words);
    }
    exit_status_is_kept(&mut wrapper(&tree), "none.f90", &mut run(&tree, &[]));
}

/// A compiler that says that it is some version of gfortran, and calls the real one.
fn compiler_of_version(folder: &Path, version: &str) -> PathBuf {
    let compiler = folder.join(format!("gfortran-{version}"));
    let text = format!(
        "#!/bin/sh\ncase $* in *--version*) echo 'GNU Fortran (Some 9.9-1) {version}' ;; *) exec gfortran \"$@\" ;; esac\n"
    );
    fs::write(&compiler, text).expect("writable");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("our own");
    compiler
}

#[test]
fn compilers_of_another_interface_are_refused() {
    let Some(tree) = tree("caf-compilers") else { return };
    let folder = tree.parent().expect("a folder").join("compilers");
    fs::create_dir_all(&folder).expect("writable");
    let compile = |name: &str, compiler: &Path| {
        let mut command = wrapper(&tree);
        command.arg("-c").arg(source()).arg("-o").arg(tree.join("part.o")).env(name, compiler);
        command.output().expect("it starts")
    };
    for version in ["12.1.0", "13.2.1 20230728 (Red Hat 13.2.1-1)", "14.0.1"] {
        let compiler = compiler_of_version(&folder, version).with_file_name("gfortran");
        fs::rename(folder.join(format!("gfortran-{version}")), &compiler).expect("a new name");
        let output = compile("FC", &compiler);
        assert!(output.status.success(), "{version}: {output:?}");
    }
    for (version, major) in [("11.4.0", 11), ("15.1.0", 15), ("9.4.0", 9)] {
        let compiler = compiler_of_version(&folder, version);
        let words =
            format!("HCUBE_FC={} is gfortran {major}: expected gfortran 12 to 14", compiler.display());
        refused(&compile("HCUBE_FC", &compiler), "hcube-caf", &words);
    }
    refused(
        &compile("FC", Path::new("gcc")),
        "hcube-caf",
        "FC=gcc is not gfortran: expected gfortran 12 to 14",
    );
    let other = by_mpi("mpifort.mpich", "mpifort.openmpi");
    let words = format!("FC={other}: expected gfortran, or mpifort of {}", Mpi::selected().name());
    refused(&compile("FC", Path::new(other)), "hcube-caf", &words);
}

/// Without mpifort, programs that use no module of MPI are compiled nevertheless.
#[test]
fn gfortran_does_without_a_wrapper_of_mpi() {
    let Some(tree) = tree("caf-alone") else { return };
    let names = ["sh", "dirname", "readlink", "sed", "grep", "env", "gfortran", "as", "ld"];
    let commands = commands(&tree, &names);
    let program = tree.join("program");
    let compile = |argument: &str| {
        let mut command = wrapper(&tree);
        command.arg(source()).arg(argument).arg("-o").arg(&program).env("PATH", &commands);
        command.output().expect("it starts")
    };
    let compiled = compile("-O1");
    assert!(compiled.status.success(), "{compiled:?}");
    COARRAYS.serves(&tree, &program, false);
    assert_eq!(output(run(&tree, &["-n", "2"]).arg(&program)), expected(2, ""));
    refused(&compile("--static-hcube"), "hcube-caf", "--static-hcube: found no mpifort of ");
    fs::remove_file(commands.join("gfortran")).expect("a link");
    let words = "gfortran: no such command in the search path; install gfortran 12 to 14";
    refused(&compile("-O1"), "hcube-caf", words);
}

/// In the sources, hcube-caf finds what is built there.
#[test]
fn the_build_tree_serves_without_installation() {
    if !has_compiler() {
        return;
    }
    let mpi = Mpi::selected().name();
    let shown =
        output(command(common::root().join("install/hcube-caf")).args(["--show", "a.f90"]).env("MPI", mpi));
    let library = common::root().join("target").join(mpi).join("release");
    assert!(
        shown.starts_with(&format!("mpifort.{mpi} ")) && shown.contains(library.to_str().expect("UTF-8")),
        "{shown}"
    );
    let mut version = command(common::root().join("install/hcube-caf"));
    let version = output(version.arg("--version").env("MPI", mpi));
    assert!(version.starts_with(&format!("hcube {} for {mpi}\n", env!("CARGO_PKG_VERSION"))), "{version}");
}

#[test]
fn pkg_config_links_shared_and_static() {
    if !has_compiler() {
        return;
    }
    common::gfortran::library();
    // Words of pkg-config have no blanks.
    let tree = installed("caf-pkg-config");
    // The static library needs the MPI library, which the other brings along.
    let compiler = |is_static| match is_static {
        true => Command::new(format!("mpifort.{}", Mpi::selected().name())),
        false => Command::new("gfortran"),
    };
    for program in COARRAYS.with_pkg_config(&tree, &source(), compiler) {
        assert_eq!(output(run(&tree, &["-n", "2"]).arg(&program)), expected(2, ""));
    }
}

#[test]
fn cmake_links_the_target() {
    let Some(tree) = tree("caf-cmake") else { return };
    let find = format!(
        "find_package(hcube 0.1 REQUIRED COMPONENTS {})\ntarget_link_libraries(client hcube::caf)\n",
        Mpi::selected().name()
    );
    for (rest, option) in [
        (&*find, format!("-DCMAKE_PREFIX_PATH={}", tree.display())),
        // hcube-caf as the compiler of a project that does not use hcube's functions.
        ("", format!("-DCMAKE_Fortran_COMPILER={}", tree.join("bin/hcube-caf").display())),
    ] {
        let program = COARRAYS.with_cmake(&tree, &source(), ("Fortran", rest), &option);
        assert_eq!(output(run(&tree, &["-n", "2"]).arg(&program)), expected(2, ""));
    }
}
