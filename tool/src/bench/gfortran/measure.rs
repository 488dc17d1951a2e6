//! Runs of all programs by all libraries, alternating.

use super::arguments::Arguments;
use super::compile::{Compiler, Variant};
use super::job::{Ended, Launcher};
use super::lines::Line;
use crate::bench::drawn;
use crate::bench::frame::alternating;
use crate::bench::job::{self, Printed};
use crate::bench::library::mpi_name;
use crate::interrupt::Interrupt;
use crate::launcher::{self, WERE_ENDED};
use crate::progress::Progress;
use crate::session::{self, Failure, Verdict};
use hcube_core::error::reason;
use hcube_results::gfortran::{HCUBE, MPI, OPENCOARRAYS, Results, Run, Subject, counterpart};
use hcube_results::measured::{Place, Timing, distinct};
use hcube_results::usage::Usage;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Batches of an operation in a run of a program.
const BATCHES: u32 = 21;

/// The name of the folder of the programs.
const FOLDER: &str = "hcube-bench-gfortran";
/// Names that are tried for a temporary one.
const MAX_ATTEMPTS: u32 = 1000;

/// The folder of the programs; a temporary one is removed.
struct Folder {
    path: PathBuf,
    is_temporary: bool,
}

impl Folder {
    fn new(arguments: &Arguments) -> Result<Self, Failure> {
        // One of its own also in the user's, whose files may have the names of the programs.
        let made = match &arguments.folder {
            Some(folder) => create(folder.join(FOLDER), |path| fs::create_dir_all(path)),
            None => create_temporary(&std::env::temp_dir()),
        };
        let path =
            made.map_err(|(path, error)| format!("--folder = {}: {}", path.display(), reason(&error)))?;
        Ok(Self { path, is_temporary: arguments.folder.is_none() })
    }
}

type Created = Result<PathBuf, (PathBuf, io::Error)>;

fn create(path: PathBuf, create: impl FnOnce(&Path) -> io::Result<()>) -> Created {
    create(&path).and_then(|()| path.canonicalize()).map_err(|error| (path, error))
}

/// A new folder that only this user can access: the programs in it are run, and another user may have a
/// folder of any name in `parent`.
fn create_temporary(parent: &Path) -> Created {
    let mut number = 0;
    loop {
        let path = parent.join(format!("{FOLDER}-{}-{number}", std::process::id()));
        match create(path, |path| fs::DirBuilder::new().mode(0o700).create(path)) {
            Err((_, error)) if error.kind() == io::ErrorKind::AlreadyExists && number < MAX_ATTEMPTS => {
                number += 1;
            }
            created => return created,
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.is_temporary {
            drop(fs::remove_dir_all(&self.path));
        }
    }
}

/// Checks which library for coarrays has served a program, from the files that its process had loaded.
/// Libraries for coarrays have the same functions: the one that the loader has found first serves the
/// program.
fn check_library(variant: &str, libraries: &[String]) -> Result<(), Failure> {
    let name = |path: &String| Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_there = |prefix: &str| libraries.iter().any(|path| name(path).starts_with(prefix));
    let (hcube, other) = (is_there("libhcube_caf"), is_there("libcaf"));
    let expected = match variant {
        HCUBE if hcube && !other => return Ok(()),
        // OpenCoarrays may be part of the program.
        OPENCOARRAYS if !hcube => return Ok(()),
        MPI if !hcube && !other => return Ok(()),
        HCUBE => "libhcube_caf.so and no other one",
        OPENCOARRAYS => "not hcube's",
        _ => "none",
    };
    let found = if libraries.is_empty() { "none".to_owned() } else { libraries.join(", ") };
    Err(format!(
        "NOT MEASURED: the program of {variant} has the library for coarrays {found}; expected {expected}"
    ))
}

/// All times of an operation by a library.
#[derive(Clone)]
struct Measured {
    subject: Subject,
    variant: &'static str,
    seconds: Vec<f64>,
    used: Vec<Usage>,
    errors: u64,
    check: i64,
}

/// What has been measured so far.
#[derive(Clone, Default)]
struct Measurements {
    all: Vec<Measured>,
    notes: Vec<String>,
    /// Operations that have ended their program, with the images and the library.
    excluded: Vec<(u32, &'static str, String)>,
}

impl Measurements {
    fn add(&mut self, place: &Place, variant: &'static str, line: Line) {
        let subject = Subject { place: place.clone(), operation: line.operation, bytes: line.bytes };
        let same = |one: &&mut Measured| one.variant == variant && one.subject == subject;
        let Some(one) = self.all.iter_mut().find(same) else {
            let (errors, check) = (line.errors, line.check);
            let (seconds, used) = (vec![line.seconds], vec![line.usage]);
            self.all.push(Measured { subject, variant, seconds, used, errors, check });
            return;
        };
        one.seconds.push(line.seconds);
        one.used.push(line.usage);
        one.errors += line.errors + u64::from(one.check != line.check);
    }

    /// Leaves an operation of a library out, also where it was measured before.
    fn leave_out(&mut self, images: u32, variant: &'static str, name: &str, why: &str) {
        self.notes.push(format!("{name} left out of {variant} with {images} image(s): {why}"));
        self.excluded.push((images, variant, name.to_owned()));
        self.all.retain(|one| {
            let Subject { place, operation, .. } = &one.subject;
            (place.ranks, one.variant, operation.as_str()) != (images as usize, variant, name)
        });
    }

    fn is_left_out(&self, images: u32, variant: &str, name: &str) -> bool {
        let is_it =
            |(at, of, other): &(u32, &str, String)| (*at, *of, other.as_str()) == (images, variant, name);
        self.excluded.iter().any(is_it)
    }

    fn results(self) -> Results {
        let run = |one: Measured| {
            let run = Run::new(one.subject, one.variant, &one.seconds);
            let timing = Timing { usage: Usage::mean(&one.used), ..run.timing.clone() };
            Run { timing, errors: one.errors, check: one.check, ..run }
        };
        Results::new(self.all.into_iter().map(run).collect(), distinct(self.notes))
    }
}

/// A program and the operations that it is to measure.
struct Task<'a> {
    variant: &'static str,
    program: &'a Path,
    operations: Vec<&'static str>,
}

/// For each kind, the programs of all libraries.
fn tasks<'a>(arguments: &Arguments, variants: &'a [Variant]) -> Vec<Vec<Task<'a>>> {
    let [statements, programs] = arguments.chosen();
    let of_statements = variants.iter().filter_map(|one| {
        let program = one.statements.as_deref()?;
        Some(Task { variant: one.name, program, operations: statements.clone() })
    });
    let of_programs = variants.iter().map(|one| {
        let operations = match one.name {
            MPI => distinct(programs.iter().filter_map(|name| counterpart(name))),
            _ => programs.clone(),
        };
        Task { variant: one.name, program: &one.programs, operations }
    });
    let mut all = vec![of_statements.collect::<Vec<_>>(), of_programs.collect()];
    all.iter_mut().for_each(|tasks| tasks.retain(|task| !task.operations.is_empty()));
    all
}

/// What all runs need.
struct Bench<'a> {
    arguments: &'a Arguments,
    launcher: Launcher<'a>,
    interrupt: &'a Interrupt,
    mpi: String,
}

impl Bench<'_> {
    fn place(&self, images: u32) -> Place {
        Place {
            mpi: self.mpi.clone(),
            ranks: images as usize,
            ranks_per_node: self.arguments.ranks_per_node.unwrap_or(0) as usize,
            nodes: 0,
            cores: hcube_core::node::processor::cores(),
        }
    }

    /// Runs a program until all of its operations have been measured, or have ended it; false where the user
    /// has interrupted it. A program of another library that fails between operations is not run again.
    fn measure(&self, task: &Task<'_>, images: u32, into: &mut Measurements) -> Result<bool, Failure> {
        let place = self.place(images);
        let mut left = task.operations.clone();
        left.retain(|name| !into.is_left_out(images, task.variant, name));
        let sizes: Vec<String> = self.arguments.sizes.iter().map(ToString::to_string).collect();
        while !left.is_empty() {
            let words = [BATCHES.to_string(), sizes.join(","), left.join(",")];
            let ended = self.launcher.run(task.program, images, &words, self.interrupt)?;
            let Some(Ended { output, failure, was_ended }) = ended else { return Ok(false) };
            if was_ended {
                into.notes.push(format!("{} with {images} image(s): {WERE_ENDED}", task.variant));
            }
            if !output.lines.is_empty() {
                check_library(task.variant, &output.libraries)?;
            }
            for (name, reason) in output.skipped {
                into.notes.push(format!("{name} left out of {images} image(s): {reason}"));
            }
            let measured = |name: &&str| output.lines.iter().any(|line| line.operation == *name);
            let missing: Vec<&str> = left.iter().copied().filter(|name| !measured(name)).collect();
            for line in output.lines {
                if into.is_left_out(images, task.variant, &line.operation) {
                    continue;
                }
                // A library whose results are wrong is no comparison; hcube's own errors and those of the
                // programs count.
                if task.variant == OPENCOARRAYS && line.errors > 0 {
                    into.leave_out(images, task.variant, &line.operation, "its results are wrong");
                    continue;
                }
                into.add(&place, task.variant, line);
            }
            let Some(reason) = failure else { break };
            let at = format!("{} with {images} image(s)", task.variant);
            if task.variant == HCUBE {
                return Err(format!("{at}: {reason}"));
            }
            let Some(name) = output.unfinished else {
                if missing.is_empty() {
                    into.notes.push(format!("{at}: the program has failed after its operations ({reason})"));
                }
                for name in missing {
                    into.leave_out(images, task.variant, name, &format!("the program fails ({reason})"));
                }
                break;
            };
            // Operations before it have been measured in this run.
            let next = left.iter().position(|one| *one == name).map_or(left.len(), |place| place + 1);
            left.drain(..next);
            into.leave_out(images, task.variant, &name, &format!("it ends the program ({reason})"));
        }
        Ok(true)
    }

    /// The numbers of images in the order of tables.
    fn images(&self) -> Vec<u32> {
        let mut images = distinct(self.arguments.images.iter().copied());
        images.sort_unstable();
        images
    }

    /// All runs of each kind, alternating. `show` gets what was measured with each number of
    /// images.
    fn measure_all(
        &self,
        kinds: &[Vec<Task<'_>>],
        into: &mut Measurements,
        mut show: impl FnMut(&Measurements, &Progress),
    ) -> Result<bool, Failure> {
        let mut progress = Progress::new("bench gfortran", !self.arguments.no_progress);
        let runs = kinds.iter().map(Vec::len).sum::<usize>() * self.arguments.repeat as usize;
        let all_images = self.images();
        progress.begin(runs * all_images.len());
        for images in all_images {
            for tasks in kinds {
                for (_, number) in alternating(tasks.len(), self.arguments.repeat) {
                    let task = &tasks[number];
                    progress.step(|| format!("{}, {images} images", task.variant));
                    if !self.measure(task, images, into)? {
                        return Ok(false);
                    }
                }
            }
            show(into, &progress);
        }
        progress.finish();
        Ok(true)
    }

    fn heading(&self, variants: &[Variant]) -> String {
        let libraries: Vec<&str> =
            variants.iter().map(|one| one.library.as_str()).filter(|library| !library.is_empty()).collect();
        let nodes = match self.arguments.ranks_per_node {
            None => String::new(),
            Some(count) => format!("; hcube takes each {count} image(s) for a node"),
        };
        format!(
            "hcube {} gfortran: {}{nodes}\n{}; medians of {} alternating runs\n\n",
            env!("CARGO_PKG_VERSION"),
            self.mpi,
            libraries.join(", "),
            self.arguments.repeat
        )
    }
}

/// The command that starts programs.
fn launcher_command(arguments: &Arguments, mpi: &str) -> Result<Vec<String>, Failure> {
    let Some(text) = &arguments.launcher else { return launcher::usual(mpi) };
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    match words.first() {
        Some(program) if launcher::exists(program) || Path::new(program).is_file() => Ok(words),
        _ => Err(format!("--launcher = {text}: expected a program that exists, with its options")),
    }
}

/// Compiles, measures, prints, writes, draws.
pub fn run(arguments: &Arguments, interrupt: &Interrupt) -> Result<Verdict, Failure> {
    let checked = arguments.json.check().and_then(|()| arguments.drawn.check());
    checked.map_err(|error| error.to_string())?;
    let mpi = session::library();
    let name = mpi_name(&mpi);
    let folder = Folder::new(arguments)?;
    let launcher = Launcher {
        command: launcher_command(arguments, name)?,
        mpi: name,
        folder: &folder.path,
        limit: Duration::from_secs(arguments.limit.into()),
        ranks_per_node: arguments.ranks_per_node,
    };
    let bench = Bench { arguments, launcher, interrupt, mpi };
    let (variants, notes) = Compiler::new(arguments, &folder.path, name)?.variants()?;
    let mut measurements = Measurements { notes, ..Measurements::default() };
    let mut printed = Printed::begin(arguments.json.tables(), || bench.heading(&variants));
    let show = |measured: &Measurements, progress: &Progress| {
        printed.add(|| measured.clone().results(), progress);
    };
    if !bench.measure_all(&tasks(arguments, &variants), &mut measurements, show)? {
        return Ok(Verdict::Interrupted);
    }
    let results = Results { date: drawn::today(), ..measurements.results() };
    printed.end(&results);
    arguments.json.write(&results)?;
    arguments.drawn.draw(&results)?;
    Ok(job::verdict(&results))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_temporary_folder_is_new_and_private() {
        let parent = create_temporary(&std::env::temp_dir()).expect("a folder");
        let taken = parent.join(format!("{FOLDER}-{}-0", std::process::id()));
        std::os::unix::fs::symlink("/", &taken).expect("a name that another user has");
        let made = create_temporary(&parent).expect("another name");
        assert!(made.starts_with(&parent) && made != taken, "{}", made.display());
        assert_eq!(fs::metadata(&made).expect("there").permissions().mode() & 0o777, 0o700);
        fs::remove_dir_all(&parent).expect("ours");
    }

    #[test]
    fn a_program_is_measured_with_its_own_library() {
        let [hcube, other] =
            ["/opt/hcube/lib/libhcube_caf.so", "/usr/lib/libcaf_openmpi.so.3"].map(str::to_owned);
        let [none, own, theirs] = [vec![], vec![hcube.clone()], vec![other.clone()]];
        // A folder is no library.
        let folder = vec!["/home/libcaf/libm.so".to_owned()];
        for (variant, good) in
            [(HCUBE, &own), (OPENCOARRAYS, &theirs), (OPENCOARRAYS, &none), (MPI, &none), (MPI, &folder)]
        {
            assert_eq!(check_library(variant, good), Ok(()), "{variant}: {good:?}");
        }
        let both = vec![hcube, other];
        for (variant, wrong) in
            [(HCUBE, &none), (HCUBE, &theirs), (HCUBE, &both), (OPENCOARRAYS, &both), (MPI, &own)]
        {
            let refused = check_library(variant, wrong).expect_err("another library");
            assert!(refused.starts_with("NOT MEASURED") && refused.contains(variant), "{refused}");
        }
    }
}
