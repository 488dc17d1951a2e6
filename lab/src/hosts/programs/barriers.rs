//! What a program that cannot be changed uses between two of its barriers, by a library that is preloaded
//! into its ranks: hpcc-glue/bench/barriers.c.

use super::compiled;
use crate::hosts::site::Site;
use hcube_results::usage::Usage;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The file of all ranks in the folder of a job.
const COUNTERS: &str = "counters";

/// Preloads a library before what is preloaded already.
const SCRIPT: &str = "export LD_PRELOAD=\"$0${LD_PRELOAD:+:$LD_PRELOAD}\"; exec \"$@\"";

/// The library, compiled for the MPI library of the site.
///
/// # Errors
/// As [`compiled::compile`].
pub fn library(site: &Site, case: &str) -> Result<PathBuf, String> {
    let file = site.file(case, ".barriers.so");
    let sources = compiled::sources(&compiled::tree(site).join("hpcc-glue/bench"))?;
    compiled::compile(site, |command| {
        command.args(["-shared", "-fPIC", "-o"]).arg(&file).args(sources);
    })?;
    Ok(file)
}

/// A program and its arguments with the library, and without one as they are.
pub fn with(library: Option<&Path>, line: Vec<OsString>) -> Vec<OsString> {
    let script = |file: &Path| ["sh".into(), "-c".into(), SCRIPT.into(), file.into()];
    library.map(script).into_iter().flatten().chain(line).collect()
}

/// What all ranks have used from their barrier of this number to the next, and the seconds between both; of
/// a job in a folder. Nothing where not all of them have counted.
pub fn usage(folder: &Path, ranks: usize, barrier: u32) -> Option<(Usage, f64)> {
    sum(&fs::read_to_string(folder.join(COUNTERS)).unwrap_or_default(), ranks, barrier)
}

/// From lines of a number, seconds and counters.
fn sum(text: &str, ranks: usize, barrier: u32) -> Option<(Usage, f64)> {
    let numbers = |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect();
    let lines: Vec<Vec<f64>> = text.lines().map(numbers).collect::<Option<_>>()?;
    let own = || lines.iter().filter(|line| line.first() == Some(&f64::from(barrier)) && line.len() > 2);
    let total = |column: usize| own().filter_map(|line| line.get(column)).sum::<f64>();
    let columns = own().map(Vec::len).max()?;
    let is_complete = own().count() == ranks && own().all(|line| line.len() == columns);
    let used = Usage::of_counters(&(2..columns).map(total).collect::<Vec<_>>())?;
    let seconds = own().map(|line| line[1]).fold(0.0, f64::max);
    is_complete.then_some((used, seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_added_from_one_barrier_to_the_next() {
        let text = "1 9.0 90 80 70 60 50 1\n2 0.5 20 10 4 6 600 1\n1 9.0 90 80 70 0 0 0\n2 0.6 10 5 3 0 0 0\n\
                    2 0.4 5 5 1 4 400 1\n";
        let expected = Usage::of_counters(&[35.0, 20.0, 8.0, 10.0, 1000.0, 2.0]).expect("counters");
        assert_eq!(sum(text, 3, 2), Some((expected, 0.6)));
        assert_eq!((sum(text, 4, 2), sum(text, 3, 3), sum("", 0, 2)), (None, None, None));
        assert_eq!(sum("2 0.5 20 10 4 6 600", 1, 2), None);
    }

    #[test]
    fn libraries_are_preloaded_before_others() {
        let line = || vec![OsString::from("sh"), "-c".into(), "echo $LD_PRELOAD".into()];
        assert_eq!(with(None, line()), line());
        // Only the loader of this shell's own programs would look for these files.
        let words = with(Some(Path::new("")), line());
        assert_eq!(words[..4], ["sh", "-c", SCRIPT, ""].map(OsString::from));
        let mut command = std::process::Command::new(&words[0]);
        let output = command.args(&words[1..]).env_remove("LD_PRELOAD").output().expect("sh");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "\n");
    }
}
