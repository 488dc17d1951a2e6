//! FFTW's own checks: its benchmark program verifies random problems that its script tests/check.pl
//! generates, and transpositions. Every plan is printed, so that plans with hcube can be counted.

use crate::clients::{Precision, is_preloaded, mpi_bench, only_preloaded, plugin};
use crate::common::{Launch, Mpi, build, root};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// The verified problems.
#[derive(Debug, Default)]
struct Verified {
    problems: usize,
    /// Of these, with hcube in the plan.
    hcube: usize,
}

impl Verified {
    /// Reads what the program prints: before the errors of each problem, how long its planning took,
    /// and the plan.
    fn read(text: &str) -> Self {
        let mut all = Self::default();
        for problem in text.split("planner time:").skip(1) {
            all.problems += 1;
            all.hcube += usize::from(problem.contains("(mpi-transpose-hcube"));
        }
        all
    }

    fn add(&mut self, other: &Self) {
        self.problems += other.problems;
        self.hcube += other.hcube;
    }
}

/// The command that starts the program on that many ranks, with hcube for all that it can do.
fn command_line(precision: Precision, ranks: usize) -> Vec<String> {
    let mut words = vec![format!("mpirun.{}", Mpi::selected().name())];
    if is_preloaded() {
        words.extend(["--oversubscribe", "--bind-to", "none"].map(str::to_owned));
    }
    words.extend(["-np".to_owned(), ranks.to_string(), "env".to_owned(), "HCUBE_FFTW=always".to_owned()]);
    if is_preloaded() {
        words.push(format!("LD_PRELOAD={}", plugin(precision).display()));
    }
    words.push("OMPI_MCA_mpi_yield_when_idle=1".to_owned());
    words.push(mpi_bench(precision).display().to_string());
    words
}

fn allowing_root(mut command: Command) -> Command {
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

/// Runs check.pl on random problems. Perl's random numbers are started by hand, so that they are the same
/// every time.
fn check(precision: Precision, ranks: usize, count: usize, more: &[&str]) -> Verified {
    let tree: PathBuf = root().join("target/fftw/source/fftw-3.3.10");
    let program = command_line(precision, ranks).join(" ");
    let mut perl = Command::new("perl");
    perl.args(["-w", "-e", &format!("srand({ranks}); my $script = shift; do $script; die $@ if $@")]);
    perl.arg(tree.join("tests/check.pl")).args(["-v", "-v", "--random", "--maxsize=4000"]);
    perl.arg(format!("-c={count}")).args(more).args(["--mpi", &program]);
    // Wisdom is a file in the present folder.
    let folder = build().join("clients");
    let text = Launch::new("perl", ranks).folder(&folder).limit(180).supervise(allowing_root(perl)).success();
    assert!(!text.contains("FAILED"), "{text}");
    Verified::read(&text)
}

/// Transpositions of matrices in the program's language: for real numbers of no transform at all.
fn transpositions() -> Vec<String> {
    let mut all = BTreeSet::new();
    for (rows, columns) in
        [(1, 1), (4, 4), (12, 12), (13, 13), (16, 5), (5, 16), (12, 24), (60, 60), (30, 20)]
    {
        for vector in [1, 3] {
            for layout in ["", "[", "]"] {
                for place in ["i", "o"] {
                    let (row, column) = (columns * vector, rows * vector);
                    all.insert(format!(
                        "{place}k{layout}1v{rows}:{row}:{vector}x{columns}:{vector}:{column}x{vector}:1:1"
                    ));
                }
            }
        }
    }
    all.into_iter().collect()
}

fn verify(precision: Precision, ranks: usize, problems: &[String]) -> Verified {
    let mut line = command_line(precision, ranks).into_iter();
    let mut command = Command::new(line.next().expect("a launcher"));
    command.args(line).arg("--verbose=2");
    for problem in problems {
        command.args(["--verify", problem]);
    }
    let text = Launch::new("mpi-bench", ranks).supervise(allowing_root(command)).success();
    Verified::read(&text)
}

#[test]
fn random_problems() {
    let mut all = Verified::default();
    for ranks in 1..=if is_preloaded() { 5 } else { 3 } {
        // Ranks of MPICH that share a core take long for each message.
        let quick: &[&str] = &["--estimate", "--verify-rounds=1"];
        let (count, more) = match (is_preloaded(), ranks) {
            (true, _) => (14, &[][..]),
            (false, 1 | 2) => (9, &[][..]),
            (false, _) => (1, quick),
        };
        let verified = check(Precision::Double, ranks, count, more);
        assert!(ranks == 1 || verified.hcube > 0, "{ranks} ranks: {verified:?}");
        all.add(&verified);
    }
    eprintln!("{all:?}");
    let least = if is_preloaded() { (200, 100) } else { (50, 25) };
    assert!(all.problems >= least.0 && all.hcube >= least.1, "{all:?}");
}

#[test]
fn transpositions_without_a_transform() {
    let problems = transpositions();
    for ranks in 1..=if is_preloaded() { 5 } else { 2 } {
        let verified = verify(Precision::Double, ranks, &problems);
        // Out of place all of them, in place those that are square at least.
        assert_eq!(verified.problems, problems.len(), "{ranks} ranks");
        assert!(verified.hcube > problems.len() / 2, "{ranks} ranks: {verified:?}");
    }
}

#[test]
fn other_ways_of_planning_and_single_precision() {
    if !only_preloaded("the patched FFTW is built in double precision, and its ranks share cores") {
        return;
    }
    for (number, option) in ["--estimate", "--patient", "--validate-wisdom"].into_iter().enumerate() {
        let verified = check(Precision::Double, 2 + number % 3, 2, &[option]);
        assert!(verified.hcube > 0, "{option}: {verified:?}");
    }
    let verified = check(Precision::Single, 2, 6, &[]);
    assert!(verified.hcube > 0, "{verified:?}");
}
