//! Jobs in which not every process has the preload library.

use crate::common::guest::{Guest, later_ones_are_served, ranks};
use crate::common::preload::library;
use crate::common::{Launch, Mpi, Outcome, only_with};
use std::ffi::OsString;

/// Children have an environment of their own: communicators with them are forwarded to the MPI library, by all members.
#[test]
fn children_without_the_library() {
    if !only_with(Mpi::Open, "Debian's MPICH starts no processes") {
        return;
    }
    let guest = Guest::new("dynamic spawn 2", 2);
    let (_, statistics) = guest.same_as(&guest.stock(), &[]);
    later_ones_are_served(&statistics);
}

/// The same where the library is set for everything.
#[test]
fn children_with_the_library() {
    if !only_with(Mpi::Open, "Debian's MPICH starts no processes") {
        return;
    }
    let guest =
        Guest::new("dynamic spawn 2", 2).env("LD_PRELOAD", library().to_str().expect("a path in UTF-8"));
    assert_eq!(guest.stock().text, "ok spawn\n");
}

/// A job of two programs; the library is preloaded only into the first or only into the second.
fn parts(first_has_it: bool) -> Outcome {
    let guest = Guest::new("dynamic parts", 1);
    let (mut preload, program) = (OsString::from("LD_PRELOAD="), guest.program.clone().into_os_string());
    preload.push(library());
    let others = (ranks(3) - 1).to_string();
    let with: Vec<OsString> = vec!["env".into(), preload, program.clone(), "parts".into()];
    let without = vec![program, "parts".into()];
    let (first, second) = if first_has_it { (with, without) } else { (without, with) };
    let mut words = first.into_iter();
    let launch = Launch::new(words.next().expect("a program"), 1).args(words);
    let launch = launch.args([":", "-np", &others]).args(second);
    launch.limit(60).run()
}

/// All exchanges that a part without the library takes part in are forwarded, and one line says so.
#[test]
fn parts_of_which_one_has_the_library() {
    assert_eq!(Guest::new("dynamic parts", ranks(3)).stock().text, "ok parts\n");
    for first_has_it in [true, false] {
        let outcome = parts(first_has_it);
        let lines: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("hcube")).collect();
        assert_eq!(lines.len(), 1, "{}", outcome.stderr);
        assert_eq!(outcome.success(), "ok parts\n");
    }
}
