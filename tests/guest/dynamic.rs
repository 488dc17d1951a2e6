//! Jobs of several programs, and programs that spawn others. Some processes may not have loaded the preload
//! library.

use crate::common::guest::{ALWAYS, DEFAULT, Guest, Variables, all_are_served, later_ones_are_served, ranks};
use crate::common::preload::{Statistics, StatisticsFile, library, preload_variable};
use crate::common::{Launch, Mpi, Outcome, only_with};
use std::ffi::OsString;

/// Children have a different environment: communicators with them are forwarded to the MPI library, by all
/// members.
#[test]
fn children_without_the_library() {
    if !only_with(Mpi::Open, "Debian's MPICH starts no processes") {
        return;
    }
    let guest = Guest::new("dynamic spawn 2", 2);
    let stock = guest.stock();
    later_ones_are_served(&guest.same_as(&stock, DEFAULT).1);
    let (_, statistics) = guest.same_as(&stock, ALWAYS);
    assert!(statistics.served() > 0, "{statistics:?}");
}

/// Children inherit the environment of mpirun, and with it the library: exchanges among the parents are
/// served, and exchanges among the children.
#[test]
fn children_with_the_library() {
    if !only_with(Mpi::Open, "Debian's MPICH starts no processes") {
        return;
    }
    let program = Guest::new("dynamic spawn 2", 2).program;
    for variables in [DEFAULT, ALWAYS] {
        // In one file for both, the statistics of the children would replace the statistics of the parents,
        // or the other way round.
        let files = ["parents", "children"].map(|who| StatisticsFile::new(&format!("dynamic-{who}")));
        let [of_parents, of_children] = files.each_ref().map(StatisticsFile::variable);
        let launch = Launch::new("env", 2).arg(format!("HCUBE_STATS={of_parents}")).arg(&program);
        let preload = library().into_os_string().into_string().expect("a path in UTF-8");
        let launch = launch.args(["spawn", "2"]).env("LD_PRELOAD", &preload).env("HCUBE_STATS", &of_children);
        let outcome = with(launch, variables).run();
        assert_eq!(outcome.success(), "ok spawn\n");
        for file in files {
            let statistics = file.read::<Statistics>().unwrap_or_else(|| panic!("no statistics: {file:?}"));
            assert_eq!(statistics.ranks(), 2, "{statistics:?}");
            assert!(statistics.served() > 0, "{file:?}: {statistics:?}");
            if variables.is_empty() {
                later_ones_are_served(&statistics);
            }
        }
    }
}

fn with(launch: Launch, variables: Variables<'_>) -> Launch {
    launch.envs(variables).limit(60)
}

/// A job of two programs, each with or without the preload library.
fn parts(have_it: [bool; 2], variables: Variables<'_>) -> Outcome {
    let program = Guest::new("dynamic parts", 1).program;
    let [first, second] = have_it.map(|has_it| -> Vec<OsString> {
        let program = [program.clone().into(), "parts".into()];
        let preload = has_it.then(|| ["env".into(), preload_variable()]);
        preload.into_iter().flatten().chain(program).collect()
    });
    let launch = Launch::new(&first[0], 1).args(&first[1..]);
    with(launch.and(ranks(3) - 1, second), variables).run()
}

/// All exchanges that a part without the library takes part in are forwarded, and one line says so.
#[test]
fn parts_of_which_one_has_the_library() {
    assert_eq!(Guest::new("dynamic parts", ranks(3)).stock().text, "ok parts\n");
    for have_it in [[true, false], [false, true]] {
        let outcome = parts(have_it, DEFAULT);
        let lines: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("hcube")).collect();
        assert_eq!(lines.len(), 1, "{}", outcome.stderr);
        assert_eq!(outcome.success(), "ok parts\n");
    }
}

/// Exchanges are served where both parts have the library.
#[test]
fn parts_that_both_have_the_library() {
    for (variables, check) in [(DEFAULT, later_ones_are_served as fn(&_)), (ALWAYS, all_are_served)] {
        let file = StatisticsFile::new("dynamic-parts");
        let wanted = file.variable();
        let outcome = parts([true, true], &[variables, &[("HCUBE_STATS", &wanted)]].concat());
        assert_eq!(outcome.success(), "ok parts\n");
        let statistics = file.read::<Statistics>().expect("statistics of a job with the library");
        assert_eq!(statistics.ranks(), ranks(3), "{statistics:?}");
        check(&statistics);
    }
}
