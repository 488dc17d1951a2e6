//! If hcube cannot or must not serve, FFTW uses its own solvers, results are correct, nothing hangs, and with
//! HCUBE_VERBOSE=1 one line gives the reason.

use crate::clients::{
    Line, Linked, Precision, alone, always, is_preloaded, linked_client, only_preloaded, plugin, with_hcube,
};
use crate::common::variables::documented_values;
use crate::common::{Launch, build, folder, output};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// More than one beside the one that differs; ranks of MPICH that share a core take long.
fn ranks() -> usize {
    if is_preloaded() { 3 } else { 2 }
}

/// Runs transpositions with hcube; how many were hcube's, and what was said.
fn outcome(launch: Launch) -> (i64, Vec<String>) {
    let outcome = launch.limit(60).run();
    let said = outcome.stderr.lines().filter(|line| line.contains("hcube")).map(str::to_owned).collect();
    (Line::in_text(&outcome.success()).count("hcube"), said)
}

fn launch() -> Launch {
    always("fftw_transpose", Precision::Double, ranks()).args(["shapes", "60", "30"])
}

/// That nothing is hcube's and one line, which names this, says so; nothing without HCUBE_VERBOSE.
fn refused(launch: impl Fn() -> Launch, named: &[&str]) {
    let (plans, said) = outcome(launch().env("HCUBE_VERBOSE", "1"));
    assert_eq!((plans, said.len()), (0, 1), "{named:?}: {said:?}");
    let line = &said[0];
    assert!(line.starts_with("hcube: FFTW: ") && line.ends_with("FFTW uses its own solvers"), "{line}");
    assert!(named.iter().all(|name| line.contains(name)), "{named:?} expected: {line}");
    assert_eq!(outcome(launch()), (0, Vec::new()), "{named:?} without HCUBE_VERBOSE");
}

#[test]
fn nothing_is_said_where_all_is_well() {
    let (plans, said) = outcome(launch().env("HCUBE_VERBOSE", "1"));
    assert!(plans > 0 && said.is_empty(), "{said:?}");
}

#[test]
fn exchanges_left_to_the_library() {
    refused(|| launch().env("HCUBE_ALLTOALL", "library"), &["HCUBE_ALLTOALL=library"]);
}

#[test]
fn a_variable_that_hcube_cannot_read() {
    refused(|| launch().env("HCUBE_PATH", "fast"), &["HCUBE_PATH", "'fast'"]);
}

/// Printed in any case: the user has requested an unknown setting. The message names the documented settings.
#[test]
fn a_setting_that_there_is_not() {
    let [first @ .., last] = &documented_values("HCUBE_FFTW")[..] else { panic!("values expected") };
    let accepted = format!("only {} and {last} are accepted", first.join(", "));
    for verbose in documented_values("HCUBE_VERBOSE") {
        let (plans, said) = outcome(launch().env("HCUBE_FFTW", "sometimes").env("HCUBE_VERBOSE", &verbose));
        assert!(plans == 0 && !said.is_empty(), "{said:?}");
        for name in ["HCUBE_FFTW", "'sometimes'", &accepted, "FFTW uses its own"] {
            assert!(said[0].contains(name), "{name} expected: {said:?}");
        }
        assert_eq!(said.len(), 1, "{said:?}");
    }
}

#[test]
fn every_documented_setting_is_accepted() {
    for setting in documented_values("HCUBE_FFTW") {
        let (plans, said) = outcome(launch().env("HCUBE_FFTW", &setting).env("HCUBE_VERBOSE", "1"));
        assert!(!said.iter().any(|line| line.contains("accepted")), "{setting}: {said:?}");
        match setting.as_str() {
            "auto" => {}
            "always" => assert!(plans > 0, "{said:?}"),
            "never" => assert_eq!(plans, 0, "{said:?}"),
            other => panic!("HCUBE_FFTW={other} is in the documentation and has no test"),
        }
    }
    for verbose in documented_values("HCUBE_VERBOSE") {
        let refused = launch().env("HCUBE_ALLTOALL", "library").env("HCUBE_VERBOSE", &verbose);
        assert_eq!(outcome(refused).1.len().to_string(), verbose, "lines with HCUBE_VERBOSE={verbose}");
    }
}

/// One rank has other variables than the others: a collective decision nevertheless.
fn differing(setting: &str, change: &str) -> Launch {
    let script = format!("case ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} in 1) {change};; esac; exec \"$@\"");
    let program = linked_client("fftw_transpose", Precision::Double, Linked::Plain);
    let shell =
        with_hcube(Path::new("sh"), Precision::Double, ranks()).args(["-c", &script, "sh"]).arg(program);
    shell.args(["shapes", "61", "30"]).env("HCUBE_FFTW", setting)
}

#[test]
fn settings_that_differ_among_ranks() {
    for (setting, other) in [
        ("always", "never"),
        ("always", "auto"),
        ("auto", "never"),
        ("never", "always"),
        ("auto", "sometimes"),
    ] {
        let change = format!("export HCUBE_FFTW={other}");
        let (plans, said) = outcome(differing(setting, &change).env("HCUBE_VERBOSE", "1"));
        assert_eq!(plans, 0, "{setting} and {other}: {said:?}");
        let told = said.iter().any(|line| line.contains("HCUBE_FFTW") && line.contains("FFTW uses its own"));
        assert!(told, "{setting} and {other}: {said:?}");
    }
}

/// Here the solver is called, and hcube itself finds that the communicator cannot be served.
#[test]
fn communicators_that_hcube_cannot_serve() {
    for change in ["HCUBE_PATH=message", "HCUBE_MEMORY=64k", "HCUBE_PATH=fast", "HCUBE_ALLTOALL=library"] {
        let launch = || differing("always", &format!("export {change}"));
        refused(launch, &[]);
    }
}

/// A copy of the machine's FFTW that says that it is another version.
fn folder_with_another_version(program: &Path) -> PathBuf {
    let folder = folder("fftw-other-version");
    let linked = output(Command::new("ldd").arg(program));
    let line = linked.lines().find(|line| line.contains("libfftw3.so")).expect("FFTW is linked");
    let path = line.split_whitespace().find(|word| word.starts_with('/')).expect("a path");
    let mut library = fs::read(path).expect("FFTW's library");
    let mut found = 0;
    for place in 0..library.len() {
        if library[place..].starts_with(b"fftw-3.3.10") {
            library[place..place + 11].copy_from_slice(b"fftw-3.3.18");
            found += 1;
        }
    }
    assert!(found > 0, "no version in {path}");
    fs::write(folder.join("libfftw3.so.3"), library).expect("writable");
    folder
}

#[test]
fn another_version_of_fftw() {
    if !only_preloaded("the solver is a part of the patched FFTW") {
        return;
    }
    let program = linked_client("fftw_transpose", Precision::Double, Linked::Plain);
    let folder = folder_with_another_version(&program);
    let with_other = |program: &Path, preload: bool| {
        let folders = format!("LD_LIBRARY_PATH={}:{}", folder.display(), build().join("deps").display());
        let launch = alone("env", 2).arg(folders);
        let launch = if preload {
            launch.arg(format!("LD_PRELOAD={}", plugin(Precision::Double).display()))
        } else {
            launch
        };
        launch.arg(program).env("HCUBE_FFTW", "always")
    };
    let transposes = || with_other(&program, true).args(["shapes", "62", "30"]);
    refused(transposes, &["3.3.18", "3.3.10"]);
    // Asked for by a call, hcube refuses by its result too.
    let registering = linked_client("fftw_register", Precision::Double, Linked::Shared);
    let text = with_other(&registering, false).run().success();
    assert!(text.starts_with("refused "), "{text}");
}

/// The library of one precision in a program of another, and one for FFTW in programs that have none.
#[test]
fn programs_that_it_is_not_for() {
    if !only_preloaded("the solver is a part of the patched FFTW") {
        return;
    }
    let program = linked_client("fftw_transpose", Precision::Double, Linked::Plain);
    for precision in [Precision::Single, Precision::LongDouble] {
        let launch = with_hcube(&program, precision, 2).args(["shapes", "63", "30"]);
        assert_eq!(outcome(launch.env("HCUBE_VERBOSE", "1").env("HCUBE_FFTW", "always")), (0, Vec::new()));
    }
    for precision in Precision::ALL {
        for (name, arguments) in [("/bin/true", &[][..]), ("sh", &["-c", "ls / > /dev/null"][..])] {
            for now in ["", "1"] {
                let mut command = Command::new(name);
                command.args(arguments).env("LD_PRELOAD", plugin(precision)).env("LD_BIND_NOW", now);
                let ended = command.env("HCUBE_VERBOSE", "1").output().expect("a program of every machine");
                let silent = ended.stdout.is_empty() && ended.stderr.is_empty();
                assert!(ended.status.success() && silent, "{name}: {ended:?}");
            }
        }
    }
    // The launcher, its daemons and the ranks all get it.
    let preload = plugin(Precision::Double).into_os_string().into_string().expect("a path in UTF-8");
    let launch = alone(&program, 2).args(["shapes", "64", "30"]).env("LD_PRELOAD", &preload);
    let (plans, said) = outcome(launch.env("HCUBE_FFTW", "always").env("HCUBE_VERBOSE", "1"));
    assert!(plans > 0 && said.is_empty(), "{said:?}");
}
