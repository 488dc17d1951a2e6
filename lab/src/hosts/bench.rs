//! `hcube-lab hosts bench`: the benchmarks of all systems on hosts of this machine, beside their competitors.

use super::cases::{CASES, Case, Measured};
use super::job::{self, Place};
use super::options::{Options, latency, rate};
use hcube_results::hosts::Results;
use hcube_results::runs::{Report, verification};
use hcube_tool::output::{self, JsonOption};
use hcube_tool::progress::Progress;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Measures all systems on hosts, hcube and its competitors in turn
///
/// Runs `hcube bench` of the build for each MPI library (target/NAME/release/hcube) with sizes that fit on a
/// small machine. Lines in which hcube is slowest come first.
///
/// Example: hcube-lab hosts bench --shapes 2x2,4x4 --libraries openmpi,mpich --json=hosts.json
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Numbers of hosts and of ranks on each
    #[arg(long, value_name = "HxR[,HxR...]", default_value = "2x2,4x4", value_delimiter = ',', value_parser = shape)]
    pub shapes: Vec<(usize, usize)>,
    /// MPI libraries, whose launchers are mpirun.NAME
    #[arg(long, value_name = "NAME[,NAME...]", default_value = "openmpi", value_delimiter = ',')]
    pub libraries: Vec<String>,
    /// What is measured (by default all of it)
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',', value_parser = names())]
    pub cases: Vec<String>,
    /// The rate of each link, such as 1gbit (by default no limit)
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub rate: Option<u64>,
    /// The time that a frame needs from one host to another, such as 100us (by default none)
    #[arg(long, value_name = "TIME", value_parser = latency)]
    pub latency: Option<std::time::Duration>,
    /// Folder of the results and the output of each benchmark
    #[arg(long, value_name = "DIR", default_value = "target/hosts")]
    pub root: PathBuf,
    #[command(flatten)]
    pub json: JsonOption,
}

fn names() -> clap::builder::PossibleValuesParser {
    CASES.iter().map(|case| case.name).collect::<Vec<_>>().into()
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

/// Measures everything; whether all of it succeeded and was right.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    arguments.json.check().map_err(|error| error.to_string())?;
    fs::create_dir_all(&arguments.root).map_err(output::failure(&arguments.root))?;
    let cases = || {
        CASES
            .iter()
            .filter(|case| arguments.cases.is_empty() || arguments.cases.iter().any(|name| name == case.name))
    };
    let mut progress = Progress::new("hosts bench", true);
    let jobs = arguments.libraries.len() * arguments.shapes.len();
    progress.begin_weighted(cases().map(|case| case.weight).sum::<f64>() * jobs as f64);
    let mut results = Results { cores: crate::hpcc::cores(), ..Results::default() };
    let mut has_failed = false;
    for mpi in &arguments.libraries {
        let tool = tool(mpi)?;
        for &shape in &arguments.shapes {
            let place = Place::new(&options(arguments, mpi, shape))?;
            for case in cases() {
                progress.step_weighted(case.weight, || format!("{}, {}", case.name, place.title()));
                let about = format!("{}, {}", case.name, place.title());
                match measure(arguments, &place, &tool, case) {
                    Ok((lines, notes)) => {
                        results.lines.extend(lines);
                        results.notes.extend(notes.into_iter().map(|note| format!("{about}: {note}")));
                    }
                    Err(reason) => {
                        has_failed = true;
                        results.notes.push(format!("FAILED: {about}: {reason}"));
                    }
                }
                if crate::hpcc::launch::interrupted() {
                    return Err("interrupted".to_owned());
                }
            }
        }
    }
    progress.finish();
    if arguments.json.tables() {
        print!("{}{}", results.text(), verification(&results.errors()));
    }
    arguments.json.write(&results)?;
    let is_right = results.errors().into_iter().flatten().all(|errors| errors == 0);
    Ok(is_right && !has_failed)
}

fn options(arguments: &Arguments, mpi: &str, (hosts, ranks_per_host): (usize, usize)) -> Options {
    let (rate, latency, mpi) = (arguments.rate, arguments.latency, mpi.to_owned());
    Options { hosts, ranks_per_host, rate, latency, mpi, in_turn: false }
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

/// One benchmark.
fn measure(arguments: &Arguments, place: &Place, tool: &Path, case: &Case) -> Result<Measured, String> {
    let about = place.about();
    let name = format!("{}-{}x{}-{}", about.mpi, about.hosts, about.ranks_per_host, case.name);
    let file = |end: &str| arguments.root.join(format!("{name}.{end}"));
    let (json, said) = (absolute(&file("json"))?, file("txt"));
    // Results of an earlier run must not be mistaken for those of this one.
    let _ = fs::remove_file(&json);
    let words = (case.arguments)(about.hosts * about.ranks_per_host);
    let line = [tool.as_os_str().to_owned(), "bench".into()]
        .into_iter()
        .chain(words.into_iter().map(OsString::from));
    let line: Vec<OsString> =
        line.chain([format!("--json={}", json.display()).into(), "--no-progress".into()]).collect();
    // The libraries that benchmarks load lie beside the tool.
    let folder = absolute(tool.parent().unwrap_or(tool))?;
    let variables = ["LD_LIBRARY_PATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"].map(str::to_owned);
    let mut command = place.command(&variables, &line)?;
    command.env("LD_LIBRARY_PATH", folder).env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
    let failed = output::failure(&said);
    let log = File::create(&said).map_err(failed)?;
    command.stderr(log.try_clone().map_err(failed)?).stdout(log);
    let status = job::status(command)?;
    if status != 0 {
        return Err(format!("hcube bench ended with status {status}, see {}", said.display()));
    }
    let text = fs::read_to_string(&json).map_err(output::failure(&json))?;
    case.read(&about, &text)
}

fn absolute(file: &Path) -> Result<PathBuf, String> {
    std::path::absolute(file).map_err(output::failure(file))
}
