//! BSPlib in the installed tree: bspcc, bspcxx and bsprun, pkg-config and CMake, all from a tree that was
//! moved.

use crate::common;
use crate::common::installed::installed;
use crate::common::session::run;
use crate::common::{Language, Mpi, output};
use crate::runtime::{self, Runtime, commands, exit_status_is_kept, refused};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const BSPLIB: Runtime = Runtime { library: "libhcube_bsp", function: "bsplibstd_sync" };

fn source() -> PathBuf {
    common::root().join("tests/c/bsp/installed.c")
}

/// A tree whose path has a blank.
fn tree(name: &str) -> PathBuf {
    common::preload::bsp_library();
    runtime::tree(name)
}

/// A command of the tree.
fn command(tree: &Path, name: &str) -> Command {
    runtime::command(tree.join("bin").join(name))
}

/// The output of the program.
fn expected(processes: usize, size: usize, argument: &str) -> String {
    format!("ok {processes} processes, sizes of {size} bytes, '{argument}'\n")
}

/// Arguments of the compiler, the bytes of a size in this dialect, and whether hcube is linked statically.
const BUILDS: [(&str, &[&str], usize, bool); 7] = [
    ("bspcc", &["-std=c99"], 4, false),
    ("bspcc", &["--mcbsp", "-O2"], 8, false),
    ("bspcc", &["-DBY_MCBSP_H"], 8, false),
    ("bspcc", &["--static-hcube"], 4, true),
    ("bspcxx", &["-x", "c++", "-std=c++17"], 4, false),
    ("bspcxx", &["-x", "c++", "--mcbsp"], 8, false),
    ("bspcxx", &["--static-hcube", "-x", "c++", "--mcbsp"], 8, true),
];

#[test]
fn programs_are_compiled_and_started() {
    let tree = tree("bsp");
    for (number, (compiler, arguments, size, is_static)) in BUILDS.into_iter().enumerate() {
        let program = tree.join(format!("program {number}"));
        output(command(&tree, compiler).args(arguments).arg(source()).arg("-o").arg(&program));
        BSPLIB.serves(&tree, &program, is_static);
        let text = output(command(&tree, "bsprun").args(["-npes", "2"]).arg(&program).arg("x y"));
        assert_eq!(text, expected(2, size, "x y"), "{compiler} {arguments:?}");
    }
    // In two steps; several files; a library of the user's before hcube's.
    let object = tree.join("part.o");
    output(command(&tree, "bspcc").args(["--mcbsp", "-c"]).arg(source()).arg("-o").arg(&object));
    let program = tree.join("linked");
    output(command(&tree, "bspcc").arg(&object).args(["-lm", "-o"]).arg(&program));
    BSPLIB.serves(&tree, &program, false);
    // More processes than cores; the working directory, which is not on the search path.
    let processes = std::thread::available_parallelism().expect("a number").get() + 1;
    for option in [format!("--nprocs={processes}"), format!("-n={processes}")] {
        let mut run = command(&tree, "bsprun");
        let text = output(run.arg("--mcbsp").arg(option).arg("linked").current_dir(&tree));
        assert_eq!(text, expected(processes, 8, ""));
    }
    // As many processes as cores: how many these are depends on threads of the cores.
    let text = output(command(&tree, "bsprun").arg(&program));
    assert!(text.starts_with("ok ") && text.ends_with(" processes, sizes of 8 bytes, ''\n"), "{text}");
}

#[test]
fn programs_run_after_the_tree_was_moved_again() {
    let tree = tree("bsp-moved");
    let program = tree.with_file_name("program");
    output(command(&tree, "bspcc").arg(source()).arg("-o").arg(&program));
    let moved = BSPLIB.move_again(&tree, &program);
    // Also through a link, as in a folder of the search path.
    let link = moved.join("run");
    symlink(moved.join("bin/bsprun"), &link).expect("a new name");
    for run in ["bsprun", "../run"] {
        assert_eq!(output(command(&moved, run).args(["-n", "2"]).arg(&program)), expected(2, 4, ""));
    }
}

/// The output of a command with `--show`, without the tree.
fn shown(tree: &Path, name: &str, arguments: &[&str]) -> String {
    runtime::shown(tree, command(tree, name), arguments)
}

#[test]
fn other_options_are_passed_on() {
    let tree = tree("bsp-show");
    fs::write(tree.join("hosts"), "localhost\n").expect("writable");
    fs::copy("/bin/true", tree.join("prog")).expect("writable");
    let mpi = Mpi::selected().name();
    let library = format!("TREE/lib/hcube/{mpi}");
    let link = format!("'-L{library}' -Xlinker -rpath -Xlinker '{library}' -lhcube_bsp");
    let archive = format!("'-L{library}' -l:libhcube_bsp.a -pthread -ldl -lm");
    for (name, arguments, wrapper, rest) in [
        ("bspcc", &["a.c"][..], "mpicc", format!("a.c {link}")),
        ("bspcxx", &["a.cc", "-o", "a b"], "mpicxx", format!("a.cc -o 'a b' {link}")),
        ("bspcc", &["--cxx", "-O2", "a.cc"], "mpicxx", format!("-O2 a.cc {link}")),
        ("bspcc", &["--static-hcube", "a.o"], "mpicc", format!("a.o {archive}")),
        (
            "bspcc",
            &["-c", "--mcbsp", "-DX=it's", "a.c"],
            "mpicc",
            "-DBSP_MCBSP -c '-DX=it'\\''s' a.c".to_owned(),
        ),
        ("bspcc", &["-E", "-"], "mpicc", "-E -".to_owned()),
        ("bspcc", &["-v"], "mpicc", "-v".to_owned()),
        (
            "bspcc",
            &["-o", "--mcbsp", "-Xlinker", "--help", "x"],
            "mpicc",
            format!("-o --mcbsp -Xlinker --help x {link}"),
        ),
    ] {
        let text = shown(&tree, name, arguments);
        assert_eq!(text, format!("{wrapper}.{mpi} '-ITREE/include' {rest}"), "{name} {arguments:?}");
    }
    let many = if mpi == "openmpi" { "-n 5000 --oversubscribe --bind-to none" } else { "-n 5000" };
    let bound =
        if mpi == "openmpi" { "-n 5000 --oversubscribe --bind-to core" } else { "-n 5000 --bind-to core" };
    for (arguments, expected) in [
        (&["-npes", "1", "./prog", "-n", "x y"][..], "-n 1 ./prog -n 'x y'"),
        (&["--mca", "btl", "self", "-np", "1", "prog"], "-n 1 --mca btl self ./prog"),
        (&["-n", "5000", "prog"], many),
        (&["-n", "5000", "--bind-to", "core", "prog"], bound),
        (&["--hostfile", "hosts", "prog"], "--hostfile hosts ./prog"),
        (&["--hostfile", "hosts", "-n", "5000", "prog"], "-n 5000 --hostfile hosts ./prog"),
        // Of an option that bsprun does not know: no program, so a value.
        (&["-n", "1", "--unknown", "value", "prog"], "-n 1 --unknown value ./prog"),
        (&["-n", "1", "--unknown", "--", "prog", "--", "--show"], "-n 1 --unknown ./prog -- --show"),
    ] {
        let text = shown(&tree, "bsprun", arguments);
        assert!(text.starts_with(&format!("mpirun.{mpi} {expected}")), "{arguments:?}: {expected}: {text}");
    }
    for name in ["bspcc", "bspcxx", "bsprun"] {
        let version = output(command(&tree, name).arg("--version"));
        assert!(
            version.starts_with(&format!("hcube {} for {mpi}\n", env!("CARGO_PKG_VERSION"))),
            "{version}"
        );
        assert!(version.lines().count() > 2, "that of the compiler or of mpirun, too: {version}");
        let help = output(command(&tree, name).arg("--help"));
        assert!(help.starts_with("usage: bsp") && help.contains("  --show "), "{help}");
    }
}

#[test]
fn what_cannot_be_done_is_told() {
    let tree = tree("bsp-errors");
    let mpi = Mpi::selected();
    let other = if mpi == Mpi::Open { Mpi::Mpich } else { Mpi::Open };
    let foreign = common::preload::c_client(Language::C11, other);
    let uses = format!("uses {}, and this is bsprun for {}", other.name(), mpi.name());
    for (name, arguments, words) in [
        ("bspcc", &[][..], "expected a file"),
        ("bspcxx", &[], "expected a file"),
        ("bsprun", &[], "expected a program (--help)"),
        ("bsprun", &["-npes"], "-npes: expected a number of processes"),
        ("bsprun", &["-npes", "0", "true"], "-npes 0: expected a number of processes, at least 1"),
        ("bsprun", &["--nprocs=two", "true"], "--nprocs two: expected a number of processes"),
        ("bsprun", &["--mca", "btl"], "--mca: expected a value"),
        ("bsprun", &["no-such-program"], "expected a program; no-such-program is not one"),
        ("bsprun", &["--", "./none"], "./none: no such program in the search path or the working directory"),
        ("bsprun", &["--prof=/nowhere/x.json", "true"], "--prof=/nowhere/x.json: no such directory"),
        ("bsprun", &[foreign.to_str().expect("UTF-8")], &*uses),
    ] {
        let output = command(&tree, name).args(arguments).output().expect("it starts");
        refused(&output, if name == "bspcxx" { "bspcc" } else { name }, words);
    }
    exit_status_is_kept(&mut command(&tree, "bspcc"), "none.c", &mut command(&tree, "bsprun"));
}

/// Without the names of Debian, the wrapper and the launcher of the search path are taken if they are of this
/// library.
#[test]
fn commands_of_another_mpi_library_are_not_called() {
    let tree = tree("bsp-names");
    let mpi = Mpi::selected().name();
    let names = [
        "sh", "dirname", "readlink", "sed", "grep", "ldd", "id", "awk", "lscpu", "nproc", "true", "bash",
        "gcc",
    ];
    let commands = commands(&tree, &names);
    for (of, is_right) in [("openmpi", mpi == "openmpi"), ("mpich", mpi == "mpich")] {
        for (ours, theirs, arguments) in [
            ("bspcc", "mpicc", &["a.c"][..]),
            ("bspcxx", "mpicxx", &["a.cc"]),
            ("bsprun", "mpirun", &["true"]),
        ] {
            let link = commands.join(theirs);
            symlink(format!("/usr/bin/{theirs}.{of}"), &link).expect("a new name");
            let mut command = command(&tree, ours);
            let output =
                command.arg("--show").args(arguments).env("PATH", &commands).output().expect("it starts");
            if is_right {
                let text = String::from_utf8_lossy(&output.stdout);
                assert!(text.starts_with(&format!("{theirs} ")), "{ours}, {of}: {output:?}");
            } else {
                let words = format!("found neither {theirs}.{mpi} nor {theirs} of {mpi}");
                refused(&output, if ours == "bsprun" { ours } else { "bspcc" }, &words);
            }
            fs::remove_file(link).expect("our own");
        }
    }
}

#[test]
fn profile_is_written_and_shown() {
    let tree = tree("bsp-profile");
    let program = tree.join("program");
    output(command(&tree, "bspcc").arg(source()).arg("-o").arg(&program));
    for (option, file) in [("--prof", "bsp-profile.json"), ("--prof=other.json", "other.json")] {
        let mut bsprun = command(&tree, "bsprun");
        let output = run(bsprun.args([option, "-n", "2"]).arg(&program).current_dir(&tree));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected(2, 4, ""));
        let path = tree.join(file);
        assert!(errors.contains(&format!("bsprun: the profile is in {}, ", path.display())), "{errors}");
        let text = fs::read_to_string(&path).expect("a profile");
        assert!(text.contains("\"processes\":2"), "{text}");
        assert!(fs::read_to_string(path.with_extension("svg")).expect("a picture").starts_with("<svg"));
        assert!(errors.lines().count() > 3, "the summary: {errors}");
    }
    // A profile of before is not taken for one of a program that writes none.
    let mut bsprun = command(&tree, "bsprun");
    let output = run(bsprun.args(["--prof", "-n", "1", "sleep", "0.3"]).current_dir(&tree));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.contains("bsprun: no profile: "), "{errors}");
}

#[test]
fn pkg_config_links_shared_and_static() {
    common::preload::bsp_library();
    // Words of pkg-config have no blanks.
    let tree = installed("bsp-pkg-config");
    for program in BSPLIB.with_pkg_config(&tree, &source(), |_| Language::C11.compiler(Mpi::selected())) {
        assert_eq!(output(command(&tree, "bsprun").args(["-n", "2"]).arg(&program)), expected(2, 4, ""));
    }
}

#[test]
fn cmake_links_the_target() {
    let tree = tree("bsp-cmake");
    let find = format!(
        "find_package(hcube 0.1 REQUIRED COMPONENTS {})\ntarget_link_libraries(client hcube::bsp)\n",
        Mpi::selected().name()
    );
    for (lists, option) in [
        (("C CXX", &*find), format!("-DCMAKE_PREFIX_PATH={}", tree.display())),
        // bspcc as the compiler of a project that does not use hcube's functions.
        (("C", ""), format!("-DCMAKE_C_COMPILER={}", tree.join("bin/bspcc").display())),
    ] {
        let program = BSPLIB.with_cmake(&tree, &source(), lists, &option);
        assert_eq!(output(command(&tree, "bsprun").args(["-n", "2"]).arg(&program)), expected(2, 4, ""));
    }
}
