//! One run of HPCC, from its folder to its results.

use super::arguments::Arguments;
use super::input;
use super::launch::{self, Launcher};
use super::outcome::Outcome;
use super::parse;
use super::plan::Run;
use super::progress::Progress;
use hcube_tool::session::Failure;
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

/// Interval of polls of the output, long enough not to disturb the ranks.
const POLL: Duration = Duration::from_millis(200);

/// HPCC's result file.
const RESULTS: &str = "hpccoutf.txt";
/// Where the standard output of all ranks goes.
const OUTPUT: &str = "output.txt";

/// Why the loop over a run has ended.
enum Watch {
    Ended,
    Enough,
    TimedOut,
}

/// Runs HPCC once.
///
/// # Errors
/// If it could not be started, or the user has interrupted the command.
pub fn run(
    arguments: &Arguments,
    launcher: &Launcher,
    run: &Run,
    progress: &mut Progress,
) -> Result<Outcome, Failure> {
    let name = format!("{}-{}-{}", run.variant.name(), run.ranks, run.repeat);
    let folder = arguments.root.join("runs").join(name);
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    // Results of an earlier run must not be mistaken for those of this one.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    std::fs::write(folder.join("hpccinf.txt"), input::text(arguments.n, run.ranks)).map_err(failed)?;
    let output = File::create(folder.join(OUTPUT)).map_err(failed)?;
    let begin = Instant::now();
    let mut job =
        launcher.start(&arguments.program(run.variant)?, run.ranks, &folder, output).map_err(failed)?;
    let limit = Duration::from_secs(arguments.time_limit);
    let watch = loop {
        std::thread::sleep(POLL);
        if launch::interrupted() {
            job.end();
            return Err("interrupted".to_owned());
        }
        if job.ended().map_err(failed)?.is_some() {
            break Watch::Ended;
        }
        let text = read(&folder.join(RESULTS));
        progress.section(run, parse::current_section(&text));
        if !run.whole && parse::has_ended(&text, parse::LCG) {
            break Watch::Enough;
        }
        if begin.elapsed() > limit {
            break Watch::TimedOut;
        }
    };
    let seconds = begin.elapsed().as_secs_f64();
    job.end();
    let mut outcome = outcome(&read(&folder.join(RESULTS)), &read(&folder.join(OUTPUT)), seconds);
    // Complete results count even if the limit was reached in the same moment.
    outcome.timed_out = matches!(watch, Watch::TimedOut) && (run.whole || outcome.lcg.is_none());
    Ok(outcome)
}

/// The text of a file, empty if it does not exist.
fn read(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn outcome(results: &str, output: &str, seconds: f64) -> Outcome {
    let (polynomial, lcg) = (parse::section(results, parse::POLYNOMIAL), parse::section(results, parse::LCG));
    let lines: Vec<&str> = output.lines().collect();
    let tail = if lcg.is_none() { lines[lines.len().saturating_sub(8)..].join("\n") } else { String::new() };
    Outcome {
        polynomial,
        lcg,
        timed_out: false,
        success: parse::success(results),
        summary: parse::summary(results),
        active: output.lines().filter_map(announced).map(str::to_owned).collect(),
        fallbacks: output.lines().filter(|line| line.contains(FALLS_BACK)).map(str::to_owned).collect(),
        seconds,
        tail,
    }
}

/// Part of the line by which hcube says that HPCC's own code runs.
const FALLS_BACK: &str = " not active, HPCC's own code runs: ";

/// The kernel that a line announces: `hcube <version>: HPCC <kernel> active: ...`.
fn announced(line: &str) -> Option<&str> {
    let (version, rest) = line.strip_prefix("hcube ")?.split_once(": HPCC ")?;
    let (kernel, _) = rest.split_once(" active: ")?;
    (!version.contains(' ') && !kernel.contains(':')).then_some(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_announcement_is_recognised() {
        let line = "hcube 0.1.0: HPCC RandomAccess update active: 2 ranks: shared memory";
        assert_eq!(announced(line), Some("RandomAccess update"));
        assert_eq!(announced("hcube 0.1.0: rank 1: HPCC FFT active: "), None);
        assert_eq!(announced("HPCC FFT active: "), None);
        assert_eq!(announced("hcube 0.1.0: HPCC FFT not active, HPCC's own code runs: n"), None);
    }

    #[test]
    fn missing_results_keep_the_end_of_the_output() {
        let outcome = outcome("", "one\ntwo\n", 1.0);
        assert_eq!((outcome.polynomial, outcome.lcg, outcome.tail.as_str()), (None, None, "one\ntwo"));
    }
}
