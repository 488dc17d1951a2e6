//! `hcube-lab hosts bench`: the benchmarks of all systems on hosts of this machine, beside their competitors.

use super::cases::{CASES, Case, Measured};
use super::job::Place;
use super::options::{Links, Options};
use super::programs;
use super::site::{Site, has_been_written};
use crate::hpcc::launch::interrupted;
use hcube_results::hosts::{Results, figure};
use hcube_results::runs::{Report, verification};
use hcube_results::taken::Taken;
use hcube_tool::bench::drawn;
use hcube_tool::launcher::WERE_ENDED;
use hcube_tool::output::{self, JsonOption};
use hcube_tool::progress::Progress;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Measures all systems on hosts, hcube and its competitors in turn
///
/// Runs `hcube bench` of the build for each MPI library (target/NAME/release/hcube), and programs with hcube
/// and without, with sizes that fit on a small machine. Lines in which hcube is slowest come first.
///
/// Example: hcube-lab hosts bench --shapes 2x2,4x4 --libraries openmpi,mpich --json=hosts.json
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Numbers of hosts and of ranks on each
    #[arg(long, value_name = "HxR[,HxR...]", default_value = "2x2,4x4,8x4", value_delimiter = ',', value_parser = shape)]
    pub shapes: Vec<(usize, usize)>,
    /// MPI libraries, whose launchers are mpirun.NAME
    #[arg(long, value_name = "NAME[,NAME...]", default_value = "openmpi", value_delimiter = ',')]
    pub libraries: Vec<String>,
    /// What is measured (by default all of it)
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',', value_parser = names())]
    pub cases: Vec<String>,
    #[command(flatten)]
    pub links: Links,
    /// Folder of the results and the output of each benchmark
    #[arg(long, value_name = "DIR", default_value = "target/hosts")]
    pub root: PathBuf,
    #[command(flatten)]
    pub json: JsonOption,
    /// Draw the speed-ups into an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Do not measure: read the results of earlier runs with --json, print and draw them, and join them with
    /// --json; a case replaces the same case of an earlier file on the same hosts
    #[arg(long, value_name = "FILE[,FILE...]", value_delimiter = ',',
          conflicts_with_all = ["shapes", "libraries", "cases", "root", "rate", "latency"])]
    pub from: Vec<PathBuf>,
}

fn names() -> clap::builder::PossibleValuesParser {
    all().map(Chosen::name).collect::<Vec<_>>().into()
}

fn shape(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('x').and_then(|(hosts, ranks)| {
        let [hosts, ranks] = [hosts, ranks].map(|number| number.parse().ok());
        hosts.zip(ranks)
    });
    let is_possible = |&(hosts, ranks): &(usize, usize)| {
        (1..=hcube_hosts::MAX_HOSTS).contains(&hosts) && (1..=1024).contains(&ranks)
    };
    numbers.filter(is_possible).ok_or_else(|| "expected hosts and ranks on each such as 4x4".to_owned())
}

/// Begins notes of what has failed.
const FAILED: &str = "FAILED: ";

/// Measures everything; whether all of it succeeded and was right.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let checked = arguments.json.check().and_then(|()| drawn::check(arguments.plot.as_deref()));
    checked.map_err(|error| error.to_string())?;
    if !arguments.from.is_empty() {
        let mut joined = Results::default();
        drawn::read_results(&arguments.from)?.into_iter().for_each(|results| joined.add(results));
        return conclude(arguments, &joined);
    }
    fs::create_dir_all(&arguments.root).map_err(output::failure(&arguments.root))?;
    let mut bench = Bench::new(arguments);
    for mpi in &arguments.libraries {
        let tool = tool(mpi)?;
        for &shape in &arguments.shapes {
            let mut place = Place::new(&options(arguments, mpi, shape))?;
            place.let_ranks_yield()?;
            place.bind_ranks()?;
            bench.measure_all(&place, &tool)?;
        }
    }
    bench.finish()
}

/// What was measured so far.
struct Bench<'a> {
    arguments: &'a Arguments,
    cases: Vec<Chosen>,
    results: Results,
    has_failed: bool,
    progress: Progress,
}

impl<'a> Bench<'a> {
    fn new(arguments: &'a Arguments) -> Self {
        let is_wanted =
            |name: &str| arguments.cases.is_empty() || arguments.cases.iter().any(|one| one == name);
        let cases: Vec<Chosen> = all().filter(|case| is_wanted(case.name())).collect();
        let mut progress = Progress::new("hosts bench", true);
        progress.begin(cases.len() * arguments.libraries.len() * arguments.shapes.len());
        let taken = Taken { date: drawn::today(), ..Taken::default() };
        let results = Results { cores: crate::hpcc::cores(), taken, ..Results::default() };
        Self { arguments, cases, results, has_failed: false, progress }
    }

    /// All cases on some hosts.
    fn measure_all(&mut self, place: &Place, tool: &Path) -> Result<(), String> {
        let site = Site::new(place, tool, &self.arguments.root)?;
        for case in self.cases.clone() {
            let about = place.about();
            self.progress.step(|| format!("{}, {}", case.name(), about.title()));
            let (lines, notes) = match case.measure(&site) {
                Ok(measured) => measured,
                Err(_) if interrupted() => return Err("interrupted".to_owned()),
                Err(reason) => (Vec::new(), vec![format!("{FAILED}{reason}")]),
            };
            self.has_failed |= notes.iter().any(|note| note.starts_with(FAILED));
            self.results.lines.extend(lines);
            self.results.notes.extend(notes.into_iter().map(|note| about.note(case.name(), &note)));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<bool, String> {
        self.progress.finish();
        Ok(conclude(self.arguments, &self.results)? && !self.has_failed)
    }
}

/// Prints, writes and draws the results; whether all are right.
fn conclude(arguments: &Arguments, results: &Results) -> Result<bool, String> {
    if arguments.json.tables() {
        print!("{}{}", results.text(), verification(&results.errors()));
    }
    arguments.json.write(results)?;
    drawn::draw(arguments.plot.as_deref(), || figure::sheet(results), "nothing was measured")?;
    Ok(results.errors().into_iter().flatten().all(|errors| errors == 0))
}

fn options(arguments: &Arguments, mpi: &str, (hosts, ranks_per_host): (usize, usize)) -> Options {
    Options { hosts, ranks_per_host, links: arguments.links.clone(), mpi: mpi.to_owned(), in_turn: false }
}

/// `hcube` of the build for an MPI library, beside this one's.
fn tool(mpi: &str) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    // target/<mpi>/release/hcube-lab
    let of_library = own.ancestors().nth(3).map(|target| target.join(mpi).join("release/hcube"));
    of_library
        .filter(|file| file.is_file())
        .ok_or_else(|| format!("--libraries {mpi}: there is no build for it (make MPI={mpi})"))
}

/// A row of one of both tables.
#[derive(Clone, Copy)]
enum Chosen {
    Bench(&'static Case),
    Programs(&'static programs::Case),
}

/// All rows, in the order in which they are measured.
fn all() -> impl Iterator<Item = Chosen> {
    CASES.iter().map(Chosen::Bench).chain(programs::CASES.iter().map(Chosen::Programs))
}

impl Chosen {
    fn name(self) -> &'static str {
        match self {
            Self::Bench(case) => case.name,
            Self::Programs(case) => case.name,
        }
    }

    fn measure(self, site: &Site) -> Result<Measured, String> {
        match self {
            Self::Bench(case) => bench(site, case),
            Self::Programs(case) => (case.measure)(site),
        }
    }
}

/// A job of `hcube bench`.
fn bench(site: &Site, case: &Case) -> Result<Measured, String> {
    let json = site.file(case.name, ".json");
    // A benchmark that fails must not leave an earlier run's results there.
    let _ = fs::remove_file(&json);
    let words = (case.arguments)(site.place.ranks()).into_iter().map(OsString::from);
    let line = [site.tool.clone().into(), "bench".into()].into_iter().chain(words);
    let line: Vec<OsString> =
        line.chain([format!("--json={}", json.display()).into(), "--no-progress".into()]).collect();
    let folder = std::env::current_dir().map_err(|error| format!("the current folder: {error}"))?;
    let ended =
        site.run((&folder, case.order), &line, &site.file(case.name, ".txt"), has_been_written(&json));
    let unread = |error| ended.clone().err().unwrap_or_else(|| output::failure(&json)(error));
    let text = fs::read_to_string(&json).map_err(unread)?;
    let (lines, mut notes) = case.read(&site.about(), &text)?;
    match ended {
        Ok(true) => {}
        Ok(false) => notes.push(WERE_ENDED.to_owned()),
        // Wrong results, of a competitor too, or a failure afterwards.
        Err(reason) => notes.push(format!("{FAILED}{reason}")),
    }
    Ok((lines, notes))
}
