//! The files of `make install`, used as a user would: from a tree that was moved after it was installed,
//! through pkg-config, CMake and hcube-run, without anything of the build directory.

use hcube_testing as common;

use common::installed::{client, files, installed, loads_from, make, pkg_config, runs};
use common::links::{broken, pages};
use common::{Language, Launch, Mpi};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

#[test]
fn programs_are_built_by_pkg_config_from_a_tree_that_was_moved() {
    let tree = installed("pkg-config");
    let package = format!("hcube-{}", Mpi::selected().name());
    for package in [&package, "hcube"] {
        let program = client(Mpi::selected(), &tree, package);
        loads_from(&tree, &program);
        let text = runs(&program, &["700", "5", "100"]);
        assert!(text.contains("ok 5 cases"), "{text}");
    }
    let version = pkg_config(&tree, "hcube", &["--modversion"]);
    assert_eq!(version, [env!("CARGO_PKG_VERSION")]);
}

#[test]
fn libraries_have_their_own_name_and_version() {
    let tree = installed("libraries");
    let folder = tree.join("lib/hcube").join(Mpi::selected().name());
    let names: Vec<String> = files(&folder)
        .iter()
        .filter_map(|path| path.file_name()?.to_str()?.strip_suffix(".so").map(str::to_owned))
        .collect();
    assert!(
        ["libhcube", "libhcube_bsp", "libhcube_caf", "libhcube_pblas", "libhcube_preload"]
            .iter()
            .all(|name| names.iter().any(|other| other == name))
    );
    for name in names {
        let versioned = folder.join(format!("{name}.so.{}", env!("CARGO_PKG_VERSION")));
        let dynamic = common::output(Command::new("readelf").arg("-d").arg(&versioned));
        let soname = format!("Library soname: [{name}.so.{}]", env!("CARGO_PKG_VERSION_MAJOR"));
        assert!(dynamic.contains(&soname), "{soname} expected:\n{dynamic}");
        for link in [format!("{name}.so"), format!("{name}.so.{}", env!("CARGO_PKG_VERSION_MAJOR"))] {
            let target = folder.join(&link).canonicalize().expect("a link to the library");
            assert_eq!(target, versioned.canonicalize().expect("installed"), "{link}");
        }
    }
}

#[test]
fn nothing_installed_names_a_folder_of_the_building_machine() {
    let tree = installed("names");
    let root = common::root();
    // The checkout, and where cargo and rustup have put what was downloaded.
    let home = |name: &str, default: &str| {
        let value = std::env::var(name).ok();
        value.or_else(|| Some(format!("{}/{default}", std::env::var("HOME").ok()?))).expect("HOME is set")
    };
    let (cargo, rustup) = (home("CARGO_HOME", ".cargo"), home("RUSTUP_HOME", ".rustup"));
    let folders = [root.to_str().expect("UTF-8"), &cargo, &rustup, "/registry/src/"];
    let all = files(&tree);
    assert!(all.len() > 15, "{all:?}");
    // Links to folders: what is in them is installed as well.
    for path in all.into_iter().filter(|path| !path.is_dir()) {
        let content = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for folder in folders {
            let found = content.windows(folder.len()).any(|part| part == folder.as_bytes());
            assert!(!found, "{} names {folder}", path.display());
        }
    }
}

#[test]
fn hcube_run_finds_the_library_for_a_program() {
    let tree = installed("run");
    let mpi = Mpi::selected().name();
    let client = common::preload::c_client(Language::C11, Mpi::selected());
    // Also through a link, as in a folder of the search path.
    let link = tree.join("link");
    symlink(tree.join("bin/hcube-run"), &link).expect("a new name");
    for run in [tree.join("bin/hcube-run"), link] {
        let launch = Launch::new(&run, 2).args(["--stats".as_ref(), client.as_os_str()]);
        let outcome = launch.env("LD_LIBRARY_PATH", "").limit(60).run();
        assert!(outcome.stderr.contains("MPI_Alltoallw"), "statistics expected: {outcome:?}");
        assert!(!outcome.stderr.contains("preloads"), "not asked for: {outcome:?}");
        outcome.success();
    }
    let run = || {
        let mut command = Command::new(tree.join("bin/hcube-run"));
        // As if nothing had launched it.
        command.env_remove("MPI_LOCALNRANKS").env_remove("OMPI_COMM_WORLD_SIZE");
        command
    };
    let shown = common::output(run().arg("--print").arg(&client));
    assert_eq!(
        shown.trim(),
        tree.join("lib/hcube").join(mpi).join("libhcube_preload.so").to_str().expect("UTF-8")
    );
    // Once, not by every rank.
    let launch = Launch::new(tree.join("bin/hcube-run"), 2).args(["--verbose".as_ref(), client.as_os_str()]);
    let outcome = launch.env("LD_LIBRARY_PATH", "").limit(60).run();
    assert_eq!(outcome.stderr.matches(&format!(", {mpi}: preloads ")).count(), 1, "{outcome:?}");
    outcome.success();
    let other = if mpi == "openmpi" { "mpich" } else { "openmpi" };
    // Libraries that are already preloaded do not identify the program.
    let libraries = tree.join("lib/hcube").join(mpi);
    let preload = tree.join("lib").join(if other == "mpich" { "libmpich.so.12" } else { "libmpi.so.40" });
    fs::copy(libraries.join("libhcube.so"), &preload).expect("writable");
    let again = common::output(run().arg("--print").arg(&client).env("LD_PRELOAD", &preload));
    assert_eq!(again, shown);
    for (arguments, words) in [
        (&[][..], "expected a program"),
        (&["--wrong", "x"], "--wrong is not an option"),
        (&["--mpi"], &*format!("--mpi: expected the name of an installed build: {mpi}")),
        (&["--mpi", "lam", "true"], "lam: an MPI library for which hcube is not installed"),
        (&["no-such-program-anywhere"], "no-such-program-anywhere: no such program"),
        (&["true"], "cannot determine its MPI library"),
        (&["--mpi", other, "true"], "for which hcube is not installed"),
        (&["--mpi", other, client.to_str().expect("UTF-8")], &*format!("uses {mpi}")),
    ] {
        let output = run().args(arguments).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.starts_with("hcube-run: ") && errors.contains(words), "{arguments:?}: {errors}");
    }
}

#[test]
fn cmake_finds_the_installed_library() {
    let tree = installed("cmake");
    let source = tree.join("project");
    fs::create_dir_all(&source).expect("writable");
    let client = common::root().join("tests/c/alltoall.c");
    let lists = format!(
        "cmake_minimum_required(VERSION 3.18)\nproject(client C)\nset(THREADS_PREFER_PTHREAD_FLAG TRUE)\n\
         find_package(Threads REQUIRED)\nfind_package(hcube 0.1 REQUIRED COMPONENTS {})\n\
         add_executable(client {})\ntarget_link_libraries(client hcube::hcube Threads::Threads m)\n",
        Mpi::selected().name(),
        client.display()
    );
    fs::write(source.join("CMakeLists.txt"), lists).expect("writable");
    let compiler = format!("-DCMAKE_C_COMPILER=mpicc.{}", Mpi::selected().name());
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(&source).arg("-B").arg(source.join("build")).arg(compiler);
    common::output(cmake.arg(format!("-DCMAKE_PREFIX_PATH={}", tree.display())));
    common::output(Command::new("cmake").arg("--build").arg(source.join("build")));
    loads_from(&tree, &source.join("build/client"));
    // Missing installations are reported.
    let lists = "cmake_minimum_required(VERSION 3.18)\nproject(client C)\nfind_package(hcube REQUIRED COMPONENTS lam)\n";
    fs::write(source.join("CMakeLists.txt"), lists).expect("writable");
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(&source).arg("-B").arg(source.join("other"));
    let output = cmake.arg(format!("-DCMAKE_PREFIX_PATH={}", tree.display())).output().expect("cmake");
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("hcube is not installed for lam"), "{errors}");
}

#[test]
fn links_of_the_installed_documentation_lead_somewhere() {
    let tree = installed("documentation");
    let all = pages(&tree.join("share/doc/hcube"));
    assert!(all.len() > 12, "{all:?}");
    let broken = broken(&all);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Runs shell commands after the module of the tree was loaded from a folder of modules.
fn with_module(folder: &Path, commands: &str) -> String {
    let name = format!("hcube/{}-{}", env!("CARGO_PKG_VERSION"), Mpi::selected().name());
    let modules = std::env::var("LMOD_CMD").unwrap_or_else(|_| "modulecmd".to_owned());
    let load = |what: &str| format!("eval \"$({modules} bash {what})\"\n");
    let script = [
        "set -e\n",
        &load(&format!("use {}", folder.display())),
        &load(&format!("load {name}")),
        commands,
        &load(&format!("unload {name}")),
        "command -v hcube-run || echo none; echo \"[$CPATH]\"\n",
    ]
    .concat();
    let mut bash = Command::new("bash");
    for name in [
        "CPATH",
        "LIBRARY_PATH",
        "LD_LIBRARY_PATH",
        "PKG_CONFIG_PATH",
        "MANPATH",
        "MODULEPATH",
        "LOADEDMODULES",
    ] {
        bash.env_remove(name);
    }
    common::output(bash.arg("-c").arg(script))
}

#[test]
fn the_module_finds_the_tree() {
    let tree = installed("module");
    let mpi = Mpi::selected().name();
    let own = tree.join("share/hcube/modulefiles");
    let client = tree.join("client");
    let source = common::root().join("tests/c/alltoall.c");
    let build = format!(
        "mpicc.{mpi} -std=c11 {} -o {} $(pkg-config --cflags --libs hcube) -pthread -lm\n",
        source.display(),
        client.display()
    );
    let programs = "command -v hcube-run\nfor name in hcube bspcc bspcxx bsprun hcube-caf; do readlink -f \"$(command -v $name)\"; done\necho \"$HCUBE_DIR $HCUBE_MPI\"\n\
                    case $MANPATH in $HCUBE_DIR/share/man:*) echo manual;; esac\n";
    let here = tree.display();
    let commands =
        ["hcube", "bspcc", "bspcxx", "bsprun", "hcube-caf"].map(|name| format!("{here}/bin/{name}-{mpi}\n"));
    let expected = format!("{here}/bin/hcube-run\n{}{here} {mpi}\nmanual\nnone\n[]\n", commands.concat());
    assert_eq!(with_module(&own, &(build + programs)), expected);
    loads_from(&tree, &client);
    // In a folder of the site: a link, and a copy with the required line.
    let site = tree.join("site");
    let name = format!("{}-{mpi}", env!("CARGO_PKG_VERSION"));
    fs::create_dir_all(site.join("hcube")).expect("writable");
    symlink(own.join("hcube").join(&name), site.join("hcube").join(&name)).expect("a new name");
    assert_eq!(with_module(&site, programs), expected);
    let text = fs::read_to_string(own.join("hcube").join(&name)).expect("installed");
    let line = text.lines().find(|line| line.starts_with("set here ")).expect("the line");
    let edited = text.replace(line, &format!("set here {}", own.join("hcube").display()));
    fs::remove_file(site.join("hcube").join(&name)).expect("the link");
    fs::write(site.join("hcube").join(&name), edited).expect("writable");
    assert_eq!(with_module(&site, programs), expected);
}

#[test]
fn what_hcube_run_cannot_run_is_named_with_its_reason() {
    let tree = installed("refusals");
    let folder = tree.join("programs");
    fs::create_dir_all(&folder).expect("writable");
    let write = |name: &str, text: &[u8], mode: u32| {
        let path = folder.join(name);
        fs::write(&path, text).expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("our own");
    };
    let program = fs::read("/bin/true").expect("a program");
    let mut foreign = program.clone();
    // No processor of this number exists.
    foreign[18..20].copy_from_slice(&[0xff, 0x7f]);
    write("text", b"hello\n", 0o644);
    write("text-x", b"hello\n", 0o755);
    write("script", b"#!/bin/sh\n", 0o644);
    write("program", &program, 0o644);
    write("foreign", &foreign, 0o755);
    write("empty", b"", 0o755);
    fs::write(folder.join("main.c"), "int main(void) { return 0; }\n").expect("writable");
    common::output(Command::new("cc").args(["-static", "main.c", "-o", "static"]).current_dir(&folder));
    // A library by the name of an MPI library that hcube does not know.
    let library = ["-shared", "-fPIC", "main.c", "-Wl,-soname,libmpi_ibm.so.3", "-o", "libmpi_ibm.so.3"];
    common::output(Command::new("cc").args(library).current_dir(&folder));
    let linked =
        ["-Wl,--no-as-needed", "main.c", "-o", "other", "-L.", "-l:libmpi_ibm.so.3", "-Wl,-rpath,$ORIGIN"];
    common::output(Command::new("cc").args(linked).current_dir(&folder));
    for (name, words) in [
        ("./", "./ is a directory"),
        ("./text", "./text is neither a program nor a script that begins with '#!'"),
        ("./text-x", "./text-x is neither a program nor a script that begins with '#!'"),
        ("./script", "./script is not executable (chmod +x ./script)"),
        ("./program", "./program is not executable (chmod +x ./program)"),
        ("./foreign", "./foreign is a program for another kind of processor"),
        ("./empty", "./empty is neither a program nor a script"),
        ("./static", "./static is linked statically, so hcube cannot be preloaded"),
        ("./other", "./other uses libmpi_ibm.so.3, an MPI library that hcube cannot serve"),
        ("./none", "./none: no such file"),
        ("static", "static: no such program in the search path; the file of this directory is ./static"),
    ] {
        let mut run = Command::new(tree.join("bin/hcube-run"));
        let output = run.arg(name).current_dir(&folder).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), errors.lines().count()), (Some(2), 1), "{name}: {errors}");
        assert!(errors.starts_with(&format!("hcube-run: {words}")), "{name}: {errors}");
    }
    // One that only starts the MPI program.
    let mpi = Mpi::selected().name();
    let mut run = Command::new(tree.join("bin/hcube-run"));
    let shown = common::output(run.args(["--mpi", mpi, "--print", "./static"]).current_dir(&folder));
    assert!(shown.trim().ends_with("libhcube_preload.so"), "{shown}");
}

#[test]
fn hcube_run_names_its_version_and_builds() {
    let tree = installed("version");
    let text = common::output(Command::new(tree.join("bin/hcube-run")).arg("--version"));
    let version = env!("CARGO_PKG_VERSION");
    assert!(text.starts_with(&format!("hcube-run of hcube {version}; builds in ")), "{text}");
    let mpi = Mpi::selected().name();
    let build = format!("\n{mpi}: hcube {version}, built for ");
    assert!(text.contains(&build) && text.contains("rustc "), "{text}");
}

/// hcube-run reports cases in which the loader would continue without hcube.
#[test]
fn a_tree_whose_path_has_blanks_is_refused() {
    let tree = installed("blanks");
    let moved = tree.with_file_name("moved there");
    drop(fs::remove_dir_all(&moved));
    fs::rename(&tree, &moved).expect("a new name");
    let mut run = Command::new(moved.join("bin/hcube-run"));
    let output = run.args(["--mpi", Mpi::selected().name(), "true"]).output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("cannot hold a path with blanks"), "{errors}");
}

#[test]
fn a_later_version_takes_the_place_of_an_earlier_one() {
    let destination = common::build().join("clients/install/upgrade");
    common::preload::library();
    drop(fs::remove_dir_all(&destination));
    let folder = destination.join("opt/hcube/lib/hcube").join(Mpi::selected().name());
    fs::create_dir_all(&folder).expect("writable");
    // One with the same soname, and one that programs of another major version load.
    let (earlier, other) = (folder.join("libhcube.so.0.0.9"), folder.join("libhcube.so.99.0.0"));
    for file in [&earlier, &other] {
        fs::write(file, "").expect("writable");
    }
    symlink("libhcube.so.0.0.9", folder.join("libhcube.so.0")).expect("a new name");
    assert!(make("install", &destination).status.success());
    assert!(!earlier.exists() && other.exists());
    let loaded = folder.join("libhcube.so.0").canonicalize().expect("a link to the library");
    assert!(loaded.ends_with(format!("libhcube.so.{}", env!("CARGO_PKG_VERSION"))), "{}", loaded.display());
}

#[test]
fn everybody_may_read_what_somebody_with_private_files_installs() {
    common::preload::library();
    let destination = common::build().join("clients/install/umask");
    drop(fs::remove_dir_all(&destination));
    let mut install = Command::new("sh");
    install.args(["-c", "umask 077 && exec scripts/install.sh"]).current_dir(common::root());
    install.env("MPI", Mpi::selected().name()).env("PREFIX", "/opt/hcube").env("DESTDIR", &destination);
    common::output(install.env_remove("LIBDIR"));
    let mut find = Command::new("find");
    let private =
        common::output(find.arg(destination.join("opt")).args(["!", "-type", "l", "!", "-perm", "-044"]));
    assert_eq!(private, "");
    let mut find = Command::new("find");
    let closed = common::output(find.arg(destination.join("opt")).args(["-type", "d", "!", "-perm", "-055"]));
    assert_eq!(closed, "");
}

#[test]
fn uninstalling_leaves_nothing() {
    common::preload::library();
    let folder = common::build().join("clients/install/removed");
    drop(fs::remove_dir_all(&folder));
    assert!(make("install", &folder).status.success());
    // Files of others are kept.
    fs::write(folder.join("opt/hcube/lib/other.txt"), "kept").expect("writable");
    assert!(make("uninstall", &folder).status.success());
    assert_eq!(files(&folder), [folder.join("opt/hcube/lib/other.txt")]);
}
