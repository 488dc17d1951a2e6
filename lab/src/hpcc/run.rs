//! One run of HPCC, from its folder to its results.

use super::arguments::Arguments;
use super::busy::Clock;
use super::hpl;
use super::launch::{self, Launcher};
use super::outcome::Outcome;
use super::parse;
use super::plan::Run;
use super::progress::Progress;
use hcube_tool::output;
use std::fs::File;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// Interval of polls of the output, long enough not to disturb the ranks.
const POLL: Duration = Duration::from_millis(200);

/// HPCC's result file.
pub const RESULTS: &str = "hpccoutf.txt";
/// What all ranks write to standard output and to standard error.
const OUTPUT: &str = "output.txt";
/// Lines at the end of the output that are shown if results are missing.
const TAIL: usize = 12;

/// Why the loop over a run has ended.
enum Watch {
    Ended(ExitStatus),
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
) -> Result<Outcome, String> {
    let name = format!("{}-{}-{}", run.variant.name(), run.ranks, run.repeat);
    let folder = arguments.root.join("runs").join(name);
    let failed = output::failure(&folder);
    // Results of an earlier run must not be mistaken for those of this one.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    std::fs::write(folder.join("hpccinf.txt"), arguments.problem(run.ranks).text()).map_err(failed)?;
    let output = File::create(folder.join(OUTPUT)).map_err(failed)?;
    let (begin, clock) = (Instant::now(), Clock::start());
    let mut job =
        launcher.start(&arguments.program(run.variant)?, run.ranks, &folder, output).map_err(failed)?;
    let limit = Duration::from_secs(arguments.time_limit);
    let watch = loop {
        std::thread::sleep(POLL);
        if launch::interrupted() {
            job.end();
            return Err("interrupted".to_owned());
        }
        if let Some(status) = job.ended().map_err(failed)? {
            break Watch::Ended(status);
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
    let output = folder.join(OUTPUT);
    let mut outcome = outcome(&read(&folder.join(RESULTS)), &read(&output), seconds);
    // Complete results count even if the limit was reached in the same moment.
    let complete = if run.whole { outcome.success } else { outcome.lcg.is_some() };
    outcome.others = clock.others(run.ranks);
    outcome.timed_out = matches!(watch, Watch::TimedOut) && !complete;
    outcome.failure = match watch {
        Watch::Ended(status) if !status.success() => Some(status.to_string()),
        _ => None,
    };
    if complete && outcome.failure.is_none() {
        outcome.tail.clear();
    } else {
        outcome.tail = format!("the end of {}:\n{}", output.display(), outcome.tail);
    }
    Ok(outcome)
}

/// The text of a file, empty if it does not exist.
fn read(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn outcome(results: &str, output: &str, seconds: f64) -> Outcome {
    let (polynomial, lcg) = (parse::section(results, parse::POLYNOMIAL), parse::section(results, parse::LCG));
    let lines: Vec<&str> = output.lines().collect();
    let tail = lines[lines.len().saturating_sub(TAIL)..].join("\n");
    Outcome {
        polynomial,
        lcg,
        timed_out: false,
        success: parse::success(results),
        summary: parse::summary(results),
        solutions: hpl::solutions(results),
        failure: None,
        active: active(output).map(str::to_owned).collect(),
        fallbacks: output
            .lines()
            .filter_map(|line| Some((kernel(line, FALLS_BACK)?.to_owned(), line.to_owned())))
            .collect(),
        seconds,
        others: None,
        tail,
    }
}

/// The kernels that hcube has announced in this output.
pub fn active(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter_map(|line| kernel(line, ACTIVE))
}

/// Behind the kernel in the line by which hcube says that it serves it.
const ACTIVE: &str = " active: ";
/// Behind the kernel in the line by which hcube says that HPCC's own code runs.
const FALLS_BACK: &str = " not active, HPCC's own code runs: ";

/// The kernel of a line `hcube <version>: HPCC <kernel><what>...`.
fn kernel<'a>(line: &'a str, what: &str) -> Option<&'a str> {
    let (version, rest) = line.strip_prefix("hcube ")?.split_once(": HPCC ")?;
    let (kernel, _) = rest.split_once(what)?;
    (!version.contains(' ') && !kernel.contains(':')).then_some(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_recognised() {
        let line = "hcube 0.1.0: HPCC RandomAccess update active: 2 ranks: shared memory";
        assert_eq!(kernel(line, ACTIVE), Some("RandomAccess update"));
        assert_eq!(kernel("hcube 0.1.0: rank 1: HPCC FFT active: ", ACTIVE), None);
        assert_eq!(kernel("HPCC FFT active: ", ACTIVE), None);
        let line = "hcube 0.1.0: HPCC FFT not active, HPCC's own code runs: a kernel is active: no";
        assert_eq!((kernel(line, ACTIVE), kernel(line, FALLS_BACK)), (None, Some("FFT")));
        let outcome = outcome("", line, 1.0);
        assert_eq!(outcome.fallbacks, [("FFT".to_owned(), line.to_owned())]);
        assert!(outcome.active.is_empty());
    }

    #[test]
    fn the_end_of_the_output_is_read() {
        let outcome = outcome("", "one\ntwo\n", 1.0);
        assert_eq!((outcome.polynomial, outcome.lcg, outcome.tail.as_str()), (None, None, "one\ntwo"));
    }
}
