//! Programs in the style of users (tests/c/guest): each runs without and with the preload library, and must
//! print the same both times.

use super::preload::{Preloaded, Statistics, preload_variable};
use super::{Language, Launch, Mpi, Outcome, by_mpi, folder, modified, newest_header, output, root};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Variables of a run under the preload library.
pub type Variables<'a> = &'a [(&'a str, &'a str)];

/// hcube as it is by default: the first exchange of a communicator is forwarded to the MPI library.
pub const DEFAULT: Variables<'static> = &[];

/// hcube makes every exchange that it can.
pub const ALWAYS: Variables<'static> = &[("HCUBE_ALLTOALL", "linear-shift")];

/// hcube makes every exchange that it can, and by single copy where that works.
pub const SINGLE_COPY: Variables<'static> = &[("HCUBE_PATH", "single-copy")];

/// hcube forwards every exchange.
pub const LIBRARY: Variables<'static> = &[("HCUBE_ALLTOALL", "library")];

/// The reason of the statistics for first exchanges.
const FIRST: &str = "the first exchange of a communicator";

/// Seconds after which a run has hung. They take a few seconds on a busy machine.
const LIMIT: u64 = 60;

/// Compiles tests/c/guest/`name`.c, unless that has been done since it was changed.
pub fn program(name: &str, language: Language) -> PathBuf {
    static COMPILING: Mutex<()> = Mutex::new(());
    let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    let sources = root().join("tests/c/guest");
    let source = sources.join(format!("{name}.c"));
    let headers = newest_header(&sources).max(newest_header(&root().join("tests/c")));
    let program = folder("guest").join(format!("{name}-{language:?}"));
    if modified(&program) <= modified(&source).max(headers) {
        let mut compiler = language.compiler(Mpi::selected());
        if language == Language::Cxx17 {
            compiler.args(["-x", "c++"]);
        }
        output(compiler.arg("-O1").arg(&source).arg("-o").arg(&program).arg("-pthread"));
    }
    program
}

/// The output of a program.
#[derive(Debug)]
pub struct Run {
    /// Output that must be the same in all runs.
    pub text: String,
    /// Lines `figure <name> <value>`.
    figures: BTreeMap<String, u64>,
}

impl Run {
    fn new(printed: &str) -> Self {
        let (mut text, mut figures) = (String::new(), BTreeMap::new());
        for line in printed.lines() {
            match line.strip_prefix("figure ").and_then(|rest| rest.split_once(' ')) {
                Some((name, value)) => {
                    let value = value.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
                    figures.insert(name.to_owned(), value);
                }
                None => text += &format!("{line}\n"),
            }
        }
        Self { text, figures }
    }

    pub fn figure(&self, name: &str) -> u64 {
        *self.figures.get(name).unwrap_or_else(|| panic!("no figure {name}: {self:?}"))
    }

    /// Whether the program has found that it cannot do on this machine what it is for.
    pub fn skipped(&self) -> bool {
        self.text.lines().any(|line| line.starts_with("skipped "))
    }
}

/// A program with its arguments.
#[derive(Debug, Clone)]
pub struct Guest {
    pub program: PathBuf,
    pub ranks: usize,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Guest {
    /// A program in C; `line` is its name and its arguments.
    pub fn new(line: &str, ranks: usize) -> Self {
        Self::of(Language::C11, line, ranks)
    }

    /// The same source as C or as C++.
    pub fn of(language: Language, line: &str, ranks: usize) -> Self {
        let mut words = line.split(' ').map(str::to_owned);
        let program = program(&words.next().expect("a name"), language);
        Self { program, ranks, arguments: words.collect(), environment: Vec::new() }
    }

    /// Sets a variable in all runs.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    fn complete(&self, launch: Launch, variables: Variables<'_>) -> Launch {
        let launch = self.environment.iter().fold(launch, |launch, (name, value)| launch.env(name, value));
        launch.envs(variables).args(&self.arguments).limit(LIMIT)
    }

    /// Without the preload library.
    pub fn stock(&self) -> Run {
        let outcome = self.complete(Launch::new(&self.program, self.ranks), &[]).run();
        Run::new(&outcome.success())
    }

    /// Under the preload library, which may fail.
    pub fn preloaded(&self, variables: Variables<'_>) -> (Outcome, Option<Statistics>) {
        let mut name = self.program.file_name().expect("a name").to_string_lossy().into_owned();
        let values = variables.iter().map(|(_, value)| *value);
        for word in self.arguments.iter().map(String::as_str).chain(values) {
            name += &format!("-{word}");
        }
        let preloaded = Preloaded::new(&name, &self.program, self.ranks);
        preloaded.with(|launch| self.complete(launch, variables)).run()
    }

    /// Under the preload library, when all must go well.
    pub fn success(&self, variables: Variables<'_>) -> (Run, Statistics) {
        let (outcome, statistics) = self.preloaded(variables);
        let errors = outcome.stderr.clone();
        let run = Run::new(&outcome.success());
        (run, statistics.unwrap_or_else(|| panic!("no statistics:\n{errors}")))
    }

    /// Under the preload library, where it must print what it prints without.
    pub fn same_as(&self, stock: &Run, variables: Variables<'_>) -> (Run, Statistics) {
        let (run, statistics) = self.success(variables);
        assert_eq!(run.text, stock.text, "{self:?} under the preload library with {variables:?}");
        (run, statistics)
    }

    /// Under the preload library without statistics, where the program must print what it prints without the
    /// library, and hcube nothing.
    pub fn same_without_statistics(&self, stock: &Run, variables: Variables<'_>) -> Run {
        let launch = Launch::new("env", self.ranks).arg(preload_variable()).arg(&self.program);
        let outcome = self.complete(launch, variables).run();
        let errors = outcome.stderr.clone();
        let run = Run::new(&outcome.success());
        assert_eq!(run.text, stock.text, "{self:?} under the preload library with {variables:?}");
        assert!(!errors.contains("hcube"), "{errors}");
        run
    }

    /// The same result without the preload library, with it, and where hcube makes every exchange. The
    /// program makes several exchanges on some communicator. `false` where it cannot do its work on this
    /// machine.
    pub fn check(&self) -> bool {
        let stock = self.stock();
        if stock.skipped() {
            return false;
        }
        later_ones_are_served(&self.same_as(&stock, DEFAULT).1);
        all_are_served(&self.same_as(&stock, ALWAYS).1);
        true
    }
}

/// That hcube has made exchanges, but not the first one of a communicator.
pub fn later_ones_are_served(statistics: &Statistics) {
    assert!(statistics.reasons().contains(&FIRST), "no first exchange was forwarded: {statistics:?}");
    assert!(statistics.served() > 0, "hcube has made no exchange: {statistics:?}");
}

/// Checks that hcube has performed all exchanges, except erroneous ones.
pub fn all_are_served(statistics: &Statistics) {
    assert!(statistics.served() > 0, "hcube has made no exchange: {statistics:?}");
    assert_eq!(statistics.calls_by("library"), 0, "forwarded to the MPI library: {statistics:?}");
}

/// Numbers of ranks, `openmpi` for Open MPI. MPICH never yields: more ranks than cores take minutes.
pub fn ranks(openmpi: usize) -> usize {
    by_mpi(openmpi, 2)
}
