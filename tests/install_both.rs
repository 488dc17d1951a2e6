//! Builds for two MPI libraries in one installed tree: each serves its own programs, and each can go
//! without the other. `make install` builds what is not built yet.

use hcube_testing as common;

use common::Mpi;
use common::installed::{client, files, loads_from, make_for, pkg_config};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BOTH: [Mpi; 2] = [Mpi::Open, Mpi::Mpich];

fn run(mpi: Mpi, target: &str, folder: &Path) {
    let output = make_for(mpi, target, folder);
    assert!(output.status.success(), "make {target} for {mpi:?}: {output:?}");
}

/// That there is this build behind the names of commands and packages without that of an MPI library.
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
        // Each serves BSP programs of its own.
        let program = tree.join("bsp");
        let source = common::root().join("tests/c/bsp/installed.c");
        let command = |name: &str| Command::new(tree.join(format!("bin/{name}-{}", mpi.name())));
        common::output(command("bspcc").arg(source).arg("-o").arg(&program));
        // See `Launch`: MPICH may hang at the end otherwise.
        let mut bsprun = command("bsprun");
        let run = bsprun.args(["-n", "2"]).arg(&program).env("UCX_TLS", "self,posix,sysv,cma");
        assert_eq!(common::output(run), "ok 2 processes, sizes of 4 bytes, ''\n");
        fs::remove_file(program).expect("our own");
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
